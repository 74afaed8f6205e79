"""Lay out rows of tables and numbers of lists, and say which text of a document is missing."""

import re
from collections.abc import Iterable, Iterator, Mapping
from string import ascii_lowercase

_AFTER_NOUN = re.compile(" (?:after|of|outside|without) ")
MISSING = "[Missing here: "
"""The start of the last line of a text that lacks something."""
BULLET = "-"
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MOST_ROMAN = 4_000


def iterate_joined_rows(rows: Iterable[list[str]]) -> Iterator[str]:
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


def write_missing_note(amounts: Mapping[str, int]) -> list[str]:
    """Return the last lines of a document: a note that counts everything that is missing.

    >>> write_missing_note({"picture": 2, "character of a chart": 1, "page": 0})
    ['[Missing here: 2 pictures, 1 character of a chart]']
    """
    parts = [
        f"{number:,} {name if number == 1 else _plural(name)}"
        for name, number in amounts.items()
        if number > 0
    ]
    return [f"{MISSING}{', '.join(parts)}]"] if parts else []


def _plural(name: str) -> str:
    """Return the plural of a name, whose noun is its last word, or is before a preposition.

    >>> _plural("embedded document"), _plural("picture without text")
    ('embedded documents', 'pictures without text')
    """
    match = _AFTER_NOUN.search(name)
    end = match.start() if match else len(name)
    return f"{name[:end]}s{name[end:]}"


def write_number(number: int, form: str) -> str:
    """Write a number as a list of a form does; other forms than letters and Roman are decimal.

    >>> write_number(27, "upperLetter"), write_number(4, "lowerRoman"), write_number(4, "ordinal")
    ('AA', 'iv', '4')
    """
    match form:
        case "none":
            return ""
        case "lowerLetter" | "upperLetter" if number > 0:
            repeated = min((number - 1) // len(ascii_lowercase) + 1, 10)
            text = ascii_lowercase[(number - 1) % len(ascii_lowercase)] * repeated
        case "lowerRoman" | "upperRoman" if 0 < number < _MOST_ROMAN:
            text = _write_roman(number)
        case _:
            return str(number)
    return text.upper() if form.startswith("upper") else text


def _write_roman(number: int) -> str:
    numeral = ""
    for value, letters in _ROMAN:
        while number >= value:
            numeral += letters
            number -= value
    return numeral


def with_prefix(prefix: str, text: str) -> str:
    """Return a paragraph with the number of its item; without text, only a number is shown.

    >>> with_prefix("1. ", "tea"), with_prefix("1. ", " "), with_prefix("- ", "")
    ('1. tea', '1.', '')
    """
    if text.strip():
        return prefix + text
    return prefix.strip() if any(map(str.isalnum, prefix)) else ""
