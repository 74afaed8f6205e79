"""Compare the checks of keywords with `jsonschema`, and limit their time."""

import random
from contextlib import nullcontext, suppress
from itertools import product
from typing import Any

import jsonschema
import pytest
from jsonschema.validators import validator_for
from referencing.exceptions import Unresolvable

from fuzz.definitions import schema, value
from lton import Call, DecodeError, EncodeError, ToolSet, decode, encode
from lton.errors import Code, SchemaError
from lton.schema.jsonschema import validation
from lton.schema.jsonschema.constraints import Constraints
from lton.schema.jsonschema.tally import Handling
from lton.schema.jsonschema.validation import MAX_STEPS
from tests.cases import INT, STR, sizes
from tests.schema.test_constraints import taking

DRAFT_4, DRAFT_7, DRAFT_2019 = (
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
)
TREE = {
    "$id": "http://x.y/tree",
    "$dynamicAnchor": "node",
    "properties": {"n": INT, "kids": {"items": {"$dynamicRef": "#node"}}},
}
STRICT_TREE = {
    "$id": "http://x.y/strict-tree",
    "$dynamicAnchor": "node",
    "$ref": "tree",
    "unevaluatedProperties": False,
    "$defs": {"tree": TREE},
}
OLD_TREE = {
    "$schema": DRAFT_2019,
    "$id": "http://x.y/strict",
    "$recursiveAnchor": True,
    "$ref": "tree",
    "unevaluatedProperties": False,
    "$defs": {
        "tree": {
            "$id": "http://x.y/tree",
            "$recursiveAnchor": True,
            "properties": {"n": INT, "kids": {"items": {"$recursiveRef": "#"}}},
        }
    },
}
CLOSED_TREE = {"properties": {"kids": {"items": {"$recursiveRef": "#"}}, "n": INT}}
SCHEMAS: list[Any] = [
    STRICT_TREE,
    OLD_TREE,
    {"$schema": DRAFT_2019, **CLOSED_TREE},
    {"$schema": DRAFT_2019, "$recursiveAnchor": True, **CLOSED_TREE},
    {"properties": {"a": {"$dynamicRef": "#/$defs/n"}}, "$defs": {"n": INT}},
    {"properties": {"a": {"multipleOf": 1e-8}, "n": {"multipleOf": 2}}},
    {"additionalProperties": {"multipleOf": 4.0}},
    {"additionalProperties": {"exclusiveMinimum": 1, "exclusiveMaximum": 3, "type": "number"}},
    {"properties": {"a": {"minLength": 1, "maxLength": 1}}, "minProperties": 1, "maxProperties": 2},
    {"properties": {"kids": {"minItems": 1, "maxItems": 1, "uniqueItems": True}}},
    {"properties": {"kids": {"uniqueItems": False, "contains": INT, "maxContains": 1}}},
    {"properties": {"kids": {"contains": INT, "minContains": 0, "unevaluatedItems": False}}},
    {"properties": {"kids": {"prefixItems": [INT], "items": STR}}},
    {"properties": {"kids": {"items": [INT], "additionalItems": STR}}, "$schema": DRAFT_7},
    {"properties": {"kids": {"prefixItems": [INT], "unevaluatedItems": STR}}},
    {"properties": {"kids": {"anyOf": [{"prefixItems": [INT]}, True], "unevaluatedItems": False}}},
    {"anyOf": [{"required": ["a"]}, {"required": ["n"]}], "propertyNames": {"maxLength": 1}},
    {"oneOf": [{"required": ["a"]}, {"required": ["n"]}]},
    {"allOf": [{"properties": {"a": INT}}], "unevaluatedProperties": {"type": "array"}},
    {
        "anyOf": [{"properties": {"a": INT}}, {"properties": {"n": INT}}],
        "unevaluatedProperties": False,
    },
    {"if": {"required": ["a"]}, "then": {"required": ["n"]}, "else": {"required": ["kids"]}},
    {"if": {"required": ["a"]}, "else": False},
    {
        "patternProperties": {"^a": INT, "^n": {"enum": [1, [1], True]}},
        "additionalProperties": False,
    },
    {"patternProperties": {"^a": INT}, "additionalProperties": STR},
    {"dependentSchemas": {"a": {"required": ["n"]}}, "dependentRequired": {"kids": ["a"]}},
    {"dependencies": {"a": {"required": ["n"]}, "kids": ["a"]}, "$schema": DRAFT_7},
    {"not": {"required": ["a"]}, "properties": {"n": {"const": [1, {"a": 1.0}]}}},
    {"properties": {"a": False}},
    {"properties": {"n": {"multipleOf": 0.4}}},
    {**OLD_TREE, "$recursiveAnchor": False},
    {"$schema": DRAFT_4, "properties": {"n": {"minimum": 1, "exclusiveMinimum": True}}},
    {
        "anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}],
        "$defs": {"n": {"oneOf": [{"required": ["a"]}]}},
    },
    {
        "properties": {"a": {"$ref": "#/definitions/n", "minimum": 5}},
        "definitions": {"n": INT},
        "$schema": DRAFT_7,
    },
    {"properties": {"a": {"$ref": "http://json-schema.org/draft-07/schema#"}}},
    {
        "properties": {"a": {"$ref": "#n"}},
        "definitions": {"n": {"$id": "#n", **INT}},
        "$schema": DRAFT_7,
    },
    {"properties": {"a": {"$ref": "#n"}}, "$defs": {"n": {"$anchor": "n", **INT}}},
    {"properties": {"a": {"$ref": "#/allOf/0"}}, "allOf": [{"type": "object"}]},
    {"$id": "urn:x:y", "properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": INT}},
    {
        "$schema": DRAFT_4,
        "id": "http://x.y/a",
        "properties": {"a": {"$ref": "b"}},
        "definitions": {"b": {"id": "b", **STR}},
    },
]
PARTS: list[Any] = [None, 0, 1, 1.0, 2.5, 6, 1e300, "a", "ab", [], [1], [1, 1.0], [1, {"a": 1}], {}]
VALUES: list[dict[str, Any]] = [
    {},
    *({name: part} for name, part in product(("a", "n", "kids", "ab"), PARTS)),
    *({"a": one, "n": other} for one, other in product(PARTS[2:5], PARTS[2:5])),
    *({"kids": kids} for kids in ([1, "a"], ["a", 1], [1, 2], [{"n": 1, "kids": [{"n": "x"}]}])),
    {"kids": [{"n": 1, "m": 2}]},
    {"kids": [{"kids": [{"m": 2}]}]},
    {"a": {"type": 5}},
    {"n": [1, {"a": 1}], "kids": [], "a": 1},
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_the_reference_agrees(schema: Any) -> None:
    """The checks agree with `jsonschema` on every keyword."""
    check = Constraints(schema)
    reference = validator_for(schema, default=jsonschema.Draft202012Validator)(schema)
    wrong = [one for one in VALUES if (check(one) is None) != reference.is_valid(one)]
    assert wrong == []
    assert 0 < sum(check(one) is None for one in VALUES) < len(VALUES)


@pytest.mark.untraced
@pytest.mark.parametrize("count", sizes(600, 3000))
def test_the_reference_agrees_on_made_schemas(count: int) -> None:
    """The checks agree with `jsonschema` on generated schemas, if it gives an answer."""
    choose = random.Random(4)

    def number(last: int) -> int:
        return choose.randint(0, last)

    compared = 0
    for _ in range(count):
        document = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "properties": {"a": schema(number)},
        }
        document |= {"additionalProperties": schema(number), "$defs": {"a": schema(number)}}
        if str(document).count("$schema") > 1:
            continue  # a part of another draft
        try:
            jsonschema.Draft202012Validator.check_schema(document)
            ToolSet.from_tools([{"name": "f", "parameters": document}], standard=True, strict=True)
        except (jsonschema.SchemaError, ValueError, RecursionError):
            continue
        check = Constraints(document, formats=False)
        reference = jsonschema.Draft202012Validator(document)
        for arguments in ({"a": value(number)}, {"b": value(number)}, {"a": value(number), "b": 1}):
            with suppress(Unresolvable, RecursionError):
                expected = reference.is_valid(arguments)
                compared += 1
                assert (check(arguments) is None) == expected, (document, arguments)
    assert compared > count // 3


# --- drafts -------------------------------------------------------------------------------------

NEWER: list[tuple[int, Any]] = [
    (6, {"properties": {"n": {"const": 1}}}),
    (6, {"properties": {"kids": {"contains": STR}}}),
    (6, {"propertyNames": {"maxLength": 1}}),
    (7, {"if": {"required": ["a"]}, "then": {"required": ["n"]}, "else": {"required": ["ab"]}}),
    (2019, {"dependentRequired": {"a": ["n"]}}),
    (2019, {"dependentSchemas": {"a": {"required": ["n"]}}}),
    (2019, {"properties": {"kids": {"minContains": 2, "contains": {}}}}),
    (2019, {"properties": {"kids": {"unevaluatedItems": STR}}}),
    (2019, {"properties": {"n": {}}, "unevaluatedProperties": False}),
    (2019, {"properties": {"n": STR, "kids": {"items": {"$recursiveRef": "#"}}}}),
    (2020, {"properties": {"kids": {"prefixItems": [STR]}}}),
    (2020, {"properties": {"a": {"$dynamicRef": "#/$defs/s"}}, "$defs": {"s": STR}}),
]
"""Schemas, each with a keyword that a draft added."""
DRAFTS = {
    4: DRAFT_4,
    6: "http://json-schema.org/draft-06/schema#",
    7: DRAFT_7,
    2019: DRAFT_2019,
    2020: "https://json-schema.org/draft/2020-12/schema",
}


@pytest.mark.parametrize(
    ("draft", "since", "part"),
    [
        (draft, since, part)
        for draft, (since, part) in product(DRAFTS, NEWER)
        if draft != 2020 or "$recursiveRef" not in str(part)  # that draft has it no more
    ],
    ids=str,
)
def test_the_standard_ignores_keywords_of_later_drafts(draft: int, since: int, part: Any) -> None:
    """Keywords of later drafts are ignored with a note, like in `jsonschema`; without `standard`
    they count.
    """
    schema = {"$schema": DRAFTS[draft], "type": "object", **part}
    definitions = [{"name": "f", "parameters": schema}]
    tools = ToolSet.from_tools(definitions, standard=True)
    assert any(note.handling is Handling.UNCHECKED for note in tools.notes) == (since > draft)
    with pytest.raises(SchemaError) if since > draft else nullcontext():
        ToolSet.from_tools(definitions, standard=True, strict=True)
    reference = validator_for(schema)(schema)
    valid_values = [value for value in VALUES if is_taken(value, tools)]
    assert valid_values == [value for value in VALUES if reference.is_valid(value)]
    loose = ToolSet.from_tools(definitions)
    assert not all(is_taken(value, loose) for value in VALUES)


def is_taken(arguments: Any, tools: ToolSet) -> bool:
    """Return whether a call with these arguments can be written."""
    with suppress(EncodeError):
        return bool(encode(Call("f", arguments), tools))
    return False


def test_a_part_with_an_address_has_its_own_draft() -> None:
    """A part with an `$id` has its own draft: `prefixItems` is not a keyword in draft 7."""
    part = {"prefixItems": [STR]}
    old = {"$schema": DRAFT_7, "$id": "http://x.y/old", **part}
    schema = {"type": "object", "properties": {"new": part, "old": old}}
    tools = ToolSet.from_tools([{"name": "f", "parameters": schema}], standard=True)
    assert is_taken({"old": [1]}, tools)
    assert not is_taken({"new": [1]}, tools)


# --- hostile schemas ----------------------------------------------------------------------------


def nested_one_of(depth: int) -> Any:
    """Return nested alternatives of which never exactly one is valid."""
    return {"oneOf": [nested_one_of(depth - 1)] * 2} if depth else {**INT, "multipleOf": 7}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({**STR, "pattern": "^(a+)+$"}, "a" * 5000 + "!"),
        (
            {"patternProperties": {"^(a+)+$": INT}, "additionalProperties": False},
            {"a" * 5000 + "!": 1},
        ),
        ({"type": "object", "propertyNames": {"pattern": "(a*)*b"}}, {"a" * 5000: 1}),
        (nested_one_of(12), 3),
        ({"items": {}, "uniqueItems": True}, [{"a": i // 2} for i in range(5000)]),
        (
            {"items": {}, "uniqueItems": True},
            [[str(i), i // 2][i % 2] for i in range(5001)] + [0, 0],
        ),
    ],
    ids=["pattern", "names by pattern", "names", "nested oneOf", "maps", "words and numbers"],
)
@pytest.mark.untraced
def test_foreign_schemas_keep_nobody_busy(schema: Any, value: Any) -> None:
    """Schemas that would take hours, or quadratic time, are refused quickly."""
    tools = taking(schema)
    with pytest.raises(EncodeError) as unwritten:
        encode(Call("f", {"x": value}), tools)
    with pytest.raises(DecodeError) as unread:
        decode(encode(Call("f", {"x": value}), form="tagged"), tools)
    assert unwritten.value.code == unread.value.code == Code.CONSTRAINT


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({**STR, "pattern": "(?=.*b)"}, "a" * 5000),
        ({"items": {"not": nested_one_of(12)}}, list(range(1000, 1300))),
    ],
    ids=["looks ahead everywhere", "thousands of schemas for each item"],
)
def test_too_many_steps_are_an_error_of_their_own(
    schema: Any, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many steps are an error with its own code, which does not depend on the machine."""
    monkeypatch.setattr(validation, "MAX_STEPS", MAX_STEPS // 20)
    tools = taking(schema)
    with pytest.raises(DecodeError, match=str(MAX_STEPS)) as unread:
        decode(encode(Call("f", {"x": value}), form="tagged"), tools)
    with pytest.raises(EncodeError) as unwritten:
        encode(Call("f", {"x": value}), tools)
    assert unwritten.value.code == unread.value.code == Code.CHECK_SIZE


def test_large_arguments_may_take_more_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of steps grows with the size of the arguments."""
    monkeypatch.setattr(validation, "MAX_STEPS", MAX_STEPS // 10)
    tools = taking({"items": {**INT, "multipleOf": 1}})
    numbers: list[Any] = list(range(30_000))
    assert len(encode(Call("f", {"x": numbers}), tools)) > 100_000


def test_what_goes_round_is_refused() -> None:
    """Circular checks are refused, even if no layout or limit of steps shows them."""
    loop = {"$dynamicAnchor": "a", "allOf": [{"$dynamicRef": "#a"}]}
    assert Constraints(loop)({}) is not None
    assert Constraints({"$ref": "#/x"})({}) is not None
    wrong = {"$dynamicAnchor": "a", "type": "strange"}
    assert Constraints({"$dynamicRef": "#a", "$defs": {"a": wrong}})({}) is not None
    assert Constraints({"dependencies": {"a": [[1]]}})({"a": 1}) is not None
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    assert Constraints({"const": deep})({}) is not None


def test_a_schema_may_be_changed_by_its_owner() -> None:
    """A check has its own copy of the schema."""
    part = {**INT, "maximum": 5}
    check = Constraints({"properties": {"a": part}})
    part["maximum"] = 9
    assert check({"a": 7}) is not None
