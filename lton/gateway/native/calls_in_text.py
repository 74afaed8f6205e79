"""Replace the events of an answer with calls if the answer's text is a call.

Whether text is a call is decided at the end of the answer. Until then, the answer is held while it
may consist only of calls. In prose, only an ending that may be a call is held.
"""

from collections.abc import Iterable, Iterator
from enum import Enum, auto

from lton.apis.answer_notes import AnswerNote, iterate_notes_of_delta
from lton.apis.answers import AnswerReader, replace_text_in_event
from lton.apis.sse import RawEvent
from lton.chat import ToolCall
from lton.chat.deltas import (
    ApiDelta,
    CallInThought,
    ContentDelta,
    Finish,
    OtherDelta,
    TextBoundary,
    ThoughtDelta,
    ToolCallStart,
    UnconfirmedCall,
)
from lton.gateway.native.inquiries import Inquiry, try_make_inquiry
from lton.gateway.native.native_calls import HeldEvent
from lton.gateway.native.rescues import Allowed, Rescue, TextReading, make_watcher, read_calls

MAX_HELD = 8 * 1024 * 1024  # bytes of held events; a longer text is not a call


class TextState(Enum):
    """The state of the events of an answer's text."""

    WATCHED = auto()  # events are held if they may belong to a call
    ASKED = auto()  # the held events wait until the model was asked whether it meant a call
    FOUND = auto()  # the held events are to be replaced with calls
    PASSED = auto()  # events are passed on


class CallsInText:
    """Holds the events of text that may be a call, and passes on all other events.

    With `can_ask`, events of an uncertain or unreadable call are held until `settle` is called.
    """

    def __init__(
        self,
        allowed: Allowed,
        *,
        can_rescue: bool,
        can_ask: bool = False,
        reader: AnswerReader | None = None,
    ) -> None:
        self.allowed = allowed
        self.reader = reader
        self.can_ask = can_ask
        self._has_places = reader is not None and reader.has_places
        self.state = TextState.WATCHED if can_rescue else TextState.PASSED
        self.pieces: list[str] = []  # the text so far
        self.reading = TextReading()
        self._inquiry: Inquiry | None = None
        self._watch = make_watcher(allowed)
        self._held: list[HeldEvent] = []
        self._later: list[HeldEvent] = []  # events after the end, while the model is asked
        self._size = self._length = 0  # the bytes of held events, and their characters
        self._has_ended = False
        """Whether the first block of text has ended; another block does not belong to it."""

    @property
    def rescue(self) -> Rescue | None:
        return self.reading.rescue

    @property
    def inquiry(self) -> Inquiry | None:
        """The question whether the model meant a call in its text, if that is not clear."""
        return self._inquiry if self.state is TextState.ASKED else None

    @property
    def held_length(self) -> int:
        """The number of characters that are held back and searched for calls."""
        is_held = self.state is TextState.WATCHED and self._watch.held_length
        return sum(map(len, self.pieces)) if is_held else 0

    def feed(self, piece: HeldEvent) -> list[HeldEvent]:
        """Add an event and return the events that can be passed on."""
        if self.state is TextState.ASKED:
            self._later.append(piece)
            return []
        event, deltas = piece
        for delta in deltas:
            if isinstance(delta, ContentDelta):
                self.pieces.append(delta.text)
            if self.state is TextState.WATCHED and not self._may_go_on(delta):
                self.state = self._next_state()
        is_decided = self.state in (TextState.FOUND, TextState.ASKED)
        is_free = self.state is TextState.PASSED or (
            self._watch.is_open and not self._watch.held_length
        )
        if is_free and not self._held and not is_decided:
            return [piece]
        if not self._is_held(deltas):
            return [*self.flush(), piece]
        self._held.append(piece)
        self._size += len(event.raw)
        self._length += _count_characters(deltas)
        if self._size > MAX_HELD:
            self.state = TextState.PASSED
            return self.flush()
        return self._take_released_prose() if self._watch.is_open else []

    def _is_held(self, deltas: list[ApiDelta]) -> bool:
        is_decided = self.state in (TextState.FOUND, TextState.ASKED)
        if is_decided and self._has_places and _count_characters(deltas):
            # In an answer with a single event, no event could be replaced.
            self.reading = TextReading()
            self.state = TextState.PASSED
        if self.state is not TextState.WATCHED:
            return self.state in (TextState.FOUND, TextState.ASKED)
        if self._held or self._watch.held_length:
            return True
        is_text = any(isinstance(delta, ContentDelta | TextBoundary) for delta in deltas)
        return is_text and not self._watch.is_open

    def events_with_calls(self) -> list[RawEvent]:
        """Return the held events, with calls instead of their text."""
        later = [event for event, _ in self._later]
        events = [*self._iterate_events_with_calls(), *later]
        self.state = TextState.PASSED
        self._held = []
        self._later = []
        return events

    def flush(self) -> list[HeldEvent]:
        """Return the events that are held back, because their text is not a call."""
        events = [*self._held, *self._later]
        self._held = []
        self._later = []
        self._length = 0
        if events:
            self.state = TextState.PASSED
        return events

    def read_whole(self, text: str) -> None:
        """Read the text of an answer that is not streamed."""
        self.reading = read_calls(text, self.allowed)
        self.state = self._next_state()

    def end_inquiry(self, calls: Iterable[ToolCall]) -> list[UnconfirmedCall]:
        """Replace the held text with the calls that the model has confirmed, or release it.

        The calls of released text are reported.
        """
        confirmed = tuple(calls)
        unconfirmed = self.reading.unconfirmed
        if confirmed:
            text = "".join(self.pieces)
            repairs, before = (unconfirmed.repairs, unconfirmed.before) if unconfirmed else ((), "")
            self.reading = TextReading(rescue=Rescue(confirmed, repairs, text, before))
        self.state = TextState.FOUND if confirmed else TextState.PASSED
        doubted = () if confirmed or unconfirmed is None else unconfirmed.calls
        return [UnconfirmedCall(call) for call in doubted]

    def replace_rescue(self, rescue: Rescue) -> None:
        self.reading = TextReading(rescue=rescue)

    def _next_state(self) -> TextState:
        """Return the state after the end of the text."""
        if self.reading.rescue:
            return TextState.FOUND
        if self.can_ask:
            self._inquiry = try_make_inquiry(self.reading, "".join(self.pieces), self.allowed)
        return TextState.ASKED if self._inquiry else TextState.PASSED

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
                if reason == "stop" and self._watch.held_length:
                    self.reading = read_calls("".join(self.pieces), self.allowed)
                return False
        return True

    def _take_released_prose(self) -> list[HeldEvent]:
        """Release the held events up to the place where a call may begin."""
        released = list[HeldEvent]()
        if self.state in (TextState.FOUND, TextState.ASKED):
            return released
        while (
            self._held
            and self._length - _count_characters(self._held[0][1]) >= self._watch.held_length
        ):
            event, deltas = self._held.pop(0)
            self._size -= len(event.raw)
            self._length -= _count_characters(deltas)
            released.append((event, deltas))
        return released

    @property
    def before(self) -> str:
        position = sum(map(len, self.pieces)) - self._length
        return self.rescue.before[position:] if self.rescue else ""

    def _iterate_events_with_calls(self) -> Iterator[RawEvent]:
        assert self.rescue is not None and self.reader is not None  # noqa: PT018 - for types
        calls = self.rescue.calls
        before = self.rescue.before
        text = "".join(self.pieces)
        end, _ = self._held.pop()
        if not (before and self._has_places):
            yield from self.reader.write_end_with_calls(calls, self.before, end)
            return
        position = len(text) - self._length
        for event, deltas in self._held:
            piece = text[position : position + _count_characters(deltas)]
            prose = before[position : position + len(piece)]
            position += len(piece)
            if prose:
                yield replace_text_in_event(event, piece, prose)
            elif not piece:
                yield replace_text_in_event(event, text, before)
        yield from self.reader.write_end_with_calls(
            calls, before, replace_text_in_event(end, text, before)
        )


def notes_of_thought(thought: str, allowed: Allowed) -> list[AnswerNote]:
    """Return notes about the calls in a thought. Calls in thoughts are never delivered."""
    return [
        note
        for delta in calls_in_thought(thought, allowed)
        for note in iterate_notes_of_delta(delta)
    ]


def calls_in_thought(thought: str, allowed: Allowed) -> list[CallInThought]:
    """Return a report for each call in a thought."""
    reading = read_calls(thought, allowed) if allowed.names else TextReading()
    source = reading.rescue or reading.unconfirmed
    return [CallInThought(call) for call in source.calls] if source else []


def _count_characters(deltas: list[ApiDelta]) -> int:
    return sum(len(delta.text) for delta in deltas if isinstance(delta, ContentDelta))
