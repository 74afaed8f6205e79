"""Replace the events of an answer with calls if the answer's text is a call.

Whether text is a call is decided at the end of the answer. Until then, the answer is held while it
may consist only of calls. In prose, only an ending that may be a call is held.
"""

from collections.abc import Iterable, Iterator
from enum import Enum, auto

from lton.apis.answer_notes import AnswerNote, notes_of
from lton.apis.answers import AnswerReader, with_text
from lton.apis.sse import RawEvent
from lton.chat.deltas import (
    ApiDelta,
    CallInThought,
    ContentDelta,
    Finish,
    OtherDelta,
    TextBoundary,
    ThoughtDelta,
    ToolCallStart,
)
from lton.errors import LTONError
from lton.gateway.native.deduplicate import HeldEvent
from lton.gateway.native.rescues import Allowed, Rescue, read_error, rescued, watcher_for

MAX_HELD = 8 * 1024 * 1024  # bytes of held events; a longer text is not a call


class TextState(Enum):
    """The state of the events of an answer's text."""

    WATCHED = auto()  # events are held if they may belong to a call
    FOUND = auto()  # the held events are to be replaced with calls
    PASSED = auto()  # events are passed on


class CallsInText:
    """Holds the events of text that may be a call, and passes on all other events."""

    def __init__(
        self, allowed: Allowed, *, can_rescue: bool, reader: AnswerReader | None = None
    ) -> None:
        self.allowed, self.reader = allowed, reader
        self._has_places = reader is not None and reader.has_places
        self.state = TextState.WATCHED if can_rescue else TextState.PASSED
        self.pieces: list[str] = []  # the text so far
        self.rescue: Rescue | None = None
        self.error: LTONError | None = None  # the error of a call that cannot be read
        self._watch = watcher_for(allowed)
        self._held: list[HeldEvent] = []
        self._size = self._length = 0  # the bytes of held events, and their characters
        self._has_ended = False
        """Whether the first block of text has ended; another block does not belong to it."""

    @property
    def held(self) -> int:
        """The number of characters that are held back and searched for calls."""
        is_held = self.state is TextState.WATCHED and self._watch.held
        return sum(map(len, self.pieces)) if is_held else 0

    def feed(self, event: RawEvent, deltas: list[ApiDelta]) -> list[HeldEvent]:
        """Add an event and return the events that can be passed on."""
        for each in deltas:
            if isinstance(each, ContentDelta):
                self.pieces.append(each.text)
            if self.state is TextState.WATCHED and not self._may_go_on(each):
                self.state = TextState.FOUND if self.rescue else TextState.PASSED
        is_free = self.state is TextState.PASSED or (self._watch.is_open and not self._watch.held)
        if is_free and not self._held and self.state is not TextState.FOUND:
            return [(event, deltas)]
        if not self._is_held(deltas):
            return [*self.rest(), (event, deltas)]
        self._held.append((event, deltas))
        self._size += len(event.raw)
        self._length += _length(deltas)
        if self._size > MAX_HELD:
            self.state = TextState.PASSED
            return self.rest()
        return self._prose() if self._watch.is_open else []

    def _is_held(self, deltas: list[ApiDelta]) -> bool:
        if self.state is TextState.FOUND and self._has_places and _length(deltas):
            # In an answer with a single event, no event could be replaced.
            self.rescue, self.state = None, TextState.PASSED
        if self.state is not TextState.WATCHED:
            return self.state is TextState.FOUND
        if self._held or self._watch.held:
            return True
        is_text = any(isinstance(each, ContentDelta | TextBoundary) for each in deltas)
        return is_text and not self._watch.is_open

    def found(self) -> list[RawEvent]:
        """Return the held events, with calls instead of their text."""
        events, self.state = list(self._with_calls()), TextState.PASSED
        self._held = []
        return events

    def rest(self) -> list[HeldEvent]:
        held, self._held, self._length = self._held, [], 0
        if held:
            self.state = TextState.PASSED
        return held

    def _may_go_on(self, delta: ApiDelta) -> bool:
        match delta:
            case ContentDelta(text):
                self._watch.feed(text)
                return not (self._watch.is_over or (self._watch.is_open and self._has_ended))
            case TextBoundary():
                self._has_ended = bool(self.pieces)
            case ToolCallStart() | OtherDelta():
                return False
            case ThoughtDelta():
                return not self.pieces
            case Finish(reason):
                if reason == "stop" and self._watch.held:
                    text = "".join(self.pieces)
                    self.rescue = rescued(text, self.allowed)
                    self.error = None if self.rescue else read_error(text, self.allowed)
                return False
        return True

    def _prose(self) -> list[HeldEvent]:
        """Release the held events up to the place where a call may begin."""
        passed = list[HeldEvent]()
        if self.state is TextState.FOUND:
            return passed
        while self._held and self._length - _length(self._held[0][1]) >= self._watch.held:
            event, deltas = self._held.pop(0)
            self._size -= len(event.raw)
            self._length -= _length(deltas)
            passed.append((event, deltas))
        return passed

    @property
    def before(self) -> str:
        given = sum(map(len, self.pieces)) - self._length
        return self.rescue.before[given:] if self.rescue else ""

    def _with_calls(self) -> Iterator[RawEvent]:
        assert self.rescue is not None and self.reader is not None  # noqa: PT018 - for types
        calls, before, text = self.rescue.calls, self.rescue.before, "".join(self.pieces)
        end, _ = self._held.pop()
        if not (before and self._has_places):
            yield from self.reader.with_calls(calls, self.before, end)
            return
        given = len(text) - self._length
        for event, deltas in self._held:
            piece = text[given : given + _length(deltas)]
            kept = before[given : given + len(piece)]
            given += len(piece)
            if kept:
                yield with_text(event, piece, kept)
            elif not piece:
                yield with_text(event, text, before)
        yield from self.reader.with_calls(calls, before, with_text(end, text, before))


def notes_of_thought(pieces: Iterable[str], allowed: Allowed) -> list[AnswerNote]:
    """Return notes about the calls in a thought. Calls in thoughts are never delivered."""
    found = rescued("".join(pieces), allowed) if allowed.names else None
    deltas = map(CallInThought, found.calls if found else ())
    return [note for each in deltas for note in notes_of(each)]


def _length(deltas: list[ApiDelta]) -> int:
    return sum(len(each.text) for each in deltas if isinstance(each, ContentDelta))
