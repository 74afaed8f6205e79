"""Members of what a server sent, where one may have another type than its API says."""

from collections.abc import Mapping
from typing import Any

from lton._json import minified


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
