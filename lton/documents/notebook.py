"""Read Jupyter notebooks: text, code and outputs of the cells."""

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

from lton.documents.layout import write_missing_note
from lton.documents.web_page import check_tags, read_page_text

_TEXTS = ("text/markdown", "text/plain", "text/latex")
_CODE_KEYS = ("source", "input")  # the second is of version 3


def iterate_notebook_lines(content: bytes) -> Iterator[str]:
    """Yield the text of a notebook, as one page. Pictures are counted."""
    notebook = json.loads(content)
    sheets = notebook.get("worksheets", [notebook])  # version 3 has worksheets
    cells = chain.from_iterable(sheet.get("cells", []) for sheet in sheets)
    lines: list[str] = []
    pictures = 0
    for cell in cells:
        lines += _source_lines(cell)
        for output in cell.get("outputs", []):
            text = _output_text(output)
            if text is None:
                pictures += 1
            elif text:
                lines.append(text)
    yield "\n".join([*lines, *write_missing_note({"output without text": pictures})])


def _source_lines(cell: dict[str, Any]) -> list[str]:
    source = next((_join_lines(cell[key]) for key in _CODE_KEYS if key in cell), "")
    if cell.get("cell_type") == "code":
        return [f"```\n{source}\n```"]
    return [source] if source.strip() else []


def _output_text(output: dict[str, Any]) -> str | None:
    """Return the text of an output, or None for an output without text."""
    if "traceback" in output:
        return _error_text(output)
    data = output.get("data", output)
    for kind in (*_TEXTS, "text"):
        if kind in data:
            return _join_lines(data[kind]).rstrip("\n")
    if "text/html" in data:
        page = _join_lines(data["text/html"]).encode("utf-8", "replace")
        check_tags(page)
        return read_page_text(page)[0]
    return None


def _error_text(output: dict[str, Any]) -> str:
    """Return the lines of an error. Its last line has the error, unless somebody removed them."""
    lines = _join_lines(output["traceback"], "\n")
    value = str(output.get("evalue", ""))
    error = f"{output.get('ename', '')}: {value}"
    return lines if value in lines else f"{lines}\n{error}".strip()


def _join_lines(lines: Any, separator: str = "") -> str:
    return lines if isinstance(lines, str) else separator.join(map(str, lines))
