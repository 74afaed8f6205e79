"""Whether a text may be nothing but a call, by how it begins: as long as it may, it is held.

Only what models write around calls is looked for: JSON whose first key is one of a call, in a fence
or not, elements with tags of calls, and in a fence or a list a tool with parentheses. A sentence, a
program, a page in HTML and an answer in JSON are none, and their first characters say so.
"""

import re
from collections.abc import Container

from lton._patterns import compiled_when_used

_THOUGHT = compiled_when_used(r"<(think(?:ing)?)>")
_HEAD = 400
"""Characters that are looked at."""
_KEYS = frozenset(
    "name tool tool_name function_name function action id type arguments parameters args input"
    " params kwargs tool_input action_input tool_args tool_calls function_calls calls tool_call"
    " function_call".split()
)
"""Keys that a call in JSON may begin with."""
_LANGUAGES = frozenset(
    " json json5 jsonc xml call action text txt plaintext tool_call tool_calls tool_code"
    " function_call function_calls".split(" ")
)
"""What a fence around calls is labelled with. One of Python holds a program."""
_FENCE = compiled_when_used(r"```([\w+-]*)[ \t]*(\r?\n)?")
_OBJECT = compiled_when_used(r"\{\s*([\"'])([\w./:-]{0,128})(?:(\1)|\Z)")
_OPEN_OBJECT = compiled_when_used(r"\{\s*\Z")
_TAG = compiled_when_used(
    r"<[|\uff5c]?[\w|\uff5c\u2581:]{0,40}?(?:tool[_\u2581]?calls?|tool_code|function|invoke|python_tag"
    r"|call\b|DSML|channel|message|action|open\b)",
    re.IGNORECASE,
)
_OPEN_TAG = compiled_when_used(r"<[|\uff5c]?[\w|\uff5c\u2581:]{0,60}\Z")
_MARK = "[TOOL_CALLS]"
_NAME = compiled_when_used(r"([A-Za-z_][\w./-]{0,128})(\()?")


def may_be_call(text: str, names: Container[str]) -> bool | None:
    r"""Say whether a text, of which this is the beginning, may be nothing but calls; None: not yet.

    >>> [may_be_call(each, {"wait"}) for each in ('{"na', '{"name": "wait"', '{"city": "Oslo"')]
    [None, True, False]
    >>> [may_be_call(each, {"wait"}) for each in ("``", "```json\n{", "```python\n", "Yes")]
    [None, None, False, False]
    """
    head = text.lstrip()[:_HEAD]
    match = _FENCE.match(head)
    if match is None:
        return None if "```".startswith(head[:3]) else _body(head, names)
    if not match[2]:
        is_open = match.end() == len(head)
        label = match[1]
        return None if is_open and any(e.startswith(label) for e in _LANGUAGES) else False
    if match[1] not in _LANGUAGES:
        return False
    rest = head[match.end() :].lstrip()
    return _body(rest, names, named=True) if rest else None


class TextOpening:
    """How a text begins that comes in pieces: what may be a call, after a thought, if it has one.

    >>> opening = TextOpening()
    >>> for piece in ("<thi", "nk>Hm.</th", "ink> {"):
    ...     opening.feed(piece)
    >>> opening.rest, opening.is_thinking
    ('{', False)
    """

    def __init__(self) -> None:
        self.rest = ""
        """What is no thought, without the spaces before it."""
        self.has_thought = self.is_thinking = False
        self._seen, self._end = "", ""

    def feed(self, piece: str) -> None:
        """Take in the next piece."""
        if not self.has_thought:
            self.rest = (self.rest + piece).lstrip()
            if (match := _THOUGHT.match(self.rest)) is None:
                return
            self.has_thought = self.is_thinking = True
            self._end, piece, self.rest = f"</{match[1]}>", self.rest[match.end() :], ""
        if self.is_thinking:
            self._seen += piece
            thought, end, piece = self._seen.partition(self._end)
            self.is_thinking, self._seen = not end, thought[-len(self._end) :]
        self.rest = (self.rest + piece).lstrip()

    def may_be_call(self, names: Container[str]) -> bool | None:
        """Say whether what is no thought may be nothing but calls; None: not yet."""
        return may_be_call(self.rest, names) if self.rest else None


def _body(head: str, names: Container[str], *, named: bool = False) -> bool | None:
    match head[0]:
        case "{":
            return _object(head, names)
        case "<":
            return bool(_TAG.match(head)) or (None if _OPEN_TAG.match(head) else False)
        case "[":
            return _list(head, names)
    return _named(head, names) if named else False


def _list(head: str, names: Container[str]) -> bool | None:
    if head.startswith(_MARK) or _MARK.startswith(head):
        return True if head.startswith(_MARK) else None
    rest = head[1:].lstrip()
    if not rest:
        return None
    return _object(rest, names) if rest[0] == "{" else _named(rest, names)


def _object(head: str, names: Container[str]) -> bool | None:
    match = _OBJECT.match(head)
    if match is None:
        return None if _OPEN_OBJECT.match(head) else False
    return (match[2] in _KEYS or match[2] in names) if match[3] else None


def _named(head: str, names: Container[str]) -> bool | None:
    match = _NAME.match(head)
    if match is None:
        return False
    if match[2]:
        return match[1] in names
    return None if match.end() == len(head) else False
