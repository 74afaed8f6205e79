"""Convert return values of functions to JSON."""

import base64
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from enum import Enum
from math import isfinite
from typing import Any

from lton._syntax import FORBIDDEN, LEAST_INTEGER, MAX_DEPTH, MOST_INTEGER
from lton.schema.types import JSON


def as_json(value: object) -> JSON:
    """Convert any value to JSON. A value of an unknown type becomes `str(value)`.

    Dates and times become ISO 8601 strings, durations become seconds, bytes become UTF-8 text or
    base64, and enumerations become their values. Dataclasses, named tuples and pydantic models
    (objects with `model_dump`) become objects. NumPy arrays and scalars (objects with `tolist`)
    become lists and numbers. Tuples, sets (sorted) and other iterables become lists. NaN,
    infinities, keys that are not strings, and values nested deeper than 64 become strings.
    Forbidden characters become U+FFFD.

    >>> from datetime import datetime
    >>> as_json({"at": datetime(2026, 11, 22), "data": b"x", 5: {2, 1}, "path": complex(1, 2)})
    {'at': '2026-11-22T00:00:00', 'data': 'x', '5': [1, 2], 'path': '(1+2j)'}
    """
    return _to_json(value, 0)


def _to_json(value: Any, depth: int) -> JSON:  # noqa: PLR0911 - a table
    match value:
        case None | bool():
            return value
        case Enum():
            return _to_json(value.value, depth)
        case str():
            return FORBIDDEN.sub("\ufffd", str.__str__(value))
        case int():
            return int(value) if LEAST_INTEGER <= value <= MOST_INTEGER else hex(value)
        case float():
            return float(value) if isfinite(value) else str(value)
        case bytes() | bytearray() | memoryview():
            return _text_of_bytes(bytes(value))
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
    return str(value) if depth >= MAX_DEPTH else _group_to_json(value, depth + 1)


def _group_to_json(value: Any, depth: int) -> JSON:
    if isinstance(value, type):
        return value.__name__
    for is_plain, plain in _PLAIN:
        if is_plain(value):
            value = plain(value)
            break
    if isinstance(value, Mapping):
        return {str(_to_json(key, MAX_DEPTH)): _to_json(item, depth) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [_to_json(item, depth) for item in value]
    return _to_json(value if isinstance(value, _SIMPLE) else str(value), depth)


_SIMPLE = (bool, int, float, str, bytes, type(None))
_PLAIN: tuple[tuple[Callable[[Any], bool], Callable[[Any], Any]], ...] = (
    (lambda value: hasattr(value, "model_dump"), lambda value: value.model_dump(mode="json")),
    (is_dataclass, lambda value: {f.name: getattr(value, f.name) for f in fields(value)}),
    (lambda value: hasattr(value, "_asdict"), lambda value: value._asdict()),
    (lambda value: hasattr(value, "tolist"), lambda value: value.tolist()),
    (lambda value: isinstance(value, AbstractSet), lambda value: sorted(value, key=repr)),
)  # the methods that unpack objects of other libraries


def _text_of_bytes(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return base64.b64encode(data).decode()
    return base64.b64encode(data).decode() if FORBIDDEN.search(text) else text
