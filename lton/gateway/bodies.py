"""Read request bodies with limited size, time and memory."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

from starlette.datastructures import Headers
from starlette.types import Receive

from lton.apis.refusals import BODY_MEMORY_MB, RefusedError
from lton.gateway.decompressing import decompress_body

MB = 1024 * 1024
MAX_BODY = 32 * MB  # bytes of a request
MAX_VALUES = 300_000  # JSON values of a request: reading more would block other requests
_EXCERPT = 60  # characters of a body that an error quotes
_MAX_QUOTES = 4 * MAX_VALUES + 4  # each value has at most a key and a string
SMALL = 64 * 1024  # bytes of a body that are not counted: its connection buffers as much anyway
_VALUE = 64  # approximate bytes of a JSON value in memory
_WAIT_S = 30.0
_SLOWEST = 32 * 1024  # the minimum bytes per second, after the first seconds

Work: TypeAlias = Callable[..., Awaitable[Any]]  # calls a function while other requests are served


class GoneError(Exception):
    """Raised if the client has disconnected."""


@dataclass(eq=False)
class HeldBody:
    """The part of a request body that has arrived."""

    data: bytes = b""
    counted_bytes: int = 0  # the bytes counted for this body
    limit: asyncio.Timeout = field(default_factory=lambda: asyncio.timeout(_WAIT_S))
    is_refused: bool = False


class Bodies:
    """Limits the memory of all request bodies, and refuses the largest if memory is short."""

    def __init__(self, most: int = MAX_BODY, most_all: int = BODY_MEMORY_MB * MB) -> None:
        self.most = most
        self.most_all = most_all
        self.coming: set[HeldBody] = set()
        self.counted_bytes = 0

    @asynccontextmanager
    async def holding_body(self, headers: Headers, receive: Receive) -> AsyncIterator[HeldBody]:
        """Receive a request's body. Raises `RefusedError` (408, 413, 415 or 503) or `GoneError`."""
        declared = headers.get("content-length", "0")
        if declared.isdecimal() and int(declared) > self.most:
            self._refuse_long_body()
        body = HeldBody()
        self.coming.add(body)
        try:
            body.data = await self._receive_whole(body, receive)
            if coding := headers.get("content-encoding", "").strip().lower():
                plain = await asyncio.to_thread(decompress_body, body.data, coding, self.most)
                self._hold_memory(body, max(0, len(plain) - len(body.data)))
                body.data = plain
            self.coming.discard(body)
            yield body
        finally:
            self.coming.discard(body)
            self.counted_bytes -= body.counted_bytes

    async def parse_values(self, body: HeldBody, work: Work) -> dict[str, Any]:
        """Parse a body's JSON object, using `work`. Raises `RefusedError` (400, 413 or 503)."""
        text, count = await work(_decode_and_count, body.data)
        self._hold_memory(body, count * _VALUE)
        values: dict[str, Any] = await work(_parse_object, text)
        return values

    async def _receive_whole(self, body: HeldBody, receive: Receive) -> bytes:
        data = bytearray()
        more = True
        began = asyncio.get_running_loop().time()
        try:
            async with body.limit:
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise GoneError
                    piece = message.get("body", b"")
                    data += piece
                    more = message.get("more_body", False)
                    if body.is_refused:
                        break
                    if len(data) > self.most:
                        self._refuse_long_body()
                    self._hold_memory(body, min(len(piece), max(0, len(data) - SMALL)))
                    body.limit.reschedule(began + _WAIT_S + len(data) / _SLOWEST)
        except TimeoutError:
            if not body.is_refused:
                words = f"the body arrived too slowly: {len(data)} bytes"
                raise RefusedError(408, words, code="request_timeout") from None
        if body.is_refused:
            raise _make_no_room_error()
        return bytes(data)

    def _hold_memory(self, body: HeldBody, more: int) -> None:
        """Count more bytes of a body and refuse the largest incoming body if memory is short."""
        body.counted_bytes += more
        self.counted_bytes += more
        while self.counted_bytes > self.most_all:
            largest = max((body, *self.coming), key=lambda coming_body: coming_body.counted_bytes)
            self.counted_bytes -= largest.counted_bytes
            largest.counted_bytes = 0
            largest.is_refused = True
            if largest is body:
                raise _make_no_room_error()
            self.coming.discard(largest)
            largest.limit.reschedule(asyncio.get_running_loop().time())

    def _refuse_long_body(self) -> NoReturn:
        raise RefusedError(413, f"the request is longer than {self.most} bytes")


def _make_no_room_error() -> RefusedError:
    words = "no memory is free for a request of this size: try again later"
    return RefusedError(503, words, "server_error", retry_after="1")


def _decode_and_count(body: bytes) -> tuple[str, int]:
    """Decode a body and return an upper bound on the number of its JSON values."""
    try:
        text = body.decode("utf-8-sig", "surrogatepass")
    except ValueError as error:
        raise RefusedError(400, f"the body is not UTF-8: {error}") from None
    count = _count_brackets(text)
    if count > MAX_VALUES:
        text_without = text.replace("\\\\", "").replace('\\"', "")
        if text_without.count('"') <= _MAX_QUOTES:
            count = sum(map(_count_brackets, text_without.split('"')[::2]))
    if count > MAX_VALUES:
        words = f"the JSON has more than {MAX_VALUES} values: send less in one request"
        raise RefusedError(413, words, code="too_many_values")
    return text, count


def _count_brackets(text: str) -> int:
    return sum(map(text.count, ",[{"))


def _parse_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_parse_number)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, f"the body is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise RefusedError(400, f"expected an object in JSON, found {text.strip()[:_EXCERPT]}")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"JSON has no number {name}")


def _parse_number(text: str) -> float:
    number = float(text)
    return number if abs(number) < float("inf") else _refuse_constant(text[:40])
