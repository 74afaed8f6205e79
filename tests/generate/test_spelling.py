"""The grammars of values and of calls in JSON hold what JSON has, and nothing else."""

import pytest

from lton import ToolSet
from lton.generate.spelling import json_gbnf, value_gbnf
from lton.schema.types import ANY, Type
from tests.grammar.acceptors import gbnf_accepts

TOOLS = ToolSet.from_prompt("f(a:int b?:x|y c?:{[num]})")
DATED = ToolSet.from_tools(
    [
        {
            "name": "f",
            "parameters": {
                "type": "object",
                "properties": {
                    "day": {"type": "string", "format": "date"},
                    "code": {"type": "string", "minLength": 2, "maxLength": 3},
                    "path": {"type": "string", "pattern": r"^[a-z\\]+$"},
                    "never": {"type": "object", "additionalProperties": False},
                },
            },
        }
    ]
)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("day", ['"2024-02-03"'], ['"2024-2-3"', '"today"']),
        ("code", ['"ab"', r'"a\n"', '"é漢😀"'], ['"a"', '"abcd"', '"a\n"', r'"\u0041x"', '"a""']),
        ("path", [r'"a\\b"'], ['"a']),  # the decoder checks a pattern with backslashes
        ("never", ["{}"], ['{"a": 1}']),
    ],
)
def test_strings_are_those_of_json(name: str, good: list[str], bad: list[str]) -> None:
    """Formats and lengths hold, with the escapes of JSON, each of which is one character."""
    grammar = value_gbnf(DATED.by_name["f"].args.by_name[name].type)
    assert all(gbnf_accepts(grammar, f"{text})") for text in good)
    assert not any(gbnf_accepts(grammar, f"{text})") for text in (*bad, ""))
    assert gbnf_accepts(grammar, good[0])
    assert not gbnf_accepts(grammar, good[0][:-1])


def test_a_quote_or_a_space_may_stand_already() -> None:
    """The rest of a string follows its quote; a space that was held back comes first."""
    code = DATED.by_name["f"].args.by_name["code"].type
    assert gbnf_accepts(value_gbnf(code, opened='"'), 'ab")')
    number = TOOLS.by_name["f"].args.by_name["a"].type
    assert gbnf_accepts(value_gbnf(number, lead=" "), " 12)")
    assert not gbnf_accepts(value_gbnf(number, lead=" "), "12)")


def test_any_value() -> None:
    """Where the schema says nothing, every value of JSON may stand."""
    grammar = value_gbnf(ANY)
    for text in ("null", "-1.5e3", '"a"', "[]", '[1, {"a": [true]}]', '{"a": {}, "b": 2}'):
        assert gbnf_accepts(grammar, f"{text};")
    for text in ("", "nul", "[1,2]", "{a: 1}", "01"):
        assert not gbnf_accepts(grammar, f"{text};")
    assert gbnf_accepts(value_gbnf(Type(null=True)), "null")


def test_calls_in_json() -> None:
    """Minified or spaced, required members first, one call or one a line."""
    minified, spaced = json_gbnf(TOOLS), json_gbnf(TOOLS, spaced=True, parallel=True)
    assert gbnf_accepts(minified, '{"name":"f","arguments":{"a":1,"b":"y","c":{"k":[1,2.5]}}}')
    assert not gbnf_accepts(minified, '{"name":"f","arguments":{"b":"y"}}')
    assert not gbnf_accepts(minified, '{"name":"f","arguments":{"a":1,"b":"z"}}')
    one = '{"name": "f", "arguments": {"a": 1}}'
    assert gbnf_accepts(spaced, f"{one}\n{one}")
    assert not gbnf_accepts(minified, one)
