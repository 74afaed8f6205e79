"""Test that every case gives the same calls or the same error in chunks."""

from typing import Any

import pytest

from lton import Call, DecodeError, Decoder, ToolSet, decode, events
from lton.codec._stops import More
from lton.errors import Code
from tests.cases import (
    BAD,
    F_STR,
    GOOD,
    INT,
    NUM,
    READ,
    STR,
    Bad,
    Good,
    Read,
    exact,
    loop_over,
    tool,
    tools_of,
)

MOST = 400
"""Longer texts are not cut into characters: the cases of limits take megabytes."""

REFUSED = [case for case in BAD if len(case.text) <= MOST and case.code != Code.FRAME]


def read_in_chunks(
    text: str, tools: ToolSet | None, size: int, **options: Any
) -> tuple[list[events.Event], DecodeError | None]:
    """Return the events of a text in chunks of the given size, and the error that ends it."""
    reader = Decoder(tools, **options)
    event_list: list[events.Event] = []
    try:
        for start in range(0, len(text), size):
            reader.feed(text[start : start + size])
            event_list.extend(reader)
        reader.close()
        event_list.extend(reader)
    except DecodeError as error:
        return event_list, error
    return event_list, None


def calls_of(event_list: list[events.Event]) -> list[Call]:
    return [event.call for event in event_list if isinstance(event, events.CallEnd)]


def check_arguments(event_list: list[events.Event]) -> None:
    """Check that each argument is reported once, in order, between the start and the end of its
    call.
    """
    arguments: dict[str, Any] = {}
    name = ""
    for event in event_list:
        match event:
            case events.CallStart(name):
                arguments = {}
            case events.Argument(argument, value):
                assert argument not in arguments
                arguments[argument] = value
            case events.CallEnd(call):
                assert (name, repr(arguments)) == (call.name, repr(call.arguments))


@pytest.mark.untraced
@loop_over(GOOD, ("wire", "keyed", "punctuated", "tagged"))
def test_canonical_texts_in_chunks(case: Good, form: str) -> None:
    """A canonical text has the events of its calls: whole, cut, or with a newline after it."""
    text = getattr(case, form)
    sizes = [len(text), 3, 1] if len(text) <= MOST else [len(text)]
    for size in sizes:
        event_list, error = read_in_chunks(text, case.tools, max(1, size))
        assert error is None
        assert exact(calls_of(event_list)) == exact(case.calls)
        check_arguments(event_list)
    if case.calls:
        assert read_in_chunks(text + "\n", case.tools, len(text) + 1) == read_in_chunks(
            text, case.tools, sizes[-1] or 1
        )


@loop_over(READ)
def test_other_texts_in_chunks(case: Read) -> None:
    """A text that is not canonical has the events of its calls, too."""
    for size in (len(case.text), 2, 1) if len(case.text) <= MOST else (len(case.text),):
        event_list, error = read_in_chunks(case.text, case.tools, max(1, size))
        assert error is None
        assert exact(calls_of(event_list)) == exact(case.calls)
        check_arguments(event_list)


@loop_over(REFUSED)
def test_errors_in_chunks(case: Bad) -> None:
    """The error does not depend on where the text was cut (R-803)."""
    whole = read_in_chunks(case.text, case.tools, len(case.text) or 1)
    for size in (2, 1):
        event_list, error = read_in_chunks(case.text, case.tools, size)
        assert (event_list, describe_place(error)) == (whole[0], describe_place(whole[1]))
    assert error is not None
    assert exact(calls_of(event_list)) == exact(decode(case.text[: error.start], case.tools))
    if error.code == Code.CALL_SIZE:  # a length that no reader of chunks keeps
        assert case.code == Code.INCOMPLETE
        return
    with pytest.raises(DecodeError) as caught:
        decode(case.text, case.tools)
    strict = caught.value
    members = (error.code, error.pos, error.path, error.line, error.column)
    assert members == (strict.code, strict.pos, strict.path, strict.line, strict.column)


@pytest.mark.parametrize("size", [1, 1000])
def test_an_error_behind_the_bound_is_not_told(size: int) -> None:
    """An error up to one character after the limit is reported; an error beyond that is E303."""
    text = "f abcdefgh("
    expected = [(11, "E101", 10), (10, "E101", 10), (9, "E303", 0), (8, "E303", 0)]
    for max_call, code, pos in expected:
        _, error = read_in_chunks(text, F_STR, size, max_call=max_call)
        assert error is not None
        assert (error.code, error.pos) == (code, pos)


@pytest.mark.parametrize("size", [1, 10, 11, 12, 1000])
@pytest.mark.parametrize("end", ["", "\n", "\n!call f 1"])
@pytest.mark.parametrize("begin", ["", "<think>"])
def test_a_long_line_is_refused_or_comes_in_pieces(begin: str, end: str, size: int) -> None:
    """A line of prose or of a thought is kept up to its limit (R-1104); with deltas it is reported
    in pieces.
    """
    options = {"prose": True, "thoughts": True, "max_call": 10}
    text = begin + 30 * "x" + begin.replace("<", "</") + end
    event_list, error = read_in_chunks(text, F_STR, size, **options)
    assert event_list == []
    assert error is not None
    assert (error.code, error.pos) == (Code.CALL_SIZE, len(begin))
    event_list, error = read_in_chunks(text, F_STR, size, deltas=True, **options)
    assert error is None
    pieces = [one for one in event_list if isinstance(one, events.Prose | events.Thinking)]
    assert "".join(one.text for one in pieces).rstrip() == 30 * "x"
    assert max(len(one.text) for one in pieces) <= 11
    assert calls_of(event_list) == ([Call("f", {"x": "1"})] if "f" in end else [])


@pytest.mark.parametrize("size", [1, 10, 11, 1000])
@pytest.mark.parametrize("begin", ["", "<think>"])
def test_a_line_of_the_limit_is_read_and_a_longer_one_is_not(begin: str, size: int) -> None:
    """A line may have `max_call` characters including its line end, and not one more (R-1104)."""
    options = {"prose": True, "thoughts": True, "max_call": 10}
    line = 9 * "x" + "\n"
    event_list, error = read_in_chunks(f"{begin}{line}x{line}", F_STR, size, **options)
    assert [one.text for one in event_list if isinstance(one, events.Prose | events.Thinking)] == [
        line
    ]
    assert error is not None
    assert (error.code, error.pos) == (Code.CALL_SIZE, len(begin + line))


# --- the same for any cut ------------------------------------------------------------------------

SPOKEN = tools_of(
    tool("f", {"s": STR, "n": INT, "l": {"enum": ["red", "dark red"]}, "d": NUM}, ["s", "n"]),
    tool("free", {"x": {}, "y": {}}),
    tool("list", {"a": {"items": STR}, "b": {"items": NUM}}, ["a"]),
    tool("stop"),
    tool("stopped", {"x": STR}),
    tool("a b", {"x": STR}),
)
PIECES = [
    "f one 1",
    'f "one two",1 "dark red",2.5',
    "& 'it is' -3 red",
    "f one _",
    "f one two",
    "f one 1 green",
    "f one 1 red 2.5 more",
    "f one,1,red",
    "f one",
    "f one 1 n=2",
    "f s=one n=1",
    "f `a`,1",
    "f ```\none\n``` 1",
    "f s3:a b 1",
    "f one)1",
    "f one 1;",
    "f one  1",
    "f one 12345678901234567890",
    "f s 1",
    "f s5 1",
    f"f {'long ' * 90}",
    f'f "{"long " * 90}" 1',
    f"f {'long' * 120} 1",
    f"f 'é \u2028' {'1' * 30}",
    "free one 1.5",
    "free true null",
    "free 1e999 _",
    "free [1 a] {a b}",
    "list [a b,'c d'],[1 2.5]",
    "list [a",
    "list [[a",
    "stop",
    "stop 1",
    "stopped x",
    "'a b' x",
    "a b",
    "none 1",
    "!call f one 1",
    "!call stopped (x)",
    "!error stop late",
    "f\x00 one",
    "",
]


@pytest.mark.parametrize("options", [{}, {"prose": True}, {"max_call": 12}], ids=str)
@pytest.mark.parametrize("before", ["", "f one 1\n", "stop\n& x"])
def test_the_cut_changes_nothing(before: str, options: dict[str, Any]) -> None:
    """Valid and invalid lines give the same events and errors in chunks of any size."""
    for text in (f"{before}{piece}{end}" for piece in PIECES for end in ("", "\n", "\nstopped y")):
        whole, error = read_in_chunks(text, SPOKEN, 10_000, **options)
        for size in (1, 4, 16):
            event_list, other = read_in_chunks(text, SPOKEN, size, **options)
            assert event_list == whole
            assert describe_place(other) == describe_place(error)


def describe_place(error: DecodeError | None) -> tuple[Any, ...] | None:
    """Return the class, the code and the position of an error."""
    if error is None:
        return None
    return (error.code, error.msg, error.pos, error.path, error.start, error.line, error.column)


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
@pytest.mark.parametrize(
    "text",
    ["`" * 60, "\n" + "`" * 60, "a\n\n" + "`" * 20 + "b" + "`" * 41, "a\n```\n``x\n", "", "\n"],
)
def test_backticks_that_may_close_a_fence_are_counted_and_not_copied(text: str, size: int) -> None:
    """In an unfinished fence, everything but the last newline and the backticks after it is
    reported, once.
    """
    more = More()
    more.closer = "`" * 30
    parts = [more.cut_uncertain_end(text[at : at + size]) for at in range(0, len(text), size)]
    lines = text.rstrip("`")
    run = len(text) - len(lines)
    backticks = min(run, 30) + (lines.endswith("\n") and run <= 30)
    assert "".join(parts) == text[: len(text) - backticks]
    assert more.newline + "`" * more.run == text[len(text) - backticks :]
