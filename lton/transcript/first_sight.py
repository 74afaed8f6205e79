"""Shorten each result when it is first shown, and keep the shortened text from then on.

The short form depends only on text that was shown before. So the same results in the same order
produce the same bytes: in later requests, after a restart, and in another process. This keeps
prompt caches valid, and all text that a note refers to is shown.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, TypeAlias

from lton._json import minified
from lton._shells import without_noise
from lton.results import ForModels, short_result
from lton.transcript.pointers import with_own_marks_quoted

LEAST_LINES = 4  # The minimum number of lines of a repeated block
_NOTE_MOST = 40  # The maximum number of characters of a line that a note quotes
MOST_NOTES = 3  # A result that needs more notes is shown completely
_Numbers: TypeAlias = Sequence[int | None]  # The number of each line, if it has one
_MOST_PLACES = 100_000  # The maximum number of remembered lines; the oldest are dropped
_LEAST_WON = 80  # The minimum number of characters that a note saves
_NUMBER = re.compile(r"[ \t]{0,8}([0-9]{1,7})([→\t:|])")
_NUMBERED_LINE = re.compile(f"^{_NUMBER.pattern}", re.MULTILINE)
"""The number that tools write before a line of a file, and the separator after it."""


@lru_cache(256)
def choose_shown_form(
    text: str, *, for_models: ForModels | None = "any", is_terminal: bool = False
) -> str:
    """Shorten a result: remove terminal noise, and write JSON more compactly."""
    clean = with_own_marks_quoted(without_noise(text) if is_terminal else text)
    return short_result(clean, for_models) if for_models else clean


@dataclass(frozen=True, slots=True)
class _Source:
    """The lines of a text that was shown."""

    lines: Sequence[str]
    numbers: _Numbers
    offset: int  # The number of characters shown before these lines


_Place: TypeAlias = tuple[_Source, int]  # A text, and the index of a line in it


class SeenLines:
    r"""Writes notes instead of blocks of lines that a model has already seen.

    With `within`, a note refers only to the last `within` characters. A result that would need more
    than `MOST_NOTES` notes is shown completely. If the line numbers of a file differ, the note has
    the numbers of both places.

    >>> page = "".join(f"line {n} of a page that is shown\n" for n in range(9))
    >>> seen = SeenLines()
    >>> seen.replace_seen(page) == page
    True
    >>> print(seen.replace_seen(f"$ cat page\n{page}$"))
    $ cat page
    [9 lines unchanged since they were shown above: "line 0 of a page that is shown" to "line 8 of a page that is shown"]
    $
    """  # noqa: E501 - a note is a line

    def __init__(self, within: int | None = None) -> None:
        self._within = within
        self._passed = 0
        self._places: dict[tuple[str, ...], _Place] = {}
        self._latest: dict[str, _Source] = {}
        """The last short block for each note, so that a note never refers to another block."""

    def copy(self) -> "SeenLines":
        copy = SeenLines(self._within)
        copy._passed = self._passed
        copy._places = {**self._places}
        copy._latest = {**self._latest}
        return copy

    def replace_seen(self, text: str) -> str:
        """Replace the repeated lines of a string with notes and remember its lines."""
        lines = text.split("\n")
        bodies, numbers = _separate_line_numbers(text, lines)
        if len(lines) >= LEAST_LINES:
            with_notes = self._with_repeats_noted(text, lines, bodies, numbers)
        else:
            with_notes = self._with_repeated_text_noted(text, lines)
        self._remember_lines(lines, bodies, numbers)
        return with_notes

    def remember(self, text: str) -> None:
        lines = text.split("\n")
        self._remember_lines(lines, *_separate_line_numbers(text, lines))

    def skip_text(self, length: int) -> None:
        """Count characters that were shown between results."""
        self._passed += length

    def _remember_lines(
        self, lines: Sequence[str], bodies: Sequence[str], numbers: _Numbers
    ) -> None:
        source = _Source(bodies, numbers, self._passed)
        for at in range(len(lines) - LEAST_LINES + 1):
            self._places[tuple(lines[at : at + LEAST_LINES])] = source, at
            if numbers[at] is not None:
                self._places[tuple(bodies[at : at + LEAST_LINES])] = source, at
        if len(lines) < LEAST_LINES and (note := _write_note(lines)):
            self._latest.pop(note, None)
            self._latest[note] = _Source(lines, numbers, self._passed)
        self._passed += sum(map(len, lines)) + len(lines)
        _drop_oldest(self._places)
        _drop_oldest(self._latest)

    def _is_near(self, source: _Source) -> bool:
        return self._within is None or self._passed - source.offset <= self._within

    def _has_repeats(self, lines: Sequence[str]) -> bool:
        """Return whether any block of the least size was shown before."""
        starts = range(len(lines) - LEAST_LINES + 1)
        return not self._places.keys().isdisjoint(
            [tuple(lines[at : at + LEAST_LINES]) for at in starts]
        )

    def _with_repeated_text_noted(self, text: str, lines: Sequence[str]) -> str:
        note = _write_note(lines)
        source = self._latest.get(note) if len(text) > len(note) + _LEAST_WON else None
        is_same = source is not None and source.lines == lines and self._is_near(source)
        return note if is_same else text

    def _with_repeats_noted(
        self, text: str, lines: Sequence[str], bodies: Sequence[str], numbers: _Numbers
    ) -> str:
        if not self._has_repeats(lines) and (bodies is lines or not self._has_repeats(bodies)):
            return text
        at = 0
        notes = 0
        output = list[str]()
        size = len(lines)
        while at < size:
            location = self._places.get(tuple(lines[at : at + LEAST_LINES]))
            if location is None and bodies is not lines:
                location = self._places.get(tuple(bodies[at : at + LEAST_LINES]))
            if location is None:
                output.append(lines[at])
                at += 1
                continue
            source, start = location
            length = 1
            note = ""
            if self._is_near(source):
                length = _count_equal_lines(bodies, numbers, at, source, start)
            block = lines[at : at + length]
            if length > 1:
                bare = bodies[at : at + length]
                note = _write_note(block, source.numbers[start], numbers[at], bare)
            is_shorter = sum(map(len, block)) + len(block) > len(note) + _LEAST_WON
            if note and is_shorter:
                notes += 1
                output.append(note)
            else:
                output += block
            at += length
        return "\n".join(output if notes <= MOST_NOTES else lines)


def _separate_line_numbers(text: str, lines: Sequence[str]) -> tuple[Sequence[str], _Numbers]:
    """Separate the lines of a file from their line numbers."""
    if not _NUMBERED_LINE.search(text):
        return lines, [None] * len(lines)
    matches = [_NUMBER.match(line) for line in lines]
    keys = [(int(match[1]), match[2]) if match else None for match in matches]
    bodies = [*lines]
    numbers = list[int | None]([None]) * len(lines)
    for at, (match, key) in enumerate(zip(matches, keys, strict=True)):
        if match and key:
            number, sign = key
            is_before = at > 0 and keys[at - 1] == (number - 1, sign)
            if is_before or keys[at + 1 : at + 2] == [(number + 1, sign)]:
                bodies[at] = lines[at][match.end() :]
                numbers[at] = number
    return bodies, numbers


def _count_equal_lines(
    bodies: Sequence[str], numbers: _Numbers, at: int, source: _Source, start: int
) -> int:
    """Count the lines that are equal from two positions on; return 1 if too few are equal."""
    most = min(len(bodies) - at, len(source.lines) - start)
    length = 0
    is_same = numbers[at] == source.numbers[start]
    while length < most and bodies[at + length] == source.lines[start + length]:
        here = numbers[at + length]
        there = source.numbers[start + length]
        counts = _continues_numbers(numbers[at], here, length)
        counts = counts and _continues_numbers(source.numbers[start], there, length)
        if not (here == there if is_same else counts):
            break
        length += 1
    return length if length >= LEAST_LINES else 1


def _continues_numbers(first: int | None, here: int | None, step: int) -> bool:
    return here == (None if first is None else first + step)


def _drop_oldest(table: dict[Any, Any]) -> None:
    # All at once, because finding a dictionary's first key skips all deleted keys.
    surplus = len(table) - _MOST_PLACES
    if surplus > 0:
        for key in list(islice(table, surplus)):
            del table[key]


def _write_note(
    lines: Sequence[str], before: int | None = None, now: int | None = None, raw: Sequence[str] = ()
) -> str:
    visible = [line.strip() for line in (lines if before == now else raw) if line.strip()]
    if not visible:
        return ""
    first, last = (minified(line[:_NOTE_MOST]) for line in (visible[0], visible[-1]))
    if len(lines) == 1:
        return f"[1 line unchanged since it was shown above: {first}]"
    size = f"{len(lines)} lines"
    if before == now:
        return f"[{size} unchanged since they were shown above: {first} to {last}]"
    was, new = (f"{line}–{(line or 0) + len(lines) - 1}" for line in (before, now))  # noqa: RUF001
    description = f"{size} as shown above" if before is None else f"lines {was} as shown above"
    return f"[{description}{'' if now is None else f', now {new}'}: {first} to {last}]"
