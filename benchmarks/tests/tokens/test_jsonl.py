"""Test reading a user's own calls, and the errors for calls that cannot be read."""

import json

import pytest

from lton import Call, DecodeError, SchemaError
from lton.errors import Code
from lton_bench.tokens.jsonl import read_turns

TOOLS = [{"name": "say", "parameters": {"type": "object", "properties": {"text": {}}}}]
SAY = {"name": "say", "arguments": {"text": "é"}}


@pytest.mark.parametrize(
    ("line", "count"),
    [
        (SAY, 1),
        ([SAY, SAY], 2),
        ([], 0),
        ({"name": "say", "arguments": json.dumps(SAY["arguments"])}, 1),
        ({"role": "assistant", "tool_calls": [{"id": "1", "function": SAY}]}, 1),
        ([{"tool_calls": [{"type": "function", "function": SAY}, SAY]}, SAY], 3),
    ],
)
def test_shapes(line: object, count: int) -> None:
    """A line may be a call, a message with calls, or a list, and arguments may be JSON in a
    string.
    """
    (turn,) = read_turns(f"\n{json.dumps(line)}\n\n", TOOLS)
    assert turn.calls == (Call("say", {"text": "é"}),) * count
    assert turn.tools == tuple(TOOLS)


def test_no_arguments() -> None:
    """An empty string stands for no arguments, as in some APIs."""
    (turn,) = read_turns('{"name": "say", "arguments": ""}', TOOLS)
    assert turn.calls == (Call("say", {}),)


@pytest.mark.parametrize(
    ("line", "code", "column", "message"),
    [
        ("{", Code.SYNTAX, 2, "expected JSON: "),
        ("1", Code.SYNTAX, 1, 'expected {"name": …, "arguments": …}, '),
        ('{"name": "say"}', Code.SYNTAX, 1, 'found {"name": "say"}'),
        ('{"name": "say", "arguments": [1]}', Code.SYNTAX, 1, "expected an object of arguments"),
        ('{"name": "say", "arguments": "{"}', Code.SYNTAX, 1, "expected arguments in JSON"),
        ('{"name": "cry", "arguments": {}}', Code.TOOL, 1, "no tool 'cry'"),
        (f'["{"x" * 99}"]', Code.SYNTAX, 1, "…"),
    ],
)
def test_errors_name_the_line(line: str, code: Code, column: int, message: str) -> None:
    """The error for an unreadable line has the line number and the expected input."""
    turns = read_turns(f"{json.dumps(SAY)}\n\n{line}\n", TOOLS)
    next(turns)
    with pytest.raises(DecodeError) as caught:
        next(turns)
    assert (caught.value.code, caught.value.line, caught.value.column) == (code, 3, column)
    assert message in str(caught.value)


def test_bad_definitions() -> None:
    """An invalid definition raises an error before any line is read."""
    with pytest.raises(SchemaError):
        next(read_turns("", [{"description": "no name"}]))
