"""Probes of documents, skills, files and logs."""

import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fuzz.limits.probe import Probe, ProbeError
from lton.context.compress.compressor import compress
from lton.context.directives import read_directives
from lton.context.skills import SkillCatalog, list_skill_faults
from lton.context.sources import _iterate_file_documents, document_of, read_file
from lton.cost.reading import _iterate_values
from lton.documents import DocumentError, read
from lton.documents.archives import open_archive
from lton.tokens import counter
from lton.transcript.files import MOST_MATCHES, write_matching_lines


def _document_probe(name: str, make: Callable[[int], bytes], *more: Any) -> Probe:
    return Probe(make, lambda content: document_of(name, content), *more)


def _read_from_file(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "a.txt")
        file.write_bytes(content)
        read_file(str(file))


def _read_from_folder(count: int) -> None:
    with TemporaryDirectory() as folder:
        files = [str(Path(folder, f"{i}.txt")) for i in range(count)]
        for file in files:
            Path(file).write_text("text", "utf-8")
        assert len(list(_iterate_file_documents(files, None, False))) == count


def _make_page(count: int, body: str) -> bytes:
    return f"<html><body>{body * count}</body></html>".encode()


def _make_office_file(count: int, text: str = "x", *, plain: int = 0) -> bytes:
    """Return a Word document with the given number of files, or with an entry of a size."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", " " * plain or text)
        for i in range(count - 1):
            archive.writestr(f"word/{i}", "")
    return target.getvalue()


def _make_pdf(count: int) -> bytes:
    """Return a PDF that lists one page the given number of times."""
    kids = "3 0 R " * count
    parts = (
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {count}/Kids[{kids}]>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R"
        "/Resources<</Font<</F 5 0 R>>>>>>",
        "<</Length 31>>stream\nBT /F 9 Tf (A page) Tj ET      \nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    text, places = "%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(text))
        text += f"{number} 0 obj{part}endobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    head = f"xref\n0 6\n0000000000 65535 f \n{table}"
    return f"{text}{head}trailer<</Size 6/Root 1 0 R>>\nstartxref\n{len(text)}\n%%EOF".encode()


def _make_skill(count: int) -> str:
    head = "name: a\ndescription: b\nlicense: "
    return f"---\n{head}{'x' * (count - len(head))}\n---\nBody\n"


def _load_catalog(count: int) -> None:
    with TemporaryDirectory() as folder:
        for i in range(count):
            Path(folder, f"s{i}").mkdir()
        SkillCatalog.load(folder)


def _check_skill(text: str) -> None:
    for fault in list_skill_faults(text):
        if "characters" in fault and "frontmatter" in fault:
            raise ProbeError("E704")


def _make_directives(count: int) -> str:
    return (
        "\n".join(":" * (count + 3 - i) + "pwo:pin" for i in range(count))
        + "\n"
        + "\n".join(":" * (4 + i) for i in range(count))
    )


def _compress_markdown(text: str) -> None:
    compress(text, budget=50, counter=counter("bytes"), query="which word", kind="markdown")


def _search_lines(text: str) -> None:
    if write_matching_lines(text, "x+y", MOST_MATCHES).endswith("(more lines match)"):
        raise ProbeError("only the first matches are shown")


def _read_document(content: bytes, kind: str) -> None:
    try:
        read(content, kind)
    except DocumentError:
        raise ProbeError("E706") from None


def _read_log(file: BytesIO) -> None:
    if any(isinstance(value, ValueError) for _, value in _iterate_values(file)):
        raise ProbeError("the line is skipped, and the report says so")


def _open_archive(content: bytes) -> None:
    try:
        open_archive(content).close()
    except DocumentError:
        raise ProbeError("E706") from None


PROBES: dict[str, Probe] = {
    # --- documents, skills and files
    "bytes of a file": Probe(lambda n: b"x" * n, _read_from_file, 10**6),
    "files of a folder": Probe(int, _read_from_folder, 50),
    "attributes of an HTML tag": _document_probe(
        "a.html",
        lambda n: _make_page(1, f"<p {' '.join(f'a{i}=b' for i in range(n - 1))}>One"),
        400,
    ),
    "elements of an HTML page": _document_probe("a.html", lambda n: _make_page(n, "<p>One</p>")),
    "files in an Office document": Probe(_make_office_file, _open_archive),
    "bytes of an Office document after decompression": Probe(
        lambda n: _make_office_file(1, plain=n), _open_archive, 10**6
    ),
    "pages of a PDF": Probe(_make_pdf, lambda data: _read_document(data, "pdf"), 100),
    "characters of a document's text": Probe(
        lambda n: _make_page(1, "word " * (n // 5)),
        lambda data: _read_document(data, "html"),
        10_000,
    ),
    "bytes of a line of Markdown": Probe(lambda n: "word " * (n // 5), _compress_markdown, 10_000),
    "nested blocks of directives": Probe(_make_directives, read_directives, 8),
    "characters of a skill's front matter": Probe(_make_skill, _check_skill, 4_000),
    "skills of a folder": Probe(int, _load_catalog, 50),
    "lines of a file to be searched": Probe(
        lambda n: "some words of a line\n" * n, lambda text: write_matching_lines(text, "x+y", 50)
    ),
    "matches of a search": Probe(lambda n: "xy\n" * n, _search_lines),
    # --- logs and sessions
    "lines of a log": Probe(
        lambda n: BytesIO(b"{}\n" * n), lambda file: list(_iterate_values(file))
    ),
    "bytes of a line of a log": Probe(
        lambda n: BytesIO(b'{"a": "' + b"x" * n + b'"}\n'), _read_log, 10**6
    ),
}
