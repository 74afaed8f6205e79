"""Drop repeated native calls from a stream and hold each call that may be a repetition."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lton.apis.answer_notes import notes_of
from lton.apis.answers import AnswerReader
from lton.apis.sse import RawEvent
from lton.chat import RepeatedCall, ToolCall
from lton.chat.deltas import ApiDelta, ArgumentsDelta, CallBoundary, CallKey, Finish, ToolCallStart
from lton.chat.repeats import DistinctCalls

HeldEvent: TypeAlias = tuple[RawEvent, list[ApiDelta]]
_PIECES = (ArgumentsDelta, CallBoundary)
_PARTS = (ToolCallStart, *_PIECES)


@dataclass
class NativeCall:
    """A native call that is being received."""

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
        """The index of the choice, and the namespace of the tool."""
        return self.start.choice, self.start.space


class NativeCalls:
    """Passes on events, but drops repeated calls unless `repeat` is true."""

    def __init__(self, reader: AnswerReader, *, repeat: bool) -> None:
        self.reader = reader
        self.calls: dict[CallKey, NativeCall] = {}  # the calls that the client is given
        self.dropped: list[CallKey] = []
        self.repeated: list[RepeatedCall] = []
        self.notes: list[Mapping[str, Any]] = []
        self._known = DistinctCalls[HeldEvent](repeat=repeat)
        self._open: list[CallKey] = []
        self._key: CallKey | None = None  # the call that is held

    def feed(self, event: RawEvent, deltas: list[ApiDelta]) -> Iterator[RawEvent]:
        """Add an event and yield the events that can be passed on."""
        if len(deltas) > 1 and not self._known.repeat and self._is_mixed(deltas):
            for part, each in self.reader.split(event, deltas):
                yield from self._one(part, each)
        else:
            yield from self._one(event, deltas)

    def _is_mixed(self, deltas: list[ApiDelta]) -> bool:
        """Return whether an event has to be split, because a call in it may be a repetition."""
        keys = {each.key for each in deltas if isinstance(each, ToolCallStart | ArgumentsDelta)}
        if len(keys) < 2 and all(isinstance(each, _PARTS) for each in deltas):
            return False
        starts = [each for each in deltas if isinstance(each, ToolCallStart)]
        names = {(each.name, each.choice, each.space) for each in starts}
        may_repeat = (self._known.may_repeat(each.name, NativeCall(each).scope) for each in starts)
        is_held = self._key is not None and len(keys) > 1
        return is_held or len(names) < len(starts) or any(may_repeat)

    def _one(self, event: RawEvent, deltas: list[ApiDelta]) -> Iterator[RawEvent]:
        if self._key is not None and not all(isinstance(each, _PIECES) for each in deltas):
            yield from self._decide()
        self._note(deltas)
        if self._known.passed((event, deltas)):
            yield self._kept(event)
        elif any(isinstance(each, CallBoundary) and each.key == self._key for each in deltas):
            yield from self._decide()

    def _note(self, deltas: list[ApiDelta]) -> None:
        for each in deltas:
            match each:
                case ToolCallStart(key=key):
                    self._close()
                    self.calls[key] = call = NativeCall(each)
                    if self._known.begin(each.name, call.scope):
                        self._key = key
                    else:
                        self._open.append(key)
                case ArgumentsDelta(json=json, key=key) if key in self.calls:
                    self.calls[key].pieces.append(json)
                case CallBoundary() | Finish():
                    self._close()

    def _close(self) -> None:
        for call in map(self.calls.__getitem__, self._open):
            self._known.is_repeated(call.start.name, call.arguments, call.scope)
        self._open.clear()

    def _decide(self) -> Iterator[RawEvent]:
        """Yield the events of the held call, unless the call is a repetition."""
        assert self._key is not None
        key, self._key = self._key, None
        held, call = self._known.release(), self.calls[key]
        if self._known.is_repeated(call.start.name, call.arguments, call.scope):
            self.dropped.append(key)
            del self.calls[key]
            self.repeated.append(call.repeated)
            self.notes += notes_of(call.repeated)
            held = [each for each in held if not _is_about(each[1], key)]
        for event, _ in held:
            yield self._kept(event)

    def _kept(self, event: RawEvent) -> RawEvent:
        return self.reader.without(event, self.dropped, self.notes) if self.dropped else event


def _is_about(deltas: list[ApiDelta], key: CallKey) -> bool:
    return any(isinstance(each, _PARTS) and each.key == key for each in deltas)
