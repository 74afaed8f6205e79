r"""Match regular expressions of JSON Schema in linear time.

Python's `re` tries alternatives one after the other, so matching a pattern of ten characters can
take years. This matcher follows all alternatives at once, one character at a time. It caches the
next states for each set of states and each character. `$`, `.`, `\b` and classes have the same
meaning as in JavaScript.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple, TypeAlias

from lton._patterns import compiled_when_used

MAX_STATES = 20_000  # the maximum number of states; `{2,5}` makes five copies of a part
STEP = 10  # the cost of following one state for one character (cached: 1)
_MAX_MOVES = 20_000

Spend: TypeAlias = Callable[[int], None]  # counts the cost of matching, or raises
_Ways: TypeAlias = frozenset[int]
_MATCH = 0  # the final state

_JAVASCRIPT = compiled_when_used(
    r"\\u\{0*([0-9a-fA-F]{1,6})\}"  # 1: a character given by its number
    r"|\\c([A-Za-z])"  # 2: a control character
    r"|(\\(?:[dswDSW]|[pP]\{[^{}]*\}))(-(?!\]))?"  # 3: a class; 4: a plain hyphen in brackets
    r"|\\([A-Za-z])"  # 5: another escape
    r"|\(\?<(?![=!])"  # the name of a group
    r"|(\[\^?\])"  # 6: no character, or any character
    r"|\\.|[^][\\(&~|-]+|.",
    re.DOTALL,
)
_UNREAD = compiled_when_used(
    "[\ud800-\udfff\U0010f000-\U0010f0ff]|\\\\U0010[fF]0|\\\\u\\{0*10[fF]0"
)
"""Characters that no string contains, and characters that represent Unicode properties here."""
_INLINE_FLAG = compiled_when_used(r"(?<!\\)\(\?[a-zA-Z]+\)")
"""A flag for the following part of a pattern, as in Java and Perl."""
_ESCAPES = frozenset("aAbBdDfnNrsStuUvwWxZ")  # letters that are escapes in Python

_PUNCTUATION_OF_CLASSES = frozenset("[&~|")
_EMPTY_CLASSES = {"[]": "(?!)", "[^]": r"[\s\S]"}

_CATEGORIES = (
    "L Letter|LC Cased_Letter|Lu Uppercase_Letter|Ll Lowercase_Letter|Lt Titlecase_Letter"
    "|Lm Modifier_Letter|Lo Other_Letter|M Mark|M Combining_Mark|Mn Nonspacing_Mark"
    "|Mc Spacing_Mark|Me Enclosing_Mark|N Number|Nd Decimal_Number|Nd digit|Nl Letter_Number"
    "|No Other_Number|P Punctuation|P punct|Pc Connector_Punctuation|Pd Dash_Punctuation"
    "|Ps Open_Punctuation|Pe Close_Punctuation|Pi Initial_Punctuation|Pf Final_Punctuation"
    "|Po Other_Punctuation|S Symbol|Sm Math_Symbol|Sc Currency_Symbol|Sk Modifier_Symbol"
    "|So Other_Symbol|Z Separator|Zs Space_Separator|Zl Line_Separator|Zp Paragraph_Separator"
    "|C Other|Cc Control|Cc cntrl|Cf Format|Cs Surrogate|Co Private_Use|Cn Unassigned"
)
"""The general categories of Unicode, with both their short and their long names."""
_PROPERTY = 0x10F000
"""In a translated pattern, a private character represents each category, and the next character its
complement. Python's parser does not support properties, and a class of all letters would have
600 ranges."""
_BY_NAME = {
    name: _PROPERTY + 2 * index
    for index, names in enumerate(_CATEGORIES.split("|"))
    for name in names.split()
}
_PREFIXES = [
    ("Lu", "Ll", "Lt") if names.startswith("LC") else names.split()[0]
    for names in _CATEGORIES.split("|")
]
_PROPERTIES = range(_PROPERTY, _PROPERTY + 2 * len(_PREFIXES))


class PatternError(ValueError):
    """Raised for a pattern that is too large, or that uses unsupported features."""


class Spelling(NamedTuple):
    """A pattern in Python's notation, and its number of states."""

    python: str
    states: int


@lru_cache(maxsize=1024)
def try_convert_to_python(pattern: str) -> Spelling | None:
    r"""Translate a JavaScript pattern to Python, or return None for an unsupported pattern.

    Return None if the pattern cannot be matched here. Raises `ValueError` for an invalid pattern.

    >>> (try_convert_to_python(r"^(?<day>[[\w-.])\cA$").python,
    ...     try_convert_to_python(r"\p{Script=Greek}"), try_convert_to_python(r"(a)\1"))
    ('^(?P<day>[\\[\\w\\-.])\\x01$', None, None)
    """
    if _UNREAD.search(pattern):
        return None
    try:
        python = "".join(_iterate_translated_lexemes(pattern))
        states = _count_states(_parse_pattern(python))
    except PatternError:
        return None
    return Spelling(python, states) if states <= MAX_STATES else None


def has_properties(python: str) -> bool:
    """Return whether a translated pattern uses Unicode properties."""
    return any(ord(char) in _PROPERTIES for char in python)


def is_pattern(text: str) -> bool:
    """Return whether a string is a valid pattern of JavaScript or Python."""
    try:
        _parse_pattern("".join(_iterate_translated_lexemes(text)))
    except PatternError:
        return True  # valid in a dialect that is not supported here
    except ValueError:
        return False
    return True


def _iterate_translated_lexemes(pattern: str) -> Iterable[str]:
    is_class = False
    before = ""
    for match in _JAVASCRIPT.finditer(pattern):
        text = match[0]
        yield _translate_in_class(match, before) if is_class else _translate_lexeme(match)
        is_class = text[-1] != "]" and (is_class or text == "[")
        before = text


def _translate_in_class(match: re.Match[str], before: str) -> str:
    """Translate a lexeme inside brackets, which follows another."""
    text = match[0]
    if match[6] or text in _PUNCTUATION_OF_CLASSES or text == before == "-":
        return f"\\{text}"  # escaped, because Python warns about two of these in a row
    return text if text == "(?<" else _translate_lexeme(match)


def _translate_lexeme(match: re.Match[str]) -> str:
    text, number, control, classes, hyphen, escape, empty = match.group(*range(7))
    if number:
        return f"\\U{int(number, 16):08x}"
    if control:
        return f"\\x{ord(control) % 32:02x}"
    if escape and escape not in _ESCAPES:
        raise PatternError(f"{text} has no meaning in a JavaScript pattern")
    if classes:
        return _translate_class(classes) + ("\\-" if hyphen else "")
    if empty:
        return _EMPTY_CLASSES[text]
    return "(?P<" if text == "(?<" else text


def _translate_class(text: str) -> str:
    r"""Translate an escape for a class of characters, such as `\d` or `\p{L}`."""
    if text[1] not in "pP":
        return text
    number = _BY_NAME.get(_CATEGORY_OF.sub("", text[3:-1]))
    if number is None:
        raise PatternError(f"{text} is not a general category")
    return chr(number + 1 if text[1] == "P" else number)


_CATEGORY_OF = compiled_when_used(r"\A(?:General_Category|gc)=")


def _parse_pattern(python: str) -> Any:
    try:
        return parser.parse(python)
    except (re.error, RecursionError, OverflowError) as error:
        if _INLINE_FLAG.search(python):
            raise PatternError("a flag inside a pattern has no meaning in JavaScript") from error
        raise ValueError(str(error)) from error


def _count_states(items: Any) -> int:
    """Return the number of states of the parts of a pattern. Groups may be nested deeply."""
    size = 0
    parts = list(items)
    while parts:
        kind, value = parts.pop()
        if kind is op.SUBPATTERN:
            parts += value[3]
        else:
            size += _count_states_of_part(kind, value)
    return size


def _count_states_of_part(kind: Any, value: Any) -> int:
    """Return the number of states of a part of a pattern. Raises `PatternError` for references."""
    if kind is op.BRANCH:
        return 1 + sum(map(_count_states, value[1]))
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
        low, high, inner = value
        size = _count_states(inner)
        optional = 1 if high is op.MAXREPEAT else int(high) - low
        return int(low) * size + (size + 1) * optional
    if kind in (op.ASSERT, op.ASSERT_NOT):
        return 1 + _count_states(value[1])
    if kind not in _ONE_STATE:
        raise PatternError("references to groups are not supported")
    if kind is op.IN and any(map(_has_class_as_bound, value)):
        raise PatternError("a range ends in a character, not in a class")
    return 1


def _has_class_as_bound(item: tuple[Any, Any]) -> bool:
    kind, value = item
    return kind is op.RANGE and (value[0] in _PROPERTIES or value[1] in _PROPERTIES)


_ONE_STATE = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN, op.AT, op.FAILURE)
_ENDS = (op.AT_BEGINNING, op.AT_BEGINNING_STRING, op.AT_END, op.AT_END_STRING)


class _Look(NamedTuple):
    """A lookaround: a pattern that must, or must not, match next to a position."""

    start: int
    back: int  # how many characters before the position it starts
    is_behind: bool
    is_wanted: bool


class _State(NamedTuple):
    """A state of a pattern's automaton, with the numbers of the states that may follow."""

    nexts: tuple[int, ...]
    char: Callable[[str], object] | None = None  # returns whether the next character is accepted
    at: "re.Pattern[str] | None" = None
    look: _Look | None = None


class _Program:
    def __init__(self, python: str) -> None:
        tree = _parse_pattern(python)
        self.states = [_State(())]
        self.looks_around = False
        self._tests: dict[tuple[str, int], re.Pattern[str]] = {}
        self.start = self._add_sequence(tree, _MATCH, tree.state.flags)

    def _add_state(self, state: _State) -> int:
        self.states.append(state)
        return len(self.states) - 1

    def _add_sequence(self, items: Any, then: int, flags: int) -> int:
        for kind, value in reversed(list(items)):
            then = self._add_item(kind, value, then, flags)
        return then

    def _add_item(self, kind: Any, value: Any, then: int, flags: int) -> int:
        """Add the states that match a part of a pattern and then lead to the state `then`."""
        if kind is op.BRANCH:
            return self._add_state(
                _State(tuple(self._add_sequence(one, then, flags) for one in value[1]))
            )
        if kind is op.SUBPATTERN:
            _, added, removed, items = value
            return self._add_sequence(items, then, (flags | added) & ~removed)
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            return self._compile_repeat(value, then, flags)
        return self._add_state(self._make_state(kind, value, then, flags))

    def _make_state(self, kind: Any, value: Any, then: int, flags: int) -> _State:
        if value is op.AT_END and not flags & re.MULTILINE:
            value = op.AT_END_STRING
        elif kind is op.ANY and not flags & re.DOTALL:
            kind = op.IN
            value = _IN_LINE
        if kind in (op.ASSERT, op.ASSERT_NOT):
            direction, items = value
            back = items.getwidth()[0] if direction < 0 else 0
            inner = self._add_sequence(items, _MATCH, flags)
            self.looks_around = True
            return _State((then,), look=_Look(inner, back, direction < 0, kind is op.ASSERT))
        if kind is op.AT:
            self.looks_around |= value not in _ENDS or bool(flags & re.MULTILINE)
            return _State((then,), at=self._compile_test(kind, value, flags & ~re.UNICODE))
        return _State((then,), char=self._character_test(kind, value, flags))

    def _character_test(self, kind: Any, value: Any, flags: int) -> Callable[[str], object]:
        items = value if kind is op.IN else [(kind, value)]
        named = [item for item in items if item[0] is op.CATEGORY or item[1] in _PROPERTIES]
        if named:
            is_wanted = kind is not op.NOT_LITERAL and items[0][0] is not op.NEGATE
            return self._class_with_names(items, named, flags, is_wanted=is_wanted)
        if kind is op.LITERAL and not flags & re.IGNORECASE:
            return chr(value).__eq__
        return self._compile_test(kind, value, flags).fullmatch

    def _class_with_names(
        self, items: list[Any], named: list[Any], flags: int, *, is_wanted: bool
    ) -> Callable[[str], bool]:
        """Return a test for the characters of a class in which some items are categories."""
        others = [item for item in items if item not in named and item[0] is not op.NEGATE]
        matches_others = self._compile_test(op.IN, others, flags).fullmatch if others else _NEVER

        def is_accepted(char: str) -> bool:
            is_in = matches_others(char) is not None or any(
                _is_in_category(char, *item) for item in named
            )
            return is_in == is_wanted

        return is_accepted

    def _compile_repeat(self, value: Any, then: int, flags: int) -> int:
        low, high, items = value
        if high is op.MAXREPEAT:
            loop = self._add_state(_State(()))
            self.states[loop] = _State((self._add_sequence(items, loop, flags), then))
            then = loop
        else:
            last = then
            for _ in range(high - low):
                then = self._add_state(_State((self._add_sequence(items, then, flags), last)))
        for _ in range(low):
            then = self._add_sequence(items, then, flags)
        return then

    def _compile_test(self, kind: Any, value: Any, flags: int) -> "re.Pattern[str]":
        """Compile, with Python's `re`, a part that matches a single character."""
        key = f"{kind} {value}", flags
        if key not in self._tests:
            state = parser.State()
            state.flags = flags
            self._tests[key] = compiler.compile(parser.SubPattern(state, [(kind, value)]))
        return self._tests[key]


def _is_in_category(char: str, kind: Any, number: int) -> bool:
    if kind is op.CATEGORY:
        return _CLASSES[number].fullmatch(char) is not None
    index, is_not = divmod(number - _PROPERTY, 2)
    return unicodedata.category(char).startswith(_PREFIXES[index]) != bool(is_not)


LINE_ENDS = "\n\r\u2028\u2029"  # characters that `.` does not match
_IN_LINE = [(op.NEGATE, None), *((op.LITERAL, ord(end)) for end in LINE_ENDS)]
SPACES = (
    *((9, 13), (32, 32), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029)),
    *((0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)
"""The white space of JavaScript, as ranges."""
_SPACE = "".join(f"{chr(first)}-{chr(last)}" for first, last in SPACES)
_CLASSES = {
    op.CATEGORY_DIGIT: compiled_when_used("[0-9]"),
    op.CATEGORY_NOT_DIGIT: compiled_when_used("[^0-9]"),
    op.CATEGORY_SPACE: compiled_when_used(f"[{_SPACE}]"),
    op.CATEGORY_NOT_SPACE: compiled_when_used(f"[^{_SPACE}]"),
    op.CATEGORY_WORD: compiled_when_used("[0-9A-Z_a-z]"),
    op.CATEGORY_NOT_WORD: compiled_when_used("[^0-9A-Z_a-z]"),
}
_NEVER = re.compile("(?!)").fullmatch


class _Node:
    """A set of states. It caches the following set for each character that it has met."""

    __slots__ = ("is_match", "moves", "ways")

    def __init__(self, ways: _Ways) -> None:
        self.ways = ways
        self.is_match = _MATCH in ways
        self.moves: dict[str, _Node] = {}


class Matcher:
    """Matches strings against a translated pattern, and caches the states that it reaches.

    >>> matcher = Matcher("^(a+)+$")
    >>> (matcher.has_match("aaaa", lambda steps: None),
    ...     matcher.has_match("a" * 99 + "!", lambda _: None))
    (True, False)
    """

    def __init__(self, python: str) -> None:
        self._program = _Program(python)
        self._nodes: dict[_Ways, _Node] = {}
        self._moves = 0

    def has_match(self, text: str, spend: Spend) -> bool:
        """Return whether the pattern matches anywhere in a string. Costs are passed to `spend`."""
        program = self._program
        run = _Run(program, text, spend)
        if program.looks_around:
            return run.has_match(program.start, 0, None, anywhere=True)
        spend(len(text))
        # `^` and `$` can match only at the first and the last two positions. At all other
        # positions, the next states depend only on the current states and the character.
        last = len(text) - 1
        node = self._node_of(run.follow_empty_transitions([program.start], 0))
        for pos, char in enumerate(text, 1):
            if node.is_match:
                return True
            if pos >= last:
                node = self._node_of(
                    run.follow_empty_transitions(
                        run.states_after(node.ways, char, program.start), pos
                    )
                )
            else:
                node = node.moves.get(char) or self._next_node(node, char, run)
        return node.is_match

    def _next_node(self, node: _Node, char: str, run: "_Run") -> _Node:
        ways = run.follow_empty_transitions(
            run.states_after(node.ways, char, self._program.start), None
        )
        self._moves += 1
        if self._moves > _MAX_MOVES:
            self._moves = 0
            self._nodes = {}
        target = node.moves[char] = self._node_of(ways)
        return target

    def _node_of(self, ways: _Ways) -> _Node:
        return self._nodes.setdefault(ways, _Node(ways))


class _Run:
    def __init__(self, program: _Program, text: str, spend: Spend) -> None:
        self._states = program.states
        self._text = text
        self._spend = spend
        self._seen: dict[tuple[int, int], bool] = {}  # the results of lookarounds

    def has_match(self, start: int, pos: int, stop: int | None, *, anywhere: bool = False) -> bool:
        """Return whether a match from `pos`, or from a later position, ends at `stop`."""
        end = len(self._text) if stop is None else stop
        ways = self.follow_empty_transitions([start], pos)
        while not (_MATCH in ways and stop in (None, pos)):
            if pos == end or not (ways or anywhere):
                return False
            nexts = self.states_after(ways, self._text[pos], *([start] if anywhere else []))
            pos += 1
            ways = self.follow_empty_transitions(nexts, pos)
        return True

    def states_after(self, ways: _Ways, char: str, *starts: int) -> list[int]:
        """Return the states that are reached by consuming `char`."""
        self._spend(STEP * (len(ways) + 1))
        reached = list(starts)
        for way in ways:
            state = self._states[way]
            if state.char is not None and state.char(char):
                reached += state.nexts
        return reached

    def follow_empty_transitions(self, states: list[int], pos: int | None) -> _Ways:
        """Follow all transitions that consume no character. Return the states that consume one."""
        consuming = set()
        visited = set(states)
        while states:
            number = states.pop()
            state = self._states[number]
            if state.char is not None or number == _MATCH:
                consuming.add(number)
            elif self._is_satisfied(number, state, pos):
                states += [one for one in state.nexts if one not in visited]
                visited.update(state.nexts)
        self._spend(STEP * len(visited))
        return frozenset(consuming)

    def _is_satisfied(self, number: int, state: _State, pos: int | None) -> bool:
        if state.at is not None:
            return pos is not None and state.at.match(self._text, pos) is not None
        if state.look is None or pos is None:
            return True
        if (number, pos) not in self._seen:
            self._seen[number, pos] = (
                self._is_look_satisfied(state.look, pos) == state.look.is_wanted
            )
        return self._seen[number, pos]

    def _is_look_satisfied(self, look: _Look, pos: int) -> bool:
        if not look.is_behind:
            return self.has_match(look.start, pos, None)
        return pos >= look.back and self.has_match(look.start, pos - look.back, pos)
