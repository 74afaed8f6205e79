"""The tagged form (§5), read and written: every atom says its kind and its length.

    !call weather.v1
    (s11:San Leandro u1:7 e1:C)
    (note s4:mild)

The first group may hold arguments by position; every other holds one key and its value. Without
a schema only keys can be read, so that is what is written then.
"""

import re
from collections.abc import Mapping
from functools import partial
from math import isfinite

from lton._syntax import (
    ATOM_HEAD,
    ATOM_LETTERS,
    BOOLEANS,
    MAX_DIGITS,
    NAME,
    NAME_CLASS,
    NULL_ATOM,
    NUMBER,
    SKIP,
    counted,
    is_allowed,
    read_number,
    spell_number,
    spell_tagged_key,
)
from lton.codec._members import MemberReader, Row
from lton.codec._source import Pattern, Perhaps, Reading
from lton.errors import Code
from lton.events import Argument
from lton.schema.types import ANY, FREE, JSON, Object, Param, Type

# --- writing ------------------------------------------------------------------------------------


def write_tagged(arguments: Mapping[str, JSON], members: Object | None) -> str:
    """Get the groups of a call; the arguments have been checked (R-50)."""
    positional, keyed = members.arrange(arguments) if members else ([], sorted(arguments))
    row = [write_atom(arguments[p.name], p.type) if p else SKIP for p in positional]
    groups = [f"({' '.join(row)})"] if row or not keyed else []
    for name in keyed:
        node = (members or FREE).type_of(name) or ANY
        groups.append(f"({spell_tagged_key(name)} {write_atom(arguments[name], node)})")
    return "\n".join(groups)


def write_atom(value: JSON, node: Type) -> str:
    """Get a value as the tagged form writes it: `e` for a label, `u` for what has no sign."""
    if isinstance(value, str):
        return counted(str.__str__(value), "e" if node.has_labels else "s")
    if value is None:
        return NULL_ATOM
    if isinstance(value, bool):
        return counted(str(value).lower(), "b")
    if isinstance(value, int | float):
        tag = "f" if isinstance(value, float) else "u" if value >= 0 else "i"
        return counted(spell_number(value), tag)
    if isinstance(value, Mapping):
        members = node.object or FREE
        pairs = (
            f"{spell_tagged_key(key)} {write_atom(value[key], members.type_of(key) or ANY)}"
            for key in members.in_order(value)
        )
        return f"{{{' '.join(pairs)}}}"
    items = node.item_type
    return f"[{' '.join(write_atom(item, items) for item in value)}]"


# --- reading ------------------------------------------------------------------------------------


class TaggedReader(MemberReader):
    """Reads the groups of a tagged call."""

    def tagged(self, members: Object | None) -> Reading[dict[str, JSON]]:
        """R-50: the groups of a call, from the first parenthesis on."""
        row = Row(members or FREE)
        self.pos += 1
        first = yield from self.peek()
        word = ""
        is_value = _ATOM.match(self.text, self.pos) is not None
        if not is_value and first not in _KEY_QUOTES:
            word = yield from self.run(NAME, partial(_may_open, row))
        if is_value or _is_value(word, (yield from self.peek())):
            yield from self._row(row, word, has_schema=members is not None)
        else:
            yield from self._keyed(row, word)
        while (yield from self.peek()) == "\n" and (yield from self.peek(1)) == "(":
            self.pos += 2
            yield from self._keyed(row)
        self.require_all(row)
        return row.values

    def _row(self, row: Row, word: str, *, has_schema: bool) -> Reading[None]:
        """R-50: arguments by position; `word` is what has been read of the first."""
        row.positional = True
        more = bool(word) or not (yield from self.ends(")"))
        while more:
            start = self.at - len(word)
            if not has_schema:
                msg = "without tools, only arguments with keys can be read"
                raise self.error(Code.SCHEMALESS, msg, start)
            param = self.by_position(row, start)
            value = ... if word else self._quick_atom(param.type, 0)
            if value is ...:
                word = word or (yield from self.run(NAME, partial(_may_stand, param)))
                if word == SKIP:
                    self.skip(param, start)
            self.path.append(param.name)
            if value is ... and word != SKIP:
                value = yield from self.atom(param.type, 0, word)
            if value is not ...:
                row.values[param.name] = value
            word = ""
            yield from self.check_behind(")")
            self.path.pop()
            if param.name in row.values:
                self.starts[param.name] = start
                yield Argument(param.name, row.values[param.name])
            more = self.skip_separator() or (yield from self.to_next(")", row))
        row.positional = False
        self.pos += 1

    def _keyed(self, row: Row, key: str = "") -> Reading[None]:
        """R-50: one key and its value; `key` is what has been read of it."""
        start = self.at - len(key)
        name = yield from self.pair(self._quick_atom, self.atom, row, 0, key)
        self.starts[name] = start
        yield from self.check_behind(")")
        self.path.pop()
        if (yield from self.peek()) != ")":
            raise self.unexpected("')': a group holds one key and its value")
        self.pos += 1
        yield Argument(name, row.values[name])

    def _quick_atom(self, node: Type, _: int) -> Perhaps:
        match = _ATOM.match(self.text, self.pos)
        if match is None:
            return ...
        letter = match[1]
        end = match.end() + int(match[2])
        payload = self.text[match.end() : end]
        is_here = end <= len(self.text) and (self.stop is None or self.base + end <= self.stop)
        if not (is_here and _takes(node, letter) and is_allowed(payload)):
            return ...
        try:
            value = _payload(letter, payload)
        except ValueError:
            return ...
        if node.refuse(value) is not None:
            return ...
        self.pos = end
        self.counted_end = self.at
        return value

    def atom(self, node: Type, depth: int, word: str = "") -> Reading[JSON]:
        """R-51, R-53: a value of the tagged form; `word` is what has been read of it."""
        start = self.at - len(word)
        value: JSON
        word = word or (yield from self.run(NAME, partial(_may_tag, node)))
        if word:
            value, node = yield from self._atom(node, word, start)
        elif (bracket := (yield from self.peek())) in ("[", "{"):
            self.check_depth(depth)
            inner = node.array if bracket == "[" else node.object
            if inner is None:
                self.report(self.refused(Code.TYPE, node.noun, start))
                node = ANY
            self.pos += 1
            if bracket == "[":
                value = yield from self.items(
                    self._quick_atom, self.atom, node.item_type, depth + 1
                )
            else:
                value = yield from self.pairs(
                    self._quick_atom, self.atom, node.object or FREE, depth + 1
                )
        else:
            raise self.unexpected("a tagged value")
        if refusal := node.refuse(value):
            self.report(self.refused(*refusal, start))
        return value

    def _atom(self, node: Type, word: str, start: int) -> Reading[tuple[JSON, Type]]:
        """R-51: the value of an atom, and the type that it is still to be checked against."""
        if word == NULL_ATOM:
            return None, node
        if not ATOM_HEAD.match(word):
            is_cut = word in ATOM_LETTERS and not (yield from self.peek())
            raise self.unexpected("a tagged value", self.at if is_cut else start)
        letter, length = yield from self.length(word, start)
        if not _takes(node, letter):
            self.report(self.refused(Code.TYPE, node.noun, start))
            node = ANY
        if letter in "uif" and length > MAX_DIGITS:
            raise self.too_many_digits(start)
        payload = yield from self.counted(length, partial(_may_hold, node, letter, length))
        try:
            return _payload(letter, payload), node
        except ValueError:
            expected = f"a payload that the tag {letter!r} allows"
            self.report(self.refused(Code.PAYLOAD, expected, start))
            return payload, ANY


_KEY_QUOTES = frozenset("\"'`")


def _is_value(word: str, behind: str) -> bool:
    """R-53: what begins like a value is one; a key that does is quoted."""
    if not word:
        return behind in (")", "[", "{")
    if behind == ":":
        return ATOM_HEAD.fullmatch(word) is not None
    return word in (NULL_ATOM, SKIP) and behind in (" ", ",", ")")


def _payload(letter: str, payload: str) -> JSON:
    """R-51: the value of an atom; ValueError where its letter does not allow the payload."""
    if letter in "se":
        return payload
    if letter == "b":
        if payload not in BOOLEANS:
            raise ValueError
        return BOOLEANS[payload]
    match = NUMBER.fullmatch(payload)
    if match is None or (letter != "f" and (match[1] or match[2])):
        raise ValueError
    number = float(payload) if letter == "f" else read_number(payload)
    is_infinite = isinstance(number, float) and not isfinite(number)
    if number is None or is_infinite or (letter == "u" and payload.startswith("-")):
        raise ValueError
    return number


# --- what may come: the beginnings of lexemes (R-71) ---------------------------------------------


def _may_open(row: Row, part: str, spelling: Pattern | None) -> bool:
    """Say whether a key, or a value by position, may begin so."""
    return row.may_be_key(part, _LONGER.get(part, spelling)) or _may_stand(row.next, part)


def _may_stand(param: Param | None, part: str, _: Pattern | None = None) -> bool:
    return param is not None and (
        _may_tag(param.type, part) or (part == SKIP and not param.required)
    )


def _takes(node: Type, letter: str) -> bool:
    """R-51, R-52: say whether a value of the type may have this tag."""
    if letter == "s":
        return node.string is not None
    if letter == "b":
        return bool(node.booleans)
    if letter == "e":
        return node.has_labels or node == ANY
    return node.number is not None


def _may_tag(node: Type, part: str, _: Pattern | None = None) -> bool:
    """Say whether a value of the type may begin with this letter, and digits."""
    if not part or (node.null and part == NULL_ATOM):
        return True
    match = _TAG.fullmatch(part)
    if match is None or not _takes(node, match[1]):
        return False
    letter, digits = match.groups()
    if letter in "se":
        return node.may_count(digits)
    if letter == "b":
        return any(str(len(word)).startswith(digits) for word in _booleans(node))
    return _MAY_COUNT_DIGITS.fullmatch(digits) is not None and int(digits or 1) <= MAX_DIGITS


def _may_hold(node: Type, letter: str, length: int, part: str, _: Pattern | None) -> bool:
    """Say whether a payload of this length, of which more is to come, may begin so."""
    if letter in "se":
        return node.may_hold(part, length=length)
    if letter == "b":
        return any(len(word) == length and word.startswith(part) for word in _booleans(node))
    if letter != "f":
        return _INTEGER_HEAD[letter].fullmatch(part) is not None
    left = length - len(part)
    endings = (
        "0" * left,
        "9" * left,
        "0.".ljust(left, "0"),
        ".".ljust(left, "0"),
        "e".ljust(left, "0"),
        "e-".ljust(left, "9"),
    )
    return any(_is_double(part + ending) for ending in endings)


def _is_double(text: str) -> bool:
    return NUMBER.fullmatch(text) is not None and isfinite(float(text))


def _booleans(node: Type) -> list[str]:
    return [word for word, value in BOOLEANS.items() if value in node.booleans]


_ATOM = re.compile(f"([{ATOM_LETTERS}])(0|[1-9][0-9]{{,2}}):")
"""The head of a short atom."""
_TAG = re.compile(f"([{ATOM_LETTERS}])([0-9]*)")
_LONGER = {word: re.compile(f"{word}[{NAME_CLASS}]+") for word in (NULL_ATOM, SKIP)}
"""R-53: bare, these are values; only what is longer is a key."""
_MAY_COUNT_DIGITS = re.compile(f"([1-9][0-9]{{,{len(str(MAX_DIGITS)) - 1}}})?")
_INTEGER_HEAD = {"u": re.compile("(?:[1-9][0-9]*)?"), "i": re.compile("-?(?:[1-9][0-9]*)?")}
