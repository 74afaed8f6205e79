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

from lton._syntax import LINE, MAX_CALL, SIGILS, Thoughts, thought_marks
from lton.codec._buffer import Buffer
from lton.codec._fast_reader import read_lines
from lton.codec._frames import Frame, Layouts
from lton.codec._given import check_text
from lton.codec._groups import argument, call_end, call_start
from lton.codec._stops import UNREAD, More, Open, Wrong, go_on
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
from lton.schema.toolset import ToolSet, check_tools
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
        check_tools(tools)
        self._named = None if tools is None or not tools.aliases else tools
        tools = tools and tools.spoken
        self._layouts = Layouts.of(tools)
        self._line_tools = None if prose or deltas else tools
        self._prose = prose
        self._deltas = deltas
        marks = thought_marks(thoughts)
        self._thoughts = marks and ThoughtReader(marks, prose=prose, deltas=deltas)
        self._buffer = Buffer(max_call)
        self._is_read = True
        """Whether nothing can be read of the text at hand, until more comes."""
        self._is_closed = self._has_ended = False
        """Whether nothing more comes, and that has been seen."""
        self._is_in_prose = False
        self._frame: Frame | None = None
        """The frame that is read, and where reading stopped, in it or before one."""
        self._more = More()
        self._above: Call | None = None
        self._events: deque[Event] = deque()
        self._error: DecodeError | None = None

    def feed(self, chunk: str) -> None:
        """Take the next piece of the text; none after an error. `ValueError` if it was closed."""
        check_text(chunk)
        if self._is_closed:
            raise ValueError("expected no text after the end, found a chunk")
        if self._error is None:
            self._buffer.chunks.append(chunk)

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
        events, buffer = self._events, self._buffer
        while not events:
            if not self._is_read:
                self._step()
            elif buffer.chunks or buffer.rest:
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
        buffer, more = self._buffer, self._more
        piece = buffer.take()
        if more.skips is not None and buffer.size <= more.until and more.skips(piece):
            buffer.aside.append(piece)
            if more.closer is not None:
                self._tell(more, piece)
            return
        more.skips = None
        buffer.extend(piece)
        self._is_read = not piece

    def _end(self) -> None:
        """Read what there is as what it is when nothing follows."""
        self._has_ended = True
        self._buffer.end()
        self._is_read = not self._buffer.text and self._frame is None and not self.is_in_thought

    def _step(self) -> None:
        """Read a frame, or as far into it as there is text."""
        buffer = self._buffer
        text, begin = buffer.text, buffer.begin
        if type(text) is Open:
            text.stop = begin + buffer.most - buffer.before_size
        try:
            if self._frame is not None:
                frame, pos = go_on(text, begin, self._more.place, self._more.value)
            elif self._is_done() or self._outside(text):
                self._is_read = self._is_done()
                return
            else:
                self._frame = Frame(self._layouts, self._above, self._events, deltas=self._deltas)
                frame, pos = go_on(text, begin, self._frame, UNREAD)
        except More as more:
            self._stop(more)
        except Wrong as wrong:
            self._fail(wrong)
        else:
            self._complete(pos, frame)

    def _outside(self, text: str) -> bool:
        """Read what is no frame for the reader: thoughts, prose, or whole lines of calls."""
        is_between = not self._is_in_prose
        if is_between and self._thoughts and self._read_thought(self._thoughts, text):
            return True
        if self._prose:
            return self._read_prose(text)
        return self._line_tools is not None and self._read_lines(text, self._line_tools)

    def _read_lines(self, text: str, tools: ToolSet) -> bool:
        """Read calls that are whole lines; say whether there is one."""
        begin, most = self._buffer.begin, self._buffer.most
        end = text.find("\n", begin, begin + most)
        if end < 0:
            return False
        end = max(end, text.rfind("\n", begin, begin + min(_AT_ONCE, most)))
        calls = [] if self._above is None else [self._above]
        count = len(calls)
        pos = read_lines(text, begin, end, calls, tools)
        for call in calls[count:]:
            self._events.append(call_start((call.name,)))
            self._events.extend(map(argument, call.arguments.items()))
            self._events.append(call_end((call,)))
            self._above = call
        if pos > begin:
            self._forget(pos)
        return pos > begin

    def _is_done(self) -> bool:
        """Say whether nothing is left to read; the end of a text in a thought is."""
        if self._error is not None:
            return True
        return not self._buffer.text and not (self.is_in_thought and self._has_ended)

    def _read_thought(self, thoughts: ThoughtReader, text: str) -> bool:
        """R-430: read on in a thought, or where one may begin; say whether there is one."""
        buffer = self._buffer
        begin = buffer.begin
        found = thoughts.read(text, begin)
        if thoughts.is_over:
            self._thoughts = None
        if found is None:
            return False
        thought, pos = found
        newline = text.rfind("\n", begin, pos)
        column = pos - newline if newline >= 0 else buffer.column + pos - begin
        if thought is None:
            self._forget(pos)
        else:
            self._complete(pos, thought)
        buffer.column = column
        return True

    def _read_prose(self, text: str) -> bool:
        """R-429: in a text of calls and prose a frame begins with its sigil."""
        begin = self._buffer.begin
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
        self._complete(end, Prose(text[begin:end]))
        return True

    def _stop(self, more: More) -> None:
        """Keep what there is, until more has come."""
        buffer = self._buffer
        if buffer.size > buffer.most:
            self._fail(None)
            return
        more.__traceback__ = None  # it would keep all frames alive, in a circle
        self._more = more
        if not self._deltas or self._frame is None:
            more.closer = None
        elif more.closer is not None:
            self._tell(more)
        at = buffer.begin if more.place is None else more.at
        more.part -= at
        more.until = min(buffer.most, buffer.size + more.left - 1)
        buffer.go_on_at(at)
        self._is_read = True

    def _complete(self, pos: int, frame: Call | Result | Prose | Thinking) -> None:
        """Report a frame that ends here."""
        buffer = self._buffer
        is_piece = self._deltas and isinstance(frame, Prose | Thinking)  # nothing is kept of it
        if not is_piece and buffer.before_size + pos - buffer.begin > buffer.most:
            self._fail(None)
            return
        if isinstance(frame, Call):
            self._above = frame
            self._events.append(call_end((frame,)))
        else:
            self._events.append(Answer(frame) if isinstance(frame, Result) else frame)
        self._forget(pos)

    def _forget(self, pos: int) -> None:
        """Drop the text of frames that are complete."""
        buffer = self._buffer
        buffer.drop(pos)
        if not buffer.size:
            self._is_read = self._is_done()
        self._frame = None

    def _tell(self, more: More, piece: str | None = None) -> None:
        """Report what has come of a string, except what may belong to its end."""
        group = more.place
        if group is None or group.deltas is None:
            return
        begin = more.part + group.reported
        text = self._buffer.text[begin:] if piece is None else more.unsure + piece
        before = "" if group.reported else "\n"  # a fence may close before its first line
        certain = max(0, len(text) - more.held(before + text))
        more.unsure = text[certain:]
        if certain:
            group.reported += certain
            self._events.append(ArgumentDelta(group.path, text[:certain]))

    def _fail(self, wrong: Wrong | None) -> None:
        """End with what is wrong in the frame; None if it is only too long (R-1104).

        A frame is read once more, from its beginning: the reader has its positions from there.
        """
        buffer = self._buffer
        doc = buffer.frame
        if self._frame is not None:
            wrong = self._wrong(doc)
        elif wrong is not None:
            wrong.pos -= buffer.begin
        if wrong is None or wrong.code == Code.CALL_SIZE:
            most = buffer.most
            msg = f"a call of more than {most} characters" if wrong is None else wrong.msg
            error = DecodeError(Code.CALL_SIZE, msg, doc=doc[: most + 1], pos=0)
        else:
            error = wrong.error(doc)
        error.pos += buffer.frame_at
        error.start = buffer.frame_at
        error.first_line, error.first_column = buffer.line, buffer.column
        self._error = error
        self._is_read = True
        buffer.clear()

    def _wrong(self, doc: str) -> Wrong | None:
        """Get what is wrong in a frame, or in what has come of it; None if nothing is."""
        text: str = doc
        if not self._has_ended:
            text = Open(doc)
            text.stop = self._buffer.most
        try:
            Frame(self._layouts, self._above).run(text, 0)
        except Wrong as wrong:
            return wrong.with_traceback(None)
        except More:
            pass
        return None


_LONGEST = max(map(len, SIGILS))
