"""Test that calls have exactly one text in each form, or are refused with a code and a path."""

import re
from collections.abc import Callable
from dataclasses import replace
from enum import IntEnum
from itertools import permutations
from types import MappingProxyType
from typing import Any

import pytest

from lton import Call, Decoder, EncodeError, Result, ToolSet, decode, encode
from lton._syntax import MAX_DEPTH, Form
from lton.errors import Code
from lton.events import Answer
from lton.schema.types import JSON
from tests.cases import (
    BAD_CALLS,
    F_ANY,
    F_INTS,
    F_POINT,
    F_STR,
    GAPS,
    GOOD,
    WEATHER,
    BadCall,
    Good,
    loop_over,
    params,
)

FORMS: dict[str, Callable[[Good], str]] = {
    "wire": lambda case: encode(case.calls, case.tools),
    "keyed": lambda case: encode(case.calls, case.tools, form="keyed"),
    "punctuated": lambda case: encode(case.calls, case.tools, form="punctuated"),
    "tagged": lambda case: encode(case.calls, case.tools, form="tagged"),
}


@loop_over(GOOD, FORMS)
def test_encode_writes_the_canonical_text(case: Good, form: str) -> None:
    """Each form of a call is written exactly as in the table."""
    assert FORMS[form](case) == getattr(case, form)


@pytest.mark.parametrize("case", params(BAD_CALLS))
def test_encode_refuses(case: BadCall) -> None:
    """A call that does not fit the tools is refused with its code and path."""
    form: Any = case.form
    with pytest.raises(EncodeError) as caught:
        encode(case.call, case.tools, form=form)
    assert (caught.value.code, caught.value.path) == (case.code, case.path)


def test_one_call_needs_no_list() -> None:
    """A single call is written like a list with one call."""
    call = Call("stop")
    assert encode(call, WEATHER) == encode(iter([call]), WEATHER) == "stop"


def test_the_order_of_arguments_does_not_matter() -> None:
    """Arguments are written in the order of the layout, whatever their order in the mapping
    (R-205).
    """
    arguments = MappingProxyType({"c": 3, "b": 2, "a": 1})
    assert encode(Call("g", arguments), GAPS) == "g 1 2 3"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tools", [F_POINT, F_ANY])
def test_the_order_of_members_does_not_matter(tools: ToolSet, form: str) -> None:
    """Members and keys are written in one order, whatever their order in the mapping (R-205,
    R-409).
    """
    pairs: list[tuple[str, JSON]] = [("a", 1), ("b", "x"), ("d", 2)]
    calls = [Call("f", {"x": dict(order)}) for order in permutations(pairs)]
    case = replace(GOOD[0], tools=tools)
    assert len({FORMS[form](replace(case, calls=(call,))) for call in calls}) == 1


def test_values_may_be_of_derived_types() -> None:
    """Tuples are written as arrays, and members of an enumeration of integers as integers."""

    class Two(IntEnum):
        VALUE = 2

    value: Any = (1, Two.VALUE)
    assert encode(Call("f", {"x": value}), F_INTS) == "f [1 2]"


@pytest.mark.parametrize("form", ["wire", "keyed", "tagged"])
def test_a_fingerprint_is_written_behind_the_name(form: Form) -> None:
    """With `fingerprint`, the fingerprint of the layout follows the name (R-406)."""
    text = encode([Call("stop")], WEATHER, form=form, fingerprint=True)
    assert re.fullmatch(r"(!call )?stop#[0-9a-f]{8}(\n\(\))?", text)


def test_without_tools_there_is_no_fingerprint() -> None:
    """A call without tools has no layout, and therefore no fingerprint (R-406)."""
    assert encode(Call("f"), form="tagged", fingerprint=True) == "!call f\n()"


def test_tagged_without_tools_is_keyed() -> None:
    """Without tools, every argument is written with its key, and no string is a label (R-501,
    R-503).
    """
    call = Call("f", {"a": "C", "n": 1, "o": {"_": [None, True, 0.5, -2]}, "s3": ""})
    assert encode(call, form="tagged") == (
        '!call f\n(a s1:C)\n("n" u1:1)\n(o {"_" [n b4:true f3:0.5 i2:-2]})\n(s3 s0:)'
    )


@pytest.mark.parametrize("tools", [F_STR, None])
@pytest.mark.parametrize("form", ["json", "Wire", ""])
def test_options_that_do_not_fit_are_a_value_error(form: Form, tools: ToolSet | None) -> None:
    """An unknown form is a mistake of the program, so it raises `ValueError` and not
    `LTONError`.
    """
    with pytest.raises(ValueError, match="expected one of the forms"):
        encode([], tools, form=form)


def test_a_value_in_a_message_is_cut() -> None:
    """An error message shows only the beginning of a long value."""
    with pytest.raises(EncodeError) as caught:
        encode(Call("f", {"x": ["y" * 10_000]}), F_STR)
    assert caught.value.code == Code.TYPE
    assert len(caught.value.msg) < 100


def test_the_same_list_may_occur_twice() -> None:
    """A list that occurs twice in a value is written twice."""
    shared: list[JSON] = [1]
    assert encode(Call("f", {"x": [shared, shared]}), F_ANY) == "f [[1],[1]]"


def test_a_value_that_holds_itself_is_too_deep() -> None:
    """A list that contains itself is refused as nested too deep (R-1101)."""
    loop: list[JSON] = []
    loop.append(loop)
    with pytest.raises(EncodeError) as caught:
        encode(Call("f", {"x": loop}), F_ANY)
    assert caught.value.code == Code.DEPTH


@pytest.mark.parametrize("value", [10**4096 - 1, 1 - 10**4095], ids=["largest", "smallest"])
def test_the_longest_integers_are_written(value: int) -> None:
    """An integer of 4,096 characters, with its sign, is written and read (R-1102)."""
    text = encode(Call("f", {"x": value}), F_ANY)
    assert text == f"f {value}"
    assert len(text) == len("f ") + 4096
    assert decode(text, F_ANY) == [Call("f", {"x": value})]
    longer = value * 10
    with pytest.raises(EncodeError) as caught:
        encode(Call("f", {"x": longer}), F_ANY)
    assert caught.value.code == Code.DIGITS


def test_answers_are_frames_of_their_own() -> None:
    """Results and errors are written between calls, and their values have no schema (R-426)."""
    frames: list[Call | Result] = [
        Call("stop"),
        Result("stop", {"b": "null", "a": [1, 2.0, None]}),
        Result("stop", "two\nlines", is_error=True),
        Call("stop"),
    ]
    text = 'stop\n!result stop {a [1 2.0 null] b "null"}\n!error stop s9:two\nlines\n&'
    assert encode(frames, WEATHER) == text
    assert encode(Result("f"), None) == "!result f null"


@pytest.mark.parametrize("tools", [None, WEATHER, WEATHER.with_aliases()])
def test_an_error_without_a_name_says_that_there_was_no_call(tools: ToolSet | None) -> None:
    """R-426: the value of an error without a name is written like any answer, and is read back."""
    error = Result("", {"code": "E201", "found": "wether v1"}, is_error=True)
    text = '!error: {code E201 found "wether v1"}'
    assert encode(error, tools) == text
    decoder = Decoder(tools)
    decoder.feed(text + "\n")
    assert list(decoder) == [Answer(error)]


@pytest.mark.parametrize(
    ("result", "tools", "code", "path"),
    [
        (Result("nope"), WEATHER, Code.TOOL, ""),
        (Result("", is_error=False), WEATHER, Code.TOOL, ""),
        (Result("", float("nan"), is_error=True), WEATHER, Code.VALUE, ""),
        (Result(""), None, Code.VALUE, ""),
        (Result("f", ["\0"]), F_STR, Code.VALUE, "/0"),
    ],
)
def test_answers_are_checked(result: Result, tools: ToolSet | None, code: Code, path: str) -> None:
    """The name of an answer must be a tool, and its value must be in the data model."""
    with pytest.raises(EncodeError) as caught:
        encode(result, tools)
    assert (caught.value.code, caught.value.path) == (code, path)


def test_an_answer_nests_as_deep_as_a_call() -> None:
    """R-1101: the value of an answer may be nested as deep as an argument, and no deeper."""
    lists: JSON = []
    maps: JSON = {}
    for _ in range(MAX_DEPTH - 1):
        lists, maps = [lists], {"a": maps}
    assert encode(Result("stop", lists)) == f"!result stop {'[' * MAX_DEPTH}{']' * MAX_DEPTH}"
    assert encode(Result("stop", maps)).endswith(f"{{a {{}}{'}' * (MAX_DEPTH - 1)}")
    for value in ([lists], {"a": maps}):
        with pytest.raises(EncodeError) as caught:
            encode(Result("stop", value))
        assert caught.value.code == Code.DEPTH


def test_a_sigil_begins_each_line_that_prose_may_surround() -> None:
    """With `sigil`, every call has its sigil and its name (R-404, R-429)."""
    frames: list[Call | Result] = [Call("stop"), Call("stop"), Result("stop")]
    assert encode(frames, WEATHER, sigil=True) == "!call stop\n!call stop\n!result stop null"
    assert encode(frames[0], form="tagged", sigil=True) == "!call stop\n()"


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (Call("wiat", {}), "did you mean 'wait'?"),
        (Call("wait", {"minute": 5}), "did you mean 'minutes'?"),
        (Call("look", {}), None),
        (Call(5, {}), None),  # type: ignore[arg-type]
    ],
)
def test_a_name_that_is_nearly_declared_is_a_hint(call: Call, hint: str | None) -> None:
    """The error for an unknown tool or parameter suggests the most similar declared name."""
    for tools in (WAIT, WAIT.with_aliases()):
        with pytest.raises(EncodeError) as caught:
            encode(call, tools)
        assert caught.value.hint == hint


WAIT = ToolSet.from_prompt("wait(minutes?:int)")
