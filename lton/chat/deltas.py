"""Define the deltas of a streamed reply and join the deltas to a complete reply.

An answer from a server is read as the same deltas, and as others that occur only in APIs
(`ApiDelta`). Their `choice` is the number of the answer, and their calls may interleave.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lton.chat.records import Message, Part, Text, Thought, ToolCall
from lton.chat.repeats import ImitatedAnswer, LeftOut, RepeatedCall
from lton.errors import DecodeError
from lton.events import Answer, Argument, ArgumentDelta, CallEnd, CallStart, Event, Prose, Thinking
from lton.lenient import LenientResult, Repair
from lton.schema.types import JSON

CallKey: TypeAlias = tuple[int, int]  # a choice, and the index of a call in it


@dataclass(frozen=True, slots=True)
class ContentDelta:
    """The next non-empty piece of the reply's text."""

    text: str
    choice: int = field(default=0, repr=False)


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """The next piece of a thought. It is empty if the server hides the thought."""

    text: str = ""
    choice: int = field(default=0, repr=False)


class _OfCall:
    __slots__ = ()
    choice: int
    index: int

    @property
    def key(self) -> CallKey:
        return self.choice, self.index


@dataclass(frozen=True, slots=True)
class ToolCallStart(_OfCall):
    """The start of a call. Each call ends before the next one starts."""

    index: int
    id: str
    name: str
    choice: int = field(default=0, repr=False)
    space: str = field(default="", repr=False)  # the tool's namespace, in OpenAI's responses


@dataclass(frozen=True, slots=True)
class ArgumentsDelta(_OfCall):
    """The next piece of a call's arguments. The joined pieces are a JSON object.

    The closing bracket comes only if the call is complete, so an incomplete call is never valid
    JSON.
    """

    index: int
    json: str
    choice: int = field(default=0, repr=False)


@dataclass(frozen=True, slots=True)
class ToolCallEnd:
    """The end of a call, with the complete arguments."""

    index: int
    call: ToolCall


@dataclass(frozen=True, slots=True)
class CallInThought:
    """A call in the thought of an answer that says nothing else. It is not delivered."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class UnconfirmedCall:
    """A call in the text, which stays text because the model has not confirmed it."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class DeclinedCall:
    """A call that is not made, because the message probably needs none."""

    call: ToolCall
    need: float
    """The probability that a tool is needed."""


@dataclass(frozen=True, slots=True)
class LoopingCall:
    """A call that is not made, because it was made several times with the same result."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of the reply, with its finish reason and, if any, an error and an incomplete call.

    `stop` is the stop sequence that ended the reply. `confidence` is the confidence in the choice
    of tools, from 0 to 1, if known.
    """

    reason: str
    error: DecodeError | None = None
    cut: ToolCall | None = None
    stop: str | None = None
    confidence: float | None = None
    choice: int = field(default=0, repr=False)


@dataclass(frozen=True, slots=True)
class TextBoundary:
    """The start or end of a text block."""


@dataclass(frozen=True, slots=True)
class CallBoundary(_OfCall):
    """The end of a call in a server's answer."""

    index: int
    choice: int = field(default=0, repr=False)


@dataclass(frozen=True, slots=True)
class OtherDelta:
    """Content that is neither text, a thought nor a call, such as a refusal."""

    text: str = ""
    choice: int = field(default=0, repr=False)
    odd_call: Any = field(default=None, repr=False)  # a call to something other than a function


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """The signal that the answer is complete, so that the stream may end."""


@dataclass(frozen=True, slots=True)
class OpaqueDelta:
    """A block or item (or its start) of a type that only the client's own API has."""

    value: Mapping[str, Any]
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class MendedCall:
    """A report that a call was mended (`lton.lenient.mend_call`).

    `given` is the call as the server returned it.
    """

    given: ToolCall
    repairs: tuple[Repair, ...]
    choice: int = field(default=0, repr=False)


@dataclass(frozen=True, slots=True)
class ExtraCall:
    """A call that was omitted because the request allows only one call."""

    call: ToolCall
    choice: int = field(default=0, repr=False)


@dataclass(frozen=True, slots=True)
class BrokenCall:
    """A report of a native call whose arguments are not JSON. The call is not delivered.

    `reason` is the reason for which the answer ended: a limit may have cut the call off.
    """

    call: ToolCall
    reason: str
    choice: int = field(default=0, repr=False)


@dataclass(frozen=True, slots=True)
class MissingCall:
    """A report that an answer lacks the call that its request requires."""

    names: tuple[str, ...]  # the tools of which one must be called
    choice: int = field(default=0, repr=False)


Enforcement: TypeAlias = MendedCall | ExtraCall | BrokenCall | MissingCall
_Shared: TypeAlias = ContentDelta | ThoughtDelta | ToolCallStart | ArgumentsDelta | Finish
Delta: TypeAlias = (
    _Shared
    | ToolCallEnd
    | RepeatedCall
    | ImitatedAnswer
    | CallInThought
    | UnconfirmedCall
    | DeclinedCall
    | LoopingCall
    | OpaqueDelta
    | Enforcement
)
ApiDelta: TypeAlias = _Shared | TextBoundary | CallBoundary | OtherDelta | StreamEnd
"""The content of an API's event, with the finish reasons of chat completions."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply.

    `calls` are complete. `cut` is a call that was cut off or could not be read. Never run it. Its
    arguments are not JSON. After lenient reading they are the text of the call, and its name may be
    missing. `error` is the reason why reading stopped, and `rest` is the text from the start of
    that call. `found` is the report of lenient reading. `left_out` contains the repeated calls and
    imitated answers, which are in no other field.
    """

    content: str = ""
    thoughts: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    error: DecodeError | None = None
    cut: ToolCall | None = None
    rest: str = ""
    found: LenientResult | None = None
    left_out: tuple[LeftOut, ...] = ()

    def to_message(self) -> Message:
        """Return the reply as a message, without any incomplete call."""
        thoughts = (Thought(self.thoughts),) if self.thoughts else ()
        content = (Text(self.content),) if self.content else ()
        parts: tuple[Part, ...] = (*thoughts, *content, *self.calls)
        return Message("assistant", parts)


class WhitespaceTrimmer:
    """Strips leading and trailing white space from blocks of text that arrive in pieces.

    A line feed separates a block from the one before.
    """

    def __init__(self, chars: str | None = None) -> None:
        self._chars = chars
        self._held: list[str] = []
        self._has_begun = False
        self._separator = ""

    @property
    def has_pending(self) -> bool:
        """Whether white space is held back."""
        return any(self._held)

    def feed(self, text: str) -> str:
        """Add text and return the new text. Trailing white space waits for more text."""
        trimmed = text.rstrip(self._chars)
        if not trimmed:
            self._held.append(text)
            return ""
        space = "".join(self._held)
        self._held = [text[len(trimmed) :]]
        if self._has_begun:
            return space + trimmed
        self._has_begun = True
        separator = self._separator
        self._separator = "\n"
        return separator + trimmed.lstrip(self._chars)

    def take_prose(self, count: int) -> str:
        """Remove at most `count` characters from the start of the held white space."""
        space = "".join(self._held)
        self._held = [space[count:]]
        return space[:count]

    def flush(self) -> str:
        """End a block of text. Its trailing white space is dropped, so nothing is returned."""
        self._has_begun = False
        self._held = []
        return ""


class DeltaBuilder:
    """Converts decoder events to deltas, and collects the reply. It holds nothing back."""

    def __init__(self, call_id: Callable[[], str]) -> None:
        self._call_id = call_id
        self._content: list[str] = []
        self._thoughts: list[str] = []
        self._calls: list[ToolCall] = []
        self._left_out: list[LeftOut] = []
        self._content_trimmer = WhitespaceTrimmer("\r\n")
        self._thought_trimmer = WhitespaceTrimmer()
        self.index = -1
        # The open call: its start, its arguments, and its open string.
        self._open: ToolCallStart | None = None
        self._json: list[str] = []
        self._string: str | None = None
        self._is_first = True

    def feed_all(self, events: Iterable[Event | LeftOut]) -> list[Delta]:
        """Return the deltas of several events."""
        return [delta for event in events for delta in self.feed(event)]

    def feed(self, event: Event | LeftOut) -> Iterator[Delta]:
        """Yield the deltas of an event."""
        match event:
            case Prose(text):
                if content := self._content_trimmer.feed(text):
                    self._content.append(content)
                    yield ContentDelta(content)
            case Thinking(text, complete):
                if thought := self._thought_trimmer.feed(text):
                    self._thoughts.append(thought)
                    yield ThoughtDelta(thought)
                if complete:
                    self._thought_trimmer.flush()
            case RepeatedCall() | ImitatedAnswer():
                self._left_out.append(event)
                yield event
            case _:
                yield from self._iterate_call_deltas(event)

    def _iterate_call_deltas(self, event: Event) -> Iterator[Delta]:
        match event:
            case CallStart(name):
                self.index += 1
                self._open = ToolCallStart(self.index, self._call_id(), name)
                self._json = []
                self._is_first = True
                yield self._open
                yield self._write_arguments("{")
            case ArgumentDelta((str(name),), text):
                opening = "" if self._string == name else f'{self._write_key(name)}"'
                self._string = name
                yield self._write_arguments(opening + _dump_json(text)[1:-1])
            case Argument(name, value):
                is_open, self._string = self._string == name, None
                yield self._write_arguments(
                    '"' if is_open else self._write_key(name) + _dump_json(value)
                )
            case CallEnd():
                yield self._write_arguments("}")
                yield self._end_call()
            case Answer() | ArgumentDelta():
                pass

    def build_reply(self, finish: Finish, tail: str, result: LenientResult | None) -> Reply:
        content = "".join(self._content)
        thoughts = "".join(self._thoughts)
        calls = tuple(self._calls)
        left_out = tuple(self._left_out)
        end = finish.reason, finish.error, finish.cut
        return Reply(content, thoughts, calls, *end, tail, result, left_out)

    @property
    def cut(self) -> ToolCall | None:
        return None if self._open is None else self._make_call(self._open)

    def _write_key(self, name: str) -> str:
        comma = "" if self._is_first else ","
        self._is_first = False
        return f"{comma}{_dump_json(name)}:"

    def _write_arguments(self, json: str) -> ArgumentsDelta:
        self._json.append(json)
        return ArgumentsDelta(self.index, json)

    def _end_call(self) -> ToolCallEnd:
        assert self._open is not None  # a call has begun before it ends
        call = self._make_call(self._open)
        self._calls.append(call)
        self._open = None
        return ToolCallEnd(self.index, call)

    def _make_call(self, start: ToolCallStart) -> ToolCall:
        return ToolCall(start.name, "".join(self._json), start.id)


def _dump_json(value: JSON) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
