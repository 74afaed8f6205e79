"""Documents from files: the module of `lton.context` that reads what is to be ingested.

Markdown, source code, JSON and other text are taken as they are. A page in HTML becomes text by
inscriptis (`pip install 'lton[html]'`), a PDF by pypdf (`pip install 'lton[pdf]'`), with a form
feed between its pages. Nothing is fetched: what loads a URL is given by the caller.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from glob import has_magic, iglob
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeAlias

from lton._require import require
from lton.context._journal import to_bytes
from lton.context.artifacts import MANIFEST, read_built
from lton.context.directives import DocumentRole, read_wishes
from lton.context.image import PRIORITY, Document
from lton.errors import Code, DecodeError, IngestError, MissingExtraError

Source: TypeAlias = "str | os.PathLike[str] | tuple[str, str]"
"""A path, a pattern of paths, a URL, or a name and a text."""
Loader: TypeAlias = Callable[[str], "str | bytes"]
"""Gets what is at a URL."""

MOST_BYTES = 100_000_000
"""A larger file is not read."""
MOST_FILES = 100_000
"""Files of a directory or a pattern."""
_FOLDERS: dict[str, DocumentRole] = {
    "core": "core",
    "kernel": "core",
    "skills": "skills",
    "refs": "refs",
}
"""What the folder that a file is in says of it."""
_KINDS = {
    ".json": "json",
    ".jsonl": "json",
    ".log": "log",
    ".md": "markdown",
    ".py": "code:python",
}
"""What a name says of a text; of others it is guessed."""
_PDF = b"%PDF-"


class Unread(NamedTuple):
    """A file of a directory or a pattern that is left out, and why."""

    name: str
    code: str
    reason: str


def read_sources(
    given: Iterable[Source], role: DocumentRole | None = None, *, load: Loader | None = None
) -> Iterator[Document | Unread]:
    """Get the documents of paths, patterns, directories, URLs, and texts with a name.

    `role` is their class; without one the front matter of each says it, else the innermost folder
    that is called `core`, `kernel`, `skills` or `refs`, else it is `refs`, as all that is loaded. A
    directory that `lton context build` made gives what was built, with the classes that it had.

    Raises `IngestError` (E706) for what is not there, is no text or too large, and for a URL if
    nothing loads it; `DecodeError` (E705) for a field of front matter that is none. Of a directory
    and a pattern a file that is no text is left out, and said to be.

    >>> list(read_sources([("skills/a.md", "Say when it rained.")]))[0].role
    'skills'
    """
    for source in given:
        if isinstance(source, tuple):
            name, text = source
            yield classified(Document(name, text, kind=_kind(name)), role)
            continue
        name = os.fspath(source)
        if "://" in name:
            yield _loaded(name, role, load)
        elif os.path.isdir(name):
            yield from _of_directory(Path(name), role)
        elif has_magic(name) and not os.path.exists(name):
            files = sorted(each for each in iglob(name, recursive=True) if os.path.isfile(each))
            if not files:
                raise IngestError(Code.SOURCE, f"no file is like {name!r}")
            yield from _readable(files, role)
        else:
            yield read_file(name, role)


def classified(document: Document, role: DocumentRole | None = None) -> Document:
    """Get a document with what its front matter asks for, and with its class."""
    wishes = read_wishes(document.text) if document.authored else read_wishes("")
    found = role or wishes.role or _role_of(document.name)
    priority = PRIORITY if wishes.priority is None else wishes.priority
    return replace(document, role=found, priority=priority, ratio=wishes.ratio)


def read_file(path: str, role: DocumentRole | None = None, name: str | None = None) -> Document:
    """Get the document of a file, by its path or another name; E706 if it cannot be read."""
    try:
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise IngestError(Code.SOURCE, f"cannot read {path!r}: {error.strerror}") from error
    if len(content) > MOST_BYTES:
        raise IngestError(Code.SOURCE, f"{path!r} has more than {MOST_BYTES:,} bytes")
    try:
        return classified(document_of(name or Path(path).as_posix(), content), role)
    except DecodeError as error:
        error.msg = f"{path}: {error.msg}"
        raise


def document_of(name: str, content: bytes, *, authored: bool = True) -> Document:
    """Get the document of the bytes of a file, whose name says what they are."""
    suffix = PurePosixPath(name).suffix.lower()
    if suffix == ".pdf" or content.startswith(_PDF):
        return Document(name, _pdf_text(name, content), authored=False, content=content)
    if suffix in (".html", ".htm", ".xhtml"):
        return Document(name, _html_text(name, content), authored=False, content=content)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        msg = f"{name!r} is no text in UTF-8, at byte {error.start}"
        raise IngestError(Code.SOURCE, msg) from None
    if "\0" in text:
        raise IngestError(Code.SOURCE, f"{name!r} is no text: it has a NUL")
    return Document(name, text, kind=_kind(name), authored=authored)


def _kind(name: str) -> str | None:
    return _KINDS.get(PurePosixPath(name).suffix.lower())


def _role_of(name: str) -> DocumentRole:
    folders = reversed(PurePosixPath(name).parts[:-1])
    return next((_FOLDERS[each] for each in folders if each in _FOLDERS), "refs")


def _loaded(url: str, role: DocumentRole | None, load: Loader | None) -> Document:
    if load is None:
        raise IngestError(Code.SOURCE, f"nothing loads {url!r}", hint="load=…, a function")
    found = load(url)
    content = to_bytes(found) if isinstance(found, str) else found
    if not isinstance(content, bytes) or len(content) > MOST_BYTES:
        raise IngestError(Code.SOURCE, f"{url!r}: expected a text, or bytes, that is not too large")
    if isinstance(found, str):
        return Document(url, found, role or "refs", authored=False)
    document = document_of(url.partition("?")[0].partition("#")[0], content)
    return replace(document, name=url, authored=False, role=role or "refs")


def _of_directory(folder: Path, role: DocumentRole | None) -> Iterator[Document | Unread]:
    if (folder / MANIFEST).is_file():
        manifest = bytes_of(folder / MANIFEST)
        for built in read_built(manifest, lambda name: bytes_of(folder / name)):
            yield replace(built, role=role or built.role)
        return
    yield from _readable(files_of(folder), role)


def files_of(folder: Path) -> list[str]:
    """Get the files in a directory, sorted; none that is hidden, a link, or past one."""
    files: list[str] = []
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        files += (os.path.join(at, each) for each in names if not each.startswith("."))
    return sorted(file for file in files if not os.path.islink(file))


def bytes_of(path: Path) -> bytes:
    """Get the bytes of a file; `IngestError` (E706) if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise IngestError(Code.SOURCE, f"cannot read {str(path)!r}: {error.strerror}") from error


def _readable(files: list[str], role: DocumentRole | None) -> Iterator[Document | Unread]:
    if len(files) > MOST_FILES:
        raise IngestError(Code.SOURCE, f"there are more than {MOST_FILES:,} files")
    for file in files:
        try:
            yield read_file(file, role)
        except (IngestError, MissingExtraError) as error:
            yield Unread(file, error.code, str(error))


def _html_text(name: str, content: bytes) -> str:
    """Get the text of a page, with its lists and tables laid out."""
    inscriptis, lxml = require("inscriptis", "html"), require("lxml.html", "html")
    try:
        content.decode()
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = None  # what the page says
    try:
        tree = lxml.fromstring(content, parser=lxml.HTMLParser(encoding=encoding))
        return str(inscriptis.Inscriptis(tree).get_text())
    except Exception as error:  # of whatever kind: the library meets pages of strangers
        raise IngestError(Code.SOURCE, f"{name!r} is no page in HTML: {error}") from error


def _pdf_text(name: str, content: bytes) -> str:
    """Get the text of a PDF, a form feed between its pages."""
    pypdf = require("pypdf", "pdf")
    try:
        pages = pypdf.PdfReader(BytesIO(content)).pages
        return "\n\f".join(page.extract_text().replace("\f", "\n") for page in pages)
    except Exception as error:  # as above
        raise IngestError(Code.SOURCE, f"{name!r} is no PDF: {error}") from error
