"""How calls are written for a request: as its header says, as the start said, as was found out."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from lton.apis.names import PATHS, ApiName
from lton.gateway.apis.messages import read_messages
from lton.gateway.apis.protocol import RefusedError
from lton.gateway.apis.requests import ClientRequest
from lton.gateway.app import BegunRequest, Endpoint, RawRequest
from lton.gateway.counting import TokenCounting
from lton.gateway.exchange import ResponseWriter
from lton.gateway.ledger import RequestLedger, as_json
from lton.gateway.metrics import Metrics
from lton.gateway.native.passing import NativeExchange
from lton.gateway.native.requests import NativeOptions, read_native
from lton.gateway.upstreams.http import HttpUpstream
from lton.gateway.upstreams.probing import SAID, Mode, ProbeReply, ProbeResult, found, hosted
from lton.gateway.upstreams.translated import (
    NamespaceWriter,
    TranslatedExchange,
    plain,
    translated_request,
)

HEADER = "x-lton-calls"
"""Says for one request how its calls are written; it goes no further."""
RequestedMode: TypeAlias = Literal["off", "native", "lton"]
_REQUESTED: Mapping[str, RequestedMode] = {"off": "off", "native": "native", "lton": "lton"}
_SILENT = 504
_AGAIN_S = 2.0
"""Before a server is asked again that could not be reached."""


class CallsChoice:
    """How calls are written before a server, and the APIs that it has.

    `settle` finds that out, once; as long as the server cannot be reached, `found` is None.
    """

    def __init__(
        self,
        upstream: HttpUpstream,
        mode: Mode | None,
        api: ApiName | None,
        metrics: Metrics,
        say: Callable[[str], None],
    ) -> None:
        self.upstream, self.mode, self.api = upstream, mode, api
        self.metrics, self.say = metrics, say
        self.found: ProbeResult | None = None
        if mode == "lton":  # and a header may ask for native calls, by the same API
            self.found = ProbeResult(mode, SAID, (api,) if api else tuple(PATHS))
            metrics.mode.labels(mode, SAID).set(1)
        self._lock = asyncio.Lock()
        self._again = 0.0

    async def settle(self) -> None:
        """Find out what is not known yet; a server that is not there is asked again later."""
        if self.found:
            return
        async with self._lock:
            now = asyncio.get_running_loop().time()
            if self.found or now < self._again:
                return
            try:
                self._take(await self._probe())
            except RefusedError:
                self._again = asyncio.get_running_loop().time() + _AGAIN_S

    async def _probe(self) -> ProbeResult:
        url = self.upstream.base
        known = hosted(url)
        if known:
            apis = (self.api,) if self.api else known.apis
            mode, why = (self.mode, SAID) if self.mode else (known.mode, known.why)
            return replace(known, mode=mode, why=why, apis=apis)
        asking = found(url, self.mode, self.api)
        reply: ProbeReply | None = None
        while True:
            try:
                question = asking.send(reply)  # type: ignore[arg-type] # the first is None
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            try:
                reply = ProbeReply(*await self.upstream.ask(question.path, question.body))
            except RefusedError as refusal:
                if refusal.status != _SILENT:
                    raise
                reply = ProbeReply(_SILENT, {})

    def _take(self, it: ProbeResult) -> None:
        self.found = it
        self.metrics.mode.labels(it.mode, it.why).set(1)
        self.say(f"calls: {it.mode}, {it.why}; the server's APIs: {', '.join(it.apis)}")


@dataclass(frozen=True)
class NativeApi:
    """One API whose requests keep their calls."""

    api: ApiName
    ledger: RequestLedger
    options: NativeOptions
    read: Callable[[Mapping[str, Any]], ClientRequest]
    answer: Callable[[ClientRequest], ResponseWriter]
    """How requests are read and answers written where the server has another API."""

    def begin(
        self, body: Mapping[str, Any], sent: RawRequest, server: ProbeResult
    ) -> NativeExchange | TranslatedExchange:
        """Get the exchange of a request, before some server. Raises `RefusedError`."""
        apis, options = server.apis, self.options
        options = replace(options, keeps=options.keeps or server.keeps)
        native = read_native(body, sent.data, self.api, options)
        if self.api in apis:
            return NativeExchange(native)
        request = replace(self.read(plain(body, self.api)), body=body)
        translated = translated_request(request, body, self.api, strict=self.options.strict)
        is_spaced = self.api == "responses" and native.namespaces
        answer = NamespaceWriter(request, native.namespaces) if is_spaced else self.answer(request)
        return TranslatedExchange(request, answer, native, translated, apis[0])


@dataclass(frozen=True)
class ChosenApi:
    """One API, whose calls are native or in LTON."""

    native: NativeApi
    lton: Endpoint
    """What writes LTON."""
    choice: CallsChoice

    def begin(self, body: dict[str, Any], sent: RawRequest) -> BegunRequest | None:
        """Get the exchange of a request. Raises `RefusedError`, also for a header of no mode."""
        requested = _requested_mode(sent.headers.get(HEADER))
        if requested == "off":
            return None
        mode = requested or (self.choice.found.mode if self.choice.found else self.choice.mode)
        if mode == "native":
            server = self.choice.found or ProbeResult(mode, SAID, (self.native.api,))
            return self.native.begin(body, sent, server)
        return self.lton.begin(body, sent)

    def record(self, exchange: Any) -> None:
        """Count what was said, and log it."""
        if isinstance(exchange, NativeExchange | TranslatedExchange):
            self.native.ledger.record_native(exchange)
        else:
            self.lton.record(exchange)


@dataclass(frozen=True)
class ChosenCounting:
    """The endpoint that counts tokens: a server that can count those of native calls does."""

    counting: TokenCounting
    choice: CallsChoice

    def begin(self, body: dict[str, Any], sent: RawRequest) -> BegunRequest | None:
        """Get the answer to a request; None where the server gives it. Raises `RefusedError`.

        Where calls are native and the server has another API, tools count as JSON.
        """
        requested, found = _requested_mode(sent.headers.get(HEADER)), self.choice.found
        is_native = (requested or (found and found.mode)) == "native"
        if requested == "off" or (is_native and found and "messages" in found.apis):
            return None
        if is_native:
            asked = replace(read_messages(plain(body, "messages")), body=body)
            return {"input_tokens": self.counting.count("\n".join(as_json(asked)))}
        return self.counting.begin(body, sent)

    def record(self, exchange: Any) -> None:
        """Take note of nothing: no model is asked."""


def _requested_mode(given: str | None) -> RequestedMode | None:
    if given is None:
        return None
    if (requested := _REQUESTED.get(given.strip().lower())) is None:
        words = f"{HEADER}: expected off, native or lton, found {given[:40]!r}"
        raise RefusedError(400, words, code="unknown_calls")
    return requested
