"""Test OpenAPI documents: operations become tools, and calls become requests."""

import json
from pathlib import Path
from typing import Any

import pytest

from lton import SchemaError, Toolbox, ToolSet, decode
from lton.cli import main
from lton.errors import Code, EncodeError
from lton.schema.jsonschema.tally import Handling
from lton.schema.openapi import Request, iterate_operations

PETS: dict[str, Any] = {
    "openapi": "3.0.3",
    "paths": {
        "/pets": {
            "parameters": [{"$ref": "#/components/parameters/Trace"}],
            "get": {
                "operationId": "listPets",
                "summary": "List pets.",
                "description": "All of them.",
                "parameters": [
                    {
                        "name": "limit",
                        "in": "query",
                        "description": "How many.",
                        "schema": {"type": "integer", "nullable": True, "maximum": 100},
                    },
                    {"name": "tags", "in": "query", "schema": {"type": "array", "items": {}}},
                    {"name": "Authorization", "in": "header", "schema": {"type": "string"}},
                    {"name": "seen", "in": "cookie", "schema": {"type": "integer"}},
                ],
            },
            "post": {
                "operationId": "createPet",
                "requestBody": {
                    "required": True,
                    "description": "The pet.",
                    "content": {
                        "text/csv": {"schema": {"type": "string"}},
                        "multipart/form-data": {"schema": {"type": "string"}},
                        "application/json; charset=utf-8": {
                            "schema": {"$ref": "#/components/schemas/Pet"}
                        },
                    },
                },
            },
        },
        "/pets/{petId}": {"$ref": "#/components/pathItems/pet"},
    },
    "components": {
        "pathItems": {
            "pet": {
                "get": {
                    "operationId": "getPet",
                    "parameters": [{"name": "petId", "in": "path", "schema": {"type": "integer"}}],
                },
                "summary": "A pet.",
            }
        },
        "parameters": {"Trace": {"name": "x-trace", "in": "header", "schema": {"type": "string"}}},
        "schemas": {
            "Pet": {
                "type": "object",
                "required": ["id", "name", "odd"],
                "discriminator": {"propertyName": "name"},
                "x-own": 1,
                "properties": {
                    "id": {"type": "integer", "readOnly": True},
                    "name": {"type": "string", "example": {"$ref": "https://example.org"}},
                    "owner": {"$ref": "#/components/schemas/a~1b%20c"},
                },
                "allOf": [{"not": {"required": ["never"]}}],
            },
            "a/b c": {
                "xml": {"name": "o"},
                "properties": {
                    "pets": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}},
                    "name": {"type": "string"},
                },
            },
        },
    },
}


def one(**operation: Any) -> dict[str, Any]:
    """Return a document with one operation."""
    return {"openapi": "3.1.0", "paths": {"/a/{b}": {"post": {"operationId": "f", **operation}}}}


def test_operations_are_tools() -> None:
    """Operations become tools with their parameters and body, without fields that are never
    sent.
    """
    tools = ToolSet.from_tools(PETS)
    assert tools.prompt() == (
        "@Pet=(name odd:any owner?:(pets?:[@Pet] name?))\n"
        "listPets List pets. All of them.\n x-trace?\n limit?:int(..100)|null How many.\n"
        " tags?:[any]\n seen?:int\ncreatePet\n body:@Pet The pet.\n x-trace?\ngetPet\n petId:int"
    )
    keywords = {note.keyword for note in tools.notes}
    assert keywords <= {"$ref", "not", "allOf", "required"}


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("getPet(petId=5)", Request("GET", "/pets/5")),
        (
            'listPets(x-trace="t", limit=3, tags=["a", 2], seen=1)',
            Request(
                "GET",
                "/pets",
                query={"limit": 3, "tags": ["a", 2]},
                headers={"x-trace": "t"},
                cookies={"seen": "1"},
            ),
        ),
        (
            'createPet(body=(name="Rex", odd=1, owner=(name="Ann")))',
            Request("POST", "/pets", body={"name": "Rex", "odd": 1, "owner": {"name": "Ann"}}),
        ),
    ],
)
def test_a_call_is_a_request(text: str, request_: Request) -> None:
    """Each argument goes to the place that the document declares."""
    by_name = {operation.definition["name"]: operation for operation in iterate_operations(PETS)}
    [call] = decode(text, ToolSet.from_tools(PETS))
    assert by_name[call.name].request(call.arguments) == request_


def test_a_path_is_quoted() -> None:
    """No argument leads to another path, and list items are separated by commas."""
    document = one(parameters=[{"name": "b", "in": "path", "schema": {}}])
    [operation] = iterate_operations(document)
    assert operation.request({"b": "../x?y#z"}).path == "/a/..%2Fx%3Fy%23z"
    assert operation.request({"b": ["x", True, 5]}).path == "/a/x,true,5"
    assert operation.request({"b": "..."}).path == "/a/..."


@pytest.mark.parametrize("value", ["", ".", "..", []])
def test_a_value_that_leads_to_another_path_is_an_error(value: Any) -> None:
    """HTTP clients remove such segments, so `/a/..` would be `/`."""
    document = one(parameters=[{"name": "b", "in": "path", "schema": {}}])
    [operation] = iterate_operations(document)
    with pytest.raises(EncodeError, match="leaves the path as it is") as caught:
        operation.request({"b": value})
    assert (caught.value.code, caught.value.path) == ("E214", "/b")


def test_only_whole_segments_are_refused() -> None:
    """A value may be `..` or empty if the path has other text in its segment."""
    document = paths(files={})
    document["paths"] = {"/{a}.txt/..": {"get": {"parameters": [{"name": "a", "in": "path"}]}}}
    [operation] = iterate_operations(document)
    assert operation.request({"a": ".."}).path == "/...txt/.."
    assert operation.request({"a": ""}).path == "/.txt/.."


def test_one_name_in_two_places() -> None:
    """The second parameter with the same name includes its place; an operation overrides its
    path.
    """
    listed = [
        {"name": "b", "in": where, "schema": {"type": "integer"}} for where in ("path", "query")
    ]
    document = one(parameters=listed)
    document["paths"]["/a/{b}"]["parameters"] = [{"name": "b", "in": "path", "schema": {}}]
    [operation] = iterate_operations(document)
    assert operation.request({"b": 1, "query_b": 2}) == Request("POST", "/a/1", query={"b": 2})
    clash = [listed[0], {"name": "query_b", "in": "query"}, listed[1]]
    with pytest.raises(SchemaError, match="two parameters of f have the name 'query_b'"):
        [*iterate_operations(one(parameters=clash))]


@pytest.mark.parametrize(
    ("document", "pointer", "why"),
    [
        ({"swagger": "2.0"}, "", "found Swagger 2.0; convert the document first"),
        ({"openapi": "2.1"}, "", "expected OpenAPI 3, found 2.1"),
        ({"openapi": 3}, "", "expected OpenAPI 3, found 3"),
        ({"openapi": "3.1.0", "paths": []}, "", None),
        ({"openapi": "3.1.0", "paths": [1]}, "/paths", "expected an object"),
        ({"openapi": "3.1.0", "paths": {"/a": 1}}, "/paths/~1a", "expected an object"),
        (one(parameters={"a": 1}), "/paths/~1a~1{b}/post/parameters", "expected an array"),
        (
            one(parameters=[{"$ref": "https://example.org/x.json#/y"}]),
            "/paths/~1a~1{b}/post/parameters/0/$ref",
            "refers to another document; copy its target",
        ),
        (
            one(requestBody={"$ref": "#/components/nope"}),
            "/paths/~1a~1{b}/post/requestBody/$ref",
            "refers to nothing",
        ),
        (
            one(requestBody={"content": {"application/json": {"schema": {"$ref": "x.json"}}}}),
            "/paths/~1a~1{b}/post",
            "refers to another document",
        ),
        (
            one(requestBody={"content": {"a/b": {"schema": {"anyOf": [{"$ref": "#/paths"}]}}}}),
            "/paths/~1a~1{b}/post",
            "names no schema of the components",
        ),
        (
            {"openapi": "3.1.0", "paths": {"/a": {"$ref": "#/paths/~1a"}}},
            "/paths/~1a",
            "refers to itself",
        ),
    ],
)
def test_what_cannot_be_read_is_an_error(
    document: dict[str, Any], pointer: str, why: str | None
) -> None:
    """The error for an unsupported document names the place, and a remedy if there is one."""
    if why is None:
        assert len(ToolSet.from_tools(document)) == 0
        return
    with pytest.raises(SchemaError) as caught:
        ToolSet.from_tools(document)
    assert why in str(caught.value)
    assert caught.value.pointer == pointer
    assert caught.value.code in (Code.DEFINITION, Code.REFERENCE)


def paths(**operations: Any) -> dict[str, Any]:
    """Return a document with one `get` operation for each path; `__` means `/`."""
    path_items = {
        f"/{name.replace('__', '/')}": {"get": operation} for name, operation in operations.items()
    }
    return {"openapi": "3.1.0", "paths": path_items}


def test_operations_without_an_id_are_named() -> None:
    """The method and the path name an operation, and parameters inside a path only if needed."""
    document: dict[str, Any] = {"openapi": "3.1.0", "paths": {}}
    for path in (
        "/workspaces/{gid}/events", "/pets/{pet-id}", "/pets", "/a/{b}/c", "/a/c", "/a/{d}/c",
        "/a/{b}/c/", "/",
    ):  # fmt: skip
        document["paths"][path] = {"get": {}}
    document["paths"]["/pets"]["post"] = {"operationId": "get_pets"}
    assert [tool.name for tool in ToolSet.from_tools(document)] == [
        "get_workspaces_events", "get_pets_by_pet_id", "get_pets", "post_pets", "get_a_c",
        "get_a_c_2", "get_a_by_d_c", "get_a_by_b_c", "get",
    ]  # fmt: skip


BAD: list[tuple[Any, str]] = [
    (1, "/paths/~1bad/get"),
    (
        {"requestBody": {"content": {"a/b": {"schema": 5}}}},
        "/paths/~1bad/get/parameters/properties",
    ),
    ({"parameters": [{"$ref": "#/no"}]}, "/paths/~1bad/get/parameters/0/$ref"),
    ({"parameters": [{"name": "a", "in": "query", "schema": {"minimum": "1"}}]}, "/paths/~1bad"),
]


@pytest.mark.parametrize(("bad", "pointer"), BAD)
def test_a_bad_operation_leaves_the_others(bad: Any, pointer: str) -> None:
    """An operation that cannot be read is left out with a note, and `strict` makes it an error."""
    document = paths(good={}, bad=bad)
    document["paths"]["/worse"] = 1
    for tools in (ToolSet.from_tools(document), Toolbox(document)):
        assert [tool.name for tool in tools] == ["get_good"]
        left_out = [note for note in tools.notes if note.handling is Handling.LEFT_OUT]
        assert {note.pointer for note in left_out} > {"/paths/~1worse"}
        assert any(note.pointer.startswith(pointer) for note in left_out)
        assert str(left_out[0]).startswith("a tool is left out: ")
    with pytest.raises(SchemaError) as caught:
        ToolSet.from_tools(document, strict=True)
    assert caught.value.code in (Code.DEFINITION, Code.REFERENCE)
    for read in (ToolSet.from_tools, Toolbox):
        with pytest.raises(SchemaError) as caught:
            read(paths(bad=bad))
        assert caught.value.pointer.startswith(pointer)


def test_a_bad_definition_leaves_the_others_of_a_list() -> None:
    """A list is like a document: its good definitions are read, and the bad ones noted."""
    tools = ToolSet.from_tools([{"name": "a"}, {"nobody": 1}, {"name": "b", "parameters": 5}])
    assert [tool.name for tool in tools] == ["a"]
    assert [note.pointer for note in tools.notes] == ["/1", "/2/parameters"]
    with pytest.raises(SchemaError, match="expected the name of a tool") as caught:
        ToolSet.from_tools([{"name": "a"}, {"nobody": 1}], strict=True)
    assert caught.value.pointer == "/1"


def test_a_schema_of_null_and_a_flag_in_a_pattern() -> None:
    """`"schema": null` allows any value, and a pattern of another dialect is not checked."""
    content = {"application/json": {"schema": None}}
    flagged = {"type": "string", "pattern": r"([^\s]+(\.(?i)(jpg|png))$)"}
    parameters = [{"name": "f", "in": "query", "schema": flagged}]
    tools = ToolSet.from_tools(
        paths(a={"requestBody": {"content": content}, "parameters": parameters})
    )
    assert tools.prompt(descriptions=False) == "get_a(f? body?:any)"
    assert [(note.keyword, note.handling) for note in tools.notes] == [
        ("pattern", Handling.UNCHECKED)
    ]


def test_a_part_that_cannot_be_read_leaves_its_operation() -> None:
    """A bad pattern or a null is left out of its schema with a note, and `strict` refuses it."""
    odd = {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}, "b": None}}
    string_schema = {"type": "string", "pattern": r"\p{Script=Greek}"}
    parameters = [
        {"name": "q", "in": "query", "schema": {"type": "integer", "pattern": 5}},
        {"name": "r", "in": "query", "schema": {**string_schema, "additionalProperties": None}},
    ]
    content = {"application/json": {"schema": odd}}
    document = paths(a={"requestBody": {"content": content}, "parameters": parameters}, b={})
    for tools in (ToolSet.from_tools(document), Toolbox(document)):
        assert [tool.name for tool in tools] == ["get_a", "get_b"]
        assert tools.prompt(descriptions=False).startswith("get_a(q?:int r? body?:(a? b?:any))")
        left_out = [note for note in tools.notes if note.handling is Handling.LEFT_OUT]
        assert {note.pointer for note in left_out} == {"/paths/~1a/get"}
        assert [str(note) for note in left_out] == [
            "a pattern is left out: expected a regular expression, found 5",
            "a pattern is left out: expected a regular expression, found '('",
            "a schema is left out: expected a schema, found None",
        ]
    with pytest.raises(SchemaError) as caught:
        ToolSet.from_tools(document, strict=True)
    assert caught.value.code == Code.DEFINITION


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ({"asyncapi": "3.0.0", "channels": {}}, "an AsyncAPI document"),
        ({"kind": "discovery#restDescription", "discoveryVersion": "v1"}, "of Google"),
        ({"metadata": {}, "operations": {}, "shapes": {}}, "of AWS"),
    ],
)
def test_other_descriptions_of_apis_are_named(document: dict[str, Any], name: str) -> None:
    with pytest.raises(SchemaError, match=name) as caught:
        ToolSet.from_tools(document)
    assert caught.value.code == Code.DEFINITION
    assert caught.value.hint == "convert the document to OpenAPI 3"


def test_a_schema_that_is_too_deep_is_let_be() -> None:
    """A schema beyond the maximum depth becomes a value of any type."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(300):
        schema = {"type": "array", "items": schema}
    content = {"application/json": {"schema": schema}}
    with pytest.raises(SchemaError):
        ToolSet.from_tools(one(requestBody={"content": content}))


def test_the_command_reads_a_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Commands read a document like any other definitions."""
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(PETS), "utf-8")
    assert main(["schema", "--no-descriptions", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "getPet(petId:int)"


def test_a_document_in_a_list_has_a_hint() -> None:
    """The error for a document in a list has a hint."""
    with pytest.raises(SchemaError) as caught:
        ToolSet.from_tools([{"openapi": "3.1.0"}])
    assert caught.value.hint == "pass an OpenAPI document by itself, not in a list"
