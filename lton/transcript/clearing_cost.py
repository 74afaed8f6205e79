"""When it pays to clear old results: what a rewrite costs now, beside what it saves later.

Prompts are billed with the cache that a provider keeps of them (`lton.tokens.billing`). To clear
is to write anew whatever follows the first change; it saves a read of what is cleared with each
request to come. By this bill a conversation is never dearer than one that was left alone: what a
rewrite costs has been saved before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from lton.tokens.billing import Prices, PromptTokens

Clear: TypeAlias = Literal["pays", "always", "never"]
CLEARS: tuple[Clear, ...] = ("pays", "always", "never")

_PATIENCE = 2.0
"""How much dearer a rewrite may be than what it has cost to wait. To rewrite as soon as both are
alike is at most twice as dear as to know the future; 2 was best on development data."""
_MOST_STARTS = 256
"""Turns that are looked at to begin a clearing with: the oldest, and the newest."""


@dataclass(frozen=True, slots=True)
class Clearing:
    """The sum that decides: all but the first two are billed tokens.

    - `saved`: tokens that each later request has less. `reads`: how many requests are expected, an
      estimate: as many as there have been.
    - `extra`: what this request costs more, because of what is written anew.
    - `later`: what the expected requests cost less.
    - `held`: what it has cost so far to read what would be cleared now, since it is old. To wait
      for that is to clear neither too often nor too late.
    - `ahead`: what the conversation has been billed less than as it came: it pays for `extra`.
    """

    saved: int
    reads: int
    extra: float
    later: float
    held: float
    ahead: float
    expired: bool = False

    @property
    def pays(self) -> bool:
        """Whether to clear now.

        >>> Clearing(500, 40, extra=900.0, later=2000.0, held=950.0, ahead=1200.0).pays
        True
        >>> Clearing(500, 40, extra=900.0, later=2000.0, held=950.0, ahead=800.0).pays
        False
        """
        most = min(self.later, _PATIENCE * self.held, self.ahead)
        return self.saved > 0 and self.extra <= max(0.0, most)

    def __str__(self) -> str:
        kept = "no cache" if self.expired else "cached"
        return (
            f"{kept}, now {self.extra:+.0f}, later {-self.later:+.0f} ({self.reads} requests of "
            f"{self.saved} tokens less), held {self.held:.0f}, ahead {self.ahead:.0f}"
        )


@dataclass(slots=True)
class Waiting:
    """Turns that are old, and whose results are not cleared yet: sums from each of them on."""

    turns: list[int] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    """The tokens of what is shown before each."""
    won: list[int] = field(default_factory=lambda: [0])
    """About the tokens that are won by all before each, and by all."""
    since: list[int] = field(default_factory=lambda: [0])
    """The same, times the number of requests at which each came to wait."""

    def add(self, turn: int, begin: int, gain: int, requests: int) -> None:
        """Let a turn wait, if clearing it wins anything."""
        if gain > 0:
            self.turns.append(turn)
            self.begins.append(begin)
            self.won.append(self.won[-1] + gain)
            self.since.append(self.since[-1] + gain * requests)

    def cut(self, turn: int) -> None:
        """Forget the turns from a number on."""
        while self.turns and self.turns[-1] >= turn:
            for each in (self.turns, self.begins, self.won, self.since):
                each.pop()

    def starts(self) -> list[int]:
        """Get the places to begin a clearing with."""
        last = range(max(0, len(self.turns) - _MOST_STARTS), len(self.turns))
        return [*[0] * (last.start > 0), *last]


@dataclass(slots=True)
class Account:
    """What the requests of a conversation were billed, as they were shown and as they came."""

    prices: Prices
    requests: int = 0
    ahead: float = 0.0
    """What they were billed less than as they came."""
    kept: int = 0
    """Tokens of the last request that the next one begins with."""
    _full: int = field(default=0, repr=False)

    def ask(self, tokens: int, full: int) -> None:
        """Take in a request of so many tokens, that would have `full` as it came."""
        self.ahead += self._bill(full, self._full) - self._bill(tokens, self.kept)
        self.requests += 1
        self.kept, self._full = tokens, full

    def _bill(self, tokens: int, read: int) -> float:
        """Get what a request is billed of which a cache has so many tokens."""
        read = min(read, tokens)
        return self.prices.billed(PromptTokens(write=tokens - read, read=read))

    def best(
        self, tokens: int, waiting: Waiting, starts: Sequence[int], *, expired: bool
    ) -> int | None:
        """Get the place to begin a clearing with that saves most of those that pay."""
        best, most = None, 0.0
        if self.prices.read and (self.ahead > 0 or expired):
            for at in starts:
                found = self.weigh(tokens, waiting, at, expired=expired)
                if found.pays and found.later - found.extra > most:
                    best, most = at, found.later - found.extra
        return best

    def weigh(self, tokens: int, waiting: Waiting, at: int, *, expired: bool) -> Clearing:
        """Get the sum for clearing, in a view of so many tokens, what waits from a place on."""
        won, since = (each[-1] - each[at] for each in (waiting.won, waiting.since))
        return self.sum(tokens, tokens - won, waiting.begins[at], since, expired=expired)

    def sum(self, tokens: int, after: int, common: int, since: int, *, expired: bool) -> Clearing:
        """Get the sum for a view that has `after` tokens then, and `common` before the change."""
        kept, saved, read = 0 if expired else self.kept, tokens - after, self.prices.read
        return Clearing(
            saved=saved,
            reads=self.requests,
            extra=self._bill(after, min(kept, common)) - self._bill(tokens, kept),
            later=saved * read * self.requests,
            held=(saved * self.requests - since) * read,
            ahead=self.ahead,
            expired=expired,
        )
