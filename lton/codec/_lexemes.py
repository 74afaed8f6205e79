"""The lexemes (§3), each read from a position in a text. No schema here.

A reader gives what it has read and the position after it, or stops: `Wrong` says what is not
right, `More` that the text is too short to say. Only an `Open` text may go on; the end of any
other ends what is there. So a reader asks whether more may come only where the text runs out.
"""

import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

from lton._syntax import (
    BACKTICKS,
    ENDS_VALUE,
    FORBIDDEN,
    KEEPS,
    LINE_TEXT,
    MAX_CALL,
    MAX_COUNT_DIGITS,
    MAX_DIGITS,
    NAME,
    QUOTED,
    fence_end,
    is_allowed,
    may_be_length,
)
from lton.errors import Code, DecodeError, Hint, IncompleteError, pointer
from lton.events import Event

Noun: TypeAlias = str | Callable[[], str]
"""What is expected, in words; a function where that takes time to say."""
May: TypeAlias = Callable[[str, "re.Pattern[str] | None"], bool] | None
"""Says of the beginning of a lexeme whether some continuation of it is right; None: all are.

The pattern is what the whole has to match; None if it may be anything.
"""
Skips: TypeAlias = Callable[[str], object] | None
"""Says of the next piece of text that a lexeme goes on through it, and nothing is decided."""
Then: TypeAlias = Callable[[], tuple[Any, int]] | None
"""Gets a value and the position after it, as if what is wrong were not."""
UNREAD: Any = object()
"""In the place of a value: it is to be read."""
WAIT: Any = object()
"""In the place of a value: there is not enough of it, but what there is can go on."""


class Open(str):
    """The beginning of a text that may go on, up to the position `stop` (R-1104).

    Where a reader gives `WAIT`, the text says where that was; what it said before is void. That
    is `More` without an exception, where nothing can be wrong and nothing is to be told.
    """

    __slots__ = ("at", "place", "skips", "stop", "value")
    stop: int
    place: "Place"
    at: int
    value: Any
    skips: "Skips"

    def wait(self, place: "Place", at: int, value: Any, skips: "Skips") -> tuple[Any, int]:
        """Wait in this place, with this value, at `at`, for what skips not."""
        self.place, self.at, self.value, self.skips = place, at, value, skips
        return WAIT, at


class Place(ABC):
    """What a value is in: the group around it, or the frame. It can be gone on from."""

    up: "Place | None" = None
    step: str | int | None = None
    depth = 0
    counted_end = -1
    """Where the last counted text ended: if nothing fits there, its length is wrong (R-307)."""
    deltas: deque[Event] | None = None
    """Where pieces of strings go, if they are reported."""
    reported = 0
    """Characters of the string at this step that have been reported."""
    waits = False
    """It may give `WAIT`."""

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
        steps: list[str | int] = []
        place: Place | None = self
        while place is not None:
            steps.extend(reversed(place.steps))
            place = place.up
        return tuple(reversed(steps))


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
    """The text is too short. `expected` is what would go on, from `part` on it is a lexeme."""

    spelling: "re.Pattern[str] | None" = None
    """What the whole lexeme has to match."""
    closer: str | None = None
    """What ends it if it is a text, of which all before that is certain; else None."""
    is_raw = False
    """What is in it is judged at its end."""
    left = MAX_CALL
    """The lexeme goes on through less than so many characters."""

    def __init__(self, expected: Noun, part: int = 0, may: May = None, skips: Skips = None) -> None:
        self.expected = expected
        self.part = part
        self.may = may
        self.skips = skips

    def held(self, text: str) -> int:
        """Get how many characters at the end of a text may belong to what closes it."""
        return held(text, self.closer or "")

    def is_alive(self, src: str) -> bool:
        """R-803: say whether some continuation of the text is right.

        A lexeme is judged by its first characters, and not again when it is longer.
        """
        if (may := self.may) is None:
            return True
        if len(src) - self.part > MAX_DIGITS:
            self.may = None
        part = "" if self.is_raw else src[self.part : self.part + MAX_DIGITS + 1]
        return may(part, self.spelling)


def held(text: str, closer: str) -> int:
    """Get how many characters at the end of a text begin what closes it."""
    return next(n for n in range(len(closer), -1, -1) if text.endswith(closer[:n]))


class Wrong(Stop):
    """The text is not right. Where `then` reads on nevertheless, more errors can be found."""

    def __init__(
        self,
        code: Code,
        msg: str,
        pos: int,
        *,
        hint: Hint = None,
        then: "Then" = None,
    ) -> None:
        self.code = code
        self.msg = msg
        self.pos = pos
        self.hint = hint
        self.then = then
        self.path = ""  # of what is wrong, where the place does not say it

    def error(self, doc: str) -> DecodeError:
        kind = IncompleteError if self.code == Code.INCOMPLETE else DecodeError
        path = self.path or pointer(self.place.path if self.place else ())
        return kind(self.code, self.msg, doc=doc, pos=self.pos, path=path, hint=self.hint)


def go_on(src: str, pos: int, place: Place | None, value: Any) -> tuple[Any, int]:
    """Read on from where reading stopped, up to the end of the frame, or to where it waits."""
    while place is not None:
        try:
            value, pos = place.run(src, pos, value)
        except Stop as stop:
            if place.up is not None:
                stop.in_(place.up, pos)
            raise
        if value is WAIT:
            break
        place = place.up
    return value, pos


# --- errors -------------------------------------------------------------------------------------


def unexpected(src: str, pos: int, expected: Noun) -> Stop:
    """Make what stops at a character that is not allowed here, or at the end of the text."""
    char = src[pos : pos + 1]
    if not char and type(src) is Open:
        return More(expected)
    expected = expected if isinstance(expected, str) else expected()
    if not char:
        return Wrong(Code.INCOMPLETE, f"expected {expected}, found the end of the text", pos)
    if FORBIDDEN.match(char):
        return Wrong(Code.CHARACTER, f"U+{ord(char):04X} is not allowed in a text", pos)
    found = "a newline" if char == "\n" else repr(char)
    return Wrong(Code.SYNTAX, f"expected {expected}, found {found}", pos)


def excerpt(src: str, start: int, end: int = 0) -> str:
    """Get what is at `start`, up to its end, for a message; cut."""
    limit = min(len(src), start + 41)
    if end <= start:
        end = next((i for i in range(start, limit) if src[i] in ENDS_VALUE), limit)
    found = src[start : min(end, limit)]
    return found if len(found) <= 40 else f"{found[:40]}…"


# --- strings ------------------------------------------------------------------------------------


def quoted(src: str, pos: int, may: May = None, noun: Noun = "") -> tuple[str, int]:
    """R-306: a quoted string, from its opening quote on."""
    quote = src[pos]
    match = QUOTED[quote].match(src, pos)
    assert match is not None  # it matches an open string too, and whoever calls has looked
    if match[2]:
        return match[1], match.end()
    end, text = match.end(), LINE_TEXT[quote]
    if end == len(src) and type(src) is Open:
        more = More(noun, pos + 1, may, in_quotes(quote))
        more.spelling, more.closer = text, ""
        raise more
    if src[end : end + 1] in ("\n", "\r"):
        hint = "text with lines is counted (sN:…) or fenced"
        raise Wrong(Code.UNCLOSED, "no closing quote", pos, hint=hint)
    raise unexpected(src, end, f"a closing {quote}")


def in_quotes(quote: str) -> Callable[[str], object]:
    """Get what says whether a piece goes on a quoted string; of most, without the pattern."""
    matches = LINE_TEXT[quote].fullmatch
    return lambda piece: (quote not in piece and piece.isprintable()) or matches(piece)


def fenced(src: str, pos: int, may: May = None, noun: Noun = "") -> tuple[str, int]:
    """R-308: a fenced text, from its first backtick on. What is in it is judged at its end."""
    match = BACKTICKS.match(src, pos)
    assert match is not None  # whoever calls has looked
    fence, end = match[0], match.end()
    keeps = len(fence) >= 3 and src.startswith(KEEPS, end)
    end += keeps
    if end == len(src) and type(src) is Open:
        more = More(noun, end, may, None if keeps else BACKTICKS.fullmatch)
        more.is_raw = True
        raise more
    char = src[end : end + 1]
    if len(fence) < 3 or not char:
        raise unexpected(src, end, "a fence: three backticks and a newline")
    if char != "\n":
        if FORBIDDEN.match(char):
            raise unexpected(src, end, "a newline")
        raise Wrong(Code.FENCE, "expected a newline after a fence", end)
    close = src.find(f"\n{fence}", end)
    stop = len(src) if close < 0 else fence_end(end + 1, close, keeps=keeps)
    text = _allowed(src, end + 1, stop)
    if close >= 0:
        return text, close + 1 + len(fence)
    if type(src) is Open:
        tail = src[max(end, len(src) - len(fence)) :]
        more = More(noun, end + 1, may, Unclosed(f"\n{fence}", tail).skips)
        more.closer, more.is_raw = f"\n{fence}", True
        raise more
    raise unexpected(src, len(src), f"a line of {fence[:20]}")


class Unclosed:
    """Waits for what closes a text, which may come in pieces."""

    __slots__ = ("closer", "last")

    def __init__(self, closer: str, tail: str) -> None:
        self.closer = closer
        self.last = deque([tail], maxlen=len(closer))
        """Pieces before the next, of which none is empty: as many as the closer can be in."""

    def skips(self, piece: str) -> bool:
        is_part = self.closer[-1] in piece
        if piece:
            self.last.append(piece)
        return is_allowed(piece) and not (is_part and self.closer in "".join(self.last))


def length(src: str, match: re.Match[str]) -> tuple[str, int, int]:
    """Get the letter and the number of a prefix, and the position after its colon."""
    letter, digits = match.groups()
    if not may_be_length(digits):
        msg = f"expected a length of up to {MAX_COUNT_DIGITS} digits, without leading zeros"
        raise Wrong(Code.PREFIX, msg, match.start())
    if src[match.end() : match.end() + 1] != ":":
        raise unexpected(src, match.end(), "a colon after the length")
    return letter, int(digits), match.end() + 1


def counted(
    src: str, pos: int, size: int, may: May = None, noun: Noun = "", *, is_text: bool = True
) -> tuple[str, int]:
    """R-307, R-502: so many characters, whatever they are."""
    end = pos + size
    if type(src) is Open and end > src.stop:
        raise Wrong(Code.CALL_SIZE, f"no room for {size} characters", 0)
    text = _allowed(src, pos, end)
    left = end - len(src)
    if left <= 0:
        return text, end
    if type(src) is Open:
        more = More(noun, pos, may, is_allowed)
        more.closer, more.left = "" if is_text else None, left
        raise more
    raise unexpected(src, len(src), f"{left} more characters of a counted text")


def text(src: str, pos: int, may: May = None, noun: Noun = "") -> tuple[str, int]:
    """Read a quoted or a fenced string. A backtick may become a fence where more may come."""
    may_be_fence = src[pos] == "`" and pos + 1 == len(src) and type(src) is Open
    is_fence = may_be_fence or src.startswith("``", pos)
    return (fenced if is_fence else quoted)(src, pos, may, noun)


def name(src: str, pos: int, what: str, may: May = None) -> tuple[str, int]:
    """R-303: the name of a tool or a key: bare, quoted or fenced."""
    if src[pos : pos + 1] in TEXT_OPENERS:
        try:
            return text(src, pos, may, what)
        except More as more:
            more.closer = None  # it is no value
            raise
    match = NAME.match(src, pos)
    end = match.end() if match else pos
    if end == len(src) and type(src) is Open:
        raise run_out(what, pos, may, match and NAME)
    if match is None:
        raise unexpected(src, pos, what)
    return match[0], end


def run_out(noun: Noun, pos: int, may: May, run: "re.Pattern[str] | None") -> More:
    """Make what stops where a run of characters reaches the end of a text that may go on."""
    more = More(noun, pos, may, run.fullmatch if run else None)
    more.spelling = run
    return more


TEXT_OPENERS = frozenset("\"'`")


def _allowed(src: str, start: int, end: int) -> str:
    """Get a piece of raw text; R-202 forbids some characters even there."""
    piece = src[start:end]
    if not is_allowed(piece):
        match = FORBIDDEN.search(piece)
        assert match is not None  # is_allowed has seen it
        raise unexpected(src, start + match.start(), "text")
    return piece
