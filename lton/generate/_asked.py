"""When an answer of several calls goes on with numbers that nobody asked for.

A small model that is to make several calls may not stop: it makes the same call with 15, 20, 25 and
so on, until its budget is spent.
"""

import re
from collections.abc import Iterator
from functools import cached_property

from lton.generate.spelling import spell
from lton.schema.types import JSON, Call

_NUMBER = re.compile(r"[0-9][0-9.,]*")
_IN_WORDS = 12
"""Numbers up to that a question may have in words, or as a count: the next three days."""
_IN_A_ROW = 3


class Unasked:
    """Looks at the calls of an answer, one after the other; `said` is what they are to answer.

    >>> calls = Unasked("What is the area of circles with radius 5, 5% more, and 10,000?")
    >>> radii = [5, 0.05, 10000, 15000, 20000, 25000]
    >>> [calls.go_on(Call("circle", {"radius": radius})) for radius in radii]
    [False, False, False, False, False, True]
    """

    def __init__(self, said: str) -> None:
        self.said = said
        self.known = set[tuple[str, str]]()
        """Arguments of the calls so far: their names, and each value in them."""
        self.in_a_row = 0

    @cached_property
    def numbers(self) -> set[str]:
        """The numbers that were said, by their digits: 5% may be 0.05, and 20 million 20000000."""
        return {_digits(number) for number in _NUMBER.findall(self.said)}

    def go_on(self, call: Call) -> bool:
        """Say whether this is the third call in a row that adds such numbers, and nothing else."""
        found = {
            (name, spell(value)): value
            for name, argument in call.arguments.items()
            for value in _values(argument)
        }
        new = [found[key] for key in found.keys() - self.known]
        is_asked = not self.known or not new or any(map(self._is_asked, new))
        self.in_a_row = 0 if is_asked else self.in_a_row + 1
        self.known |= found.keys()
        return self.in_a_row == _IN_A_ROW

    def _is_asked(self, value: JSON) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return True
        is_small = abs(value) <= _IN_WORDS and value == int(value)
        return is_small or _digits(spell(value).partition("e")[0]) in self.numbers


def _digits(number: str) -> str:
    """Get the digits of a number but for the zeros around them: what is left in any unit."""
    return re.sub(r"[^0-9]", "", number).strip("0")


def _values(value: JSON) -> Iterator[JSON]:
    """Get what a value consists of: itself, or what is in it."""
    if isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _values(inner)
    else:
        yield value
