"""Test that hostile definitions cannot break out of a grammar (`python -m fuzz.grammars`:
thousands).
"""

from collections import Counter

import pytest

pytest.importorskip("llguidance")
pytest.importorskip("lark")

from fuzz.grammars import LARGE, check, large

TIMELY = ("a name of 100 kB", "a schema that is itself", "a $ref that doubles")
"""Of what is large, what takes no seconds."""


@pytest.mark.untraced
@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.deep) for part in (1, 2, 3))]
)
def test_names_and_labels_break_out_of_no_grammar(part: int) -> None:
    """With hostile names and labels, the language of each dialect still has only the calls."""
    counts: Counter[str] = Counter()
    faults = [fault for seed in range(part * 20, part * 20 + 20) for fault in check(seed, counts)]
    assert faults == []
    assert counts["accepted"] > 50
    assert counts["refused by all"] > 50
    assert counts["regex"] > 0


@pytest.mark.parametrize("seed", [145, 426])
def test_python_lark_reads_a_backslash_before_a_quotation_mark(seed: int) -> None:
    """A backslash before a quotation mark is kept; python-lark used to lose it, and refused such
    calls.
    """
    counts: Counter[str] = Counter()
    assert [*check(seed, counts)] == []
    assert counts["python-lark"] > 0


def test_a_number_is_no_word_where_words_are_quoted() -> None:
    """Next to strings of a pattern that are never bare, 2.0 is not a bare word."""
    assert [*check(4337, Counter())] == []


@pytest.mark.parametrize("name", TIMELY)
@pytest.mark.untraced
def test_what_is_made_to_exhaust_an_emitter_does_not(name: str) -> None:
    assert [*large(name)] == []


@pytest.mark.deep
@pytest.mark.parametrize("name", LARGE)
def test_nothing_large_exhausts_an_emitter(name: str) -> None:
    assert [*large(name)] == []
