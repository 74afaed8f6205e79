"""Read e-books (EPUB): a page for each chapter, in the order of reading."""

import posixpath
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote
from zipfile import ZipFile

from lton.documents.archives import attribute, open_archive, parse_xml
from lton.documents.layout import write_missing_note
from lton.documents.web_page import check_tags, read_page_text

_CONTAINER = "META-INF/container.xml"
_CHAPTER = "application/xhtml+xml"


def iterate_book_lines(content: bytes) -> Iterator[str]:
    """Yield the text of each chapter. The last page says what is missing."""
    with open_archive(content) as archive:
        names = frozenset(archive.namelist())
        roots = parse_xml(archive.read(_CONTAINER)).iter("{*}rootfile")
        listing = next((attribute(root, "full-path") for root in roots), "")
        package = parse_xml(archive.read(listing))
        items = {attribute(item, "id"): item for item in package.iter("{*}item")}
        order = [attribute(item, "idref") for item in package.iter("{*}itemref")]
        chapters = [
            _resolve_path(listing, attribute(items[name], "href"))
            for name in order
            if name in items
        ]
        hidden = 0
        words = set[str]()
        absent = len(order) - len(chapters)
        for chapter in chapters:
            if chapter not in names:
                absent += 1
                continue
            text, missing = _read_page(archive, chapter)
            hidden += missing
            words.update(text.split())
            yield text
        yield from _iterate_contents_lines(archive, listing, items.values(), words)
        pages = {
            _resolve_path(listing, attribute(item, "href"))
            for item in items.values()
            if _is_chapter(item)
        }
        unread = len(pages & names - set(chapters))
        amounts = {"chapter": absent, "page outside the order of reading": unread}
        yield "\n".join(write_missing_note({**amounts, "hidden character": hidden}))


def _read_page(archive: ZipFile, path: str) -> tuple[str, int]:
    """Return the text of a page, and how many hidden characters it has."""
    page = archive.read(path)
    check_tags(page)
    return read_page_text(page)


def _iterate_contents_lines(
    archive: ZipFile, listing: str, items: Iterable[Any], words: set[str]
) -> Iterator[str]:
    """Yield each table of contents that has words that no chapter has."""
    names = frozenset(archive.namelist())
    tables = [item for item in items if _is_contents(item)]
    for path in [_resolve_path(listing, attribute(table, "href")) for table in tables]:
        if path in names:
            text, _ = _read_page(archive, path)
            if not words.issuperset(text.split()):
                yield text


def _is_chapter(item: Any) -> bool:
    """Return whether a file of a book is a page, but not its table of contents."""
    return attribute(item, "media-type") == _CHAPTER and not _is_contents(item)


def _is_contents(item: Any) -> bool:
    return "nav" in attribute(item, "properties").split()


def _resolve_path(listing: str, reference: str) -> str:
    path = unquote(reference.partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(listing), path))
