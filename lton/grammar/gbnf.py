"""A neutral grammar as GBNF, the dialect of llama.cpp.

Rule names have hyphens and no underscores, the start is `root`, no line begins with `|`.
"""

from lton.grammar.nodes import Alt, Chars, Grammar, Lit, Node, Ref, Repeat, Rule, Seq

_ESCAPES = {code: f"\\x{code:02X}" for code in (*range(0x20), 0x7F)} | str.maketrans(
    {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
)


def print_gbnf(grammar: Grammar) -> str:
    """Get the text of a grammar, one rule a line."""
    start, *rules = grammar.rules
    return "".join(map(_rule, (Rule("root", start.node), *rules)))


def _rule(rule: Rule) -> str:
    return f"{rule.name} ::= {_options(rule.node)}\n"


def _options(node: Node) -> str:
    return " | ".join(map(_sequence, node.options)) if isinstance(node, Alt) else _sequence(node)


def _sequence(node: Node) -> str:
    if isinstance(node, Seq):
        return " ".join(map(_atom, node.parts)) or '""'
    return _atom(node)


def _atom(node: Node) -> str:
    match node:
        case Lit(text):
            return f'"{text.translate(_ESCAPES)}"'
        case Chars(body, negated):
            return f"[{'^' * negated}{body}]"
        case Ref(name):
            return name
        case Repeat(item, low, high):
            return _atom(item) + repetition(low, high)
        case _:
            return f"({_options(node)})"


def repetition(low: int, high: int | None) -> str:
    """Get the mark behind what is repeated, as GBNF and regular expressions have it."""
    short = {(0, 1): "?", (0, None): "*", (1, None): "+", (1, 1): ""}
    if (low, high) in short:
        return short[low, high]
    return f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"
