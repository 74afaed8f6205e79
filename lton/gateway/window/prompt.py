"""Shrink a conversation until it fits the model's window."""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lton.apis.answer_notes import AssistantMessage
from lton.apis.answers import AnswerWriter
from lton.chat import Message, ToolCall
from lton.errors import Code, LTONError
from lton.gateway.apis.client_requests import ClientRequest
from lton.gateway.apis.refusals import RefusedError
from lton.gateway.window.context_options import ContextMetrics, ContextOptions
from lton.gateway.window.describing import DescribedRequest
from lton.gateway.window.hidden_tools import base_tools, keep, shown_with, with_base, with_kept
from lton.gateway.window.rounds import AnyExchange, BeginExchange, RoundsExchange
from lton.stores import open_store
from lton.tokens import TokenCounter
from lton.transcript import Transcript, View
from lton.transcript.branches import Branches, Origin, Recognized
from lton.transcript.files import beginning

_LEAST = 128
"""Tokens that an answer of a base tool is cut to at least."""
_MARGIN = 48
"""Tokens of a call and the frame of its answer."""
_STEP = 256
"""The step in tokens by which the room shrinks: similar requests then have the same room."""
_TRIES = 6


@dataclass(frozen=True, slots=True)
class FittedPrompt:
    """The prompt of a conversation."""

    opened: Recognized
    request: ClientRequest
    """The request with the view instead of its messages."""
    names: Mapping[str, str]
    """The base tools by their names here; empty if nothing was left out."""
    size: int
    """The prompt's tokens, with its tools."""

    @property
    def chat(self) -> Transcript:
        return self.opened.chat

    @property
    def view(self) -> View:
        return self.opened.view


class PromptFitter:
    """Shrinks the conversations of a gateway."""

    def __init__(
        self, options: ContextOptions, counter: TokenCounter, metrics: ContextMetrics | None = None
    ) -> None:
        self.options, self.counter, self.metrics = options, counter, metrics
        try:  # report invalid options at the start
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
        """Return the prompt and its exchange, within the window."""
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
        messages = [{"role": role, "content": text} for role, text in exchange.prompt]
        return self.counter.count_messages(messages).tokens

    def note(self, fitted: FittedPrompt, base_calls: int) -> dict[str, Any]:
        if self.metrics:
            self.metrics.note(fitted.view, fitted.opened.origin, base_calls)
        origin: Origin = fitted.opened.origin
        return {"conversation": fitted.chat.id, "origin": origin, **fitted.view.report()}


@dataclass(frozen=True)
class FittedTools:
    """The base tools and the describing tool: `lton.gateway.window.rounds.OwnTools`."""

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
        """Answer a call, as far as there is room."""
        if self.described and call.name in self.described.names:
            answer = self.described.answer(call)
        else:
            answer = self.fitted.chat.answer(replace(call, name=self.fitted.names[call.name]))
        return self._cut(answer, read)

    def keep(
        self, said: AssistantMessage, read: Sequence[Message], beside: Sequence[Message]
    ) -> None:
        """Keep descriptions, and answers of base tools that were called with the client's tools."""
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
        """Cut an answer to the room that is left; the rest is in a file."""
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
    answer: AnswerWriter,
    begin: BeginExchange,
    described: DescribedRequest | None = None,
) -> RoundsExchange | None:
    """Return the exchange of a request, which may be `described`; None if it is sent unchanged.

    That is a request for several choices, one without messages, one whose calls and results do not
    match, and any if the store fails; the last two are counted. Raises `RefusedError` if the
    conversation cannot fit.
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
    """Return the refusal of a conversation that cannot fit."""
    return RefusedError(400, why, param="messages", code="context_length_exceeded")
