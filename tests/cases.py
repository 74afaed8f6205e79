"""Examples as tables: what is written and read, and what is refused with which code and where.

A case names its rule of the spec. `Good` serves the encoder and the decoder alike. The text of a
`Bad` case shows the position of its error by a mark, so that nobody has to count.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Protocol, TypeAlias

import pytest

from lton import Call, DecodeError, ToolSet, decode
from lton.errors import Code
from lton.schema.types import JSON

Schema: TypeAlias = Mapping[str, Any]

MARK = "▼"


class Case(Protocol):
    """What every table holds: a name for the test's id."""

    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Good:
    """Calls, and their canonical text in every form."""

    name: str
    rule: str
    tools: ToolSet
    calls: tuple[Call, ...]
    _: KW_ONLY
    wire: str
    keyed: str
    punctuated: str
    tagged: str


@dataclass(frozen=True, slots=True)
class Read:
    """A text that is not canonical, and its calls."""

    name: str
    rule: str
    tools: ToolSet | None
    text: str
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Bad:
    """A text that is refused: `marked` has the mark where the error is reported.

    `hint` is a part of the hint, "" for no hint at all, None where that does not matter.
    """

    name: str
    rule: str
    tools: ToolSet | None
    marked: str
    code: Code
    path: str = ""
    _: KW_ONLY
    hint: str | None = None

    @property
    def text(self) -> str:
        return self.marked.replace(MARK, "")

    @property
    def pos(self) -> int:
        return self.marked.index(MARK)


@dataclass(frozen=True, slots=True)
class BadCall:
    """A call that is not written."""

    name: str
    rule: str
    tools: ToolSet | None
    call: Call
    code: Code
    path: str = ""
    form: str = "wire"


@dataclass(frozen=True, slots=True)
class BadTools:
    """Definitions that are not compiled."""

    name: str
    rule: str
    definitions: tuple[Any, ...]
    code: Code
    pointer: str = ""


def params(table: Iterable[Case]) -> list[Any]:
    """Get a table as parameters of a test."""
    return [pytest.param(case, id=case.name) for case in table]


def exact(calls: Iterable[Call]) -> str:
    """Get calls as JSON text, which tells 1 from 1.0 and from true, and forgets the order."""
    return json.dumps([[call.name, call.arguments] for call in calls], sort_keys=True)


def outcome(text: str, tools: ToolSet | None) -> list[Call] | DecodeError:
    """Get the calls of a text, or the error that refuses it."""
    try:
        return decode(text, tools)
    except DecodeError as error:
        return error


def tool(
    name: str, properties: Schema | None = None, required: Sequence[str] = (), **more: Any
) -> dict[str, Any]:
    """Get the definition of a tool."""
    schema = {"type": "object", "properties": properties or {}, "required": [*required], **more}
    return {"name": name, "parameters": schema}


def tools_of(*definitions: Mapping[str, Any]) -> ToolSet:
    """Get the toolset of some definitions."""
    return ToolSet.from_tools(definitions)


def taking(schema: Schema | bool) -> ToolSet:
    """Get the tool `f` with one required parameter `x`."""
    return tools_of(tool("f", {"x": schema}, ["x"]))


STR: Schema = {"type": "string"}
INT: Schema = {"type": "integer"}
NUM: Schema = {"type": "number"}
BOOL: Schema = {"type": "boolean"}
NULL: Schema = {"type": "null"}
ANYTHING: Schema = {}
MAP: Schema = {"type": "object"}
UNIT: Schema = {"enum": ["C", "F"]}
INTS: Schema = {"type": "array", "items": INT}
POINT: Schema = {
    "type": "object",
    "properties": {"a": INT, "b": STR, "c": INT, "d": INT},
    "required": ["a"],
}

WEATHER = tools_of(
    tool("weather.v1", {"city": STR, "days": INT, "unit": UNIT, "note": STR}, ["city", "days"]),
    tool("stop"),
)
GAPS = tools_of(tool("g", {"a": INT, "b": INT, "c": INT, "d": INT, "e": INT}, ["a"]))
OPEN = tools_of(tool("h", {"a": INT}, ["a"], additionalProperties=INT))
FREE_ARGS = tools_of({"name": "m", "parameters": {"type": "object", "additionalProperties": True}})
F_STR = taking(STR)
F_INT = taking(INT)
F_NUM = taking(NUM)
F_ANY = taking(ANYTHING)
F_UNIT = taking(UNIT)
F_INTS = taking(INTS)
F_POINT = taking(POINT)
F_MAP = taking(MAP)

F_ARGS = tools_of(tool("f", {"color": STR}))

_PARIS = Call("weather.v1", {"city": "Paris", "days": 3})
_LEANDRO = Call("weather.v1", {"city": "San Leandro", "days": 7, "unit": "C"})


_LONGEST = 10**4095 - 1


def _f(value: Any) -> Call:
    return Call("f", {"x": value})


def _nested(depth: int) -> JSON:
    value: JSON = []
    for _ in range(depth - 1):
        value = [value]
    return value


def _nested_schema(depth: int) -> Schema:
    schema: Schema = {}
    for _ in range(depth):
        schema = {"items": schema}
    return schema


def _value(
    name: str,
    rule: str,
    schema: Schema,
    value: JSON,
    text: str,
    tagged: str,
    *,
    keyed: str | None = None,
    punctuated: str | None = None,
) -> Good:
    """Get the case of one value as the one argument: forms that are not given are as on the wire"""
    keyed = text if keyed is None else keyed
    return Good(
        name,
        rule,
        taking(schema),
        (Call("f", {"x": value}),),
        wire=f"f {text}",
        keyed=f"f x={keyed}",
        punctuated=f"f(x={keyed if punctuated is None else punctuated})",
        tagged=f"!call f\n({tagged})",
    )


def _text(name: str, rule: str, value: str, text: str, punctuated: str | None = None) -> Good:
    """Get the case of a string at a position for strings."""
    quoted = f'"{text}"'
    counted = f"s{len(value)}:{value}"
    return _value(name, rule, STR, value, text, counted, punctuated=punctuated or quoted)


GOOD: list[Good] = [
    # --- values: R-01 to R-05, R-31, R-32
    _value("null", "R-01", NULL, None, "null", "n"),
    _value("true", "R-01", BOOL, True, "true", "b4:true"),
    _value("false", "R-01", BOOL, False, "false", "b5:false"),
    _value("zero", "R-03", INT, 0, "0", "u1:0"),
    _value("negative", "R-03", INT, -7, "-7", "i2:-7"),
    _value("huge-integer", "R-03", INT, 10**30, f"{10**30}", f"u31:{10**30}"),
    _value("long-integer", "R-03", INT, 10**300, f"{10**300}", f"u301:{10**300}"),
    _value("integral-double", "R-04", NUM, 1.0, "1.0", "f3:1.0"),
    _value("integer-as-number", "R-04", NUM, 1, "1", "u1:1"),
    _value("double-as-integer", "R-04", INT, 7.0, "7.0", "f3:7.0"),
    _value("negative-zero", "R-04", NUM, -0.0, "-0.0", "f4:-0.0"),
    _value("large-double", "R-32", NUM, 1e22, "1e22", "f4:1e22"),
    _value("small-double", "R-32", NUM, 1e-7, "1e-7", "f4:1e-7"),
    _value("shortest-double", "R-32", NUM, 0.1, "0.1", "f3:0.1"),
    _value(
        "largest-double",
        "R-32",
        NUM,
        1.7976931348623157e308,
        *["1.7976931348623157e308", "f22:1.7976931348623157e308"],
    ),
    _value("smallest-double", "R-32", NUM, -5e-324, "-5e-324", "f7:-5e-324"),
    # --- strings: R-21 to R-26
    _text("bare-word", "R-26", "Paris", "Paris"),
    _text("bare-number-as-string", "R-21", "7", "7"),
    _text("bare-true-as-string", "R-21", "true", "true"),
    _text("bare-null-as-string", "R-21", "null", "null"),
    _text("bare-url", "R-26", "https://x.org/a+b@c*", "https://x.org/a+b@c*"),
    _text("bare-hyphen", "R-26", "-", "-"),
    _text("bare-s", "R-22", "s", "s"),
    _text("bare-s-colon", "R-22", "s:x", "s:x"),
    _text("bare-sun", "R-22", "sun3", "sun3"),
    _text("quoted-s3", "R-22", "s3", '"s3"', '"s3"'),
    _text("quoted-counted-look", "R-22", "s3:abc", '"s3:abc"', '"s3:abc"'),
    _text("quoted-skip", "R-22", "_", '"_"', '"_"'),
    _text("quoted-underscore", "R-22", "_x", '"_x"', '"_x"'),
    _text("quoted-empty", "R-23", "", '""', '""'),
    _text("quoted-space", "R-23", "two words", '"two words"', '"two words"'),
    _text("quoted-equals", "R-26", "x=y", '"x=y"', '"x=y"'),
    _text("quoted-brackets", "R-26", "([{}])", '"([{}])"', '"([{}])"'),
    _text("quoted-backslash", "R-23", "\\n \\", '"\\n \\"', '"\\n \\"'),
    _text("quoted-backtick", "R-23", "```", '"```"', '"```"'),
    _text("quoted-other", "R-26", "it's", '"it\'s"', '"it\'s"'),
    _text("single-quoted", "R-26", 'say "hi"', "'say \"hi\"'", "'say \"hi\"'"),
    _text("quoted-unicode", "R-02", "é", '"é"', '"é"'),
    _text("quoted-line-separator", "R-23", "a\u2028b\x85", '"a\u2028b\x85"', '"a\u2028b\x85"'),
    _text("both-quotes", "R-24", "'\"", "s2:'\"", "```\n'\"\n```"),
    _text("newline", "R-24", "a\nb", "s3:a\nb", "```\na\nb\n```"),
    _text("only-newline", "R-25", "\n", "s1:\n", "```\n\n\n```"),
    _text("carriage-return", "R-24", "a\r", "s2:a\r", "```\na\r\n```"),
    _text("counted-astral", "R-24", "😀\n", "s2:😀\n", "```\n😀\n\n```"),
    _text("fence-in-text", "R-25", "a\n```x", "s6:a\n```x", "````\na\n```x\n````"),
    _text("long-fence-in-text", "R-25", "`````\n", "s6:`````\n", "``````\n`````\n\n``````"),
    _text("fence-not-at-line-start", "R-25", "a ````\n``", "s9:a ````\n``", "```\na ````\n``\n```"),
    # --- what a bare word means: R-21, R-16
    _value("number-beside-string", "R-21", {"type": ["string", "integer"]}, 7, "7", "u1:7"),
    _value("string-beside-number", "R-21", {"type": ["string", "integer"]}, "7", '"7"', "s1:7"),
    _value(
        "fraction-beside-number", "R-21", {"type": ["string", "integer"]}, "7.5", '"7.5"', "s3:7.5"
    ),
    _value(
        "word-beside-number",
        "R-21",
        {"type": ["string", "integer"]},
        "7a",
        "7a",
        "s2:7a",
        punctuated='"7a"',
    ),
    _value("string-null", "R-21", {"type": ["string", "null"]}, "null", '"null"', "s4:null"),
    _value("null-beside-string", "R-21", {"type": "string", "nullable": True}, None, "null", "n"),
    _value("string-true", "R-21", {"anyOf": [STR, BOOL]}, "true", '"true"', "s4:true"),
    _value(
        "true-where-no-boolean",
        "R-21",
        {"anyOf": [STR, INT]},
        "true",
        "true",
        "s4:true",
        punctuated='"true"',
    ),
    _value("array-or-string", "R-16", {"oneOf": [STR, INTS]}, [1], "[1]", "[u1:1]"),
    # --- labels
    _value("label", "R-26", UNIT, "C", "C", "e1:C"),
    _value(
        "label-with-space",
        "R-26",
        {"enum": ["light rain", "x"]},
        "light rain",
        '"light rain"',
        "e10:light rain",
    ),
    _value("label-null", "R-21", {"enum": ["null", None]}, "null", '"null"', "e4:null"),
    _value("label-none", "R-21", {"enum": ["null", None]}, None, "null", "n"),
    _value("label-string-one", "R-21", {"enum": [1, "1"]}, "1", '"1"', "e1:1"),
    _value("label-number-one", "R-21", {"enum": [1, "1"]}, 1, "1", "u1:1"),
    _value("label-false", "R-21", {"enum": [False, "false"]}, False, "false", "b5:false"),
    _value(
        "label-lines",
        "R-26",
        {"const": "a\nb"},
        "a\nb",
        "s3:a\nb",
        "e3:a\nb",
        punctuated="```\na\nb\n```",
    ),
    # --- groups: R-28, R-29
    _value("empty-array", "R-28", INTS, [], "[]", "[]"),
    _value("array", "R-28", INTS, [1, 2], "[1 2]", "[u1:1 u1:2]", punctuated="[1, 2]"),
    _value(
        "arrays",
        "R-28",
        {"items": INTS},
        [[1], []],
        "[[1] []]",
        "[[u1:1] []]",
        punctuated="[[1], []]",
    ),
    _value(
        "record",
        "R-29",
        POINT,
        {"a": 1, "b": "x"},
        "(1 x)",
        "{a u1:1 b s1:x}",
        keyed="(a=1 b=x)",
        punctuated='(a=1, b="x")',
    ),
    _value(
        "record-skips",
        "R-29",
        POINT,
        {"a": 1, "c": 2},
        "(1 _ 2)",
        "{a u1:1 c u1:2}",
        keyed="(a=1 c=2)",
        punctuated="(a=1, c=2)",
    ),
    _value(
        "record-keys",
        "R-29",
        POINT,
        {"a": 1, "d": 2},
        "(1 d=2)",
        "{a u1:1 d u1:2}",
        keyed="(a=1 d=2)",
        punctuated="(a=1, d=2)",
    ),
    _value("empty-record", "R-29", {"properties": {"a": INT}}, {}, "()", "{}"),
    _value(
        "records",
        "R-29",
        {"items": POINT},
        [{"a": 1}, {"a": 2}],
        "[(1) (2)]",
        "[{a u1:1} {a u1:2}]",
        keyed="[(a=1) (a=2)]",
        punctuated="[(a=1), (a=2)]",
    ),
    _value(
        "closed-record", "R-13", {"type": "object", "additionalProperties": False}, {}, "()", "{}"
    ),
    _value(
        "map",
        "R-29",
        MAP,
        {"k": 1, "two words": ["x"]},
        '{k 1 "two words" [x]}',
        '{k u1:1 "two words" [s1:x]}',
        punctuated='{k 1, "two words" ["x"]}',
    ),
    _value("empty-map", "R-29", MAP, {}, "{}", "{}"),
    _value(
        "map-keys",
        "R-53",
        MAP,
        {"n": 1, "_": 2, "": 3, "s3": 4},
        '{"" 3 _ 2 n 1 s3 4}',
        '{"" u1:3 "_" u1:2 "n" u1:1 s3 u1:4}',
        punctuated='{"" 3, _ 2, n 1, s3 4}',
    ),
    _value(
        "map-key-lines", "R-12", MAP, {"a\nb": 1}, "{```\na\nb\n``` 1}", "{```\na\nb\n``` u1:1}"
    ),
    _value("typed-map", "R-29", {"additionalProperties": UNIT}, {"k": "C"}, "{k C}", "{k e1:C}"),
    _value(
        "open-record",
        "R-13",
        {"properties": {"a": INT}, "additionalProperties": STR},
        {"a": 1, "z": "y"},
        "(1 z=y)",
        "{a u1:1 z s1:y}",
        keyed="(a=1 z=y)",
        punctuated='(a=1, z="y")',
    ),
    _value(
        "anything",
        "R-21",
        ANYTHING,
        ["true", True, "1", 1, None, "x", {}],
        '["true" true "1" 1 null x {}]',
        "[s4:true b4:true s1:1 u1:1 n s1:x {}]",
        punctuated='["true", true, "1", 1, null, "x", {}]',
    ),
    _value(
        "deepest",
        "R-61",
        ANYTHING,
        json.loads("[" * 64 + "]" * 64),
        "[" * 64 + "]" * 64,
        "[" * 64 + "]" * 64,
    ),
    # --- calls: R-10 to R-19, R-40 to R-42, R-50
    Good("no-calls", "R-10", WEATHER, (), wire="", keyed="", punctuated="", tagged=""),
    Good(
        "no-arguments",
        "R-41",
        WEATHER,
        (Call("stop"),),
        wire="stop",
        keyed="stop",
        punctuated="stop()",
        tagged="!call stop\n()",
    ),
    Good(
        "weather",
        "R-14",
        WEATHER,
        (_LEANDRO,),
        wire='weather.v1 "San Leandro" 7 C',
        keyed='weather.v1 city="San Leandro" days=7 unit=C',
        punctuated='weather.v1(city="San Leandro", days=7, unit=C)',
        tagged="!call weather.v1\n(s11:San Leandro u1:7 e1:C)",
    ),
    Good(
        "repeat",
        "R-42",
        WEATHER,
        (_PARIS, _LEANDRO, Call("stop"), Call("stop")),
        wire='weather.v1 Paris 3\n& "San Leandro" 7 C\nstop\n&',
        keyed=(
            'weather.v1 city=Paris days=3\nweather.v1 city="San Leandro" days=7 unit=C\nstop\nstop'
        ),
        punctuated=(
            'weather.v1(city="Paris", days=3)\n'
            'weather.v1(city="San Leandro", days=7, unit=C)\n'
            "stop()\nstop()"
        ),
        tagged=(
            "!call weather.v1\n(s5:Paris u1:3)\n"
            "!call weather.v1\n(s11:San Leandro u1:7 e1:C)\n"
            "!call stop\n()\n!call stop\n()"
        ),
    ),
    Good(
        "names-quoted",
        "R-12",
        tools_of(tool("a b", {"it's": INT, '"': INT, "": INT}, ["it's"])),
        (Call("a b", {"it's": 1, "": 2}),),
        wire='"a b" 1 _ 2',
        keyed='"a b" "it\'s"=1 ""=2',
        punctuated='"a b"("it\'s"=1, ""=2)',
        tagged='!call "a b"\n(u1:1 _ u1:2)',
    ),
    Good(
        "names-fenced",
        "R-12",
        tools_of(tool("a\nb", {"'\"": INT}, additionalProperties=INT)),
        (Call("a\nb", {"c\rd": 1, "'\"": 2}),),
        wire="```\na\nb\n``` 2 ```\nc\rd\n```=1",
        keyed="```\na\nb\n``` ```\n'\"\n```=2 ```\nc\rd\n```=1",
        punctuated="```\na\nb\n```(```\n'\"\n```=2, ```\nc\rd\n```=1)",
        tagged="!call ```\na\nb\n```\n(u1:2)\n(```\nc\rd\n``` u1:1)",
    ),
    Good(
        "names-like-syntax",
        "R-12",
        tools_of(tool("!call", {"&": INT, "#1": INT}), tool("&", {})),
        (Call("!call", {"&": 1, "#1": 2}), Call("&")),
        wire='"!call" 1 2\n"&"',
        keyed='"!call" "&"=1 "#1"=2\n"&"',
        punctuated='"!call"("&"=1, "#1"=2)\n"&"()',
        tagged='!call "!call"\n(u1:1 u1:2)\n!call "&"\n()',
    ),
    Good(
        "skip",
        "R-15",
        GAPS,
        (Call("g", {"a": 1, "c": 3}),),
        wire="g 1 _ 3",
        keyed="g a=1 c=3",
        punctuated="g(a=1, c=3)",
        tagged="!call g\n(u1:1 _ u1:3)",
    ),
    Good(
        "key-over-skips",
        "R-15",
        GAPS,
        (Call("g", {"a": 1, "d": 4}),),
        wire="g 1 d=4",
        keyed="g a=1 d=4",
        punctuated="g(a=1, d=4)",
        tagged="!call g\n(u1:1)\n(d u1:4)",
    ),
    Good(
        "skips-worth-it",
        "R-15",
        GAPS,
        (Call("g", {"e": 5, "d": 4, "a": 1}),),
        wire="g 1 _ _ 4 5",
        keyed="g a=1 d=4 e=5",
        punctuated="g(a=1, d=4, e=5)",
        tagged="!call g\n(u1:1 _ _ u1:4 u1:5)",
    ),
    Good(
        "skips-apart",
        "R-15",
        GAPS,
        (Call("g", {"a": 1, "c": 3, "e": 5}),),
        wire="g 1 _ 3 _ 5",
        keyed="g a=1 c=3 e=5",
        punctuated="g(a=1, c=3, e=5)",
        tagged="!call g\n(u1:1 _ u1:3 _ u1:5)",
    ),
    Good(
        "trailing-absent",
        "R-15",
        GAPS,
        (Call("g", {"b": 2, "a": 1}),),
        wire="g 1 2",
        keyed="g a=1 b=2",
        punctuated="g(a=1, b=2)",
        tagged="!call g\n(u1:1 u1:2)",
    ),
    Good(
        "all-keyed",
        "R-50",
        tools_of(tool("k", {"a": INT, "b": INT, "n": INT})),
        (Call("k", {"n": 3}),),
        wire="k n=3",
        keyed="k n=3",
        punctuated="k(n=3)",
        tagged='!call k\n("n" u1:3)',
    ),
    Good(
        "layout",
        "R-19",
        tools_of(tool("p", {"o": INT, "r": INT, "q": INT, "s": INT}, ["s", "r"])),
        (Call("p", {"o": 1, "q": 2, "r": 3, "s": 4}),),
        wire="p 3 4 1 2",
        keyed="p r=3 s=4 o=1 q=2",
        punctuated="p(r=3, s=4, o=1, q=2)",
        tagged="!call p\n(u1:3 u1:4 u1:1 u1:2)",
    ),
    Good(
        "extra",
        "R-13",
        OPEN,
        (Call("h", {"z": 2, "a": 1, "b": 3}),),
        wire="h 1 b=3 z=2",
        keyed="h a=1 b=3 z=2",
        punctuated="h(a=1, b=3, z=2)",
        tagged="!call h\n(u1:1)\n(b u1:3)\n(z u1:2)",
    ),
    Good(
        "only-extra",
        "R-13",
        FREE_ARGS,
        (Call("m", {"k": {"l": None}}),),
        wire="m k={l null}",
        keyed="m k={l null}",
        punctuated="m(k={l null})",
        tagged="!call m\n(k {l n})",
    ),
]

READ: list[Read] = [
    Read("final-newline", "R-10", WEATHER, "weather.v1 Paris 3\n", (_PARIS,)),
    Read("spaces", "R-11", WEATHER, "weather.v1 Paris   3", (_PARIS,)),
    Read("comma", "R-11", WEATHER, "weather.v1 Paris,3", (_PARIS,)),
    Read("comma-and-spaces", "R-11", WEATHER, "weather.v1(Paris  ,  3)", (_PARIS,)),
    Read("spaced-array", "R-28", F_INTS, "f [1  2 , 3,4]", (Call("f", {"x": [1, 2, 3, 4]}),)),
    Read("name-quoted", "R-12", WEATHER, "'weather.v1' Paris 3", (_PARIS,)),
    Read("name-fenced", "R-12", WEATHER, "```\nweather.v1\n```(Paris 3)", (_PARIS,)),
    Read("key-quoted", "R-12", WEATHER, 'weather.v1 Paris "days"=3', (_PARIS,)),
    Read("key-fenced", "R-12", WEATHER, "weather.v1 Paris ```\ndays\n```=3", (_PARIS,)),
    Read("positional-then-keyed", "R-14", WEATHER, "weather.v1 Paris days=3", (_PARIS,)),
    Read("keys-in-any-order", "R-14", WEATHER, "weather.v1 days=3 city=Paris", (_PARIS,)),
    Read("punctuated-by-position", "R-41", WEATHER, "weather.v1(Paris 3)", (_PARIS,)),
    Read("punctuated-no-arguments", "R-41", WEATHER, "stop()\nstop", (Call("stop"), Call("stop"))),
    Read(
        "record-argument", "R-41", F_POINT, "f (a=1, b=x)", (Call("f", {"x": {"a": 1, "b": "x"}}),)
    ),
    Read(
        "punctuated-record", "R-41", F_POINT, "f((1 'x'))", (Call("f", {"x": {"a": 1, "b": "x"}}),)
    ),
    Read("trailing-skips", "R-15", WEATHER, "weather.v1 Paris 3 _ _", (_PARIS,)),
    Read("skip-then-key", "R-15", GAPS, "g 1 _ c=3", (Call("g", {"a": 1, "c": 3}),)),
    Read("skip-then-its-key", "R-15", GAPS, "g 1 _ b=3", (Call("g", {"a": 1, "b": 3}),)),
    Read("skip-in-record", "R-15", F_POINT, "f (1 _)", (Call("f", {"x": {"a": 1}}),)),
    Read(
        "key-underscore",
        "R-15",
        tools_of(tool("u", {"_": INT, "_x": INT})),
        "u _x=1 _=2",
        (Call("u", {"_": 2, "_x": 1}),),
    ),
    Read(
        "required-but-undeclared",
        "R-18",
        tools_of(tool("u", {"a": INT}, ["a", "b"])),
        "u 1 x",
        (Call("u", {"a": 1, "b": "x"}),),
    ),
    Read("label-double-quoted", "R-23", F_UNIT, 'f "C"', (Call("f", {"x": "C"}),)),
    Read("label-counted", "R-24", F_UNIT, "f s1:C", (Call("f", {"x": "C"}),)),
    Read("label-fenced", "R-25", F_UNIT, "f ```\nC\n```", (Call("f", {"x": "C"}),)),
    Read("single-quotes", "R-23", F_STR, "f 'a'", (Call("f", {"x": "a"}),)),
    Read("counted-empty", "R-24", F_STR, "f s0:", (Call("f", {"x": ""}),)),
    Read("counted-closers", "R-24", F_STR, "f(s6:a)\nb c)", (Call("f", {"x": "a)\nb c"}),)),
    Read("fence", "R-25", F_STR, "f ```\na\n```", (Call("f", {"x": "a"}),)),
    Read("fence-empty", "R-25", F_STR, "f ```\n```", (Call("f", {"x": ""}),)),
    Read("fence-empty-line", "R-25", F_STR, "f ```\n\n```", (Call("f", {"x": ""}),)),
    Read("fence-long", "R-25", F_STR, "f `````\n````\n`````", (Call("f", {"x": "````"}),)),
    Read("fence-crlf", "R-25", F_STR, "f ```\na\r\nb\n```", (Call("f", {"x": "a\r\nb"}),)),
    Read("fence-then-argument", "R-25", WEATHER, "weather.v1 ```\nParis\n``` 3", (_PARIS,)),
    Read("number-capital-e", "R-31", F_NUM, "f 1E5", (Call("f", {"x": 1e5}),)),
    Read("number-plus", "R-31", F_NUM, "f 1.50e+02", (Call("f", {"x": 150.0}),)),
    Read("number-underflow", "R-31", F_NUM, "f -1e-999", (Call("f", {"x": -0.0}),)),
    Read("longest-integer", "R-62", F_INT, f"f {_LONGEST}", (_f(_LONGEST),)),
    Read("longest-negative", "R-62", F_INT, f"f -{_LONGEST}", (_f(-_LONGEST),)),
    Read("longest-tagged", "R-62", F_INT, f"!call f\n(u4095:{_LONGEST})", (_f(_LONGEST),)),
    Read(
        "longest-untyped",
        "R-62",
        None,
        f"!call f\n(x i4096:-{_LONGEST})",
        (_f(-_LONGEST),),
    ),
    Read("longest-lexeme", "R-62", F_NUM, f"f 0.{'0' * 4094}", (Call("f", {"x": 0.0}),)),
    Read("number-like-string", "R-21", F_STR, "f -0", (Call("f", {"x": "-0"}),)),
    Read("sigil", "R-40", WEATHER, "!call weather.v1 Paris 3", (_PARIS,)),
    Read(
        "sigil-punctuated",
        "R-40",
        WEATHER,
        "!call weather.v1(Paris, 3)\nstop",
        (_PARIS, Call("stop")),
    ),
    Read(
        "sigil-keyed",
        "R-40",
        WEATHER,
        "!call stop\n!call weather.v1 city=Paris days=3",
        (Call("stop"), _PARIS),
    ),
    Read("repeat-punctuated", "R-42", WEATHER, "weather.v1 Paris 3\n&(Paris, 3)", (_PARIS, _PARIS)),
    Read(
        "repeat-behind-tagged",
        "R-42",
        WEATHER,
        "!call weather.v1\n(s5:Paris u1:3)\n& Paris 3",
        (_PARIS, _PARIS),
    ),
    Read("repeat-repeated", "R-42", WEATHER, "stop\n&\n&()", (Call("stop"),) * 3),
    Read(
        "fingerprint",
        "R-17",
        WEATHER,
        "weather.v1#612255d7 Paris 3\n!call weather.v1#612255d7\n(s5:Paris u1:3)\n"
        "weather.v1#612255d7(Paris 3)",
        (_PARIS,) * 3,
    ),
    Read("fingerprint-unchecked", "R-17", None, "!call f#0123abcd\n()", (Call("f"),)),
    Read(
        "tagged-keyed", "R-50", WEATHER, "!call weather.v1\n(days u1:3)\n(city s5:Paris)", (_PARIS,)
    ),
    Read(
        "tagged-mixed",
        "R-50",
        WEATHER,
        "!call weather.v1\n(s11:San Leandro u1:7)\n(unit e1:C)",
        (_LEANDRO,),
    ),
    Read(
        "tagged-empty-group",
        "R-50",
        WEATHER,
        "!call weather.v1\n()\n(days u1:3)\n(city s5:Paris)",
        (_PARIS,),
    ),
    Read("tagged-separators", "R-11", WEATHER, "!call weather.v1\n(s5:Paris , u1:3)\n", (_PARIS,)),
    Read("tagged-skip", "R-15", WEATHER, "!call weather.v1\n(s5:Paris u1:3 _ _)", (_PARIS,)),
    Read(
        "tagged-lone-skip", "R-15", GAPS, "!call g\n(u1:1,_,u1:3)", (Call("g", {"a": 1, "c": 3}),)
    ),
    Read("tagged-label-as-string", "R-52", F_UNIT, "!call f\n(s1:C)", (Call("f", {"x": "C"}),)),
    Read("tagged-signed", "R-51", F_INT, "!call f\n(i1:5)", (Call("f", {"x": 5}),)),
    Read("tagged-double", "R-51", F_NUM, "!call f\n(f1:5)", (Call("f", {"x": 5.0}),)),
    Read("tagged-double-zero", "R-51", F_NUM, "!call f\n(f2:-0)", (Call("f", {"x": -0.0}),)),
    Read(
        "tagged-null-first",
        "R-53",
        taking({"type": ["null", "integer"]}),
        "!call f\n(n)",
        (Call("f", {"x": None}),),
    ),
    Read(
        "tagged-array-first", "R-53", F_INTS, "!call f\n([u1:1, u1:2])", (Call("f", {"x": [1, 2]}),)
    ),
    Read("tagged-map-first", "R-53", F_MAP, "!call f\n({a n})", (Call("f", {"x": {"a": None}}),)),
    Read(
        "tagged-key-like-kind",
        "R-53",
        FREE_ARGS,
        "!call m\n(s3 u1:1)\n(nn n)\n('n' n)",
        (Call("m", {"s3": 1, "nn": None, "n": None}),),
    ),
    Read("tagged-label-untyped", "R-52", F_ANY, "!call f\n(x [e1:C])", (Call("f", {"x": ["C"]}),)),
    Read(
        "tagged-label-untyped-nullable",
        "R-52",
        taking({"nullable": True}),
        "!call f\n(x e1:C)",
        (Call("f", {"x": "C"}),),
    ),
    Read(
        "without-tools",
        "R-50",
        None,
        "!call f\n(a u1:1)\n(b {c [s1:x e1:y f3:1.0 b4:true n]})\n!call g\n()",
        (Call("f", {"a": 1, "b": {"c": ["x", "y", 1.0, True, None]}}), Call("g")),
    ),
    Read(
        "without-tools-names",
        "R-12",
        None,
        "!call 'a b'\n(```\nc\n``` n)",
        (Call("a b", {"c": None}),),
    ),
]

BAD: list[Bad] = [
    # --- lines and names: R-10, R-12, R-17, R-40 to R-42
    Bad("only-newline", "R-10", WEATHER, "▼\n", Code.SYNTAX),
    Bad("two-final-newlines", "R-10", WEATHER, "stop\n▼\n", Code.SYNTAX),
    Bad("blank-line", "R-10", WEATHER, "stop\n▼\nstop", Code.SYNTAX),
    Bad("carriage-return", "R-10", WEATHER, "stop▼\r\nstop", Code.SYNTAX),
    Bad("two-calls-on-a-line", "R-10", WEATHER, "stop()▼ stop()", Code.SYNTAX),
    Bad("leading-space", "R-11", WEATHER, "▼ stop", Code.SYNTAX),
    Bad("space-behind-name", "R-11", WEATHER, "stop ▼", Code.INCOMPLETE),
    Bad("space-before-newline", "R-11", WEATHER, "stop ▼\nstop", Code.SYNTAX),
    Bad("two-spaces-behind-name", "R-11", F_STR, "f ▼ x", Code.SYNTAX, "/x"),
    Bad("comma-behind-name", "R-11", F_STR, "f▼,x", Code.SYNTAX),
    Bad("comma-first", "R-11", F_STR, "f ▼,x", Code.SYNTAX, "/x"),
    Bad("space-first-in-parentheses", "R-11", F_STR, "f(▼ x)", Code.SYNTAX, "/x"),
    Bad("space-last-in-parentheses", "R-11", F_STR, "f(x ▼)", Code.SYNTAX),
    Bad("space-last", "R-11", F_STR, "f x ▼", Code.INCOMPLETE),
    Bad("comma-last", "R-11", F_STR, "f x,▼\nf x", Code.SYNTAX),
    Bad("two-commas", "R-11", WEATHER, "weather.v1 Paris,▼,3", Code.SYNTAX, "/days"),
    Bad("tab", "R-11", WEATHER, "weather.v1 Paris▼\t3", Code.SYNTAX, "/city"),
    Bad("no-name", "R-12", WEATHER, "▼(x)", Code.SYNTAX),
    Bad("name-of-unicode", "R-12", F_STR, "f▼ö", Code.SYNTAX),
    Bad("name-unquoted", "R-12", F_STR, "f▼+b", Code.SYNTAX),
    Bad("name-cut", "R-12", WEATHER, "'sto▼", Code.INCOMPLETE),
    Bad("unknown-tool", "R-12", WEATHER, "▼weathr.v1 Paris 3", Code.TOOL, hint="'weather.v1'"),
    Bad("unknown-second-tool", "R-12", WEATHER, "stop\n▼xyz", Code.TOOL),
    Bad("unknown-quoted-tool", "R-12", WEATHER, "▼'Stop'", Code.TOOL),
    Bad("unknown-tool-behind-sigil", "R-40", WEATHER, "!call ▼xyz", Code.TOOL),
    Bad("no-tools", "R-12", ToolSet(()), "▼f", Code.TOOL),
    Bad("fingerprint", "R-17", WEATHER, "stop▼#00000000", Code.FINGERPRINT),
    Bad("fingerprint-tagged", "R-17", WEATHER, "!call stop▼#00000000\n()", Code.FINGERPRINT),
    Bad("fingerprint-capital", "R-17", WEATHER, "stop#0123▼ABCD", Code.SYNTAX),
    Bad("fingerprint-first", "R-17", WEATHER, "stop#▼x", Code.SYNTAX),
    Bad("fingerprint-cut", "R-17", WEATHER, "stop#0123▼", Code.INCOMPLETE),
    Bad("fingerprint-empty", "R-17", WEATHER, "stop#▼", Code.INCOMPLETE),
    Bad("fingerprint-long", "R-17", WEATHER, "stop#f9cc6414▼0", Code.SYNTAX),
    Bad("frame-result", "R-40", WEATHER, "▼!result 5", Code.SYNTAX),
    Bad("frame-tool", "R-40", WEATHER, "stop\n▼!tool stop()", Code.SYNTAX),
    Bad("sigil-and-two-spaces", "R-40", WEATHER, "!call ▼ stop", Code.SYNTAX),
    Bad("sigil-alone", "R-40", WEATHER, "!call ▼", Code.INCOMPLETE),
    Bad("name-then-symbol", "R-41", WEATHER, "stop▼;", Code.SYNTAX),
    Bad("parentheses-open", "R-41", WEATHER, "stop(▼", Code.INCOMPLETE),
    Bad("record-open", "R-41", taking({"properties": {}}), "f (▼", Code.INCOMPLETE, "/x"),
    Bad("extra-open", "R-41", OPEN, "h(1, ▼", Code.INCOMPLETE),
    Bad("parentheses-open-behind", "R-41", F_STR, "f(x▼", Code.INCOMPLETE, "/x"),
    Bad("parentheses-over-lines", "R-41", F_STR, "f(x▼\n)", Code.SYNTAX, "/x"),
    Bad("repeat-first", "R-42", WEATHER, "▼& Paris 3", Code.REPEAT),
    Bad("repeat-behind-sigil", "R-42", WEATHER, "stop\n!call ▼&", Code.SYNTAX),
    Bad("repeat-without-space", "R-42", F_STR, "f x\n&▼y", Code.SYNTAX),
    Bad("repeat-fingerprint", "R-42", WEATHER, "stop\n&▼#00000000", Code.SYNTAX),
    # --- arguments: R-13 to R-15, R-18
    Bad("unknown-key", "R-13", WEATHER, "stop(▼x=1)", Code.PARAMETER),
    Bad("unknown-key-near", "R-13", F_ARGS, "f ▼colour=1", Code.PARAMETER, hint="'color'"),
    Bad("unknown-member", "R-13", F_POINT, "f (1 ▼z=1)", Code.PARAMETER, "/x"),
    Bad("unknown-quoted-key", "R-13", F_STR, "f x ▼'z~'=1", Code.PARAMETER),
    Bad("extra-of-other-type", "R-13", OPEN, "h 1 z=▼x", Code.TYPE, "/z"),
    Bad("surplus", "R-14", F_STR, "f x ▼y", Code.SURPLUS),
    Bad("surplus-skip", "R-14", F_STR, "f x ▼_", Code.SURPLUS),
    Bad("surplus-none-declared", "R-14", WEATHER, "stop ▼'x'", Code.SURPLUS),
    Bad("surplus-in-record", "R-14", F_POINT, "f (1 x 2 3 ▼4)", Code.SURPLUS, "/x"),
    Bad("extra-by-position", "R-14", OPEN, "h 1 ▼2", Code.SURPLUS),
    Bad("positional-behind-keyed", "R-14", WEATHER, "weather.v1 city=Paris ▼3", Code.ORDER),
    Bad("skip-behind-keyed", "R-14", GAPS, "g a=1 ▼_", Code.ORDER),
    Bad("key-twice", "R-14", F_STR, "f x=a ▼x=b", Code.DUPLICATE),
    Bad("position-and-key", "R-14", F_STR, "f a ▼x=b", Code.DUPLICATE),
    Bad("extra-twice", "R-14", OPEN, "h 1 z=1 ▼z=2", Code.DUPLICATE),
    Bad("map-key-twice", "R-05", F_MAP, "f {a 1 ▼'a' 2}", Code.DUPLICATE, "/x"),
    Bad("skip-required", "R-15", WEATHER, "weather.v1 Paris ▼_", Code.SKIP),
    Bad("skip-required-member", "R-15", F_POINT, "f (▼_)", Code.SKIP, "/x"),
    Bad("skip-item", "R-15", F_INTS, "f [▼_]", Code.TYPE, "/x/0"),
    Bad("skip-then-text", "R-15", GAPS, "g 1 _▼'x'", Code.SYNTAX, "/b"),
    Bad("missing-all", "R-18", WEATHER, "weather.v1▼", Code.MISSING),
    Bad("missing-second", "R-18", WEATHER, "weather.v1 Paris▼\nstop", Code.MISSING),
    Bad("missing-in-parentheses", "R-18", WEATHER, "weather.v1(unit=C▼)", Code.MISSING),
    Bad("missing-member", "R-18", F_POINT, "f (b=x▼)", Code.MISSING, "/x"),
    # --- strings and words: R-02, R-16, R-21 to R-25
    Bad("nul-in-quotes", "R-02", F_STR, "f x='a▼\0'", Code.CHARACTER, "/x"),
    Bad("nul-in-quotes-by-position", "R-02", F_STR, "f '▼\0'", Code.CHARACTER, "/x"),
    Bad("nul-in-word", "R-02", F_STR, "f a▼\0", Code.CHARACTER, "/x"),
    Bad("nul-in-count", "R-02", F_STR, "f s3:a▼\0b", Code.CHARACTER, "/x"),
    Bad("nul-in-fence", "R-02", F_STR, "f x=```\na▼\0\n```", Code.CHARACTER, "/x"),
    Bad("nul-in-open-fence", "R-02", F_STR, "f x=```\na▼\0", Code.CHARACTER, "/x"),
    Bad("nul-in-short-count", "R-02", F_STR, "f s9:a▼\0", Code.CHARACTER, "/x"),
    Bad("surrogate-in-quotes", "R-02", F_STR, "f x='▼\ud800'", Code.CHARACTER, "/x"),
    Bad("surrogate-first", "R-02", WEATHER, "▼\udfff", Code.CHARACTER),
    Bad("surrogate-in-payload", "R-02", F_STR, "!call f\n(s1:▼\ud800)", Code.CHARACTER, "/x"),
    Bad("word-for-integer", "R-21", F_INT, "f ▼ten", Code.TYPE, "/x"),
    Bad("word-for-boolean", "R-21", taking(BOOL), "f ▼True", Code.TYPE, "/x"),
    Bad("word-for-null", "R-21", taking(NULL), "f ▼none", Code.TYPE, "/x"),
    Bad("word-for-array", "R-21", F_INTS, "f ▼1", Code.TYPE, "/x"),
    Bad("word-for-nothing", "R-21", taking(False), "f ▼x", Code.TYPE, "/x"),
    Bad("other-boolean", "R-21", taking({"const": True}), "f ▼false", Code.TYPE, "/x"),
    Bad("fraction-for-integer", "R-21", F_INT, "f ▼7.5", Code.TYPE, "/x"),
    Bad("fraction-beside-string", "R-21", taking({"anyOf": [STR, INT]}), "f ▼7.5", Code.TYPE, "/x"),
    Bad("number-label", "R-21", taking({"enum": ["null", None, 1]}), "f ▼2", Code.LABEL, "/x"),
    Bad("label", "R-21", F_UNIT, "f ▼K", Code.LABEL, "/x"),
    Bad("label-quoted", "R-21", F_UNIT, "f ▼'c'", Code.LABEL, "/x"),
    Bad("label-of-many", "R-21", taking({"enum": [*"abcdefghijkl"]}), "f ▼z", Code.LABEL, "/x"),
    Bad("label-in-array", "R-21", taking({"items": UNIT}), "f [C ▼K]", Code.LABEL, "/x/1"),
    Bad("word-of-unicode", "R-21", F_STR, "f ▼é", Code.SYNTAX, "/x"),
    Bad("word-then-unicode", "R-21", F_STR, "f caf▼é", Code.SYNTAX, "/x"),
    Bad("word-then-quote", "R-21", F_STR, "f it▼'s", Code.SYNTAX, "/x"),
    Bad("word-and-equals", "R-21", F_STR, "f x=a▼=b", Code.SYNTAX, "/x"),
    Bad("word-underscore", "R-22", F_STR, "f ▼_x", Code.SYNTAX, "/x"),
    Bad("word-underscore-optional", "R-22", F_ARGS, "f ▼_x", Code.SYNTAX, "/color"),
    Bad("word-s3", "R-22", F_STR, "f s3▼ x", Code.SYNTAX, "/x"),
    Bad("word-s3-cut", "R-22", F_STR, "f s3▼", Code.INCOMPLETE, "/x"),
    Bad("word-s3-letter", "R-22", F_STR, "f s3▼a", Code.SYNTAX, "/x"),
    Bad("quote-over-lines", "R-23", F_STR, "f ▼'a\nb'", Code.UNCLOSED, "/x"),
    Bad("quote-over-return", "R-23", F_STR, 'f x=▼"a\rb"', Code.UNCLOSED, "/x", hint="counted"),
    Bad("quote-cut", "R-23", F_STR, "f x='a▼", Code.INCOMPLETE, "/x"),
    Bad("quote-then-word", "R-23", F_STR, "f 'a'▼b", Code.SYNTAX, "/x"),
    Bad("quotes-together", "R-23", WEATHER, "weather.v1 'a'▼'b'", Code.SYNTAX, "/city"),
    Bad("quoted-number", "R-23", F_INT, "f ▼'7'", Code.TYPE, "/x"),
    Bad("count-for-integer", "R-24", F_INT, "f ▼s1:7", Code.TYPE, "/x"),
    Bad("fence-for-integer", "R-25", F_INT, "f x=▼```\n7\n```", Code.TYPE, "/x"),
    Bad("count-small", "R-24", F_STR, "f s3:abc▼d", Code.COUNT, "/x", hint=" 4 "),
    Bad("count-large", "R-24", WEATHER, "weather.v1 s6:Paris ▼3", Code.COUNT, "/city", hint=" 5 "),
    Bad("count-past-end", "R-24", F_STR, "f s4:abc▼", Code.INCOMPLETE, "/x", hint=" 3 "),
    Bad(
        "count-item", "R-24", taking({"items": STR}), "f [x s1:a▼b]", Code.COUNT, "/x/1", hint=" 2 "
    ),
    Bad("count-in-map", "R-24", F_MAP, "f {k s1:a▼b}", Code.COUNT, "/x/k", hint=" 2 "),
    Bad("count-in-record", "R-24", F_POINT, "f (1 s1:a▼b)", Code.COUNT, "/x/b", hint=" 2 "),
    Bad("count-in-repeat", "R-24", F_STR, "f x\n& s1:a▼b", Code.COUNT, "/x", hint=" 2 "),
    Bad(
        "count-two-readings",
        "R-24",
        taking({"items": STR}),
        "f [s1:a▼b c]",
        Code.COUNT,
        "/x/0",
        hint="",
    ),
    Bad("count-of-long-text", "R-24", F_STR, f"f s1:a▼{'b ' * 1000}", Code.COUNT, "/x", hint=""),
    Bad("count-leading-zero", "R-24", F_STR, "f ▼s01:a", Code.PREFIX, "/x"),
    Bad("count-digits", "R-63", F_STR, f"f ▼s1{'0' * 15}:a", Code.PREFIX, "/x"),
    Bad("count-largest", "R-63", F_STR, f"f s{'9' * 15}:a▼", Code.INCOMPLETE, "/x", hint=" 1 "),
    Bad("count-digits-tagged", "R-63", F_STR, f"!call f\n(▼s{'9' * 16}:a)", Code.PREFIX, "/x"),
    Bad("fence-same-line", "R-25", F_STR, "f ```▼a\n```", Code.FENCE, "/x"),
    Bad("fence-language", "R-25", F_STR, "f x=```▼text\na\n```", Code.FENCE, "/x"),
    Bad("fence-short", "R-25", F_STR, "f x=``▼\na\n``", Code.SYNTAX, "/x"),
    Bad("fence-short-cut", "R-25", F_STR, "f x=``▼", Code.INCOMPLETE, "/x"),
    Bad("fence-cut", "R-25", F_STR, "f x=```▼", Code.INCOMPLETE, "/x"),
    Bad("fence-open", "R-25", F_STR, "f x=```\na\n``▼", Code.INCOMPLETE, "/x"),
    Bad("fence-longer-close", "R-25", F_STR, "f x=```\na\n```▼`", Code.SYNTAX, "/x"),
    Bad("fence-then-text", "R-25", F_STR, "f x=```\na\n```▼b", Code.SYNTAX, "/x"),
    # --- numbers: R-31, R-62
    Bad("integer-minus-zero", "R-31", F_INT, "f ▼-0", Code.NUMBER, "/x"),
    Bad("number-too-large", "R-31", F_NUM, "f ▼-1e999", Code.NUMBER, "/x"),
    Bad("number-leading-zero", "R-31", F_INT, "f ▼01", Code.TYPE, "/x"),
    Bad("number-plus", "R-31", F_NUM, "f ▼+1", Code.TYPE, "/x"),
    Bad("number-point", "R-31", F_NUM, "f ▼1.", Code.TYPE, "/x"),
    Bad("number-nan", "R-04", F_NUM, "f ▼NaN", Code.TYPE, "/x"),
    Bad("number-digits", "R-62", F_INT, f"f ▼{'9' * 4097}", Code.DIGITS, "/x"),
    Bad(
        "number-digits-tagged", "R-62", F_INT, f"!call f\n(▼u4097:{'9' * 4097})", Code.DIGITS, "/x"
    ),
    # --- groups: R-28, R-29, R-61
    Bad("array-for-string", "R-28", F_STR, "f ▼[a]", Code.TYPE, "/x"),
    Bad("array-open", "R-28", F_INTS, "f [1▼", Code.INCOMPLETE, "/x/0"),
    Bad("array-just-open", "R-28", F_INTS, "f [▼", Code.INCOMPLETE, "/x/0"),
    Bad("array-space-first", "R-28", F_INTS, "f [▼ 1]", Code.SYNTAX, "/x/0"),
    Bad("array-space-last", "R-28", F_INTS, "f [1 ▼]", Code.SYNTAX, "/x"),
    Bad("array-closed-wrongly", "R-28", F_INTS, "f [1▼)", Code.SYNTAX, "/x/0"),
    Bad("array-keyed", "R-28", taking({"items": STR}), "f [a▼=1]", Code.SYNTAX, "/x/0"),
    Bad("record-for-map", "R-29", F_MAP, "f ▼(a=1)", Code.TYPE, "/x"),
    Bad("record-for-string", "R-29", F_STR, "f ▼(a)", Code.TYPE, "/x"),
    Bad("map-for-record", "R-29", F_POINT, "f ▼{a 1}", Code.TYPE, "/x"),
    Bad("map-for-string", "R-29", F_STR, "f ▼{}", Code.TYPE, "/x"),
    Bad("map-key-alone", "R-29", F_MAP, "f {a▼}", Code.SYNTAX, "/x"),
    Bad("map-key-equals", "R-29", F_MAP, "f {a▼=1}", Code.SYNTAX, "/x"),
    Bad("map-key-comma", "R-29", F_MAP, "f {a▼,1}", Code.SYNTAX, "/x"),
    Bad("map-two-spaces", "R-29", F_MAP, "f {a ▼ 1}", Code.SYNTAX, "/x/a"),
    Bad("map-open", "R-29", F_MAP, "f {▼", Code.INCOMPLETE, "/x"),
    Bad("map-space-last", "R-29", F_MAP, "f {a 1 ▼}", Code.SYNTAX, "/x"),
    Bad("map-bad-key", "R-29", F_MAP, "f {▼[] 1}", Code.SYNTAX, "/x"),
    Bad(
        "map-value-type",
        "R-29",
        taking({"additionalProperties": INT}),
        "f {'/~' ▼x}",
        Code.TYPE,
        "/x/~1~0",
    ),
    Bad("member-type", "R-29", F_POINT, "f (▼x)", Code.TYPE, "/x/a"),
    Bad("nested-type", "R-29", taking({"items": POINT}), "f [(1) (2 c=▼x)]", Code.TYPE, "/x/1/c"),
    Bad("too-deep", "R-61", F_ANY, "f " + "[" * 64 + "▼[", Code.DEPTH, "/x" + "/0" * 64),
    Bad("too-deep-maps", "R-61", F_ANY, "f " + "{a " * 64 + "▼{", Code.DEPTH, "/x" + "/a" * 64),
    Bad(
        "too-deep-tagged",
        "R-61",
        None,
        "!call f\n(x " + "[" * 64 + "▼[",
        Code.DEPTH,
        "/x" + "/0" * 64,
    ),
    # --- bounds
    Bad("minimum", "R-31", taking({**INT, "minimum": 1}), "f ▼0", Code.BOUNDS, "/x"),
    Bad("maximum", "R-31", taking({**NUM, "maximum": 1}), "f ▼1.5", Code.BOUNDS, "/x"),
    Bad(
        "exclusive-minimum",
        "R-31",
        taking({**INT, "exclusiveMinimum": 1}),
        "f ▼1",
        Code.BOUNDS,
        "/x",
    ),
    Bad(
        "exclusive-maximum",
        "R-31",
        taking({**INT, "exclusiveMaximum": 1}),
        "f ▼1",
        Code.BOUNDS,
        "/x",
    ),
    Bad("min-length", "R-26", taking({**STR, "minLength": 2}), "f ▼'😀'", Code.BOUNDS, "/x"),
    Bad("max-length", "R-26", taking({**STR, "maxLength": 2}), "f ▼abc", Code.BOUNDS, "/x"),
    Bad("min-items", "R-28", taking({**INTS, "minItems": 1}), "f ▼[]", Code.BOUNDS, "/x"),
    Bad("max-items", "R-28", taking({**INTS, "maxItems": 1}), "f ▼[1 2]", Code.BOUNDS, "/x"),
    # --- tagged: R-50 to R-53
    Bad(
        "seed-city",
        "R-24",
        WEATHER,
        "!call weather.v1\n(city s12:San Leandro)▼\n(days u1:7)\n(unit e1:C)",
        Code.COUNT,
        "/city",
        hint=" 11 ",
    ),
    Bad(
        "seed-note",
        "R-24",
        WEATHER,
        "!call weather.v1\n(s11:San Leandro u1:7 e1:C s43:Line1\nLine2\n\nLine4)▼",
        Code.INCOMPLETE,
        "/note",
        hint=" 18 ",
    ),
    Bad("wire-without-tools", "R-50", None, "▼f x", Code.SCHEMALESS),
    Bad("sigil-wire-without-tools", "R-50", None, "▼!call f", Code.SCHEMALESS),
    Bad("positional-without-tools", "R-50", None, "!call f\n(▼u1:1)", Code.SCHEMALESS),
    Bad("skip-without-tools", "R-50", None, "!call f\n(▼_)", Code.SCHEMALESS),
    Bad("tagged-without-sigil", "R-50", WEATHER, "stop\n▼()", Code.SYNTAX),
    Bad("tagged-open", "R-50", WEATHER, "!call stop\n(▼", Code.INCOMPLETE),
    Bad("tagged-missing", "R-18", WEATHER, "!call weather.v1\n(s5:Paris)▼", Code.MISSING),
    Bad("tagged-surplus", "R-14", WEATHER, "!call stop\n(▼u1:1)", Code.SURPLUS),
    Bad("tagged-skip-required", "R-15", WEATHER, "!call weather.v1\n(▼_ u1:1)", Code.SKIP),
    Bad("tagged-duplicate", "R-14", F_INT, "!call f\n(u1:1)\n(▼x u1:2)", Code.DUPLICATE),
    Bad("tagged-unknown-key", "R-13", F_INT, "!call f\n(u1:1)\n(▼y u1:2)", Code.PARAMETER),
    Bad("tagged-row-second", "R-50", FREE_ARGS, "!call m\n()\n(u1▼:1)", Code.SYNTAX),
    Bad("tagged-empty-second", "R-50", F_INT, "!call f\n(u1:1)\n(▼)", Code.SYNTAX),
    Bad("tagged-two-pairs", "R-50", F_STR, "!call f\n(x s1:a▼ y u1:1)", Code.SYNTAX),
    Bad("tagged-key-then-array", "R-50", F_INTS, "!call f\n(x▼[])", Code.SYNTAX),
    Bad("tagged-behind-group", "R-50", F_INT, "!call f\n(u1:1)▼ x", Code.SYNTAX),
    Bad("tagged-space-last", "R-11", F_INT, "!call f\n(u1:1 ▼)", Code.SYNTAX),
    Bad("tagged-bare-string", "R-51", F_STR, "!call f\n(x ▼abc)", Code.SYNTAX, "/x"),
    Bad("tagged-quoted-string", "R-51", F_STR, "!call f\n(x ▼'abc')", Code.SYNTAX, "/x"),
    Bad("tagged-null-and-more", "R-51", F_STR, "!call f\n(x ▼no)", Code.SYNTAX, "/x"),
    Bad("tagged-no-colon", "R-51", F_STR, "!call f\n(x s3▼ abc)", Code.SYNTAX, "/x"),
    Bad("tagged-count", "R-51", F_INT, "!call f\n(u1:1▼2)", Code.COUNT, "/x"),
    Bad("tagged-prefix", "R-51", F_INT, "!call f\n(▼u01:1)", Code.PREFIX, "/x"),
    Bad("tagged-payload-sign", "R-51", F_INT, "!call f\n(▼u2:-1)", Code.PAYLOAD, "/x"),
    Bad("tagged-payload-fraction", "R-51", F_NUM, "!call f\n(▼i3:1.5)", Code.PAYLOAD, "/x"),
    Bad("tagged-payload-exponent", "R-51", F_NUM, "!call f\n(▼u3:1e5)", Code.PAYLOAD, "/x"),
    Bad("tagged-payload-word", "R-51", F_NUM, "!call f\n(▼f3:abc)", Code.PAYLOAD, "/x"),
    Bad("tagged-payload-infinite", "R-51", F_NUM, "!call f\n(▼f5:1e999)", Code.PAYLOAD, "/x"),
    Bad("tagged-payload-minus-zero", "R-51", F_INT, "!call f\n(▼i2:-0)", Code.PAYLOAD, "/x"),
    Bad("tagged-payload-boolean", "R-51", taking(BOOL), "!call f\n(▼b4:True)", Code.PAYLOAD, "/x"),
    Bad("tagged-payload-empty", "R-51", F_INT, "!call f\n(▼u0:)", Code.PAYLOAD, "/x"),
    Bad("tagged-type", "R-51", F_STR, "!call f\n(▼u1:1)", Code.TYPE, "/x"),
    Bad("tagged-null-type", "R-51", F_STR, "!call f\n(▼n)", Code.TYPE, "/x"),
    Bad("tagged-array-type", "R-53", F_STR, "!call f\n(▼[])", Code.TYPE, "/x"),
    Bad("tagged-map-type", "R-53", F_STR, "!call f\n(▼{})", Code.TYPE, "/x"),
    Bad("tagged-record", "R-53", F_POINT, "!call f\n(x ▼(u1:1))", Code.SYNTAX, "/x"),
    Bad("tagged-member-missing", "R-53", F_POINT, "!call f\n({b s1:x▼})", Code.MISSING, "/x"),
    Bad("tagged-label", "R-52", F_UNIT, "!call f\n(▼e1:K)", Code.LABEL, "/x"),
    Bad("tagged-label-for-string", "R-52", F_STR, "!call f\n(▼e1:C)", Code.TYPE, "/x"),
    Bad(
        "tagged-bounds",
        "R-52",
        taking({**INT, "minimum": 1}),
        "!call f\n(▼u1:0)",
        Code.BOUNDS,
        "/x",
    ),
    Bad("tagged-key-is-null", "R-53", FREE_ARGS, "!call m\n(▼n u1:1)", Code.SURPLUS),
    Bad("tagged-key-is-skip", "R-53", FREE_ARGS, "!call m\n(▼_ u1:1)", Code.SURPLUS),
]

BAD_CALLS: list[BadCall] = [
    BadCall("unknown-tool", "R-12", WEATHER, Call("x"), Code.TOOL),
    BadCall("no-tools", "R-50", None, Call("x"), Code.SCHEMALESS),
    BadCall("unknown-parameter", "R-13", WEATHER, Call("stop", {"x": 1}), Code.PARAMETER),
    BadCall("unknown-member", "R-13", F_POINT, _f({"a": 1, "z": 1}), Code.PARAMETER, "/x"),
    BadCall("missing", "R-18", WEATHER, Call("weather.v1", {"city": "Paris"}), Code.MISSING),
    BadCall("missing-member", "R-18", F_POINT, _f({}), Code.MISSING, "/x"),
    BadCall("missing-tagged", "R-18", F_STR, Call("f"), Code.MISSING, form="tagged"),
    BadCall("nul", "R-02", F_STR, _f("a\0"), Code.VALUE, "/x"),
    BadCall("surrogate", "R-02", F_STR, _f("\ud800"), Code.VALUE, "/x"),
    BadCall("nul-in-key", "R-02", F_MAP, _f({"a\0": 1}), Code.VALUE, "/x"),
    BadCall("nul-in-name", "R-02", None, Call("a\0"), Code.VALUE, form="tagged"),
    BadCall("empty-name", "R-12", None, Call(""), Code.VALUE, form="tagged"),
    BadCall("key-no-string", "R-05", F_MAP, _f({1: 1}), Code.VALUE, "/x"),
    BadCall("nan", "R-04", F_NUM, _f(math.nan), Code.VALUE, "/x"),
    BadCall("infinity", "R-04", F_ANY, _f([-math.inf]), Code.VALUE, "/x/0"),
    BadCall("foreign", "R-01", F_ANY, _f({"a": [b""]}), Code.VALUE, "/x/a/0"),
    BadCall(
        "foreign-tagged", "R-01", None, _f({"~a/": {1}}), Code.VALUE, "/x/~0a~1", form="tagged"
    ),
    BadCall("digits", "R-62", F_INT, _f(10**4095), Code.DIGITS, "/x"),
    BadCall("digits-negative", "R-62", F_INT, _f(-(10**4095)), Code.DIGITS, "/x"),
    BadCall("digits-elsewhere", "R-62", F_STR, _f([10**5000]), Code.TYPE, "/x"),
    BadCall("too-deep", "R-61", F_ANY, _f(_nested(65)), Code.DEPTH, "/x" + "/0" * 64),
    BadCall(
        "too-deep-tagged", "R-61", None, _f(_nested(65)), Code.DEPTH, "/x" + "/0" * 64, "tagged"
    ),
    BadCall("far-too-deep", "R-61", F_ANY, _f(_nested(10**5)), Code.DEPTH, "/x" + "/0" * 64),
    BadCall("deep-elsewhere", "R-61", F_STR, _f(_nested(10**5)), Code.TYPE, "/x"),
    BadCall("type", "R-21", F_INT, _f("7"), Code.TYPE, "/x"),
    BadCall("type-boolean", "R-01", F_INT, _f(True), Code.TYPE, "/x"),
    BadCall("type-null", "R-01", F_INT, _f(None), Code.TYPE, "/x"),
    BadCall("type-number", "R-01", taking(BOOL), _f(1), Code.TYPE, "/x"),
    BadCall("type-array", "R-28", F_STR, _f(["x" * 50]), Code.TYPE, "/x"),
    BadCall("type-object", "R-29", F_STR, _f({}), Code.TYPE, "/x"),
    BadCall("type-item", "R-28", F_INTS, _f([1, 1.5]), Code.TYPE, "/x/1"),
    BadCall("type-extra", "R-13", OPEN, Call("h", {"a": 1, "z": "x"}), Code.TYPE, "/z"),
    BadCall("never", "R-16", taking(False), _f("x"), Code.TYPE, "/x"),
    BadCall("label", "R-26", F_UNIT, _f("K"), Code.LABEL, "/x"),
    BadCall("label-number", "R-26", taking({"enum": [1, 2.5]}), _f(2), Code.LABEL, "/x"),
    BadCall(
        "label-of-type",
        "R-16",
        taking({"type": "integer", "enum": [1, 1.5]}),
        _f(1.5),
        Code.TYPE,
        "/x",
    ),
    BadCall(
        "bounds", "R-31", taking({**INT, "minimum": 1, "maximum": 2}), _f(3), Code.BOUNDS, "/x"
    ),
    BadCall("bounds-length", "R-26", taking({**STR, "maxLength": 2}), _f("abc"), Code.BOUNDS, "/x"),
]


def _schema(name: str, rule: str, schema: Any, code: Code, pointer: str) -> BadTools:
    """Get the case of a parameter `x` with a schema that is refused."""
    place = f"/0/parameters/properties/x{pointer}"
    return BadTools(name, rule, (tool("f", {"x": schema}),), code, place)


def _root(parameters: Any, key: str = "parameters") -> tuple[Any]:
    """Get the definition of a tool by all of its schema."""
    return ({"name": "f", key: parameters},)


_UNHANDLED = "an ill-typed keyword raises a foreign exception"
_P = "/0/parameters"

BAD_TOOLS: list[BadTools] = [
    BadTools("no-definition", "R-12", (None,), Code.DEFINITION, "/0"),
    BadTools("no-name", "R-12", ({"parameters": {}},), Code.DEFINITION, "/0"),
    BadTools("empty-name", "R-12", (tool("a"), tool("")), Code.DEFINITION, "/1"),
    BadTools(
        "nul-in-name", "R-02", ({"function": {"name": "\0"}},), Code.DEFINITION, "/0/function"
    ),
    BadTools("two-of-a-name", "R-12", (tool("a"), tool("b"), tool("b")), Code.NAMES),
    BadTools("no-schema", "R-13", _root(5), Code.DEFINITION, _P),
    BadTools("no-object", "R-13", _root(STR, "input_schema"), Code.DEFINITION, "/0/input_schema"),
    BadTools("never", "R-13", _root(False, "inputSchema"), Code.DEFINITION, "/0/inputSchema"),
    BadTools(
        "properties-list", "R-13", _root({"properties": ["a"]}), Code.DEFINITION, f"{_P}/properties"
    ),
    BadTools("property-nul", "R-02", (tool("f", {"\0": {}}),), Code.DEFINITION, f"{_P}/properties"),
    BadTools(
        "property-number",
        "R-05",
        _root({"properties": {5: {}}}),
        Code.DEFINITION,
        f"{_P}/properties",
    ),
    BadTools("required-nul", "R-02", (tool("f", {}, ["\0"]),), Code.DEFINITION, f"{_P}/required"),
    BadTools("required-true", "R-18", _root({"required": True}), Code.DEFINITION, f"{_P}/required"),
    BadTools("required-text", "R-18", _root({"required": "ab"}), Code.DEFINITION, f"{_P}/required"),
    BadTools(
        "required-number", "R-18", _root({"required": [5]}), Code.DEFINITION, f"{_P}/required"
    ),
    BadTools("root-unions", "R-16", _root({"oneOf": [MAP], "anyOf": [MAP]}), Code.KEYWORD, _P),
    _schema("number", "R-16", 5, Code.DEFINITION, ""),
    _schema("required-boolean", "R-18", {**MAP, "required": True}, Code.DEFINITION, "/required"),
    _schema("bound-huge", "R-31", {**INT, "minimum": 10**5000}, Code.DEFINITION, "/minimum"),
    _schema("unknown-keyword", "R-16", {"typo/": "string"}, Code.KEYWORD, "/typo~1"),
    _schema("ref", "R-16", {"$ref": "#"}, Code.KEYWORD, "/$ref"),
    _schema("unknown-type", "R-16", {"type": "float"}, Code.KEYWORD, "/type"),
    _schema("type-number", "R-16", {"type": 5}, Code.DEFINITION, "/type"),
    _schema("type-object", "R-16", {"type": [{}], "enum": [1]}, Code.DEFINITION, "/type"),
    _schema("union-number", "R-16", {"anyOf": 5}, Code.DEFINITION, "/anyOf"),
    _schema("two-strings", "R-16", {"anyOf": [STR, {"enum": ["a"]}]}, Code.KEYWORD, "/anyOf"),
    _schema("two-numbers", "R-16", {"oneOf": [INT, {**NUM, "minimum": 1}]}, Code.KEYWORD, "/oneOf"),
    _schema("two-arrays", "R-16", {"oneOf": [INTS, {"items": STR}]}, Code.KEYWORD, "/oneOf"),
    _schema("two-objects", "R-16", {"oneOf": [MAP, POINT]}, Code.KEYWORD, "/oneOf"),
    _schema("union-and-enum", "R-16", {"anyOf": [STR], "enum": ["a"]}, Code.KEYWORD, ""),
    _schema("empty-enum", "R-16", {"enum": []}, Code.DEFINITION, "/enum"),
    _schema("enum-text", "R-16", {"enum": "ab"}, Code.DEFINITION, "/enum"),
    _schema("enum-arrays", "R-16", {"enum": [[1]]}, Code.KEYWORD, "/enum"),
    _schema("enum-nan", "R-04", {"enum": [math.nan]}, Code.DEFINITION, "/enum"),
    _schema("enum-nul", "R-02", {"enum": ["\0"]}, Code.DEFINITION, "/enum"),
    _schema("bound-text", "R-31", {**INT, "minimum": "1"}, Code.DEFINITION, "/minimum"),
    _schema("bound-boolean", "R-26", {**STR, "maxLength": True}, Code.DEFINITION, "/maxLength"),
    _schema(
        "bound-in-items",
        "R-28",
        {"items": {**STR, "minLength": 1.5}},
        Code.DEFINITION,
        "/items/minLength",
    ),
    _schema("too-deep", "R-61", _nested_schema(70), Code.DEPTH, "/items" * 64),
]
