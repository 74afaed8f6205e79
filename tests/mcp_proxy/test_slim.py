"""Test that short schemas accept exactly the values that the server's schemas accept."""

import json
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton._json import minified
from lton.mcp_proxy.slim import slim_definition, slim_schema
from tests.cases import loop_over
from tests.mcp_proxy.values import values_for
from tests.properties.test_schemas import SCHEMAS, VALUES

RECORDED = Path(__file__).parents[2] / "benchmarks" / "lton_bench" / "mcp"
TOOLS = {
    f"{file.stem}/{tool['name']}": tool
    for file in sorted(RECORDED.glob("*.json"))
    for tool in json.loads(file.read_text("utf-8"))["tools"]
}
TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
NULL = {"type": "null"}
LEAST = {**WHOLE, "minimum": 1}
POINT = {"type": "object", "properties": {"x": WHOLE, "y": WHOLE}, "required": ["x", "y"]}
CHILD = {"type": "object", "properties": {"child": {"$ref": "#/$defs/tree"}}}


def of(schema: Any, **around: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}, **around}


SHORTER: dict[str, tuple[Any, Any]] = {
    "notes": ({"type": "string", "title": "A", "examples": ["x"], "$comment": "y"}, TEXT),
    "a title next to a description": (
        {"title": "The first", "description": "First."},
        {"description": "First."},
    ),
    "constraints without effect": (
        {
            "minLength": 0,
            "minItems": 0,
            "minProperties": 0,
            "required": [],
            "uniqueItems": False,
            "additionalProperties": True,
            "propertyNames": {"type": "string"},
        },
        {},
    ),
    "allOf of one": ({"allOf": [TEXT], "default": "x"}, {**TEXT, "default": "x"}),
    "oneOf of one": ({"oneOf": [{**TEXT, "maxLength": 3}]}, {**TEXT, "maxLength": 3}),
    "both have a description": (
        {"anyOf": [{**TEXT, "description": "Inner."}], "description": "Outer."},
        {**TEXT, "description": "Outer.\nInner."},
    ),
    "equal alternatives": (
        {"anyOf": [{"title": "b"}, {"minLength": 0, **TEXT}, TEXT]},
        {"anyOf": [{"title": "b"}, TEXT]},
    ),
    "allOf of one with an equal constraint": ({"allOf": [{**TEXT, "maxLength": 3}], **TEXT},
                                              {**TEXT, "maxLength": 3}),
    "alternatives inside alternatives": (
        {"anyOf": [{"anyOf": [TEXT, {"not": {}}]}, {"not": {}}, TEXT]},
        {"anyOf": [TEXT, {"not": {}}]},
    ),
    "types": (
        {"anyOf": [{**TEXT, "format": "date"}, {"type": ["boolean", "null"]}, LEAST]},
        {"type": ["string", "boolean", "null", "integer"], "format": "date", "minimum": 1},
    ),
    "types of which one is described": (
        {"oneOf": [{**TEXT, "description": "Text.", "default": "x"}, NULL]},
        {"type": ["string", "null"], "description": "Text.", "default": "x"},
    ),
    "values or null": (
        {"anyOf": [{**TEXT, "enum": ["a", "b"]}, NULL, {"type": "boolean"}]},
        {"type": ["string", "null", "boolean"], "enum": ["a", "b", None, True, False]},
    ),
    "lists of values": (
        {"oneOf": [{"const": "a"}, {"enum": [1, True]}, {"const": None}]},
        {"enum": ["a", 1, True, None]},
    ),
    "lists of values of a type": (
        {"anyOf": [{**TEXT, "const": "a"}, {**TEXT, "enum": ["b", "a"]}]},
        {**TEXT, "enum": ["a", "b"]},
    ),
    "lists of values of two types": (
        {"anyOf": [{**TEXT, "const": "a"}, {**WHOLE, "const": 2}]},
        {"type": ["string", "integer"], "enum": ["a", 2]},
    ),
}  # fmt: skip

UNCHANGED: dict[str, Any] = {
    "a title that says more": {"title": "The first", "type": "string"},
    "a false schema": False,
    "allOf of one with another default": {"allOf": [{"default": 1}], "default": 2},
    "allOf of a boolean schema": {"allOf": [True]},
    "members next to inner members": {
        "properties": {"b": TEXT},
        "allOf": [{"additionalProperties": False}],
    },
    "equal alternatives of oneOf": {"oneOf": [TEXT, TEXT]},
    "equal values of oneOf": {"oneOf": [{"const": "a"}, {"enum": ["a", "b"]}]},
    "overlapping types": {"anyOf": [WHOLE, {"type": "number", "minimum": 3}]},
    "overlapping types in a list": {"anyOf": [{"type": ["integer", "number"]}, NULL]},
    "an alternative without a type": {"anyOf": [TEXT, {"maxLength": 3}]},
    "an unknown type": {"anyOf": [TEXT, {"type": []}, {"type": [1]}]},
    "two described types": {"anyOf": [{**TEXT, "description": "A."}, WHOLE]},
    "a format of other types": {"anyOf": [{**WHOLE, "format": "int64"}, TEXT]},
    "a type with a condition": {"anyOf": [{**TEXT, "not": {"const": "a"}}, NULL]},
    "values and any text": {"anyOf": [{**WHOLE, "enum": [1]}, TEXT]},
    "values of another type": {"anyOf": [{**TEXT, "enum": ["a", 1]}, NULL]},
    "a value of another type": {"oneOf": [{**WHOLE, "const": None}, {"const": True}]},
    "values that are lists": {"anyOf": [{"const": []}, {"const": "a"}]},
    "both const and enum": {"anyOf": [{"const": 1, "enum": [1]}, {"const": 2}]},
    "no list of values": {"anyOf": [{"enum": 1}, {"const": 2}]},
    "a truth of another type": {"anyOf": [{**WHOLE, "const": True}, {"const": 2}]},
    "alternatives that are all allowed": {"allOf": [TEXT, {"maxLength": 3}]},
    "alternatives that are not a list": {"anyOf": {"type": "string"}},
}  # fmt: skip


@loop_over(SHORTER.items())
def test_a_schema_gets_shorter(case: tuple[str, tuple[Any, Any]]) -> None:
    """Each kind of part that says nothing is dropped or merged."""
    _, (schema, slim) = case
    assert slim_schema(of(schema)) == of(slim)


@loop_over(UNCHANGED.items())
def test_a_schema_that_cannot_be_joined_is_unchanged(case: tuple[str, Any]) -> None:
    """Parts stay apart if a joined schema could accept other values."""
    _, schema = case
    assert slim_schema(of(schema)) == of(schema)


def test_a_definition_that_is_used_once_replaces_its_reference() -> None:
    """Definitions with several uses stay, unless they are as short as a reference."""
    many = {**POINT, "description": "A point."}
    schema = {
        "type": "object",
        "properties": {
            "once": {"$ref": "#/$defs/once", "description": "Here."},
            "one": {"$ref": "#/definitions/point"},
            "two": {"allOf": [{"$ref": "#/definitions/point"}], "default": None},
            "short": {"anyOf": [{"$ref": "#/$defs/short"}, {"$ref": "#/$defs/short"}]},
            "tree": {"$ref": "#/$defs/tree"},
            "all": {"$ref": "#/$defs/all"},
            "odd": {"$ref": "#/$defs/a~1b"},
            "both": {"allOf": [{"$ref": "#/$defs/tree"}], "maxProperties": 1},
        },
        "$defs": {
            "once": {"type": "array", "items": {"$ref": "#/$defs/inner"}, "description": "There."},
            "inner": {"title": "Inner", **WHOLE},
            "short": TEXT,
            "tree": {**CHILD, "$defs": {"nested": {}}},
            "all": True,
            "a/b": NULL,
            "unused": many,
        },
        "definitions": {"point": many},
    }
    point = {"$ref": "#/definitions/point"}
    assert slim_schema(schema) == {
        "type": "object",
        "properties": {
            "once": {"type": "array", "items": WHOLE, "description": "Here.\nThere."},
            "one": point,
            "two": {**point, "default": None},
            "short": TEXT,
            "tree": {"$ref": "#/$defs/tree"},
            "all": {"$ref": "#/$defs/all"},
            "odd": NULL,
            "both": {"allOf": [{"$ref": "#/$defs/tree"}], "maxProperties": 1},
        },
        "$defs": {"tree": CHILD, "all": True},
        "definitions": {"point": many},
    }


DISPUTED: dict[str, Any] = {
    "a keyword of one draft": {"prefixItems": [TEXT]},
    "a list of items": {"items": [TEXT]},
    "a limit of draft 4": {"exclusiveMinimum": True},
    "a reference with a constraint": {"$ref": "#/$defs/x", "maxLength": 3},
    "a reference to no definition": {"$ref": "#/properties/b"},
    "a reference that is no text": {"$ref": 1},
    "an address": {"$id": "https://example.com/x"},
}


@loop_over(DISPUTED.items())
def test_drafts_must_agree(case: tuple[str, Any]) -> None:
    """If the drafts disagree on a schema, it only loses its notes, and names its draft."""
    _, schema = case
    around = {"$schema": "http://json-schema.org/draft-07/schema#", "$defs": {"x": TEXT}}
    other = {"anyOf": [TEXT, True], "required": [], "b": 1}
    whole = of({**schema, **other, "title": "A"}, **around)
    assert slim_schema(whole) == of({**schema, **other}, **around)
    agreed = of({"anyOf": [TEXT], "minLength": 0}, **around)
    assert slim_schema(agreed) == of(TEXT)


@pytest.mark.parametrize(
    ("schema", "slim"),
    [
        ({"anyOf": []}, {"anyOf": []}),
        ({"oneOf": []}, {"oneOf": []}),
        ({"anyOf": [{"anyOf": True}, TEXT]}, {"anyOf": [{"anyOf": True}, TEXT]}),
    ],
)
def test_malformed_alternatives_are_unchanged(schema: Any, slim: Any) -> None:
    """A schema with alternatives that are no list, or an empty one, is listed all the same."""
    assert slim_schema(of(schema)) == of(slim)


def test_depth_is_limited() -> None:
    """A schema with too many levels is unchanged, and no definition makes a schema too deep."""
    deep: Any = {"anyOf": [TEXT]}
    for _ in range(130):
        deep = of(deep)
    assert slim_schema(deep) is deep
    names = [f"d{number}" for number in range(40)]
    links = {
        name: of(of(of(of({"$ref": f"#/$defs/{after}"}))))
        for name, after in zip(names, [*names[1:], "last"], strict=True)
    }
    schema = of({"$ref": "#/$defs/d0"}, **{"$defs": {**links, "last": TEXT}})
    slim = slim_schema(schema)
    assert 0 < len(slim["$defs"]) < 5
    assert "last" not in slim["$defs"]


def test_a_definition_has_clean_texts() -> None:
    """Descriptions have no indentation and no control characters, or are left out."""
    about = "Get it.\n    Twice.\x07  "
    schema = {**of({"title": "The first", **TEXT}), "description": "Get it.\nTwice.\ufffd"}
    tool = {"name": "get", "description": about, "inputSchema": schema, "outputSchema": of(NULL)}
    slim = slim_definition(tool)
    assert slim == {
        "name": "get",
        "description": "Get it.\nTwice.\ufffd",
        "inputSchema": of({"title": "The first", **TEXT}),
        "outputSchema": of(NULL),
    }
    assert slim_definition(tool, descriptions=False) == {
        "name": "get",
        "inputSchema": of(TEXT),
        "outputSchema": of(NULL),
    }
    assert slim_definition({"name": "get", "inputSchema": True}) == {
        "name": "get",
        "inputSchema": True,
    }


def test_recorded_schemas_accept_the_same_values() -> None:
    """For all recorded tools and both drafts in use, generated values are valid for the short
    schema if, and only if, they are valid for the server's.
    """
    random = Random(73)
    accepted = refused = 0
    different = []
    for name, tool in TOOLS.items():
        for key in ("inputSchema", "outputSchema"):
            if key not in tool:
                continue
            schema = {part: value for part, value in tool[key].items() if part != "$schema"}
            slim = slim_schema(tool[key])
            for draft in (jsonschema_rs.Draft7Validator, jsonschema_rs.Draft202012Validator):
                before, after = draft(schema), draft(slim)
                for value in values_for(schema, random, 12):
                    is_valid = before.is_valid(value)
                    accepted += is_valid
                    refused += not is_valid
                    if after.is_valid(value) is not is_valid:
                        different.append((name, key, value))
    assert different == []
    assert min(accepted, refused) > 5_000


@given(SCHEMAS, SCHEMAS, SCHEMAS, st.lists(VALUES, min_size=1, max_size=6))
def test_any_schema_accepts_the_same_values(
    one: Any, two: Any, schema: Any, values: list[Any]
) -> None:
    """A short schema accepts the same values as any schema, and is never longer."""
    whole = {"properties": {"a": schema}, "$defs": {"one": one, "two": two}}
    slim = slim_schema(whole)
    assert len(minified(slim)) <= len(minified(whole))
    before = jsonschema.Draft202012Validator(whole)
    after = jsonschema.Draft202012Validator(slim)
    for value in values:
        assert _verdict(before, {"a": value}) == _verdict(after, {"a": value})


def _verdict(validator: Any, value: Any) -> bool | None:
    """Return whether a value is valid, or None if a schema refers to itself without end."""
    try:
        return bool(validator.is_valid(value))
    except RecursionError:
        return None
