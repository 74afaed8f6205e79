"""The interface of all stores."""

from collections.abc import Iterable
from typing import Protocol, Self

from lton.errors import Code, StoreError
from lton.stores.contents import digest_of


class Store(Protocol):
    """Keeps contents, each once, and logs. Every change is durable when its method returns.

    A digest is the hexadecimal SHA-256 of a content. A log is a list of contents that only grows.
    An `append` is kept as a whole or not at all.
    """

    def get(self, digest: str) -> bytes:
        """Return the content of a digest; `StoreError` if it is missing or damaged."""
        ...

    def append(self, log: str, entry: bytes, *, at: int, contents: Iterable[bytes] = ()) -> bool:
        """Append an entry to a log if it has `at` entries, and store contents with the entry.

        Returns False, and keeps nothing, if the log has another number: somebody else has appended.
        """
        ...

    def entries(self, log: str, start: int = 0) -> list[bytes]:
        """Return the entries of a log from a number on; an unknown log has none."""
        ...

    def new_log(self) -> str:
        """Return an unused name for a log; each name is returned only once."""
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def lacking(digest: str) -> StoreError:
    """Return the error for a missing content."""
    return StoreError(Code.STORE, f"the store has no content {digest[:12]}…")


def key_of(digest: str) -> bytes:
    """Return a digest as bytes, the key in databases; b"" if it is invalid."""
    try:
        return bytes.fromhex(digest)
    except ValueError:
        return b""


def whole(digest: str, content: bytes) -> bytes:
    """Return a content after checking that it is undamaged."""
    if digest_of(content) != digest:
        raise StoreError(Code.STORE, f"the content {digest[:12]}… is damaged")
    return content
