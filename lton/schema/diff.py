"""Find the calls that break when tools change."""

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from lton.errors import escape
from lton.schema.toolset import ToolSet
from lton.schema.types import Array, Number, Object, Type

_Losses = Iterator[tuple[str, str]]  # JSON Pointers into the arguments, each with a reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """An argument that the changed tools refuse or misread, and the reason.

    `path` is a JSON Pointer into the tool's arguments, or "" for all arguments.
    """

    tool: str
    path: str
    why: str


def find_losses(writer: ToolSet, reader: ToolSet) -> list[Loss]:
    """Return the arguments of calls written for `writer` that `reader` refuses or misreads.

    If there are none, `reader` reads every call for `writer` unchanged, in every form. Compare old
    and new tools in both directions: old calls with the new tools, and new calls with the old
    tools.

    >>> def tools(**days: object) -> ToolSet:
    ...     return ToolSet.from_tools([{"title": "wait", "properties": {"days": days}}])
    >>> old, new = tools(type="integer"), tools(type="integer", maximum=7)
    >>> find_losses(old, new)
    [Loss(tool='wait', path='/days', why='at most 7')]
    >>> find_losses(new, old)
    []
    """
    all_losses: list[Loss] = []
    for tool in writer:
        other = reader.by_name.get(tool.name)
        if other is None:
            all_losses.append(Loss(tool=tool.name, path="", why="no such tool"))
        else:
            if other.alias != tool.alias:
                why = f"is called {other.alias or other.name!r} in texts"
                all_losses.append(Loss(tool=tool.name, path="", why=why))
            pairs = _Comparison().iterate_losses_of_members(tool.args, other.args, "")
            all_losses += [Loss(tool=tool.name, path=path, why=why) for path, why in pairs]
            if other.check is not None and other.check != tool.check:
                all_losses.append(
                    Loss(tool=tool.name, path="", why="checked against another schema")
                )
    return all_losses


class _Comparison:
    """Compares types. A pair of types without losses is compared once, wherever it occurs."""

    def __init__(self) -> None:
        self._alike: set[tuple[int, int]] = set()  # by identity

    def iterate_losses_of_types(self, writer: Type, reader: Type, path: str) -> _Losses:
        pair = id(writer), id(reader)
        if writer is reader or pair in self._alike:
            return
        pairs = list(self._iterate_losses_of_kinds(writer, reader, path))
        if not pairs:
            self._alike.add(pair)
        yield from pairs

    def iterate_losses_of_members(self, writer: Object, reader: Object, path: str) -> _Losses:
        if path and writer.is_map != reader.is_map:
            yield path, "a map" if reader.is_map else "an object with members"
            return
        yield from self._iterate_losses_of_written_members(writer, reader, path)
        yield from self._iterate_losses_of_read_members(writer, reader, path)
        if writer.extra and reader.extra:
            yield from self.iterate_losses_of_types(writer.extra, reader.extra, f"{path}/…")
        elif writer.extra:
            yield f"{path}/…", "no parameters that are not declared"

    def _iterate_losses_of_written_members(
        self, writer: Object, reader: Object, path: str
    ) -> _Losses:
        positions = {param.name: index for index, param in enumerate(reader.params)}
        for index, param in enumerate(writer.params):
            member_path = f"{path}/{escape(param.name)}"
            other = positions.get(param.name)
            if other is None:
                yield member_path, "no such parameter"
            elif other != index:
                yield member_path, f"is now at position {other + 1}, not {index + 1}"
            else:
                yield from self.iterate_losses_of_types(
                    param.type, reader.params[index].type, member_path
                )

    def _iterate_losses_of_read_members(self, writer: Object, reader: Object, path: str) -> _Losses:
        for param in reader.params:
            member_path = f"{path}/{escape(param.name)}"
            before = writer.by_name.get(param.name)
            if param.required and (before is None or not before.required):
                yield member_path, "is required"
            if before is None and writer.extra:
                yield from self.iterate_losses_of_types(writer.extra, param.type, member_path)

    def _iterate_losses_of_kinds(self, writer: Type, reader: Type, path: str) -> _Losses:
        if writer.null and not reader.null:
            yield path, "no null"
        if missing := sorted({*writer.booleans} - {*reader.booleans}):
            yield path, f"no {str(missing[0]).lower()}"
        by_kind: dict[str, Callable[[Any, Any, str], _Losses]] = {
            "number": _iterate_losses_of_numbers,
            "string": lambda *_: _iterate_losses_of_strings(writer, reader, path),
            "array": self._iterate_losses_of_arrays,
            "object": self.iterate_losses_of_members,
        }
        for kind, find in by_kind.items():
            own = getattr(writer, kind)
            other = getattr(reader, kind)
            if own and not other:
                yield path, f"no {kind}"
            elif own:
                yield from find(own, other, path)

    def _iterate_losses_of_arrays(self, writer: Array, reader: Array, path: str) -> _Losses:
        sizes = (writer.min_items, writer.max_items), (reader.min_items, reader.max_items)
        yield from _iterate_losses_of_sizes(*sizes, path)
        if writer.max_items != 0:
            yield from self.iterate_losses_of_types(writer.items, reader.items, f"{path}/…")


def _iterate_losses_of_numbers(writer: Number, reader: Number, path: str) -> _Losses:
    if writer.values is not None:
        refused = [refusal[1] for v in writer.values if (refusal := reader.find_refusal(v))]
        if refused:
            yield path, refused[0]
        return
    if reader.values is not None:
        yield path, "only the numbers that are listed"
        return
    if reader.integer and not writer.integer:
        yield path, "an integer"
    for bounds in _BOUNDS:
        yield from bounds.iterate_losses(writer, reader, path)


@dataclass(frozen=True, slots=True)
class _Bounds:
    """The two limits of a number on one side, and how limits of that side are compared."""

    closed: str
    opened: str
    tightest: Callable[[list[Any]], Any]
    is_within: Callable[[Any, Any], bool]
    is_beyond: Callable[[Any, Any], bool]
    at: str
    beyond: str

    def iterate_losses(self, writer: Number, reader: Number, path: str) -> _Losses:
        closed = getattr(reader, self.closed)
        if closed is not None and not self._keeps_closed(writer, closed):
            yield path, f"{self.at} {closed}"
        opened = getattr(reader, self.opened)
        if opened is not None and not self._keeps_opened(writer, opened):
            yield path, f"{self.beyond} {opened}"

    def _keeps_closed(self, writer: Number, limit: float) -> bool:
        limits = [getattr(writer, name) for name in (self.closed, self.opened)]
        stated = [own for own in limits if own is not None]
        return bool(stated) and self.is_within(self.tightest(stated), limit)

    def _keeps_opened(self, writer: Number, limit: float) -> bool:
        closed = getattr(writer, self.closed)
        opened = getattr(writer, self.opened)
        if closed is not None and self.is_beyond(closed, limit):
            return True
        return opened is not None and self.is_within(opened, limit)


_BOUNDS = (
    _Bounds("minimum", "exclusive_minimum", max, operator.ge, operator.gt, "at least", "more than"),
    _Bounds("maximum", "exclusive_maximum", min, operator.le, operator.lt, "at most", "less than"),
)


def _iterate_losses_of_strings(writer: Type, reader: Type, path: str) -> _Losses:
    assert writer.string  # the caller has checked
    assert reader.string
    if writer.string.values is not None:
        yield from _iterate_losses_of_labels(writer, reader, path)
        return
    if reader.string.values is not None:
        yield path, "only the strings that are listed"
        return
    sizes = writer.string.min_length, writer.string.max_length
    yield from _iterate_losses_of_sizes(
        sizes, (reader.string.min_length, reader.string.max_length), path
    )
    for name, word in (("null", "null"), ("booleans", "true"), ("numbers", "1")):
        if _needs_quotes(word, writer, reader):
            yield path, f"{name} too: {word!r} without quotes is not a string"


def _iterate_losses_of_labels(writer: Type, reader: Type, path: str) -> _Losses:
    assert writer.string  # the caller has checked
    assert reader.string
    labels = writer.string.values or ()
    refused = [refusal[1] for label in labels if (refusal := reader.string.find_refusal(label))]
    if refused:
        yield path, refused[0]
    others = [word for word in labels if _needs_quotes(word, writer, reader)]
    if others:
        yield path, f"{others[0]!r} without quotes is not a string"


def _needs_quotes(word: str, writer: Type, reader: Type) -> bool:
    """Return whether only the writer takes a word without quotes as a string."""
    return writer.takes_bare(word) and not reader.takes_bare(word)


def _iterate_losses_of_sizes(
    writer: tuple[int, int | None], reader: tuple[int, int | None], path: str
) -> _Losses:
    if reader[0] > writer[0]:
        yield path, f"a size of at least {reader[0]}"
    if reader[1] is not None and (writer[1] is None or writer[1] > reader[1]):
        yield path, f"a size of at most {reader[1]}"
