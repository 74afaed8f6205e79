"""Counts of turns, kept: a conversation is counted at each step, and most of it is as before."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from lton.tokens.chat import PER_MESSAGE, message_texts, minified
from lton.tokens.counter import Count, TokenCounter

Key = tuple[str, bytes]


class TurnCache:
    """The latest counts by tokenizer and content, at most `limit` of them.

    A turn is a text or a message. The tokenizer is part of the key, so another model counts anew.
    What a counter that can be exact could only estimate is not kept.

    >>> from lton.tokens.heuristic import ByteHeuristic
    >>> cache = TurnCache()
    >>> cache.count(ByteHeuristic(), "hello world")
    Count(tokens=3, exact=False)
    >>> cache.count(ByteHeuristic(), "hello world"), len(cache), cache.hits
    (Count(tokens=3, exact=False), 1, 1)
    """

    def __init__(self, limit: int = 4096) -> None:  # a long session has a few hundred turns
        if limit < 1:
            raise ValueError(f"expected a limit of at least 1, found {limit}")
        self.limit = limit
        self.hits = 0
        self._counts: OrderedDict[Key, Count] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._counts)

    def count(self, counter: TokenCounter, turn: str | Mapping[str, Any]) -> Count:
        """Get the count of a turn. Messages are estimated one by one, so that they add up."""
        key = counter.id, _hash(turn)
        with self._lock:
            if (known := self._counts.get(key)) is not None:
                self._counts.move_to_end(key)
                self.hits += 1
                return known
        counts = counter.count_all([turn] if isinstance(turn, str) else message_texts(turn))
        around = Count(0, exact=True) if isinstance(turn, str) else Count(PER_MESSAGE, exact=False)
        total = sum(counts, around)
        if not counter.exact or all(count.exact for count in counts):
            with self._lock:
                self._counts[key] = total
                if len(self._counts) > self.limit:
                    self._counts.popitem(last=False)
        return total


def _hash(turn: str | Mapping[str, Any]) -> bytes:
    # A text and the message that is written like it differ in their first character.
    text = f"t{turn}" if isinstance(turn, str) else f"m{minified(turn)}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
