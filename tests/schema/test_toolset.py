"""Test tool definitions in all formats, and the toolset made of them."""

import copy
import pickle
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from lton import (
    Call,
    DecodeError,
    Decoder,
    EncodeError,
    SchemaError,
    ToolSet,
    decode,
    decode_lenient,
    encode,
    events,
    grammar,
)
from lton._syntax import FORMS
from lton.errors import Code
from lton.schema.diff import find_losses
from lton.schema.jsonschema.tally import Handling
from lton.schema.types import Tool
from tests.cases import BAD_TOOLS, INT, STR, WEATHER, BadTools, params, tool, tools_of

SCHEMA = {"type": "object", "properties": {"a": INT}, "required": ["a"]}


def test_a_name_may_have_spaces_of_any_width() -> None:
    """Only control characters are refused in names, and not all that cannot be printed."""
    tools = tools_of(tool("f", {"a\u3000b": INT}))
    assert decode(encode(Call("f", {"a\u3000b": 1}), tools), tools)[0].arguments == {"a\u3000b": 1}


@pytest.mark.parametrize(
    "definition",
    [
        {"name": "f", "parameters": SCHEMA},
        {"type": "function", "function": {"name": "f", "parameters": SCHEMA}},
        {"name": "f", "input_schema": SCHEMA},
        {"name": "f", "inputSchema": SCHEMA, "annotations": {"title": "F"}},
        {"name": "f", "parameters": SCHEMA, "inputSchema": None},
        {"name": "f", "parameters": {"properties": {"a": INT}, "required": ["a"]}},
    ],
    ids=["openai-flat", "openai", "anthropic", "mcp", "one-of-two", "no-type"],
)
def test_definitions_of_every_dialect_are_the_same_tool(definition: dict[str, Any]) -> None:
    """The formats of OpenAI, Anthropic and MCP give the same tool."""
    assert ToolSet.from_tools([definition]).prompt(descriptions=False) == "f(a:int)"


@pytest.mark.parametrize(
    "definition",
    [
        {"name": "f"},
        {"name": "f", "parameters": None},
        {"name": "f", "parameters": {}},
        {"name": "f", "parameters": {"type": "object", "properties": None}},
        tool("f"),
    ],
)
def test_a_tool_that_declares_nothing_takes_nothing(definition: dict[str, Any]) -> None:
    """A tool without properties has no parameters, and accepts none (R-407)."""
    assert ToolSet.from_tools([definition]).prompt(descriptions=False) == "f()"


@pytest.mark.parametrize("case", params(BAD_TOOLS))
def test_definitions_are_refused(case: BadTools) -> None:
    """A definition that cannot be compiled is refused with its code and a pointer to the place."""
    with pytest.raises(SchemaError) as caught:
        ToolSet.from_tools(case.definitions, strict=True)
    assert (caught.value.code, caught.value.pointer) == (case.code, case.pointer)


def test_a_toolset_is_its_tools() -> None:
    """A toolset has a length, is iterated in order, and finds tools by name."""
    assert len(WEATHER) == 2
    assert [item.name for item in WEATHER] == ["weather.v1", "stop"]
    assert isinstance(WEATHER.by_name["stop"], Tool)
    assert len(ToolSet.from_tools([])) == 0


def test_toolsets_are_equal_where_their_layouts_are() -> None:
    """Toolsets are equal if their layouts are, whatever the descriptions and defaults."""
    about = {**STR, "description": "what", "default": "x"}
    one, other = tools_of(tool("f", {"a": STR})), tools_of(tool("f", {"a": about}))
    assert one == other
    assert one.fingerprint == other.fingerprint
    assert one.prompt(descriptions=False) != other.prompt(descriptions=False)


def test_two_tools_of_one_name_are_refused_by_the_constructor() -> None:
    """The constructor also refuses two tools with the same name (R-303)."""
    with pytest.raises(SchemaError) as caught:
        ToolSet(WEATHER.tools + WEATHER.tools[1:])
    assert caught.value.code == Code.NAMES
    assert "'stop'" in caught.value.msg


@pytest.mark.parametrize(
    ("schema", "pointer", "keyword"),
    [
        ({**STR, "pattern": "^a"}, "/pattern", "pattern"),
        ({**STR, "format": "date"}, "/format", "format"),
        ({"items": {**INT, "multipleOf": 2}}, "/items/multipleOf", "multipleOf"),
        ({**STR, "required": True}, "/required", "required"),
        ({"type": "boolean", "enum": ["True", "False"]}, "", "type"),
        ({"type": "string", "enum": [1]}, "", "type"),
    ],
)
def test_what_is_not_enforced_is_noted(schema: Any, pointer: str, keyword: str) -> None:
    """A keyword that is not checked, and a position without possible values, give a note."""
    (note,) = tools_of(tool("g"), tool("f", {"x": schema})).notes
    assert note.pointer == f"/1/parameters/properties/x{pointer}"
    assert note.keyword == keyword


def test_notes_are_those_of_all_tools() -> None:
    """A toolset has the notes of all its tools."""
    dated = {"d": {**STR, "format": "date"}}
    notes = tools_of(tool("f", dated), tool("g", dated)).notes
    assert [note.pointer.split("/")[1] for note in notes] == ["0", "1"]
    assert tools_of(tool("f", dated), tool("g", dated)).select("g").notes == notes


@pytest.mark.parametrize(
    ("schema", "pointer_end"),
    [
        ({"type": ["integer", "strange"], "minimum": 1}, "/type"),
        ({"type": "object", "additionalProperties": {"type": "x"}}, "/additionalProperties/type"),
    ],
)
def test_errors_have_the_place_of_the_keyword(schema: Any, pointer_end: str) -> None:
    """An error names the schema, or the keyword, that has no layout."""
    with pytest.raises(SchemaError) as caught:
        tools_of(tool("f", {"x": schema}))
    assert caught.value.pointer == f"/0/parameters/properties/x{pointer_end}"


def test_annotations_are_neither_refused_nor_noted() -> None:
    """Keywords without a constraint are ignored without a note."""
    about = {"title": "T", "examples": [1], "deprecated": True, "$comment": "c", "readOnly": True}
    plain = {"items": {**STR, **about}, "uniqueItems": False}
    assert tools_of(tool("f", {"x": plain}, [], title="t")).notes == ()


def test_fingerprints_are_of_the_layout() -> None:
    """R-702: descriptions, defaults and limits do not change a fingerprint, and the layout does."""
    plain = tool("f", {"a": INT, "b": STR}, ["a"])
    a, b = {**INT, "description": "n", "minimum": 1}, {**STR, "default": "x"}
    about = tool("f", {"a": a, "b": b}, ["a"])
    moved = tool("f", {"b": STR, "a": INT}, ["b"])
    prints = [tools_of(definition).fingerprint for definition in (plain, about, moved)]
    assert prints[0] == prints[1] == sha256(b"f(a:int b?)").hexdigest()[:8]
    assert prints[2] != prints[0]


def test_the_fingerprint_of_a_set_knows_no_order() -> None:
    """R-702: the fingerprint of a toolset comes from its sorted signatures."""
    one, two = tool("f"), tool("g")
    lines = b"f()\ng()"
    assert tools_of(one, two).fingerprint == tools_of(two, one).fingerprint
    assert tools_of(one, two).fingerprint == sha256(lines).hexdigest()[:8]


COPIES: list[Callable[[ToolSet], ToolSet]] = [
    copy.copy,
    copy.deepcopy,
    lambda tools: pickle.loads(pickle.dumps(tools)),
]
HOLDING_ANYTHING = ToolSet.from_prompt("f(v:any)\ng(o:{any} a?:[any])\nh(n:int)")


@pytest.mark.parametrize("duplicate", COPIES)
@pytest.mark.parametrize("aliases", [False, True])
def test_every_operation_works_on_a_copy(
    duplicate: Callable[[ToolSet], ToolSet], aliases: bool
) -> None:
    """A copy is equal, and shows, writes and reads the same."""
    tools = HOLDING_ANYTHING.with_aliases() if aliases else HOLDING_ANYTHING
    other = duplicate(tools)
    assert (other, hash(other), repr(other)) == (tools, hash(tools), repr(tools))
    assert [*other] == [*tools]
    assert other.select("g") == tools.select("g")
    assert other.with_aliases() == tools.with_aliases()
    assert other.prompt() == tools.prompt()
    assert other.fingerprint == tools.fingerprint
    assert [*map(other.fingerprint_of, other)] == [*map(tools.fingerprint_of, tools)]
    assert [*find_losses(tools, other)] == []
    calls = [Call("f", {"v": [1, {"k": None}]}), Call("g", {"o": {"k": "x"}, "a": [1]})]
    for form in FORMS:
        text = encode(calls, tools, form=form)
        assert encode(calls, other, form=form) == text
        assert decode(text, other) == calls
        assert decode_lenient(text, other).calls == tuple(calls)
        decoder = Decoder(other)
        decoder.feed(text)
        decoder.close()
        assert [event.call for event in decoder if isinstance(event, events.CallEnd)] == calls
        for emit in (grammar.to_gbnf, grammar.to_lark, grammar.to_ebnf):
            assert emit(other, form=form) == emit(tools, form=form)
    with pytest.raises(DecodeError) as caught:
        decode("h x", other)
    assert caught.value.code == Code.TYPE


# --- the standard, and what authors mean --------------------------------------------------------


def handlings(schema: dict[str, Any], *, standard: bool) -> list[tuple[str, Handling]]:
    """Return the treatments in the notes on a tool's schema."""
    definition = {"name": "f", "parameters": schema}
    notes = ToolSet.from_tools([definition], standard=standard).notes
    return [(note.keyword, note.handling) for note in notes]


def test_labels_beside_an_array_are_those_of_its_items_but_in_the_standard() -> None:
    """R-422: labels next to an array belong to its items, with a note, but not with `standard`."""
    part: dict[str, Any] = {"type": "array", "enum": ["a", "b"]}
    schema = {"type": "object", "properties": {"x": part}, "required": ["x"]}
    tools = ToolSet.from_tools([{"name": "f", "parameters": schema}])
    assert tools.prompt(descriptions=False) == "f(x:[a|b])"
    assert handlings(schema, standard=False) == [("enum", Handling.OF_ITEMS)]
    strict = ToolSet.from_tools([{"name": "f", "parameters": schema}], standard=True)
    assert handlings(schema, standard=True) == [("type", Handling.NEVER)]
    with pytest.raises(EncodeError):
        encode(Call("f", {"x": ["a"]}), strict)
    part["enum"] = [["a"]]
    assert handlings(schema, standard=True) == [("enum", Handling.ANYTHING)]
    exact = ToolSet.from_tools([{"name": "f", "parameters": schema}], standard=True)
    assert encode(Call("f", {"x": ["a"]}), exact)
    with pytest.raises(EncodeError):
        encode(Call("f", {"x": ["b"]}), exact)


def test_a_map_of_parameters_is_one_but_in_the_standard() -> None:
    """R-421: a map of parameters is accepted with a note; with `standard` its keys are unknown
    keywords.
    """
    schema = {"Dash": {"type": "object"}}
    tools = ToolSet.from_tools([{"name": "f", "parameters": schema}])
    assert [param.name for param in tools.tools[0].args.params] == ["Dash"]
    assert handlings(schema, standard=False) == [("properties", Handling.BY_NAME)]
    standard = ToolSet.from_tools([{"name": "f", "parameters": schema}], standard=True)
    assert decode(encode(Call("f", {"other": 1}), standard), standard) == [Call("f", {"other": 1})]
    assert handlings(schema, standard=True) == [("Dash", Handling.UNCHECKED)]


@pytest.mark.parametrize("write", [grammar.to_gbnf, grammar.to_lark, grammar.to_ebnf])
def test_counted_is_a_number(write: Callable[..., str]) -> None:
    """True is not accepted as the number 1."""
    with pytest.raises(ValueError, match="counted must be 0 to"):
        write(WEATHER, counted=True)
