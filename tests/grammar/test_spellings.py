"""Test which spellings of strings grammars allow."""

from itertools import product
from typing import Any

import pytest

from lton import Call, ToolSet, decode, encode
from lton.grammar import to_ebnf, to_gbnf, to_lark, to_structural_tag
from tests.cases import F_STR, STR, taking, tool, tools_of
from tests.grammar.acceptors import gbnf_accepts, llguidance_accepts

CANONICAL: list[tuple[str, bool]] = [
    ('"a"', True),
    ('""', True),
    ("'a'", False),
    ("'a \"b\"'", True),
    ("`a`", False),
    ('`a "b" c`', False),
    ('`a\'s "b"`', True),
    ('`"b" a\'s`', True),
    ("```\na\n```", False),
    ("```+\na```", False),
    ("```\na\nb\n```", True),
    ("```+\na\n```", True),
    ("```\na\r\n```", True),
    ('```\nit\'s `"a"`\n```', True),
    ("````\na\n```\n````", True),
]
"""Spellings of a string, and whether it is the first that can hold the string."""


@pytest.mark.parametrize(("text", "is_first"), CANONICAL)
def test_strings_are_in_the_first_quotes_that_can_hold_them(text: str, is_first: bool) -> None:
    """Other spellings are decoded, too, and allowed with `texts="all"`."""
    tools = taking({"type": "object", "properties": {"a": STR}, "required": ["a"]})
    call = f"f(x=(a={text}))"
    assert decode(call, tools)
    for accepts, emit in ((gbnf_accepts, to_gbnf), (llguidance_accepts, to_lark)):
        assert accepts(emit(tools), call) is is_first
        assert accepts(emit(tools, texts="all"), call)


def test_grammars_for_xgrammar_allow_every_spelling_by_default() -> None:
    """xgrammar would take several times as long to compile them."""
    tools = ToolSet.from_prompt("f(x)")
    assert to_ebnf(tools) == to_ebnf(tools, texts="all") != to_ebnf(tools, texts="canonical")
    assert to_structural_tag(tools) == to_structural_tag(tools, texts="all")


def test_a_parameter_that_asks_for_lines_may_always_be_fenced() -> None:
    """A parameter of a tool may hold one line in a fence; a member of an object may not."""
    optional = {"type": ["string", "null"], "minLength": 1}
    members = {"type": "object", "properties": {"body": STR}, "required": ["body"]}
    tools = tools_of(tool("f", {"body": optional, "x": members}))
    for text, is_allowed in (
        ("body=```\na\n```", True),
        ('body="a"', True),
        ("body=null", True),
        ("body='a'", False),
        ("x=(body=```\na\n```)", False),
        ("x=(body=```\na\nb\n```)", True),
    ):
        assert decode(f"f({text})", tools)
        assert gbnf_accepts(to_gbnf(tools), f"f({text})") is is_allowed, text


@pytest.mark.parametrize(
    ("schema", "is_allowed"),
    [
        ({"contentMediaType": "text/x-python"}, True),
        ({"contentMediaType": "application/json"}, True),
        ({"contentMediaType": "image/svg+xml; charset=utf-8"}, True),
        ({"contentMediaType": "application/pdf", "contentEncoding": "base64"}, False),
        ({"contentMediaType": "application/octet-stream"}, False),
        ({"contentMediaType": "image/png"}, False),
        ({"contentMediaType": "text/plain", "maxLength": 40}, False),
        ({"contentMediaType": True}, False),
        ({"format": "markdown"}, True),
        ({"format": "code"}, True),
        ({"format": "multi-line"}, True),
        ({"format": "textarea"}, True),
        ({"format": "password"}, False),
        ({"format": "zip-code"}, False),
        ({"anyOf": [{**STR, "contentMediaType": "text/html"}, {"type": "null"}]}, True),
        ({"anyOf": [{**STR, "format": "byte"}, {"type": "null"}]}, False),
    ],
)
def test_a_media_type_or_a_format_of_code_asks_for_lines(
    schema: dict[str, Any], is_allowed: bool
) -> None:
    """An encoded string has one line, whatever it contains."""
    tools = taking(schema if "anyOf" in schema else {**STR, **schema})
    gbnf = to_gbnf(tools)
    assert gbnf_accepts(gbnf, "f(x=```\na\n```)") is is_allowed
    assert gbnf_accepts(gbnf, 'f(x="a")')


def test_a_parameter_that_asks_for_lines_may_be_counted_if_an_option_asks_for_it() -> None:
    gbnf = to_gbnf(ToolSet.from_prompt("f(body)"), counted=9)
    assert gbnf_accepts(gbnf, "f(body=s3:a\nb)")
    assert not gbnf_accepts(gbnf, "f(body=s3:a)")


def test_three_backticks_end_a_string_that_asks_for_no_lines() -> None:
    """A text of several lines in another parameter has no such backticks, or a longer fence."""
    tools = ToolSet.from_prompt("f(body owner)")
    call = 'f(body={}, owner="a")'
    other = 'f(body="a", owner={})'
    run, long = "```\na\n``` b\n```", "````\na\n```, b\n````"
    for emit, accepts in ((to_gbnf, gbnf_accepts), (to_lark, llguidance_accepts)):
        grammar = emit(tools)
        assert accepts(grammar, call.format(run))
        assert not accepts(grammar, other.format(run))
        assert accepts(grammar, call.format(long))
        assert accepts(grammar, other.format(long))


@pytest.mark.parametrize("high", [0, 1, 2, 9])
def test_a_limit_of_the_schema_holds_around_needed_quotes(high: int) -> None:
    """Of the canonical texts of all short strings, the grammar allows those within the limit."""
    tools, free = taking({**STR, "maxLength": high}), F_STR
    gbnf = to_gbnf(tools)
    for size in range(4):
        for text in map("".join, product("a\"'`\n", repeat=size)):
            call_text = encode(Call("f", {"x": text}), free, form="punctuated")
            if "````" not in call_text:
                assert gbnf_accepts(gbnf, call_text) or size > high, call_text
    assert not gbnf_accepts(gbnf, f'f(x="{"a" * (high + 1)}")')
