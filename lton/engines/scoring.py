"""Scores of texts by a server that says how likely one token is after others.

A server scores tokens but keeps no state that the caller can branch. So texts are scored along the
tree of their tokens: what several texts begin with is asked once.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from math import exp, inf
from random import Random

_KNOWN = 256
"""Scores of what was read aside that are kept: agents offer the same tools again and again."""


class ServerScorer(ABC):
    """A `Scorer` before a server that says how likely a token is after some tokens."""

    temperature: float
    random: Random
    read: int
    """Tokens that the server has read for scores so far."""

    def __init__(self) -> None:
        self.read = 0
        self._known: dict[tuple[tuple[int, ...], ...], list[float]] = {}

    @abstractmethod
    def follow(self, tokens: Sequence[int], wanted: Collection[int]) -> Mapping[int, float]:
        """Return the log-probability of each wanted token after some tokens."""

    def score(
        self,
        tokens: Sequence[int],
        texts: Sequence[Sequence[int]],
        *,
        aside: bool = False,
        less: Sequence[float] | None = None,
    ) -> tuple[int, list[float]]:
        """Return how many tokens were read, and the log-probability of each text after `tokens`.

        With `less` and at temperature 0, a text that cannot have the highest score less that is
        not scored to its end.
        """
        before, pairs = self.read, [(tokens, text) for text in texts]
        if not aside:
            found = self.likelihoods(pairs, less if self.temperature <= 0 else None)
            return self.read - before, found
        key = (tuple(tokens), *map(tuple, texts))
        known = self._known.pop(key, None)
        self._known[key] = found = known or self.likelihoods(
            pairs, None
        )  # the last to be forgotten
        if len(self._known) > _KNOWN:
            del self._known[next(iter(self._known))]
        return self.read - before, found

    def foretell(
        self, prompts: Sequence[tuple[Sequence[int], int]], *, aside: bool = False
    ) -> tuple[int, int, list[float]]:
        """Return the tokens read, the index of the likeliest rest, and each rest's log-likelihood.

        Each prompt comes with where its rest begins.
        """
        del aside
        before = self.read
        scores = self.likelihoods([(tokens[:at], tokens[at:]) for tokens, at in prompts], None)
        return self.read - before, self.pick(scores), scores

    def pick(self, scores: Sequence[float]) -> int:
        """Return the index of the highest score, or one drawn at the temperature."""
        most = max(scores)
        if self.temperature <= 0:
            return scores.index(most)
        weights = [exp((score - most) / self.temperature) for score in scores]
        return self.random.choices(range(len(scores)), weights)[0]

    def likelihoods(
        self,
        pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
        less: Sequence[float] | None,
    ) -> list[float]:
        """Return how likely each text is after its tokens, as a logarithm; each step is asked once.

        With `less`, whichever text is ahead goes on first: scores only fall, so the search ends
        once a whole text is ahead of all others.
        """
        known: dict[tuple[int, ...], Mapping[int, float]] = {}
        scores, depths = [0.0] * len(pairs), [0] * len(pairs)
        best, left = -inf, list(range(len(pairs)))
        while left:
            if less is not None:
                left.sort(key=lambda index: less[index] - scores[index])
                if scores[left[0]] - less[left[0]] <= best:
                    break
            index = left[0]
            depth, text = depths[index], pairs[index][1]
            begun = _begun(pairs[index], depth)
            if begun not in known:
                alike = (
                    one for one in pairs if len(one[1]) > depth and _begun(one, depth) == begun
                )
                known[begun] = self.follow(begun, {one[1][depth] for one in alike})
            scores[index] += known[begun][text[depth]]
            depths[index] += 1
            if depths[index] == len(text):
                left.remove(index)
                best = max(best, scores[index] - less[index] if less else -inf)
        return scores


def _begun(pair: tuple[Sequence[int], Sequence[int]], depth: int) -> tuple[int, ...]:
    tokens, text = pair
    return (*tokens, *text[:depth])
