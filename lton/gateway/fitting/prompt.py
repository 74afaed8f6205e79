"""What is sent of a conversation, as a transcript shows it, where there is room for so much."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from lton.gateway.apis.protocol import RefusedError
from lton.gateway.apis.requests import Asked
from lton.gateway.exchange import AnswerWriter, Exchange
from lton.gateway.fitting.base_tools import base_tools, shown_with, with_base, with_kept
from lton.gateway.fitting.options import ContextMetrics, Planning
from lton.gateway.upstreams.guided import GuidedExchange
from lton.stores import open_store
from lton.tokens import TokenCounter
from lton.transcript import Transcript, View
from lton.transcript.branches import Branches, Origin, Recognized

AnyExchange: TypeAlias = Exchange | GuidedExchange
BeginExchange: TypeAlias = Callable[[Asked, AnswerWriter], AnyExchange]
"""Gets the exchange of a request, as it would be made without a plan."""

_STEP = 256
"""Tokens by which the room is made smaller, so that it is the same for requests that are alike."""
_TRIES = 6


@dataclass(frozen=True, slots=True)
class PlannedPrompt:
    """What is sent of a conversation."""

    opened: Recognized
    asked: Asked
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


class Planner:
    """Plans the conversations of a gateway. `metrics` are its own."""

    def __init__(
        self, planning: Planning, counter: TokenCounter, metrics: ContextMetrics | None = None
    ) -> None:
        self.planning, self.counter, self.metrics = planning, counter, metrics
        try:  # what no transcript takes is said now
            Transcript(
                counter=counter,
                store=open_store("memory:"),
                reserve=planning.reserve,
                **planning.options,
            )
        except ValueError as error:
            raise ValueError(f"--context: {error}") from None
        self.branches = Branches(planning.open(), counter=counter, **planning.options)

    def plan(
        self, asked: Asked, begin: BeginExchange, answer: AnswerWriter
    ) -> tuple[PlannedPrompt, AnyExchange]:
        """Get what is sent, and its exchange, in as few tokens as there is room for."""
        base, names = base_tools(asked.tools)
        most = self.planning.window - self.planning.reserve
        signatures = self.counter.count(with_base(asked.tools, base).prompt()).tokens
        reserve = self.planning.reserve + _rounded(signatures)
        for _ in range(_TRIES):
            if reserve >= self.planning.window:
                break
            opened = self.branches.open(asked.messages, reserve=reserve, now=time.monotonic())
            shown = list(opened.view.chat)
            sent, here = asked, dict[str, str]()
            if not opened.view.is_partial:
                if shown != list(asked.messages):
                    sent = replace(asked, messages=tuple(shown))
            else:
                sent, here = shown_with(asked, shown, base, names), names
                kept = with_kept(sent.messages, self.branches.store, asked.messages)
                is_more = kept is not sent.messages
                if is_more and self.size(begin(replace(sent, messages=kept), answer)) <= most:
                    sent = replace(sent, messages=kept)
            inner = begin(sent, answer)
            if (size := self.size(inner)) <= most:
                return PlannedPrompt(opened, sent, here, size), inner
            reserve += _rounded(size - most)
        raise too_long(f"the tools and the last turns do not fit in {most} tokens")

    def size(self, exchange: AnyExchange) -> int:
        """Count what a model reads of an exchange."""
        said = [{"role": role, "content": text} for role, text in exchange.prompt]
        return self.counter.count_messages(said).tokens

    def note(self, plan: PlannedPrompt, base_calls: int) -> dict[str, Any]:
        """Count what was done, and get the report of it."""
        if self.metrics:
            self.metrics.note(plan.view, plan.opened.origin, base_calls)
        origin: Origin = plan.opened.origin
        return {"conversation": plan.chat.id, "origin": origin, **plan.view.report()}


def _rounded(tokens: int) -> int:
    return -(-tokens // _STEP) * _STEP


def too_long(why: str) -> RefusedError:
    """Get what is said of a conversation that does not fit."""
    return RefusedError(400, why, param="messages", code="context_length_exceeded")
