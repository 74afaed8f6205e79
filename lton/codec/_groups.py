"""Read groups of values (§4) in any form.

Each form has its own reader for the values of a type. A group holds the state that is needed to
resume reading. It stores a value only when the value and its end are certain. So an uncertain value
can be read again when more text arrives, and an invalid value can be skipped.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, TypeAlias

from lton._syntax import NEXT_VALUE, ROWS_HEAD, SPACES
from lton.codec._lexemes import begins_record
from lton.codec._stops import (
    CLOSED,
    ENTER,
    GAP,
    UNREAD,
    Container,
    More,
    Open,
    ReadState,
    Stop,
    Wrong,
    make_unexpected_character_stop,
)
from lton.errors import Code
from lton.events import Argument, CallEnd, CallStart
from lton.schema.types import JSON, Array, Type, describe_array

Read: TypeAlias = Callable[[str, int, Container], tuple[JSON, int]]  # reads a value in a container
TypeReader: TypeAlias = Callable[[Type], "ValueReader"]  # returns the reader for a type in one form

GROUPS = frozenset("[({")  # the opening brackets


class ValueReader(ABC):
    """Reads the values of a type in one form."""

    rows: Any = None  # the reader for tables with these values as rows, if allowed
    takes_records = False  # whether an untyped object may be written in parentheses
    opens = GROUPS  # the opening brackets of this form

    def __init__(self, node: Type) -> None:
        self.node = node

    @cached_property
    def noun(self) -> str:
        return self.node.noun

    @abstractmethod
    def read(self, src: str, pos: int, up: Container) -> tuple[JSON, int]:
        """Read a value inside the group or frame `up`."""

    @abstractmethod
    def begin_group(self, src: str, pos: int, up: Container) -> tuple["Group", int]:
        """Start reading an array or an object (R-312, R-313)."""


class Group(Container):
    """A group of values that is being read."""

    values: Any
    up: Container
    items: ValueReader | None = None  # the reader for all values, if they have one type

    def __init__(self, up: Container, closer: str, depth: int) -> None:
        self.up = up
        self.closer = closer
        self.ends: tuple[str, ...] = ENDS[closer]
        self.depth = depth
        self.watcher = up.watcher
        self.in_call = up.in_call

    def run(self, src: str, pos: int, value: Any = ENTER) -> tuple[Any, int]:
        """Read the group and the groups nested in it, without recursion."""
        top = self.up
        container: Any = self
        container.at = pos
        try:
            while container is not top:
                if value is UNREAD:
                    container.at = pos
                    container.step = None
                    value, pos = container.read_element(src, pos)
                elif value is ENTER:
                    value = container.enter_group(src, pos)
                elif value is CLOSED:
                    group, container = container, container.up
                    value, pos = group.finish(src, pos)
                elif isinstance(value, Container):
                    container, value = value, ENTER
                else:
                    value, pos = container.store_and_read_separator(src, pos, value)
        except Stop as stop:
            if stop.container is None and container is not top:
                stop.container = container
                stop.at = container.at
                if value is ENTER:
                    stop.value = ENTER
            raise
        return value, pos

    def enter_group(self, src: str, pos: int) -> "Container | ReadState":
        """Return the first state after the opening bracket."""
        self.at = pos
        if self.items is not None and self.items.rows and self.is_table(src, pos):
            return self.items.rows.begin_table(self)  # type: ignore[no-any-return]
        return CLOSED if self.is_closed_at(src, pos) else UNREAD

    def store_and_read_separator(self, src: str, pos: int, value: Any) -> tuple[Any, int]:
        """Store a value, read the separator, and return the next state."""
        after = src[pos : pos + 1]
        if value is not GAP:
            if self.watcher is not None:
                self.watcher.report(self, value)
            if after not in self.ends:
                self.check_end(src, pos, value)
            self.store_value(value)
            self.step = None
        if after == self.closer:
            return CLOSED, pos
        if match := NEXT_VALUE.match(src, pos):
            return UNREAD, match.end()
        if self.is_closed_at(src, pos):
            return CLOSED, pos
        return UNREAD, self.read_gap(src, pos)

    @abstractmethod
    def read_element(self, src: str, pos: int) -> tuple[Any, int]:
        """Read an element, or only its start if the element is a group."""

    @abstractmethod
    def store_value(self, value: Any) -> None: ...

    def has_room(self) -> bool:
        return True

    @abstractmethod
    def finish(self, src: str, pos: int) -> tuple[Any, int]:
        """Read the closing bracket of the group."""

    def is_table(self, src: str, pos: int) -> bool:
        return src.startswith("(", pos)

    def is_closed_at(self, src: str, pos: int) -> bool:
        """Return whether the group ends here. The end of the text also ends a line (R-301)."""
        if pos < len(src):
            return src[pos] == self.closer
        if type(src) is Open:
            raise More
        return self.closer == "\n"

    @property
    def _end(self) -> str:
        return "the end of the line" if self.closer == "\n" else repr(self.closer)

    def check_end(self, src: str, pos: int, value: Any) -> None:
        """Raise an error unless a separator or a closing bracket follows a value (R-307)."""
        if pos == len(src) and self.closer == "\n" and type(src) is not Open:
            return
        stop = make_unexpected_character_stop(src, pos, f"a space or {self._end}")
        if isinstance(stop, Wrong) and stop.code == Code.SYNTAX and self.counted_end == pos:
            stop.code = Code.COUNT
        stop.container = self
        stop.at = pos
        stop.value = value
        raise stop

    def read_gap(self, src: str, pos: int) -> int:
        """Read the separator before a value."""
        end = _skip_spaces(src, pos)
        if src[end : end + 1] == ",":
            end = _skip_spaces(src, end + 1)
        if end == len(src) and type(src) is Open:
            stop = More(end, SPACES.fullmatch)
            stop.container = self
            stop.at = pos
            stop.value = GAP
            raise stop
        if end == len(src) and not self.has_room():
            raise Wrong(Code.SURPLUS, "no further argument is allowed here", end)
        if self.is_closed_at(src, end):
            raise make_unexpected_character_stop(src, end, "another value after the separator")
        return end


ENDS = {closer: (" ", ",", closer) for closer in ")]}\n"}


def _skip_spaces(src: str, pos: int) -> int:
    match = SPACES.match(src, pos)
    return match.end() if match else pos


argument = partial(tuple.__new__, Argument)  # twice as fast as `Argument._make`
call_start = partial(tuple.__new__, CallStart)
call_end = partial(tuple.__new__, CallEnd)


class Items(Group):
    """The values of an array (R-312)."""

    items: ValueReader
    closer = "]"
    ends = ENDS["]"]

    def __init__(self, bounds: Array | None, items: ValueReader, up: Container, start: int) -> None:
        self.up = up
        self.depth = up.depth + 1
        self.watcher = up.watcher
        self.in_call = up.in_call
        self.bounds = bounds
        self.start = start
        self.items = items
        self.values: list[JSON] = []

    def is_table(self, src: str, pos: int) -> bool:
        head = ROWS_HEAD.match(src, pos)
        if head is not None and head.end() == head.end(1):
            if type(src) is Open:
                raise More  # if a header follows, this is a count
            return False
        if head is not None or not src.startswith("(", pos):
            return head is not None
        # The first item may be a record in parentheses.
        return not (self.items.takes_records and begins_record(src, pos, in_call=self.in_call))

    def read_element(self, src: str, pos: int) -> tuple[Any, int]:
        self.step = len(self.values)
        items = self.items
        return (items.begin_group if src[pos : pos + 1] in items.opens else items.read)(
            src, pos, self
        )

    def store_value(self, value: Any) -> None:
        self.values.append(value)
        self.reported = 0

    def store_row(self, _: Any, value: JSON) -> None:
        self.values.append(value)

    def finish(self, _: str, pos: int) -> tuple[Any, int]:
        if self.bounds is not None and (refusal := self.bounds.find_refusal(self.values)):
            code, expected = refusal
            msg = f"expected {expected}, found {describe_array(self.values)}"
            raise Wrong(code, msg, self.start, lambda: (self.values, pos + 1))
        return self.values, pos + 1
