"""What holds for arguments, members and items in every form (§4): written once, here.

Each form brings its own two readers of a value of a type, so deep in groups.
"""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import partial
from typing import TypeAlias

from lton._syntax import (
    ENDS_VALUE,
    MAX_DEPTH,
    MAX_DIGITS,
    NAME,
    NEXT_VALUE,
    SPACES,
    begins_some,
)
from lton.codec._source import Pattern, Perhaps, Reading, Source, nothing
from lton.errors import Code, DecodeError
from lton.schema.types import ANY, JSON, Object, Param, Type

QuickValue: TypeAlias = Callable[[Type, int], Perhaps]
"""Reads a common value that is here whole; `...` for anything else, be it right or wrong."""
ReadValue: TypeAlias = Callable[[Type, int], Reading[JSON]]
"""Reads every value."""

_MAX_NEAR = 200
"""Names that are compared for a hint, and their characters."""


class Row:
    """Arguments as they are read: what is given, and whose turn it is."""

    def __init__(self, members: Object) -> None:
        self.members = members
        self.values: dict[str, JSON] = {}
        self.index = 0
        self.keyed = False
        self.positional = False
        """Only arguments by position can come: a group of them (R-50)."""

    @property
    def next(self) -> Param | None:
        """The parameter of the next positional argument; None behind a keyed one (R-14)."""
        params = self.members.params
        return params[self.index] if self.index < len(params) and not self.keyed else None

    @property
    def has_room(self) -> bool:
        """Say whether another argument can come."""
        return self.next is not None or (not self.positional and self.may_be_key(""))

    def takes(self, text: str) -> bool:
        """Say whether this string may be the next argument, or its key."""
        is_new = text not in self.values and self.members.type_of(text) is not None
        return is_new or (self.next is not None and self.next.type.refuse(text) is None)

    def may_be_key(self, part: str, spelling: Pattern | None = None) -> bool:
        """Say whether a key that may come begins so, and can be spelled so."""
        left = (name for name in self.members.by_name if name not in self.values)
        return self.members.extra is not None or begins_some(part, left, spelling)


class MemberReader(Source):
    """Reads groups of values.

    With `errors` what the schema refuses is put there and reading goes on; else it is raised.
    """

    errors: list[DecodeError] | None = None
    starts: dict[str | int, int]
    """Where the arguments of the call begin."""

    def report(self, error: DecodeError) -> None:
        if self.errors is None:
            raise error
        self.errors.append(error)

    def by_position(self, row: Row, start: int) -> Param:
        """R-14: the parameter of the next positional argument; none behind a keyed argument."""
        if param := row.next:
            row.index += 1
            return param
        found = self.lexeme(start)
        if not found:
            raise self.unexpected("an argument" if row.has_room else "the end of the arguments")
        if row.has_room and row.keyed:
            msg = f"expected a keyed argument behind a keyed one, found {found!r}"
            raise self.error(Code.ORDER, msg, start)
        msg = f"expected at most {len(row.members.params)} arguments, found {found!r}"
        self.report(self.error(Code.SURPLUS, msg, start))
        row.index += 1
        return Param(name=f"{row.index}", type=ANY, required=False)

    def by_key(self, row: Row, key: str, start: int) -> Type:
        """R-13, R-14: the type of a keyed argument: declared or allowed, and not given before."""
        if key in row.values:
            self.report(self.error(Code.DUPLICATE, f"{key[:40]!r} is given twice", start))
        node = row.members.type_of(key)
        if node is None:
            known = row.members.by_name
            self.report(self.unknown(Code.PARAMETER, "parameter", key, known, start))
        return node or ANY

    def require_all(self, row: Row) -> None:
        """R-18: every required argument is there."""
        for param in row.members.params:
            if param.required and param.name not in row.values:
                expected = f"expected {param.type.noun} for {param.name!r}"
                msg = f"{expected}, found the end of the arguments"
                self.report(self.error(Code.MISSING, msg, self.at))

    def items(
        self, quick: QuickValue, read: ReadValue, node: Type, depth: int
    ) -> Reading[list[JSON]]:
        """R-28: the values of an array, from behind its bracket to behind the closing one."""
        items: list[JSON] = []
        more = not (yield from self.ends("]"))
        while more:
            self.path.append(len(items))
            value = quick(node, depth)
            items.append((yield from read(node, depth)) if value is ... else value)
            is_next = self.skip_separator()
            if not is_next:
                yield from self.check_behind("]")
            self.path.pop()
            more = is_next or (yield from self.to_next("]"))
        self.pos += 1
        return items

    def pairs(
        self, quick: QuickValue, read: ReadValue, members: Object, depth: int
    ) -> Reading[dict[str, JSON]]:
        """R-29: keys and values in turn, from behind the brace to behind the closing one."""
        row = Row(members)
        row.keyed = True
        more = not (yield from self.ends("}"))
        while more:
            yield from self.pair(quick, read, row, depth)
            is_next = self.skip_separator()
            if not is_next:
                yield from self.check_behind("}")
            self.path.pop()
            more = is_next or (yield from self.to_next("}", row))
        self.require_all(row)
        self.pos += 1
        return row.values

    def pair(
        self, quick: QuickValue, read: ReadValue, row: Row, depth: int, key: str = ""
    ) -> Reading[str]:
        """Read a key, a space and a value into the row. The key stays on the path.

        `key` is the key if it has been read.
        """
        start = self.at - len(key)
        if not key and (match := self.here(NAME)):
            key = match[0]
            self.pos = match.end()
        key = key or (yield from self.name("a key", row.may_be_key))
        node = self.by_key(row, key, start)
        if (yield from self.peek()) != " ":
            raise self.unexpected("a space behind the key")
        self.pos += 1
        self.path.append(key)
        value = quick(node, depth)
        row.values[key] = (yield from read(node, depth)) if value is ... else value
        return key

    def skip_separator(self) -> bool:
        """R-11: go over a separator to the value behind it; False if they are not both here."""
        match = NEXT_VALUE.match(self.text, self.pos)
        if match is None:
            return False
        self.pos = match.end()
        return True

    def check_behind(self, closer: str) -> Reading[None]:
        """R-11, R-24: behind a value stands a separator or the closer."""
        if (yield from self.peek()) in (" ", ",") or (yield from self.ends(closer)):
            return
        end = "the end of the line" if closer == "\n" else repr(closer)
        error = self.unexpected(f"a space or {end}")
        if error.code == Code.SYNTAX and self.counted_end == self.at:
            error.code = Code.COUNT
        raise error

    def to_next(self, closer: str, row: Row | None = None) -> Reading[bool]:
        """R-11: go over a separator to the next value, or stay at the closer; say if one comes."""
        if (yield from self.ends(closer)):
            return False
        may_come = row is None or row.has_room
        yield from self._spaces(may_come=may_come)
        if (yield from self.peek()) == ",":
            self.pos += 1
            yield from self._spaces(may_come=may_come)
        if (yield from self.ends(closer)) or not (may_come or self.pos < len(self.text)):
            raise self.nothing_behind_separator(row)
        return True

    def _spaces(self, *, may_come: bool) -> Reading[None]:
        while (yield from self.peek(may_come=may_come)) == " ":
            yield from self.run(SPACES, None if may_come else nothing)

    def nothing_behind_separator(self, row: Row | None) -> DecodeError:
        if self.pos == len(self.text) and row is not None and not row.has_room:
            return self.error(Code.SURPLUS, "no argument is left that could come here", self.at)
        return self.unexpected("another value behind the separator")

    def skip(self, param: Param, start: int) -> None:
        """R-15: `_` stands for an argument; only an optional one may be left out."""
        if param.required:
            msg = f"expected {param.type.noun}, found `_`: {param.name!r} is required"
            self.report(self.error(Code.SKIP, msg, start))

    def too_many_digits(self, start: int) -> DecodeError:
        """R-62: a number has so many characters and no more."""
        return self.error(Code.DIGITS, f"a number of more than {MAX_DIGITS} characters", start)

    def check_depth(self, depth: int) -> None:
        """R-61: groups nest so deep and no deeper."""
        if depth >= MAX_DEPTH:
            raise self.error(Code.DEPTH, f"nested deeper than {MAX_DEPTH}", self.at)

    def refused(self, code: Code, expected: str, start: int) -> DecodeError:
        """Make the error for a value, read from `start` on, that its type refuses."""
        return self.error(code, f"expected {expected}, found {self.lexeme(start)!r}", start)

    def unknown(
        self, code: Code, what: str, name: str, known: Iterable[str], start: int
    ) -> DecodeError:
        """Make the error for a name that is not declared, with the nearest that is as a hint."""
        return self.error(code, f"no {what} {name[:40]!r}", start, hint=partial(_near, name, known))

    def lexeme(self, start: int) -> str:
        """Get what stands at `start` for a message: what has been read, or up to its end; cut."""
        start = max(0, start - self.base)
        end = self.pos
        if end <= start:
            limit = min(len(self.text), start + 41)
            end = next((i for i in range(start, limit) if self.text[i] in ENDS_VALUE), limit)
        found = self.text[start : min(end, start + 41)]
        return found if len(found) <= 40 else f"{found[:40]}…"


def _near(name: str, known: Iterable[str]) -> str | None:
    """Get a hint at the declared name that is nearest. To compare is slow for long names."""
    short = [candidate for candidate in known if len(candidate) <= 2 * len(name) <= _MAX_NEAR]
    near = get_close_matches(name, short[:_MAX_NEAR], n=1)
    return f"did you mean {near[0]!r}?" if near else None
