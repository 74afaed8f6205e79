"""Read e-books (EPUB): a page for each chapter, in the order of reading.

A table of contents is a page if it has words that no chapter has. Pages that the first package does
not list, such as those of another rendition, are counted.
"""

import posixpath
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote
from zipfile import ZipFile

from lton.documents.archives import PAGES, attribute, open_archive, parse_xml
from lton.documents.layout import write_missing_note
from lton.documents.web_page import check_tags, read_page_and_missing_count

_CONTAINER = "META-INF/container.xml"
_CHAPTER = "application/xhtml+xml"
_PICTURES = frozenset(["image/gif", "image/jpeg", "image/png", "image/webp"])


def iterate_book_lines(content: bytes) -> Iterator[str]:
    """Yield the text of each chapter. The last page says what is missing."""
    with open_archive(content) as archive:
        names = frozenset(archive.namelist())
        roots = parse_xml(archive.read(_CONTAINER)).iter("{*}rootfile")
        listing = next((attribute(root, "full-path") for root in roots), "")
        package = parse_xml(archive.read(listing))
        items = {attribute(item, "id"): item for item in package.iter("{*}item")}
        order = [attribute(item, "idref") for item in package.iter("{*}itemref")]
        listed = [_readable_item(items, items[name]) for name in order if name in items]
        pictures = sum(attribute(item, "media-type") in _PICTURES for item in listed)
        chapters = [
            _resolve_path(listing, attribute(item, "href"))
            for item in listed
            if attribute(item, "media-type") not in _PICTURES
        ]
        hidden = 0
        words = set[str]()
        absent = len(order) - len(listed)
        for chapter in chapters:
            if chapter not in names:
                absent += 1
                continue
            text, missing = _read_page_and_hidden_count(archive, chapter)
            hidden += missing
            words.update(text.split())
            yield text
        tables = _list_paths(listing, filter(_is_contents, items.values()))
        for table in sorted(tables & names - set(chapters)):
            text, missing = _read_page_and_hidden_count(archive, table)
            hidden += missing
            if not words.issuperset(text.split()):
                yield text
        named = _list_paths(listing, filter(_is_page, items.values()))
        pages = {name for name in names if name in named or name.lower().endswith(PAGES)}
        amounts = {
            "chapter": absent,
            "picture without text": pictures,
            "page outside the order of reading": len(pages - tables - set(chapters)),
            "hidden character": hidden,
        }
        yield "\n".join(write_missing_note(amounts))


def _readable_item(items: dict[str, Any], item: Any) -> Any:
    """Return the page that replaces a picture in the order of reading, or else the picture."""
    seen = set[str]()
    while attribute(item, "media-type") in _PICTURES:
        fallback = attribute(item, "fallback")
        if fallback not in items or fallback in seen:
            break
        seen.add(fallback)
        item = items[fallback]
    return item


def _read_page_and_hidden_count(archive: ZipFile, path: str) -> tuple[str, int]:
    """Return the text of a page, and how many hidden characters it has."""
    page = archive.read(path)
    check_tags(page)
    return read_page_and_missing_count(page)


def _list_paths(listing: str, items: Iterable[Any]) -> set[str]:
    return {_resolve_path(listing, attribute(item, "href")) for item in items}


def _is_page(item: Any) -> bool:
    return attribute(item, "media-type") == _CHAPTER


def _is_contents(item: Any) -> bool:
    return "nav" in attribute(item, "properties").split()


def _resolve_path(listing: str, reference: str) -> str:
    path = unquote(reference.partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(listing), path))
