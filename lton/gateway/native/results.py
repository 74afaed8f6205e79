"""`--results lton`: what tools gave back, in LTON where that is shorter than the JSON.

What is written depends on the text of the result alone: so the same bytes stand in every later
request, and a cache of the prompt holds.
"""

from collections.abc import Mapping
from typing import Any

from lton._json import read_json
from lton.chat.writing import write_answer
from lton.errors import LTONError
from lton.gateway.native.strict import ApiName

MAX_RESULT = 1024 * 1024
"""Characters of a result that is looked at."""
_HEAD = "!result x "
_TEXTS = ("text", "input_text")


def shortened(text: str) -> str:
    """Get a result in LTON if it is JSON that LTON says in fewer characters; else as it is.

    >>> shortened('[{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bo"}]')
    '[(id name)1 Ada;2 Bo]'
    >>> shortened("It is cold."), shortened("{}")
    ('It is cold.', '{}')
    """
    if not text.lstrip().startswith(("{", "[")) or len(text) > MAX_RESULT:
        return text
    try:
        written = write_answer("x", read_json(text)).removeprefix(_HEAD)
    except (LTONError, ValueError, RecursionError):
        return text
    return written if len(written) < len(text) else text


def with_short_results(body: Mapping[str, Any], api: ApiName) -> Mapping[str, Any]:
    """Get a body whose results are shortened; the same one if none is."""
    key = "input" if api == "responses" else "messages"
    given = body.get(key)
    if not isinstance(given, list):
        return body
    made = [_message(each, api) for each in given]
    return body if made == given else {**body, key: made}


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
        return shortened(content)
    return [_part(each) for each in content] if isinstance(content, list) else content


def _part(part: Any) -> Any:
    match part:
        case {"type": kind, "text": str(text)} if kind in _TEXTS:
            return {**part, "text": shortened(text)}
    return part
