"""The common case of writing, compiled for each schema: values that are plainly right.

For each set of names that is given there is a plan, and for each parameter a function from its
value to its text. Anything unusual (a derived type, a member that is not declared, whatever is
wrong) is left to `encode.py`, which alone says what is wrong: here a call is written or it is
not. What is given by position is for `Object.arrange` to say, how a text is spelled for
`_syntax.py`, as there.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import TypeAlias, TypeVar

from lton._syntax import (
    MAX_INTEGER,
    REPEAT,
    SKIP,
    TEXT,
    Form,
    is_allowed,
    joined,
    spell_name,
    spell_number,
    spell_text,
)
from lton.schema.toolset import ToolSet
from lton.schema.types import ANY, JSON, Array, Call, Number, Object, String, Type

WriteValue: TypeAlias = Callable[[JSON], str]
_Kept = TypeVar("_Kept")

_MIN_INTEGER = -MAX_INTEGER
_UNUSUAL = (ValueError, LookupError, TypeError)
"""What the functions here raise for a value that they do not write."""
_MAX_PLANS = 1024
"""For so many sets of names a plan is kept: a tool is called with few."""


@dataclass(frozen=True, slots=True)
class Style:
    """How members and strings are written: by position or by key, or by key with punctuation."""

    name: Form
    keyed: bool = False
    punctuated: bool = False
    joined: Callable[[Iterable[str]], str] = joined
    """Gets values in a row."""


Plan: TypeAlias = tuple[tuple[str, str, "WriteValue"], ...]
"""For each value what is before it (a key, `_` for what is left out), its name, what writes it."""


class CallWriter:
    """Writes calls of some tools in one style."""

    __slots__ = ("_plans", "_style", "_tools")

    def __init__(self, tools: ToolSet, style: Style) -> None:
        self._tools = tools
        self._style = style
        self._plans: dict[tuple[str, ...], tuple[str, Plan]] = {}

    @staticmethod
    def of(tools: ToolSet, style: Style) -> "CallWriter":
        """Get the writer for these tools; it is kept with them."""
        writer = tools._derived.writers.get(style.name)
        if not isinstance(writer, CallWriter):
            writer = tools._derived.writers[style.name] = CallWriter(tools, style)
        return writer

    def write(self, value: Call, above: str | None) -> str | None:
        """Get the line of a call below a call of the tool `above`; None if it is not written here.

        R-404: the wire form does not repeat a name; each keyed line is read by itself.
        """
        tool, values = value.name, value.arguments
        try:
            head, plan = self._plans.get((tool, *values)) or self._plan(tool, values)
            words = []
            for before, name, write in plan:
                words.append(before + write(values[name]))
        except _UNUSUAL:
            return None
        row = self._style.joined(words)
        if self._style.punctuated:
            return f"{head}({row})"
        if tool == above and not self._style.keyed:
            head = REPEAT
        return f"{head} {row}" if words else head

    def _plan(self, name: str, given: Iterable[str]) -> tuple[str, Plan]:
        tool = self._tools.by_name[name]
        if tool.check:
            raise ValueError
        plan = _plan(tool.args, tuple(given), self._style)
        return _keep(self._plans, (name, *given), (spell_name(name), plan))


def _plan(members: Object, given: tuple[str, ...], style: Style) -> Plan:
    row, keyed = ([], members.in_order(given)) if style.keyed else members.arrange(given)
    required = (param.name for param in members.params if param.required)
    names = (*(param.name for param in row if param), *keyed)
    if not members.by_name.keys() >= set(names) or not set(names).issuperset(required):
        raise ValueError
    befores = []
    skips = ""
    for param in row:
        if param is None:
            skips += f"{SKIP} "
        else:
            befores.append(skips)
            skips = ""
    befores += [f"{spell_name(name)}=" for name in keyed]
    writers = (_writer(members.by_name[name].type, style) for name in names)
    return tuple(zip(befores, names, writers, strict=True))


def _keep(plans: dict[tuple[str, ...], _Kept], key: tuple[str, ...], plan: _Kept) -> _Kept:
    if len(plans) >= _MAX_PLANS:
        plans.clear()
    plans[key] = plan
    return plan


# --- values -------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)  # equal types share a function: a processor's cache is small
def _writer(node: Type, style: Style) -> WriteValue:
    """Get the function that writes a value of a type: that of its kind, or of several.

    Each checks its values. Maps, and arrays and objects of any values, are not written here.
    """
    kinds: dict[type, WriteValue] = {}
    if node.string:
        kinds[str] = _string_writer(node, node.string, style)
    if node.number:
        kinds[int] = kinds[float] = _number_writer(node.number)
    if node.booleans:
        kinds[bool] = _boolean_writer(node.booleans)
    if node.null:
        kinds[type(None)] = _write_null
    if node.array and node != ANY:
        kinds[list] = _array_writer(node.array, style)
    if node.object and node != ANY and not node.object.is_map:
        kinds[dict] = _record_writer(node.object, style)
    if len(set(kinds.values())) == 1:
        return next(iter(kinds.values()))
    return lambda value: kinds[type(value)](value)


def _string_writer(node: Type, string: String, style: Style) -> WriteValue:
    if string.values is not None:
        labels = [label for label in string.values if node.refuse(label) is None]
        spelled = {label: _spell(label, node, style) for label in labels}
        return spelled.__getitem__  # type: ignore[return-value]
    if node == Type(string=String()) and not style.punctuated:
        return _write_string
    has_bounds = string != String()

    def write(value: JSON) -> str:
        if type(value) is not str or (has_bounds and node.refuse(value) is not None):
            raise ValueError
        return _spell(value, node, style)

    return write


def _write_string(value: JSON) -> str:
    """R-309: a string where only strings are allowed: most are bare, or fit in the first quotes."""
    if type(value) is not str:
        raise ValueError
    match = TEXT.fullmatch(value)
    if match is None:
        if not is_allowed(value):
            raise ValueError
        return spell_text(value, bare=False)
    return value if match.lastindex else f'"{value}"'


def _spell(text: str, node: Type, style: Style) -> str:
    if not is_allowed(text):
        raise ValueError
    bare = node.takes_bare(text) and (node.has_labels or not style.punctuated)
    return spell_text(text, bare=bare, punctuated=style.punctuated)


def _number_writer(number: Number) -> WriteValue:
    refuse = None if number == Number() else number.refuse

    def write(value: JSON) -> str:
        if type(value) is int:
            if not _MIN_INTEGER < value < MAX_INTEGER:
                raise ValueError
            text = repr(value)
        elif type(value) is float and isfinite(value):
            text = spell_number(value)
        else:
            raise ValueError
        if refuse is not None and refuse(value) is not None:
            raise ValueError
        return text

    return write


def _boolean_writer(allowed: tuple[bool, ...]) -> WriteValue:
    def write(value: JSON) -> str:
        if (value is not True and value is not False) or value not in allowed:
            raise ValueError
        return "true" if value else "false"

    return write


def _write_null(value: JSON) -> str:
    if value is not None:
        raise ValueError
    return "null"


def _array_writer(array: Array, style: Style) -> WriteValue:
    write = _writer(array.items, style)
    has_bounds = array != Array(items=array.items)

    def write_items(value: JSON) -> str:
        if type(value) is not list or (has_bounds and array.refuse(value) is not None):
            raise ValueError
        return f"[{style.joined(map(write, value))}]"

    return write_items


def _record_writer(members: Object, style: Style) -> WriteValue:
    plans: dict[tuple[str, ...], Plan] = {}

    def write_members(value: JSON) -> str:
        if type(value) is not dict:
            raise ValueError
        given = tuple(value)
        plan = plans.get(given)
        if plan is None:
            plan = _keep(plans, given, _plan(members, given, style))
        row = style.joined([before + write(value[name]) for before, name, write in plan])
        return f"({row})"

    return write_members
