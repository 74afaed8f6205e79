"""Titles, paragraphs and sentences, in scripts that have spaces and in those that have none."""

from lton.context.compress.sentences import BUT, sentence_ends
from lton.context.compress.units import UnitList, is_apart, lines, quoted, trimmed
from lton.context.cuts import outside

_TITLE = 60
"""Characters of a title, at most: a longer line may go on in the next one."""
_MOST_LIMITS = 4
"""How many sentences after each other limit the one before, at most."""


def add_prose(units: UnitList, start: int, end: int, parent: int | None = None) -> None:
    """Add the sentences between; those of a paragraph under a line in it that ends in a colon."""
    text = units.text
    ends = outside(sentence_ends(text, start, end), quoted(text, start, end))
    before, lead, limits = parent, parent, 0
    for stop in [*ends, end]:
        first, last = trimmed(text, start, stop)
        if first < last:
            if before != lead and is_apart(text, first):
                lead = parent
            limits = limits + 1 if BUT.match(text, first) else 0
            over = before if 0 < limits < _MOST_LIMITS else lead
            before = units.next
            units.add_text(first, last, over)
            if text[last - 1] in ":：":  # noqa: RUF001
                lead = before
        start = stop


def add_titled(units: UnitList) -> None:
    """Add the sentences of a text, those under a title under it."""
    text, title, start = units.text, None, 0
    for first, last in lines(text):
        if is_title(text, first, last):
            add_prose(units, start, first, title)
            title = units.head(first, last)
            start = last
    add_prose(units, start, len(text), title)


def is_title(text: str, start: int, end: int) -> bool:
    r"""Say whether a line is a title: short, the first of its paragraph, and no sentence.

    >>> [is_title("A title\nIt rained.\nSnow fell", *span) for span in ((0, 7), (8, 18), (19, 28))]
    [True, False, False]
    """
    if end - start > _TITLE or not is_apart(text, start):
        return False
    below = text[end : end + _TITLE].lstrip()[:1]
    line = text[start:end].strip()
    if not below or below.islower() or line[0].islower():
        return False
    is_named = line[-1].isalnum() or line[-1] in ")\"'”»"
    return is_named and not any(sentence_ends(text, start, end))
