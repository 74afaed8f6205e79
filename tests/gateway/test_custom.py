"""Test OpenAI's responses API as an upstream, with calls as the input of a custom tool.

The events are checked with the types of the real SDK if it is installed (in the environment of
`test_clients`); here their shapes are written out.
"""

import importlib.util
import json
from argparse import Namespace
from typing import Any

import httpx2
import pytest

from tests.gateway.conftest import Script, chat, events
from tests.gateway.test_serve import PATH, joined, without_ids

CALLS = '!call weather(city="Oslo")\n!call stop()'
USAGE = {
    "input_tokens": 9,
    "input_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 0},
    "output_tokens": 4,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 13,
}


@pytest.fixture
def openai(options: Namespace, request: pytest.FixtureRequest) -> httpx2.Client:
    options.engine = "openai"
    client: httpx2.Client = request.getfixturevalue("client")
    return client


def response(status: str = "completed", **more: Any) -> dict[str, Any]:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": status,
        "output": [],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": USAGE,
        **more,
    }


def build_events(
    calls: str, *, text: str = "", thought: str = "", size: int = 1
) -> list[dict[str, Any]]:
    """Return the events of an answer in OpenAI's format, in pieces of the given size."""
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": response("in_progress")}
    ]
    position = {"item_id": "i", "output_index": 0}
    for kind, content, more in (
        ("response.reasoning_summary_text", thought, {"summary_index": 0}),
        ("response.output_text", text, {"content_index": 0, "logprobs": []}),
        ("response.custom_tool_call_input", calls, {}),
    ):
        for at in range(0, len(content), size):
            delta = content[at : at + size]
            events.append({"type": f"{kind}.delta", **position, **more, "delta": delta})
    events.append({"type": "response.custom_tool_call_input.done", **position, "input": calls})
    events.append({"type": "response.completed", "response": response()})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def as_pieces(events: list[dict[str, Any]]) -> list[bytes]:
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]


@pytest.mark.skipif(not importlib.util.find_spec("openai"), reason="needs the SDK")
def test_the_events_are_those_of_the_sdk() -> None:
    from openai.types.responses import ResponseStreamEvent
    from pydantic import TypeAdapter

    adapter = TypeAdapter[Any](ResponseStreamEvent)
    for event in build_events(CALLS, text="It may be.", thought="Hm."):
        assert adapter.validate_python(event).type == event["type"]


def test_a_request_is_one_of_the_responses_api(openai: httpx2.Client, script: Script) -> None:
    script.reason, script.pieces = None, as_pieces(build_events(CALLS))
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    history = [
        {"role": "user", "content": [{"type": "text", "text": "Cold?"}, image]},
        {"role": "assistant", "content": "Wait."},
        {"role": "user", "content": "Now?"},
    ]
    body = chat(max_tokens=7, temperature=0, seed=1, reasoning_effort="low", messages=history)

    openai.post(PATH, json={**body, "tool_choice": "required"})

    (request,) = script.asked
    assert request["model"] == "m"
    (tool,) = request["tools"]
    assert (tool["type"], tool["name"], tool["format"]["syntax"]) == ("custom", "call", "lark")
    assert "weather" in tool["format"]["definition"]
    assert request["tool_choice"] == {"type": "custom", "name": "call"}
    assert (request["max_output_tokens"], request["temperature"]) == (7, 0)
    assert request["reasoning"] == {"effort": "low"}
    assert (request["store"], request["stream"]) == (False, True)
    assert not {"messages", "seed", "max_tokens", "stream_options", "n"} & request.keys()
    system, user, assistant, last = request["input"]
    assert "weather" in system["content"]
    assert user["content"] == [
        {"type": "input_text", "text": "Cold?"},
        {"type": "input_image", "image_url": "data:image/png;base64,AA=="},
    ]
    assert [message["content"] for message in (assistant, last)] == ["Wait.", "Now?"]


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize(("text", "thought"), [("", ""), ("It may be.", "Hm."), ("Yes.\n", "")])
def test_an_answer_is_the_same_however_it_comes(
    openai: httpx2.Client, script: Script, size: int, text: str, thought: str
) -> None:
    script.reason = None
    script.pieces = as_pieces(build_events(CALLS, text=text, thought=thought, size=size))

    whole = openai.post(PATH, json=chat()).json()
    stream_events = events(
        openai.post(PATH, json=chat(stream=True, stream_options={"include_usage": True}))
    )

    (choice,) = whole["choices"]
    assert [call["function"] for call in choice["message"]["tool_calls"]] == [
        {"name": "weather", "arguments": '{"city":"Oslo"}'},
        {"name": "stop", "arguments": "{}"},
    ]
    assert (choice["message"]["content"] or "").strip() == text.strip()
    assert choice["finish_reason"] == "tool_calls"
    assert without_ids(joined(stream_events)["message"]) == without_ids(choice["message"])
    assert whole["usage"]["prompt_tokens_details"] == {"cached_tokens": 5}
    assert stream_events[-1]["usage"]["total_tokens"] == whole["usage"]["total_tokens"] == 13


def test_an_answer_in_words_is_content(openai: httpx2.Client, script: Script) -> None:
    script.reason, script.pieces = None, as_pieces(build_events("", text="It is cold."))

    choice = openai.post(PATH, json=chat()).json()["choices"][0]

    assert (choice["message"]["content"], choice["finish_reason"]) == ("It is cold.", "stop")


def test_an_answer_may_end_as_a_chat_does(openai: httpx2.Client, script: Script) -> None:
    """An answer may end with the last event of chat completions, as with some servers."""
    script.reason = None
    script.pieces = [*as_pieces(build_events("", text="It is cold.")), b"data: [DONE]\n\n"]

    reply = openai.post(PATH, json=chat())

    assert reply.status_code == 200, reply.text
    assert reply.json()["choices"][0]["message"]["content"] == "It is cold."


def test_an_answer_that_does_not_stream_is_an_answer(openai: httpx2.Client, script: Script) -> None:
    """A complete answer gives its text, its calls, and the tokens."""
    text = {"type": "output_text", "text": "It may be."}
    message = {"type": "message", "role": "assistant", "content": [text]}
    script.reply = response(output=[message, {"type": "custom_tool_call", "input": CALLS}])

    reply = openai.post(PATH, json=chat())

    assert reply.status_code == 200, reply.text
    (choice,) = reply.json()["choices"]
    assert choice["message"]["content"].strip() == "It may be."
    names = [call["function"]["name"] for call in choice["message"]["tool_calls"]]
    assert names == ["weather", "stop"]
    assert reply.json()["usage"]["total_tokens"] == 13


def test_the_responses_api_goes_through_it_too(openai: httpx2.Client, script: Script) -> None:
    script.reason, script.pieces = None, as_pieces(build_events('!call weather(city="Oslo")'))
    tools = [{"type": "function", **chat()["tools"][0]["function"]}]

    response = openai.post("/v1/responses", json={"model": "m", "input": "Cold?", "tools": tools})

    (item,) = response.json()["output"]
    assert (item["type"], item["arguments"]) == ("function_call", '{"city":"Oslo"}')
    assert script.asked[0]["model"] == "m"


def test_an_answer_that_a_limit_cut_says_so(openai: httpx2.Client, script: Script) -> None:
    *beginning, end = build_events('!call weather(city="Os')
    cut = response("incomplete", incomplete_details={"reason": "max_output_tokens"})
    end = {**end, "type": "response.incomplete", "response": cut}
    script.reason, script.pieces = None, as_pieces([*beginning, end])

    choice = openai.post(PATH, json=chat()).json()["choices"][0]

    assert choice["finish_reason"] == "length"
    assert not choice["message"].get("tool_calls")


def test_an_answer_that_a_filter_cut_says_so(openai: httpx2.Client, script: Script) -> None:
    *beginning, end = build_events("", text="It is")
    cut = response("incomplete", incomplete_details={"reason": "content_filter"})
    end = {**end, "type": "response.incomplete", "response": cut}
    script.reason, script.pieces = None, as_pieces([*beginning, end])

    assert openai.post(PATH, json=chat()).json()["choices"][0]["finish_reason"] == "content_filter"


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "message": "overloaded", "code": "x", "param": None},
        {"type": "response.failed", "response": {"error": {"message": "overloaded", "code": "x"}}},
    ],
)
def test_an_error_of_the_stream_is_one_of_the_gateway(
    openai: httpx2.Client, script: Script, event: dict[str, Any]
) -> None:
    script.reason, script.pieces = None, as_pieces([event])

    reply = openai.post(PATH, json=chat())

    assert (reply.status_code, reply.json()["error"]["message"]) == (502, "overloaded")


def test_several_answers_are_refused_by_name(openai: httpx2.Client) -> None:
    reply = openai.post(PATH, json=chat(n=2))

    assert (reply.status_code, reply.json()["error"]["param"]) == (400, "n")
