"""Answer the model's calls to the gateway's own tools, in rounds that clients do not see.

The client sees neither these calls nor their results.

- After a turn that calls only the gateway's own tools, the model is asked again. After `rounds`
  rounds, the model may only call the client's tools. Usage and limits cover all rounds.
- A turn that also calls the client's tools ends the request. The answers to the turn's other calls
  are stored (`OwnTools.store_answer`), and inserted when the client sends its results.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

from lton.apis.answer_notes import AssistantMessage
from lton.apis.answer_usage import sum_usage_as_openai
from lton.apis.answers import AnswerWriter
from lton.apis.client_requests import ClientRequest
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
from lton.chat.deltas import (
    BrokenCall,
    CallInThought,
    ExtraCall,
    MendedCall,
    MissingCall,
    OpaqueDelta,
    UnconfirmedCall,
)
from lton.errors import LTONError
from lton.gateway.apis.choices import Choice
from lton.gateway.exchange import BaseExchange, Exchange, UpstreamEvent
from lton.gateway.upstreams.guided import GuidedExchange
from lton.gateway.upstreams.translated import TranslatedExchange

AnyExchange: TypeAlias = Exchange | GuidedExchange | TranslatedExchange
BeginExchange: TypeAlias = Callable[[ClientRequest], AnyExchange]
"""Starts the exchange of a round, which is not streamed."""


class OwnTools(Protocol):
    """The tools whose calls the gateway answers itself.

    `request` is the first request to send. `answer_call` gets a call, and the messages before
    the call (`read`). It may raise `LTONError`. `store_answer` stores `read`, and the last turn
    with its results (`last`). `count_calls_for_log` adds answered calls to the metrics, and
    returns a report on them for the log.
    """

    @property
    def request(self) -> ClientRequest: ...
    @property
    def names(self) -> Collection[str]: ...
    @property
    def rounds(self) -> int: ...
    def answer_call(self, call: ToolCall, read: Sequence[Message]) -> str: ...
    def store_answer(
        self, answer: AssistantMessage, read: Sequence[Message], last: Sequence[Message]
    ) -> None: ...
    def count_calls_for_log(self, calls: Sequence[ToolCall]) -> dict[str, Any]: ...


class RoundsExchange(BaseExchange[Choice]):
    """Handles a request in several rounds."""

    def __init__(
        self,
        request: ClientRequest,
        answer: AnswerWriter,
        begin: BeginExchange,
        own: OwnTools,
        first: AnyExchange | None = None,
    ) -> None:
        super().__init__(request, answer)
        self.begin = begin
        self.own = own
        self.inner = first or begin(replace(own.request, stream=False))
        self.rounds = [self.inner]
        self.path = self.inner.path
        self.visible_choice = Choice(request)  # the answer that the client sees
        self.choices = [self.visible_choice]
        self.read: list[Message] = []  # the calls to the gateway's tools, and their results
        self.answered: list[ToolCall] = []
        self.calls: list[str] = []  # the ids of the client's calls
        self._begin_round()

    def _begin_round(self) -> None:
        self.has_said = False
        self.places: dict[int, int] = {}
        """The index among all the client's calls, by the index in this round."""
        self.waiting: list[ToolCall] = []
        self.is_hidden = False  # whether a call to the gateway's tools is open
        self.finished = Finish("stop")

    @property
    def is_fitted(self) -> bool:
        return self.own.request.messages is not self.request.messages

    @property
    def held_text(self) -> int:
        return self.inner.held_text

    def try_take_next_request(self) -> Mapping[str, Any] | None:
        """Return the next request to the upstream, or None if the answer is complete."""
        while (request := self.inner.try_take_next_request()) is None:
            self._take_new_deltas()
            if (following := self._try_make_next_round()) is None:
                return None
            self.inner = self.begin(replace(following, stream=False))
            self.rounds.append(self.inner)
            self._begin_round()
        self.path = self.inner.path
        self.is_done = False
        self.is_whole = self.inner.is_whole
        return request

    def receive_event(self, event: UpstreamEvent) -> bytes:
        self.inner.receive_event(event)
        self.is_done = self.inner.is_done
        self.is_whole = self.inner.is_whole
        if not self.streamed:
            return b""
        self._take_new_deltas()
        return self.take_new_bytes()

    def refuse_empty_answer(self) -> None:
        if not (self.inner.choices[0].stops.found or self.inner.may_be_empty):
            super().refuse_empty_answer()

    def release_held_text(self) -> None:
        self.inner.release_held_text()
        self._take_new_deltas()

    def record_rounds(self, record: Callable[..., None]) -> None:
        """Record the tokens of each round."""
        report = self.own.count_calls_for_log(self.answered)
        for turn, exchange in enumerate(self.rounds):
            record(exchange, hidden=self.own.names, context=report, is_more=turn > 0)

    def sum_usage(self) -> dict[str, Any]:
        return sum_usage_as_openai(
            usage.read() for exchange in self.rounds for usage in exchange.usages
        )

    # --- what the client sees ---------------------------------------------------------------------

    def _take_new_deltas(self) -> None:
        for delta in self.inner.choices[0].new_deltas() if self.inner.choices else ():
            self.visible_choice.deltas += self._iterate_shown_deltas(delta)

    def _shown_finish(self, finish: Finish) -> Finish:
        is_hidden = finish.cut is not None and finish.cut.name in self.own.names
        return replace(finish, cut=None) if is_hidden else finish

    def _iterate_shown_deltas(self, delta: Delta) -> Iterator[Delta]:  # noqa: C901 - one a kind
        match delta:
            case ContentDelta() if not self.is_hidden:
                if not self.has_said and any(
                    isinstance(earlier, ContentDelta) for earlier in self.visible_choice.deltas
                ):
                    yield ContentDelta("\n")  # between two rounds
                self.has_said = True
                yield delta
            case OpaqueDelta({"call_id": str(call_id)}, True):  # the client answers it
                self.calls.append(call_id)
                yield delta
            case (
                ThoughtDelta() | ImitatedAnswer() | CallInThought() | OpaqueDelta() | MissingCall()
            ):
                yield delta
            case (
                RepeatedCall(call)
                | MendedCall(call)
                | ExtraCall(call)
                | BrokenCall(call)
                | UnconfirmedCall(call)
            ):
                if call.name not in self.own.names:
                    yield delta
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
                self.finished = self._shown_finish(delta)

    # --- rounds -----------------------------------------------------------------------------------

    def _try_make_next_round(self) -> ClientRequest | None:
        """Return the request of the next round, or None to end the answer."""
        tokens_left = self._find_tokens_left()
        is_cut = self.finished.reason == "length" or tokens_left == 0
        rounds = len(self.rounds)
        most = self.own.rounds
        is_over = is_cut or rounds > most or self.inner.choices[0].stops.found
        if (self.waiting or self.is_hidden) and not (self.calls or is_over):
            self.read += (
                self._make_messages_of_own_calls() if self.waiting else self._answer_broken_call()
            )
            request = self.own.request if rounds < most else self._make_last_round()
            messages = (*self.own.request.messages, *self.read)
            return replace(request, messages=messages, max_tokens=tokens_left)
        last = self._make_messages_of_own_calls() if self.calls or not self.waiting else ()
        reason = self.finished.reason
        if reason == "tool_calls" and not self.calls:
            reason = "length" if is_cut else "stop"
        self.visible_choice.deltas.append(replace(self.finished, reason=reason))
        self.own.store_answer(
            AssistantMessage.from_deltas(self.visible_choice.deltas), self.read, last
        )
        return None

    def _answer_broken_call(self) -> list[Message]:
        """Return the error message for an unreadable call to a gateway tool."""
        text = self.inner.choices[0].text
        wrong = [Message.saying("assistant", text)] if text else []
        error = self.finished.error or "the call has no end"
        return [*wrong, Message.saying("user", feedback(error))]

    def _make_last_round(self) -> ClientRequest:
        """Return the request of the last round, in which only the client's tools may be called.

        Without a grammar, a call to the gateway's tools is still read, but not answered.
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

    def _find_tokens_left(self) -> int | None:
        """Return the number of tokens that the model may still write, or None without a limit."""
        if self.request.max_tokens is None:
            return None
        completed: int = self.sum_usage()["completion_tokens"]
        return max(0, self.request.max_tokens - completed)

    def _make_messages_of_own_calls(self) -> list[Message]:
        messages = self.inner.make_answer_messages()
        for call in self.waiting:
            self.answered.append(call)
            # Only Anthropic's form of a result says that it is an error.
            messages.append(Message("tool", (self._answer_call(call, messages),), api="messages"))
        return messages

    def _answer_call(self, call: ToolCall, messages: Sequence[Message]) -> ToolResult:
        try:
            answer = self.own.answer_call(call, (*self.read, *messages))
            is_error = False
        except LTONError as error:
            answer = f"error: {error}"
            is_error = True
        return ToolResult((Text(answer),), call.id, is_error=is_error)
