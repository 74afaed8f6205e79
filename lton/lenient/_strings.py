"""Strings as models write them, and where a call that cannot be read strictly ends.

What stands in a string must never be taken for a call. So the end of a call is found by its
lexemes alone, before anything is made of them.
"""

import re
from collections.abc import Callable

from lton._syntax import ENDS_VALUE, FENCE, MAX_DEPTH, QUOTED
from lton.errors import RepairCode

_TAG_WORDS = (
    "tool|call|func|param|python|action|sep|message|channel|constrain|invoke|DSML|im_|eo[tm]_"
)
TAG = re.compile(
    rf"<[/|\uff5c]?[\w|\uff5c\u2581:]{{0,40}}?(?i:{_TAG_WORDS})[\w|\uff5c\u2581:]{{0,40}}>(?:json\b)?"
    r"|\[/?(?:TOOL_CALLS?|ARGS)\]"
)
"""What models put around calls: `<tool_call>`, `<|python_tag|>`, `[TOOL_CALLS]`."""
_AFTER = re.compile(rf"[\s,)\]}};`]|\.?[ \t]*(?:$|\n)|[ \t]*[:=]|{TAG.pattern}")
"""What may follow a string."""
_ESCAPED = {q: re.compile(rf"{q}((?>(?:[^{q}\\]|\\.)*)){q}", re.DOTALL) for q in "\"'"}
_LINES = {q: re.compile(f"{q}([^{q}]*+){q}") for q in "\"'"}
_OTHER = {
    '"""': '"""',
    "'''": "'''",
    "\u201c": "\u201d",  # typographic
    "\u2018": "\u2019",
    '<|"|>': '<|"|>',
    "<escape>": "<escape>",
}
OTHER_QUOTE = re.compile("|".join(map(re.escape, _OTHER)))
"""Quotes that LTON does not have; those of three are Python's."""
_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))",
    re.DOTALL,
)
_ESCAPES = dict(zip("bfnrt", "\b\f\n\r\t", strict=True)) | {c: c for c in "\"'\\/"} | {"\n": ""}

# --- strings ------------------------------------------------------------------------------------


def scan_string(
    src: str, pos: int, end: int, *, escapes: bool
) -> tuple[int, str, RepairCode | None] | None:
    """Get the string that begins here: (position behind, text, what was repaired), or None.

    With `escapes` it is a string of JSON or Python; otherwise a backslash is a backslash.
    """
    if match := OTHER_QUOTE.match(src, pos, end):
        return _scan_other(src, pos, end, match[0], escapes=escapes)
    quote = src[pos]
    if escapes:
        match = _ESCAPED[quote].match(src, pos, end)
        if match is None:
            return None
        return match.end(), unescape(match[1]), RepairCode.QUOTES if "\n" in match[1] else None
    match = QUOTED[quote].match(src, pos, end)
    if match and match[2] and _AFTER.match(src, match.end(), end):
        return match.end(), match[1], None
    match = _LINES[quote].match(src, pos, end)
    if match and _AFTER.match(src, match.end(), end):
        return match.end(), match[1], RepairCode.QUOTES
    return None


def _scan_other(
    src: str, pos: int, end: int, opening: str, *, escapes: bool
) -> tuple[int, str, RepairCode] | None:
    closing = _OTHER[opening]
    start = pos + len(opening)
    close = src.find(closing, start, end)
    while close >= 0 and not _AFTER.match(src, close + len(closing), end):
        close = src.find(closing, close + 1, end)
    if close < 0:
        return None
    text = src[start:close]
    is_python = escapes and len(opening) == 3
    return close + len(closing), unescape(text) if is_python else text, RepairCode.QUOTES


def unescape(text: str) -> str:
    r"""Get the text of a JSON or Python string; a backslash that begins no escape stays one.

    >>> unescape(r"a\nb\u00e9\d")
    'a\nbé\\d'
    """
    return _ESCAPE.sub(_unescape, text)


def _unescape(match: re.Match[str]) -> str:
    high, low, four, two, char = match.groups()
    if high:
        return bytes.fromhex(high + low).decode("utf-16-be")
    return chr(int(four or two, 16)) if four or two else _ESCAPES.get(char, match[0])


# --- the end of a call --------------------------------------------------------------------------

_LEXEME = re.compile(
    rf"{OTHER_QUOTE.pattern}|[\"'`()\[\]{{}}<]|\r?\n|\b[se]([0-9]{{1,15}}):"
    r"|\[/?(?:TOOL_CALLS?|ARGS)\]"
)
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_BEFORE_VALUE = frozenset(" \t\n,=:([{")
_GOES_ON = re.compile(r"[(\[{,:=][ \t]*\Z")
_BACK = 80
"""Characters before a line end that may be spaces behind what lets a call go on."""


def call_end(  # noqa: C901 - one branch for each kind of lexeme
    src: str, pos: int, *, groups: bool, escapes: bool, begins: Callable[[int], bool]
) -> int:
    """Get the end of the text that belongs to a call whose arguments begin at `pos`.

    If they begin with a parenthesis it is behind the closing one; else the end of the line, or a
    tag or a backtick, outside strings and brackets; with `groups`, the end of the last group. If a
    bracket is never closed it is the end of the first line that could be the last one; if a string
    is not closed, what could be in it belongs to the call. `begins` says whether a call begins at
    a line start: no bracket goes so far.
    """
    shuts = not groups and src.startswith("(", pos)
    depth = least = 0
    first: int | None = None
    i = pos
    while match := _LEXEME.search(src, i):
        at, i = match.span()
        if match[0] in _BRACKETS:
            depth += _BRACKETS[match[0]]
            if depth > MAX_DEPTH or (shuts and depth == 0):
                return i
            first = first if depth > 0 else None
        elif match[0][-1] == "\n":
            if depth <= 0:
                if at < least or (groups and src.startswith("(", i)):
                    continue
                return at
            if first is None and not _GOES_ON.search(src, max(pos, at - _BACK), at):
                first = at
            if begins(i):
                return at if first is None else first
        elif found := _text_end(src, match, pos, in_group=depth > 0, escapes=escapes):
            i, least, is_closed = found
            if not is_closed:
                return i
        elif match[0] == "`" or TAG.match(src, at):
            return at if first is None else first
    return len(src) if first is None else first


def _text_end(
    src: str, match: re.Match[str], pos: int, *, in_group: bool, escapes: bool
) -> tuple[int, int, bool] | None:
    """Get the end of the string that begins here, if one does, and whether it is closed.

    In between stands where a counted text with a wrong length would have ended.
    """
    at, end = match.span()
    if at > pos and src[at - 1] not in _BEFORE_VALUE:
        return None
    if match[1]:
        return _counted_end(src, end, end + int(match[1]), in_group=in_group)
    if fence := FENCE.match(src, at):
        close = src.find(f"\n{fence[1]}", fence.end() - 1)
        return (len(src), 0, False) if close < 0 else (close + 1 + len(fence[1]), 0, True)
    if match[0] in QUOTED or OTHER_QUOTE.fullmatch(match[0]):
        found = scan_string(src, at, len(src), escapes=escapes)
        return (found[0], 0, True) if found else (_unclosed_end(src, at, match[0]), 0, False)
    return None


def _counted_end(src: str, start: int, stop: int, *, in_group: bool) -> tuple[int, int, bool]:
    """Get the end of a counted text, or its start if its length is wrong."""
    if stop > len(src):
        return len(src), 0, False
    behind = src[stop : stop + 1]
    fits = behind in ENDS_VALUE and not (in_group and behind == "\n")
    return stop if fits or not behind else start, stop, True


def _unclosed_end(src: str, pos: int, quote: str) -> int:
    """Get the end of what may be in a string without a closing quote on its line."""
    close = src.find(quote, pos + 1)
    if close < 0:
        return len(src)
    behind = close + len(quote)
    opens = src[close - 1] in _BEFORE_VALUE and not _AFTER.match(src, behind)
    eol = src.find("\n", pos if opens else behind)
    return len(src) if eol < 0 else eol
