"""Print grammars in GBNF, the notation of llama.cpp.

Rule names contain hyphens instead of underscores, the first rule is `root`, and no line begins with
`|`.
"""

from lton.grammar.nodes import (
    MAX_REPEATS,
    Alt,
    Chars,
    Grammar,
    Lit,
    Node,
    Ref,
    Repeat,
    Rule,
    Seq,
    escape_table,
    repetition,
    split_repetition,
)

_ESCAPES = escape_table("\\u{:04X}")


_FEW = 10
"""A group gets its own rule if it may repeat more often than this, or contains a repetition.
llama.cpp multiplies the rules of a group by its repetitions, and refuses more than 2,000."""


def print_gbnf(grammar: Grammar) -> str:
    """Print a grammar, one rule per line."""
    start, *rules = grammar.rules
    printer = Printer()
    lines = [printer.rule(rule) for rule in (Rule("root", start.node), *rules)]
    return "".join((*lines, *printer.block_rules()))


class Printer:
    """Prints rules, and adds rules for large repetitions."""

    empty = '""'  # the spelling of the empty string

    def __init__(self) -> None:
        self.blocks: dict[str, str] = {}
        """The names of the rules for repetitions, by the text of the repetition."""

    def block_rules(self) -> list[str]:
        return [f"{name} ::= {body}\n" for body, name in self.blocks.items()]

    def rule(self, rule: Rule) -> str:
        return f"{rule.name} ::= {self.options(rule.node)}\n"

    def options(self, node: Node) -> str:
        if isinstance(node, Alt):
            return " | ".join(map(self.sequence, node.options))
        return self.sequence(node)

    def sequence(self, node: Node) -> str:
        if isinstance(node, Seq):
            return " ".join(map(self.atom, node.parts)) or self.empty
        return self.atom(node)

    def atom(self, node: Node) -> str:
        match node:
            case Lit(text):
                return f'"{text.translate(_ESCAPES)}"'
            case Chars(body, negated):
                return f"[{'^' * negated}{body}]"
            case Ref(name):
                return name
            case Repeat(item, low, high):
                return self.repeat(item, low, high)
            case _:
                return f"({self.options(node)})"

    def repeat(self, item: Node, low: int, high: int | None) -> str:
        most = max(low, high or 0)
        is_group = not isinstance(item, Chars | Lit | Ref)
        inner = self.atom(item)
        is_large = is_group and (most > _FEW or "{" in inner)
        if is_large or isinstance(item, Repeat):  # only llama.cpp reads `x{2}?`
            body = self.options(item)
            inner = self.blocks.setdefault(body, f"block-{len(self.blocks) + 1}")
            item = Ref(inner)
        if most <= MAX_REPEATS:
            return inner + repetition(low, high)
        parts = split_repetition(Repeat(item, low, high))
        return self.sequence(parts) if isinstance(parts, Seq) else self.atom(parts)
