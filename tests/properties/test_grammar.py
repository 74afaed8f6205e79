"""Test that encoder, decoder and grammars agree, except for §13 of the spec."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lton import Call, DecodeError, ToolSet, decode, encode
from lton._syntax import FORMS, Form
from lton.grammar import to_gbnf, to_lark
from tests import strategies as own
from tests.cases import GOOD, exact, outcome
from tests.grammar.acceptors import gbnf_accepts, lark_accepts, llguidance_accepts
from tests.grammar.languages import BEYOND_GRAMMARS


@st.composite
def calls_and_texts(
    draw: st.DrawFn, form: Form, *, max_size: int = 12, max_calls: int = 3, max_tools: int = 3
) -> tuple[ToolSet, list[Call], str]:
    """Return calls of generated tools and their text, except for texts that §13 excludes from
    grammars.
    """
    definitions = draw(own.toolsets(max_tools=max_tools))
    calls = draw(own.calls_for(definitions, plain=True, max_size=max_size, max_calls=max_calls))
    assume(form != "punctuated" or not any(long_fence(call.arguments) for call in calls))
    assume(not any(long_integer(call.arguments) for call in calls))
    assume(form in ("punctuated", "tagged") or not any(has_table(call.arguments) for call in calls))
    tools = ToolSet.from_tools(definitions)
    return tools, calls, encode(calls, tools, form=form)


def long_fence(value: Any) -> bool:
    """Return whether grammars lack a fence of the value: around a string, they have up to four
    backticks, and around a key three.
    """
    if isinstance(value, str):
        return "````" in value
    if isinstance(value, dict):
        return any("```" in key or long_fence(item) for key, item in value.items())
    return isinstance(value, list) and any(map(long_fence, value))


def long_integer(value: Any) -> bool:
    """Return whether an integer in the value has more digits than grammars allow."""
    if isinstance(value, dict | list):
        return any(map(long_integer, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and abs(value) >= 10**40


def has_table(value: Any) -> bool:
    """Return whether a part of the value would canonically be a table, if its type allows it."""
    items = list(value.values()) if isinstance(value, dict) else value
    return isinstance(items, list) and (is_table(items) or any(map(has_table, items)))


def is_table(rows: list[Any]) -> bool:
    """Return whether R-312 writes values as the rows of a table: k + a < p."""
    if not all(isinstance(row, dict) for row in rows):
        return False
    keys, present = len({key for row in rows for key in row}), sum(map(len, rows))
    return keys + (keys * len(rows) - present) < present


def grammar_of(tools: ToolSet, form: Form, digits: int = 3) -> str:
    """Return the Lark grammar of all texts that the encoder writes in a form."""
    return to_lark(
        tools,
        form=form,
        parallel=True,
        bare=True,
        counted=0 if form == "punctuated" else 10**digits - 1,
    )


@pytest.mark.parametrize("form", FORMS)
@own.examples(60)
@given(st.data())
def test_what_is_written_is_in_the_language(form: Form, data: st.DataObject) -> None:
    """Every text of the encoder is in the language that llguidance reads from the grammar."""
    tools, _, text = data.draw(calls_and_texts(form, max_size=150))
    assert llguidance_accepts(grammar_of(tools, form), text)


@pytest.mark.parametrize("form", FORMS)
@own.examples(25)
@given(st.data())
def test_gbnf_has_the_same_language(form: Form, data: st.DataObject) -> None:
    """Every short text of the encoder is also in the language of the GBNF."""
    tools, _, text = data.draw(calls_and_texts(form))
    digits = 0 if form == "punctuated" else 2
    grammar = to_gbnf(tools, form=form, parallel=True, counted=10**digits - 1)
    assert gbnf_accepts(grammar, text)
    mangled = data.draw(own.mangled(text))
    if "\ud800" not in mangled:
        assert gbnf_accepts(grammar, mangled) == llguidance_accepts(
            grammar_of(tools, form, digits), mangled
        )


@pytest.mark.parametrize("form", FORMS)
@own.examples(25)
@given(st.data())
def test_python_lark_has_the_same_language(form: Form, data: st.DataObject) -> None:
    """A short call is in the language that python-lark reads from a small grammar."""
    tools, _, text = data.draw(calls_and_texts(form, max_calls=1, max_size=6, max_tools=1))
    digits = 0 if form == "punctuated" else 1
    grammar = to_lark(tools, form=form, bare=True, counted=10**digits - 1)
    # python-lark multiplies out what is optional in one rule.
    choices = [
        line.count("?") + line.count("|") for line in grammar.split("\n") if ": /" not in line
    ]
    assume(len(text) < 80 and max(choices) < 12)
    assert lark_accepts(grammar, text) in (True, None)


def check_agreement(text: str, tools: ToolSet, form: Form) -> None:
    """Check that a text in the language is read, or refused for a reason in §13."""
    if "\ud800" in text or not llguidance_accepts(grammar_of(tools, form), text):
        return
    result = outcome(text, tools)
    if isinstance(result, DecodeError):
        assert result.code in BEYOND_GRAMMARS
    else:
        assert exact(decode(encode(result, tools), tools)) == exact(result)


@pytest.mark.parametrize("form", FORMS)
@own.examples(50)
@given(st.data())
def test_what_is_in_the_language_is_read(form: Form, data: st.DataObject) -> None:
    """A text near a valid one that the grammar accepts is read, or refused for a reason in §13."""
    tools, _, text = data.draw(calls_and_texts(form))
    for _ in range(10):
        check_agreement(data.draw(own.mangled(text, max_edits=1)), tools, form)


@pytest.mark.parametrize("form", FORMS)
@own.examples(50)
@given(st.sampled_from([case for case in GOOD if case.calls]), st.data())
def test_what_is_near_a_case_and_in_the_language_is_read(
    form: Form, case: Any, data: st.DataObject
) -> None:
    """The same holds near the cases of the tables."""
    for _ in range(10):
        text = data.draw(own.mangled(getattr(case, form), max_edits=2))
        check_agreement(text, case.tools, form)
