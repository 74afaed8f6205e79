"""Probes of definitions of tools."""

from collections.abc import Callable
from typing import Any

from fuzz.limits.probe import Probe, ProbeError
from lton import ToolSet, decode
from lton._syntax import FORMS
from lton.grammar import to_ebnf, to_gbnf, to_lark
from lton.schema.diff import find_losses
from lton.schema.jsonschema.tally import Handling
from lton.schema.openapi import iterate_operations
from lton.schema.shown.tiers import Describer, tools_without_description
from tests.cases import taking, tool


def _definition_probe(make: Callable[[int], Any], *more: Any) -> Probe:
    return Probe(make, taking, *more)


def _make_openapi(count: int) -> dict[str, Any]:
    get = {"operationId": "x", "responses": {}}
    paths = {f"/p{i}": {"get": {**get, "operationId": f"o{i}"}} for i in range(count)}
    return {"openapi": "3.1.0", "info": {}, "paths": paths}


def _make_reference_chain(count: int) -> dict[str, Any]:
    made: dict[str, Any] = {f"p{i}": {"$ref": f"#/x/p{i + 1}"} for i in range(count - 1)}
    made[f"p{count - 1}"] = {"get": {"operationId": "o", "responses": {}}}
    return {"openapi": "3.1.0", "info": {}, "paths": {"/a": {"$ref": "#/x/p0"}}, "x": made}


def _make_denied_call(count: int) -> tuple[ToolSet, str]:
    return taking(
        {"type": "integer", "allOf": [{"not": {"const": -i}} for i in range(count // 100)]}
    ), "f 5"


def _check_pattern(schema: Any) -> None:
    if any(note.handling == Handling.UNCHECKED for note in taking(schema).notes):
        raise ProbeError("the pattern is not checked, and the notes of the tool say so")


def _nest_schema(depth: int, keyword: str = "items") -> Any:
    schema: Any = {}
    for _ in range(depth):
        schema = {keyword: schema}
    return schema


def _make_reference_fan(count: int) -> dict[str, Any]:
    """Return a schema in which the number of paths doubles with each definition."""
    definitions: dict[str, Any] = {f"r{count}": {"type": "string", "description": "text"}}
    for i in range(count):
        members = {name: {"$ref": f"#/$defs/r{i + 1}", "description": name} for name in ("x", "y")}
        definitions[f"r{i}"] = {"type": "object", "properties": members, "required": ["x"]}
    return {"properties": {"a": {"$ref": "#/$defs/r0"}}, "$defs": definitions}


def _use_definitions(schema: dict[str, Any]) -> None:
    """Call each function that walks through the types of tools."""
    tools = taking(schema)
    for descriptions in (True, False):
        text = tools.prompt(descriptions=descriptions)
        assert ToolSet.from_prompt(text).fingerprint == tools.fingerprint
    assert not find_losses(tools, taking(schema))
    tools_without_description(tools, 10, choices=True)
    Describer(tools).describe_tools("f")
    _write_all_grammars(tools)


def _make_alternatives(count: int) -> ToolSet:
    words = "|".join(f"w{i}" for i in range(count))
    return taking({"type": "string", "pattern": f"^({words})$"})


def _write_all_grammars(tools: ToolSet) -> None:
    for form in FORMS:
        to_gbnf(tools, form=form)
    to_lark(tools)
    to_ebnf(tools)


PROBES: dict[str, Probe] = {
    # --- definitions of tools
    "tools of a toolset": Probe(lambda n: [tool(f"f{i}") for i in range(n)], ToolSet.from_tools),
    "values of an enum": _definition_probe(lambda n: {"enum": [f"label{i}" for i in range(n)]}),
    "alternatives of a union": _definition_probe(
        lambda n: {"anyOf": [{"properties": {f"p{i}": {}}} for i in range(n)]}
    ),
    "positions of a tool": _definition_probe(
        lambda n: {"properties": {f"p{i}": {"type": "integer"} for i in range(n)}}
    ),
    "nesting levels of a schema": _definition_probe(_nest_schema, 20),
    "nesting levels of a schema, in a grammar": Probe(
        lambda n: taking(_nest_schema(n, "additionalProperties")), _write_all_grammars, 4
    ),
    "definitions that each refer to the next one twice": Probe(
        _make_reference_fan, _use_definitions, 6
    ),
    "operations of an OpenAPI document": Probe(
        _make_openapi, lambda made: list(iterate_operations(made))
    ),
    "references in a chain, in an OpenAPI document": Probe(
        _make_reference_chain, lambda made: list(iterate_operations(made)), 12
    ),
    "states of a pattern": Probe(lambda n: {"pattern": "ab?" * n}, _check_pattern),
    "steps to check arguments": Probe(
        _make_denied_call, lambda made: decode(made[1], made[0]), 50_000
    ),
    "parentheses in a pattern, in a grammar": Probe(
        lambda n: taking({"type": "string", "pattern": "^" + "(a" * n + ")" * n + "$"}), to_lark, 20
    ),
    "alternatives of a pattern, in a grammar": Probe(_make_alternatives, _write_all_grammars),
}
