"""Write tool definitions as the TypeScript types that OpenAI's models see.

The form is known from the models' published format (harmony) and from the token counts of their
prompts. Limits, references and patterns are omitted.
"""

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

_Function: TypeAlias = Mapping[str, Any]
_KINDS = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean"}
_DEPTH = 60  # deeper schemas become `any`
HEAD = "namespace functions {\n\n"
TAIL = "\n\n} // namespace functions"


def write_typescript(function: _Function, *, descriptions: bool = True) -> str:
    """Write a function as a TypeScript type. Invalid schemas become `any`."""
    inside = _write_members(_mapping_or_empty(function.get("parameters")), descriptions, _DEPTH)
    about = _one_line(function.get("description")) if descriptions else ""
    head = f"// {about}\n" if about else ""
    return f"{head}type {function['name']} = (_: {{{inside}}}) => any;"


def _write_members(schema: _Function, descriptions: bool, depth: int) -> str:
    required = schema.get("required")
    required_names = required if isinstance(required, list) else []
    parts = []
    for name, member in _mapping_or_empty(schema.get("properties")).items():
        part = _mapping_or_empty(member)
        about = _one_line(part.get("description")) if descriptions else ""
        mark = "" if name in required_names else "?"
        comment = f"// {about}\n" if about else ""
        default = f" // default: {json.dumps(part['default'])}" if part.get("default") else ""
        parts.append(
            f"{comment}{name}{mark}: {_write_type(part, descriptions, depth - 1)},{default}"
        )
    return "\n".join(["", *parts, ""]) if descriptions else " ".join(parts)


def _write_type(schema: _Function, descriptions: bool, depth: int) -> str:
    if not depth:
        return "any"
    labels = schema.get("enum")
    if isinstance(labels, list):
        return " | ".join(map(json.dumps, labels))
    kinds = schema.get("type", "any")
    if isinstance(kinds, list):
        schemas = [{**schema, "type": kind} for kind in kinds if not isinstance(kind, list)]
        return " | ".join(_write_type(part, descriptions, depth - 1) for part in schemas)
    match kinds:
        case "array":
            return (
                f"{_write_type(_mapping_or_empty(schema.get('items')), descriptions, depth - 1)}[]"
            )
        case "object" if schema.get("properties"):
            return f"{{{_write_members(schema, descriptions, depth - 1)}}}"
    return _KINDS.get(kinds, kinds) if isinstance(kinds, str) else "any"


def _mapping_or_empty(value: Any) -> _Function:
    return value if isinstance(value, Mapping) else {}


def _one_line(text: Any) -> str:
    return " ".join(text.split()) if isinstance(text, str) else ""
