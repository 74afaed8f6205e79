"""Count the tokens of requests, in LTON and as JSON, and log the counts."""

import json
import logging
import os
import threading
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeAlias

from lton._json import minified
from lton._syntax import FORBIDDEN, is_allowed
from lton.apis.api import Api
from lton.apis.client_requests import ClientRequest
from lton.apis.conversations import KeptParts, cache_of_conversation
from lton.apis.prompt_parts import iterate_message_parts, iterate_parts_before_messages
from lton.apis.registry import APIS
from lton.chat import ContentDelta, Delta, Message, ThoughtDelta, ToolCall, ToolCallEnd
from lton.chat.deltas import MendedCall
from lton.gateway.apis.choices import Choice
from lton.gateway.bills import MOST_TOOLS, BilledConversations, RequestBill, with_turns
from lton.gateway.dashboard import BillHistory, Outcome
from lton.gateway.exchange import Exchange
from lton.gateway.metrics import Metrics
from lton.gateway.native.native_requests import NativeRequest
from lton.gateway.native.passthrough import NativeExchange
from lton.gateway.upstreams.guided import GuidedExchange
from lton.gateway.upstreams.translated import TranslatedExchange
from lton.tokens.billing import PRICES, Prices, PromptTokens
from lton.tokens.usage import PromptPart, try_read_usage

_log = logging.getLogger("lton.gateway")
_TOLD = 100
"""The characters of a call that the terminal shows."""
_Parts: TypeAlias = Sequence[PromptPart]
CountTokens: TypeAlias = Callable[[str], int]
_STEP = 1024 * 1024


class RequestLedger:
    """Counts and logs the tokens of requests.

    JSON is counted minified: definitions, each call as a name and arguments, and each answer as the
    client sent it. Neither count includes text that a chat template adds.
    """

    def __init__(
        self,
        metrics: Metrics,
        count: CountTokens,
        log: Path | None = None,
        *,
        prices: Prices = PRICES["local"],
    ) -> None:
        self.metrics = metrics
        self.count = count
        self.log = log
        self.history = BillHistory()
        self.tell: Callable[[str], None] | None = None  # prints a line for each rescued call
        self.bills = BilledConversations(lambda text: count(_replace_forbidden(text)), prices)
        self.lock = threading.Lock()
        self._defined = lru_cache(MOST_TOOLS)(self._count_tokens)

    def record_exchange(
        self,
        exchange: Exchange | GuidedExchange,
        *,
        hidden: Container[str] = (),
        context: Mapping[str, Any] | None = None,
        is_more: bool = False,
    ) -> None:
        """Count and log an answer, except calls to `hidden` tools. `is_more` marks later rounds."""
        cache = cache_of_conversation(exchange.request.body)
        choices = exchange.choices
        client_parts = _split_parts(
            exchange.request.body, APIS[exchange.request.api], cache, "asked"
        )
        prompt_parts = exchange.prompt_parts()
        bill = self._make_bill(client_parts, prompt_parts, exchange, is_more=is_more)
        if cache.settled:  # all but the new parts were counted before
            self.metrics.tokens.labels("prompt", "lton").inc(bill.sent.total)
            self.metrics.tokens.labels("prompt", "json").inc(
                self._count_new_messages(exchange.request, cache)
            )
        else:
            self.count_prompt(exchange.request, "\n".join(item.text for item in prompt_parts))
        for choice in choices:
            self._count_choice(choice, hidden)
        notes = [choice.notes for choice in choices]
        outcome = Outcome(
            model=str(exchange.request.body.get("model", "")),
            calls="lton",
            offers_tools=bool(exchange.request.body.get("tools")),
            delivered=sum(len(_names_called(choice, hidden)) for choice in choices),
            text="\n".join(item.text for item in choices),
            mended=[item for choice in choices for item in _mended_calls(choice.deltas)],
            repairs=[repair for choice in choices for repair in choice.repairs],
            notes=[note for item in notes for note in item],
        )
        line = {
            "request": exchange.request.body,
            "prompt": [(item.role, item.text) for item in prompt_parts],
            "departures": exchange.departures,
            "completions": [choice.text for choice in choices],
            "notes": notes,
        }
        self._finish_entry(exchange, bill, outcome, line, context)

    def _count_choice(self, choice: Choice, hidden: Container[str]) -> None:
        self.count_text("completion", "lton", choice.text)
        self.count_text("completion", "json", "".join(_iterate_answer_texts(choice.deltas)))
        self.metrics.calls.inc(len(_names_called(choice, hidden)))
        self.metrics.mended.inc(len(_mended_calls(choice.deltas)))
        self.metrics.unread.inc(bool(choice.error))
        if choice.empty_error:
            self.metrics.left_out.labels(str(choice.empty_error.code)).inc()

    def record_native(
        self,
        exchange: NativeExchange | TranslatedExchange,
        *,
        hidden: Container[str] = (),
        context: Mapping[str, Any] | None = None,
        is_more: bool = False,
    ) -> None:
        """Count and log a request with native calls (see `record_exchange`)."""
        native = exchange.native
        rescue = exchange.rescue
        check = exchange.native.allowed.checks.outcome_of_call
        made_calls = ((item.start.name, item.arguments) for item in exchange.checked_calls)
        checks = [(name, check(name, json)[0]) for name, json in made_calls]
        cache = cache_of_conversation(native.body)
        api = native.api
        client_parts = _split_parts(native.body, api, cache, "asked")
        sent_parts = client_parts
        if native.content is not native.data:
            sent_parts = _split_parts(
                native.sent_body, api, KeptParts() if context else cache, "sent"
            )
        bill = self._make_bill(client_parts, sent_parts, exchange, is_more=is_more)
        # Each part is counted once in its conversation.
        in_parts = ("tools", api.conversation_key, *api.system_keys)
        options = {key: item for key, item in native.body.items() if key not in in_parts}
        tokens = self._count_tokens(minified(options))
        self.metrics.tokens.labels("request", "json").inc(tokens + bill.asked.total)
        self.metrics.tokens.labels("request", "lton").inc(tokens + bill.sent.total)
        calls, repairs = (rescue.calls, [*rescue.repairs]) if rescue else ((), [])
        repairs += [repair for mended in exchange.mended for repair in mended.repairs]
        called = [*(name for name, _ in checks), *(item.name for item in calls)]
        delivered = sum(name not in hidden for name in called)
        outcome = Outcome(
            model=str(native.body.get("model", "")),
            calls="native",
            offers_tools=bool(native.body.get("tools")),
            delivered=delivered,
            text=exchange.join_received_text(),
            rescued=[f"{call.name} {call.written}" for call in calls],
            mended=_mended_calls(exchange.mended),
            repairs=repairs,
            notes=exchange.notes,
        )
        self.metrics.rescued.inc(len(calls))
        self.metrics.mended.inc(len(exchange.mended))
        for _, fit in (item for item in checks if item[0] not in hidden):
            self.metrics.checked.labels(fit).inc()
        self.metrics.calls.inc(delivered)
        self._count_definitions(native, bill, called)
        line = {
            "request": native.body,
            "calls": "native",
            "text": outcome.text,
            "rescued": [[call.name, call.written] for call in calls],
            "mended": [[item.given.name, item.given.written] for item in exchange.mended],
            "repairs": [[str(item.code), item.pos, item.msg] for item in repairs],
            "checked": checks,
            "notes": exchange.notes,
            "dropped": exchange.dropped,
        }
        self._finish_entry(exchange, bill, outcome, line, context)

    def _count_definitions(
        self, native: NativeRequest, bill: RequestBill, called: Sequence[str]
    ) -> None:
        defined = native.api.iterate_functions_in(native.sent_body.get("tools"))
        tokens = {
            function["name"]: self._defined(minified(function))
            for function, _ in defined
            if not function.get("defer_loading")  # the model sees it only after a search
        }
        price = bill.prices.read if bill.asked.read else bill.prices.write
        self.metrics.definitions.add_request(tokens, called, price)

    def _finish_entry(
        self, exchange: Any, bill: RequestBill, outcome: Outcome, line: Any, context: Any
    ) -> None:
        """Count the outcome of a request and append a line to the log."""
        self.history.add_bill(bill, outcome)
        if self.tell:
            for call in outcome.rescued:
                self.tell(f"rescued a call that the model wrote as text: {call[:_TOLD]}")
            for call in outcome.mended:
                self.tell(f"mended a call that did not fit its tool: {call[:_TOLD]}")
        self._count_turns(exchange)
        for repair in outcome.repairs:
            self.metrics.repairs.labels(repair.code).inc()
        for note in outcome.notes:
            self.metrics.left_out.labels(note["code"]).inc()
        if self.log is None:
            return
        line |= {"usage": exchange.sum_usage(), "billed": bill.as_json()}
        line |= {"context": context} if context else {}
        self._write_line(line)

    def _write_line(self, line: Mapping[str, Any]) -> None:
        """Append a line to the log."""
        assert self.log is not None
        # A lone surrogate in the request stays a JSON escape.
        text = json.dumps(line, ensure_ascii=False, default=str) + "\n"
        data = text.encode(errors="backslashreplace")
        opener = partial(os.open, mode=0o600)
        try:
            with self.lock, open(self.log, "ab", buffering=0, opener=opener) as file:
                while data:  # in one write, because other processes may write in between
                    data = data[file.write(data) :]
        except OSError as error:  # a full disk must not fail the request
            _log.error("a request is not in the log %s: %s", self.log, error.strerror)

    def _count_turns(self, exchange: Any) -> None:
        if again := _count_requests(exchange) - 1:
            self.metrics.retries.inc(again)
            self.metrics.own_requests.labels("again").inc(again)

    def record_failed(self, exchange: Any, error: str) -> None:
        """Count and log the requests of an exchange whose answers were discarded."""
        usage = exchange.sum_usage()
        reported = try_read_usage(usage)
        self.metrics.failed.inc()
        if reported:
            self.metrics.count_usage(reported, self.bills.prices)
        self._count_turns(exchange)
        if self.log is not None:
            body = exchange.native.body if _is_native_exchange(exchange) else exchange.request.body
            self._write_line(
                {
                    "request": body,
                    "failed": error,
                    "usage": usage,
                    "turns": _count_requests(exchange),
                }
            )

    def _make_bill(
        self, client_parts: _Parts, sent_parts: _Parts, exchange: Any, *, is_more: bool
    ) -> RequestBill:
        bill = self.bills.bill_request(
            client_parts, sent_parts, try_read_usage(exchange.sum_usage())
        )
        bill = with_turns(bill, _count_requests(exchange))
        if is_more:
            by_tool = {name: (0.0, sent_parts) for name, (_, sent_parts) in bill.by_tool.items()}
            bill = replace(bill, asked=PromptTokens(), new_asked=(), by_tool=by_tool)
            self.metrics.own_requests.labels("round").inc()
        self.metrics.count_bill(bill)
        return bill

    def count_prompt(self, request: ClientRequest, prompt: str) -> None:
        self.count_text("prompt", "lton", prompt)
        self.count_text("prompt", "json", "\n".join(iterate_request_json(request)))

    def _count_new_messages(self, request: ClientRequest, cache: KeptParts) -> int:
        """Count the tokens of a prompt as JSON and cache the counts of earlier messages."""
        messages = request.messages
        until = cache.settled
        start, tokens = cache.find_start("json", messages)
        start, tokens, until = (start, tokens, max(start, until)) if start else (0, 0, until)
        tokens += self._count_tokens("\n".join(_iterate_message_texts(messages[start:until])))
        cache.store_result("json", messages[:until], tokens)
        remaining = replace(request, messages=messages[until:])
        return tokens + self._count_tokens("\n".join(iterate_request_json(remaining)))

    def count_text(self, kind: str, notation: str, text: str) -> None:
        self.metrics.tokens.labels(kind, notation).inc(self._count_tokens(text))

    def _count_tokens(self, text: str) -> int:
        return self.count(text if is_allowed(text) else _replace_forbidden(text))


def _count_requests(exchange: Any) -> int:
    """Return how often the model was asked, also by an earlier exchange of the request."""
    if isinstance(exchange, NativeExchange):
        return exchange.turns
    return max(1, len(exchange.usages))


def _is_native_exchange(exchange: Any) -> bool:
    return isinstance(exchange, NativeExchange | TranslatedExchange)


def _split_parts(
    body: Mapping[str, Any], api: Api, cache: KeptParts, name: str
) -> list[PromptPart]:
    """Split a request into parts and cache the parts of earlier messages."""
    messages = api.conversation_in(body)
    start, cached = cache.find_start(name, messages)
    before, called = (cached[0], {**cached[1]}) if start else ((), {})
    settled = max(start, cache.settled)
    parts = [*before, *iterate_message_parts(messages[start:settled], called, api)]
    cache.store_result(name, messages[:settled], (tuple(parts), {**called}))
    parts += iterate_message_parts(messages[settled:], called, api)
    return [*iterate_parts_before_messages(body, api), *parts]


def _replace_forbidden(text: str) -> str:
    steps = (text[at : at + _STEP] for at in range(0, len(text), _STEP))
    return "".join(FORBIDDEN.sub("\ufffd", step) for step in steps)


def iterate_request_json(request: ClientRequest) -> Iterator[str]:
    """Yield the strings of a request, with tools and calls as JSON."""
    if tools := request.body.get("tools"):
        yield minified(tools)
    yield from _iterate_message_texts(request.messages)


def _iterate_message_texts(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        yield message.text
        for call in message.calls:
            yield _call_as_json(call)
        for result in message.results:
            yield result.text


def _names_called(choice: Choice, hidden: Container[str]) -> list[str]:
    """Return the names in the calls of a choice, without calls of hidden tools."""
    ended = (delta.call.name for delta in choice.deltas if isinstance(delta, ToolCallEnd))
    return [name for name in ended if name not in hidden]


def _mended_calls(deltas: Iterable[Delta]) -> list[str]:
    """Return the calls that were mended, as the server wrote them."""
    calls = [delta.given for delta in deltas if isinstance(delta, MendedCall)]
    return [f"{call.name} {call.written}" for call in calls]


def _iterate_answer_texts(deltas: list[Delta]) -> Iterator[str]:
    for delta in deltas:
        match delta:
            case ContentDelta(text) | ThoughtDelta(text):
                yield text
            case ToolCallEnd(_, call):
                yield _call_as_json(call)


def _call_as_json(call: ToolCall) -> str:
    return f'{{"name":{minified(call.name)},"arguments":{call.written}}}'
