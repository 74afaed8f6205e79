"""Test that a prompt is read back as the same layouts, or refused with a place."""

import json
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import bpe_openai
import pytest

from lton import DecodeError, SchemaError, ToolSet
from lton.chat import render
from lton.errors import Code
from lton.schema.jsonschema.formats import FORMATS
from lton.schema.shown.signature import write_signature
from lton.schema.shown.write import PRIMERS
from lton.schema.types import FORMAT_NAMES, Number, Recursion, String, Type
from lton_bench import bfcl
from tests.cases import INT, POINT, STR, WEATHER, sizes, tool, tools_of
from tests.schema.test_signature import DEFAULTS, LABELS, LAYOUTS

STRINGS = Type(string=String())
MCP = sorted((Path(bfcl.__file__).parent / "mcp").glob("*.json"))
PLACE = {
    "properties": {
        "name": {**STR, "description": "as on a map"},
        "floor": {**INT, "description": "0 is the ground"},
        "city": STR,
    },
    "required": ["name"],
}
TRIP = tool("trip", {"from": PLACE, "to": PLACE, "via": {"items": PLACE}, "n": INT}, ["from"])


def check(tools: ToolSet) -> None:
    """Check that both texts are read back as the same signatures, with descriptions if any."""
    for descriptions in (False, True):
        text = tools.prompt(descriptions=descriptions)
        back = ToolSet.from_prompt(text)
        assert list(map(write_signature, back)) == list(map(write_signature, tools))
        assert back.prompt(descriptions=descriptions) == text
        assert back.fingerprint == tools.fingerprint


@pytest.mark.parametrize("path", MCP, ids=lambda path: path.stem)
def test_the_tools_of_servers(path: Path) -> None:
    """All tools of a recorded server are read back from one prompt."""
    check(ToolSet.from_tools(json.loads(path.read_text("utf-8"))))


def test_the_functions_of_bfcl() -> None:
    """Every tenth function of BFCL is read back."""
    for document in bfcl.documents()[::10]:
        check(ToolSet.from_tools([document]))


def test_limits_are_read_back() -> None:
    """Formats, bounds, lengths, tuples and recursive types are types with the same limits."""
    text = (
        "@Tree=(name:str(1..9) trees?:[@Tree])\n"
        "f(at:date-time|null n:int(1..10)|bool r:num(>0..<0.5) t:[int str](..2) u:[int ...:str]"
        " v:[@Tree](3) next?:@f|null)"
    )
    args = ToolSet.from_prompt(text).tools[0].args
    at, n, r, t, u, v, following = (param.type for param in args.params)
    assert at == Type(string=String(format="date-time"), null=True)
    assert n.number == Number(integer=True, minimum=1, maximum=10)
    assert r.number == Number(exclusive_minimum=0, exclusive_maximum=0.5)
    assert t.array is not None
    assert (t.array.min_items, t.array.max_items, len(t.array.positions)) == (0, 2, 2)
    assert u.array is not None
    assert (u.array.min_items, u.array.max_items, u.array.further) == (1, None, STRINGS)
    assert v.array is not None
    assert (v.array.min_items, v.array.max_items) == (3, 3)
    assert following.recursion == Recursion("f", Type(null=True))
    assert ToolSet.from_prompt(text).prompt(descriptions=False) == text


def test_hints_on_values_are_limits() -> None:
    """A short example or pattern ends the line of a parameter, and is read as its description."""
    members = {
        "zip": {**STR, "pattern": r"^\d{5}$"},
        "city": {**STR, "description": "Where.", "examples": ["Oslo"]},
        "at": {"properties": {"x": {**INT, "example": 5}}},
    }
    tools = tools_of(tool("f", members))
    plain = "f\n zip?\n city? Where.\n at?:(x?:int)"
    hinted = "f\n zip? pattern ^\\d{5}$\n city? Where. e.g. Oslo\n at?:(x?:int)\n  at.x e.g. 5"
    assert tools.prompt() == hinted
    assert tools.prompt(limits=False) == plain
    check(tools)


def test_equal_objects_with_other_hints_have_two_names() -> None:
    """The hints are part of what a name of an object says."""
    object_schema = {"properties": {"name": {**STR, "examples": ["Oslo"]}, "description": STR}}
    other = {"properties": {"name": {**STR, "examples": ["Rome"]}, "description": STR}}
    tools = tools_of(tool("f", {"a": object_schema, "b": object_schema, "c": other}))
    assert tools.prompt() == (
        "@a=(name? description?)\n  name e.g. Oslo\nf\n a?:@a\n b?:@a\n c?:(name? description?)\n"
        "  c.name e.g. Rome"
    )


def test_limits_can_be_left_out() -> None:
    """With `limits=False`, a prompt shows only the layout, but quotes the names of formats."""
    members = {
        "at": {**STR, "format": "date", "default": "2026-05-03"},
        "kind": {"enum": ["date", "day"]},
        "n": {**INT, "minimum": 1},
        "next": {"$ref": "#"},
    }
    tools = tools_of(tool("f", members))
    signature = 'f(at?=2026-05-03 kind?:"date"|day n?:int next?:any)'
    assert tools.prompt(descriptions=False, limits=False) == signature
    assert ToolSet.from_prompt(signature).fingerprint == tools.fingerprint


def test_formats_are_types_of_signatures() -> None:
    """Every format that is checked can be the type of a parameter in a prompt."""
    assert FORMATS.keys() == FORMAT_NAMES
    check(tools_of(*(tool(f"f{i}", {"x": {**STR, "format": f}}) for i, f in enumerate(FORMATS))))


RECURSIVE: Any = {"$ref": "#/$defs/T"}


@pytest.mark.parametrize(
    ("others", "spelling"),
    [
        ([{"type": "null"}], "@T|null"),
        ([STR], "@T|str"),
        ([{**STR, "format": "date"}, INT, {"type": "null"}], "@T|date|int|null"),
        ([{"type": "array", "items": RECURSIVE}], "@T|[@T]"),
        ([{"anyOf": [RECURSIVE, {"enum": ["a", "b"]}]}, {"type": "null"}], "@T|a|b|null"),
        ([{"type": "object", "properties": {"a": INT}, "required": ["a"]}], "@T|(a:int)"),
        ([True], "any"),
        ([{"$ref": "#"}], "any"),
    ],
)
def test_a_recursive_type_in_a_union_is_shown(others: list[Any], spelling: str) -> None:
    """The name of a recursive type comes first in a union, unless any other value is allowed."""
    either = {"anyOf": [RECURSIVE, *others]}
    definitions = {"T": {"type": "object", "properties": {"x": either}}}
    schema = {"properties": {"t": RECURSIVE}, "$defs": definitions}
    tools = tools_of({"name": "f", "parameters": schema})
    expected = "f(t?:(x?:any))" if spelling == "any" else f"@T=(x?:{spelling})\nf(t?:@T)"
    assert tools.prompt(descriptions=False) == expected
    assert tools.prompt(descriptions=False, limits=False) == "f(t?:(x?:any))"
    check(tools)


def test_layouts_labels_and_defaults() -> None:
    """Everything that a signature can show is read back."""
    labels = [tool("f", {"x": {"enum": [label, "@x", "..."]}}) for label, _ in LABELS]
    defaults = [tool("f", {"x": {"default": default}}) for default, _ in DEFAULTS]
    names = [
        tool(name, {name: INT, "b c": STR}) for name in ("a b", "...", "e'\"`f", "c'd", '"', "`")
    ]
    names += [tool("g", {"o": {"properties": {"a b": {**STR, "description": "x"}}}})]
    names += [tool("g", {"o": {"properties": {"...": {**STR, "description": "x"}}}})]
    for definition in (*LAYOUTS, *labels, *defaults, *names, tool("p", {"x": POINT})):
        check(tools_of(definition))


def test_an_object_that_stands_twice_is_named_once() -> None:
    """An object that occurs twice is named after its first member, and described under this
    name.
    """
    tools = tools_of(TRIP, tool("go", {"to": {**PLACE, "description": "where"}}))
    assert tools.prompt(descriptions=False) == (
        "@from=(name floor?:int city?)\n"
        "trip(from:@from to?:@from via?:[@from] n?:int)\n"
        "go(to?:@from)"
    )  # fmt: skip
    assert tools.prompt() == (
        "@from=(name floor?:int city?)\n"
        "  name as on a map\n"
        "  floor 0 is the ground\n"
        "trip\n from:@from\n to?:@from\n via?:[@from]\n n?:int\n"
        "go\n to?:@from where"
    )
    check(tools)


def test_names_of_objects_are_told_apart() -> None:
    """Objects get different names if their members have the same name, or a name that is not
    bare.
    """
    other = {"properties": {"x": POINT, "other": STR}}
    objects = {"a": PLACE, "b c": {"properties": {"the only member": STR}}}
    tools = tools_of(
        tool("f", {**objects, "d": {"properties": {"a": other}}}),
        tool("g", {**objects, "d": {"properties": {"a": other}}}),
    )
    text = tools.prompt(descriptions=False)
    assert [line.partition("=")[0] for line in text.split("\n")[:-2]] == [
        "@a", "@object", "@x", "@a2", "@d"
    ]  # fmt: skip
    check(tools)


def test_a_small_object_with_long_descriptions_gets_a_name() -> None:
    """The descriptions of members and of inner objects count as a part of the object."""
    inner = {"properties": {"b": {**INT, "description": "how many there are"}}}
    small = {"properties": {"a": {**inner, "description": "the inner object"}}}
    tools = tools_of(tool("f", {"p": small}), tool("g", {"p": small}))
    assert tools.prompt() == (
        "@a=(b?:int)\n"
        "  b how many there are\n"
        "@p=(a?:@a)\n"
        "  a the inner object\n"
        "f\n p?:@p\n"
        "g\n p?:@p"
    )
    check(tools)


def test_descriptions_of_members_inside_are_kept() -> None:
    """Descriptions are kept in arrays, in maps, and after undeclared members."""
    inner = {"properties": {"y": {**INT, "description": "why"}}}
    schemas = [
        {"items": inner},
        {"additionalProperties": inner},
        {"properties": {"z": INT}, "additionalProperties": inner},
        {"anyOf": [{"items": {"items": inner}}, {"type": "null"}]},
    ]
    for schema in schemas:
        tools = tools_of(tool("f", {"x": schema}))
        assert tools.prompt().endswith("y why")
        check(tools)


def test_descriptions_have_only_what_a_text_can_have() -> None:
    """Lone surrogates and U+0000 are removed from descriptions."""
    fields = {"x": {"type": "string", "description": "\0"}}
    described = {"name": "f", "description": "a\ud800b", "parameters": {"properties": fields}}
    prompt = ToolSet.from_tools([described]).prompt()
    assert prompt == "f a\ufffdb\n x? \ufffd"
    assert ToolSet.from_prompt(prompt).prompt() == prompt


def test_a_form_without_a_primer_is_an_error() -> None:
    """The error lists the forms that a text explains."""
    tools = ToolSet.from_prompt("f(a)")
    form: Any
    for form in ("tagged", "bogus"):
        expected = f"expected one of the forms wire, keyed, punctuated, found '{form}'"
        with pytest.raises(ValueError, match=expected):
            tools.prompt(primer=form)
    with pytest.raises(ValueError, match=expected):
        render([], tools, form=form)


def test_a_primer_explains_each_form() -> None:
    """The primer of each form has fewer than 120 tokens, and is skipped when the prompt is read."""
    encoding = bpe_openai.get_encoding("o200k_base")
    for form, primer in PRIMERS.items():
        assert len(encoding.encode(primer)) < 120
        text = WEATHER.prompt(primer=form)  # type: ignore[arg-type]
        assert text == f"{primer}\n{WEATHER.prompt()}"
        assert ToolSet.from_prompt(text).fingerprint == WEATHER.fingerprint


@pytest.mark.parametrize(
    ("text", "pos"),
    [
        ("f(", 2),
        ("f(a", 3),
        ("f(a,b)", 3),
        ("f(a:)", 4),
        ("f(a:int=)", 8),
        ("f(a:[int)", 8),
        ("f(a:{int]", 8),
        ("f(a:x|)", 6),
        ("f(a:@b)", 5),
        ("f(a:'b)", 7),
        ("f(a:s3)", 5),
        ("f(a:s9:b)", 5),
        ("f(a=[1,2])", 6),
        ("f(a={b})", 6),
        ("f(...:int a)", 9),
        ("f(a)g", 4),
        ("f(a) does", 4),
        ("f(a b c", 7),
        ("f\n a:int|\n b", 9),
        ("```\nf", 0),
        ("@f", 2),
        ("!f()", 0),
        ("f\n\ng", 2),
        ("f(a:[])", 5),
        ("f(a:[int  str])", 9),
        ("f(a:[int ...:str int])", 16),
        ("f(a:int(1..x))", 7),
        ("f(a:int(1...2))", 7),
        ("f(a:int())", 7),
        ("f(a:str(1.5..))", 7),
        ("f(a:str(>1..))", 7),
        ("f(a:bool(1))", 8),
        ("@b=(c:@d)\nf(a:@b)", 7),
        ("f(a:@g)\ng()", 5),
        ("f(a b a:int)", 6),
        ("f\n a\n b\n a?", 9),
        ("f(o:(a a))", 7),
        ("f(o:(a)|(b b))", 11),
        ("@o=(a a)\nf(b:@o)", 6),
    ],
)
def test_what_is_no_prompt_is_refused(text: str, pos: int) -> None:
    """An invalid prompt is refused at its first wrong character."""
    with pytest.raises(DecodeError) as caught:
        ToolSet.from_prompt(text)
    assert (caught.value.code, caught.value.pos) == (Code.SYNTAX, pos)


@pytest.mark.parametrize(
    "text", ["f(a:" + "[" * 100_000, "f(a=" + "[" * 100_000, "f(a:" + "(b:" * 999]
)
def test_nesting_has_a_limit(text: str) -> None:
    """R-1101 also holds for types and defaults in a prompt."""
    with pytest.raises(DecodeError) as caught:
        ToolSet.from_prompt(text)
    assert caught.value.code == Code.DEPTH


def named(width: int, depth: int) -> str:
    """Return a prompt of named objects, each with several references to the previous one."""
    lines = [
        f"@a{n}=({' '.join(f'x{i}:@a{n - 1}' for i in range(width))})" for n in range(1, depth)
    ]
    return "\n".join(["@a0=(x y)", *lines, f"f(a:[@a{depth - 1}])"])


def test_objects_with_names_are_counted_where_they_stand() -> None:
    """R-1101 and R-1105: the depth and size of named objects count at each reference."""
    assert ToolSet.from_prompt(named(1, 60)).fingerprint
    for width, depth, code in (
        (1, 70, Code.DEPTH),
        (1, 2000, Code.DEPTH),
        (2, 24, Code.SCHEMA_SIZE),
    ):
        with pytest.raises(DecodeError) as caught:
            ToolSet.from_prompt(named(width, depth))
        assert caught.value.code == code


def test_texts_of_objects_with_names_are_counted() -> None:
    """R-1105: 20 kB of named objects whose signature would have 10 MB or more are refused."""
    labels = "|".join(f"label{i}" for i in range(1000))
    few, many = (" ".join(f"x{i}:@b" for i in range(n)) for n in (10, 1200))
    lines = f"@a=(x:{labels})\n@b=(y:@a z:[@a])\nf"
    assert len(ToolSet.from_prompt(f"{lines}({few})").fingerprint) == 8
    with pytest.raises(DecodeError) as caught:
        ToolSet.from_prompt(f"{lines}({many})")
    assert caught.value.code == Code.SCHEMA_SIZE


@pytest.mark.untraced
@pytest.mark.parametrize("count", sizes(600, 3000))
def test_changed_prompts_are_read_or_refused(count: int) -> None:
    """A changed prompt is read, or raises an error of LTON."""
    choose = random.Random(7)
    servers = [ToolSet.from_tools(json.loads(path.read_text("utf-8"))) for path in MCP[:6]]
    texts = [tools.prompt(descriptions=d)[:3000] for tools in servers for d in (True, False)]
    pieces = ["", '"', "(", ")", "@", "s3:", "\n", " ", "...", "9" * 5000]
    read = 0
    for _ in range(count):
        text = choose.choice(texts)
        at = choose.randrange(len(text))
        text = text[:at] + choose.choice(pieces) + text[at + choose.randrange(3) :]
        with suppress(DecodeError, SchemaError):
            ToolSet.from_prompt(text)
            read += 1
    assert 0 < read < count


def test_two_tools_of_one_name_are_refused() -> None:
    """Two tools with the same name are refused, as in definitions."""
    with pytest.raises(SchemaError) as caught:
        ToolSet.from_prompt("f()\nf()")
    assert caught.value.code == Code.NAMES


@pytest.mark.parametrize("text", ['"a\x1bb"(x)', 'f("a\x1b")', '@"a\\u001bb"(x)'])
def test_a_name_that_steers_a_terminal_is_not_read(text: str) -> None:
    with pytest.raises(DecodeError, match="without control characters") as caught:
        ToolSet.from_prompt(text)
    assert caught.value.code is Code.SYNTAX
