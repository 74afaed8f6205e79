"""Text in chunks to events, as early as they are certain (§8). No input and output.

Theory of operation. A frame is read as `decode` reads it, from a text that is `Open`. Where that
runs out, the reader stops (`More`), and what that was in is kept: the groups
with the values that are certain. When more text has come, reading goes on from there; what came
before in the frame is only kept for an error. A long lexeme is not read again for each chunk: it
says which chunks decide nothing, and those are put aside unread.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from lton._syntax import LINE, MAX_CALL, SIGILS, Thoughts, thought_marks
from lton.codec._fast_reader import read_lines
from lton.codec._frames import Frame, Layouts
from lton.codec._groups import argument, call_end, call_start
from lton.codec._stops import UNREAD, More, Open, Place, Skips, Wrong, go_on
from lton.codec._thoughts import ThoughtReader
from lton.errors import Code, DecodeError
from lton.events import (
    Answer,
    ArgumentDelta,
    CallEnd,
    CallStart,
    Event,
    Prose,
    Thinking,
)
from lton.schema.toolset import ToolSet
from lton.schema.types import Call, Result

_AT_ONCE = 4096
"""Calls in so many characters are read at once, before their events are reported."""


class Decoder:
    r"""Reads a text that is still being written. Feed it chunks, ask it for events.

    Any way to cut a text gives the same events (R-801) and the same error: that of `decode`. It
    comes as soon as the value, the key or the name that is wrong has ended (R-803), and it is
    final. Its `doc` is what has come of the call.

    With `prose` lines that do not begin with a sigil are no calls, and are handed on. A call of
    more than `max_call` characters is refused (E303), and so is such a line of prose or of a
    thought: what has been read of one is kept until it ends, and nothing else is.

    With `deltas` strings are reported as they come: an `ArgumentDelta` is text that is certain to
    be in the string if the call is right. The pieces of a string together are the string, and
    come before its `Argument`. A line of prose or of a thought comes in pieces too, and may be
    longer than `max_call`. All other events are the same, and come as early. Only where the pieces
    are cut depends on the chunks.

    With `thoughts` a text may begin with a thought, between `<think>` and `</think>` or two other
    marks, and in a text with prose each line may: it is handed on, and no call in it is read.
    Where the first mark is "", the text begins in one. `ValueError` for marks that are none.

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
    >>> decoder = Decoder(tools, thoughts=True)
    >>> decoder.feed("<think>wait 5?</think>\n")
    >>> decoder.next_event()
    Thinking(text='wait 5?', complete=True)
    """

    def __init__(
        self,
        tools: ToolSet | None = None,
        *,
        prose: bool = False,
        deltas: bool = False,
        thoughts: Thoughts = False,
        max_call: int = MAX_CALL,
    ) -> None:
        self._named = None if tools is None or not tools.aliases else tools
        tools = tools and tools.spoken
        self._events: deque[Event] = deque()
        self._layouts = Layouts.of(tools)
        self._line_tools = None if prose or deltas else tools
        self._prose = prose
        self._deltas = deltas
        marks = thought_marks(thoughts)
        self._thoughts = marks and ThoughtReader(marks, prose=prose, deltas=deltas)
        self._max_call = max_call
        # What has come and is not taken; and the rest of it, where a call may be too long.
        self._chunks: list[str] = []
        self._rest: deque[str] = deque()
        self._is_closed = False
        self._error: DecodeError | None = None
        # What is read: the text at hand, and where in it the frame begins, or goes on; in which
        # place and with which value. The string that the reader stopped in, if it is reported; and
        # chunks after that text that decide nothing, up to a size of the frame.
        self._text = ""
        self._begin = 0
        self._frame: Frame | None = None
        self._place: Place | None = None
        self._value: Any = UNREAD
        self._told: More | None = None
        self._is_read = True
        self._has_ended = False
        self._skips: Skips = None
        self._until = 0
        self._aside: list[str] = []
        self._held = ""
        self._is_in_prose = False
        # Of the frame: what came before the text at hand and its size; and how much has come.
        self._before: list[str] = []
        self._before_size = 0
        self._size = 0
        # Of the whole text before the frame: its characters and lines. And the call above.
        self._frame_at = 0
        self._line = self._column = 1
        self._above: Call | None = None

    def feed(self, chunk: str) -> None:
        """Take the next piece of the text; none after an error. `ValueError` if it was closed."""
        if self._is_closed:
            raise ValueError("expected no text after the end, found a chunk")
        if self._error is None:
            self._chunks.append(chunk)

    def close(self) -> None:
        """Say that the text has ended."""
        self._is_closed = True

    @property
    def is_in_thought(self) -> bool:
        """Whether a thought has begun, and not ended, in what was reported so far."""
        return self._thoughts is not None and self._thoughts.is_open

    def next_event(self) -> Event | None:
        """Get the next event; None if it is not certain yet, or the text has ended.

        Raises `DecodeError` for what is wrong, and again whenever it is asked for more.
        """
        events = self._events
        while not events:
            if not self._is_read:
                self._step()
            elif self._chunks or self._rest:
                self._take()
            elif self._error:
                raise self._error
            elif not self._is_closed or self._has_ended:
                return None
            else:
                self._end()
        event = events.popleft()
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

    def _take(self) -> None:
        """Take what has come, and put it aside if a lexeme goes on through it."""
        chunks = self._chunks
        if self._rest:
            piece = self._rest.popleft()
        elif len(chunks) == 1:
            piece = chunks.pop()
        else:
            piece = "".join(chunks)
            chunks.clear()
        size = self._size = self._size + len(piece)
        skips = self._skips
        if skips is not None and size <= self._until and skips(piece):
            self._aside.append(piece)
            if self._told is not None:
                self._tell(self._told, piece)
            return
        self._skips = None
        if size > self._max_call + 1:
            piece = self._cut(piece)
        self._text = Open(self._joined() + piece)
        self._is_read = not piece

    def _end(self) -> None:
        """Read what there is as what it is when nothing follows."""
        self._has_ended = True
        self._text = str(self._joined())
        self._is_read = not self._text and self._frame is None and not self.is_in_thought

    def _joined(self) -> str:
        """Get the text at hand, with what was put aside."""
        if not (aside := self._aside):
            return self._text
        text = "".join((self._text, *aside))
        aside.clear()
        return text

    def _cut(self, piece: str) -> str:
        """Get as much of a piece as is read of a frame at most; the rest waits."""
        most = self._max_call + 1
        room = len(piece) - (self._size - most)
        rest = range(room, len(piece), most)
        self._rest.extendleft(piece[i : i + most] for i in reversed(rest))
        self._size = most
        return piece[:room]

    def _step(self) -> None:
        """Read a frame, or as far into it as there is text."""
        text, begin = self._text, self._begin
        if type(text) is Open:
            text.stop = begin + self._max_call - self._before_size
        try:
            if self._frame is None and not self._begins(text):
                return
            frame, pos = go_on(text, begin, self._place, self._value)
        except More as more:
            self._stop(text, more)
        except Wrong as wrong:
            self._fail(wrong)
        else:
            self._complete(text, pos, frame)

    def _begins(self, text: str) -> bool:
        """Read what is read otherwise where a frame may begin; else let one begin."""
        if self._is_done() or self._outside(text):
            self._is_read = self._is_done()
            return False
        self._frame = self._place = Frame(
            self._layouts, self._above, self._events, deltas=self._deltas
        )
        self._value = UNREAD
        return True

    def _outside(self, text: str) -> bool:
        """Read what is no frame for the reader: thoughts, prose, or whole lines of calls."""
        is_between = not self._is_in_prose
        if is_between and self._thoughts and self._read_thought(self._thoughts, text):
            return True
        if self._prose:
            return self._read_prose(text)
        if self._line_tools is None:
            return False
        begin = self._begin
        end = text.find("\n", begin, begin + self._max_call)
        if end < 0:
            return False
        end = max(end, text.rfind("\n", begin, begin + min(_AT_ONCE, self._max_call)))
        calls = [] if self._above is None else [self._above]
        count = len(calls)
        pos = read_lines(text, begin, end + 1, calls, self._line_tools)
        for call in calls[count:]:
            self._events.append(call_start((call.name,)))
            self._events.extend(map(argument, call.arguments.items()))
            self._events.append(call_end((call,)))
            self._above = call
        if pos > begin:
            self._forget(text, pos)
        return pos > begin

    def _is_done(self) -> bool:
        """Say whether nothing is left to read; the end of a text in a thought is."""
        if self._error is not None:
            return True
        return not self._text and not (self.is_in_thought and self._has_ended)

    def _read_thought(self, thoughts: ThoughtReader, text: str) -> bool:
        """R-430: read on in a thought, or where one may begin; say whether there is one."""
        found = thoughts.read(text, self._begin)
        if thoughts.is_over:
            self._thoughts = None
        if found is None:
            return False
        thought, pos = found
        newline = text.rfind("\n", self._begin, pos)
        column = pos - newline if newline >= 0 else self._column + pos - self._begin
        if thought is None:
            self._forget(text, pos)
        else:
            self._complete(text, pos, thought)
        self._column = column
        return True

    def _read_prose(self, text: str) -> bool:
        """R-429: in a text of calls and prose a frame begins with its sigil."""
        begin = self._begin
        if not self._is_in_prose:
            if text.startswith(SIGILS, begin):
                return False
            part = text[begin : begin + _LONGEST]
            if type(text) is Open and any(sigil.startswith(part) for sigil in SIGILS):
                raise More
        end = text.find("\n", begin) + 1
        if type(text) is Open and not end and not self._deltas:
            raise More(skips=LINE.fullmatch)
        self._is_in_prose = not end
        end = end or len(text)
        self._complete(text, end, Prose(text[begin:end]))
        return True

    def _stop(self, text: str, more: More) -> None:
        """Keep what there is, until more has come."""
        if self._size > self._max_call:
            self._fail(None)
            return
        more.__traceback__ = None  # it would keep all frames alive, in a circle
        self._place, self._value = more.place, more.value
        is_told = self._deltas and more.closer is not None and self._frame is not None
        self._told = more if is_told else None
        if is_told:
            self._tell(more)
        begin = self._begin
        at = begin if more.place is None else more.at
        more.part -= at
        if at > begin:
            self._before.append(text[begin:at])
            self._before_size += at - begin
        self._text = text[at:]
        self._begin = 0
        self._skips = more.skips
        self._until = min(self._max_call, self._size + more.left - 1)
        self._is_read = True

    def _complete(self, text: str, pos: int, frame: Call | Result | Prose | Thinking) -> None:
        """Report a frame that ends here."""
        is_piece = self._deltas and isinstance(frame, Prose | Thinking)  # nothing is kept of it
        if not is_piece and self._before_size + pos - self._begin > self._max_call:
            self._fail(None)
            return
        if isinstance(frame, Call):
            self._above = frame
            self._events.append(call_end((frame,)))
        else:
            self._events.append(Answer(frame) if isinstance(frame, Result) else frame)
        self._forget(text, pos)

    def _forget(self, text: str, pos: int) -> None:
        """Drop the text of frames that are complete."""
        self._line += text.count("\n", self._begin, pos)
        self._frame_at += self._before_size + pos - self._begin
        for part in self._before:
            self._line += part.count("\n")
        self._before.clear()
        self._before_size = 0
        self._size = len(text) - pos
        self._begin = pos
        if not self._size:
            self._text = ""
            self._begin = 0
            self._is_read = self._is_done()
        self._column = 1
        self._frame = None

    def _tell(self, more: More, piece: str | None = None) -> None:
        """Report what has come of a string that has not ended, but for what may close it."""
        group = more.place
        if group is None or group.deltas is None:
            return
        text = self._text[more.part + group.reported :] if piece is None else self._held + piece
        before = "" if group.reported else "\n"  # a fence may close before its first line
        certain = max(0, len(text) - more.held(before + text))
        self._held = text[certain:]
        if certain:
            group.reported += certain
            self._events.append(ArgumentDelta(group.path, text[:certain]))

    def _fail(self, wrong: Wrong | None) -> None:
        """End with what is wrong in the frame; None if it is only too long (R-1104).

        A frame is read once more, from its beginning: the reader has its positions from there.
        """
        doc = "".join((*self._before, self._text[self._begin :], *self._aside))
        if self._frame is not None:
            wrong = self._wrong(doc)
        elif wrong is not None:
            wrong.pos -= self._begin
        if wrong is None or wrong.code == Code.CALL_SIZE:
            most = self._max_call
            msg = f"a call of more than {most} characters" if wrong is None else wrong.msg
            error = DecodeError(Code.CALL_SIZE, msg, doc=doc[: most + 1], pos=0)
        else:
            error = wrong.error(doc)
        error.pos += self._frame_at
        error.start = self._frame_at
        error.first_line, error.first_column = self._line, self._column
        self._error = error
        self._is_read = True
        self._chunks.clear()
        self._rest.clear()

    def _wrong(self, doc: str) -> Wrong | None:
        """Get what is wrong in a frame, or in what has come of it; None if nothing is."""
        text: str = doc
        if not self._has_ended:
            text = Open(doc)
            text.stop = self._max_call
        try:
            Frame(self._layouts, self._above).run(text, 0)
        except Wrong as wrong:
            return wrong.with_traceback(None)
        except More:
            pass
        return None


_LONGEST = max(map(len, SIGILS))
