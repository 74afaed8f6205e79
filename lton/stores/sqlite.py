"""Store conversations in an SQLite file, which processes can share."""

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from lton.errors import Code, StoreError
from lton.stores.contents import digest_of
from lton.stores.protocol import Store, checked_content, key_of, make_missing_content_error

_FORMAT = 0x4C544F4E  # SQLite's `application_id` for our files: "LTON"
_WAIT = 30.0  # Seconds to wait for another writing process
_TABLES = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS contents (digest BLOB PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS entries (
    log TEXT, position INTEGER, digest BLOB NOT NULL REFERENCES contents,
    PRIMARY KEY (log, position)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS names (number INTEGER PRIMARY KEY AUTOINCREMENT);
PRAGMA application_id = 0x4C544F4E;
COMMIT;
"""
_NEXT = "SELECT coalesce(max(position) + 1, 0) FROM entries WHERE log = ?"
"""The number of entries of a log, which has no gaps."""


class SQLiteStore(Store):
    """A store in an SQLite file.

    A write is on the disk when its method returns: SQLite syncs its write-ahead log at each commit.
    If a process is killed during a write, nothing of that write is stored.
    """

    def __init__(self, file: str) -> None:
        self._lock = threading.RLock()
        with suppress(OSError, ValueError):  # if this fails, SQLite reports the error
            # Only the owner may read the file, and the files that SQLite creates next to it.
            if file != ":memory:":
                os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
        try:
            self._database = sqlite3.connect(
                file, timeout=_WAIT, isolation_level=None, check_same_thread=False
            )
        except (sqlite3.Error, ValueError) as error:
            raise _store_error(error) from error
        try:
            with _convert_errors():
                self._prepare_file(file)
        except StoreError:
            self._database.close()
            raise

    def _prepare_file(self, file: str) -> None:
        (mark,) = self._database.execute("PRAGMA application_id").fetchone()
        (version,) = self._database.execute("PRAGMA schema_version").fetchone()
        if mark != _FORMAT and version:
            raise StoreError(Code.STORE, f"{file} is the database of another program")
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        if mark != _FORMAT:
            self._database.executescript(_TABLES)

    def get(self, digest: str) -> bytes:
        rows = self._query_rows("SELECT content FROM contents WHERE digest = ?", key_of(digest))
        if not rows:
            raise make_missing_content_error(digest)
        return checked_content(digest, rows[0][0])

    def append(self, log: str, entry: bytes, *, at: int, contents: Iterable[bytes] = ()) -> bool:
        pairs = [(key_of(digest_of(content)), content) for content in (entry, *contents)]
        with self._begin_writing() as database:
            if database.execute(_NEXT, (log,)).fetchone() != (at,):
                return False
            database.executemany("INSERT OR IGNORE INTO contents VALUES (?, ?)", pairs)
            database.execute("INSERT INTO entries VALUES (?, ?, ?)", (log, at, pairs[0][0]))
        return True

    def entries(self, log: str, start: int = 0) -> list[bytes]:
        rows = self._query_rows(
            "SELECT position, digest, content FROM entries LEFT JOIN contents USING (digest)"
            " WHERE log = ? AND position >= ? ORDER BY position",
            log,
            start,
        )
        for at, (position, digest, content) in enumerate(rows, start):
            is_whole = isinstance(digest, bytes) and isinstance(content, bytes)
            if position != at or not is_whole:  # happens only in a damaged file
                raise StoreError(Code.STORE, f"entry {at} of {log} is damaged")
        return [checked_content(digest.hex(), content) for _, digest, content in rows]

    def new_log(self) -> str:
        used_query = "SELECT 1 FROM entries WHERE log = ? LIMIT 1"
        with self._begin_writing() as database:
            while True:
                number = database.execute("INSERT INTO names DEFAULT VALUES").lastrowid
                if not database.execute(used_query, (f"chat-{number}",)).fetchall():
                    return f"chat-{number}"

    def close(self) -> None:
        self._database.close()

    def _query_rows(self, query: str, *values: str | int | bytes) -> list[tuple[Any, ...]]:
        with self._lock, _convert_errors():
            return self._database.execute(query, values).fetchall()

    @contextmanager
    def _begin_writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, _convert_errors(), self._database as database:
            database.execute("BEGIN IMMEDIATE")
            yield database


@contextmanager
def _convert_errors() -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeError) as error:
        raise _store_error(error) from error


def _store_error(error: Exception) -> StoreError:
    return StoreError(Code.STORE, f"the store does not work: {error}")
