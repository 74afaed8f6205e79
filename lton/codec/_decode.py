"""Decode complete text to calls, strictly according to the grammar (§12) and the schema."""

import re
from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import Any

from lton._syntax import ANSWERS, COUNTED, ENDS_VALUE, NAME, REPEAT, SIGIL, SIGILS, Thoughts
from lton.codec._fast_reader import read_lines
from lton.codec._frames import Frame
from lton.codec._given import check_text
from lton.codec._groups import Group
from lton.codec._stops import ENTER, UNREAD, Container, Then, Wrong, resume_container
from lton.codec._thoughts import first_thought
from lton.codec._values import make_reader_of_type
from lton.errors import Code, DecodeError
from lton.schema.toolset import ToolSet, check_tools
from lton.schema.types import JSON, Call, Type

_LENGTH_ERRORS = (Code.COUNT, Code.INCOMPLETE)
_HINT_BUDGET = 100_000  # the maximum number of characters that are read again to find a hint
_CALL_LINE = re.compile(f"^{SIGIL}", re.MULTILINE)
_MANY_LINES = re.compile(r"```|s[0-9]|\[[0-9]")  # may start a value that spans several lines


def decode(text: str, tools: ToolSet | None = None, *, thoughts: Thoughts = False) -> list[Call]:
    """Decode calls, one per line, in any form: wire, keyed, punctuated or tagged.

    Every argument is checked against its schema. Without `tools`, only two forms can be read: a
    name with a map (R-431), and the tagged form with keys. An empty text contains no calls, and a
    text may end with one newline (§4, R-301). With `thoughts`, a thought before the calls is
    skipped (see `Decoder`).

    Raises `DecodeError` for the first character or value that is not allowed, and `IncompleteError`
    if the text ends inside a value or a group.

    >>> from lton.schema.toolset import ToolSet
    >>> tools = ToolSet.from_tools([{"name": "wait", "parameters": {"type": "object",
    ...     "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]}}])
    >>> decode("wait 5", tools)
    [Call(name='wait', arguments={'minutes': 5})]
    """
    check_text(text)
    check_tools(tools)
    calls: list[Call] = []
    pos = first_thought(text, thoughts)[1] if thoughts else 0
    while pos < len(text):
        if tools is not None:
            pos = read_lines(text, pos, len(text), calls, tools)
            if pos >= len(text):
                break
        above = calls[-1] if calls else None
        read = _read_call(text, pos, tools, above)
        if isinstance(read, Wrong):
            raise _make_explained_error(read, text, pos, tools, above)
        call, pos = read
        calls.append(call)
    return calls


def iterate_calls_and_prose(text: str, tools: ToolSet | None) -> Iterator[Call | str]:
    """Yield the calls in a text, which begin with `!call `, and the prose before each call.

    Answers are prose. Raises `DecodeError` for an invalid call.
    """
    check_tools(tools)
    pos = 0
    above: Call | None = None
    while line := _CALL_LINE.search(text, pos):
        if line.start() > pos:
            yield text[pos : line.start()]
        read = _read_call(text, line.start(), tools, above)
        if isinstance(read, Wrong):
            raise read.to_decode_error(text)
        above, pos = read
        yield above
    if pos < len(text):
        yield text[pos:]


def read_value(text: str, pos: int, node: Type) -> tuple[JSON, int] | DecodeError:
    """Read a value of type `node` at `pos`. Return the value and its end, or an error.

    The path of the error is relative to the value.
    """
    try:
        return make_reader_of_type(node).read(text, pos, Frame(None, None))
    except Wrong as wrong:
        return wrong.to_decode_error(text)


def find_errors(text: str, tools: ToolSet | None = None) -> list[DecodeError]:
    """Return all errors in calls and results, in order.

    If the schema does not allow a value, the other arguments of the call are still checked. After a
    syntax error, reading continues at the next line that looks like a call.
    """
    errors: list[DecodeError] = []
    pos = 0
    above: Call | None = None
    while pos < len(text):
        frame = Frame(tools, above)
        pos = _read_frame_and_errors(frame, text, pos, errors) or _find_next_call(
            text, errors[-1].pos, tools
        )
        above = Call(frame.name) if frame.is_call else above
    return errors


def iterate_calls_and_errors(
    text: str, tools: ToolSet | None = None
) -> Iterator[Call | DecodeError]:
    """For each line, yield its call or, if the line is not a valid call, the error.

    Raises the error if the invalid call may continue on the next line (in a fence, a counted string
    or a table on lines), because a later line that looks like a call may then be part of a string.
    """
    pos = 0
    above: Call | None = None
    while pos < len(text):
        read = _read_call(text, pos, tools, above)
        if isinstance(read, Wrong):
            error = _make_explained_error(read, text, pos, tools, above)
            end = text.find("\n", pos)
            end = len(text) if end < 0 else end
            if error.pos > end or _MANY_LINES.search(text, pos, end):
                raise error
            yield error
            above = None
            pos = end + 1
        else:
            above, pos = read
            yield above


def _read_frame_and_errors(frame: Frame, text: str, pos: int, errors: list[DecodeError]) -> int:
    """Read a frame and collect its errors. Return its end, or 0 after a syntax error."""
    container: Container = frame
    value: Any = UNREAD
    then: Then = None
    while True:
        try:
            if then is not None:
                value, pos = then()
                if isinstance(value, Group):
                    container, value = value, ENTER
            return resume_container(text, pos, container, value)[1]
        except Wrong as wrong:
            wrong.set_container(container, pos)
            errors.append(wrong.to_decode_error(text))
            frame.is_wrong = True
            if wrong.then is None:
                return 0
            container = wrong.container or container
            then = wrong.then


def _find_next_call(text: str, pos: int, tools: ToolSet | None) -> int:
    while (pos := text.find("\n", pos) + 1) > 0:
        name = NAME.match(text, pos)
        is_known = name is not None and tools is not None and name[0] in tools.by_text
        if is_known or text.startswith((REPEAT, *SIGILS), pos):
            return pos
    return len(text)


def _read_call(
    text: str, pos: int, tools: ToolSet | None, above: Call | None
) -> tuple[Call, int] | Wrong:
    if text.startswith(ANSWERS, pos):
        return Wrong(Code.FRAME, "expected a call, found an answer", pos)
    try:
        return Frame(tools, above).run(text, pos)  # type: ignore[return-value]
    except Wrong as wrong:
        return wrong.with_traceback(None)  # a traceback would keep all frames alive in a cycle


def _make_explained_error(
    wrong: Wrong, text: str, pos: int, tools: ToolSet | None, above: Call | None
) -> DecodeError:
    error = wrong.to_decode_error(text)
    if wrong.code in _LENGTH_ERRORS and wrong.hint is None:
        error.hint = partial(_suggest_length, text, pos, error.pos, tools, above)
    return error


def _suggest_length(
    src: str, start: int, error_pos: int, tools: ToolSet | None, above: Call | None
) -> str | None:
    """Suggest a length for the last counted string if exactly one length makes the text valid.

    Only lengths that end where a value can end are tried. Their number is limited, because finding
    a hint must not take longer than reading.
    """
    headers = (match for match in COUNTED.finditer(src, start, error_pos) if match[2])
    last = deque(headers, maxlen=1)
    if not last:
        return None
    before = src[start : last[0].start()]
    after = src[last[0].end() :]
    places = [i for i, char in enumerate(after[:_HINT_BUDGET]) if char in ENDS_VALUE]
    if len(places) * (len(src) - start) > _HINT_BUDGET:
        return None
    fits = [n for n in [*places, len(after)] if _is_readable(f"{before}s{n}:{after}", tools, above)]
    return f"a length of {fits[0]} would have worked" if len(fits) == 1 else None


def _is_readable(text: str, tools: ToolSet | None, above: Call | None) -> bool:
    pos = 0
    while pos < len(text):
        read = _read_call(text, pos, tools, above)
        if isinstance(read, Wrong):
            return False
        above, pos = read
    return True
