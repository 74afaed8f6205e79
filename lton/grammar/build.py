"""Tools to a grammar of the texts that call them, from the terminals that the codec reads with.

Its language is what `decode` reads in the given form, except where it is narrower or wider on
purpose (the lists in §13 of the spec): one space between values, keys in layout order, fences of
three backticks; bounds, duplicate keys, depth and the size of numbers are left to the decoder.
"""

from collections.abc import Iterator, Sequence

from lton._syntax import (
    AFTER_S_CLASS,
    NAME_AFTER_S_CLASS,
    NAME_CLASS,
    NAME_HEAD_CLASS,
    REPEAT,
    SKIP,
    WORD_CLASS,
    WORD_HEAD_CLASS,
    spell_name,
    spell_number,
    spell_text,
)
from lton.grammar.nodes import Alt, Chars, Grammar, Lit, Node, Ref, Rule, Seq, alt, many, opt, seq
from lton.grammar.nodes import Repeat as Times
from lton.schema.toolset import ToolSet
from lton.schema.types import ANY, Array, Object, Param, Tool, Type

MAX_COUNT_DIGITS = 4

_ANY_CHAR = Chars(r"\x00", negated=True)
_DIGIT = Chars("0-9")
_LINE = seq(Chars(r"`\n\x00", negated=True), many(Chars(r"\n\x00", negated=True)))
_DIGITS = alt(Lit("0"), seq(Chars("1-9"), many(_DIGIT)))
_FRACTION = seq(Lit("."), Times(_DIGIT, 1))
_EXPONENT = seq(Chars("eE"), opt(Chars("+-")), Times(_DIGIT, 1))


def _quoted(quote: str) -> Node:
    return seq(Lit(quote), many(Chars(rf"{quote}\n\r\x00", negated=True)), Lit(quote))


# lines that do not begin with three backticks, between lines that are three backticks
_FENCE = seq(
    Lit("```\n"),
    many(
        seq(
            opt(alt(_LINE, seq(Lit("`"), opt(_LINE)), seq(Lit("``"), opt(_LINE)))),
            Lit("\n"),
        )
    ),
    Lit("```"),
)
_TERMINALS: dict[str, Node] = {
    # not `_` first, and not `s` and a digit
    "bare": alt(
        seq(Chars(WORD_HEAD_CLASS), many(Chars(WORD_CLASS))),
        seq(Lit("s"), opt(seq(Chars(AFTER_S_CLASS), many(Chars(WORD_CLASS))))),
    ),
    "double-quoted": _quoted('"'),
    "single-quoted": _quoted("'"),
    "fence": _FENCE,
    "integer": alt(Lit("0"), seq(opt(Lit("-")), Chars("1-9"), many(_DIGIT))),
    # The longest first: the regular expressions of python-lark take the first that fits.
    "number": alt(
        seq(opt(Lit("-")), _DIGITS, alt(seq(_FRACTION, opt(_EXPONENT)), _EXPONENT)),
        Lit("0"),
        seq(opt(Lit("-")), Chars("1-9"), many(_DIGIT)),
    ),
    "name": Times(Chars(NAME_CLASS), 1),
    # Not `s` and a digit: a greedy lexer would take the head of a counted string for a key.
    "key": seq(
        alt(
            seq(Chars(NAME_HEAD_CLASS), many(Chars(NAME_CLASS))),
            seq(Lit("s"), opt(seq(Chars(NAME_AFTER_S_CLASS), many(Chars(NAME_CLASS))))),
            _quoted('"'),
            _quoted("'"),
            _FENCE,
        ),
        Lit("="),
    ),
}


def build(
    tools: ToolSet,
    *,
    form: str = "wire",
    punctuated: bool = False,
    parallel: bool = False,
    count_digits: int = 0,
) -> Grammar:
    """Get the grammar of one call of the tools, or with `parallel` of one or more.

    `form` is "wire" or "keyed"; `punctuated` is that of `encode`. With `count_digits` of 1 to 4
    counted strings of so many digits are in the language, exactly: for texts that programs write,
    because a model does not know the length before the text.
    """
    if form not in ("wire", "keyed") or (punctuated and form != "keyed"):
        raise ValueError(f"no grammar for form {form!r} with punctuated={punctuated}")
    if not 0 <= count_digits <= MAX_COUNT_DIGITS:
        raise ValueError(f"count_digits must be 0 to {MAX_COUNT_DIGITS}, found {count_digits}")
    return _Builder(form == "wire", punctuated, count_digits).grammar(
        tools.spoken, parallel=parallel
    )


class _Builder:
    """Collects rules: one for each tool, those that its optional members need, and shared ones."""

    def __init__(self, positional: bool, punctuated: bool, count_digits: int) -> None:
        self.positional = positional
        self.punctuated = punctuated
        self.count_digits = count_digits
        self.between = Lit(", " if punctuated else " ")
        self.rules: list[Rule] = []
        self.shared: dict[str, Rule] = {}

    def grammar(self, tools: ToolSet, *, parallel: bool) -> Grammar:
        calls = [
            self.call(tool, f"call-{number}", parallel=parallel)
            for number, tool in enumerate(tools, 1)
            if _writable(Type(object=tool.args))
        ]
        if not calls:
            raise ValueError("no grammar: none of the tools can be called")
        line = alt(*calls)
        if parallel:
            self.rules.append(Rule("line", line))
            line = seq(Ref("line"), many(seq(Lit("\n"), Ref("line"))))
        return Grammar((Rule("start", line), *self.rules, *self.shared.values()))

    def call(self, tool: Tool, rule: str, *, parallel: bool) -> Ref:
        name = Lit(spell_name(tool.name))
        arguments = self.members(tool.args, rule, lead=not self.punctuated)
        if self.punctuated:
            arguments = seq(Lit("("), arguments, Lit(")"))
        node = seq(name, arguments)
        if parallel and self.positional:
            repeated = self.add(f"{rule}-args", arguments)
            node = seq(name, repeated, many(seq(Lit(f"\n{REPEAT}"), repeated)))
        return self.add(rule, node)

    def add(self, name: str, node: Node) -> Ref:
        self.rules.append(Rule(name, node))
        return Ref(name)

    # --- members ----------------------------------------------------------------------------

    def members(self, members: Object, rule: str, *, lead: bool) -> Node:
        """Get the arguments; with `lead` a separator stands before the first one too."""
        required = [param for param in members.params if param.required]
        optional = [param for param in members.params if not param.required]
        while optional and not _writable(optional[-1].type):
            optional.pop()
        head: list[Node] = []
        for number, param in enumerate(required, 1):
            key = None if self.positional else _key(param)
            value = self.value(param.type, f"{rule}-r{number}")
            head.append(seq(self.between if head or lead else None, key, value))
        extra = None
        if members.extra is not None and _writable(members.extra):
            extra = seq(self.share("key"), self.value(members.extra, f"{rule}-x"))
        first = not (head or lead)
        return seq(*head, self.gaps(optional, extra, rule, first=first))

    def gaps(
        self, optional: Sequence[Param], extra: Node | None, rule: str, *, first: bool
    ) -> Node | None:
        """Get the optional arguments where what may follow depends on what was written.

        `keyed[i]` is what may stand from the i-th on if all of it is keyed, `rows[i]` if it may
        still go by position. Each is a rule that refers to the next, so the text stays linear.
        With `first` no separator stands before the first argument written.
        """
        values = [self.optional(p, f"{rule}-o{i}", first) for i, p in enumerate(optional, 1)]
        pairs = [value and seq(_key(p), value) for p, value in zip(optional, values, strict=True)]
        more = None if extra is None else many(seq(self.between, extra))
        keyed: list[Node | None] = [more]
        rows = keyed[:]
        for i in range(len(optional), 0, -1):
            value, pair = values[i - 1], pairs[i - 1]
            rest = seq(opt(seq(self.between, pair)), keyed[0]) if pair else None
            keyed.insert(0, self.add(f"{rule}-k{i}", rest) if rest else keyed[0])
            if self.positional:
                placed = seq(self.between, self.or_skip(value), rows[0])
                row = alt(keyed[0], placed) if keyed[0] else opt(placed)
                rows.insert(0, self.add(f"{rule}-p{i}", row))
        if not first:
            return rows[0] if self.positional else keyed[0]
        firsts = zip(pairs, keyed[1:], strict=True)
        options = [seq(pair, rest) for pair, rest in firsts if pair]
        if values and self.positional:
            options.append(seq(self.or_skip(values[0]), rows[1]))
        if extra is not None:
            options.append(seq(extra, more))
        return opt(alt(*options)) if options else None

    def optional(self, param: Param, rule: str, first: bool) -> Node | None:
        """Get the value of an optional argument, as a rule if it is used twice; None if never."""
        if not _writable(param.type):
            return None
        value = self.value(param.type, rule)
        return self.add(rule, value) if self.positional or first else value

    def or_skip(self, value: Node | None) -> Node:
        return alt(value, Lit(SKIP)) if value else Lit(SKIP)

    # --- values -----------------------------------------------------------------------------

    def value(self, node: Type, rule: str) -> Node:
        """Get a value of a type. `rule` begins the names of the rules that its members need."""
        if node == ANY:
            return self.share("any")
        options: list[Node] = []
        if node.string and node.string.values is None:
            options.append(self.share("text"))
        elif node.string and node.string.values:
            options += [Lit(self.spell(label, node)) for label in node.string.values]
        if node.number and node.number.values is None:
            options.append(self.share("integer" if node.number.integer else "number"))
        elif node.number and node.number.values:
            options += [Lit(spell_number(value)) for value in node.number.values]
        options += [Lit(str(value).lower()) for value in node.booleans]
        if node.array:
            options.append(self.array(node.array, rule))
        if node.object and node.object.is_map and node.object.extra:
            options.append(self.map(node.object.extra, rule))
        elif node.object and _writable(Type(object=node.object)):
            options.append(seq(Lit("("), self.members(node.object, rule, lead=False), Lit(")")))
        if node.null:
            options.append(Lit("null"))
        return alt(*options)

    def spell(self, label: str, node: Type) -> str:
        return spell_text(label, bare=node.takes_bare(label), punctuated=self.punctuated)

    def array(self, array: Array, rule: str) -> Node:
        if not _writable(array.items):
            return Lit("[]")
        item = self.value(array.items, f"{rule}-i")
        if isinstance(item, Seq | Alt):
            item = self.add(f"{rule}-i", item)
        items = seq(item, many(seq(self.between, item)))
        return seq(Lit("["), items if array.min_items else opt(items), Lit("]"))

    def map(self, values: Type, rule: str) -> Node:
        if not _writable(values):
            return Lit("{}")
        names = ("name", "double-quoted", "single-quoted", "fence")
        key = alt(*[self.share(name) for name in names])
        pair = seq(key, Lit(" "), self.value(values, f"{rule}-m"))
        return seq(Lit("{"), opt(seq(pair, many(seq(self.between, pair)))), Lit("}"))

    # --- shared rules -----------------------------------------------------------------------

    def share(self, name: str) -> Ref:
        """Refer to a rule that tools have in common, and make it the first time."""
        if name not in self.shared:
            if name in _TERMINALS:
                self.shared[name] = Rule(name, _TERMINALS[name], lexical=True)
            else:
                # In place before its parts are made: any value may hold any value.
                self.shared[name] = Rule(name, Seq(()))
                self.shared[name] = Rule(name, {"text": self.text, "any": self.anything}[name]())
        return Ref(name)

    def text(self) -> Node:
        kinds = ["double-quoted", "single-quoted", "fence"]
        texts = [self.share(kind) for kind in (kinds if self.punctuated else ["bare", *kinds])]
        if self.count_digits:
            for rule in _counted(self.count_digits):
                self.shared[rule.name] = rule
            texts.append(Ref("counted"))
        return alt(*texts)

    def anything(self) -> Node:
        words = [Lit(word) for word in ("null", "true", "false")]
        array = self.array(Array(items=ANY), "any")
        return alt(self.share("text"), self.share("number"), *words, array, self.map(ANY, "any"))


def _key(param: Param) -> Lit:
    return Lit(f"{spell_name(param.name)}=")


def _writable(node: Type) -> bool:
    """Say whether any value satisfies the type: real definitions have positions that none does."""
    members = node.object
    return bool(
        node.null
        or node.booleans
        or node.number
        or node.string
        or (node.array and (not node.array.min_items or _writable(node.array.items)))
        or (members and all(_writable(p.type) for p in members.params if p.required))
    )


def _counted(digits: int) -> Iterator[Rule]:
    """Get the rules of counted strings with lengths of up to so many digits (R-24), exactly.

    A context-free grammar cannot read a number and then count. But it can put, for the digit at
    each place, that many blocks of 1, 10, 100 or 1,000 characters behind what the digits after it
    stand for: `"1" l2 x100`. Lengths have no leading zero, so the first digit has its own rules.
    """
    blocks = [_ANY_CHAR] + [Ref(f"x{10**place}") for place in range(1, digits)]

    def ones(letter: str) -> Node:
        zero = Lit(f"{letter}0:")
        return alt(zero, *[seq(Lit(f"{letter}{n}:"), Times(_ANY_CHAR, n, n)) for n in range(1, 10)])

    def place(index: int, letter: str, digit: int) -> Node:
        block = Times(blocks[index], digit, digit) if digit else None
        return seq(Lit(f"{letter}{digit}"), Ref(f"l{index}"), block)

    for index in range(1, digits):
        yield Rule(f"x{10**index}", Times(_ANY_CHAR, 10**index, 10**index), lexical=True)
        below = ones("") if index == 1 else alt(*[place(index - 1, "", n) for n in range(10)])
        yield Rule(f"l{index}", below)
    firsts = [place(index, "s", n) for index in range(1, digits) for n in range(1, 10)]
    yield Rule("counted", alt(ones("s"), *firsts))
