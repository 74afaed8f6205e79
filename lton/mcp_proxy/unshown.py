"""Find the members of a JSON Schema that a tool's signature does not show."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from lton.errors import unescape
from lton.schema.shown.signature import spell_member

_NAMED = ("properties", "patternProperties")
_LISTED = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = ("items", "additionalProperties")
_HOLDING = frozenset([*_NAMED, *_LISTED, *_SINGLE])
_WORDS = re.compile(r"[\s()\[\]{}|:?=]+")


def find_unshown_names(names: Iterable[str], signature: str) -> list[str]:
    """Return the names of the members that a tool's signature does not show."""
    words = {*_WORDS.split(signature)}
    spelled = ((name, spell_member(name)) for name in names)
    return sorted(
        name for name, text in spelled if text not in (words if text == name else signature)
    )


def members_of(schema: Any) -> set[str]:
    """Return the names of all members in a schema."""
    names = set[str]()
    for node in _iterate_nodes(schema):
        properties = node.get("properties")
        if isinstance(properties, dict):
            names.update(properties)
    return names


def _iterate_nodes(schema: Any) -> Iterator[dict[str, Any]]:
    waiting = [schema]
    visited = set[int]()
    while waiting:
        node = _follow_reference(schema, waiting.pop())
        if isinstance(node, dict) and id(node) not in visited:
            visited.add(id(node))
            yield node
            for key in _HOLDING.intersection(node):
                value = node[key]
                if key in _SINGLE:
                    waiting.append(value)
                elif key in _NAMED and isinstance(value, dict):
                    waiting += value.values()
                elif key in _LISTED and isinstance(value, list):
                    waiting += value


def _follow_reference(schema: Any, node: Any) -> Any:
    if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
        return node
    part = schema
    for step in node["$ref"].removeprefix("#").split("/")[1:]:
        part = part.get(unescape(step)) if isinstance(part, dict) else None
    return part
