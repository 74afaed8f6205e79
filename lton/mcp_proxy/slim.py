"""Shorten JSON Schemas of tools, so that exactly the same values remain valid.

A short schema is ordinary JSON Schema. It has all descriptions, defaults and constraints:

- Notes are dropped: `$comment`, `examples`, and a `title` next to a description or after a name
  that says the same.
- Constraints that every value fulfils are dropped, such as `minLength: 0`.
- A list of one schema, such as `allOf: [{...}]`, is merged into the schema around it.
- Equal alternatives of `anyOf` become one. Alternatives of different types become one schema with a
  list of types, and alternatives that list values become one list of values.
- A definition that is used once replaces its reference. Unused definitions are dropped.

All drafts of JSON Schema from 7 on must agree on the meaning of a schema, because the client may
use another draft than the server. If they do not agree, or if a reference points to something other
than a definition, only notes are dropped.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import cleandoc
from typing import Any, TypeAlias

from lton._json import minified
from lton._syntax import MAX_DEPTH
from lton.errors import escape
from lton.mcp_proxy.controls import replace_controls
from lton.schema.jsonschema.keywords import KEYWORDS, KeywordRole
from lton.schema.jsonschema.references import LISTED, NAMED, ONE

_Node: TypeAlias = dict[str, Any]

_DEEPEST = 2 * MAX_DEPTH
_DEFINED = ("$defs", "definitions")
_LISTING = frozenset(["const", "enum"])
_NOTES = frozenset(["$comment", "examples"])
_ONLY_KINDS = {
    keyword.name: keyword.kind for keyword in KEYWORDS if keyword.kind and keyword.is_agreed
}
"""The keywords that constrain values of one kind only."""
_VALIDATING = frozenset(
    keyword.name
    for keyword in KEYWORDS
    if keyword.is_agreed
    and (keyword.kind or keyword.role not in (KeywordRole.NOTE, KeywordRole.ADDRESS))
)
"""The keywords that mean the same in all drafts from 7 on."""
_DISPUTED = frozenset(keyword.name for keyword in KEYWORDS if not keyword.is_agreed)
"""Keywords that only some drafts know, or that change what a reference means."""
_TOGETHER = (
    frozenset(["properties", "patternProperties", "additionalProperties"]),
    frozenset(["if", "then", "else"]),
)
"""Keywords that affect each other, if one schema contains them."""
_WITHOUT_EFFECT = {
    "additionalProperties": ("true", "{}"),
    "propertyNames": ("true", "{}", '{"type":"string"}'),
    "minLength": ("0",),
    "minItems": ("0",),
    "minProperties": ("0",),
    "required": ("[]",),
    "uniqueItems": ("false",),
}
"""The JSON of keywords that every value fulfils."""
_ALL_VALUES: dict[str, list[Any]] = {"null": [None], "boolean": [True, False]}


def slim_definition(definition: _Node, *, descriptions: bool = True) -> _Node:
    """Return a tool's definition with short schemas, and with or without its descriptions.

    Control characters in descriptions are replaced.
    """
    slim = _clean_description(definition)
    for key in ("inputSchema", "outputSchema"):
        if isinstance(slim.get(key), dict):
            slim[key] = slim_schema(slim[key], descriptions=descriptions)
    schema = slim.get("inputSchema")
    if isinstance(schema, dict) and schema.get("description") == slim.get("description"):
        schema.pop("description", None)
    if not descriptions:
        slim.pop("description", None)
    return slim


def slim_schema(schema: _Node, *, descriptions: bool = True) -> _Node:
    """Return a shorter schema for which the same values are valid.

    >>> slim_schema({"type": "object", "required": [], "properties": {"page_size": {
    ...     "title": "Page Size", "anyOf": [{"type": "integer"}, {"type": "null"}]}}})
    {'type': 'object', 'properties': {'page_size': {'type': ['integer', 'null']}}}
    """
    if _height_of(schema) > _DEEPEST:
        return schema
    slimmer = _Slimmer(schema, descriptions=descriptions)
    return slimmer.slim_schema() if slimmer.is_safe else slimmer.without_notes(schema, "")


class _Slimmer:
    """Shortens one schema. References are only followed to the definitions in its root."""

    def __init__(self, schema: _Node, *, descriptions: bool) -> None:
        self._schema = schema
        self._descriptions = descriptions
        self._definitions = {
            f"#/{key}/{escape(name)}": (name, part)
            for key in _DEFINED
            if isinstance(schema.get(key), dict)
            for name, part in schema[key].items()
        }
        self._root = {key: part for key, part in schema.items() if key not in _DEFINED}
        self._uses = Counter[str]()
        self._slim: dict[str, Any] = {}
        """The short definitions, by reference."""
        self._open = set[str]()
        """The references to the definitions that are being shortened."""
        self._depth = 0

    @property
    def is_safe(self) -> bool:
        """Whether all drafts agree on the schema, and all references are to definitions."""
        nodes = list(_iterate_nodes(self._schema))
        references = [node["$ref"] for node in nodes if "$ref" in node]
        return all(map(_is_agreed, nodes)) and self._definitions.keys() >= set(references)

    def slim_schema(self) -> _Node:
        self._count_uses()
        slim = self._slim_node(self._root, "")
        slim.pop("title", None)
        named = self._definitions_in(slim)
        for key in _DEFINED:
            start = f"#/{key}/"
            parts = {name: part for ref, name, part in named if ref.startswith(start)}
            if parts:
                slim[key] = parts
        return dict(slim)

    def without_notes(self, node: Any, name: str) -> Any:
        """Return a schema without its notes, and otherwise unchanged."""
        if not isinstance(node, dict):
            return node
        return self._without_notes(_with_changed_parts(node, self.without_notes), name)

    def _count_uses(self) -> None:
        """Count the references to each definition, in the schemas that the root refers to."""
        waiting = [self._root]
        while waiting:
            for node in _iterate_nodes(waiting.pop()):
                reference = node.get("$ref")
                if reference is not None:
                    self._uses[reference] += 1
                    if self._uses[reference] == 1:
                        waiting.append(self._definitions[reference][1])

    def _definitions_in(self, slim: Any) -> list[tuple[str, str, Any]]:
        """Return the short definitions that a short schema still needs, in their first order."""
        references = set[str]()
        waiting = [slim]
        while waiting:
            for node in _iterate_nodes(waiting.pop()):
                reference = node.get("$ref")
                if reference is not None and reference not in references:
                    references.add(reference)
                    waiting.append(self._slim_definition(reference))
        return [
            (reference, name, self._slim_definition(reference))
            for reference, (name, _) in self._definitions.items()
            if reference in references
        ]

    def _slim_definition(self, reference: str) -> Any:
        if reference not in self._slim:
            name, part = self._definitions[reference]
            self._open.add(reference)
            self._slim[reference] = self._slim_node(part, name)
            self._open.remove(reference)
        return self._slim[reference]

    def _slim_node(self, node: Any, name: str) -> Any:
        if not isinstance(node, dict):
            return node
        self._depth += 1
        slim = _with_changed_parts(
            {key: part for key, part in node.items() if key not in _DEFINED}, self._slim_node
        )
        slim.pop("$schema", None)
        slim = self._without_notes(slim, name)
        slim = {key: part for key, part in slim.items() if not _is_without_effect(key, part)}
        if "$ref" in slim:
            slim = self._replace_reference(slim)
        for keyword in ("allOf", "anyOf", "oneOf"):
            if isinstance(slim.get(keyword), list):
                slim = _join_parts(slim, keyword)
        self._depth -= 1
        return slim

    def _replace_reference(self, node: _Node) -> _Node:
        """Replace a reference by its definition, if that is shorter."""
        reference = node["$ref"]
        height = _height_of(self._definitions[reference][1])
        if reference in self._open or self._depth + height > _DEEPEST:
            return node
        target = self._slim_definition(reference)
        is_short = len(minified(target)) <= len(minified({"$ref": reference}))
        if self._uses[reference] > 1 and (not is_short or any(_iterate_references(target))):
            return node
        around = {key: part for key, part in node.items() if key != "$ref"}
        merged = _try_merge_schemas(around, target)
        return node if merged is None else merged

    def _without_notes(self, node: _Node, name: str) -> _Node:
        """Drop the notes of a schema, apart from those of its subschemas."""
        slim = {key: part for key, part in node.items() if key not in _NOTES}
        if not _says_more(slim.get("title"), name) or "description" in slim:
            slim.pop("title", None)
        slim = _clean_description(slim)
        if not self._descriptions:
            slim.pop("title", None)
            slim.pop("description", None)
        return slim


# --- one schema -----------------------------------------------------------------------------------


def _iterate_parts(node: Any) -> Iterator[Any]:
    """Yield the subschemas of a schema."""
    if not isinstance(node, dict):
        return
    for key, part in node.items():
        if key in LISTED and isinstance(part, list):
            yield from part
        elif key in NAMED and isinstance(part, dict):
            yield from part.values()
        elif key in ONE:
            yield part


def _iterate_nodes(schema: Any) -> Iterator[_Node]:
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting += _iterate_parts(node)


def _iterate_references(schema: Any) -> Iterator[str]:
    return (node["$ref"] for node in _iterate_nodes(schema) if "$ref" in node)


def _height_of(schema: Any) -> int:
    """Count the levels of subschemas in a schema."""
    level = [schema]
    height = 0
    while level:
        height += 1
        level = [part for node in level for part in _iterate_parts(node)]
    return height


def _with_changed_parts(node: _Node, change: Callable[[Any, str], Any]) -> _Node:
    """Return a copy of a schema with each subschema changed. `change` also gets its name."""
    changed: _Node = {}
    for key, part in node.items():
        if key in LISTED and isinstance(part, list):
            changed[key] = [change(one, "") for one in part]
        elif key in NAMED and isinstance(part, dict):
            changed[key] = {name: change(one, name) for name, one in part.items()}
        elif key in ONE:
            changed[key] = change(part, "")
        else:
            changed[key] = part
    return changed


def _is_agreed(node: _Node) -> bool:
    """Return whether all drafts agree on the meaning of a schema, apart from its subschemas."""
    if not _DISPUTED.isdisjoint(node) or isinstance(node.get("items"), list):
        return False
    if "$ref" in node:
        return isinstance(node["$ref"], str) and _VALIDATING.intersection(node) == {"$ref"}
    limits = (node.get("exclusiveMinimum"), node.get("exclusiveMaximum"))
    return not any(isinstance(limit, bool) for limit in limits)


def _is_without_effect(keyword: str, value: Any) -> bool:
    return keyword in _WITHOUT_EFFECT and minified(value) in _WITHOUT_EFFECT[keyword]


def _says_more(title: Any, name: str) -> bool:
    return isinstance(title, str) and _lowercase_letters(title) != _lowercase_letters(name)


def _lowercase_letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def _clean_description(node: _Node) -> _Node:
    """Return a copy in which the description has no indentation and no control characters."""
    about = node.get("description")
    if not isinstance(about, str):
        return dict(node)
    return {**node, "description": replace_controls(cleandoc(about).strip())}


# --- several schemas ------------------------------------------------------------------------------


def _try_merge_schemas(outer: _Node, inner: Any) -> _Node | None:
    """Return the schema for values that two schemas accept, or None if it is not that simple."""
    if not isinstance(inner, dict) or not _are_compatible(outer, inner):
        return None
    merged = {**inner, **outer}
    abouts = [node["description"] for node in (outer, inner) if "description" in node]
    if abouts:
        merged["description"] = "\n".join(dict.fromkeys(abouts))
    return merged


def _are_compatible(outer: _Node, inner: _Node) -> bool:
    """Return whether the keywords of two schemas mean the same in one schema."""
    shared = outer.keys() & inner.keys() - {"description"}
    if any(minified(outer[key]) != minified(inner[key]) for key in shared):
        return False
    constraints = _VALIDATING.intersection(outer), _VALIDATING.intersection(inner)
    if all(constraints) and any("$ref" in keywords for keywords in constraints):
        return False  # drafts disagree on keywords next to a reference
    return all(group.isdisjoint(outer) or group.isdisjoint(inner) for group in _TOGETHER)


def _join_parts(node: _Node, keyword: str) -> _Node:
    """Join the alternatives of a schema as far as possible."""
    parts = _without_equal(node[keyword]) if keyword == "anyOf" else node[keyword]
    around = {key: part for key, part in node.items() if key != keyword}
    joined = None
    if len(parts) == 1:
        joined = parts[0]
    elif keyword != "allOf" and parts and all(isinstance(part, dict) for part in parts):
        joined = _try_join_values(parts, keyword) or _try_join_kinds(parts)
    merged = _try_merge_schemas(around, joined)
    return {**node, keyword: parts} if merged is None else merged


def _without_equal(parts: Iterable[Any]) -> list[Any]:
    """Drop repeated schemas, and replace an `anyOf` by its alternatives."""
    different: dict[str, Any] = {}
    for part in parts:
        match part:
            case {"anyOf": list(alternatives)} if len(part) == 1:
                ones = alternatives
            case _:
                ones = [part]
        for one in ones:
            different.setdefault(json.dumps(one, sort_keys=True), one)
    return list(different.values())


def _try_join_values(parts: Sequence[_Node], keyword: str) -> _Node | None:
    """Join schemas that only list values."""
    lists = [
        _find_listed_values(part) for part in parts if part.keys() <= {"type", "enum", "const"}
    ]
    if len(lists) < len(parts) or None in lists:
        return None
    values = [value for listed in lists for value in listed or ()]
    different = {(type(value), value): value for value in values}
    if keyword == "oneOf" and len(different) < len(values):
        return None
    joined: _Node = {"enum": list(different.values())}
    kinds = [part["type"] for part in parts if "type" in part]
    if len(kinds) == len(parts):
        names = list(dict.fromkeys(kinds))
        joined["type"] = names if len(names) > 1 else names[0]
    return joined


def _find_listed_values(part: _Node) -> list[Any] | None:
    """Return the values that a schema lists, or None if it lists none, or values of other types."""
    values = [part["const"]] if "const" in part else part.get("enum")
    kind = part.get("type")
    if not isinstance(values, list) or {"const", "enum"} <= part.keys():
        return None
    if any(not isinstance(value, str | bool | int | None) for value in values):
        return None
    if kind is not None and any(not _is_of_kind(value, kind) for value in values):
        return None
    return values


def _is_of_kind(value: Any, kind: Any) -> bool:
    if isinstance(value, bool):
        return bool(kind == "boolean")
    if isinstance(value, int):
        return kind in ("integer", "number")
    return bool(kind == ("null" if value is None else "string"))


def _try_join_kinds(parts: Sequence[_Node]) -> _Node | None:
    """Join schemas for values of different types."""
    joined: _Node = {"type": []}
    earlier_kinds = set[str]()
    has_values = any(not _LISTING.isdisjoint(part) for part in parts)
    values = list[Any]()
    is_nullable = sum(part != {"type": "null"} for part in parts) == 1
    for part in parts:
        kinds = _kinds_of(part)
        alike = {"number" if kind == "integer" else kind for kind in kinds}
        own = {key: value for key, value in part.items() if key not in ("type", *_LISTING)}
        is_apart = len(alike) == len(kinds) > 0 and earlier_kinds.isdisjoint(alike)
        if not is_apart or not joined.keys().isdisjoint(own):
            return None
        if not _are_about_kinds(own, alike, is_nullable=is_nullable):
            return None
        listed = _find_values_of_kinds(part, kinds)
        if has_values and listed is None:
            return None
        values += listed or []
        earlier_kinds |= alike
        joined = {**joined, **own, "type": [*joined["type"], *kinds]}
    return {**joined, "enum": values} if has_values else joined


def _are_about_kinds(keywords: Iterable[str], kinds: set[str], *, is_nullable: bool) -> bool:
    """Return whether keywords mean nothing for values of other types than these."""
    if not _VALIDATING.difference(_ONLY_KINDS).isdisjoint(keywords):
        return False
    return is_nullable or all(_is_only_for(keyword, kinds) for keyword in keywords)


def _kinds_of(part: _Node) -> list[str]:
    kinds = part.get("type")
    if isinstance(kinds, str):
        return [kinds]
    is_list = isinstance(kinds, list) and all(isinstance(kind, str) for kind in kinds)
    return kinds if is_list and kinds else []


def _find_values_of_kinds(part: _Node, kinds: Sequence[str]) -> list[Any] | None:
    """Return the only values that a schema accepts, or None if there is no list of them."""
    if not _LISTING.isdisjoint(part):
        return _find_listed_values(part)
    values = [_ALL_VALUES.get(kind) for kind in kinds]
    return None if None in values else [value for some in values for value in some or ()]


def _is_only_for(keyword: str, kinds: set[str]) -> bool:
    """Return whether a keyword means nothing for values of other types."""
    if keyword == "format":
        return kinds == {"string"}
    return _ONLY_KINDS.get(keyword, "") in kinds
