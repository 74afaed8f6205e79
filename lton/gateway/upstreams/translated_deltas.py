"""Convert the deltas of a server's answer for a client of another API."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from types import MappingProxyType

from lton._json import read_json
from lton.apis.answers import iterate_deltas_of_calls
from lton.apis.refusals import RefusedError, make_odd_answer_error, require_known_reason
from lton.apis.sse import RawEvent
from lton.chat import (
    ArgumentsDelta,
    ContentDelta,
    Delta,
    Finish,
    ThoughtDelta,
    ToolCall,
    ToolCallEnd,
    ToolCallStart,
    new_call_id,
)
from lton.chat.deltas import (
    ApiDelta,
    CallBoundary,
    CallKey,
    OtherDelta,
    UnconfirmedCall,
)
from lton.chat.filters import feed_through
from lton.chat.stops import StopTexts
from lton.gateway.native.calls_in_text import CallsInText, TextState, calls_in_thought
from lton.gateway.native.enforcing import Enforced
from lton.gateway.native.inquiries import Inquiry
from lton.gateway.native.native_calls import CallLoop, HeldEvent, NativeCall
from lton.gateway.native.native_requests import NativeRequest
from lton.gateway.native.required import report_broken_call
from lton.gateway.native.rescues import read_calls

_MOST_STOPS = 16  # the stop sequences in a piece of text at which a call may end
_NO_EVENT = RawEvent(b"")


class TranslatedDeltas:
    """Converts a server's deltas, and sends one call at a time.

    A text that is a call up to one of the `stops` is that call.
    """

    def __init__(
        self,
        native: NativeRequest,
        stops: tuple[str, ...] = (),
        names: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.native = native
        self.stops = stops
        self.names = names  # the client's names of tools, by the server's
        self.calls: list[NativeCall] = []  # the complete calls that the client is given
        self._ended_calls: list[NativeCall] = []  # also those whose arguments are not JSON
        rescuable = replace(native.allowed, parallel=True)  # `Enforced` drops the extra calls
        self.text = CallsInText(rescuable, can_rescue=native.can_rescue, can_ask=native.can_inquire)
        self._ending = Finish("stop")  # the end of the answer, while the model is asked about it
        self.enforced = Enforced(native, None)
        self._reported = 0  # the reports that the client is given
        self._open: NativeCall | None = None
        self._waiting: deque[NativeCall | Delta] = deque()  # after the open call
        self._waits = False  # whether the open call is known to continue after the waiting ones
        self._begun: dict[CallKey, NativeCall] = {}
        self._thoughts: list[str] = []
        self._loop = CallLoop()
        self.is_looping = False
        self._broken: list[NativeCall] = []  # the calls that have begun and are not JSON
        self._index = 0
        self.is_over = False
        self._stop_start = ""  # the end of the text, which may begin a stop sequence

    def feed(self, delta: ApiDelta) -> Iterator[Delta]:
        """Convert a delta for the client. Raises `RefusedError` (502) for an invalid call."""
        if self.is_over:
            return
        if isinstance(delta, ToolCallStart):
            delta = replace(delta, name=self.names.get(delta.name, delta.name))
        is_watched = self.text.state is TextState.WATCHED
        match delta:
            case ContentDelta(text) if self.stops and is_watched and not self._open:
                yield from self._feed_watch(text)
                return
        if self._stop_start:
            yield from self._flush_watch()
        match delta:
            case OtherDelta(odd_call=call) if call is not None:
                raise make_odd_answer_error("tool_calls", call)
            case ContentDelta(text) | OtherDelta(text) if text and self._open:
                yield from self._feed_after_call(ContentDelta(text))
            case ThoughtDelta(text) if text and self._open:
                yield from self._feed_after_call(ThoughtDelta(text))
            case Finish(reason):
                yield from self._flush_answer(reason)
            case _:
                yield from self._feed_filter(delta)

    def _flush_watch(self) -> Iterator[Delta]:
        """Add the text that was held back as the possible start of a stop sequence."""
        text = self._stop_start
        self._stop_start = ""
        yield from self._feed_text(text)

    def flush(self) -> Iterator[Delta]:
        """Yield the deltas that are held back, because no call will follow."""
        yield from self._flush_watch()
        yield from self._iterate_shown_events(feed_through(self.text.flush(), self.enforced))
        yield from self._iterate_shown_events(self.enforced.flush())

    def _feed_filter(self, delta: ApiDelta) -> Iterator[Delta]:
        """Yield the client's deltas that are certain after a delta of the server."""
        yield from self._iterate_shown_events(
            feed_through([(_NO_EVENT, [delta])], self.text, self.enforced)
        )

    def _iterate_shown_events(self, events: Iterable[HeldEvent]) -> Iterator[Delta]:
        try:
            for _, deltas in events:
                yield from self._iterate_shown_deltas(deltas)
        except RefusedError:
            self.enforced.mender.held_events.clear()  # nothing follows an invalid call
            raise
        new = self.enforced.reports[self._reported :]
        self._reported = len(self.enforced.reports)
        yield from new

    def _iterate_shown_deltas(self, deltas: Iterable[ApiDelta]) -> Iterator[Delta]:
        for delta in deltas:
            match delta:
                case ContentDelta(text) | OtherDelta(text) if text:
                    yield from self._feed_after_call(ContentDelta(text))
                case ThoughtDelta(text) if text:
                    self._thoughts.append(text)
                    yield from self._feed_after_call(ThoughtDelta(text))
                case ToolCallStart():
                    yield from self._feed_call_start(delta)
                case ArgumentsDelta(json=json):
                    yield from self._feed_call_json(delta.key, json)
                case CallBoundary():
                    yield from self._feed_end_of_server_call(self._begun.get(delta.key))

    def _feed_watch(self, text: str) -> Iterator[Delta]:
        """Add text that may be a call, and end the answer if a stop sequence follows the call."""
        text, self._stop_start = self._stop_start + text, ""
        for at, stop in islice(_stops_in(text, self.stops), _MOST_STOPS):
            before = "".join([*self.text.pieces, text[:at]])
            if read_calls(before, self.native.allowed).rescue:
                yield from self._feed_text(text[:at])
                yield from self._flush_answer("stop", stop)
                return
        stops = StopTexts(self.stops)
        free = stops.feed(text)
        self._stop_start = stops.held
        yield from self._feed_text(text if stops.found else free)

    def _feed_text(self, text: str) -> Iterator[Delta]:
        if text:
            yield from self._feed_filter(ContentDelta(text))

    # --- calls ------------------------------------------------------------------------------------

    def _feed_call_start(self, start: ToolCallStart) -> Iterator[Delta]:
        if not start.name:
            raise make_odd_answer_error("tool_calls", {"id": start.id, "name": start.name})
        call = NativeCall(replace(start, id=start.id or new_call_id()))
        self._begun[start.key] = call
        yield from self._feed_after_call(call)

    def _feed_after_call(self, item: NativeCall | Delta) -> Iterator[Delta]:
        """Queue a call or delta until the open call is complete and yield all that is ready."""
        self._waiting.append(item)
        if self._open and not self._waits:
            self._waits = not (self._open.pieces and _is_object(self._open.arguments))
            if not self._waits:
                yield from self._flush_call()
        yield from self._flush_waiting()

    def _flush_waiting(self) -> Iterator[Delta]:
        """Yield the queued deltas up to the next incomplete call, or none after a loop of calls."""
        while self._waiting and not (self._open or self.is_looping):
            item = self._waiting.popleft()
            if not isinstance(item, NativeCall):
                yield item
                continue
            start = item.start
            self._open = item
            yield ToolCallStart(self._index, start.id, start.name)
            if item.pieces:
                yield ArgumentsDelta(self._index, item.arguments)
            if item.is_over:
                yield from self._flush_call()

    def _feed_call_json(self, key: CallKey, json: str) -> Iterator[Delta]:
        call = self._begun.get(key)
        if call is None or (json and call.is_over):
            words = "the upstream continued a call that had ended, or had not begun"
            raise RefusedError(502, words, "upstream_error")
        if json:
            call.pieces.append(json)
            if call is self._open:
                yield ArgumentsDelta(self._index, json)

    def _feed_end_of_server_call(self, call: NativeCall | None) -> Iterator[Delta]:
        if call is not None and call is self._open:
            yield from self._flush_call()
            yield from self._flush_waiting()
        elif call is not None:
            call.is_over = True

    def _flush_call(self, *, is_cut: bool = False) -> Iterator[Delta]:
        """Yield the end of the open call. With `is_cut`, a limit may have cut its arguments off."""
        assert self._open is not None
        call = self._open
        self._open = None
        self._waits = False
        call.is_over = True
        arguments = call.arguments or ("" if is_cut else "{}")
        tool_call = ToolCall(call.start.name, arguments, call.start.id)
        self._ended_calls.append(call)
        if not _is_object(arguments):
            self._broken.append(call)
            self._index += 1
            return
        self.is_looping = self.is_looping or self._loop.feed(call.start.name, arguments)
        if not call.pieces:
            yield ArgumentsDelta(self._index, arguments)
        yield ToolCallEnd(self._index, tool_call)
        self._index += 1
        self.calls.append(call)

    def _flush_answer(self, reason: str, stop: str | None = None) -> Iterator[Delta]:
        self.is_over = True
        self._ending = Finish(require_known_reason(reason), stop=stop)
        end: HeldEvent = (_NO_EVENT, [self._ending])
        events = self.text.feed(end)
        if self.text.rescue or self.text.state is TextState.ASKED:
            events = [end]
        yield from self._iterate_shown_events(feed_through(events, self.enforced))
        while self._open:
            yield from self._flush_call(
                is_cut=self._ending.reason != "stop" and not self._open.is_over
            )
            yield from self._flush_waiting()
        if not self.inquiry:
            yield from self._flush_reports()

    @property
    def checked_calls(self) -> list[NativeCall]:
        """The calls that may be wrong: after a limit, not those whose arguments are incomplete."""
        if self._ending.reason != "stop":
            return self.calls
        return [*self._ended_calls, *self.enforced.broken_calls]

    @property
    def broken_calls(self) -> list[NativeCall]:
        """The calls that are not delivered, because their arguments are not JSON."""
        return [*self._broken, *self.enforced.broken_calls]

    @property
    def inquiry(self) -> Inquiry | None:
        """The question whether the model meant a call in its text, if that is not clear."""
        return self.text.inquiry

    def flush_inquiry(self, calls: Sequence[ToolCall]) -> Iterator[Delta]:
        """End the answer with the calls that the model has confirmed, or with the held text."""
        reports = self.text.end_inquiry(calls)
        yield from self._flush_reports(reports)

    def _flush_reports(self, reports: Iterable[UnconfirmedCall] = ()) -> Iterator[Delta]:
        rescue = self.text.rescue
        before = self.text.before
        events = self.text.flush()
        if rescue:
            rescue = self.enforced.take_rescue(rescue)
            self.text.replace_rescue(rescue)
            yield from iterate_deltas_of_calls(rescue.calls, before)
        else:
            for _, deltas in events:
                yield from self._iterate_shown_deltas(deltas)
        if not (self.calls or rescue or "".join(self.text.pieces).strip()):
            yield from calls_in_thought("".join(self._thoughts), self.native.allowed)
        yield from reports
        yield from self._end_broken_calls()
        has_called = self._ending.reason == "stop" and (self.calls or rescue)
        reason = "tool_calls" if has_called else self._ending.reason
        yield Finish(reason, stop=self._ending.stop)

    def _end_broken_calls(self) -> Iterator[Delta]:
        """Report the calls that are not JSON. If no limit has cut them off, they are text."""
        reason = self._ending.reason
        for call in self._broken:
            if reason == "stop":
                space = "\n" if self.enforced.has_text else ""
                self.enforced.has_text = True
                yield ContentDelta(space + call.to_text())
            yield report_broken_call(call, reason)


def _stops_in(text: str, stops: Iterable[str]) -> list[tuple[int, str]]:
    """Return the position of each stop sequence in a text."""
    positions = {
        (match.start(), stop) for stop in stops for match in re.finditer(re.escape(stop), text)
    }
    return sorted(positions)


def _is_object(text: str) -> bool:
    """Return whether the arguments are complete. Refuse arguments that are not an object."""
    try:
        value = read_json(text)
    except ValueError:
        return False
    if not isinstance(value, dict):
        raise make_odd_answer_error("arguments", value)
    return True
