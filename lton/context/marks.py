"""Write marks for omitted text, such as `[…]`.

`[…]` replaces sentences or a part of a line, and `[… 14 lines]` replaces lines. In JSON, which
stays valid, `"[… 3 values]"` replaces elements of an array and `"[… 3 values]":0` members of an
object. If the text contains such a mark, the mark gets a different number of dots.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from lton._patterns import compiled_when_used

_THERE = compiled_when_used(r"\[((?:…|\\u2026)+)(?=[ \]])")
_COUNT = r"(?: \d+ (?:lines?|values?)(?: alike)?)?"


def make_unused_mark(text: str) -> str:
    """Return a mark that does not occur in a string.

    >>> make_unused_mark("It rained."), make_unused_mark("It […] rained.")
    ('[…]', '[……]')
    """
    there = {len(mark[1].replace("\\u2026", "…")) for mark in _THERE.finditer(text)}
    return f"[{'…' * next(size for size in range(1, len(there) + 2) if size not in there)}]"


def write_mark_with_count(mark: str, count: int, of: str = "line", *, alike: bool = False) -> str:
    """Add the number of omitted lines or values to a mark.

    >>> write_mark_with_count("[…]", 14, alike=True), write_mark_with_count("[…]", 1, "value")
    ('[… 14 lines alike]', '[… 1 value]')
    """
    noun = of if count == 1 else f"{of}s"
    end = " alike]" if alike else "]"
    return f"{mark[:-1]} {count} {noun}{end}"


def lines_of_text(text: str) -> list[str]:
    r"""Return all lines of a string that are not blank.

    >>> lines_of_text("a\u2028b\n\nc\r\nd")
    ['a\u2028b', 'c', 'd']
    """
    return [line for line in text.replace("\r", "\n").split("\n") if line.strip()]


def read_mark_at(text: str, mark: str, at: int = 0) -> str:
    """Return the mark at an offset of a string, including its count, or "" if there is none.

    >>> read_mark_at("[… 2 lines] It rained.", "[…]"), read_mark_at("It rained.", "[…]")
    ('[… 2 lines]', '')
    """
    match = _pattern_of_mark_forms(mark).match(text, at)
    return match[0] if match else ""


def read_mark_after(text: str, mark: str) -> str:
    """Return the mark at the end of a string, including its count, or "" if there is none."""
    at = text.rfind(mark[:-1])
    last = read_mark_at(text, mark, at) if at >= 0 else ""
    return last if text.endswith(last) else ""


def find_spans_left_out(
    body: str, text: str, spans: Iterable[tuple[int, int]]
) -> list[tuple[int, int]] | None:
    """Return the span that each mark in `body` replaces, or None if `body` does not match.

    Between spans there are marks and white space, and in JSON a comma. The span of a mark in an
    object covers the members after the last shown member.

    >>> (find_spans_left_out("[…] Sun. […]", "Rain. Sun. Snow.", [(6, 10)]),
    ...     find_spans_left_out("Sun, snow.", "Sun.", []))
    ([(0, 6), (10, 16)], None)
    """
    mark = make_unused_mark(text)
    gaps = list[tuple[int, int]]()
    at = 0
    end = 0
    for start, stop in [*spans, (len(text), len(text))]:
        while at < len(body) and (start == len(text) or not body.startswith(text[start:stop], at)):
            here = read_mark_at(body, mark, at)
            if here:
                gaps.append((end, start))
            elif body[at] not in _BETWEEN:
                return None
            at += len(here) or 1
        if not body.startswith(text[start:stop], at):
            return None
        at = at + stop - start
        end = stop
    return gaps


_BETWEEN = frozenset(" \t\r\n\f\v,")


@lru_cache(16)
def _pattern_of_mark_forms(mark: str) -> re.Pattern[str]:
    form = rf"{re.escape(mark[:-1])}{_COUNT}\]"
    return re.compile(rf'{form}|"{form}"(?::0)?')
