"""Values of the untagged forms (§3), read with their type at hand.

Theory of operation. The type of a position is known before anything is read there. So a type is
made once into a function that reads its values: the first character of a lexeme chooses the kind,
and the type decides what a bare word means, and whether a value may stand here.
"""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import TypeAlias

from lton._syntax import ATOM_HEAD, BARE, LITERALS, MAX_DEPTH, MAX_DIGITS, WORD, WORD_CLASS, read_number
from lton.codec._beginnings import Beginnings
from lton.codec._groups import Group, Items, Pairs, Read, Row, Shape, refused
from lton.codec._lexemes import (
    TEXT_OPENERS,
    Open,
    Place,
    Wrong,
    counted,
    length,
    run_out,
    text,
    unexpected,
)
from lton.errors import Code
from lton.schema.types import ANY, FREE, JSON, Number, String, Type

Quick: TypeAlias = tuple[re.Pattern[str], Callable[[str], JSON]]


@lru_cache(maxsize=1024)
def reader(node: Type) -> Read:
    """Get what reads values of a type."""
    if node == ANY:
        return read_any
    read = _reader(node)
    quick = _quick(node)
    return read if quick is None else _quick_reader(quick, read)


def _quick_reader(quick: Quick, read: Read) -> Read:
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
    values = {word: value for word, value in LITERALS.items() if not node.refuse(value)}
    for label in node.string.values or () if node.string else ():
        if BARE.fullmatch(label) and node.takes_bare(label) and not node.refuse(label):
            values[label] = label
    return WORD, values.__getitem__


def read_any(src: str, pos: int, up: Place) -> tuple[JSON, int]:
    """Read a value without a schema."""
    return _READ_ANY(src, pos, up)  # its values hold such values again


def _reader(node: Type) -> Read:
    string, begun = node.string, Beginnings(node)
    may = None if begun.is_open else begun.text
    is_plain = node == Type(string=String())
    group = _group_reader(node)

    def read(src: str, pos: int, up: Place) -> tuple[JSON, int]:
        first = src[pos : pos + 1]
        value: JSON
        if first in _GROUPS:
            return group(src, pos, up)
        if first in TEXT_OPENERS:
            if string is None:
                raise wrong(src, pos, up)
            value, end = text(src, pos, may)
        elif first == "s" and (head := ATOM_HEAD.match(src, pos)):
            if string is None:
                raise wrong(src, pos, up)
            if head.end() == len(src) and type(src) is Open:
                raise run_out("a length and a colon", pos, begun.bare, None)
            _, size, end = length(src, head)
            is_one = may and (lambda part, _: begun.payload("s", size, part))
            value, end = counted(src, end, size, is_one)
            up.counted_end = end
        else:
            match = WORD.match(src, pos)
            if match is None:
                raise unexpected(src, pos, lambda: node.noun)
            end = match.end()
            if end == len(src) and type(src) is Open:
                raise run_out(lambda: node.noun, pos, begun.bare, WORD)
            value = match[0]
            if not (is_plain and BARE.fullmatch(value)):
                value = meaning(src, pos, end, value)
        if not is_plain and (refusal := node.refuse(value)):
            raise refused(src, refusal, pos, end, then=lambda: (value, end))
        return value, end

    def meaning(src: str, pos: int, end: int, word: str) -> JSON:
        """R-21: what a bare word means is for the type to say."""
        if node.takes_bare(word):
            if string is None:
                raise refused(src, (Code.TYPE, node.noun), pos, end, then=lambda: (word, end))
            if not BARE.fullmatch(word):
                stop = refused(src, (Code.SYNTAX, node.noun), pos, end)
                stop.hint = "a word that begins with `_`, or with `s` and a digit, is quoted"
                raise stop
            return word
        if word in LITERALS:
            return LITERALS[word]
        if len(word) > MAX_DIGITS:
            raise too_many_digits(pos)
        number = read_number(word)
        if number is None:
            expected = "an integer or a finite double"
            raise refused(src, (Code.NUMBER, expected), pos, end, then=lambda: (0, end))
        return number

    def wrong(src: str, pos: int, up: Place) -> Wrong:
        """Refuse a string where none may stand; it can be read past as any value."""
        then = partial(read_any, src, pos, up)
        return refused(src, (Code.TYPE, node.noun), pos, 0, then=then)

    return read


def _group_reader(node: Type) -> Read:
    """R-28, R-29: what reads an array, a record or a map."""
    members = node.object
    item = reader(node.array.items) if node.array else None
    shape = Shape(members, reader) if members else None

    def read(src: str, pos: int, up: Place) -> tuple[JSON, int]:
        check_depth(up, pos)
        opener = src[pos]
        group: Group
        if opener == "[":
            if item is None:
                raise refused(src, (Code.TYPE, node.noun), pos, 0, partial(any_group, src, pos, up))
            group = Items(up, node, pos, item)
        elif shape is None or shape.members.is_map != (opener == "{"):
            raise refused(src, (Code.TYPE, node.noun), pos, 0, partial(any_group, src, pos, up))
        elif opener == "{":
            group = Pairs(up, "}", shape, up.depth + 1, node, pos)
        else:
            group = Row(up, ")", shape, up.depth + 1, node, pos)
        return group.run(src, pos + 1)

    return read


def any_group(src: str, pos: int, up: Place) -> tuple[JSON, int]:
    """Read a group past that may not stand here."""
    if src[pos] == "(":
        return Row(up, ")", Shape(FREE, reader), up.depth + 1, ANY, pos).run(src, pos + 1)
    return read_any(src, pos, up)


def check_depth(up: Place, pos: int) -> None:
    """R-61: groups nest so deep and no deeper."""
    if up.depth >= MAX_DEPTH:
        raise Wrong(Code.DEPTH, f"nested deeper than {MAX_DEPTH}", pos)


def too_many_digits(pos: int) -> Wrong:
    """R-62: a number has so many characters and no more."""
    return Wrong(Code.DIGITS, f"a number of more than {MAX_DIGITS} characters", pos)


_GROUPS = frozenset("[({")
_PLAIN = re.compile(f"{BARE.pattern}(?![{WORD_CLASS}])")
_INTEGER = re.compile(f"(?:0|-?[1-9][0-9]{{,15}})(?![{WORD_CLASS}])")
_READ_ANY = _reader(ANY)
