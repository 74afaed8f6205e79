"""Read lexemes that do not depend on the schema (§3): strings, lengths and names.

Each function returns the value and the position after the value, or raises a `Stop`.
"""

import re
from collections import deque
from collections.abc import Callable

from lton._syntax import (
    AFTER_FENCE,
    BACKTICKS,
    FORBIDDEN,
    KEEPS,
    LINE_TEXT,
    MAX_COUNT_DIGITS,
    NAME,
    QUOTED,
    SPACED_AFTER_FENCE,
    fence_end,
    is_allowed,
    last_fence,
    may_be_length,
)
from lton.codec._stops import More, Open, Wrong, make_unexpected_character_stop
from lton.errors import Code


def read_quoted(src: str, pos: int) -> tuple[str, int]:
    """Read a quoted string (R-306)."""
    quote = src[pos]
    match = QUOTED[quote].match(src, pos)
    assert match is not None  # the caller has checked; the pattern also matches unclosed strings
    if match[2]:
        return match[1], match.end()
    end = match.end()
    if end == len(src) and type(src) is Open:
        more = More(pos + 1, quote_tester(quote))
        more.closer = ""
        raise more
    if src[end : end + 1] in ("\n", "\r"):
        wrong = Wrong(Code.UNCLOSED, "no closing quote", pos)
        wrong.hint = "text with lines is counted (sN:…) or fenced"
        raise wrong
    raise make_unexpected_character_stop(src, end, f"a closing {quote}")


def quote_tester(quote: str) -> Callable[[str], object]:
    """Return a function that tests whether a chunk can only continue an open quoted string."""
    matches = LINE_TEXT[quote].fullmatch
    return lambda piece: (quote not in piece and piece.isprintable()) or matches(piece)


def read_fenced(src: str, pos: int, *, in_call: bool) -> tuple[str, int]:
    """Read a fenced string (R-308)."""
    match = BACKTICKS.match(src, pos)
    assert match is not None  # the caller has checked
    fence = match[0]
    end = match.end()
    keeps = len(fence) >= 3 and src.startswith(KEEPS, end)
    end += keeps
    if end == len(src) and type(src) is Open:
        raise More(end, None if keeps else BACKTICKS.fullmatch)
    char = src[end : end + 1]
    if len(fence) < 3 or not char:
        raise make_unexpected_character_stop(src, end, "a fence: three backticks and a newline")
    if char != "\n":
        if FORBIDDEN.match(char):
            raise make_unexpected_character_stop(src, end, "a newline")
        raise Wrong(Code.FENCE, "expected a newline after a fence", end)
    start = end + 1
    after = AFTER_FENCE if in_call else None
    close = last_fence(src, fence, start, len(src), after)
    stop = len(src) if close < 0 else fence_end(src, start, close, keeps=keeps)
    text = _read_allowed_text(src, start, stop)
    if close >= 0:
        early = last_fence(src, fence, start, close, SPACED_AFTER_FENCE) if in_call else -1
        if early >= 0:
            msg = "expected a separator or a closer right after a fence"
            raise Wrong(Code.FENCE, msg, early + len(fence))
        return text, close + len(fence)
    if type(src) is Open:
        more = More(start, UnclosedFence(fence, text, after).skips)
        more.closer = fence
        raise more
    raise make_unexpected_character_stop(src, len(src), f"a closing {fence[:20]}")


class Unclosed:
    """Searches for the closing mark of a string that arrives in chunks."""

    __slots__ = ("closer", "last")

    def __init__(self, closer: str, tail: str) -> None:
        self.closer = closer
        self.last = deque([tail], maxlen=len(closer))  # pieces that may contain a part of the mark

    def skips(self, piece: str) -> bool:
        is_part = self.closer[-1] in piece
        if piece:
            self.last.append(piece)
        return is_allowed(piece) and not (is_part and self.closer in "".join(self.last))


class UnclosedFence:
    """Searches for the closing fence of a string that arrives in chunks (R-308)."""

    __slots__ = ("after", "fence", "run")

    def __init__(self, fence: str, text: str, after: re.Pattern[str] | None) -> None:
        self.fence = fence
        self.after = after
        self.run = len(text) - len(text.rstrip("`"))  # the number of backticks at the end

    def skips(self, piece: str) -> bool:
        text = piece.lstrip("`")
        run = self.run + len(piece) - len(text)
        if run >= len(self.fence) and (self.after is None or self.after.match(text)):
            return False
        self.run = len(text) - len(text.rstrip("`")) if text else run
        return last_fence(text, self.fence, 0, len(text), self.after) < 0 and is_allowed(text)


def parse_length(src: str, match: re.Match[str]) -> tuple[str, int, int]:
    """Parse a length. Return its letter, its number, and the position after its colon."""
    letter, digits = match.groups()
    if not may_be_length(digits):
        msg = f"expected a length of up to {MAX_COUNT_DIGITS} digits, without leading zeros"
        raise Wrong(Code.PREFIX, msg, match.start())
    if src[match.end() : match.end() + 1] != ":":
        raise make_unexpected_character_stop(src, match.end(), "a colon after the length")
    return letter, int(digits), match.end() + 1


def read_counted(src: str, pos: int, size: int, *, is_text: bool = True) -> tuple[str, int]:
    """Read a string of `size` characters (R-307, R-502)."""
    end = pos + size
    if type(src) is Open and end > src.stop:
        raise Wrong(Code.CALL_SIZE, f"no room for {size} characters", 0)
    text = _read_allowed_text(src, pos, end)
    missing = end - len(src)
    if missing <= 0:
        return text, end
    if type(src) is Open:
        more = More(pos, is_allowed)
        more.closer = "" if is_text else None
        more.remaining = missing
        more.is_counted = True
        raise more
    raise make_unexpected_character_stop(
        src, len(src), f"{missing} more characters of a counted text"
    )


def read_text(src: str, pos: int, *, in_call: bool = False) -> tuple[str, int]:
    """Read a quoted or fenced string."""
    may_be_fence = src[pos] == "`" and pos + 1 == len(src) and type(src) is Open
    if may_be_fence or src.startswith("``", pos):
        return read_fenced(src, pos, in_call=in_call)
    return read_quoted(src, pos)


def read_name(src: str, pos: int, what: str, *, in_call: bool = False) -> tuple[str, int]:
    """Read the name of a tool or a key: bare, quoted or fenced (R-303)."""
    match = NAME.match(src, pos)
    if match is None and src[pos : pos + 1] in TEXT_OPENERS:
        try:
            return read_text(src, pos, in_call=in_call)
        except More as more:
            more.closer = None  # a name is not a value
            raise
    end = match.end() if match else pos
    if end == len(src) and type(src) is Open:
        raise More(pos, NAME.fullmatch if match else None)
    if match is None:
        raise make_unexpected_character_stop(src, pos, what)
    return match[0], end


def begins_record(src: str, pos: int, *, in_call: bool) -> bool:
    """Return whether a record begins at `pos`, with a parenthesis, a key and `=` (R-318)."""
    try:
        _, end = read_name(src, pos + 1, "a key", in_call=in_call)
    except Wrong:
        return False
    if end == len(src) and type(src) is Open:
        raise More
    return src.startswith("=", end)


TEXT_OPENERS = frozenset("\"'`")


def _read_allowed_text(src: str, start: int, end: int) -> str:
    """Return the text from `start` to `end`. Raises an error for a forbidden character (R-202)."""
    piece = src[start:end]
    if not is_allowed(piece):
        match = FORBIDDEN.search(piece)
        assert match is not None  # `is_allowed` has found a forbidden character
        raise make_unexpected_character_stop(src, start + match.start(), "text")
    return piece
