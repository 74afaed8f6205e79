"""Calls that go on with numbers that nobody asked for."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from lton import Call
from lton.generate._asked import Unasked

SAID = "Circles with a radius of 20, 5% of that, 1,000, 3 million or -0.75, and the next two?"


def first(arguments: Sequence[Mapping[str, Any]]) -> int | None:
    """Get the index of the call that is one too many."""
    calls = Unasked(SAID)
    found = [calls.go_on(Call("f", dict(each))) for each in arguments]
    return found.index(True) if True in found else None


@pytest.mark.parametrize("value", [20, 20.0, 0.05, 1000, 3e6, 3_000_000, 0.75, 2, 12, -4, True])
def test_what_was_said_or_may_be_in_words_is_asked_for(value: float) -> None:
    others: list[dict[str, Any]] = [
        {"a": 31},
        {"a": 41},
        {"a": 51},
        {"a": value},
        {"a": 61},
        {"a": 71},
    ]
    assert first(others) is None


@pytest.mark.parametrize("value", [13, 25, 2.5, 1.7e30, -31])
def test_any_other_number_is_not(value: float) -> None:
    assert first([{"a": 41}, {"a": 51}, {"a": 61}, {"a": value}]) == 3


@pytest.mark.parametrize(
    ("last", "ends"),
    [
        ({"a": 71}, True),
        ({"a": 71, "b": "red"}, True),  # as all had
        ({"a": 71, "b": "blue"}, False),
        ({"a": 71, "c": 41}, True),  # of another argument
        ({"a": [{"x": [71, 41]}]}, True),
        ({"a": [{"x": [71, 20]}]}, False),
        ({"a": 71, "b": None}, False),
        ({"a": 41}, False),  # nothing is new
        ({}, False),
    ],
)
def test_a_call_that_adds_anything_else_may_be(last: dict[str, Any], ends: bool) -> None:
    before = [{"a": number, "b": "red"} for number in (41, 51, 61)]
    assert first([*before, last]) == (3 if ends else None)


def test_the_first_call_may_have_any_numbers() -> None:
    assert first([{"a": 31, "b": 41}, {"a": 31, "b": 51}, {"a": 41, "b": 51}]) is None
