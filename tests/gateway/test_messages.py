"""Test Anthropic's messages API: the order of events, and equal complete and streamed answers."""

import json
from typing import Any

import httpx2
import pytest

from lton.apis.messages_api import read_messages
from lton.tokens import counter
from tests.gateway.conftest import TOOLS, Script, events

PATH = "/v1/messages"
TEXT = 'It may be.\n!call weather(city="Oslo")'
FLAT = [
    {"name": tool["function"]["name"], "input_schema": tool["function"]["parameters"]}
    for tool in TOOLS
]


def body(**more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "Is it cold?"}]
    return {"model": "m", "max_tokens": 99, "messages": messages, "tools": FLAT, **more}


def gathered(events: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the message that a client builds from a stream."""
    message: dict[str, Any] = events[0]["message"]
    pieces: dict[int, str] = {}
    for event in events:
        match event:
            case {"type": "content_block_start", "index": index, "content_block": block}:
                assert index == len(message["content"])
                message["content"].append(block)
                pieces[index] = ""
            case {"type": "content_block_delta", "index": index, "delta": {"type": kind, **delta}}:
                (piece,) = delta.values()
                pieces[index] += str(piece)
                assert kind.partition("_")[0] == message["content"][index]["type"] or kind[0] == "i"
            case {"type": "content_block_stop", "index": index}:
                block = message["content"][index]
                if block["type"] == "tool_use":
                    block["input"] = json.loads(pieces[index])
                else:
                    block[block["type"]] = pieces[index]
            case {"type": "message_delta", "delta": delta, "usage": usage}:
                message |= {**delta, "usage": usage}
    return message


def test_an_answer_has_blocks(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["<think>Hm.</think>", TEXT]

    reply = client.post(PATH, json=body()).json()

    thought, text_block, call = reply["content"]
    assert thought == {"type": "thinking", "thinking": "Hm.", "signature": ""}
    assert text_block == {"type": "text", "text": "It may be."}
    assert call["id"]
    assert (call["type"], call["name"], call["input"]) == ("tool_use", "weather", {"city": "Oslo"})
    assert (reply["type"], reply["role"], reply["model"]) == ("message", "assistant", "m")
    assert (reply["stop_reason"], reply["stop_sequence"]) == ("tool_use", None)
    assert (reply["usage"]["input_tokens"], reply["usage"]["output_tokens"]) == (7, 3)


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_stream_has_the_events_that_clients_need(
    client: httpx2.Client, script: Script, size: int
) -> None:
    output = f"<think>Hm.</think>{TEXT}\n!call stop()"
    script.pieces = [output[at : at + size] for at in range(0, len(output), size)]

    whole = client.post(PATH, json=body()).json()
    stream_events = events(client.post(PATH, json=body(stream=True)))

    kinds = [event["type"] for event in stream_events if event["type"] != "content_block_delta"]
    block = ["content_block_start", "content_block_stop"]
    assert kinds == ["message_start", "ping", *block * 4, "message_delta", "message_stop"]
    streamed = gathered(stream_events)
    for message in (whole, streamed):
        del message["id"]
        for one in message["content"]:
            one.pop("id", None)
    assert streamed == whole


@pytest.mark.parametrize("has_tools", [True, False])
def test_a_text_that_ends_an_answer_is_named(
    client: httpx2.Client, script: Script, has_tools: bool
) -> None:
    script.pieces = ["Yes. Observation: no"]
    members = body(stop_sequences=["Observation:", "Z"], tools=FLAT * has_tools)

    reply = client.post(PATH, json=members).json()

    assert reply["content"] == [{"type": "text", "text": "Yes. "}]
    assert (reply["stop_reason"], reply["stop_sequence"]) == ("stop_sequence", "Observation:")


def test_a_cut_call_is_no_block(client: httpx2.Client, script: Script) -> None:
    """A cut call is not sent as a block, because clients of this API would complete its JSON and
    run it.
    """
    script.pieces, script.reason = ['Well.\n!call weather(city="Oslo", days=1'], "length"

    stream_events = events(client.post(PATH, json=body(stream=True)))
    whole = client.post(PATH, json=body()).json()

    for reply in (gathered(stream_events), whole):
        assert [block["type"] for block in reply["content"]] == ["text"]
        assert reply["stop_reason"] == "max_tokens"
        (note,) = reply["lton"]["notes"]
        assert (note["code"], note["name"]) == ("cut_call", "weather")


def test_a_stream_that_breaks_ends_with_an_error(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["Yes", b"data: oh\n\n"]

    stream_events = events(client.post(PATH, json=body(stream=True)))

    assert stream_events[-1]["type"] == "error"
    assert stream_events[-1]["error"]["type"] == "api_error"
    assert not any(event["type"] in ("message_delta", "message_stop") for event in stream_events)


def test_a_second_turn_is_read(client: httpx2.Client, script: Script) -> None:
    image = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    turns = [
        {"role": "user", "content": [{"type": "text", "text": "Is it cold?"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "s"},
                {"type": "text", "text": "Let me see."},
                {"type": "tool_use", "id": "1", "name": "weather", "input": {"city": "Oslo"}},
                {"type": "tool_use", "id": "2", "name": "weather", "input": {"city": "Rome"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "2", "content": "no", "is_error": True},
                {"type": "tool_result", "tool_use_id": "1", "content": [text('{"cold":true}')]},
                {"type": "text", "text": "And here?", "cache_control": {"type": "ephemeral"}},
                {"type": "image", "source": image},
            ],
        },
    ]
    system = [text("Be kind.") | {"cache_control": {"type": "ephemeral"}}, text("Be short.")]
    script.pieces = ["Yes."]

    reply = client.post(PATH, json=body(messages=turns, system=system, temperature=0.5, top_k=3))

    assert reply.json()["content"] == [text("Yes.")]
    (request,) = script.asked
    first, question, called, answers, after = request["messages"]
    assert first["content"].startswith("Be kind.\nBe short.\n\n")
    assert question == {"role": "user", "content": "Is it cold?"}
    calls = '!call weather(city="Oslo")\n!call weather(city="Rome")'
    assert called["content"] == f"Let me see.\n{calls}"
    assert answers["content"] == "!result weather {cold true}\n!error weather no"
    url = {"url": "data:image/png;base64,AAAA"}
    assert after["content"] == [text("And here?"), {"type": "image_url", "image_url": url}]
    assert (request["temperature"], request["top_k"], request["max_tokens"]) == (0.5, 3, 99)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


@pytest.mark.parametrize(
    ("choice", "calls"),
    [
        ({"type": "auto"}, 2),
        ({"type": "any"}, 2),
        ({"type": "tool", "name": "weather"}, 2),
        ({"type": "none"}, 0),
    ],
)
def test_a_choice_of_tools(
    client: httpx2.Client, script: Script, choice: dict[str, Any], calls: int
) -> None:
    script.pieces = ['!call weather(city="Oslo")\n!call weather(city="Rome")']

    reply = client.post(PATH, json=body(tool_choice=choice)).json()

    assert sum(block["type"] == "tool_use" for block in reply["content"]) == calls


def test_one_call_at_a_time_is_asked_for() -> None:
    choice = {"type": "auto", "disable_parallel_tool_use": True}
    assert not read_messages(body(tool_choice=choice)).parallel
    assert read_messages(body()).parallel


def test_an_answer_in_json_is_text(client: httpx2.Client, script: Script) -> None:
    schema = {"type": "object", "properties": {"cold": {"type": "boolean"}}, "required": ["cold"]}
    form = {"format": {"type": "json_schema", "schema": schema}}
    script.pieces = ["answer(cold=true)"]

    reply = client.post(PATH, json=body(output_config=form)).json()
    client.post(PATH, json=body(output_config=form, tools=[]))

    assert reply["content"] == [text('{"cold":true}')]
    assert script.asked[-1]["response_format"]["json_schema"]["schema"] == schema


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"messages": None}, "messages: expected a list"),
        ({"messages": [{"role": "x"}]}, "user, assistant"),
        ({"system": 5}, "system: expected a string, or a list of blocks"),
        ({"tools": [5]}, "tools[0]: expected an object"),
        ({"tools": [{"type": "web_search_20250305", "name": "w"}]}, "use --calls native"),
        ({"mcp_servers": [{}]}, "use --calls native"),
        ({"tool_choice": {"type": "tool", "name": "fly"}}, "no tool 'fly'"),
        ({"tool_choice": {"type": "x"}}, "tool_choice: expected"),
        ({"stop_sequences": [5]}, "stop_sequences: expected"),
        ({"max_tokens": 0}, "max_tokens: expected a whole number"),
        ({"output_config": {"format": {"type": "x"}}}, "output_config.format: expected"),
    ],
)
def test_what_is_wrong_is_said_in_this_apis_shape(
    client: httpx2.Client, wrong: dict[str, Any], words: str
) -> None:
    reply = client.post(PATH, json=body(**wrong))

    error = reply.json()
    assert (reply.status_code, error["type"]) == (400, "error")
    assert error["error"]["type"] == "invalid_request_error"
    assert words in error["error"]["message"]


def test_an_error_of_the_upstream_is_said_in_this_apis_shape(
    client: httpx2.Client, script: Script
) -> None:
    script.status, script.reply = 429, {"error": {"message": "later", "type": "x", "code": None}}

    reply = client.post(PATH, json=body())

    assert reply.status_code == 429
    error = {"type": "rate_limit_error", "message": "later"}
    assert reply.json() == {"type": "error", "error": error}


def test_tokens_are_counted_as_the_model_is_shown_them(
    client: httpx2.Client, script: Script
) -> None:
    script.pieces = ["Yes."]
    client.post(PATH, json=body())
    (request,) = script.asked

    count = client.post(f"{PATH}/count_tokens", json=body()).json()

    prompt = "\n".join(message["content"] for message in request["messages"])
    assert count == {"input_tokens": counter("bytes").count(prompt).tokens}
    assert len(script.asked) == 1
    refused = client.post(f"{PATH}/count_tokens", json=body(tools=[5])).json()
    assert refused["type"] == "error"
