"""What is sent of a conversation, as a transcript shows it, where there is room for so much."""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lton.chat import Message, ToolCall
from lton.errors import Code, LTONError
from lton.gateway.apis.protocol import RefusedError
from lton.gateway.apis.replies import AssistantMessage
from lton.gateway.apis.requests import ClientRequest
from lton.gateway.exchange import ResponseWriter
from lton.gateway.window.base_tools import base_tools, keep, shown_with, with_base, with_kept
from lton.gateway.window.describing import DescribedRequest
from lton.gateway.window.options import ContextMetrics, ContextOptions
from lton.gateway.window.rounds import AnyExchange, BeginExchange, RoundsExchange
from lton.stores import open_store
from lton.tokens import TokenCounter
from lton.transcript import Transcript, View
from lton.transcript.branches import Branches, Origin, Recognized
from lton.transcript.files import beginning

_LEAST = 128
"""Tokens of an answer of a base tool that are worth a cut."""
_MARGIN = 48
"""Tokens that a call and the frame of its answer take."""
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

    def fit(self, request: ClientRequest, begin: BeginExchange) -> tuple[FittedPrompt, AnyExchange]:
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
                if is_more and self.size(begin(replace(sent, messages=kept))) <= most:
                    sent = replace(sent, messages=kept)
            inner = begin(sent)
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


@dataclass(frozen=True)
class FittedTools:
    """The base tools, and the one that describes: `lton.gateway.window.rounds.OwnTools`."""

    fitter: PromptFitter
    fitted: FittedPrompt
    described: DescribedRequest | None

    @property
    def request(self) -> ClientRequest:
        return self.fitted.request

    @property
    def names(self) -> Collection[str]:
        return [*self.fitted.names, *(self.described.names if self.described else ())]

    @property
    def rounds(self) -> int:
        return self.fitter.options.rounds

    def answer(self, call: ToolCall, read: Sequence[Message]) -> str:
        """Get the answer to a call, as much of it as there is room for."""
        if self.described and call.name in self.described.names:
            answer = self.described.answer(call)
        else:
            answer = self.fitted.chat.answer(replace(call, name=self.fitted.names[call.name]))
        return self._cut(answer, read)

    def keep(
        self, said: AssistantMessage, read: Sequence[Message], beside: Sequence[Message]
    ) -> None:
        """Keep what base tools answered beside calls of the client, and what was described."""
        if self.described:
            self.described.keep(said, read, beside)
        based = [_only(each, self.fitted.names) for each in beside]
        if said.calls and any(each.calls for each in based):
            read = [each for each in based if each.parts]
            keep(self.fitter.branches.store, str(said.calls[0].id), read)

    def report(self, calls: Sequence[ToolCall]) -> dict[str, Any]:
        based = sum(call.name in self.fitted.names for call in calls)
        more = self.described.report(calls) if self.described else {}
        return {**self.fitter.note(self.fitted, based), **more}

    def _cut(self, answer: str, read: Sequence[Message]) -> str:
        """Get as much of an answer as there is room for; the rest is in a file."""
        counter, options = self.fitter.counter, self.fitter.options
        texts = [part for each in read for part in _texts(each)]
        used = self.fitted.size + sum(counter.count(each).tokens + _MARGIN for each in texts)
        room = options.window - options.reserve - used
        if counter.count(answer).tokens <= room:
            return answer
        file = self.fitted.chat.add_file("answer", answer)
        end = f"[the rest is in file {file}, for which there was no room: read parts of it]"
        if room < _LEAST:
            return end
        return f"{beginning(answer, room - _MARGIN, counter)}\n{end}"


def begin_fitted(
    fitter: PromptFitter,
    request: ClientRequest,
    answer: ResponseWriter,
    begin: BeginExchange,
    described: DescribedRequest | None = None,
) -> RoundsExchange | None:
    """Get the exchange of a request, which may be `described`; None for one that is not planned.

    That is one for several answers, one without messages, one whose calls and results are not
    in pairs, and any while the store does not work: the last two are counted.

    Raises `RefusedError` for one that does not fit, whatever is left out.
    """
    if request.n > 1 or not request.messages:
        return None
    sent = replace(described.request if described else request, stream=False)
    try:
        fitted, first = fitter.fit(sent, begin)
    except LTONError as error:
        if error.code is Code.WINDOW:
            raise too_long(str(error)) from None
        if fitter.metrics:
            fitter.metrics.unplanned.labels(error.code).inc()
        return None
    own = FittedTools(fitter, fitted, described)
    return RoundsExchange(request, answer, begin, own, first)


def _only(message: Message, names: Collection[str]) -> Message:
    """Get the calls and results of a message that are of tools with some names."""
    calls = (each for each in message.calls if each.name in names)
    results = (each for each in message.results if each.name in names)
    return replace(message, parts=(*calls, *results))


def _texts(message: Message) -> Iterator[str]:
    yield message.text
    yield from (call.written for call in message.calls)
    yield from (result.text for result in message.results)


def _rounded(tokens: int) -> int:
    return -(-tokens // _STEP) * _STEP


def too_long(why: str) -> RefusedError:
    """Get what is said of a conversation that does not fit."""
    return RefusedError(400, why, param="messages", code="context_length_exceeded")
