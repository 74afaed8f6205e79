"""`--results lton`: a request whose results are written for its model (`lton.chat.results`)."""

from collections.abc import Mapping
from typing import Any

from lton.chat.results import short_result
from lton.gateway.native.strict import ApiName

_TEXTS = ("text", "input_text")


def with_short_results(body: Mapping[str, Any], api: ApiName) -> Mapping[str, Any]:
    """Get a body whose results are shortened; the same one if none is."""
    key = "input" if api == "responses" else "messages"
    given = body.get(key)
    if not isinstance(given, list):
        return body
    said = [_message(each, api) for each in given]
    return body if said == given else {**body, key: said}


def _message(message: Any, api: ApiName) -> Any:
    match message, api:
        case {"role": "tool", "content": content}, "chat":
            return {**message, "content": _content(content)}
        case {"type": "function_call_output", "output": output}, "responses":
            return {**message, "output": _content(output)}
        case {"role": "user", "content": [*blocks]}, "messages":
            return {**message, "content": [_block(each) for each in blocks]}
    return message


def _block(block: Any) -> Any:
    match block:
        case {"type": "tool_result", "content": content}:
            return {**block, "content": _content(content)}
    return block


def _content(content: Any) -> Any:
    if isinstance(content, str):
        return short_result(content)
    return [_part(each) for each in content] if isinstance(content, list) else content


def _part(part: Any) -> Any:
    match part:
        case {"type": kind, "text": str(text)} if kind in _TEXTS:
            return {**part, "text": short_result(text)}
    return part
