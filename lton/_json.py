"""JSON as strictly as it can be read, and as short as it can be written."""

import json
from collections.abc import Sequence
from typing import Any, NoReturn


def read_json(text: str) -> Any:
    """Get the value of a text in JSON as RFC 8259 has it, each key once; else `ValueError`.

    >>> read_json('{"a": [1, 1.0]}')
    {'a': [1, 1.0]}
    >>> read_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: a key twice
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deep") from None


def fault_of(error: ValueError) -> str:
    """Get why a line is no JSON, with the column alone: who asks knows which line it is.

    >>> try:
    ...     read_json('{"a" 1}')
    ... except ValueError as error:
    ...     print(fault_of(error))
    Expecting ':' delimiter (column 6)
    """
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} (column {error.pos + 1})"
    return str(error)


def read_value(text: str) -> Any:
    """Get what a tool's answer says: the value of JSON; other text is itself.

    >>> read_value("[1]"), read_value("done"), read_value('{"a": 1, "a": 2}')
    ([1], 'done', '{"a": 1, "a": 2}')
    """
    try:
        return read_json(text)
    except ValueError:
        return text


def minified(value: object) -> str:
    """Get a value as the shortest JSON, as APIs carry it; what JSON has not, as its `str`.

    >>> minified({"city": "Zürich", "days": [1, 2]})
    '{"city":"Zürich","days":[1,2]}'
    """
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=str)


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
