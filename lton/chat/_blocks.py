"""Read and write the parts of messages that all APIs share."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lton.chat.records import (
    ApiName,
    Message,
    Other,
    Part,
    Text,
    Thought,
    ToolCall,
    ToolResult,
    make_mismatch_error,
)

Block = dict[str, Any]


def iterate_messages_with_paths(messages: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each message with its path. Raises `ConversionError` for an invalid message."""
    is_list = isinstance(messages, list | tuple)
    if not is_list and (isinstance(messages, str | Mapping) or not isinstance(messages, Iterable)):
        raise make_mismatch_error("a list of messages", messages)
    for index, message in enumerate(messages):
        if not isinstance(message, dict | Mapping):  # a check for `dict` alone is faster
            raise make_mismatch_error("an object", message, f"/{index}")
        yield f"/{index}", message


def content_of(message: Mapping[str, Any], path: str, key: str = "content") -> Any:
    """Return the content of a message. Raises `ConversionError` if it is invalid."""
    content = message.get(key)
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple | None):
        raise make_mismatch_error("text, or a list of parts", content, f"{path}/{key}")
    for index, block in enumerate(content if isinstance(content, list | tuple) else ()):
        if not isinstance(block, str | Mapping):
            raise make_mismatch_error("a part", block, f"{path}/{key}/{index}")
    return content


def read_text_message(
    message: Mapping[str, Any], path: str
) -> tuple[tuple[Text | Other, ...], Block]:
    """Return the parts of a message that has no blocks of calls, and its other fields."""
    parts = read_texts(content_of(message, path))
    return parts, without_read(message, "role", has_content=bool(parts))


def read_blocks(content: Any) -> Iterator[Part]:
    """Parse the content of a message: a string, or a list of blocks."""
    return map(_read_block, _iterate_blocks(content))


def read_texts(content: Any) -> tuple[Text | Other, ...]:
    """Parse content that has no calls, thoughts or results. Other blocks are kept unchanged."""
    if content is None:
        return ()
    if isinstance(content, str):
        return (Text(content),)
    return tuple(map(_read_text, _iterate_blocks(content)))


def _iterate_blocks(content: Any) -> Iterator[Any]:
    if isinstance(content, list | tuple):
        for block in content:
            yield from _iterate_blocks(block)
    elif content is not None:
        yield content


def _read_block(block: Any) -> Part:
    match block:
        case {"type": "tool_result"}:
            return _read_result(block)
        case {"type": "thinking", "thinking": str(text)}:
            return Thought(text, without_fields(block, "type", "thinking"))
        case {"type": "redacted_thinking"}:
            return Thought("", block)
        case {"type": "tool_use"}:
            return read_call(block) or Other(block)
        case _:
            return _read_text(block)


def _read_text(block: Any) -> Text | Other:
    match block:
        case str():
            return Text(block)
        case {"text": str(text)} | {"type": "refusal", "refusal": str(text)}:
            return Text(text, without_fields(block, "text", "refusal"))
        case _:
            return Other(block)


def read_call(block: Any) -> ToolCall | None:
    """Read a call from a block of any API, or return None if the block is not a call."""
    match block:
        case {"function": {"name": str(name), "arguments": arguments} as function}:
            extra = without_fields(block, "function")
            if more := without_fields(function, "name", "arguments"):
                extra["function"] = more
        case {"custom": {"name": str(name), "input": str(arguments)}}:
            extra = without_fields(block, "custom")
        case {"type": "tool_use", "name": str(name), "input": arguments}:
            extra = without_fields(block, "type", "name", "input")
        case {"name": str(name), "arguments": arguments}:
            extra = without_fields(block, "name", "arguments")
        case _:
            return None
    return ToolCall(name, arguments, take_id(extra, "id"), custom="custom" in block, extra=extra)


def without_read(mapping: Mapping[str, Any], key: str, *, has_content: bool) -> dict[str, Any]:
    """Return a mapping without a member, and without its content if that could be read."""
    return without_fields(mapping, key, "content") if has_content else without_fields(mapping, key)


def _read_result(block: Mapping[str, Any]) -> ToolResult:
    parts = read_texts(block.get("content"))
    extra = without_read(block, "type", has_content=bool(parts))
    is_error = extra.get("is_error") is True and extra.pop("is_error")
    return ToolResult(parts, take_id(extra, "tool_use_id"), is_error=is_error, extra=extra)


def without_fields(block: Mapping[str, Any], *keys: str) -> Block:
    """Return a block without the given fields."""
    return {key: value for key, value in block.items() if key not in keys}


def take_id(block: Block, key: str) -> Any:
    """Remove an id from a block and return it. A value that is not an id stays in the block."""
    return block.pop(key) if isinstance(block.get(key), str | int) else None


def known_fields(**members: Any) -> Block:
    """Build a block from the fields that are not None."""
    return {key: value for key, value in members.items() if value is not None}


def write_content(parts: Sequence[Text | Other], kind: str = "text") -> str | list[Any]:
    """Write content as a string if possible, otherwise as a list of blocks."""
    match parts:
        case [Text(text, extra)] if not extra:
            return text
    return [write_block(part, kind) for part in parts]


def write_block(part: Text | Other, kind: str = "text") -> Any:
    """Write a message part as a block."""
    if isinstance(part, Other):
        return part.value
    key = "refusal" if part.extra.get("type") == "refusal" else "text"
    return {"type": kind, key: part.text, **part.extra}


def without_foreign_parts(message: Message, api: ApiName, path: str) -> Message:
    """Remove the parts of a message that only its original API can read.

    Raises `ConversionError` for a part that the other API cannot express.
    """
    if message.api in (api, None):
        return message
    return replace(message, parts=_plain_texts(message.parts, path), extra={})


def _plain_texts(parts: tuple[Any, ...], path: str) -> tuple[Any, ...]:
    plain: list[Part] = []
    for part in parts:
        match part:
            case Other(value):
                raise make_mismatch_error("a part that the other API has", value, path)
            case ToolResult():
                plain.append(replace(part, parts=_plain_texts(part.parts, path), extra={}))
            case Thought(text) if not text:  # only its own API can read it
                pass
            case _:
                plain.append(replace(part, extra={}))
    return tuple(plain)
