"""What a signature does not show of a tool's schema: it merges the alternatives of a union."""

import re
from collections.abc import Iterator
from typing import Any

from lton.schema.shown.signature import spell_member

_NAMED = ("properties", "patternProperties")
_LISTED = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = ("items", "additionalProperties")
_WORDS = re.compile(r"[\s()\[\]{}|:?=]+")


def unshown(schema: Any, signature: str) -> list[str]:
    """Return the names of members that a signature leaves out, or shows as optional in a union.

    >>> one = {"properties": {"page_id": {}}, "required": ["page_id"]}
    >>> other = {"properties": {"database_id": {}}, "required": ["database_id"]}
    >>> schema = {"properties": {"parent": {"anyOf": [one, other]}}}
    >>> unshown(schema, "move(parent?:(page_id?:any database_id?:any ...:any))")
    ['database_id', 'page_id']
    """
    words = {*_WORDS.split(signature)}
    found: set[str] = set()
    for node in _nodes(schema):
        spelled = ((name, spell_member(name)) for name in _members(node))
        found |= {
            name for name, text in spelled if text not in (words if text == name else signature)
        }
        for key in ("anyOf", "oneOf"):
            found |= _needed_by_some(schema, node.get(key))
    return sorted(found)


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Return each part of a schema that is used, once."""
    left, seen = [schema], set[int]()
    while left:
        node = _referred(schema, left.pop())
        if isinstance(node, dict) and id(node) not in seen:
            seen.add(id(node))
            yield node
            for key in _NAMED:
                left += node[key].values() if isinstance(node.get(key), dict) else ()
            for key in _LISTED:
                left += node[key] if isinstance(node.get(key), list) else ()
            left += [node.get(key) for key in _SINGLE]


def _referred(schema: Any, node: Any) -> Any:
    """Return what a part refers to, if it does; what refers on is not followed."""
    if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
        return node
    part = schema
    for step in node["$ref"].removeprefix("#").split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        part = part.get(name) if isinstance(part, dict) else None
    return part


def _members(node: Any) -> dict[str, Any]:
    members = node.get("properties") if isinstance(node, dict) else None
    return members if isinstance(members, dict) else {}


def _needed_by_some(schema: Any, alternatives: Any) -> set[str]:
    """Return the members that some alternatives of a union require, and others do not."""
    given = alternatives if isinstance(alternatives, list) else []
    objects = [part for each in given if _members(part := _referred(schema, each))]
    needed = [
        {name for name in each.get("required", ()) if isinstance(name, str)} for each in objects
    ]
    return set[str]().union(*needed) - needed[0].intersection(*needed) if needed else set()
