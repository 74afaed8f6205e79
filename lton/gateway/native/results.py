"""`--results`: a request whose results are written for its model.

What is written of a result depends on its text alone, and on those before it: so the same bytes
stand in every later request, and a cache of the prompt holds.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from lton.chat import Text, ToolResult
from lton.chat.results import short_result
from lton.gateway.native.strict import ApiName
from lton.transcript.first_sight import SeenLines, alone
from lton.transcript.pointers import told_apart
from lton.transcript.turns import is_error

ResultsForm: TypeAlias = Literal["short", "lton", "as-is"]
"""Short at first sight, all JSON in LTON (tables too), or as they came."""
RESULTS: tuple[ResultsForm, ...] = ("short", "lton", "as-is")
_TEXTS = ("text", "input_text")
_Write: TypeAlias = Callable[[str], str]


def with_short_results(
    body: Mapping[str, Any], api: ApiName, form: ResultsForm = "lton"
) -> Mapping[str, Any]:
    """Get a body whose results are shortened; the same one if none is."""
    key = "input" if api == "responses" else "messages"
    given = body.get(key)
    if form == "as-is" or not isinstance(given, list):
        return body
    write = _at_first_sight() if form == "short" else short_result
    said = [_message(each, api, write) for each in given]
    return body if said == given else {**body, key: said}


def _at_first_sight() -> _Write:
    """Get what writes the results of a conversation in their order; errors stay as they are."""
    seen = SeenLines()

    def write(text: str) -> str:
        if is_error(ToolResult((Text(text),))):
            return text
        short = alone(text)
        return seen.shown(short if len(short) < len(text) else told_apart(text))

    return write


def _message(message: Any, api: ApiName, write: _Write) -> Any:
    match message, api:
        case {"role": "tool", "content": content}, "chat":
            return {**message, "content": _content(content, write)}
        case {"type": "function_call_output", "output": output}, "responses":
            return {**message, "output": _content(output, write)}
        case {"role": "user", "content": [*blocks]}, "messages":
            return {**message, "content": [_block(each, write) for each in blocks]}
    return message


def _block(block: Any, write: _Write) -> Any:
    match block:
        case {"type": "tool_result", "is_error": True}:
            return block
        case {"type": "tool_result", "content": content}:
            return {**block, "content": _content(content, write)}
    return block


def _content(content: Any, write: _Write) -> Any:
    if isinstance(content, str):
        return write(content)
    return [_part(each, write) for each in content] if isinstance(content, list) else content


def _part(part: Any, write: _Write) -> Any:
    match part:
        case {"type": kind, "text": str(text)} if kind in _TEXTS:
            return {**part, "text": write(text)}
    return part
