"""Build the application from the options: an upstream, the call format, and the endpoints."""

import argparse
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from starlette.applications import Starlette

from lton.apis.answers import AnswerWriter
from lton.apis.chat_api import CHAT
from lton.apis.client_requests import ClientRequest
from lton.apis.members import Body
from lton.apis.refusals import RefusedError
from lton.apis.registry import APIS
from lton.chat import render
from lton.engines.llamacpp import LlamaEngine, load
from lton.errors import LTONError
from lton.gateway import dashboard
from lton.gateway.access import AccessRules, read_host_names
from lton.gateway.apis.client_apis import ClientApi
from lton.gateway.bodies import MB, Bodies
from lton.gateway.call_mode import CallsChoice, ChosenApi, NativeApi, TokenCounting
from lton.gateway.compressing import PATH, CompressApi, Compressing, StoredResults
from lton.gateway.endpoints import Endpoint, RawRequest, Upstream
from lton.gateway.exchange import Exchange, UpstreamKind
from lton.gateway.handling import GatewayState
from lton.gateway.ledger import RequestLedger
from lton.gateway.metrics import Metrics
from lton.gateway.native.native_requests import NativeOptions
from lton.gateway.native.passthrough import NativeExchange
from lton.gateway.output import print_line
from lton.gateway.roads import Road, RoadFacts, choose_road
from lton.gateway.routing import build_gateway
from lton.gateway.threads import WorkThreads
from lton.gateway.upstreams.guided import GuidedExchange, limit_to_one_call
from lton.gateway.upstreams.http_upstream import HttpUpstream, NoUpstream
from lton.gateway.upstreams.llama_cpp import TemplatedExchange
from lton.gateway.upstreams.local import GuidedServer, LocalUpstream, MakeEngine, ServerSlot
from lton.gateway.upstreams.openai_custom import CustomExchange
from lton.gateway.upstreams.probing import ENFORCING, MODES, Mode, ProbeResult, find_hosted_api
from lton.gateway.upstreams.server_kinds import UPSTREAM_KINDS
from lton.gateway.upstreams.translated import TranslatedExchange
from lton.gateway.window.context_options import ContextMetrics, ContextOptions
from lton.gateway.window.describing import Describing
from lton.gateway.window.prompt import PromptFitter, try_begin_fitted
from lton.gateway.window.rounds import BeginExchange, RoundsExchange
from lton.generate.need import EVEN_ODDS
from lton.results import FORMS
from lton.schema.shown.tiers import read_budget
from lton.tokens import counter
from lton.tokens.billing import PRICES

_CHAT_SERVER = ProbeResult("native", "no tools", (CHAT.name,))


def build_application(options: argparse.Namespace, metrics: Metrics | None = None) -> Starlette:
    """Build the application for the options of `lton serve`."""
    metrics = metrics or Metrics()
    count = counter(options.tokenizer).count
    ledger = RequestLedger(
        metrics,
        lambda text: count(text).tokens,
        Path(options.log) if options.log else None,
        prices=PRICES[options.prices or _provider_of_prices(options)],
    )
    ledger.history.tokenizer = options.tokenizer
    ledger.tell = None if options.quiet else print_line
    rounds = _make_rounds(options, metrics)
    upstream: Upstream
    endpoints: dict[str, Endpoint]
    choice: CallsChoice | None = None
    if options.model:
        upstream, endpoints = _endpoints_before_model(options, ledger, rounds)
    elif not options.upstream:
        upstream = NoUpstream()
        endpoints = {}
    else:
        upstream, endpoints, choice = _endpoints_before_server(options, metrics, ledger, rounds)
    compress = None
    if options.compress:
        how = Compressing.from_section(options.compress)
        forms = FORMS.get(options.results)
        counts = counter(options.tokenizer)
        compress = CompressApi(how=how, counter=counts, metrics=metrics, for_models=forms)
        endpoints[PATH] = compress
    for api in APIS.values():
        if api.count_path:
            endpoints[api.count_path] = TokenCounting(
                api, lambda text: count(text).tokens, rounds.shown_request, choice
            )
    access = _make_access_rules(options)
    # Transcripts are not thread-safe, and a slow database must not block the server.
    stores = compress is not None and isinstance(compress.how.results, StoredResults)
    one_thread = rounds.fitter is not None or stores
    state = GatewayState(
        upstream=upstream,
        access=access,
        bodies=Bodies(most_all=options.body_memory * MB // options.workers),
        metrics=metrics,
        tell=None if options.quiet else print_line,
        threads=WorkThreads(one_thread=one_thread),
        settle=choice.settle_mode if choice else None,
        failed=choice.note_failure if choice else None,
        discarded=ledger.record_failed,
    )
    pages = dashboard.make_routes(ledger.history, access, is_shared=options.workers > 1)
    retrieve = compress.retrieve if compress else None
    return build_gateway(state, endpoints, retrieve=retrieve, pages=pages)


def _make_rounds(options: argparse.Namespace, metrics: Metrics) -> "_Rounds":
    fitter = None
    if options.context:
        figures = ContextMetrics(metrics.registry)
        fitter = PromptFitter(
            ContextOptions.from_section(options.context), counter(options.tokenizer), figures
        )
    budget = read_budget(options.show)
    return _Rounds(fitter, None if budget is None else Describing(budget))


def _make_client_apis(options: argparse.Namespace) -> dict[str, ClientApi]:
    return {
        path: ClientApi(api, options.repeat_tool_calls)
        for api in APIS.values()
        for path in api.client_paths
    }


def _endpoints_before_model(
    options: argparse.Namespace, ledger: RequestLedger, rounds: "_Rounds"
) -> tuple[Upstream, dict[str, Endpoint]]:
    threads = max(1, options.threads // options.slots)
    slots: list[MakeEngine] = [
        partial(LlamaEngine, load(options.model, context=options.n_ctx, threads=threads))
        for _ in range(options.slots)
    ]
    endpoints: dict[str, Endpoint] = {
        path: LocalApi(api, ledger, options.least_confidence, rounds=rounds)
        for path, api in _make_client_apis(options).items()
    }
    name = Path(options.model).name
    print_line(
        f"calls: guided, because {name!r} runs in this process: the model writes only values"
    )
    return LocalUpstream(slots, name), endpoints


def _endpoints_before_server(
    options: argparse.Namespace, metrics: Metrics, ledger: RequestLedger, rounds: "_Rounds"
) -> tuple[Upstream, dict[str, Endpoint], CallsChoice | None]:
    """Build the upstream, the endpoints and the choice of the call format for a server."""
    server = _make_upstream(options)
    apis = _make_client_apis(options)
    retries = allowed_retries(options)
    # `show` needs calls in LTON.
    mode: Mode | None = "lton" if rounds.describing else MODES[options.calls]
    engine = None if options.engine == "auto" else options.engine
    if options.dry_run and engine is None:  # the server is not probed
        engine = "llama.cpp"
    choice = CallsChoice(server, mode, options.upstream_api, metrics, print_line, engine)
    choice.prices = ledger.bills.prices
    slots = [
        ServerSlot(server.base, number, options.upstream_key, engine=lambda: choice.engine)
        for number in range(options.slots)
    ]
    upstream = GuidedServer(server, slots)
    choice.has_free_slot = lambda: upstream.models.has_free_slot
    plain = NativeOptions(rescue="off")
    in_lton = {
        path: LtonEndpoint(
            api,
            ledger,
            choice,
            NativeApi(api, ledger, plain),
            options.dry_run,
            retries=retries,
            rounds=rounds,
        )
        for path, api in apis.items()
    }
    if options.dry_run:
        return upstream, {**in_lton}, None
    native = NativeOptions(
        strict={"auto": None, "always": True, "never": False}[options.strict],
        results=options.results,
        keeps=options.engine in ENFORCING,
        unused=options.unused_tools,
        repeat=options.repeat_tool_calls,
        rescue=options.rescue,
        retries=retries,
        mends_streams=retries > 0 and is_local(options.upstream),
        ends_loops=retries > 0 and is_local(options.upstream),
        least_confidence=EVEN_ODDS
        if options.least_confidence is None
        else options.least_confidence,
    )
    endpoints: dict[str, Endpoint] = {
        path: ChosenApi(
            NativeApi(api, ledger, native, rounds.fitter),
            in_lton[path],
            LocalApi(api, ledger, options.least_confidence, rounds=rounds, departs=True),
            choice,
        )
        for path, api in apis.items()
    }
    return upstream, endpoints, choice


def _provider_of_prices(options: argparse.Namespace) -> str:
    hosted = find_hosted_api(options.upstream or "")
    if hosted is None:
        return "local"
    return APIS[hosted.apis[0]].prices


def allowed_retries(options: argparse.Namespace) -> int:
    """Return how often a model may be asked again after an error."""
    if options.retry is not None:
        return int(options.retry)
    return 1 if is_local(options.upstream) else 0


def is_local(upstream: str) -> bool:
    """Return whether an address is that of a server without a hosted API."""
    return upstream.startswith("http:") and find_hosted_api(upstream) is None


def _make_upstream(options: argparse.Namespace) -> HttpUpstream:
    hosted = find_hosted_api(options.upstream)
    name = options.upstream_api or (hosted.apis[0] if hosted else CHAT.name)
    header = APIS[name].key_header
    return HttpUpstream(options.upstream, key=options.upstream_key, key_header=header)


def _make_access_rules(options: argparse.Namespace) -> AccessRules:
    return AccessRules(
        api_key=options.api_key,
        hosts=read_host_names([options.host, *_split_names(options.allow_host)]),
        origins=frozenset(_split_names(options.allow_origin)),
        takes_addresses=not AccessRules().allows_host(options.host),
    )


def _split_names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


@dataclass(frozen=True)
class _Rounds:
    """Adds tools that the gateway answers itself, in rounds that clients do not see."""

    fitter: PromptFitter | None = None
    describing: Describing | None = None

    def shown_request(self, request: ClientRequest) -> ClientRequest:
        """Return a request with the tool definitions that the model sees."""
        described = self.describing.try_shorten_definitions(request) if self.describing else None
        return described.request if described else request

    def try_begin_rounds(
        self, request: ClientRequest, answer: AnswerWriter, begin: BeginExchange
    ) -> RoundsExchange | None:
        described = self.describing.try_shorten_definitions(request) if self.describing else None
        fitted = None
        if self.fitter:
            fitted = try_begin_fitted(self.fitter, request, answer, begin, described)
        if fitted or not described:
            return fitted
        return RoundsExchange(request, answer, begin, described)


@dataclass(frozen=True)
class _Api:
    """The endpoint for clients of one API."""

    client: ClientApi
    ledger: RequestLedger
    rounds: _Rounds = field(default=_Rounds(), kw_only=True)

    def record_exchange(self, exchange: Exchange | GuidedExchange | RoundsExchange) -> None:
        if isinstance(exchange, RoundsExchange):
            exchange.record_rounds(self.ledger.record_exchange)
        else:
            self.ledger.record_exchange(exchange)


@dataclass(frozen=True)
class LocalApi(_Api):
    """Answers requests with guided generation, by a model in this process or on a server."""

    least_confidence: float | None = None
    departs: bool = field(default=False, kw_only=True)

    def try_begin_exchange(
        self, body: Body, raw: RawRequest | None = None
    ) -> GuidedExchange | RoundsExchange:
        del raw
        request = limit_to_one_call(self.client.read_request(body))
        exchange = self.rounds.try_begin_rounds(
            request, self.client.make_writer(request), self._make_exchange
        )
        return exchange or self._make_exchange(request)

    def _make_exchange(self, request: ClientRequest) -> GuidedExchange:
        return GuidedExchange(
            request,
            self.client.make_writer(request),
            least_confidence=self.least_confidence,
            departs=self.departs,
        )


@dataclass(frozen=True)
class LtonEndpoint(_Api):
    """Answers requests with calls in LTON, which a server generates."""

    choice: CallsChoice
    plain: NativeApi  # asks a chat for an answer without calls
    only_counts: bool = False
    retries: int = field(default=1, kw_only=True)

    @property
    def kind(self) -> UpstreamKind:
        return replace(UPSTREAM_KINDS[self.choice.engine], retries=self.retries)

    def try_begin_exchange(
        self, body: Body, raw: RawRequest
    ) -> Exchange | RoundsExchange | NativeExchange | TranslatedExchange | None:
        """Return the exchange for a request, or None to forward the request."""
        api = self.client.api
        has_tools = bool(body.get("tools"))
        is_fitting = self.rounds.fitter is not None and not has_tools
        facts = RoadFacts(
            mode="lton",
            has_tools=has_tools,
            only_counts=self.only_counts,
            may_be_fitted=is_fitting and self._is_readable(body),
            has_own_text=api.is_universal or api is self.kind.api,
        )
        road = choose_road(facts)
        if road is Road.FORWARD and (api.is_universal or self.only_counts):
            return None  # the upstream reports its errors
        request = self.client.read_request(body)
        exchange: RoundsExchange | None = None
        if road in (Road.LTON, Road.FITTED):
            exchange = self.rounds.try_begin_rounds(
                request, self.client.make_writer(request), self._make_exchange
            )
        if road is Road.FITTED:
            if exchange and exchange.is_fitted:
                return exchange
            road = choose_road(replace(facts, may_be_fitted=False))
        match road:
            case Road.LTON:
                return exchange or self._make_exchange(request)
            case Road.TEXT:
                # Few upstreams follow the responses schema, so the chat API answers these clients.
                return self.plain.try_begin_exchange(body, raw, _CHAT_SERVER)
            case Road.COUNTED:
                self._count_prompt(request)
        return None

    def _is_readable(self, body: Body) -> bool:
        try:
            self.client.read_request(body)
        except RefusedError:
            return False
        return True

    def _count_prompt(self, request: ClientRequest) -> None:
        kind = self.kind
        tools = self.rounds.shown_request(request).tools
        messages = render(request.messages, tools, form=kind.form, primer=kind.lenient).messages
        self.ledger.count_prompt(request, "\n".join(message.text for message in messages))

    def _make_exchange(self, request: ClientRequest) -> Exchange:
        answer = self.client.make_writer(request)
        try:
            if self.kind.custom:
                return CustomExchange(request, answer, self.kind)
            kind = TemplatedExchange if self.kind.raw else Exchange
            return kind(request, answer, self.kind)
        except (LTONError, ValueError) as error:  # no tool can be called
            raise RefusedError(400, str(error), param="tools") from None
