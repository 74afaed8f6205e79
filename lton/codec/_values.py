"""Read values of the untagged forms (§3) by their type.

The type of a position is known before anything is read there. So each type is turned once into a
reader: the first character of a lexeme selects the kind, and the type decides what a bare word
means and whether the value is allowed.
"""

import re
from functools import cache, cached_property, lru_cache, partial

from lton._syntax import ATOM_HEAD, BARE, LITERALS, MAX_DIGITS, WORD, read_number
from lton.codec._groups import GROUPS, Group, TypeReader
from lton.codec._kinds import Begin, Kinds
from lton.codec._lexemes import TEXT_OPENERS, begins_record, counted, length, text
from lton.codec._members import MemberReaders, Members, Pairs, Row
from lton.codec._stops import More, Open, Place, refused, too_many_digits, unexpected
from lton.codec._tables import Rows
from lton.errors import Code
from lton.schema.types import ANY, FREE, JSON, Object, String, Type


@lru_cache(maxsize=1024)
def reader(node: Type) -> Kinds:
    return Values(node, reader)


@cache
def untyped(_: Type) -> Kinds:
    """Return the reader of the map form (R-431) and of answers (R-426).

    Without a schema all objects are maps.
    """
    return Values(ANY, untyped)


class Values(Kinds):
    def __init__(self, node: Type, reads: TypeReader) -> None:
        super().__init__(node, reads)
        self.takes_strings = node.string == String()
        self.takes_records = node == ANY and reads is reader

    def kind(self, members: Object) -> tuple[str, type[Members]]:
        return ("{", Pairs) if members.is_map else ("(", Row)

    @cached_property
    def rows(self) -> Rows | None:
        return Rows.of(self.node, self.reader)

    @cached_property
    def groups(self) -> dict[str, Begin]:
        found = super().groups
        if self.takes_records:
            found["("] = partial(Row, ")", MemberReaders(FREE, reader))
        return found

    def enter(self, src: str, pos: int, up: Place) -> tuple[Group, int]:
        if self.takes_records and src[pos] == "(" and not begins_record(src, pos):
            raise self.wrong(src, pos, 0, partial(self.past, src, pos, up))
        return super().enter(src, pos, up)

    def read(self, src: str, pos: int, up: Place) -> tuple[JSON, int]:
        first = src[pos : pos + 1]
        if first in GROUPS:
            return self.group(src, pos, up)
        value: JSON
        head = ATOM_HEAD.match(src, pos) if first == "s" else None
        if head or first in TEXT_OPENERS:
            if self.node.string is None:
                raise self.wrong(src, pos, 0, partial(reader(ANY).read, src, pos, up))
            value, end = self._counted(src, head, up) if head else text(src, pos)
            if self.takes_strings:
                return value, end
        else:
            value, end = self._word(src, pos)
        return self.fit(src, pos, end, value)

    def past(self, src: str, pos: int, up: Place) -> tuple[JSON, int]:
        if src[pos] == "(":
            return Row(")", MemberReaders(FREE, reader), up).run(src, pos + 1)
        return reader(ANY).read(src, pos, up)

    def _counted(self, src: str, head: re.Match[str], up: Place) -> tuple[JSON, int]:
        if head.end() == len(src) and type(src) is Open:
            raise More
        _, size, pos = length(src, head)
        value, up.counted_end = counted(src, pos, size)
        return value, up.counted_end

    def _word(self, src: str, pos: int) -> tuple[JSON, int]:
        """R-304: read a bare word as its type means it."""
        node = self.node
        match = WORD.match(src, pos)
        if match is None:
            raise unexpected(src, pos, self.noun)
        word, end = match[0], match.end()
        if end == len(src) and type(src) is Open:
            may_count = word == "s"  # then a colon is no part of a word
            raise More(pos, None if may_count else WORD.fullmatch)
        if node.number and word.isdigit() and word[0] != "0" and len(word) <= MAX_DIGITS:
            return int(word), end
        if node.takes_bare(word):
            if node.string is None:
                raise self.wrong(src, pos, 0, lambda: (word, end))
            if not BARE.fullmatch(word):
                stop = refused(src, (Code.SYNTAX, self.noun), pos, end)
                stop.hint = "a word that begins with `_`, or with `s` and a digit, is quoted"
                raise stop
            return word, end
        if word in LITERALS:
            return LITERALS[word], end
        if len(word) > MAX_DIGITS:
            raise too_many_digits(pos)
        number = read_number(word)
        if number is None:
            expected = "an integer or a finite double"
            raise refused(src, (Code.NUMBER, expected), pos, end, then=lambda: (0, end))
        return number, end
