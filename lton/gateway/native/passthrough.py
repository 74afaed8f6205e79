"""Pass the answer to a request with native calls through, event by event.

Text is held while it may be only a call, and is then sent as that call. Prose passes through,
except an end that may be a call. All other content passes through byte for byte, including empty
answers, answers with only a thought, and equal calls.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from lton._json import minified
from lton.apis.answer_notes import notes_of
from lton.apis.answer_usage import AnswerUsage, as_openai, with_earlier_usage
from lton.apis.answers import WholeChoice
from lton.apis.json_members import read_object
from lton.apis.readers import READERS
from lton.apis.sse import EventCutter, RawEvent, read_event
from lton.chat import Message
from lton.chat.deltas import (
    ApiDelta,
    CallBoundary,
    ContentDelta,
    Finish,
    OtherDelta,
    StreamEnd,
    ThoughtDelta,
    ToolCallStart,
)
from lton.errors import Code, ConversionError
from lton.gateway.apis.choices import LoopDetector, looped
from lton.gateway.apis.refusals import EMPTY, STRICT, UNREAD, RefusedError, broken_off, odd_event
from lton.gateway.native.calls_in_text import MAX_HELD, CallsInText, TextState, notes_of_thought
from lton.gateway.native.corrections import asked_again, correction
from lton.gateway.native.deduplicate import HeldEvent, NativeCall, NativeCalls
from lton.gateway.native.native_requests import NativeRequest, loosened
from lton.gateway.native.rescues import Rescue, read_error, rescued

_RAW = attrgetter("raw")
_NO_EVENT = RawEvent(b"")
_SHOWN = (ContentDelta, ThoughtDelta, OtherDelta)  # deltas after which an answer is sent at once


class NativeExchange:
    """Passes on an answer to a request with native calls."""

    dropped: Sequence[str] = ()  # the names of fields that are not sent to the server

    def __init__(self, native: NativeRequest) -> None:
        self.native = native
        self.reader = READERS[native.api](native.namespaces)
        self.made = NativeCalls()
        self.cutter = EventCutter()
        self.streamed = native.streamed
        self.text = CallsInText(native.allowed, can_rescue=native.can_rescue, reader=self.reader)
        self.calls: list[NativeCall] = []  # the calls of an answer that does not stream
        self.notes: list[Mapping[str, Any]] = []
        self._out: list[bytes] = []
        self._loop = LoopDetector()
        self._is_looping = False
        self._has_said = self._is_over = False
        self._thoughts: list[str] = []
        self._is_plain = False  # whether the answer ended by itself
        # Whether to hold an empty answer, because the server may have dropped a call.
        self._waits = native.drops_calls and not self.reader.may_be_empty
        self.has_passed = False  # whether the client has received anything
        self.is_last = self.is_done = False  # the last event was sent, the rest is useless
        self._is_undecided = native.retries > 0  # whether to hold a wrong call, to retry
        self._size = 0  # the bytes of the events so far
        self.headers: Any = ()  # the answer's headers, for the client
        self.before: NativeExchange | None = None  # an earlier answer, sent if this one fails
        self._whole = b""
        self.correction: tuple[Message, ...] = ()  # the wrong calls and their errors
        self.earlier: list[AnswerUsage] = []  # the tokens of earlier answers to this request
        self.instead: Mapping[str, Callable[[], Any]] = {}  # other exchanges, by refusal code

    @property
    def content(self) -> bytes:
        """The body of the request to the upstream."""
        return self.native.content

    @property
    def rescue(self) -> Rescue | None:
        return self.text.rescue

    def total_usage(self) -> dict[str, Any]:
        return as_openai(each.read() for each in (*self.earlier, self.reader.usage))

    @property
    def turns(self) -> int:
        return len(self.earlier) + 1

    @property
    def held_text(self) -> int:
        return self.text.held

    @property
    def given(self) -> list[NativeCall]:
        """The native calls that were sent to the client."""
        return [*self.made.calls.values(), *self.calls]

    def loosen(self, error: str) -> None:
        """Prepare the request without strict tools, because the server has refused these."""
        self.native = replace(self.native, loose=loosened(self.native, error))

    def asked_again(self, code: str | None) -> Any:
        """Return an exchange that asks the model again, or None if this is impossible."""
        if code == STRICT and self.native.loose:
            return NativeExchange(self.native.loose)
        begin, is_first = self.instead.get(code or ""), not (self.earlier or self.has_passed)
        error = self.text.error  # a call as text: the model does not write the server's syntax
        if begin and is_first and (error or code == EMPTY) and (other := begin()):
            other.usages.append(self.reader.usage)
            if error and error.code != Code.TOOL and other.request.choice == "auto":
                other.request = replace(other.request, choice="required")  # it wants a known tool
            return other
        if code == UNREAD:
            return self._again(asked_again(self.native, self.correction))
        return self._again(self.native) if code == EMPTY and is_first else None

    def _again(self, native: NativeRequest) -> "NativeExchange":
        again = NativeExchange(native)
        again.before, again._waits = self, False
        again.earlier = [*self.earlier, self.reader.usage]
        return again

    def release(self) -> bytes:
        """Return the bytes of the held answer, after an attempt to ask again has failed."""
        self.native, self._is_undecided = replace(self.native, retries=0), False
        self._waits = False
        if not self._whole:
            return self._written()
        self.reader = READERS[self.native.api](self.native.namespaces)
        return self.response(self._whole)

    # --- an answer that streams -------------------------------------------------------------------

    def receive(self, chunk: bytes) -> Iterator[bytes]:
        """Process a chunk and yield the bytes for the client. Raises `RefusedError` (502)."""
        try:
            for event in self.cutter.feed(chunk):
                self._event(event)
                if self.is_done:
                    break
        except ConversionError as error:
            raise odd_event(error) from None
        finally:
            if written := self._written():
                yield written

    def finish(self) -> bytes:
        """Return the last bytes for the client. Raises `RefusedError` for an incomplete stream."""
        try:
            # If the rest has no empty line, it is sent only if it is a complete event, and is ended
            # here. Otherwise the following text, such as an error, would join its last line.
            rest = b"" if self.is_done else self.cutter.rest
            if rest and ((event := read_event(rest)).data or event.is_done):
                self._event(replace(event, raw=rest + b"\n\n"))
        except ConversionError as error:
            raise odd_event(error) from None
        if not self._is_over:
            self._waits = False
            raise broken_off()
        self._pass(self.text.rest())
        self._decide()
        return self._written()

    def fail(self, refusal: RefusedError) -> bytes:
        self._pass(self.text.rest())
        self._waits = self._is_undecided = False
        return self._written() + self.reader.writer(_NO_EVENT).fail(refusal.body, refusal.status)

    def received_text(self) -> str:
        return "".join(self.text.pieces)

    def _written(self) -> bytes:
        if self._waits or self._is_undecided:
            return b""
        out, self._out = b"".join(self._out), []
        self.has_passed = self.has_passed or bool(out)
        return out

    def _event(self, event: RawEvent) -> None:
        deltas = self.reader.read(event)
        for each in deltas:
            self._note(each)
        self.made.add(deltas)
        self._size += len(event.raw)
        if self.earlier:
            event = self._with_usage(event)
        # In chat, the usage follows the end.
        self.is_last = event.is_done or (self._is_over and self.native.api != "chat")
        is_looping = self.made.is_looping and not self._is_over and self._has_one_choice
        if is_looping and not any(isinstance(each, CallBoundary) for each in deltas):
            self._cut(event)  # in chat, a call ends where the next one begins
            return
        self._pass(self.text.feed(event, deltas))
        if self.text.state is TextState.FOUND:
            self._out += map(_RAW, self.text.found())
            self._waits = False
        if is_looping or (self._is_looping and self._has_one_choice and not self._is_over):
            self._cut(event)
        self._is_undecided = self._is_undecided and self._size <= MAX_HELD
        if self.is_last:
            self._decide()

    @property
    def _has_one_choice(self) -> bool:
        return self.native.body.get("n") in (None, 1)

    def _with_usage(self, event: RawEvent) -> RawEvent:
        data = self._counted(event.data)
        return event if data == event.data else event.saying(data)

    def _counted(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        return with_earlier_usage(data, [each.found for each in self.earlier])

    def _decide(self) -> None:
        """Check a complete answer. Raise `RefusedError` to ask the model again."""
        if self._waits and self._is_plain and not self._has_said:
            raise _nothing()
        self._waits = False
        if self._is_undecided and self._is_plain:
            self._correct([*self.made.calls.values()])
        self._is_undecided = False

    def _correct(self, calls: Sequence[NativeCall]) -> None:
        text, allowed = self.received_text(), self.native.allowed
        self.correction = correction(calls, text, self.text.error, allowed)
        if self.correction:
            raise RefusedError(502, "a call is wrong", "upstream_error", code=UNREAD)

    def _note(self, delta: ApiDelta) -> None:
        match delta:
            case ContentDelta(text):
                self._has_said = self._has_said or not text.isspace()
                self._waits = self._waits and not self._has_said
                self._is_looping = self._loop.feed(text)
            case ToolCallStart() | OtherDelta():
                self._has_said = True
            case ThoughtDelta(text):
                self._waits = self._waits and not text
                self._thoughts.append(text)
                self._is_looping = self._loop.feed(text)
            case Finish(reason):
                self._is_plain = reason == "stop"
            case StreamEnd():
                self._is_over = True

    def _cut(self, event: RawEvent) -> None:
        """End the answer as a server does at its token limit."""
        self._pass(self.text.rest())
        end, writer = Finish("length", looped(self.received_text())), self.reader.writer(event)
        self.notes += notes_of(end)
        written = writer.write_all([end])
        self._out.append(written + writer.finish(self.total_usage()))
        self._is_over = self.is_last = self.is_done = True
        self._waits = False

    def _pass(self, events: Iterable[HeldEvent]) -> None:
        for event, deltas in events:
            self._waits = self._waits and not self._has_said
            if self.text.error is None and any(isinstance(each, _SHOWN) for each in deltas):
                self._is_undecided = False
            if any(isinstance(each, Finish) for each in deltas) and self._has_one_choice:
                self._out.append(self._with_notes(event).raw)
            else:
                self._out.append(event.raw)

    def _with_notes(self, event: RawEvent) -> RawEvent:
        """Add a note about calls in the thought of an answer that says nothing else."""
        if not self._has_said and (found := notes_of_thought(self._thoughts, self.native.allowed)):
            self.notes += found
            return self.reader.with_notes(event, found)
        return event

    # --- an answer that does not ------------------------------------------------------------------

    def response(self, data: bytes) -> bytes:
        """Return an answer that is not streamed. Raises `RefusedError`."""
        try:
            found = read_object(data)
        except ConversionError as error:
            raise odd_event(error) from None
        self._whole = data
        choices, body = self._choices(found), self._counted(found)
        calls = [NativeCall(start, [json]) for each in choices for start, json in each.calls]
        self._read_text(choices)
        if self.rescue:
            body = self.reader.whole_with_calls(body, self.rescue.calls, self.rescue.before)
            return minified(body).encode(errors="replace")
        if self.native.retries and all(each.is_plain for each in choices):
            self._correct(calls)
        self.calls += calls
        if len(choices) == 1 and choices[0].is_only_thought:
            self.notes += notes_of_thought([choices[0].thought], self.native.allowed)
            body = self.reader.whole_with_notes(body, self.notes) if self.notes else body
        return data if body == found else minified(body).encode(errors="replace")

    def _choices(self, found: Mapping[str, Any]) -> list[WholeChoice]:
        choices = self.reader.whole(found)
        self.text.pieces = ["".join(each.text for each in choices)]
        if self._waits and choices and all(each.is_empty for each in choices):
            raise _nothing()
        return choices

    def _read_text(self, choices: Sequence[WholeChoice]) -> None:
        """Read the calls in an answer that is only text, or record the error."""
        if len(choices) != 1 or not choices[0].is_text or not self.native.can_rescue:
            return
        (choice,) = choices
        self.text.rescue = rescued(choice.text, self.native.allowed)
        if self.native.retries and not self.rescue:
            self.text.error = read_error(choice.text, self.native.allowed)


def _nothing() -> RefusedError:
    return RefusedError(502, "the model said nothing", "upstream_error", code=EMPTY)
