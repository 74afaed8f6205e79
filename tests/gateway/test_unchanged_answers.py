"""Test that native answers reach the client as the server wrote them."""

import json
from typing import Any

import pytest

from tests.gateway.native import (
    APIS,
    ENDED,
    OSLO,
    WRITTEN,
    Raw,
    Serve,
    count_increase,
    post,
    read,
    request,
    sse,
    stream,
    whole,
)

CALL = f"I need the weather. Let me look.\n\n<tool_call>\n{OSLO}\n</tool_call>"


def with_thought(api: str, thought: str) -> tuple[list[bytes], bytes]:
    """Return an answer that has only a thought, as a stream and complete."""
    chunks, answer = stream(api, ""), json.loads(whole(api, ""))
    if api == "chat":
        first = json.loads(chunks[0].split(b"data: ")[1])
        first["choices"][0]["delta"] |= {"reasoning_content": thought}
        answer["choices"][0]["message"]["reasoning_content"] = thought
        return [sse(first), *chunks[1:]], json.dumps(answer, indent=1).encode()
    if api == "messages":
        block: dict[str, Any] = {"type": "thinking", "thinking": "", "signature": ""}
        delta = {"type": "thinking_delta", "thinking": thought}
        thought_events: list[tuple[str, Any]] = [
            ("content_block_start", {"index": 0, "content_block": block}),
            ("content_block_delta", {"index": 0, "delta": delta}),
            ("content_block_stop", {"index": 0}),
        ]
        answer["content"] = [{**block, "thinking": thought}]
    else:
        content = [{"type": "reasoning_text", "text": thought}]
        item = {"id": "rs_1", "type": "reasoning", "summary": [], "content": []}
        thought_events = [
            ("response.output_item.added", {"output_index": 0, "item": item}),
            ("response.reasoning_text.delta", {"output_index": 0, "delta": thought}),
            (
                "response.output_item.done",
                {"output_index": 0, "item": {**item, "content": content}},
            ),
        ]
        answer["output"] = [{**item, "content": content}]
    events = [sse({"type": kind, **data}, kind) for kind, data in thought_events]
    position = 2 if api == "messages" else 1
    chunks[position:position] = events
    if api == "responses":
        last = json.loads(chunks.pop().split(b"data: ")[1])
        last["response"]["output"] = answer["output"]
        chunks.append(sse(last, last["type"]))
        chunks = [numbered(chunk, at) for at, chunk in enumerate(chunks)]
    return chunks, json.dumps(answer, indent=1).encode()


def numbered(event: bytes, number: int) -> bytes:
    data = json.loads(event.split(b"data: ")[1])
    return sse({**data, "sequence_number": number}, data["type"])


EMPTY = ["", "\n", "thought"]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("content", EMPTY)
@pytest.mark.parametrize("retry", [0, 1])
@pytest.mark.parametrize("tools", [True, False])
def test_an_empty_answer_is_passed_on(
    serve: Serve, raw: Raw, api: str, content: str, retry: int, tools: bool
) -> None:
    """An answer without text and calls, or with only a thought, is asked for once."""
    raw.chunks, raw.whole = stream(api, content), whole(api, content)
    if content == "thought":
        raw.chunks, raw.whole = with_thought(api, "I am done.")
    more: dict[str, Any] = {} if tools else {"tools": []}
    client = serve(retry=retry)

    streamed = post(client, api, request(api, stream=True, **more))
    answer = post(client, api, request(api, **more))

    assert (answer.status_code, len(raw.bodies)) == (200, 2)
    assert streamed.content == b"".join(raw.chunks)
    assert answer.content == raw.whole


@pytest.mark.parametrize("client", APIS)
@pytest.mark.parametrize("server", APIS)
@pytest.mark.parametrize("content", EMPTY)
@pytest.mark.parametrize("streamed", [True, False])
def test_an_empty_answer_is_translated(
    serve: Serve, raw: Raw, client: str, server: str, content: str, streamed: bool
) -> None:
    """Also in another API, an empty answer is a complete answer."""
    if client == server:
        return
    raw.chunks = (
        with_thought(server, "I am done.")[0] if content == "thought" else stream(server, content)
    )

    gateway = serve(upstream_api=server, retry=1)
    reply = post(gateway, client, request(client, stream=streamed))

    assert (reply.status_code, len(raw.bodies)) == (200, 1)
    assert ("I am done." in reply.text) == (content == "thought")
    if streamed:
        assert read(client, reply.content)[1:] == ([], ENDED[client])


def notes_in(answer: Any) -> list[str]:
    holder = answer["choices"][0] if answer.get("choices") else answer.get("response", answer)
    return [note["code"] for note in holder.get("lton", {}).get("notes", ())]


@pytest.mark.parametrize("client", APIS)
@pytest.mark.parametrize("server", APIS)
def test_a_call_in_a_thought_is_a_note(serve: Serve, raw: Raw, client: str, server: str) -> None:
    """The call stays in the thought, and a note names it."""
    raw.chunks, raw.whole = with_thought(server, CALL)
    gateway = serve(upstream_api=server)

    with count_increase(gateway) as grown:
        streamed = post(gateway, client, request(client, stream=True))
        answer = post(gateway, client, request(client))

    assert read(client, streamed.content)[1] == []
    assert streamed.text.count('"call_in_thought"') == 1
    assert notes_in(answer.json()) == ["call_in_thought"]
    assert "tool_call>" in streamed.text
    assert grown['lton_left_out_total{code="call_in_thought"}'] == 2


@pytest.mark.parametrize("client", APIS)
@pytest.mark.parametrize("server", APIS)
def test_endless_calls_have_a_limit(serve: Serve, raw: Raw, client: str, server: str) -> None:
    """A model that makes the same call endlessly is stopped, and the calls so far are complete."""
    raw.chunks = stream(server, "", [("weather", WRITTEN)] * 400)

    reply = post(serve(upstream_api=server), client, request(client, stream=True))

    _, received, reason = read(client, reply.content)
    assert 4096 / len("weather" + WRITTEN) <= len(received) < 200
    assert set(received) == {("weather", WRITTEN)}
    assert reason == {"chat": "length", "responses": "incomplete", "messages": "max_tokens"}[client]
    assert "repeated_text" in reply.text


@pytest.mark.parametrize("api", APIS)
def test_many_equal_calls_are_no_loop(serve: Serve, raw: Raw, api: str) -> None:
    raw.chunks = stream(api, "", [("weather", WRITTEN)] * 40)
    answer = post(serve(), api, request(api, stream=True)).content
    assert answer == b"".join(raw.chunks)
