"""Draw random texts: from a grammar, near a text, and from a layout.

The texts depend only on the `Random`. Values come from the layout and not from the grammar, so that
a fault of the grammar does not hide itself.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from math import inf
from random import Random

from lton.grammar.nodes import Alt, Chars, Grammar, Lit, Node, Ref, Repeat, Seq
from lton.schema.types import JSON, Object, String, Type
from tests.strategies import NASTY_NAMES, NASTY_TEXTS, PLAIN_NAMES

DEEP = 40
"""Rules within rules; below, the shortest way out is taken."""
LONG = 100
"""Repetitions of at most so many times are sometimes drawn as often as they can be."""
ASCII = "".join(map(chr, range(1, 128)))
ODD = "\x85\xa0é東\u0301\u200d\u2028\ufeff\uffff\ud7ff\ue000😀\U0001f1e9\U0010ffff"
PIECES = [
    *" ,()[]{}\"'`\n\r=_&!#:/.-+*0179aens\0é😀",
    *("  ", ", ", "```\n", "\n```", '""', "s1:x", "null", "true", "1.0", "-0", "1e400", "[]", "{}"),
]
LEXEMES = re.compile(r"""[\w./:@+*-]+|"[^"\n]*"|'[^'\n]*'|.""", re.DOTALL)


class Sampler:
    """The derivations of a grammar; each alternative and each small number of times has a chance.

    >>> from lton.grammar.nodes import Rule, make_choice, make_sequence, repeat_many
    >>> item = make_choice(Lit(" 1"), Lit(" 2"))
    >>> start = Rule("start", make_sequence(Lit("f"), repeat_many(item)))
    >>> Sampler(Grammar((start,))).text(Random(4))
    'f 1 1 2 2 1 1'
    """

    def __init__(self, grammar: Grammar) -> None:
        self.start = grammar.rules[0].node
        self.rules = {rule.name: rule.node for rule in grammar.rules}
        self.heights: dict[str, float] = dict.fromkeys(self.rules, inf)
        heights = self.heights
        while heights != (
            heights := {name: self.height(node) for name, node in self.rules.items()}
        ):
            self.heights = heights

    def height(self, node: Node) -> float:
        """Return the depth in rules of the shallowest known text of a node."""
        match node:
            case Ref(name):
                return 1 + self.heights[name]
            case Seq(parts):
                return max(map(self.height, parts), default=0)
            case Alt(options):
                return min(map(self.height, options))
            case Repeat(item, low):
                return self.height(item) if low else 0
            case _:
                return 0

    def text(self, choose: Random) -> str:
        return "".join(self.draw(self.start, choose, 0))

    def draw(self, node: Node, choose: Random, depth: int) -> Iterator[str]:
        match node:
            case Lit(text):
                yield text
            case Chars(body, negated):
                yield _character(body, negated, choose)
            case Ref(name):
                yield from self.draw(self.rules[name], choose, depth + 1)
            case Seq(parts):
                for part in parts:
                    yield from self.draw(part, choose, depth)
            case Alt(options):
                if depth > DEEP:
                    options = (min(options, key=self.height),)
                yield from self.draw(choose.choice(options), choose, depth)
            case Repeat(item, low, high):
                for _ in range(_times(low, high, choose) if depth <= DEEP else low):
                    yield from self.draw(item, choose, depth)


def _times(low: int, high: int | None, choose: Random) -> int:
    if high is not None and high <= LONG and choose.random() < 0.1:
        return high
    times = low
    while (high is None or times < high) and choose.random() < 0.5:
        times += 1
    return times


def _character(body: str, negated: bool, choose: Random) -> str:
    plain, odd = _class(body, negated)
    return choose.choice(odd if odd and choose.random() < 0.3 else plain)


@cache
def _class(body: str, negated: bool) -> tuple[str, str]:
    pattern = re.compile(f"[{'^' * negated}{body}]")
    plain = pattern.findall(ASCII) or pattern.findall("".join(map(chr, range(0x80, 0xD800))))
    return "".join(plain), "".join(pattern.findall(ODD))


def literals(grammar: Grammar) -> list[str]:
    """Return the literals of a grammar, to insert them into texts."""

    def types_inside(node: Node) -> Iterator[str]:
        match node:
            case Lit(text):
                yield text
            case Seq(parts) | Alt(parts):
                for part in parts:
                    yield from types_inside(part)
            case Repeat(item):
                yield from types_inside(item)

    return sorted({text for rule in grammar.rules for text in types_inside(rule.node)})


def mutated(text: str, pieces: Sequence[str], choose: Random) -> str:
    """Return a text with one or two edits, of characters or of lexemes.

    An edit deletes, replaces or doubles a span, swaps it with the next one, or inserts a span
    before it.
    """
    for _ in range(choose.choice((1, 1, 2))):
        parts = choose.choice((list, LEXEMES.findall))(text)
        one, two, three = sorted(choose.randint(0, len(parts)) for _ in range(3))
        if choose.random() < 0.8:
            two, three = one + 1, one + 2
        piece = [choose.choice(choose.choice((PIECES, pieces, parts or PIECES)))]
        first, second = parts[one:two], parts[two:three]
        edits = (second, piece + second, piece + first + second, first * 2 + second, second + first)
        text = "".join(parts[:one] + choose.choice(edits) + parts[three:])
    return text


# --- values --------------------------------------------------------------------------------------

NUMBERS = [0, 1, -1, 7, 10**20, 0.5, 2.0, -0.0, -1.5e-7, 1e22]


def arguments(members: Object, choose: Random) -> dict[str, JSON]:
    """Return undeclared members, mostly with odd names and strings, if a layout allows them."""
    values = {
        param.name: value(param.type, choose)
        for param in members.params
        if param.required or (param.type != Type() and choose.random() < 0.5)
    }
    while members.extra is not None and choose.random() < 0.4:
        values[choose.choice(PLAIN_NAMES + NASTY_NAMES)] = value(members.extra, choose)
    return values


def value(node: Type, choose: Random) -> JSON:
    kinds: list[Callable[[], JSON]] = [partial(choose.choice, node.booleans)] * bool(node.booleans)
    if node.null or node == Type():
        kinds.append(lambda: None)
    if node.string:
        kinds.append(partial(_string, node.string, choose))
    if number := node.number:
        bounds = [limit for limit in (number.minimum, number.maximum) if limit is not None]
        fitting = [n for n in number.values or NUMBERS + bounds if not number.find_refusal(n)]
        kinds.append(partial(choose.choice, fitting or NUMBERS))
    if array := node.array:
        count = array.min_items + choose.choice((0, 1, 2))
        kinds.append(lambda: [value(array.items, choose) for _ in range(count)])
    if members := node.object:
        kinds.append(lambda: arguments(members, choose))
    return choose.choice(kinds)()


def _string(node: String, choose: Random) -> str:
    if node.values is not None:
        return choose.choice(node.values)
    random_text = "".join(choose.choices(ASCII + ODD, k=choose.randint(0, 9)))
    text = choose.choice((*NASTY_TEXTS, random_text)).ljust(node.min_length, "x")
    return text[: node.max_length]
