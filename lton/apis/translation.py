"""Convert messages to the format of another API."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from lton._json import minified
from lton.apis.api import Api
from lton.apis.media import try_convert_media
from lton.chat import Message, Other, Part, Text, Thought, ToolCall, ToolResult
from lton.errors import ConversionError
from lton.transcript.turns import is_error

_TEXTS = ("text", "input_text", "output_text")
_ITEM = {"type": "item"}  # the `extra` of a message that wraps an item of the responses API
_UNREADABLE = frozenset(
    "type id status call_id tool_use_id caller server_label encrypted_content encrypted_index"
    " encrypted_stdout".split()
)  # members that a model cannot read: ids and encrypted content
_MOST = 4096  # characters of a value of a provider's tool; longer values are replaced
_NOUNS = {"image_url": "image", "input_audio": "sound"}
_RAN = ("_tool_use", "_tool_result", "_call", "_call_output")  # suffixes: a provider's own tools


def convert_message(message: Message, api: Api) -> Message:
    """Convert a message to the format of an API. Raises `ConversionError` if that is impossible."""
    if message.api == api.name:
        return message
    expressible = (part for part in message.parts if can_express(part, api))
    parts = tuple(translated for part in expressible for translated in _translate_part(part, api))
    role = "system" if message.role == "developer" and not api.has_developers else message.role
    return replace(message, role=role, parts=parts, api=None, extra={})


def can_express(part: Part, api: Api) -> bool:
    """Return whether an API can express a part of a message."""
    if not isinstance(part, Thought):
        return True
    is_signed = bool(part.extra.get("signature") or part.extra.get("encrypted_content"))
    return api.shows_thoughts and bool(part.text) and not is_signed


def _translate_part(part: Part, api: Api) -> tuple[Part, ...]:
    match part:
        case Text(text, {"type": kind}) if kind in _TEXTS:
            return (Text(text),)
        case ToolResult():
            parts = tuple(
                translated for inner in part.parts for translated in _translate_content(inner, api)
            )
            result = replace(part, parts=parts, extra={})
            return (result if api.has_errors else _error_as_text(result),)
        case Other():
            return _translate_content(part, api)
        case ToolCall() | Text() | Thought():
            return (replace(part, extra={}),)


def _error_as_text(result: ToolResult) -> ToolResult:
    if not result.is_error or is_error(replace(result, is_error=False)):
        return result
    match result.parts:
        case (Text(text), *others):
            return replace(result, parts=(Text(f"error: {text}"), *others))
    return replace(result, parts=(Text("error: "), *result.parts))


def _translate_content(part: Text | Other, api: Api) -> tuple[Text | Other, ...]:
    if isinstance(part, Text):
        return (Text(part.text),)
    if (media := try_convert_media(part, api.try_write_media)) is not None:
        return media
    if part.kind.endswith(_RAN):
        return (Text(_describe_part_of_own_tool(part)),)
    words = f"the upstream's API ({api.name}) cannot express a part of the kind {part.kind!r}"
    raise ConversionError(words)


def _describe_part_of_own_tool(part: Other) -> str:
    """Describe a call or result of a provider's own tool, without text that looks like a call."""
    name = next((text for key in ("name", "kind") if (text := part.value.get(key))), part.kind)
    readable = _readable_text(part.value)
    details = {key: value for key, value in readable.items() if key not in ("name", "kind")}
    return f"[{name}, a tool of the provider: {minified(details)}]"


def _readable_text(value: Any) -> Any:
    match value:
        case Mapping():
            keys = (key for key in value if key not in _UNREADABLE)
            return {key: _readable_text(value[key]) for key in keys}
        case list():
            return [_readable_text(item) for item in value]
        case str() if len(value) > _MOST:
            return f"({len(value)} characters)"
    return value


# --- conversations --------------------------------------------------------------------------------


def with_one_system_prompt(messages: list[Message]) -> list[Message]:
    """Join the first system messages, because chat templates accept only one."""
    count = next(
        (n for n, message in enumerate(messages) if message.role != "system"), len(messages)
    )
    if count < 2:
        return messages
    first = "\n\n".join(message.text for message in messages[:count])
    return [Message.saying("system", first), *messages[count:]]


def iterate_messages_with_media_after_results(messages: Iterable[Message]) -> Iterator[Message]:
    """Move the media in tool results to a user message, and leave a numbered label for each.

    If a message has results and other content, the media stay in their place in that content.
    """
    waiting = list[Text | Other]()
    count = 0
    for message in messages:
        if waiting and not message.results:
            yield Message("user", tuple(waiting))
            waiting = []
        has_content = len(message.results) < len(message.parts)
        parts = list[Part]()
        for part in message.parts:
            if not isinstance(part, ToolResult):
                parts += [*waiting, part]
                waiting = []
                continue
            texts = list[Text | Other]()
            for inner in part.parts:
                if isinstance(inner, Other):
                    count += 1
                    noun = _NOUNS.get(inner.kind, inner.kind)
                    label = Text(f"[{noun} {count} of the results]")
                    waiting += [label, inner]
                    texts.append(label)
                else:
                    texts.append(inner)
            parts.append(replace(part, parts=tuple(texts)))
        if has_content:
            parts += waiting
            waiting = []
        yield replace(message, parts=tuple(parts))
    if waiting:
        yield Message("user", tuple(waiting))
