"""Test the calls that a change of tools breaks, for old calls and for old readers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import DecodeError, decode, encode
from lton.schema.diff import find_losses
from tests.cases import INT, INTS, MAP, NUM, POINT, STR, UNIT, exact, tool, tools_of
from tests.compiled import FORMS
from tests.strategies import calls_for, schemas

X = {"x": STR}


@pytest.mark.parametrize(
    ("old", "new", "forth", "back"),
    [
        (X, X, [], []),
        (X, {"x": {**STR, "description": "what", "default": "a"}}, [], []),
        (X, {"x": STR, "y": INT}, [], ["/y: no such parameter"]),
        (
            X,
            {"y": INT, "x": STR},
            ["/x: is now at position 2, not 1"],
            ["/y: no such parameter", "/x: is now at position 1, not 2"],
        ),
        (X, {"x": INT}, ["/x: no string"], ["/x: no number"]),
        (X, {"x": UNIT}, ["/x: only the strings that are listed"], []),
        ({"x": UNIT}, {"x": {"enum": ["C", "F", "K"]}}, [], ["/x: one of 'C', 'F'"]),
        (
            X,
            {"x": {"type": ["string", "null"]}},
            ["/x: null too: 'null' without quotes is not a string"],
            ["/x: no null"],
        ),
        (
            {"x": {"enum": ["a", "1"]}},
            {"x": {"enum": ["a", "1", 2]}},
            ["/x: '1' without quotes is not a string"],
            ["/x: no number"],
        ),
        (
            X,
            {"x": {**STR, "minLength": 1, "maxLength": 2}},
            ["/x: a size of at least 1", "/x: a size of at most 2"],
            [],
        ),
        ({"x": INT}, {"x": NUM}, [], ["/x: an integer"]),
        (
            {"x": NUM},
            {"x": {**NUM, "minimum": 1, "exclusiveMaximum": 2}},
            ["/x: at least 1", "/x: less than 2"],
            [],
        ),
        (
            {"x": {**NUM, "maximum": 2}},
            {"x": {**NUM, "exclusiveMaximum": 2}},
            ["/x: less than 2"],
            [],
        ),
        (
            {"x": {**NUM, "exclusiveMinimum": 2}},
            {"x": {**NUM, "minimum": 2}},
            [],
            ["/x: more than 2"],
        ),
        (
            {"x": {**NUM, "minimum": 3}},
            {"x": {**NUM, "exclusiveMinimum": 2}},
            [],
            ["/x: at least 3"],
        ),
        (
            {"x": {"enum": [1, 2]}},
            {"x": {**NUM, "minimum": 2}},
            ["/x: a number of at least 2"],
            ["/x: only the numbers that are listed"],
        ),
        ({"x": {"enum": [1, 2]}}, {"x": {"enum": [1, 2, 3]}}, [], ["/x: one of 1, 2"]),
        (
            {"x": {**NUM, "exclusiveMinimum": 2, "exclusiveMaximum": 3}},
            {"x": {**NUM, "exclusiveMinimum": 1, "exclusiveMaximum": 4}},
            [],
            ["/x: more than 2", "/x: less than 3"],
        ),
        ({"x": {"type": "boolean"}}, {"x": {"enum": [True]}}, ["/x: no false"], []),
        ({"x": INTS}, {"x": {**INTS, "items": STR}}, ["/x/…: no number"], ["/x/…: no string"]),
        ({"x": INTS}, {"x": {**INTS, "maxItems": 0}}, ["/x: a size of at most 0"], []),
        ({"x": POINT}, {"x": MAP}, ["/x: a map"], ["/x: an object with members"]),
        ({"x": MAP}, {"x": INTS}, ["/x: no object"], ["/x: no array"]),
        (
            {"x": MAP},
            {"x": {**MAP, "additionalProperties": INT}},
            [
                "/x/…: no null",
                "/x/…: no false",
                "/x/…: an integer",
                "/x/…: no string",
                "/x/…: no array",
                "/x/…: no object",
            ],
            [],
        ),
    ],
)
def test_parameters(old: Any, new: Any, forth: list[str], back: list[str]) -> None:
    """Each change that breaks calls is reported at its place, for each direction."""
    before, after = tools_of(tool("f", old)), tools_of(tool("f", new))
    assert [f"{loss.path}: {loss.why}" for loss in find_losses(before, after)] == forth
    assert [f"{loss.path}: {loss.why}" for loss in find_losses(after, before)] == back


def test_tools_and_what_is_required() -> None:
    """Removed tools, newly required arguments and undeclared members are reported."""
    old = tools_of(tool("f", {"x": INT}), tool("g", {}, additionalProperties=INT))
    new = tools_of(tool("f", {"x": INT}, ["x"]), tool("h"), tool("g", {"y": STR}))
    loss_list = [(loss.tool, loss.path, loss.why) for loss in find_losses(old, new)]
    assert loss_list == [
        ("f", "/x", "is required"),
        ("g", "/y", "no number"),
        ("g", "/…", "no parameters that are not declared"),
    ]
    loss_list = [(loss.tool, loss.path, loss.why) for loss in find_losses(new, old)]
    assert loss_list == [("h", "", "no such tool"), ("g", "/y", "no such parameter")]


@given(st.data())
def test_without_losses_every_call_reads_the_same(data: st.DataObject) -> None:
    """If nothing is reported, all calls are read as before, in any form and with any values."""
    parts = data.draw(st.dictionaries(st.sampled_from("abc"), schemas(), min_size=1))
    required = data.draw(st.lists(st.sampled_from(sorted(parts)), unique=True))
    old = tool("f", parts, required)
    changed = dict(parts)
    for name in data.draw(st.lists(st.sampled_from("abcd"), max_size=2)):
        changed[name] = data.draw(schemas())
    new = tool("f", changed, data.draw(st.just(required) | st.just([])))
    before, after = tools_of(old), tools_of(new)
    if find_losses(before, after):
        return
    calls = data.draw(calls_for([{"function": old}]))
    for form in [*FORMS, "tagged"]:
        text = encode(calls, before, form=form)
        try:
            assert exact(decode(text, after)) == exact(calls)
        except DecodeError as error:
            pytest.fail(f"{text!r} is not read: {error}")
