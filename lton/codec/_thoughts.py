"""Read thoughts (R-430): the reasoning that a model writes between two marks."""

import re

from lton._syntax import Marks, Thoughts, find_thought_marks
from lton.codec._lexemes import Unclosed
from lton.codec._stops import More, Open, Skips, Wrong
from lton.errors import Code
from lton.events import Prose, Thinking

_SPACE = re.compile(r"[ \t\r\n]*")


class ThoughtReader:
    """Reads thoughts at the start of the text or, with `prose`, at the start of each line.

    If the opening mark is empty, the text begins inside a thought. A thought is reported line by
    line, or with `deltas` in pieces as it arrives.
    """

    def __init__(self, marks: Marks, *, prose: bool, deltas: bool) -> None:
        self.opening, self.closing = marks
        self.prose = prose and bool(self.opening)
        self.deltas = deltas
        self.is_open = not self.opening
        self.is_over = False  # whether no more thoughts can follow
        self._is_first = True
        self._is_behind = False

    def read(self, text: str, pos: int) -> tuple[Thinking | None, int] | None:
        """Read a piece of a thought and return the piece and its end.

        Return None if there is no thought. Raises `More` if the text is too short to decide.
        """
        if self.is_open:
            return self._read_inside_thought(text, pos)
        at = pos
        if self._is_first or self._is_behind:  # only there, white space before a thought is skipped
            space = _SPACE.match(text, pos)
            assert space is not None  # the pattern also matches an empty string
            at = space.end()
        if self._is_behind and at > pos:
            return None, at
        self._is_behind = False
        if not self._is_first and not self.prose:
            self.is_over = True
            return None
        mark = text[at : at + len(self.opening)]
        if mark == self.opening:
            self.is_open = True
            self._is_first = False
            return None, at + len(mark)
        if type(text) is Open and self.opening.startswith(mark):
            raise More(skips=None if mark else _SPACE.fullmatch)
        self._is_first = False
        self.is_over = not self.prose
        return None

    def _read_inside_thought(self, text: str, pos: int) -> tuple[Thinking, int]:
        end = -1 if self.deltas else text.find("\n", pos)
        close = text.find(self.closing, pos, len(text) if end < 0 else end)
        if close >= 0:
            self.is_open = False
            self._is_first = False
            self._is_behind = True
            return Thinking(text[pos:close], complete=True), close + len(self.closing)
        if end >= 0:
            return Thinking(text[pos : end + 1], complete=False), end + 1
        if type(text) is not Open:
            msg = f"expected {self.closing}, found the end of the text"
            raise Wrong(Code.INCOMPLETE, msg, len(text))
        certain = len(text) - _count_held_characters(text, self.closing)
        if self.deltas and certain > pos:
            return Thinking(text[pos:certain], complete=False), certain
        raise More(skips=None if self.deltas else self._skips_after(text))

    def _skips_after(self, text: str) -> Skips:
        unclosed = Unclosed(self.closing, text[1 - len(self.closing) :])
        return lambda piece: "\n" not in piece and unclosed.skips(piece)


def _count_held_characters(text: str, closer: str) -> int:
    return next(n for n in range(len(closer), -1, -1) if text.endswith(closer[:n]))


def first_thought(text: str, thoughts: Thoughts) -> tuple[str, int]:
    r"""Return the thought at the start of a string, and its end. Without one, return "" and 0.

    Raises `IncompleteError` for a thought without an end, and `ValueError` for invalid marks.

    >>> first_thought("<think>wait 5?</think>\n\nwait 7", True)
    ('wait 5?', 24)
    """
    marks = find_thought_marks(thoughts)
    if marks is None:
        return "", 0
    reader = ThoughtReader(marks, prose=False, deltas=False)
    texts: list[str] = []
    pos = 0
    try:
        while (piece := reader.read(text, pos)) is not None:
            thought, pos = piece
            texts += [thought.text] if thought else []
    except Wrong as wrong:
        raise wrong.to_decode_error(text) from None
    return "".join(texts), pos


class FirstThought:
    """Separates a thought at the start of streamed text from the prose after it."""

    def __init__(self, marks: Marks) -> None:
        self._reader = ThoughtReader(marks, prose=False, deltas=True)
        self._held = ""
        self._is_over = False

    def feed(self, chunk: str) -> list[Thinking | Prose]:
        """Add a chunk and return the new pieces of the thought, and the new text after it."""
        if self._is_over:
            return [Prose(chunk)]
        text = Open(self._held + chunk)
        pos = 0
        events: list[Thinking | Prose] = []
        try:
            while not self._is_over and pos < len(text):
                piece = self._reader.read(text, pos)
                self._is_over = piece is None
                if piece is not None:
                    thought, pos = piece
                    events += [thought] if thought else []
        except More:
            pass
        self._held = text[pos:]
        return [*events, *self.flush()] if self._is_over else events

    def flush(self) -> list[Thinking | Prose]:
        """Return the text that is held back. A thought without an end is complete."""
        text = self._held
        is_in_thought = self._reader.is_open and not self._is_over
        self._held = ""
        self._is_over = True
        if is_in_thought:
            return [Thinking(text, complete=True)]
        return [Prose(text)] if text else []
