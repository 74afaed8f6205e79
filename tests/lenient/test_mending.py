"""Test that a call which a server has parsed is mended if exactly one reading fits its schema."""

import json
from functools import reduce
from typing import Any

import pytest

from lton import Call, ToolSet
from lton.errors import RepairCode
from lton.lenient import Mended, mend_call
from lton.lenient.mending import MAX_ARGUMENTS
from tests.cases import loop_over

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "on": {"type": "boolean"},
        "at": {"type": "object", "properties": {"lat": {"type": "number"}}},
        "unit": {"enum": ["C", "F"]},
        "either": {"type": ["string", "integer"]},
        "list": {"type": ["string", "array"]},
        "flag": {"anyOf": [{"enum": ["True", "auto"]}, {"type": "boolean"}]},
    },
}
DEFINITIONS = [
    {"name": "get_weather", "parameters": SCHEMA},
    {"name": "stop", "parameters": {"type": "object"}},
    {"name": "Say", "parameters": {"type": "object"}},
    {"name": "say", "parameters": {"type": "object"}},
]
TOOLS = ToolSet.from_tools(DEFINITIONS, standard=True)

MENDED: dict[str, tuple[str, Any, list[str]]] = {
    "an integer as a string": ('{"days":"7"}', {"days": 7}, ["KIND"]),
    "an array as a string": (r'{"tags":"[\"a\"]"}', {"tags": ["a"]}, ["KIND"]),
    "a boolean as a string": ('{"on":"true"}', {"on": True}, ["KIND"]),
    "an object as a string": (r'{"at":"{\"lat\":1}"}', {"at": {"lat": 1}}, ["KIND"]),
    "a trailing comma": ('{"city":"Oslo",}', {"city": "Oslo"}, ["SEPARATOR"]),
    "a fence": ('```json\n{"city":"Oslo"}\n```', {"city": "Oslo"}, ["FRAME"]),
    "a fence without a line end": ('```\n{"city":"Oslo"}```', {"city": "Oslo"}, ["FRAME"]),
    "encoded twice": (r'"{\"city\":\"Oslo\"}"', {"city": "Oslo"}, ["KIND"]),
    "encoded twice, and a string": (r'"{\"days\":\"7\"}"', {"days": 7}, ["KIND"]),
    "a fence, encoded twice": (
        json.dumps('```json\n{"city":"Oslo"}\n```'),
        {"city": "Oslo"},
        ["FRAME", "KIND"],
    ),
    "encoded three times": (json.dumps(json.dumps('{"days":7}')), {"days": 7}, ["KIND"]),
    "Python": ("{'city': 'Oslo', 'on': True}", {"city": "Oslo", "on": True}, ["QUOTES", "LITERAL"]),
    "a key without quotes": ('{city: "Oslo"}', {"city": "Oslo"}, ["BARE"]),
    "a word without quotes": ('{"city": Oslo}', {"city": "Oslo"}, ["BARE"]),
    "a key in typographic quotes": ("{\u201ccity\u201d: 7}", {"city": "7"}, ["QUOTES", "KIND"]),
    "a line end in a string": ('{"city":"New\nYork"}', {"city": "New\nYork"}, ["QUOTES"]),
    "a comment": ('{"city": "Oslo" // cold\n}', {"city": "Oslo"}, ["SEPARATOR"]),
    "a number for a string": ('{"city":7}', {"city": "7"}, ["KIND"]),
    "null for a missing argument": ('{"city":"Oslo","days":null}', {"city": "Oslo"}, ["NULL"]),
    "a label in other case": ('{"unit":"c"}', {"unit": "C"}, ["LABEL"]),
    "a nested value": (r'{"at":{"lat":"1.5"}}', {"at": {"lat": 1.5}}, ["KIND"]),
    "the whole call as arguments": (
        '{"name":"get_weather","arguments":{"days":"7"}}',
        {"days": 7},
        ["FRAME", "KIND"],
    ),
    "white space around": (' {"days":"7"}\n', {"days": 7}, ["KIND"]),
    "next to a value of two types": (
        '{"either":"7","list":"[1]","days":"7"}',
        {"either": "7", "list": "[1]", "days": 7},
        ["KIND"],
    ),
}


def codes(mended: Mended | None) -> list[str]:
    assert mended is not None
    names = [repair.code.name for repair in mended.repairs]
    return list(dict.fromkeys(names))


@loop_over(MENDED)
def test_arguments_are_mended(case: str) -> None:
    """The mended call has the values of the text, and the repairs that lead to them."""
    text, arguments, repairs = MENDED[case]
    tools = TOOLS
    if case == "the whole call as arguments":  # `name` and `arguments` are not parameters
        closed = {**SCHEMA, "additionalProperties": False}
        tools = ToolSet.from_tools([{"name": "get_weather", "parameters": closed}], standard=True)
    mended = mend_call("get_weather", text, tools)
    assert mended is not None
    assert mended.call == Call("get_weather", arguments)
    assert json.loads(mended.arguments) == arguments
    assert codes(mended) == repairs
    assert mend_call("get_weather", mended.arguments, tools) is None


UNTOUCHED = {
    "fits": '{"city":"Oslo","days":7}',
    "fits with white space and escapes": ' {"city" : "\\u004fslo", "days": 7.0 }',
    "no arguments": "",
    "a string where strings and integers are allowed": '{"either":"7"}',
    "a list as a string where strings are allowed": r'{"list":"[\"a\"]"}',
    "an undeclared argument of any type": '{"other":"7"}',
    "a number with a unit": '{"days":"7 days"}',
    "a number with a separator": '{"days":"1,000"}',
    "a number in words": '{"days":"seven"}',
    "an empty string for a number": '{"days":""}',
    "yes for a boolean": '{"on":"yes"}',
    "a boolean for a string": '{"city":true}',
    "a word for an array": '{"tags":"a"}',
    "words for an array": '{"tags":"a, b"}',
    "a label or a boolean": '{"flag":"true"}',
    "another label or a boolean": '{"flag":"TRUE"}',
    "an unknown label": '{"unit":"K"}',
    "a key twice": '{"days":"7","days":"8"}',
    "cut in a string": '{"city":"Os',
    "cut after a value": '{"city":"Oslo"',
    "cut after a comma": '{"city":"Oslo",',
    "cut in an inner object": r'{"at":"{\"lat\":1"}',
    "cut and encoded twice": r'"{\"city\":\"Oslo\""',
    "cut inside, encoded twice": r'"{\"days\":7"',
    "encoded too often": reduce(lambda text, _: json.dumps(text), range(10), '{"days":7}'),
    "a list of arguments": '["Oslo", 7]',
    "a list with an object": '[{"days":"7"}]',
    "a word": "Oslo",
    "a string": '"Oslo"',
    "null": "null",
    "text after the object": '{"days":"7"} is a week',
    "a second object": '{"days":"7"}{"days":"8"}',
    "a missing separator": '{"city":"Oslo" "days":7}',
    "not a number": '{"city":NaN}',
    "a character that calls cannot contain": '{"city":"a\\u0000","days":"7"}',
    "too deep": '{"at":' + "[" * 200,
}


@loop_over(UNTOUCHED)
def test_other_arguments_are_not_mended(case: str) -> None:
    """Arguments that fit, have two readings or none, or lack their end, stay as they are."""
    assert mend_call("get_weather", UNTOUCHED[case], TOOLS) is None


def test_arguments_that_name_another_tool_are_not_mended() -> None:
    """An object with the name of another tool is not read as arguments of this one."""
    closed = {**SCHEMA, "additionalProperties": False}
    definitions = [{"name": "get_weather", "parameters": closed}, *DEFINITIONS[1:]]
    tools = ToolSet.from_tools(definitions, standard=True)
    for name in ("stop", "unknown"):
        text = json.dumps({"name": name, "arguments": {"days": 7}})
        assert mend_call("get_weather", text, tools) is None
    text = json.dumps({"name": "get_weather", "arguments": {"days": 7}, "more": 1})
    assert mend_call("get_weather", text, tools) is None


def test_two_readings_of_one_text_are_not_mended() -> None:
    """An object that may be the arguments or a whole call is not mended."""
    properties = {"name": {"type": "string"}, "arguments": {"type": "object"}}
    properties |= {"days": {"type": "integer"}}
    schema = {"type": "object", "properties": properties}
    tools = ToolSet.from_tools([{"name": "run", "parameters": schema}], standard=True)
    text = '{"name":"run","arguments":{"days":"7"},}'
    assert mend_call("run", text, tools) is None


NAMES = {
    "Get_Weather": ["NAME"],
    "get-weather": ["NAME"],
    "functions.get_weather": ["SIGIL"],
    "functions.Get-Weather": ["SIGIL", "NAME"],
    "functions_get_weather_2": ["NAME"],
    "functions.get_weather:0": ["SIGIL"],
    "get_weather:0": ["NAME"],
    " get_weather ": ["NAME"],
}


@loop_over(NAMES)
def test_a_name_is_mended(name: str) -> None:
    """A name is folded as the reader folds it, and fitting arguments stay byte for byte."""
    text = ' {"days": 7} '
    mended = mend_call(name, text, TOOLS)
    assert mended is not None
    assert mended.call == Call("get_weather", {"days": 7})
    assert mended.arguments == text
    assert codes(mended) == NAMES[name]
    assert all(repair.pos == 0 for repair in mended.repairs)


def test_a_name_and_its_arguments_are_mended_together() -> None:
    """The repairs of the name come first, and positions are in the arguments."""
    mended = mend_call("Get_weather", '{"days": "7"}', TOOLS)
    assert mended is not None
    assert [(repair.code, repair.pos) for repair in mended.repairs] == [
        (RepairCode.NAME, 0),
        (RepairCode.KIND, 9),
    ]


@loop_over(["weather", "getWeather", "SAY", "get_weather_now", "get_weather.x", "", "7"])
def test_another_name_is_not_mended(name: str) -> None:
    """An unknown name, and one that fits two tools, stays as it is."""
    assert mend_call(name, '{"days":"7"}', TOOLS) is None


def test_aliases_are_names_too() -> None:
    """A call by an alias becomes a call by the tool's own name."""
    tools = TOOLS.with_aliases()
    alias = tools.aliases["get_weather"]
    mended = mend_call(alias, '{"days":"7"}', tools)
    assert mended is not None
    assert mended.call == Call("get_weather", {"days": 7})
    assert codes(mended) == ["NAME", "KIND"]
    own = mend_call("get_weather", '{"days":"7"}', tools)
    assert own is not None
    assert codes(own) == ["KIND"]


def test_long_arguments_are_not_mended() -> None:
    """The work for one call has a limit."""
    text = json.dumps({"city": "a" * MAX_ARGUMENTS, "days": "7"})
    assert mend_call("get_weather", text, TOOLS) is None
    assert mend_call("get_weather", text[:12] + text[-16:], TOOLS) is not None


def test_other_types_are_refused() -> None:
    """The name and the arguments are strings, and the tools are a tool set."""
    odd: Any = {"days": "7"}
    for arguments in (("get_weather", odd, TOOLS), (odd, "{}", TOOLS), ("stop", "{}", DEFINITIONS)):
        with pytest.raises(TypeError, match="expected a"):
            mend_call(*arguments)
