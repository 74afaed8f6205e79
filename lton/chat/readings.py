"""Read a streamed reply with either the strict or the lenient reader."""

from collections.abc import Container, Iterable, Iterator
from functools import partial
from typing import TypeAlias

from lton._patterns import compiled_when_used
from lton._syntax import ANSWERS, Marks
from lton.chat.deltas import WhitespaceTrimmer
from lton.chat.records import ToolCall
from lton.chat.repeats import ImitatedAnswer, LeftOut
from lton.chat.stops import find_stop
from lton.codec import Decoder, decode
from lton.codec._thoughts import FirstThought
from lton.errors import Code, DecodeError, RepairCode
from lton.events import Argument, CallEnd, CallStart, Event, Prose, Thinking
from lton.lenient import LenientResult, Plain, decode_lenient
from lton.lenient.evidence import find_marks_before, is_only_marks
from lton.schema.toolset import ToolSet
from lton.schema.types import Call

ANSWER_MARKS = tuple(mark.rstrip(": ") for mark in ANSWERS)


def iterate_call_events(call: Call) -> Iterator[Event]:
    """Yield the events that a decoder reports for a complete call."""
    yield CallStart(call.name)
    yield from (Argument(*pair) for pair in call.arguments.items())
    yield CallEnd(call)


class Strict:
    """Reads a reply strictly, as `Decoder` does. A reply of only calls may end with blank lines."""

    found: LenientResult | None = None
    cut: ToolCall | None = None
    stop = ""

    def __init__(self, tools: ToolSet | None, marks: Marks | None, *, prose: bool) -> None:
        self._tools = tools
        self._closing = marks[1] if marks else ""
        self._decoder = Decoder(tools, prose=prose, deltas=True, thoughts=marks or False)
        self._prose = prose
        self._pieces: list[str] = []
        self._trimmer = WhitespaceTrimmer("\r\n")
        self._broken_at = 0
        self._is_imitated = False
        self.error: DecodeError | None = None

    def feed(self, text: str) -> list[Event]:
        if self._prose:
            return self._read_events(text)
        events = self._read_events(self._trimmer.feed(text))
        if missing := self._decoder.missing:  # the line ends are inside a counted string
            events += self._read_events(self._trimmer.take_prose(missing))
        return events

    def _read_events(self, text: str) -> list[Event]:
        self._pieces.append(text)
        return self._decode_events(text)

    def flush(self, *, ended: bool | None = True) -> Iterator[Event | LeftOut]:
        if self._decoder.is_in_thought:  # a thought may have no end
            self._decoder.feed(self._closing)
        elif ended is not False:
            self._decoder.close()
        elif self._trimmer.has_pending:  # the end of the line ends the call
            self._decoder.feed("\n")
        yield from self._decode_events()
        if self.error:
            unread = self.unread
            if self._prose and unread.startswith(ANSWERS):
                self._is_imitated = True
                yield ImitatedAnswer(unread)
            self._explain_error(unread)

    def _explain_error(self, frame: str) -> None:
        """Decode the whole frame again, because this gives a more precise error (R-803).

        A frame that repeats the name of an earlier call cannot be decoded alone.
        """
        try:
            decode(frame, self._tools)
        except DecodeError as error:
            if error.code is not Code.REPEAT:
                self.error = error

    def _decode_events(self, text: str = "") -> list[Event]:
        events: list[Event] = []
        if text:
            self._decoder.feed(text)
        try:
            events.extend(self._decoder)
        except DecodeError as error:
            if self.error is None:
                self.error = error
                self._broken_at = error.start
        return events

    @property
    def unread(self) -> str:
        """The text from an invalid frame on, unless it imitates an answer."""
        if not self.error or self._is_imitated:
            return ""
        return "".join(self._pieces)[self._broken_at :]

    @property
    def held(self) -> str:
        return ""


_MARK = compiled_when_used(r"\s*(<[^<>\n]{1,80}>)")


def _after_marks(text: str, end: int, marks: Container[int]) -> int:
    """Return the position after the closing marks of a call, even if the last mark is repeated."""
    last = ""
    while (mark := _MARK.match(text, end)) and (mark.start(1) in marks or mark[1] == last):
        last = mark[1]
        end = mark.end()
    return end


def iterate_text_outside_calls(
    text: str, result: LenientResult, pos: int = 0
) -> Iterator[Event | LeftOut]:
    """Yield the prose of a text outside of its calls, and imitated answers, from `pos` on.

    Marks around calls are not prose.
    """
    marks = {repair.pos for repair in result.repairs if repair.code == RepairCode.FRAME}
    for start, end in result.called:
        if pos < start:
            yield Prose(text[pos : find_marks_before(text, pos, start) if result.calls else start])
        frame = text[max(start, pos) : end].strip()
        if frame.startswith(ANSWER_MARKS):
            yield ImitatedAnswer(frame)
        pos = _after_marks(text, end, marks)
    if not (result.calls and is_only_marks(text, pos, len(text), before_call=False)):
        yield Prose(text[pos:])


def find_first_error(result: LenientResult) -> DecodeError | None:
    """Return the error of the first call that could not be read."""
    return next((error for error in result.errors if error.code != Code.FRAME), None)


class Lenient:
    """Passes on text that cannot be part of a call, and reads the rest when the reply ends."""

    error: DecodeError | None = None
    cut: ToolCall | None = None  # a call that a limit cut off before its first event
    stop = ""  # the stop sequence that ended the text that is read at the end
    stop_overlap = 0  # its characters that were reported as prose before

    def __init__(
        self,
        tools: ToolSet | None,
        marks: Marks | None,
        stops: tuple[str, ...] = (),
        *,
        syntax: str | Iterable[str],
        seen: Iterable[str],
    ) -> None:
        self._tools = tools
        self._stops = stops
        self._decode = partial(decode_lenient, syntax=syntax, seen=tuple(seen))
        self._thought = FirstThought(marks) if marks else None
        self._plain = Plain(tools)
        self._pieces: list[str] = []
        self._reported = 0
        self.found: LenientResult | None = None

    def feed(self, text: str) -> list[Event]:
        if self._thought is None:
            return self._read_prose(text)
        return [*self._iterate_events_after_thought(self._thought.feed(text))]

    def _iterate_events_after_thought(self, events: Iterable[Thinking | Prose]) -> Iterator[Event]:
        for event in events:
            if isinstance(event, Prose):
                yield from self._read_prose(event.text)
            else:
                yield event

    def _read_prose(self, text: str) -> list[Event]:
        self._pieces.append(text)
        plain = self._plain.feed(text)
        self._reported += len(plain)
        return [Prose(plain)] if plain else []

    def flush(self, *, ended: bool | None = True) -> Iterator[Event | LeftOut]:
        if self._thought:
            yield from self._iterate_events_after_thought(self._thought.flush())
        text = "".join(self._pieces)
        # If the answer was cut off, its last call is omitted below.
        result = self._decode(text, self._tools, ended=None if ended is None else True)
        if stopped := find_stop(text, self._stops, result.called):
            # Read what comes before, as if the server had stopped there.
            at, self.stop = stopped
            self.stop_overlap = max(0, self._reported - at)
            text = text[:at]
            result = self._decode(text, self._tools, ended=True)
        elif ended is False and result.called and self._may_be_cut(text, *result.called[-1]):
            # The last call may be incomplete, and repairs could turn it into a different call.
            text, cut = text[: result.called[-1][0]], text[result.called[-1][0] :]
            read, result = result.calls, self._decode(text, self._tools)
            name = "".join(call.name for call in read[len(result.calls) :][-1:])
            self.cut = ToolCall(name, cut.rstrip(" \n}]"))  # without its end it is not valid JSON
        self.found = result
        self.error = find_first_error(result)
        yield from iterate_text_outside_calls(text, result, self._reported)
        for call in result.calls:
            yield from iterate_call_events(call)

    def _may_be_cut(self, text: str, start: int, end: int) -> bool:
        """Return whether the last call of a text that a limit ended may be incomplete.

        A call in LTON is complete at the end of its line.
        """
        if end < len(text.rstrip()):
            return False
        if not text.endswith("\n"):
            return True
        try:
            decode(text[start:end].strip(), self._tools)
        except DecodeError:
            return True
        return False

    @property
    def unread(self) -> str:
        return ""

    @property
    def held(self) -> str:
        return "".join(self._pieces)[self._reported :]


Reading: TypeAlias = Strict | Lenient
