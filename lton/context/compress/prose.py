"""Sentences and paragraphs, in scripts that have spaces and in those that have none."""

from lton.context.compress.sentences import BUT, sentence_ends
from lton.context.compress.units import UnitList, quoted, trimmed
from lton.context.cuts import outside

_MOST_LIMITS = 4
"""How many sentences after each other limit the one before, at most."""


def add_prose(units: UnitList, start: int, end: int, parent: int | None = None) -> None:
    """Add the sentences between."""
    text = units.text
    ends = outside(sentence_ends(text, start, end), quoted(text, start, end))
    before, limits = parent, 0
    for stop in [*ends, end]:
        first, last = trimmed(text, start, stop)
        if first < last:
            limits = limits + 1 if BUT.match(text, first) else 0
            over = before if 0 < limits < _MOST_LIMITS else parent
            before = units.next
            units.add_text(first, last, over)
        start = stop
