"""What of a reply is certain, piece by piece, and the reply that all pieces come to.

A server's answer is read as the same deltas, with those of `ApiDelta` that only an API knows. There
`choice` says which of several answers is meant, and calls may interleave.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from lton.chat.records import Message, Part, Text, Thought, ToolCall
from lton.chat.repeats import ImitatedAnswer, LeftOut, RepeatedCall
from lton.errors import DecodeError
from lton.events import Answer, Argument, ArgumentDelta, CallEnd, CallStart, Event, Prose, Thinking
from lton.lenient import LenientResult
from lton.schema.types import JSON

CallKey: TypeAlias = tuple[int, int]
"""Which call: the choice, and its place there."""


@dataclass(frozen=True, slots=True)
class ContentDelta:
    """More of what the model says; never empty."""

    text: str
    choice: int = field(default=0, repr=False)


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """More of what the model thinks; empty only around what a server says of it."""

    text: str = ""
    choice: int = field(default=0, repr=False)


@dataclass(frozen=True, slots=True)
class ToolCallStart:
    """A call begins. Calls count from 0, and none begins before the one above has ended."""

    index: int
    id: str
    name: str
    choice: int = field(default=0, repr=False)
    space: str = field(default="", repr=False)
    """The namespace of the tool, in OpenAI's responses."""

    @property
    def key(self) -> CallKey:
        return self.choice, self.index


@dataclass(frozen=True, slots=True)
class ArgumentsDelta:
    """More of the arguments of a call: all pieces together are an object in JSON.

    What closes the object comes only when the call is complete, so that the pieces of any other
    are no JSON.
    """

    index: int
    json: str
    choice: int = field(default=0, repr=False)

    @property
    def key(self) -> CallKey:
        return self.choice, self.index


@dataclass(frozen=True, slots=True)
class ToolCallEnd:
    """A call is complete; its arguments are the pieces together."""

    index: int
    call: ToolCall


@dataclass(frozen=True, slots=True)
class Finish:
    """The reply has ended: why, what in it could not be read, and the call that is not complete.

    `stop` is the text that ended it, if it was one that the request named. `confidence` is how sure
    the model was of its tools, from 0 to 1, where that is known.
    """

    reason: str
    error: DecodeError | None = None
    cut: ToolCall | None = None
    stop: str | None = None
    confidence: float | None = None
    choice: int = field(default=0, repr=False)


@dataclass(frozen=True, slots=True)
class TextBoundary:
    """The start or end marker of a text block: kept or dropped together with the text."""


@dataclass(frozen=True, slots=True)
class CallBoundary:
    """The end marker of a call: nothing more comes of it."""

    index: int
    choice: int = field(default=0, repr=False)

    @property
    def key(self) -> CallKey:
        return self.choice, self.index


@dataclass(frozen=True, slots=True)
class OtherDelta:
    """Whatever else an answer may be: a refusal, which is a text, a sound, a tool of the server."""

    text: str = ""
    choice: int = field(default=0, repr=False)


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """Nothing has to follow: a stream that ends now is whole."""


_Shared: TypeAlias = ContentDelta | ThoughtDelta | ToolCallStart | ArgumentsDelta | Finish
Delta: TypeAlias = _Shared | ToolCallEnd | RepeatedCall | ImitatedAnswer
ApiDelta: TypeAlias = _Shared | TextBoundary | CallBoundary | OtherDelta | StreamEnd
"""What an event of an API says; why it ended is said by the reasons of chat."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    `calls` are complete, each with its arguments in JSON. `cut` is a call that began, and was cut
    off or could not be read on: its arguments are no JSON, and it must not be run; in lenient
    reading they are the text of the call, whose name may be missing. `error` says what could not
    be read, and `rest` is the text from there, from the beginning of its call.
    `found` is what lenient reading reports. `left_out` are calls that were made before, and
    imitated answers of tools: they are in nothing else.
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

    def message(self) -> Message:
        """Get the reply as a message, without a call that is not complete."""
        thoughts = (Thought(self.thoughts),) if self.thoughts else ()
        content = (Text(self.content),) if self.content else ()
        parts: tuple[Part, ...] = (*thoughts, *content, *self.calls)
        return Message("assistant", parts)


class Space:
    """Holds white space back until more text follows, and leaves it out before all text."""

    def __init__(self, chars: str | None = None) -> None:
        self._chars = chars
        self._held: list[str] = []
        self._has_begun = False
        self._before = ""

    @property
    def holds(self) -> bool:
        return any(self._held)

    def around(self, text: str) -> str:
        """Get a text with what was held back before it, and without what is to be now."""
        said = text.rstrip(self._chars)
        if not said:
            self._held.append(text)
            return ""
        before = "".join(self._held)
        self._held = [text[len(said) :]]
        if self._has_begun:
            return before + said
        self._has_begun = True
        before, self._before = self._before, "\n"
        return before + said.lstrip(self._chars)

    def end(self) -> None:
        """End a text: from the next one only a line end separates it."""
        self._has_begun = False
        self._held = []


class Maker:
    """Makes deltas of events, and the reply of all of them."""

    def __init__(self, call_id: Callable[[], str]) -> None:
        self._call_id = call_id
        self._content: list[str] = []
        self._thoughts: list[str] = []
        self._calls: list[ToolCall] = []
        self._left_out: list[LeftOut] = []
        self._content_space, self._thought_space = Space("\r\n"), Space()
        self.index = -1
        # Of the call that is being written: its beginning, its arguments, and what is open there.
        self._open: ToolCallStart | None = None
        self._json: list[str] = []
        self._string: str | None = None
        self._is_first = True

    def made(self, events: Iterable[Event | LeftOut]) -> list[Delta]:
        return [delta for event in events for delta in self._deltas(event)]

    def _deltas(self, event: Event | LeftOut) -> Iterator[Delta]:
        match event:
            case RepeatedCall() | ImitatedAnswer():
                self._left_out.append(event)
                yield event
            case Prose() | Thinking():
                yield from self._said(event)
            case CallStart(name):
                self.index += 1
                self._open = ToolCallStart(self.index, self._call_id(), name)
                self._json, self._is_first = [], True
                yield self._open
                yield self._write("{")
            case ArgumentDelta((str(name),), text):
                opening = "" if self._string == name else f'{self._key(name)}"'
                self._string = name
                yield self._write(opening + _dump(text)[1:-1])
            case Argument(name, value):
                is_open, self._string = self._string == name, None
                yield self._write('"' if is_open else self._key(name) + _dump(value))
            case CallEnd():
                yield self._write("}")
                yield self._end()
            case Answer() | ArgumentDelta():
                pass

    def _said(self, event: Prose | Thinking) -> Iterator[Delta]:
        if isinstance(event, Prose):
            if said := self._content_space.around(event.text):
                self._content.append(said)
                yield ContentDelta(said)
            return
        if said := self._thought_space.around(event.text):
            self._thoughts.append(said)
            yield ThoughtDelta(said)
        if event.complete:
            self._thought_space.end()

    def reply(self, finish: Finish, rest: str, found: LenientResult | None) -> Reply:
        return Reply(
            "".join(self._content),
            "".join(self._thoughts),
            tuple(self._calls),
            finish.reason,
            finish.error,
            finish.cut,
            rest,
            found,
            tuple(self._left_out),
        )

    @property
    def cut(self) -> ToolCall | None:
        """The call that has begun and not ended."""
        return None if self._open is None else self._call(self._open)

    def _key(self, name: str) -> str:
        comma = "" if self._is_first else ","
        self._is_first = False
        return f"{comma}{_dump(name)}:"

    def _write(self, json: str) -> ArgumentsDelta:
        self._json.append(json)
        return ArgumentsDelta(self.index, json)

    def _end(self) -> ToolCallEnd:
        assert self._open is not None  # calls end after they have begun
        call = self._call(self._open)
        self._calls.append(call)
        self._open = None
        return ToolCallEnd(self.index, call)

    def _call(self, start: ToolCallStart) -> ToolCall:
        return ToolCall(start.name, "".join(self._json), start.id)


def _dump(value: JSON) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
