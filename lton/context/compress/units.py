"""Define units: the parts of a document that are either shown completely or omitted."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from lton._patterns import compiled_when_used
from lton.context.cuts import iterate_ends_outside, word_ends
from lton.context.marks import make_unused_mark

UnitRole: TypeAlias = Literal["text", "heading", "signature", "frame"]  # Frames enclose others

LONGEST = 1_000  # The approximate maximum length of a unit; a longer unit is divided


class Shared(NamedTuple):
    """The properties that all units of a document share."""

    document: int = 0
    mark: str = ""
    counts: bool = False


@dataclass(slots=True, eq=False)
class Unit:
    """A part of a document. It is shown together with its `parent` and its `closer`.

    Parents and closers are indexes in the list of all units. A closer may itself have a closer,
    which names a record. `title` is the document's title with the headings above. The start of a
    `cuttable` unit may be shown if no complete unit fits. A unit that `goes_on` continues the
    sentence of the previous unit. `tells` scores how informative a line of tool output or a table
    row is, up to about 1 (see `lton.context.compress.telling`). The score is 0 in JSON, and None
    elsewhere. `shared` has the document's number, and the mark for omitted text, which includes the
    number of lines if the unit `counts`.
    """

    start: int
    size: int  # usually a small integer, which Python shares, unlike an end
    whole: str
    parent: int | None = None
    closer: int | None = None
    role: UnitRole = "text"
    title: str = ""
    cuttable: bool = False
    goes_on: bool = False
    tells: float | None = None
    shared: Shared = Shared()  # noqa: RUF009 - it is immutable

    @property
    def end(self) -> int:
        return self.start + self.size

    @property
    def text(self) -> str:
        return self.whole[self.start : self.start + self.size]

    @property
    def document(self) -> int:
        return self.shared.document


class UnitList:
    """Collects the units of a document."""

    def __init__(self, text: str, document: int = 0, title: str = "", first: int = 0) -> None:
        self.text = text
        self.units: list[Unit] = []
        self.shared = Shared(document, make_unused_mark(text))
        self.called = title  # The title of the text, and the heading above the next units
        self._title = title
        self._first = first

    @property
    def next(self) -> int:
        return self._first + len(self.units)

    def add_unit(
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
        how = role, self.called, cuttable, goes_on, tells, self.shared
        self.units.append(Unit(start, end - start, self.text, parent, closer, *how))
        return self.next - 1

    def add_text(self, start: int, end: int, parent: int | None = None) -> None:
        """Add a span of text as one unit or, if it is long, as several units."""
        for number, (first, last) in enumerate(iterate_part_spans(self.text, start, end)):
            self.add_unit(first, last, parent=parent, cuttable=True, goes_on=number > 0)

    def add_heading(
        self,
        start: int,
        end: int,
        title: str = "",
        parent: int | None = None,
        *,
        tells: float | None = None,
    ) -> int:
        """Add a heading, which is shown above the following units."""
        index = self.add_unit(start, end, parent=parent, role="heading", tells=tells)
        heading = title or self.text[start:end].strip("#=-*_[] \t")
        self.called = f"{self._title} {heading}"
        return index

    def add_closing(self, opener: int, start: int, end: int, name: int | None = None) -> None:
        """Add the text that closes a unit, such as a closing bracket."""
        self.units[opener - self._first].closer = self.next
        self.add_unit(start, end, parent=opener, role="frame", closer=name, tells=0.0)


def trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without its leading and trailing white space."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


def iterate_line_spans(
    text: str, start: int = 0, end: int | None = None
) -> Iterator[tuple[int, int]]:
    r"""Yield the spans of all lines that are not blank.

    >>> list(iterate_line_spans("a\n\n  b\r\n"))
    [(0, 1), (3, 6)]
    """
    for line in _LINE.finditer(text, start, len(text) if end is None else end):
        if length := len(line[0].rstrip()):
            yield line.start(), line.start() + length


def follows_blank_line(text: str, start: int) -> bool:
    """Return whether a line is the first line, or follows a blank line."""
    before = text[max(0, start - 80) : start]
    space = before[len(before.rstrip()) :]
    return space == before or len(space.splitlines()) > 1


_LINE_END = compiled_when_used(r"[ \t]*[\n\r]")
_LINE = compiled_when_used(r"[^\n\r]+")
_QUOTED = compiled_when_used(  # no opener inside: linear time for many openers
    r"`[^`\n]{1,300}`|“[^“”\n]{1,300}”|„[^„“”\n]{1,300}[“”]|«[^«»\n]{1,300}»"
    r"|「[^「」\n]{1,300}」|『[^『』\n]{1,300}』"
    r"|(?<!\w)\"(?=[^\s\"])[^\"\n]{1,300}(?<=\S)\"(?!\w)"
)


def iterate_quotation_spans(
    text: str, start: int = 0, end: int | None = None
) -> Iterator[tuple[int, int]]:
    """Yield the spans of quotations and code, each of at most 300 characters."""
    for quotation in _QUOTED.finditer(text, start, len(text) if end is None else end):
        yield quotation.span()


def free_ends(text: str) -> list[int]:
    """Return the offsets at which text may be cut: outside facts and quotations.

    >>> text = 'He said "not before May 5" and left.'
    >>> [text[:end] for end in free_ends(text)][1:3]
    ['He said "not before May 5"', 'He said "not before May 5" and']
    """
    return list(iterate_ends_outside(word_ends(text), iterate_quotation_spans(text)))


def iterate_part_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Split a span into spans of about `LONGEST` characters, at line ends if possible."""
    if end - start > LONGEST:
        base = last = line = start
        for free in free_ends(text[base:end]):
            if base + free - start > LONGEST and last > start:
                stop = line if line > start else last
                yield trim_span(text, start, stop)
                start = stop
            last = base + free
            if _LINE_END.match(text, last):
                line = last
    yield trim_span(text, start, end)
