"""Store conversations as append-only logs, and their content by its SHA-256 digest.

- `protocol` defines the interface. `contents` computes digests, and splits contents into parts.
- `memory`, `sqlite` and `postgres` implement the interface.
"""

from lton.errors import Code, StoreError
from lton.stores.memory import MemoryStore
from lton.stores.protocol import Store

__all__ = ["Store", "open_store"]


def open_store(url: str) -> Store:
    """Open a store by its URL (`memory:`, `sqlite:///FILE` or `postgresql://…`).

    A missing file is created, and so are missing tables in PostgreSQL. (A PostgreSQL URL is a URL
    of libpq, and needs the package `psycopg[binary]`.) Appended entries survive a killed process,
    and several processes may share a store. The newest entries of an SQLite store are in `FILE-wal`
    until the store is closed: copy both files. Raises `StoreError` (E715) for another URL, a file
    of another program, or a server that does not answer, and `MissingExtraError` if the package is
    missing.

    >>> with open_store("memory:") as store:
    ...     store.append("notes", b"first", at=0), store.entries("notes")
    (True, [b'first'])
    """
    if url == "memory:":
        return MemoryStore()
    if url.startswith("sqlite:///") and (file := url.removeprefix("sqlite:///")):
        from lton.stores.sqlite import SQLiteStore  # noqa: PLC0415 - it imports a database

        return SQLiteStore(file)
    if url.startswith(("postgresql://", "postgres://")):
        from lton.stores.postgres import PostgresStore  # noqa: PLC0415 - the same

        return PostgresStore(url)
    kinds = '"memory:", "sqlite:///FILE" or "postgresql://…"'
    raise StoreError(Code.STORE, f"expected {kinds}, found {url!r}")
