"""Decide when clearing old results saves more than it costs to write the cache again.

Prompts are billed with the provider's cache (`lton.tokens.billing`). After a clearing, everything
after the first change is written to the cache again, but each later request no longer reads the
cleared results. By this calculation, no conversation costs more than without clearing, because a
rewrite costs at most the earlier savings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from lton.tokens.billing import Prices, PromptTokens

Clear: TypeAlias = Literal["pays", "always", "never"]
CLEARS: tuple[Clear, ...] = ("pays", "always", "never")

_PATIENCE = 2.0
"""The maximum cost of a rewrite divided by the cost of waiting; 2 was best in development."""
_MOST_STARTS = 256  # The number of newest turns tried as a start, in addition to the oldest


@dataclass(frozen=True, slots=True)
class Clearing:
    """The costs and savings of clearing old results.

    - `saved`: the tokens that each later request saves. `reads`: the expected number of requests,
      which is the number so far.
    - `extra`: the additional cost of this request, for tokens that are written again.
    - `later`: the savings in the expected requests.
    - `held`: the cost of reading the results since they became old. Waiting for this cost avoids
      clearing too often or too late.
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
        """Whether clearing now saves more than it costs.

        >>> Clearing(500, 40, extra=900.0, later=2000.0, held=950.0, ahead=1200.0).pays
        True
        >>> Clearing(500, 40, extra=900.0, later=2000.0, held=950.0, ahead=800.0).pays
        False
        """
        most = min(self.later, _PATIENCE * self.held, self.ahead)
        return self.saved > 0 and self.extra <= max(0.0, most)

    def __str__(self) -> str:
        cache = "no cache" if self.expired else "cached"
        return (
            f"{cache}, now {self.extra:+.0f}, later {-self.later:+.0f} ({self.reads} requests of "
            f"{self.saved} tokens less), held {self.held:.0f}, ahead {self.ahead:.0f}"
        )


@dataclass(frozen=True, slots=True)
class Cleared:
    """A clearing of the turns from `since` to `before`. `sum` is None if the window was full."""

    since: int
    before: int
    why: str
    sum: Clearing | None = None
    narrow: bool = False

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> "Cleared":
        sums = entry["sum"]
        return cls(**{**entry, "sum": Clearing(**sums) if sums else None})


@dataclass(slots=True)
class Waiting:
    """Turns whose results can be cleared, with cumulative sums of the savings."""

    turns: list[int] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)  # The shown tokens before each turn
    won: list[int] = field(default_factory=lambda: [0])  # The tokens saved by all turns before each
    since: list[int] = field(default_factory=lambda: [0])  # The same, multiplied by requests

    def add_turn(self, turn: int, begin: int, gain: int, requests: int) -> None:
        """Add a turn if clearing it saves tokens."""
        if gain > 0:
            self.turns.append(turn)
            self.begins.append(begin)
            self.won.append(self.won[-1] + gain)
            self.since.append(self.since[-1] + gain * requests)

    def drop_turns_from(self, turn: int) -> None:
        while self.turns and self.turns[-1] >= turn:
            for values in (self.turns, self.begins, self.won, self.since):
                values.pop()

    def starts(self) -> list[int]:
        last = range(max(0, len(self.turns) - _MOST_STARTS), len(self.turns))
        return [0, *last] if last.start > 0 else [*last]


@dataclass(slots=True)
class Account:
    """Adds up what the requests cost as sent, and what they would have cost without omissions."""

    prices: Prices
    requests: int = 0
    ahead: float = 0.0  # The savings so far
    shared: int = 0  # Tokens that the next request shares with the last one
    _full: int = field(default=0, repr=False)

    def bill_request(self, tokens: int, full: int) -> None:
        """Add a request that was sent with `tokens` tokens instead of `full` tokens."""
        self.ahead += self._price_request(full, self._full) - self._price_request(
            tokens, self.shared
        )
        self.requests += 1
        self.shared = tokens
        self._full = full

    def _price_request(self, tokens: int, read: int) -> float:
        read = min(read, tokens)
        return self.prices.price_of(PromptTokens(write=tokens - read, read=read))

    def find_best_first_turn(
        self, tokens: int, waiting: Waiting, starts: Sequence[int], *, expired: bool
    ) -> int | None:
        """Return the index of the first turn to clear, or None if no clearing saves tokens."""
        best = None
        most = 0.0
        if self.prices.read and (self.ahead > 0 or expired):
            for at in starts:
                clearing = self.weigh_clearing(tokens, waiting, at, expired=expired)
                if clearing.pays and clearing.later - clearing.extra > most:
                    best = at
                    most = clearing.later - clearing.extra
        return best

    def weigh_clearing(self, tokens: int, waiting: Waiting, at: int, *, expired: bool) -> Clearing:
        """Estimate the costs and savings of clearing the waiting turns from index `at` on."""
        won, since = (sums[-1] - sums[at] for sums in (waiting.won, waiting.since))
        return self.sum_clearing(tokens, tokens - won, waiting.begins[at], since, expired=expired)

    def sum_clearing(
        self, tokens: int, after: int, common: int, since: int, *, expired: bool
    ) -> Clearing:
        """Compute the costs and savings of sending `after` instead of `tokens` tokens."""
        cached = 0 if expired else self.shared
        saved = tokens - after
        read = self.prices.read
        extra = self._price_request(after, min(cached, common)) - self._price_request(
            tokens, cached
        )
        later = saved * read * self.requests
        wait_cost = (saved * self.requests - since) * read
        return Clearing(saved, self.requests, extra, later, wait_cost, self.ahead, expired)
