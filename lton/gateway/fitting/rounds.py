"""A request whose conversation is planned: a smaller one is sent, and the model reads the rest.

What was left out is read by the base tools (`recall`, `file_read`, …), which the gateway answers
itself, in rounds: the client of the answer sees neither these calls nor their results.

- A turn that calls only base tools is followed by another. After `rounds` of them the model may
  only call the client's tools. The usage is that of all turns, and so are the limits.
- A turn that also calls the client's tools is the client's: it has its own calls at once, and the
  answers to the others are kept, and shown beside its results when it sends those.
- A base tool whose name a tool of the client has is called `context_NAME`, which the model is
  shown.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lton.chat import (
    ArgumentsDelta,
    ContentDelta,
    Delta,
    Finish,
    ImitatedAnswer,
    Message,
    RepeatedCall,
    Text,
    ThoughtDelta,
    ToolCall,
    ToolCallEnd,
    ToolCallStart,
    ToolResult,
    feedback,
)
from lton.errors import Code, LTONError
from lton.gateway.apis.protocol import RefusedError
from lton.gateway.apis.replies import Choice
from lton.gateway.apis.requests import ClientRequest
from lton.gateway.exchange import BaseExchange, Exchange, ResponseWriter, UpstreamEvent
from lton.gateway.fitting.base_tools import keep
from lton.gateway.fitting.prompt import BeginExchange, PromptFitter, too_long
from lton.transcript.files import beginning

_LEAST = 128
"""Tokens of an answer of a base tool that are worth a cut."""
_MARGIN = 48
"""Tokens that a call and the frame of its answer take."""


class FittedExchange(BaseExchange[Choice]):
    """A request on its way: rounds of an exchange each, and one answer."""

    def __init__(
        self,
        request: ClientRequest,
        answer: ResponseWriter,
        begin: BeginExchange,
        fitter: PromptFitter,
    ) -> None:
        super().__init__(request, answer)
        self.begin, self.fitter = begin, fitter
        self.collector = _DeltaCollector(self._add)
        self.fitted, self.inner = fitter.fit(request, begin, self.collector)
        self.rounds = [self.inner]
        self.path = self.inner.path
        self.seen = Choice(request)
        """What the client sees."""
        self.choices = [self.seen]
        self.read: list[Message] = []
        """The calls of base tools and their results."""
        self.base_calls = 0
        self.calls: list[str] = []
        """The ids of the calls that the client is given."""
        self._begin_round()

    def _begin_round(self) -> None:
        self.text: list[str] = []
        self.places: dict[int, int] = {}
        """The calls of the round that are the client's, and which those are of all."""
        self.waiting: list[ToolCall] = []
        self.is_hidden = False
        """Whether a call of a base tool has begun and not ended."""
        self.finished = Finish("stop")

    @property
    def is_fitted(self) -> bool:
        """Whether anything else is sent than what was asked."""
        return self.fitted.request is not self.request

    def next_request(self) -> Mapping[str, Any] | None:
        """Get what is asked next, in this round or the one after it; None: all has been said."""
        while (request := self.inner.next_request()) is None:
            self._hear()
            if (following := self._following()) is None:
                return None
            self.inner = self.begin(following, self.collector)
            self.rounds.append(self.inner)
            self._begin_round()
        self.path, self.is_done = self.inner.path, False
        return request

    def receive(self, event: UpstreamEvent) -> bytes:
        """Take in an event, and get what a client that streams is sent now."""
        self.inner.receive(event)
        self.is_done = self.inner.is_done
        return self.written() if self.streamed else b""

    def check(self) -> None:
        if not self.inner.choices[0].stops.found:
            super().check()

    def flush(self) -> None:
        self.inner.flush()
        self._hear()

    def report(self) -> dict[str, Any]:
        """Get what was done for the request, and count it."""
        return self.fitter.note(self.fitted, self.base_calls)

    def total_usage(self) -> dict[str, Any]:
        """Get the tokens of all rounds, and how many of them had been read before."""
        every = [each.total_usage() for each in self.rounds]
        cached = sum(each["prompt_tokens_details"]["cached_tokens"] for each in every)
        names = ("prompt_tokens", "completion_tokens", "total_tokens")
        sums = {name: sum(each[name] for each in every) for name in names}
        return {**sums, "prompt_tokens_details": {"cached_tokens": cached}}

    # --- what the client sees ---------------------------------------------------------------------

    def _hear(self) -> None:
        """See what the round has said and nobody has seen."""
        for delta in self.inner.choices[0].new_deltas() if self.inner.choices else ():
            self._add(delta)

    def _add(self, delta: Delta) -> None:
        self.seen.deltas += self._visible(delta)

    def _shown(self, finish: Finish) -> Finish:
        """Get an end that names no base tool."""
        is_hidden = finish.cut is not None and finish.cut.name in self.fitted.names
        return replace(finish, cut=None) if is_hidden else finish

    def _visible(self, delta: Delta) -> Iterator[Delta]:  # noqa: C901 - one a kind
        match delta:
            case ContentDelta(text) if not self.is_hidden:
                if not self.text and any(
                    isinstance(each, ContentDelta) for each in self.seen.deltas
                ):
                    yield ContentDelta("\n")  # between what was said in two rounds
                self.text.append(text)
                yield delta
            case ThoughtDelta() | ImitatedAnswer():
                yield delta
            case RepeatedCall(call):
                yield from (delta,) * (call.name not in self.fitted.names)
            case ToolCallStart(index, call_id, name) if name not in self.fitted.names:
                self.places[index] = len(self.calls)
                self.calls.append(call_id)
                yield replace(delta, index=self.places[index])
            case ToolCallStart():
                self.is_hidden = True
            case ArgumentsDelta(index) if index in self.places:
                yield replace(delta, index=self.places[index])
            case ToolCallEnd(index, call) if index in self.places:
                yield replace(delta, index=self.places[index])
            case ToolCallEnd(_, call):
                self.is_hidden = False
                self.waiting.append(call)
            case Finish():
                self.finished = self._shown(delta)

    # --- rounds -----------------------------------------------------------------------------------

    def _following(self) -> ClientRequest | None:
        """Get the request of the next round; None, and the end is given, if there is none."""
        left = self._left()
        is_cut = self.finished.reason == "length" or left == 0
        rounds, most = len(self.rounds), self.fitter.options.rounds
        is_over = is_cut or rounds > most or self.inner.choices[0].stops.found
        if (self.waiting or self.is_hidden) and not (self.calls or is_over):
            self.read += self._answered() if self.waiting else self._broken()
            request = self.fitted.request if rounds < most else self._last()
            messages = (*self.fitted.request.messages, *self.read)
            return replace(request, messages=messages, max_tokens=left)
        if self.waiting and self.calls:
            keep(self.fitter.branches.store, self.calls[0], self._answered())
        reason = self.finished.reason
        if reason == "tool_calls" and not self.calls:
            reason = "length" if is_cut else "stop"
        self.seen.deltas.append(replace(self.finished, reason=reason))
        return None

    def _broken(self) -> list[Message]:
        """Get what is said of a call of a base tool that cannot be read."""
        wrong = Message.saying("assistant", self.inner.choices[0].text)
        error = self.finished.error or "the call has no end"
        return [wrong, Message.saying("user", feedback(error))]

    def _last(self) -> ClientRequest:
        """Get the request of the last round: what may be called is what the client asked for.

        Where no grammar sees to that, a call of a base tool is read, and has no answer.
        """
        request = self.request
        if isinstance(self.inner, Exchange) and self.inner.kind.lenient:
            return self.fitted.request
        return replace(
            self.fitted.request,
            callable=request.callable,
            choice=request.choice,
            parallel=request.parallel,
        )

    def _left(self) -> int | None:
        """Get how many tokens may still be written; None for any number."""
        if self.request.max_tokens is None:
            return None
        written: int = self.total_usage()["completion_tokens"]
        return max(0, self.request.max_tokens - written)

    def _answered(self) -> list[Message]:
        """Get what the model called and reads of it."""
        text = "".join(self.text)
        content = (Text(text),) if text and not self.calls else ()
        messages = [Message("assistant", (*content, *self.waiting))]
        for call in self.waiting:
            self.base_calls += 1
            messages.append(Message("tool", (self._result(call, messages),)))
        return messages

    def _result(self, call: ToolCall, messages: Sequence[Message]) -> ToolResult:
        own = replace(call, name=self.fitted.names[call.name])
        try:
            answer, is_error = self._cut(self.fitted.chat.answer(own), messages), False
        except LTONError as error:
            answer, is_error = f"error: {error}", True
        return ToolResult((Text(answer),), call.id, call.name, is_error)

    def _cut(self, answer: str, messages: Sequence[Message]) -> str:
        """Get as much of an answer as there is room for; the rest is in a file."""
        counter, options = self.fitter.counter, self.fitter.options
        texts = [part for each in (*self.read, *messages) for part in _texts(each)]
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
    fitter: PromptFitter, request: ClientRequest, answer: ResponseWriter, begin: BeginExchange
) -> FittedExchange | None:
    """Get the exchange of a request; None for one that is sent as it is.

    That is one for several answers, one without messages, one whose calls and results are not
    in pairs, and any while the store does not work: the last two are counted.

    Raises `RefusedError` for one that does not fit, whatever is left out.
    """
    if request.n > 1 or not request.messages:
        return None
    try:
        return FittedExchange(request, answer, begin, fitter)
    except LTONError as error:
        if error.code is Code.WINDOW:
            raise too_long(str(error)) from None
        if fitter.metrics:
            fitter.metrics.unplanned.labels(error.code).inc()
        return None


class _DeltaCollector:
    """The writer of an exchange whose answer is not the client's yet."""

    def __init__(self, add: Callable[[Delta], None]) -> None:
        self.add = add

    def write(self, choice: int, delta: Delta) -> bytes:
        del choice  # there is one
        self.add(delta)
        return b""

    def finish(self, usage: Mapping[str, Any]) -> bytes:
        raise NotImplementedError

    def fail(self, refusal: RefusedError) -> bytes:
        raise NotImplementedError

    def response(
        self, choices: Sequence[Sequence[Delta]], usage: Mapping[str, Any]
    ) -> dict[str, Any]:
        raise NotImplementedError


def _texts(message: Message) -> Iterator[str]:
    yield message.text
    yield from (call.written for call in message.calls)
    yield from (result.text for result in message.results)
