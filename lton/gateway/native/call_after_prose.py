"""Decide whether an answer in prose ends with a call in a model's native syntax.

The first mark of a call decides. The answer stays text if the prose before that mark may quote,
document, translate or refuse a call, or if text follows the call. Prose announces a call if its
last sentence is complete and states the next step ("Let me look."), and no word near it indicates
that a call is only shown. This module lists such words for some languages. Without a match, the
answer stays text.
"""

import re
import tomllib
from pathlib import Path

from lton._patterns import compiled_when_used
from lton.lenient._openings import AFTER_PROSE, STRAY

_WINDOW = 100  # characters of the call that are searched again; no closing mark is longer
_PARTIAL = compiled_when_used(r"(?:<[^<>\n]{0,80}|\[[A-Z_]{0,10})\Z")  # the beginning of a mark
_CLOSER = (
    r"</(?:[|\uff5c]{1,2}DSML[|\uff5c]{1,2} ?|\w{1,20}:)?"
    r"(?:function|invoke|(?:(?:tool|function)_)?calls?)>"
)
_TEXT_AFTER = compiled_when_used(rf"{_CLOSER}[ ]?[^\s<\[\]]")  # an element followed by text
_CLOSED = compiled_when_used(rf"<\w.*(?:{_CLOSER}|/>)\s*\Z|(?!<\w).*[>\]}}]\s*\Z", re.DOTALL)
"""A complete call. Calls between special tokens may end with JSON."""
_SPACES = compiled_when_used(r"\s+")
_SAID = 300  # characters before a mark that are searched for words
_ENDS = compiled_when_used(
    r"[^\W_][)\]`*_%]{0,3}[.!?\u2026\u3002\uff01\uff1f\uff61\u061f\u0964]{1,3}[)*_]{0,3}\Z"
)  # the end of a sentence; a colon would introduce a quotation
_STRAY = compiled_when_used(rf"(?:\A|\n)[ \t]*(?:{'|'.join(STRAY)})[ \t]*\r?\n\Z")
_SHOWN_LINE = compiled_when_used(r"[ \t]*(?:[-*+\u2022>|#;%$]|\d|/[/*])|[ \t]+\Z")
"""A line of a list, quotation, table or program, or an indented line."""
_FENCES = compiled_when_used(r"`{3}|~{3}")
_SENTENCE = compiled_when_used(r"[.!?\u3002\uff01\uff1f][)*_]*\s+|[\u3002\uff01\uff1f]|\n")
_WORDS = tomllib.loads(Path(__file__).with_name("prose_words.toml").read_text("utf-8"))


def _any(name: str, *patterns: str) -> str:
    words = "|".join(_WORDS[name].split())
    words = words.replace("*", r"\w*").replace("_", r"\ ").replace("'", "['’]")  # noqa: RUF001
    return "|".join([words, *patterns])


_ANNOUNCES = compiled_when_used(
    rf"(?i:\b(?:(?:{_any('announce')})(?:\ (?:now|first|also|then|just|quickly|try\ to)){{0,2}}\ "
    rf"(?:{_any('use')})|{_any('next', *_WORDS['next_patterns'])})\b)"
    rf"|{'|'.join(_WORDS['announcing_scripts'])}"
)  # phrases that announce the next step
_SHOWS = compiled_when_used(
    rf"(?i:\b(?:{_any('show')}|\w{{2,6}}n['’]t)\b)|{'|'.join(_WORDS['showing_scripts'])}"  # noqa: RUF001
)  # phrases that refuse, forbid, show, quote or translate a call


def announces_call(prose: str) -> bool:
    """Return whether prose may be directly followed by a call."""
    line = prose[prose.rfind("\n") + 1 :]
    stray = _STRAY.search(prose)
    said = (prose[: stray.start()] if stray else prose).rstrip()
    if _SHOWN_LINE.match(line) or _FENCES.search(prose) or prose.count("`") % 2:
        return False
    if not (_ENDS.search(said) or (stray and not said)):
        return False
    said = said[-_SAID:]
    last = _SENTENCE.sub("\n", said).rstrip().rpartition("\n")[2]
    return bool(stray or _ANNOUNCES.search(last)) and _SHOWS.search(said) is None


class CallAfterProse:
    """Finds the mark that may begin a call, in prose that arrives in chunks."""

    def __init__(self) -> None:
        self.held = 0  # the characters at the end that may belong to a call
        self.has_mark = self.is_over = False  # a mark was found, no call can follow
        self._pieces: list[str] = []
        self._window = ""

    def feed(self, piece: str) -> None:
        if self.is_over:
            return
        if self.has_mark:
            self.held += len(piece)
            self._follow(self._window + piece)
            return
        self._pieces.append(piece)
        if self._window or "<" in piece or "[" in piece:
            self._look(self._window + piece)

    def _look(self, window: str) -> None:
        found = AFTER_PROSE.search(window)
        self.has_mark = found is not None
        found = found or _PARTIAL.search(window)
        self._window = window[found.start() :] if found else ""
        self.held = len(self._window)
        if self.has_mark:
            self.is_over = not announces_call("".join(self._pieces)[: -self.held])
            self._follow(self._window)

    def _follow(self, window: str) -> None:
        window = _SPACES.sub(" ", window)
        self.is_over = self.is_over or _TEXT_AFTER.search(window) is not None
        self._window = window[-_WINDOW:]


def is_closed(call: str) -> bool:
    """Return whether the text of a call is complete."""
    return _CLOSED.match(call) is not None
