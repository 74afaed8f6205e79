"""Serve clients of MCP's second era (version 2026-07-28) over HTTP, without sessions.

Each request has its own proxy and its own connection to the server. A single answer is sent as
JSON, with the HTTP status for its error code. After a notification, or after 15 seconds without a
message, the response is a stream of events. If a client disconnects, its connection to the server
is closed, which cancels the request.
"""

import json
from collections.abc import Callable, Iterable
from typing import Any

from lton._json import minified
from lton._require import require
from lton.mcp_proxy.proxy import Proxy, RpcMessage, Send
from lton.mcp_proxy.stdio import Channel
from lton.mcp_proxy.transport import Connect, Library

_SILENCE_S = 15.0
_PARSE = -32700
_INVALID = -32600
_MISMATCH = -32020
_PARAM = "mcp-param-"
_EVENTS = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache, no-transform")]
_ACCEPTED = ("application/json", "text/event-stream")


class Stateless:
    """An ASGI application for requests without a session."""

    def __init__(
        self, library: Library, proxy: Callable[[], Proxy], connect: Connect, security: Any
    ) -> None:
        self._library = library
        self._proxy = proxy
        self._connect = connect
        transport_security = require("mcp.server.transport_security", "apps")
        self._security = transport_security.TransportSecurityMiddleware(security)
        self._requests = require("starlette.requests", "apps")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = self._requests.Request(scope, receive)
        accepted = request.headers.get("accept", "")
        refused = await self._security.validate_request(request, is_post=scope["method"] == "POST")
        if refused:
            await refused(scope, receive, send)
        elif scope["method"] != "POST":
            await respond(send, 405, b"", (b"allow", b"POST"))
        elif not all(kind in accepted or "*/*" in accepted for kind in _ACCEPTED):
            await respond(send, 406)
        else:
            await self._take_request(await request.body(), request.headers, receive, send)

    async def _take_request(self, body: bytes, headers: Any, receive: Any, send: Any) -> None:
        try:
            message = json.loads(body)
            minified(message).encode()  # lone surrogates cannot be answered
        except (ValueError, RecursionError):
            await self._refuse_request(send, None, _PARSE, "Parse error")
            return
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            await self._refuse_request(
                send, None, _INVALID, "expected one request or one notification"
            )
        elif "id" not in message:
            await respond(send, 202)  # no notification by a client has an effect in this era
        elif type(message["id"]) not in (str, int):
            await self._refuse_request(
                send, None, _INVALID, "expected an id that is a string or an integer"
            )
        elif fault := self._find_fault(message, headers):
            await self._refuse_request(send, message["id"], *fault)
        else:
            params = {name: value for name, value in headers.items() if name.startswith(_PARAM)}
            exchange = _Exchange(self._library, self._proxy(), send)
            async with self._library.anyio.create_task_group() as tasks:
                tasks.start_soon(_cancel_when_client_leaves, receive, tasks.cancel_scope)
                try:
                    async with self._connect(params) as server:
                        await exchange.run(message, server)
                except (Exception, BaseExceptionGroup):  # raised if a server has ended
                    await exchange.report_lost_server()
                tasks.cancel_scope.cancel()

    def _find_fault(self, message: RpcMessage, headers: Any) -> tuple[int, str, Any] | None:
        inbound = self._library.inbound
        if twice := inbound.find_duplicated_routing_header(headers.items()):
            return _MISMATCH, f"{twice} header appears more than once", None
        request = inbound.classify_inbound_request(message, headers=dict(headers))
        if (code := getattr(request, "code", None)) is not None:
            return code, request.message, request.data
        name = self._library.find_name(message)  # the library does not check the name for tasks
        if name != inbound.decode_header_value(headers.get(inbound.MCP_NAME_HEADER)) and name:
            return _MISMATCH, f"the {inbound.MCP_NAME_HEADER} header is not {name!a:.200}", None
        return None

    async def _refuse_request(
        self, send: Any, number: Any, code: int, text: str, data: Any = None
    ) -> None:
        error = {"code": code, "message": text} | ({} if data is None else {"data": data})
        answer = {"jsonrpc": "2.0", "id": number, "error": error}
        await respond(send, self._library.status_of_answer(answer), minified(answer).encode())


class _Exchange:
    def __init__(self, library: Library, proxy: Proxy, send: Any) -> None:
        self._library = library
        self._anyio = library.anyio
        self._now = library.anyio.current_time
        self._proxy = proxy
        self._send = send
        self._is_stream = False
        self._is_over = False

    async def run(self, request: RpcMessage, server: Channel) -> None:
        """Send a request to the server and relay messages until the server answers."""
        self._server = server
        self._number = request["id"]
        await self._pass_sends(self._proxy.feed_client_message(request, self._now()))
        while not self._is_over:
            await self._pass_sends(await self._wait_for_sends())

    async def report_lost_server(self) -> None:
        await self._pass_sends(self._proxy.flush_all_as_failed())

    async def _wait_for_sends(self) -> Iterable[Send]:
        proxy = self._proxy
        wait_s = min(proxy.deadline - self._now(), _SILENCE_S)
        with self._anyio.move_on_after(wait_s):
            read = self._server.read(await self._server.received.receive())
            if isinstance(read, list):
                return proxy.iterate_errors_for_unreadable(read)
            return proxy.feed_server_message(read, self._now())
        await self._send_event(b": still here\n\n")
        return proxy.flush_overdue(self._now())

    async def _pass_sends(self, sends: Iterable[Send]) -> None:
        for one in sends:
            if one.to == "server":
                await self._server.send(self._server.write(one, None))
            elif "method" not in one.message:
                await self._write_answer(one.message)
            elif "id" not in one.message:  # servers send no requests in this era
                await self._send_event(_write_event(one.message))

    async def _write_answer(self, message: RpcMessage) -> None:
        if message.get("id") != self._number or self._is_over:
            return
        self._is_over = True
        if self._is_stream:
            await self._send({"type": "http.response.body", "body": _write_event(message)})
        else:
            body = minified(message).encode()
            await respond(self._send, self._library.status_of_answer(message), body)

    async def _send_event(self, event: bytes) -> None:
        if not self._is_stream:
            self._is_stream = True
            await self._send({"type": "http.response.start", "status": 200, "headers": _EVENTS})
        await self._send({"type": "http.response.body", "body": event, "more_body": True})


def _write_event(message: RpcMessage) -> bytes:
    return f"event: message\ndata: {minified(message)}\n\n".encode()


async def respond(send: Any, status: int, body: bytes = b"", *headers: tuple[bytes, bytes]) -> None:
    """Send an HTTP response."""
    some = [(b"content-type", b"application/json"), *headers]
    await send({"type": "http.response.start", "status": status, "headers": some})
    await send({"type": "http.response.body", "body": body})


async def _cancel_when_client_leaves(receive: Any, scope: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
