"""Generate values, schemas, toolsets, their calls, and damaged texts for Hypothesis."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from hypothesis import settings
from hypothesis import strategies as st

from lton import Call
from lton.schema.types import JSON
from tests.cases import tool

Schema: TypeAlias = Mapping[str, Any]
Definition: TypeAlias = dict[str, Any]


def examples(count: int) -> settings:
    """Return settings with the given number of examples in the deep tier, and a share of them in
    `make test`.
    """
    return settings(max_examples=max(1, count * settings().max_examples // 100))


NASTY_TEXTS = [
    "",
    " ",
    "_",
    "_x",
    "n",
    "s",
    "s3",
    "s3:x",
    "s1:abc",
    "u1:7",
    "7",
    "-0",
    "0.5",
    "1e5",
    "1e999",
    "true",
    "false",
    "null",
    "str",
    "&",
    "!call x",
    "a=b",
    "=",
    ",",
    ")",
    "]}",
    "'",
    '"',
    "it's",
    'say "hi"',
    "'\"",
    "'\"`",
    "\\",
    "\\n",
    "a\nb",
    "\n",
    "\r",
    "a\r\nb\n",
    "`",
    "``",
    "```",
    "```\na\n```",
    "a\n```",
    "x\n````\ny",
    "\n`",
    "é",
    "東京",
    "e\u0301",
    "😀",
    "\u2028",
    "\x01",
    "\uffff",
    "San Leandro",
    "https://x.org/?q=1",
]
NASTY_NAMES = [
    "_",
    "_x",
    "n",
    "s3",
    "a b",
    "it's",
    '"',
    "'\"",
    "'\"`",
    "é",
    "",
    "x=",
    "#",
    "/~",
    "[",
    "true",
]
PLAIN_NAMES = [*"abcdef", "city", "max-items", "v1.2/x"]
STRUCTURE = [
    *"()[]{}\"'`,= \n\r_&!#:sn0179.-e\0é\ud800",
    "```\n",
    "s3:",
    "null",
    "x=",
    "!call ",
]


def texts(max_size: int = 12) -> st.SearchStrategy[str]:
    """Generate strings of the data model, mostly unusual ones."""
    characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    syntax = st.sampled_from("ab \n`'\"s1:,=()[]{}_")
    return (
        st.sampled_from(NASTY_TEXTS).filter(lambda text: len(text) <= max_size)
        | st.text(syntax, max_size=max_size)
        | st.text(characters, max_size=max_size)
    )


def names(*, nasty: bool = True) -> st.SearchStrategy[str]:
    """Generate names of keys: those of parameters, and an undeclared one."""
    return st.sampled_from([*PLAIN_NAMES, *NASTY_NAMES, "a\nb"] if nasty else PLAIN_NAMES)


def integers() -> st.SearchStrategy[int]:
    """Generate small and huge integers."""
    return st.integers(-9, 99) | st.integers() | st.sampled_from([10**30, -(10**300)])


def doubles() -> st.SearchStrategy[float]:
    """Generate finite doubles, mostly unusual ones."""
    odd = [0.0, -0.0, 1.0, 1e300, 1e16, 9999999999999998.0, 1e-4, 1e-5, 5e-324, 0.1, -2.5]
    return st.sampled_from(odd) | st.floats(allow_nan=False, allow_infinity=False)


def scalars(max_size: int = 12) -> st.SearchStrategy[JSON]:
    """Generate values that contain no other values."""
    return st.none() | st.booleans() | integers() | doubles() | texts(max_size)


def json_values(max_size: int = 12, *, nasty_keys: bool = True) -> st.SearchStrategy[JSON]:
    """Generate any value of the data model."""
    return st.recursive(
        scalars(max_size),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(names(nasty=nasty_keys), inner, max_size=3)
            | likes(inner)
        ),
        max_leaves=6,
    )


def likes(inner: st.SearchStrategy[JSON]) -> st.SearchStrategy[Any]:
    """Generate arrays and maps of objects with common keys, which may become tables."""
    pair = st.fixed_dictionaries({"x": inner, "n": inner})
    row = st.fixed_dictionaries({"a": inner}, optional={"s1": inner, "b": pair | inner})
    whole = st.fixed_dictionaries({"a": inner, "b": pair})
    rows = st.lists(row, max_size=3) | st.lists(whole, max_size=3)
    return rows | st.dictionaries(names(), row, max_size=3)


# --- schemas ------------------------------------------------------------------------------------

_KINDS: dict[str, st.SearchStrategy[Schema]] = {
    "string": st.sampled_from(
        [{"type": "string"}, {"type": "string", "minLength": 1, "maxLength": 3}]
    ),
    "integer": st.sampled_from(
        [{"type": "integer"}, {"type": "integer", "minimum": -5, "exclusiveMaximum": 5}]
    ),
    "boolean": st.just({"type": "boolean"}),
    "null": st.just({"type": "null"}),
}
_NUMBERS: list[Schema] = [{"type": "number"}, {"type": "number", "minimum": 0, "maximum": 1}]
_SCALARS: st.SearchStrategy[Schema] = st.one_of(*_KINDS.values()) | st.sampled_from(_NUMBERS)


def enumerations() -> st.SearchStrategy[Schema]:
    """Generate enumerations of strings, of numbers, and of anything."""
    labels = st.lists(texts(), min_size=1, max_size=4, unique=True)
    numbers = st.lists(integers() | st.sampled_from([0.5, 1e300]), min_size=1, max_size=3)
    mixed = st.lists(
        st.none() | st.booleans() | st.sampled_from(["null", "1", "true", "x"]) | st.just(1),
        min_size=1,
        max_size=4,
    )
    return st.builds(lambda values: {"enum": values}, labels | numbers | mixed)


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Schema], *, nasty: bool = True) -> Schema:
    """Generate schemas of objects with declared members, some of them open to other members."""
    declared = st.sampled_from(PLAIN_NAMES + NASTY_NAMES if nasty else PLAIN_NAMES)
    members = draw(st.dictionaries(declared, inner, max_size=4))
    required = draw(st.lists(st.sampled_from(sorted(members)), unique=True)) if members else []
    schema: dict[str, Any] = {"type": "object", "properties": members, "required": required}
    more = draw(st.none() | st.booleans() | _SCALARS)
    return schema if more is None else {**schema, "additionalProperties": more}


def schemas(*, nasty: bool = True) -> st.SearchStrategy[Schema]:
    """Generate schemas of every kind: scalars, enumerations, unions, arrays, records, maps,
    anything.
    """

    def groups(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
        bounds = st.sampled_from([{}, {"maxItems": 3}, {"minItems": 1}])
        arrays = st.builds(
            lambda items, more: {"type": "array", "items": items, **more}, inner, bounds
        )
        maps = st.builds(lambda values: {"type": "object", "additionalProperties": values}, inner)
        return arrays | maps | objects(inner, nasty=nasty)

    kinds = st.lists(st.sampled_from(sorted(_KINDS)), min_size=1, max_size=3, unique=True)
    unions: st.SearchStrategy[Schema] = st.one_of(
        st.builds(lambda kinds: {"type": kinds}, kinds),
        kinds.flatmap(lambda names: st.tuples(*[_KINDS[kind] for kind in names])).map(
            lambda parts: {"anyOf": list(parts)}
        ),
        st.builds(lambda schema: {**schema, "nullable": True}, _SCALARS),
        st.just({"anyOf": [{"type": "string"}, {"items": {"type": "number"}}, {"type": "object"}]}),
    )
    free: list[Schema] = [{}, {"type": "object"}]
    leaves: st.SearchStrategy[Schema] = _SCALARS | enumerations() | unions | st.sampled_from(free)
    return st.recursive(leaves, groups, max_leaves=4)


@st.composite
def toolsets(draw: st.DrawFn, *, nasty: bool = True, max_tools: int = 3) -> list[Definition]:
    """Generate definitions of one to three tools, in OpenAI's format."""
    count = draw(st.integers(1, max_tools))
    name_strategy = st.sampled_from(
        [*PLAIN_NAMES, *(name for name in NASTY_NAMES if name and nasty)]
    )
    tool_names = draw(st.lists(name_strategy, min_size=count, max_size=count, unique=True))
    definitions = []
    for name in tool_names:
        schema = draw(objects(schemas(nasty=nasty), nasty=nasty))
        definitions.append({"type": "function", "function": {**tool(name), "parameters": schema}})
    return definitions


# --- values of schemas --------------------------------------------------------------------------


def values(
    schema: Schema | bool, max_size: int = 12, *, plain: bool = False
) -> st.SearchStrategy[JSON]:
    """Generate values that a schema of `schemas` allows.

    With `plain`, generate only values that grammars allow: no double instead of an integer, and
    bare keys (§13).
    """
    if isinstance(schema, bool) or not schema.keys() - {"nullable"}:
        return json_values(max_size, nasty_keys=not plain)
    if schema.get("nullable"):
        others = {keyword: value for keyword, value in schema.items() if keyword != "nullable"}
        return st.none() | values(others, max_size, plain=plain)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of([values(part, max_size, plain=plain) for part in schema["anyOf"]])
    kinds = schema.get("type", "array")
    if not isinstance(kinds, str):
        return st.one_of([values({"type": kind}, max_size, plain=plain) for kind in kinds])
    return _VALUES[kinds](schema, max_size, plain)


def _integers(schema: Schema, max_size: int, plain: bool) -> st.SearchStrategy[JSON]:
    strategy = st.integers(-5, 4) if "minimum" in schema else integers()
    return strategy if plain else strategy | st.sampled_from([-0.0, 1.0])


def _numbers(schema: Schema, max_size: int, plain: bool) -> st.SearchStrategy[JSON]:
    return st.floats(0, 1) | st.integers(0, 1) if "minimum" in schema else integers() | doubles()


def _strings(schema: Schema, max_size: int, plain: bool) -> st.SearchStrategy[JSON]:
    fits = texts(max_size)
    return fits.filter(lambda text: 1 <= len(text) <= 3) if "minLength" in schema else fits


def _arrays(schema: Schema, max_size: int, plain: bool) -> st.SearchStrategy[JSON]:
    item = values(schema.get("items", True), max_size, plain=plain)
    return st.lists(item, min_size=schema.get("minItems", 0), max_size=3)


def _objects(schema: Schema, max_size: int, plain: bool) -> st.SearchStrategy[JSON]:
    return arguments(schema, max_size, plain=plain)


_VALUES: dict[str, Callable[[Schema, int, bool], st.SearchStrategy[JSON]]] = {
    "null": lambda schema, max_size, plain: st.none(),
    "boolean": lambda schema, max_size, plain: st.booleans(),
    "integer": _integers,
    "number": _numbers,
    "string": _strings,
    "array": _arrays,
    "object": _objects,
}


@st.composite
def arguments(
    draw: st.DrawFn, schema: Schema, max_size: int = 12, *, plain: bool = False
) -> dict[str, JSON]:
    """Generate the members of an object: all required ones, and some others, in any order."""
    declared = schema.get("properties", {})
    members: dict[str, JSON] = {}
    for name in draw(st.permutations(sorted(declared))):
        if name in schema.get("required", ()) or draw(st.booleans()):
            members[name] = draw(values(declared[name], max_size, plain=plain))
    more = schema.get("additionalProperties", "properties" not in schema)
    if more is not False:
        extra = values(more, max_size, plain=plain)
        others = names(nasty=not plain).filter(lambda name: name not in declared)
        members |= draw(st.dictionaries(others, extra, max_size=2))
    return members


@st.composite
def calls_for(
    draw: st.DrawFn,
    definitions: Sequence[Definition],
    *,
    max_calls: int = 3,
    max_size: int = 12,
    plain: bool = False,
) -> list[Call]:
    """Generate valid calls of the tools of `toolsets`."""
    calls = []
    for definition in draw(st.lists(st.sampled_from(definitions), min_size=1, max_size=max_calls)):
        function = definition["function"]
        values_of = arguments(function["parameters"], max_size, plain=plain)
        calls.append(Call(function["name"], draw(values_of)))
    return calls


@st.composite
def mangled(draw: st.DrawFn, text: str, max_edits: int = 3) -> str:
    """Generate a text with pieces deleted, doubled, replaced and inserted, mostly structural
    ones.
    """
    for _ in range(draw(st.integers(1, max_edits))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 4)))
        piece = draw(
            st.sampled_from(STRUCTURE)
            | st.just("")
            | st.just(text[start:end] * 2)
            | st.text(max_size=2)
        )
        text = text[:start] + piece + text[end:]
    return text
