"""Answer a request with guided generation, by a model in this process.

The program writes the calls, and the model fills in the values, so no calls have to be parsed. A
call is sent only when it is complete and no limit can have cut it. So the client never gets half of
a call, or a call that the model gave up. The model makes one call unless `parallel_tool_calls` is
true, because small models would call one tool in every possible way.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from lton.apis.answer_usage import AnswerUsage
from lton.apis.answers import AnswerWriter
from lton.apis.client_requests import ClientRequest
from lton.apis.refusals import RefusedError, make_unsupported_error
from lton.chat import (
    ArgumentsDelta,
    Delta,
    Finish,
    RepeatedCall,
    Text,
    ToolCall,
    ToolCallEnd,
    new_call_id,
)
from lton.chat.deltas import DeltaBuilder
from lton.chat.repeats import AGAIN, LOOPS
from lton.engines.generation import Generation
from lton.errors import Code, IncompleteError
from lton.events import Argument, CallEnd, CallStart, Event, Prose
from lton.gateway.apis.choices import Choice
from lton.gateway.exchange import BaseExchange, UpstreamEvent
from lton.generate.chat import build_conversation
from lton.schema.toolset import ToolSet
from lton.tokens.usage import PromptPart

_MOST = 2**31  # tokens of an answer without a limit; the context window ends the answer
_NEUTRAL: Mapping[str, tuple[Any, ...]] = {
    "top_p": (1,),
    "presence_penalty": (0,),
    "frequency_penalty": (0,),
    "logit_bias": ({},),
    "logprobs": (False,),
    "top_logprobs": (0,),
}  # unsupported parameters, and their neutral values


class HeldDeltas:
    """Converts generation events to deltas, and holds a call until the next event confirms it."""

    def __init__(self) -> None:
        self.builder = DeltaBuilder(new_call_id)
        self.held_events: list[Event] = []  # the events of a call that is incomplete or not certain

    def feed(self, event: Any) -> Iterator[Delta]:
        """Yield the deltas that are certain. A `Generation` is the last event."""
        match event:
            case Prose():
                yield from self.builder.feed(event)
            case CallStart():
                yield from self._iterate_call_deltas()
                self.held_events = [event]
            case Argument() | CallEnd():
                self.held_events.append(event)
            case Generation():
                yield from self._iterate_last_deltas(event)

    def _iterate_last_deltas(self, result: Generation) -> Iterator[Delta]:
        loops = result.why.startswith(LOOPS)
        is_cut = result.exhausted and not loops
        if not is_cut:
            yield from self._iterate_call_deltas()
        cut = self._find_cut_call()
        if result.why == AGAIN and cut:
            yield RepeatedCall(replace(cut, given=f"{cut.written}}}"))
            cut = None
        error = None
        text = result.text
        if loops and result.why != AGAIN:
            error = IncompleteError(Code.INCOMPLETE, result.why, doc=text, pos=len(text))
        has_called = self.builder.index >= 0
        reason = "stop"
        if is_cut or (loops and result.prose and not has_called):
            reason = "length"
        elif has_called:
            reason = "tool_calls"
        yield Finish(reason, error, cut, confidence=result.confidence)

    def _iterate_call_deltas(self) -> Iterator[Delta]:
        if not self.held_events or not isinstance(self.held_events[-1], CallEnd):
            return
        start, *pieces, end = self.builder.feed_all(self.held_events)
        self.held_events = []
        arguments = [piece.json for piece in pieces if isinstance(piece, ArgumentsDelta)]
        yield start
        yield ArgumentsDelta(self.builder.index, "".join(arguments))
        yield end

    def _find_cut_call(self) -> ToolCall | None:
        builder = DeltaBuilder(str)
        builder.feed_all(event for event in self.held_events if not isinstance(event, CallEnd))
        return builder.cut and replace(builder.cut, id=None)


def limit_to_one_call(request: ClientRequest) -> ClientRequest:
    """Limit a request to one call, unless its `parallel_tool_calls` is true."""
    is_parallel = request.body.get("parallel_tool_calls") is True
    return replace(request, parallel=is_parallel and request.parallel)


class GuidedExchange(BaseExchange[Choice]):
    """Handles a request with guided generation. `try_take_next_request` returns its arguments.

    Raises `RefusedError` for unsupported parameters. With `departs`, unsupported sampling is
    ignored instead, and is listed in `departures`.
    """

    path = ""

    def __init__(
        self,
        request: ClientRequest,
        answer: AnswerWriter,
        *,
        least_confidence: float | None = None,
        departs: bool = False,
    ) -> None:
        super().__init__(request, answer)
        if request.n > 1:
            raise make_unsupported_error("n", "the model gives one answer at a time")
        values = {param: request.body.get(param) for param in _NEUTRAL}
        departing = [key for key, value in values.items() if value not in (None, *_NEUTRAL[key])]
        if departing and not departs:
            raise make_unsupported_error(departing[0], "guided generation samples without it")
        self.departures = tuple(f"{param}: left out, values are guided" for param in departing)
        temperature = _read_number(request, "temperature", int | float, "a number, 0 or more")
        seed = _read_number(request, "seed", int, "an integer")
        seed = None if seed is None else seed % 2**32
        self.sampling = {"temperature": temperature or 0.0, "seed": seed}
        self.least_confidence = least_confidence
        self.heeds_first_token = False  # whether it was measured to help with this model
        self.choices = [Choice(request)]
        self.usages = [AnswerUsage()]
        self.is_whole = True
        self.deltas = HeldDeltas()

    def limit_to(self, names: Collection[str]) -> None:
        """Allow only calls to the named tools, and do not stream."""
        callable_tools = self.request.callable.select(*names)
        self.request = replace(self.request, callable=callable_tools)
        self.streamed = False

    @property
    def is_first_turn(self) -> bool:
        """Whether the conversation is one message of the user."""
        turns = [
            message
            for message in self.request.messages
            if message.role not in ("system", "developer")
        ]
        return len(turns) == 1 and turns[0].role == "user"

    @property
    def answers_in_full(self) -> bool:
        """Whether guided generation heeds the whole request, and not only a part of it."""
        request = self.request
        has_only_text = all(
            isinstance(part, Text) for message in request.messages for part in message.parts
        )
        can_call = bool(request.callable) and request.choice != "none" and not request.answer
        return has_only_text and can_call and not self.departures

    @property
    def made_calls(self) -> tuple[ToolCall, ...]:
        return tuple(
            delta.call for delta in self.choices[0].deltas if isinstance(delta, ToolCallEnd)
        )

    @property
    def prompt(self) -> list[tuple[str, str]]:
        messages = build_conversation(
            self.request.messages, self.request.tools, show=ToolSet.prompt
        )
        return [(message["role"], message["content"]) for message in messages]

    def prompt_parts(self) -> list[PromptPart]:
        return [PromptPart(*turn) for turn in self.prompt]

    def try_take_next_request(self) -> Mapping[str, Any] | None:
        choice = self.choices[0]
        request = self.request
        if self.turns:
            if choice.stops.found:
                choice.add_deltas([Finish("stop")])
            return None
        self.turns = 1
        return {
            "question": request.messages,
            "tools": request.callable,
            "tool_choice": request.choice,
            "parallel": request.parallel,
            "repeat_calls": request.repeat_calls,
            "max_tokens": request.max_tokens or _MOST,
            "least_confidence": self.least_confidence,
            "heeds_first_token": self.heeds_first_token,
            # Show all tools, even those that may not be called, so that prompts share their start.
            "show": lambda some: (request.tools if some == request.callable else some).prompt(),
            **self.sampling,
        }

    def receive_event(self, event: UpstreamEvent) -> bytes:
        self.usages[0].update(event["usage"])
        generated = event["event"]
        choice = self.choices[0]
        if isinstance(generated, Generation):
            choice.pieces = [generated.text, generated.lost]
        choice.add_deltas(self.deltas.feed(generated))
        self.is_done = choice.is_over
        return self.take_new_bytes() if self.streamed else b""


def _read_number(request: ClientRequest, param: str, kind: Any, expected: str) -> Any:
    number = request.other_fields.get(param)
    is_valid = number is None or (isinstance(number, kind) and not isinstance(number, bool))
    if not is_valid or (number is not None and param == "temperature" and not 0 <= number < _MOST):
        raise RefusedError(400, f"{param}: expected {expected}", param=param)
    return number
