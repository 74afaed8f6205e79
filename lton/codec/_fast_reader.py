"""The common case of reading: lines as the encoder writes them.

One pattern cuts a line into lexemes, and for each parameter there is a function from its lexeme
to its value. Where that fails, the line is read as one whose arguments may have keys, or
parentheses around them. Anything else (a counted text, a fence, a table, two spaces, whatever is
wrong) is left to the reader of `_frames.py`, which alone knows the whole format and says what is
wrong: here a line is read or it is not. Words are given their meaning and values are checked by
the type itself, as there.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain
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
    SKIP,
    read_number,
)
from lton.codec._values import words
from lton.schema.toolset import ToolSet
from lton.schema.types import ANY, JSON, Array, Call, Number, Object, String, Type

ReadLexeme: TypeAlias = Callable[[str], JSON]

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
        if "=" in text:
            values = self._read_keyed(_MEMBERS.findall(text))
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
    of_numbers = array.items.number is not None
    has_bounds = array != Array(items=array.items)

    def read_items(lexeme: str) -> JSON:
        if lexeme[0] != "[" or lexeme[-1] != "]":
            raise ValueError
        if of_numbers and _NUMBERS.fullmatch(lexeme):
            items = list(map(read, lexeme[1:-1].split(" ")))
        elif len(lexeme) > 2:
            items = list(map(read, _LEXEMES.findall(f" {lexeme[1:-1]}")))
        else:
            items = []
        if has_bounds and array.refuse(items) is not None:
            raise ValueError
        return items

    return read_items


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

    def read_pairs(lexeme: str) -> JSON:
        if lexeme[0] != "{":
            raise ValueError
        pairs = _PAIRS.findall(_inside(lexeme))
        values = {key[1:-1] if key[0] in QUOTES else key: read(value) for key, value in pairs}
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
_NUMBERS = re.compile(r"\[[-+.0-9eE]+(?: [-+.0-9eE]+)*\]")
_GROUPS = frozenset(["[]", "()", "{}"])
_OBJECTS = frozenset("({")
_NO_WORD = frozenset("[({_")
_QUICK: dict[Type, ReadLexeme] = {ANY: _read_any, Type(string=String()): _read_string}
_read_items = _array_reader(Array(items=ANY))
_read_pairs = _map_reader(ANY)
_new = Call.__new__
