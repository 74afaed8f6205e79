"""A request in rounds: tools of the gateway's own are called, and answered here.

The client of the answer sees neither these calls nor their results.

- A turn that calls only the gateway's own tools is followed by another. After `rounds` of them the
  model may only call the client's tools. The usage is that of all turns, and so are the limits.
- A turn that also calls the client's tools is the client's: it has its own calls at once, and the
  answers to the others are kept (`OwnTools.keep`), and shown when it sends its results.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

from lton.apis.usage import as_openai
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
from lton.errors import LTONError
from lton.gateway.apis.replies import AssistantMessage, Choice
from lton.gateway.apis.requests import ClientRequest
from lton.gateway.exchange import BaseExchange, Exchange, ResponseWriter, UpstreamEvent
from lton.gateway.upstreams.guided import GuidedExchange

AnyExchange: TypeAlias = Exchange | GuidedExchange
BeginExchange: TypeAlias = Callable[[ClientRequest], AnyExchange]
"""Gets the exchange of a round. It does not stream: what it says is taken from it as it comes."""


class OwnTools(Protocol):
    """The tools that the gateway answers itself in a request."""

    @property
    def request(self) -> ClientRequest:
        """What is sent first: these tools are among its own."""

    @property
    def names(self) -> Collection[str]: ...
    @property
    def rounds(self) -> int: ...

    def answer(self, call: ToolCall, read: Sequence[Message]) -> str:
        """Get the answer to a call, where so much was `read` before. May raise `LTONError`."""

    def keep(
        self, said: AssistantMessage, read: Sequence[Message], beside: Sequence[Message]
    ) -> None:
        """Keep what was read in rounds, and beside the client's calls, for its next request."""

    def report(self, calls: Sequence[ToolCall]) -> dict[str, Any]:
        """Get what was done for the request, and count it; `calls` were answered."""


class RoundsExchange(BaseExchange[Choice]):
    """A request on its way: rounds of an exchange each, and one answer."""

    def __init__(
        self,
        request: ClientRequest,
        answer: ResponseWriter,
        begin: BeginExchange,
        own: OwnTools,
        first: AnyExchange | None = None,
    ) -> None:
        super().__init__(request, answer)
        self.begin, self.own = begin, own
        self.inner = first or begin(replace(own.request, stream=False))
        self.rounds = [self.inner]
        self.path = self.inner.path
        self.seen = Choice(request)
        """What the client sees."""
        self.choices = [self.seen]
        self.read: list[Message] = []
        """The calls of our tools and their results."""
        self.answered: list[ToolCall] = []
        self.calls: list[str] = []
        """The ids of the calls that the client is given."""
        self._begin_round()

    def _begin_round(self) -> None:
        self.text: list[str] = []
        self.places: dict[int, int] = {}
        """The calls of the round that are the client's, and which those are of all."""
        self.waiting: list[ToolCall] = []
        self.is_hidden = False
        """Whether a call of a tool of ours has begun and not ended."""
        self.finished = Finish("stop")

    @property
    def is_fitted(self) -> bool:
        """Whether anything else is sent than what was asked."""
        return self.own.request.messages is not self.request.messages

    @property
    def held_text(self) -> int:
        return self.inner.held_text

    def next_request(self) -> Mapping[str, Any] | None:
        """Get what is asked next, in this round or the one after it; None: all has been said."""
        while (request := self.inner.next_request()) is None:
            self._hear()
            if (following := self._following()) is None:
                return None
            self.inner = self.begin(replace(following, stream=False))
            self.rounds.append(self.inner)
            self._begin_round()
        self.path, self.is_done = self.inner.path, False
        return request

    def receive(self, event: UpstreamEvent) -> bytes:
        self.inner.receive(event)
        self.is_done, self.is_whole = self.inner.is_done, self.inner.is_whole
        if not self.streamed:
            return b""
        self._hear()
        return self.written()

    def check(self) -> None:
        if not self.inner.choices[0].stops.found:
            super().check()

    def flush(self) -> None:
        self.inner.flush()
        self._hear()

    def report(self) -> dict[str, Any]:
        return self.own.report(self.answered)

    def total_usage(self) -> dict[str, Any]:
        return as_openai(usage.read() for each in self.rounds for usage in each.usages)

    # --- what the client sees ---------------------------------------------------------------------

    def _hear(self) -> None:
        """See what the round has said and nobody has seen."""
        for delta in self.inner.choices[0].new_deltas() if self.inner.choices else ():
            self.seen.deltas += self._visible(delta)

    def _shown(self, finish: Finish) -> Finish:
        """Get an end that names no tool of ours."""
        is_hidden = finish.cut is not None and finish.cut.name in self.own.names
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
                yield from (delta,) * (call.name not in self.own.names)
            case ToolCallStart(index, call_id, name) if name not in self.own.names:
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
        rounds, most = len(self.rounds), self.own.rounds
        is_over = is_cut or rounds > most or self.inner.choices[0].stops.found
        if (self.waiting or self.is_hidden) and not (self.calls or is_over):
            self.read += self._answered() if self.waiting else self._broken()
            request = self.own.request if rounds < most else self._last()
            messages = (*self.own.request.messages, *self.read)
            return replace(request, messages=messages, max_tokens=left)
        beside = self._answered() if self.waiting and self.calls else ()
        reason = self.finished.reason
        if reason == "tool_calls" and not self.calls:
            reason = "length" if is_cut else "stop"
        self.seen.deltas.append(replace(self.finished, reason=reason))
        self.own.keep(AssistantMessage.of(self.seen.deltas), self.read, beside)
        return None

    def _broken(self) -> list[Message]:
        """Get what is said of a call of a tool of ours that cannot be read."""
        wrong = Message.saying("assistant", self.inner.choices[0].text)
        error = self.finished.error or "the call has no end"
        return [wrong, Message.saying("user", feedback(error))]

    def _last(self) -> ClientRequest:
        """Get the request of the last round: what may be called is what the client asked for.

        Where no grammar sees to that, a call of a tool of ours is read, and has no answer.
        """
        request = self.request
        if isinstance(self.inner, Exchange) and self.inner.kind.lenient:
            return self.own.request
        return replace(
            self.own.request,
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
            self.answered.append(call)
            messages.append(Message("tool", (self._result(call, messages),)))
        return messages

    def _result(self, call: ToolCall, messages: Sequence[Message]) -> ToolResult:
        try:
            answer, is_error = self.own.answer(call, (*self.read, *messages)), False
        except LTONError as error:
            answer, is_error = f"error: {error}", True
        return ToolResult((Text(answer),), call.id, call.name, is_error)
