"""Test calls in foreign notations: their repairs, and their nesting limits."""

import json

import pytest

from lton import ToolSet, decode_lenient
from lton.errors import Code, RepairCode
from lton.lenient._call_elements import MAX_ENVELOPES
from tests.cases import INT, tool, tools_of

TOOLS: ToolSet = tools_of(
    tool("wait", {"minutes": INT}, ["minutes"]),
    tool("stop"),
    tool("say", {"x": {"type": ["string", "integer"]}}, ["x"]),
)


def test_each_repair_is_of_its_own_call() -> None:
    """A repair belongs to its own call, in a list and in an object with several calls."""
    one = '{"name": "wait", "arguments": {minutes: "1"}}'
    for text in (
        f'[{one}, {{"name": "stop", "arguments": {{}}}}, {one}]',
        '{"wait": {minutes: "1"}, "stop": {}, "wait": {minutes: "1"}}',
    ):
        result = decode_lenient(text, TOOLS)
        assert [call.name for call in result.calls] == ["wait", "stop", "wait"]
        kinds = [
            (repair.call, repair.pos) for repair in result.repairs if repair.code is RepairCode.KIND
        ]
        places = [text.index('"1"'), text.rindex('"1"')]
        assert kinds == [(0, places[0]), (2, places[1])]


def test_envelopes_are_opened_up_to_a_depth() -> None:
    """Envelopes are opened up to a depth that no model exceeds, and lists count as well."""
    for depth in range(MAX_ENVELOPES - 1, MAX_ENVELOPES + 2):
        for kinds in ("object", "object list"):
            text: object = {"name": "stop", "arguments": {}}
            for index in reversed(range(depth)):
                is_list = kinds.split()[index % len(kinds.split())] == "list"
                text = [text] if is_list else {"calls": text}
            result = decode_lenient(json.dumps(text), TOOLS)
            assert len(result.calls) == (depth <= MAX_ENVELOPES), (depth, kinds)


def test_a_parameter_that_says_that_it_is_a_text_is_one() -> None:
    """A parameter that declares a string keeps a string that looks like a number."""
    text = '<invoke name="say"><parameter name="x"{}>5</parameter></invoke>'
    (plain,) = decode_lenient(text.format(""), TOOLS).calls
    (call,) = decode_lenient(text.format(' string="true"'), TOOLS).calls
    assert (plain.arguments, call.arguments) == ({"x": 5}, {"x": "5"})


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
    """Errors in calls in JSON also have a place and a path."""
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
    """JSON without its end, inside an element or in double braces, is an error."""
    tools = ToolSet.from_prompt("wait(minutes?:int)")
    result = decode_lenient(text, tools)
    assert not result.calls
    assert [error.code for error in result.errors] == ["E101"]


UNIONS: ToolSet = tools_of(
    tool("store", {"x": {"type": ["string", "object"]}, "y": {"type": "string"}}), tool("stop")
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('<invoke name="store"><parameter name="x">{"a": 1}</parameter></invoke>', {"a": 1}),
        ('<invoke name="store"><parameter name="x">{a</parameter></invoke>', "{a"),
        ('<invoke name="store"><parameter name="y">{"a": 1}</parameter></invoke>', '{"a": 1}'),
        ('<invoke name="store"><parameter name="z">{"a": 1}</parameter></invoke>', '{"a": 1}'),
        (
            '<invoke name="store"><parameter name="z" string="false">{"a": 1}</parameter></invoke>',
            {"a": 1},
        ),
        ('<invoke name="store"><parameter name="z" string="false">{a</parameter></invoke>', "{a"),
        (
            '<invoke name="store"><parameter name="y" string="false">{"a": 1}</parameter></invoke>',
            '{"a": 1}',
        ),
        ('<invoke name="list"><parameter name="x">[{\\"a\\": 1}]</parameter></invoke>', [{"a": 1}]),
    ],
)
def test_the_kind_of_an_elements_text(text: str, value: object) -> None:
    """The kind of an element's text comes from the element, else from the schema; otherwise it is a
    string.
    """
    tools = ToolSet.from_tools(
        [
            tool("store", {"x": {"type": ["string", "object"]}, "y": {"type": "string"}}),
            tool("list", {"x": {"type": "array"}}),
        ],
        standard=True,
    )
    (call,) = decode_lenient(text, tools).calls
    assert list(call.arguments.values()) == [value]


@pytest.mark.parametrize(
    ("end", "is_read"),
    [
        ("\n</parameter>\n", True),
        ("\n</parameter1>\n", True),
        ("\n</parameter\n", True),
        ("</parameter1>\n", False),
        ("\n", False),
    ],
)
def test_an_end_of_a_parameter_that_is_spelled_otherwise(end: str, is_read: bool) -> None:
    """A misspelt closing tag of a parameter counts on its own line; without a closing tag, the call
    is an error.
    """
    body = f"<parameter=x>\nOslo{end}<parameter=y>\nb\n</parameter>\n"
    result = decode_lenient(f"<function=store>\n{body}</function>", UNIONS)
    arguments = [call.arguments for call in result.calls]
    assert arguments == ([{"x": "Oslo", "y": "b"}] if is_read else [])
    assert bool(result.errors) is not is_read


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('<tool_call>\n{"name": "stop"}\n</tool_call>', 1),
        ('<tool_call>[{"name": "stop"}, {"name": "stop"}]</tool_call>', 2),
        ('<tool_call>{"name": "stop", "id": 1}</tool_call>', 0),
        ('<tool_call>{"name": "store"}</tool_call>', 0),
        ('<tool_call>{"name": {"name": "stop"}}</tool_call>', 0),
        ('{"name": "stop"}', 0),
        ('[{"name": "stop"}]', 0),
    ],
)
def test_a_name_alone_is_a_call_of_a_tool_without_arguments(text: str, count: int) -> None:
    """An object with only a name is a call in the tag of a call, and data elsewhere."""
    assert len(decode_lenient(text, UNIONS).calls) == count


def test_a_string_between_tokens_ends_at_the_next_one() -> None:
    """A string between special tokens ends at the next token, so a missing comma does not join
    arguments.
    """
    text = "<start_function_call>call:store{x:<escape>a<escape>y:<escape>b<escape>}"
    (call,) = decode_lenient(f"{text}<end_function_call>", UNIONS).calls
    assert call.arguments == {"x": "a", "y": "b"}


def test_a_call_that_is_not_known_costs_no_other_of_its_list() -> None:
    """Each call in a Python list is read separately, so an unknown tool does not affect the
    others.
    """
    result = decode_lenient("<|python_start|>[nope(x='stop()'), stop()]<|python_end|>", UNIONS)
    assert [call.name for call in result.calls] == ["stop"]
    assert [error.code for error in result.errors] == [Code.TOOL]


def test_the_fence_of_an_example_ends_before_the_call() -> None:
    """The fence of an example ends before the call, even if only marks are in between."""
    one = '<\uff5cDSML\uff5cinvoke name="stop"></\uff5cDSML\uff5cinvoke>\n'
    calls = f"<\uff5cDSML\uff5ctool_calls>\n{one}</\uff5cDSML\uff5ctool_calls>\n"
    result = decode_lenient(f"So:\n```xml\n{calls}```\n{calls}", UNIONS, syntax="dsml")
    assert [call.name for call in result.calls] == ["stop"]
    assert len(result.uncertain) == 1


def test_the_arguments_of_a_call_that_is_not_known_belong_to_it() -> None:
    """The arguments of an unknown call are not leftovers, so the next call stays certain."""
    begin, args, end = "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"
    unknown = f'{begin}call_3{args}{{"size": "2 by 2"}}{end}'
    result = decode_lenient(f"{unknown}{begin}functions.stop:1{args}{{}}{end}", UNIONS)
    assert [call.name for call in result.calls] == ["stop"]
    assert [error.code for error in result.errors] == [Code.TOOL]
