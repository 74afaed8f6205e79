"""Read Jupyter notebooks: text, code and outputs of the cells.

Of the forms of an output, the text that lacks the fewest words of the others is shown. The missing
words, and forms that a program draws, such as widgets, are counted.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

from lton.documents.layout import write_missing_note
from lton.documents.web_page import check_tags, read_page_and_missing_count

_TEXTS = ("text/markdown", "text/plain", "text/latex", "text", "latex", "text/html", "html")
"""Kinds of text, the most readable first. Names without `text/` are of version 3."""
_PAGES = frozenset(["text/html", "html"])
_DRAWN = re.compile(r"application/vnd\.[\w.+-]*json$")
"""Kinds of data that a program of a publisher draws."""
_LATEX_WORD = re.compile(r"\\[A-Za-z]+")
_WORD = re.compile(r"[^\W_]+")
_CODE_KEYS = ("source", "input")  # the second is of version 3


def iterate_notebook_lines(content: bytes) -> Iterator[str]:
    """Yield the text of a notebook, as one page. Pictures are counted."""
    notebook = json.loads(content)
    sheets = notebook.get("worksheets", [notebook])  # version 3 has worksheets
    cells = chain.from_iterable(sheet.get("cells", []) for sheet in sheets)
    lines: list[str] = []
    amounts: Counter[str] = Counter()
    for cell in cells:
        lines += _source_lines(cell)
        for output in cell.get("outputs", []):
            lines += filter(None, [_output_text(output, amounts)])
    yield "\n".join([*lines, *write_missing_note(amounts)])


def _source_lines(cell: dict[str, Any]) -> list[str]:
    source = next((_join_lines(cell[key]) for key in _CODE_KEYS if key in cell), "")
    if cell.get("cell_type") == "code":
        return [f"```\n{source}\n```"]
    return [source] if source.strip() else []


def _output_text(output: dict[str, Any], amounts: Counter[str]) -> str:
    """Return the text of an output, and count what is missing of it."""
    if "traceback" in output:
        return _error_text(output)
    data = output.get("data", output)
    texts = [_form_text(kind, data[kind]) for kind in _TEXTS if kind in data]
    is_drawn = any(map(_DRAWN.match, data))
    if is_drawn:
        amounts["interactive output"] += 1
    elif not texts:
        amounts["output without text"] += 1
    if not texts:
        return ""
    words = [set(_WORD.findall(_LATEX_WORD.sub("", text).lower())) for text in texts]
    lacking = [len(set().union(*words) - some) for some in words]
    amounts["word of another form of an output"] += min(lacking)
    return texts[lacking.index(min(lacking))]


def _form_text(kind: str, content: Any) -> str:
    text = _join_lines(content).rstrip("\n")
    if kind not in _PAGES or not text.strip():
        return text
    page = text.encode("utf-8", "replace")
    check_tags(page)
    return read_page_and_missing_count(page)[0]


def _error_text(output: dict[str, Any]) -> str:
    """Return the lines of an error. Its last line has the error, unless somebody removed them."""
    lines = _join_lines(output["traceback"], "\n")
    value = str(output.get("evalue", ""))
    error = f"{output.get('ename', '')}: {value}"
    return lines if value in lines else f"{lines}\n{error}".strip()


def _join_lines(lines: Any, separator: str = "") -> str:
    return lines if isinstance(lines, str) else separator.join(map(str, lines))
