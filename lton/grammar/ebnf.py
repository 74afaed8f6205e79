"""Print grammars in xgrammar's EBNF, arranged so that xgrammar can compute masks quickly.

Theory of operation. For each state that reads a character, xgrammar classifies the vocabulary once:
a token is accepted, is rejected, or continues after the end of the rule. Tokens of the third kind
are tried again for every mask. So each rule ends with a lookahead for the characters that may
follow the rule (`(=[ )])`), which decides most of these tokens. A separator and the string after it
form one shared rule, instead of a state for each tool. The grammar still describes the same text.
spec/DECISIONS.md has the figures.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from lton._syntax import SKIP
from lton.grammar.charset import charset_of_string, make_charset, members_of_charset, write_charset
from lton.grammar.gbnf import Printer
from lton.grammar.nodes import (
    EITHER,
    Alt,
    Chars,
    Grammar,
    Lit,
    Node,
    Ref,
    Repeat,
    Rule,
    Seq,
    iterate_sorted_rules,
    make_choice,
    make_sequence,
)

_SEPARATORS = (Lit(" "), Lit(", "), EITHER)
_Ranges: TypeAlias = frozenset[tuple[int, int]]


def write_ebnf(grammar: Grammar, *, start: str = "root") -> str:
    """Print a grammar, one rule per line. `start` is the name of the first rule."""
    first, *rules = _Separated(grammar).rules
    ahead = _Follow([first, *rules]).chars
    printer = Printer()
    lines = [printer.print_rule(Rule(start, first.node))]
    for rule in rules:
        chars = printer.print_atom(write_charset(make_charset(ahead[rule.name])))
        lines.append(f"{rule.name} ::= {printer.print_options(rule.node)} (={chars})\n")
    return "".join((*lines, *printer.rules_for_blocks()))


class _Separated:
    def __init__(self, grammar: Grammar) -> None:
        self.strings = {rule.name for rule in grammar.rules if rule.lexical}
        self.names: dict[tuple[Node, Node], str] = {}
        """The rules added by this printer, by their two parts."""
        self.rules = [Rule(rule.name, self.separate_node(rule.node)) for rule in grammar.rules]
        for (separator, value), name in self.names.items():
            node = make_choice(
                *(
                    make_sequence(self.separate_node(separator), option)
                    for option in _options_of(value)
                )
            )
            self.rules.append(Rule(name, node))

    def separate_node(self, node: Node) -> Node:
        match node:
            case Seq(parts):
                return make_sequence(*self.iterate_separated_parts(parts))
            case Alt(options):
                return (
                    Chars(" ,")
                    if node == EITHER
                    else make_choice(*map(self.separate_node, options))
                )
            case Repeat(item, low, high):
                return Repeat(self.separate_node(item), low, high)
            case _:
                return node

    def iterate_separated_parts(self, parts: Sequence[Node]) -> Iterator[Node]:
        waiting = None
        for part in parts:
            if waiting and self.is_shared(part):
                name = self.names.setdefault((waiting, part), f"next-{len(self.names) + 1}")
                waiting = None
                yield Ref(name)
                continue
            if waiting:
                yield self.separate_node(waiting)
            waiting = part if part in _SEPARATORS else None
            if not waiting:
                yield self.separate_node(part)
        if waiting:
            yield self.separate_node(waiting)

    def is_shared(self, value: Node) -> bool:
        return any(
            option == Lit(SKIP) or (isinstance(option, Ref) and option.name in self.strings)
            for option in _options_of(value)
        )


def _options_of(node: Node) -> Sequence[Node]:
    return node.options if isinstance(node, Alt) else (node,)


class _After(NamedTuple):
    """The characters that may come next, and whether the rule may end."""

    chars: _Ranges
    is_end: bool


_LINE_END = frozenset(charset_of_string("\n"))
"""The characters after an answer, because each call in a structural tag is on its own line."""


class _Follow:
    """Computes which characters may follow each rule."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.nodes = {rule.name: rule.node for rule in rules}
        self.firsts: dict[str, _After] = {}
        self.chars: defaultdict[str, _Ranges] = defaultdict(frozenset)
        self.ends: defaultdict[str, set[str]] = defaultdict(set)
        """By rule, the rules that may end it. What follows the rule may also follow those."""
        for name in iterate_sorted_rules(self.nodes):
            self.firsts[name] = self.first_chars(self.nodes[name])
        for name, node in self.nodes.items():
            self.record_follow(node, _After(frozenset(), is_end=True), name)
        self.chars[rules[0].name] |= _LINE_END
        waiting = list(self.nodes)
        while waiting:
            name = waiting.pop()
            for last in self.ends[name]:
                if not self.chars[name] <= self.chars[last]:
                    self.chars[last] |= self.chars[name]
                    waiting.append(last)

    def record_follow(self, node: Node, after: _After, inside: str) -> None:
        """Record which characters may follow the rules in a node; `after` may follow the node."""
        match node:
            case Ref(name):
                self.chars[name] |= after.chars
                if after.is_end:
                    self.ends[inside].add(name)
            case Seq(parts):
                for part in reversed(parts):
                    self.record_follow(part, after, inside)
                    first = self.first_chars(part)
                    after = _join_firsts(first, after) if first.is_end else first
            case Alt(options):
                for option in options:
                    self.record_follow(option, after, inside)
            case Repeat(item, _, high):
                self.record_follow(
                    item,
                    after if high == 1 else _join_firsts(self.first_chars(item), after),
                    inside,
                )

    def first_chars(self, node: Node) -> _After:
        match node:
            case Ref(name):
                return self.first_chars_of_rule(name)
            case Lit(text):
                return _After(frozenset(charset_of_string(text[:1])), is_end=not text)
            case Chars():
                return _After(frozenset(members_of_charset(node)), is_end=False)
            case Seq(parts):
                firsts = list(self.iterate_first_chars(parts))
                return _unite_firsts(firsts, is_end=all(first.is_end for first in firsts))
            case Alt(options):
                firsts = [self.first_chars(option) for option in options]
                return _unite_firsts(firsts, is_end=any(first.is_end for first in firsts))
            case _:
                first = self.first_chars(node.item)
                return _After(first.chars, is_end=first.is_end or not node.low)

    def first_chars_of_rule(self, name: str) -> _After:
        if name not in self.firsts:
            self.firsts[name] = self.first_chars(self.nodes[name])
        return self.firsts[name]

    def iterate_first_chars(self, parts: Iterable[Node]) -> Iterator[_After]:
        for part in parts:
            first = self.first_chars(part)
            yield first
            if not first.is_end:
                return


def _unite_firsts(firsts: Iterable[_After], *, is_end: bool) -> _After:
    return _After(frozenset().union(*(first.chars for first in firsts)), is_end)


def _join_firsts(one: _After, other: _After) -> _After:
    return _After(one.chars | other.chars, other.is_end)
