"""Cache the likelihoods of texts, and pick one of several scores."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import exp
from typing import Any

from lton.engines.engine import FrozenPair, Pair

_KNOWN = 256
"""The maximum number of cached likelihoods. Agents offer the same tools again and again."""


class CachingScorer(ABC):
    """Implements `Scorer` for an engine that can compute the likelihoods of texts."""

    temperature: float
    random: Any

    def __init__(self) -> None:
        self.known_scores: dict[FrozenPair, float] = {}
        """The log-likelihoods of pairs, least recently used first."""

    @property
    @abstractmethod
    def read(self) -> int:
        """The number of tokens that the model has read so far."""

    @abstractmethod
    def compute_likelihoods(self, pairs: Sequence[Pair]) -> list[float]:
        """Return the log-likelihood of each text after its context. All pairs are different."""

    def score_pairs(self, pairs: Sequence[Pair]) -> tuple[int, list[float]]:
        before = self.read
        keys = [(tuple(context), tuple(text)) for context, text in pairs]
        unknown = [key for key in dict.fromkeys(keys) if key not in self.known_scores]
        likelihoods = self.compute_likelihoods(unknown) if unknown else []
        computed = dict(zip(unknown, likelihoods, strict=True))
        scores = [computed[key] if key in computed else self.known_scores[key] for key in keys]
        for key, score in zip(keys, scores, strict=True):
            self.known_scores.pop(key, None)
            self.known_scores[key] = score  # the last one to be dropped
        while len(self.known_scores) > _KNOWN:
            del self.known_scores[next(iter(self.known_scores))]
        return self.read - before, scores

    def pick(self, scores: Sequence[float]) -> int:
        most = max(scores)
        if self.temperature <= 0:
            return scores.index(most)
        weights = [exp((score - most) / self.temperature) for score in scores]
        index: int = self.random.choices(range(len(scores)), weights)[0]
        return index
