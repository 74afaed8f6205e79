"""Build the rules for calls in the tagged form (§5)."""

from collections.abc import Iterator

from lton._syntax import (
    ATOM_LETTERS,
    NAME_AFTER_S_CLASS,
    NAME_CLASS,
    NULL_ATOM,
    SIGIL,
    SKIP,
    spell_number,
    spell_tagged_key,
)
from lton._syntax import write_counted as counted_text
from lton.errors import Code, GrammarError
from lton.grammar.calls import Builder
from lton.grammar.lexemes import integer_bounds, integers
from lton.grammar.nodes import (
    Chars,
    Lit,
    Node,
    Ref,
    Repeat,
    Rule,
    alt,
    many,
    opt,
    repeat_separated,
    seq,
)
from lton.grammar.patterns import Shape
from lton.grammar.satisfiable import part_members
from lton.grammar.values import add_whole_spellings, or_skip
from lton.schema.types import Number, Object, String, Type

MAX_DOUBLE = 24
"""The maximum length of a double in characters. The shortest spelling is never longer (R-311)."""
_MAX_EXPONENT = 3

_DIGIT = Chars("0-9")
# a word at the start of a group is not a key if it looks like an atom.
_KEY_HEAD = Chars("A-Zac-dg-hj-mo-rtv-z0-9./-")
_KEY_CHAR = Chars(NAME_CLASS)
_KEY = alt(
    seq(_KEY_HEAD, many(_KEY_CHAR)),
    seq(Chars("befisu"), opt(seq(Chars(NAME_AFTER_S_CLASS), many(_KEY_CHAR)))),
    seq(Chars("n_"), Repeat(_KEY_CHAR, 1)),
)
assert {*ATOM_LETTERS, NULL_ATOM, SKIP} == set("befisun_")


class TaggedBuilder(Builder):
    """Builds the rules for calls in the tagged form."""

    sigil = SIGIL
    tagged = True

    def arguments(self, args: Object | None, rule: str) -> Node:
        """Build the node for arguments: a positional group, and a group per key (R-501)."""
        if args is None:
            return self.any_groups()
        required, optional = part_members(args)
        row: list[Node] = []
        for number, param in enumerate(required, 1):
            value = self.value(param.type, f"{rule}-r{number}")
            row.append(seq(Lit(" ") if row else None, value))
        extra = self.undeclared(args, rule, grouped=True)
        rows, _, firsts = self.optional_arguments(
            optional, extra, rule, positional=True, first=not row, grouped=True
        )
        groups = seq(Lit("("), *row, rows[0]) if row else alt(Lit("()"), *firsts)
        return seq(Lit("\n"), groups)

    def any_groups(self) -> Node:
        value = self.share("value")
        item = or_skip(value)
        pair = self.pair(self.any_key(grouped=True), value, grouped=True)
        pairs = many(seq(Lit("\n"), pair))
        row = seq(Lit("("), opt(repeat_separated(item, Lit(" "))), Lit(")"))
        return seq(Lit("\n"), alt(row, pair), pairs)

    def any_value(self) -> Node:
        label = self.counted_strings("e", 0, None)
        return alt(self.any_of(self.share("value")), *([label] if label else []))

    def between(self, before: Type | None = None, key: Lit | None = None) -> Node:  # noqa: ARG002
        return Lit(" ")

    def key(self, name: str) -> Lit:
        return Lit(f"{spell_tagged_key(name)} ")

    def any_key(self, *, grouped: bool) -> Node:
        if not grouped:
            return seq(self.share("name"), Lit(" "))
        key = self.named("key", None, lambda: self.lexemes.named(_KEY), lexical=True)
        return seq(key, Lit(" "))

    # --- values ---------------------------------------------------------------------------------

    def boolean(self, value: bool) -> Node:
        return Lit(counted_text(str(value).lower(), "b"))

    def null(self) -> Node:
        return Lit(NULL_ATOM)

    def spell(self, label: str, node: Type) -> str:  # noqa: ARG002 - as in the other forms
        return counted_text(label, "e")

    def pattern_strings(self, shape: Shape, node: Type, string: String) -> list[Node]:  # noqa: ARG002
        """Build nodes for the strings of a pattern that have a fixed length."""
        low, high = shape.size
        if low != high:
            return [self.text(string.min_length, string.max_length)]
        return [self.named("shaped", shape, lambda: seq(Lit(f"s{low}:"), shape.node))]

    def text(self, low: int, high: int | None) -> Node:
        node = self.counted_strings("s", low, high)
        if node is None:
            reason = f"no grammar: counted strings end below {low} characters"
            raise GrammarError(Code.GRAMMAR, reason)
        return node

    def numbers(self, number: Number) -> list[Node]:
        if number.values is not None:
            return [Lit(_spell_label(value)) for value in add_whole_spellings(number.values)]
        if number.integer:
            low, high = integer_bounds(number)
            return [self.named("integer", (low, high), lambda: _integers(low, high))]
        return [self.share("number")]

    def object(self, members: Object | None, rule: str) -> Node:
        return self.build_branches(members, rule, Lit("{"), Lit("}"), positional=False)

    # --- shared rules ---------------------------------------------------------------------------

    def share(self, name: str) -> Ref:
        if name == "number" and name not in self.shared:
            self.shared |= {rule.name: rule for rule in _doubles()}
            self.shared[name] = Rule(name, alt(_integers(None, None), Ref("double")))
        return super().share(name)


def _spell_label(value: int | float) -> str:
    text = spell_number(value)
    if isinstance(value, float):
        return counted_text(text, "f")
    return counted_text(text, "i" if value < 0 else "u")


def _integers(low: int | None, high: int | None) -> Node:
    return alt(
        *[
            seq(Lit(f"{'i' if sign else 'u'}{size + len(sign)}:{sign}"), node)
            for sign, size, node in integers(low, high)
        ]
    )


def _doubles() -> Iterator[Rule]:
    """Yield the rules for doubles of each length up to `MAX_DOUBLE`.

    `whole-n`, `behind-n` and `fraction-n` match the remaining n characters after a digit before
    the point, after the last digit before the point, and after a digit behind the point.
    """
    for size in range(1, MAX_DOUBLE):
        yield Rule(
            f"fraction-{size}",
            alt(seq(_DIGIT, *_digits_after("fraction", size - 1)), *_exponent(size)),
        )
        more = seq(_DIGIT, *_digits_after("whole", size - 1))
        yield Rule(f"whole-{size}", alt(more, Ref(f"behind-{size}")) if size > 1 else more)
        if size > 1:
            point = seq(Lit("."), _DIGIT, *_digits_after("fraction", size - 2))
            yield Rule(f"behind-{size}", alt(point, *_exponent(size)))
    for size in range(1, MAX_DOUBLE + 1):
        zero = [seq(Lit("0"), *_digits_after("behind", size - 1))] if size != 2 else []
        yield Rule(
            f"plain-{size}", alt(*zero, seq(Chars("1-9"), *_digits_after("whole", size - 1)))
        )
    doubles: list[Node] = [seq(Lit("f1:"), Ref("plain-1"))]
    for size in range(2, MAX_DOUBLE + 1):
        minus = seq(Lit("-"), Ref(f"plain-{size - 1}"))
        doubles.append(seq(Lit(f"f{size}:"), alt(Ref(f"plain-{size}"), minus)))
    yield Rule("double", alt(*doubles))


def _digits_after(kind: str, size: int) -> list[Node]:
    return [Ref(f"{kind}-{size}")] if size else []


def _exponent(size: int) -> Iterator[Node]:
    for sign, digits in ((None, size - 1), (Chars("+-"), size - 2)):
        if 1 <= digits <= _MAX_EXPONENT:
            yield seq(Chars("eE"), sign, Repeat(_DIGIT, digits, digits))
