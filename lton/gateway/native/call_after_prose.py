"""Find the mark that may begin a call after prose, in text that arrives in chunks.

Only marks of call syntaxes count, and the first of them decides. The answer stays text if the mark
is in a fence, a code span, a list, a table or a quotation, or if text follows the call. Whether the
call is certain is decided later, from evidence (`rescues`).
"""

from lton._patterns import compiled_when_used
from lton.lenient._openings import AFTER_PROSE
from lton.lenient.syntaxes import PREFIX

_WINDOW = 100  # characters of the call that are searched again; no closing mark is longer
_PARTIAL = compiled_when_used(r"(?:<[^<>\n]{0,80}|\[[A-Z_]{0,10})\Z")  # the beginning of a mark
_CLOSER = rf"</{PREFIX}(?:function|invoke|(?:(?:tool|function)_)?calls?)>"
_TEXT_AFTER = compiled_when_used(rf"{_CLOSER}[ ]?[^\s<\[\]]")  # an element followed by text
_SPACES = compiled_when_used(r"\s+")
_SHOWN_LINE = compiled_when_used(r"[ \t]*(?:[-*+\u2022>|#;%$]|\d|/[/*])|[ \t]+\Z")
"""A line of a list, quotation, table or program, or an indented line."""
_FENCES = compiled_when_used(r"`{3}|~{3}")


def may_precede_call(prose: str) -> bool:
    """Return whether a call may directly follow prose, judged by the layout of the prose."""
    line = prose[prose.rfind("\n") + 1 :]
    is_code = _FENCES.search(prose) is not None or prose.count("`") % 2 == 1
    return not is_code and _SHOWN_LINE.match(line) is None


class CallAfterProse:
    """Finds the mark that may begin a call, in prose that arrives in chunks."""

    def __init__(self) -> None:
        self.held_length = 0  # the characters at the end that may belong to a call
        self.has_mark = False
        self.is_over = False  # no call can follow
        self._pieces: list[str] = []
        self._window = ""

    def feed(self, piece: str) -> None:
        if self.is_over:
            return
        if self.has_mark:
            self.held_length += len(piece)
            self._look_for_text_after(self._window + piece)
            return
        self._pieces.append(piece)
        if self._window or "<" in piece or "[" in piece:
            self._look_for_mark(self._window + piece)

    def _look_for_mark(self, window: str) -> None:
        match = AFTER_PROSE.search(window)
        self.has_mark = match is not None
        match = match or _PARTIAL.search(window)
        self._window = window[match.start() :] if match else ""
        self.held_length = len(self._window)
        if self.has_mark:
            self.is_over = not may_precede_call("".join(self._pieces)[: -self.held_length])
            self._look_for_text_after(self._window)

    def _look_for_text_after(self, window: str) -> None:
        window = _SPACES.sub(" ", window)
        self.is_over = self.is_over or _TEXT_AFTER.search(window) is not None
        self._window = window[-_WINDOW:]
