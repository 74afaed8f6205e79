"""What a log holds: tool definitions and messages, in whatever shape they were written down."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lton.chat import Message, from_anthropic, from_openai, from_responses, read_call
from lton.chat.records import mismatch
from lton.cost import gemini

_SCHEMAS = frozenset(["parameters", "input_schema", "inputSchema"])
_BLOCKS = frozenset(["tool_use", "tool_result", "thinking", "redacted_thinking"])
"""The blocks that Anthropic's messages alone have."""
_DEPTH = 8
"""So deep lists and answers may hold records."""
_EXPECTED = "a request, a response, messages, calls or tool definitions"


@dataclass(frozen=True, slots=True)
class Record:
    """A request, a conversation or a listing: the definitions in it, and the messages."""

    tools: tuple[Any, ...] = ()
    messages: tuple[Message, ...] = ()


def records(value: Any) -> Iterator[Record]:
    """Get what a value in JSON holds: one record, or those of a list.

    It is a request of OpenAI's chat or responses API, of Anthropic's or Gemini's; a response; an
    object with `request` and `response`, as proxies log them; messages; one message; calls; the
    definitions of tools; MCP's `tools/list`, also in the frame of JSON-RPC.

    Raises `ConversionError`, with a path, for anything else.

    >>> call = {"id": "1", "function": {"name": "wait", "arguments": "{}"}}
    >>> answer = {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]}
    >>> [record] = records({"request": {"messages": [], "tools": []}, "response": answer})
    >>> record.messages[0].calls[0].name
    'wait'
    """
    return _records(value, _DEPTH)


def _records(value: Any, depth: int) -> Iterator[Record]:
    if not depth:
        raise mismatch(_EXPECTED, value)
    match value:
        case {"request": Mapping() as request}:
            response = value.get("response")
            yield _joined([*_records(request, depth - 1), *_answer(response, depth)])
        case {"jsonrpc": _, "result": found} | {"body": Mapping() as found}:
            yield from _records(found, depth - 1)
        case [*values] if values:
            yield from _list(values, depth)
        case Mapping():
            yield _record(value)
        case _:
            raise mismatch(_EXPECTED, value)


def _record(value: Mapping[str, Any]) -> Record:
    if (said := _said(value)) is not None:
        return Record(_tools(value), tuple(said))
    match value:
        case {"tools": [*_]}:
            return Record(_tools(value))
        case {"role": _}:
            return Record(_tools(value), _messages([value], {}))
        case _ if _is_definition(value):
            return Record((value,))
        case _ if (declared := gemini.declarations(value)) is not None:
            return Record(tuple(declared))
        case _ if (call := read_call(value)) is not None:
            return Record(_tools(value), (Message("assistant", (call,)),))
    raise mismatch(_EXPECTED, value)


def _said(value: Mapping[str, Any]) -> Iterable[Message] | None:
    """Get the messages of a request or a response; None for what is neither."""
    match value:
        case {"messages": [*given]}:
            return _messages(given, value)
        case {"input": str() | [*_] as items} if not {"name", "arguments"} & value.keys():
            return from_responses(items, value.get("instructions"))
        case {"output": [*items]}:
            return from_responses(items)
        case {"choices": [*choices]}:
            return from_openai(each["message"] for each in choices if _has(each, "message"))
    return gemini.messages(value)


def _list(values: Sequence[Any], depth: int) -> Iterator[Record]:
    if all(_has(each, "role") for each in values):
        yield Record((), _messages(values, {}))
    elif all(map(_is_definition, values)):
        yield Record(tuple(values))
    else:
        for each in values:
            yield from _records(each, depth - 1)


def _answer(response: Any, depth: int) -> list[Record]:
    return [] if response is None else [*_records(response, depth - 1)]


def _joined(found: Sequence[Record]) -> Record:
    return Record(
        tuple(tool for each in found for tool in each.tools),
        tuple(message for each in found for message in each.messages),
    )


def _tools(value: Mapping[str, Any]) -> tuple[Any, ...]:
    found = value.get("tools") or ()
    if not isinstance(found, list | tuple):
        raise mismatch("a list of tools", found, "/tools")
    declared = ((tool, gemini.declarations(tool)) for tool in found)
    return tuple(each for tool, some in declared for each in ([tool] if some is None else some))


def _messages(messages: Sequence[Any], request: Mapping[str, Any]) -> tuple[Message, ...]:
    """Get the messages, of whichever of two APIs they are."""
    blocks = [
        block
        for message in messages
        if _has(message, "content") and isinstance(message["content"], list)
        for block in message["content"]
        if _has(block, "type")
    ]
    if "system" in request or any(block["type"] in _BLOCKS for block in blocks):
        return from_anthropic(messages, request.get("system"))
    return from_openai(messages)


def _is_definition(value: Any) -> bool:
    match value:
        case {"function": Mapping() as function}:
            return "arguments" not in function
        case {"name": str()}:
            return bool(_SCHEMAS & value.keys())
    return False


def _has(value: Any, key: str) -> bool:
    return isinstance(value, Mapping) and key in value
