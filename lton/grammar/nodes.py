"""Define the nodes of grammars, which are independent of the notation.

A `lexical` rule is regular and contains no `Ref`, so that dialects with a lexer can print the rule
as one terminal. Adjacent literals stay separate. If `" "` and `"unit="` were one literal, a greedy
lexer could not distinguish this literal from a space and the word `umbrella`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Lit:
    """A string that the text must contain exactly."""

    text: str


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a class, whose body is written as in `lton._syntax`."""

    body: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to a rule."""

    name: str


@dataclass(frozen=True, slots=True)
class Seq:
    """A sequence of nodes."""

    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Alt:
    """A choice between nodes."""

    options: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Repeat:
    """A node that is repeated `low` to `high` times. None means no limit."""

    item: "Node"
    low: int = 0
    high: int | None = None


Node: TypeAlias = Lit | Chars | Ref | Seq | Alt | Repeat


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: a node with a name of lower-case letters, digits and hyphens."""

    name: str
    node: Node
    lexical: bool = False


@dataclass(frozen=True, slots=True)
class Grammar:
    """The rules of a grammar, beginning with the start rule."""

    rules: tuple[Rule, ...]


def reachable_rules(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Return the first rule and all rules that it uses, in the given order."""
    reachable = set(iterate_sorted_rules({rule.name: rule.node for rule in rules}))
    return tuple(rule for rule in rules if rule.name in reachable)


def iterate_sorted_rules(rules: Mapping[str, Node]) -> Iterator[str]:
    """Sort the names of rules so that a rule comes after the rules that it uses."""
    first = next(iter(rules))
    visited = {first}
    path = [(first, iter(rules_used_in(rules[first])))]
    while path:
        ref = next((ref for ref in path[-1][1] if ref not in visited), None)
        if ref is None:
            yield path.pop()[0]
        else:
            visited.add(ref)
            path.append((ref, iter(rules_used_in(rules[ref]))))


def rules_used_in(node: Node) -> list[str]:
    """Return the names of the rules that a node uses."""
    match node:
        case Ref(name):
            return [name]
        case Seq(parts) | Alt(parts):
            return [name for part in parts for name in rules_used_in(part)]
        case Repeat(item):
            return rules_used_in(item)
        case _:
            return []


EITHER = Alt((Lit(" "), Lit(",")))
"""A separator after a closing mark (§6), not a class, in which a lexer would not find the space."""


def make_sequence(*parts: Node | None) -> Node:
    """Build a sequence of the nodes that are not None."""
    flat: list[Node] = []
    for part in parts:
        if part is not None:
            flat += part.parts if isinstance(part, Seq) else (part,)
    return flat[0] if len(flat) == 1 else Seq(tuple(flat))


def make_choice(*options: Node) -> Node:
    """Build a choice between nodes."""
    flat: list[Node] = []
    for option in options:
        flat += option.options if isinstance(option, Alt) else (option,)
    return flat[0] if len(flat) == 1 else Alt(tuple(flat))


def make_optional(node: Node) -> Node:
    """Build an optional node."""
    return Repeat(node, 0, 1)


def repeat_many(node: Node) -> Node:
    """Repeat a node any number of times."""
    return Repeat(node)


def repeat_separated(item: Node, separator: Node) -> Node:
    """Repeat a node once or more, with a separator between each two repetitions."""
    return make_sequence(item, repeat_many(make_sequence(separator, item)))


def repeat(node: Node, times: int) -> Node:
    """Repeat a node exactly `times` times."""
    return node if times == 1 else Repeat(node, times, times)


def repeat_between(node: Node, low: int, high: int | None) -> Node:
    """Repeat a node `low` to `high` times.

    >>> (repeat_between(Repeat(Lit("a"), 1, None), 0, None),
    ...     repeat_between(Repeat(Lit("a"), 2, 2), 3, 3))
    (Repeat(item=Lit(text='a'), low=0, high=None), Repeat(item=Lit(text='a'), low=6, high=6))
    """
    if (low, high) == (1, 1):
        return node
    match node:
        # The numbers of repetitions that are possible must have no gaps.
        case Repeat(item, least, most) if (
            low == high
            or least <= 1
            or (low and (most is None or least - 1 <= low * (most - least)))
        ):
            return Repeat(item, low * least, None if most is None or high is None else most * high)
    return Repeat(node, low, high)


# --- common to the dialects -------------------------------------------------------------------


def escape_table(control: str) -> dict[int, str]:
    """Return the table for `str.translate` that escapes literals."""
    table = {code: control.format(code) for code in (*range(0x20), 0x7F)}
    return table | str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


MAX_REPEATS = 1000
"""The largest limit of a repetition. llama.cpp ignores or refuses limits above twice this."""


def split_repetition(repeat: Repeat) -> Node:
    """Split a repetition into parts of at most `MAX_REPEATS` repetitions."""
    fixed = _repeat_exactly(repeat.item, repeat.low)
    optional = None if repeat.high is None else repeat.high - repeat.low
    return make_sequence(*fixed, _repeat_up_to(repeat.item, optional))


def _repeat_exactly(item: Node, count: int) -> list[Node]:
    blocks, remainder = divmod(count, MAX_REPEATS)
    parts = [repeat(Repeat(item, MAX_REPEATS, MAX_REPEATS), blocks)] if blocks else []
    return [*parts, repeat(item, remainder)] if remainder else parts


def _repeat_up_to(item: Node, count: int | None) -> Node | None:
    if count is None or count < MAX_REPEATS:
        return Repeat(item, 0, count) if count != 0 else None
    blocks, remainder = divmod(count + 1, MAX_REPEATS)
    block = Repeat(item, MAX_REPEATS, MAX_REPEATS)
    short = make_sequence(
        Repeat(block, 0, blocks - 1) if blocks > 1 else None, Repeat(item, 0, MAX_REPEATS - 1)
    )
    longer = (
        [make_sequence(repeat(block, blocks), _repeat_up_to(item, remainder - 1))]
        if remainder
        else []
    )
    return make_choice(short, *longer)


def write_repetition(low: int, high: int | None) -> str:
    """Write the suffix of a repeated item, as in GBNF and regular expressions."""
    short = {(0, 1): "?", (0, None): "*", (1, None): "+", (1, 1): ""}
    if (low, high) in short:
        return short[low, high]
    if low == high:
        return f"{{{low}}}"
    return f"{{{low},}}" if high is None else f"{{{low},{high}}}"
