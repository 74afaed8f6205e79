"""Extract the text of HTML, PDF and Office documents (DOCX, PPTX, XLSX).

The content of a document, and not its name, decides its kind. Form feeds separate pages, slides and
sheets. Slides and sheets start with their names, and ` | ` separates the cells of tables.

Documents are untrusted, so all sizes and times are limited (`MOST_…`). A document is read in a
separate process, except a small HTML page. The process is killed if it needs too much time or
memory.
"""

import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from itertools import islice
from typing import Any

from lton._require import require

MOST_UNPACKED = 50_000_000  # unpacked bytes of a document
MOST_PARTS = 10_000  # files inside an Office document
MOST_PAGES = 5_000  # pages, slides or sheets
MOST_ATTRIBUTES = 1_000  # attributes of an HTML tag
MOST_TEXT = 20_000_000  # characters of extracted text
MOST_SECONDS = 60  # seconds (both elapsed and of processor time) for reading a document
MOST_MEMORY = 2_000_000_000  # bytes of memory of a process that reads a document
SMALL = 50_000  # bytes of an HTML page that is read without a separate process

_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_TAG = re.compile(rb"<[A-Za-z][^<>]*>?")
_VALUE = re.compile(rb"\"[^\"]*\"|'[^']*'")
_OFFICE = {"word/document.xml": "docx", "ppt/presentation.xml": "pptx", "xl/workbook.xml": "xlsx"}
_OLD = b"\xd0\xcf\x11\xe0"


class DocumentError(ValueError):
    """Raised if a document cannot be read or exceeds a limit."""


def kind_of(content: bytes) -> str | None:
    """Detect the kind of a document, such as "pdf" or "docx", or return None.

    Raises `DocumentError` for an encrypted or old Office document.

    >>> kind_of(b"%PDF-1.7"), kind_of(b"<html><p>One"), kind_of(b"One")
    ('pdf', 'html', None)
    """
    if b"%PDF-" in content[:1024]:
        return "pdf"
    if content.startswith(_OLD):
        raise DocumentError("expected a document without a password, of Office 2007 or later")
    if content.startswith(b"PK\x03\x04"):
        with _archive(content) as archive:
            names = {each.filename for each in archive.infolist()}
        return next((kind for name, kind in _OFFICE.items() if name in names), None)
    return "html" if _PAGE.match(content) else None


def text_of(content: bytes, kind: str | None = None) -> str:
    """Extract the text of a document.

    Raises `DocumentError` for an unreadable document, and `MissingExtraError` if a library is
    missing.

    >>> text_of(b"<html><p>One</p><table><tr><td>2</td><td>3</td></tr></table>").split()
    ['One', '2', '3']
    """
    found = kind or kind_of(content)
    if found is None or found not in _KINDS:
        raise DocumentError(
            "expected an HTML, PDF, DOCX, PPTX or XLSX document, found something else"
        )
    if found == "html":
        _check_tags(content)
    for module in _KINDS[found][2]:
        require(module, "context")
    is_small = found == "html" and len(content) <= SMALL
    return read(content, found) if is_small else _apart(content, found)


def read(content: bytes, kind: str) -> str:
    """Extract the text of a document in the current process."""
    reader, name, _ = _KINDS[kind]
    try:
        text = "\n\f".join(_bounded(reader(content)))
    except DocumentError:
        raise
    except MemoryError:
        raise DocumentError("reading it takes too much memory") from None
    except Exception as error:  # any kind of error, because documents are untrusted
        said = f"{type(error).__name__}: {error}"[:200]
        raise DocumentError(f"expected {name}, found an invalid one: {said}") from error
    if not text.strip():
        hint = "; a scan contains only images of its pages" if kind == "pdf" else ""
        raise DocumentError(f"expected some text, found none{hint}")
    return text


def _bounded(pages: Iterable[str]) -> Iterator[str]:
    size = 0
    for number, page in enumerate(pages, 1):
        size += len(page)
        if number > MOST_PAGES:
            raise DocumentError(f"it has more than {MOST_PAGES:,} pages")
        if size > MOST_TEXT:
            raise DocumentError(f"it has more than {MOST_TEXT:,} characters")
        yield page.replace("\f", "\n").strip("\n")


def _apart(content: bytes, kind: str) -> str:
    command = [sys.executable, "-c", _PROGRAM, kind]
    try:
        done = subprocess.run(  # noqa: S603
            command, input=content, capture_output=True, timeout=MOST_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise DocumentError(f"it takes more than {MOST_SECONDS} seconds to read") from None
    said = done.stdout.decode("utf-8", "replace")
    if done.returncode == 0:
        return said
    if done.returncode == 3:
        raise DocumentError(said)
    raise DocumentError("reading it takes too much memory or time")


_PROGRAM = f"""
import sys
sys.path[:0] = {[each for each in sys.path if each]!r}
from lton.documents import main
main(sys.argv[1])
"""


def main(kind: str) -> None:
    """Read a document from standard input and write its text to standard output."""
    try:
        import resource  # noqa: PLC0415 - Windows has none

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 1))
    except (ImportError, ValueError, OSError):  # pragma: no cover
        pass
    try:
        said, status = read(sys.stdin.buffer.read(), kind), 0
    except DocumentError as error:
        said, status = str(error), 3
    sys.stdout.buffer.write(said.encode("utf-8", "replace"))
    sys.stdout.flush()
    sys.exit(status)


def _archive(content: bytes) -> zipfile.ZipFile:
    """Open the archive of an Office document and check the sizes of its files."""
    try:
        archive = zipfile.ZipFile(BytesIO(content))
    except Exception as error:  # any kind of error: each part of zipfile raises its own
        raise DocumentError(f"expected an Office document, found no archive: {error}") from None
    parts = archive.infolist()
    if len(parts) > MOST_PARTS:
        raise DocumentError(f"it has more than {MOST_PARTS:,} parts")
    if sum(each.file_size for each in parts) > MOST_UNPACKED:
        raise DocumentError(f"it unpacks to more than {MOST_UNPACKED:,} bytes")
    if any(each.flag_bits & 1 for each in parts):
        raise DocumentError("expected a document without a password")
    for each in parts:
        if each.filename.endswith((".xml", ".rels")) and b"<!ENTITY" in archive.read(each):
            raise DocumentError("it declares entities")
    return archive


def _check_tags(content: bytes) -> None:
    """Refuse a tag with very many attributes, because libraries compare each pair of attributes."""
    for found in _TAG.finditer(content):
        tag = found[0]
        if len(tag) > 2 * MOST_ATTRIBUTES and len(_VALUE.sub(b"", tag).split()) > MOST_ATTRIBUTES:
            raise DocumentError(f"a tag has more than {MOST_ATTRIBUTES:,} attributes")


def _html(content: bytes) -> Iterator[str]:
    inscriptis, lxml = require("inscriptis", "context"), require("lxml.html", "context")
    try:
        content.decode()
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = None  # the page declares it
    tree = lxml.fromstring(content, parser=lxml.HTMLParser(encoding=encoding))
    yield str(inscriptis.Inscriptis(tree).get_text())


def _pdf(content: bytes) -> Iterator[str]:
    reader = require("pypdf", "context").PdfReader(BytesIO(content))
    if reader.is_encrypted and not reader.decrypt(""):
        raise DocumentError("expected a document without a password")
    if len(reader.pages) > MOST_PAGES:
        raise DocumentError(f"it has more than {MOST_PAGES:,} pages")
    for page in reader.pages:
        yield page.extract_text()


def _docx(content: bytes) -> Iterator[str]:
    _archive(content).close()
    document = require("docx", "context").Document(BytesIO(content))
    yield "\n".join(_blocks(document))


def _blocks(document: Any) -> Iterator[str]:
    for block in document.iter_inner_content():
        if hasattr(block, "rows"):
            yield from _rows([cell.text for cell in row.cells] for row in block.rows)
        elif block.text.strip():
            style = block.style.name if block.style is not None else ""
            level = style.removeprefix("Heading ") if style.startswith("Heading ") else ""
            yield f"{'#' * int(level)} {block.text}" if level.isdigit() else block.text


def _pptx(content: bytes) -> Iterator[str]:
    _archive(content).close()
    slides = require("pptx", "context").Presentation(BytesIO(content)).slides
    for number, slide in enumerate(slides, 1):
        title = slide.shapes.title
        name = title.text_frame.text.strip() if title is not None else ""
        lines = [f"# Slide {number}{': ' if name else ''}{name}"]
        for shape in slide.shapes:
            if shape.has_text_frame and (title is None or shape.shape_id != title.shape_id):
                lines += filter(str.strip, shape.text_frame.text.splitlines())
            elif getattr(shape, "has_table", False):
                lines += _rows([cell.text for cell in row.cells] for row in shape.table.rows)
        if slide.has_notes_slide and (said := slide.notes_slide.notes_text_frame):
            lines += [f"Notes: {said.text}"] if said.text.strip() else []
        yield "\n".join(lines)


def _xlsx(content: bytes) -> Iterator[str]:
    _archive(content).close()
    load = require("openpyxl", "context").load_workbook
    book = load(BytesIO(content), read_only=True, data_only=True)
    for sheet in book.worksheets:
        rows = sheet.iter_rows(values_only=True)
        said = _rows(["" if each is None else str(each) for each in row] for row in rows)
        yield "\n".join([f"# Sheet {sheet.title}", *islice(said, MOST_TEXT // 10)])


def _rows(rows: Iterable[list[str]]) -> Iterator[str]:
    for row in rows:
        cells = [" ".join(each.split()) for each in row]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield " | ".join(cells)


_KINDS: dict[str, tuple[Callable[[bytes], Iterator[str]], str, tuple[str, ...]]] = {
    "docx": (_docx, "a Word document", ("docx",)),
    "html": (_html, "an HTML page", ("inscriptis", "lxml.html")),
    "pdf": (_pdf, "a PDF", ("pypdf",)),
    "pptx": (_pptx, "a PowerPoint presentation", ("pptx",)),
    "xlsx": (_xlsx, "an Excel workbook", ("openpyxl",)),
}
"""For each kind of document: its reader, its name for people, and the libraries it needs."""
