"""What tools gave back, in messages as the three APIs have them: where it stands, and in LTON."""

import json
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

from lton._json import read_json
from lton.chat.writing import write_answer
from lton.errors import LTONError

ChangeResult: TypeAlias = Callable[[str, str], str]
"""Gets the text of a result, and the id of the call that it answers."""
MAX_RESULT = 1024 * 1024
"""Characters of a result that is looked at."""
_HEAD = "!result r "
_TEXTS = ("text", "input_text")


def to_lton(text: str) -> str:
    """Get the text of an array or an object of JSON in LTON if that is shorter, else the text.

    What LTON would change stays: a number of too many digits, a key twice.

    >>> to_lton('[{"a": "b c"}]'), to_lton("done"), to_lton("[]")
    ('[{a "b c"}]', 'done', '[]')
    """
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        short = write_answer("r", exact_json(text)).removeprefix(_HEAD)
    except (LTONError, ValueError, RecursionError):
        return text
    return min(text, short, key=len)


def short_result(text: str, call: str = "") -> str:
    """Get a result in LTON where that is shorter, if it is not too long to be looked at."""
    del call
    return to_lton(text) if len(text) <= MAX_RESULT else text


def exact_json(text: str) -> Any:
    """Get the value of JSON that no number loses a digit of; raises `ValueError` for any other."""
    value = read_json(text)
    try:
        json.loads(text, parse_float=_exact)
    except InvalidOperation:  # an exponent of more than 18 digits
        raise ValueError("more digits than a number has") from None
    return value


def _exact(digits: str) -> float:
    value = float(digits)
    if Decimal(repr(value)) != Decimal(digits):
        raise ValueError("more digits than a number has")
    return value


def with_results(messages: Sequence[Any], change: ChangeResult) -> list[Any]:
    """Get messages, or the items of a response's input, whose results are changed.

    What `change` makes of a result may depend on its text alone: so the same bytes stand in every
    later request, and a cache of the prompt holds.

    >>> with_results([{"role": "tool", "tool_call_id": "c", "content": "[1, 2]"}], str.__add__)
    [{'role': 'tool', 'tool_call_id': 'c', 'content': '[1, 2]c'}]
    """
    return [_message(each, change) for each in messages]


def _message(message: Any, change: ChangeResult) -> Any:
    match message:
        case {"role": "tool", "content": content}:
            return {**message, "content": _content(content, message.get("tool_call_id"), change)}
        case {"type": "function_call_output", "output": output}:
            return {**message, "output": _content(output, message.get("call_id"), change)}
        case {"role": "user", "content": [*blocks]}:
            return {**message, "content": [_block(each, change) for each in blocks]}
    return message


def _block(block: Any, change: ChangeResult) -> Any:
    match block:
        case {"type": "tool_result", "content": content}:
            return {**block, "content": _content(content, block.get("tool_use_id"), change)}
    return block


def _content(content: Any, call: Any, change: ChangeResult) -> Any:
    if isinstance(content, str):
        return change(content, str(call))
    if not isinstance(content, list):
        return content
    return [_part(each, str(call), change) for each in content]


def _part(part: Any, call: str, change: ChangeResult) -> Any:
    match part:
        case {"type": kind, "text": str(text)} if kind in _TEXTS:
            return {**part, "text": change(text, call)}
    return part
