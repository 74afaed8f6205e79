"""The common case of reading: lines as the encoder writes them.

One pattern cuts a line into lexemes, and for each parameter there is a function from its lexeme
to its value. Where that fails, the line is read as one whose arguments may have keys, or
parentheses around them. Anything else (a counted text, a fence, two spaces, whatever is wrong)
is left to the reader of `_frames.py`, which alone knows the whole format and says what is
wrong: here a line is read or it is not. Words are given their meaning and values are checked by
the type itself, as there.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import chain, pairwise
from sys import intern
from typing import Any, TypeAlias

from lton._patterns import compiled_when_used
from lton._syntax import (
    BARE,
    LETTERS,
    LINE_TEXT,
    LITERALS,
    MAX_DIGITS,
    NAME,
    NAME_CLASS,
    NUMBER,
    OPENING,
    QUOTES,
    REPEAT,
    ROW_END,
    SKIP,
    is_allowed,
    read_number,
)
from lton.codec._stops import ABSENT
from lton.codec._values import words
from lton.schema.toolset import ToolSet
from lton.schema.types import ANY, JSON, Array, Call, Number, Object, String, Type

ReadLexeme: TypeAlias = Callable[[str], JSON]
_ReadTable: TypeAlias = Callable[[str], tuple[list[str], list[Any]]]

_UNUSUAL = (ValueError, LookupError)
"""What the functions here raise for a lexeme that they do not read."""

# --- lexemes ------------------------------------------------------------------------------------


def _lexeme() -> str:
    """Get the pattern of a value on one line, in one piece; counted texts and fences are none.

    Groups nest three deep in it.
    (Atomic groups, `(?>…)`, because Python before 3.11.5 matches `(…)*+` wrongly.)
    """
    plain = "[^\\[\\](){}\"'`\n\r\x00\ud800-\udfff]++"
    group = f"[\\[({{](?>(?:{plain}|{_QUOTED})*)[\\])}}]"
    for _ in range(2):
        group = f"[\\[({{](?>(?:{plain}|{_QUOTED}|{group})*)[\\])}}]"
    return f"{BARE.pattern}|{_QUOTED}|{group}|{SKIP}"


_QUOTED = "|".join(f"{OPENING[q]}{text.pattern}{q}" for q, text in LINE_TEXT.items())
_LEXEME = _lexeme()
_BETWEEN = "(?:[ ,]|, )"
_LEXEMES = compiled_when_used(rf"{_BETWEEN}({_LEXEME})|.+", re.DOTALL)
"""Values, each after a space, a comma or both. Where that ends, the rest as an empty match."""
_MEMBERS = compiled_when_used(f"{_BETWEEN}(?:([{NAME_CLASS}]++)=)?({_LEXEME})|.+", re.DOTALL)
"""The same with a key and `=` before a value that has one."""
_PAIRS = compiled_when_used(f"{_BETWEEN}([{NAME_CLASS}]++|{_QUOTED}) ({_LEXEME})|.+", re.DOTALL)
"""The same with a key and a space before each value."""
_KEY = f"(?:[{NAME_CLASS}]++|{_QUOTED})"
_COLUMN = rf"({_KEY})(?:\(({_KEY}(?:[ ,]{_KEY})+)\))?"
_HEADER = compiled_when_used(rf"\({_COLUMN}(?:[ ,]{_COLUMN})*\)")
_COLUMNS = compiled_when_used(f"[ ,(]{_COLUMN}")
_KEYS = compiled_when_used(_KEY)
_CELLS = compiled_when_used(f"([ ,{ROW_END}](?:{_LEXEME}))|.+", re.DOTALL)
"""The cells of a table, each with what is before it: the end of a row, or a separator."""
_KEYED_CELLS = compiled_when_used(f"({ROW_END}{_KEY}|[ ,](?:{_LEXEME}))|.+", re.DOTALL)
"""The same where a row has a key."""
_BEFORE = compiled_when_used(f"{_BETWEEN}(?:([{NAME_CLASS}]++)=)?")
_ONE = compiled_when_used(_LEXEME)
_LONG = 4096
"""From so many characters on a string is cut out by its quotes, and numbers are read as JSON."""


def _members_of(text: str) -> list[tuple[str, str]]:
    """Get the keys and the lexemes of a row; an empty lexeme, which is not read, if it is none."""
    if len(text) < _LONG:
        return _MEMBERS.findall(text)
    pos = 0
    members = []
    while before := _BEFORE.match(text, pos):
        pos = before.end()
        lexeme = _long_quoted(text, pos)
        if not lexeme and (match := _ONE.match(text, pos)):
            lexeme = match[0]
        members.append((before[1] or "", lexeme))
        pos += len(lexeme)
    return members if pos == len(text) else [("", "")]


def _long_quoted(text: str, pos: int) -> str:
    """Get a string in quotes, with them; an empty one if there is none, or it is not usual."""
    quote = text[pos : pos + 1]
    if quote not in _QUOTES or text.startswith(quote, pos + 1):
        return ""
    lexeme = text[pos : text.find(quote, pos + 1) + 1]
    return "" if "\n" in lexeme or "\r" in lexeme or not is_allowed(lexeme) else lexeme


# --- lines --------------------------------------------------------------------------------------

_Row: TypeAlias = tuple[Any, ...]
"""Of a tool: how many arguments are required, its name, and for each parameter its name and what
reads its lexeme. All in one tuple, for memory that the processor has forgotten is what costs most.
"""


def read_lines(text: str, pos: int, stop: int, calls: list[Call], tools: ToolSet) -> int:
    """Read calls from `pos` to `stop`, up to one that is not common; get the position there.

    At `stop` a line has ended.
    """
    rows = tools._derived.rows
    find, cut = text.find, _LEXEMES.findall
    while pos < stop:
        end = find("\n", pos, stop)
        if end < 0:
            end = stop
        space = find(" ", pos, end)
        if space < 0:
            space = end
        name = text[pos:space]
        try:
            row = rows.get(name) or _row(name, calls, tools)
            if row is None:
                if "(" not in name and "#" not in name:
                    return pos
                call = _read_line(text[pos:end], tools)
            elif end - space > _LONG:
                call = Call(row[1], _members(row[1], tools).read(text[space:end]))
            elif (lexemes := cut(text, space, end)) and not lexemes[-1]:
                if text.find("=", space, end) < 0:
                    return pos
                call = Call(row[1], _members(row[1], tools).read(text[space:end]))
            else:
                call = _new(Call)  # `Call(…)` takes twice as long
                call.name = row[1]
                call.arguments = _read_row(row, lexemes)
        except _UNUSUAL:
            return pos
        calls.append(call)
        pos = end + 1
    return pos


def _read_row(row: _Row, lexemes: list[str]) -> dict[str, JSON]:
    """Read arguments by position. What is written out would take longer as a loop."""
    count = len(lexemes)
    if len(row) != 2 * count + 2:
        if not row[0] <= count < len(row) // 2:
            raise ValueError
        row = row[: 2 * count + 2]
    if SKIP in lexemes:
        if SKIP in lexemes[: row[0]]:
            raise ValueError
    elif count == 1:
        _, _, a, read_a = row
        return {a: read_a(lexemes[0])}
    elif count == 2:
        _, _, a, read_a, b, read_b = row
        return {a: read_a(lexemes[0]), b: read_b(lexemes[1])}
    elif count == 3:
        _, _, a, read_a, b, read_b, c, read_c = row
        return {a: read_a(lexemes[0]), b: read_b(lexemes[1]), c: read_c(lexemes[2])}
    turns = iter(row[2:])
    steps = zip(turns, turns, lexemes)  # noqa: B905 - as many by now
    return {name: read(lexeme) for name, read, lexeme in steps if lexeme != SKIP}


def _read_line(line: str, tools: ToolSet) -> Call:
    """Read a call with a fingerprint, or with its arguments in parentheses."""
    name, bracket, inside = line.partition("(")
    if not bracket:
        name, space, inside = line.partition(" ")
        inside = space + inside
    name, mark, digits = name.partition("#")
    row = tools._derived.rows.get(name) or _row(name, [], tools)
    if row is None or (mark and digits != tools.fingerprint_of(tools.by_name[name])):
        raise ValueError
    return Call(row[1], _members(row[1], tools).read(_inside(f"({inside}") if bracket else inside))


def _row(name: str, calls: list[Call], tools: ToolSet) -> _Row | None:
    """Get what reads the arguments of a tool, for `&` of the last one; None if it has none."""
    if name == REPEAT and calls:
        name = calls[-1].name
    row: _Row | None = tools._derived.rows.get(name)
    if row is None and (tool := tools.by_name.get(name)):
        if tool.check or not NAME.fullmatch(name):
            raise ValueError
        params = tool.args.params
        turns = ((intern(str.__str__(param.name)), _reader(param.type)) for param in params)
        required = sum(param.required for param in params)
        row = (required, tool.name, *chain.from_iterable(turns))
        tools._derived.rows[name] = row
    return row


def _members(name: str, tools: ToolSet) -> "_Members":
    kept = tools._derived.members
    members: _Members | None = kept.get(name)
    if members is None:
        members = kept[name] = _Members(tools.by_name[name].args)
    return members


class _Members:
    """Reads arguments, or the members of an object, of which some may have keys or be absent."""

    __slots__ = ("_by_name", "_extra", "_required")

    def __init__(self, members: Object) -> None:
        self._by_name = {param.name: _reader(param.type) for param in members.params}
        self._extra = None if members.extra is None else _reader(members.extra)
        self._required = {param.name for param in members.params if param.required}

    def read(self, text: str) -> dict[str, JSON]:
        """Read arguments, each with a space before it: by position, then by key (R-410)."""
        if "=" in text or len(text) > _LONG:
            values = self._read_keyed(_members_of(text))
        else:
            lexemes = _LEXEMES.findall(text)
            if len(lexemes) > len(self._by_name):
                raise ValueError
            row = zip(self._by_name.items(), lexemes)  # noqa: B905
            values = {name: read(lexeme) for (name, read), lexeme in row if lexeme != SKIP}
        if not values.keys() >= self._required:
            raise ValueError
        return values

    def _read_keyed(self, members: list[tuple[str, str]]) -> dict[str, JSON]:
        by_name = self._by_name
        values: dict[str, JSON] = {}
        turns = iter(by_name)
        for key, lexeme in members:
            name = key or next(turns, None)
            if key:
                turns = _NO_TURN
            elif lexeme == SKIP and name is not None:
                continue
            if name is None or name in values:
                raise ValueError
            read = by_name.get(name) or self._extra or _refuse
            values[name] = read(lexeme)
        return values


_NO_TURN: Iterator[str] = iter(())


# --- values -------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)  # equal types share a function: a processor's cache is small
def _reader(node: Type) -> ReadLexeme:
    """Get the function that reads a value of a type: that of a common kind, or the general one."""
    if quick := _QUICK.get(node):
        return quick
    if table := words(node):
        return table.__getitem__
    if node.number and node == Type(number=node.number):
        return _number_reader(node.number)
    if node.array and node == Type(array=node.array):
        return _array_reader(node.array)
    if node.object and node == Type(object=node.object):
        return _object_reader(node.object)
    return _general_reader(node)


def _read_string(lexeme: str) -> str:
    if lexeme[0] in QUOTES:
        return lexeme[1:-1]
    if lexeme[0] in _NO_WORD:
        raise ValueError
    return lexeme


def _read_number(lexeme: str) -> int | float:
    if lexeme.isdigit() and lexeme[0] != "0" and len(lexeme) < MAX_DIGITS:
        return int(lexeme)
    if _DECIMAL.fullmatch(lexeme):
        return float(lexeme)
    if not NUMBER.fullmatch(lexeme) or len(lexeme) > MAX_DIGITS:
        raise ValueError
    value = read_number(lexeme)
    if value is None:
        raise ValueError
    return value


def _read_integer(lexeme: str) -> int | float:
    if lexeme.isdigit() and lexeme[0] != "0" and len(lexeme) < MAX_DIGITS:
        return int(lexeme)
    value = _read_number(lexeme)
    if type(value) is float and not value.is_integer():
        raise ValueError
    return value


def _number_reader(number: Number) -> ReadLexeme:
    def read(lexeme: str) -> JSON:
        value = _read_number(lexeme)
        if number.refuse(value) is not None:
            raise ValueError
        return value

    quick = {Number(): _read_number, Number(integer=True): _read_integer}
    return quick.get(number, read)


def _array_reader(array: Array) -> ReadLexeme:
    read = _reader(array.items)
    of_numbers = read in _OF_NUMBERS
    of_strings = read in _OF_STRINGS
    has_bounds = array != Array(items=array.items)
    table = _table_reader(array.items, has_keys=False)

    def read_items(lexeme: str) -> JSON:
        if lexeme[0] != "[" or lexeme[-1] != "]":
            raise ValueError
        inside = lexeme[1:-1]
        items: Any
        if table and lexeme[1] == "(":
            items = table(lexeme)[1]
        elif of_strings and lexeme[1] == '"' and (strings := _quoted_items(lexeme)):
            items = strings
        elif read is _read_string and _WORDS.fullmatch(inside):
            items = inside.split(" ")
        elif of_numbers and (numbers := _read_numbers(read, inside)):
            items = numbers
        elif inside:
            items = _read_all(read, _LEXEMES.findall(f" {inside}"))
        else:
            items = []
        if has_bounds and array.refuse(items) is not None:
            raise ValueError
        return items  # type: ignore[no-any-return]

    return read_items


def _quoted_items(lexeme: str) -> list[str]:
    """Get the items of an array if all are in double quotes; none if not."""
    for between in ('","', '", "'):
        items = lexeme[2:-2].split(between)
        if lexeme.count('"') == 2 * len(items) and lexeme[-2] == '"':
            return items
    return []


def _read_all(read: ReadLexeme, lexemes: list[str]) -> list[Any]:
    """Read many lexemes of a type: at once where all are strings, words or numbers."""
    if len(lexemes) < _MANY or read not in _AT_ONCE:
        return list(map(read, lexemes))
    firsts = {lexeme[:1] for lexeme in lexemes}
    if read in _OF_STRINGS and firsts <= _QUOTES:
        return [lexeme[1:-1] for lexeme in lexemes]
    if read in _OF_STRINGS and firsts <= LETTERS:
        return lexemes if read is _read_string else [LITERALS.get(each, each) for each in lexemes]
    if read is not _read_string and firsts <= _NUMERIC:
        return _read_numbers(read, " ".join(lexemes)) or list(map(read, lexemes))
    return list(map(read, lexemes))


def _read_numbers(read: ReadLexeme, text: str) -> list[Any] | None:
    """Read words of digits, minus signs and points, which most often are numbers; None for others.

    Many are read as JSON if that reads them alike.
    """
    if not _NUMBERS.fullmatch(text):
        return None
    text = text.replace(", ", " ").replace(",", " ")
    if len(text) > _LONG and "-0" not in text and (read is not _read_integer or "." not in text):
        from json import loads  # noqa: PLC0415 - it takes longer than most texts

        with suppress(ValueError):
            return loads(f"[{text.replace(' ', ',')}]")  # type: ignore[no-any-return]
    return list(map(read, text.split(" ")))


def _table_reader(rows: Type, *, has_keys: bool) -> "_ReadTable | None":
    """Get what reads a table of a type (R-314): the keys of its rows if they have any, and rows."""
    if rows.object is None or not rows.object.is_map:
        return None
    extra = rows.object.extra or ANY
    read = _reader(extra)
    of_inner = extra.object.extra if extra.object and extra.object.is_map else None
    read_inner = _reader(of_inner) if of_inner else _refuse
    cut = _KEYED_CELLS if has_keys else _CELLS

    def read_table(group: str) -> tuple[list[str], list[Any]]:
        header = _HEADER.match(group, 1)
        if header is None:
            raise ValueError
        names = [(_name(key), inner) for key, inner in _COLUMNS.findall(header[0])]
        inners = [[_name(key) for key in _KEYS.findall(inner)] for _, inner in names]
        width = has_keys + sum(len(inner) or 1 for inner in inners)
        found = _in_rows(cut.findall(f"{ROW_END}{group[header.end() : -1]}"), width)
        turns = ([each[1:] for each in found[i::width]] for i in range(width))
        keys = list(map(_name, next(turns))) if has_keys else []
        columns = {}
        has_gaps = False
        for (name, _), inner in zip(names, inners):  # noqa: B905 - as many
            if inner:
                below = {each: _read_all(read_inner, next(turns)) for each in inner}
                columns[name] = _rows(below, len(inner), has_gaps=False)
            elif SKIP in (cells := next(turns)):
                has_gaps = True
                columns[name] = [ABSENT if cell == SKIP else read(cell) for cell in cells]
            else:
                columns[name] = _read_all(read, cells)
        if len(set(keys)) < len(keys):
            raise ValueError
        return keys, _rows(columns, len(names), has_gaps=has_gaps)

    return read_table


def _in_rows(cells: list[str], width: int) -> list[str]:
    """Get cells so that each row has as many: those that it leaves out at its end are `_`."""
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


def _rows(columns: dict[str, list[Any]], count: int, *, has_gaps: bool) -> list[Any]:
    """Get columns, of which there must be so many, as rows; without what is absent."""
    if len(columns) < count:  # a key was given twice
        raise ValueError
    rows = [dict(zip(columns, row)) for row in zip(*columns.values())]  # noqa: B905 - as many
    if has_gaps:
        return [{key: value for key, value in row.items() if value is not ABSENT} for row in rows]
    return rows


def _name(key: str) -> str:
    """Get a key as it is, of what is written."""
    return key[1:-1] if key[0] in QUOTES else key


def _object_reader(members: Object) -> ReadLexeme:
    """R-313: a record, or a map."""
    if members.extra and members.is_map:
        return _map_reader(members.extra)
    row = _Members(members)

    def read_record(lexeme: str) -> JSON:
        if lexeme[0] != "(":
            raise ValueError
        return row.read(_inside(lexeme))

    return read_record


def _map_reader(extra: Type) -> ReadLexeme:
    read = _reader(extra)
    table = _table_reader(extra, has_keys=True)

    def read_pairs(lexeme: str) -> JSON:
        if lexeme[0] != "{":
            raise ValueError
        inside = _inside(lexeme)
        if table and lexeme[1] == "(":
            keys, rows = table(lexeme)
            return dict[str, JSON](zip(keys, rows))  # noqa: B905 - as many
        pairs = _PAIRS.findall(inside)
        values = {_name(key): read(value) for key, value in pairs}
        if len(values) < len(pairs):
            raise ValueError
        return values

    return read_pairs


def _general_reader(node: Type) -> ReadLexeme:
    """R-304: what a lexeme means is for the type to say."""
    number = _number_reader(node.number) if node.number else _refuse
    array = _array_reader(node.array) if node.array else _refuse
    members = _object_reader(node.object) if node.object else _refuse

    def read(lexeme: str) -> JSON:
        first = lexeme[0]
        value: JSON = lexeme
        if first in QUOTES:
            value = lexeme[1:-1]
        elif first == "[":
            value = array(lexeme)
        elif first in _OBJECTS:
            value = members(lexeme)
        elif not node.takes_bare(lexeme):
            value = LITERALS[lexeme] if lexeme in LITERALS else number(lexeme)
        elif lexeme == SKIP:
            raise ValueError
        if node.refuse(value) is not None:
            raise ValueError
        return value

    return read


def _read_any(lexeme: str) -> JSON:
    first = lexeme[0]
    if first in LETTERS:
        return LITERALS.get(lexeme, lexeme)
    if first in QUOTES:
        return lexeme[1:-1]
    if first == "[":
        return _read_items(lexeme)
    if first == "{":
        return _read_pairs(lexeme)
    if first in _NO_WORD:
        raise ValueError
    return _read_number(lexeme) if NUMBER.fullmatch(lexeme) else lexeme


def _refuse(_: str) -> JSON:
    raise ValueError


def _inside(group: str) -> str:
    """Get what is in a group, each value with a space before it."""
    if group[0] + group[-1] not in _GROUPS:
        raise ValueError
    return f" {group[1:-1]}" if len(group) > 2 else ""


_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,99})\.[0-9]{1,99}")
_NUMBERS = re.compile(rf"[-.0-9]{{1,99}}(?:{_BETWEEN}[-.0-9]{{1,99}})*")
_WORDS = compiled_when_used(f"(?>{BARE.pattern})(?> (?>{BARE.pattern}))*")
_GROUPS = frozenset(["[]", "()", "{}"])
_OBJECTS = frozenset("({")
_NO_WORD = frozenset("[({_")
_QUOTES = frozenset(QUOTES)
_NUMERIC = frozenset("-0123456789")
_OF_STRINGS = frozenset([_read_string, _read_any])
_OF_NUMBERS = frozenset([_read_number, _read_integer, _read_any])
_AT_ONCE = _OF_STRINGS | _OF_NUMBERS
_MANY = 8
"""So many lexemes are worth a look at all of them."""
_QUICK: dict[Type, ReadLexeme] = {ANY: _read_any, Type(string=String()): _read_string}
_read_items = _array_reader(Array(items=ANY))
_read_pairs = _map_reader(ANY)
_new = Call.__new__
