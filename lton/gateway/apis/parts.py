"""Parts of a message, as each of the three APIs has them: clients may use any."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lton.chat import Message, Other, Part, Text


def for_chat(message: Message) -> Message:
    """Get a message whose texts, images and files are those of chat completions.

    >>> image = Other({"type": "input_image", "image_url": "http://a/b", "detail": "low"})
    >>> for_chat(Message("user", (image,))).parts[0].value
    {'type': 'image_url', 'image_url': {'url': 'http://a/b', 'detail': 'low'}}
    """
    if message.api == "anthropic":
        message = _of_messages(message)
    if message.api == "responses":  # chat has no `id` or `type` there, and few servers a developer
        role = "system" if message.role == "developer" else message.role
        message = replace(message, role=role, extra={})
    return replace(message, parts=tuple(map(_chat_part, message.parts)), api=None)


def for_responses(message: Message) -> Message:
    """Get a message whose texts and images are those of responses."""
    return replace(message, parts=tuple(map(_responses_part, message.parts)), api=None)


def _of_messages(message: Message) -> Message:
    """Get a message of Anthropic's API without marks of its cache; its texts are one text."""
    parts: list[Part] = []
    for part in message.parts:
        match part, parts:
            case Text(text), [*_, Text(before)]:
                parts[-1] = Text(f"{before}\n{text}")
            case Text(text), _:
                parts.append(Text(text))
            case _:
                parts.append(part)
    return replace(message, parts=tuple(parts), extra={})


def _chat_part(part: Part) -> Part:  # noqa: PLR0911 - one a kind
    match part:
        case Text(text, {"type": "input_text" | "output_text"}):
            return Text(text)
        case Other({"type": "input_image", "image_url": str(url), **more}):
            detail = {"detail": more["detail"]} if more.get("detail") else {}
            return Other({"type": "image_url", "image_url": {"url": url, **detail}})
        case Other({"type": "input_file", **file}):
            return Other({"type": "file", "file": file})
        case Other({"type": "image", "source": {"type": "url", "url": str(url)}}):
            return Other({"type": "image_url", "image_url": {"url": url}})
        case Other({"type": "image", "source": dict(source)}):
            return Other({"type": "image_url", "image_url": {"url": _data_url(source)}})
        case Other({"type": "document", "source": {"type": "text", "data": str(text)}}):
            return Text(text)
        case Other({"type": "tool_reference", "tool_name": str(name)}):
            return found_tool(name)
        case Other({"type": "document", "source": {"type": "base64"} as source}):
            return Other({"type": "file", "file": {"file_data": _data_url(source)}})
    return part


def found_tool(name: str) -> Text:
    """Get the result of a search for tools, which only Anthropic's API has, as a text."""
    return Text(f"The tool {name} can be called now.")


def _responses_part(part: Part) -> Part:
    match part:
        case Text(text):
            return Text(text)
        case Other({"type": "image_url", "image_url": {"url": str(url)}}):
            return Other({"type": "input_image", "image_url": url})
    return part


def _data_url(source: Mapping[str, Any]) -> str:
    return f"data:{source.get('media_type')};base64,{source.get('data')}"
