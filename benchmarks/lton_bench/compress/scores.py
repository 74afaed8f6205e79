"""Score kept evidence and answers, with intervals."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy

RESAMPLES = 10_000
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Share:
    """A share in %, with the interval of 95 % of the resamplings."""

    value: float
    low: float
    high: float
    cases: int


def share(
    kept: Sequence[float], of: Sequence[float] | None = None, resamples: int = RESAMPLES
) -> Share:
    """Return a share of sums, or a mean, with the interval of the percentile bootstrap.

    >>> share([1, 1, 0, 0], [1, 1, 1, 1], 100).value
    50.0
    """
    total, of = len(kept), of or [1] * len(kept)
    draws = numpy.random.default_rng(1).multinomial(total, [1 / total] * total, size=resamples)
    shares = (draws @ numpy.array(kept, float)) / numpy.maximum(draws @ numpy.array(of, float), 1)
    low, high = numpy.quantile(shares, (0.025, 0.975))
    return Share(100 * sum(kept) / sum(of), 100 * float(low), 100 * float(high), total)


def exact(said: str, right: str) -> bool:
    """Return whether an answer is right, ignoring case, punctuation and articles.

    >>> exact("The North Sea.", "north sea"), exact("the sea", "North Sea")
    (True, False)
    """
    return _words(said) == _words(right)


def overlap(said: str, right: str) -> float:
    """Return the F1 of the words of an answer: the harmonic mean of precision and recall.

    >>> overlap("the cold North Sea", "North Sea")
    0.8
    """
    ours, theirs = Counter(_words(said)), Counter(_words(right))
    both = sum((ours & theirs).values())
    return 2 * both / (sum(ours.values()) + sum(theirs.values())) if both else 0.0


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in ("a", "an", "the")]
