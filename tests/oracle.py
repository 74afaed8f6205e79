"""Read calls independently, with `grammars/lton-0.1.lark` and python-lark.

This module uses no code of `lton`. Rules that the grammar cannot express (see its head) are
implemented here in a few lines each. The module knows no schema, so bare words are `Word`s and
arguments `Members`; `tests/properties/test_oracle.py` interprets them with a toolset.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedInput

GRAMMAR = Path(__file__).parent.parent / "grammars" / "lton-0.1.lark"
DEEPEST = 64
LONGEST_NUMBER = 4096
FORBIDDEN = re.compile("[\0\ud800-\udfff]")


class Refused(Exception):  # noqa: N818 - an outcome, not a fault
    """The text is not LTON for any toolset."""


class Word(str):
    """A bare word: a string, a number, null, true or false, depending on the schema."""

    __slots__ = ()


class Label(str):
    """A string that the tagged form writes as a label (R-503)."""

    __slots__ = ()


class Counted(str):
    """A string after its length, which cannot be a key."""

    __slots__ = ()


class Skip:
    """`_` instead of an argument."""


SKIP = Skip()


@dataclass(frozen=True, slots=True)
class Members:
    """The arguments of a call, or a record: positional and keyed values."""

    positional: list[Any] = field(default_factory=list)
    keyed: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Column:
    """A key of a header, with the keys of its own header if it has one."""

    key: str
    inner: Members | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """An array or a map that was written as a table, and therefore contains only maps."""

    rows: Any


@dataclass(frozen=True, slots=True)
class Written:
    """One call as it is written."""

    name: str
    arguments: Members
    fingerprint: str | None = None
    is_tagged: bool = False
    is_map: bool = False


def accepts(text: str) -> bool:
    """Return whether the text is LTON for some toolset."""
    try:
        read(text)
    except Refused:
        return False
    return True


def read(text: str) -> list[Written]:
    """Return the calls of a text, or raise `Refused`.

    >>> read("wait 5 why=tea")[0].arguments
    Members(positional=['5'], keyed={'why': 'tea'})
    """
    if FORBIDDEN.search(text):
        raise Refused("R-202")
    parser = _PARSER.parse_interactive(text)
    last = None
    try:
        for last in parser.iter_parse():
            if last.type in ("COUNTED", "LABEL"):
                _take_payload(last, text, parser.lexer_thread.state.line_ctr)
        calls: list[Written] = parser.feed_eof(last)
    except UnexpectedInput as error:
        raise Refused(type(error).__name__) from error
    for call in calls:
        _check_depth(call.arguments)
    return calls


def read_without_tools(text: str) -> list[Written]:
    """Return the calls of a text in the map form (R-431), or in the tagged form with keys
    (R-501).
    """
    calls = read(text)
    if not all(call.is_map or (call.is_tagged and not call.arguments.positional) for call in calls):
        raise Refused("R-431, R-501")
    return calls


def word_value(word: str) -> Any:
    """Return the meaning of a bare word if every kind of value is allowed (R-304, R-310)."""
    if word in ("null", "true", "false"):
        return {"null": None, "true": True, "false": False}[word]
    number = re.fullmatch(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", word)
    if number is None:
        return str(word)
    if word == "-0":
        raise Refused("R-310")
    return _number(word, is_double=bool(number[1] or number[2]))


def _take_payload(token: Token, text: str, source: Any) -> None:
    """R-307: after the colon comes the given number of characters, of any kind."""
    start = source.char_pos
    payload = text[start : start + int(token[1:-1])]
    if len(payload) < int(token[1:-1]):
        raise Refused("R-307")
    token.value = payload
    source.feed(payload)


def _check_depth(arguments: Members) -> None:
    """R-1101: check the depth of nested values, in a loop, because a text may nest a million
    deep.
    """
    waiting = [(value, 0) for value in _inside(arguments)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, Column):
            raise Refused("R-314")  # no header
        if isinstance(value, list | dict | Members | Table):
            if depth == DEEPEST:
                raise Refused("R-1101")
            waiting += [(inner, depth + 1) for inner in _inside(value)]


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, Members):
        yield from value.positional
        yield from value.keyed.values()
    elif isinstance(value, Table):
        yield from _inside(value.rows)
    else:
        yield from value.values() if isinstance(value, dict) else value


def _rows(header: Members, rows: Sequence[Sequence[Any]]) -> list[Any]:
    """R-314: return the rows of a table as maps."""
    places = list(_places(header, 1))
    maps = []
    for cells in rows:
        if len(cells) > len(places):
            raise Refused("R-314")
        row: dict[str, Any] = {}
        for index, path in enumerate(places):
            cell = cells[index] if index < len(cells) else SKIP
            if cell is SKIP and len(path) > 1:
                raise Refused("R-314")
            into = row
            for key in path[:-1]:
                into = into.setdefault(key, {})
            if cell is not SKIP:
                into[path[-1]] = cell
        maps.append(row)
    return maps


def _places(header: Members, fewest: int) -> Iterator[tuple[str, ...]]:
    """Return the path of keys to each column of a header."""
    columns = [_column(argument) for argument in header.positional]
    names = {column.key for column in columns}
    if header.keyed or len(names) < max(fewest, len(columns)):
        raise Refused("R-314")
    for column in columns:
        if column.inner is None:
            yield (column.key,)
        else:
            yield from ((column.key, *path) for path in _places(column.inner, 2))


def _column(value: Any) -> Column:
    if isinstance(value, Column):
        return value
    is_key = value is SKIP or (isinstance(value, str) and not isinstance(value, Counted))
    if not is_key or (isinstance(value, Word) and not re.fullmatch("[A-Za-z0-9_./-]+", value)):
        raise Refused("R-314")
    return Column("_" if value is SKIP else str(value))


def _number(digits: str, *, is_double: bool) -> int | float:
    if len(digits) > LONGEST_NUMBER:
        raise Refused("R-1102")
    value = float(digits) if is_double else int(digits)
    if value in (float("inf"), float("-inf")):
        raise Refused("R-310")
    return value


def _without_twins(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """R-205, R-410: refuse a repeated key."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise Refused("R-205")
    return members


def _text(token: Token) -> str:
    """Return the string that a name or a string lexeme means."""
    if token.type == "QUOTED":
        return str(token[1:-1])
    if token.type in ("FENCED", "SHUT"):
        head, _, payload = token.partition("\n")
        text: str = payload.removesuffix(head.removesuffix("+"))
        return text if head.endswith("+") else text.removesuffix("\n")
    return str(token.value)


@dataclass(frozen=True, slots=True)
class _Repeat:
    """R-404: a call of the tool of the previous call."""

    arguments: Members


@v_args(inline=True)
class _Builder(Transformer):  # type: ignore[misc]  # lark is not followed
    """Builds calls during parsing, with one method for each rule of the grammar."""

    def text(self, *calls: Written | _Repeat) -> list[Written]:
        named: list[Written] = []
        for call in calls:
            if isinstance(call, _Repeat):
                call = Written(named[-1].name, call.arguments)  # noqa: PLW2901
            named.append(call)
        return named

    def call(
        self, head: tuple[str, str | None], arguments: Members | dict[str, Any] | None = None
    ) -> Written:
        if isinstance(arguments, dict):
            return Written(head[0], Members([], arguments), head[1], is_map=True)
        return Written(head[0], arguments or Members(), head[1])

    def repeat(self, arguments: Members | None = None) -> _Repeat:
        return _Repeat(arguments or Members())

    def answer(self, *_: Any) -> None:
        raise Refused("R-426")  # no call; what reads calls alone refuses it

    def head(self, name: str, fingerprint: Token | None = None) -> tuple[str, str | None]:
        if not name:
            raise Refused("R-303")
        return name, fingerprint and fingerprint[1:]

    def members(self, *parts: Any) -> Members:
        pairs = [part for part in parts if isinstance(part, tuple)]
        return Members(list(parts[: len(parts) - len(pairs)]), _without_twins(pairs))

    def pair(self, key: str, value: Any) -> tuple[str, Any]:
        return key, value

    def key(self, token: Token) -> str:
        return token[:-1] if token.type == "KEY" else _text(token)

    def record(self, members: Members | None = None) -> Members:
        return members or Members()

    def array(self, *values: Any) -> list[Any]:
        return list(values)

    def map(self, *entries: tuple[str, Any]) -> dict[str, Any]:
        return _without_twins(entries)

    def entry(self, key: str, value: Any) -> tuple[str, Any]:
        return key, value

    def lines(self, count: Token, header: Members, *rows: list[Any]) -> Table:
        if len(rows) != int(count) or rows == ([],):
            raise Refused("R-317")
        return self.array_table(header, *rows)

    def array_table(self, header: Members, *rows: list[Any]) -> Table:
        return Table(_rows(header, rows))

    def map_table(self, header: Members, *lines: tuple[str, list[Any]]) -> Table:
        rows = _rows(header, [cells for _, cells in lines])
        return Table(
            _without_twins([(key, row) for (key, _), row in zip(lines, rows, strict=True)])
        )

    def line(self, key: Token, *cells: Any) -> tuple[str, list[Any]]:
        return self.column(key).key, list(cells)

    def column(self, key: Token, inner: Members | None = None) -> Column:
        text = _text(key)
        _column(Word(text) if key.type == "WORD" else text)
        return Column(text, inner)

    def string(self, token: Token) -> str:
        return Counted(_text(token)) if token.type == "COUNTED" else _text(token)

    def word(self, token: Token) -> Word:
        return Word(token)

    def skip(self, _: Token) -> Skip:
        return SKIP

    def name(self, token: Token) -> str:
        return _text(token)

    def tagged(self, head: tuple[str, str | None], *groups: Any) -> Written:
        row, pairs = (groups[0], groups[1:]) if isinstance(groups[0], list) else ([], groups)
        return Written(head[0], Members(row, _without_twins(pairs)), head[1], is_tagged=True)

    row = tagged_array = cells = row_of_cells = no_cells = array
    tagged_map, tagged_entry = map, entry  # noqa: A003 - the rule above

    def atom(self, token: Token) -> Any:
        if token.type == "COUNTED":
            return _text(token)
        if token.type == "LABEL":
            return Label(_text(token))
        if token.type == "NULL":
            return None
        length, payload = token[1:].split(":")
        if int(length) != len(payload):
            raise Refused("R-502")
        if token.type == "BOOLEAN":
            return payload == "true"
        return _number(payload, is_double=token.type == "DOUBLE")


_PARSER = Lark(
    GRAMMAR.read_text("utf-8"),
    parser="lalr",
    lexer="contextual",
    start="text",
    maybe_placeholders=False,
    transformer=_Builder(),
)
