"""Print a neutral grammar as Lark, in the part of the dialect that llguidance and python-lark
share.

llguidance reads it for Outlines, vLLM, SGLang and OpenAI's custom tools. Its lexer is greedy and
never backtracks, so each lexical rule is one terminal that ends by itself or at a character that it
cannot contain. `::=` must not occur: some servers would take the text for EBNF.
"""

import re

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
from lton.grammar.regex import regex

_MARKS = ((0, 1), (0, None), (1, None))
_ESCAPES = escapes("\\u{:04x}")


def print_lark(grammar: Grammar) -> str:
    """Return the text of a grammar, one rule or terminal per line."""
    terminals = {rule.name for rule in grammar.rules if rule.lexical}
    return "".join(_rule(rule, terminals) for rule in grammar.rules)


def _rule(rule: Rule, terminals: set[str]) -> str:
    if rule.lexical:
        return f"{_name(rule.name, terminals)}: {_terminal(rule.node)}\n"
    return f"{_name(rule.name, terminals)}: {_options(rule.node, terminals)}\n"


def _name(name: str, terminals: set[str]) -> str:
    spelled = name.replace("-", "_")
    return spelled.upper() if name in terminals else spelled


def _options(node: Node, terminals: set[str]) -> str:
    options = node.options if isinstance(node, Alt) else (node,)
    return " | ".join(_sequence(option, terminals) for option in options)


def _sequence(node: Node, terminals: set[str]) -> str:
    parts = node.parts if isinstance(node, Seq) else (node,)
    return " ".join(_atom(part, terminals) for part in parts)


def _atom(node: Node, terminals: set[str]) -> str:
    match node:
        case Lit(text):
            return f'"{text.translate(_ESCAPES)}"'.replace("::=", "\\u003a:=")
        case Ref(name):
            return _name(name, terminals)
        case Chars() | Repeat(Chars()):
            return _terminal(node)
        case Repeat(item, low, high):
            inner = _atom(item, terminals)
            return _repeated(f"({inner})" if isinstance(item, Repeat) else inner, low, high)
        case _:
            return f"({_options(node, terminals)})"


def _repeated(item: str, low: int, high: int | None) -> str:
    if (low, high) in _MARKS:
        return item + repetition(low, high)
    if high is None:
        return f"{item}~{low} {item}*"
    return f"{item}~{low}" if low == high else f"{item}~{low}..{high}"


# python-lark replaces a hexadecimal escape by its character, which needs an escape itself.
_HEX = re.compile(r"\\\\|\\x(2D|5[B-E])")


def _terminal(node: Node) -> str:
    expression = regex(node, {}).replace("/", "\\/").replace("::=", ":\\x3A=")
    expression = _HEX.sub(lambda m: f"\\{chr(int(m[1], 16))}" if m[1] else m[0], expression)
    # python-lark loses an unescaped backslash before a quotation mark.
    return f"/{expression}/".replace('\\\\"', '\\\\\\"')
