"""Read a document of any kind, in a process of its own."""

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from lton._require import require
from lton.documents.book import iterate_book_lines
from lton.documents.kinds import KINDS, kind_of
from lton.documents.layout import MISSING
from lton.documents.limits import (
    MOST_MEMORY,
    MOST_PAGES,
    MOST_SECONDS,
    MOST_TEXT,
    SMALL,
    DocumentError,
)
from lton.documents.mail import iterate_mail_lines
from lton.documents.notebook import iterate_notebook_lines
from lton.documents.open_document import iterate_open_document_lines
from lton.documents.pdf import iterate_pdf_lines
from lton.documents.rich_text import iterate_rich_text_lines
from lton.documents.sheets import iterate_workbook_lines
from lton.documents.slides import iterate_slides_lines
from lton.documents.web_page import check_tags, iterate_page_lines
from lton.documents.word import iterate_word_lines

_Reader: TypeAlias = Callable[[bytes], Iterator[str]]
_PAGE_LIBRARIES = ("inscriptis", "lxml.html")
_READERS: dict[str, tuple[_Reader, tuple[str, ...]]] = {
    "docx": (iterate_word_lines, ("lxml.etree",)),
    "eml": (iterate_mail_lines, _PAGE_LIBRARIES),
    "epub": (iterate_book_lines, _PAGE_LIBRARIES),
    "html": (iterate_page_lines, _PAGE_LIBRARIES),
    "ipynb": (iterate_notebook_lines, _PAGE_LIBRARIES),
    "odp": (iterate_open_document_lines, ("lxml.etree",)),
    "ods": (iterate_open_document_lines, ("lxml.etree",)),
    "odt": (iterate_open_document_lines, ("lxml.etree",)),
    "pdf": (iterate_pdf_lines, ("pypdf",)),
    "pptx": (iterate_slides_lines, ("lxml.etree",)),
    "rtf": (iterate_rich_text_lines, ()),
    "xlsx": (iterate_workbook_lines, ("openpyxl", "lxml.etree")),
}
"""The reader of each kind of document, and the libraries that it needs."""


def text_of(content: bytes, kind: str | None = None) -> str:
    """Extract the text of a document.

    If the text lacks something that the document contains, the last line says what is missing.
    Raises `DocumentError` for an unreadable document, and `MissingExtraError` if a library is
    missing.

    >>> text_of(b"<html><p>One</p><table><tr><td>2</td><td>3</td></tr></table>").split()
    ['One', '2', '3']
    """
    format_name = kind or kind_of(content)
    if format_name is None or format_name not in _READERS:
        formats = ", ".join(sorted(name.upper() for name in KINDS))
        raise DocumentError(f"expected a document ({formats}), found something else")
    if format_name == "html":
        check_tags(content)
    for module in _READERS[format_name][1]:
        require(module, "context")
    is_small = format_name == "html" and len(content) <= SMALL
    return read(content, format_name) if is_small else _read_in_subprocess(content, format_name)


def read(content: bytes, kind: str) -> str:
    """Extract the text of a document in the current process."""
    reader, _ = _READERS[kind]
    try:
        text = "\n\f".join(_iterate_limited_pages(reader(content)))
    except DocumentError:
        raise
    except MemoryError:
        raise DocumentError("reading it takes too much memory") from None
    except Exception as error:  # any kind of error, because documents are untrusted
        reason = f"{type(error).__name__}: {error}"[:200]
        raise DocumentError(f"expected {KINDS[kind]}, found an invalid one: {reason}") from error
    if not text.strip():
        hint = "; a scan contains only images of its pages" if kind == "pdf" else ""
        raise DocumentError(f"expected some text, found none{hint}")
    if text.strip().startswith(MISSING):
        raise DocumentError(f"expected some text, found none {text.strip()}")
    return text


def _iterate_limited_pages(pages: Iterable[str]) -> Iterator[str]:
    size = 0
    for number, page in enumerate(pages, 1):
        size += len(page)
        if number > MOST_PAGES:
            raise DocumentError(f"it has more than {MOST_PAGES:,} pages")
        if size > MOST_TEXT:
            raise DocumentError(f"it has more than {MOST_TEXT:,} characters")
        yield page.replace("\f", "\n").strip("\n")


def _read_in_subprocess(content: bytes, kind: str) -> str:
    """Extract the text of a document in another process, which is ended at the limits."""
    command = [sys.executable, "-c", _PROGRAM, kind]
    try:
        process = subprocess.run(  # noqa: S603
            command, input=content, capture_output=True, timeout=MOST_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise DocumentError(f"it takes more than {MOST_SECONDS} seconds to read") from None
    output = process.stdout.decode("utf-8", "replace")
    if process.returncode == 0:
        return output
    if process.returncode == _REFUSED:
        raise DocumentError(output)
    raise DocumentError("reading it takes too much memory or time")


_REFUSED = 3  # the exit status of a process that could not read a document
_PROGRAM = f"""
import sys
sys.path[:0] = {[folder for folder in sys.path if folder]!r}
from lton.documents.reading import main
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
    status = 0
    try:
        output = read(sys.stdin.buffer.read(), kind)
    except DocumentError as error:
        output = str(error)
        status = _REFUSED
    sys.stdout.buffer.write(output.encode("utf-8", "replace"))
    sys.stdout.flush()
    sys.exit(status)
