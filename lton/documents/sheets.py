"""Read Excel workbooks: a page for each sheet, with its comments, shapes and charts."""

import re
import zipfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from itertools import chain
from typing import Any

from lton._require import require
from lton.documents.archives import attribute, relation_id
from lton.documents.layout import iterate_joined_rows, write_missing_note
from lton.documents.office_parts import OfficeParts
from lton.documents.office_text import OfficeText

_CELL = re.compile(rb"<(?:\w+:)?c(\s[^>/]*)>(.*?)</(?:\w+:)?c>", re.DOTALL)
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
_PLACE = re.compile(rb'\sr="([A-Z]{1,3}[0-9]{1,7})"')
_IS_TEXT = re.compile(rb'\st="str"')
_FILLED = re.compile(rb"<(?:\w+:)?(?:v(?:\s[^>]*)?>[^<]|is[\s>])")
_STRICT = b"http://purl.oclc.org/ooxml/"
_USUAL = b"http://schemas.openxmlformats.org/"
_NAMESPACES = {
    _STRICT + b"spreadsheetml/main": _USUAL + b"spreadsheetml/2006/main",
    _STRICT + b"officeDocument/": _USUAL + b"officeDocument/2006/",
    _STRICT + b"drawingml/": _USUAL + b"drawingml/2006/",
}
"""The namespaces of strict Office documents, and the usual ones."""
_COMMENT_KINDS = ("comments", "threadedComment")


def iterate_workbook_lines(content: bytes) -> Iterator[str]:
    """Yield the cells of each sheet. The last page says what is missing."""
    parts = OfficeParts(content)
    main = parts.find_main_part("xl/workbook.xml")
    load = require("openpyxl", "context").load_workbook
    content = _as_transitional(content, parts, main)
    book = load(BytesIO(content), read_only=True, data_only=True, keep_links=False)
    cells = {sheet.title: sheet for sheet in book.worksheets}
    pages: list[list[str]] = []
    for entry in parts.parse_root(main).iter("{*}sheet"):
        name = attribute(entry, "name")
        part = parts.find_target(main, relation_id(entry))
        is_hidden = attribute(entry, "state") in ("hidden", "veryHidden")
        lines = [f"# Sheet {name} (hidden)" if is_hidden else f"# Sheet {name}"]
        if part and name not in cells:
            parts.amounts["cell"] += len(_FILLED.findall(parts.read_part(part)))
        elif part:
            formulas = _uncomputed_formulas(content, name, parts.read_part(part))
            lines += _iterate_sheet_rows(parts, part, cells[name], formulas)
        if part:
            lines += _iterate_lines_around(parts, part)
        pages.append(lines)
    last = pages.pop() if pages else []
    yield from map("\n".join, [*pages, [*last, *write_missing_note(parts.count_missing())]])


def _as_transitional(content: bytes, parts: OfficeParts, main: str) -> bytes:
    """Convert a workbook in strict Office format, which the library reads as empty."""
    if _STRICT not in parts.read_part(main):
        return content
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in sorted(parts.names):
            converted = parts.read_part(part)
            for strict, usual in _NAMESPACES.items():
                converted = converted.replace(strict, usual)
            archive.writestr(part, converted)
    return target.getvalue()


def _iterate_sheet_rows(
    parts: OfficeParts, part: str, sheet: Any, formulas: Mapping[tuple[int, int], str]
) -> Iterator[str]:
    """Yield the rows of a sheet, and count the cells that the library does not give."""
    sheet.reset_dimensions()  # what the file declares may be wrong, and would cut the sheet
    rows: list[list[str]] = []
    filled = 0
    for row, values in enumerate(sheet.iter_rows(values_only=True), 1):
        filled += sum(value is not None for value in values)
        texts = ["" if value is None else str(value) for value in values]
        if formulas:
            texts = [
                text or formulas.get((row, column), "") for column, text in enumerate(texts, 1)
            ]
        rows.append(texts)
    parts.amounts["cell"] += max(len(_FILLED.findall(parts.read_part(part))) - filled, 0)
    yield from iterate_joined_rows(rows)


def _uncomputed_formulas(content: bytes, name: str, source: bytes) -> dict[tuple[int, int], str]:
    """Return the formulas of the cells that have no stored value, by row and column.

    A program that calculates nothing, such as a library, writes no values.
    """
    waiting = set(_iterate_cells_without_value(source))
    if not waiting:
        return {}
    load = require("openpyxl", "context").load_workbook
    sheet = load(BytesIO(content), read_only=True, keep_links=False)[name]
    sheet.reset_dimensions()
    formulas: dict[tuple[int, int], str] = {}
    for cell in chain.from_iterable(sheet.iter_rows()):
        if cell.value is not None and cell.coordinate in waiting:
            text = getattr(cell.value, "text", cell.value)  # an array formula is an object
            formulas[cell.row, cell.column] = str(text)
    return formulas


def _iterate_cells_without_value(source: bytes) -> Iterator[str]:
    """Yield the names of the cells with a formula and without its value."""
    for cell in _CELL.finditer(source):
        reference = _PLACE.search(cell[1])
        # A formula may have an empty text as its value.
        has_value = _FILLED.search(cell[2]) or _IS_TEXT.search(cell[1])
        if reference and _FORMULA.search(cell[2]) and not has_value:
            yield reference[1].decode()


def _iterate_lines_around(parts: OfficeParts, part: str) -> Iterator[str]:
    """Yield the text of shapes and charts on a sheet, and the comments on its cells."""
    for drawing in parts.find_related_parts(part, "drawing"):
        yield from OfficeText(parts, drawing).iterate_lines(parts.parse_root(drawing))
    for kind in _COMMENT_KINDS:
        for comments in parts.find_related_parts(part, kind):
            reader = OfficeText(parts, comments)
            for comment in parts.parse_root(comments).iter("{*}comment", "{*}threadedComment"):
                text = " ".join("\n".join(reader.iterate_lines(comment)).split())
                if text:
                    yield f"[Comment on {attribute(comment, 'ref')}: {text}]"
