"""Convert messages to and from the input items of OpenAI's responses API.

In the neutral form, the items of a turn are one message with at most one block of text.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from lton.chat import _blocks
from lton.chat.records import (
    Message,
    Other,
    Part,
    Role,
    Text,
    Thought,
    ToolCall,
    ToolResult,
    make_mismatch_error,
)

_ROLES = ("system", "developer", "user", "assistant")
_INSTRUCTIONS = {"type": "instructions"}  # the `extra` of the instructions, which are not an item
_CUSTOM = ("custom_tool_call", "input")
_FUNCTION = ("function_call", "arguments")
_ITEM = {"type": "item"}  # the `extra` of a message that wraps an unknown item


def from_responses(
    input: str | Iterable[Mapping[str, Any]],  # noqa: A002 - the API's own name
    instructions: str | None = None,
) -> tuple[Message, ...]:
    """Parse input items into records that `to_responses` can write back unchanged.

    Items other than text, thoughts, calls and results are not changed. Raises `ConversionError`,
    with a path into the items, for an invalid item.

    >>> call = {"type": "function_call", "call_id": "1", "name": "wait", "arguments": "{}"}
    >>> thought, wait = from_responses([{"type": "reasoning", "summary": []}, call])[0].parts
    >>> wait.call
    Call(name='wait', arguments={})
    """
    messages: list[Message] = []
    if instructions is not None:
        messages.append(Message("system", (Text(instructions),), None, "responses", _INSTRUCTIONS))
    items = [{"role": "user", "content": input}] if isinstance(input, str) else input
    for path, item in _blocks.iterate_messages_with_paths(items):
        message = _read_item(item, path)
        if messages and _belong_together(messages[-1], message):
            before = messages.pop()
            parts = (*before.parts, *message.parts)
            extra = {**before.extra, **message.extra}
            message = replace(before, parts=parts, extra=extra)
        messages.append(message)
    return tuple(messages)


def to_responses(messages: Iterable[Message]) -> dict[str, Any]:
    """Write messages as the `input` and, if needed, the `instructions` field of the responses API.

    Raises `ConversionError` for parts that only another API has, such as its images.

    >>> to_responses([Message.saying("user", "Hi")])
    {'input': [{'role': 'user', 'content': 'Hi'}]}
    """
    messages = tuple(messages)
    custom = {call.id for message in messages for call in message.calls if call.custom}
    items: list[_blocks.Block] = []
    request: dict[str, Any] = {"input": items}
    for index, original in enumerate(messages):
        message = _blocks.without_foreign_parts(original, "responses", f"/{index}")
        if message.extra == _INSTRUCTIONS:
            request["instructions"] = message.text
        else:
            items += _iterate_items_of_message(message, custom)
    return request


def _belong_together(one: Message, other: Message) -> bool:
    return (
        one.role == other.role == "assistant"
        and bool(one.parts and other.parts)
        and not (one.content and other.content)
        and _ITEM not in (one.extra, other.extra)
    )


def _read_item(item: Mapping[str, Any], path: str) -> Message:
    match item:
        case {"type": "reasoning"}:
            blocks = _blocks.read_texts(item.get("content") or item.get("summary"))
            thought = "\n\n".join(block.text for block in blocks if isinstance(block, Text))
            return _make_message("assistant", Thought(thought, item))
        case {"type": "function_call", "name": str(name), "arguments": arguments}:
            extra = _blocks.without_fields(item, "type", "name", "arguments")
            return _make_message(
                "assistant",
                ToolCall(name, arguments, _blocks.take_id(extra, "call_id"), extra=extra),
            )
        case {"type": "custom_tool_call", "name": str(name), "input": str(arguments)}:
            extra = _blocks.without_fields(item, "type", "name", "input")
            call_id = _blocks.take_id(extra, "call_id")
            return _make_message(
                "assistant", ToolCall(name, arguments, call_id, custom=True, extra=extra)
            )
        case {"type": "function_call_output" | "custom_tool_call_output", "output": output}:
            extra = _blocks.without_fields(item, "output")
            call_id = _blocks.take_id(extra, "call_id")
            return _make_message(
                "tool", ToolResult(_blocks.read_texts(output), call_id, extra=extra)
            )
        case {"role": role} if role in _ROLES and item.get("type", "message") == "message":
            parts, extra = _blocks.read_text_message(item, path)
            return Message(role, parts, None, "responses", extra)
        case {"type": str(kind)} if kind != "message":
            return _make_message("assistant", Other(item), _ITEM)
    raise make_mismatch_error(
        f'an item with a "type", or a "role" of {", ".join(_ROLES)}', item, path
    )


def _make_message(role: Role, part: Part, extra: Mapping[str, Any] | None = None) -> Message:
    return Message(role, (part,), None, "responses", extra or {})


def _iterate_items_of_message(message: Message, custom: Container[str | None]) -> Iterator[Any]:
    if not message.parts:
        yield _write_message_item(message)
    for part in message.parts:
        match part:
            case Thought(text, extra):
                content = [{"type": "reasoning_text", "text": text}]
                yield dict(extra) or {"type": "reasoning", "summary": [], "content": content}
            case ToolCall():
                kind, key = _CUSTOM if part.custom else _FUNCTION
                called = {
                    **_blocks.known_fields(call_id=part.id),
                    "name": part.name,
                    key: part.written,
                }
                yield {"type": kind, **called, **part.extra}
            case ToolResult():
                kind, _ = _CUSTOM if part.call_id in custom else _FUNCTION
                yield {"type": f"{kind}_output", **_write_output(part), **part.extra}
            case Other(value) if message.extra == _ITEM:
                yield value
            case _ if part is message.content[0]:
                yield _write_message_item(message)


def _write_output(result: ToolResult) -> _blocks.Block:
    output = _blocks.write_content(result.parts, "input_text") if result.parts else ""
    return {**_blocks.known_fields(call_id=result.call_id), "output": output}


def _write_message_item(message: Message) -> _blocks.Block:
    kind = "output_text" if message.role == "assistant" else "input_text"
    content = _blocks.write_content(message.content, kind)
    return {"role": message.role, "content": content, **message.extra}
