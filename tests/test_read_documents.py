"""Test reading documents: text with pages, tables and names, and limits for untrusted files."""

import io
import zipfile

import pytest

from lton.documents import DocumentError, kind_of, limits, read, reading, text_of
from lton.documents import pdf as pdf_reader
from lton.documents.reading import main
from tests.context.documents import pdf
from tests.office import slides, word, workbook

BODY = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'


def packed(**parts: str | bytes) -> bytes:
    """Create an archive; `__` in a name means `/`."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), content)
    return into.getvalue()


def word_of(xml: str) -> bytes:
    """Create a DOCX with the given XML as its text."""
    into = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(word("x"))) as old, zipfile.ZipFile(into, "w", 8) as new:
        for entry in old.infolist():
            is_text = entry.filename == "word/document.xml"
            new.writestr(entry.filename, xml if is_text else old.read(entry))
    return into.getvalue()


def test_each_kind_has_its_pages_tables_and_names() -> None:
    """The kind of a document comes from its bytes, and slides and sheets keep their names."""
    table = [["id", "mm"], ["1", "22"]]
    documents = {
        "docx": (word("# Gauges", "Five.", table, "End."),
                 "# Gauges\nFive.\nid | mm\n1 | 22\nEnd."),
        "pptx": (slides(("Plan", "One\nTwo", "say it"), ("", "Three", "")),
                 "# Slide 1: Plan\nOne\nTwo\nNotes: say it\n\f# Slide 2\nThree"),
        "xlsx": (workbook(Rain=[["day", "mm"], [1, None], [None]], Snow=[["x"]]),
                 "# Sheet Rain\nday | mm\n1\n\f# Sheet Snow\nx"),
        "pdf": (pdf("Five gauges.", "Two rivers."), "Five gauges.\n\fTwo rivers."),
    }  # fmt: skip
    for kind, (content, text) in documents.items():
        assert kind_of(content) == kind
        assert read(content, kind) == text
        assert text_of(content) == text


def test_a_page_has_its_tables_laid_out() -> None:
    pytest.importorskip("inscriptis")
    page = b"<html><script>x()</script><h1>A</h1><table><tr><td>1</td><td>22</td></tr></table>"
    assert text_of(page).split() == ["A", "1", "22"]
    large = page + b"<p>more</p>" * (limits.SMALL // 8)
    assert text_of(large).count("more") == limits.SMALL // 8


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"plain", "found something else"),
        (packed(a="x"), "found something else"),
        (b"PK\x03\x04 broken", "found no archive"),
        (b"\xd0\xcf\x11\xe0 old", "of Office 2007 or later"),
        (b"%PDF-1.7", "expected a PDF"),
        (packed(word__document_xml="<a>"), "expected a Word document"),
        (packed(word__document_xml="<!DOCTYPE a [<!ENTITY b 'c'>]><a/>"), "declares entities"),
        (packed(word__document_xml=b"0" * 60_000_000), "unpacks to more than 50,000,000 bytes"),
        (packed(word__document_xml="", **{f"p{n}": "" for n in range(10_000)}), "10,000 parts"),
        (b"<html><p " + b"a " * 40_000 + b">x", "more than 1,000 attributes"),
        (b"<html><p " + b" ".join(b"a%d='1 2'" % n for n in range(40_000)), "1,000 attributes"),
    ],
)
def test_what_cannot_be_read_is_a_clear_error(content: bytes, message: str) -> None:
    pytest.importorskip("docx")
    with pytest.raises(DocumentError, match=message):
        text_of(content)


def test_elements_that_do_not_end_take_no_memory() -> None:
    """A million unclosed elements take little memory, because the parser has a limit."""
    with pytest.raises(DocumentError, match="expected a Word document"):
        read(word_of(BODY + "<w:p>" * 1_000_000), "docx")


def test_a_scan_without_text_says_so() -> None:
    pypdf = pytest.importorskip("pypdf")
    for password in ("", "secret"):
        writer, into = pypdf.PdfWriter(), io.BytesIO()
        writer.add_blank_page(200, 200)
        if password:
            writer.encrypt(password)
        writer.write(into)
        with pytest.raises(DocumentError, match="without a password" if password else "a scan"):
            read(into.getvalue(), "pdf")


def test_pages_and_characters_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is listed many times, and many sheets, are limited."""
    content = pdf("One", "Two", "Three")
    monkeypatch.setattr(reading, "MOST_PAGES", 2)
    monkeypatch.setattr(pdf_reader, "MOST_PAGES", 2)
    for many, kind in ((content, "pdf"), (workbook(A=[[1]], B=[[1]], C=[[1]]), "xlsx")):
        with pytest.raises(DocumentError, match="more than 2 pages"):
            read(many, kind)
    monkeypatch.setattr(reading, "MOST_TEXT", 4)
    with pytest.raises(DocumentError, match="more than 4 characters"):
        read(workbook(A=[["long text"]]), "xlsx")


def test_a_process_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_SECONDS", 0.0)
    with pytest.raises(DocumentError, match="seconds to read"):
        text_of(pdf("One"))


def test_a_process_that_ends_without_a_word_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that dies without a message, for example for lack of memory, is an error."""
    monkeypatch.setattr(reading, "_PROGRAM", "import sys; sys.exit(1)")
    with pytest.raises(DocumentError, match="too much memory or time"):
        text_of(pdf("One"))


def test_what_the_process_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process reads standard input, and its status says whether it wrote a text or an error."""
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    for content, status, output in ((pdf("One"), 0, b"One"), (b"%PDF-", 3, b"expected a PDF")):
        out = io.TextIOWrapper(io.BytesIO())
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        monkeypatch.setattr("sys.stdout", out)
        with pytest.raises(SystemExit) as caught:
            main("pdf")
        assert caught.value.code == status
        assert out.buffer.getvalue().startswith(output)
