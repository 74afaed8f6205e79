"""Read the named values of arguments, records and maps (§4)."""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from lton._syntax import NAME, SKIP, WORD
from lton.codec._checks import check_value
from lton.codec._groups import ENDS, GROUPS, Group, Read, TypeReader, ValueReader, argument
from lton.codec._lexemes import TEXT_OPENERS, read_name, read_text
from lton.codec._stops import (
    ABSENT,
    Container,
    More,
    Open,
    Wrong,
    excerpt_of,
    make_refusal_error,
    make_unexpected_character_stop,
)
from lton.errors import Code, EncodeError
from lton.events import Event
from lton.schema.types import ANY, JSON, Object, Param


class MemberReaders:
    """The readers for the members of an object in one form."""

    items: ValueReader | None = None  # the reader for all members, if they may be rows of a table
    condition = ""  # for messages: the label that chooses these members

    def __init__(self, members: Object, reader: TypeReader) -> None:
        self.members = members
        kinds = {param.name: reader(param.type) for param in members.params}
        self.kinds = kinds
        self.turns = [(param, kinds[param.name]) for param in members.turns]
        self.needed = max((i for i, p in enumerate(members.turns, 1) if p.required), default=0)
        """The number of positional values up to the last required one."""
        self.needs = {param.name: param.type for param in members.params if param.required}
        self.extra = None if members.extra is None else reader(members.extra)
        self.any = reader(ANY)
        self._reader = reader
        self._branches: dict[int, MemberReaders] = {}  # by the identity of the branch

    def branch_with(self, value: JSON) -> "MemberReaders":
        """Return the readers for the branch that the value of the label chooses (R-438)."""
        branch = self.members.find_branch(value)
        if branch is None:  # the value was refused before
            return self
        if id(branch) not in self._branches:
            readers = MemberReaders(branch, self._reader)
            label = self.members.label or ""
            readers.condition = f" with {label} {branch.by_name[label].type.noun}"
            self._branches[id(branch)] = readers
        return self._branches[id(branch)]


class Members(Group):
    """Named values that are being read."""

    by_turn = False
    is_tagged = False
    word = WORD
    assigns = " "  # the text between a key and its value
    events: deque[Event] | None = None
    value_at = 0  # the start of the value after the last key

    def __init__(self, closer: str, layout: MemberReaders, up: Container, _: int = 0) -> None:
        self.up = up
        self.depth = up.depth + 1
        self.watcher = up.watcher
        self.in_call = up.in_call
        self.closer = closer
        self.ends = ENDS[closer]
        self.layout = layout
        self.items = layout.items
        self.values: dict[str, JSON] = {}
        self.index = 0
        self.keyed = False

    def store_value(self, value: Any) -> None:
        if self.by_turn:
            self.index += 1
        else:
            self.keyed = True
        if value is ABSENT:
            return
        name: Any = self.step
        if name == self.layout.members.label:
            self._choose_branch(value)
        self.values[name] = value
        self.reported = 0
        if self.events is not None:
            self.events.append(argument((name, value)))

    def _choose_branch(self, label: JSON) -> None:
        """Read the other members as the label says, and check the members before the label."""
        layout = self.layout.branch_with(label)
        for key, value in self.values.items():
            node = layout.members.find_type(key)
            if node is None:
                raise Wrong(Code.PARAMETER, f"no parameter {key[:40]!r}{layout.condition}", self.at)
            try:
                check_value(value, node)
            except EncodeError as error:
                msg = f"{error.msg} for {key[:40]!r}{layout.condition}"
                raise Wrong(error.code, msg, self.at) from None
        self.layout = layout

    def finish(self, src: str, pos: int, count: int = 0) -> tuple[Any, int]:
        """Check that no required argument is missing (R-411)."""
        needs = self.layout.needs
        if needs and not self.values.keys() >= needs.keys():
            for i, (step, node) in enumerate(needs.items()):
                if step not in self.values and i >= count:
                    expected = f"{node.noun} for {step!r}{self.layout.condition}"
                    msg = f"expected {expected}, found the end of the arguments"
                    raise Wrong(Code.MISSING, msg, pos, partial(self.finish, src, pos, i + 1))
        return self.values, pos if self.closer == "\n" else pos + 1

    @property
    def next(self) -> Param | None:
        """The parameter of the next positional argument, or None after a keyed argument."""
        turns = self.layout.turns
        return turns[self.index][0] if self.index < len(turns) and not self.keyed else None

    @property
    def value_start(self) -> int:
        return self.at if self.by_turn else self.value_at

    def has_room(self) -> bool:
        return self.next is not None or self.may_be_key("")

    def may_be_key(self, part: str) -> bool:
        names = self.layout.members.by_name
        values = self.values
        return self.layout.extra is not None or any(
            name.startswith(part) and name not in values for name in names
        )

    def read_by_position(self, src: str, pos: int, end: int) -> tuple[Any, int]:
        """Read the value of the next parameter. The first word of the value ends at `end`."""
        self.by_turn = True
        turns = self.layout.turns
        if not self.keyed and self.index < len(turns):
            param, kind = turns[self.index]
            if src[pos : pos + 1] == SKIP:
                return self._read_positional_or_skip(src, pos, param, kind.read)
            self.step = param.name
            return kind.read(src, pos, self)
        if pos < end == len(src) and type(src) is Open:
            raise More(pos, WORD.fullmatch)
        argument = excerpt_of(src, pos, end)
        has_room = self.has_room()
        if not argument:
            raise make_unexpected_character_stop(
                src, pos, "an argument" if has_room else "the end of the arguments"
            )
        if has_room and self.keyed:
            msg = f"expected a keyed argument after a keyed one, found {argument!r}"
            raise Wrong(Code.ORDER, msg, pos)
        msg = f"expected at most {len(self.layout.turns)} arguments, found {argument!r}"
        raise Wrong(Code.SURPLUS, msg, pos, partial(self._read_surplus, src, pos))

    def _read_surplus(self, src: str, pos: int) -> tuple[Any, int]:
        param = Param(name=str(self.index + 1), type=ANY, required=False)
        return self._read_positional_or_skip(src, pos, param, self.layout.any.read)

    def _read_positional_or_skip(
        self, src: str, pos: int, param: Param, read: Read
    ) -> tuple[Any, int]:
        """Read a value, or `_` for an optional argument that is omitted (R-412)."""
        match = self.word.match(src, pos)
        if match is None or match[0] != SKIP:
            self.step = param.name
            return read(src, pos, self)
        then = partial(self._mark_absent, param.name, pos + 1)
        if param.required:
            msg = f"expected {param.type.noun}, found `_`: {param.name!r} is required"
            raise Wrong(Code.SKIP, msg, pos, then=then)
        return then()

    def _mark_absent(self, name: str, end: int) -> tuple[Any, int]:
        self.step = name
        return ABSENT, end

    def read_by_key(self, src: str, pos: int, key: str, end: int) -> tuple[Any, int]:
        """Read the value of a key that ends at `end`. The key must be new (R-407, R-410)."""
        self.by_turn = False
        kind = self.layout.kinds.get(key) or self.layout.extra
        if kind is not None and key not in self.values:
            return self._read_value_of(src, end, key, kind)
        then: Callable[[], tuple[Any, int]]
        then = partial(self._read_value_of, src, end, key, kind or self.layout.any)
        if kind is None:
            declared = self.layout.members.by_name
            unknown = Wrong.make_undeclared_name(
                Code.PARAMETER, "parameter", key, declared, pos, then
            )
            unknown.msg += self.layout.condition
            then = partial(_raise_wrong, unknown)
        if key in self.values:
            raise Wrong(Code.DUPLICATE, f"{key[:40]!r} is given twice", pos, then=then)
        return then()

    def _read_value_of(self, src: str, end: int, key: str, kind: ValueReader) -> tuple[Any, int]:
        if not src.startswith(self.assigns, end):
            raise make_unexpected_character_stop(src, end, "a space after the key")
        self.step = key
        pos = self.value_at = end + 1
        may_nest = not self.is_tagged and src[pos : pos + 1] in kind.opens
        return (kind.begin_group if may_nest else kind.read)(src, pos, self)


def _raise_wrong(wrong: Wrong) -> tuple[Any, int]:
    raise wrong


class Pairs(Members):
    """A map that is written as alternating keys and values (R-313)."""

    def read_element(self, src: str, pos: int) -> tuple[Any, int]:
        self.keyed = True
        key, end = read_name(src, pos, "a key")
        return self.read_by_key(src, pos, key, end)

    def has_room(self) -> bool:
        return self.may_be_key("")

    def store_row(self, key: str, value: JSON) -> None:
        self.values[key] = value


class Row(Members):
    """Arguments or a record: values by position, and then values by key (R-410)."""

    assigns = "="
    by_turn = True

    def read_element(self, src: str, pos: int) -> tuple[Any, int]:
        first = src[pos : pos + 1]
        turns = self.layout.turns
        if first in GROUPS and not self.keyed and self.index < len(turns):
            self.by_turn = True
            param, reader = turns[self.index]
            self.step = param.name
            return reader.begin_group(src, pos, self)
        if first in TEXT_OPENERS:
            return self._read_string_or_key(src, pos)
        match = WORD.match(src, pos)
        if match is None:
            return self.read_by_position(src, pos, pos)
        end = match.end()
        if end == len(src) and type(src) is Open and NAME.fullmatch(match[0]):
            raise More(pos, NAME.fullmatch)
        if src[end : end + 1] == "=" and NAME.fullmatch(match[0]):
            return self.read_by_key(src, pos, match[0], end)
        return self.read_by_position(src, pos, end)

    def _read_string_or_key(self, src: str, pos: int) -> tuple[Any, int]:
        try:
            value, end = read_text(src, pos, in_call=self.in_call)
        except More as more:
            if self.watcher is not None and more.closer is not None:
                self._decide_report(more, src)
            raise
        except Wrong:
            # The string cannot be a key. If it cannot be a value either, report that.
            if self.next is None:
                return self.read_by_position(src, pos, pos)
            self.step = self.next.name
            if self.next.type.string is None:
                raise make_refusal_error(src, (Code.TYPE, self.next.type.noun), pos, 0) from None
            raise
        if end == len(src) and type(src) is Open:
            if self.watcher is not None and self.next and not self._is_key(value):
                self.step = self.next.name
                self.watcher.report(self, value)
            raise More
        if src[end : end + 1] == "=":
            return self.read_by_key(src, pos, value, end)
        return self.read_by_position(src, pos, end)

    def _decide_report(self, more: More, src: str) -> None:
        """Decide whether the start of a string can be reported, or may still be a key."""
        param = self.next
        start = More()
        start.closer = more.closer
        if param is None or self.may_be_key(start.cut_uncertain_end(src[more.part :])):
            more.closer = None
            if self.layout.extra is None:
                more.skips = None
        else:
            self.step = param.name

    def _is_key(self, text: str) -> bool:
        return text not in self.values and self.layout.members.find_type(text) is not None
