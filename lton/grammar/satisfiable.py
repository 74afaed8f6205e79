"""Decide which types and parameters can have values."""

from lton.grammar.lexemes import find_integer_bounds
from lton.schema.types import Array, Number, Object, Param, String, Type


def has_values(node: Type, cache: dict[int, bool] | None = None) -> bool:
    """Return whether a type has any value. Some real definitions contain impossible types.

    `cache` has the types that were looked at, by identity. Many references may share a type, and it
    is looked at only once.
    """
    cache = {} if cache is None else cache
    if id(node) not in cache:
        cache[id(node)] = (
            node.null
            or bool(node.booleans)
            or _has_numbers(node.number)
            or _has_strings(node.string)
            or _has_arrays(node.array, cache)
            or _has_objects(node.object, cache)
        )
    return cache[id(node)]


def _has_objects(members: Object | None, cache: dict[int, bool]) -> bool:
    if members is None:
        return False
    if members.branches:
        return any(_has_objects(branch, cache) for branch in members.branches)
    return all(has_values(param.type, cache) for param in members.params if param.required)


def _has_arrays(array: Array | None, cache: dict[int, bool]) -> bool:
    if array is None or not _is_range(array.min_items, array.max_items):
        return False
    return not array.min_items or has_values(array.items, cache)


def _has_strings(string: String | None) -> bool:
    return string is not None and _is_range(string.min_length, string.max_length)


def _has_numbers(number: Number | None) -> bool:
    if number is None:
        return False
    low, high = find_integer_bounds(number)
    is_empty = number.integer and low is not None and high is not None and low > high
    return number.values is not None or not is_empty


def _is_range(low: int, high: int | None) -> bool:
    return high is None or low <= high


def split_members(members: Object) -> tuple[list[Param], list[Param]]:
    """Return the required members, and the optional ones up to the last that can have a value."""
    required = [param for param in members.params if param.required]
    optional = [param for param in members.params if not param.required]
    while optional and not has_values(optional[-1].type):
        optional.pop()
    return required, optional
