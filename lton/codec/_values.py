"""Values of the untagged forms (§3), read with their type at hand.

Theory of operation. The type of a position is known before anything is read there. So a type is
made once into what reads its values: the first character of a lexeme chooses the kind, and the
type decides what a bare word means, and whether a value is allowed here.
"""

import re
from collections.abc import Callable
from functools import cache, cached_property, lru_cache, partial

from lton._syntax import (
    ATOM_HEAD,
    BARE,
    LINE_TEXT,
    LITERALS,
    MAX_DIGITS,
    NEXT_VALUE,
    OPENING,
    QUOTES,
    WORD,
    WORD_CLASS,
    read_number,
)
from lton.codec._groups import GROUPS, Group, PlainValues, TypeReader
from lton.codec._kinds import Begin, Kinds
from lton.codec._lexemes import TEXT_OPENERS, begins_record, counted, length, text
from lton.codec._members import MemberReaders, Members, Pairs, Row
from lton.codec._stops import More, Open, Place, refused, too_many_digits, unexpected
from lton.codec._tables import Rows
from lton.errors import Code
from lton.schema.types import ANY, FREE, JSON, Number, Object, String, Type


@lru_cache(maxsize=1024)
def reader(node: Type) -> Kinds:
    """Get what reads values of a type."""
    return Values(node, reader)


@cache
def untyped(_: Type) -> Kinds:
    """Return what reads the values of the map form (R-431) and of answers (R-426).

    Without a schema objects are maps alone.
    """
    return Values(ANY, untyped)


def words(node: Type) -> dict[str, JSON]:
    """Get the lexemes of a type that has few, bare or in quotes, and what they mean."""
    if node.array or node.object or node.number or (node.string and not node.has_labels):
        return {}
    found: dict[str, JSON] = {
        word: value for word, value in LITERALS.items() if not node.refuse(value)
    }
    for label in node.string.values or () if node.string else ():
        if node.refuse(label) is None:
            if BARE.fullmatch(label) and node.takes_bare(label):
                found[label] = label
            inside = ((quote, text) for quote, text in LINE_TEXT.items() if text.fullmatch(label))
            found.update((f"{quote}{label}{quote}", label) for quote, _ in inside)
    return found


class Values(Kinds):
    """Reads values of a type."""

    def __init__(self, node: Type, reads: TypeReader) -> None:
        super().__init__(node, reads)
        self.plain = _plain(node)
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

    def other(self, src: str, pos: int, up: Place) -> tuple[JSON, int]:
        first = src[pos : pos + 1]
        if first in GROUPS:
            return self.group(src, pos, up)
        value: JSON
        head = ATOM_HEAD.match(src, pos) if first == "s" else None
        if head or first in TEXT_OPENERS:
            if self.node.string is None:
                raise self.wrong(src, pos, 0, partial(reader(ANY).read, src, pos, up))
            value, end = self._counted(src, head, up) if head else text(src, pos)
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


# --- plain values ---------------------------------------------------------------------------------


def _plain(node: Type) -> PlainValues | None:
    """Get what reads the plain values of a type: strings, numbers, or few words."""
    if node.string == String():
        is_all = node == Type(string=node.string)
        return PlainValues(_whole(_STRING), _text_of if is_all else _value_of(node))
    if node.number and node == Type(number=node.number):
        number, value_of = _NUMBERS[node.number.integer]
        if node.number != Number(integer=node.number.integer):
            value_of = partial(_allowed, value_of, node.number)
        return PlainValues(_whole(number), value_of)
    found = words(node)
    return PlainValues(_whole(_WORD), found.__getitem__) if found else None


@cache
def _whole(values: str) -> Callable[[str, int], re.Match[str] | None]:
    """Get what matches a value that ends, and a separator before the next."""
    return re.compile(rf"(?>({values}))(?=[ ,;)\]}}\n]|\Z)(?:{NEXT_VALUE.pattern})?").match


def _text_of(lexeme: str) -> str:
    return lexeme[1:-1] if lexeme[0] in QUOTES else lexeme


def _value_of(node: Type) -> Callable[[str], JSON]:
    """Get what a bare word, or one in quotes, means where it may be more than a string."""

    def value_of(lexeme: str) -> JSON:
        if lexeme[0] in QUOTES:
            return lexeme[1:-1]
        if node.takes_bare(lexeme):
            return lexeme
        is_number = _PLAIN_NUMBER(lexeme) is not None
        value = _number_of(lexeme) if is_number else LITERALS[lexeme]
        if node.refuse(value):
            raise KeyError(lexeme)
        return value

    return value_of


def _allowed(value_of: Callable[[str], int | float], number: Number, lexeme: str) -> int | float:
    value = value_of(lexeme)
    if number.refuse(value):
        raise KeyError(lexeme)
    return value


def _number_of(lexeme: str) -> int | float:
    return float(lexeme) if "." in lexeme else int(lexeme)


_QUOTED = tuple(f"{OPENING[quote]}{text.pattern}" for quote, text in LINE_TEXT.items())
_CLOSED = [f"{text}{quote}" for text, quote in zip(_QUOTED, LINE_TEXT, strict=True)]
_STRING = "|".join((BARE.pattern, *_CLOSED))
_WORD = "|".join((f"[{WORD_CLASS}]++", *_CLOSED))
_INTEGER = "0|-?[1-9][0-9]{,15}"
_DOUBLE = rf"-?(?:0|[1-9][0-9]{{,15}})\.[0-9]{{1,15}}|{_INTEGER}"
_PLAIN_NUMBER = re.compile(_DOUBLE).fullmatch
_NUMBERS: dict[bool, tuple[str, Callable[[str], int | float]]] = {
    True: (_INTEGER, int),
    False: (_DOUBLE, _number_of),
}
