"""Split Markdown into headings, list items, table rows and fenced blocks."""

from lton._patterns import compiled_when_used
from lton.context.compress.code import add_indented
from lton.context.compress.prose import add_prose
from lton.context.compress.units import UnitList, iterate_line_spans

_HEADING = compiled_when_used(r" {0,3}(#{1,6})(?:[ \t]+|$)")
_FENCE = compiled_when_used(r" {0,3}(`{3,}|~{3,})")
_ITEM = compiled_when_used(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+")
_DELIMITERS = compiled_when_used(
    r"[ \t]*+(?:\|[ \t]*+)?:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?$"
)
_SMALL = 2_000  # The maximum length of a fenced block that is not split, in characters


class _Reader:
    def __init__(self, units: UnitList) -> None:
        self.units = units
        self.text = units.text
        self.lines = list(iterate_line_spans(units.text))
        self.headings: list[tuple[int, int]] = []  # Level and place of each outer heading
        self.items: list[tuple[int, int]] = []  # Indentation and place of open items
        self.paragraph: int | None = None  # The start of the open paragraph
        self.until = 0
        self.lead: int | None = None  # The sentence that announces a list, or the heading

    @property
    def parent(self) -> int | None:
        return self.headings[-1][1] if self.headings else None

    def read(self) -> None:
        at = 0
        while at < len(self.lines):
            start, end = self.lines[at]
            line = self.text[start:end]
            if self.paragraph is not None and self._is_apart(self.until, start):
                self._end_paragraph()
            after = self._read_block(at, line)
            if after == at:
                if self.paragraph is None:
                    self.paragraph = start
                self.until = end
                after = at + 1
            at = after
        self._end_paragraph()

    def _is_apart(self, end: int, start: int) -> bool:
        return self.text.count("\n", end, start) > 1

    def _read_block(self, at: int, line: str) -> int:
        """Read a block other than a paragraph. Return the index after it, or `at`."""
        if heading := _HEADING.match(line):
            self._end_paragraph()
            self._read_heading(at, len(heading[1]), at)
            return at + 1
        if fence := _FENCE.match(line):
            self._end_paragraph()
            return self._read_fence(at, fence[1])
        below = at + 1 < len(self.lines) and self.text[slice(*self.lines[at + 1])].strip()
        if below and not self._is_apart(self.lines[at][1], self.lines[at + 1][0]):
            if self.paragraph is None and set(below) in ({"="}, {"-"}) and "|" not in line:
                self._read_heading(at, 1 if below[0] == "=" else 2, at + 1)
                return at + 2
            if "|" in line and _DELIMITERS.match(below):
                self._end_paragraph()
                return self._read_table(at)
        if item := _ITEM.match(line):
            self._end_paragraph()
            return self._read_item(at, len(item[1].expandtabs(4)))
        return at

    def _read_heading(self, at: int, level: int, last: int) -> None:
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.items.clear()
        start = self.lines[at][0]
        end = self.lines[last][1]
        title = self.text[start : self.lines[at][1]].strip("# \t")
        self.headings.append((level, self.units.add_heading(start, end, title, self.parent)))

    def _read_fence(self, at: int, mark: str) -> int:
        last = at + 1
        while last < len(self.lines):
            line = self.text[slice(*self.lines[last])].strip()
            if line.startswith(mark) and not line.strip(mark[0]):
                break
            last += 1
        start = self.lines[at][0]
        is_closed = last < len(self.lines)
        end = self.lines[last if is_closed else last - 1][1]
        if end - start <= _SMALL or not is_closed or last == at + 1:
            self.units.add_unit(start, end, parent=self.parent)
        else:
            first = self.units.add_unit(start, self.lines[at][1], parent=self.parent, role="frame")
            add_indented(self.units, self.lines[at + 1 : last], first)
            self.units.add_closing(first, *self.lines[last])
        return last + 1 if is_closed else last

    def _read_table(self, at: int) -> int:
        start = self.lines[at][0]
        end = self.lines[at + 1][1]
        head = self.units.add_unit(start, end, parent=self.parent, role="frame")
        last = at + 2
        while last < len(self.lines):
            start, end = self.lines[last]
            if self._is_apart(self.lines[last - 1][1], start) or "|" not in self.text[start:end]:
                break
            self.units.add_unit(start, end, parent=head)
            last += 1
        return last

    def _read_item(self, at: int, indent: int) -> int:
        if not self.items:
            self.lead = self._find_lead(self.lines[at][0])
        while self.items and self.items[-1][0] >= indent:
            self.items.pop()
        parent = self.items[-1][1] if self.items else self.lead
        last = at + 1
        while last < len(self.lines):
            start, end = self.lines[last]
            line = self.text[start:end]
            is_new = _ITEM.match(line) or _HEADING.match(line) or _FENCE.match(line)
            if is_new or self._is_apart(self.lines[last - 1][1], start):
                break
            last += 1
        self.items.append((indent, self.units.next))
        self.units.add_text(self.lines[at][0], self.lines[last - 1][1], parent)
        return last

    def _find_lead(self, start: int) -> int | None:
        """Return the unit that introduces a list with a colon; without one, return the heading."""
        last = self.units.units[-1] if self.units.units else None
        is_led = last and not last.goes_on and last.text[-1] in ":："  # noqa: RUF001
        is_next = last and not self.text[last.end : start].strip()
        return self.units.next - 1 if is_led and is_next else self.parent

    def _end_paragraph(self) -> None:
        if self.paragraph is not None:
            self.items.clear()
            add_prose(self.units, self.paragraph, self.until, self.parent)
            self.paragraph = None


def add_markdown(units: UnitList) -> None:
    """Add the blocks of a Markdown document."""
    _Reader(units).read()
