"""Correct estimates by the counts that a server reports.

The difference depends on the model and on the text; one factor for each model corrects its mean.
Measured on the 168 modules of Python 3.11's library, in 20 random orders, in which earlier files
teach later ones (after the first five):

    o200k    the sum is 6.7 % too high, or 0.7 % off; a file 9.7 % off, or 5.8 % (median)
    SmolLM2  the sum is 4.0 % too low, or 0.9 % off; a file 6.1 % off, or 6.4 %

So it corrects sums, and not the differences between files. A median of ratios is no better (0.5
and 0.7 %; 5.8 and 6.5 %), and would weigh a greeting like a book.
"""

import threading

from lton.tokens.counting import Count

LOWEST, HIGHEST = 0.5, 3.0
"""Bounds of a factor; others are mistakes."""
_PRIOR = 100  # tokens that count as estimated correctly, so that a greeting teaches little


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
        # Rounding up would add half a token to each short text of a list.
        return Count(round(estimate.tokens * self.factor(model)), exact=False)
