"""Calls in the notations of others: whose repairs they are, and how deep they may be."""

import json

import pytest

from lton import ToolSet, decode_lenient
from lton.errors import Code, RepairCode
from lton.lenient._foreign import _MAX_ENVELOPES
from tests.cases import INT, tool, tools_of

TOOLS: ToolSet = tools_of(
    tool("wait", {"minutes": INT}, ["minutes"]),
    tool("stop"),
    tool("say", {"x": {"type": ["string", "integer"]}}, ["x"]),
)


def test_each_repair_is_of_its_own_call() -> None:
    """Of a list, and of an object with a call a key."""
    one = '{"name": "wait", "arguments": {minutes: "1"}}'
    for text in (
        f'[{one}, {{"name": "stop", "arguments": {{}}}}, {one}]',
        '{"wait": {minutes: "1"}, "stop": {}, "wait": {minutes: "1"}}',
    ):
        result = decode_lenient(text, TOOLS)
        assert [call.name for call in result.calls] == ["wait", "stop", "wait"]
        kinds = [(each.call, each.pos) for each in result.repairs if each.code is RepairCode.KIND]
        places = [text.index('"1"'), text.rindex('"1"')]
        assert kinds == [(0, places[0]), (2, places[1])]


def test_envelopes_are_opened_up_to_a_depth() -> None:
    """Nobody puts a call into more of them; lists count, too."""
    for depth in range(_MAX_ENVELOPES - 1, _MAX_ENVELOPES + 2):
        for kinds in ("object", "object list"):
            text: object = {"name": "stop", "arguments": {}}
            for index in reversed(range(depth)):
                is_list = kinds.split()[index % len(kinds.split())] == "list"
                text = [text] if is_list else {"calls": text}
            found = decode_lenient(json.dumps(text), TOOLS)
            assert len(found.calls) == (depth <= _MAX_ENVELOPES), (depth, kinds)


def test_a_parameter_that_says_that_it_is_a_text_is_one() -> None:
    """So that what looks like a number is none."""
    text = '<invoke name="say"><parameter name="x"{}>5</parameter></invoke>'
    (plain,) = decode_lenient(text.format(""), TOOLS).calls
    (said,) = decode_lenient(text.format(' string="true"'), TOOLS).calls
    assert (plain.arguments, said.arguments) == ({"x": 5}, {"x": "5"})


@pytest.mark.parametrize(
    ("arguments", "code", "at", "path"),
    [
        ('{"a": 1, "p": {"x": "y"}}', Code.TYPE, '"y"', "/p/x"),
        ('{"a": 1, "p": {"x": 1, "t": [1, "z"]}}', Code.TYPE, '"z"', "/p/t/1"),
        ('{"a": 1, "m": {"k/1": "z"}}', Code.TYPE, '"z"', "/m/k~11"),
        ('{"a": 1, "nope": 2}', Code.PARAMETER, '"nope"', ""),
        ('{"a": 1, "p": {"nope": 2}}', Code.PARAMETER, '"nope"', "/p"),
        ('{"a": 1, "p": {"x": 1, "x": 2}}', Code.DUPLICATE, '"x": 2', "/p"),
        (r'{"a": 1, "p": "{\"x\": \"y\"}"}', Code.TYPE, '"{', "/p/x"),
        ('{"a": "[1"}', Code.TYPE, '"[1"', "/a"),
        ('{"a": 1, "k": "D"}', Code.LABEL, '"D"', "/k"),
        (f'{{"a": {"9" * 5000}}}', Code.DIGITS, "99", "/a"),
        ('{"a": 1, "p": [1]}', Code.TYPE, "[1]", "/p"),
    ],
)
def test_errors_have_their_place_and_path(arguments: str, code: Code, at: str, path: str) -> None:
    """In calls of JSON, too."""
    point = {"properties": {"x": INT, "t": {"items": INT}}, "additionalProperties": False}
    named = {"a": INT, "p": point, "m": {"additionalProperties": INT}, "k": {"enum": ["Ab", "c"]}}
    text = f'{{"name": "f", "arguments": {arguments}}}'
    (error,) = decode_lenient(text, tools_of(tool("f", named, ["a"]))).errors
    assert (error.code, error.pos, error.path) == (code, text.index(at), path)


@pytest.mark.parametrize(
    "text",
    [
        '<invoke name="wait">{"minutes": \n</invoke>',
        '<invoke name="wait">{"minutes": "5\n</invoke>',
        '{{"name": "wait", "arguments": {"minutes": 5}} and more',
    ],
)
def test_json_without_its_end_is_no_call(text: str) -> None:
    """Inside an element, and in double braces, that is an error and not a shorter call."""
    tools = ToolSet.from_prompt("wait(minutes?:int)")
    result = decode_lenient(text, tools)
    assert not result.calls
    assert [error.code for error in result.errors] == ["E101"]
