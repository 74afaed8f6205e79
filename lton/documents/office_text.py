"""Extract the text of a part of an Office document: paragraphs, tables, charts and shapes.

Word, PowerPoint and drawings in Excel share these elements. A reader looks at the text elements
themselves, whatever contains them: links, content controls, smart tags, insertions, groups of
shapes. It skips only properties and text that was deleted or moved to another place.
"""

from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any

from lton.documents.archives import attribute, child_of, local_name, relation_id, val_of_child
from lton.documents.layout import iterate_joined_rows, with_prefix
from lton.documents.office_parts import OfficeParts, is_document_text

_SIGNS = {
    "tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": "\u00ad",
}  # fmt: skip
"""Elements that are characters, and not text with characters."""
_MARKS = {
    "footnoteReference": "[^{}]", "endnoteReference": "[^e{}]", "commentReference": "[comment {}]",
}  # fmt: skip
_REMOVED = frozenset(["del", "moveFrom"])  # deleted, or moved to another place
_RUNS = frozenset(["r", "hyperlink", "fldSimple", "oMath", "oMathPara", "fld"])
_SYMBOLS = {
    0xF06F: "☐", 0xF0A7: "▪", 0xF0A8: "☐", 0xF0B7: "•", 0xF0D8: "➢", 0xF0E0: "→", 0xF0FC: "✓",
    0xF0FD: "☒", 0xF0FE: "☒",
}  # fmt: skip
"""Frequent characters of the fonts Symbol and Wingdings, which have no other code."""
_MOST_SPANNED = 1_000  # columns of a merged cell


class OfficeText:
    """Extracts the lines of text below elements of one part."""

    def __init__(
        self, parts: OfficeParts, part: str, prefix_of: Callable[[Any], str] | None = None
    ) -> None:
        self._parts = parts
        self._part = part
        self._prefix_of = prefix_of
        self._initial = ""  # a large first letter, which is a paragraph of its own
        self.skipped: Any = None  # an element that was read before
        self._tables = 0  # the number of tables around the current element
        self._after: list[str] = []  # lines of shapes that are anchored in the current paragraph

    def iterate_lines(self, element: Any) -> Iterator[str]:
        """Yield the lines of text below an element."""
        for child in element:
            yield from self.iterate_lines_of(child)

    def iterate_lines_of(self, element: Any) -> Iterator[str]:  # noqa: C901 - one branch for each name
        """Yield the lines of text of an element."""
        name = local_name(element)
        if element is self.skipped:
            return
        if name == "p":
            yield from self._iterate_paragraph_lines(element)
        elif name == "tbl":
            yield from self._iterate_table_lines(element)
        elif name == "AlternateContent":
            yield from self.iterate_lines(self._choose_alternative(element))
        elif name in _REMOVED:
            self._parts.note_left_out(self._part, element)
        elif name in _RUNS or is_document_text(element):
            yield from self._iterate_line("".join(self._iterate_text_pieces(element)))
        elif name == "txbxContent":
            text = "\n".join(self.iterate_lines(element))
            if text:
                yield f"[Text box: {text}]"
        elif name in ("pic", "imagedata"):
            yield from self._iterate_picture_lines(element)
        elif name in ("chart", "relIds"):
            yield from self._iterate_related_lines(element)
        elif name == "altChunk":
            self._parts.amounts["embedded document"] += 1
        elif not name.endswith("Pr"):
            yield from self.iterate_lines(element)

    def _iterate_line(self, text: str) -> Iterator[str]:
        """Yield a text, unless it is empty, and then the shapes that are anchored in it."""
        shapes, self._after = self._after, []
        if text.strip():
            yield text
        yield from shapes

    def _iterate_paragraph_lines(self, element: Any) -> Iterator[str]:
        outer, self._after = self._after, []
        text = self._initial + "".join(self._iterate_text_pieces(element))
        self._initial = ""
        if _is_drop_cap(element):
            self._initial = text
            text = ""
        elif self._prefix_of is not None:
            text = with_prefix(self._prefix_of(element), text)
        yield from self._iterate_line(text)
        self._after = outer

    def _iterate_text_pieces(self, element: Any) -> Iterator[str]:  # noqa: C901 - one branch for each name
        """Yield the pieces of text of an element inside a paragraph."""
        name = local_name(element)
        if is_document_text(element):
            text = element.text or ""
            self._parts.note_shown_text(self._part, text)
            yield text
        elif name in _SIGNS:
            yield _SIGNS[name]
        elif name in _MARKS:
            yield _MARKS[name].format(attribute(element, "id"))
        elif name == "sym":
            yield _read_symbol(element)
        elif name in _REMOVED:
            self._parts.note_left_out(self._part, element)
        elif name == "AlternateContent":
            for child in self._choose_alternative(element):
                yield from self._iterate_text_pieces(child)
        elif name in ("drawing", "pict", "object", "txbxContent"):
            self._after += self.iterate_lines([element] if name == "txbxContent" else element)
        elif not name.endswith("Pr"):
            for child in element:
                yield from self._iterate_text_pieces(child)

    def _choose_alternative(self, element: Any) -> Any:
        """Return the alternative with text, preferably not the one for old programs."""
        alternatives = [child for child in element if local_name(child) in ("Choice", "Fallback")]
        alternative = next(filter(_has_content, alternatives), None)
        for child in alternatives:
            if child is not alternative:
                self._parts.note_left_out(self._part, child)
        return () if alternative is None else alternative

    def _iterate_table_lines(self, element: Any) -> Iterator[str]:
        self._tables += 1
        lines = list(
            iterate_joined_rows(map(self._texts_of_cells, self._iterate_nearest(element, "tr")))
        )
        self._tables -= 1
        if self._tables and lines:
            yield f"[Table: {'; '.join(lines)}]"
        else:
            yield from lines

    def _texts_of_cells(self, row: Any) -> list[str]:
        cells = [""] * _parse_number(val_of_child(child_of(row, "trPr"), "gridBefore"), usual=0)
        for cell in self._iterate_nearest(row, "tc"):
            cells.append(" ".join(self.iterate_lines(cell)))
            columns = _parse_number(val_of_child(child_of(cell, "tcPr"), "gridSpan"), usual=1)
            cells += [""] * (columns - 1)
        return cells

    def _iterate_nearest(self, element: Any, name: str) -> Iterator[Any]:
        """Yield the rows of a table, or the cells of a row, whatever contains them."""
        for child in element:
            child_name = local_name(child)
            if child_name == name:
                yield child
            elif child_name in _REMOVED:
                self._parts.note_left_out(self._part, child)
            elif child_name == "AlternateContent":
                yield from self._iterate_nearest(self._choose_alternative(child), name)
            elif not child_name.endswith("Pr"):
                yield from self._iterate_nearest(child, name)

    def _iterate_picture_lines(self, element: Any) -> Iterator[str]:
        about = _alternative_text(element)
        if about:
            yield f"[Picture: {about}]"
        else:
            self._parts.amounts["picture without text"] += 1
        yield from self.iterate_lines(element)

    def _iterate_related_lines(self, element: Any) -> Iterator[str]:
        """Yield the lines of the chart or diagram to which an element refers."""
        is_chart = local_name(element) == "chart"
        reference = relation_id(element) if is_chart else attribute(element, "dm")
        part = self._parts.find_target(self._part, reference)
        if not part:
            return
        if is_chart:
            yield from iterate_chart_lines(self._parts, part)
            return
        text = "; ".join(OfficeText(self._parts, part).iterate_lines(self._parts.parse_root(part)))
        if text:
            yield f"[Diagram: {text}]"


def iterate_chart_lines(parts: OfficeParts, part: str) -> Iterator[str]:
    """Yield the lines of a chart: its title, a table of its series, and its other texts."""
    root = parts.parse_root(part)
    reader = OfficeText(parts, part)
    title = " ".join(reader.iterate_lines(child_of(child_of(root, "chart"), "title")))
    yield f"[Chart: {title}]" if title else "[Chart]"
    yield from iterate_joined_rows(_chart_rows(parts, part, root))
    for axis in root.iter("{*}axId", "{*}dLbl", "{*}valAx", "{*}catAx", "{*}dateAx", "{*}serAx"):
        yield from reader.iterate_lines(child_of(axis, "title", "tx"))


def _chart_rows(parts: OfficeParts, part: str, root: Any) -> list[list[str]]:
    """Return a table with a column for each series, and one for the sizes of its bubbles."""
    series = [element for element in root.iter("{*}ser") if len(element)]
    columns = [
        list(_iterate_series_values(parts, part, child_of(one, "val", "yVal"))) for one in series
    ]
    names = [" ".join(_iterate_series_values(parts, part, child_of(one, "tx"))) for one in series]
    labels: list[str] = []
    for one in series:
        own = list(_iterate_series_values(parts, part, child_of(one, "cat", "xVal")))
        labels = max(labels, own, key=len)
    for one in series:
        sizes = list(_iterate_series_values(parts, part, child_of(one, "bubbleSize")))
        if sizes:
            columns.append(sizes)
            names.append("size")
    return [["", *names], *map(list, zip_longest(labels, *columns, fillvalue=""))]


def _iterate_series_values(parts: OfficeParts, part: str, element: Any) -> Iterator[str]:
    """Yield the values of a chart's series, in which levels of labels are joined."""
    levels: list[dict[str, str]] = []
    for cache in _find_caches(element):
        points: dict[str, str] = {}
        for value in cache.iter("{*}v"):
            text = value.text or ""
            parts.note_shown_text(part, text)
            index = attribute(value.getparent(), "idx") or str(len(points))
            points[index] = text
        levels.append(points)
    indexes = sorted({index for points in levels for index in points}, key=_parse_index)
    previous = [""] * len(levels)
    for index in indexes:
        previous = [
            points.get(index, earlier) for points, earlier in zip(levels, previous, strict=True)
        ]
        yield " / ".join(filter(None, reversed(previous)))


def _find_caches(element: Any) -> list[Any]:
    """Return the lists of points below an element: one, or one for each level of labels."""
    if isinstance(element, tuple):
        return []
    levels = list(element.iter("{*}lvl"))
    return levels or [element]


def _parse_number(text: str, *, usual: int) -> int:
    return min(int(text), _MOST_SPANNED) if text.isascii() and text.isdigit() else usual


def _parse_index(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _is_drop_cap(paragraph: Any) -> bool:
    frame = child_of(child_of(paragraph, "pPr"), "framePr")
    return not isinstance(frame, tuple) and attribute(frame, "dropCap") in ("drop", "margin")


def _read_symbol(element: Any) -> str:
    try:
        code = int(attribute(element, "char"), 16)
        return _SYMBOLS.get(code) or chr(code)
    except (ValueError, OverflowError):
        return ""


def _has_content(element: Any) -> bool:
    """Return whether an alternative has a text or something that refers to one."""
    names = ("{*}t", "{*}blip", "{*}imagedata", "{*}chart", "{*}relIds")
    return next(element.iter(*names), None) is not None


def _alternative_text(element: Any) -> str:
    """Return the text that the author of a picture gave for readers who cannot see it."""
    if local_name(element) == "imagedata":
        return attribute(element.getparent(), "alt").strip()
    texts: list[str] = []
    for around in element.iterancestors("{*}inline", "{*}anchor"):
        texts += [attribute(properties, "descr") for properties in around.iter("{*}docPr")]
    texts += [attribute(properties, "descr") for properties in element.iter("{*}cNvPr")]
    return " ".join(next(filter(str.strip, texts), "").split())
