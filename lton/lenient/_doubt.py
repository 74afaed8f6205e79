"""Decide from the surrounding text whether a call is intended or only mentioned.

A doubt lasts up to a position or to the end of the text. If a string has no end, it may contain all
following text, because a string can contain every mark that could end it.
"""

import re
import sys
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lton._patterns import compiled_when_used
from lton.errors import RepairCode
from lton.lenient._enclosed import enclosed_spans
from lton.lenient._layout import find_doubt_of_layout
from lton.lenient._marks import ANNOUNCES, CALL_LANGUAGES, CODE_LINE, LABEL_LINE, LINE_REST
from lton.lenient._quoted import find_thought_before
from lton.lenient._strings import ENDING_TAG, TAG
from lton.lenient.syntaxes import PREFIX

_BEFORE_QUOTE = frozenset(" \t\n,=:([{>\uff1a\uff0c\uff08\u3001\u3002\u300c")
_SPACED = frozenset("\"'`")
"""Quotes that open a quotation only after a space. Marks of other scripts open one anywhere."""
_OPENERS = "\"'\u201c\u2018\u201a\xab\u2039\u300c\u300e\u300a\u301d\uff02"
_ENDS = "\"'\u201d\u2019\u2018\xbb\u203a\u300d\u300f\u300b\u301f\uff02"
_CLOSING = {"``": "''", **dict(zip(_OPENERS, _ENDS, strict=True))}
_SINGLE = frozenset(["'", "\u2019", "''"])
"""Marks with several uses, which open a quotation only if a mark closes it."""
_SINGLE_CLOSES = compiled_when_used(
    r"(?<=[^\s(\[{])'(?!['\w])|^'(?!['\w])|\u2019(?![^\W\u2e80-\uffff])|''", re.MULTILINE
)
_OWN_LANGUAGES = frozenset(one for one in CALL_LANGUAGES if one.startswith(("tool_", "function_")))
"""Languages of fences whose calls are intended."""
_LIST_MARKS = compiled_when_used(r"[\s,;\[\]]*")
_CLOSERS = compiled_when_used(r"\A[)\]}]{1,3}")
_REMAINS = compiled_when_used(
    rf"</?{PREFIX}(?:param(?:eter)?|arg_key|arg_value|function|invoke)[\s=>]"
    r"|</?\w{1,20}_arg_(?:key|value)>"
    r"|\"\"\"|\'\'\'|^[ \t]*(?:\"\"|\'\')|s\d+:|^\d+:(?!\d)|(?<![\d:])\d+:(?=[^\d\s/])",
    re.MULTILINE,
)
"""Pieces of calls that do not occur in prose."""
_UNPAIRED = compiled_when_used('["`()\\[\\]{}\u201c\u201d]')
_NO_BRACKETS = compiled_when_used(
    r"(?:^|(?<=\s))\(?\w{1,3}[.)]+(?=\s)|[:;]['\"]?-?[()\[\]]|(?<=\d)\""
)
"""Brackets and quotes that need no partner, as in list numbers, smileys and inches."""
_ELEMENT_TAG = compiled_when_used(r"<(/)?\w*(?:tool|call|func)\w*>")
_ENDS_OF_ELEMENT = compiled_when_used(rf"(?>(?:\s*+(?:`{{3,}}|{ENDING_TAG.pattern}))*)")
_FENCE_END = compiled_when_used(r"\s*`{3,}")
_FENCE_LINE = compiled_when_used(r"[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(`{3,}|~{3,})([\w+#.-]*)")
"""A line that opens a fence, with the fence's language."""
_FENCE_CLOSE = compiled_when_used(r"[ \t]*(`{3,}|~{3,})(?=[ \t]*(?:\r?\n|\Z))")
_PROSE_MARK = compiled_when_used(
    r"(?<![^\s=,:(\[{>])s(\d{1,15}):|(`{3,}|~{3,})([\w+#.-]*)(?=([ \t]*\r?\n)?)"
    r"|[\"\u201c\u201d\xab\xbb\u2039\u203a\u300c-\u300f\u300a\u300b\u301d\u301f\uff02]"
    r"|\u2018(?!\d)|\u201a(?!\d)|\u2019(?![^\W\u2e80-\uffff])|(?<!`)``(?!`)|''|(?<!\w)'(?![\d'])|(?<=\S)'(?![\w'])"
)
"""Marks in a line of prose that may open a counted string, a fence or a quotation."""
_NESTING = "markdown"  # the language of a fence that may contain other fences
_FENCE = compiled_when_used(r"(`{3,})([\w+-]*)")
_NO_PROSE = frozenset("|=];")  # before a tag: not prose, but the end of a prompt, a row, …
_ARROWS = ("=>", "->")
_BACK = 200  # the number of characters before a call on its line that are examined


@dataclass(slots=True)
class _Fence:
    """A fence in an output. If `announced` is true, the marks before it say that calls follow."""

    start: int
    content: int
    ticks: str
    language: str
    announced: bool
    end: int


class Doubt:
    """Collects reasons to doubt an output's calls. Positions must be passed in ascending order."""

    def __init__(self, src: str) -> None:
        self.src = src
        self.passed: list[tuple[int, int]] = []
        self.thoughts: list[tuple[int, int]] = []
        self._thought_end, self._until = find_thought_before(src)
        if self._until:
            self.thoughts.append((0, self._until))
        self._rest: RepairCode | None = None
        self._fences: list[_Fence] = []
        self._is_open = False
        self._quote: str | None = None
        self._closes: dict[str, int] | None = None
        self._line = self._seen = 0
        self._eol = self._own = -1

    def find_doubt_of_call(self, start: int, end: int) -> RepairCode | None:
        """Return the reason to doubt a call, or None.

        A closing mark of a thought raises a doubt about all calls before it, except a call that
        contains the mark.
        """
        holds_mark = start < self._thought_end < end and not self.passed
        return RepairCode.ECHO if start < self._until and not holds_mark else self._rest

    def doubt_later_calls(self, code: RepairCode) -> None:
        """Mark all calls in the rest of the text as uncertain. The first reason is kept."""
        self._rest = self._rest or code

    def skip_range(self, start: int, end: int, doubt_end: int, *, is_thought: bool = False) -> None:
        """Skip a passage without calls and mark the calls up to `doubt_end` as uncertain."""
        self.passed.append((start, end))
        if is_thought:
            self.thoughts.append((start, end))
        self._until = max(self._until, doubt_end)

    # --- lines ----------------------------------------------------------------------------------

    def is_line_start(self, pos: int) -> bool:
        """Return whether a line begins at `pos`. If so, an open quotation is never closed."""
        if pos > 0 and self.src[pos - 1] != "\n":
            return False
        if self._quote:
            self.doubt_later_calls(RepairCode.DAMAGE)
            self._quote = None
        return True

    def _line_of(self, pos: int) -> int:
        newline = self.src.rfind("\n", self._seen, pos)
        if newline >= 0:
            self._line = newline + 1
        self._seen = max(pos, self._seen)
        return self._line

    def _has_lines(self, pos: int, end: int) -> bool:
        if pos > self._eol:
            eol = self.src.find("\n", pos)
            self._eol = len(self.src) if eol < 0 else eol
        return end > self._eol

    def track_prose(self, start: int, end: int) -> int:
        """Track quotes and fences in prose. Return the end of a counted string, or `start`."""
        for match in _PROSE_MARK.finditer(self.src, start, end):
            if match[1]:
                stop = match.end() + int(match[1])
                if self._has_lines(match.end(), stop):
                    self.doubt_later_calls(RepairCode.DAMAGE)
                    if stop <= len(self.src):
                        return stop
            elif match[2]:
                self._toggle_fence(match)
            elif self._quote is None:
                self._quote = self._find_opened_name(match)
            elif match[0] == self._quote or (match[0] == "``" and self._quote == "''"):
                self._quote = None
        return start

    def _find_opened_name(self, match: re.Match[str]) -> str | None:
        start = match.start()
        closing = _CLOSING.get(match[0])
        if closing is None or not self._may_open(match[0][0], self.src[start - 1 : start]):
            return None
        return (
            closing if closing not in _SINGLE or self._last_closing_mark(closing) > start else None
        )

    def _may_open(self, mark: str, before: str) -> bool:
        if before == "" or before in _BEFORE_QUOTE:
            return True
        # Between letters \u2018 is an apostrophe, except in a script without spaces.
        return mark not in _SPACED and (mark != "\u2018" or before > "\u2e80")

    def _last_closing_mark(self, closing: str) -> int:
        if self._closes is None:
            closings = _SINGLE_CLOSES.finditer(self.src)
            self._closes = {match[0]: match.start() for match in closings}
        return self._closes.get(closing, -1)

    def _toggle_fence(self, match: re.Match[str]) -> None:
        """Open or close a fence or a code span at backticks in prose."""
        ticks = match[2]
        if match[4] is None:
            self._quote = ticks if self._quote is None else None
        elif self._is_open:
            self._try_close_fence(ticks, match.end())
        elif self._quote is None:
            self._open_fence(match.start(), match.end(), ticks, match[3], announced=False)
        else:
            self._quote = None

    # --- fences ---------------------------------------------------------------------------------

    def try_skip_fence_line(self, pos: int) -> int | None:
        """Open or close the fence at the start of a line and return the position after it."""
        match = _FENCE_LINE.match(self.src, pos)
        if self._is_open:
            close = _FENCE_CLOSE.match(self.src, pos)
            if close and self._try_close_fence(close[1], close.end()):
                return close.end()
            fence = self._fences[-1]
            if match is None or match[1] == fence.ticks or not fence.ticks.startswith(match[1]):
                return None  # a shorter fence is part of the text
            fence.language = _NESTING
            return match.end()
        if match is None:
            return None
        if match.end() == self._own:
            return self._own
        above = self.src.rfind("\n", max(0, pos - _BACK), max(0, pos - 1)) + 1
        announced = LABEL_LINE.fullmatch(self.src, above, pos) is not None
        self._open_fence(pos, match.end(), match[1], match[2], announced=announced)
        return match.end() if match[1][0] == "~" else None

    def open_in_marks(self, start: int, end: int) -> None:
        """Open the fence, if any, among the marks before a call."""
        closed = self._close_in_marks(start, end) if self._is_open else start
        match = _FENCE.search(self.src, closed, end)
        if match and not self._is_open:
            announced = ANNOUNCES.search(self.src, start, match.start()) is not None
            self._open_fence(match.start(), match.end(), match[1], match[2], announced=announced)

    def _close_in_marks(self, start: int, end: int) -> int:
        """Close the open fence at the first mark that can end it. Return the end, or `start`."""
        for match in _FENCE.finditer(self.src, max(start, self._fences[-1].content), end):
            close = _FENCE_CLOSE.match(self.src, match.start())
            if close and self._try_close_fence(close[1], close.end()):
                return close.end()
        return start

    def skip_end(self, pos: int) -> None:
        """Skip the closing fence, if any, after a call."""
        if match := _FENCE_END.match(self.src, pos):
            self._own = match.end()
            self.passed.append((pos, self._own))

    def try_close_after(self, pos: int) -> int | None:
        """If a closing mark follows the call on its line, close the fence and return its end."""
        match = _FENCE_LINE.match(self.src, pos) if self._is_open else None
        return match.end() if match and self._try_close_fence(match[1], match.end()) else None

    def _open_fence(
        self, start: int, content: int, ticks: str, language: str, *, announced: bool
    ) -> None:
        language = language.lower()
        self._fences.append(_Fence(start, content, ticks, language, announced, len(self.src)))
        self._is_open = True

    def _try_close_fence(self, ticks: str, end: int) -> bool:
        fence = self._fences[-1]
        if not ticks.startswith(fence.ticks):
            return False
        fence.end = end
        self._is_open = False
        return True

    @property
    def fence(self) -> int | None:
        return len(self._fences) - 1 if self._is_open else None

    def judge_calls(self, calls: Sequence[tuple[int, int, int | None]]) -> list[RepairCode | None]:
        """For each call (start, end and fence), return the reason to doubt the call, or None.

        A call may be an example in these cases:

        - it is in a fence with another language, or in a fence with text next to it,
        - it is before an unclosed fence without a language, which may close an earlier fence,
        - it is next to code.

        A call may be a part of another syntax if other parts are left over.
        """
        outside = list(self.iterate_prose_outside([(start, end) for start, end, _ in calls]))
        text = "".join(piece for _, piece in outside)
        has_prose = any(fence is None for _, _, fence in calls) or _has_words(text)
        has_code = CODE_LINE.search(text) is not None
        last = self._fences[-1] if self._is_open else None
        unopened = last.start if last and not last.language else 0
        ends = {end for _, end, _ in calls}
        # A surplus closing bracket after a call is a mistake that raises no doubt.
        less = "".join(
            _CLOSERS.sub("", one, 1) if pos in ends else one
            for pos, one in outside
            if not _LIST_MARKS.fullmatch(one)
        )
        remains = has_words_or_brackets_left(text) and has_words_or_brackets_left(less)
        # If the text begins with a call, its opening mark may be in the prompt.
        is_first = bool(calls) and not self.src[self._until : calls[0][0]].strip()
        depth = 1 if is_first else 0
        left_over = 0 if remains else _find_unopened_tag(outside, ends, depth=depth)
        words = max((pos for pos, piece in outside if _has_words(piece)), default=-1)
        says_more = _has_words(text)
        places = [(start, end) for start, end, _ in calls]
        quoted = self._enclosed_calls(places)
        layout = self._mask([*places, *self.thoughts])

        def find_doubt(start: int, fence: _Fence | None) -> RepairCode | None:
            if start >= left_over:
                return RepairCode.DAMAGE
            if start in quoted:
                return RepairCode.SENTENCE
            if laid := find_doubt_of_layout(layout, start, has_prose=says_more):
                return laid
            if fence is None:
                is_example = has_code or start < unopened
            else:
                # The calls in such a fence are intended if no words follow the fence.
                is_own = fence.language in _OWN_LANGUAGES and words < fence.start
                is_beside_it = has_prose and not (fence.announced or is_own)
                is_example = is_beside_it or fence.language not in CALL_LANGUAGES
            return RepairCode.EXAMPLE if is_example else None

        return [
            find_doubt(start, None if fence is None else self._fences[fence])
            for start, _, fence in calls
        ]

    def _enclosed_calls(self, calls: Sequence[tuple[int, int]]) -> set[int]:
        parts = sorted(enclosed_spans(self._mask([*calls, *self.passed])))
        enclosed = set()
        reach = index = 0
        for start, _ in sorted(calls):
            while index < len(parts) and parts[index][0] < start:
                reach = max(reach, parts[index][1])
                index += 1
            if start < reach:
                enclosed.add(start)
        return enclosed

    def _mask(self, spans: Iterable[tuple[int, int]]) -> str:
        """Return the text with letters instead of spans. Then their content has no meaning."""
        pieces = []
        pos = 0
        for start, end in sorted(spans):
            pieces += [self.src[pos:start], "x" * (end - max(pos, start))]
            pos = max(pos, end)
        return "".join([*pieces, self.src[pos:]])

    def iterate_prose_outside(self, calls: Iterable[tuple[int, int]]) -> Iterator[tuple[int, str]]:
        """Yield the position and text of each piece outside calls, fences and skipped passages."""
        fences = ((fence.start, fence.end) for fence in self._fences)
        pos = 0
        for start, end in sorted([*fences, *self.passed, *calls, (len(self.src), len(self.src))]):
            if pos < start:
                yield pos, self.src[pos:start]
            pos = max(pos, end)

    # --- sentences ------------------------------------------------------------------------------

    def is_in_sentence(
        self, start: int, end: int, after: int, *, is_tagged: bool, is_special: bool
    ) -> bool:
        """Return whether the text on a call's line shows that the call is part of a sentence.

        `after` is the end of the previous call.

        - After a colon, a call is not part of a sentence.
        - After a tag, it is part of a sentence only between words or in quotes.
        - After a special token, it is part of a sentence only in quotes.
        """
        content = self._fences[-1].content if self._is_open else 0
        thought = self._until if self._until <= start else 0
        first = max(self._line_of(start), after, content, thought, start - _BACK)
        before = self.src[first:start].strip(" \t,;" if 0 < after == first else " \t,")
        goes_on = LINE_REST.match(self.src, end) is None
        if is_tagged and not goes_on:  # the end of the element may be on a later line
            goes_on = LINE_REST.match(self.src, _skip_ends(self.src, end)) is None
        if self._quote or before.endswith(("`", '"', "'", "\u201c", "\u2018")):
            return True
        if is_special:
            return False
        if is_tagged:
            return before != "" and (
                goes_on or before[-1] in _NO_PROSE or before in _ARROWS or before.isdigit()
            )
        return goes_on or (before != "" and not before.endswith(":"))


def _skip_ends(src: str, pos: int) -> int:
    """Return the position after the closing tags and fences that follow, on any lines."""
    match = _ENDS_OF_ELEMENT.match(src, pos)
    assert match is not None  # the pattern also matches an empty string
    return match.end()


def _has_words(text: str) -> bool:
    return re.search(r"\w", TAG.sub("", text)) is not None


def has_words_or_brackets_left(prose: str) -> bool:
    """Return whether prose contains parts of calls, such as tags or unmatched brackets.

    Such parts are tags of parameters or functions, lengths, triple quotes, and brackets, quotes or
    backticks without a partner on their line.

    >>> (has_words_or_brackets_left('It is "fine" (really) :) and 5" wide:'),
    ...     has_words_or_brackets_left('", n=1)'))
    (False, True)
    """
    if _REMAINS.search(prose):
        return True
    return any(
        not _has_matched_brackets(line) for line in prose.split("\n") if _UNPAIRED.search(line)
    )


def _has_matched_brackets(line: str) -> bool:
    plain = _NO_BRACKETS.sub("", TAG.sub("", line))
    if plain.count("`") % 2 or plain.count('"') % 2:
        return False
    pairs = (("(", ")"), ("[", "]"), ("{", "}"), ("\u201c", "\u201d"))
    return all(plain.count(one) == plain.count(other) for one, other in pairs)


def _find_unopened_tag(
    pieces: Sequence[tuple[int, str]], ends: Container[int], *, depth: int
) -> int:
    """Return the end of the first closing tag that has no opening tag, or `sys.maxsize`.

    `depth` elements were opened before the text. A tag directly after a call belongs to the call.
    """
    for pos, piece in pieces:
        for match in _ELEMENT_TAG.finditer(piece):
            depth += -1 if match[1] else 1
            if depth < 0 and pos in ends and not piece[: match.start()].strip():
                depth = 0
            if depth < 0:
                return pos + match.end()
    return sys.maxsize
