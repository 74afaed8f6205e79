"""Values as JSON spells them, as grammars: what a model samples, whatever is around it.

Models have seen more JSON than anything else, and it has one spelling for each kind; so scaffolds
differ in names, keys and punctuation, and not in how a value is written.
"""

import json
import re
from functools import cache, lru_cache
from keyword import iskeyword
from unicodedata import normalize

from lton._syntax import Marks
from lton.errors import Code, SchemaError
from lton.grammar import charset
from lton.grammar.calls import Builder
from lton.grammar.gbnf import print_gbnf
from lton.grammar.lexemes import thought
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
    alt,
    opt,
    separated,
    seq,
    used,
)
from lton.grammar.patterns import FORMATS, shape
from lton.grammar.satisfiable import writable
from lton.schema.toolset import ToolSet
from lton.schema.types import JSON, Object, String, Type

# No \u escape: it could spell half a character. Every character can be written as itself.
_CHARACTER = alt(Chars(r'"\\\x00-\x1F\x7F', negated=True), seq(Lit("\\"), Chars(r'"\\/bfnrt')))
_BACKSLASH = charset.of("\\")
_ANYTHING = Repeat(Chars(r"\x00", negated=True), 0, None)
_KEPT = 1024
"""So many grammars of values, and of choices, are kept: the next answer needs them again."""
_END = Chars(r"-+.0-9Ee\x00", negated=True)
"""After a number, what is none of it; after other values it forbids nothing that ends one."""
_NAME = "A-Za-z0-9_.$"
NAME = re.compile(f"[{_NAME}]")
"""A character of a name, as code has it."""

PROSE_GBNF = print_gbnf(
    Grammar((Rule("start", seq(Chars(r" \t\r\n\x00", negated=True), _ANYTHING)),))
)
"""The grammar of any text but an empty one, which small models write where none was called."""


def spell(value: JSON) -> str:
    """Get the text of a value, on one line."""
    return json.dumps(value, ensure_ascii=False)


def spell_thought(thought: str, marks: Marks) -> str:
    """Get the text of a thought before a call."""
    opening, closing = marks
    return f"{opening}{thought}{closing}\n\n"


def spell_python(value: JSON) -> str:
    """Get the text of a value as Python spells it, in double quotes.

    >>> spell_python({"a": [True, None, 0.5]})
    '{"a": [True, None, 0.5]}'
    """
    if isinstance(value, list):
        return f"[{', '.join(map(spell_python, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{spell(key)}: {spell_python(value[key])}' for key in value)}}}"
    return repr(value) if value is None or isinstance(value, bool) else spell(value)


def python_tool(name: str) -> str:
    """Get the name of a tool before Python's arguments: it may hold what Python's names may not.

    Raises `SchemaError` for one that would not end at the parenthesis, or on its line.
    """
    if "(" in name or not name.isprintable():
        raise SchemaError(Code.DEFINITION, f"{name!r} cannot name a tool in Python")
    return name


def python_key(name: str) -> str:
    """Get what is before the value of an argument in Python.

    Raises `SchemaError` for a name that no argument may have there, or that Python reads as
    another, as it does `ﬁ` as `fi`.
    """
    if not name.isidentifier() or iskeyword(name) or normalize("NFKC", name) != name:
        raise SchemaError(Code.DEFINITION, f"{name!r} cannot name an argument in Python")
    return f"{name}="


def beginnings(node: Type) -> list[str]:
    """Get a character with which a value of a type may begin, one of each kind.

    A sign is one token with the space or the bracket before it, a digit is not.

    >>> from lton.schema.types import Number
    >>> beginnings(Type(string=String(), null=True)), beginnings(Type(number=Number()))
    (['"', 'n'], ['1', '-'])
    >>> beginnings(Type(number=Number(minimum=0)))
    ['1']
    """
    lows = (node.number.minimum, node.number.exclusive_minimum) if node.number else ()
    kinds = {
        '"': node.string,
        "1": node.number,
        "-": node.number and not any(low is not None and low >= 0 for low in lows),
        "[": node.array,
        "{": node.object,
        "t": node.booleans,
        "n": node.null,
    }
    return [character for character, is_there in kinds.items() if is_there]


def value_gbnf(node: Type, *, opened: str = "", lead: str = "", names: bool = False) -> str:
    r"""Get the grammar of one value, and of anything that does not go on with it.

    `opened` is the quote of a string that is there already, `lead` a space that is not yet. With
    `names` it may be a bare name.

    >>> print(value_gbnf(Type(booleans=(False, True))), end="")
    root ::= ("false" | "true") ([^-+.0-9Ee\x00] [^\x00]*)?
    """
    # 1 == 1.0, but a grammar spells each as the schema does: so the spelling is of the key.
    return _value_gbnf(node, repr(node), opened, lead, names)


@lru_cache(_KEPT)
def _value_gbnf(node: Type, _: str, opened: str, lead: str, names: bool) -> str:
    builder = _JsonBuilder()
    end = _END
    value = builder.rest(node.string) if opened and node.string else builder.value(node, "value")
    if names:
        name = seq(Chars("A-Za-z_$"), Repeat(Chars(_NAME), 0, None))
        value, end = alt(value, name), Chars(rf"-+{_NAME}\x00", negated=True)
    return builder.text_of(seq(Lit(lead) if lead else None, value, opt(seq(end, _ANYTHING))))


@lru_cache(_KEPT)
def texts_gbnf(options: tuple[tuple[str, bool], ...]) -> str:
    """Get the grammar of some texts, and of anything after those that say so.

    The empty text is the end of the turn.
    """
    return _JsonBuilder().text_of(
        alt(*(seq(Lit(text), _ANYTHING if free else None) for text, free in options))
    )


@cache
def thought_gbnf(closing: str) -> str:
    """Get the GBNF of what a model says to itself, up to the mark that ends it."""
    return print_gbnf(Grammar((Rule("start", thought(("", closing))),)))


def json_grammar(tools: ToolSet, *, parallel: bool = False, spaced: bool = False) -> Grammar:
    """Get the grammar of calls in JSON, one a line: what LTON is compared with."""
    builder = _JsonBuilder(spaced=spaced)
    return builder.grammar(tools.spoken, parallel=parallel)


def python_grammar(tools: ToolSet, *, parallel: bool = False) -> Grammar:
    """Get the grammar of Python's calls, with keywords, one a line: another rival.

    Raises `SchemaError` for names that these cannot have.
    """
    return _PythonBuilder().grammar(tools.spoken, parallel=parallel)


class _JsonBuilder(Builder):
    """Builds the rules of values, and of calls, in JSON."""

    def __init__(self, *, spaced: bool = True) -> None:
        super().__init__("punctuated", counted=0, bare=False, bounded=True)
        self.comma = Lit(", " if spaced else ",")
        self.colon = Lit(": " if spaced else ":")

    def text_of(self, start: Node) -> str:
        rules = (Rule("start", start), *self.rules, *self.shared.values())
        return print_gbnf(Grammar(used(rules)))

    def call(self, name: str | None, rule: str, args: Object | None, *, repeats: bool) -> Ref:  # noqa: ARG002
        members = self.members(args, rule, positional=False, lead=False)
        assert name  # there are tools
        parts = (Lit("{"), self.key("name"), Lit(name), self.comma, self.key("arguments"))
        return self.add(rule, seq(*parts, Lit("{"), members, Lit("}}")))

    def tool_name(self, name: str) -> str:
        return spell(name)

    def between(self, before: Type | None = None, key: Lit | None = None) -> Node:  # noqa: ARG002
        return self.comma

    def key(self, name: str) -> Lit:
        return Lit(spell(name) + self.colon.text)

    def any_key(self, *, grouped: bool) -> Node:  # noqa: ARG002
        return seq(self.share("text"), self.colon)

    def strings(self, node: Type, string: String) -> list[Node]:  # noqa: ARG002
        if string.values is not None:
            return [Lit(spell(label)) for label in string.values]
        return [seq(Lit('"'), self.rest(string))]

    def rest(self, string: String) -> Node:
        """Get what follows the opening quote of a string."""
        form = FORMATS.get(string.format or "", string.pattern)
        found = None if form is None else shape(form)
        if found and charset.without(found.chars, _BACKSLASH) == found.chars:
            return seq(self.lexemes.pattern(found.node), Lit('"'))
        low, high = string.min_length, string.max_length
        # Without a bound of its own it has none: the budget of tokens ends what runs on.
        low, high = self.lexemes.lengths(low, high) if high is not None else (min(low, 999), None)
        return seq(Repeat(_CHARACTER, low, high), Lit('"'))

    def object(self, members: Object | None, rule: str) -> Node:
        return seq(Lit("{"), self.members(members, rule, positional=False, lead=False), Lit("}"))

    def map(self, values: Type, rule: str) -> Node:
        if not writable(values):
            return Lit("{}")
        return self._map(self.value(values, f"{rule}-m"))

    def _map(self, value: Node) -> Node:
        value = self.add(f"map-{len(self.rules)}", value) if isinstance(value, Alt | Seq) else value
        pair = seq(self.share("text"), self.colon, value)
        return seq(Lit("{"), opt(separated(pair, self.comma)), Lit("}"))

    def any_of(self, value: Node) -> Node:
        words = [self.null(), self.boolean(value=True), self.boolean(value=False)]
        items = seq(Lit("["), opt(separated(value, self.comma)), Lit("]"))
        return alt(self.share("text"), self.share("number"), *words, items, self._map(value))

    def lexical(self, name: str) -> Node | None:
        if name == "text":
            return seq(Lit('"'), self.rest(String()))
        return super().lexical(name)


class _PythonBuilder(_JsonBuilder):
    """Builds the rules of calls in Python: JSON's but for the call, and for three words."""

    is_argument = False

    def call(self, name: str | None, rule: str, args: Object | None, *, repeats: bool) -> Ref:  # noqa: ARG002
        self.is_argument = True
        members = self.members(args, rule, positional=False, lead=False)
        return self.add(rule, seq(Lit(f"{name}("), members, Lit(")")))

    def tool_name(self, name: str) -> str:
        return python_tool(name)

    def object(self, members: Object | None, rule: str) -> Node:
        before, self.is_argument = self.is_argument, False
        found = super().object(members, rule)
        self.is_argument = before
        return found

    def key(self, name: str) -> Lit:
        return Lit(python_key(name)) if self.is_argument else super().key(name)

    def any_key(self, *, grouped: bool) -> Node:
        if not self.is_argument:
            return super().any_key(grouped=grouped)
        return seq(Chars("A-Za-z_"), Repeat(Chars("A-Za-z0-9_"), 0, None), Lit("="))

    def boolean(self, value: bool) -> Node:
        return Lit(str(value))

    def null(self) -> Node:
        return Lit("None")
