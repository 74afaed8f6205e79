"""A neutral grammar as one regular expression, where nothing in it holds itself.

What is written is read alike by Python, by Rust's `regex` (llguidance, outlines-core, OpenAI) and
by JavaScript: no look-around, no lazy or possessive repetition, `.` stands for itself.
"""

import re
from collections.abc import Mapping

from lton.grammar.nodes import Alt, Chars, Grammar, Lit, Node, Ref, Repeat, Seq, repetition

MAX_SIZE = 1_000_000
"""Characters of an expression: every use of a rule repeats it."""

_META = re.compile(r"[\\^$.|?*+()\[\]{}]")
_CONTROL = {code: f"\\x{code:02X}" for code in (*range(0x20), 0x7F)} | {10: "\\n"}


def print_regex(grammar: Grammar) -> str:
    """Get the text of an expression that matches whole texts of the grammar.

    Raises `ValueError` if the language is not regular, or the expression too long.
    """
    rules = {rule.name: rule.node for rule in grammar.rules}
    done: dict[str, str] = {}
    text = ""
    # Rules refer to those above and below them: each is printed when those in it are.
    open_rules = [grammar.rules[0].name]
    while open_rules:
        name = open_rules[-1]
        missing = [ref for ref in references(rules[name]) if ref not in done]
        if any(ref in open_rules for ref in missing):
            raise ValueError(f"no regular expression: {name!r} may hold itself")
        if missing:
            open_rules.append(missing[0])
            continue
        text = done[open_rules.pop()] = regex(rules[name], done)
        if len(text) > MAX_SIZE:
            raise ValueError(f"no regular expression: it had more than {MAX_SIZE} characters")
    return text


def references(node: Node) -> list[str]:
    """Get the names of the rules that a node refers to."""
    match node:
        case Ref(name):
            return [name]
        case Seq(parts) | Alt(parts):
            return [name for part in parts for name in references(part)]
        case Repeat(item):
            return references(item)
        case _:
            return []


def regex(node: Node, rules: Mapping[str, str]) -> str:
    """Get the expression of a node; `rules` has those of the rules that it refers to."""
    match node:
        case Lit(text):
            return _META.sub(r"\\\g<0>", text).translate(_CONTROL)
        case Chars(body, negated):
            return f"[{'^' * negated}{body}]"
        case Seq(parts):
            return "".join(regex(part, rules) for part in parts)
        case Alt(options):
            return f"(?:{'|'.join(regex(option, rules) for option in options)})"
        case Repeat(item, low, high):
            inner = regex(item, rules)
            is_one = isinstance(item, Chars | Alt) or (
                isinstance(item, Lit) and len(item.text) == 1
            )
            return (inner if is_one else f"(?:{inner})") + repetition(low, high)
        case _:
            return rules[node.name]
