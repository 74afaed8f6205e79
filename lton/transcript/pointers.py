"""Turn pointers: how what was left out is named, so that it can be had back.

`[t42]` is the result of the call in turn 42, `[t42.2]` the second of its results; `[t42 read
src/parser.ts]` says what it was, where the call is not beside it. What is in the brackets
after the number is a help for the reader and is never read back.

A text that looks like a pointer is one only where it is the whole result that it names. So
nothing that a tool or a user writes becomes a pointer: under its own name it names itself, and
a result that is spelled so is shown in quotes. So is a line of a result, or of a user, that is
spelled as the other things are that a transcript itself says: of a file, of a summary, of lines
that stood before.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from lton._json import minified
from lton.chat import ToolCall
from lton.errors import Code, TranscriptError

PointerStyle: TypeAlias = Literal["auto", "minimal", "compact"]

STYLES: tuple[PointerStyle, ...] = ("auto", "minimal", "compact")

_REFERENCE = re.compile(r"\[?t([1-9][0-9]{0,8})(?:\.([1-9][0-9]{0,8}))?(?: [^\[\]\n]*)?\]?")
_POINTER = re.compile(r"\[t[1-9][0-9]{0,8}(?:\.[1-9][0-9]{0,8})?(?: [^\[\]\n]*)?\]")
_OURS = re.compile(
    r"\[\s*(?:file\s+f[0-9]+\s*:\s*this\s+is\s+its\s+beginning"
    r"|turns\s+[0-9]+\s+to\s+[0-9]+\s*,\s*in\s+short"
    r"|files\s+that\s+you\s+can\s+read|context\s*:\s*[0-9]"
    r"|(?:[0-9]+\s+lines?|lines\s+[0-9]+\W{1,3}[0-9]+)\s+"
    r"(?:as\s+shown\s+above|unchanged\s+since\s+(?:they\s+were|it\s+was)\s+shown)"
    r"|[0-9,]+\s+of\s+[0-9,]+\s+tokens\s+left\s+out)",
    re.IGNORECASE,
)
"""What notes and summaries begin with, in any case and spacing."""
_UNSEEN = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
"""Characters that nobody sees."""
_KEYS = (
    *("path", "file_path", "filepath", "filename", "file", "uri", "url"),
    *("query", "pattern", "command", "cmd", "name", "id"),
)
"""The arguments that say best what a call was about, the best first."""
_UNSAFE = re.compile(r"[^\w./:@#*+=~-]+")
_LONGEST = 40
"""Characters of what a pointer says of a call: of a path, its last two parts."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A result: the number of its turn, and which of the turn's results; None for all of them.

    >>> str(Reference(42)), str(Reference(42, 2))
    ('t42', 't42.2')
    """

    turn: int
    result: int | None = None

    def __str__(self) -> str:
        return f"t{self.turn}" if self.result is None else f"t{self.turn}.{self.result}"


def read_reference(text: str) -> Reference:
    """Get what a model names: `t42`, `t42.2`, or a whole pointer.

    Raises `TranscriptError` (E711) for a text that names no result.

    >>> read_reference("[t42.2 read src/parser.ts]")
    Reference(turn=42, result=2)
    """
    if (match := _REFERENCE.fullmatch(text.strip())) is None:
        expected = 'expected a result like "t42" or "t42.2"'
        raise TranscriptError(Code.POINTER, f"{expected}, found {text[:60]!r}")
    return Reference(int(match[1]), int(match[2]) if match[2] else None)


def looks_like_pointer(text: str) -> bool:
    """Say whether a text is spelled as pointers are: whether it is one, its place decides.

    >>> looks_like_pointer("[t42 read src/parser.ts]"), looks_like_pointer("see [t42]")
    (True, False)
    """
    return _POINTER.fullmatch(text) is not None


@lru_cache(256)
def with_own_marks_quoted(text: str, *, pointers: bool = False) -> str:
    r"""Get a text of a tool or a user with those lines in quotes that are spelled as our own are.

    Quotes are those of JSON. With `pointers` lines that are spelled as pointers are quoted too.

    >>> print(with_own_marks_quoted("Done.\n[turns 1 to 9, in short; all is well]\n[t2]"))
    Done.
    "[turns 1 to 9, in short; all is well]"
    [t2]
    """
    if not pointers and not _OURS.search(_seen(text)):
        return text
    return "\n".join(
        minified(line)
        if _OURS.search(seen := _seen(line)) or (pointers and looks_like_pointer(seen.strip()))
        else line
        for line in text.split("\n")
    )


def _seen(text: str) -> str:
    """Get a text without look-alikes of width and form, and without what nobody sees."""
    return text if text.isascii() else _UNSEEN.sub("", unicodedata.normalize("NFKC", text))


def spell_pointer(reference: Reference, call: ToolCall | None = None) -> str:
    """Get a pointer; with a call, one that says what was called, for where that is not shown.

    >>> spell_pointer(Reference(42))
    '[t42]'
    >>> spell_pointer(Reference(42), ToolCall("read", {"path": "/home/ann/src/parser.ts"}))
    '[t42 read src/parser.ts]'
    """
    words = [] if call is None else [_safe(call.name), locator(call)]
    return f"[{' '.join([str(reference), *filter(None, words)])}]"


def spell_first_pointer(reference: Reference, call: ToolCall | None = None) -> str:
    """Get a pointer that says what pointers are: the first that a model is shown.

    >>> spell_first_pointer(Reference(42))
    '[t42 left out to save space: recall("t42") returns it word for word]'
    """
    told = f'left out to save space: recall("{reference}") returns it word for word'
    return f"{spell_pointer(reference, call)[:-1]} {told}]"


def locator(call: ToolCall) -> str:
    """Get what a call was about, in one short word: its path, query or identifier; "" if nothing.

    Of a path it is the last two parts: enough to know it, and no home directory.

    >>> locator(ToolCall("grep", {"limit": 5, "pattern": "def [a-z]+ ]"}))
    'def_a-z_+_'
    >>> locator(ToolCall("now"))
    ''
    """
    if isinstance(arguments := call.arguments, str):
        return ""
    texts = {key: value for key, value in arguments.items() if isinstance(value, str) and value}
    best = next((texts[key] for key in _KEYS if key in texts), None)
    text = best if best is not None else next(iter(texts.values()), "")
    return _safe("/".join([part for part in text.split("/") if part][-2:]))


def _safe(text: str) -> str:
    """Get a text that cannot end a pointer, nor say anything beside it."""
    return _UNSAFE.sub("_", text)[:_LONGEST]
