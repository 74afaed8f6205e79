"""Test that `$ref` is replaced by the schema that it names (R-417)."""

from typing import Any

import pytest

from lton import SchemaError, ToolSet
from lton.errors import Code
from lton.schema.jsonschema.compile import compile_object
from lton.schema.types import MAX_POSITIONS
from tests.cases import INT, STR

NODE = {
    "properties": {"value": INT, "next": {"$ref": "#/$defs/node"}, "all": {"$ref": "#"}},
    "required": ["value"],
}


def _prompt(schema: dict[str, Any]) -> str:
    return ToolSet.from_tools([{"title": "f", **schema}]).prompt(descriptions=False)


def test_a_schema_within_itself_is_any_value() -> None:
    """A layout of a recursive schema ends in a value of any type, and a note says where."""
    schema = {"$ref": "#/$defs/node", "$defs": {"node": NODE}}
    args, notes = compile_object(schema, "/x")
    assert [param.name for param in args.params] == ["value", "next", "all"]
    places = [f"/x/$defs/node/properties/{name}/$ref" for name in ("next", "all")]
    assert [(note.pointer, note.keyword) for note in notes] == [(at, "$ref") for at in places]


def test_tuples_of_old_drafts_may_hold_references() -> None:
    """Tuples in the notation of old drafts may contain references, because many schemas name no
    draft.
    """
    pair = {"items": [{"$ref": "#/definitions/n"}, STR]}
    assert (
        _prompt({"properties": {"x": pair}, "definitions": {"n": INT}}) == "f(x?:[int str ...:any])"
    )


def test_what_cannot_be_searched_for_names_is_refused() -> None:
    """References into a value that is not a schema are refused."""
    schema = {"properties": {"x": {"$ref": "#/$defs/n"}}, "$defs": {"n": INT}}
    inside = {"$id": "http://x.y/", "definitions": {"m": {"$id": "http://[::1"}}}
    for strange in ({"$id": 3}, inside, {"definitions": 3}, {"$defs": [1]}):
        with pytest.raises(SchemaError) as caught:
            _prompt({**schema, **strange})
        assert caught.value.code in (Code.DEFINITION, Code.REFERENCE)


def test_conditional_members_have_a_place_wherever_a_schema_is_named() -> None:
    """Conditional members keep their places in a schema that was already compiled."""
    node = {"properties": {"a": INT}, "if": {"required": ["a"]}, "then": {"properties": {"b": STR}}}
    uses = {"x": {"$ref": "#/$defs/n"}, "y": {"$ref": "#/$defs/n"}}
    assert _prompt({"properties": uses, "$defs": {"n": node}}) == "f(x?:(a?:int b?) y?:(a?:int b?))"


def test_an_id_is_a_place_of_its_own() -> None:
    """References inside a part with an `$id` are relative to it."""
    inner = {"$id": "inner", "properties": {"y": {"$ref": "#/$defs/n"}}, "$defs": {"n": STR}}
    outer = {"properties": {"x": inner, "z": {"$ref": "#/$defs/n"}}, "$defs": {"n": INT}}
    assert _prompt({"$id": "https://example.com/outer", **outer}) == "f(x?:(y?) z?:int)"


def test_references_are_not_spelled_out_without_end() -> None:
    """R-1105: the expanded size of references is limited, and checked in little time."""
    steps = 40
    defs: dict[str, Any] = {
        f"a{i}": {"items": {"anyOf": [{"$ref": f"#/$defs/a{i + 1}"}] * 8}} for i in range(steps)
    }
    with pytest.raises(SchemaError) as caught:
        _prompt({"properties": {"x": {"$ref": "#/$defs/a30"}}, "$defs": {**defs, "a40": INT}})
    assert caught.value.code == Code.SCHEMA_SIZE
    assert str(MAX_POSITIONS) in caught.value.msg


REPEATED: dict[str, Any] = {
    "labels": {"enum": [f"label{i}" for i in range(3000)]},
    "numbers": {"enum": list(range(3000))},
    "a description": {**STR, "description": "x" * 30_000},
    "a default": {"default": list(range(3000))},
    "required names": {"type": "object", "required": [f"x{i}" for i in range(3000)]},
    "a description inside": {"properties": {"q": {"description": "x " * 15_000}}},
    "another reference": {"properties": {"q": {"$ref": "#/$defs/long"}}},
}


@pytest.mark.parametrize("part", REPEATED.values(), ids=REPEATED)
@pytest.mark.untraced
def test_texts_are_not_repeated_without_end(part: Any) -> None:
    """R-1105: 3,000 references to 30 kB, which would make a prompt of 90 MB, are refused."""
    defs = {"n": part, "long": REPEATED["a description"]}
    few, many = (
        {"properties": {f"p{i}": {"$ref": "#/$defs/n"} for i in range(n)}, "$defs": defs}
        for n in (20, 3000)
    )
    assert len(_prompt(few)) < 10**7
    with pytest.raises(SchemaError) as caught:
        _prompt(many)
    assert caught.value.code == Code.SCHEMA_SIZE


def test_what_is_named_twice_is_read_once() -> None:
    """A named schema is compiled once, even if it consists only of references."""
    uses = {f"p{i}": {"$ref": "#/$defs/n"} for i in range(1000)}
    args, notes = compile_object({"properties": uses, "$defs": {"n": {**STR, "format": "x"}}}, "")
    assert len({id(param.type) for param in args.params}) == 1
    assert [note.pointer for note in notes] == ["/$defs/n/format"]
