"""Test that the decoder agrees with a handwritten grammar (`grammars/lton-0.1.lark`)."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import Call, DecodeError, ToolSet, decode, encode
from lton.errors import Code
from lton.schema.shown.signature import make_fingerprint
from tests import oracle
from tests import strategies as own
from tests.cases import BAD, GOOD, READ, exact, outcome
from tests.oracle import SKIP, Label, Members, Refused, Word, Written
from tests.properties.test_round_trip import FORMS, calls_of_tools

TABLE = re.compile(r"[\[{]\(")
BY_SCHEMA = {Code.NUMBER}
"""Syntax errors that depend on the schema: `-0` is a string where strings are expected (R-304)."""
DECLARED = ("a", "b", "s1", "n")
LEVELS = 2


def _takes(levels: int) -> dict[str, Any]:
    """Return the schema of every value, with records to the given depth and maps below."""
    if levels == 0:
        return {}
    inner = _takes(levels - 1)
    return {
        "type": ["null", "boolean", "number", "string", "array", "object"],
        "items": inner,
        "properties": dict.fromkeys(DECLARED, inner),
        "additionalProperties": {},
    }


def _open_tool(name: str) -> dict[str, Any]:
    inner = _takes(LEVELS)
    properties = dict.fromkeys(DECLARED, inner)
    return {"name": name, "parameters": {"properties": properties, "additionalProperties": {}}}


PERMISSIVE = ToolSet.from_tools(map(_open_tool, ["f", "g", "a b", "n", "'\"`", "_", "s1"]))
"""Tools that take everything; so what they refuse is wrong, and why is known without a schema."""


def calls_of(call_list: list[Written]) -> list[Call]:
    """Return the calls of a text for `PERMISSIVE`, or raise `Refused` if a schema refuses
    (E2xx).
    """
    return [_call(call) for call in call_list]


def _call(call: Written) -> Call:
    tool = PERMISSIVE.by_name.get(call.name)
    if tool is None or call.fingerprint not in (None, make_fingerprint(tool)):
        raise Refused("R-303, R-406")
    return Call(call.name, _members(call.arguments, 0 if call.is_map else LEVELS, call.is_tagged))


def _members(members: Members, levels: int, is_tagged: bool) -> dict[str, Any]:
    """R-410: positional arguments get the names of the layout, and no name occurs twice."""
    if len(members.positional) > len(DECLARED):
        raise Refused("R-410")
    pairs = zip(DECLARED, members.positional, strict=False)
    by_name = {name: value for name, value in pairs if value is not SKIP}
    if by_name.keys() & members.keyed.keys():
        raise Refused("R-410")
    return {
        key: _value(value, levels if key in DECLARED else 0, is_tagged)
        for key, value in (by_name | members.keyed).items()
    }


def _value(value: Any, levels: int, is_tagged: bool) -> Any:
    """R-313: an object with declared members is a record, and any other a map; R-503: labels are
    listed.
    """
    if isinstance(value, Word):
        return oracle.word_value(value)
    if isinstance(value, Label) and levels > 0:
        raise Refused("R-503")
    inner = max(levels - 1, 0)
    if isinstance(value, oracle.Table):
        value = value.rows
        if levels > isinstance(value, list):
            raise Refused("R-314")  # there are records, not maps
    if isinstance(value, list):
        return [_value(item, inner, is_tagged) for item in value]
    if isinstance(value, dict) and (is_tagged or levels == 0):
        return _members(Members([], value), inner, is_tagged)
    if isinstance(value, dict) or (isinstance(value, Members) and levels == 0):
        raise Refused("R-313")
    return _members(value, inner, is_tagged) if isinstance(value, Members) else value


def check_without_tools(text: str) -> bool:
    """Check that both accept a text with the same calls, or both refuse it; return which."""
    try:
        calls = oracle.read_without_tools(text)
        expected = [Call(one.name, _members(one.arguments, 0, one.is_tagged)) for one in calls]
    except Refused:
        assert isinstance(outcome(text, None), DecodeError)
        return False
    assert exact(decode(text)) == exact(expected)
    return True


def is_by_schema(error: DecodeError) -> bool:
    """Return whether it depends on the tools that the text is wrong.

    If maps are allowed, `[(` begins a table; if a record is allowed, it begins a record. So a
    record instead of a map is an error in a header.
    """
    if error.code > Code.INCOMPLETE or error.code in BY_SCHEMA:
        return True
    return error.code is Code.SYNTAX and bool(TABLE.search(error.doc, 0, error.pos))


def check_with_every_tool(text: str) -> bool:
    """Check the same with tools that accept everything; a syntax error is not an error of a
    schema.
    """
    try:
        calls_read = oracle.read(text)
    except Refused:
        assert isinstance(outcome(text, PERMISSIVE), DecodeError)
        return False
    try:
        expected = calls_of(calls_read)
    except Refused:
        result = outcome(text, PERMISSIVE)
        assert isinstance(result, DecodeError)
        assert is_by_schema(result)
        return False
    assert exact(decode(text, PERMISSIVE)) == exact(expected)
    return True


def check_with(text: str, tools: ToolSet) -> None:
    """Check that text accepted with any tools is LTON, and that an error without a schema is
    not.
    """
    result = outcome(text, tools)
    if isinstance(result, list):
        assert oracle.accepts(text)
    elif not is_by_schema(result):
        assert not oracle.accepts(text)


def check(text: str, tools: ToolSet | None = None) -> None:
    check_without_tools(text)
    check_with_every_tool(text)
    if tools is not None:
        check_with(text, tools)


@pytest.mark.deep
@pytest.mark.parametrize("case", [*GOOD, *READ, *BAD], ids=lambda case: case.name)
def test_the_oracle_agrees_on_the_examples(case: Any) -> None:
    """The decoder and the grammar agree on each text of the tables."""
    texts = [case.wire, case.keyed, case.punctuated, case.tagged] if case in GOOD else [case.text]
    for text in texts:
        check(text, case.tools)


LEXEMES = [
    *["f", "g", "&", "!call ", "!call f\n(", "\n", "\n(", " ", ", ", " ,", ",", "(", ")", "[", "]"],
    *["{", "}", "=", "_", "n", "s1", "a=", "b=", '"a b"', "'n'", '"', "'", "```\n", "\n```", "``"],
    *["`", "a", "x", "1", "-0", "1.5e3", "1e999", "null", "true", "#", "#0123abcd", "\r", "é"],
    *["s0:", "s1:", "s2:", "s3:abc", "s01:", "s", "e1:", "e1:x", "u1:7", "u2:", "i2:-7", "f3:1.5"],
    *["b4:true", "b5:false", "b4:", "i2:-0", "f2:-0", ":", ".", "\0", "f(", "f ", "f a", "(a "],
]


@own.examples(800)
@given(st.lists(st.sampled_from(LEXEMES), max_size=14).map("".join))
def test_the_oracle_agrees_on_lexemes_in_any_order(text: str) -> None:
    """They agree on random sequences of lexemes, alone and after the beginning of each form."""
    check(text)
    check(f"f {text}")
    check(f"f({text})")
    check(f"f{{{text}}}")
    check(f"f{{a {text}")
    check(f"!call f\n({text}")
    check(f"!call f\n(a {text})")


@own.examples(400)
@given(st.text("fgans1_ ,=()[]{}\"'`:\n!&#-0.e", max_size=12))
def test_the_oracle_agrees_on_random_text(text: str) -> None:
    """They agree on characters with a meaning, in random order."""
    check(text)
    check(f"f {text}")
    check(f"f{{a {text}}}")
    check(f"!call f\n(a {text})")


@st.composite
def permissive_calls(draw: st.DrawFn) -> list[Call]:
    """Return calls of the tools that accept everything, with records and maps in their places."""
    names = st.sampled_from(sorted(PERMISSIVE.by_name))
    arguments = st.dictionaries(
        st.sampled_from(DECLARED) | own.names(), own.json_values(), max_size=4
    )
    return draw(st.lists(st.builds(Call, names, arguments), min_size=1, max_size=3))


def edited(text: str) -> st.SearchStrategy[str]:
    """Return a text with characters and lexemes inserted, removed, doubled or swapped."""
    return own.mangled(text) | own.mangled(text, max_edits=1) | _swapped(text)


@st.composite
def _swapped(draw: st.DrawFn, text: str) -> str:
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), min_size=4, max_size=4)))
    one, two, three, four = cuts
    return text[:one] + text[three:four] + text[two:three] + text[one:two] + text[four:]


@pytest.mark.parametrize("form", FORMS)
@own.examples(60)
@given(st.data())
def test_the_oracle_agrees_on_texts_of_permissive_tools(form: str, data: st.DataObject) -> None:
    """Each text of the encoder is read as the same calls, and an edited text is judged in the same
    way.
    """
    calls = data.draw(permissive_calls())
    text = FORMS[form](calls, PERMISSIVE)
    assert check_with_every_tool(text)
    if form in ("map", "schemaless"):
        assert check_without_tools(text)
    check(data.draw(edited(text)))


@pytest.mark.parametrize("form", FORMS)
@own.examples(30)
@given(st.data())
def test_the_oracle_agrees_on_texts_of_made_up_tools(form: str, data: st.DataObject) -> None:
    """A text that any toolset accepts is LTON, and a syntax error is not LTON, edited or not."""
    tools, calls = data.draw(calls_of_tools())
    text = FORMS[form](calls, tools)
    assert oracle.accepts(text)
    check(data.draw(edited(text)), tools)


@own.examples(150)
@given(st.dictionaries(own.names(), own.json_values(), max_size=4), st.data())
def test_the_oracle_agrees_where_there_are_no_tools(arguments: Any, data: st.DataObject) -> None:
    """Without tools, the decoder accepts exactly the grammar, with the same values."""
    text = encode(Call("f", arguments), form=data.draw(st.sampled_from(["wire", "tagged"])))
    assert check_without_tools(text)
    check(data.draw(edited(text)))
