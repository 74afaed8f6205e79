"""Serve clients over streamable HTTP, with one server per session."""

import signal
import socket
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from lton._require import require
from lton.mcp_proxy.revival import RevivingProxy
from lton.mcp_proxy.stateless import Stateless, respond
from lton.mcp_proxy.stdio import Channel
from lton.mcp_proxy.transport import Connect, Library, Relay, Upstream, first_cause_of

PATH = "/mcp"
_SESSIONS = 100
_IDLE_S = 1800.0  # a session ends after this many seconds without a request
_LARGEST_BODY = 4 * 1024 * 1024
_SESSION_ID = b"mcp-session-id"
_VERSION = b"mcp-protocol-version"
_SCHEMES = ("http", "https")
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(slots=True)
class _Session:
    transport: Any
    scope: Any
    last_request: float
    running: int = 0


class Sessions:
    """An ASGI application that starts a server, or connects to one, for each session."""

    def __init__(
        self,
        library: Library,
        proxy: Callable[[], RevivingProxy],
        upstream: Upstream,
        host: str,
        tasks: Any,
        connect: Connect | None = None,
    ) -> None:
        self._library = library
        self._anyio = library.anyio
        self._proxy = proxy
        self._upstream = upstream
        self._tasks = tasks
        self._sessions: dict[bytes, _Session] = {}
        security = require("mcp.server.transport_security", "apps")
        names = {*_LOOPBACK, host}
        self._security = security.TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[f"{name}:*" for name in names],
            # `is_foreign` allows only the origin of the request's own host.
            allowed_origins=[f"{scheme}://{name}:*" for scheme in _SCHEMES for name in names],
        )
        self._stateless = (
            Stateless(library, proxy, connect, self._security)
            if connect and library.inbound
            else None
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        headers = dict(scope["headers"])
        number = headers.get(_SESSION_ID)
        session = self._sessions.get(number) if number else None
        version = headers.get(_VERSION, b"").decode("latin-1")
        is_stateless = self._library.is_second_era(version)
        if refusal := _find_refusal(scope, headers):
            await _refuse_request(send, *refusal)
        elif self._stateless and is_stateless:
            await self._stateless(scope, _limit_body(receive), send)
        elif session:
            await self._serve_session(session, scope, receive, send)
        elif number:
            await _refuse_request(send, 404, "no such session")
        elif scope["method"] != "POST" or is_stateless:
            await _refuse_request(send, 400, "a session begins with initialize")
        elif len(self._sessions) >= _SESSIONS:
            await _refuse_request(send, 503, "too many sessions")
        else:
            await self._begin_session(scope, receive, send)

    async def _begin_session(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve the first request of a session and end the session if that request fails."""
        http = require("mcp.server.streamable_http", "apps")
        number = uuid4().hex
        transport = http.StreamableHTTPServerTransport(number, security_settings=self._security)
        session = _Session(transport, self._anyio.CancelScope(), self._anyio.current_time())
        self._sessions[number.encode()] = session
        statuses: list[int] = []

        async def send_and_note_status(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            await send(message)

        await self._tasks.start(self._run_session, number, session)
        try:
            await self._serve_session(session, scope, receive, send_and_note_status)
        finally:
            if not statuses or statuses[0] >= 400:
                session.scope.cancel()

    async def _run_session(self, number: str, session: _Session, *, task_status: Any) -> None:
        try:
            with session.scope:
                async with session.transport.connect() as (received, outgoing):
                    task_status.started()
                    library = self._library
                    channel = Channel(
                        received, outgoing.send, library.message_to_dict, library.message_for_client
                    )
                    async with self._upstream() as server:
                        await Relay(self._proxy(), channel, server, self._upstream).run()
        except (Exception, BaseExceptionGroup) as error:  # of one session; others continue
            print(f"lton: a session ends: {str(first_cause_of(error))!a}", file=sys.stderr)
        finally:
            self._sessions.pop(number.encode(), None)
            with self._anyio.CancelScope(shield=True):
                await session.transport.terminate()

    async def _serve_session(self, session: _Session, scope: Any, receive: Any, send: Any) -> None:
        session.running += 1
        try:
            await session.transport.handle_request(scope, _limit_body(receive), send)
        finally:
            session.running -= 1
            session.last_request = self._anyio.current_time()
        if session.transport.is_terminated:  # after a DELETE request
            session.scope.cancel()

    async def end_idle(self) -> None:
        while True:
            await self._anyio.sleep(_IDLE_S / 60)
            before = self._anyio.current_time() - _IDLE_S
            for session in list(self._sessions.values()):
                if not session.running and session.last_request < before:
                    session.scope.cancel()


async def serve_http(
    library: Library,
    proxy: Callable[[], RevivingProxy],
    upstream: Upstream,
    host: str,
    port: int,
    connect: Connect | None = None,
) -> None:
    """Serve clients until a signal arrives. The address is written to standard error.

    With `connect`, requests of the second era are also served, each over its own connection.

    Raises `OSError` if the address is not available.
    """
    uvicorn = require("uvicorn", "apps")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family)
    address = f"[{host}]" if ":" in host else host
    print(f"http://{address}:{listening.getsockname()[1]}{PATH}", file=sys.stderr, flush=True)
    async with library.anyio.create_task_group() as tasks:
        sessions = Sessions(library, proxy, upstream, address, tasks, connect)
        tasks.start_soon(sessions.end_idle)
        quiet = {"log_level": "warning", "lifespan": "off"}
        settings = uvicorn.Config(sessions, timeout_graceful_shutdown=2, **quiet)
        server = uvicorn.Server(settings)
        server.capture_signals = nullcontext  # signals would end this process before its servers
        tasks.start_soon(_stop_on_signal, library, server)
        await server.serve(sockets=[listening])
        tasks.cancel_scope.cancel()


async def _stop_on_signal(library: Library, server: Any) -> None:
    with library.anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            server.should_exit = True


def _limit_body(receive: Any) -> Any:
    """Limit the size of a request body. A larger body is cut, and thus becomes invalid JSON."""
    size = 0

    async def receive_some() -> Any:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > _LARGEST_BODY:
            return {"type": "http.request", "body": b"", "more_body": False}
        return message

    return receive_some


def is_foreign(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a browser sends a request for a page of another origin.

    Another port of this machine is another origin, as for `lton serve`.
    """
    headers = list(headers)
    hosts = [value.lower() for name, value in headers if name == b"host"]
    own = {scheme.encode() + b"://" + host for scheme in _SCHEMES for host in hosts}
    return any(name == b"origin" and value.lower() not in own for name, value in headers)


def _find_refusal(scope: Any, headers: Mapping[bytes, bytes]) -> tuple[int, str] | None:
    """Return the status and the reason for which any request is refused, or None."""
    if is_foreign(scope["headers"]):
        return 403, "pages of other origins may not use this proxy"
    if scope["path"].rstrip("/") != PATH:
        return 404, "not found: the path is /mcp"
    if int(headers.get(b"content-length", b"0")) > _LARGEST_BODY:
        return 413, "the body is too large"
    return None


async def _refuse_request(send: Any, status: int, text: str) -> None:
    error = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"%s"}}'
    await respond(send, status, (error % text).encode())
