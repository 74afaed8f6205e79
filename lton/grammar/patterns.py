"""Convert simple values of the keywords `pattern` and `format` to nodes.

A simple pattern is anchored at both ends and consists of characters, classes, groups, choices and
repetitions, which all dialects read in the same way. All other patterns are checked by the decoder.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from lton._syntax import WORD_CLASS
from lton.errors import Code, GrammarError
from lton.grammar import charset
from lton.grammar.charset import CharSet
from lton.grammar.nodes import (
    Alt,
    Lit,
    Node,
    Repeat,
    Seq,
    make_choice,
    make_optional,
    make_sequence,
    repeat_between,
)
from lton.schema.jsonschema.patterns import LINE_ENDS, SPACES, Matcher, has_properties
from lton.schema.types import String

MAX_COPIES = 100
"""The maximum repetitions of a group. Engines copy the group for each repetition."""
MAX_NESTED = 100
"""The maximum nesting of groups in a pattern, because printers recurse."""
MAX_LOOPED = 1000
"""The maximum length of a string that is repeated without a limit, because printers recurse."""

_DAYS = (
    "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    "|02-(?:0[1-9]|[12][0-9])"
)
_DATE = f"[0-9]{{4}}-(?:{_DAYS})"
_HOUR = "(?:[01][0-9]|2[0-3])"
_TIME = f"{_HOUR}:[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{{1,9}})?"
_ZONE = f"(?:Z|[+-]{_HOUR}:[0-5][0-9])"
_HEX = "[0-9a-fA-F]"
FORMATS = {
    "date": f"^{_DATE}$",
    "uuid": f"^{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}$",
}
"""The formats that a grammar enforces: RFC 3339, except for leap years, and RFC 4122."""
_TIMES = {"time": _TIME, "date-time": f"{_DATE}T{_TIME}"}
"""The formats whose strings may end with a time zone (R-424)."""
_TIME_SAMPLES = {"time": "14:30:00", "date-time": "2026-05-03T14:30:00"}
_ZONE_SAMPLES = ("Z", "+02:00")

_DIGIT = charset.charset_of_string("0123456789")
_SPACE = charset.make_charset(SPACES)
_WORD = charset.make_charset([(48, 57), (65, 90), (95, 95), (97, 122)])
_CATEGORIES = {
    op.CATEGORY_DIGIT: _DIGIT,
    op.CATEGORY_NOT_DIGIT: charset.invert(_DIGIT),
    op.CATEGORY_SPACE: _SPACE,
    op.CATEGORY_NOT_SPACE: charset.invert(_SPACE),
    op.CATEGORY_WORD: _WORD,
    op.CATEGORY_NOT_WORD: charset.invert(_WORD),
}
_NO_LINE_END = charset.invert(charset.charset_of_string(LINE_ENDS))
_CHARS: dict[Any, Callable[[Any], CharSet]] = {
    op.LITERAL: lambda code: ((code, code),),
    op.NOT_LITERAL: lambda code: charset.invert(((code, code),)),
    op.ANY: lambda _: _NO_LINE_END,
    op.RANGE: lambda pair: (pair,),
    op.CATEGORY: _CATEGORIES.__getitem__,
    op.NEGATE: lambda _: (),
}
"""The characters of each kind of class item. The negation of a class adds none."""
_EMPTY = Seq(())
_UNQUOTABLE = charset.charset_of_string('"\n\r\0')
_BARE = charset.charset_of_string(
    "".join(re.findall(f"[{WORD_CLASS}]", "".join(map(chr, range(0x80)))))
)


@dataclass(frozen=True, slots=True)
class Shape:
    """The node for the strings of a pattern, and the properties of these strings.

    `size` is the smallest and the largest length (None: unlimited). `is_bare` means that all
    strings may be bare, and `is_quoted` that none may be.
    """

    node: Node
    size: tuple[int, int | None]
    first: CharSet
    chars: CharSet
    is_quoted: bool = False

    @property
    def is_bare(self) -> bool:
        begins = charset.subtract(self.first, charset.charset_of_string("_s"))
        return self.size[0] > 0 and begins == self.first and _is_subset(self.chars, _BARE)


def find_pattern(string: String) -> str | None:
    """Return the pattern that a schema's `format` or `pattern` means for a grammar."""
    name = string.format or ""
    if name in _TIMES:
        return _time_pattern(name, string.pattern)
    return FORMATS.get(name, string.pattern)


def find_shape(string: String) -> Shape | None:
    """Return the shape of strings with a `format` or a `pattern`, or None if both are not simple.

    Raises `GrammarError` as `shape` does.
    """
    pattern = find_pattern(string)
    return None if pattern is None else find_shape_of_pattern(pattern)


@lru_cache(maxsize=256)
def _time_pattern(name: str, pattern: str | None) -> str:
    """Return the pattern of times, with an optional zone unless the schema's pattern decides."""
    zone = f"{_ZONE}?"
    if pattern is not None:
        matcher = Matcher(pattern)
        sample = _TIME_SAMPLES[name]
        is_optional = matcher.has_match(sample, _ignore_cost)
        is_allowed = any(matcher.has_match(sample + end, _ignore_cost) for end in _ZONE_SAMPLES)
        if is_allowed and not is_optional:
            zone = _ZONE
        elif is_optional and not is_allowed:
            zone = ""
    return f"^{_TIMES[name]}{zone}$"


def _ignore_cost(_: int) -> None:
    """Count no steps, because the samples are short."""


@lru_cache(maxsize=1024)
def find_shape_of_pattern(pattern: str) -> Shape | None:
    """Convert a pattern to a node, or return None if the pattern is not simple.

    Raises `GrammarError` for a pattern with more than `MAX_NESTED` levels of groups.

    >>> find_shape_of_pattern("^[a-c]{2}$").size
    (2, 2)
    >>> find_shape_of_pattern("^a|b$"), find_shape_of_pattern("(?=x)")
    (None, None)
    """
    if has_properties(pattern):
        return None  # a class of all letters is too long for engines
    parsed = parser.parse(pattern)
    items = list(parsed)
    ends = [items[0], items[-1]] if len(items) > 1 else []
    if parsed.state.flags != parser.SRE_FLAG_UNICODE or not (
        ends
        and ends[0] in ((op.AT, op.AT_BEGINNING), (op.AT, op.AT_BEGINNING_STRING))
        and ends[1] in ((op.AT, op.AT_END), (op.AT, op.AT_END_STRING))
    ):
        return None
    try:
        return _make_shape_of_sequence(items[1:-1], 0)
    except _NotSimpleError:
        return None


class _NotSimpleError(Exception):
    """Raised for a part of a pattern that grammars cannot express."""


def _make_shape_of_sequence(items: list[Any], depth: int) -> Shape:
    if depth > MAX_NESTED:
        raise GrammarError(Code.GRAMMAR, "a pattern is nested too deep for a grammar")
    parts = [_make_shape_of_item(kind, value, depth) for kind, value in items]
    lows = [part.size[0] for part in parts]
    # The string may begin with a character of any part up to the first that cannot be empty.
    before = accumulate(lows, initial=0)
    ahead = [part.first for part, least in zip(parts, before, strict=False) if least == 0]
    return Shape(
        node=make_sequence(*(part.node for part in parts)),
        size=(sum(lows), _combine_limits(sum, [part.size[1] for part in parts])),
        first=charset.make_charset(chain.from_iterable(ahead)),
        chars=charset.make_charset(chain.from_iterable(part.chars for part in parts)),
        is_quoted=any(part.is_quoted for part in parts),
    )


def _combine_limits(combine: Callable[[list[int]], int], limits: list[int | None]) -> int | None:
    """Return the sum or the largest of several limits, or None if there is no limit."""
    stated = [limit for limit in limits if limit is not None]
    return combine(stated) if len(stated) == len(limits) else None


def _make_shape_of_item(kind: Any, value: Any, depth: int) -> Shape:
    match kind:
        case op.LITERAL | op.NOT_LITERAL | op.ANY | op.IN:
            return _make_shape_of_set(_chars_of_class(value if kind is op.IN else [(kind, value)]))
        case op.BRANCH:
            return _make_shape_of_choice(
                [_make_shape_of_sequence(list(option), depth + 1) for option in value[1]]
            )
        case op.SUBPATTERN if not value[1] and not value[2]:
            return _make_shape_of_sequence(list(value[3]), depth + 1)
        case op.MAX_REPEAT | op.MIN_REPEAT:
            low, high, items = value
            most = None if high is op.MAXREPEAT else int(high)
            return _repeat_shape(_make_shape_of_sequence(list(items), depth + 1), low, most)
    raise _NotSimpleError


@lru_cache(maxsize=1024)  # a pattern repeats few characters often
def _make_shape_of_set(chars: CharSet) -> Shape:
    chars = charset.subtract(chars, _UNQUOTABLE)
    if not chars:
        raise _NotSimpleError
    is_one = chars[0][0] == chars[-1][1]
    node = Lit(chr(chars[0][0])) if is_one else charset.write_charset(chars)
    return Shape(node, (1, 1), chars, chars, is_quoted=charset.subtract(chars, _BARE) == chars)


def _chars_of_class(items: list[Any]) -> CharSet:
    chars = charset.make_charset(pair for kind, value in items for pair in _CHARS[kind](value))
    return charset.invert(chars) if items[0][0] is op.NEGATE else chars


def _make_shape_of_choice(options: list[Shape]) -> Shape:
    # Python reads `http|https` as `http(|s)`, and no dialect has an empty option.
    nodes = [option.node for option in options if option.node != _EMPTY]
    node = make_choice(*nodes) if nodes else _EMPTY
    low = min(option.size[0] for option in options)
    return Shape(
        node=make_optional(node) if 0 < len(nodes) < len(options) else node,
        size=(low, _combine_limits(max, [option.size[1] for option in options])),
        first=charset.make_charset(chain.from_iterable(option.first for option in options)),
        chars=charset.make_charset(chain.from_iterable(option.chars for option in options)),
        is_quoted=all(option.is_quoted for option in options),
    )


def _repeat_shape(item: Shape, low: int, high: int | None) -> Shape:
    item_low, item_high = item.size
    if high == 0 or item_high == 0:
        return Shape(_EMPTY, (0, 0), (), ())
    return Shape(
        node=_repeat_unlimited(item, low) if high is None else _repeat_limited(item, low, high),
        size=(low * item_low, None if high is None or item_high is None else high * item_high),
        first=item.first,
        chars=item.chars,
        is_quoted=item.is_quoted and low > 0,
    )


def _repeat_unlimited(item: Shape, low: int) -> Node:
    """Build the node for a repetition without a limit. Raises `_NotSimpleError` for a large one."""
    item_low, item_high = item.size
    if item.size != (1, 1) and max(low, item_low, item_high or 0) > MAX_LOOPED:
        raise _NotSimpleError
    return repeat_between(_without_inner_repeat(item.node), low if item_low else 0, None)


def _repeat_limited(item: Shape, low: int, high: int) -> Node:
    """Build the node for a repetition with a limit. Raises `_NotSimpleError` for a large one."""
    node = repeat_between(item.node, low, high)
    if high > 1 and isinstance(node, Repeat) and _is_nullable(node.item):
        raise _NotSimpleError  # engines would try every number of repetitions of an empty node
    if high > MAX_COPIES and item.size != (1, 1):
        raise _NotSimpleError
    return node


def _without_inner_repeat(node: Node) -> Node:
    match node:
        case Repeat(item, 0 | 1):
            return _without_inner_repeat(item)
        case Alt(options):
            return make_choice(*map(_without_inner_repeat, options))
        case Seq(parts) if all(map(_is_nullable, parts)):
            return make_choice(*map(_without_inner_repeat, parts))
        case _:
            return node


def _is_nullable(node: Node) -> bool:
    match node:
        case Repeat(item, low):
            return low == 0 or _is_nullable(item)
        case Seq(parts):
            return all(map(_is_nullable, parts))
        case Alt(options):
            return any(map(_is_nullable, options))
        case _:
            return False


def _is_subset(chars: CharSet, others: CharSet) -> bool:
    return not charset.subtract(chars, others)
