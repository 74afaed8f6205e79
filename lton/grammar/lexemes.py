"""Build the nodes for strings, numbers and names, with limits on their lengths.

The length of every lexeme is limited, so that a model cannot continue a value forever. `MAX_TEXT`
and `MAX_DIGITS` apply if the schema has no limit. They are far above the lengths in real calls,
because a value that reached the limit would be cut off silently.
"""

from collections.abc import Iterator
from itertools import permutations
from math import ceil, floor, inf
from typing import Literal, TypeAlias, get_args

from lton._syntax import (
    AFTER_S_CLASS,
    FENCE_ENDS,
    KEEPS,
    NAME_AFTER_S_CLASS,
    NAME_CLASS,
    NAME_HEAD_CLASS,
    QUOTES,
    WORD_CLASS,
    WORD_HEAD_CLASS,
    Marks,
)
from lton.grammar.charset import invert, of_string, spell
from lton.grammar.nodes import Alt, Chars, Lit, Node, Repeat, Seq, alt, opt, repeat, seq, times
from lton.schema.types import Number

Bounded: TypeAlias = bool | Literal["quoted", "schema", "short"]
Spellings: TypeAlias = Literal["canonical", "all", "double"]
"""The spellings of strings: the first that can hold the string, all, or only `"` and fences."""
SPELLINGS: tuple[Spellings, ...] = get_args(Spellings)
MAX_TEXT = 9_999
"""The maximum length of a string on one line, in characters."""
MAX_BOUND = 999_999
"""The largest length limit of a string or a fence, because engines accept no larger one."""
SHORT = 64
"""Every grammar limits a string whose maximum length is at most this, such as a title."""
MAX_DIGITS = 40
"""The maximum digits of an integer, and on each side of a double's point. 2**128 has 39 digits."""

_DIGIT = Chars("0-9")
_NOT_ZERO = Chars("1-9")
_LINE_CHAR = Chars(r"\n\x00", negated=True)
_IN_FENCE = Chars(r"`\x00", negated=True)
_IN_FENCED_LINE = Chars(r"`\n\r\x00", negated=True)
_LINE_ENDS = Chars(r"\n\r")


class Lexemes:
    """Builds the nodes for lexemes, with the limits of the options."""

    def __init__(
        self, bounded: Bounded, spellings: Spellings = "all", *, in_call: bool = False
    ) -> None:
        self.spellings = spellings
        self.in_call = in_call  # whether values are in the parentheses of a call
        self.max_text = MAX_TEXT if bounded in (True, "quoted") else None
        self.max_fence = MAX_BOUND if bounded in (True, "quoted") else None
        self.max_word = MAX_TEXT if bounded is True else None
        self.bounded = bool(bounded) and bounded != "short"
        self.is_short = bounded == "short"
        self.max_digits = MAX_DIGITS if self.bounded else None

    def digits(self, low: int, before: int = 0) -> Node:
        """Build the node for at least `low` digits, after `before` other digits."""
        return Repeat(_DIGIT, low, self.max_digits and max(low, self.max_digits - before))

    # --- strings --------------------------------------------------------------------------------

    def limits(self, high: int | None) -> bool:
        """Return whether the grammar limits strings that may have up to `high` characters."""
        return self.bounded or (self.is_short and high is not None and high <= SHORT)

    def limit_lengths(self, low: int, high: int | None) -> tuple[int, int | None]:
        """Return the limits of a string's length that the grammar enforces."""
        if not self.limits(high):
            return min(low, 1), None
        if high is None:
            high = self.max_text and max(self.max_text, low)
        return min(low, MAX_BOUND), high and min(high, MAX_BOUND)

    def limit_pattern(self, node: Node) -> Node:
        """Limit the repetitions in the node of a pattern."""
        match node:
            case Repeat(Seq() | Alt() | Repeat(), _, None) if self.bounded:
                return node  # engines need too many states for nested counts
            case Repeat(item, low, high):
                return times(self.limit_pattern(item), *self.limit_lengths(low, high))
            case Seq(parts):
                return seq(*map(self.limit_pattern, parts))
            case Alt(options):
                return alt(*map(self.limit_pattern, options))
            case _:
                return node

    def quoted(self, quote: str, low: int = 0, high: int | None = None) -> Node:
        """Build the node for strings in quotes (R-306). Strings in backticks are not empty."""
        low, high = self.limit_lengths(max(low, 1) if quote == "`" else low, high)
        plain = Chars(rf"{quote}\n\r\x00", negated=True)
        return seq(Lit(quote), Repeat(plain, low, high) if high != 0 else None, Lit(quote))

    def bare(self, low: int = 0, high: int | None = None) -> Node:
        """Build the node for bare words. None begins with `_`, or with `s` and a digit (R-305)."""
        low, most = self.limit_lengths(low, high)
        high = None if high is None or self.max_word is None else most
        return self._build_string_start(WORD_HEAD_CLASS, AFTER_S_CLASS, WORD_CLASS, low, high)

    def _build_string_start(
        self, head: str, after_s: str, later: str, low: int = 0, high: int | None = None
    ) -> Node:
        def more(before: int) -> Node | None:
            most = self.max_word if high is None else high - before
            return None if most == 0 else Repeat(Chars(later), max(low - before, 0), most)

        options = [seq(Chars(head), more(1))]
        if high is None or high > 1:
            behind_s = seq(Chars(after_s), more(2))
            options.append(seq(Lit("s"), opt(behind_s) if low < 2 else behind_s))
        else:
            options.append(Lit("s"))
        return alt(*options)

    def text(self, low: int, high: int | None, *, bare: bool) -> Node:
        """Build the node for strings on one line, in every allowed spelling."""
        words = [self.bare(low, high)] if bare and high != 0 else []
        return alt(*words, *self._quotes(low, high))

    def _quotes(self, low: int, high: int | None) -> list[Node]:
        if self.spellings == "canonical":
            return [self.quoted('"', low, high), *self._needed_quotes(high)]
        quotes = '"' if self.spellings == "double" else QUOTES
        return [self.quoted(quote, low, high) for quote in quotes if quote != "`" or high != 0]

    def _needed_quotes(self, high: int | None) -> Iterator[Node]:
        """Yield the nodes for strings in `'` and in backticks that the earlier quotes cannot hold.

        A grammar cannot count around the needed quotes, so a maximum of the schema limits the text
        before, between and after them, and no part has a minimum.
        """
        for quote, required in (("'", '"'), ("`", "\"'")):
            if high is None or high >= len(required):
                most = self._limit_part(high, len(required))
                first = _none_in_line(quote + required)
                holding = self._holding(first, quote, required, most)
                yield seq(Lit(quote), holding, self._run(_none_in_line(quote), most), Lit(quote))

    def _holding(self, first: Node, quote: str, required: str, most: int | None) -> Node:
        """Build the node for text that ends as soon as it contains each of the characters."""
        if len(required) == 1:
            return seq(self._run(first, most), Lit(required))
        options = []
        for one, other in permutations(required):
            between = self._run(_none_in_line(quote + other), most)
            options.append(seq(Lit(one), between, Lit(other)))
        return seq(self._run(first, most), alt(*options))

    def _run(self, item: Node, most: int | None) -> Node | None:
        return None if most == 0 else Repeat(item, 0, most)

    def _limit_part(self, high: int | None, required: int) -> int | None:
        """Return the limit of each part of a string around needed characters."""
        _, most = self.limit_lengths(0, high)
        if most is None:
            return None
        return (most - required) // (required + 1) if high is None else most - required

    # --- fences ---------------------------------------------------------------------------------

    def fence(self, high: int | None = None, *, is_name: bool = False) -> Node:
        """Build the node for strings in a fence (R-308).

        A model that copies a file with three backticks opens the file with three, too. So these end
        a string only where the reader ends it, and other strings need a fence of four.
        """
        most = self._limit_lines(high)
        piece = _after_backticks(_IN_FENCE)
        if self.in_call and high is None and not is_name:
            # Longer runs are not allowed: xgrammar's masks would take ten thousand times as long.
            piece = alt(piece, seq(Lit("```"), none_of("`" + FENCE_ENDS)))
        three = self._wrap_in_fence("```", opt(Lit(KEEPS)), self._run(piece, most))
        return three if is_name or not self.in_call else alt(three, self._long_fence(most))

    def needed_fence(self, high: int | None = None) -> Node:
        """Build the node for fenced strings with a line break or a backtick.

        Quotes cannot hold a line break, nor a backtick together with both other quotes. The first
        three backticks end the string, because a model that fences a name or a title writes an end
        with words or line breaks behind it, and would not find back into the call.
        """
        most = self._limit_lines(high)
        piece = _after_backticks(_IN_FENCE)
        line = self._run(_IN_FENCED_LINE, most)
        others = self._run(piece, most)
        backtick = alt(seq(Lit("`"), _IN_FENCE), seq(Lit("``"), _IN_FENCE))
        required = alt(seq(_LINE_ENDS, piece), backtick)
        options = [
            self._wrap_in_fence("```", None, seq(line, required, others)),
            self._wrap_in_fence("```", Lit(KEEPS), seq(line, alt(_LINE_ENDS, backtick), others)),
        ]
        return alt(*options, *([self._long_fence(most)] if self.in_call else []))

    def _long_fence(self, most: int | None) -> Node:
        """Build the node for strings with a run of three backticks, in a fence of four."""
        three = seq(Lit("```"), _IN_FENCE)
        before = self._run(_after_backticks(_IN_FENCE), most)
        after = self._run(alt(_after_backticks(_IN_FENCE), three), most)
        return self._wrap_in_fence("````", opt(Lit(KEEPS)), seq(before, three, after))

    def _wrap_in_fence(self, fence: str, keeps: Node | None, text: Node | None) -> Node:
        return seq(Lit(fence), keeps, Lit("\n"), text, Lit(fence))

    def _limit_lines(self, high: int | None) -> int | None:
        return self.max_fence if high is None else high + 1

    # --- names ----------------------------------------------------------------------------------

    def named(self, word: Node) -> Node:
        """Build the node for names: words, and quoted or fenced strings (R-303)."""
        return alt(word, *map(self.quoted, QUOTES), self.fence(is_name=True))

    def name(self) -> Node:
        word = seq(Chars(NAME_CLASS), Repeat(Chars(NAME_CLASS), 0, self.max_word))
        return self.named(word)

    def key(self) -> Node:
        """Build the node for undeclared keys, followed by `=`.

        An unquoted key does not begin with `s` and a digit, because a greedy lexer would read
        them as the start of a counted string.
        """
        words = self._build_string_start(NAME_HEAD_CLASS, NAME_AFTER_S_CLASS, NAME_CLASS)
        return seq(self.named(words), Lit("="))

    def prose(self, *, tagged: bool, opening: str = "") -> Node:
        """Build the node for lines of prose, which cannot be a part of a frame (R-429).

        The line does not begin with the first character of a sigil or of the opening mark of
        thoughts. With `tagged`, it does not begin with a parenthesis, which would open a group.
        """
        begins = spell(of_string(opening[0])).body if opening else ""
        first = Chars(rf"!{'(' * tagged}{begins}\n\x00", negated=True)
        return seq(first, Repeat(_LINE_CHAR))

    # --- numbers --------------------------------------------------------------------------------

    def number(self, number: Number) -> Node:
        """Build the node for numbers (R-310). Of doubles, only the sign is limited."""
        if number.integer:
            return self.integer(*integer_bounds(number))
        low = max(
            (b for b in (number.minimum, number.exclusive_minimum) if b is not None), default=-1
        )
        minus = None if low >= 0 else opt(Lit("-"))
        fraction = seq(Lit("."), self.digits(1))
        exponent = seq(Chars("eE"), opt(Chars("+-")), self.exponent())
        whole = alt(seq(_NOT_ZERO, self.digits(0, 1)), Lit("0"))
        # Longest first: python-lark's regular expressions take the first option that matches.
        return alt(
            seq(minus, whole, alt(seq(fraction, opt(exponent)), exponent)),
            seq(minus, _NOT_ZERO, self.digits(0, 1)),
            Lit("0"),
        )

    def exponent(self) -> Node:
        return Repeat(_DIGIT, 1, 3 if self.bounded else None)

    def integer(self, low: int | None, high: int | None) -> Node:
        """Build the node for the integers from `low` to `high`."""
        lowest = -inf if low is None else low
        highest = inf if high is None else high
        options: list[Node] = []
        if highest > 0:
            options += self._naturals(max(1, low or 1), high)
        if lowest < 0:
            negative = self._naturals(max(1, -(high or 0)), None if low is None else -low)
            options += [seq(Lit("-"), node) for node in negative]
        if lowest <= 0 <= highest:
            options.append(Lit("0"))
        return alt(*options)

    def _naturals(self, low: int, high: int | None) -> list[Node]:
        if high is not None:
            return [node for _, node in reversed(naturals(low, high))]
        size = len(str(low))
        if low == 10 ** (size - 1):
            return [seq(_NOT_ZERO, self.digits(size - 1, 1))]
        longer = seq(_NOT_ZERO, self.digits(size, 1))
        return [longer, naturals(low, 10**size - 1)[0][1]]


def build_thought(marks: Marks) -> Node:
    """Build the node for a thought and its closing mark (R-430).

    The first character of the closing mark occurs only once in the mark. So after an incomplete
    mark, the thought continues with this character or with text that differs from the mark.
    """
    opening, closing = marks
    first = closing[0]
    tail = closing[1:]
    text = Repeat(none_of(first))
    back: list[Node] = []
    away: list[Node] = []
    for size, char in enumerate(tail):
        prefix = Lit(tail[:size]) if size else None
        back.append(seq(prefix, Lit(first)))
        away.append(seq(prefix, none_of(first + char)))
    return seq(
        Lit(opening) if opening else None,
        text,
        Lit(first),
        Repeat(alt(*back, seq(alt(*away), text, Lit(first)))),
        Lit(tail),
        Repeat(Lit("\n"), 0, 2),
    )


def _after_backticks(char: Node) -> Node:
    """Build the node for a character after up to two backticks."""
    # Written out, because xgrammar's masks take four times as long for "`"{0,2}.
    return alt(char, seq(Lit("`"), char), seq(Lit("``"), char))


def _none_in_line(chars: str) -> Chars:
    """Return the class of the characters of a quoted string, except the given ones."""
    return Chars(rf"{chars}\n\r\x00", negated=True)


def none_of(chars: str) -> Chars:
    """Return the class of all characters except the given ones."""
    return spell(invert(of_string(chars + "\0")))


def integers(low: int | None, high: int | None) -> list[tuple[str, int, Node]]:
    """Build nodes for the integers from `low` to `high`, one node per sign and number of digits.

    >>> [(sign, size) for sign, size, _ in integers(-5, 120)]
    [('-', 1), ('', 1), ('', 1), ('', 2), ('', 3)]
    """
    edge = 10**MAX_DIGITS - 1
    low = -edge if low is None else max(low, -edge)
    high = edge if high is None else min(high, edge)
    nodes = [("-", size, node) for size, node in naturals(max(1, -high), -low)]
    if low <= 0 <= high:
        nodes.append(("", 1, Lit("0")))
    return nodes + [("", size, node) for size, node in naturals(max(1, low), high)]


def naturals(low: int, high: int) -> list[tuple[int, Node]]:
    """Build nodes for the integers from `low` (at least 1) to `high`, one for each digit count."""
    nodes: list[tuple[int, Node]] = []
    for size in range(len(str(low)), len(str(max(high, 0))) + 1):
        first = max(low, 10 ** (size - 1))
        last = min(high, 10**size - 1)
        if first <= last:
            nodes.append((size, _digits_between(str(first), str(last))))
    return nodes


def _digits_between(low: str, high: str) -> Node:
    if low == high:
        return Lit(low)
    if low[0] == high[0]:
        same = next(i for i in range(len(low)) if low[i] != high[i])
        return seq(Lit(low[:same]), _digits_between(low[same:], high[same:]))
    lower_digits = len(low) - 1
    first = int(low[0])
    last = int(high[0])
    options: list[Node] = []
    if low[1:] != "0" * lower_digits:
        options.append(seq(Lit(low[0]), _digits_between(low[1:], "9" * lower_digits)))
        first += 1
    if high[1:] != "9" * lower_digits:
        options.append(seq(Lit(high[0]), _digits_between("0" * lower_digits, high[1:])))
        last -= 1
    if first <= last:
        head: Node = Lit(str(first)) if first == last else Chars(f"{first}-{last}")
        options.append(seq(head, repeat(_DIGIT, lower_digits) if lower_digits else None))
    return alt(*options)


def integer_bounds(number: Number) -> tuple[int | None, int | None]:
    """Return the smallest and the largest allowed integer, with None for a missing limit."""
    lows = [] if number.minimum is None else [ceil(number.minimum)]
    highs = [] if number.maximum is None else [floor(number.maximum)]
    if number.exclusive_minimum is not None:
        lows.append(floor(number.exclusive_minimum) + 1)
    if number.exclusive_maximum is not None:
        highs.append(ceil(number.exclusive_maximum) - 1)
    return max(lows, default=None), min(highs, default=None)
