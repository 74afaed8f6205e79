"""Test that a signature shows all members of a schema, or that the tool keeps the schema."""

from typing import Any

import pytest

from lton.mcp_proxy.approvals import Approvals
from lton.mcp_proxy.catalogue import Catalogue, ProxySettings
from lton.mcp_proxy.proxy import Proxy
from lton.mcp_proxy.unshown import find_unshown_names, members_of
from tests.mcp_proxy.test_catalogue import WEATHER
from tests.mcp_proxy.test_proxy import Pair

STRING = {"type": "string"}
PAGE = {"type": "object", "properties": {"page_id": STRING}, "required": ["page_id"]}
DATABASE = {"type": "object", "properties": {"database_id": STRING}, "required": ["database_id"]}
TEXT = {"type": "object", "properties": {"content": STRING, "link": STRING}}
BLOCK = {"properties": {"text": TEXT}}
OTHER = {"properties": {"kind": STRING}, "additionalProperties": True}


def of(part: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": part}, **more}


def move(part: Any, **more: Any) -> dict[str, Any]:
    return {"name": "move", "inputSchema": of(part, **more)}


@pytest.mark.parametrize(
    ("schema", "signature"),
    [
        (of(STRING), "x?"),
        (of({"anyOf": [STRING, TEXT]}), "x?:str|(content? link?)"),
        (of({"anyOf": [PAGE, {"type": "null"}]}), "x?:(page_id)|null"),
        (of({"anyOf": [TEXT, {"properties": {"content": STRING}}]}), "x?:(content? link?)"),
        (of({"oneOf": [PAGE, DATABASE]}), "x?:(page_id)|(database_id)"),
        (of({"oneOf": [PAGE, {"oneOf": [DATABASE, TEXT]}]}),
         "x?:(page_id)|(database_id)|(content? link?)"),
        (of({"items": {"anyOf": [BLOCK, OTHER]}}),
         "x?:[(text?:(content? link?))|(kind? ...:any)]"),
        (of({"anyOf": [PAGE, True]}), "x?:(page_id)|any"),
        (of({"anyOf": [{"$ref": "#/$defs/a"}, DATABASE]}, **{"$defs": {"a": PAGE}}),
         "x?:(page_id)|(database_id)"),
    ],
)  # fmt: skip
def test_a_union_is_shown_by_its_choices(schema: Any, signature: str) -> None:
    """A union is shown as its alternatives if their common layout would hide a name or a
    requirement.
    """
    catalogue = Catalogue.of([{"name": "f", "inputSchema": schema}], ProxySettings(budget=0))
    assert not catalogue.notes
    assert catalogue.listing[0]["description"].endswith(f"\nf({signature})")


def test_descriptions_of_choices_are_shown_once() -> None:
    """A description that two alternatives share is shown once, and an object in both gets a
    name.
    """
    inner = {
        "properties": {
            "id": {"type": "integer", "description": "Its number"},
            "kind": {"properties": {"content": STRING, "destination": STRING}},
        }
    }
    one, two = ({**inner, "required": [name]} for name in ("id", "kind"))
    tool = move({"anyOf": [one, two]})
    signatures = Catalogue.of([tool], ProxySettings(mode="search")).search_tools("move")
    assert signatures.partition("\nLike this")[0] == (
        "@kind=(content? destination?)\nmove\n x?:(id:int kind?:@kind)|(kind:@kind id?:int)\n"
        "  x.id Its number"
    )


def test_objects_of_tools_that_do_not_fit_a_budget_have_no_descriptions() -> None:
    """A named object is described if a described tool contains it."""
    inner = {"properties": {"destination": {**STRING, "description": "Where to " + "go " * 99}}}
    tools = [{**move({"anyOf": [inner, TEXT]}), "name": name} for name in ("a", "b")]
    for budget, count in ((None, 1), (0, 0), (10, 0)):
        catalogue = Catalogue.of(tools, ProxySettings(budget=budget))
        assert catalogue.listing[0]["description"].count("Where to go") == count


@pytest.mark.parametrize(
    ("schema", "hidden"),
    [
        (of({"oneOf": [PAGE, DATABASE]}), ""),
        (of(TEXT), ""),
        (of(STRING, allOf=[{"if": {"properties": {}}}]), ""),
        (of({**STRING, "properties": {"z": STRING}}), "z"),
    ],
)
def test_a_tool_whose_signature_hides_a_name_is_listed_with_its_schema(
    schema: Any, hidden: str
) -> None:
    """A tool whose signature hides a name is listed with its schema, and the user is told."""
    tool = {"name": "f", "inputSchema": schema}
    catalogue = Catalogue.of([tool], ProxySettings())
    assert catalogue.notes == tuple(
        f"f keeps its JSON Schema: a signature hides {hidden}" for _ in [hidden] if hidden
    )
    assert (tool in catalogue.listing) == bool(hidden)


@pytest.mark.parametrize(
    "schema", [None, True, [], of({"$ref": "#/a/b"}), of({"$ref": 5}), of({"anyOf": 5})]
)
def test_what_is_no_schema_hides_nothing(schema: Any) -> None:
    """An invalid schema hides nothing."""
    assert find_unshown_names(members_of(schema), "f(x)") == []


def test_a_user_is_told_once() -> None:
    """The user is told once, at the first list, which is unchanged."""
    reports: list[str] = []
    pair = Pair()
    pair.proxy = Proxy(ProxySettings(), approvals=Approvals(report=reports.append))
    for _ in range(2):
        ((_, answer),) = pair.list(WEATHER, move({**STRING, "properties": {"z": STRING}}))
        assert len(answer["result"]["tools"]) == 2
    assert reports == ["move keeps its JSON Schema: a signature hides z"]
