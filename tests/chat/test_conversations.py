"""Test that every writer of conversations writes the same LTON.

`render` is used by the gateway and `converse`, and writes training data. `scaffold` writes the
history of guided generation. The table also contains the differences.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import ToolSet
from lton.chat import (
    Message,
    Other,
    Text,
    Thought,
    ToolCall,
    ToolResult,
    from_openai,
    render,
    to_openai,
)
from lton.errors import TranscriptError
from lton.generate.chat import build_conversation
from lton_bench.scaffolds import SCAFFOLDS
from tests.chat.test_rendering import messages_of_any, texts
from tests.steps import GROWTH, growth
from tests.strategies import examples
from tests.transcript.conversations import transcript

DEFINITIONS = [
    {"name": "look", "parameters": {"properties": {"city": {"type": "string"}}}},
    {"name": "stop", "parameters": {"properties": {}}},
]
TOOLS = ToolSet.from_tools(DEFINITIONS)
IMAGE = Other({"type": "image_url", "image_url": {"url": "data:,"}})
HELLO = Message.saying("user", "Hi")


def call(name: str, arguments: str, call_id: str | None = "a", **more: Any) -> ToolCall:
    """Return a call whose spaces occur in no other form."""
    return ToolCall(name, arguments.replace("{", "{" + " " * 99), call_id, **more)


def says(*parts: Any) -> Message:
    return Message("assistant", parts)


def result(text: str, call_id: str | None = None, name: str | None = None) -> Message:
    return Message("tool", (ToolResult((Text(text),), call_id, name),))


def error(text: str, call_id: str | None = None) -> Message:
    """Return an error in the form of Anthropic's API, or in LTON's own form if it belongs to no
    call.
    """
    failed = ToolResult((Text(text),), call_id, is_error=True)
    return Message("tool", (failed,), api="messages" if call_id else None)


LOOK = call("look", '{"city":"Oslo"}')
STOP = call("stop", "{}", "b")


# --- what writes a conversation -------------------------------------------------------------------


def rendered(messages: list[Message]) -> list[str]:
    return [message.text for message in render(messages, TOOLS).messages[2:]]


def scaffolded(messages: list[Message]) -> list[str]:
    return [
        message["content"]
        for message in build_conversation(messages, TOOLS, SCAFFOLDS["python"])[2:]
    ]


def replayed(messages: list[Message]) -> list[str]:
    """Return the request of the gateway for a conversation in a transcript that omits nothing."""
    return rendered([*transcript(*messages, hot_turns=99).render().chat])


def render_lines(renderer: Callable[[list[Message]], list[str]], messages: list[Message]) -> str:
    """Return the lines after the first question, without sigils."""
    texts = renderer([HELLO, *messages])
    return re.sub("^!call ", "", "\n".join(texts), flags=re.MULTILINE)


# --- the table ------------------------------------------------------------------------------------

CONVERSATIONS = {
    "results by id": [says(LOOK, STOP), result("5", "a"), result("6", "b")],
    "results by id, in another order": [says(LOOK, STOP), result("6", "b"), result("5", "a")],
    "results by name": [says(LOOK, STOP), result("6", name="stop"), result("5", name="look")],
    "results without id and name": [says(LOOK, STOP), result("5"), result("6")],
    "a result without id before one with it": [says(LOOK, STOP), result("6"), result("5", "a")],
    "an error": [says(LOOK, STOP), error("no", "b"), result("5", "a")],
    "an error without id and name": [says(LOOK), error("no")],
    "an error of no call": [says(Text("Hm.")), error("no")],
    "an id twice in a turn": [says(LOOK, call("stop", "{}")), result("5", "a"), result("6", "a")],
    "an id twice in two turns": [
        says(LOOK),
        result("5", "a"),
        says(call("stop", "{}")),
        result("6", "a"),
    ],
    "a result of no call": [says(LOOK), result("5", "a"), result("6", "z")],
    "a result of another tool": [says(LOOK), result("6", name="stop")],
    "two results of one call": [says(LOOK), result("5", "a"), result("6", "a")],
    "a late result": [says(LOOK, STOP), result("6", "b"), HELLO, result("5", "a")],
    "prose like a frame": [says(Text("So:\n  !call stop()"), LOOK), result("5", "a")],
    "prose": [says(Text("So."), LOOK), result("5", "a")],
    "prose alone": [says(Text("So."))],
    "a thought": [says(Thought("Hm."), LOOK), result("5", "a")],
    "an image of the assistant": [says(Text("See "), IMAGE, LOOK), result("5", "a")],
    "an image of a tool": [says(LOOK), Message("tool", (ToolResult((IMAGE,), "a"),))],
    "a call without its layout": [says(call("look", '{"city":5}')), result("5", "a")],
    "a call of another tool": [says(call("walk", '{"far":1}')), result("5", "a")],
    "a call that is cut": [says(call("look", '"')), result("5", "a")],
    "a custom call": [says(call("stop", "now", custom=True)), result("5", "a")],
    "a character that none may have": [says(LOOK), result("\0", "a")],
}

EXPECTED = {
    "results by id": 'look(city="Oslo")\nstop()\n!result look 5\n!result stop 6',
    "results by id, in another order": 'look(city="Oslo")\nstop()\n!result look 5\n!result stop 6',
    "results by name": 'look(city="Oslo")\nstop()\n!result look 5\n!result stop 6',
    "results without id and name": 'look(city="Oslo")\nstop()\n!result look 5\n!result stop 6',
    "a result without id before one with it": (
        'look(city="Oslo")\nstop()\n!result look 5\n!result stop 6'
    ),
    "an error": 'look(city="Oslo")\nstop()\n!result look 5\n!error stop no',
    "an error without id and name": 'look(city="Oslo")\n!error look no',
    "an error of no call": "Hm.\n!error: no",
    "an id twice in a turn": 'look(city="Oslo")\nstop()\n!result look 5\n!result stop 6',
    "an id twice in two turns": 'look(city="Oslo")\n!result look 5\nstop()\n!result stop 6',
    "a result of no call": 'look(city="Oslo")\n!result look 5\n!result unknown 6',
    "a result of another tool": 'look(city="Oslo")\n!result stop 6',
    "two results of one call": 'look(city="Oslo")\n!result look 5\n!result look 6',
    "a late result": 'look(city="Oslo")\nstop()\n!result stop 6\nHi\n!result look 5',
    "prose like a frame": 'So:\n>   !call stop()\nlook(city="Oslo")\n!result look 5',
    "prose": 'So.\nlook(city="Oslo")\n!result look 5',
    "prose alone": "So.",
    "a thought": 'look(city="Oslo")\n!result look 5',
    "an image of the assistant": 'See [image_url]\nlook(city="Oslo")\n!result look 5',
    "an image of a tool": 'look(city="Oslo")\n!result look "[image_url]"',
    "a call without its layout": "look{city 5}\n!result look 5",
    "a call of another tool": "walk{far 1}\n!result walk 5",
    "a call that is cut": '{"name":"look","arguments":"\\""}\n!result look 5',
    "a custom call": "stop{input now}\n!result stop 5",
    "a character that none may have": 'look(city="Oslo")\n!result look "�"',
}
SCAFFOLDED = {
    "an error of no call": "none\n\nHm.\n!error: no",
    "prose alone": "none\n\nSo.",
    "an image of a tool": 'look(city="Oslo")\n!result look "[image_url]"[image_url]',
    "a call without its layout": "look(city=5)\n!result look 5",
    "a call of another tool": "walk(far=1)\n!result walk 5",
    "a call that is cut": 'look(")\n!result look 5',
    "a custom call": 'stop(input="now")\n!result stop 5',
}
"""What guided generation writes in another way."""


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_conversation_is_the_same_wherever_it_is_written(name: str) -> None:
    expected = EXPECTED[name]
    assert render_lines(rendered, CONVERSATIONS[name]) == expected
    assert render_lines(scaffolded, CONVERSATIONS[name]) == SCAFFOLDED.get(name, expected)


def test_every_conversation_has_its_line() -> None:
    assert EXPECTED.keys() == CONVERSATIONS.keys()


@st.composite
def turns(draw: st.DrawFn) -> list[Message]:
    """Return prose, calls, and the results of the calls in any order: by id, by name, or without
    either.
    """
    count = draw(st.integers(0, 3))
    calls = [draw(st.sampled_from([LOOK, STOP])) for _ in range(count)]
    ids = draw(st.lists(st.sampled_from(["1", "2", "3", None]), min_size=count, max_size=count))
    calls = [replace(call, id=id_) for call, id_ in zip(calls, ids, strict=True)]
    results = []
    for call in draw(st.permutations(calls)):
        names = draw(st.sampled_from([(call.id, call.name), (call.id, None), (None, call.name)]))
        results.append(result(draw(texts), *names))
    prose = (Text(draw(texts)),) if draw(st.booleans()) else ()
    return [says(*prose, *calls), *results, *[HELLO] * draw(st.integers(0, 1))]


@examples(100)
@given(st.lists(turns() | messages_of_any.map(from_openai), max_size=3))
def test_transcripts_contain_the_same_text_as_prompts(parts: list[list[Message]]) -> None:
    messages = list(from_openai(to_openai(message for part in parts for message in part)))
    try:
        lines = render_lines(replayed, messages)
    except TranscriptError:  # a turn without all of its results
        return
    assert lines == render_lines(rendered, messages)


@pytest.mark.untraced
def test_late_results_of_many_calls_take_linear_time() -> None:
    """3,000 calls that are each answered after another message take linear time."""

    def work(many: int) -> None:
        late = [message for _ in range(many) for message in (HELLO, result("5"))]
        rendered_messages = render([says(*[STOP] * many), *late], None).messages
        assert [message.text for message in rendered_messages[1:5]] == ["Hi", "!result stop 5"] * 2
        assert len(rendered_messages) == 1 + 2 * many

    assert growth(work, 1_500) < GROWTH
