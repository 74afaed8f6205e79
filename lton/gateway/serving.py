"""The application that settings describe: an upstream, the way it is asked, and the endpoints."""

import argparse
from typing import Any

from starlette.applications import Starlette

from lton.errors import LTONError
from lton.gateway.answers import ChatAnswer
from lton.gateway.app import gateway
from lton.gateway.exchange import Exchange
from lton.gateway.protocol import RefusedError
from lton.gateway.requests import read_chat
from lton.gateway.upstreams.http import HttpUpstream
from lton.gateway.ways import WAYS


def application(options: argparse.Namespace) -> Starlette:
    """Get the application of `lton serve`; its options are in `lton.gateway.command`."""
    upstream = HttpUpstream(options.upstream, key=options.upstream_key)
    way = WAYS[options.engine]

    def chat(body: dict[str, Any]) -> Exchange | None:
        asked = read_chat(body)
        if not asked.tools:
            return None  # as it came
        try:
            return Exchange(asked, ChatAnswer(asked), way)
        except LTONError as error:
            raise RefusedError(400, str(error), param="tools") from None

    return gateway(upstream, {"/v1/chat/completions": chat}, api_key=options.api_key)
