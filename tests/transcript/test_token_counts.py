"""Test that each text of a conversation is counted once, and that appending takes little work."""

import json
from collections.abc import Iterable
from typing import Any

import pytest

from lton.chat import Message, Text, ToolCall, ToolResult, from_anthropic, from_openai
from lton.stores import open_store
from lton.tokens import counter
from lton.tokens.chat import iterate_message_texts
from lton.tokens.counting import Count, Counter
from lton.transcript import Transcript, _token_counts
from lton.transcript._token_counts import TokenCounts, _find_plain_texts
from lton.transcript.view import write_messages_for_wire
from tests.steps import steps

MOST_STEPS = 720
"""The function calls for a request, a call and its result."""
CALL = {"id": "c", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}


class Estimating(Counter):
    """Counts characters, exactly only while its server is up, and counts the requests."""

    is_up = False
    asked = 0

    def __init__(self) -> None:
        super().__init__("estimating", exact=True)

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        self.asked += 1
        return [Count(len(text), exact=self.is_up) for text in texts]


def round_of(number: int) -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": f"What is in file {number}?"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c", "content": f"line {number} of a story\n" * 12},
    ]


@pytest.mark.untraced
@pytest.mark.parametrize("rounds", [5, 20])
def test_a_round_takes_little_work(rounds: int) -> None:
    """Appending a request, a call and its result takes few steps, however long the chat is."""
    chat = Transcript(counter=counter("bytes"), store=open_store("memory:"))
    for number in range(rounds):
        for message in round_of(number):
            chat.append(message)
    messages = round_of(rounds)
    assert steps(lambda: [*map(chat.append, messages)]) < MOST_STEPS


@pytest.mark.parametrize(
    "message",
    [
        *from_openai(round_of(1)),
        *from_openai([{"role": "user", "name": "ann", "content": [{"type": "text", "text": "a"}]}]),
        Message("tool", (ToolResult((Text("a"), Text("b")), "c", "read"),)),
    ],
)
def test_plain_messages_have_the_texts_that_are_sent(message: Message) -> None:
    """The texts of a plain message are those of the message as it is sent."""
    (wire_message,) = write_messages_for_wire([message])
    assert _find_plain_texts(message) == list(iterate_message_texts(wire_message))


@pytest.mark.parametrize(
    "message",
    [
        *from_openai([{"role": "user", "content": [IMAGE]}]),
        *from_anthropic([{"role": "user", "content": "a"}]),
        Message("user", (Text("a"),), extra={"name": "ann"}),
        Message("tool", (ToolResult((Text("a"),), extra={"name": "b"}),)),
        Message("assistant", (ToolCall("read", {"path": "a"}),)),
    ],
)
def test_other_messages_are_written_to_be_counted(message: Message) -> None:
    """A message that is not plain is counted as it is sent."""
    assert _find_plain_texts(message) is None
    texts = [
        text
        for wire_message in write_messages_for_wire([message])
        for text in iterate_message_texts(wire_message)
    ]
    counts = TokenCounts(counter("bytes"))
    assert counts.count_message(message) == 4 + sum(map(counts.count_text, texts))


def test_few_texts_and_messages_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only some texts and messages are kept, and dropped ones are counted again."""
    monkeypatch.setattr(_token_counts, "_MOST_TEXTS", 2)
    monkeypatch.setattr(_token_counts, "_MOST_MESSAGES", 2)
    counts = TokenCounts(counter("bytes"))
    messages = [Message.saying("user", text * 8) for text in "abc"]
    first = [counts.count_message(message) for message in messages]
    assert [counts.count_message(message) for message in messages] == first == [7, 7, 7]
    assert max(len(counts._texts), len(counts._older), len(counts._messages)) <= 2


def test_an_estimate_is_not_kept() -> None:
    """If an exact counter can only estimate a text, the text is counted again."""
    scripted = Estimating()
    counts = TokenCounts(scripted)
    assert [counts.count_text("abc"), counts.count_text("abc")] == [3, 3]
    scripted.is_up = True
    assert [counts.count_text("abc"), counts.count_text("abc")] == [3, 3]
    assert scripted.asked == 3


@pytest.mark.parametrize("content", [("a", "b"), ["a", "b"], [{"type": "text", "text": {1: 2}}]])
def test_a_message_that_json_changes_is_read_again(content: Any) -> None:
    """A message that its log entry does not contain as it came is read from the entry."""
    store = open_store("memory:")
    chat = Transcript(counter=counter("bytes"), store=store)
    chat.append({"role": "user", "content": content})
    again = Transcript.load(store, chat.id, counter=counter("bytes"))
    assert chat.render().messages == again.render().messages
    json.dumps(chat.render().messages)
