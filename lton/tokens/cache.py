"""Cache token counts, so that an unchanged part of a conversation is counted only once."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from lton._json import minified
from lton.tokens.chat import PER_MESSAGE, iterate_message_texts
from lton.tokens.counting import Count, TokenCounter

LIMIT = 10_000
"""The maximum number of counts in a cache: a few megabytes, for more turns than a session has."""


class TurnCache:
    """Caches token counts by tokenizer and content.

    The least recently used counts are dropped. Contents are stored as digests.

    >>> from lton.tokens.counting import ByteHeuristic
    >>> cache = TurnCache()
    >>> cache.count(ByteHeuristic(), "hello world")
    Count(tokens=3, exact=False)
    >>> cache.count(ByteHeuristic(), "hello world"), len(cache), cache.hits
    (Count(tokens=3, exact=False), 1, 1)
    """

    def __init__(self, limit: int = LIMIT) -> None:
        if limit < 1:
            raise ValueError(f"expected a limit of at least 1, found {limit}")
        self.limit = limit
        self.hits = 0
        self._counts: OrderedDict[tuple[str, bytes], Count] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._counts)

    def get(self, counter_id: str, content: str) -> Count | None:
        return self._find_count((counter_id, _digest_of(content)))

    def put(self, counter_id: str, content: str, count: Count) -> None:
        self._store_count((counter_id, _digest_of(content)), count)

    def _find_count(self, key: tuple[str, bytes]) -> Count | None:
        with self._lock:
            if (count := self._counts.get(key)) is not None:
                self._counts.move_to_end(key)
                self.hits += 1
            return count

    def _store_count(self, key: tuple[str, bytes], count: Count) -> None:
        with self._lock:
            self._counts[key] = count
            self._counts.move_to_end(key)
            if len(self._counts) > self.limit:
                self._counts.popitem(last=False)

    def count(self, counter: TokenCounter, turn: str | Mapping[str, Any]) -> Count:
        """Return the number of tokens of a string or message."""
        # A string and a message with the same characters have different first characters.
        content = f"t{turn}" if isinstance(turn, str) else f"m{minified(turn)}"
        key = counter.id, _digest_of(content)
        if (cached := self._find_count(key)) is not None:
            return cached
        if isinstance(turn, str):
            counts = counter.count_all([turn])
            total = counts[0]
        else:
            counts = counter.count_all(iterate_message_texts(turn))
            total = sum(counts, Count(PER_MESSAGE, exact=False))
        if not counter.exact or all(count.exact for count in counts):
            self._store_count(key, total)
        return total


def _digest_of(content: str) -> bytes:
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).digest()
