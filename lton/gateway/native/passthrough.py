"""Pass the answer to a request with native calls through, event by event.

Text is held while it may be only a call, and is then sent as that call. Prose passes through,
except an end that may be a call. All other content passes through byte for byte, including empty
answers, answers with only a thought, and equal calls.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from lton.apis.answer_notes import iterate_notes_of_delta
from lton.apis.answer_usage import AnswerUsage
from lton.apis.answers import AnswerReader
from lton.apis.api import encode_body
from lton.apis.json_members import read_object
from lton.apis.refusals import (
    EMPTY,
    STRICT,
    UNREAD,
    RefusedError,
    make_broken_off_error,
    make_odd_event_error,
)
from lton.apis.sse import EventCutter, RawEvent
from lton.chat import ToolCall
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
from lton.errors import ConversionError
from lton.gateway.apis.choices import LoopDetector, make_loop_error
from lton.gateway.native.answer_state import NOT_HELD, TRANSITIONS, AnswerState, AnswerStep, Hold
from lton.gateway.native.calls_in_text import MAX_HELD, TextState
from lton.gateway.native.corrections import with_correction
from lton.gateway.native.enforcing import Enforced
from lton.gateway.native.inquiries import Inquiry
from lton.gateway.native.native_calls import HeldEvent, NativeCall, NativeCalls
from lton.gateway.native.native_requests import NativeRequest, with_loose_tools, without_tools
from lton.gateway.native.whole_answer import WholeAnswer, make_silence_error

_RAW = attrgetter("raw")
_NO_EVENT = RawEvent(b"")
_ANY = Hold.EMPTY | Hold.WRONG_CALL | Hold.UNNEEDED_CALL
_SHOWN = (ContentDelta, ThoughtDelta, OtherDelta)  # deltas after which an answer is sent at once


class NativeExchange(WholeAnswer):
    """Passes on an answer to a request with native calls, whole or event by event."""

    dropped: Sequence[str] = ()  # the names of fields that are not sent to the server

    def __init__(self, native: NativeRequest) -> None:
        super().__init__(native)
        self.before: NativeExchange | None = None
        self.heard = NativeCalls()  # the calls as the server wrote them
        self.made = NativeCalls()  # the calls that the client is given
        self.cutter = EventCutter()
        self.streamed = native.streamed
        self._out: list[bytes] = []
        self._loop = LoopDetector()
        self.state = AnswerState.OPEN
        self._thoughts: list[str] = []
        self._is_plain = False  # whether the answer ended by itself
        self._is_cut = False  # whether a token limit ended it
        self.has_passed = False  # whether the client has received anything
        self._size = 0  # the bytes of the events so far
        self.headers: Any = ()  # the answer's headers, for the client
        self._counted = 0  # how many of the earlier tokens are in the events that were read
        self.ask_guided: Callable[[], Any] | None = None  # begins a guided answer to an inquiry

    @property
    def content(self) -> bytes:
        """The body of the request to the upstream."""
        return self.native.content

    @property
    def is_last(self) -> bool:
        """Whether the last event has been sent."""
        return self.state.is_last

    @property
    def is_done(self) -> bool:
        """Whether the rest of the server's answer is useless."""
        return self.state is AnswerState.CUT

    @property
    def held_text(self) -> int:
        return self.text.held_length + self.enforced.mender.held_length

    @property
    def delivered_calls(self) -> list[NativeCall]:
        """The native calls that were sent to the client."""
        return [*self.made.calls.values(), *self.calls]

    @property
    def checked_calls(self) -> list[NativeCall]:
        """The calls of the answer, including those that are not JSON."""
        return [*self.delivered_calls, *self.enforced.broken_calls, *self.broken_calls]

    def drop_strict_tools(self, error: str) -> None:
        """Prepare the request without strict tools, because the server has refused these."""
        self.native = replace(self.native, loose=with_loose_tools(self.native, error))

    def try_begin_another_attempt(self, code: str | None) -> Any:
        """Return an exchange that asks the model again, or None if this is impossible."""
        if code == STRICT and self.native.loose:
            return NativeExchange(self.native.loose)
        begin = self.instead.get(code or "")
        is_first = not (self.earlier or self.has_passed)
        is_useful = code == EMPTY or self.enforced.is_missing
        if begin and is_first and is_useful and (other := begin()):
            other.usages.append(self.reader.usage)
            return other
        if code == UNREAD:
            again = self._copy_for(with_correction(self.native, self.correction))
            again.enforced.must_call = self.enforced.is_missing
            return again
        return self._copy_for(self.native) if code == EMPTY and is_first else None

    def _copy_for(self, native: NativeRequest) -> "NativeExchange":
        again = NativeExchange(native)
        again.before = self
        again._release_hold(Hold.EMPTY)
        again.earlier = [*self.earlier, self.reader.usage]
        return again

    # --- calls that may be unneeded ---------------------------------------------------------------

    def try_begin_answer_in_words(self) -> "NativeExchange | None":
        """Return an exchange in which the model answers in words, or None if calls are needed."""
        assert self.needed is not None  # its calls were held
        if usage := self.needed.find_question_usage(self.native.api):
            self.earlier.append(usage)
        declined = self.needed.decline_calls(self.native.allowed.tools)
        if not declined:
            return None
        again = NativeExchange(self.needed.expect_words(without_tools(self.native)))
        again.before = self
        again.earlier = [*self.earlier, self.reader.usage]
        again._hold |= Hold.EMPTY  # silence declines nothing
        again.enforced.add_notes(
            [note for delta in declined for note in iterate_notes_of_delta(delta)]
        )
        return again

    def write_held_answer(self) -> bytes:
        """Return the bytes of the held answer, after an attempt to ask again has failed."""
        self.native = replace(self.native, retries=0)
        self._release_hold(_ANY)
        if not self._whole:
            self.enforced.must_call = False
            self._out = [
                event.raw for event in self._iterate_events_with_late_usage(b"".join(self._out))
            ]
            return self._write_events()
        self.reader = self.native.api.make_reader(self.native.namespaces)
        self.enforced = Enforced(self.native, self.reader, self.notes)
        return self.build_response(self._whole)

    # --- an answer that streams -------------------------------------------------------------------

    def feed_chunk(self, chunk: bytes) -> Iterator[bytes]:
        """Process a chunk and yield the bytes for the client. Raises `RefusedError` (502)."""
        try:
            for event in self.cutter.feed(chunk):
                self._read_event(event)
                if self.state is AnswerState.CUT:
                    break
        except ConversionError as error:
            raise make_odd_event_error(error) from None
        finally:
            if data := self._write_events():
                yield data

    def write_end(self) -> bytes:
        """Return the last bytes for the client. Raises `RefusedError` for an incomplete stream."""
        try:
            for event in () if self.is_done else self.cutter.flush():
                self._read_event(event)
        except ConversionError as error:
            raise make_odd_event_error(error) from None
        if not self.state.is_over:
            self._release_hold(Hold.EMPTY)
            raise make_broken_off_error()
        if not self.inquiry:
            self._release_held()
        self._check_answer()
        return self._write_events()

    @property
    def inquiry(self) -> Inquiry | None:
        """The question whether the model meant a call in its text, if that is not clear."""
        return self.text.inquiry

    def begin_inquiry(self, inquiry: Inquiry) -> tuple[AnswerReader, bytes]:
        """Return the body of an inquiry, and the reader of its answer."""
        body = inquiry.write_request_body(self.native.sent_body, self.native.api)
        reader = self.native.api.make_reader(self.native.namespaces)
        return reader, encode_body(body, self.native.api)

    def read_confirmed_calls(
        self, inquiry: Inquiry, reader: AnswerReader, answer: bytes
    ) -> list[ToolCall]:
        """Return the calls in the answer to an inquiry, or none if they are not certain."""
        try:
            choices = reader.read_whole_answer(read_object(answer))
        except ConversionError:
            return []
        return inquiry.confirmed_calls(choices, self.native.allowed)

    def end_inquiry(self, calls: Sequence[ToolCall], usage: AnswerUsage | None) -> bytes:
        """Return the rest of the answer, with the calls that the model has confirmed.

        Without calls, the client gets the text. `usage` are the tokens of the inquiry.
        """
        if usage:
            self.earlier.append(usage)
        for report in self.text.end_inquiry(calls):
            self.enforced.add_notes([*iterate_notes_of_delta(report)])
        self._release_hold(_ANY)
        if self._whole:
            return self._write_settled_body()
        if self.rescue:
            self.text.replace_rescue(self.enforced.take_rescue(self.rescue))
            events = self.enforced.with_notes(self.text.events_with_calls())
            self._out += [self._with_usage(event, self._counted).raw for event in events]
        else:
            released = self.text.flush()
            self._pass_events(
                (self._with_usage(event, self._counted), deltas) for event, deltas in released
            )
        return self._write_events()

    def write_failure(self, refusal: RefusedError) -> bytes:
        self._release_held()
        self._release_hold(_ANY)
        self.enforced.must_call = False
        return self._write_events() + self.reader.make_writer_like(_NO_EVENT).write_failure(
            refusal.body, refusal.status
        )

    def _change_state(self, step: AnswerStep) -> None:
        self.state = TRANSITIONS.get((self.state, step), self.state)

    def _write_events(self) -> bytes:
        if self._hold is not NOT_HELD or self.enforced.must_call:
            return b""
        out, self._out = b"".join(self._out), []
        self.has_passed = self.has_passed or bool(out)
        return out

    def _read_event(self, event: RawEvent) -> None:
        deltas = self.reader.read_deltas(event)
        for delta in deltas:
            self._note_delta(delta)
        self.heard.add(deltas)
        self._size += len(event.raw)
        if self.earlier:
            event = self._with_usage(event)
            self._counted = len(self.earlier)
        if event.is_done or (self.state.is_over and not self.reader.usage_follows_end):
            self._change_state(AnswerStep.CLOSE)
        is_looping = self.heard.is_looping and self._may_cut
        if is_looping and not any(isinstance(delta, CallBoundary) for delta in deltas):
            self._cut_answer(event)  # in chat, a call ends where the next one begins
            return
        self._pass_events(self.text.feed((event, deltas)))
        if self.text.state is TextState.FOUND:
            assert self.rescue is not None  # it has been found
            self.text.replace_rescue(self.enforced.take_rescue(self.rescue))
            self._out += map(_RAW, self.enforced.with_notes(self.text.events_with_calls()))
            self._release_hold(Hold.EMPTY)
        if is_looping or (self._loop.is_looping and self._may_cut):
            self._cut_answer(event)
        if self._size > MAX_HELD:
            self._release_hold(Hold.WRONG_CALL | Hold.UNNEEDED_CALL)
            self.enforced.must_call = False
        if self.state.is_last:
            self._check_answer()

    @property
    def _may_cut(self) -> bool:
        """Whether the gateway may end the answer, because the server has not ended it."""
        return self._has_one_choice and not self.state.is_over

    @property
    def _has_one_choice(self) -> bool:
        return self.native.api.asks_for_one(self.native.body)

    def _with_usage(self, event: RawEvent, since: int = 0) -> RawEvent:
        """Return an event with the tokens of earlier answers, from number `since` on."""
        data = self._add_earlier_usage(event.data, since)
        return event if data == event.data else event.with_data(data)

    def _iterate_events_with_late_usage(self, data: bytes) -> Iterator[RawEvent]:
        """Yield held events with the tokens of answers that came after these events were read."""
        for event in EventCutter().feed(data):
            yield self._with_usage(event, self._counted)

    def _check_answer(self) -> None:
        """Check a complete answer. Raise `RefusedError` to ask the model again."""
        if Hold.EMPTY in self._hold and self._is_plain and not self._has_said:
            raise make_silence_error()
        self._release_hold(Hold.EMPTY)
        if Hold.WRONG_CALL in self._hold and self._is_plain:
            self._check_fit([*self.made.calls.values(), *self.enforced.broken_calls])
        if self._demands_call(is_plain=self._is_plain, is_cut=self._is_cut):
            self._ask_for_required([*self.made.calls.values()])
        if Hold.UNNEEDED_CALL in self._hold and self._is_plain:
            self._hold_unneeded([*self.made.calls.values()])
        self._release_hold(Hold.WRONG_CALL | Hold.UNNEEDED_CALL)
        self.enforced.must_call = False

    def _note_delta(self, delta: ApiDelta) -> None:
        match delta:
            case ContentDelta(text):
                self._has_said = self._has_said or not text.isspace()
                self.enforced.has_text = True
                if self._hold is not NOT_HELD and self._has_said:
                    self._release_hold(Hold.EMPTY)
                self._loop.feed(text)
            case ToolCallStart() | OtherDelta():
                self._has_said = True
            case ThoughtDelta(text):
                if self._hold is not NOT_HELD and text:
                    self._release_hold(Hold.EMPTY)
                self._thoughts.append(text)
                self._loop.feed(text)
            case Finish(reason):
                self._is_plain = reason == "stop"
                self._is_cut = reason == "length"
            case StreamEnd():
                self._change_state(AnswerStep.END)

    def _cut_answer(self, event: RawEvent) -> None:
        """End the answer as a server does at its token limit."""
        self._release_held()
        end = Finish("length", make_loop_error(self.join_received_text()))
        writer = self.reader.make_writer_like(event)
        self.notes += iterate_notes_of_delta(end)
        data = writer.write_deltas([end])
        self._out.append(data + writer.write_end(self.sum_usage()))
        self._change_state(AnswerStep.CUT)
        self._release_hold(Hold.EMPTY | Hold.UNNEEDED_CALL)

    def _pass_events(self, events: Iterable[HeldEvent]) -> None:
        for event, deltas in events:
            if self._hold is not NOT_HELD:
                self._release_held_before(deltas)
            if not self.enforced.must_be_fed(deltas):
                self._out.append(event.raw)
                continue
            if self._has_one_choice and any(isinstance(delta, Finish) for delta in deltas):
                self._note_thought("".join(self._thoughts))
            self._pass_calls(self.enforced.feed((event, deltas)))

    def _release_held_before(self, deltas: Sequence[ApiDelta]) -> None:
        """Hold the answer no longer if it says something, or shows the client something."""
        if self._has_said and self._hold is not Hold.WRONG_CALL:
            self._release_hold(Hold.EMPTY)
        if any(isinstance(delta, _SHOWN) for delta in deltas):
            self._release_hold(Hold.WRONG_CALL)
            if not self._holds_words:
                self._release_hold(Hold.UNNEEDED_CALL)

    def _pass_calls(self, events: Iterable[HeldEvent]) -> None:
        for event, deltas in events:
            self.made.add(deltas)
            self._out.append(event.raw)

    def _release_held(self) -> None:
        """Pass the events of text that is not a call, and of calls that will not end."""
        self._pass_events(self.text.flush())
        self._pass_calls(self.enforced.flush())
