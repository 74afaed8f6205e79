"""Test the responses API: the order of events, and equal complete and streamed answers."""

from typing import Any

import httpx2
import pytest

from tests.gateway.conftest import TOOLS, Script, events

PATH = "/v1/responses"
TEXT = 'It may be.\n!call weather(city="Oslo")'
FLAT = [{"type": "function", **tool["function"]} for tool in TOOLS]


def body(**more: Any) -> dict[str, Any]:
    return {"model": "m", "input": "Is it cold?", "tools": FLAT, **more}


def bare(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in item.items() if k not in ("id", "call_id")} for item in items]


def test_an_answer_has_items(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["<think>Hm.</think>", TEXT]

    reply = client.post(PATH, json=body()).json()

    thought, message, call = reply["output"]
    assert thought["content"] == [{"type": "reasoning_text", "text": "Hm."}]
    assert message["content"][0]["text"] == "It may be."
    assert (call["name"], call["arguments"]) == ("weather", '{"city":"Oslo"}')
    assert (reply["status"], reply["store"]) == ("completed", False)
    assert reply["usage"]["total_tokens"] == 10


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_stream_has_the_events_that_clients_need(
    client: httpx2.Client, script: Script, size: int
) -> None:
    script.pieces = [TEXT[at : at + size] for at in range(0, len(TEXT), size)]

    whole = client.post(PATH, json=body()).json()
    stream_events = events(client.post(PATH, json=body(stream=True)))

    assert [event["sequence_number"] for event in stream_events] == [*range(len(stream_events))]
    kinds = [event["type"].removeprefix("response.") for event in stream_events]
    assert kinds[:2] == ["created", "in_progress"]
    assert [kind for kind in kinds[2:] if not kind.endswith("delta")] == [
        "output_item.added",
        "content_part.added",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "output_item.added",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ]
    deltas = "".join(
        event["delta"] for event in stream_events if event["type"].endswith("arguments.delta")
    )
    last = stream_events[-1]["response"]
    assert deltas == last["output"][1]["arguments"]
    assert stream_events[0]["response"]["id"] == last["id"]
    assert bare(last["output"]) == bare(whole["output"])
    items = [event["item"] for event in stream_events if event["type"].endswith("item.done")]
    assert items == last["output"]


def test_a_call_that_breaks_is_never_completed(client: httpx2.Client, script: Script) -> None:
    """A broken call is never sent as a completed item, because a client would run it."""
    good, bad = '!call weather(city="Oslo")', '!call weather(city="Rome", days=x)'
    script.pieces = [bad]

    (text,) = client.post(PATH, json=body()).json()["output"]
    stream_events = events(client.post(PATH, json=body(stream=True)))
    (streamed,) = stream_events[-1]["response"]["output"]
    broken, _ = (event["item"] for event in stream_events if event["type"].endswith("item.done"))

    for item in (text, streamed):
        assert (item["type"], item["content"][0]["text"]) == ("message", bad)
    assert (broken["type"], broken["status"]) == ("function_call", "incomplete")

    script.pieces = [f"{good}\n{bad}"]
    (call,) = client.post(PATH, json=body()).json()["output"]
    assert (call["arguments"], call["status"]) == ('{"city":"Oslo"}', "completed")


@pytest.mark.parametrize(
    ("reason", "why"),
    [("length", "max_output_tokens"), ("content_filter", "content_filter")],
)
def test_a_cut_answer_is_incomplete(
    client: httpx2.Client, script: Script, reason: str, why: str
) -> None:
    script.pieces, script.reason = ["!call weather(city='Os"], reason

    stream_events = events(client.post(PATH, json=body(stream=True, tool_choice="required")))

    assert stream_events[-1]["type"] == "response.incomplete"
    response = stream_events[-1]["response"]
    assert response["incomplete_details"] == {"reason": why}
    (item,) = (event["item"] for event in stream_events if event["type"].endswith("item.done"))
    assert (item["type"], item["status"]) == ("function_call", "incomplete")
    whole = client.post(PATH, json=body(tool_choice="required")).json()
    for outcome in (response, whole):
        assert (outcome["status"], outcome["output"]) == ("incomplete", [])
        (note,) = outcome["lton"]["notes"]
        assert (note["code"], note["name"]) == ("cut_call", "weather")
        assert not note["arguments"].endswith("}")


def test_a_stream_that_breaks_has_failed(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["Yes", b"data: oh\n\n"]

    stream_events = events(client.post(PATH, json=body(stream=True)))

    assert stream_events[-1]["type"] == "response.failed"
    assert stream_events[-1]["response"]["error"]["message"]


def test_a_second_turn_is_read(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["It is 4 degrees."]
    call = {
        "type": "function_call",
        "call_id": "1",
        "name": "weather",
        "arguments": '{"city":"Oslo"}',
    }
    output = {"type": "function_call_output", "call_id": "1", "output": '{"degrees":4}'}

    client.post(PATH, json=body(input=[{"role": "user", "content": "Is it cold?"}, call, output]))

    contents = [message["content"] for message in script.asked[0]["messages"]]
    assert "weather(city" in contents[-2]
    assert contents[-1] == "!result weather {degrees 4}"


def test_parts_reach_the_model_as_chat_has_them(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["Yes."]
    parts = [
        {"type": "input_text", "text": "Look:"},
        {"type": "input_image", "image_url": "http://a/b", "detail": "low"},
        {"type": "input_file", "filename": "c.pdf", "file_data": "data:,"},
    ]
    image = {"type": "input_image", "image_url": "http://a/c"}
    call = {"type": "function_call", "call_id": "1", "name": "stop", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "1", "output": [image]}

    client.post(PATH, json=body(input=[{"role": "user", "content": parts}, call, output]))

    (_, question, _, answered) = script.asked[0]["messages"]
    assert question["content"] == [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": "http://a/b", "detail": "low"}},
        {"type": "file", "file": {"filename": "c.pdf", "file_data": "data:,"}},
    ]
    assert answered["content"][1] == {"type": "image_url", "image_url": {"url": "http://a/c"}}


def test_items_of_responses_are_messages_of_chat(client: httpx2.Client, script: Script) -> None:
    """Items become messages without their ids, and a developer message becomes a system message."""
    script.pieces = ["Yes."]
    items = [
        {"type": "message", "id": "msg_1", "role": "developer", "content": "Be kind."},
        {"type": "message", "id": "msg_2", "role": "user", "content": "Is it cold?"},
    ]
    reply = client.post(PATH, json=body(input=items))

    assert reply.status_code == 200
    system, user = script.asked[-1]["messages"]
    assert user == {"role": "user", "content": "Is it cold?"}
    assert (system["role"], system.keys()) == ("system", {"role", "content"})
