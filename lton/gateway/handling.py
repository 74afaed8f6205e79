"""Handle each request: read it, query the upstream, and send the answer."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from lton.apis.chat_api import CHAT
from lton.apis.conversations import KnownConversations
from lton.apis.refusals import DOUBTED, STRICT, UNREAD, RefusedError
from lton.apis.registry import PREFIXES, api_of_path
from lton.chat import ToolCall
from lton.gateway.access import AccessRules, check_content_type, has_body
from lton.gateway.bodies import Bodies, GoneError, HeldBody
from lton.gateway.endpoints import (
    BegunRequest,
    Endpoint,
    RawRequest,
    RetrieveResult,
    SettleCalls,
    Upstream,
)
from lton.gateway.exchange import BaseExchange
from lton.gateway.headers import forwarded_headers, returned_headers
from lton.gateway.metrics import Metrics
from lton.gateway.native.inquiries import Inquiry
from lton.gateway.native.needed_calls import NeededCalls
from lton.gateway.native.passthrough import NativeExchange
from lton.gateway.output import V1, ClientOutput
from lton.gateway.threads import WorkThreads
from lton.gateway.upstreams.http_upstream import read_refusal, read_reply_bytes
from lton.gateway.upstreams.probing import REFUSED

_log = logging.getLogger("lton.gateway")
MAX_RUNNING = 1024  # requests at a time; others get 429
_QUICK = 0.25  # the share of a request's time that JSON parsing and native bookkeeping take
PATH_PREFIXES = tuple(f"{prefix}/" for prefix in PREFIXES)
_T = TypeVar("_T")


@dataclass(kw_only=True)
class GatewayState:
    """The state that all requests share."""

    upstream: Upstream
    access: AccessRules = field(default_factory=AccessRules)
    bodies: Bodies = field(default_factory=Bodies)
    max_running: int = MAX_RUNNING
    metrics: Metrics = field(default_factory=Metrics)
    tell: Callable[[str], None] | None = None  # gets a line for each request
    threads: WorkThreads = field(default_factory=WorkThreads)
    settle: SettleCalls | None = None  # probes the upstream, at the start and before requests
    failed: Callable[[Any, RefusedError], None] | None = None  # gets failed exchanges
    discarded: Callable[[Any, str], None] | None = None  # gets exchanges without a sent answer
    conversations: KnownConversations = field(default_factory=KnownConversations)
    running: int = 0

    async def run_on_thread(
        self, body: HeldBody, do: Callable[..., _T], *args: Any, **how: Any
    ) -> _T:
        """Run a function on a worker thread if the body is large (see `WorkThreads.work`)."""
        return await self.threads.run_on_thread(len(body.data), do, *args, **how)

    @asynccontextmanager
    async def admitting_request(self) -> AsyncIterator[None]:
        if self.running >= self.max_running:
            words = f"{self.max_running} requests are running: try again later"
            raise RefusedError(429, words, "rate_limit_error", retry_after="1")
        self.running += 1
        self.metrics.running.set(self.running)
        try:
            yield
        finally:
            self.running -= 1
            self.metrics.running.set(self.running)

    def forwarded_headers(self, headers: Headers) -> dict[str, str]:
        """Return the client's headers for the upstream, without the gateway's own key."""
        return forwarded_headers(headers, key=self.access.api_key)


@dataclass(frozen=True)
class AcceptedRequest:
    """An accepted request, with the output to its client."""

    scope: Scope
    headers: Headers
    body: HeldBody
    out: ClientOutput


class RequestHandler:
    """Handles requests to one path, and stops when the client disconnects."""

    def __init__(self, shared: GatewayState, name: str, endpoint: Endpoint | None) -> None:
        self.shared = shared
        self.name = name
        self.endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        shared = self.shared
        headers = Headers(scope=scope)
        out = ClientOutput(send, scope, self.name, shared.metrics, shared.tell)
        try:
            shared.access.check_key(headers)
            if self.endpoint or has_body(headers):
                check_content_type(headers, files=self.endpoint is None)
            async with (
                shared.bodies.holding_body(headers, receive) as body,
                shared.admitting_request(),
            ):
                await _answer_until_disconnect(
                    receive, out, self.answer_request(AcceptedRequest(scope, headers, body, out))
                )
        except RefusedError as refusal:
            await out.send_refusal(refusal)
        except GoneError:
            out.status = "left"
            shared.metrics.left.labels(self.name).inc()
        except asyncio.CancelledError:  # the time for a graceful end has passed
            await out.send_refusal(
                RefusedError(503, "the gateway is shutting down", "server_error")
            )
        except Exception:  # answer the client, and log the reason
            _log.exception("a request failed")
            if not out.status:
                out.exchange = None  # its state may be invalid
            await out.send_refusal(
                RefusedError(500, "an internal error of the gateway", "server_error")
            )
        finally:
            out.count_request()

    async def answer_request(self, incoming: AcceptedRequest) -> None:
        work = self.shared.run_on_thread
        endpoint = self.endpoint
        exchange = None
        body = incoming.body
        out = incoming.out
        if endpoint:
            values = await self.shared.bodies.parse_values(body, partial(work, body, share=_QUICK))
            if self.shared.settle:
                await self.shared.settle(self.shared.forwarded_headers(incoming.headers))
            raw = RawRequest(body.data, incoming.headers, incoming.scope["path"])
            exchange = await work(
                body, _try_begin_request, endpoint, self.shared.conversations, values, raw
            )
        if endpoint is None or exchange is None:
            async with self.opening_upstream(incoming, body.data) as reply:
                await _send_unchanged(reply, out)
            await out.end_response()
            return
        if isinstance(exchange, dict):
            await out.send_json(200, exchange, errors="backslashreplace")
            return
        if isinstance(exchange, NativeExchange):
            await self.forward_request(incoming, exchange)
        else:
            await self.read_answer(incoming, exchange)

    def discard_exchange(self, exchange: Any, refusal: RefusedError) -> None:
        """Count an exchange whose answer the client does not receive."""
        if self.shared.discarded:
            self.shared.discarded(exchange, refusal.message)

    async def read_answer(
        self, incoming: AcceptedRequest, exchange: BaseExchange[Any], *, is_second: bool = False
    ) -> None:
        """Query the upstream and convert its answer to the client's API.

        `is_second` marks an exchange that takes the place of another one after its answer.
        """
        assert self.endpoint is not None  # the endpoint has made the exchange
        out = incoming.out
        out.exchange = exchange
        try:
            await self.stream_answer(incoming, exchange)
        except RefusedError as refusal:
            if self.shared.failed:
                self.shared.failed(exchange, refusal)
            if exchange.otherwise and not exchange.is_partly_sent:
                await self.answer_otherwise(incoming, exchange, exchange.otherwise)
                return
            if not is_second:
                self.discard_exchange(exchange, refusal)
            raise
        out.tokens = exchange.sum_usage()
        # Count before the last byte, so that a complete answer is always counted.
        await self.shared.run_on_thread(incoming.body, self.endpoint.record_exchange, exchange)
        if exchange.streamed:
            await out.send_piece(exchange.write_end())
            await out.end_response()
        else:
            await out.send_json(200, exchange.build_response())

    async def answer_otherwise(
        self,
        incoming: AcceptedRequest,
        failed: BaseExchange[Any],
        begin: Callable[[], BegunRequest],
    ) -> None:
        """Answer a request in another way, because the client has received nothing so far."""
        other = await self.shared.run_on_thread(incoming.body, begin)
        if isinstance(other, NativeExchange):
            other.earlier += map(other.native.api.convert_usage, failed.usages)
            await self.forward_request(incoming, other)
        else:
            assert isinstance(other, BaseExchange)  # an endpoint begins no other answers
            other.usages += failed.usages
            await self.read_answer(incoming, other)

    async def stream_answer(self, incoming: AcceptedRequest, exchange: BaseExchange[Any]) -> None:
        """Query the upstream until the answer is complete, and stream the answer to the client."""
        headers = self.shared.forwarded_headers(incoming.headers)
        ask = partial(self.shared.run_on_thread, incoming.body, exchange.try_take_next_request)
        while (request := await ask(answered=exchange.held_text)) is not None:
            stream = self.shared.upstream.iterate_events(exchange.path, request, headers)
            try:
                async with aclosing(stream) as events:
                    async for event in events:
                        if piece := exchange.receive_event(event):
                            await incoming.out.send_piece(piece)
                        if exchange.is_done:
                            break
                    else:
                        exchange.check_complete()
            except RefusedError:
                if not exchange.try_to_recover():
                    raise
                return

    def opening_upstream(
        self, incoming: AcceptedRequest, content: bytes, *, is_whole: bool = False
    ) -> AbstractAsyncContextManager[Any]:
        """Send a request to the same path of the upstream.

        With `is_whole`, the answer does not stream, even if the client asked for a stream.
        """
        query = incoming.scope["query_string"].decode("latin-1")
        path = incoming.scope["raw_path"].decode("latin-1")
        path = path if path.startswith(PATH_PREFIXES) else V1 + path
        target = path + (f"?{query}" if query else "")
        if is_whole:
            target = api_of_path(target).path_without_streaming(target)
        headers = self.shared.forwarded_headers(incoming.headers)
        return self.shared.upstream.opening_request(
            incoming.scope["method"], target, content, headers
        )

    async def forward_request(self, incoming: AcceptedRequest, exchange: NativeExchange) -> None:
        """Forward a request to the server, with retries if necessary, and pass on its answer."""
        try:
            await self.forward_one_request(incoming, exchange)
        except RefusedError as refusal:
            if refusal.code == DOUBTED and exchange.needed:
                await self.check_need(incoming, exchange, exchange.needed)
                return
            if exchange.before and refusal.code != UNREAD and not exchange.has_passed:
                exchange.before.earlier.append(exchange.reader.usage)
                await self.send_earlier(incoming, exchange.before)
                return
            again = exchange.try_begin_another_attempt(refusal.code)
            if again is None:
                self.discard_exchange(exchange, refusal)
                raise
            if isinstance(again, NativeExchange):
                await self.forward_request(incoming, again)
            else:
                await self.read_second_answer(incoming, again, exchange)
        else:
            await incoming.out.end_response()

    async def check_need(
        self, incoming: AcceptedRequest, exchange: NativeExchange, checked: NeededCalls
    ) -> None:
        """Send the calls of an answer if they are needed; otherwise let the model use words."""
        work = self.shared.run_on_thread
        if question := await work(incoming.body, checked.try_make_question):
            headers = self.shared.forwarded_headers(incoming.headers)
            with suppress(RefusedError):  # without an answer, the calls are sent
                async with self.shared.upstream.opening_request(
                    "POST", CHAT.path, question, headers
                ) as reply:
                    raw = await read_reply_bytes(reply)
                    if reply.status_code == 200:
                        checked.read_answer(raw)
        again = await work(incoming.body, exchange.try_begin_answer_in_words)
        if again:
            await self.forward_request(incoming, again)
        else:
            await self.send_earlier(incoming, exchange)

    async def read_second_answer(
        self, incoming: AcceptedRequest, again: BaseExchange[Any], earlier: NativeExchange
    ) -> None:
        """Query the upstream in another call format; if that fails, send the earlier answer."""
        try:
            await self.read_answer(incoming, again, is_second=True)
        except RefusedError as refusal:
            if again.is_partly_sent:
                self.discard_exchange(again, refusal)
                raise
            first = earlier.reader.usage
            others = [usage for usage in again.usages if usage is not first]
            earlier.earlier += map(earlier.native.api.convert_usage, others)
            await self.send_earlier(incoming, earlier)

    async def send_earlier(self, incoming: AcceptedRequest, exchange: NativeExchange) -> None:
        """Send the earlier answer that was held while the model was asked again."""
        incoming.out.exchange = exchange
        data = await self.shared.run_on_thread(incoming.body, exchange.write_held_answer)
        await self.record_exchange(incoming, exchange)
        await incoming.out.send_piece(data, exchange.headers)
        await incoming.out.end_response()

    async def forward_one_request(
        self, incoming: AcceptedRequest, exchange: NativeExchange
    ) -> None:
        out = incoming.out
        async with self.opening_upstream(incoming, exchange.content) as reply:
            if exchange.native.loose and reply.status_code in REFUSED:
                exchange.drop_strict_tools((await read_reply_bytes(reply)).decode(errors="replace"))
                raise RefusedError(reply.status_code, "strict tools were refused", code=STRICT)
            if (exchange.before or out.status) and reply.status_code != 200:  # a stream has begun
                raise await read_refusal(reply)
            exchange.headers = returned_headers(reply.headers)
            exchange.streamed = "text/event-stream" in reply.headers.get("content-type", "")
            if reply.status_code != 200:
                await _send_unchanged(reply, out)
            elif exchange.streamed:
                await self.forward_stream(incoming, exchange, reply)
            else:
                raw = await read_reply_bytes(reply)
                data = await self.shared.run_on_thread(
                    incoming.body, exchange.build_response, raw, answered=len(raw)
                )
                if exchange.inquiry:
                    data = await self.settle_inquiry(incoming, exchange, exchange.inquiry)
                await self.record_exchange(incoming, exchange)
                await out.send_piece(data, exchange.headers)

    async def forward_stream(
        self, incoming: AcceptedRequest, exchange: NativeExchange, reply: Any
    ) -> None:
        out = incoming.out
        is_noted = False
        out.exchange = exchange
        async for chunk in reply.aiter_raw():
            pieces = exchange.feed_chunk(chunk)
            while piece := await self.read_inquiry(incoming, exchange, next, pieces, b""):
                if exchange.is_last and not is_noted and not exchange.inquiry:
                    is_noted = True
                    await self.record_exchange(incoming, exchange)
                await out.send_piece(piece, exchange.headers)
            if exchange.is_done:
                break
        piece = await self.read_inquiry(incoming, exchange, exchange.write_end)
        if exchange.inquiry:
            if piece:
                await out.send_piece(piece, exchange.headers)
            piece = await self.settle_inquiry(incoming, exchange, exchange.inquiry)
        if not is_noted:
            await self.record_exchange(incoming, exchange)
        if piece:
            await out.send_piece(piece, exchange.headers)

    async def settle_inquiry(
        self, incoming: AcceptedRequest, exchange: NativeExchange, inquiry: Inquiry
    ) -> bytes:
        """Ask the model whether it meant a call in its text, and return the rest of the answer."""
        calls: Sequence[ToolCall] = ()
        usage = None
        with suppress(RefusedError):  # without an answer, the client gets the text
            guided = exchange.ask_guided() if exchange.ask_guided else None
            if guided and guided.is_first_turn:  # later, guided generation declines too rarely
                guided.limit_to(inquiry.names)
                try:
                    await self.stream_answer(incoming, guided)
                finally:
                    usage = exchange.native.api.convert_usage(guided.usages[0])
                calls = guided.made_calls
            else:
                reader, body = exchange.begin_inquiry(inquiry)
                usage = reader.usage
                async with self.opening_upstream(incoming, body, is_whole=True) as reply:
                    raw = await read_reply_bytes(reply)
                    is_answer = reply.status_code == 200
                calls = exchange.read_confirmed_calls(inquiry, reader, raw) if is_answer else ()
        return await self.shared.run_on_thread(incoming.body, exchange.end_inquiry, calls, usage)

    async def read_inquiry(
        self,
        incoming: AcceptedRequest,
        exchange: NativeExchange,
        do: Callable[..., bytes],
        *args: Any,
    ) -> bytes:
        """Read more of a stream, on a worker thread if much text is held back."""
        if not exchange.held_text:
            return do(*args)
        return await self.shared.run_on_thread(
            incoming.body, do, *args, share=0, answered=exchange.held_text
        )

    async def record_exchange(self, incoming: AcceptedRequest, exchange: NativeExchange) -> None:
        """Record an answer before its last bytes are sent to the client."""
        assert self.endpoint is not None  # the endpoint has made the exchange
        incoming.out.tokens = exchange.sum_usage()
        await self.shared.run_on_thread(
            incoming.body, self.endpoint.record_exchange, exchange, share=_QUICK
        )


class RetrievalHandler(RequestHandler):
    """Handles requests for omitted results."""

    def __init__(self, shared: GatewayState, retrieve: RetrieveResult) -> None:
        super().__init__(shared, "/v1/retrieve", None)
        self.retrieve = retrieve

    async def answer_request(self, incoming: AcceptedRequest) -> None:
        name = incoming.scope["path_params"]["hash"]
        thread = self.shared.threads.workers[0]
        ask = asyncio.get_running_loop().run_in_executor
        result = await ask(thread, self.retrieve, name, incoming.headers)
        await incoming.out.send_json(200, result, errors="backslashreplace")


async def _send_unchanged(reply: Any, out: ClientOutput) -> None:
    await out.begin_response(reply.status_code, returned_headers(reply.headers))
    async for chunk in reply.aiter_raw():
        await out.send_piece(chunk)


async def _answer_until_disconnect(
    receive: Receive, out: ClientOutput, answer: Coroutine[Any, Any, None]
) -> None:
    """Run a coroutine until its end, or until the client disconnects."""
    work = asyncio.create_task(answer)
    disconnect = asyncio.create_task(_wait_for_disconnect(receive))
    tasks = (work, disconnect, asyncio.create_task(out.keep_alive()))
    try:
        await asyncio.wait((work, disconnect), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise GoneError
        await work
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)  # until the connection to the upstream is closed


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _try_begin_request(
    endpoint: Endpoint, conversations: KnownConversations, body: dict[str, Any], raw: RawRequest
) -> BegunRequest | None:
    try:
        api = api_of_path(raw.path)
        request = api.with_path_fields(body, raw.path)
        conversation = conversations.with_known_messages(request, api.conversation_key)
        return endpoint.try_begin_exchange(conversation, raw)
    except RecursionError:
        raise RefusedError(400, "the body is nested too deep") from None
