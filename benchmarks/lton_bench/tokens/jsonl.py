"""Read your own calls from JSON lines, with one turn of a model per line."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from lton.chat import read_call
from lton.errors import Code, ConversionError, DecodeError, LTONError
from lton.schema import Call, ToolSet
from lton_bench.tokens.pieces import Definition, Turn

_SHAPES = 'expected {"name": …, "arguments": …}, {"tool_calls": […]}, or a list of them'


def read_turns(text: str, definitions: Sequence[Definition]) -> Iterator[Turn]:
    r"""Yield a turn for each line that is not blank.

    A line is a call as `{"name": …, "arguments": …}`, a message of OpenAI's chat with
    `tool_calls`, or a list of them. Arguments may be JSON in a string, as APIs carry them.

    Raises `DecodeError` with the line of an invalid call or an unknown tool, and `SchemaError` for
    an invalid definition.

    >>> wait = {"name": "wait", "parameters": {"type": "object"}}
    >>> next(read_turns('{"name": "wait", "arguments": {}}\n', [wait])).calls
    (Call(name='wait', arguments={}),)
    >>> next(read_turns('\n{"name": "halt", "arguments": {}}', [wait]))
    Traceback (most recent call last):
    lton.errors.DecodeError: no tool 'halt' (line 2, column 1) [E201]
    """
    names = ToolSet.from_tools(definitions).by_name
    pos = 0
    for line in text.split("\n"):
        if line.strip():
            try:
                calls = tuple(_calls(json.loads(line)))
                _check_names(calls, names)
            except json.JSONDecodeError as error:
                msg = f"expected JSON: {error.msg}"
                raise DecodeError(Code.SYNTAX, msg, doc=text, pos=pos + error.pos) from None
            except ConversionError as error:
                raise DecodeError(Code.SYNTAX, error.msg, doc=text, pos=pos) from None
            except LTONError as error:
                raise DecodeError(error.code, error.msg, doc=text, pos=pos) from None
            yield Turn(calls, tuple(definitions))
        pos += len(line) + 1


def _calls(record: Any) -> Iterator[Call]:
    match record:
        case list():
            for one in record:
                yield from _calls(one)
        case {"tool_calls": list(calls)}:
            yield from _calls(calls)
        case _:
            call = read_call(record)
            if call is None:
                raise LTONError(Code.SYNTAX, f"{_SHAPES}, found {_short(record)}")
            yield call.call


def _check_names(calls: Sequence[Call], names: Any) -> None:
    for call in calls:
        if call.name not in names:
            raise LTONError(Code.TOOL, f"no tool {call.name!r}")


def _short(record: Any) -> str:
    text = json.dumps(record, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}…"
