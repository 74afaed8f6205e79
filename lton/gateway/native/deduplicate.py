"""Drop repeated native calls of a stream; a call that may be a repetition is held until its end."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lton.apis.answer_notes import notes_of
from lton.apis.answers import AnswerReader
from lton.apis.sse import RawEvent
from lton.chat import RepeatedCall, ToolCall
from lton.chat.deltas import ApiDelta, ArgumentsDelta, CallBoundary, CallKey, Finish, ToolCallStart
from lton.chat.repeats import GivenCalls


@dataclass
class NativeCall:
    """The received part of a native call."""

    start: ToolCallStart
    pieces: list[str] = field(default_factory=list)
    is_over: bool = False

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)

    @property
    def repeated(self) -> RepeatedCall:
        return RepeatedCall(ToolCall(self.start.name, self.arguments))

    @property
    def scope(self) -> tuple[int, str]:
        """The choice, and the tool's namespace."""
        return self.start.choice, self.start.space


class Once:
    """Passes events on, except events of repeated calls. With `repeat` it passes on all."""

    def __init__(self, shape: AnswerReader, *, repeat: bool) -> None:
        self.shape = shape
        self.calls: dict[CallKey, NativeCall] = {}
        """The calls that the client is given."""
        self.dropped: list[CallKey] = []
        self.repeated: list[RepeatedCall] = []
        self.notes: list[Mapping[str, Any]] = []
        self._given = GivenCalls(repeat=repeat)
        self._open: list[CallKey] = []
        self._key: CallKey | None = None
        """The call that is held."""
        self._held: list[tuple[RawEvent, list[ApiDelta]]] = []

    def feed(self, event: RawEvent, events: list[ApiDelta]) -> Iterator[RawEvent]:
        """Yield the events that can be passed on now."""
        may_be_mixed = len(events) > 1 and not self._given.repeat
        if may_be_mixed and self._is_mixed(events):
            for part, words in self.shape.split(event, events):
                yield from self._one(part, words)
        else:
            yield from self._one(event, events)

    def _is_mixed(self, events: list[ApiDelta]) -> bool:
        """Return whether an event has other content besides the possible repetition."""
        starts = [each for each in events if isinstance(each, ToolCallStart)]
        names = {(each.name, each.choice, each.space) for each in starts}
        keys = {each.key for each in events if isinstance(each, ToolCallStart | ArgumentsDelta)}
        is_more = len(keys) > 1 or any(
            not isinstance(each, ToolCallStart | ArgumentsDelta | CallBoundary) for each in events
        )
        again = len(names) < len(starts) or any(
            self._given.may_have(each.name, NativeCall(each).scope) for each in starts
        )
        return is_more and (again or (self._key is not None and len(keys) > 1))

    def _one(self, event: RawEvent, events: list[ApiDelta]) -> Iterator[RawEvent]:
        if self._key is not None:
            if all(isinstance(each, ArgumentsDelta | CallBoundary) for each in events):
                self._note(events)
                self._held.append((event, events))
                if any(isinstance(e, CallBoundary) and e.key == self._key for e in events):
                    yield from self._decide()
                return
            yield from self._decide()
        self._note(events)
        if self._key is None:
            yield self.shape.without(event, self.dropped, self.notes) if self.dropped else event
        else:
            self._held.append((event, events))

    def _note(self, events: list[ApiDelta]) -> None:
        for each in events:
            match each:
                case ToolCallStart(key=key):
                    self._close()
                    self.calls[key] = call = NativeCall(each)
                    if self._given.begin(each.name, call.scope):
                        self._key = key
                    else:
                        self._open.append(key)
                case ArgumentsDelta(json=json, key=key) if key in self.calls:
                    self.calls[key].pieces.append(json)
                case CallBoundary() | Finish():
                    self._close()

    def _close(self) -> None:
        for call in map(self.calls.__getitem__, self._open):
            self._given.end(call.start.name, call.arguments, call.scope)
        self._open.clear()

    def _decide(self) -> Iterator[RawEvent]:
        """Pass the complete, held call on, or drop it."""
        assert self._key is not None
        key, held = self._key, self._held
        self._key, self._held = None, []
        call = self.calls[key]
        if self._given.end(call.start.name, call.arguments, call.scope):
            self.dropped.append(key)
            del self.calls[key]
            self.repeated.append(call.repeated)
            self.notes += notes_of(self.repeated[-1])
            held = [(event, events) for event, events in held if not _is_about(events, key)]
        for event, _ in held:
            yield self.shape.without(event, self.dropped, self.notes) if self.dropped else event


def _is_about(events: list[ApiDelta], key: CallKey) -> bool:
    return any(
        isinstance(each, ToolCallStart | ArgumentsDelta | CallBoundary) and each.key == key
        for each in events
    )
