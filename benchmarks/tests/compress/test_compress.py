"""Test the arithmetic of the compression benchmark."""

from lton_bench.compress import outputs
from lton_bench.compress.outputs import compute_share


def test_a_share_is_that_of_the_sums_and_its_interval_holds_it() -> None:
    share = compute_share([1, 0, 2, 2], [1, 1, 2, 4])
    assert share.value == 62.5
    assert 0 < share.low < share.value < share.high <= 100
    certain = compute_share([2, 2], [2, 2], 50)
    assert (certain.low, certain.value, certain.high) == (100, 100, 100)


def test_why_lines_are_missed() -> None:
    text = "\n".join(f"Entry {number} holds nothing." for number in range(60))
    row = {"kind": "read", "text": text, "query": "Where is 7?", "used": [7, 30, 40]}
    missed, apart, said = outputs._misses([row], "read")
    assert (missed, apart, said) == (2, 2, 0)
    twice = row | {"text": f"{text}\n{text}", "used": [64]}
    assert outputs._misses([twice], "read") == (1, 1, 1)
