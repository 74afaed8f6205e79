"""Score strings with an engine that reports the likelihood of single tokens.

The candidates' tokens form a tree, so a prefix that candidates share is queried once.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from math import exp, inf
from typing import Any

_KNOWN = 256
"""The maximum number of cached scores computed with `aside`."""


class TokenScorer(ABC):
    """Implements `Scorer` with the likelihoods of single tokens."""

    temperature: float
    random: Any

    def __init__(self) -> None:
        self.known: dict[tuple[tuple[int, ...], ...], list[float]] = {}

    @property
    @abstractmethod
    def read(self) -> int: ...

    @abstractmethod
    def follow(self, tokens: Sequence[int], wanted: Collection[int]) -> Mapping[int, float]:
        """Return the log-probability of each wanted token, given the tokens before it."""

    def score(
        self,
        tokens: Sequence[int],
        texts: Sequence[Sequence[int]],
        *,
        aside: bool = False,
        less: Sequence[float] | None = None,
    ) -> tuple[int, list[float]]:
        before, pairs = self.read, [(tokens, text) for text in texts]
        if not aside:
            found = self.likelihoods(pairs, less if self.temperature <= 0 else None)
            return self.read - before, found
        key = (tuple(tokens), *map(tuple, texts))
        known = self.known.pop(key, None)
        self.known[key] = found = known or self.aside(pairs)  # the last entry to be dropped
        if len(self.known) > _KNOWN:
            del self.known[next(iter(self.known))]
        return self.read - before, found

    def foretell(
        self, prompts: Sequence[tuple[Sequence[int], int]], *, aside: bool = False
    ) -> tuple[int, int, list[float]]:
        before, pairs = self.read, [(tokens[:at], tokens[at:]) for tokens, at in prompts]
        scores = self.aside(pairs) if aside else self.likelihoods(pairs, None)
        return self.read - before, self.pick(scores), scores

    def pick(self, scores: Sequence[float]) -> int:
        most = max(scores)
        if self.temperature <= 0:
            return scores.index(most)
        weights = [exp((score - most) / self.temperature) for score in scores]
        chosen: int = self.random.choices(range(len(scores)), weights)[0]
        return chosen

    def aside(self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[float]:
        """Compute `likelihoods`, and then restore the engine's state."""
        return self.likelihoods(pairs, None)

    def likelihoods(
        self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]], less: Sequence[float] | None
    ) -> list[float]:
        """Return the log-likelihood of each string. Each shared prefix is computed once.

        With `less`, the text with the highest score is continued first. Scores only fall, so the
        search ends when a complete string has the highest score.
        """
        scores, depths = [0.0] * len(pairs), [0] * len(pairs)
        best, left = -inf, set(range(len(pairs)))

        def ahead(index: int) -> float:
            return scores[index] - (less[index] if less else 0.0)

        while left:
            first = max(sorted(left), key=ahead)
            if less and ahead(first) < best:
                break
            begun = _begun(pairs[first], depths[first])
            alike = [each for each in left if _begun(pairs[each], depths[each]) == begun]
            found = self.follow(begun, {pairs[each][1][depths[each]] for each in alike})
            for each in alike:
                scores[each] += found[pairs[each][1][depths[each]]]
                depths[each] += 1
                if depths[each] == len(pairs[each][1]):
                    left.remove(each)
                    best = max(best, ahead(each))
        return scores


def _begun(pair: tuple[Sequence[int], Sequence[int]], depth: int) -> tuple[int, ...]:
    tokens, text = pair
    return (*tokens, *text[:depth])
