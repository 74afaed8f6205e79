"""Parse a model's answer, complete or in chunks, into content, thoughts and calls."""

import secrets
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from lton._syntax import THINK, Marks, find_thought_marks
from lton.chat.deltas import Delta, DeltaBuilder, Finish, Reply
from lton.chat.filters import feed_through
from lton.chat.readings import Lenient, Reading, Strict, iterate_call_events
from lton.chat.repeats import Imitations, LeftOut, Repeats
from lton.chat.stops import StoppedEvents
from lton.chat.whole_replies import WholeReading, choose_finish_reason
from lton.codec._given import check_text
from lton.errors import DecodeError
from lton.events import Event
from lton.schema.toolset import ToolSet
from lton.schema.types import Call

_WHOLE = {"stop": True, "tool_calls": True, "function_call": True, "length": False}
"""Whether an answer is complete, by its finish reason. For other reasons this is unknown."""


def new_call_id() -> str:
    """Return a random id for a call, in the format of OpenAI's ids."""
    return f"call_{secrets.token_hex(12)}"


def read(
    text: str,
    tools: ToolSet | None,
    *,
    reason: str | None = "stop",
    prose: bool = True,
    lenient: bool = False,
    syntax: str | Iterable[str] = "lton",
    seen: Iterable[str] = (),
    thoughts: Marks | None = THINK,
    in_thought: bool = False,
    repeat_calls: bool = False,
    stop: Iterable[str] = (),
    call_id: Callable[[], str] = new_call_id,
) -> Reply:
    r"""Parse a complete answer as `Reader` does. `reason` is the server's finish reason.

    >>> tools = ToolSet.from_prompt("wait(minutes:int)")
    >>> reply = read("Sure.\n!call wait(minutes=5)", tools, call_id=lambda: "call_1")
    >>> reply.content, reply.calls[0].written, reply.finish_reason
    ('Sure.', '{"minutes":5}', 'tool_calls')
    """
    check_text(text)
    marks = thoughts and find_thought_marks(thoughts)
    stops = tuple(stop)
    seen = tuple(seen)
    syntax = syntax if isinstance(syntax, str) else tuple(syntax)
    ended = _WHOLE.get(reason or "")
    if not (in_thought or stops or ended is False):
        reading = WholeReading(
            tools=tools,
            prose=prose,
            lenient=lenient,
            syntax=syntax,
            seen=seen,
            marks=marks,
            repeat_calls=repeat_calls,
            call_id=call_id,
        )
        reply = reading.read(text, reason, ended=ended)
        if reply is not None:
            return reply
    reader = Reader(
        tools,
        prose=prose,
        lenient=lenient,
        syntax=syntax,
        seen=seen,
        thoughts=thoughts,
        in_thought=in_thought,
        repeat_calls=repeat_calls,
        stop=stops,
        call_id=call_id,
    )
    reader.feed(text)
    reader.close(reason)
    return reader.reply


class Reader:
    r"""Parses an answer that arrives in chunks.

    The reply does not depend on how the text is cut into chunks. Only the boundaries between deltas
    of content, thoughts and arguments do. No text raises an error. Invalid marks raise
    `ValueError`.

    With `prose`, calls begin with `!call `, and other lines are content. Without `prose`, every
    line is a call. The text is read strictly, for a model under a grammar. Reading stops at an
    invalid frame: earlier calls are kept, and the last delta has the error. With `lenient`, the
    text is read as by `decode_lenient` in safe mode, for models without grammars. `syntax` names
    the call syntaxes of the model, which was shown LTON, and `seen` are the texts that it was
    given. Calls that are uncertain stay content. Content is reported at once while no call can
    have begun, and all other text at the end.

    A thought is the text between the marks `thoughts`, and contains no calls. The text may begin
    with a thought, or inside a thought that the prompt began (`in_thought`). In strict reading with
    prose, each line may begin with a thought. A thought without an end extends to the end of the
    text. Line ends that only separate thoughts, content and calls are omitted.

    A call that repeats the name and the arguments of an earlier call becomes a `RepeatedCall`,
    unless `repeat_calls` is true. A call to a tool that was already called is held until its end.
    If the model writes `!result` or `!error`, this becomes an `ImitatedAnswer`, which is neither
    content nor a call.

    The reply ends before the first of the texts `stop` in its content. Calls that end before it are
    delivered, and arguments may contain it.

    >>> reader = Reader(ToolSet.from_prompt("wait(minutes:int)"), call_id=lambda: "call_1")
    >>> for delta in [*reader.feed("Sure.\n!call wa"), *reader.feed("it(minutes=5)")]:
    ...     print(delta)
    ContentDelta(text='Sure.')
    ToolCallStart(index=0, id='call_1', name='wait')
    ArgumentsDelta(index=0, json='{')
    ArgumentsDelta(index=0, json='"minutes":5')
    >>> for delta in reader.close():
    ...     print(delta)  # doctest: +ELLIPSIS
    ArgumentsDelta(index=0, json='}')
    ToolCallEnd(index=0, call=ToolCall(name='wait', given='{"minutes":5}', id='call_1', ...
    Finish(reason='tool_calls', error=None, cut=None, stop=None, confidence=None)
    """

    def __init__(
        self,
        tools: ToolSet | None,
        *,
        prose: bool = True,
        lenient: bool = False,
        syntax: str | Iterable[str] = "lton",
        seen: Iterable[str] = (),
        thoughts: Marks | None = THINK,
        in_thought: bool = False,
        repeat_calls: bool = False,
        stop: Iterable[str] = (),
        call_id: Callable[[], str] = new_call_id,
    ) -> None:
        marks = thoughts and find_thought_marks(thoughts)
        stops = tuple(stop)
        self._reading: Reading = (
            Lenient(tools, marks, stops, syntax=syntax, seen=seen)
            if lenient
            else Strict(tools, marks, prose=prose)
        )
        self._stops = StoppedEvents(stops, ends_lines=not lenient)
        self._imitations = Imitations()
        self._repeats = Repeats(repeat=repeat_calls)
        self._builder = DeltaBuilder(call_id)
        self._has_begun = False
        self._reply: Reply | None = None
        if marks and in_thought:
            self._reading.feed(marks[0])  # as if the model had opened the thought

    def feed(self, chunk: str) -> list[Delta]:
        """Add a chunk and return the deltas that are certain. Raises `ValueError` once closed."""
        if self._reply is not None:
            raise ValueError("expected no text after the end, found a chunk")
        if not self._has_begun:
            chunk = chunk.lstrip()
            self._has_begun = bool(chunk)
        events = feed_through(
            self._reading.feed(chunk), self._imitations, self._repeats, self._stops
        )
        return self._builder.feed_all(events)

    def close(self, reason: str | None = "stop", calls: Iterable[Call] = ()) -> list[Delta]:
        """End the reply and return the remaining deltas and a `Finish`.

        `reason` is the finish reason of the server. If it is "length", a call at the very end is
        incomplete, even if it looks complete. In the `Finish`, "stop" becomes "tool_calls" if a
        call has begun; other reasons do not change. `calls` are additional calls that the server
        has parsed.
        """
        if self._reply is not None:
            raise ValueError("the reply has already been closed")
        deltas = self._builder.feed_all(self._iterate_last_events(reason))
        more_events = chain.from_iterable(map(iterate_call_events, calls))
        deltas += self._builder.feed_all(feed_through(more_events, self._repeats))
        # A call that may be a repetition is not delivered, but is in `cut`.
        self._builder.feed_all(self._repeats.flush())
        reason = choose_finish_reason(reason, has_called=self._builder.index >= 0)
        error = self._reading.error
        cut = self._builder.cut or self._reading.cut
        unread = self._reading.unread
        if self.stop:
            error = None
            cut = None
            unread = ""
        finish = Finish(reason, error, cut, self.stop or None)
        self._reply = self._builder.build_reply(finish, unread, self._reading.found)
        return [*deltas, finish]

    def _iterate_last_events(self, reason: str | None) -> Iterator[Event | LeftOut]:
        """Yield the events that are still held back, up to a stop sequence."""
        if self.stop:
            return
        last = self._reading.flush(ended=_WHOLE.get(reason or ""))
        if isinstance(self._reading, Strict):
            yield from feed_through(last, self._imitations, self._repeats, self._stops)
            yield from feed_through(self._imitations.flush(), self._repeats, self._stops)
            yield from self._stops.flush()
            return
        # The lenient reader itself looks for stop sequences in the text that it has held.
        events = [*feed_through(last, self._imitations, self._repeats)]
        self._stops.drop_held(self._reading.stop_overlap)
        yield from self._stops.flush()
        yield from events
        yield from feed_through(self._imitations.flush(), self._repeats)

    @property
    def stop(self) -> str:
        """The stop sequence that has ended the reply, or an empty string."""
        return self._stops.found or self._reading.stop

    @property
    def error(self) -> DecodeError | None:
        return self._reading.error

    @property
    def held(self) -> str:
        """The text that is still held back, because it may contain calls or a stop sequence."""
        return self._stops.held + self._reading.held

    @property
    def reply(self) -> Reply:
        """The complete reply. Raises `ValueError` before the end."""
        if self._reply is None:
            raise ValueError("expected the end of the text first")
        return self._reply
