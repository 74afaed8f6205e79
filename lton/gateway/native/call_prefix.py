"""Decide from the first characters of an answer whether it may consist only of calls.

The formats of calls are those of `lton.lenient._openings`: JSON with a typical first key (also in a
fence, or in the doubled braces of some templates), elements with tags of calls, labels, and a tool
name with parentheses in a fence or a list. The first characters exclude sentences, programs, HTML
and JSON answers.
"""

from collections.abc import Container

from lton._patterns import compiled_when_used
from lton.lenient._openings import LABEL, LANGUAGES, MARKS, OBJECT_KEYS
from lton.lenient.syntaxes import WORDS

_LABELS = frozenset(["action", "tool call", "function call"])
_THOUGHT = compiled_when_used(r"<(think(?:ing)?)>")
_HEAD = 400  # characters that are examined
_FENCE = compiled_when_used(r"```([\w+-]*)[ \t]*(\r?\n)?")
_OBJECT = compiled_when_used(r"\{\{?\s*([\"'])([\w./:-]{0,128})(?:(\1)|\Z)")
_OPEN_OBJECT = compiled_when_used(r"\{\{?\s*\Z")
_OPEN_TAG = compiled_when_used(r"<(?:[\w|\uff5c][^<>\n]{0,200})?\Z|\[[A-Z_]{0,12}\Z")
_NAME = compiled_when_used(r"([A-Za-z_][\w./-]{0,128})(\()?")


def decide_if_call(text: str, names: Container[str]) -> bool | None:
    """Return whether an answer that starts with `text` may be only calls, or None if undecided."""
    head = text.lstrip()[:_HEAD]
    if (before := LABEL.match(head)) and before.end() < len(head):
        head = head[before.end() :]
    match = _FENCE.match(head)
    if match is None:
        return None if "```".startswith(head[:3]) else _decide_if_call(head, names)
    if not match[2]:
        is_open = match.end() == len(head)
        label = match[1]
        return None if is_open and any(e.startswith(label) for e in LANGUAGES) else False
    if match[1] not in LANGUAGES:
        return False
    body = head[match.end() :].lstrip()
    return _decide_if_call(body, names, named=True) if body else None


class TextOpening:
    """Collects the first characters of a streamed answer, skipping a thought at the start."""

    def __init__(self) -> None:
        self.text = ""  # the text after a thought, without leading spaces
        self.has_thought = self.is_thinking = False
        self._seen = ""
        self._end = ""

    def feed(self, piece: str) -> None:
        if not self.has_thought:
            self.text = (self.text + piece).lstrip()
            if (match := _THOUGHT.match(self.text)) is None:
                return
            self.has_thought = self.is_thinking = True
            self._end = f"</{match[1]}>"
            piece = self.text[match.end() :]
            self.text = ""
        if self.is_thinking:
            self._seen += piece
            thought, end, piece = self._seen.partition(self._end)
            self.is_thinking = not end
            self._seen = thought[-len(self._end) :]
        self.text = (self.text + piece).lstrip()

    def decide_if_call(self, names: Container[str]) -> bool | None:
        """Return whether the answer after a thought may be only calls, or None if undecided."""
        return decide_if_call(self.text, names) if self.text else None


def _decide_if_call(head: str, names: Container[str], *, named: bool = False) -> bool | None:
    match head[0]:
        case "{":
            return _decide_if_object(head, names)
        case "<":
            return _decide_if_mark(head)
        case "[":
            return _decide_if_mark(head) or _decide_if_list(head, names)
    for word in WORDS:
        if head.startswith(word) or word.startswith(head):
            return head.startswith(word) or None
    return _decide_if_name(head, names) if named else _decide_if_label(head)


def _decide_if_mark(head: str) -> bool | None:
    if MARKS.match(head):
        return True
    return None if _OPEN_TAG.match(head) else False


def _decide_if_label(head: str) -> bool | None:
    word = head.casefold().rstrip().removesuffix(":")
    return None if any(label.startswith(word) for label in _LABELS) else False


def _decide_if_list(head: str, names: Container[str]) -> bool | None:
    first_item = head[1:].lstrip()
    if not first_item:
        return None
    return (
        _decide_if_object(first_item, names)
        if first_item[0] == "{"
        else _decide_if_name(first_item, names)
    )


def _decide_if_object(head: str, names: Container[str]) -> bool | None:
    match = _OBJECT.match(head)
    if match is None:
        return None if _OPEN_OBJECT.match(head) else False
    return (match[2] in OBJECT_KEYS or match[2] in names) if match[3] else None


def _decide_if_name(head: str, names: Container[str]) -> bool | None:
    match = _NAME.match(head)
    if match is None:
        return False
    if match[2]:
        return match[1] in names
    return None if match.end() == len(head) else False
