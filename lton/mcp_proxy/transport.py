"""Relay messages between a client and a server, over pipes or HTTP.

HTTP uses the transports of the library `mcp`, versions 1 and 2, without its sessions, so unknown
messages can be passed on.
"""

import logging
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from importlib import import_module
from typing import Any

from lton._require import require
from lton._terminal import say
from lton.errors import ServerError
from lton.mcp_proxy.faults import HttpFaults
from lton.mcp_proxy.noise import NoiseReport
from lton.mcp_proxy.proxy import RpcMessage, Send, find_second_era_metadata
from lton.mcp_proxy.revival import RevivingProxy
from lton.mcp_proxy.stdio import Channel, open_client_channel

Upstream = Callable[[], AbstractAsyncContextManager[Channel]]
Connect = Callable[[Mapping[str, str]], AbstractAsyncContextManager[Channel]]
"""Connects to a server over HTTP, with headers."""

_WAITING = 1000  # the maximum number of messages that wait for a server that does not read
_TICK_S = 0.2  # seconds between checks of deadlines
_LAST_WORDS_S = 1.0
_VERSION = "mcp-protocol-version"


class Library:
    """The parts of `mcp` that the proxy uses over HTTP. Their names differ between versions."""

    def __init__(self) -> None:
        self.anyio = require("anyio", "apps")
        self.messages = require("mcp.shared.message", "apps")
        types = require("mcp.types", "apps")
        self.inbound, self._handshakes = _second_era()
        self._adapter = require("pydantic", "apps").TypeAdapter(types.JSONRPCMessage)
        logging.getLogger("mcp").addHandler(logging.NullHandler())  # hides the library's tracebacks

    def message_to_dict(self, message: Any) -> RpcMessage | list[Any]:
        """Return a message as JSON, or the input in a list if the library refused it."""
        if isinstance(message, Exception):  # raised by pydantic, or by a connection
            errors = getattr(message, "errors", None)
            return [one["input"] for one in errors(include_url=False)] if errors else []
        # Mode "json" would convert infinite numbers to null.
        read: RpcMessage = message.message.model_dump(by_alias=True, exclude_unset=True)
        return read

    def message_for_client(self, send: Send, _version: str | None) -> Any:
        about = None
        if send.related is not None:
            about = self.messages.ServerMessageMetadata(related_request_id=send.related)
        return self._make_message(send.message, about)

    def convert_for_server(self, send: Send, version: str | None) -> Any:
        """Convert a message for a server. Over HTTP, it also has headers."""
        about = None
        metadata = self.messages.ClientMessageMetadata
        headers = self._write_headers(send) or ({_VERSION: version} if version else {})
        if headers and "headers" in metadata.__dataclass_fields__:
            about = metadata(headers=headers)
        return self._make_message(send.message, about)

    def _write_headers(self, send: Send) -> dict[str, str]:
        inbound = self.inbound
        message = send.message
        version = find_second_era_metadata(message)
        if inbound is None or version not in inbound.MODERN_PROTOCOL_VERSIONS:
            return {}
        headers = {_VERSION: version, inbound.MCP_METHOD_HEADER: message["method"]}
        if (name := self.find_name(message)) is not None:
            headers[inbound.MCP_NAME_HEADER] = inbound.encode_header_value(name)
        if send.schema is not None:
            mirrored = inbound.x_mcp_header_map(send.schema)
            arguments = message["params"].get("arguments")
            headers |= inbound.mcp_param_headers(mirrored, arguments or {})
        return headers

    def find_name(self, message: RpcMessage) -> str | None:
        """Return the name or task id that a second-era request repeats in a header, or None."""
        method = message["method"]
        is_task = method in ("tasks/get", "tasks/update", "tasks/cancel")
        key = "taskId" if is_task else self.inbound.NAME_BEARING_METHODS.get(method)
        name = message["params"].get(key)
        return name if isinstance(name, str) else None

    def is_second_era(self, version: str) -> bool:
        return bool(version) and version not in self._handshakes

    def status_of_answer(self, answer: RpcMessage) -> int:
        code = answer["error"].get("code") if "error" in answer else None
        status: int = self.inbound.ERROR_CODE_HTTP_STATUS.get(code, 200)
        return status

    def _make_message(self, message: RpcMessage, about: Any) -> Any:
        parsed = self._adapter.validate_python(message)
        return self.messages.SessionMessage(parsed, about)


@asynccontextmanager
async def connect_http(
    library: Library, url: str, headers: Mapping[str, str], more: Mapping[str, str]
) -> AsyncIterator[Channel]:
    """Connect to a server over streamable HTTP."""
    http = require("mcp.client.streamable_http", "apps")
    faults = HttpFaults()
    make = require("mcp.shared._httpx_utils", "apps").create_mcp_http_client
    async with (
        make(headers={**headers, **more}) as client,
        http.streamable_http_client(url, http_client=client) as streams,
    ):
        client.event_hooks["response"].append(faults.note_response)
        received, outgoing = streams[:2]  # version 1 returns a third item
        yield Channel(
            received, outgoing.send, library.message_to_dict, library.convert_for_server, faults
        )


def _second_era() -> tuple[Any, tuple[str, ...]]:
    """Return the library's module for MCP's second era (or None) and the versions of the first."""
    try:
        inbound = import_module("mcp.shared.inbound")
    except ImportError:
        return None, ()
    return inbound, require("mcp_types.version", "apps").HANDSHAKE_PROTOCOL_VERSIONS


def first_cause_of(error: BaseException) -> BaseException:
    """Return the first error in a group of errors, or the error itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


class Relay:
    """Relays messages between a client and a server until the client disconnects.

    If the proxy asks for it, `upstream` connects to a server that has ended.
    """

    def __init__(
        self, proxy: RevivingProxy, client: Channel, server: Channel, upstream: Upstream
    ) -> None:
        self._anyio = require("anyio", "apps")
        self._gone = self._anyio.ClosedResourceError, self._anyio.BrokenResourceError
        self._now = self._anyio.current_time
        self._proxy = proxy
        self._client = client
        self._server = server
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
                tasks.start_soon(self._watch_time)
                with suppress(*self._gone):
                    async for message in self._client.received:
                        read = self._client.read(message)
                        if isinstance(read, list):
                            await self._send_all(self._proxy.iterate_refusals(read))
                        else:
                            await self._send_all(self._proxy.feed_client_message(read, self._now()))
                await self._await_answers()
                tasks.cancel_scope.cancel()
        finally:
            with self._anyio.move_on_after(_LAST_WORDS_S, shield=True):
                await self._send_all(self._proxy.flush_all_as_failed())
                await self._anyio.sleep(self._client.flush_s)

    async def _await_answers(self) -> None:
        """Wait for the answers to requests that came before the end of the client's input."""
        end = self._now() + self._client.answers_s
        while self._proxy.deadline < float("inf") and self._now() < end:
            await self._anyio.sleep(_TICK_S)

    async def _serve_server(self) -> None:
        """Read messages from the server, and from each server that replaces it."""
        await self._read_server()
        while True:
            await self._wanted.wait()
            self._wanted = self._anyio.Event()
            self._version = None
            self._number += 1
            try:
                async with self._upstream() as self._server:
                    await self._send_all(self._proxy.iterate_greeting())
                    await self._read_server()
            except (ServerError, OSError, BaseExceptionGroup) as error:
                if isinstance(error, BaseExceptionGroup) and not isinstance(error, ExceptionGroup):
                    raise
                say(f"the MCP server is not started again: {error}")
                await self._send_all(self._proxy.flush_all_as_failed())

    async def _read_server(self) -> None:
        faults = self._server.faults
        noise = NoiseReport()
        with suppress(*self._gone):
            async for message in self._server.received:
                read = self._server.read(message)
                if isinstance(read, list):
                    for line in noise.iterate_reports(read):
                        say(line)
                    await self._send_all(self._proxy.iterate_errors_for_unreadable(read))
                    continue
                if faults and faults.has_session_ended(read.get("id")):
                    await self._send_all(
                        self._proxy.iterate_sends_after_session(read["id"], self._now())
                    )
                    return
                if faults:
                    read = faults.explain_error(read)
                result = read.get("result")
                if self._version is None and isinstance(result, dict):
                    self._version = result.get("protocolVersion")
                await self._send_all(self._proxy.feed_server_message(read, self._now()))
        await self._send_all(self._proxy.flush_all_as_failed())

    async def _write_server(self) -> None:
        """Write messages to the server without blocking other tasks."""
        async for number, send in self._out:
            if number == self._number:  # messages for a dead server have failed
                with suppress(*self._gone):
                    await self._server.send(self._server.write(send, self._version))

    async def _watch_time(self) -> None:
        while True:
            await self._anyio.sleep(_TICK_S)
            if self._proxy.deadline <= self._now():
                await self._send_all(self._proxy.flush_overdue(self._now()))

    async def _send_all(self, sends: Iterable[Send]) -> None:
        for send in sends:
            with suppress(*self._gone):
                if send.to == "start":
                    self._wanted.set()
                elif send.to == "server":
                    await self._outbox.send((self._number, send))
                else:
                    await self._client.send(self._client.write(send, None))


async def serve_stdio(proxy: Callable[[], RevivingProxy], upstream: Upstream) -> None:
    """Serve one client over standard input and output, until it disconnects or a signal arrives.

    After a signal, this process ends when the server has stopped, because reading standard input
    cannot be cancelled.
    """
    anyio = require("anyio", "apps")
    ended: list[int] = []
    async with anyio.create_task_group() as tasks:

        async def stop_on_signal() -> None:
            with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
                async for number in signals:
                    ended.append(number)
                    tasks.cancel_scope.cancel()

        tasks.start_soon(stop_on_signal)
        async with upstream() as server:
            await Relay(proxy(), open_client_channel(), server, upstream).run()
        tasks.cancel_scope.cancel()
    if ended:
        os._exit(128 + ended[0])
