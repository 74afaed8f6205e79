"""Where conversations are kept: contents by their digests, and logs that only grow."""

from lton.context.stores.memory import MemoryStore
from lton.context.stores.protocol import Store, digest_of
from lton.errors import Code, StoreError

__all__ = ["Store", "digest_of", "open_store"]


def open_store(url: str) -> Store:
    """Get the store of a URL: `memory:`, or `sqlite:///FILE` (four slashes: from the root).

    A file that is not there is made. What has been appended to it is there after the process is
    killed, and several processes may use it at a time.

    Raises `StoreError` (E715) for another URL, and for a file that is no such store.

    >>> with open_store("memory:") as store:
    ...     store.append("notes", b"first", at=0), store.entries("notes")
    (True, [b'first'])
    """
    if url == "memory:":
        return MemoryStore()
    if url.startswith("sqlite:///") and (file := url.removeprefix("sqlite:///")):
        from lton.context.stores.sqlite import SQLiteStore  # noqa: PLC0415 - it imports a database

        return SQLiteStore(file)
    raise StoreError(Code.STORE, f'expected "memory:" or "sqlite:///FILE", found {url!r}')
