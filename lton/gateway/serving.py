"""The application that settings describe: an upstream, the way it is asked, and the endpoints."""

import argparse
from collections.abc import Callable

from starlette.applications import Starlette

from lton.errors import LTONError
from lton.gateway.answers import ChatAnswer
from lton.gateway.app import gateway
from lton.gateway.exchange import Answer, Exchange
from lton.gateway.protocol import RefusedError
from lton.gateway.requests import Asked, Body, read_chat, read_responses
from lton.gateway.responses import ResponsesAnswer
from lton.gateway.upstreams.http import HttpUpstream
from lton.gateway.ways import WAYS


def application(options: argparse.Namespace) -> Starlette:
    """Get the application of `lton serve`; its options are in `lton.gateway.command`."""
    upstream = HttpUpstream(options.upstream, key=options.upstream_key)
    way = WAYS[options.engine]

    def endpoint(
        read: Callable[[Body], Asked], answer: Callable[[Asked], Answer]
    ) -> Callable[[Body], Exchange | None]:
        def begin(body: Body) -> Exchange | None:
            asked = read(body)
            if not asked.tools:
                return None  # it goes through as it came
            try:
                return Exchange(asked, answer(asked), way)
            except LTONError as error:
                raise RefusedError(400, str(error), param="tools") from None

        return begin

    endpoints = {
        "/v1/chat/completions": endpoint(read_chat, ChatAnswer),
        "/v1/responses": endpoint(read_responses, ResponsesAnswer),
    }
    return gateway(upstream, endpoints, api_key=options.api_key)
