"""The neutral grammar: what every dialect can say, as records. `build` makes it, printers read it.

A `Lexical` rule is regular and holds no `Ref`: dialects with a lexer print it as one terminal.
Literals that stand side by side stay apart, because a greedy lexer that saw `" "` and `"unit="`
as one could not tell it from a space and the word `umbrella`.
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Lit:
    """A literal text."""

    text: str


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a class. `body` is spelled as `lton._syntax` spells class bodies."""

    body: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Ref:
    """The rule of a name."""

    name: str


@dataclass(frozen=True, slots=True)
class Seq:
    """Nodes one after the other."""

    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Alt:
    """Any one of some nodes."""

    options: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Repeat:
    """`low` to `high` times; `high` None is without end."""

    item: "Node"
    low: int = 0
    high: int | None = None


Node: TypeAlias = Lit | Chars | Ref | Seq | Alt | Repeat


@dataclass(frozen=True, slots=True)
class Rule:
    """A named node. Names are lower-case letters, digits and hyphens."""

    name: str
    node: Node
    lexical: bool = False


@dataclass(frozen=True, slots=True)
class Grammar:
    """Rules, of which the first is the start."""

    rules: tuple[Rule, ...]


def seq(*parts: Node | None) -> Node:
    """Put nodes one after the other, without what is None; a sequence inside is spliced in."""
    flat: list[Node] = []
    for part in parts:
        if part is not None:
            flat += part.parts if isinstance(part, Seq) else (part,)
    return flat[0] if len(flat) == 1 else Seq(tuple(flat))


def alt(*options: Node) -> Node:
    """Make a choice; a choice inside is spliced in."""
    flat: list[Node] = []
    for option in options:
        flat += option.options if isinstance(option, Alt) else (option,)
    return flat[0] if len(flat) == 1 else Alt(tuple(flat))


def opt(node: Node) -> Node:
    """Make a node that may be missing."""
    return Repeat(node, 0, 1)


def many(node: Node) -> Node:
    """Make a node that may stand any number of times."""
    return Repeat(node)


# --- what the dialects print alike --------------------------------------------------------------


def escapes(control: str) -> dict[int, str]:
    """Get the table that escapes a literal; `control` formats the code of a control character."""
    table = {code: control.format(code) for code in (*range(0x20), 0x7F)}
    return table | str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def repetition(low: int, high: int | None) -> str:
    """Get the mark behind what is repeated, as GBNF and regular expressions have it."""
    short = {(0, 1): "?", (0, None): "*", (1, None): "+", (1, 1): ""}
    if (low, high) in short:
        return short[low, high]
    return f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"
