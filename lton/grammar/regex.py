"""Print grammars without recursion as one regular expression.

Python, Rust's `regex` (llguidance, outlines-core, OpenAI) and JavaScript read the result in the
same way. It contains no lookaround, no lazy or possessive repetition, and no `.` as a wildcard.
"""

import re
from collections.abc import Mapping, Sequence

from lton.errors import Code, GrammarError
from lton.grammar.nodes import (
    Alt,
    Chars,
    Grammar,
    Lit,
    Node,
    Repeat,
    Seq,
    iterate_sorted_rules,
    rules_used_in,
    write_repetition,
)

MAX_SIZE = 1_000_000
"""The maximum length of the expression in characters. Each use of a rule repeats its expression."""
MAX_WRITTEN = 100_000_000
"""The maximum length of the expressions of all rules together, in characters."""

_META = re.compile(r"[\\^$.|?*+()\[\]{}]")
_WORD = re.compile(r"(?:[^\\^$.|?*+()\[\]{}]|\\.)*+", re.DOTALL)
_CONTROL = {code: f"\\x{code:02X}" for code in (*range(0x20), 0x7F)} | {10: "\\n"}


def print_regex(grammar: Grammar) -> str:
    """Print a grammar as a regular expression that matches whole answers.

    Raises `GrammarError` if the grammar is not regular, and if the text is too long.
    """
    rules = {rule.name: rule.node for rule in grammar.rules}
    patterns: dict[str, str] = {}
    budget = MAX_WRITTEN
    text = ""
    for name in iterate_sorted_rules(rules):
        if any(ref not in patterns for ref in rules_used_in(rules[name])):
            reason = f"no regular expression: {name!r} may contain itself"
            raise GrammarError(Code.GRAMMAR, reason)
        text = patterns[name] = write_regex(rules[name], patterns)
        budget -= len(text)
        if len(text) > MAX_SIZE or budget < 0:
            reason = f"no regular expression: it would have more than {MAX_SIZE} characters"
            raise GrammarError(Code.GRAMMAR, reason)
    return text


def write_regex(node: Node, rules: Mapping[str, str]) -> str:
    """Print a node as a regular expression. `rules` has the expressions of other rules."""
    match node:
        case Lit(text):
            return _META.sub(r"\\\g<0>", text).translate(_CONTROL)
        case Chars(body, negated):
            return f"[^{body}]" if negated else f"[{body}]"
        case Seq(parts):
            return "".join(write_regex(part, rules) for part in parts)
        case Alt(options):
            alternatives = _sort_alternatives([write_regex(option, rules) for option in options])
            return f"(?:{'|'.join(alternatives)})"
        case Repeat(item, low, high):
            inner = write_regex(item, rules)
            return (inner if _is_atom(item) else f"(?:{inner})") + write_repetition(low, high)
        case _:
            return rules[node.name]


def _is_atom(node: Node) -> bool:
    """Return whether the expression of a node can be repeated without a group."""
    if isinstance(node, Lit):
        return len(node.text) == 1
    return isinstance(node, Chars | Alt)


def _sort_alternatives(options: Sequence[str]) -> Sequence[str]:
    """Sort alternatives so that each one comes before its own prefixes."""
    words = sorted(filter(_WORD.fullmatch, options))
    if not any(map(str.startswith, words[1:], words)):
        return options
    longest = iter(reversed(words))
    return [next(longest) if _WORD.fullmatch(option) else option for option in options]
