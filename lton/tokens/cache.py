"""Counts that were made once: of a turn that stays the same, a server need not be asked again."""

import hashlib
import threading
from collections import OrderedDict

from lton.tokens.counter import Count

SIZE = 10_000
"""Counts in a cache: some megabytes, and more turns than a session has."""


class CountCache:
    """Counts by tokenizer and content; those used longest ago make room.

    A count is kept for the tokenizer that made it, so to change the model is safe. Contents are
    kept as digests.

    >>> cache = CountCache()
    >>> cache.put("server:http://localhost#qwen", "hello world", Count(2, exact=True))
    >>> cache.get("server:http://localhost#qwen", "hello world")
    Count(tokens=2, exact=True)
    >>> cache.get("server:http://localhost#llama", "hello world") is None
    True
    """

    def __init__(self, size: int = SIZE) -> None:
        self.size = size
        self._counts: OrderedDict[tuple[str, bytes], Count] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, counter_id: str, content: str) -> Count | None:
        key = (counter_id, _digest(content))
        with self._lock:
            if key in self._counts:
                self._counts.move_to_end(key)
            return self._counts.get(key)

    def put(self, counter_id: str, content: str, count: Count) -> None:
        with self._lock:
            self._counts[counter_id, _digest(content)] = count
            self._counts.move_to_end((counter_id, _digest(content)))
            if len(self._counts) > self.size:
                self._counts.popitem(last=False)


def _digest(content: str) -> bytes:
    return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).digest()
