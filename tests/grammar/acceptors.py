"""Whether a text is in the language of an emitted grammar.

llguidance and python-lark judge the Lark grammars. GBNF is read by a small recogniser of our own:
llguidance turns GBNF into Lark, and its greedy lexer then sees another language than llama.cpp.
"""

import re
from collections.abc import Callable
from functools import lru_cache, reduce
from typing import Any, TypeAlias

import pytest

llguidance = pytest.importorskip("llguidance")
lark = pytest.importorskip("lark")

_BYTES = llguidance.LLTokenizer("byte")


@lru_cache(maxsize=8)
def _matcher(grammar: str) -> Any:
    lark_grammar = llguidance.LLMatcher.grammar_from_lark(grammar)
    matcher = llguidance.LLMatcher(_BYTES, lark_grammar, log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    return matcher


def llguidance_accepts(grammar: str, text: str) -> bool:
    """Feed the bytes of a text to llguidance, the engine of vLLM, SGLang, Outlines and OpenAI."""
    matcher = _matcher(grammar).deep_copy()
    tokens = list(text.encode())
    consumed = matcher.try_consume_tokens(tokens)
    return bool(not matcher.is_error() and consumed == len(tokens) and matcher.is_accepting())


@lru_cache(maxsize=8)
def _parser(grammar: str) -> Any:
    return lark.Lark(grammar, parser="earley", lexer="dynamic")


def lark_accepts(grammar: str, text: str) -> bool:
    """Parse a short text with python-lark, which tries every way to cut it into terminals."""
    try:
        _parser(grammar).parse(text)
    except lark.exceptions.UnexpectedInput:
        return False
    return True


# --- GBNF ---------------------------------------------------------------------------------------

Ends: TypeAlias = frozenset[int]
Node: TypeAlias = Callable[[str, int], Ends]
"""From a text and a position in it to every position where a match can end."""

_LEXEMES = re.compile(
    r'\s*(?:"((?:[^"\\]|\\.)*)"|(\[(?:[^\]\\]|\\.)*\])|([a-z0-9-]+)|(.))', re.DOTALL
)
_REPETITION = re.compile(r"([*+?])|\{(\d+)(,?)(\d*)\}")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def gbnf_accepts(grammar: str, text: str) -> bool:
    """Say whether a text is in the language of a grammar in GBNF, character by character."""
    rules: dict[str, Node] = {}
    for line in grammar.removesuffix("\n").split("\n"):
        name, body = line.split(" ::= ", 1)
        rules[name] = _alternatives(_Reader(body, rules), "")
    return len(text) in rules["root"](text, 0)


class _Reader:
    """The lexemes of a rule, and the rules that it may refer to."""

    def __init__(self, body: str, rules: dict[str, Node]) -> None:
        self.body = body
        self.pos = 0
        self.rules = rules

    def peek(self) -> str:
        return self.body[self.pos :].lstrip()[:1]

    def next(self) -> re.Match[str]:
        match = _LEXEMES.match(self.body, self.pos)
        assert match is not None
        self.pos = match.end()
        return match


def _alternatives(reader: _Reader, closer: str) -> Node:
    options = [_sequence(reader, closer)]
    while reader.peek() == "|":
        reader.next()
        options.append(_sequence(reader, closer))
    return lambda text, pos: frozenset().union(*[option(text, pos) for option in options])


def _sequence(reader: _Reader, closer: str) -> Node:
    parts = []
    while reader.peek() not in ("|", closer):
        parts.append(_repeated(reader, _memo(_atom(reader))))

    def match(text: str, pos: int) -> Ends:
        return reduce(lambda ends, part: _each(part, text, ends), parts, frozenset([pos]))

    return match


def _atom(reader: _Reader) -> Node:
    literal, chars, name, other = reader.next().groups()
    if literal is not None:
        plain = _ESCAPE.sub(lambda match: _unescape(match[1]), literal)
        return lambda text, pos: frozenset(
            [pos + len(plain)] if text.startswith(plain, pos) else []
        )
    if chars is not None:
        one = re.compile(chars)
        return lambda text, pos: frozenset([pos + 1] if one.match(text, pos) else [])
    if name is not None:
        return lambda text, pos: reader.rules[name](text, pos)  # noqa: PLW0108 - not there yet
    assert other == "("
    group = _alternatives(reader, ")")
    reader.next()
    return group


def _repeated(reader: _Reader, item: Node) -> Node:
    match = _REPETITION.match(reader.body, reader.pos)
    if match is None:
        return item
    reader.pos = match.end()
    low, high = {"*": (0, None), "+": (1, None), "?": (0, 1), None: (int(match[2] or 0), None)}[
        match[1]
    ]
    if match[1] is None and not (match[3] and not match[4]):
        high = int(match[4] or match[2])

    def repeat(text: str, pos: int) -> Ends:
        ends = frozenset([pos])
        found = ends if low == 0 else frozenset()
        times = 0
        while ends and (high is None or times < high):
            times += 1
            ends = _each(item, text, ends) - (found if times > low else frozenset())
            found = found | ends if times >= low else found
        return found

    return repeat


def _unescape(body: str) -> str:
    return chr(int(body[1:], 16)) if len(body) > 1 else _ESCAPES.get(body, body)


def _each(node: Node, text: str, ends: Ends) -> Ends:
    return frozenset().union(*[node(text, end) for end in ends])


def _memo(node: Node) -> Node:
    return lru_cache(maxsize=None)(node)
