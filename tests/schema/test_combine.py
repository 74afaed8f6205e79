"""Test unions and intersections of types (R-414): the accepted values, and surplus values."""

from typing import Any

import pytest

from lton import SchemaError
from lton.errors import Code
from lton.schema.jsonschema.combine import have_common_values, intersect_types, unite_types
from lton.schema.jsonschema.compile import compile_object
from lton.schema.types import ANY, Array, Number, String, Type
from tests.cases import INT, INTS, MAP, NUM, STR

NULL = {"type": "null"}
YES = {"const": True}
NO = {"const": False}
SHORT = {**STR, "maxLength": 3}
LONG = {**STR, "minLength": 5}
ONE = {"properties": {"a": INT}}
TWO = {"properties": {"b": INT}}
LABELS = {"enum": ["a", "b"]}


def types(*schemas: Any) -> list[Type]:
    """Return the type of each schema."""
    type_list = []
    for schema in schemas:
        args, _ = compile_object({"properties": {"x": schema}, "required": ["x"]}, "")
        type_list.append(args.params[0].type)
    return type_list


@pytest.mark.parametrize(
    ("schemas", "is_exact"),
    [
        ([INT, STR, NULL], True),
        ([YES, NO], True),
        ([INT, INT], True),
        ([INT, NUM], True),
        ([LABELS, {"enum": ["c"]}], True),
        ([{"enum": [1]}, {"enum": [2.5]}], True),
        ([STR, LABELS], True),
        ([SHORT, LABELS], False),
        ([SHORT, STR], True),
        ([SHORT, LONG], False),
        ([{**INT, "minimum": 1}, {**INT, "minimum": 3}], True),
        ([{**INT, "minimum": 1}, {**NUM, "maximum": 3}], False),
        ([{"enum": [1]}, {**INT, "minimum": 3}], False),
        ([INTS, {"type": "array", "items": NUM}], True),
        ([INTS, {"type": "array", "items": STR}], False),
        ([MAP, {"properties": {"a": INT}}], False),
        ([True, INT], True),
        ([{**ONE, "additionalProperties": False}, {**TWO, "additionalProperties": False}], False),
    ],
)
def test_a_union_says_whether_it_is_exact(schemas: list[Any], is_exact: bool) -> None:
    """A union is exact if each kind comes from one type, is listed, or is unlimited in one of the
    types.
    """
    assert unite_types(types(*schemas))[1] is is_exact


@pytest.mark.parametrize("keyword", ["anyOf", "allOf"])
def test_many_large_objects_are_refused(keyword: str) -> None:
    """R-1105: a union of many large objects is refused, because each object may have the members of
    all others.
    """
    parts = [{"properties": {f"p{i}": INT}, "additionalProperties": STR} for i in range(1001)]
    with pytest.raises(SchemaError) as caught:
        types({keyword: parts})
    assert caught.value.code == Code.SCHEMA_SIZE
    assert caught.value.pointer == "/properties/x"


@pytest.mark.parametrize(
    ("schemas", "is_shared"),
    [
        ([INT, STR], False),
        ([INT, NUM], True),
        ([YES, NO], False),
        ([YES, {"type": "boolean"}], True),
        ([NULL, {**STR, "nullable": True}], True),
        ([LABELS, {"enum": ["c"]}], False),
        ([LABELS, {"enum": ["b", "c"]}], True),
        ([LABELS, STR], True),
        ([{"enum": [1]}, {"enum": [1.0]}], True),
        ([INTS, INTS], True),
        ([MAP, MAP], True),
        ([INTS, MAP], False),
    ],
)
def test_types_overlap(schemas: list[Any], is_shared: bool) -> None:
    """Two types overlap if both may accept some value."""
    assert have_common_values(types(*schemas)) is is_shared


@pytest.mark.parametrize(
    ("schemas", "expected"),
    [
        ([INT, STR], Type()),
        ([INT, NUM], Type(number=Number(integer=True))),
        ([SHORT, LONG], Type(string=String(min_length=5, max_length=3))),
        ([LABELS, {"enum": ["b", "c"]}], Type(string=String(values=("b",)))),
        ([LABELS, {"enum": ["c"]}], Type()),
        ([LABELS, {**STR, "minLength": 2}], Type()),
        ([{"enum": [1, 2.5]}, INT], Type(number=Number(integer=True, values=(1,)))),
        ([{"enum": [1]}, {"enum": [2]}], Type()),
        (
            [{**INT, "minimum": 1}, {**INT, "maximum": 3}],
            types({**INT, "minimum": 1, "maximum": 3})[0],
        ),
        ([{"type": ["integer", "null"]}, {"type": ["string", "null"]}], Type(null=True)),
        ([YES, {"type": "boolean"}], Type(booleans=(True,))),
        (
            [{**INTS, "minItems": 1}, {**INTS, "maxItems": 2}],
            types({**INTS, "minItems": 1, "maxItems": 2})[0],
        ),
        ([INTS, {"type": "array", "items": STR}], Type(array=Array(items=Type()))),
        ([True, True], ANY),
        ([True, INT], Type(number=Number(integer=True))),
    ],
    ids=str,
)
def test_an_intersection_takes_what_all_take(schemas: list[Any], expected: Type) -> None:
    """An intersection keeps the common kinds, the tightest limits and the common labels."""
    assert intersect_types(types(*schemas)) == expected


@pytest.mark.parametrize(
    ("schemas", "expected"),
    [
        (
            [{"properties": {"a": INT}, "additionalProperties": STR}, {"required": ["b"]}],
            {"properties": {"a": INT, "b": STR}, "required": ["b"], "additionalProperties": STR},
        ),
        ([{"properties": {"a": INT}, "additionalProperties": False}, {"required": ["b"]}], None),
        (
            [{"properties": {"a": INT}, "additionalProperties": True}, {"type": "object"}],
            {"properties": {"a": INT}, "additionalProperties": True},
        ),
        (
            [{"additionalProperties": INT}, {"additionalProperties": NUM}],
            {"additionalProperties": INT},
        ),
    ],
    ids=str,
)
def test_an_intersection_of_objects(schemas: list[Any], expected: Any) -> None:
    """Members that one schema declares are limited by the other schemas, declared or not."""
    combined = types({"allOf": schemas})[0]
    assert combined.object == (types(expected)[0].object if expected else None)
