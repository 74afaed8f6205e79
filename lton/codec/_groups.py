"""Groups of values (§4): arrays, maps, and arguments, by position and by key; in every form.

Each form brings its own reader of a value of a type. What a group needs to be gone on from is in
its record, and nothing is written there before a value and what follows it are certain: so a
value can be read again, when more of it has come, or past, when it is wrong.

Most values are plain: a word, a number, a string in quotes. Those of a row or an array are read by
one pattern for each type, as far as they go; where a text runs out in one, the group waits.
"""

import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias

from lton._syntax import ENDS_VALUE, MAX_DEPTH, MAX_DIGITS, NAME, NEXT_VALUE, SKIP, SPACES, WORD
from lton.codec._beginnings import Beginnings, Pattern, Texts
from lton.codec._lexemes import (
    TEXT_OPENERS,
    UNREAD,
    WAIT,
    More,
    Open,
    Place,
    Skips,
    Stop,
    Then,
    Wrong,
    excerpt,
    name,
    run_out,
    text,
    unexpected,
)
from lton.errors import Code
from lton.events import Argument, ArgumentDelta, CallEnd, CallStart, Event
from lton.schema.types import ANY, JSON, Array, Object, Param, Type

Read: TypeAlias = Callable[[str, int, Place], tuple[JSON, int]]
"""Reads a value of a type that is in this place."""
TypeReader: TypeAlias = Callable[[Type], "Kinds"]
"""Gets what reads values of a type: one for each form."""

ENTER: Any = object()
"""In the place of a value: the opening bracket has been read."""
GAP: Any = object()
"""In the place of a value: the last one is kept, and what separates it from the next comes."""
ABSENT: Any = object()
"""In the place of a value: `_`."""
GROUPS = frozenset("[({")
"""What groups open with."""
_MAX_NEAR = 200
"""Names that are compared for a hint, and their characters."""


class PlainValues(NamedTuple):
    """The plain values of a type, which one pattern reads, and of which all are right."""

    whole: Callable[[str, int], "re.Match[str] | None"]
    """Matches such a value, as its group, if it ends here; and a separator before a value."""
    value_of: Callable[[str], JSON]
    """Gets what it means; a `KeyError` if it is not plain."""
    part: Callable[[str, int], Skips]
    """Says of the end of a text whether such a value begins so, and what goes on in it."""
    step: str | None = None
    """The name of the parameter that takes it; None in an array."""


class MemberReaders:
    """The members of an object, with what reads each in a form."""

    def __init__(self, members: Object, reader: TypeReader) -> None:
        self.members = members
        kinds = {param.name: reader(param.type) for param in members.params}
        self.reads = {name: each.read for name, each in kinds.items()}
        self.turns = [(p, self.reads[p.name], kinds[p.name].begun) for p in members.params]
        self.plains = [
            each.plain and each.plain._replace(step=name) for name, each in kinds.items()
        ]
        self.plains.append(None)
        self.needed = max((i for i, p in enumerate(members.params, 1) if p.required), default=0)
        """Values by position, up to the last that is required."""
        self.required = [param for param in members.params if param.required]
        self.needs = {param.name for param in self.required}
        self.extra = None if members.extra is None else reader(members.extra).read
        self.any = reader(ANY).read

    @cached_property
    def names(self) -> Texts:
        return Texts(self.members.by_name)


class Group(Place):
    """A group as it is read, from its first value to after its closer."""

    values: Any
    up: Place
    rows: Any = None
    """What reads it as a table (R-312), where it may be one."""
    plain: PlainValues | None = None
    """How the next value is read if it is plain."""

    def __init__(self, up: Place, closer: str, depth: int) -> None:
        self.up = up
        self.closer = closer
        self.ends: tuple[str, ...] = _ENDS[closer]
        self.depth = depth
        self.deltas = up.deltas
        self.waits = up.waits

    def run(self, src: str, pos: int, value: Any = ENTER) -> tuple[Any, int]:  # noqa: C901, PLR0912 - one loop
        """Read on past the closer."""
        if value is ENTER and self.rows is not None and src.startswith("(", pos):
            return self.rows.table(self).run(src, pos)  # type: ignore[no-any-return]
        may_be_plain = self.plain is not None and src[pos : pos + 1] not in GROUPS
        if may_be_plain and (value is UNREAD or value is ENTER):
            value, pos = self.read_plain(src, pos, value)
        self.at = pos
        try:
            more = value is not ENTER or not self.closes(src, pos)
            while more:
                if value is UNREAD or value is ENTER:
                    self.at = pos
                    self.step = None
                    value, pos = self.element(src, pos)
                if value is WAIT:
                    return value, pos
                after = src[pos : pos + 1]
                if value is not GAP:
                    if self.deltas is not None:
                        self.tell(value)
                    if after not in self.ends:
                        self.check_end(src, pos, value)
                    self.keep(value)
                    self.step = None
                if after == self.closer:
                    break
                if match := NEXT_VALUE.match(src, pos):
                    pos = match.end()
                elif self.plain and self.waits and type(src) is Open and pos + 1 == len(src):
                    return src.wait(self, pos, GAP, None)
                elif more := not self.closes(src, pos):
                    pos = self.gap(src, pos)
                value = UNREAD
                if self.plain is not None:
                    value, pos = self.read_plain(src, pos, value)
        except Stop as stop:
            if stop.place is None:
                stop.place, stop.at = self, self.at
                if value is ENTER:
                    stop.value = ENTER
            raise
        return self.finish(src, pos)

    def read_plain(self, src: str, pos: int, value: Any) -> tuple[Any, int]:
        """Read plain values, as far as they go; get what is in the place of the next."""
        while (plain := self.plain) is not None:
            match = plain.whole(src, pos)
            end = match.end() if match else len(src)
            if match is None or (end == len(src) and type(src) is Open):
                if self.waits and type(src) is Open and (skips := plain.part(src, pos)):
                    return src.wait(self, pos, value, skips)
                break
            try:
                found = plain.value_of(match[1])
            except KeyError:
                break
            after = src[end : end + 1] or "\n"
            ends = after in ENDS_VALUE
            if ends and after not in self.ends:
                break
            self.at = pos
            self.step = len(self.values) if plain.step is None else plain.step
            if self.deltas is not None:
                self.tell(found)
            self.keep(found)
            self.step = None
            if ends:
                return GAP, end
            pos, value = end, UNREAD
        return value, pos

    @abstractmethod
    def element(self, src: str, pos: int) -> tuple[Any, int]:
        """Read what a step of the group holds, and say which step."""

    @abstractmethod
    def keep(self, value: Any) -> None:
        """Keep a value: it, and what follows it, is certain."""

    def has_room(self) -> bool:
        """Say whether another value can come."""
        return True

    @abstractmethod
    def finish(self, src: str, pos: int) -> tuple[Any, int]:
        """Go past the closer."""

    def tell(self, value: Any) -> None:
        """Report what has not been reported of a string that is complete."""
        if type(value) is str and self.reported < len(value):
            assert self.deltas is not None  # else nobody asks
            self.deltas.append(ArgumentDelta(self.path, value[self.reported :]))
            self.reported = len(value)

    # --- what is between values (R-302) ----------------------------------------------------------

    def closes(self, src: str, pos: int) -> bool:
        """Say whether the closer is here; the end of the text ends a line too (R-301)."""
        if pos < len(src):
            return src[pos] == self.closer
        if type(src) is Open:
            raise More(self._end)
        return self.closer == "\n"

    @property
    def _end(self) -> str:
        return "the end of the line" if self.closer == "\n" else repr(self.closer)

    def check_end(self, src: str, pos: int, value: Any) -> None:
        """R-307: refuse what is no separator and no closer after a value."""
        if pos == len(src) and self.closer == "\n" and type(src) is not Open:
            return
        stop = unexpected(src, pos, f"a space or {self._end}")
        if isinstance(stop, Wrong) and stop.code == Code.SYNTAX and self.counted_end == pos:
            stop.code = Code.COUNT
        stop.place, stop.at, stop.value = self, pos, value
        raise stop

    def gap(self, src: str, pos: int) -> int:
        """Go over a separator, to where the next value can begin."""
        end = _spaces(src, pos)
        if src[end : end + 1] == ",":
            end = _spaces(src, end + 1)
        may_come = self.has_room()
        if end == len(src) and type(src) is Open:
            may = None if may_come else nothing
            stop = More("another value", end, may, SPACES.fullmatch)
            stop.place, stop.at, stop.value = self, pos, GAP
            raise stop
        if end == len(src) and not may_come:
            raise Wrong(Code.SURPLUS, "no argument is left that could come here", end)
        if self.closes(src, end):
            raise unexpected(src, end, "another value after the separator")
        return end


_ENDS = {closer: (" ", ",", closer) for closer in ")]}\n"}


def nothing(_: str, __: Pattern | None) -> bool:
    """Say that nothing begins so."""
    return False


def _spaces(src: str, pos: int) -> int:
    match = SPACES.match(src, pos)
    return match.end() if match else pos


argument = partial(tuple.__new__, Argument)
"""Makes an `Argument` of a pair: `Argument._make`, in half the time."""
call_start = partial(tuple.__new__, CallStart)
call_end = partial(tuple.__new__, CallEnd)


class Items(Group):
    """R-312: the values of an array."""

    closer = "]"
    ends = _ENDS["]"]

    def __init__(self, bounds: Array | None, items: "Kinds", up: Place, start: int) -> None:
        self.up = up
        self.depth = up.depth + 1
        self.deltas = up.deltas
        self.waits = up.waits
        self.bounds = bounds
        self.start = start
        self.items = items
        self.plain = items.plain
        self.values: list[JSON] = []

    def element(self, src: str, pos: int) -> tuple[Any, int]:
        self.step = len(self.values)
        items = self.items
        return (items.group if src[pos : pos + 1] in items.opens else items.read)(src, pos, self)

    def keep(self, value: Any) -> None:
        self.values.append(value)
        self.reported = 0

    def keep_row(self, _: Any, value: JSON) -> None:
        self.values.append(value)

    def finish(self, src: str, pos: int) -> tuple[Any, int]:
        if self.bounds is not None and (refusal := self.bounds.refuse(self.values)):
            raise refused(src, refusal, self.start, pos + 1, then=lambda: (self.values, pos + 1))
        return self.values, pos + 1


class Members(Group):
    """Values by name: what is given, and whose turn it is."""

    index = 0
    keyed = False
    by_turn = False
    is_tagged = False
    word = WORD
    assigns = " "
    """What is between a key and its value."""
    events: deque[Event] | None = None
    starts: dict[str | int, int] | None = None
    """Where the values begin, if somebody asks."""

    def __init__(self, closer: str, layout: MemberReaders, up: Place, _: int = 0) -> None:
        self.up = up
        self.depth = up.depth + 1
        self.deltas = up.deltas
        self.waits = up.waits
        self.closer = closer
        self.ends = _ENDS[closer]
        self.layout = layout
        self.plain = layout.plains[0] if self.by_turn else None
        self.values: dict[str, JSON] = {}

    def keep(self, value: Any) -> None:
        if self.by_turn:
            self.index += 1
            plains = self.layout.plains
            self.plain = plains[self.index] if self.index < len(plains) else None
        else:
            self.keyed = True
            self.plain = None
        if value is ABSENT:
            return
        name: Any = self.step
        self.values[name] = value
        self.reported = 0
        if self.starts is not None:
            self.starts[name] = self.at
        if self.events is not None:
            self.events.append(argument((name, value)))

    def finish(self, src: str, pos: int, count: int = 0) -> tuple[Any, int]:
        """R-411: every required argument is there."""
        required = self.layout.required
        for i, param in enumerate(() if self.values.keys() >= self.layout.needs else required):
            if param.name not in self.values and i >= count:
                expected = f"expected {param.type.noun} for {param.name!r}"
                msg = f"{expected}, found the end of the arguments"
                then = partial(self.finish, src, pos, i + 1)
                raise Wrong(Code.MISSING, msg, pos, then=then)
        return self.values, pos + (self.closer != "\n")

    # --- whose turn it is (R-410) ----------------------------------------------------------------

    @property
    def next(self) -> Param | None:
        """The parameter of the next positional argument; None after a keyed one."""
        turns = self.layout.turns
        return turns[self.index][0] if self.index < len(turns) and not self.keyed else None

    def has_room(self) -> bool:
        return self.next is not None or self.may_be_key("")

    def may_be_key(self, part: str, spelling: Pattern | None = None) -> bool:
        """Say whether a key that may come begins so, and can be spelled so."""
        return self.layout.extra is not None or self.layout.names.begin(part, spelling, self.values)

    def by_position(self, src: str, pos: int, end: int) -> tuple[Any, int]:
        """Read the value of the parameter whose turn it is; its first word ends at `end`."""
        self.by_turn = True
        if not self.keyed and self.index < len(self.layout.turns):
            param, read, _ = self.layout.turns[self.index]
            if src[pos : pos + 1] == SKIP:
                return self._in_turn(src, pos, param, read)
            self.step = param.name
            return read(src, pos, self)
        found = excerpt(src, pos, end)
        has_room = self.has_room()
        if not found:
            raise unexpected(src, pos, "an argument" if has_room else "the end of the arguments")
        if has_room and self.keyed:
            msg = f"expected a keyed argument after a keyed one, found {found!r}"
            raise Wrong(Code.ORDER, msg, pos)
        msg = f"expected at most {len(self.layout.turns)} arguments, found {found!r}"
        param = Param(name=str(self.index + 1), type=ANY, required=False)
        then = partial(self._in_turn, src, pos, param, self.layout.any)
        raise Wrong(Code.SURPLUS, msg, pos, then=then)

    def _in_turn(self, src: str, pos: int, param: Param, read: Read) -> tuple[Any, int]:
        """R-412: `_` is in the place of an argument; only an optional one may be left out."""
        match = self.word.match(src, pos)
        if match is None or match[0] != SKIP:
            self.step = param.name
            return read(src, pos, self)
        then = partial(self._left_out, param.name, pos + 1)
        if param.required:
            msg = f"expected {param.type.noun}, found `_`: {param.name!r} is required"
            raise Wrong(Code.SKIP, msg, pos, then=then)
        return then()

    def _left_out(self, name: str, end: int) -> tuple[Any, int]:
        self.step = name
        return ABSENT, end

    def by_key(self, src: str, pos: int, key: str, end: int) -> tuple[Any, int]:
        """R-407, R-410: read the value of a key that ends here, and is not given before."""
        self.by_turn = False
        read = self.layout.reads.get(key) or self.layout.extra
        if read is not None and key not in self.values:
            return self._of_key(src, end, key, read)
        then: Callable[[], tuple[Any, int]]
        then = partial(self._of_key, src, end, key, read or self.layout.any)
        if read is None:
            known = self.layout.members.by_name
            unknown = no(Code.PARAMETER, "parameter", key, known, pos, then)
            then = partial(_refuse, unknown)
        if key in self.values:
            raise Wrong(Code.DUPLICATE, f"{key[:40]!r} is given twice", pos, then=then)
        return then()

    def _of_key(self, src: str, end: int, key: str, read: Read) -> tuple[Any, int]:
        if src[end : end + 1] != self.assigns:
            raise unexpected(src, end, "a space after the key")
        self.step = key
        return read(src, end + 1, self)


def _refuse(wrong: Wrong) -> tuple[Any, int]:
    raise wrong


class Pairs(Members):
    """R-313: keys and values in turn."""

    def element(self, src: str, pos: int) -> tuple[Any, int]:
        self.keyed = True
        key, end = name(src, pos, "a key", self.may_be_key)
        return self.by_key(src, pos, key, end)

    def has_room(self) -> bool:
        return self.may_be_key("")

    def keep_row(self, key: str, value: JSON) -> None:
        self.values[key] = value


class Row(Members):
    """R-410: values by position, then by key."""

    assigns = "="
    by_turn = True

    def element(self, src: str, pos: int) -> tuple[Any, int]:
        first = src[pos : pos + 1]
        if first in TEXT_OPENERS:
            return self._string_or_key(src, pos)
        match = None if first in GROUPS else WORD.match(src, pos)
        if match is None:
            return self.by_position(src, pos, pos)
        end = match.end()
        if end == len(src) and type(src) is Open and NAME.fullmatch(match[0]):
            is_right = (begun := self._begun) is not None and begun.is_word(match[0])
            raise run_out(self._expected, pos, None if is_right else self._may_stand, NAME)
        if src[end : end + 1] == "=" and NAME.fullmatch(match[0]):
            return self.by_key(src, pos, match[0], end)
        return self.by_position(src, pos, end)

    def _may_stand(self, part: str, spelling: Pattern | None) -> bool:
        """Say whether a bare value, or its key, begins so."""
        param, begun = self.next, self._begun
        may_skip = part == SKIP and param is not None and not param.required
        is_value = may_skip or (begun is not None and begun.bare(part))
        return is_value or self.may_be_key(part, spelling)

    @property
    def _begun(self) -> Beginnings | None:
        is_next = self.index < len(self.layout.turns) and not self.keyed
        return self.layout.turns[self.index][2] if is_next else None

    def _expected(self) -> str:
        return self.next.type.noun if self.next else "an argument with a key"

    def _string_or_key(self, src: str, pos: int) -> tuple[Any, int]:
        try:
            value, end = text(src, pos)
        except More as more:
            self._judge(more, src)
            raise
        except Wrong:
            # No key can be made of it. If it could not have been a value either, say that.
            if self.next is None:
                return self.by_position(src, pos, pos)
            self.step = self.next.name
            if self.next.type.string is None:
                raise refused(src, (Code.TYPE, self.next.type.noun), pos, 0) from None
            raise
        if end == len(src) and type(src) is Open:
            if self.deltas is not None and self.next and not self._is_key(value):
                self.step = self.next.name
                self.tell(value)
            raise More(self._expected, pos, lambda _, __: self._takes(value))
        if src[end : end + 1] == "=":
            return self.by_key(src, pos, value, end)
        return self.by_position(src, pos, end)

    def _judge(self, more: More, src: str) -> None:
        """Say what may come after the beginning of a string that may be a key."""
        param, begun = self.next, self._begun
        if begun is None or not begun.is_open:
            more.expected = self._expected
            more.may = lambda part, spelling: (
                (begun is not None and begun.text(part, spelling))
                or self.may_be_key(part, spelling)
            )
        if self.deltas is None or more.closer is None:
            return
        part = src[more.part : len(src) - more.held(src)][:MAX_DIGITS]
        if param is None or self.may_be_key(part, more.spelling):
            more.closer = None
            if self.layout.extra is None:
                more.skips = None
        else:
            self.step = param.name

    def _takes(self, text: str) -> bool:
        """Say whether this string may be the next argument, or its key."""
        fits = self.next is not None and self.next.type.refuse(text) is None
        return fits or self._is_key(text)

    def _is_key(self, text: str) -> bool:
        return text not in self.values and self.layout.members.type_of(text) is not None


Begin: TypeAlias = Callable[[Place, int], Group]
"""Makes what reads the group that begins in this place, at this position."""


class Kinds(ABC):
    """Reads values of a type in a form: what all forms have of it."""

    plain: PlainValues | None = None
    opens = GROUPS
    """What groups open with in this form."""

    def __init__(self, node: Type) -> None:
        self.node = node
        self.noun = lambda: node.noun
        self.begun = Beginnings(node)

    @cached_property
    def groups(self) -> dict[str, Begin]:
        """What reads a group of this type, by how it opens; made when the first is read."""
        found: dict[str, Begin] = {}
        node, reader = self.node, self.reader
        if node.array:
            items = node.array.items
            bounds, item = None if node.array == Array(items=items) else node.array, reader(items)
            found["["] = partial(Items, bounds, item)
        if node.object:
            layout = MemberReaders(node.object, reader)
            opener, kind = self.kind(node.object)
            found[opener] = partial(kind, _CLOSERS[opener], layout)
        return found

    @property
    @abstractmethod
    def reader(self) -> TypeReader:
        """What reads values of a type in this form."""

    @abstractmethod
    def kind(self, members: Object) -> tuple[str, type[Members]]:
        """Say how an object opens, and what reads it."""

    @abstractmethod
    def read(self, src: str, pos: int, up: Place) -> tuple[JSON, int]:
        """Read a value that is in this place."""

    @abstractmethod
    def past(self, src: str, pos: int, up: Place) -> tuple[JSON, int]:
        """Read past a group that is not allowed here."""

    def group(self, src: str, pos: int, up: Place) -> tuple[JSON, int]:
        """R-312, R-313: read an array or an object."""
        if up.depth >= MAX_DEPTH:  # R-1101
            raise Wrong(Code.DEPTH, f"nested deeper than {MAX_DEPTH}", pos)
        begin = self.groups.get(src[pos])
        if begin is None:
            raise self.wrong(src, pos, 0, partial(self.past, src, pos, up))
        return begin(up, pos).run(src, pos + 1)

    def fit(self, src: str, pos: int, end: int, value: JSON) -> tuple[JSON, int]:
        """Get the value that ends here, if the type does not refuse it."""
        if refusal := self.node.refuse(value):
            raise refused(src, refusal, pos, end, then=lambda: (value, end))
        return value, end

    def wrong(self, src: str, pos: int, end: int, then: Then) -> Wrong:
        """Make the error for a value of a kind that is not allowed here."""
        return refused(src, (Code.TYPE, self.node.noun), pos, end, then)


_CLOSERS = {"(": ")", "{": "}"}


def too_many_digits(pos: int) -> Wrong:
    """R-1102: a number has so many characters and no more."""
    return Wrong(Code.DIGITS, f"a number of more than {MAX_DIGITS} characters", pos)


def refused(src: str, refusal: tuple[Code, str], start: int, end: int, then: Then = None) -> Wrong:
    """Make the error for a value, read from `start` on, that its type refuses."""
    code, expected = refusal
    found = excerpt(src, start, end)
    return Wrong(code, f"expected {expected}, found {found!r}", start, then=then)


def no(
    code: Code, what: str, name: str, known: Iterable[str], pos: int, then: Then = None
) -> Wrong:
    """Make the error for a name that is not declared, with the nearest that is as a hint."""
    hint = partial(_near, name, known)
    return Wrong(code, f"no {what} {name[:40]!r}", pos, hint=hint, then=then)


def _near(name: str, known: Iterable[str]) -> str | None:
    """Get a hint at the declared name that is nearest. To compare is slow for long names."""
    from difflib import get_close_matches  # noqa: PLC0415 - only errors need it

    short = [candidate for candidate in known if len(candidate) <= 2 * len(name) <= _MAX_NEAR]
    near = get_close_matches(name, short[:_MAX_NEAR], n=1)
    return f"did you mean {near[0]!r}?" if near else None
