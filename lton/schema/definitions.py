"""Read tool definitions of APIs, MCP servers, Python functions and agent frameworks.

Tools of agent frameworks are recognized by their public attributes, so no framework is imported:
openai-agents 0.24, langchain-core 1.7, pydantic-ai 2.68, smolagents 1.26.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import UnionType
from typing import Any

from lton.errors import Code, SchemaError
from lton.schema.jsonschema.compile import compile_object
from lton.schema.jsonschema.keywords import check_name, cut, from_flat, is_flat
from lton.schema.jsonschema.python import define
from lton.schema.jsonschema.tally import Handling, Note
from lton.schema.types import Check, Effect, Tool

SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema")  # for OpenAI, Anthropic and MCP
_SAYS_SCHEMA = frozenset(
    ["properties", "$ref", "allOf", "anyOf", "oneOf"]
)  # keys that only a schema has
_FOREIGN = {
    frozenset(["asyncapi"]): "an AsyncAPI document",
    frozenset(["discoveryVersion"]): "a discovery document of Google",
    frozenset(["metadata", "operations", "shapes"]): "a service model of AWS (botocore)",
    frozenset(["smithy", "shapes"]): "a Smithy model",
    frozenset(["info", "item"]): "a Postman collection",
}
"""Descriptions of APIs that are not tool definitions, by the keys that all of them have."""
_SCHEMAS = ("params_json_schema", "parameters_json_schema")  # in openai-agents and pydantic-ai
_OWN_TYPES = {"any": None, "audio": "string", "image": "string"}  # in smolagents; None: any type


def each_definition(
    definitions: object, faults: list[SchemaError] | None = None
) -> Iterator[tuple[Any, str, Sequence[Note]]]:
    """Yield each tool definition, with a JSON Pointer to it and notes on parts that are left out.

    `faults` is the option of `lton.schema.openapi.operations`. Raises `SchemaError` for anything
    else than definitions.
    """
    if isinstance(definitions, Mapping) and ("openapi" in definitions or "swagger" in definitions):
        from lton.schema.openapi import operations  # noqa: PLC0415 - rarely needed

        found = operations(definitions, faults=faults)
        yield from ((each.definition, each.pointer, each.notes) for each in found)
        return
    if isinstance(definitions, Mapping):
        for keys, name in _FOREIGN.items():
            if definitions.keys() >= keys:
                hint = "convert the document to OpenAPI 3"
                msg = f"expected tool definitions, found {name}"
                raise SchemaError(Code.DEFINITION, msg, hint=hint)
        definitions = definitions.get("tools", [definitions])
    if isinstance(definitions, str) or not isinstance(definitions, Iterable):
        msg = f"expected tool definitions, found {cut(definitions)}"
        raise SchemaError(Code.DEFINITION, msg)
    yield from ((each, f"/{index}", ()) for index, each in enumerate(definitions))


def note_left_out(fault: SchemaError) -> Note:
    """Return the note on a definition that is left out because of an error."""
    handling = Handling.LEFT_OUT
    return Note(pointer=fault.pointer, keyword="tool", handling=handling, value=fault.msg)


def read_definition(definition: object, pointer: str, *, standard: bool) -> tuple[Tool, list[Note]]:
    """Compile a tool definition and return the tool and notes on its schema.

    `standard` is the option of `ToolSet.from_tools`. Raises `SchemaError`.
    """
    source = definition
    definition, pointer = _open_definition(definition, pointer)
    is_schema = "name" not in definition and not definition.keys().isdisjoint(_SAYS_SCHEMA)
    name = definition.get("title" if is_schema else "name")
    if name is None:
        raise _nameless(source, definition, pointer)
    if not isinstance(name, str) or not name:
        raise SchemaError(Code.DEFINITION, f"{name!r} cannot name a tool", pointer=pointer)
    check_name(name, pointer)
    schema: object = {"type": "object"}
    if is_schema:
        schema = definition
    elif key := next((key for key in SCHEMA_KEYS if definition.get(key) is not None), None):
        schema, pointer = definition[key], f"{pointer}/{key}"
    read: list[Note] = []
    if not standard and isinstance(schema, Mapping) and is_flat(schema):
        schema = from_flat(schema)
        read = [Note(pointer=pointer, keyword="properties", handling=Handling.BY_NAME)]
    args, notes = compile_object(schema, pointer, standard=standard)
    check: Check | None = None
    if isinstance(schema, Mapping) and any(note.is_checked for note in notes):
        from lton.schema.jsonschema.constraints import Constraints  # noqa: PLC0415 - rarely needed

        check = Constraints(schema, formats=not standard)
    description = str(definition.get("description") or "")
    effect = _read_effect(definition.get("annotations"))
    tool = Tool(name=name, args=args, description=description, check=check, effect=effect)
    return tool, read + notes


def _nameless(source: object, definition: Mapping[str, Any], pointer: str) -> SchemaError:
    """Return the error for a definition without a name, with what to do about it."""
    hint = None
    if not isinstance(source, Mapping):
        hint = "pass it with a name: Toolbox(name=...)"
    elif not definition.keys().isdisjoint(("openapi", "swagger")):
        hint = "pass an OpenAPI document by itself, not in a list"
    msg = f"expected the name of a tool, found {cut(definition)}"
    return SchemaError(Code.DEFINITION, msg, pointer=pointer, hint=hint)


def _read_effect(annotations: object) -> Effect:
    """Return the effect that the annotations of MCP state."""
    match annotations:
        case {"readOnlyHint": True}:
            return Effect.READS
        case {"destructiveHint": True}:
            return Effect.DESTROYS
        case {"readOnlyHint": False} | {"destructiveHint": False}:
            return Effect.CHANGES
    return Effect.UNSTATED


def is_described_by_type(source: object) -> bool:
    """Return whether a source is a function or a type, from which `define` makes a definition."""
    return callable(source) or hasattr(source, "json_schema") or isinstance(source, UnionType)


def _open_definition(definition: object, pointer: str) -> tuple[Mapping[str, Any], str]:
    if found := _of_framework(definition):
        definition = found
    elif is_described_by_type(definition):
        definition = define(definition, pointer)
    match definition:
        case {"function": Mapping() as function}:
            return function, f"{pointer}/function"
        case Mapping():
            return definition, pointer
    msg = f"expected a tool definition, found {cut(definition)}"
    raise SchemaError(Code.DEFINITION, msg, pointer=pointer)


def _of_framework(tool: Any) -> dict[str, Any] | None:
    """Convert the tool object of a framework to a definition, or return None for other objects.

    Parameters that the framework fills in (LangChain's `InjectedToolArg`, pydantic-ai's context)
    are omitted.
    """
    if isinstance(tool, type | Mapping) or not isinstance(getattr(tool, "name", None), str):
        return None
    described = getattr(tool, "tool_def", tool)  # in pydantic-ai, a Tool
    schema = next((found for key in _SCHEMAS if (found := getattr(described, key, None))), None)
    if schema is None and hasattr(tool, "tool_call_schema"):
        schema = tool.tool_call_schema  # in LangChain, a pydantic model or a JSON Schema
        schema = schema if isinstance(schema, Mapping) else schema.model_json_schema()
    if schema is None and isinstance(inputs := getattr(tool, "inputs", None), Mapping):
        schema = _of_inputs(inputs)
    if schema is None:
        return None
    about = getattr(described, "description", None)
    return {"name": tool.name, "description": about, "parameters": schema}


def _of_inputs(inputs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Convert the inputs of a smolagents tool to a JSON Schema."""
    properties = {name: _of_input(each) for name, each in inputs.items()}
    required = [name for name, each in inputs.items() if not each.get("nullable")]
    return {"type": "object", "properties": properties, "required": required}


def _of_input(given: Mapping[str, Any]) -> dict[str, Any]:
    named = given.get("type", "any")
    kinds = [_OWN_TYPES.get(one, one) for one in ([named] if isinstance(named, str) else named)]
    rest = {key: value for key, value in given.items() if key != "type"}
    return rest if None in kinds else {**rest, "type": kinds[0] if len(kinds) == 1 else kinds}
