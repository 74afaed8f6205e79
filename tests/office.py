"""Create Office documents with the libraries that read them."""

import io
from collections.abc import Sequence
from typing import Any

import pytest


def saved(document: Any) -> bytes:
    packed = io.BytesIO()
    document.save(packed)
    return packed.getvalue()


def workbook(**sheets: Sequence[Sequence[Any]]) -> bytes:
    """Create an XLSX from sheets with rows."""
    book = pytest.importorskip("openpyxl").Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return saved(book)


def word(*blocks: Any) -> bytes:
    """Create a DOCX from `# heading` lines, paragraphs, and lists of rows as tables."""
    document = pytest.importorskip("docx").Document()
    for block in blocks:
        if not isinstance(block, str):
            table = document.add_table(len(block), len(block[0]))
            for row, cells in zip(table.rows, block, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
        elif block.startswith("# "):
            document.add_heading(block[2:], 1)
        else:
            document.add_paragraph(block)
    return saved(document)


def slides(*slide_parts: tuple[str, str, str]) -> bytes:
    """Create a PPTX from slides with a title, a text and notes."""
    presentation = pytest.importorskip("pptx").Presentation()
    for title, text, notes in slide_parts:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
        slide.notes_slide.notes_text_frame.text = notes
    return saved(presentation)
