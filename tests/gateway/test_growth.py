"""Test that a request of twice the size takes about twice the steps."""

import json
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest
from starlette.datastructures import Headers

from lton.apis import registry
from lton.apis.chat_api import read_chat
from lton.apis.chat_writer import ChatWriter
from lton.gateway.access import AccessRules
from lton.gateway.exchange import Exchange
from lton.gateway.handling import GatewayState
from lton.gateway.native.native_requests import NativeOptions, read_native
from lton.gateway.native.passthrough import NativeExchange
from lton.gateway.upstreams.server_kinds import UPSTREAM_KINDS
from tests.gateway import native
from tests.steps import steps as count_calls

pytestmark = pytest.mark.untraced

SIZE = 500
GROWTH = 2.5


def tools(count: int, **more: Any) -> list[dict[str, Any]]:
    return [{**native.tool("chat", f"tool_{i}"), **more} for i in range(count)]


def wide(count: int) -> dict[str, Any]:
    """Return the schema of an object with this many properties."""
    return {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(count)}}


def repeat_message(count: int) -> list[dict[str, Any]]:
    return [{"role": ("user", "assistant")[i % 2], "content": f"turn {i}"} for i in range(count)]


def in_parts(count: int) -> list[dict[str, Any]]:
    parts = [{"type": "text", "text": f"part {i}"} for i in range(count)]
    return [{"role": "user", "content": parts}]


def called(count: int) -> list[dict[str, Any]]:
    """Return a conversation with this many calls and their results."""
    function = {"name": "weather", "arguments": native.WRITTEN}
    calls = [{"id": f"c{i}", "type": "function", "function": function} for i in range(count)]
    results = [{"role": "tool", "tool_call_id": f"c{i}", "content": "cold"} for i in range(count)]
    return [
        *repeat_message(1),
        {"role": "assistant", "content": None, "tool_calls": calls},
        *results,
    ]


REQUESTS: dict[str, Callable[[int], dict[str, Any]]] = {
    "tools": lambda n: native.request("chat", tools=tools(n)),
    "tools of one name": lambda n: native.request("chat", tools=tools(1) * n),
    "properties": lambda n: native.request("chat", tools=[native.tool("chat", "f", wide(n // 4))]),
    "messages": lambda n: native.request("chat", messages=repeat_message(n)),
    "parts": lambda n: native.request("chat", messages=in_parts(n)),
    "calls": lambda n: native.request("chat", messages=called(n)),
    "stop texts": lambda n: native.request("chat", stop=[f"stop {i}" for i in range(n)]),
    "choices": lambda n: native.request("chat", n=max(1, n // 64)),
}
"""Requests with this many of one thing, in each mode."""


def kept_native(body: dict[str, Any], api: str = "chat") -> NativeExchange:
    options = NativeOptions(strict=True, results="short")
    return NativeExchange(read_native(body, json.dumps(body).encode(), registry.APIS[api], options))  # type: ignore[index]


def in_lton(body: dict[str, Any]) -> None:
    request = read_chat(body)
    Exchange(request, ChatWriter(request.model), UPSTREAM_KINDS["vllm"]).try_take_next_request()


def namespaces(count: int) -> None:
    one = [native.tool("responses", "weather")]
    spaces = [{"type": "namespace", "name": f"space_{i}", "tools": one} for i in range(count)]
    kept_native(native.request("responses", tools=spaces), "responses")


def headers(count: int) -> None:
    received = Headers(raw=[(b"x-%d" % (i // 2), b"value") for i in range(count)])
    shared = object.__new__(GatewayState)
    shared.access = AccessRules(api_key="secret")
    assert len(shared.forwarded_headers(received)) == count // 2


def events(count: int) -> None:
    """Read an answer whose text comes in the given number of pieces."""
    answer(native.stream("chat", "abc" * count))


def answered_calls(count: int) -> None:
    calls = [("weather", json.dumps({"city": f"city {i}"})) for i in range(count // 2)]
    answer(native.stream("chat", calls=calls))


def answer(chunks: list[bytes]) -> None:
    exchange = kept_native(native.request("chat"))
    feed(exchange, chunks)
    exchange.write_end()


def feed(exchange: NativeExchange, chunks: list[bytes]) -> None:
    for chunk in chunks:
        list(exchange.feed_chunk(chunk))


def answered_choices(count: int) -> None:
    exchange = kept_native(native.request("chat", n=count))
    message = {"role": "assistant", "content": "Yes."}
    choices = [{"index": i, "message": message, "finish_reason": "stop"} for i in range(count)]
    exchange.build_response(json.dumps({"choices": choices}).encode())


def run_with(work: Callable[[dict[str, Any]], object], name: str) -> Callable[[int], object]:
    return lambda size: work(REQUESTS[name](size))


NOT_IN_LTON = ("stop texts", "tools of one name")
"""At most four are taken, and none twice."""
WORK: dict[str, Callable[[int], object]] = {
    **{f"native, {name}": run_with(kept_native, name) for name in REQUESTS},
    **{f"lton, {name}": run_with(in_lton, name) for name in REQUESTS if name not in NOT_IN_LTON},
    "native, namespaces": namespaces,
    "headers": headers,
    "native, events": events,
    "native, calls of an answer": answered_calls,
    "native, choices of an answer": answered_choices,
}


def steps(work: Callable[[int], object], size: int) -> int:
    """Count the lines of Python that some work runs, which is always the same number."""
    count = 0

    def line(_frame: FrameType, _event: str, _: Any) -> Any:
        nonlocal count
        count += 1
        return line

    before = sys.gettrace()
    sys.settrace(line)
    try:
        work(size)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("name", WORK)
def test_twice_as_much_takes_at_most_two_and_a_half_times_the_steps(name: str) -> None:
    """No part of a request or an answer is searched again for each other part."""
    work = WORK[name]
    work(8)  # imports, and what is kept for all requests
    first, second = (steps(work, SIZE << i) for i in range(2))
    assert first > SIZE // 64
    assert second / first < GROWTH, f"{first} steps, then {second}"


def test_an_event_takes_few_steps() -> None:
    """A token of text or of a call takes few steps on its way to the client."""
    call = [("weather", json.dumps({"city": "a" * 3000}))]
    answers = {60: native.stream("chat", "word " * 600), 80: native.stream("chat", calls=call)}
    for most, chunks in answers.items():
        exchange = kept_native(native.request("chat"))
        for chunk in chunks[:10]:  # what is made once
            list(exchange.feed_chunk(chunk))
        middle = chunks[10:-10]
        assert len(middle) > 500
        assert count_calls(partial(feed, exchange, middle)) < most * len(middle)


def test_what_looks_at_all_for_each_is_refused() -> None:
    """The test can fail: counting each name among all names takes four times the steps for twice
    the names.
    """

    def quadratic(size: int) -> None:
        names = [f"name {i}" for i in range(size)]
        assert max(sum(other == name for other in names) for name in names) == 1

    assert steps(quadratic, 2 * SIZE) / steps(quadratic, SIZE) > GROWTH
