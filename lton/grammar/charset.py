"""Combine sets of characters and write sets as character classes."""

import re
from collections.abc import Iterable
from string import ascii_letters, digits
from typing import TypeAlias

from lton.grammar.nodes import Chars

CharSet: TypeAlias = tuple[tuple[int, int], ...]
"""Ascending ranges with gaps between them. A range includes both ends."""

_LAST = 0x10FFFF
_PLAIN = frozenset(f"{ascii_letters}{digits} !\"#$%'()*+,./:;<=>?@_`{{}}")
"""Characters that do not need an escape in the character classes of any dialect."""
_MEMBER = r"(\\x..|\\.|.)"
_RANGES = re.compile(rf"{_MEMBER}(?:-{_MEMBER})?", re.DOTALL)
_CONTROLS = {"n": 10, "r": 13, "t": 9}


def make_charset(ranges: Iterable[tuple[int, int]]) -> CharSet:
    """Build the set of the characters in some ranges.

    >>> make_charset([(5, 9), (1, 2), (3, 6)])
    ((1, 9),)
    """
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(high, merged[-1][1])
        else:
            merged.append((low, high))
    return tuple(merged)


def charset_of_string(characters: str) -> CharSet:
    """Return the set of the characters in a string."""
    return make_charset((ord(char), ord(char)) for char in characters)


def invert(chars: CharSet) -> CharSet:
    """Return all characters that are not in the set."""
    edges = [-1, *(edge for pair in chars for edge in pair), _LAST + 1]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    return tuple((low + 1, high - 1) for low, high in gaps if low + 1 < high)


def subtract(chars: CharSet, others: CharSet) -> CharSet:
    """Return the characters that are in the first set and not in the second.

    >>> subtract(charset_of_string("abc"), charset_of_string("b"))
    ((97, 97), (99, 99))
    """
    return invert(make_charset((*invert(chars), *others)))


def members_of_charset(chars: Chars) -> CharSet:
    r"""Return the set of characters that a character class matches.

    >>> members_of_charset(Chars(r"7a-c\x2D"))
    ((45, 45), (55, 55), (97, 99))
    """
    ranges = make_charset(
        (_code_point(low), _code_point(high or low)) for low, high in _RANGES.findall(chars.body)
    )
    return invert(ranges) if chars.negated else ranges


def _code_point(member: str) -> int:
    if member[0] != "\\" or len(member) == 1:
        return ord(member)
    return _CONTROLS.get(member[1]) or (ord(member[1]) if len(member) == 2 else int(member[2:], 16))


def write_charset(chars: CharSet) -> Chars:
    r"""Write a set as a character class. Negate the class if the set contains most characters.

    Escaped characters come last, because some engines would read `\x2D` and a following digit as
    one character.

    >>> write_charset(charset_of_string("a-[7Z")).body
    '7Za\\x2D\\x5B'
    """
    negated = chars[-1][1] == _LAST
    plain: list[str] = []
    escaped: list[str] = []
    for low, high in invert(chars) if negated else chars:
        while high > low and _needs_no_escape(low) and not _needs_no_escape(high):
            escaped.append(_spell_range(high, high))
            high -= 1  # noqa: PLW2901 - the end is written separately
        (plain if _needs_no_escape(low) else escaped).append(_spell_range(low, high))
    return Chars("".join(plain + escaped), negated=negated)


def _needs_no_escape(code: int) -> bool:
    return chr(code) in _PLAIN or code > 0x7F


def _spell_range(low: int, high: int) -> str:
    first, last = (
        chr(code) if _needs_no_escape(code) else f"\\x{code:02X}" for code in (low, high)
    )
    if low == high:
        return first
    return f"{first}-{last}" if high > low + 1 else f"{first}{last}"
