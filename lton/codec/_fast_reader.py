"""The common case of reading, compiled for each schema: a line as the encoder writes it.

One pattern cuts the line into lexemes, and for each parameter there is a function from its lexeme
to its value. Anything unusual (a counted text, a fence, two spaces, whatever is wrong) is left to
the reader of `_reader.py`, which alone knows the whole format and says what is wrong: here a line
is read or it is not. Lexemes are cut by the patterns of `_syntax.py`, words are given their
meaning and values are checked by the type itself, as there.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TypeAlias

from lton._syntax import (
    LEXEME,
    LITERALS,
    MAX_DIGITS,
    MEMBER,
    NAME,
    NUMBER,
    PAIR,
    QUOTES,
    REPEAT,
    SKIP,
    read_number,
)
from lton.codec._values import words
from lton.schema.toolset import ToolSet
from lton.schema.types import ANY, JSON, Array, Call, Number, Object, String, Type

ReadLexeme: TypeAlias = Callable[[str], JSON]
Fill: TypeAlias = Callable[[tuple[str, ...], tuple[ReadLexeme, ...], list[str]], dict[str, JSON]]

_MAX_UNROLLED = 32
"""Up to so many values the loop over them is written out."""

_UNUSUAL = (ValueError, LookupError)
"""What the functions here raise for a lexeme that they do not read."""


class LineReader:
    """Reads lines of calls of some tools."""

    __slots__ = ("_rows", "_tools")

    def __init__(self, tools: ToolSet) -> None:
        self._tools = tools
        self._rows: dict[str, _Row] = {}

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
                row = rows.get(text[pos:space]) or self._rarer_row(text[pos:space], calls)
                if row is None:
                    calls.append(self._read_punctuated(text[pos:end]))
                else:
                    lexemes = LEXEME.findall(text, space, end)
                    plan = row.by_count.get(len(lexemes))
                    if plan is None or "" in lexemes or SKIP in lexemes:
                        values = row.read_rarer(text, space, end, lexemes)
                    else:
                        fill, names, reads = plan
                        values = fill(names, reads, lexemes)
                    calls.append(Call(row.tool, values))
            except _UNUSUAL:
                return pos
            pos = end + 1
        return pos

    def _rarer_row(self, name: str, calls: list[Call]) -> "_Row | None":
        """Get the row of the tool above, or of a tool that is met first; None for what is none."""
        if name.startswith("!"):
            raise ValueError  # a sigil
        if name == REPEAT and calls:
            name = calls[-1].name
        row = self._rows.get(name)
        if row is None and name in self._tools.by_name:
            row = self._row(name)
        elif row is None and "#" in name:
            tool, _, digits = name.partition("#")
            row = self._rows.get(tool) or self._row(tool)
            if digits != self._tools.fingerprint_of(self._tools.by_name[tool]):
                raise ValueError
            self._rows[name] = row
        return row

    def _read_punctuated(self, line: str) -> Call:
        name, _, inside = line.partition("(")
        row = self._rows.get(name) or self._row(name)
        return Call(name, row.read_all(_inside(f"({inside}")))

    def _row(self, name: str) -> "_Row":
        tool = self._tools.by_name[name]
        if tool.check or not NAME.fullmatch(name):
            raise ValueError
        row = self._rows[name] = _Row(tool.args, name)
        return row


class _Row:
    """Reads arguments, each with a space before it."""

    __slots__ = ("_by_name", "_extra", "_fewest", "_most", "_required", "by_count", "tool")

    def __init__(self, members: Object, tool: str = "") -> None:
        self.tool = tool
        names = tuple(members.by_name)
        reads = tuple(_reader(param.type) for param in members.params)
        self._by_name = dict(zip(names, reads, strict=True))
        self._extra = None if members.extra is None else _reader(members.extra)
        self._required = {param.name for param in members.params if param.required}
        self._fewest, self._most = len(self._required), len(names)
        # How to read so many lexemes that all stand by position.
        self.by_count: dict[int, tuple[Fill, tuple[str, ...], tuple[ReadLexeme, ...]]] = {
            count: (_unrolled(count), names[:count], reads[:count])
            for count in range(self._fewest, min(self._most, _MAX_UNROLLED) + 1)
        }

    def read_rarer(self, text: str, pos: int, end: int, lexemes: list[str]) -> dict[str, JSON]:
        """Read arguments of which some may have keys, or be `_` or absent."""
        if "" in lexemes or len(lexemes) > self._most:
            return self._read_keyed(MEMBER.findall(text, pos, end))
        if len(lexemes) < self._fewest or SKIP in lexemes[: self._fewest]:
            raise ValueError
        row = zip(self._by_name.items(), lexemes)  # noqa: B905
        return {name: read(lexeme) for (name, read), lexeme in row if lexeme != SKIP}

    def read_all(self, text: str) -> dict[str, JSON]:
        """Read arguments that often have keys."""
        if "=" in text:
            return self._read_keyed(MEMBER.findall(text))
        return self.read_rarer(text, 0, len(text), LEXEME.findall(text))

    def _read_keyed(self, members: list[tuple[str, str]]) -> dict[str, JSON]:
        """Read arguments of which some have keys."""
        by_name = self._by_name
        if members[0][0] and self._extra is None:
            values = {name: by_name[name](lexeme) for name, lexeme in members}
            if len(values) < len(members):
                raise ValueError
        else:
            values = self._read_mixed(members)
        if not values.keys() >= self._required:
            raise ValueError
        return values

    def _read_mixed(self, members: list[tuple[str, str]]) -> dict[str, JSON]:
        """R-410: read arguments by position, then by key."""
        values: dict[str, JSON] = {}
        name: str | None
        turns = iter(self._by_name)
        for key, lexeme in members:
            if key:
                name = key
                turns = iter(())
            else:
                name = next(turns, None)
                if lexeme == SKIP and name not in self._required and name is not None:
                    continue
            if name is None or name in values:
                raise ValueError
            read = self._by_name.get(name) or self._extra or _refuse
            values[name] = read(lexeme)
        return values


@cache
def _unrolled(count: int) -> Fill:
    """Get what makes a row of so many values: a loop, written out.

    It takes half the time, and refuses another number of lexemes. The code depends on the number
    alone: nothing of a schema is in it.
    """
    numbers = range(count)
    unpack = (f"[{', '.join(f'{each}{i}' for i in numbers)}] = {each}s" for each in _EACH)
    values = ", ".join(f"name{i}: read{i}(lexeme{i})" for i in numbers)
    code = [
        f"def fill({', '.join(f'{each}s' for each in _EACH)}):",
        *unpack,
        f"return {{{values}}}",
    ]
    scope: dict[str, Fill] = {}
    exec("\n    ".join(code), scope)  # noqa: S102
    return scope["fill"]


_EACH = ("name", "read", "lexeme")


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


def _number_reader(number: Number) -> ReadLexeme:
    kinds: dict[Number, set[type]] = {Number(): {int, float}, Number(integer=True): {int}}
    unchecked = kinds.get(number, set())

    def read(lexeme: str) -> JSON:
        value: int | float | None = _SMALL.get(lexeme)
        if value is None:
            if not NUMBER.fullmatch(lexeme) or len(lexeme) > MAX_DIGITS:
                raise ValueError
            value = read_number(lexeme)
            if value is None:
                raise ValueError
        if type(value) not in unchecked and number.refuse(value) is not None:
            raise ValueError
        return value

    return read


_SMALL = {str(i): i for i in range(100)}
"""What most numbers are."""


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


def _object_reader(members: Object) -> ReadLexeme:
    """R-313: a record, or a map."""
    if members.extra and members.is_map:
        return _map_reader(members.extra)
    row = _Row(members)

    def read_record(lexeme: str) -> JSON:
        if lexeme[0] != "(":
            raise ValueError
        return row.read_all(_inside(lexeme))

    return read_record


def _map_reader(extra: Type) -> ReadLexeme:
    read = _reader(extra)

    def read_pairs(lexeme: str) -> JSON:
        if lexeme[0] != "{":
            raise ValueError
        pairs = PAIR.findall(_inside(lexeme))
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
        elif first in _MEMBERS:
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
    return _ANY_READER(lexeme)  # its values hold such values again


def _refuse(_: str) -> JSON:
    raise ValueError


def _inside(group: str) -> str:
    """Get what is in a group, each value with a space before it."""
    if group[0] + group[-1] not in _GROUPS:
        raise ValueError
    return f" {group[1:-1]}" if len(group) > 2 else ""


_GROUPS = frozenset(["[]", "()", "{}"])
_MEMBERS = frozenset("({")
_NO_WORD = frozenset("[({_")
_QUICK: dict[Type, ReadLexeme] = {ANY: _read_any, Type(string=String()): _read_string}
_ANY_READER = _general_reader(ANY)
