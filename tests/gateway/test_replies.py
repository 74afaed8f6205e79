"""Test the client's view of a model's text: stop texts, and answers in JSON."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton.apis.answer_notes import AssistantMessage
from lton.apis.chat_api import read_chat
from lton.apis.client_requests import ClientRequest
from lton.chat import ContentDelta, Reader, ToolCallStart
from lton.chat.stops import StopTexts
from lton.gateway.apis.choices import ReadChoice

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def read_request(**more: Any) -> ClientRequest:
    tool = {"type": "function", "function": {"name": "say", "parameters": SCHEMA}}
    return read_chat({"messages": [], "tools": [tool], **more})


def read_answer(
    text: str, size: int, *, lenient: bool = False, reason: str = "stop", **more: Any
) -> ReadChoice:
    request = read_request(**more)
    prose = request.choice in ("auto", "none")
    repeat = request.repeat_calls
    reader = Reader(
        request.callable,
        prose=prose,
        lenient=lenient,
        repeat_calls=repeat,
        stop=request.stop,
        call_id=lambda: "1",
    )
    choice = ReadChoice(request, reader)
    for start in range(0, len(text), size):
        choice.receive_text(text[start : start + size])
    choice.reason = reason
    choice.close()
    return choice


@given(
    st.text("ab:", max_size=12),
    st.lists(st.text("ab:", min_size=1, max_size=4), max_size=3),
    st.integers(1, 5),
)
def test_stops_are_found_however_the_text_is_cut(text: str, stops: list[str], size: int) -> None:
    whole = StopTexts(tuple(stops))
    once = whole.feed(text) + whole.flush()
    cut = StopTexts(tuple(stops))
    pieces = list[str]()
    for start in range(0, len(text), size):
        if not cut.found:
            pieces.append(cut.feed(text[start : start + size]))
    pieces.append("" if cut.found else cut.flush())

    ends = [(text.find(stop) + len(stop), text.find(stop)) for stop in stops if stop in text]
    assert (bool(whole.found), once) == (bool(ends), text[: min(ends)[1]] if ends else text)
    assert (cut.found, "".join(pieces)) == (whole.found, once)


def test_a_stop_never_cuts_a_value() -> None:
    text = 'I say it. !\n!call say(text="Observation: none")'

    for size in (1, 3, 100):
        message = AssistantMessage.from_deltas(read_answer(text, size, stop="Observation:").deltas)

        assert [call.arguments for call in message.calls] == [{"text": "Observation: none"}]
        assert message.reason == "tool_calls"


def test_nothing_after_a_stop_is_given() -> None:
    text = "Yes. Observation: no\n!call say(text='x')"

    message = AssistantMessage.from_deltas(read_answer(text, 4, stop=["Observation:"]).deltas)

    assert (message.content, message.calls, message.reason) == ("Yes. ", [], "stop")


def say(text: str) -> str:
    return f'!call say(text="{text}")'


CALL = say("x")
AFTER_CALLS = [
    (f"{CALL}\nObservation: no", "Observation:", "", "x"),
    (f"{CALL}\nObservation: no", "\nObservation:", "", "x"),
    (f"{CALL}\n{say('y')}\nabc ZZZ d", "ZZZ", "abc ", "xy"),
    (f"Look.\n{CALL}\nabc ZZZ\n{say('y')}\nZZZ", "ZZZ", "Look.\nabc ", "x"),
    (f"Look.\n\n{CALL}\nabc", "\n\n", "Look.\n\nabc", "x"),
    (f"{CALL}\nabc", "\n", "", "x"),
    (f"{CALL}\n\nabc", "\n\n", "", "x"),
    (f"{CALL}\n\n{say('y')}\n\nabc", "\n\n", "", "xy"),
    (f"{say('a ZZZ')}\nb ZZZ", "ZZZ", "b ", "a ZZZ"),
    (f"{CALL}\nabc", "ZZZ", "abc", "x"),
    (f"ZZZ\n{CALL}", "ZZZ", "", ""),
    (f"ab\n{CALL}\nc ZZZ", "b\nc", "ab\nc ZZZ", "x"),
    (f"abc\n!note {CALL}\nend", "c\n!note", "ab", ""),
]


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(("text", "stop", "content", "values"), AFTER_CALLS)
@pytest.mark.parametrize("size", [1, 4, 100])
def test_calls_before_a_stop_are_given(
    text: str, stop: str, content: str, values: str, size: int, lenient: bool
) -> None:
    """Calls that end before the stop sequence are delivered, and nothing after it."""
    choice = read_answer(text, size, lenient=lenient, stop=[stop])

    message = AssistantMessage.from_deltas(choice.deltas)

    assert message.content == content
    assert "".join(str(call.call.arguments["text"]) for call in message.calls) == values
    assert message.reason == ("tool_calls" if values else "stop")


@pytest.mark.parametrize("lenient", [False, True])
def test_a_call_on_a_complete_line_is_not_cut_by_a_limit(lenient: bool) -> None:
    """The line end completes the call, so a limit after it leaves the call whole."""
    for text, count in [(f"{CALL}\n", 1), (CALL, 0), (f'{CALL}\n!call say(text="', 1)]:
        message = AssistantMessage.from_deltas(
            read_answer(text, 5, lenient=lenient, reason="length").deltas
        )

        assert (len(message.calls), message.reason) == (count, "length")


def test_an_answer_in_json_is_content() -> None:
    form = {"type": "json_schema", "json_schema": {"name": "place", "schema": SCHEMA}}

    for size in (1, 5, 100):
        choice = read_answer('!call answer(text="Oslo")', size, response_format=form)
        message = AssistantMessage.from_deltas(choice.deltas)

        assert (message.content, message.calls, message.reason) == ('{"text":"Oslo"}', [], "stop")
        assert not any(isinstance(delta, ToolCallStart) for delta in choice.deltas)


def test_what_cannot_be_read_is_content() -> None:
    message = AssistantMessage.from_deltas(read_answer("!call shout(text='x')", 3).deltas)

    assert message.content == "!call shout(text='x')"
    assert (message.calls, message.reason) == ([], "stop")


@pytest.mark.parametrize("size", [1, 3, 7, 100])
@pytest.mark.parametrize(("repeat", "texts"), [(True, "abbac"), (False, "ab")])
def test_a_call_that_is_made_again_ends_the_answer(size: int, repeat: bool, texts: str) -> None:
    """The first repeated call ends the answer, and neither it nor later text is returned."""
    calls = [f'!call say(text="{text}")' for text in "abbac"]

    choice = read_answer("\n".join(calls), size, repeat_tool_calls=repeat)

    message = AssistantMessage.from_deltas(choice.deltas)
    assert "".join(call.call.arguments["text"] for call in message.calls) == texts
    assert (message.content, message.reason) == ("", "tool_calls")
    assert [note["code"] for note in message.notes] == ([] if repeat else ["repeated_call"])
    assert choice.is_over is not repeat


def test_new_deltas_are_given_once() -> None:
    choice = read_answer("Hello", 5)

    assert next(iter(choice.new_deltas())) == ContentDelta("Hello")
    assert [*choice.new_deltas()] == []
