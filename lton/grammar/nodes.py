"""The nodes of a neutral grammar, which every dialect can express. `build` builds the grammar, and
printers read it.

A `lexical` rule is regular and contains no `Ref`, so that dialects with a lexer can print the rule
as one terminal. Adjacent literals stay separate. If `" "` and `"unit="` were one literal, a greedy
lexer could not distinguish this literal from a space and the word `umbrella`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Lit:
    """A literal string."""

    text: str


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a class. `body` has the notation of the class bodies in `lton._syntax`."""

    body: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to a rule."""

    name: str


@dataclass(frozen=True, slots=True)
class Seq:
    """Several nodes in a row."""

    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Alt:
    """Any one of several nodes."""

    options: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Repeat:
    """`low` to `high` repetitions of a node. None means no limit."""

    item: "Node"
    low: int = 0
    high: int | None = None


Node: TypeAlias = Lit | Chars | Ref | Seq | Alt | Repeat


@dataclass(frozen=True, slots=True)
class Rule:
    """A named node. Names consist of lower-case letters, digits and hyphens."""

    name: str
    node: Node
    lexical: bool = False


@dataclass(frozen=True, slots=True)
class Grammar:
    """A list of rules, beginning with the start rule."""

    rules: tuple[Rule, ...]


def used(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Return the first rule and all rules that it needs, in the given order."""
    found = set(in_order({rule.name: rule.node for rule in rules}))
    return tuple(rule for rule in rules if rule.name in found)


def in_order(rules: Mapping[str, Node]) -> Iterator[str]:
    """Yield the names of rules, each after the rules that it refers to, except in a cycle."""
    first = next(iter(rules))
    seen, path = {first}, [(first, iter(references(rules[first])))]
    while path:
        ref = next((ref for ref in path[-1][1] if ref not in seen), None)
        if ref is None:
            yield path.pop()[0]
        else:
            seen.add(ref)
            path.append((ref, iter(references(rules[ref]))))


def references(node: Node) -> list[str]:
    """Return the names of the rules that a node refers to."""
    match node:
        case Ref(name):
            return [name]
        case Seq(parts) | Alt(parts):
            return [name for part in parts for name in references(part)]
        case Repeat(item):
            return references(item)
        case _:
            return []


EITHER = Alt((Lit(" "), Lit(",")))
"""A separator after a closing mark (§6), not a class, in which a lexer would not find the space."""


def seq(*parts: Node | None) -> Node:
    """Build a sequence of nodes, without None. Nested sequences are merged."""
    flat: list[Node] = []
    for part in parts:
        if part is not None:
            flat += part.parts if isinstance(part, Seq) else (part,)
    return flat[0] if len(flat) == 1 else Seq(tuple(flat))


def alt(*options: Node) -> Node:
    """Build a choice. Nested choices are merged."""
    flat: list[Node] = []
    for option in options:
        flat += option.options if isinstance(option, Alt) else (option,)
    return flat[0] if len(flat) == 1 else Alt(tuple(flat))


def opt(node: Node) -> Node:
    """Build an optional node."""
    return Repeat(node, 0, 1)


def many(node: Node) -> Node:
    """Build the repetition of a node any number of times."""
    return Repeat(node)


def separated(item: Node, separator: Node) -> Node:
    """Build the repetition of a node once or more, with a separator in between."""
    return seq(item, many(seq(separator, item)))


def repeat(node: Node, times: int) -> Node:
    """Build the repetition of a node exactly `times` times. `times` is at least 1."""
    return node if times == 1 else Repeat(node, times, times)


def times(node: Node, low: int, high: int | None) -> Node:
    """Build a repetition. A repetition of a repetition is merged if the result is equivalent.

    >>> times(Repeat(Lit("a"), 1, None), 0, None), times(Repeat(Lit("a"), 2, 2), 3, 3)
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


def escapes(control: str) -> dict[int, str]:
    """Return the table that escapes a literal. `control` is the format of control characters."""
    table = {code: control.format(code) for code in (*range(0x20), 0x7F)}
    return table | str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


MAX_REPEATS = 1000
"""The largest limit of a repetition. llama.cpp ignores or refuses limits above twice this."""


def split(repeat: Repeat) -> Node:
    """Return an equivalent node in which no repetition exceeds `MAX_REPEATS`."""
    low, high = repeat.low, repeat.high
    fixed = _times(repeat.item, low)
    return seq(*fixed, _up_to(repeat.item, None if high is None else high - low))


def _times(item: Node, count: int) -> list[Node]:
    blocks, rest = divmod(count, MAX_REPEATS)
    parts = [repeat(Repeat(item, MAX_REPEATS, MAX_REPEATS), blocks)] if blocks else []
    return [*parts, repeat(item, rest)] if rest else parts


def _up_to(item: Node, count: int | None) -> Node | None:
    if count is None or count < MAX_REPEATS:
        return Repeat(item, 0, count) if count != 0 else None
    blocks, rest = divmod(count + 1, MAX_REPEATS)
    block = Repeat(item, MAX_REPEATS, MAX_REPEATS)
    short = seq(
        Repeat(block, 0, blocks - 1) if blocks > 1 else None, Repeat(item, 0, MAX_REPEATS - 1)
    )
    longer = [seq(repeat(block, blocks), _up_to(item, rest - 1))] if rest else []
    return alt(short, *longer)


def repetition(low: int, high: int | None) -> str:
    """Return the suffix for a repeated item in GBNF and regular expressions."""
    short = {(0, 1): "?", (0, None): "*", (1, None): "+", (1, 1): ""}
    if (low, high) in short:
        return short[low, high]
    return f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"
