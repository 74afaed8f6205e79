"""Define tools, types and calls.

A `Type` describes the kinds of JSON value that a position accepts, with at most one node per kind.
So reading dispatches on the first character of a lexeme, and writing on the kind of value. Unions
need no special treatment. Limits restrict a node further.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from lton._syntax import NUMBER, spell_number
from lton.errors import Code

MAX_POSITIONS = 100_000
"""R-1105: the maximum number of positions for values in the layout of one tool."""
CHARACTERS_A_POSITION = 100
"""R-1105: this many repeated characters count as one position."""


FORMAT_NAMES = frozenset(
    "date date-time duration email hostname idn-email ipv4 ipv6 iri iri-reference json-pointer"
    " regex relative-json-pointer time uri uri-reference uri-template uuid".split()
)
"""The formats of strings that are checked (R-424). Signatures show them as types (R-703)."""


def _make_field_of_listed_values() -> Any:
    return field(init=False, repr=False, compare=False, default=frozenset())


_MOST_CHOICES = 8  # the listed values that a message names
_WRONG_KIND = (Code.TYPE, "a value of another kind")
_NUMBERS = (int, float)  # `int | float` would be evaluated for each value
JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"


@dataclass(slots=True)  # not frozen: creation would take twice as long
class Call:
    """A call to a tool: the name of the tool, and the arguments by name.

    The arguments are JSON values. Type checkers see `Any`, because only the tool's schema defines
    their types.

    >>> Call("weather.v1", {"city": "Paris"}).arguments["city"]
    'Paris'
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """The result or the error of a call.

    An error without a name does not belong to a call: no call was found, or the tool is unknown.
    """

    name: str
    value: JSON = None
    is_error: bool = False

    @property
    def says_no_call(self) -> bool:
        return self.is_error and not self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """The numbers that a type allows. With `integer`, 7 and 7.0 are allowed, but not 7.5."""

    integer: bool = False
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: float | None = None
    exclusive_maximum: float | None = None
    values: tuple[int | float, ...] | None = None
    listed: frozenset[int | float] = _make_field_of_listed_values()

    def __post_init__(self) -> None:
        object.__setattr__(self, "listed", frozenset(self.values or ()))

    @property
    def _kind(self) -> str:
        return "an integer" if self.integer else "a number"

    @property
    def noun(self) -> str:
        return describe_allowed(self.values, spell_number) if self.values else self._kind

    def find_refusal(self, value: int | float) -> tuple[Code, str] | None:
        """Return None for an allowed number, otherwise an error code and what is expected."""
        if self.integer and not (isinstance(value, int) or value.is_integer()):
            return Code.TYPE, "an integer"
        if self.values is not None and value not in self.listed:
            return Code.LABEL, describe_allowed(self.values, spell_number)
        bound = self._find_broken_bound(value)
        return (Code.BOUNDS, f"{self._kind} of {bound}") if bound else None

    def _find_broken_bound(self, value: int | float) -> str | None:
        if self.minimum is not None and not value >= self.minimum:
            return f"at least {self.minimum}"
        if self.maximum is not None and not value <= self.maximum:
            return f"at most {self.maximum}"
        if self.exclusive_minimum is not None and not value > self.exclusive_minimum:
            return f"more than {self.exclusive_minimum}"
        if self.exclusive_maximum is not None and not value < self.exclusive_maximum:
            return f"less than {self.exclusive_maximum}"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class String:
    """The strings that a type allows. Lengths are counted in Unicode scalar values.

    Grammars use `pattern` and `format`. The layout does not enforce them, but `Tool.check` does.
    """

    min_length: int = 0
    max_length: int | None = None
    values: tuple[str, ...] | None = None
    pattern: str | None = None
    format: str | None = None
    listed: frozenset[str] = _make_field_of_listed_values()
    noun: str = field(init=False, repr=False, compare=False, default="a string")

    def __post_init__(self) -> None:
        object.__setattr__(self, "listed", frozenset(self.values or ()))
        if self.values is not None:
            object.__setattr__(self, "noun", describe_allowed(self.values, repr))

    def find_refusal(self, value: str) -> tuple[Code, str] | None:
        if self.values is not None and value not in self.listed:
            return Code.LABEL, self.noun
        problem = _find_size_problem(len(value), self.min_length, self.max_length, "character")
        return (Code.BOUNDS, f"a string of {problem}") if problem else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Array:
    """The arrays that a type allows. All items have the same type.

    The layout of a tuple is such an array, too (R-416). `positions` has the types of its positions,
    and `further` the type of its further items, if there may be any. Only signatures use them.
    """

    items: "Type"
    min_items: int = 0
    max_items: int | None = None
    positions: "tuple[Type, ...]" = field(default=(), hash=False)
    further: "Type | None" = field(default=None, hash=False)
    values: tuple[str, ...] | None = None
    """The listed values as minified JSON, for grammars. `Tool.check` enforces them."""

    noun = "an array"

    def find_refusal(self, value: "list[JSON]") -> tuple[Code, str] | None:
        problem = _find_size_problem(len(value), self.min_items, self.max_items, "item")
        return (Code.BOUNDS, f"an array of {problem}") if problem else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """A parameter of a tool, or a member of an object.

    `examples` and `pattern` are shown to models (R-704). The pattern is that of a string that has
    no format, and empty otherwise. `media` is the media type of a string's content, or its
    format, and helps grammars to find text of several lines.
    """

    name: str
    type: "Type"
    required: bool
    description: str = field(default="", compare=False)
    default: JSON = field(default=None, compare=False)
    has_default: bool = field(default=False, compare=False)
    examples: tuple[JSON, ...] = field(default=(), compare=False)
    pattern: str = field(default="", compare=False)
    media: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Object:
    """The objects that a type allows. `params` has the required members first (R-409).

    `extra` is the type of undeclared members, or None if they are not allowed. An object that
    declares no members and accepts any member is a map, written `{key value}` (R-313). `values` is
    the same as for `Array`.

    If this layout merges the objects of a union, `branches` has these objects (R-438). With a
    `label`, the value of the member with this name decides which branch an object belongs to.
    `choices` has the objects of unions that are not split, which show in prompts which members
    belong together.

    If the schema of this object occurs again inside itself (R-419), `name` is its name.
    """

    params: tuple[Param, ...] = ()
    extra: "Type | None" = None
    values: tuple[str, ...] | None = None
    choices: tuple["Object", ...] = field(default=(), repr=False, compare=False)
    branches: tuple["Object", ...] = field(default=(), repr=False)
    label: str | None = None
    name: str | None = field(default=None, compare=False)
    by_name: Mapping[str, Param] = field(init=False, repr=False, compare=False)

    noun = "an object"

    def __post_init__(self) -> None:
        layout = sorted(self.params, key=lambda param: not param.required)
        object.__setattr__(self, "params", tuple(layout))
        object.__setattr__(self, "by_name", {param.name: param for param in layout})

    @property
    def is_map(self) -> bool:
        return not self.params and self.extra is not None

    @property
    def is_keyed(self) -> bool:
        """Whether all members have keys, because no label decides between the branches (R-438)."""
        return bool(self.branches) and self.label is None

    @property
    def turns(self) -> "tuple[Param, ...]":
        """The members that may be written by position."""
        return () if self.is_keyed else self.params

    def find_branch(self, value: "JSON") -> "Object | None":
        """Return the branch that the value of the label chooses."""
        for branch in self.branches:
            param = branch.by_name.get(self.label or "")
            if param and param.type.find_refusal(value) is None:
                return branch
        return None

    def branch_of(self, values: Mapping[str, "JSON"]) -> "Object":
        """Return the branch that the labels of an object choose, at every level of unions."""
        members = self
        while members.label is not None and members.label in values:
            branch = members.find_branch(values[members.label])
            if branch is None:
                return members
            members = branch
        return members

    def find_type(self, name: str) -> "Type | None":
        """Return the type of a member, or None if the member is not allowed (R-407)."""
        param = self.by_name.get(name)
        return param.type if param else self.extra

    def names_in_order(self, present: Iterable[str]) -> list[str]:
        """Sort names in the order of the layout, with undeclared names last (R-409)."""
        names = set(present)
        declared = [param.name for param in self.params if param.name in names]
        return declared + sorted(names.difference(self.by_name))

    def arrange_in_row(self, present: Iterable[str]) -> tuple[list[Param | None], list[str]]:
        """Decide which members are written by position and which by key (R-413).

        A gap is an absent parameter before the last present one. If there are at most as many gaps
        as values after the first gap, all values are positional, and each gap is written `_`.
        Otherwise the values after the first gap have keys. So the choice depends only on the schema
        and on the present names.
        """
        names_present = set(present)
        if self.is_keyed:
            return [], self.names_in_order(names_present)
        if names_present == self.by_name.keys():
            return list(self.params), []
        names = self.names_in_order(names_present)
        row = _without_gaps(
            [param if param.name in names_present else None for param in self.params]
        )
        positional = {param.name for param in row if param}
        return row, [name for name in names if name not in positional]


def _without_gaps(row: "list[Param | None]") -> "list[Param | None]":
    """Remove the gaps at the end, and everything after a gap if there are more gaps than values."""
    while row and row[-1] is None:
        row.pop()
    first_gap = row.index(None) if None in row else len(row)
    gaps = row.count(None)
    late_values = len(row) - first_gap - gaps
    return row[:first_gap] if gaps > late_values else row


class Recursion(NamedTuple):
    """The schema that occurs again inside itself (R-419), by its name."""

    name: str  # "" if it is the schema of all arguments
    others: "Type | None" = None  # the other types of the union that it is in


@dataclass(frozen=True, slots=True, kw_only=True)
class Type:
    """The values that are allowed at a position.

    If a schema occurs again inside itself, the inner occurrence allows any value, and `recursion`
    says which schema it is. Only signatures use it.
    """

    null: bool = False
    booleans: tuple[bool, ...] = ()
    number: Number | None = None
    string: String | None = None
    # Not hashable, because `ANY` contains itself. Equality compares identity first.
    array: Array | None = field(default=None, hash=False)
    object: Object | None = field(default=None, hash=False)
    recursion: Recursion | None = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> str | tuple[Any, ...]:
        # There is only one `ANY`, because a copy would contain itself and not be equal to anything.
        if self is ANY:
            return "ANY"
        return partial(Type, **{one.name: getattr(self, one.name) for one in fields(self)}), ()

    @property
    def has_labels(self) -> bool:
        return self.string is not None and self.string.values is not None

    def takes_bare(self, word: str) -> bool:
        """Return whether a bare word of this type is a string (R-304)."""
        return not (
            (self.null and word == "null")
            or (self.booleans and word in ("true", "false"))
            or (self.number and NUMBER.fullmatch(word))
        )

    @property
    def item_type(self) -> "Type":
        return self.array.items if self.array else ANY

    def find_refusal(self, value: JSON) -> tuple[Code, str] | None:
        """Return None for an allowed value, otherwise an error code and what is expected.

        Items and members are not checked.
        """
        if value is None:
            return None if self.null else (Code.TYPE, self.noun)
        if isinstance(value, bool):
            return None if value in self.booleans else (Code.TYPE, self.noun)
        if isinstance(value, _NUMBERS):
            refusal = self.number.find_refusal(value) if self.number else _WRONG_KIND
            return self._name_choices(refusal)
        if isinstance(value, str):
            refusal = self.string.find_refusal(value) if self.string else _WRONG_KIND
            return self._name_choices(refusal)
        if isinstance(value, dict):
            return None if self.object else (Code.TYPE, self.noun)
        return self.array.find_refusal(value) if self.array else (Code.TYPE, self.noun)

    def _name_choices(self, refusal: tuple[Code, str] | None) -> tuple[Code, str] | None:
        """Let a refusal name all allowed kinds and listed values, unless it is about a limit."""
        if refusal is None or refusal[0] is Code.BOUNDS:
            return refusal
        return refusal[0], self.noun

    @property
    def noun(self) -> str:
        """The allowed kinds of values in words, or the listed values, for messages."""
        nodes = (self.string, self.number, self.array, self.object)
        lists = [node.values for node in (self.string, self.number) if node is not None]
        if any(lists) and None not in lists and not (self.array or self.object):
            return self._listed_noun
        nouns = [node.noun for node in nodes if node is not None]
        if self.booleans:
            nouns.append(" or ".join(map(str, self.booleans)).lower())
        if self.null:
            nouns.append("null")
        return " or ".join(nouns) or "nothing"

    @property
    def _listed_noun(self) -> str:
        """The values of a type that lists all of its values."""
        spelled: list[str] = []
        count = 0
        choices: list[tuple[Sequence[Any], Callable[[Any], str]]] = [
            (self.string.values or () if self.string else (), repr),
            (self.number.values or () if self.number else (), spell_number),
            (self.booleans, _spell_word),
            ((None,) if self.null else (), _spell_word),
        ]
        for values, spell in choices:
            spelled += map(spell, values[:_MOST_CHOICES])
            count += len(values)
        return _join_choices(spelled[:_MOST_CHOICES], count)


class Breach(NamedTuple):
    """The reason why a schema refuses arguments: a path, a message, and an error code."""

    path: tuple[str | int, ...]
    msg: str
    code: Code = Code.CONSTRAINT
    is_of_list: bool = False  # whether the value is none of the values that a schema lists


Check: TypeAlias = Callable[[Mapping[str, JSON]], Breach | None]
"""Returns the reason why arguments that fit the layout are invalid, or None."""


class Effect(Enum):
    """What a tool's definition states about its effect, in the annotations of MCP."""

    UNSTATED = "nothing is stated"
    READS = "the tool only reads"
    CHANGES = "the tool may change something"
    DESTROYS = "the tool may destroy something"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool: its name, its description, and its arguments as an object.

    If `alias` is set, it is the tool's name in calls. If `check` is set, it returns why arguments
    that fit the layout do not fit the schema. `effect` is what its definition states.
    """

    name: str
    args: Object
    alias: str = ""
    description: str = field(default="", compare=False)
    check: Check | None = field(default=None, compare=False, repr=False)
    effect: Effect = field(default=Effect.UNSTATED, compare=False, repr=False)


def _make_any_type() -> Type:
    """Build the type that allows any value, at any depth."""
    anything = Type(null=True, booleans=(False, True), number=Number(), string=String())
    object.__setattr__(anything, "array", Array(items=anything))
    object.__setattr__(anything, "object", Object(extra=anything))
    return anything


ANY = _make_any_type()
"""The type of a position without a schema."""
FREE = Object(extra=ANY)
"""The members of an object without a schema."""


def describe_allowed(
    values: Sequence[Any], spell: Callable[[Any], str] = str, limit: int = _MOST_CHOICES
) -> str:
    """Write "one of a, b, c" for error messages, with at most `limit` values."""
    return _join_choices([*map(spell, values[:limit])], len(values))


def _join_choices(spelled: Sequence[str], count: int) -> str:
    """Write the first of `count` choices."""
    text = ", ".join(spelled)
    more = f", … ({count} in all)" if count > len(spelled) else ""
    return f"one of {text}{more}" if count > 1 else text


def _spell_word(value: bool | None) -> str:
    return "null" if value is None else str(value).lower()


def _find_size_problem(size: int, low: int, high: int | None, noun: str) -> str | None:
    if size < low:
        return f"at least {_count_noun(low, noun)}"
    return f"at most {_count_noun(high, noun)}" if high is not None and size > high else None


def _count_noun(number: int, noun: str) -> str:
    """Write a number with its noun, in the plural unless the number is 1."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def describe_array(array: "list[JSON]") -> str:
    """Describe an array without its items, for messages."""
    return f"an array of {_count_noun(len(array), 'item')}"
