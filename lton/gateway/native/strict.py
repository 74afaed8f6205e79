"""Find tools that can be strict (`--strict`), by the rules of OpenAI and Anthropic.

vLLM and SGLang enforce the schemas only of tools with `strict`.
"""

from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 10
MAX_PROPERTIES = 5_000


def allows_strict(schema: Any, keywords: frozenset[str]) -> bool:
    """Return whether a tool's schema can be strict without changes.

    Each object must require all its properties and allow no others, and all keywords must be in
    `keywords`. Anthropic refuses recursive references, so all references are excluded.
    """
    if not isinstance(schema, dict) or schema.get("type") != "object" or "anyOf" in schema:
        return False
    waiting: list[tuple[Any, int]] = [(schema, 1)]
    count = 0
    while waiting:
        subschema, depth = waiting.pop()
        count += 1
        if count > MAX_PROPERTIES or depth > MAX_DEPTH or not _is_strict(subschema, keywords):
            return False
        waiting += [(inner, depth + 1) for inner in _subschemas(subschema)]
    return True


def _is_strict(schema: Any, keywords: frozenset[str]) -> bool:
    if not isinstance(schema, dict) or not keywords.issuperset(schema):
        return False
    if not {"type", "anyOf", "enum", "const"}.intersection(schema):
        return False
    match schema.get("type"):
        case "object":
            return _is_closed(schema)
        case "array":
            return isinstance(schema.get("items"), dict)
        case [*kinds]:  # servers disagree about unions of these
            return not {"object", "array"}.intersection(map(str, kinds))
    return "properties" not in schema


def _is_closed(schema: Mapping[str, Any]) -> bool:
    properties = schema.get("properties")
    required = schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return False
    names = {name for name in required if isinstance(name, str)}
    return schema.get("additionalProperties") is False and names == set(properties)


def _subschemas(schema: Mapping[str, Any]) -> list[Any]:
    alternatives = schema.get("anyOf", [])
    schemas = list(alternatives) if isinstance(alternatives, list) else [None]  # not a schema
    schemas += (schema.get("properties") or {}).values()
    return [*schemas, schema["items"]] if "items" in schema else schemas
