"""Test which objects in JSON are calls, and that everything else in their JSON is reported."""

import json
from typing import Any

import pytest

from lton import decode_lenient
from lton.errors import Code, RepairCode
from tests.cases import INT, tool, tools_of

STRING = {"type": "string"}
TOOLS = tools_of(
    tool("seek", {"query": STRING, "limit": INT}, ["query"]),
    tool("wipe", {"folder": STRING, "id": STRING}),
    tool("stop"),
)
SEEK: dict[str, Any] = {"name": "seek", "arguments": {"query": "tea"}}
WIPE: dict[str, Any] = {"name": "wipe", "arguments": {}}
AROUND = [
    "{0}",
    "<tool_call>{0}</tool_call>",
    "```json\n{0}\n```",
    "[TOOL_CALLS]{0}",
    "Now:\n{0}",
]
"""Texts around the JSON of a call."""


def _with_left_over(call: dict[str, Any]) -> list[object]:
    """Return values in which something may belong to the arguments of a call."""
    extra = {"folder": "tmp"}
    return [
        {"function": call, "arguments": extra},
        {"function": call, **extra},
        {"type": "function", "function": call, "parameters": extra},
        {"tool_call": call, "limit": 3},
        {"tool_calls": [call], "note": "all of it"},
        {"tool_calls": [{"function": call, "arguments": extra}]},
        {"tool_calls": [call, extra]},
        {"functionCall": call, "args": extra},
        {"tool_uses": [call, "tmp"]},
        {"method": "tools/call", "params": call, "arguments": extra},
        {"role": "user", "tool_calls": [call]},
        {"content": "Let me look.", "tool_calls": [call]},
        {**call, "comment": "x"},
        {**call, "extra": extra},
        {**call, "status": {"of": "x"}},
        [call, extra],
        [call, [extra]],
        [call, "tmp"],
        [{"function": call, "value": 1}],
        {"calls": {"function": call, "rest": [1]}},
    ]


@pytest.mark.parametrize("around", AROUND)
def test_what_no_call_used_is_not_dropped(around: str) -> None:
    """A key or element next to a call makes it uncertain, and an empty call an error."""
    for value in _with_left_over(SEEK):
        result = decode_lenient(around.replace("{0}", json.dumps(value)), TOOLS)
        assert result.calls == (), value
        assert [one.code for one in result.uncertain] == [RepairCode.LEFT] or result.errors, value
    for value in _with_left_over(WIPE):
        result = decode_lenient(around.replace("{0}", json.dumps(value)), TOOLS, safe=False)
        assert result.calls == (), value
        assert result.errors, value


METADATA: list[dict[str, object]] = [
    {"id": "call_1", "type": "function", "index": 0},
    {"call_id": "c", "tool_call_id": "c", "toolUseId": "c", "status": "completed"},
    {"role": "assistant", "content": None, "refusal": None, "annotations": []},
    {"role": "assistant", "content": "", "audio": None},
    {"thought": "I look.", "reasoning_content": "I look.", "why": "to know"},
    {"jsonrpc": "2.0", "_meta": {"progressToken": 1}},
    {"object": "tool_call", "action": "look", "extra": {}},
]
"""Keys next to a call that only describe it."""


@pytest.mark.parametrize("keys", METADATA)
def test_metadata_is_no_leftover(keys: dict[str, object]) -> None:
    """Keys of known metadata and empty values raise no doubt, at any level."""
    for value in ({**keys, **SEEK}, {**keys, "function": SEEK}, {**keys, "tool_calls": [SEEK]}):
        (call,) = decode_lenient(json.dumps(value), TOOLS).calls
        assert (call.name, call.arguments) == ("seek", {"query": "tea"})


def test_metadata_that_is_a_parameter() -> None:
    """A key of metadata is a leftover if the call lacks a parameter of that name."""
    call = {"name": "wipe", "arguments": {"folder": "x"}}
    for value in ({"id": "a", **call}, {"id": "a", "function": call}):
        result = decode_lenient(json.dumps(value), TOOLS)
        assert [one.code for one in result.uncertain] == [RepairCode.LEFT]


def test_the_message_of_an_api_is_read() -> None:
    """A message with calls is read as a whole, in the shapes of several APIs."""
    arguments = {"query": "tea"}
    for value in (
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "a",
                    "type": "function",
                    "function": {"name": "seek", "arguments": json.dumps(arguments)},
                }
            ],
        },
        {"functionCall": {"name": "seek", "args": arguments}},
        {"multi_tool_use.parallel": {"tool_uses": [{"tool": "seek", "args": arguments}]}},
        {"role": "model", "parts": [{"functionCall": {"name": "seek", "args": arguments}}]},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t", "name": "seek", "input": arguments}],
        },
        {"toolUse": {"toolUseId": "t", "name": "seek", "input": arguments}},
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "seek", "arguments": arguments},
        },
        {"tool_uses": [{"recipient_name": "functions.seek", "parameters": arguments}]},
        {
            "type": "function_call",
            "call_id": "c",
            "name": "seek",
            "arguments": json.dumps(arguments),
        },
    ):
        (call,) = decode_lenient(json.dumps(value), TOOLS).calls
        assert (call.name, call.arguments) == ("seek", arguments)


@pytest.mark.parametrize(
    "key", ["tool_call", "function_call", "tool_use", "recipient_name", "toolName"]
)
@pytest.mark.parametrize("name", ["seek", "functions.seek"])
def test_other_keys_for_names(key: str, name: str) -> None:
    """The key of the name does not matter if its value is the name of a tool."""
    for other in ("parameters", "args", "input", "tool_input"):
        (call,) = decode_lenient(json.dumps({key: name, other: {"query": "x"}}), TOOLS).calls
        assert (call.name, call.arguments) == ("seek", {"query": "x"})


@pytest.mark.parametrize("value", [{"query": "x"}, '{"query": "x"}'])
def test_other_keys_for_arguments(value: object) -> None:
    """The key of the arguments does not matter if its value fits the tool's schema."""
    for key in ("name", "op", "use"):
        (call,) = decode_lenient(json.dumps({key: "seek", "payload": value}), TOOLS).calls
        assert (call.name, call.arguments) == ("seek", {"query": "x"})


@pytest.mark.parametrize(
    "value",
    [
        {"op": "seek", "payload": {"color": "red"}},
        {"op": "seek", "payload": {}},
        {"op": "seek", "payload": ["x"]},
        {"op": "seek", "payload": 5},
        {"op": "seek", "payload": "x"},
        {"op": "hunt", "payload": {"query": "x"}},
        {"op": "seek", "other": "wipe", "payload": {"query": "x"}},
        {"op": "seek", "payload": {"query": "x"}, "second": {"query": "y"}},
        {"name": "stop"},
        {"name": "hunt", "version": 1},
        {"data": SEEK},
        {"text": "[1, 2]"},
        {"text": "{1"},
        {"text": '{"a": '},
        {"text": "<tool_call>"},
        {"text": '{"a": 1}', "more": 1},
        {"text": 5},
        {"name": "hunt", "arguments": {}, "parameters": {}},
    ],
)
def test_other_data_is_no_call(value: object) -> None:
    """Data with a tool's name in it are neither a call nor an error."""
    result = decode_lenient(json.dumps(value), TOOLS)
    assert (result.calls, result.uncertain, result.errors) == ((), (), ())


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({"name": "seek"}, Code.SYNTAX),
        ({"name": "seek", "query": "x"}, Code.SYNTAX),
        ({"recipient_name": "functions.seek", "payload": {"color": "red"}}, Code.SYNTAX),
        ({"tool_calls": [{"name": "seek"}]}, Code.SYNTAX),
        ([SEEK, {"name": "wipe"}], Code.SYNTAX),
        ({"name": "seek", "arguments": {"query": "x"}, "parameters": {"limit": 1}}, Code.DUPLICATE),
        ({"name": "wipe", "function": SEEK}, Code.DUPLICATE),
        ({"name": "wipe", "function": {**SEEK, "tool": "stop"}}, Code.DUPLICATE),
        ({"tool_call": "seek", "parameters": {"color": "red"}}, Code.PARAMETER),
        ({"content": json.dumps(SEEK)}, Code.SYNTAX),
        (
            {"role": "assistant", "content": f"<tool_call>{json.dumps(SEEK)}</tool_call>"},
            Code.SYNTAX,
        ),
        ({"content": json.dumps([SEEK])}, Code.SYNTAX),
    ],
)
def test_a_name_without_a_reading_is_an_error(value: object, code: Code) -> None:
    """A tool's name whose arguments cannot be read is an error."""
    (error,) = decode_lenient(json.dumps(value), TOOLS).errors
    assert error.code == code


def test_equal_names_are_one() -> None:
    """A name that is given twice is one name."""
    (call,) = decode_lenient(json.dumps({"name": "seek", "function": SEEK}), TOOLS).calls
    assert call.name == "seek"


def test_a_second_envelope_is_left_over() -> None:
    """Of two envelopes, or of two equal keys, no call is certain."""
    for text in (
        json.dumps({"tool_calls": [SEEK], "function_call": SEEK}),
        f'{{"tool_calls": [{json.dumps(SEEK)}], "tool_calls": [{json.dumps(WIPE)}]}}',
    ):
        assert [one.code for one in decode_lenient(text, TOOLS).uncertain] == [RepairCode.LEFT]


def test_without_tools_only_known_keys_are_read() -> None:
    """Without tools, a call has known keys, and an undeclared name is never read by shape."""
    assert decode_lenient('{"op": "seek", "payload": {"query": "x"}}').calls == ()
    assert len(decode_lenient(json.dumps(SEEK)).calls) == 1


@pytest.mark.parametrize(
    "text",
    [
        'wipe()\n(folder="tmp")',
        'wipe() (folder="tmp")',
        'wipe() {"folder": "tmp"}',
        'wipe({})({"folder": "tmp"})',
        "<wipe/>\n<folder>tmp</folder>",
        '<wipe/>\n{"folder": "tmp"}',
        '[wipe()]\n(folder="tmp")',
        f"{json.dumps(WIPE)}\n\nParameters:\n- folder: tmp",
        f"{json.dumps(WIPE)}\n\n\n**Arguments:** tmp\n\nDone.",
        '<|channel|>commentary to=functions.wipe <|constrain|>json<|message|>{}{"id":"t"}<|call|>',
    ],
)
def test_text_after_an_empty_call_is_an_error(text: str) -> None:
    """Arguments in another group or below a label are an error if the call has none."""
    result = decode_lenient(text, TOOLS, safe=False)
    assert result.calls == ()
    assert [error.code for error in result.errors] == [Code.SYNTAX]


@pytest.mark.parametrize(
    ("text", "is_left"),
    [
        ('Now:\nseek(query="x")\n(limit=5)', True),
        ('Now:\nseek(query="x")\n(This is it.)', False),
        ('Now:\nseek(query="x")\n(other=5)', False),
        ('{"name": "seek", "arguments": {"query": "x"}}\n\nArguments:\n- limit: 5', True),
        ('{"name": "seek", "arguments": {"query": "x"}}\n\nNote: the limit is 5', False),
    ],
)
def test_text_after_a_call_may_be_its_arguments(text: str, *, is_left: bool) -> None:
    """A group with a parameter that the call lacks is a leftover; a remark is other text."""
    (one,) = decode_lenient(text, TOOLS).uncertain
    assert one.code is (RepairCode.LEFT if is_left else RepairCode.BESIDE)
