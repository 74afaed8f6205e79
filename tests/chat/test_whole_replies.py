"""A complete reply is read without the filters of a stream, with the same result."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from lton import ToolSet, chat
from lton.chat.replies import Reader, read
from lton.errors import LTONError
from spec.conformance.run import questions
from tests.steps import steps

TOOLS = ToolSet.from_prompt("look(city days?:int)\nstop()\nwrite_file(path text)")
OPTIONS: list[dict[str, Any]] = [{}, {"prose": False}, {"lenient": True}]


def _numbered() -> Callable[[], str]:
    return map("call_{}".format, itertools.count()).__next__


def assert_same_reply(
    text: str, tools: ToolSet | None, reason: str | None = "stop", **options: Any
) -> None:
    reader = Reader(tools, call_id=_numbered(), **options)
    reader.feed(text)
    reader.close(reason)
    expected = reader.reply
    reply = read(text, tools, reason=reason, call_id=_numbered(), **options)
    assert repr(reply.found) == repr(expected.found), (text, options)
    assert str(reply.error) == str(expected.error), (text, options)
    same = [replace(reply, error=None, found=None) for reply in (reply, expected)]
    assert same[0] == same[1], (text, options)


@cache
def _cases() -> tuple[tuple[str, ToolSet | None], ...]:
    return tuple(_compile_cases())


def _compile_cases() -> Iterator[tuple[str, ToolSet | None]]:
    for question in questions():
        if question.kind in ("decode", "lenient"):
            definitions = question.request["tools"]
            try:
                tools = ToolSet.from_tools(definitions) if definitions is not None else None
            except LTONError:
                continue  # a case of a wrong definition
            yield question.request["text"], tools


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_texts_of_the_conformance_suite_give_the_reply_of_a_reader(
    options: dict[str, Any],
) -> None:
    """Each text is read alone and, without `lenient`, also as a call between lines of prose."""
    number = 0
    for text, tools in _cases():
        if len(text) > 2_000:  # limits, which take time
            continue
        assert_same_reply(text, tools, **options)
        if not options:
            assert_same_reply(f"So.\n!call {text}\nDone.\n", tools)
        number += 1
    assert number > 1_000


@pytest.mark.parametrize(
    "options", [{}, {"lenient": True}, {"lenient": True, "thoughts": None}], ids=repr
)
@pytest.mark.parametrize(
    "text",
    [
        "\r\n Hi.\n\n",
        "Sure.\n!call look city=Oslo",
        "Sure.\r\n\r\n!call stop()\r\n\nDone.\n\n!call stop()\n",
        "!call look(city=Oslo)!call stop()",
        "<think>Which?</think> \n!call stop()\nDone.",
        "<think>Which?</think>!call stop()\nDone.<think>again</think>",
        "<think>Which?",
        "a <think>b</think>\n!call stop()",
        'Sure: {"name": "look", "arguments": {"city": "Oslo"}}\nand {"name": "look"}',
        "<tool_call>stop()</tool_call></tool_call> bye",
        "!call look city=Oslo\n& Bergen\n!call look city=Oslo",
        "!result stop 5\n!call stop()",
        "Well, !result is a mark.\n!call stop()",
        "```\n!call stop()\n```\n",
        "!call wether()\nmore",
        "\n!call write_file(path=a, text=s9:\n!call st)\n",
    ],
)
def test_made_up_texts_give_the_reply_of_a_reader(text: str, options: dict[str, Any]) -> None:
    """Prose, thoughts, repeated calls, imitated results and errors are the same, by any reason."""
    for reason in ("stop", "length", "content_filter", None):
        assert_same_reply(text, TOOLS, reason, **options)
        assert_same_reply(text, TOOLS, reason, repeat_calls=True, **options)
        assert_same_reply(text, TOOLS, reason, stop=("Done",), **options)


def test_iterables_are_read_once() -> None:
    """A text that only a stream's reader explains has the same syntaxes and echoes."""
    text = 'A line of !result.\n[TOOL_CALLS][{"name": "stop", "arguments": {}}]'
    reply = read(text, TOOLS, lenient=True, syntax=iter(["mistral"]), seen=iter(["x"]))
    assert [call.name for call in reply.calls] == ["stop"]


@pytest.mark.parametrize("lenient", [False, True])
def test_a_complete_reply_takes_fewer_steps_than_chunks(lenient: bool) -> None:
    """A conversation reads an answer with prose and a call without the filters of a stream."""
    text = 'I look that up.\n!call look(city="Oslo", days=5)\n'

    def stream() -> None:
        reader = Reader(TOOLS, lenient=lenient)
        reader.feed(text)
        reader.close()

    stream()
    whole = steps(lambda: read(text, TOOLS, lenient=lenient))
    assert whole < steps(stream) * 0.9
    answers = iter([text, "It is cold."])
    chat.converse(lambda _: next(answers), [], {"look": str}, tools=TOOLS, lenient=lenient)
