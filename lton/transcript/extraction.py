"""Text out of what is no plain text: web pages and Word's documents."""

import io
import re
import zipfile
from html.parser import HTMLParser
from xml.parsers import expat

from lton.errors import Code, TranscriptError

_MOST = 50_000_000
"""Bytes of a document that are unpacked."""
_MOST_OPEN = 100
"""What may have begun, and not ended, where a page ends."""
_HIDDEN = frozenset(["script", "style", "template", "noscript"])
_BLOCKS = frozenset("address article br div h1 h2 h3 h4 h5 h6 li p pre section table td tr".split())


def extract(content: bytes) -> str:
    r"""Get the text of a page in HTML, or of a Word document (DOCX).

    Raises `TranscriptError` (E712) for any other kind, and for what cannot be read.

    >>> extract(b"<html><style>p {}</style><p>One</p><p>Two &amp; three</p></html>")
    'One\nTwo & three'
    """
    is_word = content.startswith(b"PK\x03\x04")
    if not (
        is_word or re.match(rb"\s*<(!doctype\s+html|html|body)\b", content[:200], re.IGNORECASE)
    ):
        raise TranscriptError(Code.FILE, "expected a page in HTML or a document in DOCX")
    try:
        return _tidy(_word(content) if is_word else _html(content.decode("utf-8", "replace")))
    except Exception as error:  # of whatever kind: each compression of archives has its own
        kind = "document of Word" if is_word else "page in HTML"
        raise TranscriptError(Code.FILE, f"not a {kind}: {error}") from None


def _html(text: str) -> str:
    page = _Page()
    page.feed(text)
    if page.rawdata.count("<") > _MOST_OPEN:
        page.handle_data(page.rawdata)  # `close` looks for an end from each of them on
    else:
        page.close()
    return "".join(page.texts)


class _Page(HTMLParser):
    """Collects the texts of a page that are shown."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self._hidden += tag in _HIDDEN
        self.texts += ["\n"] * (tag in _BLOCKS)

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in _HIDDEN and self._hidden > 0
        self.texts += ["\n"] * (tag in _BLOCKS)

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.texts.append(data)


def _word(content: bytes) -> str:
    texts: list[str] = []
    inside: list[str] = []

    def start(name: str, _: object) -> None:
        inside.append(name)

    def end(name: str) -> None:
        inside.pop()
        texts.extend("\n" * (name in ("w:p", "w:br")))

    def data(text: str) -> None:
        texts.extend([text] * (inside[-1] == "w:t"))

    def entity(*_: object) -> None:
        raise ValueError("a document that declares entities")

    reader = expat.ParserCreate()
    reader.StartElementHandler, reader.EndElementHandler = start, end
    reader.CharacterDataHandler, reader.EntityDeclHandler = data, entity
    with (
        zipfile.ZipFile(io.BytesIO(content)) as archive,
        archive.open("word/document.xml") as document,
    ):
        unpacked = document.read(_MOST + 1)
    if len(unpacked) > _MOST:
        raise ValueError("too large")
    reader.Parse(unpacked, True)
    return "".join(texts)


def _tidy(text: str) -> str:
    """Get the lines of a text that say something."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(filter(None, lines))
