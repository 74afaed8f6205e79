"""Schemas that are too deep, too large or go round end in an error, soon, and fetch nothing."""

import socket
from itertools import pairwise
from typing import Any

import pytest

from lton import SchemaError, ToolSet
from lton.errors import Code
from tests.cases import INT, tool

pytestmark = pytest.mark.untraced


def nested(keyword: str, depth: int) -> Any:
    """Get a schema that holds itself so deep under a keyword."""
    schema: Any = INT
    for _ in range(depth):
        schema = {keyword: {"a": schema} if keyword == "properties" else schema}
        schema = {keyword: [schema[keyword]]} if keyword in ("allOf", "anyOf") else schema
    return schema


def refs(*names: str) -> dict[str, Any]:
    """Get parameters that refer to definitions, each to the next."""
    return {
        "properties": {"x": {"$ref": f"#/$defs/{names[0]}"}},
        "$defs": {name: {"$ref": f"#/$defs/{other}"} for name, other in pairwise(names)},
    }


REFUSED: list[tuple[str, dict[str, Any], Code]] = [
    *(
        (f"{keyword} nested", {"properties": {"x": nested(keyword, 1000)}}, Code.DEPTH)
        for keyword in ("properties", "items", "anyOf", "allOf", "not", "additionalProperties")
    ),
    ("nested 100,000 deep", {"properties": {"x": nested("items", 10**5)}}, Code.DEPTH),
    ("a name of itself", refs("a", "a"), Code.REFERENCE),
    ("two names of each other", refs("a", "b", "a"), Code.REFERENCE),
    ("a chain of 1,000 names", refs(*(f"n{i}" for i in range(1000))), Code.DEPTH),
    ("no such name", refs("a", "b"), Code.REFERENCE),
    ("not itself", {"properties": {"x": {"not": {"$ref": "#/properties/x"}}}}, Code.REFERENCE),
    ("elsewhere", {"properties": {"x": {"$ref": "https://example.com/x.json"}}}, Code.REFERENCE),
    ("a file", {"properties": {"x": {"$ref": "file:///etc/passwd"}}}, Code.REFERENCE),
    ("no address", {"properties": {"x": {"$ref": "http://[::1"}}}, Code.REFERENCE),
    ("150,000 members", {"properties": {f"p{i}": True for i in range(150_000)}}, Code.SCHEMA_SIZE),
    ("a deep pattern", {"properties": {"x": {"pattern": "(" * 9999}}}, Code.DEFINITION),
]


@pytest.mark.parametrize(
    ("schema", "code"), [row[1:] for row in REFUSED], ids=[r[0] for r in REFUSED]
)
def test_hostile_schemas_are_refused(
    schema: dict[str, Any], code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a code and a place; whatever they name, no connection is opened."""
    monkeypatch.setattr(socket, "socket", None)
    with pytest.raises(SchemaError) as caught:
        ToolSet.from_tools([{"name": "f", "parameters": schema}])
    assert caught.value.code == code
    assert caught.value.pointer.startswith("/0/parameters")
    assert len(caught.value.msg) < 200


@pytest.mark.parametrize(
    "schema",
    [
        {"x": {"type": "string", "description": "x" * 50_000_000}},
        {"x": {"enum": [f"label{i}" for i in range(50_000)]}},
        {"x": {"anyOf": [{"properties": {f"p{i}": INT}} for i in range(5_000)]}},
        {"x": {"allOf": [{"properties": {f"p{i}": INT}} for i in range(5_000)]}},
        {"x": {"oneOf": [{"const": i} for i in range(20_000)]}},
        {f"p{i}": INT for i in range(20_000)},
    ],
    ids=["50 MB", "labels", "anyOf", "allOf", "oneOf", "members"],
)  # fmt: skip
def test_large_schemas_are_laid_out(schema: dict[str, Any]) -> None:
    """In time that grows with them: the square of any of these would be minutes."""
    parameters = {"properties": schema, "required": list(schema)}
    assert len(ToolSet.from_tools([{"name": "f", "parameters": parameters}])) == 1


def test_ten_thousand_tools() -> None:
    """They are read, shown and read back."""
    definitions = [tool(f"get_item_{i}", {"a": INT}) for i in range(10_000)]
    tools = ToolSet.from_tools(definitions)
    assert ToolSet.from_prompt(tools.prompt()).fingerprint == tools.fingerprint
    assert len(tools.with_aliases().aliases) == len(tools)
