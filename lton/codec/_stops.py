"""Why a reader stops, and where it goes on.

What is not right is `Wrong`; where a text that may go on is too short to say, that is `More`. Only
an `Open` text may go on; the end of any other ends what is there. So a reader asks whether more may
come only where the text runs out.
"""

import re
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable
from enum import Enum, auto
from functools import partial
from typing import Any, Final, TypeAlias

from lton._syntax import ENDS_VALUE, FORBIDDEN, MAX_CALL, MAX_DIGITS
from lton.errors import Code, DecodeError, Hint, IncompleteError, pointer
from lton.events import Event

Skips: TypeAlias = Callable[[str], object] | None
"""Says of the next piece of text that a lexeme goes on through it, and nothing is decided."""
Then: TypeAlias = Callable[[], tuple[Any, int]] | None
"""Gets a value and the position after it, as if what is wrong were not."""
_MAX_NEAR = 200
"""Names that are compared for a hint, and their characters."""


class ReadState(Enum):
    """What is in the place of a value that has not been read."""

    UNREAD = auto()
    """It is to be read."""
    ENTER = auto()
    """The first of a group is to be read, whose opening bracket has been read."""
    GAP = auto()
    """The last one is kept, and what separates it from the next comes."""
    CLOSED = auto()
    """The last one of the group is kept, and its closer comes."""
    ABSENT = auto()
    """There is none: `_` is in its place."""
    BETWEEN = auto()
    """The last one and its group are kept, and another group may come."""


# To get a member of an enumeration takes longer than all that is done with it here.
UNREAD: Final = ReadState.UNREAD
ENTER: Final = ReadState.ENTER
GAP: Final = ReadState.GAP
CLOSED: Final = ReadState.CLOSED
ABSENT: Final = ReadState.ABSENT
BETWEEN: Final = ReadState.BETWEEN


class Open(str):
    """The beginning of a text that may go on, up to the position `stop` (R-1104)."""

    __slots__ = ("stop",)
    stop: int


class Place:  # no ABC: `isinstance` would take thrice as long
    """What a value is in: the group around it, or the frame. Reading can go on from it."""

    up: "Place | None" = None
    step: str | int | None = None
    depth = 0
    counted_end = -1
    """Where the last counted text ended: if nothing fits there, its length is wrong (R-307)."""
    deltas: deque[Event] | None = None
    """Where pieces of strings go, if they are reported."""
    reported = 0
    """Characters of the string at this step that have been reported."""

    @abstractmethod
    def run(self, src: str, pos: int, value: Any = UNREAD) -> tuple[Any, int]:
        """Read on from the value that ends at `pos`, or from one that is unread."""

    @property
    def steps(self) -> tuple[str | int, ...]:
        """The steps from here to the value that is read."""
        return () if self.step is None else (self.step,)

    @property
    def path(self) -> tuple[str | int, ...]:
        """The steps from the call down to the value that is read."""
        steps = self.steps
        place = self.up
        while place is not None:
            steps = (*place.steps, *steps)
            place = place.up
        return steps


class Stop(Exception):  # noqa: N818 - most often it is no error
    """Why reading stopped, and where it goes on: in this place, with this value, at `at`."""

    place: Place | None = None
    at = 0
    value: Any = UNREAD

    def in_(self, place: Place, at: int) -> None:
        """Say where reading can go on, if nothing further inside has said so."""
        if self.place is None:
            self.place, self.at = place, at


class More(Stop):
    """The text is too short. What `skips` says of the next piece spares reading a lexeme again."""

    closer: str | None = None
    """What ends the lexeme if it is a text, of which all before that is certain; else None."""
    left = MAX_CALL
    """The lexeme goes on through less than so many characters."""
    until = 0
    """Up to this size of the frame `skips` may be asked."""
    unsure = ""
    """What has come of a text that has a closer, and is not reported: it may belong to that."""

    def __init__(self, part: int = 0, skips: Skips = None) -> None:
        self.part = part
        """Where the text begins that has a closer."""
        self.skips = skips

    def held(self, text: str) -> int:
        """Get how many characters at the end of a text may belong to the fence that closes it."""
        if not self.closer:
            return 0
        lines = text.rstrip("`")
        return len(text) - len(lines) + lines.endswith("\n")


class Wrong(Stop):
    """The text is not right. Where `then` reads on nevertheless, more errors can be found."""

    hint: Hint = None
    path = ""
    """Of what is wrong, where the place does not say it."""

    def __init__(self, code: Code, msg: str, pos: int, then: Then = None) -> None:
        self.code = code
        self.msg = msg
        self.pos = pos
        self.then = then

    def error(self, doc: str) -> DecodeError:
        kind = IncompleteError if self.code == Code.INCOMPLETE else DecodeError
        path = self.path or pointer(self.place.path if self.place else ())
        return kind(self.code, self.msg, doc=doc, pos=self.pos, path=path, hint=self.hint)


def go_on(src: str, pos: int, place: Place | None, value: Any) -> tuple[Any, int]:
    """Read on from where reading stopped, up to the end of the frame."""
    while place is not None:
        try:
            value, pos = place.run(src, pos, value)
        except Stop as stop:
            stop.in_(place.up or place, pos)
            raise
        place = place.up
    return value, pos


# --- errors -------------------------------------------------------------------------------------


def unexpected(src: str, pos: int, expected: str) -> Stop:
    """Make what stops at a character that is not allowed here, or at the end of the text."""
    char = src[pos : pos + 1]
    if not char and type(src) is Open:
        return More()
    if not char:
        return Wrong(Code.INCOMPLETE, f"expected {expected}, found the end of the text", pos)
    if FORBIDDEN.match(char):
        return Wrong(Code.CHARACTER, f"U+{ord(char):04X} is not allowed in a text", pos)
    found = "a newline" if char == "\n" else repr(char)
    return Wrong(Code.SYNTAX, f"expected {expected}, found {found}", pos)


def excerpt(src: str, start: int, end: int = 0) -> str:
    """Get what is at `start`, up to its end, for a message; cut.

    Where the end is not known, and more may come, that is the first character: a message says the
    same however the text was cut.
    """
    if end <= start:
        match = _BEGINNING(src, start)
        end = start if match is None else start + 1 if type(src) is Open else match.end()
    found = src[start : min(end, start + 41)]
    return found if len(found) <= 40 else f"{found[:40]}…"


_BEGINNING = re.compile(f"[^{re.escape(''.join(ENDS_VALUE))}]{{1,41}}").match


def too_many_digits(pos: int) -> Wrong:
    """R-1102: a number has so many characters and no more."""
    return Wrong(Code.DIGITS, f"a number of more than {MAX_DIGITS} characters", pos)


def refused(src: str, refusal: tuple[Code, str], start: int, end: int, then: Then = None) -> Wrong:
    """Make the error for a value, read from `start` on, that its type refuses."""
    code, expected = refusal
    found = excerpt(src, start, end)
    return Wrong(code, f"expected {expected}, found {found!r}", start, then)


def no(
    code: Code, what: str, name: str, known: Iterable[str], pos: int, then: Then = None
) -> Wrong:
    """Make the error for a name that is not declared, with the nearest that is as a hint."""
    wrong = Wrong(code, f"no {what} {name[:40]!r}", pos, then)
    wrong.hint = partial(_near, name, known)
    return wrong


def _near(name: str, known: Iterable[str]) -> str | None:
    """Get a hint at the declared name that is nearest. To compare is slow for long names."""
    from difflib import get_close_matches  # noqa: PLC0415 - only errors need it

    short = [candidate for candidate in known if len(candidate) <= 2 * len(name) <= _MAX_NEAR]
    near = get_close_matches(name, short[:_MAX_NEAR], n=1)
    return f"did you mean {near[0]!r}?" if near else None
