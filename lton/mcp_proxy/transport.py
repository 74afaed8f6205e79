"""Connect the proxy to the transports of the library `mcp`, versions 1 and 2.

The library's sessions are not used, so unknown messages can be passed on.
"""

import logging
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from importlib import import_module
from typing import Any

from lton._require import require
from lton._terminal import say
from lton.errors import Code, ServerError
from lton.mcp_proxy.faults import HttpFaults
from lton.mcp_proxy.proxy import RpcMessage, Send, second_era
from lton.mcp_proxy.revival import RevivingProxy

Streams = tuple[Any, ...]
"""Streams of `SessionMessage`s to read and to write; over HTTP also an `HttpFaults`."""
Upstream = Callable[[], AbstractAsyncContextManager[Streams]]
Connect = Callable[[Mapping[str, str]], AbstractAsyncContextManager[Streams]]
"""Connects to a server over HTTP, with headers."""

_WAITING = 1000  # the maximum number of messages that wait for a server that does not read
_TICK_S = 0.2  # seconds between checks of deadlines
_LAST_WORDS_S = 1.0
_VERSION = "mcp-protocol-version"


class Library:
    """The parts of the library `mcp`, which have different names in its two versions."""

    def __init__(self) -> None:
        self.anyio = require("anyio", "mcp")
        self.mcp = require("mcp", "mcp")
        self.messages = require("mcp.shared.message", "mcp")
        types = require("mcp.types", "mcp")
        self.inbound, self._handshakes = _second_era()
        self._adapter = require("pydantic", "mcp").TypeAdapter(types.JSONRPCMessage)
        closed, broken = self.anyio.ClosedResourceError, self.anyio.BrokenResourceError
        self.gone: tuple[type[Exception], ...] = closed, broken
        """The errors raised if the other side has ended."""
        logging.getLogger("mcp").addHandler(logging.NullHandler())  # hides the library's tracebacks

    def json_of(self, message: Any) -> RpcMessage:
        """Convert a message to JSON, including infinite numbers."""
        found: RpcMessage = message.message.model_dump(by_alias=True, exclude_unset=True)
        return found

    def to_client(self, send: Send) -> Any:
        about = None
        if send.related is not None:
            about = self.messages.ServerMessageMetadata(related_request_id=send.related)
        return self._message(send.message, about)

    def to_server(self, send: Send, version: str | None) -> Any:
        """Convert a message for a server. Over HTTP, it also has headers."""
        about = None
        known = self.messages.ClientMessageMetadata
        headers = self._headers(send) or ({_VERSION: version} if version else {})
        if headers and "headers" in known.__dataclass_fields__:
            about = known(headers=headers)
        return self._message(send.message, about)

    def _headers(self, send: Send) -> dict[str, str]:
        inbound, message = self.inbound, send.message
        version = second_era(message)
        if inbound is None or version not in inbound.MODERN_PROTOCOL_VERSIONS:
            return {}
        headers = {_VERSION: version, inbound.MCP_METHOD_HEADER: message["method"]}
        if (name := self.name_of(message)) is not None:
            headers[inbound.MCP_NAME_HEADER] = inbound.encode_header_value(name)
        if send.schema is not None:
            mirrored = inbound.x_mcp_header_map(send.schema)
            arguments = message["params"].get("arguments")
            headers |= inbound.mcp_param_headers(mirrored, arguments or {})
        return headers

    def name_of(self, message: RpcMessage) -> str | None:
        """Return the name that a request of the second era repeats in a header."""
        method = message["method"]
        is_task = method in ("tasks/get", "tasks/update", "tasks/cancel")
        key = "taskId" if is_task else self.inbound.NAME_BEARING_METHODS.get(method)
        name = message["params"].get(key)
        return name if isinstance(name, str) else None

    def is_second_era(self, version: str) -> bool:
        return bool(version) and version not in self._handshakes

    def status(self, answer: RpcMessage) -> int:
        code = answer["error"].get("code") if "error" in answer else None
        found: int = self.inbound.ERROR_CODE_HTTP_STATUS.get(code, 200)
        return found

    def _message(self, message: RpcMessage, about: Any) -> Any:
        parsed = self._adapter.validate_python(message)
        return self.messages.SessionMessage(parsed, about)


@asynccontextmanager
async def started(
    library: Library, command: Sequence[str], variables: Mapping[str, str]
) -> AsyncIterator[Streams]:
    """Start a server as a child process, and stop it together with its own children.

    Its environment has only `variables` and the few that every program needs, because a foreign
    server must not see other keys.

    Raises `ServerError` if it does not start.
    """
    program, *arguments = command
    parameters = library.mcp.StdioServerParameters(
        command=program, args=arguments, env=dict(variables), encoding_error_handler="replace"
    )
    client = library.mcp.stdio_client(parameters)
    try:
        streams = await client.__aenter__()
    except (OSError, ValueError) as error:
        msg = f"the server {program!r} does not start: {getattr(error, 'strerror', None) or error}"
        raise ServerError(Code.SERVER, msg) from error
    try:
        yield streams
    finally:
        await client.__aexit__(None, None, None)


@asynccontextmanager
async def connected(
    url: str, headers: Mapping[str, str], more: Mapping[str, str]
) -> AsyncIterator[Streams]:
    """Connect to a server over streamable HTTP."""
    http, faults = require("mcp.client.streamable_http", "mcp"), HttpFaults()
    make = require("mcp.shared._httpx_utils", "mcp").create_mcp_http_client
    async with (
        make(headers={**headers, **more}) as client,
        http.streamable_http_client(url, http_client=client) as streams,
    ):
        client.event_hooks["response"].append(faults.note)
        yield *streams[:2], faults  # version 1 returns a third item


def _second_era() -> tuple[Any, tuple[str, ...]]:
    """Return the library's module for the second era, if any, and the versions of the first era."""
    try:
        inbound = import_module("mcp.shared.inbound")
    except ImportError:
        return None, ()
    return inbound, require("mcp_types.version", "mcp").HANDSHAKE_PROTOCOL_VERSIONS


def inputs(error: Exception) -> Iterator[Any]:
    """Yield the input that the library could not parse."""
    if isinstance(error, ValueError) and hasattr(error, "errors"):  # raised by pydantic
        for one in error.errors(include_url=False):
            yield one["input"]


def first_of(error: BaseException) -> BaseException:
    """Return the first error in a group of errors, or the error itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


class Relay:
    """Relays messages between a client and a server until the client disconnects.

    If the proxy asks for it, `upstream` connects to a server that has ended.
    """

    def __init__(
        self,
        library: Library,
        proxy: RevivingProxy,
        client: Streams,
        server: Streams,
        upstream: Upstream,
    ) -> None:
        self._library = library
        self._anyio = library.anyio
        self._proxy = proxy
        self._from_client, self._client = client
        self._from_server, self._server, *faults = server
        self._faults: HttpFaults | None = faults[0] if faults else None
        self._upstream = upstream
        self._wanted = self._anyio.Event()
        self._number = 0  # the number of servers that have ended
        self._outbox, self._out = self._anyio.create_memory_object_stream(_WAITING)
        self._version: str | None = None

    async def run(self) -> None:
        """Relay messages until the client disconnects, and answer pending requests."""
        try:
            async with self._anyio.create_task_group() as tasks:
                tasks.start_soon(self._write_server)
                tasks.start_soon(self._serve_server)
                tasks.start_soon(self._watch)
                with suppress(*self._library.gone):
                    async for message in self._from_client:
                        if isinstance(message, Exception):
                            await self._send(self._proxy.refused(inputs(message)))
                            continue
                        read = self._library.json_of(message)
                        await self._send(self._proxy.from_client(read, self._now()))
                tasks.cancel_scope.cancel()
        finally:
            with self._anyio.move_on_after(_LAST_WORDS_S, shield=True):
                await self._send(self._proxy.lost())
                await self._anyio.sleep(_TICK_S)  # so that the message is written

    async def _serve_server(self) -> None:
        """Read messages from the server, and from each server that replaces it."""
        await self._read_server()
        while True:
            await self._wanted.wait()
            self._wanted, self._version = self._anyio.Event(), None
            self._number += 1
            try:
                async with self._upstream() as streams:
                    self._from_server, self._server, *faults = streams
                    self._faults = faults[0] if faults else None
                    await self._send(self._proxy.started())
                    await self._read_server()
            except (ServerError, OSError, BaseExceptionGroup) as error:
                if isinstance(error, BaseExceptionGroup) and not isinstance(error, ExceptionGroup):
                    raise
                say(f"the MCP server is not started again: {error}")
                await self._send(self._proxy.lost())

    async def _read_server(self) -> None:
        with suppress(*self._library.gone):
            async for message in self._from_server:
                if isinstance(message, Exception):
                    await self._send(self._proxy.unread(inputs(message)))
                    continue
                read = self._library.json_of(message)
                if self._faults and self._faults.ended(read.get("id")):
                    await self._send(self._proxy.session_over(read["id"], self._now()))
                    return
                if self._faults:
                    read = self._faults.explained(read)
                if self._version is None and isinstance(result := read.get("result"), dict):
                    self._version = result.get("protocolVersion")
                await self._send(self._proxy.from_server(read, self._now()))
        await self._send(self._proxy.lost())

    async def _write_server(self) -> None:
        """Write messages to the server without blocking other tasks."""
        async for number, send in self._out:
            if number == self._number:  # messages for a dead server have failed
                with suppress(*self._library.gone):
                    await self._server.send(self._library.to_server(send, self._version))

    async def _watch(self) -> None:
        while True:
            await self._anyio.sleep(_TICK_S)
            if self._proxy.deadline <= self._now():
                await self._send(self._proxy.overdue(self._now()))

    async def _send(self, sends: Iterable[Send]) -> None:
        for send in sends:
            with suppress(*self._library.gone):
                if send.to == "start":
                    self._wanted.set()
                elif send.to == "server":
                    await self._outbox.send((self._number, send))
                else:
                    await self._client.send(self._library.to_client(send))

    def _now(self) -> float:
        now: float = self._anyio.current_time()
        return now


async def serve_stdio(
    library: Library, proxy: Callable[[], RevivingProxy], upstream: Upstream
) -> None:
    """Serve one client over standard input and output, until the client ends or a signal arrives.

    After a signal, this process ends when the server has stopped, because reading standard input
    cannot be cancelled.
    """
    stdio = require("mcp.server.stdio", "mcp")
    anyio = library.anyio
    ended: list[int] = []

    async with stdio.stdio_server() as client:
        async with anyio.create_task_group() as tasks:

            async def stop_on_signal() -> None:
                with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
                    async for number in signals:
                        ended.append(number)
                        tasks.cancel_scope.cancel()

            tasks.start_soon(stop_on_signal)
            async with upstream() as server:
                await Relay(library, proxy(), client, server, upstream).run()
            tasks.cancel_scope.cancel()
        if ended:
            os._exit(128 + ended[0])
        await client[1].aclose()  # this ends the writer
