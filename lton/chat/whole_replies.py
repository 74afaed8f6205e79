"""Read a complete reply without the filters of a stream.

Each function returns None for texts that only a `Reader` explains: those with errors, with imitated
results of tools, or with more than one thought.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lton._json import minified
from lton._syntax import MAX_CALL, THINK, Marks, Thoughts
from lton.chat.deltas import Reply
from lton.chat.readings import ANSWER_MARKS, find_first_error, iterate_text_outside_calls
from lton.chat.records import ToolCall
from lton.chat.repeats import DistinctCalls, LeftOut, RepeatedCall
from lton.codec import decode
from lton.codec._decode import iterate_calls_and_prose
from lton.codec._given import check_text
from lton.codec._thoughts import first_thought
from lton.errors import DecodeError
from lton.events import Prose
from lton.lenient import LenientResult, decode_lenient
from lton.lenient._scan import are_certain
from lton.schema.toolset import ToolSet
from lton.schema.types import Call

_ENDS = ("stop", "tool_calls", "function_call", None)  # the model itself has ended the answer
_LINE_ENDS = "\r\n"


def choose_finish_reason(reason: str | None, *, has_called: bool) -> str:
    """Return the finish reason of a reply, by the server's reason."""
    if reason in _ENDS:
        return "tool_calls" if has_called else "stop"
    return reason or "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeReading:
    """How a complete reply is read. The fields are the parameters of `lton.chat.read`."""

    tools: ToolSet | None
    prose: bool
    lenient: bool
    syntax: str | Iterable[str]
    seen: Sequence[str]
    marks: Marks | None
    repeat_calls: bool
    call_id: Callable[[], str]

    def read(self, text: str, reason: str | None, *, ended: bool | None) -> Reply | None:
        """Read a text. `ended` says whether it is complete; None means that this is unknown."""
        if not self.lenient and len(text) > MAX_CALL:
            return None  # only a `Decoder` limits the length of a call
        text = text.lstrip()
        if not (self.prose or self.lenient):
            return self._try_read_calls(text, reason)
        if any(mark in text for mark in ANSWER_MARKS):
            return None
        thought = ""
        if self.marks and text.startswith(self.marks[0]):
            try:
                thought, start = first_thought(text, self.marks)
            except DecodeError:
                return None
            text = text[start:]
        if self.lenient:
            return self._read_leniently(text, reason, thought, is_known_end=ended is not None)
        return self._try_read_prose(text, reason, thought)

    def _try_read_calls(self, text: str, reason: str | None) -> Reply | None:
        calls = _try_decode_calls(text, self.tools, self.marks)
        if calls is None:
            return None
        thought = first_thought(text, self.marks)[0] if self.marks else ""
        return self._make_reply(calls, reason, thought=thought)

    def _try_read_prose(self, text: str, reason: str | None, thought: str) -> Reply | None:
        if self.marks and self.marks[0] in text:
            return None
        try:
            parts = [*iterate_calls_and_prose(text, self.tools)]
        except DecodeError:
            return None
        calls = [part for part in parts if isinstance(part, Call)]
        content = "".join(part for part in parts if isinstance(part, str))
        return self._make_reply(calls, reason, thought=thought, content=content)

    def _read_leniently(
        self, text: str, reason: str | None, thought: str, *, is_known_end: bool
    ) -> Reply:
        ended = True if is_known_end else None
        result = decode_lenient(text, self.tools, ended=ended, syntax=self.syntax, seen=self.seen)
        events = iterate_text_outside_calls(text, result)
        content = "".join(event.text for event in events if isinstance(event, Prose))
        return self._make_reply(
            result.calls, reason, thought=thought, content=content, result=result
        )

    def _make_reply(
        self,
        calls: Iterable[Call],
        reason: str | None,
        *,
        thought: str = "",
        content: str = "",
        result: LenientResult | None = None,
    ) -> Reply:
        distinct = DistinctCalls[Call](repeat=self.repeat_calls)
        new_calls = list[ToolCall]()
        left_out = list[LeftOut]()
        for call in calls:
            if distinct.is_repeated(call.name, call.arguments):
                left_out.append(RepeatedCall(ToolCall(call.name, dict(call.arguments))))
            else:
                new_calls.append(ToolCall(call.name, minified(call.arguments), self.call_id()))
        return Reply(
            content=content.strip(_LINE_ENDS),
            thoughts=thought.strip(),
            calls=tuple(new_calls),
            finish_reason=choose_finish_reason(reason, has_called=bool(new_calls)),
            error=find_first_error(result) if result else None,
            found=result,
            left_out=tuple(left_out),
        )


def try_decode_calls(text: str, tools: ToolSet, *, lenient: bool = False) -> list[Call] | None:
    """Decode an answer of only calls. Return None if `read` has to explain the answer.

    These are the calls that `read` returns without `prose` and with `repeat_calls`.
    """
    check_text(text)
    if len(text) <= MAX_CALL:  # only a `Decoder` limits the length of a call
        try:
            calls = decode(text, tools)
        except DecodeError:
            pass  # perhaps it has thoughts, or ends with blank lines
        else:
            if not lenient or (calls and are_certain(text, calls, tools)):
                return calls
    answer = text.lstrip()
    if not lenient:
        return _try_decode_calls(answer, tools, THINK)
    if answer.startswith(THINK[0]):
        return None
    result = decode_lenient(answer, tools, ended=True, syntax="lton")
    return None if result.errors or result.uncertain or not result.calls else [*result.calls]


def _try_decode_calls(text: str, tools: ToolSet | None, marks: Marks | None) -> list[Call] | None:
    """Decode an answer of only calls, which may end with blank lines. Return None for an error."""
    if len(text) > MAX_CALL:  # only a `Decoder` limits the length of a call
        return None
    thoughts: Thoughts = marks if marks and text.startswith(marks[0]) else False
    try:
        return decode(text, tools, thoughts=thoughts)
    except DecodeError:
        trimmed = text.rstrip(_LINE_ENDS)
    if trimmed == text:
        return None
    try:
        return decode(trimmed, tools, thoughts=thoughts)
    except DecodeError:
        return None
