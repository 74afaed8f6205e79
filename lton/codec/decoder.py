"""Text in chunks to events, as early as they are certain (§8). No input and output."""

from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial
from io import StringIO

from lton._syntax import LINE, MAX_CALL, SIGILS
from lton.codec._compiled_reader import LineReader
from lton.codec._reader import Reader
from lton.codec._source import Reading
from lton.errors import Code, DecodeError, IncompleteError
from lton.events import Answer, Argument, CallEnd, CallStart, Event, Prose
from lton.schema.toolset import ToolSet
from lton.schema.types import Call

_AT_ONCE = 4096
"""Calls in so many characters are read at once, before their events are told."""


_argument = partial(tuple.__new__, Argument)
"""Makes an `Argument` of a name and a value: `Argument._make`, in half the time."""


class Decoder:
    """Reads a text that is still being written. Feed it chunks, ask it for events.

    Any way to cut a text gives the same events (R-70) and the same error. An error comes with the
    first character that no continuation makes right (R-71): it is the one that `decode` raises
    for the text up to that character, and it is final. Its `doc` ends with that character.

    With `prose` lines that do not begin with a sigil are no calls, and are handed on. A call of
    more than `max_call` characters is refused (E303): what has been read of a call is kept until
    it ends, and nothing else is.

    >>> from lton.schema.toolset import ToolSet
    >>> tools = ToolSet.from_tools([{"name": "wait", "parameters": {"type": "object",
    ...     "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]}}])
    >>> decoder = Decoder(tools)
    >>> for chunk in ["wa", "it ", "5", "0"]:
    ...     decoder.feed(chunk)
    ...     print(list(decoder))
    []
    [CallStart(name='wait')]
    []
    []
    >>> decoder.close()
    >>> decoder.next_event()
    Argument(name='minutes', value=50)
    """

    def __init__(
        self, tools: ToolSet | None = None, *, prose: bool = False, max_call: int = MAX_CALL
    ) -> None:
        self._named = None if tools is None or not tools.aliases else tools
        tools = tools and tools.spoken
        self._prose = prose
        self._max_call = max_call
        self._reader = Reader(tools)
        self._lines = None if tools is None or prose else LineReader.of(tools)
        self._frames = self._read(self._reader)
        self._chunks: list[str] = []
        self._is_closed = False
        self._is_waiting = False
        self._error: DecodeError | None = None
        # The text from the beginning of the frame on, for the error: where it begins in the
        # whole, and on which line.
        self._kept = StringIO()
        self._kept_at = 0
        self._kept_line = 1
        self._frame_at = 0
        self._above: Call | None = None

    def feed(self, chunk: str) -> None:
        """Take the next piece of the text; none behind an error. `ValueError` if it was closed."""
        if self._is_closed:
            raise ValueError("expected no text behind the end, found a chunk")
        if self._error is None:
            self._chunks.append(chunk)

    def close(self) -> None:
        """Say that the text has ended."""
        self._is_closed = True

    def next_event(self) -> Event | None:
        """Get the next event; None if it is not certain yet, or the text has ended.

        Raises `DecodeError` for what is wrong, and again whenever it is asked for more.
        """
        if self._error:
            raise self._error
        while True:
            if self._is_waiting and not self._take():
                return None
            try:
                event = next(self._frames)
            except StopIteration:
                return None
            except DecodeError as error:
                raise self._fail(error) from None
            self._is_waiting = event is None
            if event is not None:
                if self._reader.at > self._frame_at + self._max_call:
                    raise self._set(self._too_long())
                return event if self._named is None else self._with_own_name(event, self._named)

    @staticmethod
    def _with_own_name(event: Event, tools: ToolSet) -> Event:
        match event:
            case CallStart(name):
                return CallStart(tools.own_name(name))
            case CallEnd(call):
                return CallEnd(replace(call, name=tools.own_name(call.name)))
            case Answer(result):
                return Answer(replace(result, name=tools.own_name(result.name)))
        return event

    def __iter__(self) -> Iterator[Event]:
        """Get the events that are certain now."""
        while (event := self.next_event()) is not None:
            yield event

    # --- text -----------------------------------------------------------------------------------

    def _take(self) -> bool:
        """Give the reader what there is; say if there was something."""
        reader = self._reader
        if self._chunks:
            text = "".join(self._chunks)
            self._chunks.clear()
            self._forget()
            self._kept.write(text)
            reader.feed(text)
            return True
        if reader.base + len(reader.text) > self._frame_at + self._max_call:
            raise self._set(self._too_long())
        if self._is_closed and not reader.ended:
            reader.ended = True
            return True
        return False

    def _forget(self) -> None:
        """Drop the text of the frames that are complete."""
        if self._frame_at > self._kept_at:
            text, behind = self._kept.getvalue(), self._frame_at - self._kept_at
            self._kept_line += text.count("\n", 0, behind)
            self._kept_at = self._frame_at
            self._kept = StringIO()
            self._kept.write(text[behind:])

    def _read(self, reader: Reader) -> Generator[Event | None, None, None]:
        while (yield from reader.peek()):
            self._frame_at = reader.at
            self._above = reader.above
            reader.stop = self._frame_at + self._max_call
            if calls := self._whole_lines(reader):
                for call in calls:
                    yield CallStart(call.name)
                    yield from map(_argument, call.arguments.items())
                    yield CallEnd(call)
            elif self._prose and not (yield from _begins_frame(reader)):
                yield Prose((yield from _line(reader)))
            else:
                yield from reader.frame()

    def _whole_lines(self, reader: Reader) -> list[Call]:
        """Read some of the calls of which the whole line is here, as far as they are easy."""
        if self._lines is None:
            return []
        text, pos = reader.text, reader.pos
        end = text.find("\n", pos, pos + self._max_call)
        if end < 0:
            return []
        end = max(end, text.rfind("\n", pos, pos + min(_AT_ONCE, self._max_call)))
        calls = [] if reader.above is None else [reader.above]
        reader.pos = self._lines.read(text, pos, end + 1, calls)
        if reader.above is not None:
            del calls[0]
        if calls:
            reader.above = calls[-1]
        return calls

    # --- errors ---------------------------------------------------------------------------------

    def _too_long(self) -> DecodeError:
        msg = f"a call of more than {self._max_call} characters"
        doc = self._doc()[: self._max_call + 1]
        return self._placed(DecodeError(Code.CALL_SIZE, msg, doc=doc, pos=0))

    def _fail(self, error: DecodeError) -> DecodeError:
        """Get the error of the shortest part of the text that nothing makes right (R-71).

        The reader saw as much as there was: more than that part, or less than `decode` would.
        """
        doc = self._doc()
        seen = max(self._reader.at, error.pos) - self._kept_at + len(max(SIGILS, key=len))
        end = self._dead_end(doc, seen)
        if end is None:
            return self._set(self._placed(self._own_error(doc)))
        if end > self._max_call + 1:
            return self._set(self._too_long())
        error = self._own_error(doc[:end])
        if isinstance(error, IncompleteError):
            msg = "no text that goes on from here is right"
            error = DecodeError(Code.SYNTAX, msg, doc=error.doc, pos=end - 1, path=error.path)
        return self._set(self._placed(error))

    def _dead_end(self, doc: str, seen: int) -> int | None:
        """Get the length of the shortest part that nothing makes right; None if there is none."""
        dead = min(seen, len(doc))
        if not self._is_dead(doc[:dead]):
            return None
        alive, step = dead, 1
        while alive and self._is_dead(doc[:alive]):  # it is most often near: look there first
            dead, alive, step = alive, max(0, alive - step), 2 * step
        while dead - alive > 1:
            middle = (dead + alive) // 2
            if self._is_dead(doc[:middle]):
                dead = middle
            else:
                alive = middle
        return dead

    def _is_dead(self, text: str) -> bool:
        try:
            any(event is None for event in self._reread(text, ended=False))  # until it waits
        except DecodeError:
            return True
        return False

    def _own_error(self, text: str) -> DecodeError:
        try:
            deque(self._reread(text, ended=True), maxlen=0)
        except DecodeError as error:
            own = error  # there is one: nothing makes the text right
        return own

    def _reread(self, text: str, *, ended: bool) -> Reading[None]:
        reader = Reader(self._reader.tools, text, ended=ended, above=self._above)
        reader.stop = self._max_call
        return reader.frame()

    def _doc(self) -> str:
        self._forget()
        return self._kept.getvalue()

    def _placed(self, error: DecodeError) -> DecodeError:
        error.pos += self._kept_at
        error.start = self._kept_at
        error.first_line = self._kept_line
        return error

    def _set(self, error: DecodeError) -> DecodeError:
        self._error = error
        return error


def _begins_frame(reader: Reader) -> Reading[bool]:
    """R-45: in a text of calls and prose a frame begins with its sigil."""
    ahead = 0
    while True:
        found = reader.text[reader.pos : reader.pos + ahead]
        if found in SIGILS or not any(sigil.startswith(found) for sigil in SIGILS):
            return found in SIGILS
        if not (yield from reader.peek(ahead)):
            return False
        ahead += 1


def _line(reader: Reader) -> Reading[str]:
    line = yield from reader.run(LINE)
    end = yield from reader.peek()
    reader.pos += len(end)
    return line + end
