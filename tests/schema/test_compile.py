"""Test compiling JSON Schema to types, by the resulting signatures."""

from dataclasses import replace
from typing import Any

import pytest

from lton import Call, EncodeError, SchemaError, encode
from lton.errors import Code, escape
from lton.schema.jsonschema.compile import compile_object
from lton.schema.shown.signature import write_signature
from lton.schema.types import (
    ANY,
    Array,
    Number,
    Object,
    String,
    Tool,
    Type,
    _make_any_type,
    describe_allowed,
)
from tests.cases import INT, INTS, MAP, NUM, POINT, STR, taking
from tests.steps import steps

COMPILED: list[tuple[Any, str]] = [
    # kinds
    ({"type": "string"}, "str"),
    ({"type": "integer"}, "int"),
    ({"type": "number"}, "num"),
    ({"type": "boolean"}, "bool"),
    ({"type": "null"}, "null"),
    ({"type": "array"}, "[any]"),
    ({"type": "object"}, "{any}"),
    ({}, "any"),
    (True, "any"),
    (False, "never"),
    ({"type": []}, "never"),
    ({"title": "only a title"}, "any"),
    ({"items": INT}, "[int]"),
    ({"type": "array", "items": False}, "[never]"),
    # unions, R-414
    ({"type": ["string", "null"]}, "str|null"),
    ({"type": ["null", "array", "integer"], "items": STR}, "int|[str]|null"),
    ({"type": ["integer", "number"]}, "num"),
    ({"anyOf": [NUM, INT]}, "num"),
    ({"anyOf": [INT, INT, STR]}, "str|int"),
    ({"anyOf": [STR, {"type": "null"}]}, "str|null"),
    ({"oneOf": [{"const": "a"}, {"const": 1}, {"const": True}, {"const": None}]}, "a|1|true|null"),
    ({"anyOf": [{"const": True}, {"const": False}]}, "bool"),
    ({"anyOf": [POINT, {"type": "string"}]}, "str|(a:int b? c?:int d?:int)"),
    ({"anyOf": [{**INT, "minimum": 1}, {**INT, "minimum": 1}]}, "int"),
    ({"type": "integer", "anyOf": [INT, STR]}, "int"),
    ({"type": ["integer", "null"], "nullable": True}, "int|null"),
    ({"type": "string", "nullable": True}, "str|null"),
    ({"type": "string", "nullable": False}, "str"),
    ({"nullable": True}, "any"),
    # enumerations
    ({"enum": ["a", "b c", "a"]}, 'a|"b c"'),
    ({"type": "string", "enum": ["a", None]}, "a"),
    ({"type": "string", "enum": ["a"], "nullable": True}, "a|null"),
    ({"enum": [1, 2.5, "x", None, True]}, "x|1|2.5|true|null"),
    ({"enum": [True, False]}, "bool"),
    ({"const": False}, "false"),
    ({"type": "number", "enum": [1]}, "1"),
    ({"type": "integer", "enum": [1, "1"]}, "1"),
    ({"type": "array", "enum": ["a"], "items": STR}, "[a]"),
    ({"type": "array", "enum": [["a"]], "items": STR}, "[str]"),
    ({"type": "boolean", "enum": ["True"]}, "never"),
    ({"type": ["object", "array"], "anyOf": [MAP, INTS, STR]}, "[int]|{any}"),
    # objects, R-407, R-409
    ({"properties": {"b": INT, "a": STR}, "required": ["a"]}, "(a b?:int)"),
    ({"type": "object", "properties": {}}, "()"),
    ({"type": "object", "properties": None}, "{any}"),
    ({"type": "integer", "minimum": None, "enum": None}, "int"),
    ({"type": "string", "minLength": None, "$ref": None}, "str"),
    ({"properties": {"a": INT}, "additionalProperties": None}, "(a?:int)"),
    ({"const": None}, "null"),
    ({"type": "object", "additionalProperties": False}, "()"),
    ({"additionalProperties": INT}, "{int}"),
    (
        {"type": "object", "properties": {"a": INT}, "additionalProperties": True},
        "(a?:int ...:any)",
    ),
    ({"type": "object", "properties": {"a": INT}, "additionalProperties": {}}, "(a?:int ...:any)"),
    ({"type": "object", "required": ["z"]}, "(z:any ...:any)"),
    (
        {"properties": {"a": INT}, "required": ["z"], "additionalProperties": STR},
        "(z a?:int ...:str)",
    ),
    ({"properties": {"a": INT}, "required": None}, "(a?:int)"),
    ({"properties": {"a": True, "b": False}}, "(a?:any b?:never)"),
    ({"additionalProperties": {"properties": {"a": INT}}}, "{(a?:int)}"),
]


@pytest.mark.parametrize(("schema", "expected"), COMPILED, ids=[str(s)[:60] for s, _ in COMPILED])
def test_schemas_compile_to_types(schema: Any, expected: str) -> None:
    """Each use of JSON Schema with a layout compiles to the type in its signature."""
    assert taking(schema).prompt(descriptions=False, limits=False) == f"f(x:{expected})".replace(
        "f(x:str)", "f(x)"
    )


NUMBER_BOUNDS = {"minimum": 1, "maximum": 9.5, "exclusiveMinimum": 0, "exclusiveMaximum": 10}
BOUNDED = Number(minimum=1, maximum=9.5, exclusive_minimum=0, exclusive_maximum=10)
LARGEST = 10**4096 - 1
SMALLEST = 1 - 10**4095
TYPES: list[tuple[Any, Type]] = [
    # bounds, which no signature shows
    ({**STR, "minLength": 1, "maxLength": 3}, Type(string=String(min_length=1, max_length=3))),
    ({**STR, "minLength": 0, "maxLength": 0}, Type(string=String(max_length=0))),
    ({**STR, "minLength": 2}, Type(string=String(min_length=2))),
    (
        {**INTS, "minItems": 1, "maxItems": 2},
        Type(array=Array(items=Type(number=Number(integer=True)), min_items=1, max_items=2)),
    ),
    ({"type": "array", "minItems": 0, "maxItems": 0}, Type(array=Array(items=ANY, max_items=0))),
    ({"type": "array"}, Type(array=Array(items=ANY))),
    ({**NUM, **NUMBER_BOUNDS}, Type(number=BOUNDED)),
    ({**INT, **NUMBER_BOUNDS}, Type(number=replace(BOUNDED, integer=True))),
    (
        {**INT, "minimum": SMALLEST, "maximum": LARGEST},
        Type(number=Number(integer=True, minimum=SMALLEST, maximum=LARGEST)),
    ),
    # listed numbers: integers where they all are
    ({"enum": [1, 2]}, Type(number=Number(integer=True, values=(1, 2)))),
    ({"enum": [1, 2.5]}, Type(number=Number(values=(1, 2.5)))),
    ({"enum": [2.0]}, Type(number=Number(values=(2.0,)))),
    # the type beside an enumeration or a union
    ({"type": "integer", "enum": [1, 2.5]}, Type(number=Number(integer=True, values=(1,)))),
    ({"type": "integer", "enum": [2.0]}, Type(number=Number(integer=True, values=(2.0,)))),
    ({"type": "integer", "enum": [2.5]}, Type()),
    ({"type": "number", "enum": [1, 2.5]}, Type(number=Number(values=(1, 2.5)))),
    ({"type": "integer", "anyOf": [NUM]}, Type(number=Number(integer=True))),
    ({"type": "string", "enum": [1]}, Type()),
    ({"type": ["null", "boolean"], "enum": [None, True, 1]}, Type(null=True, booleans=(True,))),
    ({"type": "null", "enum": [None, True, "a"]}, Type(null=True)),
    ({"type": "boolean", "enum": [None, False, "a"]}, Type(booleans=(False,))),
    ({"type": "string", "anyOf": [STR, INTS, MAP]}, Type(string=String())),
    ({"type": "object", "anyOf": [STR, INTS, MAP]}, Type(object=Object(extra=ANY))),
    # unions
    ({"anyOf": [INT, {"type": "null"}]}, Type(null=True, number=Number(integer=True))),
    ({"oneOf": [{"const": True}, {"const": False}]}, Type(booleans=(False, True))),
]


@pytest.mark.parametrize(("schema", "expected"), TYPES, ids=[str(s)[:60] for s, _ in TYPES])
def test_schemas_compile_to_records(schema: Any, expected: Type) -> None:
    """Limits, and whether listed numbers are integers, are in the type and not in the signature."""
    assert taking(schema).by_name["f"].args.params[0].type == expected


@pytest.mark.parametrize(
    ("schema", "code", "pointer"),
    [
        ({"oneOf": [STR, {"type": "strange"}]}, Code.KEYWORD, "/oneOf/1/type"),
        (
            {"anyOf": [STR, {"anyOf": [{"minimum": "1"}]}]},
            Code.DEFINITION,
            "/anyOf/1/anyOf/0/minimum",
        ),
        ({**STR, "minLength": -1}, Code.DEFINITION, "/minLength"),
        ({**STR, "minLength": 1.5}, Code.DEFINITION, "/minLength"),
        ({**STR, "pattern": "("}, Code.DEFINITION, "/pattern"),
        ({**STR, "pattern": "[b-a]"}, Code.DEFINITION, "/pattern"),
        ({"patternProperties": {"(": STR}}, Code.DEFINITION, "/patternProperties"),
        ({"dependentRequired": {"a": "b"}}, Code.DEFINITION, "/dependentRequired"),
        ({"dependencies": {"a": 3}}, Code.DEFINITION, "/dependencies/a"),
        ({"items": [3]}, Code.DEFINITION, "/items/0"),
        ({"uniqueItems": 1}, Code.DEFINITION, "/uniqueItems"),
        ({**INT, "minimum": LARGEST + 1}, Code.DEFINITION, "/minimum"),
        ({**INT, "minimum": SMALLEST - 1}, Code.DEFINITION, "/minimum"),
        ({**INT, "minimum": True}, Code.DEFINITION, "/minimum"),
        ({"enum": [LARGEST + 1]}, Code.DEFINITION, "/enum"),
        ({"required": True}, Code.DEFINITION, "/required"),
        ({"type": "object", "required": True}, Code.DEFINITION, "/required"),
    ],
    ids=str,
)
def test_schemas_are_refused(schema: Any, code: Code, pointer: str) -> None:
    """The error names the part of the schema that has no layout or is invalid."""
    with pytest.raises(SchemaError) as caught:
        taking(schema)
    error = caught.value
    assert (error.code, error.pointer) == (code, f"/0/parameters/properties/x{pointer}")
    assert len(error.msg) < 120


@pytest.mark.parametrize("kind", ["null", "boolean", "integer", "number", "string", "array"])
def test_draft_3_marks_a_scalar_as_required(kind: str) -> None:
    """`required: true` in a schema without members belongs to an older draft, and gives a note."""
    tools = taking({"type": kind, "required": True})
    pointer = "/0/parameters/properties/x/required"
    assert [(note.pointer, note.keyword) for note in tools.notes] == [(pointer, "required")]


def test_anything_holds_anything() -> None:
    """The items and members of a value of any type are again of any type."""
    assert ANY.array is not None
    assert ANY.object is not None
    assert ANY.array.items is ANY
    assert ANY.object.extra is ANY
    assert hash(ANY) == hash(ANY)


def test_anything_is_of_every_kind() -> None:
    """The type of any value accepts each kind without limits."""
    anything = _make_any_type()
    kinds = (anything.null, anything.booleans, anything.number, anything.string)
    assert kinds == (True, (False, True), Number(), String())
    assert anything.array == Array(items=anything)
    assert anything.object == Object(extra=anything)


def test_arguments_may_be_a_map() -> None:
    """A tool that declares only `additionalProperties` accepts any arguments by key (R-407)."""
    args, notes = compile_object({"additionalProperties": STR}, "")
    assert write_signature(Tool(name="f", args=args)) == "f(...:str)"
    assert notes == []


def test_arguments_of_any_type_are_a_map() -> None:
    """The schema `true` accepts any arguments by key."""
    args, _ = compile_object(True, "")
    assert args == Object(extra=ANY)


@pytest.mark.parametrize("schema", [STR, False, None, "x", {"enum": [1]}])
def test_arguments_are_an_object(schema: Any) -> None:
    """A schema of arguments that allows no object is refused."""
    with pytest.raises(SchemaError) as caught:
        compile_object(schema, "/here")
    assert caught.value.code in (Code.DEFINITION, Code.KEYWORD)
    assert caught.value.pointer == "/here"


def test_a_union_of_objects_may_be_the_arguments() -> None:
    """A union as the schema of arguments is compiled like any other union (R-414)."""
    args, _ = compile_object({"anyOf": [{"properties": {"a": INT}}, {"type": "null"}]}, "")
    assert [param.name for param in args.params] == ["a"]


@pytest.mark.parametrize(
    ("step", "escaped"), [("a", "a"), ("a/b", "a~1b"), ("~1", "~01"), ("", ""), ("~/", "~0~1")]
)
def test_steps_of_a_pointer_are_escaped(step: str, escaped: str) -> None:
    """A JSON Pointer is escaped as in RFC 6901."""
    assert escape(step) == escaped


@pytest.mark.parametrize(
    ("spellings", "text"),
    [(["a"], "a"), (["a", "b"], "one of a, b"), (["a", "b", "c"], "one of a, b, … (3 in all)")],
)
def test_one_of_is_cut(spellings: list[str], text: str) -> None:
    """A long list of expected values is shortened in the message, which gives its length."""
    assert describe_allowed(spellings, limit=2) == text


@pytest.mark.parametrize(
    ("schema", "noun"),
    [
        (STR, "a string"),
        (INT, "an integer"),
        (NUM, "a number"),
        (INTS, "an array"),
        (MAP, "an object"),
        ({"type": ["string", "integer", "null"]}, "a string or an integer or null"),
        ({"enum": ["a", "b"]}, "one of 'a', 'b'"),
        ({"enum": [1, 2.5]}, "one of 1, 2.5"),
        ({"enum": [7]}, "7"),
        ({"enum": ["a", None]}, "one of 'a', null"),
        ({"enum": [1, "1", True, None, "a b"]}, "one of '1', 'a b', 1, true, null"),
        ({"enum": [*range(5), *"abcde"]}, "one of 'a', 'b', 'c', 'd', 'e', 0, 1, 2, … (10 in all)"),
        ({"anyOf": [{"enum": [1, 2]}, STR]}, "a string or one of 1, 2"),
        ({"anyOf": [{"enum": ["a"]}, INTS]}, "'a' or an array"),
        ({"const": True}, "true"),
        ({"type": "boolean"}, "false or true"),
        (False, "nothing"),
    ],
)
def test_a_type_has_words_for_what_it_expects(schema: Any, noun: str) -> None:
    """Messages describe the expected value in words."""
    (param,) = taking(schema).tools[0].args.params
    assert param.type.noun == noun


@pytest.mark.parametrize(
    ("value", "code"),
    [(2, "E204"), ("b", "E204"), (1.5, "E203"), (False, "E203"), ([1], "E203"), ({}, "E203")],
)
def test_a_wrong_value_is_refused_with_all_choices(value: Any, code: str) -> None:
    """A value of any kind is refused with the listed values of all kinds."""
    tools = taking({"enum": [1, "1", True, None, "a b"]})
    with pytest.raises(
        EncodeError, match=r"expected one of '1', 'a b', 1, true, null, f"
    ) as caught:
        encode(Call("f", {"x": value}), tools)
    assert (caught.value.code, caught.value.path) == (code, "/x")


def test_a_value_outside_a_limit_is_refused_with_the_limit() -> None:
    """The other kinds are not named, because the kind is right."""
    tools = taking({"anyOf": [{"type": "integer", "minimum": 3}, {"enum": ["a"]}]})
    with pytest.raises(EncodeError, match="expected an integer of at least 3, found 2"):
        encode(Call("f", {"x": 2}), tools)


@pytest.mark.untraced
def test_a_plain_parameter_takes_few_steps() -> None:
    """Compiling a parameter of a usual tool takes few steps, because servers list hundreds."""
    names = [f"p{i}" for i in range(10)]
    schema = {
        "type": "object",
        "properties": {name: {"type": "string", "description": "One."} for name in names},
        "required": names[:1],
    }
    compile_object(schema, "")
    assert steps(lambda: compile_object(schema, "")) < 112 * len(names)


@pytest.mark.parametrize("kind", ["string", "integer", "number", "boolean", "int", "str", "float"])
@pytest.mark.parametrize("about", [{}, {"title": "T", "description": "d"}, {"default": None}])
def test_a_plain_scalar_takes_few_steps(kind: str, about: dict[str, Any]) -> None:
    """A scalar without limits has the type of its kind, and is not examined by keyword."""
    plain = {"type": "object", "properties": {"x": {"type": kind, **about}}}
    same = {"type": "object", "properties": {"x": {"type": [kind], **about}}}
    args, notes = compile_object(plain, "")
    assert (args, notes) == compile_object(same, "")
    saved = steps(lambda: compile_object(same, "")) - steps(lambda: compile_object(plain, ""))
    assert saved > 20
