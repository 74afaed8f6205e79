"""Choose the call format from a request's header, from the options, or by probing the server."""

import asyncio
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias, get_args

from lton.apis.api import Api
from lton.apis.chat_api import CHAT
from lton.apis.client_requests import ClientRequest
from lton.apis.refusals import EMPTY, UNREAD, RefusedError
from lton.apis.registry import APIS
from lton.apis.request_writing import request_body
from lton.chat import render
from lton.chat.records import ApiName
from lton.gateway.apis.client_apis import ClientApi
from lton.gateway.endpoints import BegunRequest, Endpoint, RawRequest
from lton.gateway.exchange import BaseExchange
from lton.gateway.ledger import RequestLedger, iterate_request_json
from lton.gateway.metrics import Metrics
from lton.gateway.native.distinct_names import with_distinct_names
from lton.gateway.native.native_requests import (
    NativeOptions,
    NativeRequest,
    read_native,
    tells_of_loops,
)
from lton.gateway.native.need_check import NeedCheck
from lton.gateway.native.passthrough import NativeExchange
from lton.gateway.native.repeated_turns import LoopCheck, with_repeated_turns_noted
from lton.gateway.road_evidence import WRITING_CALLS, CallsState, ModelOnServer, RoadEvidence
from lton.gateway.roads import Road, RoadFacts, RoadMode, choose_road
from lton.gateway.upstreams.guided import GuidedExchange
from lton.gateway.upstreams.http_upstream import KEYS, UNREACHABLE, HttpUpstream
from lton.gateway.upstreams.probing import (
    DROPPING,
    ENFORCING,
    GUIDING,
    SAID,
    EngineName,
    Mode,
    ProbeReply,
    ProbeResult,
    find_hosted_api,
    probe_server,
)
from lton.gateway.upstreams.server_kinds import UPSTREAM_KINDS
from lton.gateway.upstreams.translated import TranslatedExchange
from lton.gateway.upstreams.translated_requests import (
    make_translated_request,
    without_format_and_tools,
)
from lton.gateway.window.native_rounds import try_begin_native_rounds
from lton.gateway.window.prompt import PromptFitter
from lton.gateway.window.rounds import RoundsExchange
from lton.generate.need import FirstTokenLine, find_first_token_line
from lton.tokens.billing import PRICES
from lton.tokens.usage import try_read_usage

HEADER = "x-lton-calls"  # chooses the format for one request; it is not forwarded
_REQUESTED: Mapping[str, RoadMode] = {mode: mode for mode in get_args(RoadMode)}
_SILENT = 504
_AGAIN_S = 2.0  # the seconds before a server that gave no evidence is probed again
_MOST_ASKED = 4  # probes without evidence before calls become native
_MOST_FAILED = 3  # consecutive failed answers in LTON before calls become native
_MOST_LOOSE = 1_000  # refused strict tools; with more, no tools are made strict
_SAYS_NOTHING = (401, 403, 408, 429, 503)  # no evidence against the format of the calls
_Begin: TypeAlias = Callable[[Mapping[str, Any], RawRequest], BegunRequest | None]


class CallsChoice:
    """The call format chosen for a server, and the APIs that the server has.

    `settle_mode` probes the server. `found` is None until the server can be reached. Calls are
    native unless the server has shown that it has no native calls. Any other format that probing
    chose is given up after several failures in a row.
    """

    def __init__(
        self,
        upstream: HttpUpstream,
        mode: Mode | None,
        api: ApiName | None,
        metrics: Metrics,
        say: Callable[[str], None],
        engine: EngineName | None = None,
    ) -> None:
        self.upstream = upstream
        self.mode = mode
        self.api = api
        self.engine_option = engine
        self.metrics = metrics
        self.say = say
        self.probe_result: ProbeResult | None = None
        self.need_line: FirstTokenLine | None = None
        if mode == "lton" and engine:  # a header may still choose native calls
            self.probe_result = ProbeResult(
                mode, SAID, (api,) if api else tuple(APIS), engine=engine
            )
            self._set_metrics(self.probe_result, 1)
        self._lock = asyncio.Lock()
        self._again = 0.0
        self._asked = self._failed = 0
        self._had_key = False
        self.evidence = RoadEvidence(say)
        self.has_free_slot: Callable[[], bool] = lambda: True  # for another guided answer
        self.prices = PRICES["local"]
        self.loose_tools = set[str]()  # the server has refused these strict tools
        self.refuses_strict = False  # it has refused strict tools, and named none

    @property
    def engine(self) -> EngineName:
        """The engine that was configured or detected. The default is `plain`."""
        return self.engine_option or (self.probe_result.engine if self.probe_result else "plain")

    async def settle_mode(self, headers: Mapping[str, str] | None = None) -> None:
        """Probe the server until the answers show its call format."""
        is_first_key = not self._had_key and not KEYS.isdisjoint(headers or ())
        if self._is_settled or (self.probe_result and headers is None):
            return
        async with self._lock:
            now = asyncio.get_running_loop().time()
            if self._is_settled or (now < self._again and not is_first_key):
                return
            self._had_key = self._had_key or is_first_key
            with suppress(RefusedError):
                result = await self._probe_server(headers)
                self._asked += 1
                self._accept_result(result)
            self._again = asyncio.get_running_loop().time() + _AGAIN_S

    @property
    def _is_settled(self) -> bool:
        result = self.probe_result
        return result is not None and (result.is_settled or self._asked >= _MOST_ASKED)

    def model_on_server(self, body: Mapping[str, Any]) -> ModelOnServer:
        """Return the model that a request asks, and what is known of its server."""
        result = self.probe_result
        return ModelOnServer(
            name=str(body.get("model", "")),
            identity=result.model if result else "",
            has_probabilities=self.engine in GUIDING,
        )

    def may_guide(self, body: Mapping[str, Any]) -> bool:
        """Return whether evidence speaks for a guided answer, and none is being written."""
        is_better = self.evidence.state_of(self.model_on_server(body)) is CallsState.GUIDED
        return is_better and self.has_free_slot()

    def note_calls(self, exchange: NativeExchange | TranslatedExchange) -> None:
        """Take the first calls of a conversation as evidence, if they were optional."""
        if self.mode is not None or not (exchange.rescue or exchange.delivered_calls):
            return
        native = exchange.native
        if native.can_decline and native.api.begins_conversation(native.body):
            model = self.model_on_server(native.body)
            self.evidence.note_call(model, is_text=exchange.rescue is not None)

    def note_failure(self, exchange: Any, refusal: RefusedError) -> None:
        """Count a failed answer, and give up a format that fails several times in a row."""
        is_fault = refusal.status >= 500 and refusal.status not in _SAYS_NOTHING
        if isinstance(exchange, GuidedExchange) and exchange.otherwise and is_fault:
            self.evidence.note_failure(self.model_on_server(exchange.request.body), refusal.message)
            return
        is_lton = not _is_native(exchange)
        is_found = (
            self.mode is None
            and self.probe_result is not None
            and self.probe_result.mode != "native"
        )
        if not (is_lton and is_found) or refusal.code == UNREACHABLE:
            return
        if refusal.status not in _SAYS_NOTHING:
            self._failed += 1
        if self._failed == _MOST_FAILED and self.probe_result:
            failed = f"{_MOST_FAILED} {self.probe_result.mode} answers failed in a row"
            why = f"{failed} ({refusal.message[:80]})"
            self._accept_result(replace(self.probe_result, mode="native", why=why, is_settled=True))

    def count_strict(self, native: NativeRequest) -> None:
        """Count a request with strict tools and note the tools that the server refused."""
        if native.refused is not None and not self.refuses_strict:
            self.loose_tools |= native.refused
            self.refuses_strict = not native.refused or len(self.loose_tools) > _MOST_LOOSE
            named = "all" if self.refuses_strict else ", ".join(sorted(native.refused))
            self.say(f"the server refuses strict tools: from now on sent unchanged: {named}")
        if native.refused is not None or native.loose:
            self.metrics.strict.labels("taken" if native.loose else "refused").inc()

    def note_success(self) -> None:
        self._failed = 0

    async def _probe_server(self, headers: Mapping[str, str] | None) -> ProbeResult:
        url = self.upstream.base
        hosted = find_hosted_api(url)
        if hosted:
            apis = (self.api,) if self.api else hosted.apis
            mode, why = (self.mode, SAID) if self.mode else (hosted.mode, hosted.why)
            return replace(hosted, mode=mode, why=why, apis=apis, engine=self.engine)
        asking = probe_server(url, self.mode, self.api, self.engine_option)
        reply: ProbeReply | None = None
        while True:
            try:
                question = asking.send(reply)  # type: ignore[arg-type] # the first is None
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            try:
                reply = ProbeReply(
                    *await self.upstream.post_body(question.path, question.body, headers)
                )
                if usage := try_read_usage(reply.body.get("usage")):
                    self.metrics.own_requests.labels("probe").inc()
                    self.metrics.count_usage(usage, self.prices)
            except RefusedError as refusal:
                if refusal.status != _SILENT:
                    raise
                reply = ProbeReply(_SILENT, {})

    def _accept_result(self, result: ProbeResult) -> None:
        if self.probe_result == result:
            return
        if self.probe_result:
            self._set_metrics(self.probe_result, 0)
        self.probe_result = result
        self.need_line = find_first_token_line(result.model) if result.model else None
        self._set_metrics(result, 1)
        later = "" if self._is_settled else " (it will be probed again with a client's key)"
        apis = ", ".join(result.apis)
        line = f"calls: {result.mode}, {result.why}{later}; the server's APIs: {apis}"
        if not self.engine_option:
            line += f"; the server: {result.server or 'unknown'}, as --engine {result.engine}"
        if result.mode == "native" and self.need_line:
            line += "; calls that seem unneeded are not made, because the model was measured"
        self.say(line)

    def _set_metrics(self, result: ProbeResult, value: int) -> None:
        self.metrics.mode.labels(result.mode, result.why).set(value)
        self.metrics.server.labels(result.server, self.engine).set(value)


@dataclass(frozen=True)
class NativeApi:
    """Begins exchanges with native calls for clients of one API."""

    client: ClientApi
    ledger: RequestLedger
    options: NativeOptions
    fitter: PromptFitter | None = None

    def try_begin_exchange(
        self,
        body: Mapping[str, Any],
        raw: RawRequest,
        server: ProbeResult,
        loose: Collection[str] = (),
    ) -> NativeExchange | TranslatedExchange | RoundsExchange:
        """Return the exchange for a request. Raises `RefusedError`."""
        api = self.client.api
        road = choose_road(
            RoadFacts(mode="native", has_tools=True, has_api=api.name in server.apis)
        )
        has_api = road is Road.NATIVE
        options = self.options
        options = replace(options, keeps=options.keeps or server.keeps)
        enforces = server.engine in ENFORCING and has_api and api.enforces_strict
        if self.fitter:  # the fitter shortens results itself
            options = replace(options, results="as-is")
            enforces = False
        read = body
        names = dict[str, str]()
        if api.has_namespaces and not has_api and not self.fitter:
            read, names = with_distinct_names(body)
        native = read_native(
            read,
            raw.data,
            api,
            options,
            enforces=enforces,
            loose=loose,
            syntaxes=server.syntaxes,
            drops_calls=server.server in DROPPING,
        )
        strict = options.strict is True
        server_api = api if has_api else APIS[server.apis[0]]
        if self.fitter and (
            rounds := try_begin_native_rounds(
                self.fitter, native, self.client, server_api, strict=strict
            )
        ):
            return rounds
        if has_api:
            return NativeExchange(native)
        read = self.with_note_about_loops(read)
        request = replace(self.client.read_request(without_format_and_tools(read, api)), body=body)
        translated = make_translated_request(request, read, api, strict=strict)
        answer = self.client.make_writer(request, native.namespaces, names)
        return TranslatedExchange(request, answer, native, translated, server_api)

    def with_note_about_loops(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a body with a note after each repeated result."""
        if not tells_of_loops(body, self.options):
            return body
        noted, _ = with_repeated_turns_noted(body, self.client.api)
        return noted

    def try_make_need_check(
        self,
        exchange: NativeExchange | TranslatedExchange,
        server: ProbeResult,
        line: FirstTokenLine | None,
    ) -> NeedCheck | None:
        """Return how the calls of an answer are checked, or None if they pass without a check.

        Only optional calls for a message of the user to a measured model are checked.
        """
        native = exchange.native
        if line is None or CHAT.name not in server.apis or not native.can_decline:
            return None
        chat: Callable[[], Mapping[str, Any]]
        if isinstance(exchange, TranslatedExchange):  # to chat, because the server has it
            chat = partial(dict, exchange.body)
        else:
            chat = partial(self._as_chat, native)
        return NeedCheck(line=line, least=self.options.least_confidence, chat=chat)

    def _as_chat(self, native: NativeRequest) -> Mapping[str, Any]:
        """Return a request as chat completions. Raises `RefusedError` if it is impossible."""
        if native.api is CHAT:
            return native.sent_body
        body = without_format_and_tools(native.sent_body, native.api)
        request = self.client.read_request(body)
        return request_body(make_translated_request(request, body, native.api), CHAT, native.api)

    def record_exchange(
        self, exchange: NativeExchange | TranslatedExchange | RoundsExchange
    ) -> None:
        if isinstance(exchange, RoundsExchange):
            exchange.record_rounds(self.ledger.record_native)
        else:
            self.ledger.record_native(exchange)


@dataclass(frozen=True)
class ChosenApi:
    """Begins exchanges in the call format that was chosen for a request."""

    native: NativeApi
    lton: Endpoint
    guided: Endpoint  # for requests with tools: the model chooses only values
    choice: CallsChoice

    def try_begin_exchange(self, body: Mapping[str, Any], raw: RawRequest) -> BegunRequest | None:
        """Return the exchange for a request. Raises `RefusedError`, also for an invalid header."""
        requested = _find_requested_mode(raw.headers.get(HEADER))
        result = self.choice.probe_result
        mode = requested or (result.mode if result else self.choice.mode or "native")
        is_free = requested is None and self.choice.mode is None
        server = result or ProbeResult("native", SAID, (self.native.client.api.name,))
        native = partial(self._begin_native, body, raw, server, is_free=is_free)
        guided = None
        if is_free and mode == "native":
            guided = self._try_begin_guided_by_evidence(body, raw, native)
        facts = RoadFacts(
            mode=mode, has_tools=bool(body.get("tools")), may_be_guided=guided is not None
        )
        match choose_road(facts):
            case Road.FORWARD:
                return None
            case Road.GUIDED:
                return guided or self._try_begin_guided(
                    self.native.with_note_about_loops(body), raw
                )
            case Road.TRANSLATED:  # or native: the server's APIs decide
                return native()
        return self.lton.try_begin_exchange(self.native.with_note_about_loops(body), raw)

    def _try_begin_guided_by_evidence(
        self, body: Mapping[str, Any], raw: RawRequest, native: Callable[[], BegunRequest]
    ) -> GuidedExchange | None:
        """Begin a guided answer, or return None if no evidence speaks for it.

        Only answers to the first message of a conversation were measured. `native` begins another
        exchange if the guided answer fails.
        """
        is_first = self.native.client.api.is_one_message(body)
        if not (is_first and self.choice.may_guide(body)):
            return None
        exchange = self._try_begin_other_format(self._try_begin_guided, body, raw)
        if not isinstance(exchange, GuidedExchange):
            return None
        if not (exchange.is_first_turn and exchange.answers_in_full):
            return None
        exchange.otherwise = native
        return exchange

    def _begin_native(
        self, body: Mapping[str, Any], raw: RawRequest, server: ProbeResult, *, is_free: bool
    ) -> BegunRequest:
        """Begin an exchange with native calls. If `is_free`, it may use another format later."""
        if self.choice.refuses_strict:
            server = replace(server, engine="plain")
        exchange = self.native.try_begin_exchange(body, raw, server, self.choice.loose_tools)
        if isinstance(exchange, RoundsExchange):
            return exchange
        imitates = is_free and self._writes_calls(exchange.native)
        if loop := exchange.native.find_loop_to_leave(imitates=imitates):
            exchange.check_calls(LoopCheck(loop))
        if not is_free:
            return exchange
        if check := self.native.try_make_need_check(exchange, server, self.choice.need_line):
            exchange.check_calls(check)
        if isinstance(exchange, NativeExchange):
            if server.server in DROPPING:
                exchange.instead = {
                    EMPTY: partial(
                        self._try_begin_other_format, self.lton.try_begin_exchange, body, raw
                    )
                }
            elif server.engine in GUIDING:
                exchange.ask_guided = partial(
                    self._try_begin_other_format, self._try_begin_guided, body, raw
                )
                if exchange.native.required:
                    exchange.instead = {UNREAD: exchange.ask_guided}
        return exchange

    def _writes_calls(self, native: NativeRequest) -> bool:
        """Return whether the server is known to return this model's calls as text."""
        model = self.choice.model_on_server(native.body)
        return self.choice.evidence.state_of(model) in WRITING_CALLS

    def _try_begin_guided(self, body: Mapping[str, Any], raw: RawRequest) -> BegunRequest | None:
        """Begin a guided answer in the way that was measured for the model."""
        exchange = self.guided.try_begin_exchange(body, raw)
        measured = self.choice.model_on_server(body).measured
        if isinstance(exchange, GuidedExchange) and measured:
            exchange.heeds_first_token = measured.heeds_first_token
        return exchange

    def _try_begin_other_format(
        self, begin: _Begin, body: Mapping[str, Any], raw: RawRequest
    ) -> BaseExchange[Any] | None:
        """Begin an exchange in another call format, or return None if that is impossible."""
        exchange = None
        with suppress(RefusedError):
            exchange = begin(body, raw) if body.get("tools") else None
        if not isinstance(exchange, BaseExchange):
            return None
        return exchange

    def record_exchange(self, exchange: Any) -> None:
        if _is_native(exchange):
            self.native.record_exchange(exchange)
            if isinstance(exchange, NativeExchange | TranslatedExchange):
                self.choice.count_strict(exchange.native)
                self.choice.note_calls(exchange)
        else:
            self.choice.note_success()
            self.lton.record_exchange(exchange)


@dataclass(frozen=True)
class TokenCounting:
    """Answers requests that ask for a number of tokens."""

    api: Api
    count: Callable[[str], int]
    shown_request: Callable[[ClientRequest], ClientRequest]
    choice: CallsChoice | None = None

    def try_begin_exchange(self, body: Mapping[str, Any], raw: RawRequest) -> BegunRequest | None:
        """Return the number of tokens, or None to let the server count."""
        if self.choice:
            requested = _find_requested_mode(raw.headers.get(HEADER))
            result = self.choice.probe_result
            is_native = (requested or (result and result.mode)) in ("native", "guided")
            if requested == "off" or (is_native and result and self.api.name in result.apis):
                return None
            if is_native:  # tools count as JSON, because the server has another API
                full_request = replace(
                    self.api.read_request(without_format_and_tools(body, self.api)), body=body
                )
                return self.api.write_token_count(
                    self.count("\n".join(iterate_request_json(full_request)))
                )
        # Without a grammar, the prompt explains calls.
        primer = self.choice is None or UPSTREAM_KINDS[self.choice.engine].lenient
        request = self.shown_request(self.api.read_request(body))
        messages = render(request.messages, request.tools, primer=primer).messages
        return self.api.write_token_count(
            self.count("\n".join(message.text for message in messages))
        )

    def record_exchange(self, exchange: Any) -> None: ...


def _is_native(exchange: Any) -> bool:
    one = exchange.inner if isinstance(exchange, RoundsExchange) else exchange
    return isinstance(one, NativeExchange | TranslatedExchange)


def _find_requested_mode(header: str | None) -> RoadMode | None:
    if header is None:
        return None
    if (requested := _REQUESTED.get(header.strip().lower())) is None:
        words = f"{HEADER}: expected off, native, lton or guided, found {header[:40]!r}"
        raise RefusedError(400, words, code="unknown_calls")
    return requested
