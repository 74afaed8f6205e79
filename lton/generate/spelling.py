"""Write values as JSON and write the grammars for sampling values.

Models have seen JSON most often, and JSON has one spelling for each kind of value. So scaffolds
differ in names, keys and punctuation, and not in values.
"""

import json
import re
from functools import cache, lru_cache

from lton._syntax import Marks
from lton.grammar import charset
from lton.grammar.calls import Builder
from lton.grammar.gbnf import write_gbnf
from lton.grammar.lexemes import build_thought
from lton.grammar.nodes import (
    Alt,
    Chars,
    Grammar,
    Lit,
    Node,
    Repeat,
    Rule,
    Seq,
    make_choice,
    make_optional,
    make_sequence,
    reachable_rules,
    repeat_separated,
)
from lton.grammar.patterns import find_shape
from lton.grammar.satisfiable import has_values
from lton.schema.types import JSON, Object, String, Type

# There is no \u escape, because it could write half a character. Every character can be written as
# itself.
_CHARACTER = make_choice(
    Chars(r'"\\\x00-\x1F\x7F', negated=True), make_sequence(Lit("\\"), Chars(r'"\\/bfnrt'))
)
_BACKSLASH = charset.charset_of_string("\\")
_ANYTHING = Repeat(Chars(r"\x00", negated=True), 0, None)
_KEPT = 1024
"""The maximum number of cached grammars for values and choices, which later answers reuse."""
_END = Chars(r"-+.0-9Ee\x00", negated=True)
"""The character after a number. After other values any character may follow."""
_NAME = "A-Za-z0-9_.$"
NAME = re.compile(f"[{_NAME}]")
"""A character in a name of code."""

PROSE_GBNF = write_gbnf(
    Grammar((Rule("start", make_sequence(Chars(r" \t\r\n\x00", negated=True), _ANYTHING)),))
)
"""The grammar of any text that is not empty; small models would often write nothing."""


def spell_value(value: JSON) -> str:
    """Write a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


def spell_thought(thought: str, marks: Marks) -> str:
    """Write a thought between its marks."""
    opening, closing = marks
    return f"{opening}{thought}{closing}\n\n"


def list_beginnings_of_type(node: Type) -> list[str]:
    """Return one character for each way in which a value of a type may start.

    A sign forms one token with the space or the bracket before it, and a digit does not.
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


def write_value_gbnf(node: Type, *, opened: str = "", lead: str = "", names: bool = False) -> str:
    r"""Write the grammar of a value, after which other text may follow.

    `opened` is the quote of a string that is already written, and `lead` is a space that is not.
    With `names`, the value may be a bare name.
    """
    # 1 equals 1.0, but is spelled differently, so the key includes the spelling.
    return _write_value_gbnf(node, repr(node), opened, lead, names)


@lru_cache(_KEPT)
def _write_value_gbnf(node: Type, _: str, opened: str, lead: str, names: bool) -> str:
    builder = JsonBuilder()
    end = _END
    value = (
        builder.string_tail(node.string)
        if opened and node.string
        else builder.build_value(node, "value")
    )
    if names:
        name = make_sequence(Chars("A-Za-z_$"), Repeat(Chars(_NAME), 0, None))
        value = make_choice(value, name)
        end = Chars(rf"-+{_NAME}\x00", negated=True)
    return builder.text_of(
        make_sequence(
            Lit(lead) if lead else None, value, make_optional(make_sequence(end, _ANYTHING))
        )
    )


@lru_cache(_KEPT)
def write_texts_gbnf(options: tuple[tuple[str, bool], ...]) -> str:
    """Write the grammar of some strings. Any text may follow a string whose flag is true.

    An empty string means the end of the turn.
    """
    return JsonBuilder().text_of(
        make_choice(
            *(make_sequence(Lit(text), _ANYTHING if free else None) for text, free in options)
        )
    )


@cache
def write_thought_gbnf(closing: str) -> str:
    """Write the grammar of a thought with its closing mark."""
    return write_gbnf(Grammar((Rule("start", build_thought(("", closing))),)))


class JsonBuilder(Builder):
    """Builds the grammar rules for values in JSON."""

    comma = Lit(", ")
    colon = Lit(": ")

    def __init__(self) -> None:
        super().__init__("punctuated", counted=0, bare=False, bounded=True)

    def text_of(self, start: Node) -> str:
        rules = (Rule("start", start), *self.rules, *self.shared.values())
        return write_gbnf(Grammar(reachable_rules(rules)))

    def build_separator(self, before: Type | None = None, key: Lit | None = None) -> Node:  # noqa: ARG002
        return self.comma

    def build_key(self, name: str) -> Lit:
        return Lit(spell_value(name) + self.colon.text)

    def build_any_key(self, *, grouped: bool) -> Node:  # noqa: ARG002
        return make_sequence(self.share_rule("text"), self.colon)

    def build_strings(self, node: Type, string: String) -> list[Node]:  # noqa: ARG002
        if string.values is not None:
            return [Lit(spell_value(label)) for label in string.values]
        return [make_sequence(Lit('"'), self.string_tail(string))]

    def string_tail(self, string: String) -> Node:
        shape = find_shape(string)
        if shape and charset.subtract(shape.chars, _BACKSLASH) == shape.chars:
            return make_sequence(self.lexemes.limit_pattern(shape.node), Lit('"'))
        low = string.min_length
        high = string.max_length
        # Only the schema limits this; the token budget ends endless values.
        low, high = (
            self.lexemes.limit_lengths(low, high) if high is not None else (min(low, 999), None)
        )
        return make_sequence(Repeat(_CHARACTER, low, high), Lit('"'))

    def build_group(self, value: JSON, node: Type) -> Node:  # noqa: ARG002
        return Lit(spell_value(value))

    def build_object(self, members: Object | None, rule: str) -> Node:
        return make_sequence(
            Lit("{"), self.build_members(members, rule, positional=False, lead=False), Lit("}")
        )

    def build_map(self, values: Type, rule: str) -> Node:
        if not has_values(values):
            return Lit("{}")
        return self._map(self.build_value(values, f"{rule}-m"))

    def _map(self, value: Node) -> Node:
        value = (
            self.add_rule(f"map-{len(self.rules)}", value)
            if isinstance(value, Alt | Seq)
            else value
        )
        pair = make_sequence(self.share_rule("text"), self.colon, value)
        return make_sequence(Lit("{"), make_optional(repeat_separated(pair, self.comma)), Lit("}"))

    def choose_any_of(self, value: Node) -> Node:
        words = [self.build_null(), self.build_boolean(value=True), self.build_boolean(value=False)]
        items = make_sequence(
            Lit("["), make_optional(repeat_separated(value, self.comma)), Lit("]")
        )
        return make_choice(
            self.share_rule("text"), self.share_rule("number"), *words, items, self._map(value)
        )

    def find_lexical_node(self, name: str) -> Node | None:
        if name == "text":
            return make_sequence(Lit('"'), self.string_tail(String()))
        return super().find_lexical_node(name)
