"""What of a chat is text that a model reads, when no template says how it is written down.

Messages are those of OpenAI's and Anthropic's interfaces.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

PER_MESSAGE = 4
"""Tokens around a message beside its role: ChatML (`<|im_start|>`, newline, `<|im_end|>`, newline)
and Llama 3 (two for the header, a newline pair, `<|eot_id|>`) both have four."""
PER_REPLY = 3
"""Tokens that begin the answer: OpenAI's own figure; ChatML and Llama 3 also have three or four."""


def message_texts(message: Mapping[str, Any]) -> Iterator[str]:
    """Get the texts of a message: its role, its name, its content, and its tool calls.

    >>> list(message_texts({"role": "user", "content": [{"type": "text", "text": "Hi"}]}))
    ['user', 'Hi']
    """
    for key in ("role", "name"):
        if isinstance(text := message.get(key), str):
            yield text
    yield from content_texts(message.get("content"))
    for call in message.get("tool_calls") or ():
        match call:
            case {"function": {"name": name, **rest}} | {"name": name, **rest}:
                yield from _call_texts(name, rest.get("arguments"))
            case _:
                yield minified(call)


def content_texts(content: Any) -> Iterator[str]:
    """Get the texts of a content: a string, or a list of parts. Images have none."""
    match content:
        case str():
            yield content
        case list() | tuple():
            for part in content:
                yield from content_texts(part)
        case {"text": str(text)}:
            yield text
        case {"type": "tool_use", "name": name, **rest}:
            yield from _call_texts(name, rest.get("input"))
        case {"type": "tool_result", **rest}:
            yield from content_texts(rest.get("content"))


def _call_texts(name: Any, arguments: Any) -> Iterator[str]:
    if isinstance(name, str):
        yield name
    if arguments is not None:
        yield arguments if isinstance(arguments, str) else minified(arguments)


def minified(value: Any) -> str:
    """Get JSON without spaces, as APIs carry it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=str)
