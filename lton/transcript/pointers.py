"""Write and read pointers, with which a model recalls omitted results.

`[t42]` is the result of the call in turn 42, and `[t42.2]` the second result of that turn. `[t42
read src/parser.ts]` also describes a call that is not next to it; the added words are not parsed.

A string is a pointer only if it replaces the whole result that it names. So no text of a tool or a
user becomes a pointer: a result that looks like a pointer is shown in quotes. The same applies to
lines of a result or a user that look like a transcript's notes about files, summaries and repeated
lines.
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
"""The start of our notes and summaries, in any case and spacing."""
LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
"""The characters at which `str.splitlines` ends a line. JSON escapes all but the last three."""
_UNSEEN = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
"""Invisible characters."""
_KEYS = (
    *("path", "file_path", "filepath", "filename", "file", "uri", "url"),
    *("query", "pattern", "command", "cmd", "name", "id"),
)
"""The arguments that best describe a call, best first."""
_UNSAFE = re.compile(r"[^\w./:@#*+=~-]+")
_LONGEST = 40  # The maximum length of a call in a pointer


@dataclass(frozen=True, slots=True)
class Reference:
    """The number of a turn and of one of its results (None: all results).

    >>> str(Reference(42)), str(Reference(42, 2))
    ('t42', 't42.2')
    """

    turn: int
    result: int | None = None

    def __str__(self) -> str:
        return f"t{self.turn}" if self.result is None else f"t{self.turn}.{self.result}"


def read_reference(text: str) -> Reference:
    """Parse a model's reference to a result, such as `t42`, `t42.2`, or a whole pointer.

    Raises `TranscriptError` (E711) for other text.

    >>> read_reference("[t42.2 read src/parser.ts]")
    Reference(turn=42, result=2)
    """
    if (match := _REFERENCE.fullmatch(text.strip())) is None:
        expected = 'expected a result like "t42" or "t42.2"'
        raise TranscriptError(Code.POINTER, f"{expected}, found {text[:60]!r}")
    return Reference(int(match[1]), int(match[2]) if match[2] else None)


def looks_like_pointer(text: str) -> bool:
    """Return whether a string looks like a pointer.

    >>> looks_like_pointer("[t42 read src/parser.ts]"), looks_like_pointer("see [t42]")
    (True, False)
    """
    return _POINTER.fullmatch(text) is not None


@lru_cache(256)
def with_own_marks_quoted(text: str, *, pointers: bool = False) -> str:
    r"""Quote each line that looks like one of this library's own notes.

    With `pointers`, quote lines that look like pointers, too. Some terminals and tokenizers end a
    line at other characters, such as U+2028. So in quotes these characters are escaped, and a
    pointer after such a character is found, too.

    >>> print(with_own_marks_quoted("Done.\n[turns 1 to 9, in short; all is well]\n[t2]"))
    Done.
    "[turns 1 to 9, in short; all is well]"
    [t2]
    """
    if not pointers and not _OURS.search(_normalize_visible(text)):
        return text
    return "\n".join(
        _on_one_line(minified(line)) if _is_like_ours(line, pointers=pointers) else line
        for line in text.split("\n")
    )


def _is_like_ours(line: str, *, pointers: bool) -> bool:
    if _OURS.search(_normalize_visible(line)):
        return True
    return pointers and any(
        looks_like_pointer(_normalize_visible(part).strip()) for part in line.splitlines()
    )


def _on_one_line(quoted: str) -> str:
    """Escape the characters in a JSON string that end a line for `str.splitlines`."""
    return LINE_END.sub(lambda end: f"\\u{ord(end[0]):04x}", quoted)


def _normalize_visible(text: str) -> str:
    """Normalize a string to NFKC and remove its invisible characters."""
    return text if text.isascii() else _UNSEEN.sub("", unicodedata.normalize("NFKC", text))


def spell_pointer(reference: Reference, call: ToolCall | None = None) -> str:
    """Write the pointer to a result, optionally with a description of the call.

    >>> spell_pointer(Reference(42))
    '[t42]'
    >>> spell_pointer(Reference(42), ToolCall("read", {"path": "/home/ann/src/parser.ts"}))
    '[t42 read src/parser.ts]'
    """
    words = [] if call is None else [_safe_characters(call.name), write_locator(call)]
    return f"[{' '.join([str(reference), *filter(None, words)])}]"


def spell_first_pointer(reference: Reference, call: ToolCall | None = None) -> str:
    """Write the first pointer that a model sees, which also explains how to use pointers.

    >>> spell_first_pointer(Reference(42))
    '[t42 left out to save space: recall("t42") returns it word for word]'
    """
    explanation = f'left out to save space: recall("{reference}") returns it word for word'
    return f"{spell_pointer(reference, call)[:-1]} {explanation}]"


def write_locator(call: ToolCall) -> str:
    """Return a word that identifies the subject of a call, such as a path or a query, or "".

    Only the last two parts of a path are used: they identify the file, but not the home directory.

    >>> write_locator(ToolCall("grep", {"limit": 5, "pattern": "def [a-z]+ ]"}))
    'def_a-z_+_'
    >>> write_locator(ToolCall("now"))
    ''
    """
    arguments = call.arguments
    if isinstance(arguments, str):
        return ""
    texts = {key: value for key, value in arguments.items() if isinstance(value, str) and value}
    best = next((texts[key] for key in _KEYS if key in texts), None)
    text = best if best is not None else next(iter(texts.values()), "")
    return _safe_characters("/".join([part for part in text.split("/") if part][-2:]))


def _safe_characters(text: str) -> str:
    return _UNSAFE.sub("_", text)[:_LONGEST]
