"""Find unread text that may belong to a call, and call marks that are not followed by a call.

A call is certain only if no text next to it can be a part of its arguments. *Next to it* means in
its element, on its line, or on the lines up to the next call or a blank line. Such text is one of
these:

- a JSON object that begins with a key of the tool;
- a line `key: value`, `key=value` or `<key>value` whose key is a parameter that the call lacks;
- a label that announces arguments (`Action Input:`), also after blank lines, or a fence, if the
  call lacks a parameter;
- a group in parentheses that begins with such a key;
- any word in the element of the call.

The rule is stricter for a call without arguments: any object, array, key or label counts, and so do
the lines before the call. Such a call is an error, because it was written with arguments. Other
calls are uncertain. A tool without parameters has no arguments that could be left over.
"""

import re
from collections.abc import Collection, Iterable, Iterator

from lton._patterns import compiled_when_used
from lton.errors import RepairCode
from lton.lenient._arguments import INPUT
from lton.lenient._coerce import normalize_name
from lton.lenient._marks import OPENS_TEXT, SPECIAL
from lton.lenient._spans import CallSpan
from lton.lenient._strings import ENDING_TAG, TAG
from lton.lenient._tree import JSON_OBJECT
from lton.lenient.syntaxes import PREFIX, pattern_of_column
from lton.schema.toolset import ToolSet

_BLANK_LINE = compiled_when_used(r"\n[ \t\r]*+\n(?:[ \t\r]*+\n)*+")
_KEY = compiled_when_used(
    r"^[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?[<*_`\"']{0,4}"
    r"(?P<key>[^\W\d][\w.-]{0,63}(?:[ ]\w{1,30}){0,2})"
    r"[*_`\"']{0,4}(?:[ \t]*(?:[=\uff1a]|:(?!//))|(?<![*_`\"'])>)",
    re.MULTILINE,
)
"""A line that begins with a key: `query: x`, `- **query**: x`, `query=x`, `<query>x`."""
_FIRST = compiled_when_used(r"[{\s\"'\u201c]*([\w.$-]*)")  # the first key of an object
_INNER = frozenset("\"'{}[]")  # before an object on its line, if the object is part of other data
_BRACKET = compiled_when_used(r"^[ \t]*[\[{]", re.MULTILINE)
_FENCE = compiled_when_used(r"^[ \t]*(?:`{3,}|~{3,})", re.MULTILINE)
_GROUP = compiled_when_used(r"[\s`)\]}]*+\(\s*+(?:(?P<key>[^\W\d][\w.-]{0,63})\s*+[=:]|[\"'\d\[{])")
"""Arguments in parentheses, which are not next to the name."""
_LABEL = compiled_when_used(INPUT)
_SPOKEN = frozenset(
    "thought observation result output response answer final_answer note user assistant".split()
)
"""Words before a colon that are not keys, such as names of speakers."""
_OPENED = compiled_when_used(r"<([\w:]{1,60})>\s*\Z")
_MARK = compiled_when_used(
    r"((?!<[^<>\n]{0,60}(?:end|sep|arg|result|response|output))"
    rf"(?:<(?:{PREFIX}|[|\uff5c]{{0,2}}(?:\w{{1,20}}[_:])?)"
    r"(?:tool[_\u2581]?(?:calls?|code)|function[_\u2581]?calls?|invoke|python_tag)\b[^<>\n]{0,200}>"
    r"|<[|\uff5c]tool[_\u2581]calls?[_\u2581][\w\u2581]{1,20}[|\uff5c]>"
    rf"|<(?:function=|invoke[ ]name=)|{pattern_of_column('needs_body')}))"
    rf"|{TAG.pattern}|{ENDING_TAG.pattern}"
)
"""A mark of a call (group 1), or another tag."""
_BEGUN = compiled_when_used(r"\s*+[*<\w \t]{0,24}")
_ANY_TAG = compiled_when_used(f"{TAG.pattern}|{ENDING_TAG.pattern}")
_IS_WORD = compiled_when_used(r"[\w.+%/\\-]")
_NOTHING = frozenset(["", "null", "none"])


def find_leftover(
    src: str, span: CallSpan, start: int, stop: int, tools: ToolSet | None
) -> int | None:
    """Return the position of unread text that may belong to a call, or None."""
    assert span.candidate is not None  # the call was read
    call = span.candidate.call
    arguments = call.arguments
    keys = None if tools is None else tools.by_name[call.name].args.by_name
    if keys is not None and not keys:
        return None
    lacks = None if keys is None else {normalize_name(key) for key in keys if key not in arguments}
    last = _end_of_block(src, span.end, stop)
    closes = _find_end_of_element(src, span, stop)
    end = last if closes is None else min(last, closes)
    positions = [] if closes is None else [_find_word(src, span.end, closes)]
    if arguments:
        positions += [
            _find_object(src, span.end, last, keys),
            _find_key_line(src, span.end, last, lacks or ()),
            _find_group(src, span.end, last, lacks or ()),
        ]
    else:
        first = max(src.rfind("\n\n", start, span.marks), start)
        missing_keys = lacks or ()
        positions += [
            _find_object(src, span.end, last, None),
            _find_object(src, first, span.marks, keys),
            _find_group(src, span.end, last, None),
            _find_key_line(src, span.end, end, None),
            _find_key_line(src, end, last, missing_keys),
            _find_key_line(src, first, span.marks, missing_keys),
            _find_match_start(_BRACKET, src, span.end, last),
        ]
    if (lacks or not arguments) and "```" not in src[span.marks : span.end] and span.fence is None:
        positions.append(_find_match_start(_FENCE, src, span.end, last))
    return min((position for position in positions if position is not None), default=None)


def _end_of_block(src: str, pos: int, stop: int) -> int:
    """Return the end of the lines next to a call: a blank line that no label for arguments follows.

    The lines below such a label also end at a blank line.
    """
    blank = _BLANK_LINE.search(src, pos, stop)
    if blank is None:
        return stop
    key = _KEY.match(src, blank.end(), stop)
    if key and _LABEL.fullmatch(key["key"]):
        blank = _BLANK_LINE.search(src, key.end(), stop)
    return blank.start() if blank else stop


def _find_group(src: str, pos: int, end: int, keys: Collection[str] | None) -> int | None:
    """Return the position of arguments in parentheses after a call, or None."""
    match = _GROUP.match(src, pos, end)
    if match is None:
        return None
    is_own = keys is None or (match["key"] is not None and normalize_name(match["key"]) in keys)
    return match.end() if is_own else None


def _find_word(src: str, pos: int, end: int) -> int | None:
    match = re.search(r"\w", _ANY_TAG.sub(lambda tag: " " * len(tag[0]), src[pos:end]))
    return pos + match.start() if match else None


def _find_end_of_element(src: str, span: CallSpan, stop: int) -> int | None:
    """Return the end of the element that contains a call, or None."""
    opened = _OPENED.search(src, span.marks, span.start)
    end = src.find(f"</{opened[1]}>", span.end, stop) if opened else -1
    return end if end >= 0 else None


def _find_match_start(pattern: re.Pattern[str], src: str, pos: int, end: int) -> int | None:
    match = pattern.search(src, pos, end)
    return match.start() if match else None


def _find_key_line(src: str, pos: int, end: int, keys: Collection[str] | None) -> int | None:
    """Return the position of a line that begins with a key or a label for arguments, or None.

    If `keys` is None, every key matches except `_SPOKEN`.
    """
    if keys is not None and not keys:
        return None
    for match in _KEY.finditer(src, pos, end):
        key = normalize_name(match["key"]).replace(" ", "_")
        if _LABEL.fullmatch(match["key"]) or (key not in _SPOKEN if keys is None else key in keys):
            return match.start()
    return None


def _find_object(src: str, pos: int, end: int, keys: Collection[str] | None) -> int | None:
    """Return the position of a JSON object whose first key is in `keys`, or None."""
    for match in JSON_OBJECT.finditer(src, pos, end):
        first = _FIRST.match(src, match.start())
        before = src[max(src.rfind("\n", pos, match.start()) + 1, pos) : match.start()][-80:]
        is_outer = _INNER.isdisjoint(before)
        if is_outer and (keys is None or (first and first[1] in keys)):
            return match.start()
    return None


def may_continue(src: str, span: CallSpan, tools: ToolSet | None, *, is_cut: bool) -> bool:
    """Return whether the last call may be incomplete.

    If the text was cut off, the call may be incomplete if only marks follow. Otherwise it may be
    incomplete in two cases: after a bare value, if a closing bracket or a closing mark of the call
    is missing; and after a name, if only the start of a line follows. The end of the text also ends
    a line of LTON.
    """
    assert span.candidate is not None  # the call was read
    call = span.candidate.call
    marks = src[span.marks : span.start]
    after = src[span.end :]
    if is_cut:
        return _is_nothing(after)
    if call.arguments:
        codes = {code for _, code in span.candidate.repairs}
        is_open = RepairCode.CLOSER in codes or OPENS_TEXT.search(marks) is not None
        return is_open and not after and _IS_WORD.match(src, span.end - 1) is not None
    if tools is None or not src.endswith(call.name, span.start, span.end):
        return False
    is_longer = any(one != call.name and one.startswith(call.name) for one in tools.by_name)
    is_ended = marks == "" and after != "" and not after.strip()
    has_more = not is_ended and bool(tools.by_name[call.name].args.by_name)
    return (is_longer and not after) or (has_more and _BEGUN.fullmatch(after) is not None)


def iterate_unread_positions(
    src: str, pieces: Iterable[tuple[int, str]], starts: Collection[int]
) -> Iterator[int]:
    """Yield the position of each call mark after which no call was read.

    `starts` has the starts of the calls. A mark counts if it is a special token, at the start of a
    line or after another mark, and if the text after it is more than null or brackets.
    """
    for pos, piece in pieces:
        opened = None
        last = 0
        for match in _MARK.finditer(piece):
            at = pos + match.start()
            content = piece[last : match.start()]
            if match[1]:
                is_first = last == 0 or content.strip() != ""
                before = src[max(src.rfind("\n", 0, at) + 1, at - 80) : at].strip()
                if is_first and before and not SPECIAL.match(src, at):
                    continue
            elif not ENDING_TAG.match(src, at):
                continue
            if opened is not None and not _is_nothing(content):
                yield opened
                opened = None
            if not match[1]:
                opened = None
            elif opened is None:
                opened = at
            last = match.end()
        is_read = pos + len(piece) in starts
        if opened is not None and not (is_read or _is_nothing(piece[last:])):
            yield opened


def _is_nothing(text: str) -> bool:
    return _ANY_TAG.sub("", text).strip(" \t\r\n[]{}\"'`.,;").lower() in _NOTHING
