"""What is sent of a conversation, as a transcript shows it, where there is room for so much."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from lton.gateway.apis.protocol import RefusedError
from lton.gateway.apis.requests import ClientRequest
from lton.gateway.exchange import Exchange, ResponseWriter
from lton.gateway.fitting.base_tools import base_tools, shown_with, with_base, with_kept
from lton.gateway.fitting.options import ContextMetrics, ContextOptions
from lton.gateway.upstreams.guided import GuidedExchange
from lton.stores import open_store
from lton.tokens import TokenCounter
from lton.transcript import Transcript, View
from lton.transcript.branches import Branches, Origin, Recognized

AnyExchange: TypeAlias = Exchange | GuidedExchange
BeginExchange: TypeAlias = Callable[[ClientRequest, ResponseWriter], AnyExchange]
"""Gets the exchange of a request, as it would be made without a plan."""

_STEP = 256
"""Tokens by which the room is made smaller, so that it is the same for requests that are alike."""
_TRIES = 6


@dataclass(frozen=True, slots=True)
class FittedPrompt:
    """What is sent of a conversation."""

    opened: Recognized
    request: ClientRequest
    """The request with the view in place of its messages."""
    names: Mapping[str, str]
    """The base tools, by the names that they have here; none if nothing was left out."""
    size: int
    """Tokens of the prompt, with its tools."""

    @property
    def chat(self) -> Transcript:
        return self.opened.chat

    @property
    def view(self) -> View:
        return self.opened.view


class PromptFitter:
    """Plans the conversations of a gateway. `metrics` are its own."""

    def __init__(
        self, options: ContextOptions, counter: TokenCounter, metrics: ContextMetrics | None = None
    ) -> None:
        self.options, self.counter, self.metrics = options, counter, metrics
        try:  # what no transcript takes is said now
            Transcript(
                counter=counter,
                store=open_store("memory:"),
                reserve=options.reserve,
                **options.options,
            )
        except ValueError as error:
            raise ValueError(f"--context: {error}") from None
        self.branches = Branches(options.open(), counter=counter, **options.options)

    def fit(
        self, request: ClientRequest, begin: BeginExchange, answer: ResponseWriter
    ) -> tuple[FittedPrompt, AnyExchange]:
        """Get what is sent, and its exchange, in as few tokens as there is room for."""
        base, names = base_tools(request.tools)
        most = self.options.window - self.options.reserve
        signatures = self.counter.count(with_base(request.tools, base).prompt()).tokens
        reserve = self.options.reserve + _rounded(signatures)
        for _ in range(_TRIES):
            if reserve >= self.options.window:
                break
            opened = self.branches.open(request.messages, reserve=reserve, now=time.monotonic())
            shown = list(opened.view.chat)
            sent, here = request, dict[str, str]()
            if not opened.view.is_partial:
                if shown != list(request.messages):
                    sent = replace(request, messages=tuple(shown))
            else:
                sent, here = shown_with(request, shown, base, names), names
                kept = with_kept(sent.messages, self.branches.store, request.messages)
                is_more = kept is not sent.messages
                if is_more and self.size(begin(replace(sent, messages=kept), answer)) <= most:
                    sent = replace(sent, messages=kept)
            inner = begin(sent, answer)
            if (size := self.size(inner)) <= most:
                return FittedPrompt(opened, sent, here, size), inner
            reserve += _rounded(size - most)
        raise too_long(f"the tools and the last turns do not fit in {most} tokens")

    def size(self, exchange: AnyExchange) -> int:
        """Count what a model reads of an exchange."""
        messages = [{"role": role, "content": text} for role, text in exchange.prompt]
        return self.counter.count_messages(messages).tokens

    def note(self, fitted: FittedPrompt, base_calls: int) -> dict[str, Any]:
        """Count what was done, and get the report of it."""
        if self.metrics:
            self.metrics.note(fitted.view, fitted.opened.origin, base_calls)
        origin: Origin = fitted.opened.origin
        return {"conversation": fitted.chat.id, "origin": origin, **fitted.view.report()}


def _rounded(tokens: int) -> int:
    return -(-tokens // _STEP) * _STEP


def too_long(why: str) -> RefusedError:
    """Get what is said of a conversation that does not fit."""
    return RefusedError(400, why, param="messages", code="context_length_exceeded")
