"""Test that cached conversations do not change any sent byte."""

import json
from copy import deepcopy
from typing import Any

import pytest

from lton._json import minified
from lton.apis.chat_api import read_chat
from lton.apis.chat_writer import ChatWriter
from lton.apis.conversations import KnownConversations
from lton.apis.messages_api import read_messages
from lton.apis.messages_writer import MessagesWriter
from lton.apis.refusals import RefusedError
from lton.apis.registry import APIS
from lton.gateway.exchange import Exchange
from lton.gateway.ledger import RequestLedger
from lton.gateway.metrics import Metrics
from lton.gateway.native.native_requests import NativeOptions, read_native
from lton.gateway.native.passthrough import NativeExchange
from lton.gateway.upstreams.server_kinds import UPSTREAM_KINDS

_TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "read",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "line": {"type": "integer"}},
            },
        },
    }
]
_PAGE = "".join(f"line {n} of a page that is shown twice\n" for n in range(12))


def _turn(n: int) -> list[dict[str, Any]]:
    """Return a turn: some have two calls, an unknown tool, invalid JSON, or an answer without a
    call.
    """
    called = [("read", json.dumps({"path": f"{n}.py", "line": n}))]
    called += [("write", '{"x": 1}')] * (n % 3 == 0) + [("read", "{broken")] * (n % 4 == 0)
    calls = [
        {"id": f"c{n}.{at}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for at, (name, arguments) in enumerate(called)
    ]
    answers = [
        {"role": "tool", "tool_call_id": call["id"], "content": _PAGE if n % 2 else f"[{n}, 1.0]"}
        for call in reversed(calls)
    ]
    stray = [{"role": "tool", "tool_call_id": "nobody", "content": "x"}] * (n % 5 == 0)
    ask = [{"role": "user", "content": f"!call me at {n}"}] * (n % 2)
    return [{"role": "assistant", "content": "!call", "tool_calls": calls}, *answers, *stray, *ask]


def _requests() -> list[list[dict[str, Any]]]:
    """Return the messages of requests that grow, repeat, or change at the end or in the middle."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Be kind."}]
    messages.append({"role": "user", "content": "Read."})
    conversations = []
    for n in range(16):
        messages = [*messages, *_turn(n)]
        conversations.append(deepcopy(messages))
    longest = conversations[-1]
    changed = deepcopy(longest)
    changed[5]["content"] = [{"type": "text", "text": "other"}]
    again = [*deepcopy(longest[:-1]), {"role": "user", "content": "Else."}]
    return [
        *conversations,
        longest,
        changed,
        again,
        longest[:20],
        longest[3:],
        [*longest, *_turn(1)],
    ]


def _sent_in_lton(body: dict[str, Any], engine: Any) -> tuple[str, list[str], list[Any]]:
    request = read_chat(body)
    exchange = Exchange(request, ChatWriter(request.model), UPSTREAM_KINDS[engine])
    body_sent = minified(exchange.try_take_next_request())
    return body_sent, exchange.departures, exchange.prompt_parts()


@pytest.mark.parametrize("engine", ["vllm", "plain", "llama.cpp", "openai"])
def test_the_same_bytes_are_sent_in_lton(engine: str) -> None:
    conversations = KnownConversations()
    for messages in _requests():
        body = {"model": "m", "messages": messages, "tools": _TOOLS}
        assert _sent_in_lton(
            conversations.with_known_messages(deepcopy(body), "messages"), engine
        ) == _sent_in_lton(body, engine)


def test_other_tools_are_shown_otherwise() -> None:
    conversations, messages = KnownConversations(), _requests()[12]
    more = {"type": "function", "function": {"name": "write"}}
    other = json.loads(json.dumps(_TOOLS).replace("line", "row"))
    for tools in (_TOOLS, other, [*_TOOLS, more], _TOOLS):
        body = {"model": "m", "messages": messages, "tools": tools}
        assert _sent_in_lton(
            conversations.with_known_messages(deepcopy(body), "messages"), "vllm"
        ) == _sent_in_lton(body, "vllm")


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("results", ["short", "as-is"])
def test_the_same_bytes_are_sent_natively(results: Any, strict: bool) -> None:
    conversations, how = KnownConversations(), NativeOptions(results=results, strict=strict)
    for messages in _requests():
        body = {"model": "m", "messages": messages, "tools": _TOOLS}
        data = json.dumps(body).encode()
        exchange = read_native(
            conversations.with_known_messages(deepcopy(body), "messages"), data, APIS["chat"], how
        )
        assert exchange.content == read_native(body, data, APIS["chat"], how).content
        assert exchange.sent_body == json.loads(exchange.content)


def test_marks_of_a_cache_may_move() -> None:
    conversations, messages = KnownConversations(), list[dict[str, Any]]()
    for n in range(20):
        for message in messages:
            message["content"][0].pop("cache_control", None)
        mark: dict[str, Any] = {"cache_control": {"type": "ephemeral"}}
        messages.append({"role": "user", "content": [{"type": "text", "text": f"{n}", **mark}]})
        messages.append({"role": "assistant", "content": [{"type": "text", "text": f"I {n}"}]})
        body: dict[str, Any] = {"model": "m", "max_tokens": 9, "system": "Be kind."}
        body["messages"] = messages
        body["tools"] = [{"name": "stop", "input_schema": {"type": "object"}}]
        cached, plain = (
            read_messages(source)
            for source in (conversations.with_known_messages(deepcopy(body), "messages"), body)
        )
        assert cached.messages == plain.messages
        requests = [
            minified(
                Exchange(
                    request, MessagesWriter(request.model), UPSTREAM_KINDS["vllm"]
                ).try_take_next_request()
            )
            for request in (cached, plain)
        ]
        assert requests[0] == requests[1]


def test_values_that_are_equal_but_not_the_same_are_told_apart() -> None:
    conversations = KnownConversations()
    messages: list[Any] = [{"role": "user", "content": "x", "n": n} for n in range(20)]
    for value in (1, 1.0, True, "1", -0.0, 0.0):
        messages[1] = {"role": "user", "content": "x", "n": value}
        result = conversations.with_known_messages({"messages": deepcopy(messages)}, "messages")[
            "messages"
        ]
        assert minified(result) == minified(messages)
    turned = [dict(reversed(message.items())) for message in messages]
    assert minified(
        conversations.with_known_messages({"messages": turned}, "messages")["messages"]
    ) == minified(turned)


def test_what_is_nested_deep_is_not_kept() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    body = {"messages": [deep] * 20}
    assert KnownConversations().with_known_messages(body, "messages") is body


def test_what_is_wrong_is_said_of_its_place() -> None:
    conversations, messages = KnownConversations(), _requests()[10]
    read_chat(conversations.with_known_messages({"messages": deepcopy(messages)}, "messages"))
    with pytest.raises(RefusedError, match=f"/{len(messages)}"):
        read_chat(
            conversations.with_known_messages(
                {"messages": [*messages, {"role": "nobody"}]}, "messages"
            )
        )


def test_each_message_is_read_once() -> None:
    conversations, messages = KnownConversations(), _requests()[14]
    first = read_chat(
        conversations.with_known_messages({"messages": deepcopy(messages)}, "messages")
    ).messages
    later = read_chat(
        conversations.with_known_messages(
            {"messages": [*deepcopy(messages), *_turn(1)]}, "messages"
        )
    ).messages
    assert all(old is new for old, new in zip(first[:-4], later, strict=False))


def test_those_asked_longest_ago_make_room() -> None:
    conversations = KnownConversations(most=2, most_bytes=3000)
    talks = [[{"role": "user", "content": f"{tag}{n}"} for n in range(20)] for tag in "abc"]

    def with_known(messages: list[Any]) -> list[Any]:
        body = {"messages": deepcopy(messages)}
        known_messages: list[Any] = conversations.with_known_messages(body, "messages")["messages"]
        return known_messages

    first = [with_known(talk) for talk in talks]
    assert with_known(talks[2])[0] is first[2][0]
    assert with_known(talks[1])[0] is first[1][0]
    assert with_known(talks[0])[0] is not first[0][0]
    long = [{"role": "user", "content": "x" * 1000} for _ in range(20)]
    assert with_known(long)[0] is not with_known(long)[0]
    assert with_known(talks[0])[0] is not first[0][0]


def test_what_is_new_is_counted() -> None:
    texts: list[str] = []

    def count(text: str) -> int:
        texts.append(text)
        return len(text)

    ledger, conversations = RequestLedger(Metrics(), count), KnownConversations()
    for messages in _requests()[12:15]:
        texts.clear()
        body = {"model": "m", "messages": messages, "tools": _TOOLS}
        request = read_chat(conversations.with_known_messages(deepcopy(body), "messages"))
        exchange = Exchange(request, ChatWriter(request.model), UPSTREAM_KINDS["vllm"])
        exchange.try_take_next_request()
        exchange.receive_event(
            {"choices": [{"delta": {"content": "Yes."}, "finish_reason": "stop"}]}
        )
        exchange.try_take_next_request()
        ledger.record_exchange(exchange)
    assert "14.py" in "".join(texts)
    assert "9.py" not in "".join(texts)


def test_a_bill_is_the_same() -> None:
    conversations, ledgers = KnownConversations(), [RequestLedger(Metrics(), len) for _ in range(2)]
    for messages in _requests():
        body = {"model": "m", "messages": messages, "tools": _TOOLS}
        for ledger, source in zip(
            ledgers,
            (body, conversations.with_known_messages(deepcopy(body), "messages")),
            strict=True,
        ):
            native = read_native(source, b"{}", APIS["chat"], NativeOptions(results="short"))
            ledger.record_native(NativeExchange(native))
        figures = [
            [
                line
                for line in ledger.metrics.write_exposition().decode().splitlines()
                if "_billed_" in line
            ]
            for ledger in ledgers
        ]
        assert [figure for figure in figures[0] if "created" not in figure] == [
            figure for figure in figures[1] if "created" not in figure
        ]
