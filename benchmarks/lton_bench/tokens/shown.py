"""The rows for tool definitions: every way to show a model what it may call."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lton._json import minified
from lton.schema import ToolSet
from lton_bench.tokens.pieces import Definition

_KINDS = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean"}


@dataclass(frozen=True, slots=True)
class ShownFormat:
    """How the definitions of tools are written."""

    name: str
    write: Callable[[Sequence[Definition]], str]
    note: str = ""


def typescript(tool: Definition, *, descriptions: bool) -> str:
    """Get a function as a TypeScript type.

    >>> wait = {"name": "wait", "parameters": {"properties": {"minutes": {"type": "integer"}}}}
    >>> typescript({"type": "function", "function": wait}, descriptions=False)
    'type wait = (_: {minutes?: number,}) => any;'
    """
    function = tool["function"]
    inside = _members(function["parameters"], descriptions)
    head = f"// {_one_line(function['description'])}\n" if descriptions else ""
    return f"{head}type {function['name']} = (_: {{{inside}}}) => any;"


def namespace(tools: Sequence[Definition], *, descriptions: bool) -> str:
    """Get functions as OpenAI's models are shown them: types in a namespace."""
    types = "\n\n".join(typescript(tool, descriptions=descriptions) for tool in tools)
    return f"namespace functions {{\n\n{types}\n\n}} // namespace functions"


def _members(schema: dict[str, Any], descriptions: bool) -> str:
    required = schema.get("required") or ()
    parts = []
    for name, part in (schema.get("properties") or {}).items():
        about = _one_line(part.get("description", "")) if descriptions else ""
        mark = "" if name in required else "?"
        comment = f"// {about}\n" if about else ""
        default = f" // default: {json.dumps(part['default'])}" if part.get("default") else ""
        parts.append(f"{comment}{name}{mark}: {_type(part, descriptions)},{default}")
    return "\n".join(["", *parts, ""]) if descriptions else " ".join(parts)


def _type(schema: dict[str, Any], descriptions: bool) -> str:
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    kinds = schema.get("type", "any")
    if isinstance(kinds, list):
        return " | ".join(_type({**schema, "type": kind}, descriptions) for kind in kinds)
    if kinds == "array":
        return f"{_type(schema.get('items') or {}, descriptions)}[]"
    if kinds == "object" and schema.get("properties"):
        return f"{{{_members(schema, descriptions)}}}"
    return str(_KINDS.get(kinds, kinds))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _spaced(tools: Sequence[Definition]) -> str:
    return json.dumps(tools, ensure_ascii=False)


def _signatures(tools: Sequence[Definition], *, descriptions: bool) -> str:
    return ToolSet.from_tools(tools).prompt(descriptions=descriptions)


_TYPES = "as OpenAI's models are shown them; bounds, references and patterns are left out"

SHOWN_FORMATS: tuple[ShownFormat, ...] = (
    ShownFormat("JSON minified", minified, "the baseline: OpenAI's definitions"),
    ShownFormat("JSON spaced", _spaced, "as most templates print them"),
    ShownFormat("LTON", lambda tools: _signatures(tools, descriptions=True), "signatures"),
    ShownFormat("LTON, no descriptions", lambda tools: _signatures(tools, descriptions=False)),
    ShownFormat("TypeScript", lambda tools: namespace(tools, descriptions=True), _TYPES),
    ShownFormat("TypeScript, no descriptions", lambda tools: namespace(tools, descriptions=False)),
)
