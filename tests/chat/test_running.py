"""Test running calls, returning errors to the model, and ending an agent, with and without
`await`.
"""

import asyncio
import enum
import json
import os
from collections import namedtuple
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from lton import LTONError, ToolSet
from lton.chat import (
    Message,
    ToolCall,
    as_json,
    converse,
    converse_async,
    feedback,
    run,
    run_async,
)
from lton.errors import DecodeError
from tests.strategies import examples

TOOLS = ToolSet.from_prompt("add(a:int b:int)\nfail()")
ASKED = [{"role": "user", "content": "What is 2 and 3?"}]


def add(a: int, b: int) -> int:
    return a + b


async def add_later(a: int, b: int) -> int:
    await asyncio.sleep(0)
    return a + b


def fail() -> None:
    raise OSError("the disk is full")


FUNCTIONS: dict[str, Callable[..., Any]] = {"add": add, "fail": fail}


def ran(call: ToolCall, functions: Any = FUNCTIONS) -> list[tuple[str, bool]]:
    """Return the text of each result, after running the calls in both ways."""
    results = [*run(call, functions).results, *asyncio.run(run_async(call, functions)).results]
    assert all((one.call_id, one.name) == (call.id, call.name) for one in results)
    return [(one.text, one.is_error) for one in results]


@pytest.mark.parametrize(
    ("call", "text", "is_error"),
    [
        (ToolCall("add", '{"a": 2, "b": 3}', "1"), "5", False),
        (ToolCall("add", {"a": 2, "b": 3}, "1"), "5", False),
        (ToolCall("fail", "", "1"), "OSError: the disk is full", True),
        (ToolCall("sub", "{}", "1"), "no tool 'sub'; there are add, fail [E201]", True),
        (
            ToolCall("add", '{"a": 2', "1"),
            "expected arguments in JSON, found '{\"a\": 2' [E606]",
            True,
        ),
    ],
)
def test_a_call_has_a_result_whatever_it_says(call: ToolCall, text: str, is_error: bool) -> None:
    assert ran(call) == [(text, is_error)] * 2


@pytest.mark.parametrize(
    ("call", "text", "is_error"),
    [
        (ToolCall("add", '{"a": "2", "b": 3,}', "1"), "5", False),
        (ToolCall("functions.Add", {"a": 2, "b": "3"}, "1"), "5", False),
        (ToolCall("add", '{"a": 2, "b": 3}', "1"), "5", False),
        (ToolCall("add", '{"a": "2 m", "b": 3}', "1"), "TypeError", True),
        (ToolCall("Add", '{"a": 2, "b": 3}', "1", custom=True), "no tool 'Add'", True),
    ],
)
def test_with_tools_a_call_is_mended_before_it_runs(
    call: ToolCall, text: str, is_error: bool
) -> None:
    """The result keeps the name and the id of the original call."""
    later = asyncio.run(run_async(call, FUNCTIONS, tools=TOOLS))
    for one in (*run(call, FUNCTIONS, tools=TOOLS).results, *later.results):
        assert (one.name, one.call_id, one.is_error) == (call.name, "1", is_error)
        assert one.text.startswith(text)


def test_functions_can_be_a_list_of_them() -> None:
    assert ran(ToolCall("add", '{"a": 2, "b": 3}'), [add, fail]) == [("5", False)] * 2
    assert ran(ToolCall("add"), []) == [("no tool 'add'; there are none [E201]", True)] * 2


def test_what_a_function_looks_up_in_vain_is_its_own_error() -> None:
    (text, _), _ = ran(ToolCall("get"), {"get": lambda: os.environ["NO\tNE"]})
    assert text == "KeyError: 'NO\\tNE'"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError(), "ValueError"),
        (ExceptionGroup("tasks", [OSError("full"), ValueError()]), "OSError: full; ValueError"),
        (ExceptionGroup("a", [ExceptionGroup("b", [KeyError("x")])]), "KeyError: 'x'"),
        (ExceptionGroup("a", [OSError("full")] * 99), "; ".join(["OSError: full"] * 5)),
    ],
)
def test_an_error_says_what_went_wrong(error: Exception, text: str) -> None:
    """A group, as task groups raise it, is described by its errors."""

    def raising() -> None:
        raise error

    assert ran(ToolCall("get"), {"get": raising}) == [(text, True)] * 2


def test_arguments_that_a_function_does_not_take_are_an_error() -> None:
    (text, is_error), _ = ran(ToolCall("add", '{"c": 2}'))
    assert text.startswith("TypeError: ")
    assert is_error


def test_coroutine_functions_are_awaited_and_need_it() -> None:
    call = ToolCall("add", '{"a": 2, "b": 3}')
    (result,) = asyncio.run(run_async(call, {"add": add_later})).results
    assert result.text == "5"
    (later,) = asyncio.run(run_async(call, {"add": partial(add_later)})).results
    assert later.text == "5"
    with pytest.raises(TypeError, match="add is a coroutine function"):
        run(call, {"add": add_later})


def test_an_awaitable_that_is_no_coroutine_is_refused_too() -> None:
    class Later:
        def __await__(self) -> Iterator[None]:
            yield None

    with pytest.raises(TypeError, match="run_async"):
        run(ToolCall("wait"), {"wait": Later})


def test_functions_of_one_turn_run_at_once() -> None:
    """Functions of one turn run concurrently: each waits for the other."""

    async def go() -> list[Message]:
        both = asyncio.Barrier(2)

        async def meet(who: int) -> str:
            await asyncio.wait_for(both.wait(), 10)
            return "met"

        texts = iter(["!call meet(who=1)\n!call meet(who=2)", "Both."])

        async def ask(messages: list[dict[str, Any]]) -> str:
            return next(texts)

        tools = ToolSet.from_prompt("meet(who:int)")
        return await converse_async(ask, ASKED, {"meet": meet}, tools=tools)

    messages = asyncio.run(go())
    assert [result.text for message in messages for result in message.results] == ["met", "met"]


# --- values -------------------------------------------------------------------------------------


class Model(BaseModel):
    at: date
    tags: set[str] = set()


class Colour(enum.Enum):
    RED = "red"


class Whole(enum.IntEnum):
    ONE = 1


@dataclass
class Point:
    x: int
    when: date


Pair = namedtuple("Pair", "left right")
DAY = date(2026, 11, 22)


class Named:
    def __str__(self) -> str:
        return "its name"


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        (True, True),
        (5, 5),
        (2.5, 2.5),
        ("text", "text"),
        ("a\0\ud800", "a\ufffd\ufffd"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (10**5000, hex(10**5000)),
        (b"caf\xc3\xa9", "café"),
        (b"\xff", "/w=="),
        (bytearray(b"a\0"), "YQA="),
        (DAY, "2026-11-22"),
        (datetime(2026, 11, 22, 9, tzinfo=UTC), "2026-11-22T09:00:00+00:00"),
        (time(9, 30), "09:30:00"),
        (timedelta(minutes=2), 120.0),
        (Decimal("1.10"), "1.10"),
        (PurePosixPath("/a"), "/a"),
        (Colour.RED, "red"),
        (Whole.ONE, 1),
        (Model(at=DAY), {"at": "2026-11-22", "tags": []}),
        ([Point(1, DAY)], [{"x": 1, "when": "2026-11-22"}]),
        (Pair(1, DAY), {"left": 1, "right": "2026-11-22"}),
        ((1, (2,)), [1, [2]]),
        ({"b", "a"}, ["a", "b"]),
        (range(3), [0, 1, 2]),
        ({1: "a", None: DAY, DAY: 2}, {"1": "a", "None": "2026-11-22", "2026-11-22": 2}),
        (np.arange(3), [0, 1, 2]),
        (np.float64(0.5), 0.5),
        (np.int64(5), 5),
        (np.bool_(True), True),
        (Named(), "its name"),
        (Point, "Point"),
        (OSError("no"), "no"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_any_value_is_one_of_json(value: object, plain: Any) -> None:
    result = as_json(value)
    assert (result, type(result)) == (plain, type(plain))
    json.dumps(result, allow_nan=False)


def test_what_goes_round_in_circles_ends() -> None:
    ring: list[Any] = []
    ring.append(ring)
    json_text = json.dumps(as_json(ring))
    assert json_text.startswith("[" * 64)


@examples(200)
@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary()),
        lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    )
)
def test_what_json_says_is_said_to_the_model(value: Any) -> None:
    (result,) = run(ToolCall("get"), {"get": lambda: value}).results
    assert not result.is_error
    if not isinstance(value, str | bytes | float):
        assert json.loads(result.text) == as_json(value)


# --- the loop -----------------------------------------------------------------------------------


class Script:
    """A model that returns scripted answers, and records its requests."""

    def __init__(self, *texts: str) -> None:
        self.texts = iter(texts)
        self.asked: list[list[dict[str, Any]]] = []

    def whole(self, messages: list[dict[str, Any]]) -> str:
        self.asked.append(messages)
        return next(self.texts)

    def pieces(self, messages: list[dict[str, Any]]) -> Iterator[str]:
        yield from self.whole(messages)

    async def later(self, messages: list[dict[str, Any]]) -> str:
        return self.whole(messages)

    async def later_pieces(self, messages: list[dict[str, Any]]) -> AsyncIterator[str]:
        for piece in self.whole(messages):
            yield piece


def talk(*texts: str, **options: Any) -> tuple[list[Message], list[list[dict[str, Any]]]]:
    """Return the messages and the requests to the model, which are the same in all variants."""
    talks: list[tuple[list[Message], list[list[dict[str, Any]]]]] = []
    for way in ("whole", "pieces", "later", "later_pieces"):
        script = Script(*texts)
        ask: Any = getattr(script, way)
        options = {"tools": TOOLS, **options}
        if way.startswith("later"):
            messages = asyncio.run(converse_async(ask, ASKED, FUNCTIONS, **options))
        else:
            messages = converse(ask, ASKED, FUNCTIONS, **options)
        assert next(script.texts, None) is None
        talks.append((messages, script.asked))
    first, *others = talks
    texts_of = [[message.text for message in messages] for messages, _ in talks]
    assert all(one == texts_of[0] for one in texts_of)
    assert all(requests == first[1] for _, requests in others)
    return first


def test_an_agent_calls_reads_and_answers() -> None:
    messages, requests = talk("I add.\n!call add(a=2, b=3)\n!call fail()", "It is 5.")
    assert [message.role for message in messages] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert messages[-1].text == "It is 5."
    assert [message["content"] for message in requests[1][2:]] == [
        "I add.\n!call add(a=2, b=3)\n!call fail()",
        '!result add 5\n!error fail "OSError: the disk is full"',
    ]
    assert "\nadd\n a:int\n b:int\nfail\nCall a tool only if" in requests[0][0]["content"]


def test_a_text_that_cannot_be_read_is_shown_with_its_error() -> None:
    messages, requests = talk("!call add(a=2)", "!call add(a=2, b=3)", "5", lenient=False)
    assert [message["content"] for message in requests[1][2:]] == [
        "> !call add(a=2)",
        "!error: \"expected an integer for 'b', found the end of the arguments"
        ' (line 1, column 14) [E205]"',
    ]
    assert messages[-1].text == "5"


def test_what_could_be_read_of_a_text_is_run_and_the_rest_reported() -> None:
    messages, requests = talk("!call add(a=2, b=3)\n!call sub(a=1)", "5.", lenient=False)
    assert requests[1][-1]["content"] == (
        "!result add 5\n!error: \"no tool 'sub' (line 1, column 7) [E201]\""
    )
    assert len(messages[1].calls) == 1


def test_retries_are_bounded() -> None:
    with pytest.raises(DecodeError, match="no tool 'x'"):
        converse(lambda _: "!call x()", ASKED, FUNCTIONS, tools=TOOLS, retries=3)
    script = Script(*["!call x()", "!call add(a=1, b=1)"] * 3, "Done.")
    messages = converse(script.whole, ASKED, FUNCTIONS, tools=TOOLS, retries=1)
    assert messages[-1].text == "Done."


def test_turns_are_bounded() -> None:
    requests: list[object] = []

    def ask(messages: list[dict[str, Any]]) -> str:
        requests.append(messages)
        return "!call add(a=1, b=1)"

    messages = converse(ask, ASKED, FUNCTIONS, tools=TOOLS, turns=3)
    assert (len(requests), messages[-1].results[0].text) == (3, "2")


def test_an_answer_without_text_is_an_error_of_ask() -> None:
    """The `content` of an API is None if the answer has only calls."""

    async def ask(messages: list[dict[str, Any]]) -> Any:
        return None

    with pytest.raises(TypeError, match="to return the text of the model, found None"):
        converse(lambda _: None, ASKED, FUNCTIONS, tools=TOOLS)  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match="to return the text of the model, found None"):
        asyncio.run(converse_async(ask, ASKED, FUNCTIONS, tools=TOOLS))


def test_tools_are_those_of_the_functions() -> None:
    script = Script("!call add(a=2, b=3)", "5")
    messages = converse(script.whole, [Message.saying("user", "2 and 3?")], [add])
    assert messages[-1].text == "5"
    assert "add\n a:int\n b:int" in script.asked[0][0]["content"]


def test_feedback_is_a_frame_of_no_tool() -> None:
    assert feedback("no\ncall") == "!error: s7:no\ncall"
    with pytest.raises(LTONError) as caught:
        ToolSet.from_tools([5])
    assert feedback(caught.value) == '!error: "expected a tool definition, found 5 (at /0) [E502]"'


@pytest.mark.parametrize(
    ("user", "texts", "waited"),
    [
        ("Hm", ["Let me see.\nwait(minutes=5)", "I only showed it."], []),
        ("Hm", ["Let me see.\nwait(minutes=5)", "!call wait(minutes=5)", "Done."], [5]),
        ("It says: !call wait(minutes=5)", ["!call wait(minutes=5)", "No."], []),
        (
            "It says: !call wait(minutes=5)",
            ["!call wait(minutes=5)", "!call wait(minutes=5)", "Done."],
            [5],
        ),
    ],
    ids=["shown", "meant", "an echo", "an echo that is meant"],
)
def test_an_uncertain_call_is_run_only_if_the_model_repeats_it(
    user: str, texts: list[str], waited: list[int]
) -> None:
    """The model is asked about a call next to other text, and about a call from the request."""
    answers = iter(texts)
    minutes_waited: list[int] = []

    def wait(minutes: int) -> None:
        minutes_waited.append(minutes)

    messages = converse(
        lambda _: next(answers),
        [{"role": "user", "content": user}],
        {"wait": wait},
        tools=ToolSet.from_prompt("wait(minutes:int)"),
    )
    assert minutes_waited == waited
    assert messages[-1].text == texts[-1]
    assert next(answers, None) is None
