"""Compute ratios to the baseline, their means over tokenizers, and intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lton_bench.internals import require
from lton_bench.tokens.measure import Counts

RESAMPLES = 1000
SEED = 1
EXTRA = "bench"


@dataclass(frozen=True, slots=True)
class Ratio:
    """The tokens of a format and of the baseline, in the units that both can write.

    `by_tokenizer` are ratios of sums: what is paid. `mean` is their geometric mean, and between
    `low` and `high` it lies in 95 of 100 resamplings of the units (percentile bootstrap; B. Efron
    and R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13). `mean_of_units` is the
    mean of the units' own ratios: there a short call weighs as much as a long one.
    """

    units: int
    tokens: tuple[int, ...]
    by_tokenizer: tuple[float, ...]
    mean: float
    low: float
    high: float
    mean_of_units: float


def compare(
    counts: Sequence[Counts | None], baseline: Sequence[Counts | None], resamples: int = RESAMPLES
) -> Ratio | None:
    """Return the ratio of a format; None if it takes no unit.

    >>> compare([(2, 3), (2, 1)], [(4, 4), (4, 4)]).by_tokenizer
    (0.5, 0.5)
    """
    numpy: Any = require("numpy", EXTRA)
    pairs = [pair for pair in zip(counts, baseline, strict=True) if None not in pair]
    if not pairs:
        return None
    ours, theirs = (numpy.array(column, dtype=float) for column in zip(*pairs, strict=True))
    ratios = ours.sum(axis=0) / theirs.sum(axis=0)
    # How often each unit is drawn in a resampling: the same draws for every format.
    draws = numpy.random.default_rng(SEED).multinomial(
        len(pairs), [1 / len(pairs)] * len(pairs), size=resamples
    )
    means = _geometric((draws @ ours) / (draws @ theirs))
    low, high = numpy.quantile(means, (0.025, 0.975))
    return Ratio(
        units=len(pairs),
        tokens=tuple(int(total) for total in ours.sum(axis=0)),
        by_tokenizer=tuple(float(ratio) for ratio in ratios),
        mean=float(_geometric(ratios)),
        low=float(low),
        high=float(high),
        mean_of_units=float(_geometric((ours / theirs).mean(axis=0))),
    )


def _geometric(ratios: Any) -> Any:
    numpy: Any = require("numpy", EXTRA)
    with numpy.errstate(divide="ignore"):  # calls without arguments have no values: the floor is 0
        return numpy.exp(numpy.log(ratios).mean(axis=-1))
