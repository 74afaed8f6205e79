"""A scorer in which each token has a fixed likelihood."""

from collections.abc import Sequence

from lton.engines.engine import Pair
from lton.engines.scoring import CachingScorer


class ScriptedScorer(CachingScorer):
    """Reads the tokens of each text."""

    temperature = 0.0
    read = 0

    def compute_likelihoods(self, pairs: Sequence[Pair]) -> list[float]:
        self.read += sum(len(text) for _, text in pairs)
        return [-float(sum(text)) for _, text in pairs]
