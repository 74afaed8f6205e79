"""Test that an answer that failed is an error in each API, and never a complete answer."""

import json
from typing import Any

import pytest

from lton.apis.endings import ENDINGS, ending_of
from lton.apis.json_members import read_object
from lton.errors import ConversionError
from tests.gateway.native import APIS, ENDED, Raw, Serve, objects, post, read, request, stream

UNKNOWN = ["error", "abort", "network_error", "malformed_function_call", "other", "unknown", "new"]
KNOWN = {
    "stop": ENDED,
    "eos_token": ENDED,
    "STOP": ENDED,
    "length": {"chat": "length", "responses": "incomplete", "messages": "max_tokens"},
    "content_filter": {
        "chat": "content_filter",
        "responses": "incomplete",
        "messages": "refusal",
    },
}
MODES = [("native", "plain"), ("lton", "plain"), ("lton", "vllm")]


def fails(raw: Raw, gateway: Any, client: str, streamed: bool) -> str:
    """Ask, check that the answer is an error of the client's API, and return its text."""
    reply = post(gateway, client, request(client, stream=streamed))
    complete = ["end_turn", "response.completed", '"finish_reason":"stop"']
    assert not any(mark in reply.text for mark in complete)
    if not streamed:
        assert reply.status_code == 502
        assert reply.json()["error"]["message"]
        return str(reply.text)
    last = objects(reply.content)[-1]
    if client == "responses" and reply.status_code == 200:
        assert last["type"] == "response.failed"
    else:
        assert last["error"]["message"]
    return str(reply.text)


@pytest.mark.parametrize("client", APIS)
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize(("calls", "engine"), MODES)
def test_an_unknown_reason_is_an_error(
    serve: Serve, raw: Raw, client: str, streamed: bool, calls: str, engine: str
) -> None:
    """An answer that ends for a reason that no API has is an error, with the text so far."""
    if (client, calls) == ("chat", "native"):
        return  # the answer passes unchanged
    gateway = serve(upstream_api="chat", calls=calls, engine=engine)
    for reason in UNKNOWN:
        raw.chunks = stream("chat", "half an answer", reason=reason)
        raw.whole = raw.chunks[0]
        assert reason in fails(raw, gateway, client, streamed)


@pytest.mark.parametrize("client", ["responses", "messages"])
@pytest.mark.parametrize("streamed", [True, False])
def test_a_known_reason_is_that_of_the_clients_api(
    serve: Serve, raw: Raw, client: str, streamed: bool
) -> None:
    gateway = serve(upstream_api="chat")
    for reason, expected in KNOWN.items():
        raw.chunks = stream("chat", "Yes.", reason=reason)
        reply = post(gateway, client, request(client, stream=streamed))
        if streamed:
            assert read(client, reply.content)[2] == expected[client]
        else:
            assert (
                reply.json()["status" if client == "responses" else "stop_reason"]
                == (expected[client])
            )


def test_a_reason_of_anthropic_is_known_or_an_error(serve: Serve, raw: Raw) -> None:
    gateway = serve(upstream_api="messages")
    for reason, status in [("stop_sequence", 200), ("end_turn", 200), ("pause_turn", 502)]:
        stream_bytes = b"".join(stream("messages", "Yes."))
        raw.chunks = [stream_bytes.replace(b'"end_turn"', json.dumps(reason).encode())]
        assert post(gateway, "chat", request("chat")).status_code == status


def test_a_response_that_was_cancelled_is_an_error(serve: Serve, raw: Raw) -> None:
    item = {"type": "message", "content": [{"type": "output_text", "text": "Ye"}]}
    whole = {"id": "r", "status": "cancelled", "output": [item]}
    raw.chunks = [b"data: " + json.dumps(whole).encode() + b"\n\n"]
    assert post(serve(upstream_api="responses"), "chat", request("chat")).status_code == 502


@pytest.mark.parametrize("client", APIS)
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize(("calls", "engine"), MODES)
@pytest.mark.parametrize("breaks", [True, False])
def test_a_stream_that_breaks_inside_a_call_is_an_error(
    serve: Serve, raw: Raw, client: str, streamed: bool, calls: str, engine: str, breaks: bool
) -> None:
    """The error is JSON of the client's API in each mode, and no part of the call is a call."""
    if (client, calls) == ("chat", "native"):
        return  # the answer passes unchanged
    raw.chunks, raw.breaks = stream("chat", "Hm. ", [("weather", '{"city": "Oslo"}')])[:6], breaks

    text = fails(raw, serve(upstream_api="chat", calls=calls, engine=engine), client, streamed)

    assert "broke off" in text
    assert '"type":"tool_use"' not in text


def test_each_ending_has_a_row() -> None:
    """Writers refuse an unknown ending, instead of writing a success."""
    assert {ending_of(ending).chat for ending in ENDINGS} <= set(ENDINGS)
    with pytest.raises(ConversionError):
        ending_of("error")


@pytest.mark.parametrize("calls", ["native", "lton"])
@pytest.mark.parametrize("client", ["responses", "messages"])
@pytest.mark.parametrize("streamed", [True, False])
def test_an_error_in_an_unknown_format_is_quoted(
    serve: Serve, raw: Raw, client: str, streamed: bool, calls: str
) -> None:
    """A client of another API learns what the server said, whatever the format of its error."""
    gateway = serve(upstream_api="chat", calls=calls)
    raw.status = 422
    for said in (b'{"detail":"no such model"}', b"no such\n model", b"<p>no such model</p>"):
        raw.whole = said + b" " * 1000 + b"the end"

        reply = post(gateway, client, request(client, stream=streamed))

        assert reply.status_code == 422
        message = reply.json()["error"]["message"]
        assert (
            message == f"the upstream answered with status 422: {' '.join(said.decode().split())}"
        )
    raw.whole = b""
    for status, sent in ((422, 422), (302, 502)):  # redirections are not followed
        raw.status = status
        reply = post(gateway, client, request(client, stream=streamed))
        assert reply.status_code == sent
        expected = f"the upstream answered with status {status}"
        assert reply.json()["error"]["message"] == expected


@pytest.mark.parametrize("client", APIS)
@pytest.mark.parametrize(("calls", "engine"), MODES)
def test_the_text_before_a_break_is_unchanged(
    serve: Serve, raw: Raw, client: str, calls: str, engine: str
) -> None:
    """The text that came before an error has no line end that the model did not write."""
    gateway = serve(upstream_api="chat", calls=calls, engine=engine)
    if (client, calls) == ("chat", "native"):
        return  # the answer of the server passes unchanged
    for text in ("Hal", "half an answer\nand more"):
        chunks = stream("chat", text)
        raw.chunks = [chunk for chunk in chunks if b'"content"' in chunk]  # without the end

        reply = post(gateway, client, request(client))

        assert reply.json()["partial"] == text


@pytest.mark.parametrize("client", ["responses", "messages"])
@pytest.mark.parametrize("streamed", [True, False])
def test_an_answer_of_nothing_is_an_error(
    serve: Serve, raw: Raw, client: str, streamed: bool
) -> None:
    """An answer without a choice, or with an empty one without a reason, is not a turn's end."""
    gateway = serve(upstream_api="chat")
    message = {"role": "assistant", "content": None}
    for choices in ([], [{"index": 0, "message": message}]):
        raw.whole = json.dumps({"object": "chat.completion", "choices": choices}).encode()
        raw.chunks = [b"data: " + raw.whole + b"\n\n", b"data: [DONE]\n\n"]

        reply = post(gateway, client, request(client, stream=streamed))

        assert reply.status_code == 502
        assert "broke off" in reply.json()["error"]["message"]


@pytest.mark.parametrize("client", APIS)
@pytest.mark.parametrize("calls", ["native", "lton"])
def test_an_answer_that_is_not_json_is_quoted(
    serve: Serve, raw: Raw, client: str, calls: str
) -> None:
    """A page in HTML often means that the address of the server is wrong."""
    gateway = serve(upstream_api="chat", calls=calls)
    raw.whole = b"<html>\n <p>Welcome"
    raw.chunks = [b"data: <html> <p>Welcome\n\n"]

    reply = post(gateway, client, request(client))

    assert reply.status_code == 502
    message = reply.json()["error"]["message"]
    assert message.endswith("something that is not a JSON object: <html> <p>Welcome")
    with pytest.raises(ConversionError, match="is not a JSON object: nothing"):
        read_object(b" ")
