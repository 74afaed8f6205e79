"""Store conversations in memory."""

import threading
from collections.abc import Iterable
from itertools import count

from lton.stores.contents import digest_of
from lton.stores.protocol import Store, make_missing_content_error


class MemoryStore(Store):
    """An in-memory store that threads may share.

    >>> store = MemoryStore()
    >>> store.append("notes", b"first", at=0, contents=[b"kept"])
    True
    >>> store.append("notes", b"late", at=0), store.entries("notes")
    (False, [b'first'])
    """

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}
        self._logs: dict[str, list[bytes]] = {}
        self._names = count(1)
        self._lock = threading.Lock()

    def get(self, digest: str) -> bytes:
        if (content := self._contents.get(digest)) is None:
            raise make_missing_content_error(digest)
        return content

    def append(self, log: str, entry: bytes, *, at: int, contents: Iterable[bytes] = ()) -> bool:
        by_digest = {digest_of(content): content for content in (entry, *contents)}
        with self._lock:
            entries = self._logs.get(log, [])
            if len(entries) != at:
                return False
            for digest, content in by_digest.items():
                self._contents.setdefault(digest, content)
            self._logs.setdefault(log, entries).append(entry)
            return True

    def entries(self, log: str, start: int = 0) -> list[bytes]:
        return self._logs.get(log, [])[start:]

    def new_log(self) -> str:
        with self._lock:
            return next(one for one in map("chat-{}".format, self._names) if one not in self._logs)

    def close(self) -> None:
        pass
