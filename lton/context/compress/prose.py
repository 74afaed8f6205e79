"""Sentences and paragraphs, in scripts that have spaces and in those that have none."""

from lton.context.compress.sentences import sentence_ends
from lton.context.compress.units import UnitList, outside, quoted, trimmed


def add_prose(units: UnitList, start: int, end: int, parent: int | None = None) -> None:
    """Add the sentences between."""
    text = units.text
    ends = outside(sentence_ends(text, start, end), quoted(text, start, end))
    for stop in ends:
        _add(units, start, stop, parent)
        start = stop
    _add(units, start, end, parent)


def _add(units: UnitList, start: int, end: int, parent: int | None) -> None:
    start, end = trimmed(units.text, start, end)
    if start < end:
        units.add_text(start, end, parent)
