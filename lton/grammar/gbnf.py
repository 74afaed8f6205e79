"""A neutral grammar as GBNF, the dialect of llama.cpp.

Rule names have hyphens and no underscores, the start is `root`, no line begins with `|`.
"""

from lton.grammar.nodes import (
    Alt,
    Chars,
    Grammar,
    Lit,
    Node,
    Ref,
    Repeat,
    Rule,
    Seq,
    escapes,
    repetition,
)

_ESCAPES = escapes("\\x{:02X}")


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
