"""Compute how many tokens a provider with a prompt cache bills.

Reading a token from the cache costs a fraction of the input price, and writing it costs slightly
more than that price. So changing earlier parts of a prompt may cost more than repeating them.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class PromptTokens:
    """The tokens of a prompt: uncached, written to the cache, and read from the cache.

    `hour_write` is the part of `write` that the cache keeps for an hour.
    """

    input: int = 0
    write: int = 0
    read: int = 0
    hour_write: int = 0

    def __add__(self, other: "PromptTokens") -> "PromptTokens":
        return PromptTokens(
            input=self.input + other.input,
            write=self.write + other.write,
            read=self.read + other.read,
            hour_write=self.hour_write + other.hour_write,
        )

    @property
    def total(self) -> int:
        return self.input + self.write + self.read

    def by_kind(self) -> dict[str, int]:
        """Return the tokens of each kind. The kinds add up to the total."""
        return {"input": self.input, "write": self.write, "read": self.read}


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of cached tokens, relative to the price of an uncached token.

    `lifetime` is the number of seconds for which a cache keeps an unused prompt. `hour_write` is
    the price of tokens that the cache keeps for an hour.

    >>> round(Prices().price_of(PromptTokens(input=100, write=200, read=1000)))
    450
    """

    input: float = 1.0
    write: float = 1.25
    read: float = 0.1
    lifetime: float = 300.0
    hour_write: float = 2.0

    def __post_init__(self) -> None:
        prices = (self.input, self.write, self.read, self.hour_write)
        if not all(number >= 0 for number in (*prices, self.lifetime)):
            raise ValueError("expected prices and a lifetime of at least 0")

    def price_of(self, tokens: PromptTokens) -> float:
        write_cost = (tokens.write - tokens.hour_write) * self.write
        write_cost += tokens.hour_write * self.hour_write
        return tokens.input * self.input + write_cost + tokens.read * self.read


PRICES: Mapping[str, Prices] = {
    "anthropic": Prices(),
    "anthropic-1h": Prices(write=2.0, lifetime=3600.0),
    "openai": Prices(write=1.0),
    "local": Prices(write=1.0, read=0.0, lifetime=inf),
}
"""Prices by provider. OpenAI's are for models without extra cost for writes, and reads at a tenth.
A local server computes only new tokens, and keeps them until another client sends a request."""


_Request: TypeAlias = Sequence[tuple[Hashable | Mapping[str, Any], int]]


class PromptCache:
    """Simulates a provider's cache, which keeps the longest prefix that requests share.

    A request is a list of parts (messages, or their content), each with its tokens. `now` is a time
    in seconds of any clock; without it nothing expires. The limits of providers (a minimum length,
    increments) are ignored, because the model only compares two kinds of requests.

    >>> cache = PromptCache()
    >>> cache.bill_prompt([("rules", 50), ("question", 9)])
    PromptTokens(input=0, write=59, read=0, hour_write=0)
    >>> cache.bill_prompt([("rules", 50), ("question", 9), ("answer", 20)])
    PromptTokens(input=0, write=20, read=59, hour_write=0)
    """

    def __init__(self, lifetime: float = inf) -> None:
        self._lifetime = lifetime
        self._before: Sequence[tuple[Any, int]] = ()
        self._asked: float | None = None

    def bill_prompt(self, request: _Request, now: float | None = None) -> PromptTokens:
        last_time, self._asked = self._asked, now
        if last_time is not None and now is not None and now - last_time > self._lifetime:
            self._before = ()
        read = sum(tokens for _, tokens in request[: count_common_start(self._before, request)])
        self._before = request
        return PromptTokens(write=sum(tokens for _, tokens in request) - read, read=read)


def count_common_start(before: Sequence[Any], after: Sequence[Any]) -> int:
    """Return the number of equal items at the start of two sequences.

    >>> count_common_start("abcd", "abx")
    2
    """
    if before == after[: len(before)]:  # the usual case, and much faster
        return len(before)
    pairs = enumerate(zip(before, after, strict=False))
    return next((at for at, (old, new) in pairs if old != new), min(len(before), len(after)))
