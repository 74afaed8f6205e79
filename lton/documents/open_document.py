"""Read documents of OpenDocument (ODT, ODS, ODP), of which LibreOffice is the usual program.

All text of such a document is in `content.xml`. Headers and footers are in `styles.xml`.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from lton.documents.archives import attribute, local_name, open_archive, parse_xml
from lton.documents.layout import (
    count_characters,
    iterate_joined_rows,
    with_prefix,
    write_missing_note,
)
from lton.documents.limits import DocumentError
from lton.documents.open_lists import ListLabels

_SIGNS = {"tab": "\t", "line-break": "\n"}
_UNSEEN = frozenset(
    "creator date date-string desc forms initials scripts sequence-decls title tracked-changes "
    "user-field-decls variable-decls".split()
)
"""Elements that are not text of the document: deleted text, declarations, and facts about text."""
_FIELDS = frozenset(["creator", "date", "title"])
"""Names of unseen elements that are also names of fields, which a paragraph shows."""
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_PARAGRAPHS = frozenset(["p", "h"])
_OBJECTS = frozenset(["object", "object-ole", "plugin"])
_CELLS = frozenset(["table-cell", "covered-table-cell"])
_VALUES = ("value", "date-value", "time-value", "boolean-value", "string-value", "formula")
"""Attributes of cells that may say their value, if there is no text."""
_REPEATED = ("header", "header-left", "header-first", "footer", "footer-left", "footer-first")
_MOST_REPEATED = 1_000  # cells or rows that one element stands for


def iterate_open_document_lines(content: bytes) -> Iterator[str]:
    """Yield the text of a document, of each sheet, or of each slide."""
    root, styles = _read_content_and_styles(content)
    labels = ListLabels([root] if styles is None else [styles, root])
    reader = _Reader(labels)
    hidden = {attribute(style, "name") for style in root.iter("{*}style") if _is_hidden(style)}
    body = next(iter(next(root.iter("{*}body"))))
    pages: list[list[str]] = []
    lines: list[str] = []
    for element in body:
        name = local_name(element)
        title = attribute(element, "name")
        if name == "page":
            pages.append([f"# Slide {len(pages) + 1}: {title}", *reader.iterate_lines(element)])
        elif name == "table" and local_name(body) == "spreadsheet":
            is_hidden = attribute(element, "style-name") in hidden
            first = f"# Sheet {title} (hidden)" if is_hidden else f"# Sheet {title}"
            pages.append([first, *reader.iterate_lines_of(element)])
        else:
            lines += reader.iterate_lines_of(element)
    if any(map(str.strip, lines)) or not pages:
        pages.append(lines)
    pages[-1] += _iterate_repeated_lines(styles)
    pages[-1] += reader.notes
    missing = {"character": _count_text(root) - reader.taken}
    pages[-1] += write_missing_note({**missing, **reader.amounts})
    yield from map("\n".join, pages)


def _read_content_and_styles(content: bytes) -> tuple[Any, Any]:
    """Return the content and the styles of a document that is not encrypted."""
    with open_archive(content) as archive:
        names = frozenset(archive.namelist())
        listing = "META-INF/manifest.xml"
        if listing in names and b"encryption-data" in archive.read(listing):
            raise DocumentError("expected a document without a password")
        root = parse_xml(archive.read("content.xml"))
        styles = parse_xml(archive.read("styles.xml")) if "styles.xml" in names else None
    return root, styles


def _iterate_repeated_lines(styles: Any) -> Iterator[str]:
    """Yield the texts of headers and footers, each once."""
    for kind in _REPEATED if styles is not None else ():
        texts = [
            " ".join(_Reader(ListLabels([])).iterate_lines(region))
            for region in styles.iter(f"{{*}}{kind}")
        ]
        for text in dict.fromkeys(filter(str.strip, texts)):
            yield f"[{kind.partition('-')[0].capitalize()}: {text}]"


def _is_hidden(style: Any) -> bool:
    """Return whether a style hides the sheets that have it."""
    return any(
        attribute(properties, "display") == "false"
        for properties in style.iter("{*}table-properties")
    )


def _is_unseen(element: Any) -> bool:
    """Return whether an element is not text of the document."""
    name = local_name(element)
    is_field = name in _FIELDS and element.tag.startswith(_TEXT)
    return name in _UNSEEN and not is_field


def _count_text(element: Any, *, is_inside: bool = False) -> int:
    """Count the characters of all paragraphs below an element."""
    if not isinstance(element.tag, str) or _is_unseen(element):
        return 0
    is_inside = is_inside or local_name(element) in _PARAGRAPHS
    total = count_characters(element.text or "") if is_inside else 0
    for child in element:
        total += _count_text(child, is_inside=is_inside)
        total += count_characters(child.tail or "") if is_inside else 0
    return total


class _Reader:
    """Extracts the lines of text below elements, and counts the text."""

    def __init__(self, labels: ListLabels) -> None:
        self.taken = 0
        self.amounts: Counter[str] = Counter()
        self.notes: list[str] = []
        self._comments = 0
        self._tables = 0  # the number of tables around the current element
        self._after: list[str] = []  # lines of shapes that are anchored in the current paragraph
        self._labels = labels
        self._item: Any = None  # an item of a list of which no paragraph was read yet

    def iterate_lines(self, element: Any) -> Iterator[str]:
        """Yield the lines of text below an element."""
        for child in element:
            yield from self.iterate_lines_of(child)

    def iterate_lines_of(self, element: Any) -> Iterator[str]:
        """Yield the lines of text of an element."""
        name = local_name(element)
        if name in _PARAGRAPHS:
            yield from self._iterate_paragraph_lines(element)
        elif name == "table":
            yield from self._iterate_table_lines(element)
        elif name == "list":
            yield from self._iterate_list_lines(element)
        elif name == "annotation":
            yield self._read_comment(element)
        elif name == "notes":
            text = "\n".join(self.iterate_lines(element))
            if text.strip():
                yield f"Notes: {text}"
        elif name == "frame":
            yield from self._iterate_frame_lines(element)
        elif not _is_unseen(element):
            yield from self.iterate_lines(element)

    def _take_text(self, text: str | None) -> str:
        """Count a text, and return it with single blanks."""
        self.taken += count_characters(text or "")
        return re.sub(r"[ \t\r\n]+", " ", text or "")

    def _iterate_paragraph_lines(self, element: Any) -> Iterator[str]:
        outer, self._after = self._after, []
        text = "".join(self._iterate_pieces(element))
        level = attribute(element, "outline-level")
        text = with_prefix(self._take_label(), text)
        if text:
            is_heading = local_name(element) == "h"
            yield f"{'#' * _parse_number(level)} {text}" if is_heading else text
        yield from self._after
        self._after = outer

    def _iterate_list_lines(self, element: Any) -> Iterator[str]:
        """Yield the lines of a list, with a label in front of each item."""
        self._labels.open_list(element)
        for child in element:
            self._item = child if local_name(child) == "list-item" else None
            yield from self.iterate_lines_of(child)
        self._item = None
        self._labels.close_list()

    def _take_label(self) -> str:
        """Return the label of an item in front of its first paragraph, or an empty string."""
        item, self._item = self._item, None
        label = "" if item is None else self._labels.label_of(item)
        return f"{label} " if label else ""

    def _iterate_pieces(self, element: Any) -> Iterator[str]:
        """Yield the pieces of text inside an element of a paragraph."""
        yield self._take_text(element.text)
        for child in element:
            name = local_name(child)
            if name == "s":
                yield " " * _parse_number(attribute(child, "c"))
            elif name in _SIGNS:
                yield _SIGNS[name]
            elif name == "note":
                yield self._read_note(child)
            elif name == "annotation":
                yield self._read_comment(child)
            elif name == "frame":
                self._after += self._iterate_frame_lines(child, is_anchored=True)
            elif name in _PARAGRAPHS or name == "table":  # in a shape
                self._after += self.iterate_lines_of(child)
            elif not _is_unseen(child):
                yield from self._iterate_pieces(child)
            yield self._take_text(child.tail)

    def _read_note(self, element: Any) -> str:
        """Add a footnote or an endnote to the notes, and return its mark."""
        number = "".join(self._iterate_pieces(next(element.iter("{*}note-citation"))))
        is_endnote = attribute(element, "note-class") == "endnote"
        mark = f"[^{'e' if is_endnote else ''}{number.strip()}]"
        text = "\n".join(self.iterate_lines(next(element.iter("{*}note-body"))))
        self.notes.append(f"{mark}: {text}")
        return mark

    def _read_comment(self, element: Any) -> str:
        """Add a comment to the notes, and return its mark."""
        self._comments += 1
        author = next((creator.text for creator in element.iter("{*}creator")), None)
        text = "\n".join(self.iterate_lines(element))
        by = f" by {author}" if author else ""
        self.notes.append(f"[comment {self._comments}{by}]: {text}")
        return f"[comment {self._comments}]"

    def _iterate_frame_lines(self, element: Any, *, is_anchored: bool = False) -> Iterator[str]:
        """Yield the lines of a frame, which contains a text, a picture or an object."""
        text = "\n".join(self.iterate_lines(element))
        if text.strip():
            yield f"[Text box: {text}]" if is_anchored else text
        kinds = set(map(local_name, element))
        abouts = [title.text or "" for title in element.iter("{*}desc", "{*}title")]
        about = next(filter(str.strip, abouts), "")
        is_object = not kinds.isdisjoint(_OBJECTS)
        if about and (is_object or "image" in kinds):
            yield f"[Picture: {about}]"
        elif is_object:
            self.amounts["embedded object"] += 1
        elif "image" in kinds:
            self.amounts["picture without text"] += 1

    def _iterate_table_lines(self, element: Any) -> Iterator[str]:
        self._tables += 1
        lines = list(iterate_joined_rows(self._iterate_rows(element)))
        self._tables -= 1
        if self._tables and lines:
            yield f"[Table: {'; '.join(lines)}]"
        else:
            yield from lines

    def _iterate_rows(self, element: Any) -> Iterator[list[str]]:
        for child in element:
            name = local_name(child)
            if name == "table-row":
                cells = [cell for cell in child if local_name(cell) in _CELLS]
                row = [text for cell in cells for text in self._repeat_cell(cell)]
                yield from [row] * _parse_number(attribute(child, "number-rows-repeated"))
            elif name == "shapes":
                yield from ([line] for line in self.iterate_lines(child))
            elif not _is_unseen(child):
                yield from self._iterate_rows(child)

    def _repeat_cell(self, cell: Any) -> list[str]:
        text = " ".join(self.iterate_lines(cell))
        values = (attribute(cell, name) for name in _VALUES)
        content = text or next(filter(None, values), "")
        return [content] * _parse_number(attribute(cell, "number-columns-repeated"))


def _parse_number(text: str) -> int:
    """Return a number of repetitions, which is 1 if it is not given."""
    return min(int(text), _MOST_REPEATED) if text.isascii() and text.isdigit() else 1
