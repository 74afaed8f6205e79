"""Collect the strings in messages of OpenAI's and Anthropic's APIs, to count their tokens."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lton._json import minified
from lton.chat import Part, Text, ToolCall, ToolResult, read_blocks, read_call

PER_MESSAGE = 4
"""Tokens around a message and its role: ChatML (`<|im_start|>`, newline, `<|im_end|>`, newline) and
Llama 3 (two for the header, a newline pair, `<|eot_id|>`) both have four.
"""
PER_REPLY = 3
"""Tokens before the answer: OpenAI states this figure; ChatML and Llama 3 have three or four."""


def iterate_message_texts(message: Mapping[str, Any]) -> Iterator[str]:
    """Yield the strings in a message: its role, name, content and tool calls."""
    for key in ("role", "name"):
        text = message.get(key)
        if isinstance(text, str):
            yield text
    yield from iterate_content_texts(message.get("content"))
    for block in message.get("tool_calls") or ():
        call = read_call(block)
        yield from (minified(block),) if call is None else _iterate_texts_in_parts([call])


def iterate_content_texts(content: Any) -> Iterator[str]:
    """Yield the strings in the content of a message, without images and thoughts."""
    return _iterate_texts_in_parts(read_blocks(content))


def _iterate_texts_in_parts(parts: Iterable[Part]) -> Iterator[str]:
    for part in parts:
        match part:
            case Text(text):
                yield text
            case ToolCall(name, arguments):
                yield name
                if arguments is not None:
                    yield part.written
            case ToolResult(within):
                yield from _iterate_texts_in_parts(within)
