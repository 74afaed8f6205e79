"""Test that the statistics equal those of scipy 1.17:

`binomtest`, its Wilson interval, `bootstrap`.
"""

import pytest

from lton_bench.study.figures import accuracy, compare


@pytest.mark.parametrize(
    ("right", "total", "low", "high"),
    [
        (0, 10, 0.0, 0.27753279986288926),
        (10, 10, 0.7224672001371109, 1.0),
        (1, 3, 0.06149194472039626, 0.7923403991979523),
        (517, 600, 0.8317327039799383, 0.8869989989534848),
    ],
)
def test_an_accuracy_has_the_interval_of_wilson(
    right: int, total: int, low: float, high: float
) -> None:
    estimate = accuracy([True] * right + [False] * (total - right))
    assert estimate.value == right / total
    assert [estimate.low, estimate.high] == pytest.approx([low, high])


@pytest.mark.parametrize(
    ("better", "worse", "same", "p", "low", "high"),
    [
        (8, 2, 60, 0.109375, 0.0, 0.17142857142857143),
        (25, 14, 52, 0.10812902140605732, -0.01098901098901099, 0.25274725274725274),
        (1, 0, 5, 1.0, 0.0, 0.5),
        (40, 40, 100, 1.0, -0.1, 0.1),
        (120, 60, 420, 9.14458588461025e-06, 0.056666666666666664, 0.14333333333333334),
    ],
)
def test_two_conditions_are_compared_in_pairs(
    better: int, worse: int, same: int, p: float, low: float, high: float
) -> None:
    """Paired differences equal scipy's with 100,000 draws; an end may differ by one case."""
    ours = [True] * better + [False] * worse + [True, False] * (same // 2) + [True] * (same % 2)
    theirs = [False] * better + [True] * worse + ours[better + worse :]
    comparison, one = compare(ours, theirs), 1 / len(ours)
    assert (comparison.only_ours, comparison.only_theirs) == (better, worse)
    assert comparison.p == pytest.approx(p)
    assert comparison.difference.value == pytest.approx((better - worse) / len(ours))
    assert comparison.difference.low == pytest.approx(low, abs=1.01 * one)
    assert comparison.difference.high == pytest.approx(high, abs=1.01 * one)


def test_a_comparison_can_be_made_again_and_turned_round() -> None:
    ours, theirs = [True, True, False, True] * 20, [False, True, True, False] * 20
    comparison, turned = compare(ours, theirs), compare(theirs, ours)
    assert comparison == compare(ours, theirs)
    assert turned.p == comparison.p
    assert turned.difference.value == -comparison.difference.value


def test_equal_answers_differ_by_nothing() -> None:
    comparison = compare([True, False], [True, False])
    assert (comparison.difference.low, comparison.difference.high, comparison.p) == (0.0, 0.0, 1.0)


def test_no_answers_have_no_figures() -> None:
    with pytest.raises(ValueError, match="expected answers, found none"):
        accuracy([])
    with pytest.raises(ValueError, match="expected answers, found none"):
        compare([], [])
    with pytest.raises(ValueError, match="shorter"):
        compare([True, False], [True])
