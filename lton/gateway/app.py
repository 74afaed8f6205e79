"""The server: routes, limits, keys, streams, and clients that leave. What is said is elsewhere."""

import asyncio
import hmac
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from time import perf_counter
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from lton._json import minified
from lton.gateway.events import WAITING
from lton.gateway.metrics import Metrics
from lton.gateway.protocol import RefusedError

_log = logging.getLogger("lton.gateway")
MAX_BODY = 32 * 1024 * 1024
"""Bytes of a request."""
MAX_RUNNING = 1024
"""Requests at a time; more are asked to come later."""
_KEEP_ALIVE_S = 15.0
_GIVEN = ("content-type", "retry-after", "x-request-id", "x-should-retry")
"""Headers of an upstream that its client may need."""
_STREAM = (
    ("content-type", "text/event-stream; charset=utf-8"),
    ("cache-control", "no-cache"),
    ("x-accel-buffering", "no"),  # nginx
)


class Upstream(Protocol):
    """Where answers come from: a server, or a model in this process."""

    def stream(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Get the events of an answer; raises `RefusedError`. To stop reading is to stop it."""

    def open(
        self, method: str, target: str, content: bytes, headers: Mapping[str, str]
    ) -> AbstractAsyncContextManager[Any]:
        """Get an answer as it comes: an asynchronous context manager of it."""

    async def close(self) -> None:
        """Give back what it holds."""


class Handler(Protocol):
    """One request: what is asked of the upstream, and what of its events the client is given."""

    streamed: bool
    path: str
    is_done: bool
    """Whether the rest of what the upstream says is of no use."""

    def ask(self) -> Mapping[str, Any] | None:
        """Get the next thing to ask; None if all has been said."""

    def take(self, event: Mapping[str, Any]) -> bytes:
        """Take in an event of the upstream, and get what the client is sent now."""

    def end(self) -> bytes:
        """Get the last that the client is sent, of an answer that streams."""

    def whole(self) -> Mapping[str, Any]:
        """Get the answer of one that does not stream."""

    def fail(self, refusal: RefusedError) -> bytes:
        """Get what the client is sent where an answer that has begun cannot go on."""


class Endpoint(Protocol):
    """What makes an exchange of a request; None for what is passed through as it is."""

    def begin(self, body: dict[str, Any]) -> Handler | None:
        """Get the exchange of a request. Raises `RefusedError`."""

    def end(self, exchange: Any) -> None:
        """Take note of an exchange whose answer has been given."""


def gateway(
    upstream: Upstream,
    endpoints: Mapping[str, Endpoint],
    *,
    api_key: str | None = None,
    max_body: int = MAX_BODY,
    max_running: int = MAX_RUNNING,
    metrics: Metrics | None = None,
) -> Starlette:
    """Get the application: `endpoints` by their paths, and all other paths of `/v1` passed through.

    With `api_key` a client has to send it, and it goes no further. `/health` and `/metrics` are
    for everybody who reaches the server.
    """
    shared = _Shared(upstream, api_key, max_body, max_running, metrics or Metrics())

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def figures(_: Request) -> Response:
        return Response(shared.metrics.text(), media_type="text/plain; version=0.0.4")

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await upstream.close()

    routes = [
        Route("/health", health),
        Route("/metrics", figures),
        *(
            Route(path, _Endpoint(shared, path, one), methods=["POST"])
            for path, one in endpoints.items()
        ),
        Route(
            "/v1/{rest:path}", _Endpoint(shared, "other", None), methods=["GET", "POST", "DELETE"]
        ),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


class _Shared:
    """What all endpoints share."""

    def __init__(
        self, upstream: Upstream, api_key: str | None, max_body: int, most: int, metrics: Metrics
    ) -> None:
        self.upstream, self.api_key, self.metrics = upstream, api_key, metrics
        self.max_body, self.most, self.running = max_body, most, 0

    @asynccontextmanager
    async def admitted(self, headers: Headers) -> AsyncIterator[None]:
        given = headers.get("authorization", "").removeprefix("Bearer ")
        if self.api_key and not hmac.compare_digest(given.encode(), self.api_key.encode()):
            raise RefusedError(401, "wrong API key", "authentication_error", code="invalid_api_key")
        if self.running >= self.most:
            words = f"{self.most} requests are running: try again later"
            raise RefusedError(429, words, "rate_limit_error", retry_after="1")
        self.running += 1
        self.metrics.running.set(self.running)
        try:
            yield
        finally:
            self.running -= 1
            self.metrics.running.set(self.running)

    def passed_on(self, headers: Headers) -> dict[str, str]:
        """Get the client's headers, without a key that is ours."""
        return {k: v for k, v in headers.items() if not (self.api_key and k == "authorization")}


class _Endpoint:
    """One endpoint, as an ASGI application: Starlette's own do not notice a client that leaves."""

    def __init__(self, shared: _Shared, name: str, endpoint: Endpoint | None) -> None:
        self.shared, self.name, self.endpoint = shared, name, endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        out, headers = _Out(send, self.shared.metrics, self.name), Headers(scope=scope)
        try:
            async with self.shared.admitted(headers):
                body = await _body(headers, receive, self.shared.max_body)
                await _race(receive, out, self.answer(scope, headers, body, out))
        except RefusedError as refusal:
            await out.refuse(refusal)
        except _GoneError:
            out.status = "left"
            self.shared.metrics.left.labels(self.name).inc()
        except Exception:  # whatever it is, a client gets an answer, and the log the reason
            _log.exception("a request failed")
            await out.refuse(RefusedError(500, "an error of the gateway", "server_error"))
        finally:
            out.count()

    async def answer(self, scope: Scope, headers: Headers, body: bytes, out: "_Out") -> None:
        sent = self.shared.passed_on(headers)
        endpoint = self.endpoint
        exchange = _begun(endpoint, _object(body)) if endpoint else None
        if endpoint is None or exchange is None:
            query = scope["query_string"].decode("latin-1")
            target = scope["raw_path"].decode("latin-1") + (f"?{query}" if query else "")
            async with self.shared.upstream.open(scope["method"], target, body, sent) as reply:
                given = [(k, reply.headers[k]) for k in _GIVEN if k in reply.headers]
                await out.start(reply.status_code, given)
                async for chunk in reply.aiter_raw():
                    await out.piece(chunk)
            await out.end()
            return
        out.exchange = exchange if exchange.streamed else None
        while (asked := exchange.ask()) is not None:
            async with aclosing(self.shared.upstream.stream(exchange.path, asked, sent)) as events:
                async for each in events:
                    if piece := exchange.take(each):
                        await out.piece(piece)
                    if exchange.is_done:
                        break
        endpoint.end(exchange)  # before its last byte: who has all of an answer finds it counted
        if exchange.streamed:
            await out.piece(exchange.end())
            await out.end()
        else:
            await out.json(200, exchange.whole())


class _GoneError(Exception):
    """The client has left."""


async def _race(receive: Receive, out: "_Out", answer: Coroutine[Any, Any, None]) -> None:
    """Answer until the answer ends or the client leaves, whichever is first."""
    work, gone = asyncio.create_task(answer), asyncio.create_task(_gone(receive))
    tasks = (work, gone, asyncio.create_task(out.keep_alive()))
    try:
        await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise _GoneError
        await work
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)  # until the upstream's connection is closed


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _body(headers: Headers, receive: Receive, most: int) -> bytes:
    """Get the body of a request, or refuse it before it is all here."""
    declared = headers.get("content-length", "0")
    size = int(declared) if declared.isdecimal() else 0
    body = bytearray()
    more = True
    while more and max(size, len(body)) <= most:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _GoneError
        body += message.get("body", b"")
        more = message.get("more_body", False)
    if more or len(body) > most:
        raise RefusedError(413, f"the request is longer than {most} bytes")
    return bytes(body)


def _begun(endpoint: Endpoint, body: dict[str, Any]) -> Handler | None:
    try:
        return endpoint.begin(body)
    except RecursionError:
        raise RefusedError(400, "the body is nested too deep") from None


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, f"the body is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise RefusedError(400, "the body is no JSON object")
    return found


class _Out:
    """What goes to one client, and how far it has gone."""

    def __init__(self, send: Send, metrics: Metrics, name: str) -> None:
        self.send, self.metrics, self.name = send, metrics, name
        self.exchange: Handler | None = None
        self.status = ""
        self.began = perf_counter()
        self.said = 0.0
        """When the last piece was sent."""

    async def start(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        self.status = str(status)
        given = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await self.send({"type": "http.response.start", "status": status, "headers": given})

    async def piece(self, data: bytes) -> None:
        if not self.status:
            await self.start(200, _STREAM)
        if not self.said:
            self.metrics.first_byte.labels(self.name).observe(perf_counter() - self.began)
        self.said = perf_counter()
        await self.send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self) -> None:
        await self.send({"type": "http.response.body", "body": b""})

    async def json(self, status: int, value: Any, *headers: tuple[str, str]) -> None:
        await self.start(status, [("content-type", "application/json"), *headers])
        # A client may have sent half of a character, in the model's name say, and gets `?` for it.
        await self.piece(minified(value).encode(errors="replace"))
        await self.end()

    async def refuse(self, refusal: RefusedError) -> None:
        """Say why there is no answer: by the status, or in a stream that has begun."""
        if not self.status:
            later = [("retry-after", refusal.retry_after)] if refusal.retry_after else []
            await self.json(refusal.status, refusal.body, *later)
        elif self.exchange:
            self.status = str(refusal.status)
            await self.piece(self.exchange.fail(refusal))
            await self.end()
        # else what was passed through stops in the middle, as its upstream did

    async def keep_alive(self) -> None:
        """Send a comment whenever a stream has been silent; so it may begin before its answer."""
        while True:
            await asyncio.sleep(_KEEP_ALIVE_S)
            if self.exchange and perf_counter() - self.said >= _KEEP_ALIVE_S:
                await self.piece(WAITING)

    def count(self) -> None:
        self.metrics.requests.labels(self.name, self.status or "none").inc()
        self.metrics.duration.labels(self.name).observe(perf_counter() - self.began)
