"""How an answer of any API is read, and written again without its calls or with others."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from lton.apis.sse import RawEvent
from lton.apis.usage import AnswerUsage
from lton.chat import ToolCall
from lton.chat.deltas import (
    ApiDelta,
    ArgumentsDelta,
    CallKey,
    ContentDelta,
    Finish,
    OtherDelta,
    ToolCallStart,
)

Whole: TypeAlias = Mapping[str, Any]
"""An answer that does not stream, as its API has it."""
Dropped: TypeAlias = Sequence[CallKey]
"""The calls that are left out."""
Notes: TypeAlias = Sequence[Mapping[str, Any]]
"""What is said of them."""
EventParts: TypeAlias = list[tuple[RawEvent, list[ApiDelta]]]
"""Several events in place of one, each with what it says."""


@dataclass(frozen=True, kw_only=True)
class WholeChoice:
    """What one choice of an answer says that does not stream."""

    text: str = ""
    calls: Sequence[tuple[ToolCallStart, str]] = ()
    """Each with its arguments, as text."""
    has_more: bool = False
    """Whether it is more than text and calls."""
    is_plain: bool = False


def gathered(deltas: Iterable[ApiDelta]) -> WholeChoice:
    """Return what the deltas of one choice come to.

    >>> gathered([ContentDelta("a"), ContentDelta("b"), Finish("stop")])
    WholeChoice(text='ab', calls=[], has_more=False, is_plain=True)
    """
    texts, is_plain, has_more = list[str](), False, False
    calls = dict[CallKey, tuple[ToolCallStart, list[str]]]()
    for delta in deltas:
        match delta:
            case ContentDelta(text):
                texts.append(text)
            case ToolCallStart():
                calls[delta.key] = delta, []
            case ArgumentsDelta(json=json):
                calls[delta.key][1].append(json)
            case OtherDelta():
                has_more = True
            case Finish(reason):
                is_plain = reason == "stop"
    made = [(start, "".join(pieces)) for start, pieces in calls.values()]
    return WholeChoice(text="".join(texts), calls=made, has_more=has_more, is_plain=is_plain)


_HOLDS_TEXT = frozenset("response output item part content content_block delta text".split())
"""The members in which an answer has its text."""


def with_text(event: RawEvent, text: str, new: str) -> RawEvent:
    r"""Return an event with another text in place of one.

    >>> with_text(RawEvent(b"", data={"delta": {"text": "a b"}, "id": "a b"}), "a b", "a").data
    {'delta': {'text': 'a'}, 'id': 'a b'}
    """
    data = _replaced(event.data, text, new)
    return event if data == event.data else event.saying(data)


def _replaced(data: Any, text: str, new: str) -> Any:
    match data:
        case dict():
            items = data.items()
            return {k: _replaced(v, text, new) if k in _HOLDS_TEXT else v for k, v in items}
        case list():
            return [_replaced(each, text, new) for each in data]
    return new if data == text else data


class AnswerReader(Protocol):
    """Reads an answer of one API: the events of a stream in order, or all of it at once."""

    usage: AnswerUsage
    choices: AbstractSet[int] = frozenset([0])
    """The choices that have begun."""
    may_be_empty: bool
    """Whether an answer of nothing is one."""
    has_places: bool
    """Whether a text and each call have places of their own, where they begin and end."""

    def read(self, event: RawEvent) -> list[ApiDelta]:
        """Return what an event says; what is not known says nothing."""

    def split(self, event: RawEvent, events: Sequence[ApiDelta]) -> EventParts:
        """Return several events that say the same, each with one call at most.

        Here an event has one call at most as it comes.
        """
        return [(event, list(events))]

    def with_calls(self, calls: Sequence[ToolCall], before: str, end: RawEvent) -> list[RawEvent]:
        """Return the events of calls and then the end, after the text before them, if any.

        Where a text has a place of its own, it has been given.
        """

    def without(self, event: RawEvent, dropped: Dropped, notes: Notes) -> RawEvent:
        """Return an event as if some calls had not been; an end says so in `notes`."""

    def cut(self, event: RawEvent, notes: Notes) -> list[RawEvent]:
        """Return the end of an answer as after a limit, where `event` came last of a text."""

    def fail(self, error: Mapping[str, Any]) -> bytes:
        """Return the end of a stream that an error cut off; `error` is in OpenAI's shape."""

    def whole(self, body: Whole) -> list[WholeChoice]:
        """Return what an answer says that does not stream."""

    def whole_with_calls(self, body: Whole, calls: Sequence[ToolCall], thought: str) -> Whole:
        """Return an answer with a thought and calls in place of its text."""

    def whole_without(self, body: Whole, dropped: Dropped, notes: Notes) -> Whole:
        """Return an answer without some of its calls."""
