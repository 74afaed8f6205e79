"""A matcher of regular expressions that counts its steps, and texts that exhaust a pattern.

The matcher backtracks like the module `re`, over the output of `re._parser`, and tries nothing that
`re` does not try. A step is one compared character or one visited node. `re` counts no steps, and
seconds depend on the machine.
"""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, TypeAlias

LIMIT = 8
"""What a larger limit in a pattern counts as: it is a constant, and small texts reach this one."""
SHARED = " \t\n\"'`()[]{}<>|0a_-:=,.\\*#/"
"""What neighbours in a pattern may both take."""
ENDS = ("", "\n!", "\0")
"""What may follow a run of pieces, so that the pattern fails after it."""
_CATEGORIES = {
    ops.CATEGORY_DIGIT: re.compile(r"\d"),
    ops.CATEGORY_NOT_DIGIT: re.compile(r"\D"),
    ops.CATEGORY_SPACE: re.compile(r"\s"),
    ops.CATEGORY_NOT_SPACE: re.compile(r"\S"),
    ops.CATEGORY_WORD: re.compile(r"\w"),
    ops.CATEGORY_NOT_WORD: re.compile(r"\W"),
}
_ONE = (ops.LITERAL, ops.NOT_LITERAL, ops.IN, ops.ANY)
_REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
_FAIL = -1
_Node: TypeAlias = tuple[Any, Any]
_Matcher: TypeAlias = Callable[[int], int]


class ExhaustedError(Exception):
    """A pattern takes too many steps."""


class Counter:
    """A compiled pattern that counts steps; `match` and `search` return the end of the match, or
    -1.
    """

    def __init__(self, pattern: str, flags: int = 0, *, limit: int | None = LIMIT) -> None:
        tree = _parser.parse(pattern, flags)
        self.limit = limit
        self.steps = 0
        self.most = sys.maxsize
        """More steps than that raise `ExhaustedError`."""
        self.text = ""
        self.groups: dict[int, tuple[int, int]] = {}
        self.tree = tree
        self._start = self._sequence(list(tree), tree.state.flags, lambda pos: pos)

    def match(self, text: str, pos: int = 0) -> int:
        """Return the end of the match at a position."""
        self.text, self.groups = text, {}
        return self._start(pos)

    def walk(self, text: str) -> int:
        """Return the number of matches from left to right, like `finditer`."""
        pos = count = 0
        while pos <= len(text):
            self._count(1)
            end = self.match(text, pos)
            count += end >= 0
            pos = max(pos + 1, end)
        return count

    def _count(self, steps: int) -> None:
        self.steps += steps
        if self.steps > self.most:
            raise ExhaustedError

    def _sequence(self, nodes: Sequence[_Node], flags: int, after: _Matcher) -> _Matcher:
        for node in reversed(nodes):
            after = self._node(node, flags, after)
        return after

    def _node(self, node: _Node, flags: int, after: _Matcher) -> _Matcher:
        code, value = node
        if code in _ONE:
            return self._one(node, flags, after)
        if code in _REPEATS:
            return self._repeat(node, flags, after)
        if code is ops.BRANCH:
            ways = [self._sequence(branch, flags, after) for branch in value[1]]
            return self._first(ways)
        if code is ops.SUBPATTERN:
            return self._group(value, flags, after)
        if code is ops.ATOMIC_GROUP:
            return self._atomic(self._sequence(value, flags, lambda pos: pos), after)
        if code in (ops.ASSERT, ops.ASSERT_NOT):
            return self._looking(value, flags, after, expected=code is ops.ASSERT)
        if code is ops.AT:
            return self._at(value, flags, after)
        if code is ops.GROUPREF:
            return self._again(value, flags, after)
        raise NotImplementedError(code)

    def _first(self, ways: Sequence[_Matcher]) -> _Matcher:
        def run(pos: int) -> int:
            for way in ways:
                self._count(1)
                if (end := way(pos)) >= 0:
                    return end
            return _FAIL

        return run

    def _one(self, node: _Node, flags: int, after: _Matcher) -> _Matcher:
        takes = _taking(node, flags)

        def run(pos: int) -> int:
            self.steps += 1  # `_count(1)` takes twice as long
            if self.steps > self.most:
                raise ExhaustedError
            is_here = pos < len(self.text) and takes(self.text[pos])
            return after(pos + 1) if is_here else _FAIL

        return run

    def _repeat(self, node: _Node, flags: int, after: _Matcher) -> _Matcher:
        code, (least, most, body) = node
        most = None if most is ops.MAXREPEAT else most
        if most is not None and self.limit is not None:
            most = max(least, min(most, self.limit))
        if len(body) == 1 and body[0][0] in _ONE:
            return self._run(code, least, most, _taking(body[0], flags), after)
        if code is ops.POSSESSIVE_REPEAT:
            greedy = self._loop(ops.MAX_REPEAT, least, most, body, flags, lambda pos: pos)
            return self._atomic(greedy, after)
        return self._loop(code, least, most, body, flags, after)

    def _run(
        self, code: Any, least: int, most: int | None, takes: Callable[[str], bool], after: _Matcher
    ) -> _Matcher:
        """Match a repeated character."""
        if code is ops.MIN_REPEAT:
            return self._lazy_run(least, most, takes, after)

        def run(pos: int) -> int:
            end = pos
            stop = len(self.text) if most is None else min(len(self.text), pos + most)
            while end < stop and takes(self.text[end]):
                end += 1
            self._count(end - pos + 1)
            last = pos + least if code is ops.MAX_REPEAT else max(end, pos + least)
            while end >= last:
                self.steps += 1
                if self.steps > self.most:
                    raise ExhaustedError
                if (match_end := after(end)) >= 0:
                    return match_end
                end -= 1
            return _FAIL

        return run

    def _lazy_run(
        self, least: int, most: int | None, takes: Callable[[str], bool], after: _Matcher
    ) -> _Matcher:
        def run(pos: int) -> int:
            end = pos
            while True:
                if end >= pos + least:
                    self._count(1)
                    if (match_end := after(end)) >= 0:
                        return match_end
                self._count(1)
                is_over = end == len(self.text) or (most is not None and end - pos == most)
                if is_over or not takes(self.text[end]):
                    return _FAIL
                end += 1

        return run

    def _loop(
        self, code: Any, least: int, most: int | None, body: Any, flags: int, after: _Matcher
    ) -> _Matcher:
        """Match a repeated group; an empty repetition is the last one."""
        turns: list[tuple[int, int]] = []

        def again(pos: int) -> int:
            count, start = turns[-1]
            if pos == start and count > least:
                return _FAIL
            return step(pos, count)

        def leave(pos: int) -> int:
            saved = turns.pop()
            try:
                return after(pos)
            finally:
                turns.append(saved)

        def enter(pos: int, count: int) -> int:
            turns.append((count + 1, pos))
            try:
                return inner(pos)
            finally:
                turns.pop()

        def step(pos: int, count: int) -> int:
            self._count(1)
            may_go_on = most is None or count < most
            if count < least:
                return enter(pos, count)
            ways = [leave, lambda at: enter(at, count)] if may_go_on else [leave]
            for way in ways if code is ops.MIN_REPEAT else reversed(ways):
                if (end := way(pos)) >= 0:
                    return end
            return _FAIL

        inner = self._sequence(body, flags, again)

        def run(pos: int) -> int:
            turns.append((0, -1))
            try:
                return step(pos, 0)
            finally:
                turns.pop()

        return run

    def _group(self, value: Any, flags: int, after: _Matcher) -> _Matcher:
        number, add, remove, body = value
        flags = (flags | add) & ~remove
        if number is None:
            return self._sequence(body, flags, after)
        starts: list[int] = []

        def close(pos: int) -> int:
            before = self.groups.get(number)
            self.groups[number] = (starts[-1], pos)
            if (end := after(pos)) < 0:
                self.groups.pop(number)
                if before is not None:
                    self.groups[number] = before
            return end

        inner = self._sequence(body, flags, close)

        def run(pos: int) -> int:
            starts.append(pos)
            try:
                return inner(pos)
            finally:
                starts.pop()

        return run

    def _atomic(self, inner: _Matcher, after: _Matcher) -> _Matcher:
        def run(pos: int) -> int:
            end = inner(pos)
            return after(end) if end >= 0 else _FAIL

        return run

    def _looking(self, value: Any, flags: int, after: _Matcher, *, expected: bool) -> _Matcher:
        direction, body = value
        inner = self._sequence(body, flags, lambda pos: pos)
        width = body.getwidth()[0] if direction < 0 else 0

        def run(pos: int) -> int:
            self._count(1)
            is_here = pos >= width and inner(pos - width) >= 0
            return after(pos) if is_here is expected else _FAIL

        return run

    def _at(self, code: Any, flags: int, after: _Matcher) -> _Matcher:
        marks = {
            ops.AT_BEGINNING: "^",
            ops.AT_BEGINNING_STRING: r"\A",
            ops.AT_END: "$",
            ops.AT_END_STRING: r"\Z",
            ops.AT_BOUNDARY: r"\b",
            ops.AT_NON_BOUNDARY: r"\B",
        }
        mark = re.compile(marks[code], flags & re.MULTILINE)

        def run(pos: int) -> int:
            self._count(1)
            return after(pos) if mark.match(self.text, pos) else _FAIL

        return run

    def _again(self, number: int, flags: int, after: _Matcher) -> _Matcher:
        del flags

        def run(pos: int) -> int:
            if number not in self.groups:
                return _FAIL
            start, end = self.groups[number]
            self._count(end - start + 1)
            is_here = self.text.startswith(self.text[start:end], pos)
            return after(pos + end - start) if is_here else _FAIL

        return run


def _taking(node: _Node, flags: int) -> Callable[[str], bool]:
    """Return a function that says whether a node matches a character."""
    results: dict[str, bool] = {}

    def takes(char: str) -> bool:
        if char not in results:
            cases = [char, char.lower(), char.upper()] if flags & re.IGNORECASE else [char]
            results[char] = any(_takes(node, case, flags) for case in cases if len(case) == 1)
        return results[char]

    return takes


def _takes(node: _Node, char: str, flags: int) -> bool:
    code, value = node
    if code is ops.ANY:
        return bool(flags & re.DOTALL) or char != "\n"
    if code is ops.LITERAL:
        return bool(ord(char) == value)
    if code is ops.NOT_LITERAL:
        return bool(ord(char) != value)
    is_listed, items = True, value
    if items[0][0] is ops.NEGATE:
        is_listed, items = False, items[1:]
    return any(_has(item, char) for item in items) is is_listed


def _has(item: _Node, char: str) -> bool:
    code, value = item
    if code is ops.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    if code is ops.CATEGORY:
        return _CATEGORIES[value].match(char) is not None
    return bool(ord(char) == value)


# --- texts ------------------------------------------------------------------------------------


def exhausting(
    pattern: str, flags: int = 0, ends: Sequence[str] = ENDS
) -> Iterator[tuple[str, str, str]]:
    """Return texts that may exhaust a pattern, each as its beginning, a piece to repeat and an end.

    For each repetition, the beginning leads to it, the piece matches it, and the end does not
    match. Pieces that neighbouring repetitions share are tried, too. A pattern without repetitions
    has no such text, because it takes a limited number of steps at each position.
    """
    tree = _parser.parse(pattern, flags)
    repetitions = list(_repetitions(list(tree), tree.state.flags, ""))
    for before, body, own in repetitions:
        samples = _pumps(body, own)
        for piece in dict.fromkeys([*samples, *filter(None, [before + "".join(samples[:1])])]):
            yield from ((before, piece, end) for end in ends)
    if repetitions:
        yield from (("", piece, "\0") for piece in SHARED)


def _repetitions(nodes: Sequence[_Node], flags: int, before: str) -> Iterator[tuple[str, Any, int]]:
    """Return each unlimited repetition: the nodes before it, its body, and its flags."""
    for code, value in nodes:
        if code in _REPEATS:
            _, most, body = value
            if most is ops.MAXREPEAT or most > LIMIT:
                yield before, body, flags
            yield from _repetitions(list(body), flags, before)
        elif code is ops.BRANCH:
            for way in value[1]:
                yield from _repetitions(list(way), flags, before)
        elif code is ops.SUBPATTERN:
            inner = (flags | value[1]) & ~value[2]
            yield from _repetitions(list(value[3]), inner, before)
        elif code is ops.ATOMIC_GROUP:
            yield from _repetitions(list(value), flags, before)
        elif code in (ops.ASSERT, ops.ASSERT_NOT) and value[0] > 0:
            yield from _repetitions(list(value[1]), flags, before)
        before += _sample([(code, value)], flags, before)


def _pumps(body: Sequence[_Node], flags: int) -> list[str]:
    """Return texts that a repetition matches: the characters of `SHARED`, and one of each kind."""
    (code, value), *more = list(body) or [(None, None)]
    if not more and code in _ONE:
        takes = _taking((code, value), flags)
        characters = [character for character in SHARED if takes(character)]
        return characters[:3] + characters[3::6] or [_sample(body, flags, "")]
    return [sample for sample in [_sample(body, flags, ""), *_ways(body, flags)] if sample]


def _ways(nodes: Sequence[_Node], flags: int) -> Iterator[str]:
    """Return a text for each path through a body."""
    for code, value in nodes:
        if code is ops.BRANCH:
            yield from (_sample(way, flags, "") for way in value[1])
        elif code is ops.SUBPATTERN:
            yield from _ways(list(value[3]), flags)
        elif code in _REPEATS:
            yield from _pumps(value[2], flags)


def _sample(nodes: Sequence[_Node], flags: int, before: str) -> str:
    """Return a short text that these nodes match."""
    text = ""
    for code, value in nodes:
        if code in _ONE:
            takes = _taking((code, value), flags)
            last = (before + text)[-1:]
            likely = [chr(value)] if code is ops.LITERAL else [last, *SHARED, *_named(value)]
            text += next(
                (character for character in likely if character and takes(character)), "\u00e9"
            )
        elif code in _REPEATS:
            text += _sample(value[2], flags, before + text) * value[0]
        elif code is ops.BRANCH:
            text += _sample(value[1][0], flags, before + text)
        elif code is ops.SUBPATTERN:
            text += _sample(value[3], flags, before + text)
        elif code is ops.ATOMIC_GROUP:
            text += _sample(value, flags, before + text)
        elif code is ops.GROUPREF:
            text += (before + text)[-1:]
    return text


def _named(items: Any) -> list[str]:
    if not isinstance(items, list):
        return []
    return [chr(value) for code, value in items if code is ops.LITERAL] + [
        chr(value[0]) for code, value in items if code is ops.RANGE
    ]
