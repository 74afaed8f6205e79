"""Find types that occur several times in the definitions of tools.

A named schema is compiled at each place that refers to it, so a definition of a few kilobytes may
lead to thousands of types.
"""

from collections import Counter
from collections.abc import Hashable, Iterable

from lton.schema.types import ANY, Object, Tool, Type


def number_repeated_types(tools: Iterable[Tool]) -> dict[int, int]:
    """Number the types that occur several times, by the `id` of each occurrence.

    Equal types have equal numbers. Types inside a repeated type are counted once.
    """
    classes: dict[Hashable, int] = {}
    numbers = {id(ANY): 0}
    places: Counter[int] = Counter({0: 1})  # the type of any value contains itself

    def number_type(node: Type) -> int:
        if id(node) not in numbers:
            array = node.array
            members = node.object
            alike = (
                (node.null, node.booleans, node.number, node.string),
                array and (array.min_items, array.max_items),
                members and tuple(map(_params_and_need, _branches_of_object(members))),
                tuple(map(number_type, types_inside(node))),
            )
            numbers[id(node)] = classes.setdefault(alike, len(classes) + 1)
        return numbers[id(node)]

    waiting = [node for tool in tools for node in _types_of_members(tool.args)]
    while waiting:
        node = waiting.pop()
        if node.array or node.object:
            places[number_type(node)] += 1
            if places[number_type(node)] == 1:
                waiting += types_inside(node)
    return {
        key: type_number
        for key, type_number in numbers.items()
        if type_number and places[type_number] > 1
    }


def types_inside(node: Type) -> list[Type]:
    """Return the types of an object's members and of an array's items."""
    items = [node.array.items] if node.array else []
    return [*items, *(_types_of_members(node.object) if node.object else ())]


def _types_of_members(members: Object) -> list[Type]:
    return [
        node for branch in _branches_of_object(members) for node in _types_of_own_params(branch)
    ]


def _types_of_own_params(members: Object) -> list[Type]:
    extra = [] if members.extra is None else [members.extra]
    return [*(param.type for param in members.params), *extra]


def _branches_of_object(members: Object) -> list[Object]:
    """Return the objects between which a union chooses, or the object itself."""
    if not members.branches:
        return [members]
    return [leaf for branch in members.branches for leaf in _branches_of_object(branch)]


def _params_and_need(members: Object) -> tuple[tuple[str, bool], ...]:
    return tuple((param.name, param.required) for param in members.params)
