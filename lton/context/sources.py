"""Read documents from files, folders, patterns of paths, and URLs.

Markdown, source code, JSON and other text are not converted. Documents such as HTML, PDF and Word
are converted to text (`lton.documents`), with a form feed between pages, slides and sheets. This
module fetches nothing: the caller passes the function that loads a URL.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from glob import has_magic
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeAlias

from lton.context.artifacts import MANIFEST, iterate_built_documents
from lton.context.directives import ROLES, DocumentRole, read_front_matter
from lton.context.image import PRIORITY, Document
from lton.documents import DocumentError, kind_of, text_of
from lton.errors import Code, DecodeError, IngestError, MissingExtraError
from lton.stores.contents import to_bytes

Source: TypeAlias = "str | os.PathLike[str] | tuple[str, str]"
"""A path, a pattern of paths, a URL, or (name, text)."""
Loader: TypeAlias = Callable[[str], "str | bytes"]  # Returns the content of a URL

MOST_BYTES = 100_000_000  # bytes of a file
MOST_FILES = 100_000  # files of a directory or a pattern
_FOLDERS: dict[str, DocumentRole] = {"kernel": "core", **{role: role for role in ROLES}}
"""The class of the files in folders with these names."""
_KINDS = {".json": "json", ".jsonl": "json", ".log": "log", ".md": "markdown", ".py": "code:python"}
"""The kind of text by suffix; for other suffixes the kind is guessed."""
_TEXTS = {"html": (".html", ".htm", ".xhtml"), "eml": (".eml",), "ipynb": (".ipynb",)}
"""Kinds of documents that are also texts, with their suffixes. Other texts may look like them."""
_DOCUMENTS = (".docx", ".epub", ".odp", ".ods", ".odt", ".pdf", ".pptx", ".rtf", ".xlsx")
"""Suffixes of documents that are not text; their bytes determine the kind."""


class Unread(NamedTuple):
    """An unreadable file from a folder or pattern, with the reason."""

    name: str
    code: str
    reason: str


def iterate_documents(
    sources: Iterable[Source],
    role: DocumentRole | None = None,
    *,
    load: Loader | None = None,
    trusted: bool | None = None,
) -> Iterator[Document | Unread]:
    """Read documents from paths, patterns, folders, URLs, and (name, text) pairs.

    `role` is the class of the documents. Without `role`, the front matter decides, and then the
    innermost folder called `core`, `kernel`, `skills` or `refs`. Otherwise, and for URLs, the class
    is `refs`. A directory made by `lton context build` yields its documents with their classes.

    Directives, front matter and folders are used only in `trusted` sources. By default these are
    files, but not (name, text), and never URLs.

    Raises `IngestError` (E706) for a missing file, a file that is too large or not text, and a URL
    without `load`. In a directory or a pattern, such a file is `Unread`, and so is a file with an
    invalid field of front matter (E705).

    >>> skill = ("skills/a.md", "Say when it rained.")
    >>> [list(iterate_documents([skill], trusted=each))[0].role for each in (None, True)]
    ['refs', 'skills']
    """
    for source in sources:
        if isinstance(source, tuple):
            name, text = source
            document = Document(name, text, kind=_find_kind_of_name(name), authored=bool(trusted))
            yield _classified_or_not(document, role)
            continue
        name = os.fspath(source)
        is_own = trusted is not False
        if "://" in name:
            yield _load_url(name, role, load)
        elif os.path.isdir(name):
            yield from _iterate_directory_documents(Path(name), role, is_own)
        elif has_magic(name) and not os.path.exists(name):
            files = files_like(name)
            if not files:
                raise IngestError(Code.SOURCE, f"no file matches {name!r}")
            yield from _iterate_file_documents(files, role, is_own)
        else:
            yield _classified_or_not(_read_document(name, authored=is_own), role)


def classify_document(document: Document, role: DocumentRole | None = None) -> Document:
    """Set a document's class and, if the document is trusted, apply its front matter."""
    if not document.authored:
        return replace(document, role=role or "refs")
    fields = read_front_matter("" if role == "core" else document.text)
    folders = reversed(PurePosixPath(document.name).parts[:-1])
    inner = next((_FOLDERS[each] for each in folders if each in _FOLDERS), None)
    document_class = role or fields.role or inner or "refs"
    priority = PRIORITY if fields.priority is None else fields.priority
    return replace(document, role=document_class, priority=priority, ratio=fields.ratio)


def _classified_or_not(document: Document, role: DocumentRole | None) -> Document | Unread:
    try:
        return classify_document(document, role)
    except DecodeError as error:
        return Unread(document.name, error.code, str(error))


def read_file(path: str, role: DocumentRole | None = None, name: str | None = None) -> Document:
    """Read a document from a file. Raises `IngestError` (E706), or E705 for bad front matter."""
    return classify_document(_read_document(path, name), role)


def _read_document(path: str, name: str | None = None, *, authored: bool = True) -> Document:
    content = bytes_of(path)
    if len(content) > MOST_BYTES:
        raise IngestError(Code.SOURCE, f"{path!r}: it has more than {MOST_BYTES:,} bytes")
    return document_of(name or Path(path).as_posix(), content, authored=authored)


def document_of(name: str, content: bytes, *, authored: bool = True) -> Document:
    """Convert the bytes of a file to a document. The name of the file suggests its kind."""
    try:
        kind = _find_document_kind(name, content)
        extracted = text_of(content, kind) if kind else None
    except DocumentError as error:
        raise IngestError(Code.SOURCE, f"{name!r}: {error}") from error
    if extracted is not None:
        return Document(name, extracted, authored=False, content=content)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        msg = f"{name!r}: expected UTF-8, found an invalid byte at {error.start}"
        raise IngestError(Code.SOURCE, msg) from None
    if "\0" in text:
        raise IngestError(Code.SOURCE, f"{name!r}: expected text, found a NUL")
    return Document(name, text, kind=_find_kind_of_name(name), authored=authored)


def _find_document_kind(name: str, content: bytes) -> str | None:
    suffix = PurePosixPath(name).suffix.lower()
    kind = kind_of(content, name)
    if suffix in _DOCUMENTS and kind is None:
        raise DocumentError(f"expected a {suffix[1:].upper()} document, found something else")
    is_text = kind in _TEXTS and suffix not in ("", *_TEXTS[kind], *_DOCUMENTS)
    return None if is_text else kind


def _find_kind_of_name(name: str) -> str | None:
    return _KINDS.get(PurePosixPath(name).suffix.lower())


def _load_url(url: str, role: DocumentRole | None, load: Loader | None) -> Document:
    if load is None:
        raise IngestError(Code.SOURCE, f"nothing can load {url!r}", hint="pass load=… or --fetch")
    loaded = load(url)
    content = to_bytes(loaded) if isinstance(loaded, str) else loaded
    if not isinstance(content, bytes) or len(content) > MOST_BYTES:
        raise IngestError(Code.SOURCE, f"{url!r}: expected a string or bytes within the limit")
    if isinstance(loaded, str):
        return Document(url, loaded, role or "refs", authored=False)
    document = document_of(url.partition("?")[0].partition("#")[0], content)
    return replace(document, name=url, authored=False, role=role or "refs")


def _iterate_directory_documents(
    folder: Path, role: DocumentRole | None, authored: bool
) -> Iterator[Document | Unread]:
    if (folder / MANIFEST).is_file():
        manifest = bytes_of(folder / MANIFEST)
        for document in iterate_built_documents(manifest, lambda name: bytes_of(folder / name)):
            yield replace(document, role=role or (document.role if authored else "refs"))
        return
    yield from _iterate_file_documents(files_of(folder), role, authored)


def files_of(folder: Path) -> list[str]:
    """List the files in a folder, except hidden files and links."""
    files: list[str] = []
    for at, names in _iterate_folders(folder):
        files += (os.path.join(at, name) for name in names if not name.startswith("."))
    return sorted(file for file in files if not os.path.islink(file))


def files_like(pattern: str) -> list[str]:
    """List the files that match a pattern. Links are only followed before wildcards."""
    parts = Path(pattern).parts
    fixed = next(at for at, part in enumerate(parts) if has_magic(part))
    paths = dict.fromkeys(_iterate_matching_files(Path(*parts[:fixed]), parts[fixed:]))
    return sorted(str(path) for path in paths if not path.is_dir())


def _iterate_matching_files(folder: Path, parts: tuple[str, ...]) -> Iterator[Path]:
    part = parts[0]
    remaining = parts[1:]
    if part == "**":
        for at, _ in _iterate_folders(folder):
            yield from _iterate_matching_files(Path(at), remaining or ("*",))
        return
    for path in _entries(folder):
        is_hidden = path.name.startswith(".") and not part.startswith(".")
        if fnmatchcase(path.name, part) and not is_hidden and not path.is_symlink():
            yield from _iterate_matching_files(path, remaining) if remaining else (path,)


def _entries(folder: Path) -> list[Path]:
    try:
        return [folder / name for name in os.listdir(folder)]
    except OSError:  # not a folder, or unreadable: no file in it matches
        return []


def _iterate_folders(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield at, names


def bytes_of(path: str | Path) -> bytes:
    """Read at most `MOST_BYTES` + 1 bytes of a file.

    Raises `IngestError` (E706) if it cannot be read, or is a pipe, a socket or a device, which
    might block forever.
    """
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(number, "rb") as file:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise IngestError(Code.SOURCE, f"{str(path)!r}: expected a regular file")
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        msg = f"{str(path)!r}: it cannot be read: {error.strerror}"
        raise IngestError(Code.SOURCE, msg) from error


def _iterate_file_documents(
    files: list[str], role: DocumentRole | None, authored: bool
) -> Iterator[Document | Unread]:
    if len(files) > MOST_FILES:
        raise IngestError(Code.SOURCE, f"expected at most {MOST_FILES:,} files")
    for file in files:
        try:
            yield _classified_or_not(_read_document(file, authored=authored), role)
        except (IngestError, MissingExtraError) as error:
            yield Unread(file, error.code, str(error).removeprefix(f"{file!r}: "))
