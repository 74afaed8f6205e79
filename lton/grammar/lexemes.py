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
from lton.grammar.charset import charset_of_string, invert, write_charset
from lton.grammar.nodes import (
    Alt,
    Chars,
    Lit,
    Node,
    Repeat,
    Seq,
    make_choice,
    make_optional,
    make_sequence,
    repeat,
    repeat_between,
)
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

    def build_digits(self, low: int, before: int = 0) -> Node:
        """Build the node for at least `low` digits, after `before` other digits."""
        return Repeat(_DIGIT, low, self.max_digits and max(low, self.max_digits - before))

    # --- strings --------------------------------------------------------------------------------

    def is_limited(self, high: int | None) -> bool:
        """Return whether the grammar limits strings that may have up to `high` characters."""
        return self.bounded or (self.is_short and high is not None and high <= SHORT)

    def limit_lengths(self, low: int, high: int | None) -> tuple[int, int | None]:
        """Return the limits of a string's length that the grammar enforces."""
        if not self.is_limited(high):
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
                return repeat_between(self.limit_pattern(item), *self.limit_lengths(low, high))
            case Seq(parts):
                return make_sequence(*map(self.limit_pattern, parts))
            case Alt(options):
                return make_choice(*map(self.limit_pattern, options))
            case _:
                return node

    def build_quoted(self, quote: str, low: int = 0, high: int | None = None) -> Node:
        """Build the node for strings in quotes (R-306). Strings in backticks are not empty."""
        low, high = self.limit_lengths(max(low, 1) if quote == "`" else low, high)
        plain = Chars(rf"{quote}\n\r\x00", negated=True)
        return make_sequence(
            Lit(quote), Repeat(plain, low, high) if high != 0 else None, Lit(quote)
        )

    def build_bare(self, low: int = 0, high: int | None = None) -> Node:
        """Build the node for bare words. None begins with `_`, or with `s` and a digit (R-305)."""
        low, most = self.limit_lengths(low, high)
        high = None if high is None or self.max_word is None else most
        return self._build_string_start(WORD_HEAD_CLASS, AFTER_S_CLASS, WORD_CLASS, low, high)

    def _build_string_start(
        self, head: str, after_s: str, later: str, low: int = 0, high: int | None = None
    ) -> Node:
        def try_build_rest(before: int) -> Node | None:
            most = self.max_word if high is None else high - before
            return None if most == 0 else Repeat(Chars(later), max(low - before, 0), most)

        options = [make_sequence(Chars(head), try_build_rest(1))]
        if high is None or high > 1:
            behind_s = make_sequence(Chars(after_s), try_build_rest(2))
            options.append(
                make_sequence(Lit("s"), make_optional(behind_s) if low < 2 else behind_s)
            )
        else:
            options.append(Lit("s"))
        return make_choice(*options)

    def build_text(self, low: int, high: int | None, *, bare: bool) -> Node:
        """Build the node for strings on one line, in every allowed spelling."""
        words = [self.build_bare(low, high)] if bare and high != 0 else []
        return make_choice(*words, *self._build_quotes(low, high))

    def _build_quotes(self, low: int, high: int | None) -> list[Node]:
        if self.spellings == "canonical":
            return [self.build_quoted('"', low, high), *self._iterate_needed_quotes(high)]
        quotes = '"' if self.spellings == "double" else QUOTES
        return [
            self.build_quoted(quote, low, high) for quote in quotes if quote != "`" or high != 0
        ]

    def _iterate_needed_quotes(self, high: int | None) -> Iterator[Node]:
        """Yield the nodes for strings in `'` and in backticks that the earlier quotes cannot hold.

        A grammar cannot count around the needed quotes, so a maximum of the schema limits the text
        before, between and after them, and no part has a minimum.
        """
        for quote, required in (("'", '"'), ("`", "\"'")):
            if high is None or high >= len(required):
                most = self._find_part_limit(high, len(required))
                first = _chars_except_line_ends(quote + required)
                holding = self._build_holding(first, quote, required, most)
                yield make_sequence(
                    Lit(quote),
                    holding,
                    self._try_build_run(_chars_except_line_ends(quote), most),
                    Lit(quote),
                )

    def _build_holding(self, first: Node, quote: str, required: str, most: int | None) -> Node:
        """Build the node for text that ends as soon as it contains each of the characters."""
        if len(required) == 1:
            return make_sequence(self._try_build_run(first, most), Lit(required))
        options = []
        for one, other in permutations(required):
            between = self._try_build_run(_chars_except_line_ends(quote + other), most)
            options.append(make_sequence(Lit(one), between, Lit(other)))
        return make_sequence(self._try_build_run(first, most), make_choice(*options))

    def _try_build_run(self, item: Node, most: int | None) -> Node | None:
        return None if most == 0 else Repeat(item, 0, most)

    def _find_part_limit(self, high: int | None, required: int) -> int | None:
        """Return the limit of each part of a string around needed characters."""
        _, most = self.limit_lengths(0, high)
        if most is None:
            return None
        return (most - required) // (required + 1) if high is None else most - required

    # --- fences ---------------------------------------------------------------------------------

    def build_fence(self, high: int | None = None, *, is_name: bool = False) -> Node:
        """Build the node for strings in a fence (R-308).

        A model that copies a file with three backticks opens the file with three, too. So these end
        a string only where the reader ends it, and other strings need a fence of four.
        """
        most = self._find_line_limit(high)
        piece = _after_backticks(_IN_FENCE)
        if self.in_call and high is None and not is_name:
            # Longer runs are not allowed: xgrammar's masks would take ten thousand times as long.
            piece = make_choice(piece, make_sequence(Lit("```"), chars_except("`" + FENCE_ENDS)))
        three = self._wrap_in_fence(
            "```", make_optional(Lit(KEEPS)), self._try_build_run(piece, most)
        )
        return (
            three
            if is_name or not self.in_call
            else make_choice(three, self._build_long_fence(most))
        )

    def build_needed_fence(self, high: int | None = None) -> Node:
        """Build the node for fenced strings with a line break or a backtick.

        Quotes cannot hold a line break, nor a backtick together with both other quotes. The first
        three backticks end the string, because a model that fences a name or a title writes an end
        with words or line breaks behind it, and would not find back into the call.
        """
        most = self._find_line_limit(high)
        piece = _after_backticks(_IN_FENCE)
        line = self._try_build_run(_IN_FENCED_LINE, most)
        others = self._try_build_run(piece, most)
        backtick = make_choice(
            make_sequence(Lit("`"), _IN_FENCE), make_sequence(Lit("``"), _IN_FENCE)
        )
        required = make_choice(make_sequence(_LINE_ENDS, piece), backtick)
        options = [
            self._wrap_in_fence("```", None, make_sequence(line, required, others)),
            self._wrap_in_fence(
                "```", Lit(KEEPS), make_sequence(line, make_choice(_LINE_ENDS, backtick), others)
            ),
        ]
        return make_choice(*options, *([self._build_long_fence(most)] if self.in_call else []))

    def _build_long_fence(self, most: int | None) -> Node:
        """Build the node for strings with a run of three backticks, in a fence of four."""
        three = make_sequence(Lit("```"), _IN_FENCE)
        before = self._try_build_run(_after_backticks(_IN_FENCE), most)
        after = self._try_build_run(make_choice(_after_backticks(_IN_FENCE), three), most)
        return self._wrap_in_fence(
            "````", make_optional(Lit(KEEPS)), make_sequence(before, three, after)
        )

    def _wrap_in_fence(self, fence: str, keeps: Node | None, text: Node | None) -> Node:
        return make_sequence(Lit(fence), keeps, Lit("\n"), text, Lit(fence))

    def _find_line_limit(self, high: int | None) -> int | None:
        return self.max_fence if high is None else high + 1

    # --- names ----------------------------------------------------------------------------------

    def build_named(self, word: Node) -> Node:
        """Build the node for names: words, and quoted or fenced strings (R-303)."""
        return make_choice(word, *map(self.build_quoted, QUOTES), self.build_fence(is_name=True))

    def build_name(self) -> Node:
        word = make_sequence(Chars(NAME_CLASS), Repeat(Chars(NAME_CLASS), 0, self.max_word))
        return self.build_named(word)

    def build_key(self) -> Node:
        """Build the node for undeclared keys, followed by `=`.

        An unquoted key does not begin with `s` and a digit, because a greedy lexer would read
        them as the start of a counted string.
        """
        words = self._build_string_start(NAME_HEAD_CLASS, NAME_AFTER_S_CLASS, NAME_CLASS)
        return make_sequence(self.build_named(words), Lit("="))

    def build_prose(self, *, tagged: bool, opening: str = "") -> Node:
        """Build the node for lines of prose, which cannot be a part of a frame (R-429).

        The line does not begin with the first character of a sigil or of the opening mark of
        thoughts. With `tagged`, it does not begin with a parenthesis, which would open a group.
        """
        begins = write_charset(charset_of_string(opening[0])).body if opening else ""
        first = Chars(rf"!{'(' * tagged}{begins}\n\x00", negated=True)
        return make_sequence(first, Repeat(_LINE_CHAR))

    # --- numbers --------------------------------------------------------------------------------

    def build_number(self, number: Number) -> Node:
        """Build the node for numbers (R-310). Of doubles, only the sign is limited."""
        if number.integer:
            return self.build_integer(*find_integer_bounds(number))
        low = max(
            (b for b in (number.minimum, number.exclusive_minimum) if b is not None), default=-1
        )
        minus = None if low >= 0 else make_optional(Lit("-"))
        fraction = make_sequence(Lit("."), self.build_digits(1))
        exponent = make_sequence(Chars("eE"), make_optional(Chars("+-")), self.build_exponent())
        whole = make_choice(make_sequence(_NOT_ZERO, self.build_digits(0, 1)), Lit("0"))
        # Longest first: python-lark's regular expressions take the first option that matches.
        return make_choice(
            make_sequence(
                minus,
                whole,
                make_choice(make_sequence(fraction, make_optional(exponent)), exponent),
            ),
            make_sequence(minus, _NOT_ZERO, self.build_digits(0, 1)),
            Lit("0"),
        )

    def build_exponent(self) -> Node:
        return Repeat(_DIGIT, 1, 3 if self.bounded else None)

    def build_integer(self, low: int | None, high: int | None) -> Node:
        """Build the node for the integers from `low` to `high`."""
        lowest = -inf if low is None else low
        highest = inf if high is None else high
        options: list[Node] = []
        if highest > 0:
            options += self._build_naturals(max(1, low or 1), high)
        if lowest < 0:
            negative = self._build_naturals(max(1, -(high or 0)), None if low is None else -low)
            options += [make_sequence(Lit("-"), node) for node in negative]
        if lowest <= 0 <= highest:
            options.append(Lit("0"))
        return make_choice(*options)

    def _build_naturals(self, low: int, high: int | None) -> list[Node]:
        if high is not None:
            return [node for _, node in reversed(build_naturals(low, high))]
        size = len(str(low))
        if low == 10 ** (size - 1):
            return [make_sequence(_NOT_ZERO, self.build_digits(size - 1, 1))]
        longer = make_sequence(_NOT_ZERO, self.build_digits(size, 1))
        return [longer, build_naturals(low, 10**size - 1)[0][1]]


def build_thought(marks: Marks) -> Node:
    """Build the node for a thought and its closing mark (R-430).

    The first character of the closing mark occurs only once in the mark. So after an incomplete
    mark, the thought continues with this character or with text that differs from the mark.
    """
    opening, closing = marks
    first = closing[0]
    tail = closing[1:]
    text = Repeat(chars_except(first))
    back: list[Node] = []
    away: list[Node] = []
    for size, char in enumerate(tail):
        prefix = Lit(tail[:size]) if size else None
        back.append(make_sequence(prefix, Lit(first)))
        away.append(make_sequence(prefix, chars_except(first + char)))
    return make_sequence(
        Lit(opening) if opening else None,
        text,
        Lit(first),
        Repeat(make_choice(*back, make_sequence(make_choice(*away), text, Lit(first)))),
        Lit(tail),
        Repeat(Lit("\n"), 0, 2),
    )


def _after_backticks(char: Node) -> Node:
    """Build the node for a character after up to two backticks."""
    # Written out, because xgrammar's masks take four times as long for "`"{0,2}.
    return make_choice(char, make_sequence(Lit("`"), char), make_sequence(Lit("``"), char))


def _chars_except_line_ends(chars: str) -> Chars:
    """Return the class of the characters of a quoted string, except the given ones."""
    return Chars(rf"{chars}\n\r\x00", negated=True)


def chars_except(chars: str) -> Chars:
    """Return the class of all characters except the given ones."""
    return write_charset(invert(charset_of_string(chars + "\0")))


def build_integers(low: int | None, high: int | None) -> list[tuple[str, int, Node]]:
    """Build nodes for the integers from `low` to `high`, one node per sign and number of digits.

    >>> [(sign, size) for sign, size, _ in build_integers(-5, 120)]
    [('-', 1), ('', 1), ('', 1), ('', 2), ('', 3)]
    """
    edge = 10**MAX_DIGITS - 1
    low = -edge if low is None else max(low, -edge)
    high = edge if high is None else min(high, edge)
    nodes = [("-", size, node) for size, node in build_naturals(max(1, -high), -low)]
    if low <= 0 <= high:
        nodes.append(("", 1, Lit("0")))
    return nodes + [("", size, node) for size, node in build_naturals(max(1, low), high)]


def build_naturals(low: int, high: int) -> list[tuple[int, Node]]:
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
        return make_sequence(Lit(low[:same]), _digits_between(low[same:], high[same:]))
    lower_digits = len(low) - 1
    first = int(low[0])
    last = int(high[0])
    options: list[Node] = []
    if low[1:] != "0" * lower_digits:
        options.append(make_sequence(Lit(low[0]), _digits_between(low[1:], "9" * lower_digits)))
        first += 1
    if high[1:] != "9" * lower_digits:
        options.append(make_sequence(Lit(high[0]), _digits_between("0" * lower_digits, high[1:])))
        last -= 1
    if first <= last:
        head: Node = Lit(str(first)) if first == last else Chars(f"{first}-{last}")
        options.append(make_sequence(head, repeat(_DIGIT, lower_digits) if lower_digits else None))
    return make_choice(*options)


def find_integer_bounds(number: Number) -> tuple[int | None, int | None]:
    """Return the smallest and the largest allowed integer, with None for a missing limit."""
    lows = [] if number.minimum is None else [ceil(number.minimum)]
    highs = [] if number.maximum is None else [floor(number.maximum)]
    if number.exclusive_minimum is not None:
        lows.append(floor(number.exclusive_minimum) + 1)
    if number.exclusive_maximum is not None:
        highs.append(ceil(number.exclusive_maximum) - 1)
    return max(lows, default=None), min(highs, default=None)
