"""Images and documents, as each of three APIs has them: a message goes to any of them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from lton.chat import Message, Other, Part, Text, Thought, ToolCall, ToolResult
from lton.gateway.apis.parts import found_tool
from lton.gateway.apis.protocol import RefusedError
from lton.gateway.native.strict import ApiName
from lton.transcript.turns import is_error

_API_OF = {"chat": "openai", "responses": "responses", "messages": "anthropic"}
_TEXTS = ("text", "input_text", "output_text")


def message_for(message: Message, api: ApiName) -> Message:
    """Get a message whose parts an API can say. Raises `RefusedError` for one that it cannot.

    >>> url = {"type": "input_image", "image_url": "http://a/b"}
    >>> message_for(Message("user", (Other(url),)), "messages").parts[0].value
    {'type': 'image', 'source': {'type': 'url', 'url': 'http://a/b'}}
    """
    if message.api == _API_OF[api]:
        return message
    parts = tuple(_part(part, api) for part in message.parts if is_said(part, api))
    role = "system" if message.role == "developer" and api == "chat" else message.role
    return replace(message, role=role, parts=parts, api=None, extra={})


def is_said(part: Part, api: ApiName) -> bool:
    """Say whether a part is said in an API that is not its own.

    Thoughts are said in chat alone, and none that its own API has signed or hidden.
    """
    if not isinstance(part, Thought):
        return True
    is_signed = bool(part.extra.get("signature") or part.extra.get("encrypted_content"))
    return api == "chat" and bool(part.text) and not is_signed


def _part(part: Part, api: ApiName) -> Part:
    match part:
        case Text(text, {"type": kind}) if kind in _TEXTS:
            return Text(text)
        case ToolResult():
            parts = tuple(_content(each, api) for each in part.parts)
            found = replace(part, parts=parts, extra={})
            return found if api == "messages" else _error_as_text(found)
        case Other():
            return _content(part, api)
        case ToolCall() | Text() | Thought():
            return replace(part, extra={})


def _error_as_text(result: ToolResult) -> ToolResult:
    """Get a result for an API without `is_error`: one that does not look like an error says so."""
    if not result.is_error or is_error(replace(result, is_error=False)):
        return result
    match result.parts:
        case (Text(text), *others):
            return replace(result, parts=(Text(f"error: {text}"), *others))
    return replace(result, parts=(Text("error: "), *result.parts))


def _content(part: Text | Other, api: ApiName) -> Text | Other:
    if isinstance(part, Text):
        return Text(part.text)
    if part.kind == "tool_reference":
        return found_tool(str(part.value.get("tool_name")))
    found = _media(part.value)
    if found is None:
        words = f"a part of the kind {part.kind!r} is not what the upstream's API ({api}) can say: "
        words += "use a server that has the API of this client"
        raise RefusedError(400, words, param="messages", code="unsupported_parameter")
    kind, url, name = found
    return Other(_written(kind, url, name, api))


def _media(value: Any) -> tuple[str, str, str] | None:
    """Get the kind of an image or a document, its URL, which may hold all of it, and its name."""
    match value:
        case {"type": "image_url", "image_url": {"url": str(url)}} | {
            "type": "input_image",
            "image_url": str(url),
        }:
            return "image", url, ""
        case {"type": "file", "file": {"file_data": str(url), **more}} | {
            "type": "input_file",
            "file_data": str(url),
            **more,
        }:
            return "document", url, str(more.get("filename", ""))
        case {"type": "image" | "document" as kind, "source": {"type": "url", "url": str(url)}}:
            return kind, url, str(value.get("title") or "")
        case {
            "type": "image" | "document" as kind,
            "source": {"type": "base64", "media_type": str(media), "data": str(data)},
        }:
            return kind, f"data:{media};base64,{data}", str(value.get("title") or "")
    return None


def _written(kind: str, url: str, name: str, api: ApiName) -> dict[str, Any]:
    if api == "messages":
        return {"type": kind, "source": _source(url)}
    if kind == "image":
        if api == "chat":
            return {"type": "image_url", "image_url": {"url": url}}
        return {"type": "input_image", "image_url": url}
    file = {"filename": name or "document.pdf", "file_data": url}
    return {"type": "file", "file": file} if api == "chat" else {"type": "input_file", **file}


def _source(url: str) -> dict[str, Any]:
    head, comma, data = url.partition(",")
    if not (comma and head.startswith("data:") and head.endswith(";base64")):
        return {"type": "url", "url": url}
    return {"type": "base64", "media_type": head[5:-7], "data": data}


def one_system_prompt(messages: list[Message]) -> list[Message]:
    """Get messages whose first ones, if they are the system's, are one: templates take no more."""
    count = next((n for n, each in enumerate(messages) if each.role != "system"), len(messages))
    if count < 2:
        return messages
    first = "\n\n".join(each.text for each in messages[:count])
    return [Message.saying("system", first), *messages[count:]]


def results_apart(messages: list[Message]) -> Iterator[Message]:
    """Get messages whose results are text: images in them follow the results, from the user."""
    waiting: list[Other] = []
    for message in messages:
        if waiting and not message.results:
            yield Message("user", tuple(waiting))
            waiting = []
        parts = list[Part]()
        for part in message.parts:
            if isinstance(part, ToolResult):
                waiting += [each for each in part.parts if isinstance(each, Other)]
                texts = tuple(each for each in part.parts if isinstance(each, Text))
                parts.append(replace(part, parts=texts))
            else:
                parts.append(part)
        yield replace(message, parts=tuple(parts))
    if waiting:
        yield Message("user", tuple(waiting))
