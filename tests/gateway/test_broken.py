"""Test an upstream that breaks off or is missing: the client gets the text so far, but no end."""

import asyncio
import json
import socket
import struct
import threading
from argparse import Namespace
from typing import Any

import httpx2
import pytest

from lton.chat.records import ApiName
from lton.gateway.upstreams.http_upstream import HttpUpstream
from tests.gateway import native
from tests.gateway.conftest import TOOLS, Script, chat, events
from tests.gateway.native import Raw, Serve
from tests.gateway.test_serve import PATH

RESPONSES = "/v1/responses"


@pytest.mark.parametrize("path", [PATH, RESPONSES])
@pytest.mark.parametrize(
    "pieces", [["It may"], [b": waiting\n\n"], [b"data: {}\n\n"], [b'data: {"error": {}}\n\n']]
)
@pytest.mark.parametrize("tools", [True, False])
def test_a_stream_without_an_end_broke_off(
    client: httpx2.Client, script: Script, path: str, pieces: list[Any], tools: bool
) -> None:
    script.pieces, script.reason = pieces, None
    body = chat() if path == PATH else {"input": "?", "tools": []}
    if path == PATH and not tools:
        body = chat(n=2)

    whole = client.post(path, json=body)
    streamed = client.post(path, json={**body, "stream": True})

    assert whole.status_code == 502
    assert whole.json().get("partial", "") == ("It may" if pieces == ["It may"] else "")
    assert ("It may" in streamed.text) == (pieces == ["It may"])
    assert "error" in streamed.text
    assert '"finish_reason":"stop"' not in streamed.text


@pytest.mark.parametrize("path", [PATH, RESPONSES])
@pytest.mark.parametrize("engine", ["vllm", "plain"])
@pytest.mark.parametrize(
    "text", ['weather(city="Os', '!call weather(city="Os', "Yes.\n!call sto", "Yes.\n!call stop("]
)
def test_a_call_that_broke_off_is_text_and_never_runs(
    options: Namespace,
    script: Script,
    request: pytest.FixtureRequest,
    path: str,
    engine: str,
    text: str,
) -> None:
    options.engine = engine
    client: httpx2.Client = request.getfixturevalue("client")
    script.pieces, script.reason = [text], None
    flat = [{"type": "function", **tool["function"]} for tool in TOOLS]
    body = chat() if path == PATH else {"input": "?", "tools": flat}

    whole = client.post(path, json=body)
    streamed = client.post(path, json={**body, "stream": True})

    assert (whole.status_code, whole.json()["partial"]) == (502, text)
    if streamed.status_code == 502:  # nothing had been sent
        assert streamed.json()["partial"] == text
        return
    stream_events = events(streamed)
    assert "error" in stream_events[-1] or stream_events[-1]["type"] == "response.failed"
    if path == PATH:
        deltas = [event["choices"][0]["delta"] for event in stream_events[:-1]]
        pieces = [call["function"] for delta in deltas for call in delta.get("tool_calls", ())]
    else:
        deltas = [
            {"content": e["delta"]} for e in stream_events if e["type"].endswith("text.delta")
        ]
        pieces = [
            {"arguments": e["delta"]} for e in stream_events if "arguments.delta" in e["type"]
        ]
        assert "function_call" not in [
            item["type"] for item in stream_events[-1]["response"]["output"]
        ]
    assert "".join(delta.get("content") or "" for delta in deltas) == text
    with pytest.raises(json.JSONDecodeError):  # a client that runs what it has gets no arguments
        json.loads("".join(piece["arguments"] for piece in pieces))


def test_an_upstream_that_is_not_there_is_named(
    options: Namespace, request: pytest.FixtureRequest
) -> None:
    options.upstream = "http://me:secret@127.0.0.1:1"
    client: httpx2.Client = request.getfixturevalue("client")

    response = client.post(PATH, json=chat())

    assert response.status_code == 502
    assert "http://127.0.0.1:1 cannot be reached" in response.json()["error"]["message"]


def test_responses_without_tools_are_by_their_schema(client: httpx2.Client, script: Script) -> None:
    script.pieces = ["!call stop()\n", "No."]
    form = {"type": "json_schema", "name": "x", "schema": {"type": "object"}}

    answer = client.post(RESPONSES, json={"input": "?", "text": {"format": form}}).json()
    last = events(client.post(RESPONSES, json={"input": "?", "stream": True}))[-1]

    assert answer["output"][0]["content"][0]["text"] == "!call stop()\nNo."
    assert (answer["status"], last["type"]) == ("completed", "response.completed")
    assert json.dumps(script.asked[0]["response_format"]["json_schema"]["schema"]) in str(
        json.dumps(form)
    )


def test_a_request_by_a_kept_connection_that_is_reset_is_sent_again() -> None:
    """If a busy server resets an idle connection before it reads the request, the request is sent
    again.
    """

    def serve(listener: socket.socket) -> None:
        first, _ = listener.accept()
        answer(first)
        first.recv(1, socket.MSG_PEEK)
        first.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        first.close()
        second, _ = listener.accept()
        with second:
            answer(second)

    def answer(connection: socket.socket) -> None:
        while not connection.recv(65536).endswith(b"\r\n\r\n"):
            pass
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 8\r\n\r\n"
        connection.sendall(head + b'{"a": 1}')

    async def ask(port: int) -> list[Any]:
        upstream = HttpUpstream(f"http://127.0.0.1:{port}")
        replies = [await upstream.post_body("/v1/models") for _ in range(2)]
        await upstream.close()
        return replies

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        assert asyncio.run(ask(listener.getsockname()[1])) == [(200, {"a": 1})] * 2
        thread.join()


CUTS = [": keep-al", "id: 5", "data", "event: pi", "retry: 10\n", ":", 'data: {"ch']


@pytest.mark.parametrize("api", ["chat", "responses", "messages"])
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("chunk_count", [0, 1, 3])
def test_an_error_begins_on_a_line_of_its_own(
    serve: Serve, raw: Raw, api: ApiName, cut: str, chunk_count: int
) -> None:
    """After a stream that broke off inside a line, the error begins on a new line, so that clients
    see it.
    """
    raw.chunks = [*native.stream(api, native.OSLO)[:chunk_count], cut.encode()]
    reply = serve().post(native.PATHS[api], json=native.request(api, stream=True))
    if reply.status_code != 200:
        assert reply.status_code == 502
        return
    *_, last = [event for event in reply.text.split("\n\n") if event and "[DONE]" not in event]
    data = [line for line in last.split("\n") if line.startswith("data: ")]
    assert '"error"' in data[0] or "response.failed" in data[0]


@pytest.mark.parametrize("status", [101, 199, 600])
def test_a_status_that_no_server_can_pass_on_is_an_error(
    serve: Serve, raw: Raw, status: int
) -> None:
    """A status that cannot be passed on is an error: a client would wait, or expect another
    protocol.
    """
    raw.status = status
    assert serve().post(native.PATHS["chat"], json=native.request("chat")).status_code == 502


@pytest.mark.parametrize("mode", ["native", "lton"])
def test_a_header_that_clients_fail_on_is_left_out(serve: Serve, raw: Raw, mode: str) -> None:
    raw.status, raw.more = 429, {"retry-after": "1" * 60_000}
    reply = serve(calls=mode).post(native.PATHS["chat"], json=native.request("chat"))
    assert (reply.status_code, reply.headers.get("retry-after")) == (429, None)
    raw.more = {"retry-after": "7"}
    reply = serve(calls=mode).post(native.PATHS["chat"], json=native.request("chat"))
    assert reply.headers["retry-after"] == "7"
