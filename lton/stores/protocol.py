"""Define the interface of stores."""

from collections.abc import Iterable
from typing import Protocol, Self

from lton.errors import Code, StoreError
from lton.stores.contents import digest_of


class Store(Protocol):
    """Stores content and logs. A change is durable when its method returns.

    Equal content is stored once. The digest of content is its SHA-256 in hexadecimal. A log is an
    append-only list of entries. `append` stores all of its arguments or nothing.
    """

    def get(self, digest: str) -> bytes:
        """Return the content with this digest. Raises `StoreError` if it is missing or damaged."""
        ...

    def append(self, log: str, entry: bytes, *, at: int, contents: Iterable[bytes] = ()) -> bool:
        """Append an entry, with its contents, to a log that has exactly `at` entries.

        If the log has a different number of entries, another writer has appended: store nothing,
        and return False.
        """
        ...

    def entries(self, log: str, start: int = 0) -> list[bytes]:
        """Return the entries of a log from index `start` on. An unknown log is empty."""
        ...

    def new_log(self) -> str:
        """Return an unused name for a log."""
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def make_missing_content_error(digest: str) -> StoreError:
    """Return the error for a digest whose content is not in the store."""
    return StoreError(Code.STORE, f"the store has no content {digest[:12]}…")


def key_of(digest: str) -> bytes:
    """Convert a digest to bytes, which databases use as the key. An invalid digest becomes b""."""
    try:
        return bytes.fromhex(digest)
    except ValueError:
        return b""


def checked_content(digest: str, content: bytes) -> bytes:
    """Return the content if it has the digest; otherwise raise `StoreError`."""
    if digest_of(content) != digest:
        raise StoreError(Code.STORE, f"the content {digest[:12]}… is damaged")
    return content
