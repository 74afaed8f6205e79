"""What a store is."""

from collections.abc import Iterable
from typing import Protocol, Self

from lton.errors import Code, StoreError
from lton.stores.contents import digest_of


class Store(Protocol):
    """Keeps contents, each once, and logs. What a method has done is done for good.

    A digest is the SHA-256 of a content, in hexadecimal digits. A log is a list of contents that
    only grows. All of an `append` is kept, or nothing.
    """

    def get(self, digest: str) -> bytes:
        """Get the content of a digest; `StoreError` if it is not here, or no longer what it was."""
        ...

    def append(self, log: str, entry: bytes, *, at: int, contents: Iterable[bytes] = ()) -> bool:
        """Append an entry to a log that has `at` entries, and keep contents with it.

        False, and nothing is kept, if the log has another number of entries: somebody else has
        appended to it.
        """
        ...

    def entries(self, log: str, start: int = 0) -> list[bytes]:
        """Get the entries of a log, from this number on; none of a log that is not there."""
        ...

    def new_log(self) -> str:
        """Get a name that no log of this store has, and that it never gave before."""
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def lacking(digest: str) -> StoreError:
    """Get the error for a content that is not here."""
    return StoreError(Code.STORE, f"the store has no content {digest[:12]}…")


def key_of(digest: str) -> bytes:
    """Get the bytes of a digest, which databases find contents by; none of what is no digest."""
    try:
        return bytes.fromhex(digest)
    except ValueError:
        return b""


def whole(digest: str, content: bytes) -> bytes:
    """Get a content that is what it was when it was kept."""
    if digest_of(content) != digest:
        raise StoreError(Code.STORE, f"the content {digest[:12]}… is no longer what it was")
    return content
