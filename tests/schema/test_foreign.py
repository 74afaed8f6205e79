"""Test that untrusted definitions give tools or a `SchemaError`, in little time."""

import json
import random
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fuzz.checks import check_schema, check_shown
from fuzz.definitions import definitions, value
from fuzz.odd_schemas import check_odd
from lton import Call, DecodeError, SchemaError, ToolSet, decode, encode
from lton.errors import Code
from lton.schema.jsonschema.tally import Handling
from tests.cases import INT, STR, sizes
from tests.schema.test_constraints import taking
from tests.steps import GROWTH, growth

ROOT = Path(__file__).parent.parent.parent
SERVERS = sorted((ROOT / "benchmarks" / "lton_bench" / "mcp").glob("*.json"))


def nested(depth: int) -> Any:
    """Return nested arrays."""
    arrays: Any = []
    for _ in range(depth):
        arrays = [arrays]
    return arrays


@pytest.mark.parametrize(
    "source", [None, 5, "f", {"tools": None}, {"tools": 5}, [None], [5], {"tools": ["f"]}], ids=repr
)
def test_what_is_no_list_of_definitions_is_refused(source: Any) -> None:
    """A value that is not a list of definitions is refused."""
    with pytest.raises(SchemaError) as caught:
        ToolSet.from_tools(source)
    assert caught.value.code == Code.DEFINITION


@pytest.mark.parametrize("dialect", [5, ["u"], {}, None, "no such draft"], ids=repr)
def test_a_dialect_that_is_none_says_nothing(dialect: Any) -> None:
    """An unknown `$schema` means the newest draft."""
    schema = {"$schema": dialect, "properties": {"x": {**STR, "pattern": "^a"}}}
    tools = ToolSet.from_tools([{"name": "f", "parameters": schema}])
    assert decode("f ab", tools) == [Call("f", {"x": "ab"})]
    with pytest.raises(ValueError, match=Code.CONSTRAINT):
        decode("f b", tools)


@pytest.mark.parametrize(
    "default", [nested(900), nested(100), {1, 2}, "\0", {"\0": 1}, float("nan"), 10**5000],
    ids=["very deep", "deep", "set", "NUL", "name with NUL", "NaN", "digits"],
)  # fmt: skip
def test_a_default_that_is_no_value_is_dropped(default: Any) -> None:
    """A default that is not a valid value is dropped with a note."""
    tools = taking({"default": default})
    assert tools.prompt(descriptions=False) == "f(x?:any)"
    assert [(note.keyword, note.handling) for note in tools.notes] == [
        ("default", Handling.UNCHECKED)
    ]


def test_deep_defaults_are_read_back() -> None:
    """Defaults are read back up to the depth of values, at any place."""
    part: Any = {"default": nested(64)}
    for _ in range(10):
        part = {"properties": {"a": part}}
    tools = taking(part)
    assert ToolSet.from_prompt(tools.prompt()).prompt() == tools.prompt()


@pytest.mark.parametrize("end", ["\n", "\n\n", " ", " \n ", "\t", "\r"], ids=repr)
def test_prompts_with_odd_ends_are_read_back(end: str) -> None:
    """Labels, defaults, names and descriptions with odd ends never turn a parameter into a
    description.
    """
    named = end if end == " " else ""
    schema = {
        "properties": {
            "p": {**STR, "default": f"x{end}"},
            "rm_all": {"type": "boolean", "description": f"all{end}"},
            "q": {"enum": [f"a{end}", end]},
            f"k{named}": {"properties": {"a": {**INT, "description": end}}},
        }
    }
    tools = ToolSet.from_tools([{"name": f"t{named}", "description": end, "parameters": schema}])
    for descriptions in (False, True):
        again = ToolSet.from_prompt(tools.prompt(descriptions=descriptions))
        assert again.prompt(descriptions=descriptions) == tools.prompt(descriptions=descriptions)
        assert again.fingerprint == tools.fingerprint
        assert [param.name for param in again.tools[0].args.params][:2] == ["p", "rm_all"]


@pytest.mark.parametrize("text", [r'f(@"x\udcb2")', r'f(a:@"x\u0000")', r'f(a=@"\ud800")'])
def test_prompts_hold_no_character_that_no_text_has(text: str) -> None:
    """A prompt contains only characters that a text may contain, so that its fingerprint can be
    computed.
    """
    with pytest.raises(DecodeError) as caught:
        ToolSet.from_prompt(text)
    assert caught.value.code == Code.CHARACTER


@pytest.mark.untraced
@pytest.mark.parametrize("count", sizes(300, 1500))
def test_made_definitions_raise_nothing_else(count: int) -> None:
    """Definitions of the fuzzers are compiled, shown and checked, or raise `SchemaError`."""
    for seed in range(count):
        choose = partial(random.Random(seed).randint, 0)
        tool_definitions = definitions(choose)
        check_shown(tool_definitions)
        check_schema(tool_definitions, [value(choose)])


@pytest.mark.parametrize("count", sizes(100, 400))
def test_odd_schemas_raise_nothing_else(count: int) -> None:
    """Odd schemas raise nothing else, also in grammars, and in limited time; see `python -m
    fuzz.odd_schemas`.
    """
    for seed in range(count):
        check_odd(seed)


# --- what is not checked ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "allowed"),
    [
        ({**STR, "pattern": r"^\p{Script=Greek}+$"}, "5"),
        ({"patternProperties": {r"\p{Alphabetic}": INT}, "additionalProperties": False}, {"a": 1}),
    ],
)
def test_an_unusual_pattern_refuses_no_tools(schema: Any, allowed: Any) -> None:
    """A pattern that cannot be checked gives a note, or with `strict` an error."""
    tools = taking(schema)
    (note,) = (note for note in tools.notes if "attern" in note.keyword)
    assert note.handling is Handling.UNCHECKED
    (call,) = decode(encode(Call("f", {"x": allowed}), tools), tools)
    assert call.arguments == {"x": allowed}
    with pytest.raises(SchemaError) as caught:
        taking(schema, strict=True)
    assert (caught.value.code, caught.value.pointer) == (Code.KEYWORD, note.pointer)


def test_strict_takes_what_is_checked() -> None:
    """`strict` accepts every definition that is fully checked."""
    assert taking({**STR, "pattern": "^a", "format": "date"}, strict=True)
    for unknown in ({"format": "color"}, {"x-unit": 5}):
        with pytest.raises(SchemaError, match="not checked"):
            taking({**STR, **unknown}, strict=True)


def test_states_of_patterns_are_counted() -> None:
    """R-1105: the states of patterns are limited, because they take memory."""
    parts = {f"p{i}": {**STR, "pattern": f"^.{{{i + 15_000}}}$"} for i in range(100)}
    with pytest.raises(SchemaError) as caught:
        ToolSet.from_tools([{"name": "f", "parameters": {"properties": parts}}])
    assert caught.value.code == Code.SCHEMA_SIZE


# --- unions that refine -------------------------------------------------------------------------


def test_a_union_that_refines_leaves_what_it_does_not_name() -> None:
    """A schema in a union that names no other members accepts those next to the union, also through
    `allOf`.
    """
    parts = {"a": STR, "b": {"type": "boolean"}}
    false = {"properties": {"b": {"const": False}}, "required": ["b"]}
    refining = {"anyOf": [{"properties": {"a": {"minLength": 1}}}, false, {**INT, "minimum": 1}]}
    for schema in ({"properties": parts, **refining}, {"properties": parts, "allOf": [refining]}):
        tools = taking(schema)
        assert tools.prompt(descriptions=False) == "f(x?:(a? b?:bool))"
        assert decode("f (x true)", tools) == [Call("f", {"x": {"a": "x", "b": True}})]
        with pytest.raises(ValueError, match=Code.CONSTRAINT):
            decode('f ("" true)', tools)
    closed = {"anyOf": [{**false, "additionalProperties": False}]}
    assert taking({"properties": parts, **closed}).prompt(descriptions=False) == "f(x?:(b:false))"


# --- definitions of the wild --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "spelling"),
    [
        ("List[str]", "[str]"),
        ("list[int]", "[int]"),
        ("List[Dict[str, List[float]]]", "[{[num]}]"),
        ("Dict", "{any}"),
        ("Dict[str, Any]", "{any}"),
        ("List[]", "[any]"),
        ("Optional[List[str]]", "[str]|null"),
        ("Optional[int]", "int|null"),
        ("str, optional", "str"),
        ("datetime", "str"),
    ],
)
def test_types_of_annotations(name: str, spelling: str) -> None:
    """R-420: the annotations of Python are types."""
    kind = taking({"type": name}).prompt(descriptions=False)
    assert kind == "f(x?)" if spelling == "str" else kind == f"f(x?:{spelling})"


@pytest.mark.parametrize(
    "name",
    ["List[str", "Union[int, str]", "str[int]", "Optional[x]", "[]", "MyClass", "List[MyClass]"],
)
def test_types_that_are_none_are_refused(name: str) -> None:
    """Unknown types are refused by their name."""
    with pytest.raises(SchemaError, match=r"no type has the name") as caught:
        taking({"type": name})
    assert caught.value.code == Code.KEYWORD


def test_annotations_are_not_nested_without_end() -> None:
    """Annotations are read up to the depth of schemas."""
    with pytest.raises(SchemaError) as caught:
        taking({"type": "List[" * 50_000 + "]" * 50_000})
    assert caught.value.code == Code.DEPTH


def test_parameters_may_stand_alone() -> None:
    """R-421: parameters may have no enclosing schema, unless a name could be a keyword."""
    flat = {"q": {"type": "str", "default": "x"}, "n": {"type": "int"}, "type": {"type": "str"}}
    tools = ToolSet.from_tools([{"name": "f", "parameters": flat}])
    assert tools.prompt(descriptions=False) == "f(n:int type q?=x)"
    nothing = {"items": {"type": "string"}}
    tools = ToolSet.from_tools([{"name": "f", "parameters": {**nothing, "type": "object"}}])
    assert tools.prompt(descriptions=False) == "f()"


CHECKED = [
    {
        "title": "f",
        "properties": {
            "u": {**STR, "format": "uri"},
            "i": {**STR, "format": "ipv6"},
            "x": {"anyOf": [{**STR, "pattern": "^a"}, {**STR, "maxLength": 2}]},
        },
    }
]


# --- time, and what is installed ----------------------------------------------------------------


BIG: dict[str, tuple[int, Callable[[int], Any]]] = {
    "labels": (2_000, lambda n: {"allOf": [{"enum": [f"l{i}" for i in range(n)]}] * 2}),
    "numbers": (3_000, lambda n: {"allOf": [{"enum": list(range(k, k + n))} for k in (0, 1)]}),
    "anyOf": (
        15,
        lambda n: {
            "anyOf": [{"properties": {f"p{i}_{j}": INT for j in range(90)}} for i in range(n)]
        },
    ),
    "allOf": (
        15,
        lambda n: {"allOf": [{"properties": {f"p{i}": INT for i in range(90)}}] * n},
    ),
    "long": (5_000, lambda n: {"pattern": "(a|b)" * n, "type": "string"}),
    "many": (
        500,
        lambda n: {
            "properties": {f"p{i}": {**STR, "pattern": f"^[a-z]{{{i % 20}}}$"} for i in range(n)}
        },
    ),
}
"""Schemas of about 100 kB at twice the size that is given here."""


@pytest.mark.parametrize("name", BIG)
@pytest.mark.untraced
def test_a_large_schema_takes_linear_time(name: str) -> None:
    """Twice the size of a schema takes little more than twice the steps."""
    size, schema = BIG[name]
    assert growth(lambda n: taking(schema(n)), size) < GROWTH
    assert len(taking(schema(2 * size)).prompt()) > 3


def test_many_labels_are_looked_up() -> None:
    """Many labels are looked up and not searched, so the first call takes linear time."""

    def work(n: int) -> int:
        labels = [f"label{i}" for i in range(n)]
        tools, text = taking({"enum": labels}), "\n".join(f"f {label}" for label in labels)
        return len(decode(text, tools))

    assert growth(work, 5_000) < GROWTH


def test_the_core_alone_takes_every_server_at_once() -> None:
    """The core alone reads 24 recorded MCP servers, and its first check is cheap."""
    program = f"""
import json, sys
sys.path.insert(0, {str(ROOT)!r})
from lton import ToolSet, decode
from tests.steps import steps
for path in {[str(path) for path in SERVERS]!r}:
    with open(path, encoding="utf-8") as file:
        assert ToolSet.from_tools(json.load(file)["tools"]).prompt()
text = 'f "http://a/" "::1" ab'
taken = steps(lambda: decode(text, ToolSet.from_tools({CHECKED!r})))
print(json.dumps([taken, sorted(sys.modules)]))
"""
    run = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, check=True)
    steps, modules = json.loads(run.stdout)
    assert len(SERVERS) == 24
    print(f"{steps} steps")
    assert 100 < steps < 500_000
    assert not {"jsonschema", "referencing", "rfc3987_syntax", "pydantic"} & set(modules)


@pytest.mark.parametrize(
    ("part", "signature"),
    [
        ({"enum": ["a\0", "b", "c"]}, "f(x?:b|c)"),
        ({"enum": ["\0"]}, "f(x?:never)"),
        ({"const": "\0"}, "f(x?:never)"),
    ],
)
def test_a_label_that_no_text_can_have_is_dropped(part: Any, signature: str) -> None:
    """A label that no text can contain is dropped with a note, and other labels are kept."""
    tools = taking(part)
    assert tools.prompt(descriptions=False) == signature
    first = tools.notes[0]
    assert (first.keyword, first.handling) == (next(iter(part)), Handling.NEVER)
