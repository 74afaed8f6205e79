"""Values of the untagged forms (§3), read with their type at hand.

Theory of operation. The type of a position is known before anything is read there. So a type is
made once into what reads its values: the first character of a lexeme chooses the kind, and the
type decides what a bare word means, and whether a value is allowed here.
"""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import TypeAlias

from lton._syntax import (
    ATOM_HEAD,
    BARE,
    LITERALS,
    MAX_DIGITS,
    WORD,
    WORD_CLASS,
    read_number,
)
from lton.codec._groups import Kinds, MemberReaders, Pairs, Read, Row, refused, too_many_digits
from lton.codec._lexemes import (
    TEXT_OPENERS,
    May,
    Open,
    Place,
    counted,
    length,
    run_out,
    text,
    unexpected,
)
from lton.codec._tables import allow_tables
from lton.errors import Code
from lton.schema.types import ANY, FREE, JSON, Number, String, Type

Quick: TypeAlias = tuple[re.Pattern[str], Callable[[str], JSON]]
_GROUPS = frozenset("[({")


@lru_cache(maxsize=1024)
def reader(node: Type) -> Read:
    """Get what reads values of a type: first the common words, for which one pattern is enough."""
    if node == ANY:
        return read_any
    read, quick = Values(node).read, _quick(node)
    if quick is None:
        return read
    pattern, value_of = quick

    def read_quick(src: str, pos: int, up: Place) -> tuple[JSON, int]:
        match = pattern.match(src, pos)
        if match is not None and (end := match.end()) < len(src):
            try:
                return value_of(match[0]), end
            except KeyError:
                pass
        return read(src, pos, up)

    return read_quick


def _quick(node: Type) -> Quick | None:
    """Get a pattern of most bare words of a type, and what such a word means: it is all right."""
    if node == Type(string=String()):
        return _PLAIN, str
    if node.number in (Number(), Number(integer=True)) and node == Type(number=node.number):
        return _INTEGER, int
    if node.array or node.object or node.number or (node.string and not node.has_labels):
        return None
    return WORD, words(node).__getitem__


def words(node: Type) -> dict[str, JSON]:
    """Get the bare words of a type that has few, and what they mean."""
    found: dict[str, JSON] = {
        word: value for word, value in LITERALS.items() if not node.refuse(value)
    }
    labels = node.string.values or () if node.string else ()
    bare = (label for label in labels if BARE.fullmatch(label) and node.takes_bare(label))
    found.update((label, label) for label in bare if not node.refuse(label))
    return found


def read_any(src: str, pos: int, up: Place) -> tuple[JSON, int]:
    """Read a value without a schema."""
    return _ANY.read(src, pos, up)  # its values hold such values again


class Values(Kinds):
    """Reads values of a type."""

    def __init__(self, node: Type) -> None:
        is_map = node.object is not None and node.object.is_map
        super().__init__(node, reader, {"{": Pairs} if is_map else {"(": Row})
        allow_tables(self.groups, node, reader)
        self.may = None if self.begun.is_open else self.begun.text

    def read(self, src: str, pos: int, up: Place) -> tuple[JSON, int]:
        first = src[pos : pos + 1]
        if first in _GROUPS:
            return self.group(src, pos, up, _any_group)
        value: JSON
        head = ATOM_HEAD.match(src, pos) if first == "s" else None
        if head or first in TEXT_OPENERS:
            if self.node.string is None:
                raise self.wrong(src, pos, 0, partial(read_any, src, pos, up))
            value, end = (
                self._counted(src, head, up) if head else text(src, pos, self.may, self.noun)
            )
        else:
            value, end = self._word(src, pos)
        return self.fit(src, pos, end, value)

    def _counted(self, src: str, head: re.Match[str], up: Place) -> tuple[JSON, int]:
        if head.end() == len(src) and type(src) is Open:
            raise run_out(self.noun, head.start(), self.begun.bare, None)
        _, size, pos = length(src, head)
        may: May = None
        if self.may is not None:
            may = lambda part, _: self.begun.payload("s", size, part)  # noqa: E731
        value, up.counted_end = counted(src, pos, size, may, self.noun)
        return value, up.counted_end

    def _word(self, src: str, pos: int) -> tuple[JSON, int]:
        """R-304: what a bare word means is for the type to say."""
        node = self.node
        match = WORD.match(src, pos)
        if match is None:
            raise unexpected(src, pos, self.noun)
        word, end = match[0], match.end()
        if end == len(src) and type(src) is Open:
            may = None if self.begun.is_word(word) else self.begun.bare
            may_count = word == "s"  # then a colon is no part of a word
            raise run_out(self.noun, pos, may, None if may_count else WORD)
        if node.takes_bare(word):
            if node.string is None:
                raise self.wrong(src, pos, 0, lambda: (word, end))
            if not BARE.fullmatch(word):
                stop = refused(src, (Code.SYNTAX, node.noun), pos, end)
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


def _any_group(src: str, pos: int, up: Place) -> tuple[JSON, int]:
    """Read past a group that is not allowed here."""
    if src[pos] == "(":
        return Row(up, ")", MemberReaders(FREE, reader), up.depth + 1).run(src, pos + 1)
    return read_any(src, pos, up)


_PLAIN = re.compile(f"(?>{BARE.pattern})(?![{WORD_CLASS}])")
_INTEGER = re.compile(f"(?>0|-?[1-9][0-9]{{,15}})(?![{WORD_CLASS}])")
_ANY = Values(ANY)
