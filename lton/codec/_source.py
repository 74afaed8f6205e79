"""The text as it comes, and the lexemes in it (§3). No schema here.

Every reader is a generator, because a text may come in chunks: it yields None where it needs more
text, and goes on from there. With the whole text at hand (`ended`) it never waits. What has been
read is forgotten, so positions are absolute: `at` is the index into the text from its beginning.
"""

import re
from collections.abc import Callable, Generator
from types import EllipsisType
from typing import TypeAlias, TypeVar

from lton._syntax import (
    ATOM_HEAD,
    BACKTICKS,
    FORBIDDEN,
    LINE_TEXT,
    MAX_COUNT_DIGITS,
    MAX_DIGITS,
    NAME,
    is_allowed,
    may_be_length,
)
from lton.errors import Code, DecodeError, Hint, IncompleteError, pointer
from lton.events import Event
from lton.schema.types import JSON

T = TypeVar("T")
Perhaps: TypeAlias = "JSON | EllipsisType"
"""A value; `...` where a quick reader leaves it to the one that reads everything."""
Reading: TypeAlias = Generator[Event | None, None, T]
Pattern: TypeAlias = re.Pattern[str]
Viable: TypeAlias = Callable[[str, Pattern | None], bool]
"""Says of the beginning of a lexeme whether some continuation of it is right.

The pattern is what the whole has to match; None if it may be anything.
"""


class Source:
    """A text, the position in it, and the path into the arguments that are being read."""

    def __init__(self, text: str = "", *, pos: int = 0, ended: bool = False) -> None:
        self.text = text
        self.pos = pos
        self.base = 0
        self.ended = ended
        self.path: list[str | int] = []
        self.counted_end = -1
        """Where the last counted text ended: if nothing fits there, its length is wrong (R-24)."""
        self.start = 0
        """Where the frame began."""
        self.stop: int | None = None
        """Where the call must have ended (R-64); None for no such limit."""

    @property
    def at(self) -> int:
        return self.base + self.pos

    def feed(self, chunk: str) -> None:
        """Add text behind what is here, and forget what has been read."""
        self.base += self.pos
        self.text = self.text[self.pos :] + chunk
        self.pos = 0

    # --- characters -----------------------------------------------------------------------------

    def peek(self, ahead: int = 0, *, may_come: bool = True) -> Reading[str]:
        """Get the next character, or one behind it; "" at the end of the text.

        Where nothing right `may_come`, it is not waited for.
        """
        while self.pos + ahead >= len(self.text):
            if self.ended:
                return ""
            if not may_come:
                raise self._dead_end()
            yield None
        return self.text[self.pos + ahead]

    def here(self, pattern: Pattern) -> re.Match[str] | None:
        """Get what the pattern matches here, if no text that may come can change it."""
        match = pattern.match(self.text, self.pos)
        return match if match and (match.end() < len(self.text) or self.ended) else None

    def run(self, pattern: Pattern, viable: Viable | None = None) -> Reading[str]:
        """Get the longest run of what the pattern, a repeated class of characters, matches."""
        if match := self.here(pattern):
            self.pos = match.end()
            return match[0]  # most are here whole
        pieces: list[str] = []
        while True:
            if match := pattern.match(self.text, self.pos):
                pieces.append(match[0])
                self.pos = match.end()
            if self.pos < len(self.text) or self.ended:
                return "".join(pieces)
            viable = self._judge(pieces, viable, pattern)
            yield None

    def ends(self, closer: str) -> Reading[bool]:
        """Say whether the closer stands here; the end of the text ends a line too (R-10)."""
        if self.pos < len(self.text):
            return self.text[self.pos] == closer
        char = yield from self.peek()
        return char == closer or (not char and closer == "\n")

    # --- strings --------------------------------------------------------------------------------

    def quoted(self, viable: Viable | None = None) -> Reading[str]:
        """R-23: a quoted string, from its opening quote on."""
        start, quote = self.at, self.text[self.pos]
        self.pos += 1
        pieces: list[str] = []
        while True:
            match = LINE_TEXT[quote].match(self.text, self.pos)
            assert match is not None  # it matches the empty text too
            pieces.append(match[0])
            self.pos = match.end()
            if self.pos < len(self.text):
                break
            if self.ended:
                raise self.unexpected(f"a closing {quote}")
            viable = self._judge(pieces, viable, LINE_TEXT[quote])
            yield None
        if self.text[self.pos] in "\n\r":
            hint = "text with lines is counted (sN:…) or fenced"
            raise self.error(Code.UNCLOSED, "no closing quote", start, hint=hint)
        if self.text[self.pos] != quote:
            raise self.unexpected(f"a closing {quote}")
        self.pos += 1
        return "".join(pieces)

    def fenced(self, viable: Viable | None = None) -> Reading[str]:
        """R-25: a fenced text, from its first backtick on. What is in it is judged at its end."""
        may_come = viable is None or viable("", None)
        fence = yield from self.run(BACKTICKS, None if may_come else nothing)
        char = yield from self.peek(may_come=may_come)
        if len(fence) < 3 or not char:
            raise self.unexpected("a fence: three backticks and a newline")
        if char != "\n":
            if FORBIDDEN.match(char):
                raise self.unexpected("a newline")
            raise self.error(Code.FENCE, "expected a newline behind a fence", self.at)
        self.pos += 1
        pieces: list[str] = []
        run = 0  # backticks since the last newline; -1 behind anything else
        while True:
            close, run = _fence_end(self.text, self.pos, fence, run)
            end = len(self.text) if close < 0 else close
            pieces.append(self._allowed(self.pos, end))
            self.pos = end
            if close >= 0:
                # The newline before the fence is not in the text; an empty text has none.
                text = "".join(pieces)[: -len(fence)]
                return text.removesuffix("\n")
            if self.ended:
                raise self.unexpected(f"a line of {fence[:20]}")
            if not may_come:
                raise self._dead_end()
            yield None

    def counted(self, length: int, viable: Viable | None = None) -> Reading[str]:
        """R-24, R-51: so many characters, whatever they are."""
        if self.stop is not None and self.at + length > self.stop:
            self.path.clear()  # it is an error of the call
            raise self.error(Code.CALL_SIZE, f"no room for {length} characters", self.start)
        pieces: list[str] = []
        while True:
            end = min(self.pos + length, len(self.text))
            pieces.append(self._allowed(self.pos, end))
            length -= end - self.pos
            self.pos = end
            if not length:
                self.counted_end = self.at
                return "".join(pieces)
            if self.ended:
                raise self.unexpected(f"{length} more characters of a counted text")
            viable = self._judge(pieces, viable, None)
            yield None

    def length(self, prefix: str, start: int) -> Reading[tuple[str, int]]:
        """Get the letter and the number of a prefix that has been read; its colon comes now."""
        match = ATOM_HEAD.match(prefix)
        assert match is not None  # whoever calls has looked
        letter, digits = match.groups()
        if not may_be_length(digits):
            msg = f"expected a length of up to {MAX_COUNT_DIGITS} digits, without leading zeros"
            raise self.error(Code.PREFIX, msg, start)
        if match.end() < len(prefix) or (yield from self.peek()) != ":":
            raise self.unexpected("a colon behind the length", start + match.end())
        self.pos += 1
        return letter, int(digits)

    def name(self, what: str, viable: Viable | None = None) -> Reading[str]:
        """R-12: the name of a tool or a key: bare, quoted or fenced."""
        may_come = self.pos < len(self.text) or viable is None or viable("", None)
        first = yield from self.peek(may_come=may_come)
        if first and first in "\"'":
            return (yield from self.quoted(viable))
        if first == "`":
            return (yield from self.fenced(viable))
        name = yield from self.run(NAME, viable)
        if not name:
            raise self.unexpected(what)
        return name

    # --- errors ---------------------------------------------------------------------------------

    @property
    def pointer(self) -> str:
        return pointer(self.path)

    def error(self, code: Code, msg: str, at: int, *, hint: Hint = None) -> DecodeError:
        kind = IncompleteError if code == Code.INCOMPLETE else DecodeError
        return kind(code, msg, doc=self.text, pos=at, path=self.pointer, hint=hint)

    def unexpected(self, expected: str, at: int | None = None) -> DecodeError:
        """Make the error for a character that cannot stand here."""
        at = self.at if at is None else at
        char = self.text[at - self.base : at - self.base + 1]
        if not char:
            return self.error(
                Code.INCOMPLETE, f"expected {expected}, found the end of the text", at
            )
        if FORBIDDEN.match(char):
            return self.error(Code.CHARACTER, f"U+{ord(char):04X} cannot stand in a text", at)
        found = "a newline" if char == "\n" else repr(char)
        return self.error(Code.SYNTAX, f"expected {expected}, found {found}", at)

    def _allowed(self, start: int, end: int) -> str:
        """Get a piece of raw text; R-02 forbids some characters even there."""
        piece = self.text[start:end]
        if not is_allowed(piece):
            match = FORBIDDEN.search(piece)
            assert match is not None  # is_allowed has seen it
            raise self.unexpected("text", self.base + start + match.start())
        return piece

    def _judge(
        self, pieces: list[str], viable: Viable | None, spelling: Pattern | None
    ) -> Viable | None:
        """Refuse the beginning of a lexeme that no continuation makes right.

        Get what judges it when more has come: nothing once it is long, for time stays linear.
        """
        if viable is None:
            return None
        part = "".join(pieces)
        if not viable(part[: MAX_DIGITS + 1], spelling):
            raise self._dead_end()
        return viable if len(part) <= MAX_DIGITS else None

    def _dead_end(self) -> DecodeError:
        return self.error(Code.SYNTAX, "nothing that is expected here begins so", self.at)


def nothing(_: str, __: Pattern | None) -> bool:
    """Say that no lexeme begins so, whatever its beginning."""
    return False


def _fence_end(text: str, pos: int, fence: str, run: int) -> tuple[int, int]:
    """Get the position behind the closing fence, or -1, and the run of backticks at the end.

    `run` is that of the text before: backticks since the last newline, -1 behind anything else.
    """
    if run >= 0:
        match = BACKTICKS.match(text, pos)
        found = match.end() - pos if match else 0
        if run + found >= len(fence):
            return pos + len(fence) - run, 0
        if pos + found == len(text):
            return -1, run + found
    close = text.find("\n" + fence, pos)
    if close >= 0:
        return close + 1 + len(fence), 0
    line = text.rfind("\n", pos) + 1
    tail = text[line:] if line else "x"
    return -1, len(tail) if tail == "`" * len(tail) else -1
