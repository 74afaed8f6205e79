"""The strings and integers that models copy in `lengths`, in a fixed order.

Strings are from BFCL's gold calls, by length. Few of them need an escape in JSON, so there are also
lines of code with a `"` ("quotes"), and passages of three lines with a `"` ("lines"). Integers are
random, with the same number for each count of digits.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from textwrap import dedent

from lton.schema.types import JSON
from lton_bench import bfcl
from lton_bench.tokens.datasets import code

__all__ = ["MOST_SHOTS", "OTHERS", "SEED", "Case", "cases", "shots"]

SEED = "lton-lengths-2"
OTHERS = ("quotes", "lines")
"""The groups that are not a range of lengths."""
MOST_SHOTS = 4
_SIZES = ((1, 4), (5, 8), (9, 16), (17, 32), (33, 64), (65, 128))
_DIGITS = ((1, 3), (4, 6), (7, 9), (10, 12))
_ORDINARY = {"text": (1, 3, 2, 4), "integer": (0, 1, 2, 3)}
"""The ranges of the shots: first two different lengths, then more."""


@dataclass(frozen=True, slots=True)
class Case:
    """A string to copy; the `group` is a range of lengths, "quotes" or "lines"."""

    kind: str
    group: str
    text: str


def cases(texts: int) -> list[Case]:
    """Return `texts` strings and integers of each group; fewer cases are the first of more.

    >>> [case.text for case in cases(1) if case.group in ("1 to 4", "9 to 16", "10 to 12")]
    ['C#', 'Washington, D.C.', '7905271232']
    """
    return [
        Case(kind, group, text)
        for kind, groups in _pools().items()
        for group, pool in groups.items()
        for text in pool[: min(texts, len(pool) - MOST_SHOTS)]
    ]


def shots(case: Case, count: int) -> list[str]:
    """Return the copied strings of the examples, up to `MOST_SHOTS`, the same for all cases."""
    groups = _pools()[case.kind]
    if case.group in OTHERS:
        return groups[case.group][::-1][:count]
    pools = [*groups.values()]
    return [pools[index][-1] for index in _ORDINARY[case.kind]][:count]


@cache
def _pools() -> dict[str, dict[str, list[str]]]:
    """Return all strings and integers by kind and group, in the order of a hash."""
    strings = {text for case in bfcl.load() for _, args in case.calls for text in _strings(args)}
    plain = [t for t in strings if t.strip() == t and not set(t) & set('"\\\r\n\t')]
    texts = {
        f"{low} to {high}": _ranked(text for text in plain if low <= len(text) <= high)
        for low, high in _SIZES
    }
    sources = {
        text
        for turn in code.load()
        for call in turn.calls
        for text in _strings(dict(call.arguments))
    }
    lines = {line.strip() for text in sources for line in text.split("\n") if '"' in line}
    texts["quotes"] = _ranked(line for line in lines if 9 <= len(line) <= 64)
    blocks = {block for text in sources for block in _blocks(text.split("\n"))}
    texts["lines"] = _ranked(block for block in blocks if '"' in block and len(block) <= 128)
    integers = {
        f"{low} to {high}": _ranked(_integers(range(low, high + 1))) for low, high in _DIGITS
    }
    return {"text": texts, "integer": integers}


def _strings(value: JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _strings(member)


def _blocks(lines: list[str]) -> Iterator[str]:
    """Yield passages of three lines, without common indentation and blank lines."""
    for at in range(0, len(lines) - 2, 3):
        some = lines[at : at + 3]
        if all(line.strip() and "```" not in line for line in some):
            yield dedent("\n".join(some))


def _integers(lengths: Iterable[int]) -> Iterator[str]:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    for digits in lengths:
        # As many of one digit as there are without 0.
        yield from map(str, chance.sample(range(10 ** (digits - 1), 10**digits), 9))


def _ranked(texts: Iterable[str]) -> list[str]:
    return sorted(set(texts), key=lambda text: sha256(f"{SEED}:{text}".encode()).digest())
