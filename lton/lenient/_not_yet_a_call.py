"""Pass on the beginning of a stream, up to the first position at which a call may begin."""

from lton._patterns import compiled_when_used
from lton.lenient._coerce import fold
from lton.lenient._openings import is_call_word
from lton.schema.toolset import ToolSet

_LONGEST = 256  # the number of characters of a line that are examined; a call may begin after them
_LINE = compiled_when_used(
    r"(?>[ \t\r]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)*)"
    r"(?:((?>[\w./-]+))([^\w./-])|([^\w\s./\-*+•!@&\"'`~<\[{\u25c1]))"
)
"""The start of a line, up to the point that shows that the line is not a call: a word and the
character after it, or a character that begins neither a call nor a mark before a call."""
_LINE_MAY_BE = compiled_when_used(r"[ \t\r]*(?:(?:[-*+•]|\d{1,3}[.)])(?:[ \t]+|\Z))*[\w./-]*")
_BLANK = compiled_when_used(r"[ \t\r]*\n")
_INSIDE = compiled_when_used("[<\\[{\u25c1\n]|to=")  # begins a call inside a line, or ends the line


class Plain:
    r"""Passes on streamed text up to the first position at which a call may begin.

    After a possible call, `feed` returns no more text. Read the rest with `decode_lenient`. The
    result depends only on the text, and not on how the text is cut into chunks.

    >>> plain = Plain(ToolSet.from_prompt("wait(minutes:int)"))
    >>> [plain.feed(chunk) for chunk in ["Let me ", "see", ".\nwa", "it 5", "\nDone."]]
    ['Let me ', 'see', '.\n', '', '']
    """

    def __init__(self, tools: ToolSet | None) -> None:
        names = [] if tools is None else [*tools.by_name, *tools.under_aliases.by_name]
        self._names = frozenset(map(fold, names))
        self._has_begun = tools is None
        self._is_inside = False
        self._held = ""

    def feed(self, chunk: str) -> str:
        """Add a chunk and return text that is certain to contain no call."""
        if self._has_begun:
            return ""
        text = self._held + chunk
        pos = 0
        while pos < len(text) and not self._has_begun:
            if not self._is_inside:
                match = _LINE.match(text, pos)
                if match is None:
                    if blank := _BLANK.match(text, pos):
                        pos = blank.end()
                        continue
                    is_long = len(text) - pos > _LONGEST
                    self._has_begun = is_long or _LINE_MAY_BE.fullmatch(text, pos) is None
                    break
                if match[1] and self._may_call(match[1], match[2]):
                    self._has_begun = True
                    break
                self._is_inside = True
                pos = match.start(match.lastindex or 0)
            boundary = _INSIDE.search(text, pos)
            if boundary is None:
                pos = len(text) - next(n for n in (2, 1, 0) if text.endswith("to"[:n]))
                break
            self._is_inside = boundary[0] != "\n"
            self._has_begun = self._is_inside
            pos = boundary.end() if boundary[0] == "\n" else boundary.start()
        self._held = text[pos:]
        return text[:pos]

    def _may_call(self, word: str, after: str) -> bool:
        return after in "(:#=`<[{" or fold(word) in self._names or is_call_word(word)
