"""Test properties of every value, schema and text."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import Call, DecodeError, EncodeError, IncompleteError, ToolSet, decode, encode
from lton.errors import Code
from tests import strategies as own
from tests.cases import (
    F_ANY,
    F_INT,
    F_MAP,
    F_NUM,
    F_STR,
    GOOD,
    READ,
    WEATHER,
    exact,
    outcome,
)

FORMS: dict[str, Callable[[Sequence[Call], ToolSet], str]] = {
    "wire": encode,
    "keyed": lambda calls, tools: encode(calls, tools, form="keyed"),
    "punctuated": lambda calls, tools: encode(calls, tools, form="punctuated"),
    "tagged": lambda calls, tools: encode(calls, tools, form="tagged"),
    "schemaless": lambda calls, tools: encode(calls, form="tagged"),
    "map": lambda calls, tools: encode(calls),
    "fingerprint": lambda calls, tools: encode(calls, tools, fingerprint=True),
}


@st.composite
def calls_of_tools(draw: st.DrawFn) -> tuple[ToolSet, list[Call]]:
    """Return a generated toolset and calls of its tools."""
    definitions = draw(own.toolsets())
    return ToolSet.from_tools(definitions), draw(own.calls_for(definitions))


@pytest.mark.parametrize("form", FORMS)
@own.examples(80)
@given(calls_of_tools())
def test_what_is_written_is_read_again(form: str, case: tuple[ToolSet, list[Call]]) -> None:
    """decode(encode(x)) equals x, with the same kinds of values, in every form."""
    tools, calls = case
    text = FORMS[form](calls, tools)
    assert exact(decode(text, tools)) == exact(calls)
    assert exact(decode(text + "\n", tools)) == exact(calls)


@own.examples(150)
@given(st.dictionaries(own.names(), own.json_values(), max_size=4))
def test_tagged_needs_no_tools(arguments: dict[str, Any]) -> None:
    """Any arguments can be written and read in the tagged form without a schema (R-501)."""
    call = Call("f", arguments)
    assert exact(decode(encode(call, form="tagged"))) == exact([call])


@own.examples(150)
@given(own.json_values())
def test_any_value_comes_through_an_untyped_position(value: Any) -> None:
    """At a position without a schema, different values have different texts."""
    call = Call("f", {"x": value})
    assert exact(decode(encode(call, F_ANY), F_ANY)) == exact([call])


@pytest.mark.deep
@pytest.mark.parametrize("case", READ, ids=lambda case: case.name)
def test_reading_and_writing_makes_texts_canonical(case: Any) -> None:
    """encode(decode(t)) is canonical: it is read and written unchanged."""
    calls = decode(case.text, case.tools)
    text = encode(calls, case.tools)
    assert encode(decode(text, case.tools), case.tools) == text


def check_refusal(text: str, tools: ToolSet | None) -> None:
    """Check that a text is read, or refused by an LTONError with a position in the text."""
    result = outcome(text, tools)
    if isinstance(result, DecodeError):
        assert result.doc == text
        assert 0 <= result.pos <= len(text)
        assert result.path == "" or result.path.startswith("/")
        assert isinstance(result, IncompleteError) == (result.code == Code.INCOMPLETE)
        assert str(result)
        assert result.picture().count("\n") >= 1
    else:
        assert exact(decode(encode(result, tools), tools)) == exact(result)


@own.examples(300)
@given(
    st.text() | st.lists(st.sampled_from(own.STRUCTURE)).map("".join),
    st.sampled_from([None, WEATHER, F_ANY]),
)
def test_any_text_is_read_or_refused(text: str, tools: ToolSet | None) -> None:
    """Any text is read or raises an LTONError."""
    check_refusal(text, tools)
    check_refusal(f"f {text}", tools)
    check_refusal(f"f{{{text}", tools)
    check_refusal(f"!call f\n({text}", tools)


@pytest.mark.parametrize("form", FORMS)
@own.examples(70)
@given(st.data())
def test_mangled_texts_are_read_or_refused(form: str, data: st.DataObject) -> None:
    """A damaged valid text is read or raises an LTONError."""
    if data.draw(st.booleans()):
        case = data.draw(st.sampled_from(GOOD))
        tools, calls = case.tools, list(case.calls)
    else:
        tools, calls = data.draw(calls_of_tools())
    text = data.draw(own.mangled(FORMS[form](calls, tools)))
    check_refusal(text, tools)
    check_refusal(text, None)


@own.examples(70)
@given(st.data())
def test_a_cut_text_is_refused_as_what_it_is(data: st.DataObject) -> None:
    """The position of the error for an incomplete text is its end."""
    tools, calls = data.draw(calls_of_tools())
    text = FORMS[data.draw(st.sampled_from(sorted(FORMS)))](calls, tools)
    check_refusal(text[: data.draw(st.integers(0, len(text)))], tools)


@own.examples(200)
@given(
    st.recursive(
        own.scalars() | st.binary(max_size=2) | st.just(float("nan")) | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(own.names() | st.text(), inner),
        max_leaves=5,
    ),
    st.sampled_from([None, F_ANY, F_STR, F_INT, F_NUM, F_MAP]),
)
def test_any_value_is_written_or_refused(value: Any, tools: ToolSet | None) -> None:
    """Any value is written, or raises an EncodeError; a written value is read back."""
    call = Call("f", {"x": value})
    with suppress(EncodeError):
        assert exact(decode(encode(call, tools), tools)) == exact([call])
