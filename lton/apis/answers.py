"""Define the interfaces of the classes that read and write an API's answers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from lton.apis.answer_usage import AnswerUsage
from lton.apis.sse import RawEvent
from lton.chat import Delta, ToolCall, ToolCallEnd
from lton.chat.deltas import (
    ApiDelta,
    ArgumentsDelta,
    CallKey,
    ContentDelta,
    Finish,
    OtherDelta,
    ThoughtDelta,
    ToolCallStart,
)

ChoiceNotes: TypeAlias = Mapping[int, Sequence[Mapping[str, Any]]]  # the notes on each choice
Whole: TypeAlias = Mapping[str, Any]  # the JSON of an answer that does not stream
TokenUsage: TypeAlias = Mapping[str, Any]  # tokens in the format of chat completions
Dropped: TypeAlias = Sequence[CallKey]  # the omitted calls
Notes: TypeAlias = Sequence[Mapping[str, Any]]  # the reasons why calls are omitted
EventParts: TypeAlias = list[tuple[RawEvent, list[ApiDelta]]]  # parts of a split event


@dataclass(frozen=True, kw_only=True)
class MendedJson:
    """The name and the arguments that replace those of a call.

    `piece` replaces a piece of the arguments in a stream: the first piece becomes all arguments,
    and the later ones are empty.
    """

    name: str
    arguments: str
    piece: str = ""


MendedCalls: TypeAlias = Mapping[CallKey, MendedJson]


@dataclass(frozen=True, kw_only=True)
class WholeChoice:
    """One choice of an answer that is not streamed."""

    text: str = ""
    thought: str = ""
    calls: Sequence[tuple[ToolCallStart, str]] = ()  # each with its arguments as text
    has_more: bool = False  # whether it has more than text and calls
    reason: str | None = None  # the reason for its end, if it has ended

    @property
    def is_plain(self) -> bool:
        return self.reason == "stop"

    @property
    def is_cut(self) -> bool:
        """Whether a token limit ended it."""
        return self.reason == "length"

    @property
    def is_text(self) -> bool:
        return self.is_plain and not (self.calls or self.has_more)

    @property
    def is_empty(self) -> bool:
        return self.is_text and not (self.text.strip() or self.thought)

    @property
    def is_only_thought(self) -> bool:
        return self.is_text and not self.text.strip() and bool(self.thought)


def join_choice_deltas(deltas: Iterable[ApiDelta]) -> WholeChoice:
    """Join the deltas of a choice into a complete choice."""
    texts = list[str]()
    thoughts = list[str]()
    ending: str | None = None
    has_more = False
    calls = dict[CallKey, tuple[ToolCallStart, list[str]]]()
    for delta in deltas:
        match delta:
            case ContentDelta(text):
                texts.append(text)
            case ThoughtDelta(text):
                thoughts.append(text)
            case ToolCallStart():
                calls[delta.key] = delta, []
            case ArgumentsDelta(json=json):
                calls[delta.key][1].append(json)
            case OtherDelta():
                has_more = True
            case Finish(reason):
                ending = reason
    complete_calls = [(start, "".join(pieces)) for start, pieces in calls.values()]
    return WholeChoice(
        text="".join(texts),
        calls=complete_calls,
        thought="".join(thoughts),
        has_more=has_more,
        reason=ending,
    )


_HOLDS_TEXT = frozenset("response output item part content content_block delta text".split())


def replace_text_in_event(event: RawEvent, text: str, new: str) -> RawEvent:
    """Return an event with `text` replaced by `new`."""
    data = _replace_text(event.data, text, new)
    return event if data == event.data else event.with_data(data)


def _replace_text(data: Any, text: str, new: str) -> Any:
    match data:
        case dict():
            items = data.items()
            return {k: _replace_text(v, text, new) if k in _HOLDS_TEXT else v for k, v in items}
        case list():
            return [_replace_text(item, text, new) for item in data]
    return new if data == text else data


def iterate_deltas_of_calls(calls: Iterable[ToolCall], before: str = "") -> Iterator[Delta]:
    """Yield a delta for the text `before`, and then the deltas of complete calls."""
    if before:
        yield ContentDelta(before)
    for index, call in enumerate(calls):
        yield ToolCallStart(index, str(call.id), call.name)
        yield ArgumentsDelta(index, call.written)
        yield ToolCallEnd(index, call)


class AnswerWriter(Protocol):
    """Writes answers in the format of one API."""

    def write_delta(self, choice: int, delta: Delta) -> bytes:
        """Return the events that express a delta of a choice."""

    def write_end(self, usage: TokenUsage | None) -> bytes:
        """Return the events that end a stream."""

    def write_failure(self, error: Mapping[str, Any], status: int) -> bytes:
        """Return the events that end a stream after an error. `error` is in OpenAI's format."""

    def build_response(
        self, choices: Sequence[Sequence[Delta]], usage: TokenUsage
    ) -> dict[str, Any]:
        """Build an answer that is not streamed."""

    def write_deltas(self, deltas: Iterable[Delta]) -> bytes:
        return b"".join(self.write_delta(0, delta) for delta in deltas)


class AnswerReader(Protocol):
    """Reads answers in the format of one API, either complete or as a stream of events."""

    usage: AnswerUsage
    choices: AbstractSet[int] = frozenset([0])  # the choices that have begun
    may_be_empty: bool  # whether an empty answer is valid
    has_places: bool  # whether text and calls are blocks or items, with a start and an end
    usage_follows_end: bool = False  # whether the token counts follow the end of the answer

    def read_deltas(self, event: RawEvent) -> list[ApiDelta]:
        """Return the deltas in an event, or an empty list for an unknown event."""

    def split_event(self, event: RawEvent, events: Sequence[ApiDelta]) -> EventParts:
        """Split an event into several events with at most one call each. The default is for APIs
        whose events have at most one call.
        """
        return [(event, list(events))]

    def make_writer_like(self, event: RawEvent) -> AnswerWriter:
        """Return a writer that continues the stream after `event`."""

    def write_end_with_calls(
        self, calls: Sequence[ToolCall], before: str, end: RawEvent
    ) -> list[RawEvent]:
        """Return the events that end an answer with the text `before` and the calls."""

    def event_without_calls(self, event: RawEvent, dropped: Dropped, notes: Notes) -> RawEvent:
        """Remove the dropped calls from an event. The last event of an answer gets `notes`."""

    def replace_calls_at_end(
        self, end: RawEvent, choice: int, text: str, dropped: int, *, has_calls: bool
    ) -> tuple[RawEvent, RawEvent]:
        """Return an event with a text for dropped calls (no bytes if there is none), and the end.

        `dropped` is the number of calls that the stream has lost, and `has_calls` whether the
        choice has others. The default is for APIs whose arguments are always JSON.
        """
        del choice, text, dropped, has_calls
        return RawEvent(b""), end

    def event_with_mended_calls(self, event: RawEvent, calls: MendedCalls) -> RawEvent:
        """Replace the names and the arguments of calls in an event."""

    def with_notes(self, event: RawEvent, notes: ChoiceNotes) -> RawEvent:
        """Add notes to an event that ends a choice. Other events stay as they are."""

    def read_whole_answer(self, body: Whole) -> list[WholeChoice]:
        """Return the choices of an answer that is not streamed."""

    def body_with_calls(self, body: Whole, calls: Sequence[ToolCall], thought: str) -> Whole:
        """Replace the text of a complete answer with a thought and calls."""

    def body_without_calls(self, body: Whole, dropped: Dropped, notes: Notes) -> Whole:
        """Remove the dropped calls from a complete answer."""

    def body_with_calls_as_text(self, body: Whole, texts: Mapping[CallKey, str]) -> Whole:
        """Replace calls in a complete answer with texts, or remove them if the text is empty.

        The default is for APIs whose arguments are always JSON.
        """
        del texts
        return body

    def body_with_mended_calls(self, body: Whole, calls: MendedCalls) -> Whole:
        """Replace the names and the arguments of calls in a complete answer."""

    def body_with_notes(self, body: Whole, notes: ChoiceNotes) -> Whole:
        """Add notes to a complete answer."""
