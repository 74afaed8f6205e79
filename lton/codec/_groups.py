"""Groups of values (§4), in every form: how any is read and gone on from; and arrays.

Each form brings its own reader of a value of a type. A group keeps what reading needs to go on. It
keeps a value only when the value and what follows are certain: so a value can be read again when
more of it has come, and be read past when it is wrong.

Most values are plain: a word, a number, a string in quotes. Those of a row or an array are read by
one pattern for each type, as far as they go.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias

from lton._syntax import ENDS_VALUE, NEXT_VALUE, ROWS_HEAD, SPACES
from lton.codec._lexemes import begins_record
from lton.codec._stops import (
    CLOSED,
    ENTER,
    GAP,
    UNREAD,
    More,
    Open,
    Place,
    ReadState,
    Stop,
    Wrong,
    refused,
    unexpected,
)
from lton.errors import Code
from lton.events import Argument, ArgumentDelta, CallEnd, CallStart
from lton.schema.types import JSON, Array, Type

Read: TypeAlias = Callable[[str, int, Place], tuple[JSON, int]]
"""Reads a value of a type that is in this place."""
TypeReader: TypeAlias = Callable[[Type], "ValueReader"]
"""Gets what reads values of a type: one for each form."""

GROUPS = frozenset("[({")
"""What groups open with."""


class PlainValues(NamedTuple):
    """The plain values of a type, which one pattern reads, and of which all are right."""

    whole: Callable[[str, int], "re.Match[str] | None"]
    """Matches such a value, as its group, if it ends here; and a separator before a value."""
    value_of: Callable[[str], JSON]
    """Gets what it means; a `KeyError` if it is not plain."""
    step: str | None = None
    """The name of the parameter that takes it; None in an array."""


class ValueReader(ABC):
    """Reads the values of a type in a form."""

    plain: PlainValues | None = None
    rows: Any = None
    """What reads a table of such values (R-312), where they may be its rows."""
    takes_records = False
    """Whether an object of any members may be in parentheses (R-318)."""
    opens = GROUPS
    """What groups open with in this form."""

    def __init__(self, node: Type) -> None:
        self.node = node

    @cached_property
    def noun(self) -> str:
        return self.node.noun

    def read(self, src: str, pos: int, up: Place) -> tuple[JSON, int]:
        """Read a value that is in this place."""
        plain = self.plain
        match = None if plain is None else plain.whole(src, pos)
        if plain and match and (match.end() < len(src) or type(src) is not Open):
            try:
                return plain.value_of(match[1]), match.end(1)
            except KeyError:
                pass
        return self.other(src, pos, up)

    @abstractmethod
    def other(self, src: str, pos: int, up: Place) -> tuple[JSON, int]:
        """Read a value that is in this place, and not plain."""

    @abstractmethod
    def enter(self, src: str, pos: int, up: Place) -> tuple["Group", int]:
        """R-312, R-313: begin to read an array or an object."""


class Group(Place):
    """A group as it is read, from its first value to after its closer."""

    values: Any
    up: Place
    items: ValueReader | None = None
    """What reads all of its values, if they are of one type."""
    plain: PlainValues | None = None
    """How the next value is read if it is plain."""

    def __init__(self, up: Place, closer: str, depth: int) -> None:
        self.up = up
        self.closer = closer
        self.ends: tuple[str, ...] = ENDS[closer]
        self.depth = depth
        self.deltas = up.deltas

    def run(self, src: str, pos: int, value: Any = ENTER) -> tuple[Any, int]:
        """Read on past the closer. Groups inside are read by the same loop: calls would nest."""
        top = self.up
        place: Any = self
        place.at = pos
        try:
            while place is not top:
                if value is UNREAD:
                    value, pos = place.read_next(src, pos)
                elif value is ENTER:
                    value = place.entered(src, pos)
                elif value is CLOSED:
                    group, place = place, place.up
                    value, pos = group.finish(src, pos)
                elif isinstance(value, Place):
                    place, value = value, ENTER
                else:
                    value, pos = place.after(src, pos, value)
        except Stop as stop:
            if stop.place is None and place is not top:
                stop.place, stop.at = place, place.at
                if value is ENTER:
                    stop.value = ENTER
            raise
        return value, pos

    def entered(self, src: str, pos: int) -> "Place | ReadState":
        """Get what is in the place of the first value: the table that the group is, perhaps."""
        self.at = pos
        if self.items is not None and self.items.rows and self.is_table(src, pos):
            return self.items.rows.table(self)  # type: ignore[no-any-return]
        return CLOSED if self.closes(src, pos) else UNREAD

    def read_next(self, src: str, pos: int) -> tuple[Any, int]:
        """Read on: the plain values that come, then a value of any kind, or what begins it."""
        if self.plain is not None and src[pos : pos + 1] not in GROUPS:
            pos, is_gap = self.read_plain(src, pos)
            if is_gap:
                return GAP, pos
        self.at = pos
        self.step = None
        return self.element(src, pos)

    def after(self, src: str, pos: int, value: Any) -> tuple[Any, int]:
        """Keep a value, and go over what follows it; get what is in the place of the next."""
        after = src[pos : pos + 1]
        if value is not GAP:
            if self.deltas is not None:
                self.tell(value)
            if after not in self.ends:
                self.check_end(src, pos, value)
            self.keep(value)
            self.step = None
        if after == self.closer:
            return CLOSED, pos
        if match := NEXT_VALUE.match(src, pos):
            return UNREAD, match.end()
        if self.closes(src, pos):
            return CLOSED, pos
        return UNREAD, self.gap(src, pos)

    def read_plain(self, src: str, pos: int) -> tuple[int, bool]:
        """Read plain values, as far as they go; say whether the last one has no separator yet."""
        while (plain := self.plain) is not None:
            match = plain.whole(src, pos)
            if match is None:
                break
            end = match.end()
            if end == len(src) and type(src) is Open:
                break
            try:
                found = plain.value_of(match[1])
            except KeyError:
                break
            after = src[end : end + 1] or "\n"
            ends = after in ENDS_VALUE
            if ends and after not in self.ends:
                break
            self.at = pos
            self.step = len(self.values) if plain.step is None else plain.step
            if self.deltas is not None:
                self.tell(found)
            self.keep(found)
            self.step = None
            pos = end
            if ends:
                return pos, True
        return pos, False

    @abstractmethod
    def element(self, src: str, pos: int) -> tuple[Any, int]:
        """Read what a step of the group holds, or begin to if it is a group; say which step."""

    @abstractmethod
    def keep(self, value: Any) -> None:
        """Keep a value: it, and what follows it, is certain."""

    def has_room(self) -> bool:
        """Say whether another value can come."""
        return True

    @abstractmethod
    def finish(self, src: str, pos: int) -> tuple[Any, int]:
        """Go past the closer."""

    def tell(self, value: Any) -> None:
        """Report what has not been reported of a string that is complete."""
        if type(value) is str and self.reported < len(value):
            assert self.deltas is not None  # else nobody asks
            self.deltas.append(ArgumentDelta(self.path, value[self.reported :]))
            self.reported = len(value)

    def is_table(self, src: str, pos: int) -> bool:
        """Say whether what follows the opening bracket is that of a table (R-314)."""
        return src.startswith("(", pos)

    # --- what is between values (R-302) ----------------------------------------------------------

    def closes(self, src: str, pos: int) -> bool:
        """Say whether the closer is here; the end of the text ends a line too (R-301)."""
        if pos < len(src):
            return src[pos] == self.closer
        if type(src) is Open:
            raise More
        return self.closer == "\n"

    @property
    def _end(self) -> str:
        return "the end of the line" if self.closer == "\n" else repr(self.closer)

    def check_end(self, src: str, pos: int, value: Any) -> None:
        """R-307: refuse what is no separator and no closer after a value."""
        if pos == len(src) and self.closer == "\n" and type(src) is not Open:
            return
        stop = unexpected(src, pos, f"a space or {self._end}")
        if isinstance(stop, Wrong) and stop.code == Code.SYNTAX and self.counted_end == pos:
            stop.code = Code.COUNT
        stop.place, stop.at, stop.value = self, pos, value
        raise stop

    def gap(self, src: str, pos: int) -> int:
        """Go over a separator, to where the next value can begin."""
        end = _spaces(src, pos)
        if src[end : end + 1] == ",":
            end = _spaces(src, end + 1)
        if end == len(src) and type(src) is Open:
            stop = More(end, SPACES.fullmatch)
            stop.place, stop.at, stop.value = self, pos, GAP
            raise stop
        if end == len(src) and not self.has_room():
            raise Wrong(Code.SURPLUS, "no argument is left that could come here", end)
        if self.closes(src, end):
            raise unexpected(src, end, "another value after the separator")
        return end


ENDS = {closer: (" ", ",", closer) for closer in ")]}\n"}


def _spaces(src: str, pos: int) -> int:
    match = SPACES.match(src, pos)
    return match.end() if match else pos


argument = partial(tuple.__new__, Argument)
"""Makes an `Argument` of a pair: `Argument._make`, in half the time."""
call_start = partial(tuple.__new__, CallStart)
call_end = partial(tuple.__new__, CallEnd)


class Items(Group):
    """R-312: the values of an array."""

    items: ValueReader
    closer = "]"
    ends = ENDS["]"]

    def __init__(self, bounds: Array | None, items: ValueReader, up: Place, start: int) -> None:
        self.up = up
        self.depth = up.depth + 1
        self.deltas = up.deltas
        self.bounds = bounds
        self.start = start
        self.items = items
        self.plain = items.plain
        self.values: list[JSON] = []

    def is_table(self, src: str, pos: int) -> bool:
        head = ROWS_HEAD.match(src, pos)
        if head is not None and head.end() == head.end(1):
            if type(src) is Open:
                raise More  # its header may come, and it is no number then
            return False
        return head is not None or (src.startswith("(", pos) and not self.holds_record(src, pos))

    def holds_record(self, src: str, pos: int) -> bool:
        """Say whether the first item is an object in parentheses, and no header of a table."""
        return self.items.takes_records and begins_record(src, pos)

    def element(self, src: str, pos: int) -> tuple[Any, int]:
        self.step = len(self.values)
        items = self.items
        return (items.enter if src[pos : pos + 1] in items.opens else items.other)(src, pos, self)

    def keep(self, value: Any) -> None:
        self.values.append(value)
        self.reported = 0

    def keep_row(self, _: Any, value: JSON) -> None:
        self.values.append(value)

    def finish(self, src: str, pos: int) -> tuple[Any, int]:
        if self.bounds is not None and (refusal := self.bounds.refuse(self.values)):
            raise refused(src, refusal, self.start, pos + 1, then=lambda: (self.values, pos + 1))
        return self.values, pos + 1
