"""Learn from what a server reports how far an estimate is off.

How far depends on the model and on what is written: a quarter of the bytes is a tenth too few for
one project's Markdown, and too many for another's Python. What stays the same is taken away by one
factor for each model. Measured on the 168 modules of Python 3.11's library, in 20 random orders,
where each is estimated with what the others before it taught (after the first five):

    o200k    the sum 6.7 % too high, or 0.7 % off; a file 9.7 % off, or 5.8 % (median)
    SmolLM2  the sum 4.0 % too low, or 0.9 % off; a file 6.1 % off, or 6.4 %

So it mends what fills a context, and not how files differ from each other. A median of ratios did
no better (0.5 and 0.7 %; 5.8 and 6.5 %), and would give a greeting the weight of a book.
"""

import threading

from lton.tokens.counting import Count

LOWEST, HIGHEST = 0.5, 3.0
"""A factor beyond these is no tokenizer's, but a mistake in what was compared."""
_PRIOR = 100
"""Tokens that count as estimated right from the start: so a greeting, mostly template, teaches
little, and a whole prompt teaches much."""


class Calibration:
    """The ratio of a model's tokens to estimates, for each model.

    It sums over everything, so long prompts weigh more. One pair changes it only within bounds.

    >>> calibration = Calibration()
    >>> calibration.factor("qwen")
    1.0
    >>> calibration.learn("qwen", actual=5580, estimate=5080)
    >>> round(calibration.factor("qwen"), 3)
    1.097
    """

    def __init__(self) -> None:
        self._sums: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def factor(self, model: str) -> float:
        actual, estimate = self._sums.get(model, (_PRIOR, _PRIOR))
        return actual / estimate

    def learn(self, model: str, *, actual: int, estimate: int) -> None:
        """Add a server's count, and the estimate without a factor."""
        if actual <= 0 or estimate <= 0:
            return
        with self._lock:
            actual_sum, estimate_sum = self._sums.get(model, (_PRIOR, _PRIOR))
            bounded = min(max(actual, LOWEST * estimate), HIGHEST * estimate)
            self._sums[model] = (actual_sum + bounded, estimate_sum + estimate)

    def scaled(self, model: str, estimate: Count) -> Count:
        """Return an estimate times the factor of a model.

        >>> calibration = Calibration()
        >>> calibration.learn("qwen", actual=1001, estimate=1500)
        >>> calibration.scaled("qwen", Count(75, exact=False))
        Count(tokens=52, exact=False)
        """
        # Rounded to the nearest: upwards, a list of short texts would be too long by half of each.
        return Count(round(estimate.tokens * self.factor(model)), exact=False)
