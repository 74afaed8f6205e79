"""Compute unions and intersections of types, for `anyOf`, `allOf` and similar keywords.

A type has at most one node for each kind of value. So a union may accept more values than its parts
do (`union` returns whether it is exact). An intersection accepts exactly the values that all parts
accept.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence, Sized
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from lton.errors import Code, SchemaError
from lton.schema.types import ANY, Array, Number, Object, Param, String, Type

_MAX_PAIRS = 1_000_000
_MOST_BRANCHES = 100
"""A union of more objects is not split, because each use of the union would repeat all of them."""

T = TypeVar("T")
_Choose: TypeAlias = Callable[[Iterable[float | None]], float | None]
Node = TypeVar("Node", Number, String, Array, Object)

UNSAID = replace(ANY)
"""The `extra` of an object that declares members and does not mention others: other schemas for the
same position decide whether undeclared members are allowed. By default they are not (R-407)."""


def union(types: Sequence[Type]) -> tuple[Type, bool]:
    """Return a type that accepts every value of the types, and whether it accepts no others."""
    if any(node == ANY for node in types):
        return _union_with_recursion(types) or _any_with_choices(types), True
    number, number_is_exact = _unite([node.number for node in types], _number_union)
    string, string_is_exact = _unite([node.string for node in types], _string_union)
    array, array_is_exact = _unite([node.array for node in types], _array_union)
    members, object_is_exact = _unite([node.object for node in types], _object_union)
    united = Type(
        null=any(node.null for node in types),
        booleans=tuple(sorted({value for node in types for value in node.booleans})),
        number=number,
        string=string,
        array=array,
        object=members,
    )
    return united, number_is_exact and string_is_exact and array_is_exact and object_is_exact


def _any_with_choices(types: Sequence[Type]) -> Type:
    """Return the type of any value, which shows the objects of a union that have members."""
    choices = _choices([node.object for node in types if node.object])
    if any(choice.params for choice in choices):
        return replace(ANY, object=Object(extra=ANY, choices=choices))
    return ANY


def _union_with_recursion(types: Sequence[Type]) -> Type | None:
    """Return a union that contains one recursive schema, or None for another union."""
    recursive = [node for node in types if node.recursion is not None]
    recursions = [node.recursion for node in recursive if node.recursion is not None]
    if len({one.name for one in recursions}) != 1:
        return None
    others = [node for node in types if node.recursion is None]
    others += [one.others for one in recursions if one.others is not None]
    if any(node == ANY for node in others):
        return None
    united = union(others)[0] if others else None
    if united and united.object:
        united = replace(united, object=close_object(united.object, []))
    return replace(recursive[0], recursion=recursions[0]._replace(others=united))


def intersection(types: Sequence[Type]) -> Type:
    """Return the type of the values that all given types accept."""
    if len(types) == 1:
        return types[0]
    narrow = [node for node in types if node != ANY]
    if len(narrow) < 2:
        return [*narrow, *types, ANY][0]
    types = narrow
    return Type(
        null=all(node.null for node in types),
        booleans=tuple(v for v in (False, True) if all(v in node.booleans for node in types)),
        number=_intersect([node.number for node in types], _number_intersection),
        string=_intersect([node.string for node in types], _string_intersection),
        array=_intersect([node.array for node in types], _array_intersection),
        object=_intersect([node.object for node in types], _object_intersection),
    )


def loosen_types(types: Sequence[Type], declared: Sequence[Container[str]]) -> list[Type]:
    """Make the types of a union accept the members that other schemas declare (R-414).

    A type that does not mention undeclared members accepts the members that those schemas declare.
    So if one such type lacks a declared member, the member is removed from the other types.
    """
    unsaid = [node.object for node in types if node.object and node.object.extra is UNSAID]
    given = chain.from_iterable(members.by_name for members in unsaid)
    names = Counter(name for name in given if any(name in one for one in declared))
    loose = {name for name, count in names.items() if count < len(unsaid)}
    return [_without(node, loose) for node in types] if loose else list(types)


def _without(node: Type, names: Container[str]) -> Type:
    if node.object is None or node.object.extra is not UNSAID:
        return node
    return replace(node, object=_without_members(node.object, names))


def _without_members(members: Object, names: Container[str]) -> Object:
    params = tuple(param for param in members.params if param.name not in names)
    branches = tuple(_without_members(branch, names) for branch in members.branches)
    if members.label is not None and members.label in names:
        return replace(members, params=params, branches=(), label=None)
    return replace(members, params=params, branches=branches)


def close_object(members: Object, more: Sequence[Param]) -> Object:
    """Return an object to which no other schema can add members, and the same for its branches."""
    branches = tuple(close_object(branch, more) for branch in members.branches)
    if members.extra is not UNSAID:
        return replace(members, branches=branches) if branches else members
    params = (*members.params, *(one for one in more if one.name not in members.by_name))
    return replace(members, params=params, extra=None, branches=branches)


def overlap(types: Sequence[Type]) -> bool:
    """Return whether two of the types may accept the same value."""
    booleans = [value for node in types for value in node.booleans]
    return (
        sum(node.null for node in types) > 1
        or len(set(booleans)) < len(booleans)
        or _lists_overlap([node.number.values for node in types if node.number])
        or _lists_overlap([node.string.values for node in types if node.string])
        or sum(node.array is not None for node in types) > 1
        or sum(node.object is not None for node in types) > 1
    )


def _lists_overlap(lists: Sequence[tuple[object, ...] | None]) -> bool:
    listed = list(chain.from_iterable(values for values in lists if values is not None))
    return len(lists) > 1 and (None in lists or len(set(listed)) < len(listed))


# --- unions -------------------------------------------------------------------------------------


def _unite(
    nodes: Sequence[Node | None], unite: Callable[[list[Node]], tuple[Node, bool]]
) -> tuple[Node | None, bool]:
    found = [node for node in nodes if node is not None]
    if all(node == found[0] for node in found[1:]):
        return (found[0] if found else None), True
    united, is_exact = unite(found)
    return united, is_exact or united in found


def _number_union(nodes: list[Number]) -> tuple[Number, bool]:
    integer = all(node.integer for node in nodes)
    listed = _all_listed(node.values for node in nodes)
    if listed is not None:
        return Number(integer=integer, values=listed), True
    if any(node.values is not None for node in nodes):
        return Number(integer=integer), False
    return _combine_bounds(
        nodes, integer, partial(_choose_bound, min), partial(_choose_bound, max)
    ), False


def _combine_bounds(nodes: list[Number], integer: bool, low: _Choose, high: _Choose) -> Number:
    ends = ("minimum", low), ("maximum", high)
    names = ((f"{kind}{end}", choose) for kind in ("", "exclusive_") for end, choose in ends)
    bounds: Any = {name: choose(getattr(node, name) for node in nodes) for name, choose in names}
    return Number(integer=integer, **bounds)


def _string_union(nodes: list[String]) -> tuple[String, bool]:
    listed = _all_listed(node.values for node in nodes)
    if listed is not None:
        return String(values=listed), True
    if any(node.values is not None for node in nodes):
        return String(), False
    return String(
        min_length=min(node.min_length for node in nodes),
        max_length=_choose_bound(max, (node.max_length for node in nodes)),
        pattern=_common(node.pattern for node in nodes),
        format=_common(node.format for node in nodes),
    ), False


def _array_union(nodes: list[Array]) -> tuple[Array, bool]:
    items, _ = union([node.items for node in nodes])
    low = min(node.min_items for node in nodes)
    high = _choose_bound(max, (node.max_items for node in nodes))
    values = _all_listed(node.values for node in nodes)
    return Array(items=items, min_items=low, max_items=high, values=values), False


def _object_union(nodes: list[Object]) -> tuple[Object, bool]:
    given = _by_name(nodes)
    open_nodes = [node for node in nodes if node.extra is not None and node.extra is not UNSAID]
    _check_size(given, open_nodes)
    params = []
    for name, found in given.items():
        others = [node.extra for node in open_nodes if node.extra and name not in node.by_name]
        node, _ = union([*(param.type for param in found), *others])
        required = len(found) == len(nodes) and all(param.required for param in found)
        params.append(replace(found[0], type=node, required=required))
    extra: Type | None = None
    if open_nodes:
        extra, _ = union([node.extra for node in open_nodes if node.extra])
    elif any(node.extra is UNSAID for node in nodes):
        extra = UNSAID
    values = _all_listed(node.values for node in nodes)
    merged = Object(params=tuple(params), extra=extra, values=values)
    hides = any(_hides_requirement(param, given[param.name]) for param in params)
    return _split(merged, nodes, hides=hides), False


def _hides_requirement(merged: Param, found: Sequence[Param]) -> bool:
    """Return whether a merged member drops a requirement of one of the members it comes from."""
    if not merged.required and any(param.required for param in found):
        return True
    return merged.type == ANY and any(param.type != ANY for param in found)


def _split(merged: Object, nodes: list[Object], *, hides: bool) -> Object:
    """Add the branches to the layout that merges the objects of a union (R-438).

    The label that decides between the objects is looked for first. If there is none, the objects
    are only split if the merged layout `hides` a requirement of one of them.
    """
    flat = [each for node in nodes for each in node.branches or (node,)]
    can_split = all(node.params for node in flat) and len(flat) <= _MOST_BRANCHES
    for branches in (nodes, flat) if can_split else ():
        label = _label_of(branches)
        if label is not None:
            return _label_branches(merged, label, branches)
    if not hides:
        return merged
    if can_split:
        return replace(merged, branches=tuple(flat))
    return replace(merged, choices=_choices(nodes))


def _label_of(branches: Sequence[Object]) -> str | None:
    """Return the first required member whose listed values are different in all branches."""
    names = (param.name for param in branches[0].params)
    return next((name for name in names if _decides(name, branches)), None)


def _decides(name: str, branches: Sequence[Object]) -> bool:
    lists = [_listed_values(branch.by_name.get(name)) for branch in branches]
    values = list(chain.from_iterable(lists))
    return all(lists) and len(set(values)) == len(values)


def _listed_values(param: Param | None) -> list[tuple[bool, object]]:
    """Return the values of a required member that lists its values, otherwise an empty list."""
    if param is None or not param.required:
        return []
    node = param.type
    lists = (node.string, node.number)
    is_open = any(one is not None and one.values is None for one in lists)
    if is_open or node.null or node.array or node.object or len(node.booleans) > 1:
        return []
    listed = chain.from_iterable(one.values or () for one in lists if one is not None)
    return [*((False, value) for value in listed), *((True, value) for value in node.booleans)]


def _label_branches(merged: Object, label: str, branches: Sequence[Object]) -> Object:
    led = tuple(_led_by(label, branch) for branch in branches)
    return replace(_led_by(label, merged), branches=led, label=label)


def _led_by(label: str, members: Object) -> Object:
    """Return an object with its label before all other members, and the same in its branches."""
    params = sorted(members.params, key=lambda param: (param.name != label, not param.required))
    branches = tuple(_led_by(label, branch) for branch in members.branches)
    return replace(members, params=tuple(params), branches=branches)


def _choices(nodes: Iterable[Object]) -> tuple[Object, ...]:
    found = chain.from_iterable(node.branches or node.choices or (node,) for node in nodes)
    return tuple(replace(node, extra=None) if node.extra is UNSAID else node for node in found)


def _by_name(nodes: list[Object]) -> dict[str, list[Param]]:
    given: dict[str, list[Param]] = {}
    for param in chain.from_iterable(node.params for node in nodes):
        given.setdefault(param.name, []).append(param)
    return given


def _check_size(names: Sized, nodes: Sized) -> None:
    """Raise `SchemaError` if objects times members exceeds the limit (R-1105)."""
    if len(names) * len(nodes) > _MAX_PAIRS:
        raise SchemaError(Code.SCHEMA_SIZE, f"objects combine to over {_MAX_PAIRS} members")


def _all_listed(lists: Iterable[tuple[T, ...] | None]) -> tuple[T, ...] | None:
    found: dict[T, None] = {}
    for values in lists:
        if values is None:
            return None
        found |= dict.fromkeys(values)
    return tuple(found)


def _choose_bound(choose: Callable[..., T], bounds: Iterable[T | None]) -> T | None:
    found = list(bounds)
    return None if None in found else choose(found)


def _common(found: Iterable[T | None]) -> T | None:
    different = set(found)
    return different.pop() if len(different) == 1 else None


# --- intersections ------------------------------------------------------------------------------


def _intersect(
    nodes: Sequence[Node | None], intersect: Callable[[list[Node]], Node | None]
) -> Node | None:
    found = [node for node in nodes if node is not None]
    if len(found) < len(nodes):
        return None
    if all(node == found[0] for node in found[1:]):
        return found[0]
    return intersect(found)


def _number_intersection(nodes: list[Number]) -> Number | None:
    integer = any(node.integer for node in nodes)
    bounds = _combine_bounds(nodes, integer, partial(_tightest, max), partial(_tightest, min))
    values = _combine_listed(nodes, bounds)
    if values is None:
        return bounds
    return Number(integer=bounds.integer, values=values) if values else None


def _string_intersection(nodes: list[String]) -> String | None:
    bounds = String(
        min_length=max(node.min_length for node in nodes),
        max_length=_tightest(min, (node.max_length for node in nodes)),
        pattern=next((node.pattern for node in nodes if node.pattern is not None), None),
        format=next((node.format for node in nodes if node.format is not None), None),
    )
    values = _combine_listed(nodes, bounds)
    if values is None:
        return bounds
    return String(values=values) if values else None


def _combine_listed(
    nodes: Sequence[Number] | Sequence[String], bounds: Number | String
) -> tuple[Any, ...] | None:
    """Return the enumerated values that all types allow, or None if no type enumerates values."""
    lists = [node for node in nodes if node.values is not None]
    if not lists:
        return None
    judges: list[Any] = [bounds, *lists]
    return tuple(v for v in lists[0].values or () if all(one.refuse(v) is None for one in judges))


def _array_intersection(nodes: list[Array]) -> Array:
    return Array(
        items=intersection([node.items for node in nodes]),
        min_items=max(node.min_items for node in nodes),
        max_items=_tightest(min, (node.max_items for node in nodes)),
        values=_shortest(nodes),
    )


def _object_intersection(nodes: list[Object]) -> Object | None:
    given = _by_name(nodes)
    narrow_nodes = [node for node in nodes if node.extra is not UNSAID and node.extra != ANY]
    _check_size(given, narrow_nodes)
    params = []
    for name, found in given.items():
        required = any(param.required for param in found)
        others = [node.extra for node in narrow_nodes if name not in node.by_name]
        said = [node for node in others if node is not None]
        if len(said) < len(others):
            if required:
                return None
            continue
        node = intersection([*(param.type for param in found), *said])
        about = next((param for param in found if param.description or param.has_default), found[0])
        params.append(replace(about, type=node, required=required))
    extra = _common_extra([node.extra for node in nodes])
    merged = Object(params=tuple(params), extra=extra, values=_shortest(nodes))
    return _with_common_members(merged, nodes)


def _with_common_members(merged: Object, nodes: list[Object]) -> Object:
    """Add the branches of the only union among the nodes, each with the members of the others."""
    split = [node for node in nodes if node.branches]
    if len(split) != 1:
        return merged
    _check_size(merged.params, split[0].branches)
    joined = [
        _object_intersection([branch if node is split[0] else node for node in nodes])
        for branch in split[0].branches
    ]
    branches = [branch for branch in joined if branch is not None]
    label = split[0].label
    if not branches or (label is not None and not _decides(label, branches)):
        return merged
    if label is None:
        return replace(merged, branches=tuple(branches))
    return _label_branches(merged, label, branches)


def _shortest(nodes: list[Array] | list[Object]) -> tuple[str, ...] | None:
    return min((node.values for node in nodes if node.values is not None), key=len, default=None)


def _common_extra(extras: list[Type | None]) -> Type | None:
    said = [extra for extra in extras if extra is not None and extra is not UNSAID]
    if None in extras:
        return None
    if any(extra is UNSAID for extra in extras) and all(extra == ANY for extra in said):
        return UNSAID
    return intersection(said)


def _tightest(choose: Callable[..., T], bounds: Iterable[T | None]) -> T | None:
    given = [bound for bound in bounds if bound is not None]
    return choose(given) if given else None
