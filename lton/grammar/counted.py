"""Build grammars of counted strings (R-307): a length, a colon, and that many characters.

A context-free grammar cannot read a number and then count. But each digit of the length can add
blocks of 1, 10, 100 or 1,000 characters after the text for the remaining digits: `"1" l2 x100`.
Lengths have no leading zero, so the first digit has its own rules.
"""

from collections.abc import Iterator

from lton.grammar.nodes import (
    Chars,
    Lit,
    Node,
    Ref,
    Repeat,
    Rule,
    make_choice,
    make_sequence,
    repeat,
)

MAX_LENGTH = 999_999
_ANY_CHAR = Chars(r"\x00", negated=True)
_LARGEST_BLOCK = 3
"""The largest block has 1,000 characters (10³), because engines refuse more repetitions."""


def try_build_counted_strings(letter: str, low: int, high: int) -> tuple[Node, list[Rule]]:
    """Build the node and the rules for strings of `low` to `high` characters.

    All ranges can share these rules, because the name of a rule contains its lengths.
    """
    rules: dict[str, Rule] = {}
    options: list[Node] = []
    for digits in range(1, len(str(high)) + 1):
        first = max(low, 10 ** (digits - 1) if digits > 1 else 0)
        last = min(high, 10**digits - 1)
        if first <= last:
            options += _iterate_lengths(letter, digits, first, last, rules)
    return make_choice(*options), list(rules.values())


def _iterate_lengths(
    head: str, digits: int, low: int, high: int, rules: dict[str, Rule]
) -> Iterator[Node]:
    """Group the lengths from `low` to `high` by first digit and yield a node for each group."""
    if digits == 1:
        for length in range(low, high + 1):
            yield make_sequence(Lit(f"{head}{length}:"), *_iterate_repetitions(0, length, rules))
        return
    power = 10 ** (digits - 1)
    for digit in range(low // power, high // power + 1):
        limits = (max(low - digit * power, 0), min(high - digit * power, power - 1))
        below = _rule_for_lower_digits(digits - 1, *limits, rules)
        yield make_sequence(
            Lit(f"{head}{digit}"), below, *_iterate_repetitions(digits - 1, digit, rules)
        )


def _rule_for_lower_digits(digits: int, low: int, high: int, rules: dict[str, Rule]) -> Ref:
    name = f"l{digits}"
    if (low, high) != (0, 10**digits - 1):
        name += f"-{low}-{high}"
    if name not in rules:
        options = list(_iterate_lengths("", digits, low, high, rules))
        rules[name] = Rule(name, make_choice(*options))
    return Ref(name)


def _iterate_repetitions(exponent: int, times: int, rules: dict[str, Rule]) -> Iterator[Node]:
    if not times:
        return
    if exponent == 0:
        yield repeat(_ANY_CHAR, times)
        return
    name = f"x{10**exponent}"
    if name not in rules:
        size = 10 ** min(exponent, _LARGEST_BLOCK)
        rules[name] = Rule(name, Repeat(_ANY_CHAR, size, size), lexical=True)
        if exponent > _LARGEST_BLOCK:
            (smaller,) = _iterate_repetitions(
                _LARGEST_BLOCK, 10 ** (exponent - _LARGEST_BLOCK), rules
            )
            rules[name] = Rule(name, smaller)
    yield repeat(Ref(name), times)
