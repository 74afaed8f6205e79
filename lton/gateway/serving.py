"""The application that settings describe: an upstream, the way it is asked, and the endpoints."""

import argparse
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette

from lton.chat import render
from lton.engines.llamacpp import load
from lton.errors import LTONError
from lton.gateway import dashboard
from lton.gateway.apis import messages
from lton.gateway.apis.chat import ChatAnswer
from lton.gateway.apis.members import Body
from lton.gateway.apis.protocol import RefusedError
from lton.gateway.apis.requests import Asked, read_chat, read_responses
from lton.gateway.apis.responses import ResponsesAnswer
from lton.gateway.app import Endpoint, Sent, Upstream, gateway
from lton.gateway.bodies import MB, Bodies
from lton.gateway.choosing import CallsChoice, ChosenApi, ChosenCounting, NativeApi
from lton.gateway.counting import TokenCounting
from lton.gateway.doors import Doors, named_hosts
from lton.gateway.exchange import AnswerWriter, EngineWay, Exchange
from lton.gateway.fitting.options import ContextMetrics, Planning
from lton.gateway.fitting.prompt import BeginExchange, Planner
from lton.gateway.fitting.rounds import PlannedExchange, begin_planned
from lton.gateway.ledger import Accounts
from lton.gateway.metrics import Metrics
from lton.gateway.native.requests import NativeOptions
from lton.gateway.terminal import tell
from lton.gateway.upstreams.guided import GuidedExchange, one_call
from lton.gateway.upstreams.http import HttpUpstream, KeyHeader
from lton.gateway.upstreams.kinds import WAYS
from lton.gateway.upstreams.llama_cpp import TemplatedExchange
from lton.gateway.upstreams.local import LocalUpstream
from lton.gateway.upstreams.openai_custom import CustomExchange
from lton.gateway.upstreams.probing import MODES, PATHS, Mode, hosted
from lton.gateway.upstreams.untooled import UntooledExchange
from lton.tokens import counter
from lton.tokens.billing import PRICES


def application(options: argparse.Namespace, metrics: Metrics | None = None) -> Starlette:
    """Get the application of `lton serve`; its options are in `lton.gateway.command`."""
    metrics = metrics or Metrics()
    count = counter(options.count).count
    ledger = Accounts(
        metrics,
        lambda text: count(text).tokens,
        Path(options.log) if options.log else None,
        prices=PRICES[options.prices or _whose(options)],
    )
    ledger.history.counted = options.count
    planner = None
    if options.context:
        figures = ContextMetrics(metrics.registry)
        planner = Planner(Planning.read(options.context), counter(options.count), figures)
    repeat = options.repeat_tool_calls
    apis: list[tuple[str, Any, Any]] = [
        ("/v1/chat/completions", partial(read_chat, repeat=repeat), ChatAnswer),
        ("/v1/responses", partial(read_responses, repeat=repeat), ResponsesAnswer),
        (messages.PATH, partial(messages.read_messages, repeat=repeat), messages.MessagesAnswer),
    ]
    upstream: Upstream
    endpoints: dict[str, Endpoint]
    choice: CallsChoice | None = None
    if options.model:
        llm = load(options.model, context=options.n_ctx, threads=options.threads)
        upstream = LocalUpstream(llm, Path(options.model).name)
        endpoints = {
            path: LocalApi(read, answer, ledger, options.scaffold, planner=planner)
            for path, read, answer in apis
        }
    else:
        upstream = server = _server(options)
        way = WAYS[options.engine]
        endpoints = {
            path: OpenAIEndpoint(read, answer, ledger, way, options.dry_run, planner=planner)
            for path, read, answer in apis
        }
        if not options.dry_run:
            choice = _choice(options, server, metrics, is_planned=planner is not None)
            endpoints = _chosen(options, apis, endpoints, choice, ledger)
    lenient = bool(options.model) or WAYS[options.engine].lenient
    counting = TokenCounting(lambda text: count(text).tokens, primer=lenient)
    counted = ChosenCounting(counting, choice) if choice else counting
    endpoints[messages.COUNT_PATH] = counted
    doors = _doors(options)
    return gateway(
        upstream,
        endpoints,
        doors=doors,
        pages=dashboard.routes(ledger.history, doors),
        bodies=Bodies(most_all=options.body_memory * MB),
        metrics=metrics,
        tell=None if options.quiet else tell,
        one_thread=planner is not None,  # its transcripts are not for several
        settle=choice.settle if choice else None,
    )


def _whose(options: argparse.Namespace) -> str:
    """Get whose prices tokens have before an upstream: a provider's whose address is known."""
    known = hosted(options.upstream or "")
    if known is None:
        return "local"
    return "anthropic" if "messages" in known.apis else "openai"


def _server(options: argparse.Namespace) -> HttpUpstream:
    known = hosted(options.upstream)
    api = options.upstream_api or (known.apis[0] if known else "chat")
    header: KeyHeader = "x-api-key" if api == "messages" else "authorization"
    return HttpUpstream(options.upstream, key=options.upstream_key, key_header=header)


def _choice(
    options: argparse.Namespace, upstream: HttpUpstream, metrics: Metrics, *, is_planned: bool
) -> CallsChoice:
    # A plan is a conversation in LTON.
    mode: Mode | None = "lton" if is_planned else MODES[options.calls]
    return CallsChoice(upstream, mode, options.upstream_api, metrics, tell)


def _chosen(
    options: argparse.Namespace,
    apis: Iterable[tuple[str, Any, Any]],
    written: Mapping[str, Endpoint],
    choice: CallsChoice,
    ledger: Accounts,
) -> dict[str, Endpoint]:
    """Get the endpoints of all APIs; `written` are those that write LTON."""
    how = NativeOptions(
        strict=options.strict,
        results=options.results,
        repeat=options.repeat_tool_calls,
    )
    names = {path: api for api, path in PATHS.items()}
    return {
        path: ChosenApi(NativeApi(names[path], ledger, how, read, answer), written[path], choice)
        for path, read, answer in apis
    }


def _doors(options: argparse.Namespace) -> Doors:
    return Doors(
        api_key=options.api_key,
        hosts=named_hosts([options.host, *_listed(options.allow_host)]),
        origins=frozenset(_listed(options.allow_origin)),
        takes_addresses=not Doors().knows(options.host),
    )


def _listed(given: str | None) -> list[str]:
    return [each.strip() for each in (given or "").split(",") if each.strip()]


@dataclass(frozen=True)
class _Api:
    """One of the two APIs: how its requests are read, and its answers written."""

    read: Callable[[Body], Asked]
    answer: Callable[[Asked], AnswerWriter]
    ledger: Accounts
    planner: Planner | None = field(default=None, kw_only=True)

    def end(self, exchange: Exchange | GuidedExchange | PlannedExchange) -> None:
        """Count what was said, and log it."""
        if isinstance(exchange, PlannedExchange):
            report = exchange.report()
            for turn, each in enumerate(exchange.rounds):
                hidden = exchange.plan.names
                self.ledger.end(each, hidden=hidden, context=report, is_more=turn > 0)
        else:
            self.ledger.end(exchange)

    def planned(self, asked: Asked, begin: BeginExchange) -> PlannedExchange | None:
        """Get the exchange of a request that is planned; None for any other."""
        if self.planner is None:
            return None
        return begin_planned(self.planner, asked, self.answer(asked), begin)


@dataclass(frozen=True)
class LocalApi(_Api):
    """One whose requests a model in this process answers, all of them."""

    scaffold: str

    def begin(self, body: Body, sent: Sent | None = None) -> GuidedExchange | PlannedExchange:
        """Get the exchange of a request. Raises `RefusedError`."""
        del sent
        asked = one_call(self.read(body))
        return self.planned(asked, self._exchange) or self._exchange(asked, self.answer(asked))

    def _exchange(self, asked: Asked, answer: AnswerWriter) -> GuidedExchange:
        return GuidedExchange(asked, answer, self.scaffold)


def _can_be_read(body: Body) -> bool:
    try:
        read_chat(body)
    except RefusedError:
        return False
    return True


@dataclass(frozen=True)
class OpenAIEndpoint(_Api):
    """One whose requests with tools a server answers."""

    way: EngineWay
    only_counts: bool = False

    def begin(self, body: Body, sent: Sent | None = None) -> Exchange | PlannedExchange | None:
        """Get the exchange of a request; None for what the upstream answers as it is.

        That is a chat without tools, and all where it is counted only. Responses have a schema that
        few upstreams keep to, so they are written here. Raises `RefusedError`, also for tools whose
        calls no grammar can say.
        """
        del sent
        has_tools, is_chat = bool(body.get("tools")), self.answer is ChatAnswer
        if is_chat and not has_tools and (self.planner is None or not _can_be_read(body)):
            return None  # what is wrong in it the upstream says
        asked = self.read(body)
        planned = None if self.only_counts else self.planned(asked, self._exchange)
        if planned and (has_tools or planned.is_planned):
            return planned
        is_own = is_chat or (self.way.custom and self.answer is ResponsesAnswer)
        if not has_tools and not (is_own or self.only_counts):
            return UntooledExchange(asked, self.answer(asked))
        if not has_tools:
            return None  # a format alone is the upstream's own
        if self.only_counts:
            way = self.way
            shown = render(asked.messages, asked.tools, form=way.form, primer=way.lenient).messages
            self.ledger.prompt(asked, "\n".join(each.text for each in shown))
            return None
        return self._exchange(asked, self.answer(asked))

    def _exchange(self, asked: Asked, answer: AnswerWriter) -> Exchange:
        try:
            if self.way.custom:
                return CustomExchange(asked, answer, self.way)
            kind = TemplatedExchange if self.way.raw else Exchange
            return kind(asked, answer, self.way)
        except (LTONError, ValueError) as error:  # no tool can be called
            raise RefusedError(400, str(error), param="tools") from None
