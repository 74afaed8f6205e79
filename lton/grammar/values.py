"""Build the rules for values and members in all forms except the tagged form."""

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import accumulate

from lton._syntax import CLOSING, LETTERS, SKIP, Form, spell_name, spell_number, spell_text
from lton.codec._checks import check_value
from lton.codec._encode import write_value
from lton.errors import EncodeError
from lton.grammar.counted import try_build_counted_strings
from lton.grammar.lexemes import SHORT, Bounded, Lexemes, Spellings
from lton.grammar.nodes import (
    EITHER,
    Alt,
    Lit,
    Node,
    Ref,
    Rule,
    Seq,
    make_choice,
    make_optional,
    make_sequence,
    repeat_many,
    repeat_separated,
)
from lton.grammar.nodes import Repeat as Times
from lton.grammar.patterns import Shape, find_shape
from lton.grammar.satisfiable import has_values, split_members
from lton.schema.types import ANY, JSON, Array, Number, Object, Param, String, Type

MAX_ITEMS = 100
"""The largest limit of an array that is enforced, because engines copy a repeated node."""
NOTHING = Type()


class ValueBuilder:
    """Builds the grammar rules for values."""

    tagged = False

    def __init__(
        self,
        form: Form,
        *,
        counted: int,
        bare: bool,
        bounded: Bounded,
        spellings: Spellings = "all",
    ) -> None:
        self.rules: list[Rule] = []  # in the order of their creation
        self.shared: dict[str, Rule] = {}
        self.names: dict[tuple[str, Hashable], str] = {}  # shared rules, by kind and limits
        self.counts: Counter[str] = Counter()  # the number of shared rules of each kind
        self.form = form
        self.positional = form == "wire"
        self.punctuated = form == "punctuated"
        self.max_counted = counted
        self.bare = bare and not self.punctuated
        self.lexemes = Lexemes(bounded, spellings, in_call=self.punctuated)
        self.repeated: dict[int, int] = {}
        self.with_lines: frozenset[int] = frozenset()  # the ids of parameters that ask for lines

    def add_rule(self, name: str, node: Node) -> Ref:
        self.rules.append(Rule(name, node))
        return Ref(name)

    def add_named_rule(
        self, kind: str, bounds: Hashable, make: Callable[[], Node], *, lexical: bool = False
    ) -> Ref:
        """Return a reference to the shared rule of a kind and its limits."""
        if (kind, bounds) not in self.names:
            self.counts[kind] += 1
            name = self.names[kind, bounds] = f"{kind}-{self.counts[kind]}"
            self.shared[name] = Rule(name, make(), lexical=lexical)
        return Ref(self.names[kind, bounds])

    # --- members --------------------------------------------------------------------------------

    def build_members(
        self, members: Object | None, rule: str, *, positional: bool, lead: bool
    ) -> Node:
        """Build the node for the arguments of a call or the members of an object."""
        if members is None:
            return self.build_any_members(positional=positional, lead=lead)
        required, optional = split_members(members)
        head = self.build_required_members(required, rule, positional=positional, lead=lead)
        extra = self.try_build_undeclared_member(members, rule)
        # The first separator differs: a space follows the name, but a comma may follow a value.
        has_letters = all(self.build_key(param.name).text[0] in LETTERS for param in optional)
        is_apart = not head and (not lead or extra is not None or not has_letters)
        last = required[-1].type if required else None
        rows, keyed, firsts = self.build_optional_arguments(
            optional, extra, rule, positional=positional, first=is_apart, last=last
        )
        if not is_apart:
            return make_sequence(*head, rows[0] if positional else keyed[0])
        if not firsts:
            return Seq(())
        return make_optional(make_sequence(Lit(" ") if lead else None, make_choice(*firsts)))

    def build_required_members(
        self, required: Sequence[Param], rule: str, *, positional: bool, lead: bool
    ) -> list[Node]:
        nodes: list[Node] = []
        for number, param in enumerate(required, 1):
            key = None if positional else self.build_key(param.name)
            value = self.build_argument(param, f"{rule}-r{number}")
            before = self.build_separator(required[number - 2].type, key) if nodes else Lit(" ")
            nodes.append(make_sequence(before if nodes or lead else None, key, value))
        return nodes

    def build_separator(self, before: Type | None = None, key: Lit | None = None) -> Node:
        """Build the separator between two values (§6). None stands for a value of any type."""
        if self.punctuated:
            return Lit(", ")
        is_closed = before is None or may_follow_closed_group(before)
        return EITHER if is_closed and not (key and key.text[0] in LETTERS) else Lit(" ")

    def build_lead(
        self, before: Type | None = None, key: Lit | None = None, *, grouped: bool
    ) -> Node:
        """Build the separator that precedes a key (a line end in the tagged form)."""
        return Lit("\n") if grouped else self.build_separator(before, key)

    def build_any_members(self, *, positional: bool, lead: bool) -> Node:
        """Build the node for arguments or members without a schema."""
        pair = make_sequence(self.build_any_key(grouped=False), self.share_rule("value"))
        pairs = repeat_many(make_sequence(self.build_separator(), pair))
        inside = make_sequence(pair, pairs)
        if positional:
            rows = repeat_many(
                make_sequence(self.build_separator(), make_skippable(self.share_rule("value")))
            )
            inside = make_choice(
                make_sequence(make_skippable(self.share_rule("value")), rows, pairs), inside
            )
        return make_optional(make_sequence(Lit(" ") if lead else None, inside))

    def build_optional_arguments(
        self,
        optional: Sequence[Param],
        extra: Node | None,
        rule: str,
        *,
        positional: bool,
        first: bool,
        last: Type | None = None,
        grouped: bool = False,
    ) -> tuple[list[Node | None], list[Node | None], list[Node]]:
        """Build the nodes for optional arguments.

        The i-th nodes of the first two lists match the arguments from the i-th on: in the first
        list if the i-th may still be positional, in the second list if the rest have keys. Each
        node refers to the rule of the next node, so the size is linear. With `first`, the third
        list has every argument that may come first, without a separator. `last` is the type of the
        preceding argument. `grouped` means the tagged form: each keyed argument is a group on its
        own line, and a parenthesis ends the positional arguments.
        """
        end = Lit(")") if grouped else None
        # The types before each argument: by position the previous type, by key any previous type.
        before = [last or NOTHING, *(param.type for param in optional)]
        closed = list(accumulate(before, partial(max, key=may_follow_closed_group)))
        shared = positional or first or grouped
        values, pairs = self.build_optional_members(optional, rule, shared=shared, grouped=grouped)
        more = (
            None
            if extra is None
            else repeat_many(make_sequence(self.build_lead(grouped=grouped), extra))
        )
        keyed: list[Node | None] = [more]
        rows: list[Node | None] = [make_sequence_of_present(end, more)]
        for number in range(len(optional), 0, -1):
            value = values[number - 1]
            pair = pairs[number - 1]
            following = keyed[0]
            if pair:
                key = self.build_key(optional[number - 1].name)
                lead = self.build_lead(closed[number - 1], key, grouped=grouped)
                following = self.add_rule(
                    f"{rule}-k{number}",
                    make_sequence(make_optional(make_sequence(lead, pair)), following),
                )
            keyed.insert(0, following)
            if positional:
                placed = make_sequence(
                    self.build_separator(before[number - 1]), make_skippable(value), rows[0]
                )
                ended = make_sequence_of_present(end, keyed[0])
                row = make_choice(ended, placed) if ended else make_optional(placed)
                rows.insert(0, self.add_rule(f"{rule}-p{number}", row))
        if not first:
            return rows, keyed, []
        firsts = [
            make_sequence(pair, after) for pair, after in zip(pairs, keyed[1:], strict=True) if pair
        ]
        if values and positional:
            placed = make_sequence(make_skippable(values[0]), rows[1])
            firsts.append(make_sequence(Lit("("), placed) if grouped else placed)
        return rows, keyed, [*firsts, make_sequence(extra, more)] if extra else firsts

    def build_optional_members(
        self, optional: Sequence[Param], rule: str, *, shared: bool, grouped: bool
    ) -> tuple[list[Node | None], list[Node | None]]:
        """Build the nodes for the values of members, and for the values with their keys."""
        values: list[Node | None] = []
        pairs: list[Node | None] = []
        for number, param in enumerate(optional, 1):
            value = self.try_build_optional_param(param, f"{rule}-o{number}", shared=shared)
            values.append(value)
            pairs.append(
                value and self.build_pair(self.build_key(param.name), value, grouped=grouped)
            )
        return values, pairs

    def try_build_undeclared_member(
        self, members: Object, rule: str, *, grouped: bool = False
    ) -> Node | None:
        if members.extra is None or not has_values(members.extra):
            return None
        value = self.build_repeatable_value(members.extra, f"{rule}-x")
        return self.build_pair(self.build_any_key(grouped=grouped), value, grouped=grouped)

    def build_any_key(self, *, grouped: bool) -> Node:  # noqa: ARG002 - the tagged form has groups
        return self.share_rule("key")

    def build_key(self, name: str) -> Lit:
        return Lit(f"{spell_name(name)}=")

    def build_pair(self, key: Node, value: Node, *, grouped: bool) -> Node:
        pair = make_sequence(key, value)
        return make_sequence(Lit("("), pair, Lit(")")) if grouped else pair

    def try_build_optional_param(self, param: Param, rule: str, *, shared: bool) -> Node | None:
        if not has_values(param.type):
            return None
        value = self.build_argument(param, rule)
        return self.add_rule(rule, value) if shared and not isinstance(value, Ref | Lit) else value

    # --- values ---------------------------------------------------------------------------------

    def build_argument(self, param: Param, rule: str) -> Node:
        """Build the node for a member's values, which may be fenced if the member asks for lines.

        `rule` is the prefix of new rules' names.
        """
        string = param.type.string
        if string is None or id(param) not in self.with_lines:
            return self.build_value(param.type, rule)
        size = string.min_length, string.max_length
        texts = self.add_named_rule("lines", size, lambda: self.build_lines(*size), lexical=True)
        options: list[Node | None] = [texts, self.try_build_counted_strings("s", *size)]
        others = replace(param.type, string=None)
        if others != NOTHING:
            options.append(self.build_value(others, rule))
        return make_choice(*[option for option in options if option])

    def build_value(self, node: Type, rule: str) -> Node:
        """Build the node for a type's values. `rule` is the prefix of new rules' names."""
        if node == ANY:
            return self.share_rule("any")
        if number := self.repeated.get(id(node)):
            return self.add_named_rule("type", number, lambda: self.build_options(node, rule))
        return self.build_options(node, rule)

    def build_repeatable_value(self, node: Type, rule: str) -> Node:
        """Build the node for values that a rule repeats, as a rule of its own if it is long.

        A repeated node is printed twice, so a node inside n others would be printed 2**n times.
        """
        value = self.build_value(node, rule)
        return self.add_rule(rule, value) if isinstance(value, Seq | Alt) else value

    def build_options(self, node: Type, rule: str) -> Node:
        options: list[Node] = []
        if node.string and has_values(Type(string=node.string)):
            options += self.build_strings(node, node.string)
        if node.number and has_values(Type(number=node.number)):
            options += self.build_numbers(node.number)
        options += [self.build_boolean(value) for value in node.booleans]
        if node.array:
            options += self.build_arrays(node, node.array, rule)
        if node.object:
            options += self.build_objects(node, node.object, rule)
        if node.null:
            options.append(self.build_null())
        return make_choice(*options)

    def build_arrays(self, node: Type, array: Array, rule: str) -> list[Node]:
        if values := list_groups(array, node):
            return [self.build_group(value, node) for value in values]
        return [self.build_array(array, rule)] if has_values(Type(array=array)) else []

    def build_objects(self, node: Type, members: Object, rule: str) -> list[Node]:
        if values := list_groups(members, node):
            return [self.build_group(value, node) for value in values]
        if members.is_map and members.extra:
            return [self.build_map(members.extra, rule)]
        return [self.build_object(members, rule)] if has_values(Type(object=members)) else []

    def build_boolean(self, value: bool) -> Node:
        return Lit(str(value).lower())

    def build_null(self) -> Node:
        return Lit("null")

    def build_strings(self, node: Type, string: String) -> list[Node]:
        if string.values is not None:
            return [Lit(self.spell_label(label, node)) for label in string.values]
        shape = find_shape(string)
        if shape is not None:
            return self.build_pattern_strings(shape, node, string)
        size = string.min_length, string.max_length
        if size == (0, None) or not self.lexemes.is_limited(size[1]):
            return [self.share_rule("text")]
        return [self.add_named_rule("text", size, lambda: self.build_text(*size))]

    def spell_label(self, label: str, node: Type) -> str:
        return spell_text(label, bare=node.takes_bare(label), punctuated=self.punctuated)

    def build_pattern_strings(self, shape: Shape, node: Type, string: String) -> list[Node]:
        """Build nodes for the strings of a pattern, bare or in quotes."""

        def build_limited_pattern() -> Node:
            return self.lexemes.limit_pattern(shape.node)

        if not self.punctuated and shape.is_bare and node == Type(string=string):
            return [self.add_named_rule("word", shape, build_limited_pattern, lexical=True)]
        quoted = self.add_named_rule(
            "quoted",
            shape,
            lambda: make_sequence(Lit('"'), build_limited_pattern(), Lit('"')),
            lexical=True,
        )
        if not self.bare or shape.is_quoted or 0 in (string.max_length, shape.size[1]):
            return [quoted]
        # The decoder checks which strings may be bare.
        size = string.min_length, string.max_length
        words = self.add_named_rule(
            "bare", size, lambda: self.lexemes.build_bare(*size), lexical=True
        )
        return [words, quoted]

    def build_text(self, low: int, high: int | None) -> Node:
        """Build the node that accepts strings in every allowed spelling."""
        if (low, high) == (0, None):
            texts: list[Node] = [self.share_rule("plain")]
        else:
            plain = self.add_named_rule(
                "plain", (low, high), lambda: self.build_plain_text(low, high), lexical=True
            )
            texts = [plain, self.build_fence(high)]
        counts = self.try_build_counted_strings("s", low, high)
        return make_choice(*texts, *([counts] if counts else []))

    def build_fence(self, high: int | None) -> Node:
        """Build the node for fenced strings, which have no limit if `high` is large."""
        if high is None or high > SHORT:
            return self.share_rule("fence")
        return self.add_named_rule("fence", high, lambda: self.build_any_fence(high), lexical=True)

    def build_any_fence(self, high: int | None = None) -> Node:
        """Build the node for strings in fences, at a place that does not ask for lines."""
        if self.lexemes.spellings == "canonical":
            return self.lexemes.build_needed_fence(high)
        return self.lexemes.build_fence(high)

    def build_lines(self, low: int, high: int | None) -> Node:
        """Build the node for strings at a place that asks for lines."""
        most = None if high is None or high > SHORT else high
        return make_choice(self.build_plain_text(low, high), self.lexemes.build_fence(most))

    def build_plain_text(self, low: int, high: int | None) -> Node:
        return self.lexemes.build_text(low, high, bare=self.bare)

    def try_build_counted_strings(self, letter: str, low: int, high: int | None) -> Node | None:
        """Build the node for counted strings, or return None if counted strings are not allowed."""
        high = self.max_counted if high is None else min(high, self.max_counted)
        if not self.max_counted or low > high:
            return None

        def build_and_share_rules() -> Node:
            node, rules = try_build_counted_strings(letter, low, high)
            self.shared |= {rule.name: rule for rule in rules}
            return node

        return self.add_named_rule("counted", (letter, low, high), build_and_share_rules)

    def build_numbers(self, number: Number) -> list[Node]:
        if number.values is not None:
            return [Lit(spell_number(value)) for value in with_whole_spellings(number.values)]
        kind = "integer" if number.integer else "number"
        if number in (Number(), Number(integer=True)):
            return [self.share_rule(kind)]
        return [
            self.add_named_rule(
                kind, number, lambda: self.lexemes.build_number(number), lexical=True
            )
        ]

    def build_array(self, array: Array, rule: str) -> Node:
        low = array.min_items
        high = array.max_items
        if high == 0 or not has_values(array.items):
            return Lit("[]")
        item = self.build_repeatable_value(array.items, f"{rule}-i")
        most = high - 1 if high is not None and high <= MAX_ITEMS else None
        least = min(max(low - 1, 0), MAX_ITEMS)
        between = self.build_separator(array.items)
        items = make_sequence(
            item, Times(make_sequence(between, item), least, most) if most != 0 else None
        )
        return make_sequence(Lit("["), items if low else make_optional(items), Lit("]"))

    def build_group(self, value: JSON, node: Type) -> Node:
        return Lit(write_value(value, node, self.form))

    def build_object(self, members: Object | None, rule: str) -> Node:
        positional = self.positional and not (members and members.is_keyed)
        return self.build_branches(members, rule, Lit("("), Lit(")"), positional=positional)

    def build_branches(
        self, members: Object | None, rule: str, opener: Lit, closer: Lit, *, positional: bool
    ) -> Node:
        """Build the node for an object, or one node for each branch of a union (R-438)."""
        if members is None or not members.branches:
            inside = self.build_members(members, rule, positional=positional, lead=False)
            return make_sequence(opener, inside, closer)
        options = []
        for number, branch in enumerate(members.branches, 1):
            if has_values(Type(object=branch)):
                name = f"{rule}-b{number}"
                by_position = positional and not branch.is_keyed
                option = self.build_branches(branch, name, opener, closer, positional=by_position)
                options.append(self.add_rule(name, option) if isinstance(option, Seq) else option)
        return make_choice(*options)

    def build_map(self, values: Type, rule: str) -> Node:
        if not has_values(values):
            return Lit("{}")
        pair = make_sequence(
            self.share_rule("map-key"), Lit(" "), self.build_repeatable_value(values, f"{rule}-m")
        )
        return make_sequence(
            Lit("{"), make_optional(repeat_separated(pair, self.build_separator(values))), Lit("}")
        )

    # --- shared rules ---------------------------------------------------------------------------

    def share_rule(self, name: str) -> Ref:
        """Return a reference to a rule that tools share, after adding the rule if necessary."""
        if name == "map-key" and self.lexemes.spellings != "double":
            name = "name"
        if name not in self.shared:
            lexical = self.find_lexical_node(name)
            # Registered before its parts are built, because any value may contain any other value.
            self.shared[name] = Rule(name, lexical or Seq(()), lexical=lexical is not None)
            if lexical is None:
                make = {
                    "text": self.build_any_text,
                    "any": self.build_anything,
                    "value": self.build_any_value,
                }
                self.shared[name] = Rule(name, make[name]())
        return Ref(name)

    def find_lexical_node(self, name: str) -> Node | None:
        """Return the node of a shared rule, or None if the rule is not lexical."""
        lexemes = self.lexemes
        make: dict[str, Callable[[], Node]] = {
            "bare": lexemes.build_bare,
            "fence": self.build_any_fence,
            "integer": lambda: lexemes.build_number(Number(integer=True)),
            "key": lexemes.build_key,
            "name": lexemes.build_name,
            "map-key": lambda: lexemes.build_quoted('"'),
            "number": lambda: lexemes.build_number(Number()),
            "plain": lambda: make_choice(self.build_plain_text(0, None), self.build_any_fence()),
        }
        if name == "text" and not (self.max_counted or self.tagged):
            name = "plain"
        return make[name]() if name in make else None

    def build_any_text(self) -> Node:
        return self.build_text(0, None)

    def build_anything(self) -> Node:
        """Build the node for values without a schema."""
        return self.choose_any_of(self.share_rule("any"))

    def build_any_value(self) -> Node:
        """Build the node for any value, with or without a schema."""
        word = [self.share_rule("bare")] if self.punctuated else []  # a label
        return make_choice(
            self.choose_any_of(self.share_rule("value")), self.build_object(None, "value"), *word
        )

    def choose_any_of(self, value: Node) -> Node:
        words = [self.build_null(), self.build_boolean(value=True), self.build_boolean(value=False)]
        pair = make_sequence(self.share_rule("map-key"), Lit(" "), value)
        groups = [
            make_sequence(
                Lit(opener),
                make_optional(repeat_separated(item, self.build_separator())),
                Lit(closer),
            )
            for opener, item, closer in (("[", value, "]"), ("{", pair, "}"))
        ]
        return make_choice(self.share_rule("text"), self.share_rule("number"), *words, *groups)


def list_groups(group: Array | Object | None, node: Type) -> list[JSON]:
    """Return the arrays or objects that a type lists and allows."""
    values = []
    for value in map(json.loads, (group and group.values) or ()):
        with suppress(EncodeError):
            check_value(value, node)
            values.append(value)
    return values


def make_sequence_of_present(*parts: Node | None) -> Node | None:
    """Build a sequence of the nodes that are not None, or return None if all are None."""
    present = [part for part in parts if part is not None]
    return make_sequence(*present) if present else None


def with_whole_spellings(listed: Sequence[int | float]) -> Iterable[int | float]:
    """Add the spelling without a fraction to listed numbers: 2.0 may also be written 2."""
    whole = [
        int(value)
        for value in listed
        if isinstance(value, float) and spell_number(value).endswith(".0")
    ]
    return {spell_number(value): value for value in (*listed, *whole)}.values()


def make_skippable(value: Node | None) -> Node:
    """Build the node for a positional argument that may be omitted (R-412)."""
    return make_choice(value, Lit(SKIP)) if value else Lit(SKIP)


def may_follow_closed_group(node: Type) -> bool:
    """Return whether a value of the type may end with a quote or a bracket."""
    if node.array or node.object or (node.string and not node.has_labels):
        return True
    labels = node.string.values or () if node.string else ()
    return any(spell_text(label, bare=node.takes_bare(label))[-1] in CLOSING for label in labels)
