"""Read the most common values quickly: atoms, and arrays of atoms.

Each function reads a value, or raises one of `UNUSUAL`. As in `_values.py`, the type decides what a
word means and which values are allowed.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

from lton._patterns import compiled_when_used
from lton._syntax import (
    BARE,
    LETTERS,
    LINE_TEXT,
    LITERALS,
    MAX_DIGITS,
    NAME_CLASS,
    NUMBER,
    OPENING,
    QUOTES,
    ROW_END,
    SKIP,
    try_read_number,
)
from lton.codec._stops import ABSENT
from lton.schema.types import ANY, FREE, JSON, Array, Number, Object, String, Type

ReadLexeme: TypeAlias = Callable[[str], JSON]

UNUSUAL = (ValueError, LookupError, AttributeError, StopIteration, RecursionError)
"""Exceptions after which the general reader reads the input."""
BETWEEN = "(?:, ?| )"
QUOTED = "|".join(f"{OPENING[q]}{text.pattern}{q}" for q, text in LINE_TEXT.items())
_INSIDE = "(?>(?:[^\\[\\](){}\"'`\n\r\x00\ud800-\udfff]++|" + QUOTED + ")*)"
FLAT = rf"\[(?:\({_INSIDE}\)(?![ ,\]]))?{_INSIDE}\]"
"""An array or a table of atoms, without strings of several lines. An array of records does not
match, because a separator or the closer follows its first closing parenthesis.

(Atomic groups, `(?>…)`, are used because Python before 3.11.5 matches `(…)*+` wrongly.)"""
_FLAT_MAP = rf"\{{(?!\}}){_INSIDE}\}}"
MAPS = rf"\[{_FLAT_MAP}(?>(?:{BETWEEN}{_FLAT_MAP})+)\]"
"""An array of several maps of atoms."""
_RUN = "[^ \\[\\](){}\"'`\n\r\x00\ud800-\udfff]++| (?!s[0-9]++:)"
MAP = rf"\{{(?!\}})(?>(?:{_RUN}|{QUOTED})*)\}}"
"""A map of atoms, with at least one member and without counted strings."""
_ITEMS = compiled_when_used(rf"{BETWEEN}({BARE.pattern}|{QUOTED})|.+", re.DOTALL)
"""Atoms, each after a space, a comma or both. The first mismatch gives an empty match."""
_KEY = f"(?:[{NAME_CLASS}]++|{QUOTED})"
_HEADER = compiled_when_used(rf"\[\({_KEY}(?:{BETWEEN}{_KEY})*\)")
_KEYS = compiled_when_used(_KEY)
_PAIRS = compiled_when_used(
    rf"(?:\[|\}}?{BETWEEN})(\{{?{_KEY} (?:{BARE.pattern}|{QUOTED}))|.+", re.DOTALL
)
"""The keys of maps with their values. The first pair of each map has the brace before it."""
_MEMBERS = compiled_when_used(rf"({{?)({_KEY}) (.+)")
_MAP_PAIRS = compiled_when_used(
    rf"(?:(?:\[|\}}{BETWEEN})?({{)|{BETWEEN})({_KEY}) ({BARE.pattern}|{QUOTED})|.+", re.DOTALL
)
"""The first brace of a map, and each key with its value. The first mismatch gives empty matches."""
_CELLS = compiled_when_used(
    rf"([ ,;](?:{BARE.pattern}|{QUOTED}|{SKIP})|{ROW_END}(?={ROW_END}|\Z))|.+", re.DOTALL
)
"""The cells of a table, each with the separator or row end before it, and the ends of empty rows.
"""
_LONG = 4096  # arrays of numbers of at least this length are parsed as JSON
_SHORT_HEADER = 512  # characters of a header whose names are kept, so that these stay small


@lru_cache(maxsize=1024)  # equal types share a function, to fit in the processor's cache
def make_lexeme_reader(node: Type) -> ReadLexeme:
    if quick := _QUICK.get(node):
        return quick
    if table := _list_words(node):
        return table.__getitem__
    if node.number and node == Type(number=node.number):
        return _make_number_reader(node.number)
    if node.array and node == Type(array=node.array):
        return _make_array_reader(node.array)
    if node.object and node == Type(object=node.object):
        return _map_reader(node.object)
    return _make_general_reader(node)


def _list_words(node: Type) -> dict[str, JSON]:
    if node.array or node.object or node.number or (node.string and not node.has_labels):
        return {}
    values: dict[str, JSON] = {
        word: value for word, value in LITERALS.items() if not node.find_refusal(value)
    }
    for label in node.string.values or () if node.string else ():
        if node.find_refusal(label) is None:
            if BARE.fullmatch(label) and node.takes_bare(label):
                values[label] = label
            inside = ((quote, text) for quote, text in LINE_TEXT.items() if text.fullmatch(label))
            values.update((f"{quote}{label}{quote}", label) for quote, _ in inside)
    return values


def _read_string(lexeme: str) -> str:
    if lexeme[0] in QUOTES:
        return lexeme[1:-1]
    if lexeme[0] in "[{":
        raise ValueError
    return lexeme


def _read_number(lexeme: str) -> int | float:
    if lexeme.isdigit() and (lexeme[0] != "0" or lexeme == "0") and len(lexeme) < MAX_DIGITS:
        return int(lexeme)
    if _DECIMAL.fullmatch(lexeme):
        return float(lexeme)
    if not NUMBER.fullmatch(lexeme) or len(lexeme) > MAX_DIGITS:
        raise ValueError
    value = try_read_number(lexeme)
    if value is None:
        raise ValueError
    return value


def _read_integer(lexeme: str) -> int | float:
    if lexeme.isdigit() and (lexeme[0] != "0" or lexeme == "0") and len(lexeme) < MAX_DIGITS:
        return int(lexeme)
    value = _read_number(lexeme)
    if type(value) is float and not value.is_integer():
        raise ValueError
    return value


def _make_number_reader(number: Number) -> ReadLexeme:
    def read_checked_number(lexeme: str) -> JSON:
        value = _read_number(lexeme)
        if number.find_refusal(value) is not None:
            raise ValueError
        return value

    quick = {Number(): _read_number, Number(integer=True): _read_integer}
    return quick.get(number, read_checked_number)


def _make_array_reader(array: Array) -> ReadLexeme:
    read = make_lexeme_reader(array.items)
    of_numbers = read in _OF_NUMBERS
    of_strings = read in _OF_STRINGS
    has_bounds = array != Array(items=array.items)
    table = _try_make_table_reader(array.items)

    def read_items(lexeme: str) -> JSON:
        if lexeme[0] != "[" or lexeme[-1] != "]":
            raise ValueError
        inside = lexeme[1:-1]
        items: Any
        if table and lexeme[1] in "({":
            items = table(lexeme)
        elif of_strings and lexeme[1] == '"' and (strings := _read_quoted_items(lexeme)):
            items = strings
        elif read is _read_string and WORDS.fullmatch(inside):
            items = inside.split(" ")
        elif of_numbers and (numbers := _try_read_numbers(read, inside)):
            items = numbers
        else:
            items = _read_all(read, _ITEMS.findall(f" {inside}") if inside else [])
        if has_bounds and array.find_refusal(items) is not None:
            raise ValueError
        return items  # type: ignore[no-any-return]

    return read_items


def _map_reader(members: Object) -> ReadLexeme:
    if not members.is_map:
        return _refuse_lexeme
    read = make_lexeme_reader(members.extra or ANY)

    def read_pairs(lexeme: str) -> JSON:
        if lexeme[0] != "{":
            raise ValueError
        pairs = _MAP_PAIRS.findall(lexeme[:-1])
        values = {key[1:-1] if key[0] in QUOTES else key: read(text) for _, key, text in pairs}
        if len(values) < len(pairs):
            raise ValueError
        return values

    return read_pairs


def _read_quoted_items(lexeme: str) -> list[str]:
    """Return the items of an array if all of them are in double quotes, otherwise []."""
    for between in ('","', '", "'):
        items = lexeme[2:-2].split(between)
        if lexeme.count('"') == 2 * len(items) and lexeme[-2] == '"':
            return items
    return []


def _read_all(read: ReadLexeme, lexemes: list[str]) -> list[Any]:
    """Read lexemes, all at once if they are all strings, all words or all numbers."""
    if len(lexemes) < _MANY or read not in _AT_ONCE:
        return list(map(read, lexemes))
    firsts = {lexeme[:1] for lexeme in lexemes}
    if read in _OF_STRINGS and firsts <= _QUOTES:
        return [lexeme[1:-1] for lexeme in lexemes]
    if read in _OF_STRINGS and firsts <= LETTERS:
        return lexemes if read is _read_string else [LITERALS.get(word, word) for word in lexemes]
    if read is not _read_string and firsts <= _NUMERIC:
        return _try_read_numbers(read, " ".join(lexemes)) or list(map(read, lexemes))
    return list(map(read, lexemes))


def _try_read_numbers(read: ReadLexeme, text: str) -> list[Any] | None:
    if not _NUMBERS.fullmatch(text):
        return None
    text = text.replace(", ", " ").replace(",", " ")
    if len(text) > _LONG and "-0" not in text and (read is not _read_integer or "." not in text):
        from json import loads  # noqa: PLC0415 - importing it takes longer than most calls

        with suppress(ValueError):
            return loads(f"[{text.replace(' ', ',')}]")  # type: ignore[no-any-return]
    return list(map(read, text.split(" ")))


def _try_make_table_reader(rows: Type) -> Callable[[str], list[Any]] | None:
    if rows.object is None or not rows.object.is_map:
        return None
    read = make_lexeme_reader(rows.object.extra or ANY)

    def read_table(lexeme: str) -> list[Any]:
        if lexeme[1] == "{":
            return _read_maps(read, lexeme[:-2])
        header = _HEADER.match(lexeme)
        if header is None:
            raise ValueError
        is_kept = len(header[0]) <= _SHORT_HEADER
        names = _names_in_short_header(header[0]) if is_kept else _names_in_header(header[0])
        cells = _CELLS.findall(f";{lexeme[header.end() : -1]}")
        if len(cells) < _MANY * len(names):
            return _read_short_table(read, names, cells)
        if ROW_END in cells:
            cells = [f"{ROW_END}{SKIP}" if cell == ROW_END else cell for cell in cells]
        cells = _pad_rows(cells, len(names))
        columns: list[list[Any]] = []
        for i in range(len(names)):
            texts = [cell[1:] for cell in cells[i :: len(names)]]
            if SKIP in texts:
                columns.append([ABSENT if text == SKIP else read(text) for text in texts])
            else:
                columns.append(_read_all(read, texts))
        return rows_to_objects(list(zip(*columns)), [(name,) for name in names])  # noqa: B905 - as many

    return read_table


def _names_in_header(header: str) -> tuple[str, ...]:
    keys = _KEYS.findall(header)
    names = tuple(key[1:-1] if key[0] in QUOTES else key for key in keys)
    if len(set(names)) < len(names):
        raise ValueError
    return names


# Records of one kind repeat the header of each inner table.
_names_in_short_header = lru_cache(maxsize=256)(_names_in_header)


def _read_short_table(
    read: ReadLexeme, names: tuple[str, ...], cells: list[str]
) -> list[dict[str, JSON]]:
    """Read the rows of a table cell by cell, which is faster for a few rows."""
    rows: list[dict[str, JSON]] = []
    for cell in cells:
        if cell[0] == ROW_END:
            row: dict[str, JSON] = {}
            rows.append(row)
            columns = iter(names)
            if cell == ROW_END:  # an object without members
                continue
        name = next(columns, None)
        if name is None:
            raise ValueError
        text = cell[1:]
        if text != SKIP:
            row[name] = read(text)
    return rows


def _read_maps(read: ReadLexeme, maps: str) -> list[dict[str, JSON]]:
    if maps.count("{") >= _MANY and (rows := _read_columns(read, _PAIRS.findall(maps))):
        return rows
    rows = []
    for brace, key, text in _MAP_PAIRS.findall(maps):
        if brace:
            row: dict[str, JSON] = {}
            rows.append(row)
        name = key[1:-1] if key[0] in QUOTES else key
        if name in row:
            raise ValueError
        row[name] = read(text)
    return rows


def _read_columns(read: ReadLexeme, pairs: list[str]) -> list[dict[str, JSON]]:
    """Read maps that have the same keys in the same order; return [] for any others."""
    if not pairs[-1]:
        raise ValueError
    width = next(i for i, pair in enumerate(pairs) if i and pair[0] == "{")
    columns: dict[str, list[Any]] = {}
    for i, (brace, key, _) in enumerate(_MEMBERS.findall("\n".join(pairs[:width]))):
        texts = "\n".join(["", *pairs[i::width]]).split(f"\n{brace}{key} ")
        name = key[1:-1] if key[0] in QUOTES else key
        if name in columns or (len(texts) - 1) * width != len(pairs):
            return []
        columns[name] = _read_all(read, texts[1:])
    return [dict(zip(columns, row)) for row in zip(*columns.values())]  # noqa: B905 - as many


def _pad_rows(cells: list[str], width: int) -> list[str]:
    """Pad each row of a table with `_` to `width` cells."""
    starts = [i for i, cell in enumerate(cells) if cell[0] == ROW_END]
    if starts == list(range(0, len(cells), width)) and len(cells) % width == 0:
        return cells
    filled = []
    for start, end in pairwise([*starts, len(cells)]):
        if end - start > width:
            raise ValueError
        filled += cells[start:end]
        filled += [f" {SKIP}"] * (width - (end - start))
    return filled


def rows_to_objects(
    rows: Sequence[Sequence[Any]], paths: list[tuple[str, ...]]
) -> list[dict[str, JSON]]:
    """Convert the rows of a table to objects and omit absent members."""
    required = max((i for i, path in enumerate(paths, 1) if len(path) > 1), default=0)
    if not required:
        names = [path[0] for path in paths]
        if set(map(len, rows)) == {len(paths)} and not any(ABSENT in row for row in rows):
            return [dict(zip(names, row)) for row in rows]  # noqa: B905 - as many
        pairs = (zip(names, row) for row in rows)  # noqa: B905 - a row may have fewer
        return [{name: value for name, value in pair if value is not ABSENT} for pair in pairs]
    objects: list[dict[str, JSON]] = []
    for row in rows:
        if len(row) < required:
            raise ValueError
        members: dict[str, Any] = {}
        for (*above, name), value in zip(paths, row):  # noqa: B905
            if value is ABSENT:
                if above:
                    raise ValueError
                continue
            into = members
            for pair in above:
                into = into.setdefault(pair, {})
            into[name] = value
        objects.append(members)
    return objects


def _make_general_reader(node: Type) -> ReadLexeme:
    number = _make_number_reader(node.number) if node.number else _refuse_lexeme
    array = _make_array_reader(node.array) if node.array else _refuse_lexeme
    pairs = _map_reader(node.object) if node.object else _refuse_lexeme

    def read_any_lexeme(lexeme: str) -> JSON:
        first = lexeme[0]
        value: JSON = lexeme
        if first in QUOTES:
            value = lexeme[1:-1]
        elif first == "[":
            value = array(lexeme)
        elif first == "{":
            value = pairs(lexeme)
        elif not node.takes_bare(lexeme):
            value = LITERALS[lexeme] if lexeme in LITERALS else number(lexeme)
        if node.find_refusal(value) is not None:
            raise ValueError
        return value

    return read_any_lexeme


def _read_any(lexeme: str) -> JSON:
    first = lexeme[0]
    if first in LETTERS:
        return LITERALS.get(lexeme, lexeme)
    if first in QUOTES:
        return lexeme[1:-1]
    if first in _GROUPS:
        return _GROUPS[first](lexeme)
    if lexeme.isdigit() and (first != "0" or lexeme == "0") and len(lexeme) < MAX_DIGITS:
        return int(lexeme)
    if _DECIMAL.fullmatch(lexeme):
        return float(lexeme)
    return _read_number(lexeme) if NUMBER.fullmatch(lexeme) else lexeme


def _refuse_lexeme(_: str) -> JSON:
    raise ValueError


_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,99})\.[0-9]{1,99}")
_NUMBERS = re.compile(rf"[-.0-9]{{1,99}}(?:{BETWEEN}[-.0-9]{{1,99}})*")
WORDS = compiled_when_used(f"(?>{BARE.pattern})(?> (?>{BARE.pattern}))*")
_QUOTES = frozenset(QUOTES)
_NUMERIC = frozenset("-0123456789")
_OF_STRINGS = frozenset([_read_string, _read_any])
_OF_NUMBERS = frozenset([_read_number, _read_integer, _read_any])
_AT_ONCE = _OF_STRINGS | _OF_NUMBERS
_MANY = 8  # for at least this number of lexemes, checking all at once is faster
_QUICK: dict[Type, ReadLexeme] = {ANY: _read_any, Type(string=String()): _read_string}
_GROUPS = {"[": _make_array_reader(Array(items=ANY)), "{": _map_reader(FREE)}
