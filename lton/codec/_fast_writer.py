"""Provide a fast path for writing calls whose values are all valid and of common types.

Each tool has a plan for each set of argument names: the text before each value, and the function
that writes the value. Unusual and invalid values (a subclass, an undeclared member) are left to
`_encode.py`, which reports errors. As in that module, `Object.arrange_in_row` decides which values
are positional, and `_syntax.py` writes strings.

The work per value and cache misses cost most. So plain strings are written inline, and a plan is a
single tuple.
"""

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from math import isfinite
from sys import intern
from typing import Any, NamedTuple, TypeAlias

from lton._patterns import compiled_when_used
from lton._syntax import (
    BARE,
    CLOSING,
    LEAST_INTEGER,
    LETTERS,
    LINE_TEXT,
    LITERALS,
    MAX_DEPTH,
    MOST_INTEGER,
    REPEAT,
    SKIP,
    Form,
    is_allowed,
    joined,
    spell_name,
    spell_number,
    spell_text,
)
from lton.codec._fast_atoms import WORDS
from lton.codec._tables import cell_types, try_write_table
from lton.schema.toolset import ToolSet
from lton.schema.types import ANY, FREE, JSON, Array, Call, Number, Object, Result, String, Type

WriteValue: TypeAlias = Callable[[JSON], str]
_Frame: TypeAlias = Call | Result
WriteAll: TypeAlias = Callable[[Any], list[str]]

_MAX_PLANS = 4096  # the maximum number of plans of a tool set
_LEVELS = MAX_DEPTH // 4  # the maximum depth of groups without a type, to limit the stack
_FEW_KEYS = 16  # the maximum number of keys of a map whose spelling is kept,
_SHORT_KEYS = 512  # and of their characters in total, so that what is kept stays small
_MANY = 8  # for at least this number of values, checking all at once is faster
_UNUSUAL = (ValueError, LookupError, TypeError, AttributeError)  # raised for any unusual value


class Style(NamedTuple):
    """The notation of members and strings: by position or key, with or without punctuation.

    `lines` is for answers: each row on its own line, and members in their given order (R-317).
    """

    name: Form
    keyed: bool = False
    punctuated: bool = False
    lines: bool = False
    joined: Callable[[Iterable[str]], str] = joined


Plan: TypeAlias = tuple[Any, ...]
"""For each value: the text before it (a key, or a `_` for each omitted argument), its name, and its
writer (`str` for plain strings). The last item is the name of the tool as it is written."""


def write_lines_and_iterate_rest(
    frames: Iterable[_Frame], lines: list[str], tools: ToolSet | None, style: Style, mark: str
) -> Iterator[tuple[_Frame, str | None]]:
    """Append the written calls to `lines` and yield each call that needs the general writer.

    R-404: the wire form does not repeat a name. A line with keys or a mark always has its name.
    """
    plans = tools._derived.plans[style.name] if tools is not None else {}
    repeats = not style.keyed and not mark
    above: str | None = None
    for call in frames:
        try:
            if tools is None:
                raise ValueError
            name = call.name
            values = call.arguments  # type: ignore[union-attr]
            plan = plans.get(name)
            if plan is None or len(plan) != 3 * len(values) + 1:
                plan = _plan_call(name, values, tools, style)
            try:
                row = _write_row(values, plan, style)
            except KeyError:  # not the same names as in the last call
                plan = _plan_call(name, values, tools, style)
                row = _write_row(values, plan, style)
        except _UNUSUAL:
            yield call, above
            if isinstance(call, Result):
                continue
        else:
            head = REPEAT if repeats and name == above else plan[-1]
            lines.append(f"{mark}{head}({row})" if style.punctuated else f"{mark}{head}{row}")
        above = call.name


def _write_row(values: Mapping[str, JSON], plan: Plan, style: Style) -> str:
    """Write the arguments of a call according to its plan (R-309)."""
    turns = iter(plan)
    steps = zip(turns, turns, turns)  # noqa: B905 - the last item of the plan is left over
    if style.punctuated:
        return style.joined([before + write(values[name]) for before, name, write in steps])
    row = ""
    is_closed = False
    for before, name, write in steps:
        value = values[name]
        if write is not str:
            text = before + write(value)
        elif type(value) is not str:
            raise ValueError
        elif value.isalpha() and value.isascii():
            text = before + value
        elif " " in value and '"' not in value and value.isprintable():
            text = f'{before}"{value}"'
        else:
            text = before + _write_string(value)
        # as `joined` does
        row += f",{text}" if is_closed and text[0] not in LETTERS else f" {text}"
        is_closed = text[-1] in CLOSING
    return row


def _plan_call(name: str, keys: Iterable[str], tools: ToolSet, style: Style) -> Plan:
    plans = tools._derived.plans[style.name]
    key = (name, *keys)
    plan: Plan | None = plans.get(key)
    if plan is None:
        tool = tools.by_name[name]
        if tool.check:
            raise ValueError
        plan = (*_iterate_plan_steps(tool.args, key[1:], style), spell_name(tool.alias or name))
        _store_plan(plans, key, plan)
    plans[name] = plan
    return plan


def _iterate_plan_steps(
    members: Object, keys: tuple[str, ...], style: Style, level: int = 1
) -> Iterator[Any]:
    row, keyed = ([], members.names_in_order(keys)) if style.keyed else members.arrange_in_row(keys)
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
    for before, name in zip(befores, names, strict=True):
        write = _make_value_writer(members.by_name[name].type, style, level)
        yield from (before, intern(str.__str__(name)), str if write is _write_string else write)


def _store_plan(plans: dict[Any, Plan], key: tuple[str, ...], plan: Plan) -> None:
    if len(plans) >= _MAX_PLANS:
        plans.clear()
    plans[key] = plan


# --- values -------------------------------------------------------------------------------------


def try_write_untyped(value: JSON, style: Style) -> str | None:
    """Write a value of any type; return None if the value is unusual."""
    try:
        return _make_value_writer(ANY, style, 1)(value)
    except _UNUSUAL:
        return None


def try_write_pairs(values: Mapping[str, JSON], style: Style) -> str | None:
    """Write the entries of a map; return None if one of the values is unusual."""
    try:
        return _map_writer(FREE, style, 1, may_be_table=False)(values)[1:-1]  # type: ignore[arg-type]
    except _UNUSUAL:
        return None


@lru_cache(maxsize=1024)  # equal types share a function, to fit in the processor's cache
def _make_value_writer(node: Type, style: Style, level: int) -> WriteValue:
    kinds = _make_writers_by_class(node, style, level)
    if len(set(kinds.values())) == 1:
        return next(iter(kinds.values()))
    return lambda value: kinds[type(value)](value)


@lru_cache(maxsize=1024)
def _make_writers_by_class(node: Type, style: Style, level: int) -> dict[type, WriteValue]:
    kinds: dict[type, WriteValue] = {}
    if node.string:
        kinds[str] = _make_string_writer(node, node.string, style)
    if node.number:
        kinds[int] = kinds[float] = _make_number_writer(node.number)
    if node.booleans:
        kinds[bool] = _make_constant_writer(node.booleans)
    if node.null:
        kinds[type(None)] = _make_constant_writer((None,))
    has_groups = level < _LEVELS or node != ANY
    if node.array and has_groups:
        kinds[list] = _make_array_writer(node.array, style, level)
    if node.object and has_groups:
        if node.object.branches:
            raise ValueError
        is_map = node.object.is_map
        kinds[dict] = (_map_writer if is_map else _make_record_writer)(node.object, style, level)
    return kinds


@lru_cache(maxsize=1024)
def _list_writer(node: Type, style: Style, level: int) -> WriteAll:
    kinds = _make_writers_by_class(node, style, level)
    at_once = _AT_ONCE.get(node)
    return lambda values: _write_if_alike(values, style, at_once) or _write_values(values, kinds)


def _write_values(values: list[Any], kinds: dict[type, WriteValue]) -> list[str]:
    types = set(map(type, values)) if len(values) >= _MANY else ()
    if len(types) == 1:
        return list(map(kinds[types.pop()], values))
    return [kinds[type(value)](value) for value in values]


def _write_if_alike(values: list[Any], style: Style, kind: type | None) -> list[str]:
    """Write many strings or many integers at once; return [] for any other list."""
    kinds = set(map(type, values)) if len(values) >= _MANY and kind else set()
    if kinds == {str} and kind is not int:
        return _write_strings(values, style, is_free=kind is object)
    if kinds == {int} and kind is not str:
        are_short = min(values) >= LEAST_INTEGER and max(values) <= MOST_INTEGER
        return list(map(repr, values)) if are_short else []
    return []


def _write_strings(values: list[str], style: Style, *, is_free: bool) -> list[str]:
    """Write strings that are all bare words, or all fit in double quotes; otherwise return []."""
    text = " ".join(values)
    if '"' not in text and text.isprintable():
        if style.punctuated or all(" " in value for value in values):
            return [f'"{value}"' for value in values]
        if text.count(" ") == len(values) - 1 and WORDS.fullmatch(text):
            starts_as_word = {value[0] for value in values} <= LETTERS
            is_word = starts_as_word and LITERALS.keys().isdisjoint(values)
            return values if is_word or not is_free else []
    return []


def _make_string_writer(node: Type, string: String, style: Style) -> WriteValue:
    if string.values is not None:
        labels = [label for label in string.values if node.find_refusal(label) is None]
        spelled = {label: _spell_string(label, node, style) for label in labels}
        return spelled.__getitem__  # type: ignore[return-value]
    if node == Type(string=String()) and not style.punctuated:
        return _write_string
    has_bounds = string != String()
    is_punctuated = style.punctuated

    def write_checked_string(value: JSON) -> str:
        if type(value) is not str or (has_bounds and node.find_refusal(value) is not None):
            raise ValueError
        if (is_punctuated or " " in value) and '"' not in value and value.isprintable():
            return f'"{value}"'
        if is_punctuated or value[:1] not in LETTERS or value in LITERALS:
            return _spell_string(value, node, style)
        return value if BARE.fullmatch(value) else _spell_string(value, node, style)

    return write_checked_string


def _write_string(value: Any) -> str:
    """Write a string for a type that allows only strings (R-309). Callers check its type."""
    match = _TEXT.fullmatch(value)
    if match is None:
        if not is_allowed(value):
            raise ValueError
        return spell_text(value, bare=False)
    return value if match.lastindex else f'"{value}"'


_TEXT = compiled_when_used("({})|{}".format(BARE.pattern, LINE_TEXT['"'].pattern))


def _spell_string(text: str, node: Type, style: Style) -> str:
    if not is_allowed(text):
        raise ValueError
    bare = node.takes_bare(text) and (node.has_labels or not style.punctuated)
    return spell_text(text, bare=bare, punctuated=style.punctuated)


def _make_number_writer(number: Number) -> WriteValue:
    has_bounds = number not in (Number(), Number(integer=True))
    is_free = number == Number()

    def write_checked_number(value: JSON) -> str:
        if type(value) is int and LEAST_INTEGER <= value <= MOST_INTEGER:
            if has_bounds and number.find_refusal(value) is not None:
                raise ValueError
            return repr(value)
        if type(value) is not float or not isfinite(value):
            raise ValueError
        if not is_free and number.find_refusal(value) is not None:
            raise ValueError
        return spell_number(value)

    return write_checked_number


def _make_constant_writer(allowed: tuple[bool | None, ...]) -> WriteValue:
    words = {(type(value), value): _CONSTANTS[type(value), value] for value in allowed}
    return lambda value: words[type(value), value]  # type: ignore[index] # or raise a KeyError


def _make_array_writer(array: Array, style: Style, level: int) -> WriteValue:
    write_all = _list_writer(array.items, style, level + 1)
    has_bounds = array != Array(items=array.items)
    table = _try_make_table_writer(array.items, style, level)

    def write_items(value: JSON) -> str:
        if type(value) is not list or (has_bounds and array.find_refusal(value) is not None):
            raise ValueError
        if table and value and type(value[0]) is dict and (text := table(value)):
            return f"[{text}]"
        return f"[{style.joined(write_all(value))}]"

    return write_items


def _try_make_table_writer(
    rows: Type, style: Style, level: int
) -> Callable[..., str | None] | None:
    kinds = [
        _list_writer(node, style, below) for below, node in _iterate_column_types(rows, level + 2)
    ]
    if style.punctuated or not kinds:
        return None

    def try_write_rows(rows: list[Any], keys: list[str] | None = None) -> str | None:
        text = try_write_table(rows, kinds, operator.call, keys)
        if text and not is_allowed(text):  # a key; values are checked elsewhere
            raise ValueError
        return text

    return try_write_rows


def _iterate_column_types(rows: Type, level: int) -> Iterator[tuple[int, Type]]:
    for below, node in enumerate(cell_types(rows), level):
        yield below, node
        if node == ANY and below >= _LEVELS:  # the cells would be too deep for groups
            return


def _make_record_writer(members: Object, style: Style, level: int) -> WriteValue:
    plans: dict[Any, Plan] = {}

    def write_members(value: JSON) -> str:
        if type(value) is not dict:
            raise ValueError
        keys = tuple(value)
        plan = plans.get(keys)
        if plan is None:
            plan = (*_iterate_plan_steps(members, keys, style, level + 1), "")
            _store_plan(plans, keys, plan)
        return f"({_write_row(value, plan, style).removeprefix(' ')})"

    return write_members


def _map_writer(
    members: Object, style: Style, level: int, *, may_be_table: bool = True
) -> WriteValue:
    extra = members.extra or ANY
    kinds = _make_writers_by_class(extra, style, level + 1)
    table = _try_make_table_writer(extra, style, level) if may_be_table else None

    def try_write_pairs(value: JSON) -> str:
        if type(value) is not dict:
            raise ValueError
        is_kept = len(value) <= _FEW_KEYS and sum(map(len, value)) <= _SHORT_KEYS
        names = _spell_few_keys(tuple(value)) if is_kept else _spell_keys(tuple(value))
        if table and value and type(next(iter(value.values()))) is dict:
            rows = [value[key] for key in names]
            if text := table(rows, list(names.values())):
                return f"{{{text}}}"
        pairs = [f"{name} {kinds[type(value[key])](value[key])}" for key, name in names.items()]
        return f"{{{style.joined(pairs)}}}"

    return try_write_pairs


def _spell_keys(keys: tuple[str, ...]) -> dict[str, str]:
    """Return the keys of a map in canonical order, and how each is written."""
    if not is_allowed("".join(keys)):
        raise ValueError
    return {
        key: key if type(key) is str and key.isascii() and key.isidentifier() else spell_name(key)
        for key in sorted(keys)
    }


_spell_few_keys = lru_cache(maxsize=256)(_spell_keys)  # most records have the keys of others


_CONSTANTS = {(type(value), value): word for word, value in LITERALS.items()}
_AT_ONCE: dict[Type, type] = {
    ANY: object,
    Type(string=String()): str,
    **dict.fromkeys((Type(number=Number()), Type(number=Number(integer=True))), int),
}
"""For types whose values may be written many at once: the kind of value."""
