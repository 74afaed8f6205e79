"""Test the constraints of a schema beyond its layout (R-423)."""

import pickle
from typing import Any

import pytest

from lton import Call, DecodeError, EncodeError, ToolSet, decode, encode
from lton._syntax import FORMS
from lton.codec._decode import find_errors
from lton.errors import Code
from lton.schema.jsonschema.constraints import Constraints
from lton.schema.jsonschema.tally import Handling
from tests.cases import INT, STR, tool, tools_of

TWO = {"properties": {"a": INT, "b": INT}}
HALF = {"type": "float", "multipleOf": 0.5}
EVEN = {**INT, "multipleOf": 2}
TREE: Any = {
    "$ref": "#/$defs/tree",
    "$defs": {
        "tree": {
            "properties": {"n": EVEN, "kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}
        }
    },
}


def taking(schema: Any, root: Any = (), **options: Any) -> ToolSet:
    """Return a tool `f` with a parameter `x`; `root` contains further keywords."""
    return ToolSet.from_tools(
        [{"name": "f", "parameters": {"properties": {"x": schema}, **dict(root)}}], **options
    )


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        ({**STR, "pattern": "^a"}, "ab", "ba"),
        ({**STR, "format": "date"}, "2026-11-21", "2026-11-31"),
        ({**STR, "format": "date-time"}, "2026-11-21T22:00:00Z", "2026-11-21"),
        ({**STR, "format": "time"}, "10:00:00.5+01:00", "10:00"),
        ({**STR, "format": "uuid"}, "123e4567-e89b-12d3-a456-426614174000", "123"),
        ({**STR, "format": "uri"}, "https://example.com/x", "example com"),
        ({**STR, "format": "ipv4"}, "127.0.0.1", "127.0.0.256"),
        ({**STR, "format": "email"}, "a@example.com", "a"),
        ({**STR, "format": "duration"}, "PT5M", "5M"),
        (EVEN, 4, 3),
        ({"type": "number", "multipleOf": 0.01}, 0.07, 0.075),
        ({"type": "number", "multipleOf": 0.01}, 19.99, 1e-9),
        ({"type": "number", "multipleOf": 1e-300}, 10**400, 1e-301),
        ({"type": "number", "multipleOf": 10**400}, 10**401, 1.5),
        ({"items": INT, "uniqueItems": True}, [1, 2], [1, 1]),
        ({"items": INT, "contains": {"const": 3}}, [1, 3], [1]),
        ({"prefixItems": [INT, STR]}, [1, "a", None], ["a", 1]),
        ({"items": [INT, STR], "additionalItems": False}, [1, "a"], ["a", 1]),
        ({"anyOf": [{**STR, "maxLength": 2}, {**STR, "minLength": 4}]}, "abcd", "abc"),
        ({"oneOf": [INT, {"type": "number"}]}, 2.5, 2),
        ({"not": {"const": 3}}, 4, 3),
        ({"if": {"minimum": 5}, "then": {"multipleOf": 5}}, 10, 7),
        ({"enum": [[1], {"a": 2}, "b"]}, {"a": 2}, [2]),
        ({"const": {"a": [1]}}, {"a": [1]}, {"a": [2]}),
        ({**TWO, "dependentRequired": {"a": ["b"]}}, {"b": 1}, {"a": 1}),
        ({**TWO, "dependencies": {"a": ["b"]}}, {"b": 1}, {"a": 1}),
        ({"properties": {"a": INT}, "dependencies": {"a": {"required": ["b"]}}}, {}, {"a": 1}),
        ({"patternProperties": {"^n": INT, "^s": STR}}, {"n": 1, "s": "x"}, {"n": "x"}),
        ({"type": "object", "propertyNames": {"maxLength": 1}}, {"a": 1}, {"ab": 1}),
        ({"type": "object", "minProperties": 1}, {"a": 1}, {}),
        ({**EVEN, "nullable": True}, None, 3),
        ({"nullable": True, "enum": ["a", [1]]}, None, [2]),
        ({"type": "dict", "properties": {"a": HALF}}, {"a": 1.5}, {"a": 0.2}),
    ],
    ids=str,
)  # fmt: skip
def test_arguments_are_checked(schema: Any, right: Any, wrong: Any) -> None:
    """Arguments that the layout allows and the schema refuses raise an error with a place, in any
    form.
    """
    tools = taking(schema)
    assert any(note.is_checked for note in tools.notes)
    for form in FORMS:
        text = encode(Call("f", {"x": right}), tools, form=form)
        assert decode(text, tools) == [Call("f", {"x": right})]
    with pytest.raises(EncodeError) as unwritten:
        encode(Call("f", {"x": wrong}), tools)
    with pytest.raises(DecodeError) as unread:
        decode(encode(Call("f", {"x": wrong}), form="tagged"), tools)
    assert unwritten.value.code == unread.value.code == Code.CONSTRAINT
    assert unwritten.value.path == unread.value.path
    assert unread.value.path.startswith("/x")


def test_a_schema_within_itself_is_checked() -> None:
    """A recursive schema is checked at any depth, although its layout ends."""
    tools = tools_of({"name": "f", "parameters": TREE})
    (call,) = decode("f 2 [{n 4 kids [{n 6}]}]", tools)
    assert call.arguments == {"n": 2, "kids": [{"n": 4, "kids": [{"n": 6}]}]}
    with pytest.raises(DecodeError) as caught:
        decode("f 2 [{n 4 kids [{n 5}]}]", tools)
    assert (caught.value.path, caught.value.pos) == ("/kids/0/kids/0/n", 19)
    assert [note.handling for note in tools.notes][-1] == Handling.ANYTHING


def test_a_schema_of_an_older_draft_is_read_as_one() -> None:
    """In an older draft, a list of `items` is a tuple, and keywords next to a reference are
    ignored.
    """
    pair = {"items": [INT, STR], "additionalItems": False}
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"x": pair}}
    tools = tools_of({"name": "f", "parameters": schema})
    assert len(decode("f [1 a]", tools)) == 1
    with pytest.raises(DecodeError) as caught:
        decode("f [2 1]", tools)
    assert caught.value.path == "/x/1"


def test_what_is_too_deep_is_refused() -> None:
    """Values that are too deep to check are refused."""
    node: Any = {"properties": {"kid": {"$ref": "#/$defs/node"}}}
    for _ in range(20):
        node = {"allOf": [node]}
    tools = taking({"$ref": "#/$defs/node"}, root={"$defs": {"node": node}})
    with pytest.raises(DecodeError) as caught:
        decode(f"f ({'{kid ' * 60}{{}}{'}' * 60})", tools)
    assert caught.value.code == Code.CONSTRAINT


def test_every_error_is_found() -> None:
    """Each call with a valid layout is checked."""
    tools = taking(EVEN)
    places = [(error.code, error.pos) for error in find_errors("f 1\nf a\nf 3\nf 4", tools)]
    assert places == [(Code.CONSTRAINT, 2), (Code.TYPE, 6), (Code.CONSTRAINT, 10)]


def test_mappings_and_tuples_are_checked_like_what_they_are_written_as() -> None:
    """Mappings and tuples are checked as objects and arrays, like the encoder writes them."""
    tools = taking({"items": EVEN})
    arguments: Any = {"x": (2, 4)}
    assert encode(Call("f", arguments), tools) == "f [2 4]"


def test_with_the_standard_what_is_not_mentioned_is_allowed() -> None:
    """R-407: with `standard`, undeclared members and unnamed kinds are allowed."""
    schema = {"properties": {"a": INT}}
    assert taking(schema).prompt(descriptions=False) == "f(x?:(a?:int))"
    tools = taking(schema, standard=True)
    assert (
        tools.prompt(descriptions=False) == "f(x?:str|num|bool|[any]|(a?:int ...:any)|null ...:any)"
    )


def test_with_the_standard_formats_say_nothing() -> None:
    """With `standard`, formats are only annotations."""
    dated = {**STR, "format": "date", "pattern": "^t"}
    assert len(decode("f today", taking(dated, standard=True))) == 1
    with pytest.raises(DecodeError):
        decode("f today", taking(dated))


def test_checks_are_equal_where_their_schemas_are() -> None:
    """Checks can be compared and copied, so that a change of tools is found."""
    one, two = Constraints({"minProperties": 1}), Constraints({"minProperties": 2})
    assert one == pickle.loads(pickle.dumps(one))
    assert hash(one) == hash(Constraints({"minProperties": 1}))
    assert one != two
    assert one != Constraints({"minProperties": 1}, formats=False)


def test_parts_that_nothing_refers_to_are_let_be() -> None:
    """Parts to which no reference points are not compiled, so they may be invalid."""
    strange = {"$defs": {"x": {"type": "strange"}}, "properties": {"a": EVEN}}
    assert Constraints(strange)({"a": 1}) is not None
    deep: Any = {}
    for _ in range(500):
        deep = {"properties": {"a": deep}}
    assert Constraints({"$defs": {"x": deep}, "properties": {"a": EVEN}})({"a": 2}) is None


def test_tools_with_checks_are_told_apart() -> None:
    """`lton schema diff` reports a call that only one of the two schemas may refuse."""
    from lton.schema.diff import find_losses

    plain, even = tools_of(tool("f", {"x": INT})), tools_of(tool("f", {"x": EVEN}))
    assert [loss.why for loss in find_losses(plain, even)] == ["checked against another schema"]
    assert find_losses(even, plain) == []
    assert find_losses(even, even) == []
