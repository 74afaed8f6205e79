"""Split prose in any language into titles and sentences."""

from lton.context.compress.sentences import BUT, iterate_sentence_ends
from lton.context.compress.units import (
    UnitList,
    follows_blank_line,
    iterate_line_spans,
    iterate_quotation_spans,
    trim_span,
)
from lton.context.cuts import iterate_ends_outside

_TITLE = 60  # The maximum length of a title; a longer line may continue on the next line
_MOST_LIMITS = 4  # The maximum number of consecutive sentences that limit an earlier sentence


def add_prose(units: UnitList, start: int, end: int, parent: int | None = None) -> None:
    """Add the sentences in a span. A sentence after a colon is nested under the one before."""
    text = units.text
    ends = iterate_ends_outside(
        iterate_sentence_ends(text, start, end), iterate_quotation_spans(text, start, end)
    )
    before = parent
    lead = parent
    limits = 0
    for stop in [*ends, end]:
        first, last = trim_span(text, start, stop)
        if first < last:
            if before != lead and follows_blank_line(text, first):
                lead = parent
            limits = limits + 1 if BUT.match(text, first) else 0
            over = before if 0 < limits < _MOST_LIMITS else lead
            before = units.next
            units.add_text(first, last, over)
            if text[last - 1] in ":：":  # noqa: RUF001
                lead = before
        start = stop


def add_titled(units: UnitList) -> None:
    """Add the sentences of prose, each nested under the title above it, if any."""
    text = units.text
    title = None
    start = 0
    for first, last in iterate_line_spans(text):
        if is_title(text, first, last):
            add_prose(units, start, first, title)
            title = units.add_heading(first, last)
            start = last
    add_prose(units, start, len(text), title)


def is_title(text: str, start: int, end: int) -> bool:
    r"""Return whether a line is a title: a short line that starts a paragraph and has no full stop.

    >>> [is_title("A title\nIt rained.\nSnow fell", *span) for span in ((0, 7), (8, 18), (19, 28))]
    [True, False, False]
    """
    if end - start > _TITLE or not follows_blank_line(text, start):
        return False
    below = text[end : end + _TITLE].lstrip()[:1]
    line = text[start:end].strip()
    if not below or below.islower() or line[0].islower():
        return False
    is_named = line[-1].isalnum() or line[-1] in ")\"'”»"
    return is_named and not any(iterate_sentence_ends(text, start, end))
