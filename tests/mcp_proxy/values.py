"""Generate values for a JSON Schema, and values that are nearly valid."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from random import Random
from typing import Any

ODD: tuple[Any, ...] = (None, True, 0, -1, 2.5, 10**9, "", "word", "x" * 300, [], [1], {}, {"a": 1})
_EXAMPLES = {
    "date-time": "2026-01-31T10:00:00Z",
    "date": "2026-01-31",
    "uri": "https://example.com/a",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "email": "ada@example.com",
}
_DEEPEST = 8


def values_for(schema: Mapping[str, Any], random: Random, count: int) -> Iterator[Any]:
    """Yield generated values of a schema, each followed by a copy with one change."""
    for _ in range(count):
        value = _value(schema, schema, random, 0)
        yield value
        yield _changed(deepcopy(value), random)


def _value(node: Any, root: Mapping[str, Any], random: Random, depth: int) -> Any:
    if not isinstance(node, dict) or not node:
        return random.choice(ODD)
    if "$ref" in node:
        target: Any = root
        for step in node["$ref"].split("/")[1:]:
            target = target[step]
        return _value(target, root, random, depth)
    alternatives = node.get("anyOf") or node.get("oneOf")
    if alternatives:
        return _value(random.choice(alternatives), root, random, depth)
    if "allOf" in node:
        together = {key: part for branch in node["allOf"] for key, part in branch.items()}
        around = {key: part for key, part in node.items() if key != "allOf"}
        return _value({**together, **around}, root, random, depth)
    listed = [node["const"]] if "const" in node else node.get("enum")
    if listed:
        return random.choice(listed)
    return _value_of_kind(node, root, random, depth)


def _value_of_kind(node: Any, root: Mapping[str, Any], random: Random, depth: int) -> Any:
    kind = node.get("type", "object" if "properties" in node else "string")
    kind = random.choice(kind) if isinstance(kind, list) else kind
    if kind == "object":
        return _object(node, root, random, depth)
    if kind == "array":
        least = node.get("minItems", 0)
        count = least if depth > _DEEPEST else random.randint(least, least + 2)
        return [_value(node.get("items", {}), root, random, depth + 1) for _ in range(count)]
    return _scalar(node, kind, random)


def _object(node: Any, root: Mapping[str, Any], random: Random, depth: int) -> dict[str, Any]:
    required = node.get("required", ())
    value = {
        name: _value(part, root, random, depth + 1)
        for name, part in node.get("properties", {}).items()
        if name in required or (depth < _DEEPEST and random.random() < 0.4)
    }
    extra = node.get("additionalProperties", True)
    if extra is not False and random.random() < 0.3:
        value["more"] = _value(extra, root, random, depth + 1)
    return value


def _scalar(node: Any, kind: str, random: Random) -> Any:
    if kind == "string":
        text = _EXAMPLES.get(node.get("format", ""), random.choice(["word", "2026", "a b", "a@b"]))
        least = node.get("minLength", 0)
        return (text * (1 + least // len(text)))[: node.get("maxLength", 10**6)]
    if kind in ("integer", "number"):
        low = node.get("minimum", node.get("exclusiveMinimum", -2))
        return low + random.randint(0, 3)
    return random.choice([True, False]) if kind == "boolean" else None


def _changed(value: Any, random: Random) -> Any:
    """Replace, drop or add one part of a value."""
    if not value or random.random() < 0.2 or not isinstance(value, list | dict):
        return random.choice(ODD)
    key = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
    change = random.random()
    if change < 0.25:
        del value[key]
    elif change < 0.35 and isinstance(value, dict):
        value["unknown"] = random.choice(ODD)
    elif change < 0.45:
        value[key] = random.choice(ODD)
    else:
        value[key] = _changed(value[key], random)
    return value
