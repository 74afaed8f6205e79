"""Read and write tables (R-314): arrays or maps of objects whose keys are written only once.

    [(baggages price flight)1 152 HAT136;0 103 HAT039;_ 87 HAT110]
    {(at(x y))one 1 2;two 3 4}

A parenthesis after the opening bracket marks a table. The header is a group of keys, and each row
is a group of cells. Both are places inside the table, which fills the array or map. So reading can
resume in a table as in any other container.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain, repeat
from typing import Any, NamedTuple, TypeVar

from lton._syntax import (
    CLOSING,
    MAX_DEPTH,
    QUOTES,
    ROW_END,
    ROWS_HEAD,
    SKIP,
    WORD,
    joined,
    separator,
    spell_name,
)
from lton.codec._groups import Group, Items, Read, TypeReader
from lton.codec._lexemes import read_name
from lton.codec._members import Pairs
from lton.codec._stops import (
    ABSENT,
    CLOSED,
    ENTER,
    Container,
    More,
    Open,
    ReadState,
    Stop,
    Wrong,
    excerpt_of,
    make_unexpected_character_stop,
)
from lton.errors import Code, pointer
from lton.schema.types import ANY, Object, Type

# --- reading --------------------------------------------------------------------------------------


class Rows:
    """The readers for the cells of a table's rows."""

    def __init__(self, members: Object, reader: TypeReader) -> None:
        self.type = members.extra or ANY
        self.reader = reader

    @staticmethod
    def find_rows_of_type(node: Type, reader: TypeReader) -> "Rows | None":
        members = node.object
        return Rows(members, reader) if members is not None and members.is_map else None

    @cached_property
    def read(self) -> Read:
        return self.reader(self.type).read

    @cached_property
    def inner(self) -> "Rows | None":
        return Rows.find_rows_of_type(self.type, self.reader)

    def begin_table(self, group: Items | Pairs) -> "Table":
        return Table(group, self)


class Column(NamedTuple):
    """A key in the header of a table, and the columns below that key."""

    key: str
    inner: "tuple[Column, ...]" = ()


class Cell(NamedTuple):
    """The path of keys to a column, and the reader for its values."""

    keys: tuple[str, ...]
    rows: Rows

    @property
    def is_inner(self) -> bool:
        return len(self.keys) > 1


class RowKey(NamedTuple):
    key: str


class Table(Container):
    """A table that is being read."""

    def __init__(self, group: Items | Pairs, rows: Rows) -> None:
        self.group: Any = group
        self.up = group.up
        self.depth = group.depth
        self.watcher = group.watcher
        self.in_call = group.in_call
        self.rows = rows
        self.count = 0  # R-317: the number of rows if they are on lines, otherwise 0
        self.row_end = ROW_END
        self.has_keys = group.closer == "}"
        self.cells: list[Cell] = []
        self.needed = 0  # the minimum number of cells in a row

    def run(self, src: str, pos: int, value: Any = ENTER) -> tuple[Any, int]:
        try:
            if value is ENTER:
                if match := ROWS_HEAD.match(src, pos):
                    self.count = int(match[1])
                    self.row_end = "\n"
                    pos = match.end(1)
                value, pos = Header.begin_header(self, self.rows, src, pos)
            if type(value) is Column:
                pos = self._end_header(src, pos, value)
                self._add_cells(value.inner, self.rows, ())
                inner = (i for i, cell in enumerate(self.cells, 1) if cell.is_inner)
                self.needed = max(inner, default=0)
                value, pos = self._read_row(src, pos)
            while True:
                self.group.store_row(self.step, value)
                if src[pos] != self.row_end or len(self.group.values) == self.count:
                    break
                value, pos = self._read_row(src, pos + 1)
            self._check_count(src, pos)
        except Stop as stop:
            stop.set_container(self, pos)
            raise
        self.step = None
        return self.group.finish(src, pos)  # type: ignore[no-any-return]

    finish = run  # the table is the whole content of the group

    def enter_group(self, _src: str, _pos: int) -> ReadState:
        return CLOSED

    def _end_header(self, src: str, pos: int, header: Column) -> int:
        if self.count and not src.startswith("\n", pos):
            stop = make_unexpected_character_stop(src, pos, "a newline")
            stop.container = self
            stop.at = pos
            stop.value = header
            raise stop
        return pos + 1 if self.count else pos

    def _check_count(self, src: str, pos: int) -> None:
        count = len(self.group.values)
        if self.count and src[pos] == self.row_end:
            raise Wrong(Code.COUNT, f"expected {self.count} rows, found another", pos)
        if self.count > count:
            msg = f"expected {self.count} rows, found {count}"
            wrong = Wrong(Code.COUNT, msg, pos, then=lambda: self.group.finish(src, pos))
            wrong.container = self.up
            wrong.at = pos
            wrong.path = pointer(self.path)
            raise wrong

    def _add_cells(self, columns: Iterable[Column], rows: Rows, above: tuple[str, ...]) -> None:
        for column in columns:
            keys = (*above, column.key)
            if column.inner:
                assert rows.inner is not None  # otherwise the header was refused
                self._add_cells(column.inner, rows.inner, keys)
            else:
                self.cells.append(Cell(keys, rows))

    def _read_row(self, src: str, pos: int) -> tuple[Any, int]:
        self.step = None if self.has_keys else len(self.group.values)
        return Cells(self).run(src, pos)


class Header(Group):
    """The keys of a table, or of a column that contains objects."""

    def __init__(self, up: Container, rows: Rows, key: str) -> None:
        super().__init__(up, ")", up.depth + 1)
        self.columns = rows
        self.key = key
        self.values: dict[str, Column] = {}

    @staticmethod
    def begin_header(
        up: Container, rows: Rows, src: str, pos: int, key: str = ""
    ) -> tuple[Any, int]:
        """Start to read a header, which counts as one nesting level (R-1101)."""
        if up.depth >= MAX_DEPTH:
            raise Wrong(Code.DEPTH, f"nested deeper than {MAX_DEPTH}", pos)
        return Header(up, rows, key).run(src, pos + 1)

    def read_element(self, src: str, pos: int) -> tuple[Any, int]:
        key, end = read_name(src, pos, "a key")
        if key in self.values:
            raise _duplicate_key_error(key, pos)
        if end == len(src) and type(src) is Open:
            raise More  # a header may follow, too
        inner = self.columns.inner
        if inner is not None and src.startswith("(", end):
            return Header.begin_header(self, inner, src, end, key)
        return Column(key), end

    def store_value(self, value: Column) -> None:
        self.values[value.key] = value

    def finish(self, src: str, pos: int) -> tuple[Any, int]:
        if len(self.values) <= isinstance(self.up, Header):
            raise make_unexpected_character_stop(src, pos, "a key")
        return Column(self.key, tuple(self.values.values())), pos + 1


class Cells(Group):
    """A row that is being read: its key if the table is a map, and the values of the object."""

    up: Table

    def __init__(self, table: Table) -> None:
        super().__init__(table, table.group.closer, table.depth)
        self.ends = (*table.group.ends, table.row_end)
        self.values: dict[str, Any] = {}
        self.index = -1 if table.has_keys else 0

    @property
    def steps(self) -> tuple[str | int, ...]:
        return () if self.step is None else self.up.cells[self.index].keys

    @property
    def _end(self) -> str:
        row_end = "a newline" if self.up.count else repr(ROW_END)
        return f"{row_end} or {self.closer!r}"

    def is_closed_at(self, src: str, pos: int) -> bool:
        return src.startswith(self.up.row_end, pos) or super().is_closed_at(src, pos)

    def has_room(self) -> bool:
        return self.index < len(self.up.cells)

    def read_element(self, src: str, pos: int) -> tuple[Any, int]:
        table = self.up
        if self.index < 0:
            return self._read_row_key(src, pos)
        if not self.has_room():
            if not excerpt_of(src, pos):
                raise make_unexpected_character_stop(src, pos, self._end)
            msg = f"expected at most {len(table.cells)} values in a row"
            raise Wrong(Code.SURPLUS, msg, pos, then=lambda: table.rows.read(src, pos, self))
        cell = table.cells[self.index]
        self.step = cell.keys[-1]
        self.depth = table.depth + len(cell.keys)
        match = WORD.match(src, pos)
        if match is None or match[0] != SKIP:
            return cell.rows.read(src, pos, self)
        if match.end() == len(src) and type(src) is Open:
            raise More(pos, WORD.fullmatch)
        if cell.is_inner:
            msg = f"`_` in a column of {cell.keys[-2][:40]!r}, which every row has"
            raise Wrong(Code.SKIP, msg, pos, then=lambda: (ABSENT, pos + 1))
        return ABSENT, pos + 1

    def _read_row_key(self, src: str, pos: int) -> tuple[Any, int]:
        key, end = read_name(src, pos, "a key")
        if key in self.up.group.values:
            raise _duplicate_key_error(key, pos, then=lambda: (RowKey(key), end))
        return RowKey(key), end

    def store_value(self, value: Any) -> None:
        if type(value) is RowKey:
            self.up.step = value.key
        elif value is not ABSENT and self.has_room():
            *above, key = self.up.cells[self.index].keys
            into = self.values
            for name in above:
                into = into.setdefault(name, {})
            into[key] = value
        self.index += 1
        self.reported = 0

    def finish(self, src: str, pos: int) -> tuple[Any, int]:
        if self.index < 0:
            raise make_unexpected_character_stop(src, pos, "a key")
        is_only = src[pos] != self.up.row_end and not self.up.group.values
        if self.index == 0 and is_only and not self.up.has_keys:
            raise make_unexpected_character_stop(src, pos, "a row")  # so `[(a)]` is never a table
        if self.index < self.up.needed:
            cells = self.up.cells[self.index :]
            cell = next(cell for cell in cells if cell.is_inner)
            msg = f"expected {cell.rows.type.noun} for {cell.keys[-1]!r}, found the end of the row"
            raise Wrong(Code.MISSING, msg, pos, then=lambda: (self.values, pos))
        return self.values, pos


def _duplicate_key_error(key: str, pos: int, then: Any = None) -> Wrong:
    return Wrong(Code.DUPLICATE, f"{key[:40]!r} is given twice", pos, then=then)


# --- writing --------------------------------------------------------------------------------------

Kind = TypeVar("Kind")


@lru_cache(maxsize=1024)
def cell_types(rows: Type) -> tuple[Type, ...]:
    """Return the type of a table's cells at each depth, or () if the rows cannot be maps."""
    types: list[Type] = []
    while rows.object is not None and rows.object.is_map and len(types) < MAX_DEPTH:
        rows = rows.object.extra or ANY
        types.append(rows)
    return tuple(types)


def try_write_table(
    rows: Sequence[Any],
    kinds: Sequence[Kind],
    write: Callable[[Kind, list[Any]], list[str]],
    keys: list[str] | None = None,
    *,
    on_lines: bool = False,
) -> str | None:
    """Write the content of a table, or return None if a table would not be canonical.

    `kinds` has the `cell_types`, or a substitute for each type. `write` writes many values of one
    kind. `keys` has the keys of a map's rows, as they are written. With `on_lines`, the rows are
    counted and written on lines, with columns in the order of the keys (R-317).
    """
    if not kinds or not _is_table(rows):
        return None
    columns = _write_columns(rows, kinds, write, as_they_come=on_lines)
    cells = [texts for column in columns for texts in column.cells]
    lines = _join_lines(cells if keys is None else [keys, *cells])
    header = f"({joined(column.head for column in columns)})"
    if on_lines:
        return "\n".join([f"{len(rows)}{header}", *lines])
    return f"{header}{ROW_END.join(lines)}"


def _is_table(rows: Sequence[Any]) -> bool:
    """Return whether rows are shorter as a table than with the keys in each row."""
    if set(map(type, rows)) != {dict} and not all(isinstance(row, dict) for row in rows):
        return False
    present = sum(map(len, rows))
    keys = len(set().union(*rows))
    return keys + (keys * len(rows) - present) < present


class _Column(NamedTuple):
    order: int
    head: str
    cells: list[list[str]]


def _write_columns(
    rows: Sequence[Mapping[str, Any]],
    kinds: Sequence[Kind],
    write: Callable[[Kind, list[Any]], list[str]],
    *,
    as_they_come: bool,
) -> list[_Column]:
    """Return the columns in canonical order: numbers, then words, then other values."""
    columns = []
    keys = dict.fromkeys(chain.from_iterable(rows))
    is_full = sum(map(len, rows)) == len(keys) * len(rows)
    for key in keys if as_they_come else sorted(keys):
        head = spell_name(key)
        values = [row[key] for row in rows] if is_full else [row.get(key, ABSENT) for row in rows]
        if len(kinds) > 1 and _are_like(values):
            inner = _write_columns(values, kinds[1:], write, as_they_come=as_they_come)
            head = f"{head}({joined(column.head for column in inner)})"
            columns.append(_Column(2, head, [texts for nested in inner for texts in nested.cells]))
        else:
            present = values if is_full else [value for value in values if value is not ABSENT]
            texts = write(kinds[0], present)
            order = _rank_cells({text[0] for text in texts})
            if len(present) < len(values):
                turns = iter(texts)
                texts = [SKIP if value is ABSENT else next(turns) for value in values]
            columns.append(_Column(order, head, [texts]))
    return columns if as_they_come else sorted(columns, key=lambda column: column.order)


def _are_like(values: Sequence[Any]) -> bool:
    first = values[0]
    if not isinstance(first, dict) or len(first) < 2:
        return False
    return all(isinstance(value, dict) and value.keys() == first.keys() for value in values)


def _rank_cells(firsts: set[str]) -> int:
    if not firsts.isdisjoint(_CLOSED):
        return 2
    return 0 if firsts <= _NUMERIC else 1


def _join_lines(cells: list[list[str]]) -> Iterable[str]:
    """Join cells to rows and omit each `_` at the end of a row."""
    after = cells[-1]
    if SKIP in after:
        after = ["" if text == SKIP else text for text in after]
    parts: list[Iterable[str]] = [after]
    for column in reversed(cells[:-1]):
        before = column
        if "" in after:
            rows = zip(column, after, strict=True)
            before = ["" if text == SKIP and not end else text for text, end in rows]
        parts += [_separators_between(before, after), before]
        after = before
    return map("".join, zip(*reversed(parts)))  # noqa: B905 - a separator may be repeated


def _separators_between(before: list[str], after: list[str]) -> Iterable[str]:
    if CLOSING.isdisjoint({text[-1:] for text in before}) and "" not in after:
        return repeat(" ")
    return [separator(*row) if row[1] else "" for row in zip(before, after, strict=True)]


_CLOSED = frozenset(f"{QUOTES}`[({{")
_NUMERIC = frozenset("-0123456789")
