"""Build the application from options: an upstream, the format of calls, and the endpoints."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from pathlib import Path

from starlette.applications import Starlette

from lton.apis.answers import AnswerWriter
from lton.apis.names import COUNT_PATH, PATHS
from lton.chat import render
from lton.engines.llamacpp import LlamaEngine, load
from lton.errors import LTONError
from lton.gateway import dashboard
from lton.gateway.access import Doors, named_hosts
from lton.gateway.apis.client_apis import ClientApi
from lton.gateway.apis.client_requests import ClientRequest, read_chat
from lton.gateway.apis.members import Body
from lton.gateway.apis.refusals import RefusedError
from lton.gateway.app import gateway
from lton.gateway.bodies import MB, Bodies
from lton.gateway.call_mode import CallsChoice, ChosenApi, ChosenCounting, NativeApi
from lton.gateway.compressing import PATH, CompressApi, Compressing
from lton.gateway.endpoints import Endpoint, RawRequest, Upstream
from lton.gateway.exchange import Exchange, UpstreamKind
from lton.gateway.ledger import RequestLedger
from lton.gateway.metrics import Metrics
from lton.gateway.native.native_requests import NativeOptions
from lton.gateway.native.passthrough import NativeExchange
from lton.gateway.terminal import tell
from lton.gateway.token_counting import TokenCounting
from lton.gateway.upstreams.guided import GuidedExchange, one_call
from lton.gateway.upstreams.http_upstream import HttpUpstream, KeyHeader, NoUpstream
from lton.gateway.upstreams.llama_cpp import TemplatedExchange
from lton.gateway.upstreams.local import GuidedServer, LocalUpstream, MakeEngine, ServerSlot
from lton.gateway.upstreams.openai_custom import CustomExchange
from lton.gateway.upstreams.probing import ENFORCING, MODES, Mode, ProbeResult, hosted
from lton.gateway.upstreams.server_kinds import UPSTREAM_KINDS
from lton.gateway.upstreams.translated import TranslatedExchange
from lton.gateway.window.context_options import ContextMetrics, ContextOptions
from lton.gateway.window.describing import Describing
from lton.gateway.window.prompt import PromptFitter, begin_fitted
from lton.gateway.window.rounds import BeginExchange, RoundsExchange
from lton.results import FORMS
from lton.schema.shown.tiers import read_budget
from lton.tokens import counter
from lton.tokens.billing import PRICES

_CHAT_SERVER = ProbeResult("native", "no tools", ("chat",))


def application(options: argparse.Namespace, metrics: Metrics | None = None) -> Starlette:
    """Return the application of `lton serve`. Its options are defined in `lton.gateway.command`."""
    metrics = metrics or Metrics()
    count = counter(options.count).count
    ledger = RequestLedger(
        metrics,
        lambda text: count(text).tokens,
        Path(options.log) if options.log else None,
        prices=PRICES[options.prices or _whose(options)],
    )
    ledger.history.counted = options.count
    rounds = _rounds(options, metrics)
    upstream: Upstream
    endpoints: dict[str, Endpoint]
    choice: CallsChoice | None = None
    if options.model:
        upstream, endpoints = _before_model(options, ledger, rounds)
    elif not options.upstream:
        upstream, endpoints = NoUpstream(), {}
    else:
        upstream, endpoints, choice = _before_server(options, metrics, ledger, rounds)
    compress = _compress(options, metrics)
    if compress:
        endpoints[PATH] = compress
    counting = TokenCounting(
        lambda text: count(text).tokens,
        primer=lambda: choice is None or UPSTREAM_KINDS[choice.engine].lenient,
        shown=rounds.shown,
    )
    endpoints[COUNT_PATH] = ChosenCounting(counting, choice) if choice else counting
    doors = _doors(options)
    return gateway(
        upstream,
        endpoints,
        doors=doors,
        pages=dashboard.routes(ledger.history, doors, is_shared=options.workers > 1),
        bodies=Bodies(most_all=options.body_memory * MB // options.workers),
        metrics=metrics,
        tell=None if options.quiet else tell,
        # Transcripts are not thread-safe, and a slow database must not block the server.
        one_thread=rounds.fitter is not None or "store=" in (options.compress or ""),
        settle=choice.settle if choice else None,
        failed=choice.failed if choice else None,
        retrieve=compress.retrieve if compress else None,
    )


def _rounds(options: argparse.Namespace, metrics: Metrics) -> "_Rounds":
    fitter = None
    if options.context:
        figures = ContextMetrics(metrics.registry)
        fitter = PromptFitter(ContextOptions.read(options.context), counter(options.count), figures)
    budget = read_budget(options.show)
    return _Rounds(fitter, None if budget is None else Describing(budget))


def _apis(options: argparse.Namespace) -> dict[str, ClientApi]:
    return {path: ClientApi(name, options.repeat_tool_calls) for name, path in PATHS.items()}


def _before_model(
    options: argparse.Namespace, ledger: RequestLedger, rounds: "_Rounds"
) -> tuple[Upstream, dict[str, Endpoint]]:
    threads = max(1, options.threads // options.slots)
    slots: list[MakeEngine] = [
        partial(LlamaEngine, load(options.model, context=options.n_ctx, threads=threads))
        for _ in range(options.slots)
    ]
    endpoints: dict[str, Endpoint] = {
        path: LocalApi(api, ledger, options.least_confidence, rounds=rounds)
        for path, api in _apis(options).items()
    }
    return LocalUpstream(slots, Path(options.model).name), endpoints


def _before_server(
    options: argparse.Namespace, metrics: Metrics, ledger: RequestLedger, rounds: "_Rounds"
) -> tuple[Upstream, dict[str, Endpoint], CallsChoice | None]:
    server, apis = _server(options), _apis(options)
    choice = _choice(options, server, metrics, is_written=rounds.describing is not None)
    slots = [
        ServerSlot(
            server.base, number, options.upstream_key, is_vllm=lambda: choice.engine == "vllm"
        )
        for number in range(options.slots)
    ]
    upstream = GuidedServer(server, slots)
    untooled = NativeOptions(rescue="off")
    endpoints: dict[str, Endpoint] = {
        path: OpenAIEndpoint(
            api, ledger, choice, NativeApi(api, ledger, untooled), options.dry_run, rounds=rounds
        )
        for path, api in apis.items()
    }
    if options.dry_run:
        return upstream, endpoints, None
    return upstream, _chosen(options, apis, endpoints, choice, ledger, rounds), choice


def _compress(options: argparse.Namespace, metrics: Metrics) -> CompressApi | None:
    if not options.compress:
        return None
    return CompressApi(
        how=Compressing.read(options.compress),
        counter=counter(options.count),
        metrics=metrics,
        for_models=FORMS.get(options.results),
    )


def _whose(options: argparse.Namespace) -> str:
    """Return the name of the prices, which is the provider's if its address is known."""
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
    options: argparse.Namespace, upstream: HttpUpstream, metrics: Metrics, *, is_written: bool
) -> CallsChoice:
    # `--show` needs calls in LTON.
    mode: Mode | None = "lton" if is_written else MODES[options.calls]
    engine = None if options.engine == "auto" else options.engine
    if options.dry_run:  # a dry run does not probe the server
        engine = engine or "llama.cpp"
    return CallsChoice(upstream, mode, options.upstream_api, metrics, tell, engine)


def _chosen(
    options: argparse.Namespace,
    apis: Mapping[str, ClientApi],
    written: Mapping[str, Endpoint],
    choice: CallsChoice,
    ledger: RequestLedger,
    rounds: "_Rounds",
) -> dict[str, Endpoint]:
    how = NativeOptions(
        strict=False if options.no_strict else options.strict or None,
        results=options.results,
        keeps=options.engine in ENFORCING,
        folder=options.results_folder,
        repeat=options.repeat_tool_calls,
        rescue=options.rescue,
    )
    least = options.least_confidence
    return {
        path: ChosenApi(
            NativeApi(api, ledger, how, rounds.fitter),
            written[path],
            LocalApi(api, ledger, least, rounds=rounds, departs=True),
            choice,
        )
        for path, api in apis.items()
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
class _Rounds:
    """The gateway's own tools, which it answers in rounds."""

    fitter: PromptFitter | None = None
    describing: Describing | None = None

    def shown(self, request: ClientRequest) -> ClientRequest:
        """Return a request with its tools as the model sees them."""
        described = self.describing.shown(request) if self.describing else None
        return described.request if described else request

    def begin(
        self, request: ClientRequest, answer: AnswerWriter, begin: BeginExchange
    ) -> RoundsExchange | None:
        described = self.describing.shown(request) if self.describing else None
        fitted = None
        if self.fitter:
            fitted = begin_fitted(self.fitter, request, answer, begin, described)
        if fitted or not described:
            return fitted
        return RoundsExchange(request, answer, begin, described)


@dataclass(frozen=True)
class _Api:
    """The endpoint of an API of clients."""

    api: ClientApi
    ledger: RequestLedger
    rounds: _Rounds = field(default=_Rounds(), kw_only=True)

    def record(self, exchange: Exchange | GuidedExchange | RoundsExchange) -> None:
        if isinstance(exchange, RoundsExchange):
            exchange.record(self.ledger.record)
        else:
            self.ledger.record(exchange)


@dataclass(frozen=True)
class LocalApi(_Api):
    """Answers requests with guided generation, by a model in this process or on a server."""

    least_confidence: float = 0.0
    departs: bool = field(default=False, kw_only=True)

    def begin(self, body: Body, sent: RawRequest | None = None) -> GuidedExchange | RoundsExchange:
        """Return the exchange of a request. Raises `RefusedError`."""
        del sent
        request = one_call(self.api.read(body))
        begun = self.rounds.begin(request, self.api.writer(request), self._exchange)
        return begun or self._exchange(request)

    def _exchange(self, request: ClientRequest) -> GuidedExchange:
        return GuidedExchange(
            request,
            self.api.writer(request),
            least_confidence=self.least_confidence,
            departs=self.departs,
        )


class Road(Enum):
    """The ways to answer a request whose calls are not native."""

    AS_IT_IS = auto()
    """By the upstream, byte for byte."""
    COUNTED = auto()
    """By the upstream, byte for byte, while the cost in LTON is counted."""
    OTHER_API = auto()
    """By a chat that is rewritten for its client: few upstreams follow the responses schema."""
    ROUNDS = auto()
    """In rounds, with the gateway's own tools."""
    LTON = auto()
    """With calls in LTON."""


def road(*, has_tools: bool, in_rounds: bool, is_own: bool, only_counts: bool) -> Road:
    """Return the way to answer. `is_own` means that the upstream has the client's API.

    >>> road(has_tools=False, in_rounds=False, is_own=False, only_counts=False).name
    'OTHER_API'
    """
    match only_counts, in_rounds, has_tools, is_own:
        case True, _, True, _:
            return Road.COUNTED
        case False, True, _, _:
            return Road.ROUNDS
        case False, False, True, _:
            return Road.LTON
        case False, False, False, False:
            return Road.OTHER_API
    return Road.AS_IT_IS  # the upstream handles formats itself


def _can_be_read(body: Body) -> bool:
    try:
        read_chat(body)
    except RefusedError:
        return False
    return True


@dataclass(frozen=True)
class OpenAIEndpoint(_Api):
    """Lets a server answer requests with tools."""

    choice: CallsChoice
    untooled: NativeApi
    """Asks a chat for an answer without calls."""
    only_counts: bool = False

    @property
    def kind(self) -> UpstreamKind:
        return UPSTREAM_KINDS[self.choice.engine]

    def begin(
        self, body: Body, sent: RawRequest
    ) -> Exchange | RoundsExchange | NativeExchange | TranslatedExchange | None:
        """Return the exchange of a request, or None if the upstream answers it unchanged.

        Raises `RefusedError`, also for tools that no grammar can express.
        """
        has_tools, is_chat = bool(body.get("tools")), self.api.name == "chat"
        if is_chat and not has_tools and (self.rounds.fitter is None or not _can_be_read(body)):
            return None  # the upstream reports its errors
        request = self.api.read(body)
        begun = None
        if not self.only_counts:
            begun = self.rounds.begin(request, self.api.writer(request), self._exchange)
        taken = road(
            has_tools=has_tools,
            in_rounds=begun is not None and (has_tools or begun.is_fitted),
            is_own=is_chat or (self.kind.custom and self.api.name == "responses"),
            only_counts=self.only_counts,
        )
        match taken:
            case Road.ROUNDS:
                return begun
            case Road.LTON:
                return self._exchange(request)
            case Road.OTHER_API:
                return self.untooled.begin(body, sent, _CHAT_SERVER)
            case Road.COUNTED:
                self._count(request)
        return None

    def _count(self, request: ClientRequest) -> None:
        kind, tools = self.kind, self.rounds.shown(request).tools
        shown = render(request.messages, tools, form=kind.form, primer=kind.lenient).messages
        self.ledger.prompt(request, "\n".join(each.text for each in shown))

    def _exchange(self, request: ClientRequest) -> Exchange:
        answer = self.api.writer(request)
        try:
            if self.kind.custom:
                return CustomExchange(request, answer, self.kind)
            kind = TemplatedExchange if self.kind.raw else Exchange
            return kind(request, answer, self.kind)
        except (LTONError, ValueError) as error:  # no tool can be called
            raise RefusedError(400, str(error), param="tools") from None
