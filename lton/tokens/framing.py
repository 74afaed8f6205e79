"""What a chat template adds to its messages, for when nobody applies the template.

An estimate: templates are a model's own, and some add a system prompt of thirty tokens.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

PER_MESSAGE = 5
"""Tokens around a message, its role among them: five in ChatML, Llama 3 and Gemma."""
REPLY = 3
"""Tokens that open the answer: `<|im_start|>`, `assistant`, a newline."""


def estimate_messages(
    count: Callable[[list[str]], int],
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] = (),
) -> int:
    """Get the tokens of a conversation, where `count` counts those of texts.

    >>> estimate_messages(lambda texts: len("".join(texts)), [{"role": "user", "content": "hi"}])
    10
    """
    texts = [text for message in messages for text in _texts(message)]
    around = PER_MESSAGE * len(messages) + REPLY
    return count(texts) + around + estimate_tools(count, tools)


def estimate_tools(count: Callable[[list[str]], int], tools: Sequence[Mapping[str, Any]]) -> int:
    """Get the tokens of tool definitions, taken for the JSON that most templates make of them."""
    return count([_minified(tool) for tool in tools])


def _texts(message: Mapping[str, Any]) -> Iterator[str]:
    content = message.get("content")
    for part in content if isinstance(content, list) else [content]:
        text = part.get("text") if isinstance(part, Mapping) else part
        if isinstance(text, str):
            yield text
        elif part is not None:
            yield _minified(part)
    if message.get("tool_calls"):
        yield _minified(message["tool_calls"])


def _minified(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=str)
