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


def unite_types(types: Sequence[Type]) -> tuple[Type, bool]:
    """Return a type that accepts every value of the types, and whether it accepts no others."""
    if ANY in types:
        return _try_unite_with_recursion(types) or _any_with_choices(types), True
    nodes: dict[str, Any] = {}
    is_exact = True
    for kind, unite in _UNIONS.items():
        nodes[kind], is_exact_node = _unite_of_kind([getattr(node, kind) for node in types], unite)
        is_exact = is_exact and is_exact_node
    booleans = set(chain.from_iterable(node.booleans for node in types))
    null = any(node.null for node in types)
    return Type(null=null, booleans=tuple(sorted(booleans)), **nodes), is_exact


def _any_with_choices(types: Sequence[Type]) -> Type:
    """Return the type of any value, which shows the objects of a union that have members."""
    choices = _choices_of([node.object for node in types if node.object])
    if any(choice.params for choice in choices):
        return replace(ANY, object=Object(extra=ANY, choices=choices))
    return ANY


def _try_unite_with_recursion(types: Sequence[Type]) -> Type | None:
    """Return a union that contains one recursive schema, or None for another union."""
    recursions = [node.recursion for node in types if node.recursion is not None]
    if len({recursion.name for recursion in recursions}) != 1:
        return None
    others = _types_besides_recursion(types)
    if ANY in others:
        return None
    united = _with_type_closed(unite_types(others)[0]) if others else None
    recursive = next(node for node in types if node.recursion is recursions[0])
    return replace(recursive, recursion=recursions[0]._replace(others=united))


def _types_besides_recursion(types: Sequence[Type]) -> list[Type]:
    others = [node for node in types if node.recursion is None]
    inner = [node.recursion.others for node in types if node.recursion is not None]
    return others + [node for node in inner if node is not None]


def _with_type_closed(node: Type) -> Type:
    return replace(node, object=with_object_closed(node.object, [])) if node.object else node


def intersect_types(types: Sequence[Type]) -> Type:
    """Return the type of the values that all given types accept."""
    if len(types) == 1:
        return types[0]
    narrow = [node for node in types if node != ANY]
    if len(narrow) < 2:
        return [*narrow, *types, ANY][0]
    nodes: dict[str, Any] = {
        kind: _try_intersect_kind([getattr(node, kind) for node in narrow], intersect)
        for kind, intersect in _INTERSECTIONS.items()
    }
    booleans = set.intersection(*(set(node.booleans) for node in narrow))
    null = all(node.null for node in narrow)
    return Type(null=null, booleans=tuple(sorted(booleans)), **nodes)


def loosen_types(types: Sequence[Type], declared: Sequence[Container[str]]) -> list[Type]:
    """Make the types of a union accept the members that other schemas declare (R-414).

    A type that does not mention undeclared members accepts the members that those schemas declare.
    So if one such type lacks a declared member, the member is removed from the other types.
    """
    unsaid = [node.object for node in types if node.object and node.object.extra is UNSAID]
    uncommon = _names_missing_in_some(unsaid)
    loose = {name for name in uncommon if any(name in members for members in declared)}
    return [_without_names(node, loose) for node in types] if loose else list(types)


def _names_missing_in_some(nodes: Sequence[Object]) -> list[str]:
    """Return the members that some of the objects declare, but not all."""
    counts = Counter(chain.from_iterable(node.by_name for node in nodes))
    return [name for name, count in counts.items() if count < len(nodes)]


def _without_names(node: Type, names: Container[str]) -> Type:
    if node.object is None or node.object.extra is not UNSAID:
        return node
    return replace(node, object=_without_members(node.object, names))


def _without_members(members: Object, names: Container[str]) -> Object:
    params = tuple(param for param in members.params if param.name not in names)
    branches = tuple(_without_members(branch, names) for branch in members.branches)
    if members.label is not None and members.label in names:
        return replace(members, params=params, branches=(), label=None)
    return replace(members, params=params, branches=branches)


def with_object_closed(members: Object, more: Sequence[Param]) -> Object:
    """Return an object to which no other schema can add members, and the same for its branches."""
    branches = tuple(with_object_closed(branch, more) for branch in members.branches)
    if members.extra is not UNSAID:
        return replace(members, branches=branches) if branches else members
    params = (*members.params, *(one for one in more if one.name not in members.by_name))
    return replace(members, params=params, extra=None, branches=branches)


def have_common_values(types: Sequence[Type]) -> bool:
    """Return whether two of the types may accept the same value."""
    by_kind = zip(*map(_value_lists, types), strict=True)
    return any(_lists_overlap([values for values in lists if values != ()]) for lists in by_kind)


def _value_lists(node: Type) -> tuple[tuple[object, ...] | None, ...]:
    """Return the values that a type accepts of each kind, or None for a kind without a list."""
    return (
        (None,) if node.null else (),
        node.booleans,
        node.number.values if node.number else (),
        node.string.values if node.string else (),
        None if node.array else (),
        None if node.object else (),
    )


def _lists_overlap(lists: Sequence[tuple[object, ...] | None]) -> bool:
    listed = list(chain.from_iterable(values for values in lists if values is not None))
    return len(lists) > 1 and (None in lists or len(set(listed)) < len(listed))


# --- unions -------------------------------------------------------------------------------------


def _unite_of_kind(
    nodes: Sequence[Node | None], unite: Callable[[list[Node]], tuple[Node, bool]]
) -> tuple[Node | None, bool]:
    present = [node for node in nodes if node is not None]
    if all(node == present[0] for node in present[1:]):
        return (present[0] if present else None), True
    united, is_exact = unite(present)
    return united, is_exact or united in present


def _unite_numbers(nodes: list[Number]) -> tuple[Number, bool]:
    integer = all(node.integer for node in nodes)
    listed = _try_unite_listed(node.values for node in nodes)
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


def _unite_strings(nodes: list[String]) -> tuple[String, bool]:
    listed = _try_unite_listed(node.values for node in nodes)
    if listed is not None:
        return String(values=listed), True
    if any(node.values is not None for node in nodes):
        return String(), False
    return String(
        min_length=min(node.min_length for node in nodes),
        max_length=_choose_bound(max, (node.max_length for node in nodes)),
        pattern=_find_common_value(node.pattern for node in nodes),
        format=_find_common_value(node.format for node in nodes),
    ), False


def _unite_arrays(nodes: list[Array]) -> tuple[Array, bool]:
    items, _ = unite_types([node.items for node in nodes])
    low = min(node.min_items for node in nodes)
    high = _choose_bound(max, (node.max_items for node in nodes))
    values = _try_unite_listed(node.values for node in nodes)
    return Array(items=items, min_items=low, max_items=high, values=values), False


def _unite_objects(nodes: list[Object]) -> tuple[Object, bool]:
    by_name = _params_by_name(nodes)
    open_nodes = [node for node in nodes if node.extra is not None and node.extra is not UNSAID]
    _check_size(by_name, open_nodes)
    params = []
    for name, declared in by_name.items():
        param = _unite_members(declared, _types_of_undeclared(name, open_nodes))
        params.append(param if len(declared) == len(nodes) else replace(param, required=False))
    values = _try_unite_listed(node.values for node in nodes)
    merged = Object(params=tuple(params), extra=_try_unite_extras(nodes), values=values)
    hides = any(_hides_requirement(param, by_name[param.name]) for param in params)
    return _with_branches(merged, nodes, hides=hides), False


def _unite_members(declared: Sequence[Param], extras: Sequence[Type]) -> Param:
    """Return the member of a union from its declarations and the types of undeclared members."""
    united, _ = unite_types([*(param.type for param in declared), *extras])
    required = all(param.required for param in declared)
    return replace(declared[0], type=united, required=required)


def _types_of_undeclared(name: str, nodes: list[Object]) -> list[Type]:
    """Return the types of a member in the objects that allow it and do not declare it."""
    return [node.extra for node in nodes if node.extra and name not in node.by_name]


def _try_unite_extras(nodes: list[Object]) -> Type | None:
    extras = [node.extra for node in nodes if node.extra is not None]
    stated = [extra for extra in extras if extra is not UNSAID]
    if stated:
        return unite_types(stated)[0]
    return UNSAID if extras else None


def _hides_requirement(merged: Param, sources: Sequence[Param]) -> bool:
    """Return whether a merged member drops a requirement of one of the members it comes from."""
    if not merged.required and any(param.required for param in sources):
        return True
    return merged.type == ANY and any(param.type != ANY for param in sources)


def _with_branches(merged: Object, nodes: list[Object], *, hides: bool) -> Object:
    """Add the branches to the layout that merges the objects of a union (R-438).

    The label that decides between the objects is looked for first. If there is none, the objects
    are only split if the merged layout `hides` a requirement of one of them.
    """
    flat = [branch for node in nodes for branch in node.branches or (node,)]
    can_split = _can_be_branches(flat)
    if can_split:
        for branches in (nodes, flat):
            label = _find_label(branches)
            if label is not None:
                return _label_branches(merged, label, branches)
    if not hides:
        return merged
    if can_split:
        return replace(merged, branches=tuple(flat))
    return replace(merged, choices=_choices_of(nodes))


def _can_be_branches(nodes: Sequence[Object]) -> bool:
    """Return whether objects have members to tell them from each other, and are not too many."""
    return len(nodes) <= _MOST_BRANCHES and all(node.params for node in nodes)


def _find_label(branches: Sequence[Object]) -> str | None:
    """Return the first required member whose listed values are different in all branches."""
    names = (param.name for param in branches[0].params)
    return next((name for name in names if _decides_branch(name, branches)), None)


def _decides_branch(name: str, branches: Sequence[Object]) -> bool:
    lists = [_listed_values(branch.by_name.get(name)) for branch in branches]
    values = list(chain.from_iterable(lists))
    return all(lists) and len(set(values)) == len(values)


def _listed_values(param: Param | None) -> list[tuple[bool, object]]:
    """Return the values of a required member that lists its values, otherwise an empty list."""
    if param is None or not param.required or not _lists_its_values(param.type):
        return []
    node = param.type
    lists = [one.values or () for one in (node.string, node.number) if one is not None]
    listed = chain.from_iterable(lists)
    return [*((False, value) for value in listed), *((True, value) for value in node.booleans)]


def _lists_its_values(node: Type) -> bool:
    """Return whether a type accepts only strings and numbers from a list, and one boolean."""
    if node.null or node.array or node.object or len(node.booleans) > 1:
        return False
    return all(one is None or one.values is not None for one in (node.string, node.number))


def _label_branches(merged: Object, label: str, branches: Sequence[Object]) -> Object:
    led = tuple(_with_label_first(label, branch) for branch in branches)
    return replace(_with_label_first(label, merged), branches=led, label=label)


def _with_label_first(label: str, members: Object) -> Object:
    """Return an object with its label before all other members, and the same in its branches."""
    params = sorted(members.params, key=lambda param: (param.name != label, not param.required))
    branches = tuple(_with_label_first(label, branch) for branch in members.branches)
    return replace(members, params=tuple(params), branches=branches)


def _choices_of(nodes: Iterable[Object]) -> tuple[Object, ...]:
    objects = chain.from_iterable(node.branches or node.choices or (node,) for node in nodes)
    return tuple(replace(node, extra=None) if node.extra is UNSAID else node for node in objects)


def _params_by_name(nodes: list[Object]) -> dict[str, list[Param]]:
    params: dict[str, list[Param]] = {}
    for param in chain.from_iterable(node.params for node in nodes):
        params.setdefault(param.name, []).append(param)
    return params


def _check_size(names: Sized, nodes: Sized) -> None:
    """Raise `SchemaError` if objects times members exceeds the limit (R-1105)."""
    if len(names) * len(nodes) > _MAX_PAIRS:
        raise SchemaError(Code.SCHEMA_SIZE, f"objects combine to over {_MAX_PAIRS} members")


def _try_unite_listed(lists: Iterable[tuple[T, ...] | None]) -> tuple[T, ...] | None:
    listed: dict[T, None] = {}
    for values in lists:
        if values is None:
            return None
        listed |= dict.fromkeys(values)
    return tuple(listed)


def _choose_bound(choose: Callable[..., T], bounds: Iterable[T | None]) -> T | None:
    values = list(bounds)
    return None if None in values else choose(values)


def _find_common_value(values: Iterable[T | None]) -> T | None:
    different = set(values)
    return different.pop() if len(different) == 1 else None


_UNIONS: dict[str, Callable[[list[Any]], tuple[Any, bool]]] = {
    "number": _unite_numbers,
    "string": _unite_strings,
    "array": _unite_arrays,
    "object": _unite_objects,
}


# --- intersections ------------------------------------------------------------------------------


def _try_intersect_kind(
    nodes: Sequence[Node | None], intersect: Callable[[list[Node]], Node | None]
) -> Node | None:
    present = [node for node in nodes if node is not None]
    if len(present) < len(nodes):
        return None
    if all(node == present[0] for node in present[1:]):
        return present[0]
    return intersect(present)


def _try_intersect_numbers(nodes: list[Number]) -> Number | None:
    integer = any(node.integer for node in nodes)
    bounds = _combine_bounds(
        nodes, integer, partial(_choose_tightest, max), partial(_choose_tightest, min)
    )
    values = _try_combine_listed(nodes, bounds)
    if values is None:
        return bounds
    return Number(integer=bounds.integer, values=values) if values else None


def _try_intersect_strings(nodes: list[String]) -> String | None:
    bounds = String(
        min_length=max(node.min_length for node in nodes),
        max_length=_choose_tightest(min, (node.max_length for node in nodes)),
        pattern=next((node.pattern for node in nodes if node.pattern is not None), None),
        format=next((node.format for node in nodes if node.format is not None), None),
    )
    values = _try_combine_listed(nodes, bounds)
    if values is None:
        return bounds
    return String(values=values) if values else None


def _try_combine_listed(
    nodes: Sequence[Number] | Sequence[String], bounds: Number | String
) -> tuple[Any, ...] | None:
    """Return the enumerated values that all types allow, or None if no type enumerates values."""
    lists = [node for node in nodes if node.values is not None]
    if not lists:
        return None
    judges: list[Any] = [bounds, *lists]
    return tuple(
        v for v in lists[0].values or () if all(one.find_refusal(v) is None for one in judges)
    )


def _intersect_arrays(nodes: list[Array]) -> Array:
    return Array(
        items=intersect_types([node.items for node in nodes]),
        min_items=max(node.min_items for node in nodes),
        max_items=_choose_tightest(min, (node.max_items for node in nodes)),
        values=_find_fewest_values(nodes),
    )


def _try_intersect_objects(nodes: list[Object]) -> Object | None:
    by_name = _params_by_name(nodes)
    narrow_nodes = [node for node in nodes if node.extra is not UNSAID and node.extra != ANY]
    _check_size(by_name, narrow_nodes)
    params = []
    for name, declared in by_name.items():
        if not any(_forbids_member(node, name) for node in narrow_nodes):
            extras = _types_of_undeclared(name, narrow_nodes)
            params.append(_intersect_members(declared, extras))
        elif any(param.required for param in declared):
            return None
    extra = _find_common_extra([node.extra for node in nodes])
    merged = Object(params=tuple(params), extra=extra, values=_find_fewest_values(nodes))
    return _with_common_members(merged, nodes)


def _forbids_member(node: Object, name: str) -> bool:
    return node.extra is None and name not in node.by_name


def _intersect_members(declared: Sequence[Param], extras: Sequence[Type]) -> Param:
    """Return a member that fits its declarations and the types of undeclared members."""
    node = intersect_types([*(param.type for param in declared), *extras])
    described = (param for param in declared if param.description or param.has_default)
    required = any(param.required for param in declared)
    return replace(next(described, declared[0]), type=node, required=required)


def _with_common_members(merged: Object, nodes: list[Object]) -> Object:
    """Add the branches of the only union among the nodes, each with the members of the others."""
    unions = [node for node in nodes if node.branches]
    if len(unions) != 1:
        return merged
    _check_size(merged.params, unions[0].branches)
    branches = _intersect_branches(unions[0], nodes)
    label = unions[0].label
    if not branches:
        return merged
    if label is None:
        return replace(merged, branches=tuple(branches))
    return _label_branches(merged, label, branches) if _decides_branch(label, branches) else merged


def _intersect_branches(united: Object, nodes: list[Object]) -> list[Object]:
    """Return the branches of a union with the members of the other nodes."""
    joined = [
        _try_intersect_objects([branch if node is united else node for node in nodes])
        for branch in united.branches
    ]
    return [branch for branch in joined if branch is not None]


def _find_fewest_values(nodes: list[Array] | list[Object]) -> tuple[str, ...] | None:
    return min((node.values for node in nodes if node.values is not None), key=len, default=None)


def _find_common_extra(extras: list[Type | None]) -> Type | None:
    explicit = [extra for extra in extras if extra is not None and extra is not UNSAID]
    if None in extras:
        return None
    if any(extra is UNSAID for extra in extras) and all(extra == ANY for extra in explicit):
        return UNSAID
    return intersect_types(explicit)


def _choose_tightest(choose: Callable[..., T], bounds: Iterable[T | None]) -> T | None:
    present = [bound for bound in bounds if bound is not None]
    return choose(present) if present else None


_INTERSECTIONS: dict[str, Callable[[list[Any]], Any]] = {
    "number": _try_intersect_numbers,
    "string": _try_intersect_strings,
    "array": _intersect_arrays,
    "object": _try_intersect_objects,
}
