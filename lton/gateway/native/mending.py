"""Mend the native calls of an answer (`lton.lenient.mend_call`).

In a stream, the events of a call are held until the call ends, because the pieces of its arguments
cannot be taken back. A call that fits is passed on byte for byte. A call whose arguments are not
JSON is named in `broken`, before its events are passed on.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from lton.apis.answers import AnswerReader, MendedJson
from lton.apis.sse import RawEvent
from lton.chat import ToolCall
from lton.chat.deltas import (
    ApiDelta,
    ArgumentsDelta,
    CallBoundary,
    CallKey,
    Finish,
    MendedCall,
    StreamEnd,
    ThoughtDelta,
    ToolCallStart,
)
from lton.gateway.native.call_checks import FITS
from lton.gateway.native.native_calls import OF_CALLS, HeldEvent, NativeCall
from lton.gateway.native.rescues import Allowed
from lton.lenient import Mended, mend_call

_MAX_HELD = 8 * 1024 * 1024  # bytes of held events; the calls in longer events are not mended


def try_mend_native(call: NativeCall, allowed: Allowed) -> Mended | None:
    """Return the mended call, or None if the call fits, has no reading or may not be made."""
    mended = mend_call(call.start.name, call.arguments, allowed.tools)
    return mended if mended and mended.call.name in allowed.names else None


def describe_mended_call(call: NativeCall, mended: Mended) -> MendedCall:
    """Return the report about a mended call."""
    original = ToolCall(call.start.name, call.arguments)
    return MendedCall(original, mended.repairs, call.start.choice)


class CallMender:
    """Holds the events of each call until its end, and mends the call if it does not fit.

    `reader` rewrites events; without it, only the deltas count. `report` gets each mended call.
    """

    def __init__(
        self,
        allowed: Allowed,
        reader: AnswerReader | None,
        report: Callable[[MendedCall], None],
        *,
        is_on: bool,
    ) -> None:
        self.allowed = allowed
        self.reader = reader
        self.report = report
        self.is_on = is_on and bool(allowed.names)
        self.held_events = deque[HeldEvent]()
        self._size = 0  # the bytes of held events
        self.held_length = 0  # the characters of the arguments that are held back
        self.broken: dict[CallKey, NativeCall] = {}  # the calls whose arguments are not JSON
        self._open: dict[CallKey, NativeCall] = {}  # the calls that may still be mended
        self._has_closed = False  # whether the latest event has closed a call
        self._latest: CallKey | None = None
        self._mended: dict[CallKey, MendedJson] = {}
        self._written = set[CallKey]()  # the mended calls whose arguments have been passed on

    def feed(self, piece: HeldEvent) -> Iterator[HeldEvent]:
        """Add an event and yield the events that can be passed on."""
        if not self.is_on:
            yield piece
            return
        event, deltas = piece
        is_waiting = bool(self.held_events)
        self._has_closed = False
        self._note_deltas(deltas)
        self.held_events.append(piece)
        self._size += len(event.raw)
        if self._size > _MAX_HELD:
            self._stop_mending()
        if is_waiting and not self._has_closed:
            return  # the first held event still belongs to a call that is open
        yield from self._iterate_released_events()

    def flush(self) -> Iterator[HeldEvent]:
        """Yield the held events, because the calls in them will not end."""
        self._stop_mending()
        yield from self._iterate_released_events()

    def _stop_mending(self) -> None:
        self._open.clear()
        self._has_closed = True
        self.held_length = 0

    def _note_deltas(self, deltas: Iterable[ApiDelta]) -> None:
        for delta in deltas:
            match delta:
                case ToolCallStart(key=key):
                    self._mend_latest_call()
                    self._open[key] = NativeCall(delta)
                    self._latest = key
                case ArgumentsDelta(json=json, key=key) if key in self._open:
                    self._open[key].pieces.append(json)
                    self.held_length += len(json)
                case CallBoundary(key=key):
                    self._mend_ended_call(key, is_over=True)
                case Finish() | StreamEnd():
                    for key in [*self._open]:
                        self._mend_ended_call(key, is_over=True)
                case ArgumentsDelta() | ThoughtDelta(""):
                    pass
                case _:
                    self._mend_latest_call()

    def _mend_latest_call(self) -> None:
        # In chat, nothing marks the end of a call, and its pieces may still follow later.
        if self._latest is not None:
            key, self._latest = self._latest, None
            self._mend_ended_call(key, is_over=False)

    def _mend_ended_call(self, key: CallKey, *, is_over: bool) -> None:
        """Mend a call that has ended. A call that may go on is released only if it is complete."""
        call = self._open.get(key)
        if call is None:
            return
        is_fit = self.allowed.checks.outcome_of_call(call.start.name, call.arguments)[0] == FITS
        mended = None if is_fit else try_mend_native(call, self.allowed)
        if mended:
            self._mended[key] = MendedJson(name=mended.call.name, arguments=mended.arguments)
            self.report(describe_mended_call(call, mended))
        elif is_over and call.is_broken:
            self.broken[key] = call
        if mended or is_over or (is_fit and call.pieces):
            del self._open[key]
            self._has_closed = True
            self.held_length -= len(call.arguments)

    def _iterate_released_events(self) -> Iterator[HeldEvent]:
        while self.held_events and not self._is_open(self.held_events[0][1]):
            event, deltas = self.held_events.popleft()
            self._size -= len(event.raw)
            yield from self._iterate_rewritten_events(event, deltas)

    def _is_open(self, deltas: list[ApiDelta]) -> bool:
        """Return whether an event belongs to a call that may still be mended."""
        return bool(self._open) and not self._open.keys().isdisjoint(_call_keys(deltas))

    def _iterate_rewritten_events(
        self, event: RawEvent, deltas: list[ApiDelta]
    ) -> Iterator[HeldEvent]:
        if not self._mended:
            yield event, deltas
            return
        is_end = any(isinstance(delta, Finish | StreamEnd) for delta in deltas)
        keys = {*self._mended} if is_end else _call_keys(deltas).intersection(self._mended)
        if not keys:
            yield event, deltas
            return
        rewritten = [self._rewrite_delta(delta) for delta in deltas]
        if rewritten != deltas and all(_is_empty_piece(delta) for delta in rewritten):
            return  # an earlier event has all arguments
        pieces = {delta.key: delta.json for delta in rewritten if isinstance(delta, ArgumentsDelta)}
        calls = {key: replace(self._mended[key], piece=pieces.get(key, "")) for key in keys}
        yield self.reader.event_with_mended_calls(event, calls) if self.reader else event, rewritten

    def _rewrite_delta(self, delta: ApiDelta) -> ApiDelta:
        match delta:
            case ToolCallStart(key=key) if key in self._mended:
                return replace(delta, name=self._mended[key].name)
            case ArgumentsDelta(json=json, key=key) if json and key in self._mended:
                piece = "" if key in self._written else self._mended[key].arguments
                self._written.add(key)
                return replace(delta, json=piece)
        return delta


def _call_keys(deltas: Iterable[ApiDelta]) -> set[CallKey]:
    return {delta.key for delta in deltas if isinstance(delta, OF_CALLS)}


def _is_empty_piece(delta: ApiDelta) -> bool:
    return isinstance(delta, ArgumentsDelta) and not delta.json
