"""The application that settings describe: an upstream, the way it is asked, and the endpoints."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from starlette.applications import Starlette

from lton.chat import render
from lton.errors import LTONError
from lton.gateway.answers import ChatAnswer
from lton.gateway.app import gateway
from lton.gateway.exchange import Answer, Exchange, Way
from lton.gateway.ledger import Ledger
from lton.gateway.metrics import Metrics
from lton.gateway.protocol import RefusedError
from lton.gateway.requests import Asked, Body, read_chat, read_responses
from lton.gateway.responses import ResponsesAnswer
from lton.gateway.templated import TemplatedExchange
from lton.gateway.upstreams.http import HttpUpstream
from lton.gateway.ways import WAYS
from lton.tokens import counter


def application(options: argparse.Namespace) -> Starlette:
    """Get the application of `lton serve`; its options are in `lton.gateway.command`."""
    metrics = Metrics()
    count = counter(options.count).count
    ledger = Ledger(
        metrics, lambda text: count(text).tokens, Path(options.log) if options.log else None
    )
    upstream = HttpUpstream(options.upstream, key=options.upstream_key)
    way = WAYS[options.engine]
    endpoints = {
        "/v1/chat/completions": Api(read_chat, ChatAnswer, way, ledger, options.dry_run),
        "/v1/responses": Api(read_responses, ResponsesAnswer, way, ledger, options.dry_run),
    }
    return gateway(upstream, endpoints, api_key=options.api_key, metrics=metrics)


@dataclass(frozen=True)
class Api:
    """One of the two APIs: how its requests are read, and its answers written."""

    read: Callable[[Body], Asked]
    answer: Callable[[Asked], Answer]
    way: Way
    ledger: Ledger
    only_counts: bool = False

    def begin(self, body: Body) -> Exchange | None:
        """Get the exchange of a request; None for one without tools, or where all is counted only.

        Raises `RefusedError`, also for tools whose calls no grammar can say.
        """
        asked = self.read(body)
        if not asked.body.get("tools"):
            return None  # a format alone is the upstream's own
        if self.only_counts:
            shown = render(asked.messages, asked.tools, form=self.way.form).messages
            self.ledger.prompt(asked, "\n".join(each.text for each in shown))
            return None
        try:
            kind = TemplatedExchange if self.way.raw else Exchange
            return kind(asked, self.answer(asked), self.way)
        except LTONError as error:
            raise RefusedError(400, str(error), param="tools") from None

    def end(self, exchange: Exchange) -> None:
        """Count what was said, and log it."""
        self.ledger.end(exchange)
