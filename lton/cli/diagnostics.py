"""Add hints and line numbers to errors."""

import re
from bisect import bisect_left

from lton.errors import DecodeError

_HINTS = {
    "\r": "`lton decode --lenient` reads the line ends of Windows",
    "\ufeff": "this is a byte order mark, which LTON does not have",
    "\\": "a string with a backslash needs quotes, and no escapes",
}  # hints for characters that are not allowed in some places


def with_hint(error: DecodeError) -> DecodeError:
    """Add a hint to an error about an unexpected character, if a hint is known."""
    char = error.doc[error.pos : error.pos + 1]
    if char in _HINTS and error.msg.endswith(f"found {char!r}"):
        error.hint = error.hint or _HINTS[char]
    return error


class LineNumbers:
    """Finds the line numbers of positions in a string."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [match.start() for match in re.finditer("\n", text)]

    def line_number_of(self, pos: int) -> int:
        """Return the line number of a position, counted from 1."""
        return bisect_left(self._ends, pos) + 1

    def with_line_number(self, error: DecodeError) -> DecodeError:
        """Reduce the `doc` of an error to the line that contains the error."""
        number = self.line_number_of(error.pos)
        start = self._ends[number - 2] + 1 if number > 1 else 0
        end = self._ends[number - 1] if number <= len(self._ends) else len(self._text)
        error.doc = self._text[start:end]
        error.start = start
        error.first_line = number
        return error
