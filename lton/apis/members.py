"""Members of what a server sent, where one may have another type than its API says."""

import json
from collections.abc import Mapping
from typing import Any

from lton._json import minified
from lton.errors import ConversionError


def read_object(text: str | bytes) -> dict[str, Any]:
    """Return an object in JSON that a server sent. Raises `ConversionError` for what is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ConversionError("the upstream sent what is no JSON object")
    return found


def object_in(holder: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return a member that is an object; an empty one if it is none."""
    found = holder.get(key)
    return found if isinstance(found, dict) else {}


def list_in(holder: Mapping[str, Any], key: str) -> list[Any]:
    """Return a member that is a list; an empty one if it is none."""
    found = holder.get(key)
    return found if isinstance(found, list) else []


def as_text(value: Any) -> str:
    """Return a text; what is none as its JSON. Some servers send arguments as an object.

    >>> as_text('{"a": 1}'), as_text({"a": 1}), as_text(None)
    ('{"a": 1}', '{"a":1}', '')
    """
    if isinstance(value, str):
        return value
    return "" if value is None else minified(value)
