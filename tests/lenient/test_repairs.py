"""Test lenient reading: the conformance cases, general properties, and linear time."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.scale_lenient import SLOW_ONCE
from lton import Call, DecodeError, ToolSet, decode, decode_lenient, encode
from lton.errors import Code, IncompleteError, RepairCode
from lton.lenient import _scan as lenient
from lton.schema.shown.signature import make_fingerprint
from spec.conformance.run import read_cases
from tests import strategies as own
from tests.cases import (
    GOOD,
    POINT,
    READ,
    TOOLSETS,
    Good,
    Read,
    exact,
    loop_over,
    params,
    sizes,
    taking,
    tool,
    tools_of,
    undoubted_calls,
)

ROOT = Path(__file__).parents[2]
SPEC = (ROOT / "spec/LTON-0.1.md").read_text("utf-8")
TOOLS = {
    name.removeprefix("lenient-"): tools
    for name, tools in TOOLSETS.items()
    if name.startswith("lenient-")
}
CASES = [case for case in read_cases() if case["kind"] == "lenient"]


def outcome(text: str, tools: ToolSet | None, **options: Any) -> dict[str, Any]:
    """Return the expected outcome of a conformance case."""
    result = decode_lenient(text, tools, **options)
    return {
        "calls": [_describe_call(call) for call in result.calls],
        "repairs": [{"code": repair.code, "pos": repair.pos} for repair in result.repairs],
        "errors": [{"code": error.code, "pos": error.pos} for error in result.errors],
        "uncertain": [
            {**_describe_call(one.call), "code": one.code, "pos": one.pos}
            for one in result.uncertain
        ],
        "complete": result.complete,
    }


def _describe_call(call: Call) -> dict[str, Any]:
    return {"name": call.name, "arguments": call.arguments}


@loop_over(CASES)
def test_conformance(case: dict[str, Any]) -> None:
    """Each case gives exactly its calls, its repairs and its errors."""
    expected = {key: case[key] for key in ("calls", "repairs", "errors")}
    expected["uncertain"] = case.get("uncertain", [])
    expected["complete"] = True
    names = ("safe", "ended", "syntax", "seen")
    options = {name: case[name] for name in names if name in case}
    actual = outcome(case["text"], TOOLSETS.get(case["tools"]), **options)
    assert json.dumps(actual, sort_keys=True) == json.dumps(expected, sort_keys=True)


def test_each_repair_is_made_in_a_case() -> None:
    """Each code of the table of repairs occurs in a case."""
    assert {repair["code"] for case in CASES for repair in case["repairs"]} == set(RepairCode)


def test_the_table_of_repairs_is_the_enumeration() -> None:
    """The repairs of the specification are those of the package, and each has a message."""
    assert re.findall(r"^\| (L\d{3}) \|", SPEC, re.MULTILINE) == [code.value for code in RepairCode]
    assert all(code.msg for code in RepairCode)


@pytest.mark.deep
@pytest.mark.parametrize("case", params(GOOD))
@pytest.mark.parametrize("form", ["wire", "keyed", "punctuated", "tagged"])
def test_strict_texts_need_no_repair(case: Good, form: str) -> None:
    """Each canonical text gives the same calls as in strict reading, without repairs."""
    result = decode_lenient(getattr(case, form), case.tools)
    assert exact(result.calls) == exact(case.calls)
    assert (result.repairs, result.errors) == ((), ())


@pytest.mark.deep
@pytest.mark.parametrize("case", params(READ))
def test_so_do_strict_texts_that_are_not_canonical(case: Read) -> None:
    result = decode_lenient(case.text, case.tools)
    assert exact(result.calls) == exact(case.calls)
    assert (result.repairs, result.errors) == ((), ())


# --- single points ------------------------------------------------------------------------------


def test_repairs_and_errors_say_what_and_where() -> None:
    """Repairs have positions in their calls, and errors in the whole text."""
    text = 'Well:\nwait 5\nwait "five"\nwait "6"'
    result = decode_lenient(text, TOOLS["weather"], safe=False)
    assert [call.arguments for call in result.calls] == [{"minutes": 5}, {"minutes": 6}]
    assert [(repair.code, repair.pos, repair.call) for repair in result.repairs] == [
        (RepairCode.PROSE, 0, 0),
        (RepairCode.BESIDE, text.index("wait 5"), 0),
        (RepairCode.BESIDE, text.index('wait "6"'), 1),
        (RepairCode.KIND, text.index('"6"'), 1),
    ]
    assert all(repair.msg for repair in result.repairs)
    (error,) = result.errors
    assert (error.doc, error.pos, error.path) == (text, text.index('"five"'), "/minutes")


def test_a_text_that_ends_too_early_is_incomplete() -> None:
    """A text that ends too early is incomplete, unless more text could not make it valid."""
    first, last = decode_lenient("weather.v1\nwait(", TOOLS["weather"]).errors
    assert (type(first), first.code) == (DecodeError, Code.MISSING)
    assert (type(last), last.code) == (IncompleteError, Code.INCOMPLETE)


WITHOUT_TOOLS = {
    "tagged": ("Hi\n!call f\n(x u1:5)", [Call("f", {"x": 5})]),
    "json": ('{"name": "f", "arguments": {"x": "a"}}', [Call("f", {"x": "a"})]),
    "python": ('[f(x=1, y="a b"), g()]', [Call("f", {"x": 1, "y": "a b"}), Call("g", {})]),
    "element": ("<function=f><parameter=x>5</parameter></function>", [Call("f", {"x": 5})]),
    "positional": ("f(1)", []),
    "sentence": ("Please wait 5 minutes.", []),
    "sigil-and-line": ("!call f 5", []),
    "sigil-and-nothing": ("!call f", []),
    "repeat": ("f(x=1)\n& 2", [Call("f", {"x": 1})]),
    "empty-name": ('{"name": "", "arguments": {}}', []),
    "map": ("Hi\n!call f{x 5}", [Call("f", {"x": 5})]),
    "map-in-prose": ("struct{a b}\nis C.", []),
}


@pytest.mark.parametrize("name", WITHOUT_TOOLS)
def test_without_tools(name: str) -> None:
    """Without tools, the map form, the keyed tagged form, JSON, elements and keyed Python are
    read.
    """
    text, calls = WITHOUT_TOOLS[name]
    assert undoubted_calls(decode_lenient(text)) == calls


REPAIRED: dict[str, tuple[Any, str, Any]] = {
    "dict-in-map": ({"type": "object"}, "f x={a: 1, 'b' : two words}", {"a": 1, "b": "two words"}),
    "map-with-equals": ({"type": "object"}, "f {a=1, b = 2}", {"a": 1, "b": 2}),
    "map-in-parentheses": ({"type": "object"}, "f x=(a=1)", {"a": 1}),
    "typographic-argument": ({"type": "integer"}, "f(“x”=5)", 5),
    "key-of-other-letters": ({"type": "object"}, "f {éa 1}", {"éa": 1}),
    "typographic-key": ({"type": "object"}, "f {“a”: 1}", {"a": 1}),
    "object-in-a-string": ({"type": "object"}, """f x='{"a": [1, 2.5]}'""", {"a": [1, 2.5]}),
    "point": ({"type": "number"}, "f .5", 0.5),
    "exponent": ({"type": "number"}, "f +01e5", 1e5),
    "number-or-label": ({"enum": ["a", 7]}, 'f "7"', 7),
    "label-in-phrase": ({"enum": ["New York"]}, "f x=new york", "New York"),
    "boolean-in-quotes": ({"type": "boolean"}, 'f "True"', True),
    "tagged-double": ({"type": "number"}, "!call f (f1:3)", 3.0),
    "tagged-null": ({"type": ["null", "string"]}, "!call f (x n)", None),
    "tagged-array": ({"items": {"type": "integer"}}, "!call f (x [u2:1 i2:-2])", [1, -2]),
    "tagged-quoted-key": ({"type": "string"}, '!call f ("x" s1:a)', "a"),
    "tagged-unclosed": ({"type": "integer"}, "!call f\n(x u1:1\n", 1),
    "open-fence-in-call": ({"type": "string"}, "So:\nf ```\na\n```", "a"),
    "fence-in-parentheses": ({"type": "string"}, "f(\n x=```\na\n```\n)", "a"),
    "empty-fence": ({"type": "string"}, "f x = ```\n```", ""),
    "comment": ({"items": {"type": "integer"}}, "f([1, /* two */ 2])", [1, 2]),
    "closer-before-fence": (
        {"type": "integer"},
        '```json\n{"name": "f", "arguments": {"x": 1\n```',
        1,
    ),
    "json-and-json": ({"type": "integer"}, '{"name": "f", "arguments": {"x": 1}\n{"a": 1}', 1),
    "name-and-empty-joint": ({"type": "integer"}, 'f[CALL_ID]a1[ARGS]{"x": 1}', 1),
    "fingerprint": ({"type": "string"}, "So:\nf#{fingerprint} a", "a"),
    "wrong-quote-inside": ({"type": "string"}, "f(x=“a”b”)", "a”b"),
    "apostrophe": ({"type": "string"}, "f(x=O'Brien)", "O'Brien"),
    "escaped-line": ({"type": "string"}, "[f(x='a\\\nb')]", "ab"),
    "escapes-before-full-stop": (
        {"items": {"type": "string"}},
        r'f x=["say \"hi\""].',
        ['say "hi"'],
    ),
    "escapes-and-full-stop": ({"type": "string"}, r'f x="say \"hi\"".', 'say "hi"'),
    "python-triple": ({"type": "string"}, '[f(x="""a\\n""")]', "a\n"),
    "any-python": ({}, "f x={'a': None, 'b': [True]}", {"a": None, "b": [True]}),
    "word-in-json": (
        {"type": ["string", "boolean"]},
        '{"name": "f", "arguments": {"x": True}}',
        True,
    ),
    "element-label": (
        {"enum": ["A"]},
        "<function=f><parameter=x>\na\n</parameter></function>",
        "A",
    ),
}


@pytest.mark.parametrize("name", REPAIRED)
def test_repaired(name: str) -> None:
    """The argument is read as this value, with a repair."""
    schema, text, value = REPAIRED[name]
    tools = taking(schema)
    (only,) = tools
    text = text.replace("{fingerprint}", make_fingerprint(only))
    result = decode_lenient(text, tools)
    assert exact(undoubted_calls(result)) == exact([Call("f", {"x": value})])
    assert result.repairs or result.uncertain
    assert not result.errors


REFUSED: dict[str, tuple[Any, str, Code]] = {
    "digits": ({"type": "integer"}, f"f +{'1' * 5000}", Code.TYPE),
    "json-digits": ({"type": "integer"}, f'f {{"x": {"1" * 5000}}}', Code.DIGITS),
    "infinite": ({"type": "number"}, '{"name": "f", "arguments": {"x": 1e999}}', Code.TYPE),
    "array-for-integer": ({"type": "integer"}, '{"name": "f", "arguments": {"x": [1]}}', Code.TYPE),
    "phrase-for-integer": ({"type": "integer"}, "f(x=a b)", Code.TYPE),
    "text-behind-value": (
        {"type": "integer"},
        '{"name": "f", "arguments": {"x": "1 2"}}',
        Code.TYPE,
    ),
    "empty-text": ({"type": "integer"}, '{"name": "f", "arguments": {"x": ""}}', Code.TYPE),
    "two-labels": ({"enum": ["ab", "AB"]}, 'f "aB"', Code.LABEL),
    "bounds": ({"type": "integer", "maximum": 5}, 'f{"x": 7}', Code.BOUNDS),
    "twice": ({"type": "integer"}, '{"name": "f", "arguments": {"x": 1, "X": 2}}', Code.DUPLICATE),
    "surplus": ({"type": "integer"}, '{"name": "f", "arguments": [1, 2]}', Code.SURPLUS),
    "arguments-that-are-none": ({"type": "integer"}, '{"name": "f", "arguments": 5}', Code.TYPE),
    "arguments-in-a-bad-text": (
        {"type": "integer"},
        '{"name": "f", "arguments": "{y: 1}"}',
        Code.PARAMETER,
    ),
    "no-separator": (
        {"items": {}},
        '{"name": "f", "arguments": {"x": ["say "hi" now"]}}',
        Code.SYNTAX,
    ),
    "no-value": ({"type": "integer"}, '{"name": "f", "arguments": {"x": }}', Code.SYNTAX),
    "no-colon": ({"type": "integer"}, '{"name": "f", "arguments": {"x" 1}}', Code.SYNTAX),
    "no-key": ({"type": "integer"}, '{"name": "f", "arguments": {[1]}}', Code.SYNTAX),
    "bad-key": ({"type": "integer"}, '{"name": "f", "arguments": {"x: 1}}', Code.UNCLOSED),
    "deep": ({}, f'{{"name": "f", "arguments": {{"x": {"[" * 80}', Code.DEPTH),
    "deep-value": ({}, f'{{"name": "f", "arguments": {{"x": {"[" * 66}{"]" * 66}}}}}', Code.DEPTH),
    "length-of-16-digits": ({"type": "string"}, "f s1234567890123456:a", Code.PREFIX),
    "tagged-nothing": ({"type": "string"}, "!call f\n(x =)", Code.SYNTAX),
    "bad-fence": ({"type": "string"}, "f ```a", Code.SYNTAX),
    "signature": ({"type": "string"}, "f(x: str)", Code.SURPLUS),
    "other-fingerprint": ({"type": "string"}, "f#00000000 a", Code.FINGERPRINT),
    "skipped": ({"type": "string"}, "f _ ", Code.SKIP),
    "unclosed-typographic": ({"type": "string"}, "f “a", Code.SYNTAX),
    "list-and-nothing": ({"type": "integer"}, "[f(x=1) nothing]", Code.SYNTAX),
    "announced-unknown": ({"type": "integer"}, "<tool_call>g(1)</tool_call>", Code.TOOL),
    "too-many-lengths": ({"type": "string"}, f"f s8:{'a ' * 500}", Code.COUNT),
    "bounds-in-a-text": (
        {"type": "integer", "maximum": 5},
        '{"name": "f", "arguments": "{x: 7}"}',
        Code.BOUNDS,
    ),
    "cut-behind-opener": (POINT, "f(x=(", Code.INCOMPLETE),
    "cut-behind-comma": (POINT, "f(x=(1,", Code.INCOMPLETE),
    "cut-behind-the-last-comma": ({}, "f(x=1,", Code.SURPLUS),
    "json-cut-behind-comma": ({}, '{"name": "f", "arguments": {"x": 1,', Code.INCOMPLETE),
    "no-length-fits": ({"type": "integer"}, "f s2:a b", Code.TYPE),
    "closer-on-line": ({"type": "integer"}, "f 3)", Code.SYNTAX),
    "full-stop": ({"type": "integer"}, 'f "five".', Code.TYPE),
    "behind": ({"type": "integer"}, "f(1)x", Code.SYNTAX),
    "lone-surrogate": (
        {"type": "string"},
        '{"name": "f", "arguments": {"x": "\\ud800"}}',
        Code.CHARACTER,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    """A call without exactly one reading is an error with the code of the reason."""
    schema, text, code = REFUSED[name]
    result = decode_lenient(text, taking(schema))
    assert not result.calls
    assert [error.code for error in result.errors] == [code]


NO_CALL = [
    "f",
    "`f`",
    "!important",
    "(f 1)",
    "f: what it does",
    "{f}",
    "{'a': 'b'",
    '{"a": {"b": 1 2}}',
    "[1, 2]",
    f'{{"calls": {"[" * 9}{{"name": "F", "arguments": {{}}}}{"]" * 9}}}',
    '[{"a": 1}]',
    "<b>f 1</b>",
    "f-1",
    "fx 1",
    "& so on",
    "'f' is a letter",
    "'f is a letter",
    '{"name": "f", "arguments": {}, "input": {}}',
    '{"tool_calls": [{"name": 1}]}',
    "{'other': {'name': 'g' 'arguments': }",
]


@pytest.mark.parametrize("text", NO_CALL)
def test_what_is_no_call(text: str) -> None:
    """These texts give neither calls nor errors."""
    assert outcome(text, tools_of(tool("F", {"x": {"type": "integer"}}, ["x"]))) == {
        "calls": [],
        "repairs": [],
        "errors": [],
        "uncertain": [],
        "complete": True,
    }


def test_an_object_that_stands_for_two_things_is_refused() -> None:
    """The hint names the possible readings, if they are short."""
    tools = tools_of(tool("f", {"x": {"type": "object"}}))
    (short,) = decode_lenient('f({"x": {"y": 1}})', tools).errors
    assert short.hint == "this could be 'f {x {y 1}}' or 'f {y 1}'"
    (long,) = decode_lenient(f'f({{"x": {{"y": "{"a" * 100}"}}}})', tools).errors
    assert long.hint is None


# --- every text ---------------------------------------------------------------------------------


def check(text: str, tools: ToolSet | None) -> None:
    """Check the properties that hold for every text."""
    result = decode_lenient(text, tools)
    for call in result.calls:
        encode(call, tools, form="wire" if tools else "tagged")
    assert all(0 <= repair.pos <= len(text) for repair in result.repairs)
    assert all(repair.call in range(len(result.calls)) for repair in result.repairs)
    assert all(error.doc == text and 0 <= error.pos <= len(text) for error in result.errors)
    try:
        calls = decode(text, tools)
    except DecodeError:
        assert not result.calls or result.repairs or result.errors
        return
    uncertain = [one.call for one in result.uncertain]
    if uncertain:  # R-1001: a template is uncertain, even if it can be read strictly
        assert {one.code for one in result.uncertain} == {RepairCode.EXAMPLE}
        assert sorted(map(repr, [*result.calls, *uncertain])) == sorted(map(repr, calls))
    else:
        assert exact(result.calls) == exact(calls)
    assert (result.repairs, result.errors) == ((), ())


@own.examples(300)
@given(st.sampled_from(CASES), st.sampled_from(CASES), st.booleans(), st.data())
def test_mangled_cases(case: Any, other: Any, without: bool, data: st.DataObject) -> None:
    """For damaged cases nothing is raised, every call can be written, and strict texts are
    unchanged.
    """
    text = data.draw(own.mangled(f"{case['text']}\n{other['text']}"))
    check(text, None if without else TOOLSETS.get(case["tools"]))


@own.examples(100)
@given(own.toolsets(), st.data())
def test_mangled_calls_of_any_tools(definitions: Any, data: st.DataObject) -> None:
    """The same holds for calls of generated tools, in every form and in JSON."""
    tools = ToolSet.from_tools(definitions)
    calls = data.draw(own.calls_for(definitions))
    form: Any = data.draw(st.sampled_from(["wire", "keyed", "tagged"]))
    as_json = json.dumps([{"name": c.name, "arguments": c.arguments} for c in calls])
    text = data.draw(st.sampled_from([encode(calls, tools, form=form), as_json]))
    check(data.draw(own.mangled(text)), tools)


@own.examples(100)
@given(own.toolsets(), st.data())
def test_calls_come_through_json(definitions: Any, data: st.DataObject) -> None:
    """Calls written in this JSON shape are read back, also after a sentence."""
    tools = ToolSet.from_tools(definitions)
    calls = data.draw(own.calls_for(definitions))
    text = json.dumps([{"name": c.name, "arguments": c.arguments} for c in calls])
    result = decode_lenient(f"I call: {text}", tools, safe=False)
    assert exact(result.calls) == exact(calls)
    assert not result.errors


HOSTILE = [
    *["{", "[", "[{", '{"a":', '{"a":\n', "stop ", "wait(\n", "wait(minutes=1 ", "wait(1), "],
    *['wait "\n', "wait '", 'search "x', "`", "```\n", "<tool_call>", "<function=wait>", "s5:"],
    *[
        "wait s9:a b c\n",
        "{'a' x\n",
        "- ",
        "\\",
        "/*",
        '{"a": 1 /*',
        "wait\n(",
        "wait(minutes='1\n",
    ],
    *["<function=wait><parameter=minutes>1", "wait<arg_key>a</arg_key>", "“", '"', '"""', "&\n"],
]


@pytest.mark.parametrize("size", sizes(10_000, 50_000))
@pytest.mark.parametrize("piece", [*HOSTILE, *SLOW_ONCE])
def test_hostile_texts_end(piece: str, size: int) -> None:
    """A text that is made to exhaust the reader is read or refused in linear time."""
    check(piece * (size // len(piece)), TOOLS["weather"])


@pytest.mark.parametrize("call", ["wait", "wait(1)", "`wait(1)`", "wait(minutes=1"])
@pytest.mark.parametrize("blank", [" ", "\t"])
@pytest.mark.parametrize("size", sizes(10_000, 100_000))
def test_blanks_behind_a_call_are_read_once(call: str, blank: str, size: int) -> None:
    """Blanks after a call are read in linear time."""
    check(f"{call}{blank * size}x", TOOLS["weather"])


def test_reading_stops_behind_many_errors() -> None:
    """After very many errors, the rest of the text is not read."""
    result = decode_lenient("wait(a)\n" * 200, TOOLS["weather"])
    assert len(result.errors) == lenient.MAX_ERRORS
