"""Test that the compiled and the general code agree for every text and call."""

from collections import OrderedDict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import Call, ToolSet, encode
from lton._syntax import Form
from tests import strategies as own
from tests.cases import TOOLSETS, taking
from tests.compiled import FORMS, Label, Mixed, One, Real, Text, check_reading, check_writing

ALPHABET = "fxaC s1_ ,=()[]{}\"'`:\n!&#-0.ent"
LEXEMES = [
    *["f", "g", "weather.v1", "stop", "&", "!call ", " ", " ", " ", ", ", "\n", "(", ")", "[", "]"],
    *["{", "}", "x=", "a=", "_", "1", "7.0", "-0", "1e999", "null", "true", "C", "Paris", '"C"'],
    *[
        "'x'",
        '"a b"',
        "s3:a b",
        "s1:",
        "é",
        "\0",
        "\ud800",
        "```\nx\n```",
        "[1 2]",
        "(a=1)",
        "{a 1}",
    ],
]


ODD: list[Any] = [
    *[True, False, None, 0, 1, 1.0, 0.5, -0.0, float("nan"), float("inf"), 10**4095, 10**4094],
    *[-(10**4095), One.VALUE, Label.C, Label.SPACED, Mixed.C, Mixed.SPACED, Text("C"), Real(1)],
    *["C", "", "a b", "a\nb", "'\"", "null", "true", "1", "_", "s1", "\0", "\ud800", b"C", {1}],
    *[(), (1,), ("C", 1), [], [1], ["C"], {}, {"a": 1}, {1: 1}, {"a": [1]}, object()],
    *[OrderedDict(a=1), MappingProxyType({"a": 1}), range(2), 1j],
]


def _odd(value: Any) -> st.SearchStrategy[Any]:
    """Return the value with a part replaced by an odd value, or by a similar value of another
    type.
    """
    odd = st.sampled_from(ODD)
    if isinstance(value, dict):
        derived = st.sampled_from([OrderedDict(value), MappingProxyType(value), {**value, "zz": 1}])
        inside = [_with(value, key) for key in value]
        return st.one_of(odd, derived, *inside)
    if isinstance(value, list):
        inside = [
            _odd(item).map(lambda new, i=i: [*value[:i], new, *value[i + 1 :]])  # type: ignore[misc]
            for i, item in enumerate(value)
        ]
        return st.one_of(odd, st.just(tuple(value)), *inside)
    if isinstance(value, str):
        return odd | st.just(Text(value))
    return odd


def _with(values: Mapping[str, Any], key: str) -> st.SearchStrategy[Any]:
    others = {name: value for name, value in values.items() if name != key}
    return _odd(values[key]).map(lambda new: {**values, key: new}) | st.just(others)


@st.composite
def cases(draw: st.DrawFn) -> tuple[ToolSet, list[Call]]:
    """Return tools, generated or from the conformance suite, and calls of these tools."""
    definitions = draw(own.toolsets())
    return ToolSet.from_tools(definitions), draw(own.calls_for(definitions))


@pytest.mark.parametrize("form", FORMS)
@own.examples(50)
@given(cases(), st.data())
def test_canonical_texts_and_what_becomes_of_them(
    form: Form, case: tuple[ToolSet, list[Call]], data: st.DataObject
) -> None:
    """Both write the same text, and read it in the same way: unchanged, with other calls after it,
    and damaged.
    """
    tools, calls = case
    assert check_writing(calls, tools, form)
    text = encode(calls, tools, form=form)
    assert check_reading(text, tools)
    check_reading(data.draw(own.mangled(text)), tools)
    check_reading(data.draw(own.mangled(text, max_edits=1)), tools)


@pytest.mark.parametrize("form", FORMS)
@own.examples(60)
@given(cases(), st.data())
def test_calls_of_odd_values(
    form: Form, case: tuple[ToolSet, list[Call]], data: st.DataObject
) -> None:
    """Values of derived types and invalid values are written or refused in the same way by both."""
    tools, calls = case
    odd = [Call(call.name, data.draw(_odd(dict(call.arguments)))) for call in calls]
    odd = [call for call in odd if isinstance(call.arguments, Mapping)]
    check_writing(odd, tools, form)


ROWS: list[Any] = [
    *[{"type": "object"}, {"type": "object", "additionalProperties": {"type": "integer"}}],
    *[{}, {"type": "object", "additionalProperties": {"type": "object"}}],
    {"type": ["object", "string"], "additionalProperties": {"type": "string"}},
]
FREE = [taking(schema) for row in ROWS for schema in (row, {"type": "array", "items": row})]
CELLS = ["(", "a", "b", "'c d'", "(x y)", ")", ")", ";", ";", " ", " ", ",", "1", "_", "w", '"v w"']


@pytest.mark.parametrize("form", FORMS)
@own.examples(60)
@given(own.likes(own.json_values()), st.sampled_from(FREE), st.data())
def test_tables(form: Form, value: Any, tools: ToolSet, data: st.DataObject) -> None:
    """Tables are written and read in the same way by both, also if they are damaged."""
    call = Call("f", {"x": value})
    is_written = check_writing([call], tools, form)
    text = encode(call, tools, form=form) if is_written else "f [(a)1]"
    assert check_reading(text, tools) or not is_written
    check_reading(data.draw(own.mangled(text, max_edits=2)), tools)


@own.examples(300)
@given(
    st.lists(st.sampled_from([*CELLS, "[1 2]", "{a 1}", "7.5", "-0"]), max_size=14).map("".join),
    st.sampled_from(["[(a b){}]", "[(a{}]", "{{(a b)k {}}}", "{{(a{}}}", "[(b a(x y)){}]"]),
    st.sampled_from(FREE),
)
def test_texts_like_tables(inside: str, around: str, tools: ToolSet) -> None:
    """Texts that look like tables are read or refused in the same way by both."""
    check_reading(f"f {around.format(inside)}", tools)


@own.examples(150)
@given(
    st.lists(st.sampled_from(LEXEMES), max_size=12).map("".join) | st.text(ALPHABET, max_size=12),
    st.sampled_from(sorted(TOOLSETS)),
)
def test_texts_of_the_alphabet(text: str, name: str) -> None:
    """Lexemes in any order, alone and after a name, are read or refused in the same way by both."""
    tools = TOOLSETS[name]
    first = next(iter(tools)).name
    for begin in ("", f"{first} ", f"{first}(", f"{first} 1\n&"):
        check_reading(begin + text, tools)
