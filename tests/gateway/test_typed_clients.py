"""Test `lton.openai` and `lton.anthropic` with the real clients (`make test-gateway`)."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

import lton

pytestmark = [
    pytest.mark.clients,
    pytest.mark.filterwarnings("ignore"),  # of the clients
]
ASKED = [{"role": "user", "content": "What is the weather in Oslo?"}]


@dataclass
class Weather:
    """Get the weather of a city."""

    city: str
    days: int = 1


class Server(ThreadingHTTPServer):
    """A server that answers by a script: JSON, or a list of events."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[Any] = []
        self.requests: list[Any] = []

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append(json.loads(body))
        answer = self.server.answers.pop(0)
        is_stream = isinstance(answer, list)
        text = "".join(map(_write_event, answer)) if is_stream else json.dumps(answer)
        self.send_response(200)
        kind = "text/event-stream" if is_stream else "application/json"
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Write nothing."""


def _write_event(event: Any) -> str:
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


@pytest.fixture
def server() -> Iterator[Server]:
    """Start the server."""
    with Server() as started:
        Thread(target=started.serve_forever, daemon=True).start()
        yield started
        started.shutdown()


def _completion(arguments: str) -> Any:
    function = {"name": "Weather", "arguments": arguments}
    call = {"id": "c1", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "refusal": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    return {
        "id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice],
    }  # fmt: skip


def _chunks(*arguments: str) -> list[Any]:
    chunks = []
    for index, text in enumerate(arguments):
        function = {"name": "Weather"} if index == 0 else {}
        call = {"index": 0, "id": "c1", "function": {**function, "arguments": text}}
        choice = {"index": 0, "delta": {"tool_calls": [call]}}
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
        chunks.append({**chunk, "choices": [choice]})
    return chunks


def _message(arguments: Any) -> Any:
    block = {"type": "tool_use", "id": "t1", "name": "Weather", "input": arguments}
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {
        "id": "1", "type": "message", "role": "assistant", "model": "m", "content": [block],
        "stop_reason": "tool_use", "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def _events(*arguments: str) -> list[Any]:
    block = {"type": "tool_use", "id": "t1", "name": "Weather", "input": {}}
    deltas = [{"type": "input_json_delta", "partial_json": text} for text in arguments]
    return [
        {"type": "message_start", "message": {**_message({}), "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *[{"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas],
        {"type": "content_block_stop", "index": 0},
        {"type": "message_stop"},
    ]


def test_openai_answers_with_instances(server: Server) -> None:
    """The real client sends the tools, the error of the first answer, and a stream."""
    openai = pytest.importorskip("openai", exc_type=ImportError)
    server.answers = [
        _completion('{"city": "Oslo", "days": "many"}'),
        _completion('{"city": "Oslo", "days": 2}'),
        _chunks('{"city": "Os', 'lo"}'),
    ]
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="x") as raw:
        client = lton.openai(raw, model="m")
        assert client.create(Weather, messages=ASKED) == Weather("Oslo", 2)
        parts = [*client.stream_partial(Weather, messages=ASKED)]

    assert [part.arguments for part in parts] == [{"city": "Os"}, *[{"city": "Oslo"}] * 2]
    assert parts[-1].value == Weather("Oslo")
    assert [message["role"] for message in server.requests[1]["messages"]] == [
        "user", "assistant", "tool",
    ]  # fmt: skip
    assert server.requests[2]["stream"] is True


def test_asynchronous_openai_answers_with_instances(server: Server) -> None:
    """The same with the asynchronous client."""
    openai = pytest.importorskip("openai", exc_type=ImportError)
    server.answers = [_completion('{"city": "Oslo"}'), _chunks('{"city": "Os', 'lo"}')]

    async def ask() -> list[Weather]:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="x") as raw:
            client = lton.openai(raw, model="m")
            first = await client.create(Weather, messages=ASKED)
            return [first, *[value async for value in client.stream(Weather, messages=ASKED)]]

    assert asyncio.run(ask()) == [Weather("Oslo")] * 2


def test_anthropic_answers_with_instances(server: Server) -> None:
    """The real client sends the tools, the error of the first answer, and a stream."""
    anthropic = pytest.importorskip("anthropic", exc_type=ImportError)
    server.answers = [
        _message({"city": "Oslo", "days": "many"}),
        _message({"city": "Oslo", "days": 2}),
        _events('{"city": "Os', 'lo"}'),
    ]
    with anthropic.Anthropic(base_url=server.url, api_key="x") as raw:
        client = lton.anthropic(raw, model="m", max_tokens=99)
        assert client.create(Weather, messages=ASKED) == Weather("Oslo", 2)
        assert [*client.stream(Weather, messages=ASKED)] == [Weather("Oslo")]

    [result] = server.requests[1]["messages"][2]["content"]
    assert (result["type"], result["is_error"]) == ("tool_result", True)


def test_asynchronous_anthropic_answers_with_instances(server: Server) -> None:
    """The same with the asynchronous client."""
    anthropic = pytest.importorskip("anthropic", exc_type=ImportError)
    server.answers = [_message({"city": "Oslo"}), _events('{"city": "Os', 'lo"}')]

    async def ask() -> list[Weather]:
        async with anthropic.AsyncAnthropic(base_url=server.url, api_key="x") as raw:
            client = lton.anthropic(raw, model="m", max_tokens=99)
            first = await client.create(Weather, messages=ASKED)
            return [first, *[value async for value in client.stream(Weather, messages=ASKED)]]

    assert asyncio.run(ask()) == [Weather("Oslo")] * 2
