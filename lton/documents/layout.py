"""Lay out rows of tables, and say which text of a document is missing."""

import re
from collections.abc import Iterable, Iterator, Mapping

_AFTER_NOUN = re.compile(" (?:of|outside|without) ")
MISSING = "[Missing here: "
"""The start of the last line of a text that lacks something."""


def join_rows(rows: Iterable[list[str]]) -> Iterator[str]:
    """Yield a line for each row of a table that has any text."""
    for row in rows:
        cells = [" ".join(cell.split()) for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield " | ".join(cells)


def count_characters(text: str) -> int:
    """Count the characters of a text that are not white space."""
    return sum(map(len, text.split()))


def missing_note(amounts: Mapping[str, int]) -> list[str]:
    """Return the last lines of a document: a note that counts everything that is missing.

    >>> missing_note({"picture": 2, "character of a chart": 1, "page": 0})
    ['[Missing here: 2 pictures, 1 character of a chart]']
    """
    counted = [
        f"{number:,} {name if number == 1 else _plural(name)}"
        for name, number in amounts.items()
        if number > 0
    ]
    return [f"{MISSING}{', '.join(counted)}]"] if counted else []


def _plural(name: str) -> str:
    """Return the plural of a name, whose noun is its last word, or stands before `of` or `without`.

    >>> _plural("embedded document"), _plural("picture without text")
    ('embedded documents', 'pictures without text')
    """
    match = _AFTER_NOUN.search(name)
    end = match.start() if match else len(name)
    return f"{name[:end]}s{name[end:]}"
