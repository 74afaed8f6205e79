"""A store in PostgreSQL: for many machines that share conversations."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from lton._require import require
from lton.errors import Code, StoreError
from lton.stores.contents import digest_of
from lton.stores.protocol import key_of, lacking, whole

_LOCK = 0x4C544F4E
"""The advisory lock of who makes the tables: "LTON"."""
_TABLES = """
CREATE TABLE IF NOT EXISTS lton_contents (digest bytea PRIMARY KEY, content bytea NOT NULL);
CREATE TABLE IF NOT EXISTS lton_entries (
    log bytea, position bigint,
    digest bytea NOT NULL REFERENCES lton_contents DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (log, position)
);
CREATE SEQUENCE IF NOT EXISTS lton_names;
"""
# Of two that append at once, one waits here for the other, and then inserts nothing.
_ENTRY = """
INSERT INTO lton_entries SELECT %(log)s, %(at)s, %(digest)s
WHERE (SELECT coalesce(max(position) + 1, 0) FROM lton_entries WHERE log = %(log)s) = %(at)s
ON CONFLICT DO NOTHING
"""
_CONTENT = "INSERT INTO lton_contents VALUES (%s, %s) ON CONFLICT DO NOTHING"
_ENTRIES = """
SELECT digest, content FROM lton_entries JOIN lton_contents USING (digest)
WHERE log = %s AND position >= %s ORDER BY position
"""
_DURABLE = """
SELECT set_config('synchronous_commit', 'on', false)
WHERE current_setting('synchronous_commit') = 'off'
"""


class PostgresStore:
    """A store in a database of PostgreSQL, in three tables of its own whose names begin `lton_`.

    Threads may share it; each process connects by itself. What a method has written is on the
    server's disk when it returns, also where the server is set to say so earlier. After a lost
    connection the next method connects again; of an append that was cut off, `entries` says
    whether it was kept.
    """

    def __init__(self, url: str) -> None:
        self._psycopg = require("psycopg", "psycopg[binary]>=3.2,<4")
        self._url = url
        self._lock = threading.RLock()
        self._is_closed = False
        self._database: Any = self._connected()
        with self._writing() as database:
            database.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            database.execute(_TABLES)

    def _connected(self) -> Any:
        with self._faults():
            database = self._psycopg.connect(self._url, autocommit=True)
            database.isolation_level = self._psycopg.IsolationLevel.READ_COMMITTED
            database.execute(_DURABLE)
            return database

    def get(self, digest: str) -> bytes:
        found = self._rows("SELECT content FROM lton_contents WHERE digest = %s", key_of(digest))
        if not found:
            raise lacking(digest)
        return whole(digest, found[0][0])

    def append(self, log: str, entry: bytes, *, at: int, contents: Iterable[bytes] = ()) -> bool:
        kept = {key_of(digest_of(content)): content for content in (entry, *contents)}
        values = {"log": _name(log), "at": at, "digest": key_of(digest_of(entry))}
        with self._writing() as database:
            if not database.execute(_ENTRY, values).rowcount:
                return False
            # In one order: else two that append could wait for each other.
            database.cursor().executemany(_CONTENT, sorted(kept.items()))
        return True

    def entries(self, log: str, start: int = 0) -> list[bytes]:
        found = self._rows(_ENTRIES, _name(log), start)
        return [whole(digest.hex(), content) for digest, content in found]

    def new_log(self) -> str:
        while True:
            ((number,),) = self._rows("SELECT nextval('lton_names')")
            if not self.entries(name := f"chat-{number}"):
                return name

    def close(self) -> None:
        self._is_closed = True
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _rows(self, query: str, *values: int | bytes) -> list[tuple[Any, ...]]:
        with self._lock, self._faults():
            found: list[tuple[Any, ...]] = self._open().execute(query, values).fetchall()
            return found

    @contextmanager
    def _writing(self) -> Iterator[Any]:
        """Keep all that is written within, or nothing."""
        with self._lock, self._faults(), (database := self._open()).transaction():
            yield database

    def _open(self) -> Any:
        if self._database.closed and not self._is_closed:
            self._database = self._connected()
        return self._database

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Raise what the database raises as ours."""
        try:
            yield
        except self._psycopg.Error as error:
            raise StoreError(Code.STORE, f"the store does not work: {error}") from error


def _name(log: str) -> bytes:
    """Get a name as it is kept: a text of PostgreSQL cannot hold them all."""
    return log.encode("utf-8", "surrogatepass")
