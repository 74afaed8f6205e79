"""Compute the accuracy of a study with its interval, and compare two conditions.

Two conditions answer the same cases, so they are compared case by case. Cases that both get right,
or both get wrong, do not affect the comparison. scipy has most of these functions, but takes 100
MB. The formulas are short, and `benchmarks/tests/study/test_figures.py` compares them with scipy's
results.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt
from statistics import NormalDist

import numpy as np

__all__ = ["Comparison", "Estimate", "accuracy", "compare"]

_LEVEL = 0.95
_RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share, or a difference of two, with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A comparison on the same cases: the cases with one right answer, and the p-value."""

    difference: Estimate
    only_ours: int
    only_theirs: int
    p: float


def accuracy(right: Sequence[bool]) -> Estimate:
    """Return the share of right answers, with Wilson's interval.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927,
    without a correction for continuity. The interval is valid for few answers, and for shares of 0
    and 1.

    >>> half = accuracy([True] * 50 + [False] * 50)
    >>> print(f"{half.value:.3f} ({half.low:.3f} to {half.high:.3f})")
    0.500 (0.404 to 0.596)
    """
    total = len(right)
    if not total:
        raise ValueError("expected answers, found none")
    share = sum(right) / total
    z = NormalDist().inv_cdf((1 + _LEVEL) / 2)
    middle = share + z * z / (2 * total)
    reach = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return Estimate(share, max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale))


def compare(ours: Sequence[bool], theirs: Sequence[bool], *, seed: int = 0) -> Comparison:
    """Compare two conditions on the same cases in the same order: ours minus theirs.

    The interval is from the percentile bootstrap (B. Efron and R. Tibshirani, *An Introduction to
    the Bootstrap*, 1993, chapter 13), which draws pairs. `p` is from McNemar's exact two-sided
    test: the probability that a fair coin divides the cases with one right answer at least as
    unevenly.

    If the conditions agree on every case, the interval has no width, which proves little.

    >>> compare([True, True, True, False], [False, True, False, False]).difference.value
    0.5
    """
    if not ours:
        raise ValueError("expected answers, found none")
    pairs = list(zip(ours, theirs, strict=True))
    better, worse, total = pairs.count((True, False)), pairs.count((False, True)), len(pairs)
    # To draw pairs is to draw how many are of each kind.
    kinds = [better / total, worse / total, 1 - (better + worse) / total]
    draws = np.random.default_rng(seed).multinomial(total, kinds, size=_RESAMPLES)
    differences = (draws[:, 0] - draws[:, 1]) / total
    low, high = np.quantile(differences, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Comparison(
        difference=Estimate((better - worse) / total, float(low), float(high)),
        only_ours=better,
        only_theirs=worse,
        p=_mcnemar(better, worse),
    )


def _mcnemar(better: int, worse: int) -> float:
    flips = better + worse
    tail = sum(comb(flips, k) for k in range(min(better, worse) + 1))
    return min(1.0, 2 * tail / (1 << flips))
