"""Test the client's view of a model's text: stop texts, and answers in JSON."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton.apis.answer_notes import AssistantMessage
from lton.chat import ContentDelta, Reader, ToolCallStart
from lton.gateway.apis.choices import ReadChoice, StopTexts
from lton.gateway.apis.client_requests import ClientRequest, read_chat

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def asked(**more: Any) -> ClientRequest:
    tool = {"type": "function", "function": {"name": "say", "parameters": SCHEMA}}
    return read_chat({"messages": [], "tools": [tool], **more})


def seen(text: str, size: int, **more: Any) -> ReadChoice:
    request = asked(**more)
    prose = request.choice in ("auto", "none")
    repeat = request.repeat_calls
    reader = Reader(request.callable, prose=prose, repeat_calls=repeat, call_id=lambda: "1")
    choice = ReadChoice(request, reader)
    for start in range(0, len(text), size):
        choice.receive_text(text[start : start + size])
    choice.reason = "stop"
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
        said = AssistantMessage.of(seen(text, size, stop="Observation:").deltas)

        assert [call.arguments for call in said.calls] == [{"text": "Observation: none"}]
        assert said.reason == "tool_calls"


def test_nothing_after_a_stop_is_given() -> None:
    text = "Yes. Observation: no\n!call say(text='x')"

    said = AssistantMessage.of(seen(text, 4, stop=["Observation:"]).deltas)

    assert (said.content, said.calls, said.reason) == ("Yes. ", [], "stop")


def test_an_answer_in_json_is_content() -> None:
    form = {"type": "json_schema", "json_schema": {"name": "place", "schema": SCHEMA}}

    for size in (1, 5, 100):
        choice = seen('!call answer(text="Oslo")', size, response_format=form)
        said = AssistantMessage.of(choice.deltas)

        assert (said.content, said.calls, said.reason) == ('{"text":"Oslo"}', [], "stop")
        assert not any(isinstance(delta, ToolCallStart) for delta in choice.deltas)


def test_what_cannot_be_read_is_content() -> None:
    said = AssistantMessage.of(seen("!call shout(text='x')", 3).deltas)

    assert said.content == "!call shout(text='x')"
    assert (said.calls, said.reason) == ([], "stop")


@pytest.mark.parametrize("size", [1, 3, 7, 100])
@pytest.mark.parametrize(("repeat", "texts"), [(True, "abbac"), (False, "ab")])
def test_a_call_that_is_made_again_ends_the_answer(size: int, repeat: bool, texts: str) -> None:
    """The first repeated call ends the answer, and neither it nor later text is returned."""
    calls = [f'!call say(text="{text}")' for text in "abbac"]

    choice = seen("\n".join(calls), size, repeat_tool_calls=repeat)

    said = AssistantMessage.of(choice.deltas)
    assert "".join(call.call.arguments["text"] for call in said.calls) == texts
    assert (said.content, said.reason) == ("", "tool_calls")
    assert [note["code"] for note in said.notes] == ["repeated_call"] * (not repeat)
    assert choice.is_over is not repeat


def test_new_deltas_are_given_once() -> None:
    choice = seen("Hello", 5)

    assert next(iter(choice.new_deltas())) == ContentDelta("Hello")
    assert [*choice.new_deltas()] == []
