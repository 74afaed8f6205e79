"""Read documents with other programs and libraries.

Each reader returns text whose words are compared. Some of them are parts of no program: they walk
the elements of a format that hold text, so that they know of all text, but of no layout.
"""

import json
import re
import shutil
import subprocess
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import partial, reduce
from importlib.util import find_spec
from itertools import chain
from operator import or_
from pathlib import Path
from typing import Any, cast

from lton_bench.internals import require

_SECONDS = 60
_HEADERS = ("subject", "from", "to", "cc", "date")


@dataclass(frozen=True, slots=True)
class Reader:
    """A way to read documents, and the program or the library that it needs."""

    name: str
    needs: str
    read: Callable[[Path], str]

    def is_installed(self) -> bool:
        return bool(shutil.which(self.needs) or find_spec(self.needs))


def _run_program(*command: str) -> str:
    process = subprocess.run(  # noqa: S603
        command, capture_output=True, timeout=_SECONDS, check=True
    )
    return process.stdout.decode("utf-8", "replace")


def _read_by_pdftotext(path: Path) -> str:
    return _run_program("pdftotext", str(path), "-")


def _read_by_pdfium(path: Path) -> str:
    import pypdfium2  # noqa: PLC0415 - is not always installed

    return "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(path))


def _read_by_pandoc(path: Path) -> str:
    format_name = {"htm": "html", "xhtml": "html"}.get(path.suffix[1:], path.suffix[1:])
    return _run_program("pandoc", "-f", format_name, "-t", "plain", "--wrap=none", str(path))


def _read_by_striprtf(path: Path) -> str:
    from striprtf.striprtf import rtf_to_text  # noqa: PLC0415 - is not always installed

    return str(rtf_to_text(path.read_bytes().decode("latin-1"), errors="replace"))


@dataclass(frozen=True, slots=True)
class _Elements:
    """Which elements of a packed format hold text, end words, or are not shown."""

    parts: re.Pattern[str]
    holders: frozenset[str]
    ends: frozenset[str]
    not_shown: frozenset[str]


def _name_elements(parts: str, holders: str, ends: str, not_shown: str = "") -> _Elements:
    sets = (frozenset(names.split()) for names in (holders, ends, not_shown))
    return _Elements(re.compile(parts), *sets)


_WORD = _name_elements(
    r"word/(?:document|footnotes|endnotes|comments|header\d*|footer\d*)\.xml",
    "t",
    "p tab br cr ptab",
    "moveFrom Fallback",
)
_SLIDES = _name_elements(r"ppt/(?:slides|notesSlides)/\w+\.xml", "t", "p br", "Fallback")
_SHEETS = _name_elements(r"xl/(?:sharedStrings|worksheets/\w+)\.xml", "t", "si is", "rPh")
_OPEN = _name_elements(
    r"content\.xml",
    "p h",
    "p h s tab line-break note",
    "tracked-changes creator date scripts title desc creator-initials sender-initials",
)
_PAGE = _name_elements(
    "",
    "",
    "address article aside blockquote body br button caption dd details div dl dt fieldset"
    " figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr img input label legend li main nav"
    " ol optgroup option p pre section select summary table tbody td tfoot th thead tr ul",
    "head iframe noscript script style template title",
)


def _read_elements(known: _Elements, path: Path) -> str:
    etree = require("lxml.etree", "context")
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if known.parts.fullmatch(name)]
        roots = [etree.fromstring(archive.read(name)) for name in names]
    return "\n".join("".join(_walk_elements(root, known, is_text=False)) for root in roots)


def _walk_elements(element: Any, known: _Elements, *, is_text: bool) -> Iterator[str]:
    """Yield the text of an element, with a line break for each end of a word."""
    if not isinstance(element.tag, str):  # a comment
        return
    name = element.tag.rpartition("}")[2]
    if name in known.not_shown:
        return
    is_text = is_text or name in known.holders
    ends_word = name in known.ends
    if ends_word:
        yield "\n"
    if is_text:
        yield element.text or ""
    for child in element:
        yield from _walk_elements(child, known, is_text=is_text)
        if is_text:
            yield child.tail or ""
    if ends_word:
        yield "\n"


def _page_text(content: bytes) -> str:
    html = require("lxml.html", "context")
    source: bytes | str = content
    with suppress(UnicodeDecodeError):  # otherwise the page declares its encoding
        source = re.sub(r"^\s*<\?xml[^>]*\?>", "", content.decode("utf-8-sig"))
    if not content.strip():
        return ""
    return "".join(_walk_elements(html.fromstring(source), _PAGE, is_text=True))


def _read_page(path: Path) -> str:
    return _page_text(path.read_bytes())


def _read_book(path: Path) -> str:
    """Return the text of all pages of an e-book. A table of contents repeats words of chapters."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if re.search(r"\.x?html?$", name.lower())]
        pages = [archive.read(name) for name in names]
    tables = [_page_text(page) for page in pages if b"<nav" in page]
    chapters = [_page_text(page) for page in pages if b"<nav" not in page]
    return _join_alternatives(["\n".join(chapters), *tables])


def _read_mail(path: Path) -> str:
    """Return the headers and all parts that are texts, also of attachments."""
    message = message_from_bytes(path.read_bytes(), policy=policy.default)
    headers = [str(message.get(name, "")) for name in _HEADERS]
    return "\n".join([*headers, _part_text(message)])


def _part_text(part: EmailMessage) -> str:
    """Return the text of a part; of alternatives, each word as often as one of them has it."""
    if part.is_multipart():
        texts = [_part_text(child) for child in cast("list[EmailMessage]", part.get_payload())]
        is_choice = part.get_content_subtype() == "alternative"
        return _join_alternatives(texts) if is_choice else "\n".join(texts)
    subtype = part.get_content_subtype()
    if part.get_content_maintype() != "text" or subtype == "rtf":
        return ""
    content = cast("bytes", part.get_payload(decode=True))
    text = content.decode(part.get_content_charset("utf-8"), "replace")
    with suppress(UnicodeDecodeError):
        if not content.isascii():  # UTF-8 is often declared as something else
            text = content.decode("utf-8")
    is_marked = subtype in ("html", "enriched")
    return _page_text(text.encode("utf-8", "replace")) if is_marked else text


def _read_notebook(path: Path) -> str:
    """Return the sources of all cells, and their outputs that are text."""
    notebook = json.loads(path.read_bytes())
    sheets = notebook.get("worksheets", [notebook])
    lines = []
    for cell in chain.from_iterable(sheet.get("cells", []) for sheet in sheets):
        lines.append(_join_lines(cell.get("source", cell.get("input", ""))))
        lines += map(_output_text, cell.get("outputs", []))
    return "\n".join(lines)


def _output_text(output: dict[str, Any]) -> str:
    """Return the text of an output; of alternatives, each word as often as one of them has it."""
    data = output.get("data", output)
    kinds = [kind for kind in data if kind == "text" or kind.startswith("text/")]
    kinds = [kind for kind in kinds if kind != "text/latex"]  # its commands are words, too
    texts = {kind: _join_lines(data[kind]) for kind in kinds}
    if "text/html" in texts:
        texts["text/html"] = _page_text(texts["text/html"].encode("utf-8", "replace"))
    return "\n".join([str(output.get("evalue", "")), _join_alternatives(texts.values())])


def _join_lines(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


def _join_alternatives(texts: Iterable[str]) -> str:
    """Return each word of some texts as often as one of them has it."""
    counts = (Counter(re.findall(r"\w+", text)) for text in texts)
    words: Counter[str] = reduce(or_, counts, Counter())
    return " ".join(words.elements())


_PANDOC = Reader("pandoc", "pandoc", _read_by_pandoc)
_STRIPRTF = Reader("striprtf", "striprtf", _read_by_striprtf)


def _list_elements(known: _Elements) -> Reader:
    return Reader("elements", "lxml", partial(_read_elements, known))


READERS: dict[str, list[tuple[Reader, ...]]] = {
    "docx": [(_list_elements(_WORD),), (_PANDOC,)],
    "eml": [(Reader("email", "lxml", _read_mail),)],
    "epub": [(Reader("pages", "lxml", _read_book),), (_PANDOC,)],
    "html": [(Reader("elements", "lxml", _read_page),), (_PANDOC,)],
    "ipynb": [(Reader("cells", "json", _read_notebook),), (_PANDOC,)],
    "odp": [(_list_elements(_OPEN),)],
    "ods": [(_list_elements(_OPEN),)],
    "odt": [(_list_elements(_OPEN),), (_PANDOC,)],
    "pdf": [
        (
            Reader("pdftotext", "pdftotext", _read_by_pdftotext),
            Reader("pdfium", "pypdfium2", _read_by_pdfium),
        )
    ],
    "pptx": [(_list_elements(_SLIDES),)],
    "rtf": [(_PANDOC, _STRIPRTF), (_STRIPRTF,), (_PANDOC,)],
    "xlsx": [(_list_elements(_SHEETS),)],
}
"""Groups of other readers for each format. Words that all readers of a group find are compared."""
