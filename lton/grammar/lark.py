"""Print grammars in the part of Lark that both llguidance and python-lark support.

Outlines, vLLM, SGLang and OpenAI's custom tools use llguidance. The lexer of llguidance is greedy
and never backtracks. So each lexical rule is one terminal that has a definite end, or ends at a
character that it cannot contain. The text must not contain `::=`, because some servers would read
the text as EBNF.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from lton.grammar.gbnf import Printer
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
    escape_table,
    make_choice,
    make_sequence,
    reachable_rules,
    write_repetition,
)
from lton.grammar.regex import write_regex

MAX_OPTIONS = 1000
"""The maximum options of a choice. llguidance has room for 2,000 items, and fails with more."""
_MARKS = ((0, 1), (0, None), (1, None))
_ESCAPES = escape_table("\\u{:04x}")


def write_lark(grammar: Grammar) -> str:
    """Print a grammar, one rule or terminal per line."""
    rules: Sequence[Rule] = [*_iterate_grouped_rules(grammar.rules)]
    if len(rules) > len(grammar.rules):
        rules = reachable_rules(rules)  # for rules that are now only in groups
    return "".join(map(_LarkPrinter(rules).print_rule, rules))


def _iterate_grouped_rules(rules: Sequence[Rule]) -> Iterator[Rule]:
    """Split large choices of calls by the first letters of the tools' names."""
    nodes = {rule.name: rule.node for rule in rules}
    for rule in rules:
        options = rule.node.options if isinstance(rule.node, Alt) else ()
        calls = _calls_by_name(options, nodes)
        if len(calls) == len(options) > MAX_OPTIONS:
            yield from _iterate_rules_by_letter(calls, rule.name)
        else:
            yield rule


def _calls_by_name(
    options: Sequence[Node], nodes: Mapping[str, Node]
) -> list[tuple[str, list[Node]]]:
    """Return the tool's name and the other nodes of each option that is a call."""
    calls = [nodes[option.name] for option in options if isinstance(option, Ref)]
    heads = [(call.parts[0], call.parts[1:]) for call in calls if isinstance(call, Seq)]
    return [(name.text, [*others]) for name, others in heads if isinstance(name, Lit)]


def _iterate_rules_by_letter(calls: Sequence[tuple[str, list[Node]]], rule: str) -> Iterator[Rule]:
    """Yield the rules for calls, each given as the rest of the tool's name and more nodes."""
    if len(calls) <= MAX_OPTIONS:
        yield Rule(
            rule,
            make_choice(
                *(make_sequence(Lit(name) if name else None, *nodes) for name, nodes in calls)
            ),
        )
        return
    by_letter: dict[str, list[tuple[str, list[Node]]]] = {}
    for name, nodes in calls:
        by_letter.setdefault(name[:1], []).append((name[1:], nodes))
    groups = [(letter, Ref(f"{rule}-{rank}")) for rank, letter in enumerate(by_letter, 1)]
    yield Rule(
        rule,
        make_choice(
            *(make_sequence(Lit(letter) if letter else None, ref) for letter, ref in groups)
        ),
    )
    for letter, ref in groups:
        yield from _iterate_rules_by_letter(by_letter[letter], ref.name)


class _LarkPrinter(Printer):
    empty = ""

    def __init__(self, rules: Sequence[Rule]) -> None:
        super().__init__()
        self.terminals = {rule.name for rule in rules if rule.lexical}

    def print_rule(self, rule: Rule) -> str:
        body = _write_terminal(rule.node) if rule.lexical else self.print_options(rule.node)
        return f"{self.rule_name_in_lark(rule.name)}: {body}\n"

    def rule_name_in_lark(self, name: str) -> str:
        spelled = name.replace("-", "_")
        return spelled.upper() if name in self.terminals else spelled

    def print_atom(self, node: Node) -> str:
        match node:
            case Lit(text):
                return f'"{text.translate(_ESCAPES)}"'.replace("::=", "\\u003a:=")
            case Ref(name):
                return self.rule_name_in_lark(name)
            case Chars() | Repeat(Chars()):
                return _write_terminal(node)
        return super().print_atom(node)

    def print_repeat(self, item: Node, low: int, high: int | None) -> str:
        inner = f"({self.print_atom(item)})" if isinstance(item, Repeat) else self.print_atom(item)
        if (low, high) in _MARKS:
            return inner + write_repetition(low, high)
        if high is None:
            return f"{inner}~{low} {inner}*"
        return f"{inner}~{low}" if low == high else f"{inner}~{low}..{high}"


# python-lark replaces a hexadecimal escape by its character, which needs an escape itself.
_HEX = re.compile(r"\\\\|\\x(2D|5[B-E])")


def _write_terminal(node: Node) -> str:
    expression = write_regex(node, {}).replace("/", "\\/").replace("::=", ":\\x3A=")
    expression = _HEX.sub(lambda m: f"\\{chr(int(m[1], 16))}" if m[1] else m[0], expression)
    # python-lark drops an unescaped backslash before a quotation mark.
    return f"/{expression}/".replace('\\\\"', '\\\\\\"')
