"""Stores of conversations: append-only logs, and contents by digest.

- `protocol` defines a store, and `contents` names and divides contents.
- `memory`, `sqlite` and `postgres` are the stores.
"""

from lton.errors import Code, StoreError
from lton.stores.memory import MemoryStore
from lton.stores.protocol import Store

__all__ = ["Store", "open_store"]


def open_store(url: str) -> Store:
    """Open a store: `memory:`, `sqlite:///FILE` (four slashes for an absolute path) or
    `postgresql://…`.

    A missing file, or the tables in PostgreSQL, are created (the URL is one of libpq's; it needs
    the package `psycopg[binary]`). Appended entries survive a killed process, and processes may
    share a store. Raises `StoreError` (E715) for another URL, a file of another program, and a
    server that does not answer; `MissingExtraError` without the package.

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
