"""Read values in the untagged forms, according to their types (§3).

The type of a value is known before the value is read. So each type is converted to a reader once.
The first character of a lexeme determines its kind, and the type decides what a bare word means and
whether a value is allowed.
"""

import re
from abc import abstractmethod
from collections.abc import Callable
from functools import cache, cached_property, lru_cache, partial
from typing import TypeAlias

from lton._syntax import ATOM_HEAD, BARE, LITERALS, MAX_DEPTH, MAX_DIGITS, WORD, try_read_number
from lton.codec._groups import GROUPS, Group, Items, TypeReader, ValueReader
from lton.codec._lexemes import TEXT_OPENERS, begins_record, parse_length, read_counted, read_text
from lton.codec._members import MemberReaders, Members, Pairs, Row
from lton.codec._stops import (
    Container,
    More,
    Open,
    Then,
    Wrong,
    make_digits_error,
    make_refusal_error,
    make_unexpected_character_stop,
)
from lton.codec._tables import Rows
from lton.errors import Code
from lton.schema.types import ANY, FREE, JSON, Array, Object, String, Type

Begin: TypeAlias = Callable[[Container, int], Group]  # creates the reader for a group
_CLOSERS = {"(": ")", "{": "}"}


class Kinds(ValueReader):
    """Reads the values of a type by the rules that all forms share."""

    def __init__(self, node: Type, reader: TypeReader) -> None:
        super().__init__(node)
        self.reader = reader

    @cached_property
    def groups(self) -> dict[str, Begin]:
        """The readers for groups, by their opening bracket."""
        readers: dict[str, Begin] = {}
        node = self.node
        reader = self.reader
        if node.array:
            items = node.array.items
            bounds = None if node.array == Array(items=items) else node.array
            item = reader(items)
            readers["["] = partial(Items, bounds, item)
        if node.object:
            layout = MemberReaders(node.object, reader)
            layout.items = layout.extra if node.object.is_map else None
            opener, kind = self.choose_object_reader(node.object)
            readers[opener] = partial(kind, _CLOSERS[opener], layout)
        return readers

    @abstractmethod
    def choose_object_reader(self, members: Object) -> tuple[str, type[Members]]:
        """Return the opening bracket of an object, and the class that reads the object."""

    @abstractmethod
    def skip_group(self, src: str, pos: int, up: Container) -> tuple[JSON, int]:
        """Skip a group that is not allowed here, so that reading can continue after it."""

    def read_group(self, src: str, pos: int, up: Container) -> tuple[JSON, int]:
        group, pos = self.begin_group(src, pos, up)
        return group.run(src, pos)

    def begin_group(self, src: str, pos: int, up: Container) -> tuple[Group, int]:
        if up.depth >= MAX_DEPTH:  # R-1101
            raise Wrong(Code.DEPTH, f"nested deeper than {MAX_DEPTH}", pos)
        begin = self.groups.get(src[pos])
        if begin is None:
            raise self._make_wrong_group(src, pos, up)
        return begin(up, pos), pos + 1

    def _make_wrong_group(self, src: str, pos: int, up: Container) -> Wrong:
        """Return the error for a group of the wrong kind, or an object in the wrong brackets."""
        noun = self.noun
        other = _OTHER_BRACKETS.get(src[pos])
        if other and other in self.groups:
            noun = noun.replace("an object", f"an object in {_BRACKETS[other]}")
        then = partial(self.skip_group, src, pos, up)
        return make_refusal_error(src, (Code.TYPE, noun), pos, 0, then)

    def require_fit(self, src: str, pos: int, end: int, value: JSON) -> tuple[JSON, int]:
        """Return a value and its end; raise `Wrong` if the type does not allow the value."""
        if refusal := self.node.find_refusal(value):
            raise make_refusal_error(src, refusal, pos, end, then=lambda: (value, end))
        return value, end

    def make_wrong_kind(self, src: str, pos: int, end: int, then: Then) -> Wrong:
        """Return the error for a value of the wrong kind."""
        return make_refusal_error(src, (Code.TYPE, self.noun), pos, end, then)


_BRACKETS = {"(": "parentheses", "{": "braces"}
"""The brackets of objects, and of objects with any keys."""
_OTHER_BRACKETS = {"(": "{", "{": "("}


@lru_cache(maxsize=1024)
def make_reader_of_type(node: Type) -> Kinds:
    return Values(node, make_reader_of_type)


@cache
def read_untyped(_: Type) -> Kinds:
    """Return a reader for values without a schema, in which all objects are maps."""
    return Values(ANY, read_untyped)


class Values(Kinds):
    def __init__(self, node: Type, reads: TypeReader) -> None:
        super().__init__(node, reads)
        self.takes_strings = node.string == String()
        self.takes_records = node == ANY and reads is make_reader_of_type

    def choose_object_reader(self, members: Object) -> tuple[str, type[Members]]:
        return ("{", Pairs) if members.is_map else ("(", Row)

    @cached_property
    def rows(self) -> Rows | None:
        return Rows.find_rows_of_type(self.node, self.reader)

    @cached_property
    def groups(self) -> dict[str, Begin]:
        readers = super().groups
        if self.takes_records:
            readers["("] = partial(Row, ")", MemberReaders(FREE, make_reader_of_type))
        return readers

    def begin_group(self, src: str, pos: int, up: Container) -> tuple[Group, int]:
        may_be_record = self.takes_records and src[pos] == "("
        if may_be_record and not begins_record(src, pos, in_call=up.in_call):
            raise self._make_wrong_group(src, pos, up)
        return super().begin_group(src, pos, up)

    def read(self, src: str, pos: int, up: Container) -> tuple[JSON, int]:
        first = src[pos : pos + 1]
        if first in GROUPS:
            return self.read_group(src, pos, up)
        value: JSON
        head = ATOM_HEAD.match(src, pos) if first == "s" else None
        if head or first in TEXT_OPENERS:
            if self.node.string is None:
                raise self.make_wrong_kind(
                    src, pos, 0, partial(make_reader_of_type(ANY).read, src, pos, up)
                )
            if head:
                value, end = self._read_counted_value(src, head, up)
            else:
                value, end = read_text(src, pos, in_call=up.in_call)
            if self.takes_strings:
                return value, end
        else:
            value, end = self._read_word(src, pos)
        return self.require_fit(src, pos, end, value)

    def skip_group(self, src: str, pos: int, up: Container) -> tuple[JSON, int]:
        if src[pos] == "(":
            return Row(")", MemberReaders(FREE, make_reader_of_type), up).run(src, pos + 1)
        return make_reader_of_type(ANY).read(src, pos, up)

    def _read_counted_value(self, src: str, head: re.Match[str], up: Container) -> tuple[JSON, int]:
        if head.end() == len(src) and type(src) is Open:
            raise More
        _, size, pos = parse_length(src, head)
        value, up.counted_end = read_counted(src, pos, size)
        return value, up.counted_end

    def _read_word(self, src: str, pos: int) -> tuple[JSON, int]:
        """Convert a bare word according to the type (R-304)."""
        node = self.node
        match = WORD.match(src, pos)
        if match is None:
            raise make_unexpected_character_stop(src, pos, self.noun)
        word = match[0]
        end = match.end()
        if end == len(src) and type(src) is Open:
            may_count = word == "s"  # a colon would not belong to this word
            raise More(pos, None if may_count else WORD.fullmatch)
        if node.number and word.isdigit() and word[0] != "0" and len(word) <= MAX_DIGITS:
            return int(word), end
        if node.takes_bare(word):
            if node.string is None:
                raise self.make_wrong_kind(src, pos, 0, lambda: (word, end))
            if not BARE.fullmatch(word):
                stop = make_refusal_error(src, (Code.SYNTAX, self.noun), pos, end)
                stop.hint = "a word that begins with `_`, or with `s` and a digit, is quoted"
                raise stop
            return word, end
        if word in LITERALS:
            return LITERALS[word], end
        if len(word) > MAX_DIGITS:
            raise make_digits_error(pos)
        number = try_read_number(word)
        if number is None:
            expected = "an integer or a finite double"
            raise make_refusal_error(src, (Code.NUMBER, expected), pos, end, then=lambda: (0, end))
        return number, end
