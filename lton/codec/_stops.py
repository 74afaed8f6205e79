"""Define the exceptions that stop a reader, and the containers where reading can resume.

An error raises `Wrong`. `More` is raised if the text is too short to decide and may continue. Only
an `Open` text may continue. Readers check this only at the end of the text.
"""

import re
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable
from enum import Enum, auto
from functools import partial
from typing import Any, Final, Protocol, TypeAlias

from lton._syntax import ENDS_VALUE, FORBIDDEN, MAX_CALL, MAX_DIGITS
from lton.errors import Code, DecodeError, Hint, IncompleteError, pointer
from lton.events import ArgumentDelta, Event

Skips: TypeAlias = Callable[[str], object] | None  # whether a piece only continues the lexeme
Then: TypeAlias = Callable[[], tuple[Any, int]] | None  # continues as if there were no error
_MAX_NEAR = 200  # the maximum number of names compared for a hint, and of a name's characters


class ReadState(Enum):
    """Placeholders for values that have not been read."""

    UNREAD = auto()  # the next value has not been read yet
    ENTER = auto()  # an opening bracket was read, and the first value of the group follows
    GAP = auto()  # the last value was stored, and a separator follows
    CLOSED = auto()  # the last value of the group was stored, and the closer follows
    ABSENT = auto()  # the value is omitted: it is written as `_`
    BETWEEN = auto()  # a group of a tagged call was stored, and another group may follow


# These constants are faster than accessing the members of the enumeration.
UNREAD: Final = ReadState.UNREAD
ENTER: Final = ReadState.ENTER
GAP: Final = ReadState.GAP
CLOSED: Final = ReadState.CLOSED
ABSENT: Final = ReadState.ABSENT
BETWEEN: Final = ReadState.BETWEEN


class Open(str):
    """The received part of text that is still arriving."""

    __slots__ = ("stop",)
    stop: int


class Container:  # not an ABC: `isinstance` would take three times as long
    """A group or frame that is being read."""

    up: "Container | None" = None
    step: str | int | None = None
    depth = 0
    in_call = False  # whether the value is in a call's parentheses, which changes fences
    counted_end = -1  # the end of a counted string whose length may be wrong
    watcher: "Watcher | None" = None  # is told each value that is read
    at = 0  # where the current element begins: its value or its key
    reported = 0  # the number of reported characters of the current string

    @abstractmethod
    def run(self, src: str, pos: int, value: Any = UNREAD) -> tuple[Any, int]:
        """Continue reading at `pos`, after a value or in a given state."""

    @property
    def value_start(self) -> int:
        """The position of the current value, which may come after a key."""
        return self.at

    @property
    def steps(self) -> tuple[str | int, ...]:
        return () if self.step is None else (self.step,)

    @property
    def path(self) -> tuple[str | int, ...]:
        """The path from the call to the current value."""
        steps = self.steps
        container = self.up
        while container is not None:
            steps = (*container.steps, *steps)
            container = container.up
        return steps


class Watcher(Protocol):
    """Is told each value inside the arguments of a call."""

    def report(self, container: Container, value: Any) -> None: ...


class DeltaWriter:
    """Reports strings to the user of a stream, in pieces (`Decoder`, `deltas`)."""

    def __init__(self, events: deque[Event]) -> None:
        self.events = events

    def report(self, container: Container, value: Any) -> None:
        """Report the part of a complete string that has not been reported yet."""
        if type(value) is str and container.reported < len(value):
            self.events.append(ArgumentDelta(container.path, value[container.reported :]))
            container.reported = len(value)


class PositionFinder:
    """Finds the start of the value at a path, while the arguments are read again.

    A row of a table has no start of its own, so its first cell stands for it. If nothing at the
    path can be found, the value around it stands for it.
    """

    def __init__(self, path: tuple[str | int, ...]) -> None:
        self.path = path
        self.position: int | None = None
        self._shared = 0  # the number of steps that the path shares with the best value so far

    def report(self, container: Container, _value: Any) -> None:
        path = container.path
        shared = min(len(path), len(self.path))
        if path[:shared] != self.path[:shared]:
            return
        if shared > self._shared or path == self.path:
            self._shared = shared
            self.position = container.value_start


class Stop(Exception):  # noqa: N818 - usually not an error
    """Raised to stop reading because text is missing (`More`) or wrong (`Wrong`)."""

    container: Container | None = None
    at = 0
    value: Any = UNREAD

    def set_container(self, container: Container, at: int) -> None:
        """Set the container at which reading can resume, unless it is already set."""
        if self.container is None:
            self.container = container
            self.at = at


class More(Stop):
    """Raised if the next step depends on text that has not arrived yet."""

    closer: str | None = None  # the closing mark of a string that can be reported so far
    remaining = MAX_CALL  # the lexeme has fewer than this many more characters
    is_counted = False  # whether exactly `remaining` characters of a counted string are missing
    until = 0  # `skips` may be called up to this size of the frame
    newline = ""  # the unreported newline before the run of backticks
    run = 0  # the number of unreported backticks at the end

    def __init__(self, part: int = 0, skips: Skips = None) -> None:
        self.part = part  # the start of the string's text
        self.skips = skips

    def cut_uncertain_end(self, piece: str) -> str:
        """Return the new text of a string, without a tail that may belong to the closing fence.

        The tail is a newline and at most as many backticks as the fence has. Later calls return it
        if it is not part of the closing fence.
        """
        if not self.closer:
            return piece
        text = ""
        lines = piece.rstrip("`")
        if lines:
            inside = lines.removesuffix("\n")
            text = self.newline + "`" * self.run + inside
            self.newline = lines[len(inside) :]
            self.run = 0
        self.run += len(piece) - len(lines)
        if self.run > len(self.closer):
            text += self.newline + "`" * (self.run - len(self.closer))
            self.newline = ""
            self.run = len(self.closer)
        return text


class Wrong(Stop):
    """Raised for an error in the text. `then` continues reading after the error."""

    hint: Hint = None
    path = ""  # the path of the error, if it is not the path of the container

    def __init__(self, code: Code, msg: str, pos: int, then: Then = None) -> None:
        self.code = code
        self.msg = msg
        self.pos = pos
        self.then = then

    @classmethod
    def make_undeclared_name(
        cls,
        code: Code,
        what: str,
        name: str,
        candidates: Iterable[str],
        pos: int,
        then: Then = None,
    ) -> "Wrong":
        """Return the error for an undeclared name, with a similar name as a hint."""
        wrong = cls(code, f"no {what} {name[:40]!r}", pos, then)
        wrong.hint = partial(suggest_name, name, candidates)
        return wrong

    def to_decode_error(self, doc: str) -> DecodeError:
        kind = IncompleteError if self.code == Code.INCOMPLETE else DecodeError
        path = self.path or pointer(self.container.path if self.container else ())
        return kind(self.code, self.msg, doc=doc, pos=self.pos, path=path, hint=self.hint)


def resume_container(
    src: str, pos: int, container: Container | None, value: Any
) -> tuple[Any, int]:
    """Resume reading at a container, up to the end of the frame."""
    while container is not None:
        try:
            value, pos = container.run(src, pos, value)
        except Stop as stop:
            stop.set_container(container.up or container, pos)
            raise
        container = container.up
    return value, pos


def make_unexpected_character_stop(src: str, pos: int, expected: str) -> Stop:
    """Return the exception for an unexpected character, or for an unexpected end of the text."""
    char = src[pos : pos + 1]
    if not char and type(src) is Open:
        return More()
    if not char:
        return Wrong(Code.INCOMPLETE, f"expected {expected}, found the end of the text", pos)
    if FORBIDDEN.match(char):
        return Wrong(Code.CHARACTER, f"U+{ord(char):04X} is not allowed in a text", pos)
    description = "a newline" if char == "\n" else repr(char)
    return Wrong(Code.SYNTAX, f"expected {expected}, found {description}", pos)


def excerpt_of(src: str, start: int, end: int = 0) -> str:
    """Return the text of the value at `start`, shortened for an error message.

    If the end of the value is unknown and more text may arrive, only the first character is
    returned, because the message must not depend on how the text is cut into chunks.
    """
    if end <= start:
        match = _BEGINNING(src, start)
        end = start
        if match is not None:
            end = start + 1 if type(src) is Open else match.end()
    text = src[start : min(end, start + 41)]
    return text if len(text) <= 40 else f"{text[:40]}…"


_BEGINNING = re.compile(f"[^{re.escape(''.join(ENDS_VALUE))}]{{1,41}}").match


def make_digits_error(pos: int) -> Wrong:
    return Wrong(Code.DIGITS, f"a number of more than {MAX_DIGITS} characters", pos)


def make_refusal_error(
    src: str, refusal: tuple[Code, str], start: int, end: int, then: Then = None
) -> Wrong:
    """Return the error for a value that its type does not allow."""
    code, expected = refusal
    text = excerpt_of(src, start, end)
    return Wrong(code, f"expected {expected}, found {text!r}", start, then)


def suggest_name(name: str, candidates: Iterable[str]) -> str | None:
    """Suggest the declared name that is most similar to `name`, or return None."""
    from difflib import get_close_matches  # noqa: PLC0415 - only errors need it

    short = [candidate for candidate in candidates if len(candidate) <= 2 * len(name) <= _MAX_NEAR]
    near = get_close_matches(name, short[:_MAX_NEAR], n=1)
    return f"did you mean {near[0]!r}?" if near else None
