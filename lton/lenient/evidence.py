"""Decide which calls are certain: the ladder of evidence (§10.5).

Words cannot tell whether a model means a call, in any language. Evidence can. A call that was read
climbs these rungs, and is uncertain at the first that it misses:

1. *Shape.* Its values are values, not placeholders or types (`_shown_calls`).
2. *Nothing left over.* No text next to it can belong to its arguments (`_left_over`), and no
   damage before it can contain it (`_doubt`).
3. *Syntax and place.* It is a part of a whole answer: besides calls and their marks, the text
   contains at most a thought. Or it is in a syntax that has marks of its own and that its model is
   known to write (`syntaxes`), and these marks are not in a quotation, in an example, or below a
   line that introduces one.
4. *No echo.* Its name and its values do not stand together in a text that the model was given.

The caller supplies the evidence that the text cannot contain: the syntaxes of the model, and the
texts that the model was given. Who may still execute an uncertain call is up to the caller. The
gateway asks the model again (`lton.gateway.native.inquiries`).
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from lton._patterns import compiled_when_used
from lton.errors import RepairCode
from lton.lenient._echo import SeenTexts
from lton.lenient._marks import CALL_LANGUAGES, LABEL_LINE
from lton.lenient._spans import CallSpan
from lton.lenient._strings import TAG
from lton.lenient.syntaxes import LIST_WORD, SYNTAXES, find_opening, pattern_of_column

_FENCE_LANGUAGES = "|".join(sorted(filter(None, CALL_LANGUAGES), key=len, reverse=True))
_WORDS = r"\s*[\w.]{1,40}(?:[ _]\w{1,40}| to=[\w.]{1,60})?"
_OWN_MARKS = compiled_when_used(
    rf"(?:\s|{TAG.pattern}"
    # tokens that begin or end a message, a turn or a call
    r"|<[|\uff5c][\w\u2581]{0,20}(?:start|end|begin|stop|call|return|sep|eos|close|open)[\w\u2581]{0,20}[|\uff5c]>"
    rf"|<\w{{1,40}}\|>|<\|/\w{{1,40}}\|>|</s>|{pattern_of_column('closing')}"
    # one or two words between a special token and a mark: a role, a channel, a recipient, a format
    rf"|(?<=[|\uff5c]>){_WORDS}(?=\s*<)"
    rf"|```(?:{_FENCE_LANGUAGES})?(?=[\s<]|\Z)|`{{1,2}}(?!`)|(?:{LIST_WORD})\b|\[(?!\s*\[)|\](?!\])|[,;])*",
    re.IGNORECASE,
)
"""Everything that may stand around the calls of a whole answer."""
_ROLE = compiled_when_used(rf"(?<=[|\uff5c]>){_WORDS}\s*")
"""The words between the last special token and a call."""
_TOKEN = compiled_when_used(r"<[|\uff5c][\w\u2581]{1,40}[|\uff5c]>")
_LONGEST_MARKS = 200  # characters of the special tokens before a call
_SURPLUS = compiled_when_used(r"[.)\]}]{1,3}")
"""Brackets too many, or a full stop, directly after a call."""
_LINE = 400  # characters of the line before a call that are examined
_LABEL = compiled_when_used(r"\S+(?: \S+){0,2}? ?(?::(?:\s|\Z)|\uff1a)|[^\W\d]\w*:(?=[^\W\d])")
"""A label at the start of a line: up to three words and a colon."""
_CODE_SPAN = compiled_when_used(r"`[^`]*`")
_NO_PROSE = compiled_when_used(r"[$<>|=\\~^{}\[\]]|\#\s|\t|(?<![.!?\u2026])[ ]{2}")
"""A sign that sentences do not have outside code, or a gap that is not between sentences."""
_NAME_LINE = compiled_when_used(
    r"^[*_# \t]{0,9}[^\s:\uff1a]{1,40}[*_]{0,2}[:\uff1a][*_]{0,2}[ \t]*$", re.MULTILINE
)
"""A line that consists of one word and a colon, such as the name of a speaker."""
_SENTENCE_ENDS = frozenset(".!?\u2026\u3002\uff01\uff1f\u061f\u0964")
_OPENS_SENTENCE = "\u00bf\u00a1"
_CLOSES_SENTENCE = ")*_\"'\u201d\u2019"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The caller's knowledge: the syntaxes that the model writes, and the texts that it saw."""

    syntaxes: frozenset[str] = frozenset()
    seen_texts: SeenTexts = field(default_factory=SeenTexts)


def judge_calls(
    src: str,
    spans: Sequence[CallSpan],
    thoughts: Collection[tuple[int, int]],
    evidence: Evidence,
) -> list[CallSpan]:
    """Return the spans with the doubts of the last two rungs: syntax and place, and echo.

    `thoughts` are the spans of the thoughts in the text. Earlier doubts are kept.
    """
    is_whole = is_whole_answer(src, spans, thoughts)
    in_known_syntax = _iterate_known_syntax_verdicts(src, spans, thoughts, evidence.syntaxes)
    judged = []
    for span, is_known in zip(spans, in_known_syntax, strict=True):
        doubt = span.doubt
        if span.candidate is None or doubt is not None:
            judged.append(span)
            continue
        if not (is_whole or is_known):
            doubt = RepairCode.BESIDE
        elif evidence.seen_texts.has_call(span.candidate.call):
            doubt = RepairCode.SEEN
        judged.append(replace(span, doubt=doubt))
    return judged


def is_whole_answer(
    src: str, spans: Sequence[CallSpan], thoughts: Collection[tuple[int, int]]
) -> bool:
    """Return whether a text consists of calls, their marks and thoughts."""
    calls = [(span.start, span.end, True) for span in spans]
    parts = sorted([*calls, *((start, end, False) for start, end in thoughts)])
    pos = 0
    for start, end, is_call in [*parts, (len(src), len(src), False)]:
        if start > pos and not is_only_marks(src, pos, start, before_call=is_call):
            return False
        pos = max(pos, end)
        surplus = _SURPLUS.match(src, pos) if is_call else None
        pos = surplus.end() if surplus else pos
    return True


def is_only_marks(src: str, start: int, end: int, *, before_call: bool) -> bool:
    """Return whether a part of a text contains only marks that models write around calls."""
    marks = _OWN_MARKS.match(src, start, end)
    assert marks is not None  # the pattern also matches an empty string
    if marks.end() == end:
        return True
    return before_call and _ROLE.fullmatch(src, marks.end(), end) is not None


def find_marks_before(src: str, start: int, call: int) -> int:
    """Return the start of the marks that end at a call, from `start` on, or the call.

    If there is also other text, the marks begin with a special token.
    """
    if is_only_marks(src, start, call, before_call=True):
        return start
    tokens = _TOKEN.finditer(src, max(start, call - _LONGEST_MARKS), call)
    starts = (token.start() for token in tokens)
    return next((pos for pos in starts if is_only_marks(src, pos, call, before_call=True)), call)


def _iterate_known_syntax_verdicts(
    src: str,
    spans: Sequence[CallSpan],
    thoughts: Collection[tuple[int, int]],
    syntaxes: Collection[str],
) -> Iterator[bool]:
    """Yield for each span whether the call is in one of the syntaxes, and after plain prose.

    The first of several calls with nothing but marks between them decides for all.
    """
    ends_of_thoughts = sorted(stop for _, stop in thoughts)
    results = [one.result for one in SYNTAXES if one.name in syntaxes and one.result]
    has_result = False
    is_known = False
    end = 0
    for span in spans:
        count = bisect_right(ends_of_thoughts, span.marks)
        pos = max(end, ends_of_thoughts[count - 1] if count else 0)
        has_result = has_result or any(one.search(src, pos, span.marks) for one in results)
        is_next = end > 0 and is_only_marks(src, end, span.start, before_call=True)
        if span.start >= end and not is_next:
            is_known = _opens_in_prose(src, span, pos, syntaxes, has_result=has_result)
        yield is_known
        end = max(end, span.end)


def _opens_in_prose(
    src: str, span: CallSpan, pos: int, syntaxes: Collection[str], *, has_result: bool
) -> bool:
    """Return whether a mark of a known syntax opens a call, directly or after a line of prose.

    `pos` is the end of the thought or call before it, and `has_result` says whether a label for the
    result of a call comes before the call.
    """
    first = span.marks
    above = max(pos, src.rfind("\n", 0, max(0, first - 1)) + 1)
    if above < first and LABEL_LINE.fullmatch(src, above, first):  # in ReAct, the label is a mark
        first = above
    match = find_opening(src, first, span.start, syntaxes)
    if match is None:
        return False
    syntax, opening = match
    if syntax.is_special:
        return True
    if syntax.result and has_result:
        return False
    first = _start_of_tags(src, first, opening)
    before = src[max(pos, first - _LINE) : first]
    if _is_indented(before) or _NAME_LINE.search(before):
        return False
    line = before.rstrip().rpartition("\n")[2]
    tags = [tag.end() for tag in TAG.finditer(line)]
    line = line[tags[-1] if tags else 0 :].strip()
    if syntax.lead and (lead := syntax.lead.match(line)):
        line = line[lead.end() :]
    return not line or _is_prose(line)


def _start_of_tags(src: str, start: int, end: int) -> int:
    """Return the start of the tags that end at a mark with nothing between them, or the mark."""
    first = end
    last = start
    for tag in TAG.finditer(src, start, end):
        if first == end or src[last : tag.start()].strip():
            first = tag.start()
        last = tag.end()
    return end if src[last:end].strip() else first


def _is_indented(before: str) -> bool:
    """Return whether a text ends with the indentation of a line below another line."""
    above, line_end, indentation = before.rpartition("\n")
    return bool(line_end and indentation and not indentation.strip(" \t") and above.strip())


def _is_prose(line: str) -> bool:
    """Return whether a line may be the end of a model's own sentence.

    Such a line begins with a letter (in Spanish, after an inverted mark), and not with a label. It
    ends with a letter or the end of a sentence. A line that ends with a colon, a bracket or a
    number introduces something, or is a heading, a log entry or the start of a message. A sign that
    sentences do not have, or a wide gap, shows a prompt, a table, a log or code.
    """
    if not line.lstrip(_OPENS_SENTENCE)[:1].isalpha() or _LABEL.match(line):
        return False
    if _NO_PROSE.search(_CODE_SPAN.sub("x", line)):
        return False
    last = line.rstrip(_CLOSES_SENTENCE)[-1:]
    return last in _SENTENCE_ENDS or unicodedata.category(last)[0] in "LM"
