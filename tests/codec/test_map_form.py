"""Test the map form, in which calls need no tools (R-431 to R-433)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import Call, Decoder, ToolSet, decode, encode, events
from lton.codec._decode import find_errors
from tests import strategies as own
from tests.cases import GOOD, Good, exact, loop_over, outcome
from tests.codec.test_chunks import calls_of, check_arguments, read_in_chunks

TOOLS = ToolSet.from_prompt("f(a:int b:[(c:int d?)] e?)\ng=own.name(x:any)")


@loop_over(GOOD)
def test_what_is_written_without_tools_is_read_with_them_too(case: Good) -> None:
    """Calls that were written without tools are also read with tools, in any chunks (R-432)."""
    text = encode(case.calls)
    sizes = (len(text), 3, 1) if len(text) <= 400 else (len(text),)
    for tools in (None, case.tools):
        for size in sizes:
            event_list, error = read_in_chunks(text, tools, max(1, size))
            assert error is None
            assert exact(calls_of(event_list)) == exact(case.calls)
            check_arguments(event_list)


@st.composite
def maps(draw: st.DrawFn) -> tuple[ToolSet, str]:
    """Return tools and calls in the map form whose values a test may change."""
    definitions = draw(own.toolsets())
    text = encode(draw(own.calls_for(definitions)))
    return ToolSet.from_tools(definitions), draw(own.mangled(text) | st.just(text))


@own.examples(150)
@given(maps())
def test_tools_change_no_value(case: tuple[ToolSet, str]) -> None:
    """With and without tools, the same values are read (R-432)."""
    tools, text = case
    read = [
        result for result in (outcome(text, tools), outcome(text, None)) if isinstance(result, list)
    ]
    assert len(set(map(str, map(exact, read)))) <= 1


def test_a_value_is_no_string_by_its_parameter() -> None:
    """A word that is a number is read as a number, even if the parameter is a string (R-432)."""
    tools = ToolSet.from_prompt("f(zip)")
    call = Call("f", {"zip": "94577"})
    assert decode("f 94577", tools) == decode("f{zip '94577'}", tools) == [call]
    assert [error.code for error in find_errors("f{zip 94577}", tools)] == ["E203"]


def errors_of(text: str) -> list[tuple[str, int, str]]:
    return [(error.code, error.pos, error.path) for error in find_errors(text, TOOLS)]


def test_reading_goes_on_after_a_group_that_does_not_fit() -> None:
    """After a group of the wrong kind, errors inside the group are found too."""
    assert errors_of("f{b {q 1 q 2} a x}") == [
        ("E206", 9, "/b"),
        ("E203", 4, "/b"),
        ("E203", 16, "/a"),
    ]


def test_every_error_is_found() -> None:
    """Each value that its parameter refuses is found, and so are errors after it."""
    text = "f{a x b [(c d)1 y;z 2] h 1 e {}}\nf{e 1 a 2}\nf{a 1"
    errors = errors_of(text)
    assert errors == [
        ("E203", 4, "/a"),
        ("E203", 8, "/b/1/c"),
        ("E202", 23, ""),
        ("E203", 29, "/e"),
        ("E203", 37, "/e"),
        ("E205", 42, ""),
        ("E110", 49, "/a"),
    ]


def test_strings_come_in_pieces() -> None:
    """With `deltas`, strings are reported in pieces, as arguments and inside arguments."""
    decoder = Decoder(TOOLS, deltas=True)
    event_list: list[Any] = []
    for chunk in ('f{e "a', " b", '" b [{c 1 d `x', "y`}] a 1}"):
        decoder.feed(chunk)
        event_list += decoder
    decoder.close()
    event_list += decoder
    assert event_list == [
        events.CallStart("f"),
        events.ArgumentDelta(("e",), "a"),
        events.ArgumentDelta(("e",), " b"),
        events.Argument("e", "a b"),
        events.ArgumentDelta(("b", 0, "d"), "x"),
        events.ArgumentDelta(("b", 0, "d"), "y"),
        events.Argument("b", [{"c": 1, "d": "xy"}]),
        events.Argument("a", 1),
        events.CallEnd(Call("f", {"e": "a b", "b": [{"c": 1, "d": "xy"}], "a": 1})),
    ]


def test_the_name_is_the_one_that_texts_have() -> None:
    """A tool is called by its alias (§7)."""
    assert decode("g{x 1}", TOOLS) == [Call("own.name", {"x": 1})]
    assert encode(Call("own.name", {"x": 1})) == "own.name{x 1}"


@pytest.mark.parametrize("sigil", [True, False])
def test_the_sigil_is_an_option(sigil: bool) -> None:
    """The sigil is optional, as in every form except the tagged form (R-401)."""
    text = encode([Call("f"), Call("f", {"a b": None})], sigil=sigil)
    mark = "!call " if sigil else ""
    assert text == f'{mark}f{{}}\n{mark}f{{"a b" null}}'
    assert decode(text) == [Call("f"), Call("f", {"a b": None})]
