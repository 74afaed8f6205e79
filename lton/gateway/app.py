"""The server: routes, streams, and clients that leave. What is said is elsewhere."""

import asyncio
import gc
import logging
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Mapping,
    Sequence,
)
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from time import perf_counter
from typing import Any, Protocol, TypeAlias, TypeVar

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from lton._json import minified
from lton.apis.sse import PING, WAITING
from lton.gateway.apis import messages
from lton.gateway.apis.protocol import EMPTY, RefusedError
from lton.gateway.bodies import Bodies, GoneError, HeldBody
from lton.gateway.conversations import KnownConversations
from lton.gateway.doors import Doors, check_framing, check_kind, has_body
from lton.gateway.headers import check_headers, forwarded
from lton.gateway.metrics import Metrics
from lton.gateway.native.passing import NativeExchange
from lton.gateway.terminal import request_line
from lton.gateway.upstreams.http import read_reply

_log = logging.getLogger("lton.gateway")
MAX_RUNNING = 1024
"""Requests at a time; more are asked to come later."""
_KEEP_ALIVE_S = 15.0
_LARGE = 32 * 1024
"""Bytes of a request whose reading would keep others waiting: it has another thread."""
_QUICK = 0.25
"""What takes so much of that time: to read JSON, and to take note of calls that stay native."""
_READ_AGAIN = 4
"""What a byte of an answer costs, in bytes of a request: calls are looked for in all of it."""
_HUGE = 256 * 1024
"""Bytes of one for which those of some 100 kB would wait: it has a third thread."""
_ENDING_S = 1.0
_METHODS = ("GET", "POST", "DELETE")
_V1 = "/v1"
_SHORT = (
    *("/models", "/models/{name:path}", "/completions", "/embeddings"),
    "/chat/completions/input_tokens",
)
"""Paths of the API that llama.cpp's users also ask for without `/v1`, beside the endpoints."""
_RETRIEVE = ("/v1/retrieve/{hash}", "/retrieve/{hash}")
_RESPONSE_HEADERS = ("content-type", "request-id", "retry-after", "x-request-id", "x-should-retry")
_RESPONSE_HEADERS_LIKE = ("anthropic-ratelimit-", "x-ratelimit-")
"""Headers of an upstream that its client may need, and how others begin."""
_LONGEST_HEADER = 4096
"""Characters of a header that clients read."""
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

    async def look(self) -> None:
        """Warn if it is not there."""

    async def close(self) -> None:
        """Give back what it holds."""


class Handler(Protocol):
    """One request: what is asked of the upstream, and what of its events the client is given."""

    streamed: bool
    path: str
    is_done: bool
    """Whether the rest of what the upstream says is of no use."""

    @property
    def held_text(self) -> int:
        """The characters in which a call may still be found."""

    def next_request(self) -> Mapping[str, Any] | None:
        """Get the next thing to ask; None if all has been said."""

    def receive(self, event: Mapping[str, Any]) -> bytes:
        """Take in an event of the upstream, and get what the client is sent now."""

    def finish(self) -> bytes:
        """Get the last that the client is sent, of an answer that streams."""

    def response(self) -> Mapping[str, Any]:
        """Get the answer of one that does not stream."""

    def fail(self, refusal: RefusedError) -> bytes:
        """Get what the client is sent where an answer that has begun cannot go on."""

    def received_text(self) -> str:
        """Get the text that came of an answer that cannot go on."""

    def total_usage(self) -> Mapping[str, Any]:
        """Get the tokens of the answer, as OpenAI names them."""


@dataclass(frozen=True)
class RawRequest:
    """A request as it came: its bytes and its headers."""

    data: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


BegunRequest: TypeAlias = Handler | NativeExchange | dict[str, Any]
"""What becomes of a request: an exchange, or its answer where no upstream is asked."""


SettleCalls: TypeAlias = Callable[..., Coroutine[Any, Any, None]]
"""Finds out what an upstream needs; gets the headers of a request, if there is one."""
RetrieveResult: TypeAlias = Callable[[str, Mapping[str, str]], dict[str, Any]]
"""Gets the answer that gives a result back, by its hash and the headers of a request."""


class Endpoint(Protocol):
    """What makes an exchange of a request, or its answer where no upstream is asked.

    None is for what is passed through as it is.
    """

    def begin(self, body: dict[str, Any], sent: RawRequest) -> BegunRequest | None:
        """Get the exchange of a request. Raises `RefusedError`."""

    def record(self, exchange: Any) -> None:
        """Take note of an exchange whose answer has been given."""


def gateway(
    upstream: Upstream,
    endpoints: Mapping[str, Endpoint],
    *,
    doors: Doors | None = None,
    bodies: Bodies | None = None,
    max_running: int = MAX_RUNNING,
    metrics: Metrics | None = None,
    tell: Callable[[str], None] | None = None,
    one_thread: bool = False,
    settle: SettleCalls | None = None,
    failed: Callable[[Any, RefusedError], None] | None = None,
    retrieve: RetrieveResult | None = None,
    pages: Sequence[Route] = (),
    conversations: KnownConversations | None = None,
) -> Starlette:
    """Get the application: `endpoints` by their paths, and all other paths of `/v1` passed through.

    The API's own paths are served without `/v1`, too. What has a key in `doors` goes no further.
    `/health` and `/metrics` are for everybody who reaches the server. `tell` gets a line a request.
    With `one_thread` all requests are read on one, which is not that of the server. `settle` is
    awaited at the start, and before each request with its headers: it finds out what the upstream
    needs. `failed` gets each exchange that failed, and why.
    `retrieve` answers `/v1/retrieve/{hash}`. `pages` are served besides.
    `conversations` keeps what was made of those that go on.
    """
    shared = _Shared(
        upstream,
        doors or Doors(),
        bodies or Bodies(),
        max_running,
        metrics,
        tell,
        one_thread=one_thread,
        settle=settle,
        failed=failed,
        conversations=conversations,
    )

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def figures(_: Request) -> Response:
        return Response(shared.metrics.text(), media_type="text/plain; version=0.0.4")

    other = _Endpoint(shared, "other", None)
    routes = [Route("/health", health), Route("/metrics", figures), *pages]
    for path, one in endpoints.items():
        served = _Endpoint(shared, path, one)
        routes += [Route(each, served, methods=["POST"]) for each in (path, path[len(_V1) :])]
    if retrieve:
        found = _Retrieval(shared, retrieve)
        routes += [Route(path, found, methods=["GET"]) for path in _RETRIEVE]
    routes += [Route(path, other, methods=_METHODS) for path in (f"{_V1}/{{rest:path}}", *_SHORT)]
    entrance = [Middleware(_AccessMiddleware, shared)]
    if origins := shared.doors.origins:
        entrance.append(
            Middleware(
                CORSMiddleware,
                allow_origins=sorted(origins),
                allow_methods=_METHODS,
                allow_headers=["*"],
            )
        )
    app = Starlette(
        routes=routes,
        middleware=entrance,
        lifespan=lambda _: _lifespan(shared),
        exception_handlers={HTTPException: _not_here},
    )
    app.router.redirect_slashes = False
    return app


@asynccontextmanager
async def _lifespan(shared: "_Shared") -> AsyncIterator[None]:
    look = asyncio.create_task(shared.upstream.look())
    settle = asyncio.create_task(shared.settle()) if shared.settle else None
    yield
    look.cancel()
    if settle:
        settle.cancel()
    with suppress(TimeoutError):  # what was told to end says so to its client
        async with asyncio.timeout(_ENDING_S):
            while shared.running:
                await asyncio.sleep(0.01)
    for worker in shared.workers:
        worker.shutdown(wait=False, cancel_futures=True)
    await shared.upstream.close()


async def _not_here(request: Request, error: Exception) -> Response:
    """Say in JSON where nothing is, and what may have been meant."""
    assert isinstance(error, HTTPException)
    path = request.url.path
    words = f"nothing is served at {request.method} {path}"
    if not path.startswith(f"{_V1}/"):
        words += f": OpenAI's API is below {_V1}/, and other paths of the upstream are not served"
    code = "method_not_allowed" if error.status_code == 405 else "not_found"
    refusal = RefusedError(error.status_code, words, code=code)
    return JSONResponse(_error(path, refusal), error.status_code, headers=error.headers)


def _error(path: str, refusal: RefusedError) -> dict[str, Any]:
    """Get an error in the shape of the API that is asked."""
    is_messages = _V1 + path.removeprefix(_V1) in (messages.PATH, messages.COUNT_PATH)
    return messages.error_body(refusal) if is_messages else refusal.body


_T = TypeVar("_T")


class _Shared:
    """What all endpoints share."""

    def __init__(
        self,
        upstream: Upstream,
        doors: Doors,
        bodies: Bodies,
        most: int,
        metrics: Metrics | None,
        tell: Callable[[str], None] | None,
        *,
        one_thread: bool,
        settle: SettleCalls | None,
        failed: Callable[[Any, RefusedError], None] | None,
        conversations: KnownConversations | None,
    ) -> None:
        self.settle, self.failed = settle, failed
        self.upstream, self.doors, self.bodies = upstream, doors, bodies
        self.metrics, self.tell = metrics or Metrics(), tell
        self.most, self.running = most, 0
        self.conversations = conversations or KnownConversations()
        self.uncollected = _WithoutCollector()
        # No more, as they would only take turns.
        self.workers = [
            ThreadPoolExecutor(1, "lton-gateway") for _ in range(1 if one_thread else 2)
        ]
        """For large requests, and the last for huge ones."""
        self.large = 0 if one_thread else _LARGE
        """Bytes of a request from which on it is read on that thread."""

    async def work(
        self,
        body: HeldBody,
        do: Callable[..., _T],
        *args: Any,
        share: float = 1.0,
        answered: int = 0,
    ) -> _T:
        """Do what takes as long as the body is large, and let others be served meanwhile.

        Another thread costs more than what takes a small `share` of the time. `answered` is the
        size of an answer that is read, too.
        """
        if len(body.data) * share < self.large and answered * _READ_AGAIN < self.large:
            return do(*args)
        worker = self.workers[-1 if len(body.data) >= _HUGE else 0]
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(worker, self.uncollected.run, do, *args)

    @asynccontextmanager
    async def admitted(self) -> AsyncIterator[None]:
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

    def forwarded_headers(self, headers: Headers) -> dict[str, str]:
        """Get the client's headers, without a key that is ours."""
        return forwarded(headers, key=self.doors.api_key)


class _AccessMiddleware:
    """What every request passes, whatever its path."""

    def __init__(self, app: ASGIApp, shared: _Shared) -> None:
        self.app, self.shared = app, shared

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            # A copy: what comes after the body is added to the server's own list, without bound.
            scope = {**scope, "headers": [*scope["headers"]]}
            try:
                check_headers(scope["headers"])
                headers = Headers(scope=scope)
                self.shared.doors.check(scope["raw_path"].decode("latin-1"), headers)
                check_framing(scope["http_version"], headers)
            except RefusedError as refusal:
                out = _Output(send, self.shared, scope, "refused")
                await out.refuse(refusal)
                out.count()
                return
        await self.app(scope, receive, send)


class _Endpoint:
    """One endpoint, as an ASGI application: Starlette's own do not notice a client that leaves."""

    def __init__(self, shared: _Shared, name: str, endpoint: Endpoint | None) -> None:
        self.shared, self.name, self.endpoint = shared, name, endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        shared, headers = self.shared, Headers(scope=scope)
        out = _Output(send, shared, scope, self.name)
        try:
            shared.doors.check_key(headers)
            if self.endpoint or has_body(headers):
                check_kind(headers, files=self.endpoint is None)
            async with shared.bodies.read(headers, receive) as body, shared.admitted():
                await _race(receive, out, self.answer(scope, headers, body, out))
        except RefusedError as refusal:
            await out.refuse(refusal)
        except GoneError:
            out.status = "left"
            shared.metrics.left.labels(self.name).inc()
        except asyncio.CancelledError:  # the time to end has passed
            await out.refuse(RefusedError(503, "the gateway was told to end", "server_error"))
        except Exception:  # whatever it is, a client gets an answer, and the log the reason
            _log.exception("a request failed")
            if not out.status:
                out.exchange = None  # what it has may be what failed
            await out.refuse(RefusedError(500, "an error of the gateway", "server_error"))
        finally:
            out.count()

    async def answer(self, scope: Scope, headers: Headers, body: HeldBody, out: "_Output") -> None:
        work, endpoint, exchange = self.shared.work, self.endpoint, None
        if endpoint:
            values = await self.shared.bodies.values(body, partial(work, body, share=_QUICK))
            if self.shared.settle:
                await self.shared.settle(self.shared.forwarded_headers(headers))
            sent = RawRequest(body.data, headers)
            exchange = await work(body, _begun, endpoint, self.shared.conversations, values, sent)
        if endpoint is None or exchange is None:
            await self.pass_through(scope, headers, body, out)
            return
        if isinstance(exchange, dict):
            await out.exactly(exchange)
            return
        if isinstance(exchange, NativeExchange):
            await self.forward(scope, exchange, headers, body, out)
            return
        out.exchange = exchange
        try:
            await self.run(exchange, headers, body, out)
        except RefusedError as refusal:
            if self.shared.failed:
                self.shared.failed(exchange, refusal)
            raise
        out.tokens = exchange.total_usage()
        # Before its last byte: who has all of an answer finds it counted.
        await work(body, endpoint.record, exchange)
        if exchange.streamed:
            await out.piece(exchange.finish())
            await out.end()
        else:
            await out.json(200, exchange.response())

    async def run(
        self, exchange: Handler, headers: Headers, body: HeldBody, out: "_Output"
    ) -> None:
        """Ask the upstream until all has been said, and give what a stream has now."""
        sent = self.shared.forwarded_headers(headers)
        while (
            request := await self.shared.work(
                body, exchange.next_request, answered=exchange.held_text
            )
        ) is not None:
            async with aclosing(
                self.shared.upstream.stream(exchange.path, request, sent)
            ) as events:
                async for each in events:
                    if piece := exchange.receive(each):
                        await out.piece(piece)
                    if exchange.is_done:
                        break

    async def pass_through(
        self, scope: Scope, headers: Headers, body: HeldBody, out: "_Output"
    ) -> None:
        """Ask as the client does, and answer as the upstream does."""
        async with self.opened(scope, headers, body.data) as reply:
            await out.start(reply.status_code, _response_headers(reply))
            async for chunk in reply.aiter_raw():
                await out.piece(chunk)
        await out.end()

    def opened(
        self, scope: Scope, headers: Headers, content: bytes
    ) -> AbstractAsyncContextManager[Any]:
        """Ask the upstream the same path with a content."""
        query = scope["query_string"].decode("latin-1")
        path = scope["raw_path"].decode("latin-1")
        path = path if path.startswith(f"{_V1}/") else _V1 + path
        target = path + (f"?{query}" if query else "")
        sent = self.shared.forwarded_headers(headers)
        return self.shared.upstream.open(scope["method"], target, content, sent)

    async def forward(
        self,
        scope: Scope,
        exchange: NativeExchange,
        headers: Headers,
        body: HeldBody,
        out: "_Output",
    ) -> None:
        """Ask as the client does, and give the answer as it comes, with its calls looked at.

        An answer that says nothing is asked for once more.
        """
        try:
            await self.forward_once(scope, exchange, headers, body, out)
        except RefusedError as refusal:
            if refusal.code != EMPTY or not (again := exchange.asked_again()):
                raise
            await self.forward_once(scope, again, headers, body, out)
        await out.end()

    async def forward_once(
        self,
        scope: Scope,
        exchange: NativeExchange,
        headers: Headers,
        body: HeldBody,
        out: "_Output",
    ) -> None:
        async with self.opened(scope, headers, exchange.content) as reply:
            if reply.status_code != 200:
                await out.start(reply.status_code, _response_headers(reply))
                async for chunk in reply.aiter_raw():
                    await out.piece(chunk)
            elif "text/event-stream" in reply.headers.get("content-type", ""):
                exchange.streamed = True
                await self.forward_stream(exchange, reply, body, out)
            else:
                exchange.streamed = False
                raw = await read_reply(reply)
                data = await self.shared.work(body, exchange.response, raw, answered=len(raw))
                await self.note(exchange, body, out)
                await out.start(200, _response_headers(reply))
                await out.piece(data)

    async def forward_stream(
        self, exchange: NativeExchange, reply: Any, body: HeldBody, out: "_Output"
    ) -> None:
        out.exchange, is_noted = exchange, False
        async for chunk in reply.aiter_raw():
            pieces = exchange.receive(chunk)
            while piece := await self.read(body, exchange, next, pieces, b""):
                if exchange.is_last and not is_noted:
                    is_noted = True
                    await self.note(exchange, body, out)
                await out.piece(piece, _response_headers(reply))
            if exchange.is_done:
                break
        piece = await self.read(body, exchange, exchange.finish)
        if not is_noted:
            await self.note(exchange, body, out)
        if piece:
            await out.piece(piece, _response_headers(reply))

    async def read(
        self, body: HeldBody, exchange: NativeExchange, do: Callable[..., bytes], *args: Any
    ) -> bytes:
        """Read more of a stream: with others beside it, where a long text may be a call."""
        if not exchange.held_text:
            return do(*args)
        return await self.shared.work(body, do, *args, share=0, answered=exchange.held_text)

    async def note(self, exchange: NativeExchange, body: HeldBody, out: "_Output") -> None:
        """Take note of an answer, before its client has all of it."""
        assert self.endpoint is not None  # which has made the exchange
        out.tokens = exchange.total_usage()
        share = _QUICK if isinstance(exchange, NativeExchange) else 1.0
        await self.shared.work(body, self.endpoint.record, exchange, share=share)


class _Retrieval(_Endpoint):
    """What gives back a result that was left out."""

    def __init__(self, shared: _Shared, retrieve: RetrieveResult) -> None:
        super().__init__(shared, "/v1/retrieve", None)
        self.retrieve = retrieve

    async def answer(self, scope: Scope, headers: Headers, body: HeldBody, out: "_Output") -> None:
        del body
        loop, name = asyncio.get_running_loop(), scope["path_params"]["hash"]
        await out.exactly(
            await loop.run_in_executor(self.shared.workers[0], self.retrieve, name, headers)
        )


async def _race(receive: Receive, out: "_Output", answer: Coroutine[Any, Any, None]) -> None:
    """Answer until the answer ends or the client leaves, whichever is first."""
    work, gone = asyncio.create_task(answer), asyncio.create_task(_gone(receive))
    tasks = (work, gone, asyncio.create_task(out.keep_alive()))
    try:
        await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise GoneError
        await work
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)  # until the upstream's connection is closed


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class _WithoutCollector:
    """Does what makes many objects at once, without the garbage collector.

    It would look at all of them again and again, and every thread waits while it does.
    """

    def __init__(self) -> None:
        self.lock, self.running = Lock(), 0
        self.was_enabled = False

    def run(self, do: Callable[..., _T], *args: Any) -> _T:
        with self.lock:
            if not self.running:
                self.was_enabled = gc.isenabled()
            self.running += 1
            gc.disable()
        try:
            return do(*args)
        finally:
            with self.lock:
                self.running -= 1
                if self.was_enabled and not self.running:
                    gc.enable()


def _response_headers(reply: Any) -> list[tuple[str, str]]:
    """Get the headers of an answer that its client is given."""
    return [
        (name, value)
        for name, value in reply.headers.items()
        if (name in _RESPONSE_HEADERS or name.startswith(_RESPONSE_HEADERS_LIKE))
        and value.isascii()
        and len(value) <= _LONGEST_HEADER
    ]


def _begun(
    endpoint: Endpoint, conversations: KnownConversations, body: dict[str, Any], sent: RawRequest
) -> BegunRequest | None:
    try:
        return endpoint.begin(conversations.known(body), sent)
    except RecursionError:
        raise RefusedError(400, "the body is nested too deep") from None


class _Output:
    """What goes to one client, and how far it has gone."""

    def __init__(self, send: Send, shared: _Shared, scope: Scope, name: str) -> None:
        self.send, self.metrics, self.tell = send, shared.metrics, shared.tell
        self.scope, self.name = scope, name
        self.tokens: Mapping[str, Any] = {}
        self.exchange: Handler | NativeExchange | None = None
        self.status = ""
        self.began = perf_counter()
        self.last_sent = 0.0
        """When the last piece was sent."""

    async def start(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        self.status = str(status)
        given = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await self.send({"type": "http.response.start", "status": status, "headers": given})

    async def piece(self, data: bytes, headers: Iterable[tuple[str, str]] = _STREAM) -> None:
        if not self.status:
            await self.start(200, headers)
        if not self.last_sent:
            self.metrics.first_byte.labels(self.name).observe(perf_counter() - self.began)
        self.last_sent = perf_counter()
        await self.send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self) -> None:
        await self.send({"type": "http.response.body", "body": b""})

    async def json(self, status: int, value: Any, *headers: tuple[str, str]) -> None:
        await self.start(status, [("content-type", "application/json"), *headers])
        # A client may have sent half of a character, in the model's name say, and gets `?` for it.
        await self.piece(minified(value).encode(errors="replace"))
        await self.end()

    async def exactly(self, value: Any) -> None:
        """Answer with what a client has sent, also half of a character."""
        await self.start(200, [("content-type", "application/json")])
        await self.piece(minified(value).encode(errors="backslashreplace"))
        await self.end()

    async def refuse(self, refusal: RefusedError) -> None:
        """Say why there is no answer: by the status, or in a stream that has begun.

        The text that came is given with it.
        """
        if not self.status:
            if self.exchange:
                refusal.partial = self.exchange.received_text()
            retry = refusal.retry_after
            is_given = retry and retry.isascii() and len(retry) <= _LONGEST_HEADER
            later = [("retry-after", str(retry))] if is_given else []
            body = _error(self.scope["path"], refusal)
            await self.json(refusal.status, body, *later, *refusal.headers)
        elif self.exchange:
            self.status = str(refusal.status)
            await self.piece(self.exchange.fail(refusal))
            await self.end()
        # else what was passed through stops in the middle, as its upstream did

    async def keep_alive(self) -> None:
        """Send a comment whenever a stream has been silent; so it may begin before its answer."""
        while True:
            await asyncio.sleep(_KEEP_ALIVE_S)
            is_open = self.exchange and self.exchange.streamed
            if is_open and perf_counter() - self.last_sent >= _KEEP_ALIVE_S:
                await self.piece(PING if self.name == messages.PATH else WAITING)

    def count(self) -> None:
        took = perf_counter() - self.began
        self.metrics.requests.labels(self.name, self.status or "none").inc()
        self.metrics.duration.labels(self.name).observe(took)
        if self.tell:
            self.tell(request_line(self.scope, self.status or "none", took, self.tokens))
