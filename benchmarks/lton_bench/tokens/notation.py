"""Write LTON in pieces with roles; tests compare the result with the encoder's output."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, NamedTuple

from lton.codec import encode
from lton.codec.tagged import write_atom
from lton.errors import EncodeError
from lton.schema import Call, ToolSet
from lton.schema.types import ANY, FREE, JSON, Object, Type
from lton_bench.internals import (
    CLOSING,
    LETTERS,
    NULL_ATOM,
    REPEAT,
    ROW_END,
    SIGIL,
    SKIP,
    Form,
    spell_name,
    spell_number,
    spell_text,
)
from lton_bench.tokens.pieces import (
    MINIFIED,
    Piece,
    Pieces,
    Role,
    between,
    kind,
    mark,
    merged,
    text_of,
    value,
)


@dataclass(frozen=True, slots=True)
class Notation:
    """A form of LTON, and the encoder's options."""

    form: Form = "wire"
    sigil: bool = False

    @property
    def punctuated(self) -> bool:
        return self.form == "punctuated"

    def row(self, words: Iterable[Iterable[Piece]]) -> Pieces:
        """Yield a row of values as `lton._syntax.joined` does, in pieces."""
        before = ""
        for word in map(list, words):
            text = text_of(word)
            is_closed = before[-1:] in CLOSING and text[0] not in LETTERS
            separator = ", " if self.punctuated else "," if is_closed else " "
            yield mark(separator if before else "")
            yield from word
            before = text

    def write(self, calls: Sequence[Call], tools: ToolSet) -> list[Piece]:
        r"""Return the output of `lton.encode`, in pieces.

        Calls that break their own schema are written without tools.

        >>> tools = ToolSet.from_prompt("wait(minutes:int why?)")
        >>> text_of(Notation().write([Call("wait", {"minutes": 5, "why": "tea time"})], tools))
        'wait 5 "tea time"'
        >>> text_of(Notation().write([Call("wait", {"minutes": "five"})], tools))
        'wait{minutes five}'
        """
        calls = tuple(calls)
        try:
            text = encode(calls, tools, form=self.form, sigil=self.sigil)
        except EncodeError:
            return self.without_tools(calls)
        if tools.aliases:
            calls = tuple(replace(call, name=tools.aliases[call.name]) for call in calls)
            tools = tools.under_aliases
        is_tagged = self.form == "tagged"
        pieces = _tagged_calls(calls, tools) if is_tagged else self._calls(calls, tools)
        return _checked(pieces, text)

    def without_tools(self, calls: Sequence[Call], _: ToolSet | None = None) -> list[Piece]:
        """Return the output of `lton.encode` without tools, in pieces."""
        if self.form == "tagged":
            return _checked(_tagged_calls(calls, None), encode(calls, form="tagged"))
        pieces = Notation(sigil=self.sigil)._maps(calls)
        return _checked(pieces, encode(calls, sigil=self.sigil))

    def _maps(self, calls: Sequence[Call]) -> Pieces:
        """Yield calls in the map form (R-431)."""
        for index, call in enumerate(calls):
            yield mark("\n" if index else "")
            yield mark(SIGIL if self.sigil else "")
            yield from _named(call.name, "name")
            pairs = self._pairs(call.arguments, ANY)
            yield from (mark("{"), *self.row(pairs), mark("}"))

    def _pairs(self, whole: Mapping[str, JSON], node: Type) -> list[list[Piece]]:
        return [
            [*_named(key, "key"), mark(" "), *self._value(whole[key], node)]
            for key in sorted(whole)
        ]

    def _calls(self, calls: Sequence[Call], tools: ToolSet) -> Pieces:
        above = None
        for index, call in enumerate(calls):
            yield mark("\n" if index else "")
            yield mark(SIGIL if self.sigil else "")
            repeats = self.form == "wire" and call.name == above
            yield from [mark(REPEAT)] if repeats else _named(call.name, "name")
            members = self._members(call.arguments, tools.by_name[call.name].args)
            if self.punctuated:
                yield from (mark("("), *self.row(members), mark(")"))
            else:
                yield mark(" " if members else "")
                yield from self.row(members)
            above = None if self.sigil else call.name

    def _members(self, values: Mapping[str, JSON], members: Object) -> list[list[Piece]]:
        row, keyed = members.arrange_in_row(values)
        if self.form in ("keyed", "punctuated"):
            row, keyed = [], members.names_in_order(values)
        words = [list(self._value(values[p.name], p.type)) if p else [mark(SKIP)] for p in row]
        for key in keyed:
            node = members.find_type(key) or ANY
            words.append([*_named(key, "key"), mark("="), *self._value(values[key], node)])
        return words

    def _value(self, whole: JSON, node: Type) -> Pieces:
        if isinstance(whole, str):
            bare = node.takes_bare(whole) and (node.has_labels or not self.punctuated)
            yield from _around(spell_text(whole, bare=bare, punctuated=self.punctuated), whole)
        elif isinstance(whole, list | tuple):
            items = (self._value(item, node.item_type) for item in whole)
            table = self._table(whole, node.item_type)
            yield from (mark("["), *(table or self.row(items)), mark("]"))
        elif not isinstance(whole, dict):
            yield _scalar(whole)
        elif node.object and not node.object.is_map:
            members = self._members(whole, node.object)
            yield from (mark("("), *self.row(members), mark(")"))
        else:
            extra = (node.object or FREE).extra or ANY
            keys = sorted(whole)
            table = self._table([whole[key] for key in keys], extra, keys)
            yield from (mark("{"), *(table or self.row(self._pairs(whole, extra))), mark("}"))

    def _table(
        self, rows: Sequence[JSON], node: Type, keys: Sequence[str] = ()
    ) -> list[Piece] | None:
        """Return the inside of a table's brackets (R-312), or None for other values."""
        if self.punctuated or not (node.object and node.object.is_map and _is_table(rows)):
            return None
        columns = self._columns(rows, node.object.extra or ANY)
        lines = []
        table = zip(*(cells for column in columns for cells in column.cells), strict=True)
        for index, cells in enumerate(table):
            row = list(cells)
            while row and row[-1] == _ABSENT:
                row.pop()
            key = [list(_named(keys[index], "key"))] if keys else []
            lines.append(self.row([*key, *row]))
        return [*self._header(columns), *between(ROW_END, lines)]

    def _header(self, columns: Iterable["_Column"]) -> Pieces:
        yield from (mark("("), *self.row(column.head for column in columns), mark(")"))

    def _columns(self, rows: Any, node: Type) -> list["_Column"]:
        """Return the columns of objects, in their order."""
        result = []
        for key in sorted({key for row in rows for key in row}):
            head = list(_named(key, "key"))
            values = [row[key] for row in rows if key in row]
            inner = node.object and node.object.is_map and _has_header(values, len(rows))
            if node.object and inner:
                columns = self._columns(values, node.object.extra or ANY)
                cells = [cell for column in columns for cell in column.cells]
                result.append(_Column(2, [*head, *self._header(columns)], cells))
            else:
                texts = [
                    list(self._value(row[key], node)) if key in row else _ABSENT for row in rows
                ]
                first = {text_of(text)[0] for text in texts if text is not _ABSENT}
                order = 2 if first & _CLOSED else int(not first <= _NUMERIC)
                result.append(_Column(order, head, [texts]))
        return sorted(result, key=attrgetter("order"))


# --- tables ---------------------------------------------------------------------------------------

_ABSENT = [mark(SKIP)]
_CLOSED = frozenset("\"'`[({")
_NUMERIC = frozenset("-0123456789")


class _Column(NamedTuple):
    order: int
    head: list[Piece]
    cells: list[list[list[Piece]]]
    """The cells of the column, or of the columns in its own header, with a value for each row."""


def _is_table(rows: Sequence[JSON]) -> bool:
    objects = [row for row in rows if isinstance(row, dict)]
    present = sum(map(len, objects))
    keys = len({key for row in objects for key in row})
    return len(objects) == len(rows) and keys + keys * len(rows) - present < present


def _has_header(values: Sequence[JSON], rows: int) -> bool:
    objects = [value.keys() for value in values if isinstance(value, dict) and len(value) > 1]
    return len(objects) == rows and all(keys == objects[0] for keys in objects)


def _checked(pieces: Pieces, text: str) -> list[Piece]:
    checked = merged(pieces)
    if text_of(checked) != text:
        raise AssertionError(f"the pieces are not those of {text!r}: {checked}")
    return checked


def _scalar(whole: JSON) -> Piece:
    if isinstance(whole, int | float) and not isinstance(whole, bool):
        return value(spell_number(whole))
    return next(MINIFIED.write(whole))


def _named(text: str, role: Role) -> Pieces:
    yield from _around(spell_name(text), text, role)


def _around(spelled: str, text: str, role: Role = "value") -> Pieces:
    """Yield a spelling, separating the string from its quotes, fence, kind or length."""
    surplus = len(spelled) - len(text)
    is_counted = surplus > 0 and spelled[0] not in "\"'`"
    if spelled.startswith("```"):
        head = spelled.index("\n") + 1
    else:
        head = surplus if is_counted else surplus // 2
    yield kind(spelled[:head]) if is_counted else mark(spelled[:head])
    yield Piece(text, role)
    yield mark(spelled[head + len(text) :])


# --- the tagged form ----------------------------------------------------------------------------


def _tagged_calls(calls: Sequence[Call], tools: ToolSet | None) -> Pieces:
    for index, call in enumerate(calls):
        yield mark("\n" if index else "")
        yield mark(SIGIL)
        yield from _named(call.name, "name")
        members = tools.by_name[call.name].args if tools else None
        row, keyed = (
            members.arrange_in_row(call.arguments) if members else ([], sorted(call.arguments))
        )
        atoms = [_atom(call.arguments[p.name], p.type) if p else [mark(SKIP)] for p in row]
        groups = [between(" ", atoms)] if row or not keyed else []
        groups += [_pair(key, call.arguments[key], members or FREE) for key in keyed]
        for group in groups:
            yield from (mark("\n("), *group, mark(")"))


def _pair(key: str, whole: JSON, members: Object) -> Pieces:
    if key in (NULL_ATOM, SKIP):
        yield from (mark('"'), Piece(key, "key"), mark('"'))
    else:
        yield from _named(key, "key")
    yield mark(" ")
    yield from _atom(whole, members.find_type(key) or ANY)


def _atom(whole: JSON, node: Type) -> Pieces:
    if isinstance(whole, dict):
        members = node.object or FREE
        pairs = (_pair(key, whole[key], members) for key in members.names_in_order(whole))
        yield from (mark("{"), *between(" ", pairs), mark("}"))
    elif isinstance(whole, list | tuple):
        items = (_atom(item, node.item_type) for item in whole)
        yield from (mark("["), *between(" ", items), mark("]"))
    elif whole is None:
        yield value(NULL_ATOM)
    else:
        head, colon, payload = write_atom(whole, node).partition(":")
        yield from (kind(head + colon), value(payload))
