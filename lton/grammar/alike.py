"""Which types are at more than one place: those have a rule of their own.

A definition that others refer to is compiled at each of its places, and those of all definitions
together may be thousands, where the definitions are a few kilobytes.
"""

from collections import Counter
from collections.abc import Hashable, Iterable

from lton.schema.types import ANY, Object, Tool, Type


def repeated(tools: Iterable[Tool]) -> dict[int, int]:
    """Get a number for each type with members or items that is at more than one place, by its id.

    Types that are alike have the same number. What is in them is at one place, however many
    they are at themselves.
    """
    known: dict[Hashable, int] = {}
    numbers = {id(ANY): 0}
    places: Counter[int] = Counter({0: 1})  # that of any value holds itself

    def number(node: Type) -> int:
        if id(node) not in numbers:
            array, members = node.array, node.object
            alike = (
                (node.null, node.booleans, node.number, node.string),
                array and (array.min_items, array.max_items),
                members and tuple((param.name, param.required) for param in members.params),
                tuple(map(number, inside(node))),
            )
            numbers[id(node)] = known.setdefault(alike, len(known) + 1)
        return numbers[id(node)]

    waiting = [node for tool in tools for node in _members(tool.args)]
    while waiting:
        node = waiting.pop()
        if node.array or node.object:
            places[number(node)] += 1
            if places[number(node)] == 1:
                waiting += inside(node)
    return {key: found for key, found in numbers.items() if found and places[found] > 1}


def inside(node: Type) -> list[Type]:
    """Get the types of what a value of a type may hold."""
    items = [node.array.items] if node.array else []
    return [*items, *(_members(node.object) if node.object else ())]


def _members(members: Object) -> list[Type]:
    extra = [] if members.extra is None else [members.extra]
    return [*(param.type for param in members.params), *extra]
