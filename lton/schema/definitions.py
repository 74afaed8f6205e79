"""Read tool definitions of APIs, MCP servers, Python functions and agent frameworks.

Tools of agent frameworks are recognized by their public attributes, so no framework is imported:
openai-agents 0.24, langchain-core 1.7, pydantic-ai 2.68, smolagents 1.26.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import UnionType
from typing import Any

from lton.errors import Code, SchemaError
from lton.schema.jsonschema.compile import compile_object
from lton.schema.jsonschema.keywords import (
    check_name,
    format_excerpt,
    is_flat_map,
    schema_from_flat,
)
from lton.schema.jsonschema.python import definition_of
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


def iterate_definitions(
    definitions: object, faults: list[SchemaError] | None = None
) -> Iterator[tuple[Any, str, Sequence[Note]]]:
    """Yield each tool definition, with a JSON Pointer to it and notes on parts that are left out.

    `faults` is the option of `lton.schema.openapi.operations`. Raises `SchemaError` for anything
    else than definitions.
    """
    if isinstance(definitions, Mapping):
        if "openapi" in definitions or "swagger" in definitions:
            from lton.schema.openapi import iterate_operations  # noqa: PLC0415 - rarely needed

            for operation in iterate_operations(definitions, faults=faults):
                yield operation.definition, operation.pointer, operation.notes
            return
        _refuse_foreign(definitions)
        definitions = definitions.get("tools", [definitions])
    if isinstance(definitions, str) or not isinstance(definitions, Iterable):
        msg = f"expected tool definitions, found {format_excerpt(definitions)}"
        raise SchemaError(Code.DEFINITION, msg)
    for index, definition in enumerate(definitions):
        yield definition, f"/{index}", ()


def _refuse_foreign(document: Mapping[str, Any]) -> None:
    """Raise `SchemaError` for the description of an API in a format that is not supported."""
    for keys, name in _FOREIGN.items():
        if document.keys() >= keys:
            hint = "convert the document to OpenAPI 3"
            msg = f"expected tool definitions, found {name}"
            raise SchemaError(Code.DEFINITION, msg, hint=hint)


def make_left_out_note(fault: SchemaError) -> Note:
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
        raise _make_nameless_error(source, definition, pointer)
    _check_tool_name(name, pointer)
    schema: object = definition
    if not is_schema:
        schema, pointer = _find_schema_and_pointer(definition, pointer)
    flat_notes: list[Note] = []
    if not standard and isinstance(schema, Mapping) and is_flat_map(schema):
        schema = schema_from_flat(schema)
        flat_notes.append(Note(pointer=pointer, keyword="properties", handling=Handling.BY_NAME))
    args, notes = compile_object(schema, pointer, standard=standard)
    tool = Tool(
        name=name,
        args=args,
        description=str(definition.get("description") or ""),
        check=_try_make_check(schema, notes, standard=standard),
        effect=_read_effect(definition.get("annotations")),
    )
    return tool, flat_notes + notes


def _check_tool_name(name: object, pointer: str) -> None:
    if not isinstance(name, str) or not name:
        raise SchemaError(Code.DEFINITION, f"{name!r} cannot name a tool", pointer=pointer)
    check_name(name, pointer)


def _find_schema_and_pointer(definition: Mapping[str, Any], pointer: str) -> tuple[object, str]:
    """Return the schema of a tool's parameters, with a JSON Pointer to it."""
    for key in SCHEMA_KEYS:
        if definition.get(key) is not None:
            return definition[key], f"{pointer}/{key}"
    return {"type": "object"}, pointer


def _try_make_check(schema: object, notes: Iterable[Note], *, standard: bool) -> Check | None:
    """Return what checks the keywords that the layout does not enforce (R-423), or None."""
    if not isinstance(schema, Mapping) or not any(note.is_checked for note in notes):
        return None
    from lton.schema.jsonschema.constraints import Constraints  # noqa: PLC0415 - rarely needed

    return Constraints(schema, formats=not standard)


def _make_nameless_error(
    source: object, definition: Mapping[str, Any], pointer: str
) -> SchemaError:
    """Return the error for a definition without a name, with what to do about it."""
    hint = None
    if not isinstance(source, Mapping):
        hint = "pass it with a name: Toolbox(name=...)"
    elif not definition.keys().isdisjoint(("openapi", "swagger")):
        hint = "pass an OpenAPI document by itself, not in a list"
    msg = f"expected the name of a tool, found {format_excerpt(definition)}"
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
    if converted := _find_definition_of_framework(definition):
        definition = converted
    elif is_described_by_type(definition):
        definition = definition_of(definition, pointer)
    match definition:
        case {"function": Mapping() as function}:
            return function, f"{pointer}/function"
        case Mapping():
            return definition, pointer
    msg = f"expected a tool definition, found {format_excerpt(definition)}"
    raise SchemaError(Code.DEFINITION, msg, pointer=pointer)


def _find_definition_of_framework(tool: Any) -> dict[str, Any] | None:
    """Convert the tool object of a framework to a definition, or return None for other objects.

    Parameters that the framework fills in (LangChain's `InjectedToolArg`, pydantic-ai's context)
    are omitted.
    """
    if isinstance(tool, type | Mapping) or not isinstance(getattr(tool, "name", None), str):
        return None
    described = getattr(tool, "tool_def", tool)  # in pydantic-ai, a Tool
    schema = _find_schema_of_framework(tool, described)
    if schema is None:
        return None
    about = getattr(described, "description", None)
    return {"name": tool.name, "description": about, "parameters": schema}


def _find_schema_of_framework(tool: Any, described: Any) -> Any:
    """Return the JSON Schema of a framework's tool, or None."""
    for key in _SCHEMAS:
        if schema := getattr(described, key, None):
            return schema
    if hasattr(tool, "tool_call_schema"):
        schema = tool.tool_call_schema  # in LangChain, a pydantic model or a JSON Schema
        return schema if isinstance(schema, Mapping) else schema.model_json_schema()
    inputs = getattr(tool, "inputs", None)
    return _schema_of_inputs(inputs) if isinstance(inputs, Mapping) else None


def _schema_of_inputs(inputs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Convert the inputs of a smolagents tool to a JSON Schema."""
    properties = {name: _schema_of_input(part) for name, part in inputs.items()}
    required = [name for name, part in inputs.items() if not part.get("nullable")]
    return {"type": "object", "properties": properties, "required": required}


def _schema_of_input(part: Mapping[str, Any]) -> dict[str, Any]:
    named = part.get("type", "any")
    names = [named] if isinstance(named, str) else named
    kinds = [_OWN_TYPES.get(name, name) for name in names]
    schema = {key: value for key, value in part.items() if key != "type"}
    if None not in kinds:
        schema["type"] = kinds[0] if len(kinds) == 1 else kinds
    return schema
