"""Send an answer or an error to a client."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from time import perf_counter
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Scope, Send

from lton._json import minified
from lton._terminal import say
from lton.apis.refusals import RefusedError
from lton.apis.registry import api_of_path
from lton.gateway.exchange import BaseExchange
from lton.gateway.headers import is_acceptable
from lton.gateway.metrics import Metrics
from lton.gateway.native.passthrough import NativeExchange

V1 = "/v1"
_SHOWN_PATH = 100
_KEEP_ALIVE_S = 15.0
_STREAM = (
    ("content-type", "text/event-stream; charset=utf-8"),
    ("cache-control", "no-cache"),
    ("x-accel-buffering", "no"),  # for nginx
)


def format_error_for_path(path: str, refusal: RefusedError) -> dict[str, Any]:
    """Return an error in the format of the API that the client uses."""
    api = api_of_path(V1 + path.removeprefix(V1))
    return api.write_error(refusal.body, refusal.status)


async def respond_not_found(request: Request, error: Exception) -> Response:
    """Respond with status 404 or 405, and a hint as JSON."""
    assert isinstance(error, HTTPException)
    path = request.url.path
    words = f"nothing is served at {request.method} {path}"
    if not path.startswith(f"{V1}/"):
        words += f": OpenAI's API is below {V1}/, and other paths of the upstream are not served"
    code = "method_not_allowed" if error.status_code == 405 else "not_found"
    refusal = RefusedError(error.status_code, words, code=code)
    return JSONResponse(
        format_error_for_path(path, refusal), error.status_code, headers=error.headers
    )


class ClientOutput:
    """Sends the response to one client, and records its status and duration."""

    def __init__(
        self,
        send: Send,
        scope: Scope,
        name: str,
        metrics: Metrics,
        tell: Callable[[str], None] | None,
    ) -> None:
        self.send = send
        self.scope = scope
        self.name = name
        self.metrics = metrics
        self.tell = tell
        self.tokens: Mapping[str, Any] = {}
        self.exchange: BaseExchange[Any] | NativeExchange | None = None
        self.status = ""
        self.began = perf_counter()
        self.last_sent = 0.0

    async def begin_response(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        self.status = str(status)
        encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await self.send({"type": "http.response.start", "status": status, "headers": encoded})

    async def send_piece(self, data: bytes, headers: Iterable[tuple[str, str]] = _STREAM) -> None:
        if not self.status:
            await self.begin_response(200, headers)
        if not self.last_sent:
            self.metrics.first_byte.labels(self.name).observe(perf_counter() - self.began)
        self.last_sent = perf_counter()
        await self.send({"type": "http.response.body", "body": data, "more_body": True})

    async def end_response(self) -> None:
        await self.send({"type": "http.response.body", "body": b""})

    async def send_json(
        self, status: int, value: Any, *headers: tuple[str, str], errors: str = "replace"
    ) -> None:
        await self.begin_response(status, [("content-type", "application/json"), *headers])
        # A lone surrogate from the client, for example in the model's name, becomes `?`.
        await self.send_piece(minified(value).encode(errors=errors))
        await self.end_response()

    async def send_refusal(self, refusal: RefusedError) -> None:
        """Send an error, as a response or at the end of a stream that has begun."""
        if not self.status:
            if self.exchange:
                refusal.partial = self.exchange.join_received_text()
            retry = refusal.retry_after
            is_given = retry and is_acceptable(retry)
            later = [("retry-after", str(retry))] if is_given else []
            body = format_error_for_path(self.scope["path"], refusal)
            await self.send_json(refusal.status, body, *later, *refusal.headers)
        elif self.exchange:
            self.status = str(refusal.status)
            await self.send_piece(self.exchange.write_failure(refusal))
            await self.end_response()
        # otherwise the response just ends, as the upstream's did

    async def keep_alive(self) -> None:
        """Send comments while a stream is idle and begin the stream if necessary."""
        while True:
            await asyncio.sleep(_KEEP_ALIVE_S)
            is_open = self.exchange and self.exchange.streamed
            if is_open and perf_counter() - self.last_sent >= _KEEP_ALIVE_S:
                await self.send_piece(api_of_path(self.name).keep_alive)

    def count_request(self) -> None:
        took = perf_counter() - self.began
        self.metrics.requests.labels(self.name, self.status or "none").inc()
        self.metrics.duration.labels(self.name).observe(took)
        if self.tell:
            self.tell(write_request_line(self.scope, self.status or "none", took, self.tokens))


def write_request_line(
    scope: Mapping[str, Any], status: str, took_s: float, tokens: Mapping[str, Any]
) -> str:
    """Return the log line of a request, without the query, which may contain a key."""
    path = scope["raw_path"].decode("latin-1")[:_SHOWN_PATH]
    line = f"{scope['method']} {path} {status} {1000 * took_s:.0f} ms"
    read, completed = (tokens.get(f"{kind}_tokens") or 0 for kind in ("prompt", "completion"))
    return f"{line} {read}+{completed} tokens" if read or completed else line


def print_line(line: str) -> None:
    """Print a line to the terminal."""
    with suppress(OSError, ValueError):  # a closed terminal must not fail a request
        say(line)
