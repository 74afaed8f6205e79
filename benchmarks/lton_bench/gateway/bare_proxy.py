"""A proxy that only forwards: `python -m lton_bench.gateway.bare_proxy PORT UPSTREAM`.

The proxy uses uvicorn and aiohttp, and parses neither requests nor answers. Its cost is the minimum
for `lton serve` in `lton_bench.gateway.load`.
"""

import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import aiohttp
import uvicorn

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
_OWN_HOP = {b"host", b"content-length", b"connection", b"transfer-encoding"}
"""Headers of a single connection."""


class BareProxy:
    """An ASGI application in front of a server, whose address has no path."""

    def __init__(self, upstream: str) -> None:
        self.upstream = upstream
        self.session: aiohttp.ClientSession | None = None

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Forward a request, or open and close the connections of the process."""
        if scope["type"] == "http":
            await self.forward(scope, receive, send)
        elif scope["type"] == "lifespan":
            await receive()
            connector = aiohttp.TCPConnector(limit=0)
            self.session = aiohttp.ClientSession(connector=connector, auto_decompress=False)
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await self.session.close()
            await send({"type": "lifespan.shutdown.complete"})

    async def forward(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Send a request to the upstream, and its answer to the client as it comes."""
        assert self.session
        body, more = b"", True
        while more:
            event = await receive()
            body, more = body + event.get("body", b""), event.get("more_body", False)
        request_headers = {k.decode(): v.decode() for k, v in scope["headers"] if k not in _OWN_HOP}
        url = self.upstream + scope["path"]
        async with self.session.request(
            scope["method"], url, data=body, headers=request_headers
        ) as reply:
            reply_headers = [
                (k.lower(), v) for k, v in reply.raw_headers if k.lower() not in _OWN_HOP
            ]
            await send(
                {"type": "http.response.start", "status": reply.status, "headers": reply_headers}
            )
            async for chunk in reply.content.iter_any():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body"})


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        uvicorn.run(BareProxy(sys.argv[2]), port=int(sys.argv[1]), log_level="error")
