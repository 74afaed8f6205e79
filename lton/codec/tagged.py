"""Read and write the tagged form (§5), in which every atom has a kind and a length.

    !call weather.v1
    (s11:San Leandro u1:7 e1:C)
    (note s4:mild)

The first group may contain positional arguments. Every other group contains a key and its value.
Without a schema, positional arguments cannot be read, so all arguments are written with keys.
"""

from collections.abc import Mapping
from functools import lru_cache, partial
from math import isfinite
from typing import Any

from lton._syntax import (
    ATOM_HEAD,
    ATOM_LETTERS,
    BOOLEANS,
    MAX_DIGITS,
    NAME,
    NULL_ATOM,
    NUMBER,
    SKIP,
    spell_number,
    spell_tagged_key,
    try_read_number,
)
from lton._syntax import write_counted as counted_text
from lton.codec._lexemes import TEXT_OPENERS, parse_length, read_counted
from lton.codec._members import MemberReaders, Members, Pairs
from lton.codec._stops import (
    BETWEEN,
    ENTER,
    UNREAD,
    Container,
    More,
    Open,
    Stop,
    Wrong,
    make_digits_error,
    make_refusal_error,
    make_unexpected_character_stop,
)
from lton.codec._values import Kinds
from lton.errors import Code
from lton.schema.types import ANY, FREE, JSON, Object, Type

# --- writing ------------------------------------------------------------------------------------


def write_tagged(arguments: Mapping[str, JSON], members: Object | None) -> str:
    """Write the arguments of a call as groups (R-501)."""
    positional, keyed = members.arrange_in_row(arguments) if members else ([], sorted(arguments))
    row = [write_atom(arguments[p.name], p.type) if p else SKIP for p in positional]
    groups = [f"({' '.join(row)})"] if row or not keyed else []
    for name in keyed:
        node = (members or FREE).find_type(name) or ANY
        groups.append(f"({spell_tagged_key(name)} {write_atom(arguments[name], node)})")
    return "\n".join(groups)


def write_atom(value: JSON, node: Type) -> str:
    """Write a value in the tagged form."""
    if isinstance(value, str):
        return counted_text(str.__str__(value), "e" if node.has_labels else "s")
    if value is None:
        return NULL_ATOM
    if isinstance(value, bool):
        return counted_text(str(value).lower(), "b")
    if isinstance(value, int | float):
        tag = "u" if value >= 0 else "i"
        if isinstance(value, float):
            tag = "f"
        return counted_text(spell_number(value), tag)
    if isinstance(value, Mapping):
        members = (node.object or FREE).branch_of(value)
        pairs = (
            f"{spell_tagged_key(key)} {write_atom(value[key], members.find_type(key) or ANY)}"
            for key in members.names_in_order(value)
        )
        return f"{{{' '.join(pairs)}}}"
    items = node.item_type
    return f"[{' '.join(write_atom(item, items) for item in value)}]"


# --- reading ------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def make_atom_reader(node: Type) -> Kinds:
    """Return the reader for tagged values of a type (R-502, R-504)."""
    return Atoms(node, make_atom_reader)


class Atoms(Kinds):
    """Reads tagged values of a type."""

    opens = frozenset("[{")

    def choose_object_reader(self, _: Object) -> tuple[str, type[Members]]:
        return "{", Pairs

    def skip_group(self, src: str, pos: int, up: Container) -> tuple[JSON, int]:
        return make_atom_reader(ANY).read(src, pos, up)

    def read(self, src: str, pos: int, up: Container) -> tuple[JSON, int]:
        match = NAME.match(src, pos)
        if match is None:
            if src[pos : pos + 1] not in self.opens:
                raise make_unexpected_character_stop(src, pos, "a tagged value")
            return self.read_group(src, pos, up)
        end = match.end()
        if end == len(src) and type(src) is Open:
            raise More(pos, NAME.fullmatch)
        if match[0] == NULL_ATOM:
            return self.require_fit(src, pos, end, None)
        value, end = self._read_atom(src, pos, end, up)
        return self.require_fit(src, pos, end, value)

    def _read_atom(self, src: str, pos: int, end: int, up: Container) -> tuple[JSON, int]:
        head = ATOM_HEAD.match(src, pos)
        if head is None:
            is_cut = pos + 1 == end == len(src) and src[pos] in ATOM_LETTERS
            raise make_unexpected_character_stop(src, end if is_cut else pos, "a tagged value")
        letter, size, end = parse_length(src, head)
        if not _allows_tag(self.node, letter):
            raise self.make_wrong_kind(src, pos, head.end(), partial(self.skip_group, src, pos, up))
        if letter in "uif" and size > MAX_DIGITS:
            raise make_digits_error(pos)
        payload, end = read_counted(src, end, size, is_text=letter in "se")
        up.counted_end = end
        try:
            return _parse_payload(letter, payload), end
        except ValueError:
            expected = f"a payload that the tag {letter!r} allows"
            then = lambda: (payload, end)  # noqa: E731
            raise make_refusal_error(src, (Code.PAYLOAD, expected), pos, end, then) from None


def _allows_tag(node: Type, letter: str) -> bool:
    """Return whether a type allows values with this tag (R-502, R-503)."""
    if letter == "s":
        return node.string is not None
    if letter == "b":
        return bool(node.booleans)
    if letter == "e":
        return node.has_labels or node == ANY
    return node.number is not None


def _is_value_word(word: str, after: str) -> bool:
    """Return whether a word is a value and not a key (R-504)."""
    if not word:
        return after in (")", "[", "{")
    if after == ":":
        return ATOM_HEAD.fullmatch(word) is not None
    return word in (NULL_ATOM, SKIP) and after in (" ", ",", ")")


def _parse_payload(letter: str, payload: str) -> JSON:
    """Parse the payload of an atom (R-502). Raises `ValueError` if it does not fit its tag."""
    if letter in "se":
        return payload
    if letter == "b":
        if payload not in BOOLEANS:
            raise ValueError
        return BOOLEANS[payload]
    match = NUMBER.fullmatch(payload)
    if match is None or (letter != "f" and (match[1] or match[2])):
        raise ValueError
    number = float(payload) if letter == "f" else try_read_number(payload)
    is_infinite = isinstance(number, float) and not isfinite(number)
    if number is None or is_infinite or (letter == "u" and payload.startswith("-")):
        raise ValueError
    return number


class TaggedCall(Pairs):
    """The arguments of a tagged call: an optional positional group, and a group per key (R-501)."""

    is_tagged = True
    word = NAME

    def __init__(self, up: Container, layout: MemberReaders | None) -> None:
        super().__init__(")", layout or _FREE, up)
        self.has_schema = layout is not None
        self.in_row = False

    def run(self, src: str, pos: int, value: Any = ENTER) -> tuple[Any, int]:
        """Read the groups, starting after the first opening parenthesis."""
        if value is ENTER and not self.in_row:
            self.in_row = self._opens_row(src, pos)
            value = ENTER if self.in_row else UNREAD
        if self.in_row:
            _, pos = super().run(src, pos, value)
            self.in_row = False
            value = BETWEEN
        while value is not BETWEEN or self._opens_next_group(src, pos):
            if value is BETWEEN:
                pos = pos + 2
                value = UNREAD
            pos, value = self._finish_pair(src, pos, value), BETWEEN
        self.closer = "\n"  # only a line end ends the call
        return self.finish(src, pos)

    def finish(self, src: str, pos: int, count: int = 0) -> tuple[Any, int]:
        return (None, pos + 1) if self.in_row else super().finish(src, pos, count)

    def has_room(self) -> bool:
        return self.next is not None if self.in_row else super().has_room()

    def _opens_next_group(self, src: str, pos: int) -> bool:
        if type(src) is Open and src[pos:] in ("", "\n"):
            stop = More()
            stop.container = self
            stop.at = pos
            stop.value = BETWEEN
            raise stop
        return src.startswith("\n(", pos)

    def _finish_pair(self, src: str, pos: int, value: Any) -> int:
        try:
            if value is UNREAD:
                self.at = pos
                self.step = None
                value, pos = super().read_element(src, pos)
            if self.watcher is not None:
                self.watcher.report(self, value)
            if src[pos : pos + 1] not in self.ends:
                self.check_end(src, pos, value)
            self.store_value(value)
            self.step = None
            if src[pos] != ")":
                raise make_unexpected_character_stop(
                    src, pos, "')': a group holds one key and its value"
                )
        except Stop as stop:
            stop.set_container(self, self.at)
            raise
        return pos + 1

    def read_element(self, src: str, pos: int) -> tuple[Any, int]:
        if not self.has_schema:
            msg = "without tools, only arguments with keys can be read"
            raise Wrong(Code.SCHEMALESS, msg, pos)
        match = NAME.match(src, pos)
        end = match.end() if match else pos
        if match and end == len(src) and type(src) is Open:
            raise More(pos, NAME.fullmatch)
        return self.read_by_position(src, pos, end)

    def _opens_row(self, src: str, pos: int) -> bool:
        """Return whether the first group is positional (R-504)."""
        self.at = pos
        if src[pos : pos + 1] in TEXT_OPENERS:
            return False
        match = NAME.match(src, pos)
        end = match.end() if match else pos
        if end == len(src) and type(src) is Open:
            stop = More(pos, NAME.fullmatch if match else None)
            stop.container = self
            stop.at = pos
            stop.value = ENTER
            raise stop
        return _is_value_word(src[pos:end], src[end : end + 1])


_FREE = MemberReaders(FREE, make_atom_reader)
