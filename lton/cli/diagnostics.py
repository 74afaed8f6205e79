"""Diagnostics: errors in a text, with what to do about them, and the numbers of their lines."""

import re
from bisect import bisect_left

from lton.errors import DecodeError

_HINTS = {
    "\r": "`lton decode --lenient` reads the line ends of Windows",
    "\ufeff": "this is a byte order mark, which LTON has not",
    "\\": "a string with a backslash needs quotes, and no escapes",
}
"""What to do about characters that are found where none of them can be."""


def hinted(error: DecodeError) -> DecodeError:
    """Let an error say what to do about the character that it found, where that is known."""
    found = error.doc[error.pos : error.pos + 1]
    if found in _HINTS and error.msg.endswith(f"found {found!r}"):
        error.hint = error.hint or _HINTS[found]
    return error


class LineNumbers:
    """Numbers the lines of a text: for many places in it, and in time linear in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [match.start() for match in re.finditer("\n", text)]

    def of(self, pos: int) -> int:
        """Get the number of the line, from 1, that a position is on."""
        return bisect_left(self._ends, pos) + 1

    def place(self, error: DecodeError) -> DecodeError:
        """Let an error know its line only, so that it need not count."""
        number = self.of(error.pos)
        start = self._ends[number - 2] + 1 if number > 1 else 0
        end = self._ends[number - 1] if number <= len(self._ends) else len(self._text)
        error.doc, error.start, error.first_line = self._text[start:end], start, number
        return error
