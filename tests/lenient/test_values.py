"""Test that every value of a call is in the text, or results from a reported repair."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import Call, ToolSet, decode_lenient, encode
from lton.errors import RepairCode
from lton.lenient import LenientResult, Repair
from spec.conformance.run import read_cases
from tests import strategies as own
from tests.cases import TOOLSETS, loop_over, taking, tool, tools_of, undoubted_calls
from tests.lenient.evidence import invented

CASES = [case for case in read_cases() if case["kind"] == "lenient"]


@loop_over(CASES)
def test_cases(case: dict[str, Any]) -> None:
    """Every value has evidence in each case, with and without uncertain calls."""
    tools = TOOLSETS.get(case["tools"])
    for safe in (True, False):
        assert invented(case["text"], decode_lenient(case["text"], tools, safe=safe), tools) == []


@own.examples(300)
@given(st.sampled_from(CASES), st.sampled_from(CASES), st.booleans(), st.data())
def test_mangled_cases(case: Any, other: Any, without: bool, data: st.DataObject) -> None:
    """Every value has evidence in damaged cases."""
    text = data.draw(own.mangled(f"{case['text']}\n{other['text']}"))
    tools = None if without else TOOLSETS.get(case["tools"])
    assert invented(text, decode_lenient(text, tools, safe=False), tools) == []


@own.examples(200)
@given(own.toolsets(), st.data())
def test_mangled_calls_of_any_tools(definitions: Any, data: st.DataObject) -> None:
    """Every value has evidence in calls of generated tools, in every form and in JSON."""
    tools = ToolSet.from_tools(definitions)
    calls = data.draw(own.calls_for(definitions))
    form: Any = data.draw(st.sampled_from(["wire", "keyed", "punctuated", "tagged"]))
    as_json = json.dumps([{"name": c.name, "arguments": c.arguments} for c in calls])
    text = data.draw(st.sampled_from([encode(calls, tools, form=form), as_json]))
    text = data.draw(
        st.sampled_from(["{}", "Sure.\n{}", "<tool_call>{}</tool_call>", "`{}`"])
    ).format(data.draw(own.mangled(text)))
    assert invented(text, decode_lenient(text, tools, safe=False), tools) == []


INVENTED: dict[str, tuple[Any, str, Any, tuple[RepairCode, ...]]] = {
    "null": ({}, "f three", None, ()),
    "newline": ({}, "f 'hello world'", "hello world\n", ()),
    "tag": ({}, "f ab</tool_call>", "ab<", ()),
    "part-of-a-word": ({}, "f Paris", "Par", ()),
    "unescaped": ({}, r"f 'a\nb'", "a\nb", ()),
    "case": ({}, "f paris", "Paris", ()),
    "number": ({}, "f 1_000", 1000, ()),
    "other-number": ({}, "f 7", 70, (RepairCode.NUMBER,)),
    "double": ({}, "f 7", 7.0, ()),
    "boolean": ({}, "f True", True, ()),
    "key": ({}, "f {a 1}", {"b": 1}, ()),
    "item": ({}, "f [1 2]", [1, 3], ()),
}


@pytest.mark.parametrize("name", INVENTED)
def test_the_checker_finds_what_is_invented(name: str) -> None:
    """The checker finds a value that is not in the text, or only after an unreported change."""
    schema, text, value, codes = INVENTED[name]
    repairs = tuple(Repair(code, 0, "", 0) for code in codes)
    result = LenientResult((Call("f", {"x": value}),), repairs)
    assert len(invented(text, result, taking(schema))) == 1


# --- what was invented once ---------------------------------------------------------------------

NULLABLE: dict[str, tuple[Any, str]] = {
    "integer": ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, '"three"'),
    "label": ({"enum": ["C", "F", None]}, '"K"'),
    "boolean": ({"type": ["boolean", "null"]}, "7"),
    "item": ({"type": "array", "items": {"type": ["number", "null"]}}, '[1, "two", 3]'),
}
SPELLINGS = [
    '{{"name": "f", "arguments": {{"x": {}}}}}',
    "f(x={})",
    "<function=f><parameter=x>{}</parameter></function>",
    "Sure:\nf {}",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("name", NULLABLE)
def test_what_does_not_fit_is_not_null(name: str, spelling: str) -> None:
    """A wrong value is refused, and not read as null, even if null is allowed."""
    schema, value = NULLABLE[name]
    result = decode_lenient(spelling.format(value), taking(schema))
    assert result.calls == ()
    assert len(result.errors) == 1


COUNTED = {
    "one-too-long": ("<tool_call>f s12:hello world</tool_call>", None),
    "right": ("<tool_call>f s11:hello world</tool_call>", "hello world"),
    "line-end-in-it": ("f s3:b\n`</tool_call>", "b\n`"),
    "line-end-last": ("<tool_call>f s2:b\n</tool_call>", "b\n"),
    "tag-behind": ("f x=s3:'\"\\</tool_call>", "'\"\\"),
    "tag-in-it": ("So:\nf s14:</tool_call>!!", "</tool_call>!!"),
    "backtick-behind": ("`f s2:a `", "a "),
    "backtick-in-it": ("`f s3:a`b`", "a`b"),
}


@pytest.mark.parametrize("name", COUNTED)
def test_a_right_length_is_kept(name: str) -> None:
    """A counted string ends at its length if a value can end there, and no newline is added."""
    text, value = COUNTED[name]
    result = decode_lenient(text, taking({"type": "string"}))
    values = [call.arguments["x"] for call in undoubted_calls(result)]
    assert values == ([] if value is None else [value])


def test_a_name_that_is_given_twice_is_none() -> None:
    """If a call has two names or two values for an argument, neither is chosen."""
    tools = TOOLSETS["lenient-weather"]
    texts = [
        '{"name": "stop", "name": "wait", "arguments": {"minutes": 5}}',
        '{"name": "wait", "tool": "stop", "arguments": {"minutes": 5}}',
        '{"name": "wait", "tool": "any", "action": "stop", "arguments": {"minutes": 5}}',
        '{"name": "wait", "arguments": {"minutes": 5}, "arguments": {"minutes": 6}}',
    ]
    for text in texts:
        result = decode_lenient(text, tools)
        assert result.calls == ()
        assert [error.code for error in result.errors] == ["E206"]


MAYBE = tools_of(
    tool("maybe", {"x": {"type": ["string", "null"]}, "y": {"type": "string"}}, ["x"]),
)


@pytest.mark.parametrize(
    ("text", "arguments", "codes"),
    [
        ("maybe(x=None)", {"x": None}, ["L118"]),
        ("maybe(None)", {"x": None}, ["L118"]),
        ("maybe( x = None )", {"x": None}, ["L111", "L111", "L118"]),
        ("maybe(x=None, y='b')", {"x": None, "y": "b"}, ["L118"]),
        ("maybe(x='None')", {"x": "None"}, []),
        ("maybe(x='a', y=None)", {"x": "a", "y": "None"}, []),
        ("maybe x=None", {"x": "None"}, []),
        ("maybe None", {"x": "None"}, []),
    ],
)
def test_python_none_is_null_in_parentheses(
    text: str, arguments: dict[str, Any], codes: list[str]
) -> None:
    """R-1001: `None` in parentheses is null if the argument may be null, and otherwise a string."""
    result = decode_lenient(text, MAYBE)
    assert [call.arguments for call in result.calls] == [arguments]
    assert [repair.code for repair in result.repairs][: len(codes)] == codes
    assert bool(result.repairs) == bool(codes)
    without = decode_lenient("maybe(x=None)", None)
    assert "L118" not in [repair.code for repair in without.repairs]
