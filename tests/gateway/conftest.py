"""Start a scripted upstream, and the gateway in front of it, as real servers."""

import asyncio
import json
import threading
import time
from argparse import Namespace
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpcore2
import httpx2
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from lton.gateway.command import make_options
from lton.gateway.serving import build_application
from tests.gateway import native
from tests.gateway.native import Raw, Serve

httpcore2.default_ssl_context = cache(httpcore2.default_ssl_context)
"""All clients share the certificates of this machine. To load them takes 50 ms of a processor."""

_ONCE: list[str] = []
"""The clients that ran a function once which a model had called again and again."""


def ran_once(client: str) -> None:
    """Record a client for the last line of `make test-gateway`."""
    _ONCE.append(client)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the clients that ran each function exactly once; the tests of the others have failed."""
    if _ONCE:
        names = sorted(set(_ONCE))
        terminalreporter.write_line(
            f"{len(names)} stock clients ran each function exactly once, in {len(_ONCE)} runs: "
            + ", ".join(names)
        )


JSON = {"content-type": "application/json"}
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": "weather", "parameters": CITY}},
    {"type": "function", "function": {"name": "stop", "parameters": {"type": "object"}}},
]


@dataclass
class Script:
    """The answers of the upstream, and the requests that it received."""

    pieces: list[Any] = field(default_factory=list)
    """Texts, deltas, bytes as they are, seconds to wait, and None: it breaks off."""
    turns: list[list[Any]] = field(default_factory=list)
    """The pieces for each request in turn, in place of `pieces`."""
    prompt: str = ""
    """What the template of a llama.cpp server makes of messages, which are at `MESSAGES`."""
    status: int = 200
    reply: Any = None
    """What it answers without a stream."""
    reason: str | None = "stop"
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    left: list[float] = field(default_factory=list)
    """When clients left."""
    ports: list[int] = field(default_factory=list)
    """The ends of the connections that requests came by."""

    async def answer(self, request: Request) -> Response:
        body = await request.body()
        self.asked.append(json.loads(body) if body else {})
        self.headers.append(dict(request.headers))
        self.ports.append(request.client.port if request.client else 0)
        if request.url.path == "/apply-template":
            text = "".join(
                f"<|user|>{message['content']}" for message in self.asked[-1]["messages"]
            )
            return JSONResponse({"prompt": self.prompt.replace("MESSAGES", text)})
        if request.url.path == "/tokenize" and self.reply is None:
            return JSONResponse({"tokens": tokens(**self.asked[-1])})
        if self.reply is not None:
            if isinstance(self.reply, str):
                return Response(self.reply, self.status, media_type="text/html")
            return JSONResponse(self.reply, self.status)
        pieces = self.turns.pop(0) if self.turns else self.pieces
        return StreamingResponse(self.stream(pieces), media_type="text/event-stream")

    async def stream(self, pieces: list[Any]) -> AsyncIterator[bytes]:
        try:
            for piece in pieces:
                if isinstance(piece, int | float):
                    await asyncio.sleep(piece)
                elif piece is None:
                    raise ConnectionError("as it was told")
                elif isinstance(piece, bytes):
                    yield piece
                else:
                    yield chunk(piece if isinstance(piece, dict) else {"content": piece})
            if self.reason is not None:
                yield chunk({}, self.reason)
                usage = {"prompt_tokens": 7, "completion_tokens": 3}
                yield b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\n\n"
                yield b"data: [DONE]\n\n"
        except asyncio.CancelledError:
            self.left.append(time.monotonic())
            raise


def tokens(content: str, add_special: bool, parse_special: bool) -> list[int]:
    """Return a token for each byte; -1 begins a text, and -2 is `<|user|>` as a special token."""
    begin, *turns = content.split("<|user|>") if parse_special else [content]
    ids = [*[-1] * add_special, *begin.encode()]
    for turn in turns:
        ids += [-2, *turn.encode()]
    return ids


def chunk(delta: dict[str, Any], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return f"data: {json.dumps({'choices': [choice]})}\n\n".encode()


class _QuickServer(uvicorn.Server):
    """A server that sees after 10 ms that it is to end, instead of after 100."""

    async def main_loop(self) -> None:
        while not await self.on_tick(0):
            await asyncio.sleep(0.01)


class Served:
    """A server on its own thread."""

    def __init__(self, app: Starlette, port: int = 0, **more: Any) -> None:
        config = uvicorn.Config(
            app, port=port, log_level="critical", timeout_graceful_shutdown=1, **more
        )
        self.server = _QuickServer(config)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.005)
        port = self.server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"

    def close(self) -> None:
        self.server.should_exit = True
        self.thread.join()


class ScriptServer(Served):
    """An upstream that answers as the script of the current test says."""

    def __init__(self) -> None:
        paths = ["/v1/chat/completions", "/v1/embeddings", "/v1/models"]
        paths += ["/apply-template", "/tokenize", "/completion", "/v1/responses"]
        paths.append("/v1/chat/completions/input_tokens")
        routes = [Route(path, self.answer, methods=["GET", "POST"]) for path in paths]
        self.script = Script()
        super().__init__(Starlette(routes=routes))

    async def answer(self, request: Request) -> Response:
        return await self.script.answer(request)


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture(scope="module")
def script_server() -> Iterator[ScriptServer]:
    server = ScriptServer()
    yield server
    server.close()


@pytest.fixture
def upstream(script: Script, script_server: ScriptServer) -> str:
    script_server.script = script
    return script_server.url


@pytest.fixture
def options(upstream: str) -> Namespace:
    return make_options(upstream=upstream, engine="vllm", calls="lton")


@pytest.fixture
def url(options: Namespace) -> Iterator[str]:
    served = Served(build_application(options))
    yield served.url
    served.close()


@pytest.fixture
def client(url: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=url, timeout=20) as client:
        yield client


def chat(**more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "Is it cold in Oslo?"}]
    return {"model": "m", "messages": messages, "tools": TOOLS, **more}


def events(reply: httpx2.Response) -> list[Any]:
    """Return the events of a stream, after checking that the last one is [DONE]."""
    lines = [line[6:] for line in reply.text.split("\n") if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


# --- a server that answers with bytes -------------------------------------------------------------


@pytest.fixture(scope="module")
def the_only_raw() -> Raw:
    return Raw()


@pytest.fixture
def raw(the_only_raw: Raw) -> Raw:
    the_only_raw.__init__()  # type: ignore[misc] # as it was
    return the_only_raw


@pytest.fixture(scope="module")
def start(the_only_raw: Raw) -> Iterator[Serve]:
    """Start gateways before the server, one for all tests with the same options."""
    upstream = Served(the_only_raw.app)
    started: dict[str, tuple[Served, httpx2.Client]] = {}

    def get(**more: Any) -> httpx2.Client:
        key = repr(sorted(more.items()))
        if key not in started:
            served = Served(build_application(native.options(upstream.url, **more)))
            started[key] = served, httpx2.Client(base_url=served.url, timeout=20)
        return started[key][1]

    yield get
    for served, client in started.values():
        client.close()
        served.close()
    upstream.close()


@pytest.fixture
def serve(start: Serve, raw: Raw) -> Serve:
    """Return a client of a gateway with the given options, which has already detected its
    server.
    """

    def get(**more: Any) -> httpx2.Client:
        client = start(**more)
        api = more.get("upstream_api") or "chat"
        key = {"authorization": more.get("api_key", "")}
        client.post(native.PATHS[api], json=native.request(api), headers=key)
        for record in (raw.bodies, raw.headers, raw.paths):
            record.clear()
        return client

    return get
