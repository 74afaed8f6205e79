"""UnitList: the parts of a text that are shown whole or not at all, and what is shown with them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from lton._patterns import compiled_when_used
from lton.context.cuts import outside, word_ends
from lton.context.marks import mark_of

UnitRole: TypeAlias = Literal["text", "heading", "signature", "frame"]
"""A heading, a signature of code; a frame is shown only around others."""

LONGEST = 1_000
"""Characters of a unit, about: a longer one is divided where its text may be cut."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A span of a text, `whole`. With it are shown its `parent`, and the `closer` of what is shown.

    Parents and closers are places in the list of all units; a closer may have one too: what names
    a record. `document` is the text that it is
    from, `title` is what that is called, with the headings over the unit. `cuttable` says that its
    beginning may be shown where nothing fits whole, and `goes_on` that it goes on with the sentence
    of the unit before. `mark` stands for what is left out beside it; it says how many lines that
    are if `counts`. `tells` is how much a line of what a tool printed, or a row, says by itself:
    about 1 at most (`lton.context.compress.telling`), in JSON 0; nothing else has it.
    """

    start: int
    end: int
    whole: str
    parent: int | None = None
    closer: int | None = None
    role: UnitRole = "text"
    document: int = 0
    title: str = ""
    cuttable: bool = False
    goes_on: bool = False
    mark: str = ""
    counts: bool = False
    tells: float | None = None

    @property
    def text(self) -> str:
        """What is in the span, cut anew each time: a text has many units."""
        return self.whole[self.start : self.end]


class UnitList:
    """The units of a text in the making."""

    def __init__(self, text: str, document: int = 0, title: str = "", first: int = 0) -> None:
        self.text = text
        self.found: list[Unit] = []
        self.mark = mark_of(text)
        self.counts = False
        self.called = title
        """The title of the text, and the heading that the next units are under."""
        self._document, self._title, self._first = document, title, first

    @property
    def next(self) -> int:
        """The place that the next unit has."""
        return self._first + len(self.found)

    def add(
        self,
        start: int,
        end: int,
        *,
        parent: int | None = None,
        role: UnitRole = "text",
        cuttable: bool = False,
        goes_on: bool = False,
        closer: int | None = None,
        tells: float | None = None,
    ) -> int:
        """Add a unit and get its place."""
        self.found.append(
            Unit(
                start,
                end,
                self.text,
                parent,
                closer,
                role,
                self._document,
                self.called,
                cuttable,
                goes_on,
                self.mark,
                self.counts,
                tells,
            )
        )
        return self.next - 1

    def add_text(self, start: int, end: int, parent: int | None = None) -> None:
        """Add what is between, without the space after it; what is long, in parts."""
        for number, (first, last) in enumerate(parts(self.text, start, end)):
            self.add(first, last, parent=parent, cuttable=True, goes_on=number > 0)

    def head(
        self,
        start: int,
        end: int,
        title: str = "",
        parent: int | None = None,
        tells: float | None = None,
    ) -> int:
        """Add a heading, shown over what is under it, which has its title."""
        place = self.add(start, end, parent=parent, role="heading", tells=tells)
        heading = title or self.text[start:end].strip("#=-*_[] \t")
        self.called = f"{self._title} {heading}"
        return place

    def close(self, opener: int, start: int, end: int, name: int | None = None) -> None:
        """Add what ends a unit that was opened, and is shown with it; so is what names it."""
        at = opener - self._first
        self.found[at] = replace(self.found[at], closer=self.next)
        self.add(start, end, parent=opener, role="frame", closer=name, tells=0.0)


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Get the span without the space around it."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


def lines(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    r"""Get the spans of the lines that say something, with the space that they begin with.

    >>> list(lines("a\n\n  b\r\n"))
    [(0, 1), (3, 6)]
    """
    for line in _LINE.finditer(text, start, len(text) if end is None else end):
        if said := len(line[0].rstrip()):
            yield line.start(), line.start() + said


def is_apart(text: str, start: int) -> bool:
    """Say whether a line is the first of a text, or after an empty one."""
    before = text[max(0, start - 80) : start]
    space = before[len(before.rstrip()) :]
    return space == before or len(space.splitlines()) > 1


_LINE_END = compiled_when_used(r"[ \t]*[\n\r]")
_LINE = compiled_when_used(r"[^\n\r]+")
_QUOTED = compiled_when_used(  # no opener is within, so that many of them take linear time
    r"`[^`\n]{1,300}`|“[^“”\n]{1,300}”|„[^„“”\n]{1,300}[“”]|«[^«»\n]{1,300}»"
    r"|「[^「」\n]{1,300}」|『[^『』\n]{1,300}』"
    r"|(?<!\w)\"(?=[^\s\"])[^\"\n]{1,300}(?<=\S)\"(?!\w)"
)


def quoted(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Get the spans of what is quoted, and of code spans, up to 300 characters each."""
    for found in _QUOTED.finditer(text, start, len(text) if end is None else end):
        yield found.span()


def free_ends(text: str) -> list[int]:
    """Get the offsets at which a text may end: in no fact, and in nothing that is quoted.

    >>> text = 'He said "not before May 5" and left.'
    >>> [text[:end] for end in free_ends(text)][1:3]
    ['He said "not before May 5"', 'He said "not before May 5" and']
    """
    return list(outside(word_ends(text), quoted(text)))


def parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Get spans of about `LONGEST` characters at most; a word, or a fact, that is longer is one.

    Of what is on several lines, each has whole lines, if one is not longer.
    """
    if end - start > LONGEST:
        base = last = line = start
        for free in free_ends(text[base:end]):
            if base + free - start > LONGEST and last > start:
                stop = line if line > start else last
                yield trimmed(text, start, stop)
                start = stop
            last = base + free
            if _LINE_END.match(text, last):
                line = last
    yield trimmed(text, start, end)
