"""Test `lton serve --model` with a real model."""

import asyncio
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from typing import Any

import httpx2
import pytest

from lton.apis.refusals import RefusedError
from lton.chat import Message
from lton.engines.llamacpp import load
from lton.gateway.command import make_options
from lton.gateway.serving import build_application
from lton.gateway.upstreams.local import LocalUpstream
from lton.schema import ToolSet
from lton_bench.demo import model_path
from tests.gateway.conftest import CITY, TOOLS, Served, events
from tests.gateway.test_serve import PATH, joined

pytestmark = pytest.mark.model
SYSTEM = {"role": "system", "content": "You are a helpful assistant."}
WEATHER = {"type": "function", "function": {"name": "weather"}}
OSLO = {"role": "user", "content": "What is the weather in Oslo?"}


@pytest.fixture(scope="module")
def local() -> Iterator[httpx2.Client]:
    options = make_options(model=str(model_path()), n_ctx=2048, threads=1)
    served = Served(build_application(options))
    with httpx2.Client(base_url=served.url, timeout=120) as client:
        yield client
    served.close()


def chat_body(*messages: Any, **more: Any) -> dict[str, Any]:
    options = {"tools": TOOLS, "max_tokens": 24, "parallel_tool_calls": False, **more}
    return {"model": "m", "messages": [SYSTEM, *messages], **options}


def ask(local: httpx2.Client, *messages: Any, **more: Any) -> tuple[dict[str, Any], str, Any]:
    """Return the message, the finish reason and the usage."""
    reply = local.post(PATH, json=chat_body(*messages, **more))
    assert reply.status_code == 200, reply.text
    (choice,) = reply.json()["choices"]
    return choice["message"], choice["finish_reason"], reply.json()["usage"]


def read(usage: Any) -> int:
    """Return the number of prompt tokens that were not cached."""
    return int(usage["prompt_tokens"] - usage["prompt_tokens_details"]["cached_tokens"])


@pytest.mark.parametrize("stream", [False, True])
def test_half_a_character_of_the_client_breaks_no_answer(
    local: httpx2.Client, stream: bool
) -> None:
    """A lone surrogate in a request is replaced in the answer."""
    body = json.dumps(chat_body(OSLO, model="\ud800", stream=stream))
    reply = local.post(PATH, content=body, headers={"content-type": "application/json"})
    assert reply.status_code == 200
    assert '"model":"?"' in reply.text


def test_only_what_is_new_is_read(local: httpx2.Client) -> None:
    """In a second turn, or with the same tools, only the new part of the prompt is read."""
    message, reason, first = ask(local, OSLO)
    (call,) = message["tool_calls"]
    assert (call["function"]["name"], reason) == ("weather", "tool_calls")
    assert json.loads(call["function"]["arguments"])["city"] == "Oslo"

    result = {"role": "tool", "tool_call_id": call["id"], "content": '{"sky": "snow"}'}
    _, _, second = ask(local, OSLO, message, result)
    new = second["prompt_tokens"] - first["prompt_tokens"]
    print(
        f"turn 1 read {read(first)} of {first['prompt_tokens']}, turn 2 {read(second)} ({new} new)"
    )
    assert read(second) <= new

    for choice in ("none", "required", WEATHER):
        other = {"role": "user", "content": "Stop!"}
        _, _, usage = ask(local, other, tool_choice=choice)
        print(f"another question read {read(usage)} of {usage['prompt_tokens']}")
        assert read(usage) < 20 < usage["prompt_tokens"]


@pytest.mark.parametrize("choice", ["none", "required", "auto"])
def test_streams_are_what_whole_answers_are(local: httpx2.Client, choice: str) -> None:
    body = chat_body(OSLO, tool_choice=choice)
    (whole,) = local.post(PATH, json=body).json()["choices"]
    options = {"stream": True, "stream_options": {"include_usage": True}}
    reply = local.post(PATH, json={**body, **options})

    stream_events = events(reply)
    heard = joined(stream_events)
    assert heard["finish_reason"] == whole["finish_reason"]
    assert heard["message"].get("content") == whole["message"]["content"]
    names = [
        [call["function"] for call in message.get("tool_calls", ())]
        for message in (heard["message"], whole["message"])
    ]
    assert names[0] == names[1]
    assert bool(names[0]) is (choice != "none")
    assert stream_events[-1]["usage"]["completion_tokens"] > 0
    if choice == "none":
        assert len(stream_events) > 10  # it comes token by token


def test_without_tools_it_is_a_chat(local: httpx2.Client) -> None:
    message, reason, usage = ask(local, {"role": "user", "content": "Who are you?"}, tools=None)
    assert message["content"]
    assert reason in ("stop", "length")
    assert usage["prompt_tokens"] < 40
    _, reason, usage = ask(local, OSLO, tools=None, max_tokens=3, temperature=1.0, seed=1)
    assert (reason, usage["completion_tokens"]) == ("length", 3)


def test_a_seed_gives_the_same_answer_again(local: httpx2.Client) -> None:
    hot = {"tools": None, "temperature": 1.5, "max_tokens": 12}
    texts = [ask(local, OSLO, **hot, seed=seed)[0]["content"] for seed in (1, 2, 1)]
    assert texts[0] == texts[2] != texts[1]


def test_an_answer_in_json(local: httpx2.Client) -> None:
    """An answer in JSON follows the schema, with or without tools."""
    schema = {"type": "json_schema", "json_schema": {"name": "city", "schema": CITY}}
    for tools in (None, TOOLS):
        more: dict[str, Any] = {"tools": tools, "response_format": schema, "max_tokens": 60}
        message, _, _ = ask(local, OSLO, **more, tool_choice="none" if tools else None)
        assert isinstance(json.loads(message["content"])["city"], str)


def test_responses(local: httpx2.Client) -> None:
    tools = [{"type": "function", **tool["function"]} for tool in TOOLS]
    body: dict[str, Any] = {
        "model": "m",
        "input": OSLO["content"],
        "tools": tools,
        "tool_choice": "required",
    }
    for _ in range(2):
        reply = local.post("/v1/responses", json={**body, "parallel_tool_calls": False}).json()
    assert [item["name"] for item in reply["output"]] == ["weather"]
    usage = reply["usage"]
    assert usage["input_tokens"] - usage["input_tokens_details"]["cached_tokens"] < 10


def test_what_has_no_room_is_said_in_openais_words(local: httpx2.Client) -> None:
    long = {"role": "user", "content": "again " * 2100}
    for tools in (TOOLS, None):
        reply = local.post(PATH, json=chat_body(long, tools=tools))
        assert (reply.status_code, reply.json()["error"]["code"]) == (
            400,
            "context_length_exceeded",
        )


def test_the_model_is_listed_and_nothing_else_is_there(local: httpx2.Client) -> None:
    (model,) = local.get("/v1/models").json()["data"]
    assert model["id"] == model_path().name
    assert local.get(f"/v1/models/{model['id']}").json() == model
    for reply in (local.post("/v1/embeddings", json={}), local.get("/v1/models/other")):
        assert reply.status_code == 404
        assert reply.json()["error"]["type"] == "invalid_request_error"


def test_a_client_that_leaves_stops_the_model(local: httpx2.Client) -> None:
    """If a client leaves, the model stops, and the next request is answered."""
    body = chat_body(OSLO, tools=None, max_tokens=1900, temperature=2.0, stream=True)
    with local.stream("POST", PATH, json=body) as reply:
        next(reply.iter_raw())
    message, _, usage = ask(local, OSLO, tools=None, max_tokens=1)
    assert (message["role"], usage["completion_tokens"]) == ("assistant", 1)


def test_clients_wait_for_each_other(local: httpx2.Client) -> None:
    arguments: dict[str, str] = {}

    def one(city: str) -> None:
        question = {"role": "user", "content": f"What is the weather in {city}?"}
        message, _, _ = ask(local, question, tool_choice=WEATHER)
        arguments[city] = message["tool_calls"][0]["function"]["arguments"]

    threads = [threading.Thread(target=one, args=(city,)) for city in ("Oslo", "Rome", "Paris")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {city: json.loads(value)["city"] for city, value in arguments.items()} == {
        city: city for city in ("Oslo", "Rome", "Paris")
    }


def counting(most: int) -> dict[str, Any]:
    return {
        "question": [Message.saying("user", "Count to a thousand.")],
        "tools": ToolSet(()),
        "max_tokens": most,
        "temperature": 0.0,
        "seed": 0,
        "may_repeat": True,
    }


def test_each_slot_answers_a_request_at_a_time(llm: Any) -> None:
    """With several slots, a short answer does not wait for a long one, and a client gets its cached
    slot.
    """

    async def play() -> None:
        upstream = LocalUpstream([llm, load(model_path(), context=1024)], "m")

        async def stream_count(most: int) -> list[Mapping[str, Any]]:
            return [event async for event in upstream.iterate_events("", counting(most), {})]

        alone = await stream_count(5)
        again = await stream_count(5)
        usage = again[-1]["usage"]
        assert usage["prompt_tokens"] - usage["cached_tokens"] <= 1
        long = asyncio.ensure_future(stream_count(900))
        await asyncio.sleep(0)
        beside = await stream_count(5)
        assert not long.done()
        long.cancel()
        await asyncio.wait([long])
        assert beside[-1]["event"].text == alone[-1]["event"].text
        await upstream.close()

    asyncio.run(play())


def test_more_than_can_wait_are_asked_to_come_later(llm: Any) -> None:
    """If too many requests wait, others are refused, and a request whose client left is never
    started.
    """
    upstream = LocalUpstream([llm], "m", waiting=2)
    body = counting(500)

    async def play() -> None:
        async with aclosing(upstream.iterate_events("", body, {})) as first:
            await anext(first)
            async with aclosing(upstream.iterate_events("", body, {})) as second:
                waits = asyncio.ensure_future(anext(second))
                await asyncio.sleep(0)
                with pytest.raises(RefusedError) as caught:
                    await anext(upstream.iterate_events("", body, {}))
                assert (caught.value.status, caught.value.retry_after) == (429, "1")
                waits.cancel()
                await asyncio.wait([waits])
        assert upstream.running == 0
        async with aclosing(upstream.iterate_events("", body, {})) as last:
            assert (await anext(last))["usage"]["completion_tokens"] == 1
        await upstream.close()

    asyncio.run(play())


def test_each_tool_is_asked_alone_in_any_order(local: httpx2.Client) -> None:
    """The tool after which the question is likeliest is called, wherever it is in the list."""
    about = {"send_mail": "to", "get_weather": "city", "set_alarm": "hour"}
    tools = [
        {
            "type": "function",
            "function": {
                "name": name,
                "parameters": {
                    "type": "object",
                    "properties": {key: {"type": "string"}},
                    "required": [key],
                },
            },
        }
        for name, key in about.items()
    ]
    for turn in range(3):
        order = [*tools[turn:], *tools[:turn]]
        for text, name in (("Wake me at 7.", "set_alarm"), ("Is it hot in Rome?", "get_weather")):
            user = {"role": "user", "content": text}
            message, _, usage = ask(local, user, tools=order, tool_choice="required")
            assert message["tool_calls"][0]["function"]["name"] == name
            _, _, none = ask(local, user, tools=order, tool_choice="none", max_tokens=1)
            assert usage["prompt_tokens"] == none["prompt_tokens"]  # of all tools


def tool(name: str, *required: str, **optional: Any) -> dict[str, Any]:
    properties = {**{key: {"type": "string"} for key in required}, **optional}
    shape = {"type": "object", "properties": properties, "required": [*required]}
    return {"type": "function", "function": {"name": name, "parameters": shape}}


NEWCOMERS = [
    tool("weather", "city", days={"type": "integer"}, unit={"enum": ["C", "F"]}),
    tool("search", "query", limit={"type": "integer"}),
    tool("write_file", "path", "content"),
]


@pytest.mark.parametrize("choice", ["required", "auto"])
@pytest.mark.parametrize("stream", [False, True])
def test_no_answer_is_of_nothing_and_no_call_is_given_twice(
    local: httpx2.Client, choice: str, stream: bool
) -> None:
    """No answer is empty, no call is repeated, and an answer that a limit cut says so."""
    for text in ("Find docs on timeouts.", "Write hello to a.txt", "What is the weather in Oslo?"):
        user = {"role": "user", "content": text}
        more = {"tools": NEWCOMERS, "tool_choice": choice, "max_tokens": 60, "stream": stream}
        reply = local.post(PATH, json=chat_body(user, **more, parallel_tool_calls=None))
        assert reply.status_code == 200
        answer = joined(events(reply)) if stream else reply.json()["choices"][0]
        message = answer["message"]
        calls = [json.dumps(call["function"]) for call in message.get("tool_calls", ())]
        assert len(calls) == len(set(calls))
        if answer["finish_reason"] == "length":
            assert message.get("content") or "cut_call" in reply.text
        else:
            assert calls or message["content"].strip()
        if choice == "required":
            assert calls or answer["finish_reason"] == "length"
