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
    split_repetition,
    write_repetition,
)

_ESCAPES = escape_table("\\u{:04X}")


_FEW = 10
"""A group gets its own rule if it may repeat more often than this, or contains a repetition.
llama.cpp multiplies the rules of a group by its repetitions, and refuses more than 2,000."""


def write_gbnf(grammar: Grammar) -> str:
    """Print a grammar, one rule per line."""
    start, *rules = grammar.rules
    printer = Printer()
    lines = [printer.print_rule(rule) for rule in (Rule("root", start.node), *rules)]
    return "".join((*lines, *printer.rules_for_blocks()))


class Printer:
    """Prints rules, and adds rules for large repetitions."""

    empty = '""'  # the spelling of the empty string

    def __init__(self) -> None:
        self.blocks: dict[str, str] = {}
        """The names of the rules for repetitions, by the text of the repetition."""

    def rules_for_blocks(self) -> list[str]:
        return [f"{name} ::= {body}\n" for body, name in self.blocks.items()]

    def print_rule(self, rule: Rule) -> str:
        return f"{rule.name} ::= {self.print_options(rule.node)}\n"

    def print_options(self, node: Node) -> str:
        if isinstance(node, Alt):
            return " | ".join(map(self.print_sequence, node.options))
        return self.print_sequence(node)

    def print_sequence(self, node: Node) -> str:
        if isinstance(node, Seq):
            return " ".join(map(self.print_atom, node.parts)) or self.empty
        return self.print_atom(node)

    def print_atom(self, node: Node) -> str:
        match node:
            case Lit(text):
                return f'"{text.translate(_ESCAPES)}"'
            case Chars(body, negated):
                return f"[{'^' * negated}{body}]"
            case Ref(name):
                return name
            case Repeat(item, low, high):
                return self.print_repeat(item, low, high)
            case _:
                return f"({self.print_options(node)})"

    def print_repeat(self, item: Node, low: int, high: int | None) -> str:
        most = max(low, high or 0)
        is_group = not isinstance(item, Chars | Lit | Ref)
        inner = self.print_atom(item)
        is_large = is_group and (most > _FEW or "{" in inner)
        if is_large or isinstance(item, Repeat):  # only llama.cpp reads `x{2}?`
            body = self.print_options(item)
            inner = self.blocks.setdefault(body, f"block-{len(self.blocks) + 1}")
            item = Ref(inner)
        if most <= MAX_REPEATS:
            return inner + write_repetition(low, high)
        parts = split_repetition(Repeat(item, low, high))
        return self.print_sequence(parts) if isinstance(parts, Seq) else self.print_atom(parts)
