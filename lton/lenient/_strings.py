"""Read strings with the quotes and escapes that models use, and find the ends of calls.

The content of a string must never become a call. So the end of a call is determined only by its
lexemes, before their meaning is known.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from lton._patterns import compiled_when_used
from lton._syntax import AFTER_FENCE, ENDS_VALUE, FENCE, MAX_DEPTH, QUOTED, fence_end, last_fence
from lton.errors import RepairCode
from lton.lenient._effort import Effort
from lton.lenient.syntaxes import TOKEN_QUOTES, pattern_of_column

_TAG_WORDS = (
    "tool|call|func|param|python|action|plugin|sep|message|channel|constrain|invoke|DSML"
    "|(?<!f)im_|eo[tm]_"
)
TAG = compiled_when_used(
    rf"<[/|\uff5c]?[\w|\uff5c\u2581:]{{0,40}}?(?i:{_TAG_WORDS})[\w|\uff5c\u2581:]{{0,40}}>(?:json\b)?"
    rf"|{pattern_of_column('tags')}"
    r"|<(?:tool|function)_(?:call|use|invocation)s?"
    r"(?:\s{1,9}(?:id|call_id|index|type)=[\"'][^\"'<>\n]{0,80}[\"'])+>"
)
"""Tags that models write around calls: `<tool_call>`, `<|python_tag|>`, `[TOOL_CALLS]`."""
ENDING_TAG = compiled_when_used(
    rf"</[\w|\uff5c\u2581: ]{{1,40}}>|{pattern_of_column('closing')}"
    r"|<\w{1,40}\|>|<\|(?:call|return)\|>"
    r"|<[|\uff5c](?=[\w\u2581]{1,40}[|\uff5c]>)[\w\u2581]{0,40}(?i:end|suffix|stop)[\w\u2581]{0,40}[|\uff5c]>"
)
"""Closing tags, and special tokens that end a call, a message or a turn."""
_AFTER = compiled_when_used(rf"[\s,)\]}};`]|\.?[ \t]*(?:$|\n)|[ \t]*[:=]|{TAG.pattern}")
"""The text that may follow a string."""
_AFTER_FENCE = compiled_when_used(rf"{AFTER_FENCE.pattern}|[ \n]{{1,80}}+[,)\]]")
_LOOSELY_AFTER_FENCE = compiled_when_used(rf"\s{{0,80}}+(?:[,;)\]}}]|\Z|{TAG.pattern})")
"""The text that may follow the last fence of a value in the parentheses of a call."""
_ESCAPED = {q: compiled_when_used(rf"{q}((?>(?:[^{q}\\]|\\.)*)){q}", re.DOTALL) for q in "\"'"}
_LINES = {q: compiled_when_used(f"{q}([^{q}]*+){q}") for q in "\"'"}
_OTHER = {
    '"""': '"""',
    "'''": "'''",
    "\u201c": "\u201d",  # typographic
    "\u2018": "\u2019",
    **{token: token for token in TOKEN_QUOTES},
}
_CLOSES = {
    closing: compiled_when_used(
        re.escape(closing)
        if closing in TOKEN_QUOTES
        else rf"{re.escape(closing)}(?!{closing[-1]})(?={_AFTER.pattern})"
    )
    for closing in _OTHER.values()
}
"""Marks that close a string. In a run of marks, only the last one can."""
_PIECE = compiled_when_used(r"<\|\"|\"\|>|</?escape\b|\bescape>")  # a part of such a token
OTHER_QUOTE = compiled_when_used("|".join(map(re.escape, _OTHER)))
"""Quotes that LTON does not have. Triple quotes are from Python."""
_ESCAPE = compiled_when_used(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))",
    re.DOTALL,
)
_ESCAPES = dict(zip("bfnrt", "\b\f\n\r\t", strict=True)) | {c: c for c in "\"'\\/"} | {"\n": ""}

_OF_JSON = frozenset('"\\/bfnrt')
_OF_PYTHON = _OF_JSON | {"'", "\n"}

# --- strings ------------------------------------------------------------------------------------


class Strings:
    """Reads the strings in an output."""

    def __init__(self, src: str) -> None:
        self.src = src
        self._closes: dict[object, tuple[int, int]] = {}

    def try_scan_string(
        self, pos: int, end: int, *, escapes: bool
    ) -> tuple[int, str, RepairCode | None] | None:
        """Read the string at a position. Return its end, its text and a repair, or None.

        With `escapes`, backslashes are read as in JSON or Python. Otherwise, they are literal.
        """
        src = self.src
        if match := OTHER_QUOTE.match(src, pos, end):
            return self._try_scan_other(pos, end, match[0], escapes=escapes)
        quote = src[pos]
        if escapes and quote in _ESCAPED:
            match = _ESCAPED[quote].match(src, pos, end)
            if match is None:
                return None
            return (
                match.end(),
                unescape(match[1]),
                RepairCode.QUOTES if "\n" in match[1] else None,
            )
        match = QUOTED[quote].match(src, pos, end)
        if match and match[2] and _AFTER.match(src, match.end(), end):
            return match.end(), match[1], None
        match = _LINES[quote].match(src, pos, end) if quote in _LINES else None
        if match and _AFTER.match(src, match.end(), end):
            return match.end(), match[1], RepairCode.QUOTES
        return None

    def _try_scan_other(
        self, pos: int, end: int, opening: str, *, escapes: bool
    ) -> tuple[int, str, RepairCode] | None:
        closing = _OTHER[opening]
        start = pos + len(opening)
        close = self._next_closing(closing, start)
        after = close + len(closing)
        if after > end:
            return None
        text = self.src[start:close]
        if opening in TOKEN_QUOTES and _PIECE.search(text):
            return None  # the string may contain another argument
        is_python = escapes and len(opening) == 3
        return after, unescape(text) if is_python else text, RepairCode.QUOTES

    def _next_closing(self, closing: str, pos: int) -> int:
        """Return the position of the next mark that may close a string."""
        since, close = self._closes.get(closing, (0, -1))
        if not since <= pos <= close:
            match = _CLOSES[closing].search(self.src, pos)
            close = len(self.src) if match is None else match.start()
            self._closes[closing] = (pos, close)
        return close

    def _last_fence(self, ticks: str, pos: int, end: int, *, in_call: bool) -> int:
        """Return the position of the fence that closes a string, or -1.

        In the parentheses of a call, this is the closing fence by R-308, otherwise the first fence
        that is followed by white space and text that can end a value, otherwise the first fence.
        """
        for after in (_AFTER_FENCE, _LOOSELY_AFTER_FENCE, None) if in_call else (None,):
            key = (ticks, after)
            since, close = self._closes.get(key, (0, -1))
            if not since <= pos <= close:
                fence = last_fence(self.src, ticks, pos, len(self.src), after)
                close = len(self.src) if fence < 0 else fence
                self._closes[key] = (pos, close)
            if close + len(ticks) <= end:
                return close
        return -1

    def find_fence_end(self, pos: int, end: int, *, in_call: bool) -> tuple[int, int, int] | None:
        """Return the start and end of a fence's content, and the position after the fence, or None.

        If the fence is not closed, all three positions are `end`.
        """
        match = FENCE.match(self.src, pos, end)
        if match is None:
            return None
        ticks = match[1]
        start = match.end()
        keeps = bool(match[2])
        close = self._last_fence(ticks, start, end, in_call=in_call)
        if close < 0:
            return end, end, end
        return start, fence_end(self.src, start, close, keeps=keeps), close + len(ticks)


def unescape(text: str) -> str:
    r"""Replace the escapes in a JSON or Python string. Invalid escapes stay as they are.

    >>> unescape(r"a\nb\u00e9\d")
    'a\nbé\\d'
    """
    return _ESCAPE.sub(_unescape_match, text)


def try_unquote_literal(text: str, quote: str, *, python: bool) -> str | None:
    r"""Return the text of a string in which only quotes are escaped, or None for any other string.

    Such a string contains an escape that JSON (or with `python`, Python) does not have. Raises
    `ValueError` if other escapes contradict this, or if the escape may be a mistake: `\'`.

    >>> (try_unquote_literal(r"C:\Users\new", '"', python=False),
    ...     try_unquote_literal(r"C:\new", '"', python=False))
    ('C:\\Users\\new', None)
    """
    standard = (_OF_PYTHON if python else _OF_JSON) | {quote}
    escapes = list(_ESCAPE.finditer(text))
    foreign = {match[5] or "x" for match in escapes if not (match[1] or match[3])} - standard
    if python and not any(match[5] == "x" for match in escapes):
        foreign.discard("x")
    if not foreign:
        return None
    if foreign == {"'"} or any(match[1] or match[3] or match[5] == "\\" for match in escapes):
        raise ValueError("expected all backslashes of a string to be escaped, or none")
    return text.replace("\\" + quote, quote)


def _unescape_match(match: re.Match[str]) -> str:
    high, low, four, two, char = match.groups()
    if high:
        return bytes.fromhex(high + low).decode("utf-16-be")
    return chr(int(four or two, 16)) if four or two else _ESCAPES.get(char, match[0])


# --- the end of a call --------------------------------------------------------------------------

_LEXEME = compiled_when_used(
    rf"{OTHER_QUOTE.pattern}|[\"'`()\[\]{{}}<]|\r?\n|\b[se]([0-9]{{1,15}}):"
    rf"|{pattern_of_column('tags')}"
)
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_ENDS_ON_LINE = ENDS_VALUE | {""}
_ENDS_IN_GROUP = _ENDS_ON_LINE - {"\n"}
_BEFORE_VALUE = frozenset(" \t\n,=:([{")
_GOES_ON = compiled_when_used(r"[(\[{,:=][ \t]*\Z")
_BACK = 80  # the number of characters before a line end that are searched for a continuation


class _End(NamedTuple):
    """The end of a call's text, whether the call is closed, and the units of effort it took."""

    end: int
    is_closed: bool
    units: int


class Extents:
    """Finds the ends of calls that cannot be read strictly."""

    def __init__(self, strings: Strings, effort: Effort, begins: Callable[[int], bool]) -> None:
        self.src = strings.src
        self.strings = strings
        self.effort = effort
        self.begins = begins
        self.is_ticked = False  # whether the call is in backticks, which then do not quote strings
        self._ends: dict[tuple[object, ...], _End] = {}

    def find_end(
        self, pos: int, *, groups: bool = False, escapes: bool = False, stop: int | None = None
    ) -> tuple[int, bool]:
        """Return the end of a call's text, and whether all its brackets and quotes are closed.

        The arguments of the call start at `pos`. If they start with a parenthesis, the call ends
        after the closing parenthesis. Otherwise it ends at the end of the line, or at a tag or
        backtick outside strings and brackets. With `groups`, it ends after the last group. If a
        bracket is not closed, the call ends after the first line that can be its last. If a string
        is not closed, everything that may be inside the string belongs to the call.

        Each way to read a call asks for its end, so the answers are kept. An answer costs the same
        effort each time.
        """
        key = (pos, groups, escapes, stop, self.is_ticked)
        cached = self._ends.get(key)
        if cached is not None:
            self.effort.spend_cached_step(cached.units)
            return cached.end, cached.is_closed
        before = self.effort.budget
        end, is_closed = self._search_end(pos, groups=groups, escapes=escapes, stop=stop)
        self._ends[key] = _End(end, is_closed, before - self.effort.budget)
        return end, is_closed

    def _search_end(  # noqa: C901 - one branch for each kind of lexeme
        self, pos: int, *, groups: bool, escapes: bool, stop: int | None
    ) -> tuple[int, bool]:
        src = self.src
        shuts = not groups and src.startswith("(", pos)
        depth = least = 0
        first = never = len(src) + 1
        i = pos
        stop = len(src) if stop is None else stop
        while match := _LEXEME.search(src, i, stop):
            self.effort.spend_on_scanning(match.end() - i)
            at, i = match.span()
            if match[0] in _BRACKETS:
                depth += _BRACKETS[match[0]]
                if depth > MAX_DEPTH or (shuts and depth == 0):
                    return i, depth == 0
                first = first if depth > 0 else never
            elif match[0][-1] == "\n":
                if depth <= 0:
                    if at < least or (groups and src.startswith("(", i)):
                        continue
                    return at, True
                if first > at and not _GOES_ON.search(src, max(pos, at - _BACK), at):
                    first = at
                if self.begins(i):
                    return min(at, first), False
            elif string_end := self._find_text_end(
                match, pos, in_group=depth > 0, in_call=shuts, escapes=escapes
            ):
                i, least, is_closed = string_end
                self.effort.spend_on_scanning(min(i, stop) - at)
                if not is_closed:
                    return min(i, stop), False
            elif ends_call(src, at):
                return min(at, first), depth <= 0
        return min(stop, first), depth <= 0

    def _find_text_end(
        self, match: re.Match[str], pos: int, *, in_group: bool, in_call: bool, escapes: bool
    ) -> tuple[int, int, bool] | None:
        """Return the end of the string at a position and whether the string is closed, or None.

        The middle value is the declared end of a counted string with a wrong length.
        """
        src = self.src
        at, end = match.span()
        if at > pos and src[at - 1] not in _BEFORE_VALUE:
            return None
        if match[1]:
            return self._find_counted_end(end, end + int(match[1]), in_group=in_group)
        if fence := self.strings.find_fence_end(at, len(src), in_call=in_call):
            return fence[2], 0, fence[2] > fence[0]
        is_tick = match[0] == "`"
        is_quote = match[0] in QUOTED or OTHER_QUOTE.fullmatch(match[0])
        if not is_quote or (is_tick and self.is_ticked):
            return None
        if string := self.strings.try_scan_string(at, len(src), escapes=escapes):
            return string[0], 0, True
        return None if is_tick else (self._find_unclosed_end(at, match[0]), 0, False)

    def _find_counted_end(self, start: int, stop: int, *, in_group: bool) -> tuple[int, int, bool]:
        if stop > len(self.src):
            return len(self.src), 0, False
        ends = _ENDS_IN_GROUP if in_group else _ENDS_ON_LINE
        fits = self.src[stop : stop + 1] in ends or (not in_group and ends_call(self.src, stop))
        return stop if fits else start, stop, True

    def _find_unclosed_end(self, pos: int, quote: str) -> int:
        """Return the possible end of a string that is not closed on its line."""
        src = self.src
        close = src.find(quote, pos + 1)
        if close < 0:
            return len(src)
        after = close + len(quote)
        opens = src[close - 1] in _BEFORE_VALUE and not _AFTER.match(src, after)
        eol = src.find("\n", pos if opens else after)
        return len(src) if eol < 0 else eol


def ends_call(src: str, pos: int) -> bool:
    """Return whether a call without parentheses ends at a position, before a tag or a backtick."""
    return src.startswith("`", pos) or TAG.match(src, pos) is not None
