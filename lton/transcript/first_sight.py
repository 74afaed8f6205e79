"""Shorter at first sight: what a result is shown as when it is first sent, and ever after.

Nothing here looks back but at what was shown before, so the same results in the same order are
the same bytes: in every later request, after a restart, in another process. A cache of prompts
keeps all of it, and a reader has all of it in view: nothing has to be asked for.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from lton._json import minified
from lton.results import ForModels, short_result
from lton.transcript.pointers import with_own_marks_quoted

LEAST_LINES = 4
"""Lines that a block has at least that stood before."""
_NOTE_MOST = 40
"""Characters that a note shows of a line."""
MOST_NOTES = 3
"""Of a result. With more it is a mosaic, which is shown whole."""
_MOST_PLACES = 100_000
"""Lines that are remembered; those that were shown longest ago make room."""
_LEAST_WON = 80
"""Characters that a note saves at least: it takes some tokens, and a thought."""
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[()][0-9A-B])")
"""Colours, moves of a cursor, titles of a window."""


def without_noise(text: str) -> str:
    r"""Return what a terminal would show of a text in the end, without colours.

    >>> without_noise("\x1b[31m 10 %\r100 %\x1b[0m\ndone\n")
    '100 %\ndone\n'
    """
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    return "\n".join(map(_settled, text.split("\n"))) if "\r" in text else text


def _settled(line: str) -> str:
    """Return a line as it stands after it was written over."""
    line, end = (line[:-1], "\r") if line.endswith("\r") else (line, "")
    shown = ""
    for each in reversed(line.split("\r")):
        shown += each[len(shown) :]
    return shown + end


@lru_cache(256)
def shown_form(
    text: str, *, for_models: ForModels | None = "any", is_terminal: bool = False
) -> str:
    """Return what a result is shown as, whatever was shown before.

    A terminal's has no noise. JSON is written shorter for a class of models, if one is given.
    """
    clean = with_own_marks_quoted(without_noise(text) if is_terminal else text)
    return short_result(clean, for_models) if for_models else clean


@dataclass(frozen=True, slots=True)
class _Source:
    """Lines that were shown, and a place in them."""

    lines: Sequence[str]
    at: int
    shown: int
    """How many characters had been shown before them."""


class SeenLines:
    r"""What was shown so far: a block of lines that stands in it is said by a note.

    With `within` the lines that a note stands for are among the last so many characters. A result
    that would have more than `MOST_NOTES` notes is shown whole.

    >>> page = "".join(f"line {n} of a page that is shown\n" for n in range(9))
    >>> seen = SeenLines()
    >>> seen.shown(page) == page
    True
    >>> print(seen.shown(f"$ cat page\n{page}$"))
    $ cat page
    [9 lines unchanged since they were shown above: "line 0 of a page that is shown" to "line 8 of a page that is shown"]
    $
    """  # noqa: E501 - a note is a line

    def __init__(self, within: int | None = None) -> None:
        self._within, self._passed = within, 0
        self._places: dict[tuple[str, ...], _Source] = {}
        self._latest: dict[str, _Source] = {}
        """Of texts of fewer lines: the one that was shown last, by the note that would stand for
        it. So none stands for a text after which another was shown that begins alike."""

    def copied(self) -> "SeenLines":
        """Get one that remembers the same, and goes its own way."""
        copy = SeenLines(self._within)
        copy._passed = self._passed
        copy._places, copy._latest = {**self._places}, {**self._latest}
        return copy

    def shown(self, text: str) -> str:
        """Get a text with notes in place of what stood before, and remember it."""
        lines = text.split("\n")
        found = self._noted(lines) if len(lines) >= LEAST_LINES else self._whole(text, lines)
        self._remember(lines)
        return found

    def remember(self, text: str) -> None:
        """Remember what is shown as it is."""
        self._remember(text.split("\n"))

    def passed(self, length: int) -> None:
        """Count characters of what else is shown."""
        self._passed += length

    def _remember(self, lines: Sequence[str]) -> None:
        for at in range(len(lines) - LEAST_LINES + 1):
            self._places[tuple(lines[at : at + LEAST_LINES])] = _Source(lines, at, self._passed)
        if len(lines) < LEAST_LINES and (note := _note(lines)):
            self._latest.pop(note, None)
            self._latest[note] = _Source(lines, 0, self._passed)
        self._passed += sum(map(len, lines)) + len(lines)
        _bound(self._places)
        _bound(self._latest)

    def _is_near(self, source: _Source) -> bool:
        return self._within is None or self._passed - source.shown <= self._within

    def _whole(self, text: str, lines: Sequence[str]) -> str:
        note = _note(lines)
        source = self._latest.get(note) if len(text) > len(note) + _LEAST_WON else None
        is_same = source is not None and source.lines == lines and self._is_near(source)
        return note if is_same else text

    def _noted(self, lines: Sequence[str]) -> str:
        at, notes, found = 0, 0, list[str]()
        while at < len(lines):
            block = lines[at : at + (self._alike(lines, at) or 1)]
            note = _note(block) if len(block) > 1 else ""
            is_shorter = sum(map(len, block)) + len(block) > len(note) + _LEAST_WON
            notes += bool(note) and is_shorter
            found += [note] if note and is_shorter else block
            at += len(block)
        return "\n".join(found if notes <= MOST_NOTES else lines)

    def _alike(self, lines: Sequence[str], at: int) -> int:
        """Get how many lines from one on stood before, in one place; 0 if too few."""
        source = self._places.get(tuple(lines[at : at + LEAST_LINES]))
        if source is None or not self._is_near(source):
            return 0
        number, most = LEAST_LINES, min(len(lines) - at, len(source.lines) - source.at)
        while number < most and lines[at + number] == source.lines[source.at + number]:
            number += 1
        return number


def _bound(kept: dict[Any, Any]) -> None:
    # All at once: to find the first of a dictionary takes as long as many were taken out of it.
    for key in list(islice(kept, max(0, len(kept) - _MOST_PLACES))):
        del kept[key]


def _note(lines: Sequence[str]) -> str:
    said = [each.strip() for each in lines if each.strip()]
    if not said:
        return ""
    first, last = (minified(each[:_NOTE_MOST]) for each in (said[0], said[-1]))
    if len(lines) == 1:
        return f"[1 line unchanged since it was shown above: {first}]"
    return f"[{len(lines)} lines unchanged since they were shown above: {first} to {last}]"
