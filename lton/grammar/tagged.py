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
from lton.grammar.lexemes import build_integers, find_integer_bounds
from lton.grammar.nodes import (
    Chars,
    Lit,
    Node,
    Ref,
    Repeat,
    Rule,
    make_choice,
    make_optional,
    make_sequence,
    repeat_many,
    repeat_separated,
)
from lton.grammar.patterns import Shape
from lton.grammar.satisfiable import split_members
from lton.grammar.values import make_skippable, with_whole_spellings
from lton.schema.types import Number, Object, String, Type

MAX_DOUBLE = 24
"""The maximum length of a double in characters. The shortest spelling is never longer (R-311)."""
_MAX_EXPONENT = 3

_DIGIT = Chars("0-9")
# a word at the start of a group is not a key if it looks like an atom.
_KEY_HEAD = Chars("A-Zac-dg-hj-mo-rtv-z0-9./-")
_KEY_CHAR = Chars(NAME_CLASS)
_KEY = make_choice(
    make_sequence(_KEY_HEAD, repeat_many(_KEY_CHAR)),
    make_sequence(
        Chars("befisu"),
        make_optional(make_sequence(Chars(NAME_AFTER_S_CLASS), repeat_many(_KEY_CHAR))),
    ),
    make_sequence(Chars("n_"), Repeat(_KEY_CHAR, 1)),
)
assert {*ATOM_LETTERS, NULL_ATOM, SKIP} == set("befisun_")


class TaggedBuilder(Builder):
    """Builds the rules for calls in the tagged form."""

    sigil = SIGIL
    tagged = True

    def arguments(self, args: Object | None, rule: str) -> Node:
        """Build the node for arguments: a positional group, and a group per key (R-501)."""
        if args is None:
            return self.build_any_groups()
        required, optional = split_members(args)
        row: list[Node] = []
        for number, param in enumerate(required, 1):
            value = self.build_value(param.type, f"{rule}-r{number}")
            row.append(make_sequence(Lit(" ") if row else None, value))
        extra = self.try_build_undeclared_member(args, rule, grouped=True)
        rows, _, firsts = self.build_optional_arguments(
            optional, extra, rule, positional=True, first=not row, grouped=True
        )
        groups = make_sequence(Lit("("), *row, rows[0]) if row else make_choice(Lit("()"), *firsts)
        return make_sequence(Lit("\n"), groups)

    def build_any_groups(self) -> Node:
        value = self.share_rule("value")
        item = make_skippable(value)
        pair = self.build_pair(self.build_any_key(grouped=True), value, grouped=True)
        pairs = repeat_many(make_sequence(Lit("\n"), pair))
        row = make_sequence(Lit("("), make_optional(repeat_separated(item, Lit(" "))), Lit(")"))
        return make_sequence(Lit("\n"), make_choice(row, pair), pairs)

    def build_any_value(self) -> Node:
        label = self.try_build_counted_strings("e", 0, None)
        return make_choice(
            self.choose_any_of(self.share_rule("value")), *([label] if label else [])
        )

    def build_separator(self, before: Type | None = None, key: Lit | None = None) -> Node:  # noqa: ARG002
        return Lit(" ")

    def build_key(self, name: str) -> Lit:
        return Lit(f"{spell_tagged_key(name)} ")

    def build_any_key(self, *, grouped: bool) -> Node:
        if not grouped:
            return make_sequence(self.share_rule("name"), Lit(" "))
        key = self.add_named_rule("key", None, lambda: self.lexemes.build_named(_KEY), lexical=True)
        return make_sequence(key, Lit(" "))

    # --- values ---------------------------------------------------------------------------------

    def build_boolean(self, value: bool) -> Node:
        return Lit(counted_text(str(value).lower(), "b"))

    def build_null(self) -> Node:
        return Lit(NULL_ATOM)

    def spell_label(self, label: str, node: Type) -> str:  # noqa: ARG002 - as in the other forms
        return counted_text(label, "e")

    def build_pattern_strings(self, shape: Shape, node: Type, string: String) -> list[Node]:  # noqa: ARG002
        """Build nodes for the strings of a pattern that have a fixed length."""
        low, high = shape.size
        if low != high:
            return [self.build_text(string.min_length, string.max_length)]
        return [
            self.add_named_rule("shaped", shape, lambda: make_sequence(Lit(f"s{low}:"), shape.node))
        ]

    def build_text(self, low: int, high: int | None) -> Node:
        node = self.try_build_counted_strings("s", low, high)
        if node is None:
            reason = f"no grammar: counted strings end below {low} characters"
            raise GrammarError(Code.GRAMMAR, reason)
        return node

    def build_numbers(self, number: Number) -> list[Node]:
        if number.values is not None:
            return [Lit(_spell_label(value)) for value in with_whole_spellings(number.values)]
        if number.integer:
            low, high = find_integer_bounds(number)
            return [self.add_named_rule("integer", (low, high), lambda: _build_integers(low, high))]
        return [self.share_rule("number")]

    def build_object(self, members: Object | None, rule: str) -> Node:
        return self.build_branches(members, rule, Lit("{"), Lit("}"), positional=False)

    # --- shared rules ---------------------------------------------------------------------------

    def share_rule(self, name: str) -> Ref:
        if name == "number" and name not in self.shared:
            self.shared |= {rule.name: rule for rule in _iterate_double_rules()}
            self.shared[name] = Rule(name, make_choice(_build_integers(None, None), Ref("double")))
        return super().share_rule(name)


def _spell_label(value: int | float) -> str:
    text = spell_number(value)
    if isinstance(value, float):
        return counted_text(text, "f")
    return counted_text(text, "i" if value < 0 else "u")


def _build_integers(low: int | None, high: int | None) -> Node:
    return make_choice(
        *[
            make_sequence(Lit(f"{'i' if sign else 'u'}{size + len(sign)}:{sign}"), node)
            for sign, size, node in build_integers(low, high)
        ]
    )


def _iterate_double_rules() -> Iterator[Rule]:
    """Yield the rules for doubles of each length up to `MAX_DOUBLE`.

    `whole-n`, `behind-n` and `fraction-n` match the remaining n characters after a digit before
    the point, after the last digit before the point, and after a digit behind the point.
    """
    for size in range(1, MAX_DOUBLE):
        yield Rule(
            f"fraction-{size}",
            make_choice(
                make_sequence(_DIGIT, *_build_digits_after("fraction", size - 1)),
                *_iterate_exponents(size),
            ),
        )
        more = make_sequence(_DIGIT, *_build_digits_after("whole", size - 1))
        yield Rule(f"whole-{size}", make_choice(more, Ref(f"behind-{size}")) if size > 1 else more)
        if size > 1:
            point = make_sequence(Lit("."), _DIGIT, *_build_digits_after("fraction", size - 2))
            yield Rule(f"behind-{size}", make_choice(point, *_iterate_exponents(size)))
    for size in range(1, MAX_DOUBLE + 1):
        zero = (
            [make_sequence(Lit("0"), *_build_digits_after("behind", size - 1))] if size != 2 else []
        )
        yield Rule(
            f"plain-{size}",
            make_choice(
                *zero, make_sequence(Chars("1-9"), *_build_digits_after("whole", size - 1))
            ),
        )
    doubles: list[Node] = [make_sequence(Lit("f1:"), Ref("plain-1"))]
    for size in range(2, MAX_DOUBLE + 1):
        minus = make_sequence(Lit("-"), Ref(f"plain-{size - 1}"))
        doubles.append(make_sequence(Lit(f"f{size}:"), make_choice(Ref(f"plain-{size}"), minus)))
    yield Rule("double", make_choice(*doubles))


def _build_digits_after(kind: str, size: int) -> list[Node]:
    return [Ref(f"{kind}-{size}")] if size else []


def _iterate_exponents(size: int) -> Iterator[Node]:
    for sign, digits in ((None, size - 1), (Chars("+-"), size - 2)):
        if 1 <= digits <= _MAX_EXPONENT:
            yield make_sequence(Chars("eE"), sign, Repeat(_DIGIT, digits, digits))
