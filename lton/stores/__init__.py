"""Where conversations are kept: contents by their digests, and logs that only grow.

- `protocol` says what a store is, and `contents` how contents are named and divided.
- `memory`, `sqlite` and `postgres` are the stores.
"""

from lton.errors import Code, StoreError
from lton.stores.memory import MemoryStore
from lton.stores.protocol import Store

__all__ = ["Store", "open_store"]


def open_store(url: str) -> Store:
    """Get the store of a URL: `memory:`, `sqlite:///FILE` (four slashes: from the root), `postgresql://…`.

    A file that is not there is made, and tables in a database of PostgreSQL (its URL is one of
    libpq's; it needs the package `psycopg[binary]`). What has been appended to it is there after
    the process is killed, and several processes may use it at a time.

    Raises `StoreError` (E715) for another URL, for a file that is no such store, and for a server
    that does not answer; `MissingExtraError` without that package.

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
