"""Recognize texts by GBNF, independently of the engines.

It tries every way to match: from a position it gets the set of all positions where a match can end.
So it has no lexer, no tokens, no limits, and shares nothing with any engine. It reads what
`lton.grammar` emits, one rule a line, and not all of GBNF. The lookaheads of xgrammar's EBNF hold
here in earnest: a rule that one of those characters does not follow has not matched.
"""

import re
from collections.abc import Callable, Collection
from typing import TypeAlias

Ends: TypeAlias = Collection[int]
Node: TypeAlias = Callable[[int], Ends]
"""From a position in the text to every position where a match can end."""

_LEXEMES = re.compile(
    r'\s*(?:"((?:[^"\\]|\\.)*)"|(\[(?:[^\]\\]|\\.)*\])|([\w-]+)|(.))', re.ASCII | re.DOTALL
)
_LOOKAHEAD = re.compile(r" \(=(\[(?:[^\]\\]|\\.)+\])\)\Z")
_REPETITION = re.compile(r"([*+?])|\{(\d+)(,?)(\d*)\}")
_TIMES = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def recogniser(grammar: str) -> Callable[[str], bool]:
    r"""Return a function that says whether a text is in the language of a grammar.

    >>> accepts = recogniser('root ::= "f" (" " x)*\nx ::= [0-9]{2} | "_"\n')
    >>> accepts("f 12 _"), accepts("f 123"), accepts("f ")
    (True, False, False)
    """
    return _Recogniser(grammar).accepts


class _Recogniser:
    """The rules as functions, the current text, and cached matches in this text."""

    def __init__(self, grammar: str) -> None:
        self.text = ""
        self.found: dict[tuple[str, int], Ends] = {}
        self.rules: dict[str, Node] = {}
        for line in grammar.removesuffix("\n").split("\n"):
            name, body = line.split(" ::= ", 1)
            self.body, *ahead = _LOOKAHEAD.split(body)
            self.pos = 0
            rule = self.alternatives("")
            self.rules[name] = self.followed(rule, ahead[0]) if ahead else rule

    def accepts(self, text: str) -> bool:
        self.text = text
        self.found.clear()
        return len(text) in self.rules["root"](0)

    # --- reading a rule ---------------------------------------------------------------------

    def peek(self) -> str:
        return self.body[self.pos :].lstrip()[:1]

    def next(self) -> re.Match[str]:
        match = _LEXEMES.match(self.body, self.pos)
        assert match is not None
        self.pos = match.end()
        return match

    def alternatives(self, closer: str) -> Node:
        options = [self.sequence(closer)]
        while self.peek() == "|":
            self.next()
            options.append(self.sequence(closer))
        if len(options) == 1:
            return options[0]
        return lambda pos: _union([ends for option in options if (ends := option(pos))])

    def sequence(self, closer: str) -> Node:
        parts = []
        while self.peek() not in ("|", closer):
            parts.append(self.repeated())
        if len(parts) == 1:
            return parts[0]

        def match(pos: int) -> Ends:
            ends: Ends = (pos,)
            for part in parts:
                ends = _match_each(part, ends)
            return ends

        return match

    def repeated(self) -> Node:
        literal, chars, name, other = self.next().groups()
        if chars is not None:
            return self.run(chars, *self.times())
        if literal is not None:
            item = self.literal(_ESCAPE.sub(_unescape, literal))
        elif name is not None:
            item = self.reference(name)
        else:
            assert other == "(", f"{self.body}, at {self.pos}"
            item = self.alternatives(")")
            self.next()
        times = self.times()
        return item if times == (1, 1) else _repeat(item, *times)

    def times(self) -> tuple[int, int | None]:
        match = _REPETITION.match(self.body, self.pos)
        if match is None:
            return 1, 1
        self.pos = match.end()
        sign, low, comma, high = match.groups()
        if sign:
            return _TIMES[sign]
        return int(low), int(high) if high else None if comma else int(low)

    # --- matching ---------------------------------------------------------------------------

    def literal(self, plain: str) -> Node:
        return lambda pos: (pos + len(plain),) if self.text.startswith(plain, pos) else ()

    def run(self, chars: str, low: int, high: int | None) -> Node:
        """Match between the least and the most characters of a class."""
        most = re.compile(f"{chars}{{{low},{'' if high is None else high}}}")

        def match(pos: int) -> Ends:
            longest = most.match(self.text, pos)
            return range(pos + low, longest.end() + 1) if longest else ()

        return match

    def followed(self, rule: Node, chars: str) -> Node:
        """Match nothing before one of the given characters."""
        ahead = re.compile(rf"{chars}|\Z")
        return lambda pos: [end for end in rule(pos) if ahead.match(self.text, end)]

    def reference(self, name: str) -> Node:
        def match(pos: int) -> Ends:
            ends = self.found.get((name, pos))
            if ends is None:
                ends = self.found[name, pos] = self.rules[name](pos)
            return ends

        return match


def _repeat(item: Node, low: int, high: int | None) -> Node:
    def match(pos: int) -> Ends:
        ends: Ends = (pos,)
        end_set = set(ends if low == 0 else ())
        times = 0
        while ends and (high is None or times < high):
            times += 1
            ends = _match_each(item, ends)
            if times >= low:
                ends = [end for end in ends if end not in end_set] if times > low else ends
                end_set.update(ends)
        return end_set

    return match


def _match_each(node: Node, starts: Ends) -> Ends:
    if len(starts) == 1:
        (start,) = starts
        return node(start)
    return _union([ends for start in starts if (ends := node(start))])


def _union(end_sets: list[Ends]) -> Ends:
    return end_sets[0] if len(end_sets) == 1 else frozenset().union(*end_sets) if end_sets else ()


def _unescape(match: re.Match[str]) -> str:
    body = match[1]
    return chr(int(body[1:], 16)) if len(body) > 1 else _ESCAPES.get(body, body)
