"""Read values of a type in any form: which groups may come, and what the type refuses."""

from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property, partial
from typing import TypeAlias

from lton._syntax import MAX_DEPTH
from lton.codec._groups import Group, Items, TypeReader, ValueReader
from lton.codec._members import MemberReaders, Members
from lton.codec._stops import Place, Then, Wrong, refused
from lton.errors import Code
from lton.schema.types import JSON, Array, Object, Type

Begin: TypeAlias = Callable[[Place, int], Group]
"""Makes the reader of a group that begins in this place at this position."""


class Kinds(ValueReader):
    """Reads values of a type, as far as all forms agree."""

    def __init__(self, node: Type, reader: TypeReader) -> None:
        super().__init__(node)
        self.reader = reader

    @cached_property
    def groups(self) -> dict[str, Begin]:
        """The readers of this type's groups by opening bracket, made when first needed."""
        found: dict[str, Begin] = {}
        node, reader = self.node, self.reader
        if node.array:
            items = node.array.items
            bounds, item = None if node.array == Array(items=items) else node.array, reader(items)
            found["["] = partial(Items, bounds, item)
        if node.object:
            layout = MemberReaders(node.object, reader)
            layout.items = layout.extra if node.object.is_map else None
            opener, kind = self.kind(node.object)
            found[opener] = partial(kind, _CLOSERS[opener], layout)
        return found

    @abstractmethod
    def kind(self, members: Object) -> tuple[str, type[Members]]:
        """Return the opening bracket of an object and the class that reads it."""

    @abstractmethod
    def past(self, src: str, pos: int, up: Place) -> tuple[JSON, int]:
        """Read past a group that is not allowed here."""

    def group(self, src: str, pos: int, up: Place) -> tuple[JSON, int]:
        group, pos = self.enter(src, pos, up)
        return group.run(src, pos)

    def enter(self, src: str, pos: int, up: Place) -> tuple[Group, int]:
        if up.depth >= MAX_DEPTH:  # R-1101
            raise Wrong(Code.DEPTH, f"nested deeper than {MAX_DEPTH}", pos)
        begin = self.groups.get(src[pos])
        if begin is None:
            raise self.wrong(src, pos, 0, partial(self.past, src, pos, up))
        return begin(up, pos), pos + 1

    def fit(self, src: str, pos: int, end: int, value: JSON) -> tuple[JSON, int]:
        """Return the value, which ends at `end`, unless the type refuses it."""
        if refusal := self.node.refuse(value):
            raise refused(src, refusal, pos, end, then=lambda: (value, end))
        return value, end

    def wrong(self, src: str, pos: int, end: int, then: Then) -> Wrong:
        """Build the error for a value of a kind that is not allowed here."""
        return refused(src, (Code.TYPE, self.noun), pos, end, then)


_CLOSERS = {"(": ")", "{": "}"}
