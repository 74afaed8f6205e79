"""What a model writes, whole or in chunks, as content, thoughts and calls. No input and output."""

import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from lton.chat.records import Message, Part, Text, Thought, ToolCall
from lton.codec import Decoder, decode
from lton.errors import Code, DecodeError
from lton.events import Answer, Argument, ArgumentDelta, CallEnd, CallStart, Event, Prose
from lton.lenient import LenientResult, Plain, decode_lenient
from lton.schema.toolset import ToolSet
from lton.schema.types import JSON

_ENDS = ("stop", "tool_calls", "function_call", None)
"""What a server says of a text that the model has ended."""
THINK = ("<think>", "</think>")
"""What most models write around a thought."""


@dataclass(frozen=True, slots=True)
class ContentDelta:
    """More of what the model says; never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """More of what the model thinks; never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallStart:
    """A call begins. Calls count from 0, and none begins before the one above has ended."""

    index: int
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ArgumentsDelta:
    """More of the arguments of a call: all pieces together are an object in JSON.

    What closes the object comes only when the call is complete, so that the pieces of any other
    are no JSON.
    """

    index: int
    json: str


@dataclass(frozen=True, slots=True)
class ToolCallEnd:
    """A call is complete; its arguments are the pieces together."""

    index: int
    call: ToolCall


@dataclass(frozen=True, slots=True)
class Finish:
    """The reply has ended: why, and what in it could not be read."""

    reason: str
    error: DecodeError | None = None


Delta: TypeAlias = (
    ContentDelta | ThoughtDelta | ToolCallStart | ArgumentsDelta | ToolCallEnd | Finish
)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    `calls` are complete, each with its arguments in JSON. `cut` is a call that began, and was cut
    off or could not be read on: its arguments are no JSON, and it must not be run. `error` says
    what could not be read, and `rest` is the text from there, from the beginning of its call.
    `found` is what lenient reading reports.
    """

    content: str = ""
    thoughts: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    error: DecodeError | None = None
    cut: ToolCall | None = None
    rest: str = ""
    found: LenientResult | None = None

    def message(self) -> Message:
        """Get the reply as a message, without a call that is not complete."""
        thoughts = (Thought(self.thoughts),) if self.thoughts else ()
        content = (Text(self.content),) if self.content else ()
        parts: tuple[Part, ...] = (*thoughts, *content, *self.calls)
        return Message("assistant", parts)


def new_call_id() -> str:
    """Get an id for a call, as OpenAI's look: random, so that no two of a conversation agree."""
    return f"call_{secrets.token_hex(12)}"


def read(
    text: str,
    tools: ToolSet | None,
    *,
    reason: str | None = "stop",
    prose: bool = True,
    lenient: bool = False,
    thoughts: tuple[str, str] | None = THINK,
    in_thought: bool = False,
    call_id: Callable[[], str] = new_call_id,
) -> Reply:
    r"""Get what a whole text says, as a `Reader` reads it; `reason` is why it ended.

    >>> tools = ToolSet.from_prompt("wait(minutes:int)")
    >>> reply = read("Sure.\n!call wait(minutes=5)", tools, call_id=lambda: "call_1")
    >>> reply.content, reply.calls[0].written, reply.finish_reason
    ('Sure.', '{"minutes":5}', 'tool_calls')
    """
    reader = Reader(
        tools,
        prose=prose,
        lenient=lenient,
        thoughts=thoughts,
        in_thought=in_thought,
        call_id=call_id,
    )
    reader.feed(text)
    reader.close(reason)
    return reader.reply


class Reader:
    r"""Reads a reply that is still being written: feed it chunks, each gives its deltas.

    Any way to cut a text gives the same reply, and the same deltas but for where content, thoughts
    and arguments are cut. It raises nothing, whatever the text.

    With `prose` calls begin with `!call `, and all other lines are content; without, the text is
    calls alone. It is read strictly, as a model writes under a grammar. A frame that is wrong ends
    the reading: what was complete before stays, and the last delta has the error. With `lenient`
    the text is read as `decode_lenient` reads it, in its safe mode: for models without grammars.
    Content comes at once as long as no call can have begun, all else at the end.

    A thought is what the text begins with, if it begins with the first of the marks `thoughts`, or
    if the prompt did (`in_thought`), up to the second: nothing in it is a call. Line ends between
    thoughts, content and calls only separate these, and are left out. An answer to a call
    (`!result`) is the tools' to write: one that the model writes is neither content nor a call.

    >>> reader = Reader(ToolSet.from_prompt("wait(minutes:int)"), call_id=lambda: "call_1")
    >>> for delta in [*reader.feed("Sure.\n!call wa"), *reader.feed("it(minutes=5)")]:
    ...     print(delta)
    ContentDelta(text='Sure.')
    ToolCallStart(index=0, id='call_1', name='wait')
    ArgumentsDelta(index=0, json='{')
    ArgumentsDelta(index=0, json='"minutes":5')
    >>> for delta in reader.close():
    ...     print(delta)
    ArgumentsDelta(index=0, json='}')
    ToolCallEnd(index=0, call=ToolCall(name='wait', given='{"minutes":5}', id='call_1', ...
    Finish(reason='tool_calls', error=None)
    """

    def __init__(
        self,
        tools: ToolSet | None,
        *,
        prose: bool = True,
        lenient: bool = False,
        thoughts: tuple[str, str] | None = THINK,
        in_thought: bool = False,
        call_id: Callable[[], str] = new_call_id,
    ) -> None:
        self._thoughts = _Thoughts(thoughts, within=in_thought)
        self._body: _Body = _Lenient(tools) if lenient else _Strict(tools, prose=prose)
        self._maker = _Maker(call_id)
        self._reply: Reply | None = None

    def feed(self, chunk: str) -> list[Delta]:
        """Take the next piece of the text; get what is certain. `ValueError` if it was closed."""
        if self._reply is not None:
            raise ValueError("expected no text behind the end, found a chunk")
        return list(self._deltas(self._thoughts.feed(chunk)))

    def close(self, reason: str | None = "stop") -> list[Delta]:
        """Say that the text has ended, and why: get what was held back, and a `Finish`.

        `reason` is what the server says. If that is "length", a call at the very end is not
        complete, whatever it looks like. The reason of the `Finish` is "tool_calls" instead of
        "stop" if a call has begun; others stay.
        """
        if self._reply is not None:
            raise ValueError("expected no second end")
        was_cut = reason == "length"
        deltas = list(self._deltas(self._thoughts.close()))
        for event in self._body.close(was_cut=was_cut):
            deltas += self._maker.deltas(event)
        if reason in _ENDS:
            reason = "tool_calls" if self._maker.index >= 0 else "stop"
        finish = Finish(reason or "stop", self._body.error)
        self._reply = self._maker.reply(finish, self._body)
        return [*deltas, finish]

    @property
    def error(self) -> DecodeError | None:
        """What could not be read so far: nothing behind it will be."""
        return self._body.error

    @property
    def reply(self) -> Reply:
        """The whole reply. `ValueError` before the end."""
        if self._reply is None:
            raise ValueError("expected the end of the text first")
        return self._reply

    def _deltas(self, pieces: Iterator[tuple[bool, str]]) -> Iterator[Delta]:
        for is_thought, text in pieces:
            if is_thought:
                yield self._maker.thought(text)
            else:
                for event in self._body.feed(text):
                    yield from self._maker.deltas(event)


# --- thoughts -----------------------------------------------------------------------------------


class _Space:
    """Holds white space back until more text follows, and leaves it out before all text."""

    def __init__(self, chars: str | None = None) -> None:
        self._chars = chars
        self._held: list[str] = []
        self._has_begun = False

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
        return said.lstrip(self._chars)


class _Thoughts:
    """Parts a text in what it begins by thinking and the rest.

    White space around a thought, and line ends at the beginning, are left out.
    """

    def __init__(self, marks: tuple[str, str] | None, *, within: bool) -> None:
        self._opening, self._closing = marks or ("", "")
        self._state = "body" if marks is None else "start"
        self._within = within
        self._has_body = False
        self._space = _Space()
        self._held = ""

    def feed(self, chunk: str) -> Iterator[tuple[bool, str]]:
        """Get pieces, and of each whether it is a thought."""
        text, self._held = self._held + chunk, ""
        if self._state == "start":
            text = self._begin(text)
        if self._state == "thought":
            thought, text = self._think(text)
            if thought:
                yield True, thought
        if self._state == "body":
            text = text if self._has_body else text.lstrip("\r\n")
            if text:
                self._has_body = True
                yield False, text

    def _begin(self, text: str) -> str:
        """Leave the start, if it is clear what begins; get the text from there."""
        begun = text.lstrip()
        if begun.startswith(self._opening):
            self._state = "thought"
            return begun.removeprefix(self._opening)
        if self._opening.startswith(begun):
            self._held = begun
            return ""
        self._state = "thought" if self._within else "body"
        return begun

    def _think(self, text: str) -> tuple[str, str]:
        """Get more of a thought, and what follows it."""
        thought, mark, rest = text.partition(self._closing)
        if mark:
            self._state = "body"
        else:
            self._held = _held_back(thought, self._closing)
        return self._space.around(thought.removesuffix(self._held)), rest

    def close(self) -> Iterator[tuple[bool, str]]:
        """Get what was held back."""
        is_thought = self._state == "thought" or (self._state == "start" and self._within)
        if held := self._space.around(self._held) if is_thought else self._held:
            yield is_thought, held


def _held_back(text: str, mark: str) -> str:
    """Get the longest end of a text that the mark begins with."""
    for size in range(min(len(text), len(mark) - 1), 0, -1):
        if mark.startswith(text[-size:]):
            return text[-size:]
    return ""


# --- what follows them ---------------------------------------------------------------------------


class _Body(Protocol):
    """Reads what is no thought."""

    error: DecodeError | None
    found: LenientResult | None

    def feed(self, text: str) -> Iterator[Event]: ...

    def close(self, *, was_cut: bool) -> Iterator[Event]: ...

    @property
    def rest(self) -> str: ...


class _Strict:
    """Reads as `Decoder` does; what is calls alone, without blank lines at the end."""

    found: LenientResult | None = None

    def __init__(self, tools: ToolSet | None, *, prose: bool) -> None:
        self._tools = tools
        self._decoder = Decoder(tools, prose=prose, deltas=True)
        self._prose = prose
        self._pieces: list[str] = []
        self._space = _Space("\r\n")
        self._broken_at = 0
        self.error: DecodeError | None = None

    def feed(self, text: str) -> Iterator[Event]:
        text = text if self._prose else self._space.around(text)
        self._decoder.feed(text)
        self._pieces.append(text)
        yield from self._events()

    def close(self, *, was_cut: bool) -> Iterator[Event]:
        if not was_cut:
            self._decoder.close()
        elif self._space.holds:  # the line has ended, and with it the call
            self._decoder.feed("\n")
        yield from self._events()
        if self.error:
            self._explain()

    def _explain(self) -> None:
        """Take the error of the whole frame, which says more than that of its beginning (R-803)."""
        try:
            decode(self.rest, self._tools)
        except DecodeError as found:
            self.error = found

    def _events(self) -> Iterator[Event]:
        try:
            yield from self._decoder
        except DecodeError as error:
            if self.error is None:
                self.error, self._broken_at = error, error.start

    @property
    def rest(self) -> str:
        return "".join(self._pieces)[self._broken_at :] if self.error else ""


class _Lenient:
    """Reads as `decode_lenient` does, when all has come; before, what cannot be a call."""

    error: DecodeError | None = None

    def __init__(self, tools: ToolSet | None) -> None:
        self._tools = tools
        self._plain = Plain(tools)
        self._pieces: list[str] = []
        self._told = 0
        self.found: LenientResult | None = None

    def feed(self, text: str) -> Iterator[Event]:
        self._pieces.append(text)
        if plain := self._plain.feed(text):
            self._told += len(plain)
            yield Prose(plain)

    def close(self, *, was_cut: bool) -> Iterator[Event]:
        text = "".join(self._pieces)
        found = decode_lenient(text, self._tools)
        if was_cut and found.called and found.called[-1][1] >= len(text.rstrip()):
            # The last call may have been longer: repairs could make another one of it.
            text = text[: found.called[-1][0]]
            found = decode_lenient(text, self._tools)
        self.found = found
        self.error = next((one for one in found.errors if one.code != Code.FRAME), None)
        pos = self._told
        for start, end in found.called:
            yield Prose(text[pos:start])
            pos = end
        yield Prose(text[pos:])
        for call in found.calls:
            yield CallStart(call.name)
            yield from (Argument(*each) for each in call.arguments.items())
            yield CallEnd(call)

    @property
    def rest(self) -> str:
        return ""


# --- deltas --------------------------------------------------------------------------------------


class _Maker:
    """Makes deltas of events, and the reply of all of them."""

    def __init__(self, call_id: Callable[[], str]) -> None:
        self._call_id = call_id
        self._content: list[str] = []
        self._thoughts: list[str] = []
        self._calls: list[ToolCall] = []
        self._space = _Space("\r\n")
        self.index = -1
        # Of the call that is being written: its beginning, its arguments, and what is open there.
        self._open: ToolCallStart | None = None
        self._json: list[str] = []
        self._string: str | None = None
        self._is_first = True

    def thought(self, text: str) -> ThoughtDelta:
        self._thoughts.append(text)
        return ThoughtDelta(text)

    def deltas(self, event: Event) -> Iterator[Delta]:
        match event:
            case Prose(text):
                if said := self._space.around(text):
                    self._content.append(said)
                    yield ContentDelta(said)
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

    def reply(self, finish: Finish, body: _Body) -> Reply:
        return Reply(
            "".join(self._content),
            "".join(self._thoughts),
            tuple(self._calls),
            finish.reason,
            finish.error,
            None if self._open is None else self._call(self._open),
            body.rest,
            body.found,
        )

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
