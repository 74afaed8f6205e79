"""The common case of reading, compiled for each schema: a line as the encoder writes it.

One pattern cuts the line into lexemes, and for each parameter there is a function from its lexeme
to its value. Anything unusual (a counted text, a fence, two spaces, whatever is wrong) is left to
the reader of `_reader.py`, which alone knows the whole format and says what is wrong: here a line
is read or it is not. Lexemes are cut by the patterns of `_syntax.py`, words are given their
meaning and values are checked by the type itself, as there.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from lton._syntax import (
    BARE,
    LEXEME,
    LITERALS,
    MAX_DIGITS,
    MEMBER,
    NAME,
    NUMBER,
    QUOTES,
    REPEAT,
    SKIP,
    read_number,
)
from lton.schema.toolset import ToolSet
from lton.schema.types import ANY, JSON, Array, Call, Number, Object, String, Type

ReadLexeme: TypeAlias = Callable[[str], JSON]

_UNUSUAL = (ValueError, LookupError)
"""What the functions here raise for a lexeme that they do not read."""


class LineReader:
    """Reads lines of calls of some tools."""

    __slots__ = ("_rows", "_tools")

    def __init__(self, tools: ToolSet) -> None:
        self._tools = tools
        self._rows: dict[str, _Row] = {}

    @staticmethod
    def of(tools: ToolSet) -> "LineReader":
        """Get the reader for these tools; it is kept with them."""
        reader: LineReader | None = tools.memo.get("reader")
        if reader is None:
            reader = tools.memo["reader"] = LineReader(tools)
        return reader

    def read(self, text: str, pos: int, stop: int, calls: list[Call]) -> int:
        """Read lines from `pos` to `stop`, as far as this goes; get the position of the next."""
        rows = self._rows
        while pos < stop:
            end = text.find("\n", pos, stop)
            if end < 0:
                end = stop
            space = text.find(" ", pos, end)
            if space < 0:
                space = end
            try:
                row = rows.get(text[pos:space])
                if row is None:
                    calls.append(self._read_rarer(text[pos:end], calls))
                else:
                    lexemes = LEXEME.findall(text, space, end)
                    try:
                        if not row.fewest <= len(lexemes) <= row.most:
                            raise ValueError
                        values = {}
                        for (name, read), lexeme in zip(row.turns, lexemes):  # noqa: B905
                            values[name] = read(lexeme)
                    except _UNUSUAL:
                        values = row.read_rarer(text, space, end, lexemes)
                    calls.append(Call(row.tool, values))
            except _UNUSUAL:
                return pos
            pos = end + 1
        return pos

    def _read_rarer(self, line: str, calls: list[Call]) -> Call:
        """Read a line that repeats the tool above, is punctuated, or is the first of its tool."""
        name, space, tail = line.partition(" ")
        tail = space + tail
        if name == REPEAT and calls:
            name = calls[-1].name
        elif name not in self._tools.by_name:
            name, _, inside = line.partition("(")
            tail = _inside(f"({inside}")
        return Call(name, (self._rows.get(name) or self._row(name)).read(tail))

    def _row(self, name: str) -> "_Row":
        if not NAME.fullmatch(name):
            raise ValueError
        row = self._rows[name] = _Row(self._tools.by_name[name].args, name)
        return row


class _Row:
    """Reads arguments, each with a space before it."""

    __slots__ = ("by_name", "extra", "fewest", "most", "names", "required", "tool", "turns")

    def __init__(self, members: Object, tool: str = "") -> None:
        self.tool = tool
        self.names = tuple(members.by_name)
        self.turns = tuple((param.name, _reader(param.type)) for param in members.params)
        self.by_name = dict(self.turns)
        self.extra = None if members.extra is None else _reader(members.extra)
        self.required = {param.name for param in members.params if param.required}
        self.fewest, self.most = len(self.required), len(self.names)

    def read(self, text: str) -> dict[str, JSON]:
        return self.read_rarer(text, 0, len(text), LEXEME.findall(text))

    def read_rarer(self, text: str, pos: int, end: int, lexemes: list[str]) -> dict[str, JSON]:
        """Read arguments of which some may have keys, or be `_`, and many are by position."""
        if "" in lexemes or len(lexemes) > self.most:
            return self._read_keyed(MEMBER.findall(text, pos, end))
        if len(lexemes) < self.fewest or SKIP in lexemes[: self.fewest]:
            raise ValueError
        row = zip(self.turns, lexemes)  # noqa: B905
        return {name: read(lexeme) for (name, read), lexeme in row if lexeme != SKIP}

    def _read_keyed(self, members: list[tuple[str, str]]) -> dict[str, JSON]:
        values: dict[str, JSON] = {}
        name: str | None
        turns = iter(self.names)
        for key, lexeme in members:
            if key:
                name = key[:-1]
                turns = iter(())  # nothing stands by position behind a key
            else:
                name = next(turns, None)
                if lexeme == SKIP and name not in self.required and name is not None:
                    continue
            if name is None or name in values:
                raise ValueError
            read = self.by_name.get(name) or self.extra or _refuse
            values[name] = read(lexeme)
        if not values.keys() >= self.required:
            raise ValueError
        return values


# --- values -------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)  # equal types share a function: a processor's cache is small
def _reader(node: Type) -> ReadLexeme:
    """Get the function that reads a value of a type: that of a common kind, or the general one."""
    if node == ANY:
        return _read_any
    if node == Type(string=String()):
        return _read_string
    if table := _table(node):
        return table.__getitem__
    if node.number and node == Type(number=node.number):
        return _Numbers(node.number).__getitem__
    if node.array and node == Type(array=node.array):
        return _array_reader(node.array)
    return _general_reader(node)


def _table(node: Type) -> dict[str, JSON]:
    """Get the lexemes of a type that has few: labels, booleans, null."""
    if node.array or node.object or node.number or (node.string and not node.has_labels):
        return {}
    table: dict[str, JSON] = {
        word: value for word, value in LITERALS.items() if node.refuse(value) is None
    }
    for label in node.string.values or () if node.string else ():
        if node.refuse(label) is None:
            if BARE.fullmatch(label) and node.takes_bare(label):
                table[label] = label
            for quote in QUOTES:
                if LEXEME.fullmatch(f" {quote}{label}{quote}"):
                    table[f"{quote}{label}{quote}"] = label
    return table


def _read_string(lexeme: str) -> str:
    if lexeme[0] in QUOTES:
        return lexeme[1:-1]
    if lexeme[0] in _NO_WORD:
        raise ValueError
    return lexeme


class _Numbers(dict[str, JSON]):
    """The values of lexemes of numbers: the most frequent are at hand, others are read."""

    def __init__(self, number: Number) -> None:
        super().__init__((str(i), i) for i in range(100) if number.refuse(i) is None)
        self.refuse = number.refuse
        self.takes_all = number == Number()

    def __missing__(self, lexeme: str) -> JSON:
        if not NUMBER.fullmatch(lexeme) or len(lexeme) > MAX_DIGITS:
            raise ValueError
        value = read_number(lexeme)
        if value is None or not (self.takes_all or self.refuse(value) is None):
            raise ValueError
        return value


def _array_reader(array: Array) -> ReadLexeme:
    read = _reader(array.items)
    has_bounds = array != Array(items=array.items)

    def read_items(lexeme: str) -> JSON:
        if lexeme[0] != "[" or lexeme[-1] != "]":
            raise ValueError
        items = list(map(read, LEXEME.findall(f" {lexeme[1:-1]}"))) if len(lexeme) > 2 else []
        if has_bounds and array.refuse(items) is not None:
            raise ValueError
        return items

    return read_items


def _record_reader(members: Object) -> ReadLexeme:
    row = _Row(members)
    return lambda lexeme: row.read(_inside(lexeme))


def _map_reader(extra: Type) -> ReadLexeme:
    read = _reader(extra)

    def read_pairs(lexeme: str) -> JSON:
        lexemes = LEXEME.findall(_inside(lexeme))
        keys = [_read_key(key) for key in lexemes[::2]]
        values = dict(zip(keys, map(read, lexemes[1::2]), strict=True))
        if len(values) < len(keys):
            raise ValueError
        return values

    return read_pairs


def _read_key(lexeme: str) -> str:
    if lexeme[0] in QUOTES:
        return lexeme[1:-1]
    if not NAME.fullmatch(lexeme):
        raise ValueError
    return lexeme


def _general_reader(node: Type) -> ReadLexeme:
    """R-21: what a lexeme means is for the type to say."""
    number = _Numbers(node.number).__getitem__ if node.number else _refuse
    array = _array_reader(node.array) if node.array else _refuse
    members = node.object
    record = _record_reader(members) if members and not members.is_map else _refuse
    pairs = _map_reader(members.extra) if members and members.extra and members.is_map else _refuse

    def read(lexeme: str) -> JSON:
        first = lexeme[0]
        value: JSON = lexeme
        if first in QUOTES:
            value = lexeme[1:-1]
        elif first == "[":
            value = array(lexeme)
        elif first == "(":
            value = record(lexeme)
        elif first == "{":
            value = pairs(lexeme)
        elif not node.takes_bare(lexeme):
            value = LITERALS[lexeme] if lexeme in LITERALS else number(lexeme)
        elif lexeme == SKIP:
            raise ValueError
        if node.refuse(value) is not None:
            raise ValueError
        return value

    return read


def _read_any(lexeme: str) -> JSON:
    return _ANY_READER(lexeme)  # its values hold such values again


def _refuse(_: str) -> JSON:
    raise ValueError


def _inside(group: str) -> str:
    """Get what is in a group, each value with a space before it."""
    if group[0] + group[-1] not in _GROUPS:
        raise ValueError
    return f" {group[1:-1]}" if len(group) > 2 else ""


_GROUPS = frozenset(["[]", "()", "{}"])
_NO_WORD = frozenset("[({_")
_ANY_READER = _general_reader(ANY)
