"""Test signatures, prompts and fingerprints."""

import re
from typing import Any

import pytest

from lton.schema.shown.signature import make_fingerprint
from tests.cases import ANYTHING, INT, POINT, STR, UNIT, WEATHER, taking, tool, tools_of

LABELS = [
    ("C", "C"),
    ("light rain", '"light rain"'),
    ("7", '"7"'),
    ("-0", '"-0"'),
    ("null", '"null"'),
    ("true", '"true"'),
    ("str", '"str"'),
    ("any", '"any"'),
    ("never", '"never"'),
    ("string", "string"),
    ("s3", '"s3"'),
    ("a|b", '"a|b"'),
    ("_", '"_"'),
    ("a\nb", r'@"a\nb"'),
    ("", '""'),
]
DEFAULTS: list[tuple[Any, str]] = [
    ("C", "=C"),
    ("7", '="7"'),
    ("a b", '="a b"'),
    (7, "=7"),
    (0.5, "=0.5"),
    (True, "=true"),
    (None, ""),
    ([1, "a b", None], '=[1 "a b" null]'),
    ({"a b": [False]}, '={"a b" [false]}'),
    ([], "=[]"),
    ({}, "={}"),
]


@pytest.mark.parametrize(("label", "spelling"), LABELS)
def test_labels_do_not_look_like_types(label: str, spelling: str) -> None:
    """A label that would read as another kind, or as the name of a type, is quoted."""
    assert taking({"const": label}).prompt(descriptions=False) == f"f(x:{spelling})"


@pytest.mark.parametrize(("default", "spelling"), DEFAULTS)
def test_defaults_are_shown_as_they_would_be_written(default: Any, spelling: str) -> None:
    """A default follows its type, and null is not shown."""
    tools = tools_of(tool("f", {"x": {"default": default}}))
    assert tools.prompt(descriptions=False) == f"f(x?:any{spelling})"


def test_names_are_quoted() -> None:
    """The names of tools and parameters are quoted as in a call, or escaped (R-701)."""
    tools = tools_of(tool("a b", {"c'd": INT, "e'\"`f": INT}))
    assert tools.prompt(descriptions=False) == '"a b"("c\'d"?:int @"e\'\\"`f"?:int)'


def test_descriptions_stand_behind_what_they_describe() -> None:
    """Each description follows a tool, a parameter, or the path of a member, on its own line."""
    inner = {"properties": {"b": {**STR, "description": "inner\n  text"}}, "description": "outer"}
    definition = tool("f", {"a": inner, "c": INT, "d": {**INT, "description": "last"}})
    tools = tools_of({**definition, "description": "Does\tit.\n"}, tool("g"))
    assert tools.prompt() == (
        "f Does it.\n a?:(b?) outer\n  a.b inner text\n c?:int\n d?:int last\ng"
    )
    assert tools.prompt(descriptions=False) == "f(a?:(b?) c?:int d?:int)\ng()"


def test_a_fingerprint_is_eight_hexadecimal_digits() -> None:
    """The fingerprint of a known toolset never changes, because it is compared over time
    (R-702).
    """
    assert WEATHER.fingerprint == "c63452ac"
    assert [make_fingerprint(item) for item in WEATHER] == ["825c3902", "f9cc6414"]
    assert re.fullmatch("[0-9a-f]{8}", tools_of().fingerprint)


def test_fingerprints_do_not_depend_on_the_order_of_tools() -> None:
    """The same tools in another order have the same fingerprint (R-702)."""
    assert tools_of(tool("a"), tool("b")).fingerprint == tools_of(tool("b"), tool("a")).fingerprint


LAYOUTS: list[Any] = [
    tool("f"),
    tool("F"),
    tool("f", {"a": INT}),
    tool("f", {"a": INT}, ["a"]),
    tool("f", {"a": STR}, ["a"]),
    tool("f", {"b": INT}, ["b"]),
    tool("f", {"a": INT, "b": INT}, ["a", "b"]),
    tool("f", {"b": INT, "a": INT}, ["a", "b"]),
    tool("f", {"a": UNIT}, ["a"]),
    tool("f", {"a": {"enum": ["F", "C"]}}, ["a"]),
    tool("f", {"a": POINT}),
    tool("f", {"a": ANYTHING}),
    tool("f", {"a": {"const": "any"}}),
    tool("f", {"a": {"const": "1"}}),
    tool("f", {"a": {"const": 1}}),
    tool("f", {"a": {"const": 1.0}}),
    tool("f", {"a": {"type": ["integer", "null"]}}),
    tool("f", {"a": INT}, additionalProperties=True),
    tool("f", {"a": INT}, additionalProperties=INT),
]


def test_layouts_that_differ_have_fingerprints_that_differ() -> None:
    """A change that affects how a text is read changes the fingerprint (R-406, R-702)."""
    prints = {tools_of(definition).fingerprint for definition in LAYOUTS}
    assert len(prints) == len(LAYOUTS)


@pytest.mark.parametrize("default", [1, {"a": 1, "b c": [1, "x"]}])
@pytest.mark.parametrize(
    ("holds", "signature"),
    [
        (lambda inner: {"type": "array", "items": inner}, "f(x:[%s])"),
        (lambda inner: {"additionalProperties": inner}, "f(x:{%s})"),
        (lambda inner: {"properties": {"y": inner}}, "f(x:(y?:%s))"),
        (
            lambda inner: {"properties": {"z": INT}, "additionalProperties": inner},
            "f(x:(z?:int ...:%s))",
        ),
    ],
)
def test_defaults_inside_are_shown_or_not(holds: Any, signature: str, default: Any) -> None:
    """Defaults of members are in a signature and not in a fingerprint."""
    parts = [{"type": ["integer", "object"], **more} for more in ({}, {"default": default})]
    plain, with_default = (taking(holds({"properties": {"m": part}})) for part in parts)
    spelled = "1" if default == 1 else '{a 1 "b c" [1 x]}'
    assert plain.prompt(descriptions=False) == signature % "(m?:int|{any})"
    assert with_default.prompt(descriptions=False) == signature % f"(m?:int|{{any}}={spelled})"
    assert with_default.fingerprint == plain.fingerprint


def test_the_default_of_a_required_parameter_is_not_shown() -> None:
    """The default of a required parameter is not shown; some libraries, such as zod, write both."""
    state = {"enum": ["open", "closed"], "default": "open"}
    tools = tools_of(tool("f", {"state": state, "page": {**INT, "default": 1}}, ["state"]))
    assert tools.prompt(descriptions=False) == "f(state:open|closed page?:int=1)"
