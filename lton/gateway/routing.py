"""Build the ASGI application: its routes, its checks of access, and its start and end."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from lton.apis.refusals import RefusedError
from lton.gateway.access import check_framing
from lton.gateway.endpoints import Endpoint, RetrieveResult
from lton.gateway.handling import PATH_PREFIXES, GatewayState, RequestHandler, RetrievalHandler
from lton.gateway.headers import check_header_sizes
from lton.gateway.output import V1, ClientOutput, respond_not_found

_ENDING_S = 1.0
_METHODS = ("GET", "POST", "DELETE")
_SHORT = (
    *("/models", "/models/{name:path}", "/completions", "/embeddings"),
    "/chat/completions/input_tokens",
)  # paths that llama.cpp clients use without `/v1`, in addition to the endpoints
_RETRIEVE = ("/v1/retrieve/{hash}", "/retrieve/{hash}")


def build_gateway(
    shared: GatewayState,
    endpoints: Mapping[str, Endpoint],
    *,
    retrieve: RetrieveResult | None = None,
    pages: Sequence[Route] = (),
) -> Starlette:
    """Build the ASGI application of the gateway.

    The API's paths are also served without `/v1`. `/health` and `/metrics` need no key. `retrieve`
    answers `/v1/retrieve/{hash}`. `pages` are additional routes.
    """

    async def serve_health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def serve_metrics(_: Request) -> Response:
        return Response(shared.metrics.write_exposition(), media_type="text/plain; version=0.0.4")

    other = RequestHandler(shared, "other", None)
    routes = [Route("/health", serve_health), Route("/metrics", serve_metrics), *pages]
    for path, endpoint in endpoints.items():
        handler = RequestHandler(shared, path, endpoint)
        paths = (path, path[len(V1) :]) if path.startswith(f"{V1}/") else (path,)
        routes += [Route(route_path, handler, methods=["POST"]) for route_path in paths]
    if retrieve:
        retrieval = RetrievalHandler(shared, retrieve)
        routes += [Route(path, retrieval, methods=["GET"]) for path in _RETRIEVE]
    others = (*(f"{prefix}{{rest:path}}" for prefix in PATH_PREFIXES), *_SHORT)
    routes += [Route(path, other, methods=_METHODS) for path in others]
    entrance = [Middleware(AccessMiddleware, shared)]
    if origins := sorted(shared.access.origins):
        cors = partial(CORSMiddleware, allow_methods=_METHODS, allow_headers=["*"])
        entrance.append(Middleware(cors, allow_origins=origins))
    app = Starlette(
        routes=routes,
        middleware=entrance,
        lifespan=lambda _: _lifespan(shared),
        exception_handlers={HTTPException: respond_not_found},
    )
    app.router.redirect_slashes = False
    return app


@asynccontextmanager
async def _lifespan(shared: GatewayState) -> AsyncIterator[None]:
    look = asyncio.create_task(shared.upstream.check_reachable())
    settle = asyncio.create_task(shared.settle()) if shared.settle else None
    yield
    look.cancel()
    if settle:
        settle.cancel()
    with suppress(TimeoutError):  # cancelled requests still send an answer
        async with asyncio.timeout(_ENDING_S):
            while shared.running:
                await asyncio.sleep(0.01)
    shared.threads.shutdown()
    await shared.upstream.close()


class AccessMiddleware:
    """Checks access before a request is routed."""

    def __init__(self, app: ASGIApp, shared: GatewayState) -> None:
        self.app = app
        self.shared = shared

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            # Copy the headers, because the server adds trailers to its own list without a limit.
            scope = {**scope, "headers": [*scope["headers"]]}
            try:
                check_header_sizes(scope["headers"])
                headers = Headers(scope=scope)
                self.shared.access.check(scope["raw_path"].decode("latin-1"), headers)
                check_framing(scope["http_version"], headers)
            except RefusedError as refusal:
                out = ClientOutput(send, scope, "refused", self.shared.metrics, self.shared.tell)
                await out.send_refusal(refusal)
                out.count_request()
                return
        await self.app(scope, receive, send)
