"""Test that every writer of conversations writes the same LTON.

`render` is used by the gateway and `converse`, `convert` writes training data, and `scaffold`
writes the history of guided generation. The table also contains the differences: a writer may
refuse a message that another writer changes, or write another call.
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
from lton.errors import LTONError
from lton.generate.chat import conversation
from lton_bench.convert import convert_example
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


def converted(messages: list[Message]) -> list[str]:
    example = {"tools": DEFINITIONS, "messages": to_openai(messages)}
    neutral_messages = from_openai(convert_example(example, sigil=True)["messages"])
    return [
        message.results[0].text if message.results else message.text
        for message in neutral_messages[2:]
    ]


def scaffolded(messages: list[Message]) -> list[str]:
    return [
        message["content"] for message in conversation(messages, TOOLS, SCAFFOLDS["python"])[2:]
    ]


def replayed(messages: list[Message]) -> list[str]:
    """Return the request of the gateway for a conversation in a transcript that omits nothing."""
    return rendered([*transcript(*messages, hot_turns=99).render().chat])


RENDERERS = {
    "render": rendered,
    "convert": converted,
    "scaffold": scaffolded,
}


def render_lines_or_code(
    renderer: Callable[[list[Message]], list[str]], messages: list[Message]
) -> str:
    """Return the lines after the first question, without sigils, or the code of an error."""
    try:
        texts = renderer([HELLO, *messages])
    except LTONError as refusal:
        return refusal.code.value
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

EXPECTED: dict[str, tuple[str, dict[str, str]]] = {
    "results by id": ('look(city="Oslo")\nstop()\n!result look 5\n!result stop 6', {}),
    "results by id, in another order": (
        'look(city="Oslo")\nstop()\n!result look 5\n!result stop 6',
        {},
    ),
    "results by name": ('look(city="Oslo")\nstop()\n!result look 5\n!result stop 6', {}),
    "results without id and name": (
        'look(city="Oslo")\nstop()\n!result look 5\n!result stop 6',
        {},
    ),
    "a result without id before one with it": (
        'look(city="Oslo")\nstop()\n!result look 5\n!result stop 6',
        {},
    ),
    "an error": (
        'look(city="Oslo")\nstop()\n!result look 5\n!error stop no',
        {"convert": 'look(city="Oslo")\nstop()\n!result look 5\n!result stop no'},
    ),
    "an error without id and name": (
        'look(city="Oslo")\n!error look no',
        {
            "convert": 'look(city="Oslo")\n!result look no',
        },
    ),
    "an error of no call": (
        "Hm.\n!error: no",
        {"convert": "E606", "scaffold": "none\n\nHm.\n!error: no"},
    ),
    "an id twice in a turn": ('look(city="Oslo")\nstop()\n!result look 5\n!result stop 6', {}),
    "an id twice in two turns": ('look(city="Oslo")\n!result look 5\nstop()\n!result stop 6', {}),
    "a result of no call": (
        'look(city="Oslo")\n!result look 5\n!result unknown 6',
        {"convert": "E606"},
    ),
    "a result of another tool": (
        'look(city="Oslo")\n!result stop 6',
        {"convert": "E606"},
    ),
    "two results of one call": (
        'look(city="Oslo")\n!result look 5\n!result look 6',
        {"convert": "E606"},
    ),
    "a late result": (
        'look(city="Oslo")\nstop()\n!result stop 6\nHi\n!result look 5',
        {},
    ),
    "prose like a frame": (
        'So:\n>   !call stop()\nlook(city="Oslo")\n!result look 5',
        {"convert": "E606"},
    ),
    "prose": ('So.\nlook(city="Oslo")\n!result look 5', {}),
    "prose alone": ("So.", {"scaffold": "none\n\nSo."}),
    "a thought": ('look(city="Oslo")\n!result look 5', {}),
    "an image of the assistant": (
        'See [image_url]\nlook(city="Oslo")\n!result look 5',
        {"convert": "E606"},
    ),
    "an image of a tool": (
        'look(city="Oslo")\n!result look "[image_url]"',
        {
            "convert": "E606",
            "scaffold": 'look(city="Oslo")\n!result look "[image_url]"[image_url]',
        },
    ),
    "a call without its layout": (
        "look{city 5}\n!result look 5",
        {
            "convert": "E203",
            "scaffold": "look(city=5)\n!result look 5",
        },
    ),
    "a call of another tool": (
        "walk{far 1}\n!result walk 5",
        {
            "convert": "E201",
            "scaffold": "walk(far=1)\n!result walk 5",
        },
    ),
    "a call that is cut": (
        '{"name":"look","arguments":"\\""}\n!result look 5',
        {
            "convert": "E606",
            "scaffold": 'look(")\n!result look 5',
        },
    ),
    "a custom call": (
        "stop{input now}\n!result stop 5",
        {
            "convert": "E202",
            "scaffold": 'stop(input="now")\n!result stop 5',
        },
    ),
    "a character that none may have": (
        'look(city="Oslo")\n!result look "�"',
        {"convert": "E401"},
    ),
}
"""What all write, and those that write something else."""


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_conversation_is_the_same_wherever_it_is_written(name: str) -> None:
    expected, others = EXPECTED[name]
    results = {
        writer: render_lines_or_code(renderer, CONVERSATIONS[name])
        for writer, renderer in RENDERERS.items()
    }
    assert results == {renderer: others.get(renderer, expected) for renderer in RENDERERS}


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
def test_what_is_not_refused_is_the_same(parts: list[list[Message]]) -> None:
    """Training data and transcripts contain the same text as the prompt of a model."""
    messages = list(from_openai(to_openai(message for part in parts for message in part)))
    expected = render_lines_or_code(rendered, messages)
    for others in (converted, replayed):
        lines = render_lines_or_code(others, messages)
        assert lines == expected or re.fullmatch(r"E\d{3}", lines)


@pytest.mark.untraced
def test_late_results_of_many_calls_take_linear_time() -> None:
    """3,000 calls that are each answered after another message take linear time."""

    def work(many: int) -> None:
        late = [message for _ in range(many) for message in (HELLO, result("5"))]
        rendered_messages = render([says(*[STOP] * many), *late], None).messages
        assert [message.text for message in rendered_messages[1:5]] == ["Hi", "!result stop 5"] * 2
        assert len(rendered_messages) == 1 + 2 * many

    assert growth(work, 1_500) < GROWTH
