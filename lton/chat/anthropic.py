"""Convert messages and system prompts to and from the format of Anthropic's API."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lton.chat._blocks import (
    Block,
    content_of,
    iterate_messages_with_paths,
    known_fields,
    read_blocks,
    read_texts,
    without_foreign_parts,
    without_read,
    write_block,
    write_content,
)
from lton.chat.records import (
    Message,
    Other,
    Role,
    Text,
    Thought,
    ToolCall,
    ToolResult,
    make_mismatch_error,
)

_BROKEN = "INVALID_JSON"  # the key that Anthropic's documentation recommends for invalid arguments


def from_anthropic(
    messages: Iterable[Mapping[str, Any]], system: str | Sequence[Mapping[str, Any]] | None = None
) -> tuple[Message, ...]:
    """Parse Anthropic's messages into records that `to_anthropic` can write back unchanged.

    Raises `ConversionError`, with a path into the messages, for an invalid message.

    >>> use = {"type": "tool_use", "id": "1", "name": "wait", "input": {"minutes": 5}}
    >>> from_anthropic([{"role": "assistant", "content": [use]}])[0].calls[0].call
    Call(name='wait', arguments={'minutes': 5})
    """
    prompt = read_texts(content_of({"system": system}, "", "system"))
    first = [Message("system", prompt, api="messages")] if prompt else []
    return (
        *first,
        *(_read_message(message, path) for path, message in iterate_messages_with_paths(messages)),
    )


def to_anthropic(messages: Iterable[Message]) -> dict[str, Any]:
    """Write messages as the `messages` and, if needed, the `system` field of Anthropic's API.

    System and developer messages become the system prompt, except later messages of this API.
    Consecutive results from another API become one message. Thoughts from another API are omitted,
    because Anthropic's thoughts are signed. Raises `ConversionError` for parts that only another
    API has.

    >>> to_anthropic([Message.saying("system", "Be kind."), Message.saying("user", "Hi")])
    {'messages': [{'role': 'user', 'content': 'Hi'}], 'system': 'Be kind.'}
    """
    converted: list[Block] = []
    system: list[Text | Other] = []
    before: Message | None = None
    for index, original in enumerate(messages):
        message = without_foreign_parts(original, "messages", f"/{index}")
        if message.role in ("system", "developer") and not (before and message.api == "messages"):
            system += message.content
        elif before and _has_only_results(before) and _has_only_results(message):
            converted[-1]["content"] += _iterate_blocks_of_message(message)
        else:
            converted.append(_write_message(message))
            before = message
    system_field = {"system": write_content(system)} if system else {}
    return {"messages": converted, **system_field}


def _has_only_results(message: Message) -> bool:
    return message.role == "tool" and message.api != "messages"


def _read_message(message: Mapping[str, Any], path: str) -> Message:
    if message.get("role") not in ("user", "assistant", "system"):
        raise make_mismatch_error(
            'a message with a "role" of user, assistant, system', message, path
        )
    parts = tuple(read_blocks(content_of(message, path)))
    answers = bool(parts) and all(isinstance(part, ToolResult) for part in parts)
    extra = without_read(message, "role", has_content=bool(parts))
    role: Role = "tool" if answers else message["role"]
    return Message(role, parts, api="messages", extra=extra)


def _write_message(message: Message) -> Block:
    role = "user" if message.role == "tool" else message.role
    says_only = len(message.content) == len(message.parts) and not _has_only_results(message)
    content = (
        write_content(message.content) if says_only else list(_iterate_blocks_of_message(message))
    )
    return {"role": role, "content": content, **message.extra}


def _iterate_blocks_of_message(message: Message) -> Iterator[Block]:
    for part in message.parts:
        match part:
            case Thought(text, extra):
                if message.api == "messages":  # a hidden thought has only `extra`
                    thinking = {"type": "thinking", "thinking": text}
                    yield dict(extra) if "type" in extra else {**thinking, **extra}
            case ToolCall():
                arguments = part.arguments
                input_object = (
                    {_BROKEN: arguments} if isinstance(arguments, str) else dict(arguments)
                )
                called = {**known_fields(id=part.id), "name": part.name, "input": input_object}
                yield {"type": "tool_use", **called, **part.extra}
            case ToolResult():
                content = write_content(part.parts) if part.parts else None
                answered = known_fields(tool_use_id=part.call_id, content=content)
                failed = known_fields(is_error=part.is_error or None)
                yield {"type": "tool_result", **answered, **failed, **part.extra}
            case _ if part != Text(""):  # the API refuses empty text
                yield write_block(part)
