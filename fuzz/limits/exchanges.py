"""Probes of requests to the gateway, and of the answers of upstreams."""

import asyncio
import zlib
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

from starlette.datastructures import Headers

from fuzz.limits.probe import Probe
from lton.apis.chat_api import read_chat
from lton.apis.refusals import make_odd_event_error
from lton.apis.sse import EventCutter
from lton.errors import ConversionError
from lton.gateway import bodies
from lton.gateway.access import AccessRules
from lton.gateway.bodies import Bodies, _decode_and_count, _parse_object
from lton.gateway.decompressing import decompress_body
from lton.gateway.handling import MAX_RUNNING, GatewayState
from lton.gateway.headers import check_header_sizes, forwarded_headers
from lton.gateway.metrics import Metrics
from lton.gateway.routing import AccessMiddleware
from lton.gateway.upstreams.http_upstream import read_reply_bytes
from lton.tokens.pictures import without_media
from tests.gateway import native
from tests.gateway.test_growth import (
    answered_calls,
    answered_choices,
    called,
    events,
    in_parts,
    repeat_message,
    tools,
    wide,
)


def _request_probe(make: Callable[[int], dict[str, Any]], *more: Any) -> Probe:
    return Probe(lambda n: native.request("chat", **make(n)), read_chat, *more)


def _read_body(data: bytes) -> None:
    sent = iter([{"type": "http.request", "body": data}])

    async def receive() -> Any:
        return next(sent)

    async def read() -> None:
        async with Bodies(bodies.MAX_BODY).holding_body(Headers({}), receive):
            pass

    asyncio.run(read())


def _make_gateway() -> GatewayState:
    shared = object.__new__(GatewayState)
    shared.access, shared.metrics, shared.running = AccessRules(), Metrics(), 0
    shared.max_running = MAX_RUNNING
    return shared


def _admit_requests(count: int) -> None:
    """Admit the given number of requests, none of which ends before all have begun."""

    async def run() -> None:
        shared = _make_gateway()
        async with AsyncExitStack() as stack:
            for _ in range(count):
                await stack.enter_async_context(shared.admitting_request())

    asyncio.run(run())


def _send_trailers(count: int) -> None:
    """Send the given number of trailers, which a server adds to the headers after the body."""
    given = [(b"host", b"localhost"), (b"x-app", b"cli")]

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        given.extend((b"x-%d" % i, b"a") for i in range(count))
        assert forwarded_headers(Headers(scope=scope)) == {"x-app": "cli"}

    scope = {"type": "http", "http_version": "1.1", "raw_path": b"/v1/x", "headers": given}
    asyncio.run(AccessMiddleware(app, _make_gateway())(scope, None, None))  # type: ignore[arg-type]


def _read_reply(pieces: list[bytes]) -> None:
    class Reply:
        async def aiter_raw(self) -> Any:
            for piece in pieces:
                yield piece

    asyncio.run(read_reply_bytes(Reply()))


def _cut_events(data: bytes) -> None:
    cutter = EventCutter()
    try:
        for at in range(0, len(data), 10_000):
            list(cutter.feed(data[at : at + 10_000]))
    except ConversionError as error:
        raise make_odd_event_error(error) from None


def _make_wide_tools(count: int) -> dict[str, Any]:
    return {"tools": [native.tool("chat", "f", wide(count // 4))]}


PROBES: dict[str, Probe] = {
    # --- requests to the gateway
    "simultaneous requests": Probe(int, _admit_requests),
    "headers of a request": Probe(lambda n: [(b"x", b"")] * n, check_header_sizes, 80),
    "bytes of the headers of a request": Probe(
        lambda n: [(b"x", b"y" * (n - 1))], check_header_sizes, 30_000
    ),
    "trailers of a chunked request": Probe(int, _send_trailers),
    "bytes of a request": Probe(lambda n: b" " * n, _read_body, 10**6),
    "bytes of a compressed request after decompression": Probe(
        lambda n: zlib.compress(b" " * n),
        lambda data: decompress_body(data, "deflate", bodies.MAX_BODY),
        10**6,
    ),
    "JSON values in a request": Probe(
        lambda n: b"[" + b"1," * (n - 2) + b"1]", _decode_and_count, 30_000
    ),
    "nesting levels of a request": Probe(lambda n: '{"a":' * n + "1" + "}" * n, _parse_object, 400),
    "messages of a request": _request_probe(lambda n: {"messages": repeat_message(n)}),
    "parts of a message": _request_probe(lambda n: {"messages": in_parts(n)}),
    "calls and results of a request": _request_probe(lambda n: {"messages": called(n)}),
    "bytes of an image whose tokens are counted": Probe(
        lambda n: '{"type": "base64", "data": "' + "A" * n + '"}', without_media, 10**6
    ),
    "stop strings of a request": _request_probe(
        lambda n: {"stop": [f"stop {i}" for i in range(n)]}, 32
    ),
    "tools of a request": _request_probe(lambda n: {"tools": tools(n)}, 250),
    "JSON values in the tools of a request": _request_probe(_make_wide_tools, 4_000),
    "choices of a request": _request_probe(lambda n: {"n": n}, 8),
    # --- answers of upstreams
    "bytes of a response": Probe(lambda n: [b"x" * 100] * (n // 100), _read_reply, 10**6),
    "bytes of an event": Probe(lambda n: b"data: {" + b"x" * n, _cut_events, 10**6),
    "events of a response": Probe(int, events),
    "calls of a response": Probe(int, answered_calls),
    "choices of a response": Probe(int, answered_choices),
}
