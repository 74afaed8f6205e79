"""What a tool gave back, as a model is shown it: the one place that decides its form.

The form depends on the text of the result alone. So the same bytes stand in every later request,
and a cache of the prompt holds.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeAlias

from lton._json import minified, read_json
from lton._syntax import STEERING_LINES
from lton.codec import encode
from lton.errors import LTONError
from lton.schema.types import Result

MAX_RESULT = 1024 * 1024
"""Characters of a result that is looked at."""
_MOST_CELLS = 6
"""Of a record: in rows of 5 columns models look values up, in rows of 12 hardly."""
_HEAD = "!result x "
_TEXTS = ("text", "input_text")
_MATCHED = frozenset(
    "old oldtext oldstring oldstr oldcontent newtext newstring newstr edits edit patch diff replace"
    " replacement replacements replacewith insertline".split()
)
"""Names of parameters that take text to be matched or put in its place."""
_WRITTEN = frozenset("content contents text data filetext filecontent body source code".split())
PLACES = frozenset("path paths filepath file filename files absolutepath targetfile".split())
"""Names of parameters that say where a text is written, and where a file is."""
ChangeResult: TypeAlias = Callable[[str, str], str]
"""Gets the text of a result, and the id of the call that it answers."""


def short_result(text: str) -> str:
    r"""Get the text of a result in the form that models read best for its length.

    Records with the same keys, two or more in an array and at most six cells, are a table on lines
    (R-317), which models read about as well as minified JSON for half the tokens
    (`docs/results/readings.md`). Other arrays and objects are minified JSON, which models read
    better; so are texts that have a character which steers a terminal by its escape alone. What is
    no shorter stays as it came, and so does a text that is no JSON, is larger
    than 1 MiB, or has what LTON would change (a number that it spells otherwise, a key twice).

    >>> print(short_result('[{"name": "Ada", "id": 1}, {"name": "Bo", "id": 2}]'))
    [2(name id)
    Ada 1
    Bo 2]
    >>> short_result("It is cold."), short_result('{"x": 1}')
    ('It is cold.', '{"x":1}')
    """
    if not text.lstrip().startswith(("{", "[")) or len(text) > MAX_RESULT:
        return text
    try:
        value = exact_json(text)
        short = encode(Result("x", value), lines=True).removeprefix(_HEAD)
    except (LTONError, ValueError, RecursionError):
        return text
    found = short if _are_records(value) else minified(value)
    if STEERING_LINES.search(found) and not STEERING_LINES.search(text):
        found = STEERING_LINES.sub(lambda sign: f"\\u{ord(sign[0]):04x}", minified(value))
    return min(text, found, key=len)


def takes_exact_text(parameters: Collection[str]) -> bool:
    """Return whether a tool takes text of what it has shown: to match it, or to write it again.

    Its parameters are named as `plain_names` has them.

    >>> takes_exact_text(plain_names(["path", "old_string"])), takes_exact_text({"query"})
    (True, False)
    """
    names = frozenset(parameters)
    return bool(names & _MATCHED or (names & _WRITTEN and names & PLACES))


def plain_names(names: Iterable[str]) -> frozenset[str]:
    """Return names in small letters, without signs: `oldText` and `old_text` are one."""
    return frozenset(re.sub("[^a-z]", "", name.lower()) for name in names)


def _are_records(value: Any) -> bool:
    """Say whether all are objects of the same keys: what was measured."""
    if not isinstance(value, list) or len(value) < 2 or not isinstance(value[0], dict):
        return False
    keys = value[0].keys()
    return 0 < _width(value[0]) <= _MOST_CELLS and all(
        isinstance(row, dict) and row.keys() == keys for row in value
    )


def _width(cell: Any) -> int:
    """Get how many cells a record has: an object in it has a column for each of its own."""
    return sum(map(_width, cell.values())) if isinstance(cell, dict) else 1


def exact_json(text: str) -> Any:
    """Return the value of JSON whose numbers LTON and JSON write as they stand; else `ValueError`.

    So no digit is lost, and no spelling changes.

    >>> exact_json("[1.5, 10]")
    [1.5, 10]
    >>> exact_json("[1.50]")
    Traceback (most recent call last):
    ValueError: expected a number in its shortest form, found '1.50'
    """
    value = read_json(text)
    json.loads(text, parse_float=_exact, parse_int=_exact_integer)
    return value


def exact_value(text: str) -> Any:
    """Return the value of JSON that LTON writes as it stands; other text is itself.

    >>> exact_value("[1]"), exact_value("done"), exact_value("1.50")
    ([1], 'done', '1.50')
    """
    try:
        return exact_json(text)
    except ValueError:
        return text


def _exact(digits: str) -> float:
    value = float(digits)
    if repr(value) != digits or "e" in digits:  # LTON and Python write exponents differently
        raise ValueError(f"expected a number in its shortest form, found {digits[:40]!r}")
    return value


def _exact_integer(digits: str) -> int:
    if digits == "-0":
        raise ValueError("expected a number in its shortest form, found '-0'")
    return int(digits)


def with_results(
    messages: Sequence[Any], change: ChangeResult, *, errors: bool = True
) -> list[Any]:
    """Get messages, or the items of a response's input, whose results are changed.

    What `change` makes of a result may depend on its text, and on the results before it: so the
    same bytes stand in every later request, and a cache of the prompt holds. Without `errors`
    those stay that Anthropic's API marks as errors.

    >>> with_results([{"role": "tool", "tool_call_id": "c", "content": "[1, 2]"}], str.__add__)
    [{'role': 'tool', 'tool_call_id': 'c', 'content': '[1, 2]c'}]
    """
    return [_message(each, change, errors) for each in messages]


def _message(message: Any, change: ChangeResult, errors: bool) -> Any:
    match message:
        case {"role": "tool", "content": content}:
            return {**message, "content": _content(content, message.get("tool_call_id"), change)}
        case {"type": "function_call_output", "output": output}:
            return {**message, "output": _content(output, message.get("call_id"), change)}
        case {"role": "user", "content": [*blocks]}:
            return {**message, "content": [_block(each, change, errors) for each in blocks]}
    return message


def _block(block: Any, change: ChangeResult, errors: bool) -> Any:
    match block:
        case {"type": "tool_result", "is_error": True} if not errors:
            return block
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
