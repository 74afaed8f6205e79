"""Recognize the kind of a document by its content, its name and its content type."""

import re
from pathlib import PurePosixPath

from lton.documents.archives import open_archive
from lton.documents.limits import DocumentError

KINDS = {
    "docx": "a Word document",
    "eml": "an e-mail",
    "epub": "an e-book (EPUB)",
    "html": "an HTML page",
    "ipynb": "a Jupyter notebook",
    "odp": "an OpenDocument presentation",
    "ods": "an OpenDocument spreadsheet",
    "odt": "an OpenDocument text",
    "pdf": "a PDF",
    "pptx": "a PowerPoint presentation",
    "rtf": "a document in Rich Text Format",
    "xlsx": "an Excel workbook",
}
"""The kinds of documents, and their names for people."""

_OFFICE = {"word": "docx", "ppt": "pptx", "xl": "xlsx"}
"""The kinds of Office documents by the folder of their parts."""
_MAIN_PARTS = frozenset(["word/document.xml", "ppt/presentation.xml", "xl/workbook.xml"])
_CONTENT_TYPES = "[Content_Types].xml"
_TYPE_PART = "mimetype"  # the part of an EPUB or OpenDocument that names the kind
_TYPES = {
    "application/epub+zip": "epub",
    "application/pdf": "pdf",
    "application/rtf": "rtf",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/x-ipynb+json": "ipynb",
    "application/xhtml+xml": "html",
    "message/rfc822": "eml",
    "text/html": "html",
    "text/rtf": "rtf",
}
_OLD = b"\xd0\xcf\x11\xe0"  # the start of a compound file
_INSIDE_OLD = {
    "EncryptedPackage": "expected a document without a password",
    "__substg1.0_": "expected another format than MSG of Outlook; save the message as EML",
    "WordDocument": "expected another format than DOC, which is older than 2007; save it as DOCX",
    "PowerPoint Document": "expected another format than PPT, which is older than 2007; save it as "
    "PPTX",
    "Workbook": "expected another format than XLS, which is older than 2007; save it as XLSX",
    "Book": "expected another format than XLS, which is older than 2007; save it as XLSX",
}
"""What is wrong with a compound file that contains a stream with the name."""
_SUFFIXES = {".htm": "html", ".xhtml": "html", ".html": "html", ".eml": "eml", ".ipynb": "ipynb"}
"""The kinds of texts whose content does not always tell their kind."""

_BEFORE_PAGE = re.compile(rb"(?:\s|<!--.*?-->|<\?xml(?!-)[^>]*>)*", re.DOTALL)
_PAGE = re.compile(rb"<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_FRAGMENT = re.compile(
    rb"<(?:a|abbr|address|article|aside|b|blockquote|body|br|button|center|code|details|dialog|div"
    rb"|dl|em|fieldset|figure|font|footer|form|frameset|h[1-6]|head|header|hr|i|iframe|img|input"
    rb"|label|link|main|meta|nav|noscript|ol|p|picture|pre|q|s|script|section|select|small|span"
    rb"|strong|style|sub|sup|svg|table|tbody|td|textarea|th|thead|title|tr|u|ul|video)"
    rb"(?=[\s/>])[^<>]*>",
    re.IGNORECASE,
)
_NOTEBOOK = re.compile(rb'"nbformat"\s*:')
_HEADER_LINE = re.compile(rb"([A-Za-z][A-Za-z0-9-]*):(?=[ \t\r\n])")
_MAIL_HEADERS = frozenset(
    b"bcc cc content-type date delivered-to from message-id mime-version received reply-to "
    b"return-path sender subject to".split()
)
_MOST_HEADER_LINES = 200


def kind_of(content: bytes, name: str = "", content_type: str = "") -> str | None:
    """Detect the kind of a document, such as "pdf" or "docx", or return None.

    The content decides. The name of the file and the content type of a response only help if the
    content could be any text. Raises `DocumentError` for an encrypted document, and for a format
    of Office before 2007.

    >>> kind_of(b"%PDF-1.7"), kind_of(b"<h1>One"), kind_of(b"One")
    ('pdf', 'html', None)
    >>> kind_of(b"One", name="one.html"), kind_of(b"One", content_type="text/html; charset=ascii")
    ('html', 'html')
    """
    if b"%PDF-" in content[:1024]:
        return "pdf"
    if content.startswith(_OLD):
        raise DocumentError(_fault_of_old(content))
    if content.startswith(b"PK\x03\x04"):
        return _find_kind_of_archive(content)
    kind = _find_kind_of_text(content)
    if kind is None:
        declared = _TYPES.get(content_type.partition(";")[0].strip().lower(), "")
        named = _SUFFIXES.get(PurePosixPath(name).suffix.lower())
        kind = named or (declared if declared in _SUFFIXES.values() else None)
    return kind


def _find_kind_of_text(content: bytes) -> str | None:
    if content.startswith(b"{\\rtf"):
        return "rtf"
    if content.lstrip().startswith(b"{") and _NOTEBOOK.search(content):
        return "ipynb"
    if _is_page(content):
        return "html"
    return "eml" if _is_mail(content) else None


def _fault_of_old(content: bytes) -> str:
    """Return a message that names the format of a compound file."""
    for name, fault in _INSIDE_OLD.items():
        if name.encode("utf-16-le") in content:  # as the names of streams are written
            return fault
    return "expected a document of Office 2007 or later, found an older format"


def _find_kind_of_archive(content: bytes) -> str | None:
    with open_archive(content) as archive:
        names = frozenset(archive.namelist())
        if _TYPE_PART in names:
            declared = archive.read(_TYPE_PART).decode("ascii", "replace").strip()
            return _TYPES.get(declared.removesuffix("-template"))
        if "xl/workbook.bin" in names:
            raise DocumentError("expected another format than XLSB; save it as XLSX")
        folders = {name.partition("/")[0] for name in names}
        for folder, kind in _OFFICE.items():
            if folder in folders and (_CONTENT_TYPES in names or names & _MAIN_PARTS):
                return kind
    return None


def _is_page(content: bytes) -> bool:
    """Return whether a text begins with an element of HTML, after comments and an XML line."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        content = content.decode("utf-16", "replace").encode()
    text = content.removeprefix(b"\xef\xbb\xbf")
    before = _BEFORE_PAGE.match(text)
    start = before.end() if before else 0
    is_xml = text.lstrip().startswith(b"<?xml")
    return bool(_PAGE.match(text, start) or (not is_xml and _FRAGMENT.match(text, start)))


def _is_mail(content: bytes) -> bool:
    """Return whether a text begins with at least three headers of an e-mail."""
    headers = set[bytes]()
    lines = content[:50_000].split(b"\n", _MOST_HEADER_LINES)
    for number, line in enumerate(lines):
        is_envelope = number == 0 and line.startswith(b"From ")
        if is_envelope or line.startswith((b" ", b"\t")):
            continue
        header = _HEADER_LINE.match(line)
        if header is None:
            break
        headers.add(header[1].lower())
    return len(headers & _MAIL_HEADERS) >= 3
