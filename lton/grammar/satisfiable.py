"""Decide which types and parameters can have values."""

from lton.grammar.lexemes import bounds
from lton.schema.types import Number, Object, Param, Type


def writable(node: Type, known: dict[int, bool] | None = None) -> bool:
    """Return whether a type has any value. Some real definitions contain impossible types.

    `known` has the types that were looked at, by identity. Many references may share a type, and it
    is looked at only once.
    """
    known = {} if known is None else known
    if id(node) not in known:
        known[id(node)] = bool(
            node.null
            or node.booleans
            or (node.number and _has_numbers(node.number))
            or (node.string and _fits(node.string.min_length, node.string.max_length))
            or (
                node.array
                and _fits(node.array.min_items, node.array.max_items)
                and (not node.array.min_items or writable(node.array.items, known))
            )
            or (
                node.object
                and not node.object.branches
                and all(writable(p.type, known) for p in node.object.params if p.required)
            )
            or (node.object and _has_branches(node.object.branches, known))
        )
    return known[id(node)]


def _has_branches(branches: tuple[Object, ...], known: dict[int, bool]) -> bool:
    """Return whether one of the branches of a union can have a value."""
    for branch in branches:
        if branch.branches:
            is_writable = _has_branches(branch.branches, known)
        else:
            is_writable = all(writable(p.type, known) for p in branch.params if p.required)
        if is_writable:
            return True
    return False


def _has_numbers(number: Number) -> bool:
    low, high = bounds(number)
    is_empty = number.integer and low is not None and high is not None and low > high
    return number.values is not None or not is_empty


def _fits(low: int, high: int | None) -> bool:
    return high is None or low <= high


def part_members(members: Object) -> tuple[list[Param], list[Param]]:
    """Return the required members, and the optional ones up to the last that can have a value."""
    required = [param for param in members.params if param.required]
    optional = [param for param in members.params if not param.required]
    while optional and not writable(optional[-1].type):
        optional.pop()
    return required, optional
