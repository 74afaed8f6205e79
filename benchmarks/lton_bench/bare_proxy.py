"""The least that a streaming proxy costs: `python -m lton_bench.bare_proxy PORT UPSTREAM`.

It forwards each request and streams the answer back. It reads nothing of either, so it is the floor
for `lton serve` in `lton_bench.gateway_load`.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

_OWN_HOP = {"host", "content-length", "connection", "transfer-encoding"}
"""Headers that are about one connection."""


def app(upstream: str) -> Starlette:
    """Return a proxy for a server, whose address has no path."""
    sessions: list[aiohttp.ClientSession] = []

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as session:
            sessions.append(session)
            yield

    async def forward(request: Request) -> StreamingResponse:
        reply = await sessions[0].request(
            request.method,
            upstream + request.url.path,
            data=await request.body(),
            headers=[each for each in request.headers.items() if each[0] not in _OWN_HOP],
        )
        kept = {k: v for k, v in reply.headers.items() if k.lower() not in _OWN_HOP}
        return StreamingResponse(_chunks(reply), reply.status, kept)

    routes = [Route("/{path:path}", forward, methods=["GET", "POST"])]
    return Starlette(routes=routes, lifespan=lifespan)


async def _chunks(reply: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    async with reply:
        async for chunk in reply.content.iter_any():
            yield chunk


if __name__ == "__main__":
    uvicorn.run(app(sys.argv[2]), port=int(sys.argv[1]), log_level="error")
