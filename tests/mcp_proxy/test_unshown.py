"""A user is told which tools have a signature that does not show all of their schema."""

from typing import Any

import pytest

from lton.mcp_proxy.approvals import Approvals
from lton.mcp_proxy.catalogue import Catalogue, ProxySettings
from lton.mcp_proxy.proxy import Proxy
from lton.mcp_proxy.unshown import unshown
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
    ("schema", "hidden"),
    [
        (of(STRING), []),
        (of(TEXT), []),
        (of({"type": "array", "items": TEXT}), []),
        (of({"anyOf": [STRING, TEXT]}), []),
        (of({"anyOf": [PAGE, {"type": "null"}]}), []),
        (of({"anyOf": [TEXT, {"type": "object", "properties": {"content": STRING}}]}), []),
        (of({"oneOf": [PAGE, DATABASE]}), ["database_id", "page_id"]),
        (of({"type": "array", "items": {"anyOf": [BLOCK, OTHER]}}), ["content", "link"]),
        (
            of({"anyOf": [{"$ref": "#/$defs/a"}, DATABASE]}, **{"$defs": {"a": PAGE}}),
            ["database_id", "page_id"],
        ),
        (of(STRING, **{"$defs": {"unused": {"oneOf": [PAGE, DATABASE]}}}), []),
        (of({"type": "object", "properties": {"a b": STRING}}), []),
        (of({"$ref": "#/$defs/a~1b"}, **{"$defs": {"a/b": TEXT}}), []),
    ],
)  # fmt: skip
def test_what_the_signature_of_a_schema_does_not_show(schema: Any, hidden: list[str]) -> None:
    """Members that are gone, and those that some alternatives of a union require."""
    catalogue = Catalogue.of([{"name": "f", "inputSchema": schema}], ProxySettings(mode="tools"))
    assert catalogue.notes == tuple(
        f"the signature of f does not show as it is: {', '.join(hidden)}" for _ in hidden[:1]
    )


@pytest.mark.parametrize(
    "schema", [None, True, [], of({"$ref": "#/a/b"}), of({"$ref": 5}), of({"anyOf": 5})]
)
def test_what_is_no_schema_hides_nothing(schema: Any) -> None:
    """A server may list anything."""
    assert unshown(schema, "f(x)") == []


def test_a_user_is_told_once() -> None:
    """At the first list, which is as it was."""
    told: list[str] = []
    pair = Pair()
    pair.proxy = Proxy(ProxySettings(), approvals=Approvals(report=told.append))
    for _ in range(2):
        ((_, answer),) = pair.list(WEATHER, move({"anyOf": [PAGE, DATABASE]}))
        assert len(answer["result"]["tools"]) == 1
    assert told == ["the signature of move does not show as it is: database_id, page_id"]
