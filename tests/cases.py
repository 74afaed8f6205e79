"""The cases of spec/conformance as tables: texts that are written, read or refused.

A case names its rule of the specification. `Good` is for the encoder and the decoder. Values that
JSON cannot express (NaN, foreign objects, endless nesting) are defined here.
"""

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from inspect import Signature, signature
from itertools import product
from typing import Any, Protocol, TypeAlias

import pytest

from lton import Call, DecodeError, ToolSet, decode
from lton.errors import Code, RepairCode
from lton.lenient import LenientResult
from lton.schema.types import JSON
from spec.conformance.run import read_cases, read_toolsets

Schema: TypeAlias = Mapping[str, Any]


class Case(Protocol):
    """The name of a case, for the id of a test."""

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
    """A text that is refused, with the position of its error.

    `hint` is a part of the hint, "" for no hint, or None for any.
    """

    name: str
    rule: str
    tools: ToolSet | None
    text: str
    code: Code
    pos: int
    path: str
    hint: str | None


@dataclass(frozen=True, slots=True)
class BadCall:
    """A call that is refused by the encoder."""

    name: str
    rule: str
    tools: ToolSet | None
    call: Call
    code: Code
    path: str = ""
    form: str = "wire"


@dataclass(frozen=True, slots=True)
class BadTools:
    """Definitions that are refused."""

    name: str
    rule: str
    definitions: tuple[Any, ...]
    code: Code
    pointer: str = ""


def params(table: Iterable[Case]) -> list[Any]:
    """Return the rows of a table as parameters of a test."""
    return [pytest.param(case, id=case.name) for case in table]


def sizes(small: int, large: int) -> list[Any]:
    """Return two sizes of a text as parameters: a small one, and a large one for the deep tier."""
    return [
        pytest.param(small, id="small"),
        pytest.param(large, id="large", marks=pytest.mark.deep),
    ]


def loop_over(*tables: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Turn the test of a case into a test that loops over a table, or over all pairs of two tables.

    Each failing case is reported by its name, and the others are tried too. Other parameters of the
    test are fixtures.
    """
    rows = [*product(*tables)]
    assert rows, "a table without cases"

    def looped(test: Callable[..., None]) -> Callable[..., None]:
        _, *fixtures = (*signature(test).parameters.values(),)[len(tables) - 1 :]

        def loop(subtests: pytest.Subtests, **arguments: Any) -> None:
            for row in rows:
                try:
                    test(*row, **arguments)
                except (Exception, pytest.fail.Exception):
                    if "MUTANT_UNDER_TEST" in os.environ:  # one failure is enough
                        raise
                    with subtests.test(" ".join(map(_name, row))):
                        raise

        loop.__name__, loop.__doc__, loop.__module__ = test.__name__, test.__doc__, test.__module__
        subtests = signature(loop).parameters["subtests"]
        vars(loop).update(vars(test), __signature__=Signature([subtests, *fixtures]))
        return loop

    return looped


def _name(case: Any) -> str:
    """Return the name or id of a case."""
    if isinstance(case, Mapping):
        return str(case["id"])
    return str(getattr(case, "name", None) or getattr(case, "id", None) or case)


def exact(calls: Iterable[Call]) -> str:
    """Return calls as JSON, in which 1, 1.0 and true differ and the order of members does not
    matter.
    """
    return json.dumps([[call.name, call.arguments] for call in calls], sort_keys=True)


def outcome(text: str, tools: ToolSet | None) -> list[Call] | DecodeError:
    """Return the calls of a text, or the error."""
    try:
        return decode(text, tools)
    except DecodeError as error:
        return error


def tool(
    name: str, properties: Schema | None = None, required: Sequence[str] = (), **more: Any
) -> dict[str, Any]:
    """Return the definition of a tool."""
    schema = {"type": "object", "properties": properties or {}, "required": [*required], **more}
    return {"name": name, "parameters": schema}


def tools_of(*definitions: Mapping[str, Any]) -> ToolSet:
    """Return the toolset of some definitions."""
    return ToolSet.from_tools(definitions)


def taking(schema: Schema | bool) -> ToolSet:
    """Return the tool `f` with one required parameter `x`."""
    return tools_of(tool("f", {"x": schema}, ["x"]))


STR: Schema = {"type": "string"}
INT: Schema = {"type": "integer"}
NUM: Schema = {"type": "number"}
ANYTHING: Schema = {}
MAP: Schema = {"type": "object"}
UNIT: Schema = {"enum": ["C", "F"]}
INTS: Schema = {"type": "array", "items": INT}
POINT: Schema = {
    "type": "object",
    "properties": {"a": INT, "b": STR, "c": INT, "d": INT},
    "required": ["a"],
}

TOOLSETS = {name: tools_of(*definitions) for name, definitions in read_toolsets().items()}
WEATHER = TOOLSETS["weather"]
GAPS = TOOLSETS["gaps"]
OPEN = TOOLSETS["open"]
FREE_ARGS = TOOLSETS["free"]
F_STR = TOOLSETS["f-string"]
F_INT = TOOLSETS["f-integer"]
F_NUM = TOOLSETS["f-number"]
F_ANY = TOOLSETS["f-anything"]
F_UNIT = TOOLSETS["f-unit"]
F_INTS = TOOLSETS["f-integers"]
F_POINT = TOOLSETS["f-point"]
F_MAP = TOOLSETS["f-map"]


# --- the tables ---------------------------------------------------------------------------------


def _cases(kind: str, member: str) -> list[dict[str, Any]]:
    """Return the cases of a kind that have a given member."""
    return [case for case in read_cases() if case["kind"] == kind and member in case]


def _head(case: Mapping[str, Any]) -> tuple[str, str, Any]:
    """Return the beginning of a row in most tables: the name, the rule and the tools."""
    tools = case["tools"]
    if isinstance(tools, list):
        tools = tools_of(*tools)
    return case["id"], case["rule"], TOOLSETS[tools] if isinstance(tools, str) else tools


def _calls(case: Mapping[str, Any]) -> tuple[Call, ...]:
    return tuple(Call(**call) for call in case["calls"])


def _hint(case: Mapping[str, Any]) -> str | None:
    return (case["hint"] or "") if "hint" in case else None


GOOD: list[Good] = [
    Good(*_head(case), _calls(case), **case["texts"])
    for case in _cases("encode", "texts")
    if case["tools"] is not None and "fingerprint" not in case
]

READ: list[Read] = [
    Read(*_head(case), case["text"], _calls(case)) for case in _cases("decode", "calls")
]

BAD: list[Bad] = [
    Bad(
        *_head(case),
        case["text"],
        Code(case["error"]["code"]),
        case["error"]["pos"],
        case["error"]["path"],
        _hint(case),
    )
    for case in _cases("decode", "error")
]


def _f(value: Any) -> Call:
    return Call("f", {"x": value})


def _nested(depth: int) -> JSON:
    value: JSON = []
    for _ in range(depth - 1):
        value = [value]
    return value


BAD_CALLS: list[BadCall] = [
    BadCall(
        *_head(case),
        _calls(case)[0],
        Code(case["error"]["code"]),
        case["error"]["path"],
        case["form"],
    )
    for case in _cases("encode", "error")
]
BAD_CALLS += [
    BadCall("key-no-string", "R-205", F_MAP, _f({1: 1}), Code.VALUE, "/x"),
    BadCall("nan", "R-204", F_NUM, _f(math.nan), Code.VALUE, "/x"),
    BadCall("infinity", "R-204", F_ANY, _f([-math.inf]), Code.VALUE, "/x/0"),
    BadCall("foreign", "R-201", F_ANY, _f({"a": [b""]}), Code.VALUE, "/x/a/0"),
    BadCall("foreign-tagged", "R-201", None, _f({"~a/": {1}}), Code.VALUE, "/x/~0a~1", "tagged"),
    BadCall("digits-elsewhere", "R-1102", F_STR, _f([10**5000]), Code.TYPE, "/x"),
    BadCall("far-too-deep", "R-1101", F_ANY, _f(_nested(10**5)), Code.DEPTH, "/x" + "/0" * 64),
    BadCall("deep-elsewhere", "R-1101", F_STR, _f(_nested(10**5)), Code.TYPE, "/x"),
]

BAD_TOOLS: list[BadTools] = [
    BadTools(
        case["id"],
        case["rule"],
        tuple(case["tools"]),
        Code(case["error"]["code"]),
        case["error"]["pointer"],
    )
    for case in _cases("schema", "error")
]
BAD_TOOLS += [
    BadTools(
        "property-number",
        "R-205",
        ({"name": "f", "parameters": {"properties": {5: {}}}},),
        Code.DEFINITION,
        "/0/parameters/properties",
    ),
    BadTools(
        "bound-huge",
        "R-310",
        (tool("f", {"x": {**INT, "minimum": 10**5000}}),),
        Code.DEFINITION,
        "/0/parameters/properties/x/minimum",
    ),
    BadTools(
        "enum-nan",
        "R-204",
        (tool("f", {"x": {"enum": [math.nan]}}),),
        Code.DEFINITION,
        "/0/parameters/properties/x/enum",
    ),
]


def undoubted_calls(result: LenientResult) -> list[Call]:
    """Return the calls that nothing makes uncertain, except that other text is next to them."""
    beside = (one.call for one in result.uncertain if one.code is RepairCode.BESIDE)
    return [*result.calls, *beside]
