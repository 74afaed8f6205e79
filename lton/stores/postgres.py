"""Store conversations in a PostgreSQL database, which several machines can share."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from lton._require import require
from lton.errors import Code, StoreError
from lton.stores.contents import digest_of
from lton.stores.protocol import Store, checked_content, key_of, make_missing_content_error

_T = TypeVar("_T")
PATIENCE_S = 10.0  # How long a server may be unavailable, such as during a restart
_PAUSE_S = 0.1
_LOCK = 0x4C544F4E  # The advisory lock for creating the tables: "LTON"
_TABLES = """
CREATE TABLE IF NOT EXISTS lton_contents (digest bytea PRIMARY KEY, content bytea NOT NULL);
CREATE TABLE IF NOT EXISTS lton_entries (
    log bytea, position bigint,
    digest bytea NOT NULL REFERENCES lton_contents DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (log, position)
);
CREATE SEQUENCE IF NOT EXISTS lton_names;
"""
# If two appends run at once, one waits here for the other, and then inserts nothing.
_ENTRY = """
INSERT INTO lton_entries SELECT %(log)s, %(at)s, %(digest)s
WHERE (SELECT coalesce(max(position) + 1, 0) FROM lton_entries WHERE log = %(log)s) = %(at)s
ON CONFLICT DO NOTHING
"""
_SAME = (
    "SELECT 1 FROM lton_entries WHERE log = %(log)s AND position = %(at)s AND digest = %(digest)s"
)
_CONTENT = "INSERT INTO lton_contents VALUES (%s, %s) ON CONFLICT DO NOTHING"
_ENTRIES = """
SELECT digest, content FROM lton_entries JOIN lton_contents USING (digest)
WHERE log = %s AND position >= %s ORDER BY position
"""
_DURABLE = """
SELECT set_config('synchronous_commit', 'on', false)
WHERE current_setting('synchronous_commit') = 'off'
"""


class PostgresStore(Store):
    """A store in a PostgreSQL database.

    Threads may share a store. Each process needs its own connection. A write is on the server's
    disk when its method returns, whatever the settings of the server. A lost connection is
    reopened: the server may be unavailable for ten seconds. After that, each method tries only
    once. If an append fails after an interruption, `entries` shows whether the entry was stored.
    """

    def __init__(self, url: str) -> None:
        self._psycopg = require("psycopg", "psycopg[binary]>=3.2,<4")
        # Without a handler, psycopg prints a warning to standard error at each lost connection.
        logging.getLogger("psycopg").addHandler(logging.NullHandler())
        self._url = url
        self._lock = threading.RLock()
        self._is_closed = False
        self._lost_at: float | None = None
        self._database: Any = self._connect()
        with self._convert_errors(), self._database.transaction():
            self._database.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            self._database.execute(_TABLES)

    def _connect(self) -> Any:
        with self._convert_errors():
            database = self._psycopg.connect(self._url, autocommit=True)
            database.isolation_level = self._psycopg.IsolationLevel.READ_COMMITTED
            database.execute(_DURABLE)
            return database

    def get(self, digest: str) -> bytes:
        rows = self._query_rows(
            "SELECT content FROM lton_contents WHERE digest = %s", key_of(digest)
        )
        if not rows:
            raise make_missing_content_error(digest)
        return checked_content(digest, rows[0][0])

    def append(self, log: str, entry: bytes, *, at: int, contents: Iterable[bytes] = ()) -> bool:
        by_digest = {key_of(digest_of(content)): content for content in (entry, *contents)}
        values = {"log": _encode_name(log), "at": at, "digest": key_of(digest_of(entry))}

        def write_entry(database: Any, *, again: bool) -> bool:
            with database.transaction():
                if database.execute(_ENTRY, values).rowcount:
                    # The order is fixed: otherwise two appends could wait for each other.
                    database.cursor().executemany(_CONTENT, sorted(by_digest.items()))
                    return True
            # An interrupted write may have succeeded even if its answer was lost.
            return again and database.execute(_SAME, values).rowcount > 0

        return self._try_twice(write_entry)

    def entries(self, log: str, start: int = 0) -> list[bytes]:
        rows = self._query_rows(_ENTRIES, _encode_name(log), start)
        return [checked_content(digest.hex(), content) for digest, content in rows]

    def new_log(self) -> str:
        while True:
            ((number,),) = self._query_rows("SELECT nextval('lton_names')")
            name = f"chat-{number}"
            if not self.entries(name):
                return name

    def close(self) -> None:
        self._is_closed = True
        self._database.close()

    def _query_rows(self, query: str, *values: int | bytes) -> list[tuple[Any, ...]]:
        return self._try_twice(lambda database, **_: database.execute(query, values).fetchall())

    def _try_twice(self, do: Callable[..., _T]) -> _T:
        again = False
        with self._lock:
            while True:
                try:
                    with self._convert_errors():
                        result = do(self._open_database(), again=again)
                except StoreError:
                    if not self._is_worth_waiting():
                        raise
                    time.sleep(_PAUSE_S)
                    again = True
                else:
                    self._lost_at = None
                    return result

    def _is_worth_waiting(self) -> bool:
        if self._is_closed or not self._database.closed:
            return False
        now = time.monotonic()
        self._lost_at = self._lost_at or now
        return now < self._lost_at + PATIENCE_S

    def _open_database(self) -> Any:
        if self._database.closed and not self._is_closed:
            self._database = self._connect()
        return self._database

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
        try:
            yield
        except self._psycopg.Error as error:
            raise StoreError(Code.STORE, f"the store does not work: {error}") from error


def _encode_name(log: str) -> bytes:
    """Encode the name of a log, because PostgreSQL's type `text` cannot store every string."""
    return log.encode("utf-8", "surrogatepass")
