"""Decode streamed text to events and report each event as soon as it is certain (§8).

A frame is read from an `Open` text as `decode` reads it. At the end of that text the reader stops
(`More`), and the container where it stopped keeps the certain values. When more text arrives,
reading resumes from that container. Earlier text of the frame is kept only for errors. A long
lexeme is not read again for each chunk: chunks that only continue the lexeme are set aside unread.
"""

import re
from collections import deque
from collections.abc import Iterator
from functools import cache

from lton._syntax import LINE, MAX_CALL, SIGILS, Thoughts, find_thought_marks
from lton.codec._buffer import Buffer
from lton.codec._fast_reader import read_lines
from lton.codec._frames import Frame
from lton.codec._given import check_text
from lton.codec._groups import argument, call_end, call_start
from lton.codec._stops import UNREAD, More, Open, Wrong, resume_container
from lton.codec._thoughts import ThoughtReader
from lton.errors import Code, DecodeError
from lton.events import Answer, ArgumentDelta, Event, Prose, Thinking
from lton.schema.toolset import ToolSet, check_tools
from lton.schema.types import Call, Result

_AT_ONCE = 4096  # the number of characters of calls that are read at once


class Decoder:
    r"""Decodes streamed text: feed chunks to the decoder, and iterate over its events.

    The events (R-801) and the error do not depend on how the text is cut into chunks. The error is
    the same as that of `decode`. It is raised as soon as the invalid value, key or name has ended
    (R-803), and is final. Its `doc` is the received part of the call.

    With `prose`, lines that do not begin with a sigil are reported as `Prose`. A call, a line of
    prose and a line of a thought may have at most `max_call` characters (E303). Nothing else is
    buffered.

    With `deltas`, strings are reported as they arrive. If the call is valid, an `ArgumentDelta` is
    certain to be part of the string. The pieces of a string are reported before its `Argument`,
    and together they are the string. Prose and thoughts are also reported in pieces, which may have
    less or more than a line, and may be longer than `max_call`. All other events and their timing
    stay the same. Only the cuts between pieces depend on the chunks.

    With `thoughts`, the text may begin with a thought between `<think>` and `</think>`, or between
    two other marks. With `prose`, each line may begin with a thought. Thoughts are reported, but
    calls in them are not read. If the opening mark is "", the text begins inside a thought.
    Invalid marks raise a `ValueError`.

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
        self._tools = tools
        self._line_tools = None if prose or deltas else tools
        self._prose = prose
        self._deltas = deltas
        marks = find_thought_marks(thoughts)
        self._thoughts = marks and ThoughtReader(marks, prose=prose, deltas=deltas)
        self._lines_end = _lines_end(marks[0] if marks else "")
        self._buffer = Buffer(max_call)
        self._is_read = True  # whether all text so far has been read
        self._is_closed = self._has_ended = False  # whether `close` was called, and the end read
        self._is_in_prose = False
        self._frame: Frame | None = None  # the frame being read
        self._more = More()
        self._above: Call | None = None
        self._events: deque[Event] = deque()
        self._error: DecodeError | None = None

    def feed(self, chunk: str) -> None:
        """Add a chunk of text. Raises `ValueError` after `close`."""
        check_text(chunk)
        if self._is_closed:
            raise ValueError("expected no text after the end, found a chunk")
        if self._error is None:
            self._buffer.chunks.append(chunk)

    def close(self) -> None:
        """Mark the end of the text."""
        self._is_closed = True

    @property
    def is_in_thought(self) -> bool:
        """Whether the events reported so far end inside a thought."""
        return self._thoughts is not None and self._thoughts.is_open

    @property
    def missing(self) -> int:
        """The number of characters that a counted string still needs, after all reported events."""
        is_inside = self._frame is not None and self._more.is_counted and self._error is None
        return self._more.until + 1 - self._buffer.size if is_inside else 0

    def next_event(self) -> Event | None:
        """Return the next event, or None if no event is certain yet or the text has ended.

        Raises `DecodeError` at an error, and raises the same error in each later call.
        """
        events = self._events
        buffer = self._buffer
        while not events:
            if not self._is_read:
                self._read_next()
            elif buffer.chunks or buffer.rest:
                self._take_text()
            elif self._error:
                raise self._error
            elif not self._is_closed or self._has_ended:
                return None
            else:
                self._end_text()
        return events.popleft()

    def __iter__(self) -> Iterator[Event]:
        """Yield the events that are certain now."""
        while (event := self.next_event()) is not None:
            yield event

    def _take_text(self) -> None:
        """Take the received text, or set it aside if it only continues a lexeme."""
        buffer = self._buffer
        more = self._more
        piece = buffer.take_piece()
        if more.skips is not None and buffer.size <= more.until and more.skips(piece):
            buffer.aside.append(piece)
            if more.closer is not None:
                self._report_string_part(more, piece)
            return
        more.skips = None
        buffer.extend(piece)
        self._is_read = not piece

    def _end_text(self) -> None:
        self._has_ended = True
        self._buffer.end_text()
        self._is_read = not self._buffer.text and self._frame is None and not self.is_in_thought

    def _read_next(self) -> None:
        buffer = self._buffer
        text = buffer.text
        begin = buffer.begin
        if type(text) is Open:
            text.stop = begin + buffer.most - buffer.before_size
        try:
            if self._frame is not None:
                frame, pos = resume_container(text, begin, self._more.container, self._more.value)
            elif self._is_complete() or self._try_read_outside_frames(text):
                self._is_read = self._is_complete()
                return
            else:
                self._frame = Frame(self._tools, self._above, self._events, deltas=self._deltas)
                frame, pos = resume_container(text, begin, self._frame, UNREAD)
        except More as more:
            self._wait_for(more)
        except Wrong as wrong:
            self._fail(wrong)
        else:
            self._report_frame(pos, frame)

    def _try_read_outside_frames(self, text: str) -> bool:
        """Read text between frames, or read complete calls. Return whether anything was read."""
        is_between = not self._is_in_prose
        if is_between and self._thoughts and self._try_read_thought(self._thoughts, text):
            return True
        if self._prose:
            return self._try_read_prose(text)
        return self._line_tools is not None and self._try_read_lines(text, self._line_tools)

    def _try_read_lines(self, text: str, tools: ToolSet) -> bool:
        begin = self._buffer.begin
        most = self._buffer.most
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
            self._skip_to(pos)
        return pos > begin

    def _is_complete(self) -> bool:
        if self._error is not None:
            return True
        return not self._buffer.text and not (self.is_in_thought and self._has_ended)

    def _try_read_thought(self, thoughts: ThoughtReader, text: str) -> bool:
        """Read a piece of a thought and return whether there was a piece (R-430)."""
        buffer = self._buffer
        begin = buffer.begin
        piece = thoughts.read(text, begin)
        if thoughts.is_over:
            self._thoughts = None
        if piece is None:
            return False
        thought, pos = piece
        newline = text.rfind("\n", begin, pos)
        column = pos - newline if newline >= 0 else buffer.column + pos - begin
        if thought is None:
            self._skip_to(pos)
        else:
            self._report_frame(pos, thought)
        buffer.column = column
        return True

    def _try_read_prose(self, text: str) -> bool:
        begin = self._buffer.begin
        if not self._is_in_prose:
            if text.startswith(SIGILS, begin):
                return False
            part = text[begin : begin + _LONGEST]
            if type(text) is Open and any(sigil.startswith(part) for sigil in SIGILS):
                raise More
        if self._deltas:
            other = self._lines_end.search(text, begin)
            end = other.end() if other else len(text)
        else:
            end = text.find("\n", begin) + 1
            if type(text) is Open and not end:
                raise More(skips=LINE.fullmatch)
            end = end or len(text)
        self._is_in_prose = not text.endswith("\n", begin, end)
        self._report_frame(end, Prose(text[begin:end]))
        return True

    def _wait_for(self, more: More) -> None:
        buffer = self._buffer
        if buffer.size > buffer.most:
            self._fail(None)
            return
        more.__traceback__ = None  # a traceback would keep all frames alive in a cycle
        self._more = more
        if not self._deltas or self._frame is None:
            more.closer = None
        elif more.closer is not None:
            self._report_string_part(more)
        at = buffer.begin if more.container is None else more.at
        more.part -= at
        more.until = min(buffer.most, buffer.size + more.remaining - 1)
        buffer.continue_at(at)
        self._is_read = True

    def _report_frame(self, pos: int, frame: Call | Result | Prose | Thinking) -> None:
        buffer = self._buffer
        is_piece = self._deltas and isinstance(frame, Prose | Thinking)  # pieces are not kept
        if not is_piece and buffer.before_size + pos - buffer.begin > buffer.most:
            self._fail(None)
            return
        if isinstance(frame, Call):
            self._above = frame
            self._events.append(call_end((frame,)))
        else:
            self._events.append(Answer(frame) if isinstance(frame, Result) else frame)
        self._skip_to(pos)

    def _skip_to(self, pos: int) -> None:
        buffer = self._buffer
        buffer.drop_before(pos)
        if not buffer.size:
            self._is_read = self._is_complete()
        self._frame = None

    def _report_string_part(self, more: More, piece: str | None = None) -> None:
        """Report the new part of a string, except a tail that may begin its closing mark."""
        group = more.container
        if group is None or group.watcher is None:
            return
        if piece is None:
            piece = self._buffer.text[more.part + group.reported :]
        if text := more.cut_uncertain_end(piece):
            group.reported += len(text)
            self._events.append(ArgumentDelta(group.path, text))

    def _fail(self, wrong: Wrong | None) -> None:
        """Stop with an error in the frame. None means that the frame is too long (R-1104)."""
        buffer = self._buffer
        doc = buffer.frame
        if self._frame is not None:
            wrong = self._find_error(doc)
        elif wrong is not None:
            wrong.pos -= buffer.begin
        if wrong is None or wrong.code == Code.CALL_SIZE:
            most = buffer.most
            msg = f"a call of more than {most} characters" if wrong is None else wrong.msg
            error = DecodeError(Code.CALL_SIZE, msg, doc=doc[: most + 1], pos=0)
        else:
            error = wrong.to_decode_error(doc)
        error.pos += buffer.frame_at
        error.start = buffer.frame_at
        error.first_line = buffer.line
        error.first_column = buffer.column
        self._error = error
        self._is_read = True
        buffer.clear()

    def _find_error(self, doc: str) -> Wrong | None:
        """Read the frame again from its start, and return its error, if any."""
        text: str = doc
        if not self._has_ended:
            text = Open(doc)
            text.stop = self._buffer.most
        try:
            Frame(self._tools, self._above).run(text, 0)
        except Wrong as wrong:
            return wrong.with_traceback(None)
        except More:
            pass
        return None


_LONGEST = max(map(len, SIGILS))


@cache
def _lines_end(thought: str) -> re.Pattern[str]:
    """Return a pattern for the end of lines of prose before a frame, or before a thought's mark.

    The frame or the mark may itself be cut off by the end of the text.
    """
    marks = (*SIGILS, thought) if thought else SIGILS
    cut = {mark[:size] for mark in marks for size in range(1, len(mark))}
    whole = "|".join(map(re.escape, marks))
    return re.compile(rf"\n(?={whole}|(?:{'|'.join(map(re.escape, sorted(cut)))})\Z)")
