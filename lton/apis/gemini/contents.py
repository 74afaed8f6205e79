"""Convert messages from and to the contents of Gemini's API.

Calls of this API need no ids: a result belongs to the first call of its name that has none yet.
Such calls get ids that depend only on their place, and that are not written back.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, TypeAlias

from lton._json import minified
from lton.apis.json_members import list_in
from lton.apis.media import Media, find_media
from lton.chat import Message, Part, Text, Thought, ToolCall, ToolResult
from lton.chat.records import Other, Role, make_mismatch_error

_SIGNATURE = "thoughtSignature"  # the server's own note on a part, which it wants back
_OWN_ID = "gemini_call_"
_UNKNOWN = "unknown"  # the name of a result whose call is not in the conversation
_Ids: TypeAlias = OrderedDict[str, None]
_RESPONSES = ("output", "result")  # members of a result with its text


def find_in_either_case(holder: Mapping[str, Any], name: str) -> Any:
    """Return a member by its name in camel case or, as Google also reads it, in snake case."""
    if name in holder:
        return holder[name]
    return holder.get(
        "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    )


# --- reading --------------------------------------------------------------------------------------


def try_read_messages(value: Mapping[str, Any]) -> Iterator[Message] | None:
    """Return the messages in a Gemini request or response, or None for any other value.

    Iterating raises `ConversionError` for a content without parts.
    """
    match value:
        case {"contents": [*contents]}:
            instruction = find_in_either_case(value, "systemInstruction")
            system = (
                replace(_read_content(content), role="system")
                for content in [instruction]
                if content
            )
            return chain(system, _iterate_with_ids(map(_read_content, contents)))
        case {"candidates": [*candidates]}:
            with_content = (
                candidate
                for candidate in candidates
                if isinstance(candidate, Mapping) and "content" in candidate
            )
            return (_read_content(content["content"]) for content in with_content)
    return None


def _read_content(content: Any) -> Message:
    match content:
        case {"parts": [*members]}:
            parts = tuple(part for member in members for part in _iterate_parts_in(member))
            return Message(_role_of(content, parts), parts, api="gemini")
    raise make_mismatch_error("a content with parts", content)


def _role_of(content: Mapping[str, Any], parts: tuple[Part, ...]) -> Role:
    if content.get("role") == "model":
        return "assistant"
    are_results = bool(parts) and all(isinstance(part, ToolResult) for part in parts)
    return "tool" if are_results else "user"


def _iterate_parts_in(part: Any) -> Iterator[Part]:
    match part:
        case {"functionCall": function} | {"function_call": function} if _is_named(function):
            extra = _signature_of(part)
            yield ToolCall(
                function["name"], function.get("args") or {}, function.get("id"), extra=extra
            )
        case {"functionResponse": function} | {"function_response": function} if _is_named(
            function
        ):
            yield _read_result(function)
        case {"functionCall": function} | {"functionResponse": function}:
            raise make_mismatch_error("the name of a function", function)
        case {"text": str(text), "thought": True}:
            yield Thought(text, _signature_of(part))
        case {"text": str(text)}:
            yield Text(text, _signature_of(part))
        case {"inlineData": Mapping() as data} | {"inline_data": Mapping() as data}:
            yield Other(_find_media(data) or part)
        case Mapping():
            yield Other(part)


def _signature_of(part: Mapping[str, Any]) -> dict[str, Any]:
    signature = find_in_either_case(part, _SIGNATURE)
    return {_SIGNATURE: signature} if signature else {}


def _read_result(function: Mapping[str, Any]) -> ToolResult:
    text, is_error = _read_text_and_error_flag(function.get("response"))
    media = [
        part
        for member in list_in(function, "parts")
        for part in _iterate_parts_in(member)
        if isinstance(part, Other)
    ]
    return ToolResult(
        (Text(text), *media),
        function.get("id"),
        function["name"],
        is_error=is_error,
        extra={"response": function.get("response")},
    )


def _read_text_and_error_flag(response: Any) -> tuple[str, bool]:
    """Return the text of a result, and whether it is an error."""
    if isinstance(response, Mapping) and len(response) == 1:
        ((key, text),) = response.items()
        if isinstance(text, str) and key in (*_RESPONSES, "error"):
            return text, key == "error"
    return minified(response), False


def _find_media(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return inline data as a part of chat completions, or None for an unknown kind."""
    kind = find_in_either_case(data, "mimeType")
    encoded = data.get("data")
    if not (isinstance(kind, str) and isinstance(encoded, str)):
        return None
    url = f"data:{kind};base64,{encoded}"
    family, _, name = kind.partition("/")
    if family == "image":
        return {"type": "image_url", "image_url": {"url": url}}
    if family == "audio":
        return {"type": "input_audio", "input_audio": {"data": encoded, "format": name}}
    if family in ("text", "application"):
        return {"type": "file", "file": {"filename": f"document.{name}", "file_data": url}}
    return None


def _is_named(function: Any) -> bool:
    return isinstance(function, Mapping) and isinstance(function.get("name"), str)


def _iterate_with_ids(messages: Iterable[Message]) -> Iterator[Message]:
    """Give ids to the calls and results that have none."""
    waiting = defaultdict[str, _Ids](_Ids)  # the ids of calls without results, by name
    count = 0
    for message in messages:
        parts = list[Part]()
        for part in message.parts:
            new_part = part
            if isinstance(part, ToolCall):
                count += 1
                new_part = replace(part, id=part.id or f"{_OWN_ID}{count}")
                waiting[part.name][str(new_part.id)] = None
            elif isinstance(part, ToolResult):
                open_calls = waiting[str(part.name)]
                if part.call_id:
                    open_calls.pop(part.call_id, None)
                elif open_calls:
                    new_part = replace(part, call_id=open_calls.popitem(last=False)[0])
            parts.append(new_part)
        yield replace(message, parts=tuple(parts))


def read_turn(parts: Iterable[Any], ids: Iterable[str]) -> tuple[Message, ...]:
    """Return a model's turn as a message. Calls without an id get the next of the given ids."""
    message = _read_content({"role": "model", "parts": [*parts]})
    waiting = iter(ids)
    new_parts = list[Part]()
    for part in message.parts:
        if isinstance(part, ToolCall):
            call_id = next(waiting, None)
            new_parts.append(replace(part, id=part.id or call_id))
        else:
            new_parts.append(part)
    return (replace(message, parts=tuple(new_parts)),)


# --- writing --------------------------------------------------------------------------------------


def write_conversation(messages: Iterable[Message]) -> dict[str, Any]:
    """Return the members of a request with its system prompt and its contents."""
    names = dict[str, str]()  # of the tools, by the ids of calls
    system = list[dict[str, Any]]()
    contents = list[dict[str, Any]]()
    for message in messages:
        names.update((str(call.id), call.name) for call in message.calls)
        parts = [_write_part(part, names) for part in message.parts]
        if message.role in ("system", "developer") and not contents:
            system += parts
        else:
            _add_content(contents, "model" if message.role == "assistant" else "user", parts)
    prompt = {"systemInstruction": {"parts": system}} if system else {}
    return {**prompt, "contents": contents}


def _add_content(contents: list[dict[str, Any]], role: str, parts: list[dict[str, Any]]) -> None:
    """Add parts of a role, to the last content if it has the role: results of a turn are one."""
    if contents and contents[-1]["role"] == role:
        contents[-1]["parts"] += parts
    elif parts:
        contents.append({"role": role, "parts": parts})


def _write_part(part: Part, names: Mapping[str, str]) -> dict[str, Any]:
    match part:
        case Text(text, extra):
            return {"text": text, **_signature_of(extra)}
        case Thought(text, extra):
            return {"text": text, "thought": True, **_signature_of(extra)}
        case ToolCall():
            call = {"name": part.name, "args": _write_arguments(part)}
            return {"functionCall": _write_id(part.id) | call, **_signature_of(part.extra)}
        case ToolResult():
            name = part.name or names.get(str(part.call_id), _UNKNOWN)
            result = {"name": name, "response": _write_response(part)}
            media_parts = [_write_part(one, names) for one in part.parts if isinstance(one, Other)]
            if media_parts:
                result["parts"] = media_parts
            return {"functionResponse": _write_id(part.call_id) | result}
    media = find_media(part.value)
    media_part = try_write_media(media) if media else None
    return media_part or part.value


def _write_arguments(call: ToolCall) -> Any:
    arguments = call.arguments
    return {"input": arguments} if isinstance(arguments, str) else arguments


def _write_id(call_id: str | None) -> dict[str, Any]:
    return {"id": call_id} if call_id and not call_id.startswith(_OWN_ID) else {}


def _write_response(result: ToolResult) -> Any:
    text = result.text
    original = result.extra.get("response")
    if isinstance(original, Mapping) and _read_text_and_error_flag(original) == (
        text,
        result.is_error,
    ):
        return original
    return {"error" if result.is_error else "output": text}


def try_write_media(media: Media) -> dict[str, Any] | None:
    """Write an image, document or sound; return None without its data."""
    if media.sound:
        sound = media.sound if isinstance(media.sound, dict) else {}
        return _try_write_data(f"audio/{sound.get('format', 'wav')}", sound.get("data"))
    head, comma, data = media.url.partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        return None
    return _try_write_data(head.removeprefix("data:").removesuffix(";base64"), data)


def _try_write_data(kind: str, data: Any) -> dict[str, Any] | None:
    return {"inlineData": {"mimeType": kind, "data": data}} if isinstance(data, str) else None
