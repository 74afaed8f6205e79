"""Read e-books (EPUB): a page for each chapter, in the order of reading."""

import posixpath
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from lton.documents.archives import attribute, open_archive, parse_xml
from lton.documents.layout import missing_note
from lton.documents.web_page import check_tags, page_text

_CONTAINER = "META-INF/container.xml"
_CHAPTER = "application/xhtml+xml"


def read_book(content: bytes) -> Iterator[str]:
    """Yield the text of each chapter. The last page says what is missing."""
    with open_archive(content) as archive:
        names = frozenset(archive.namelist())
        roots = parse_xml(archive.read(_CONTAINER)).iter("{*}rootfile")
        listing = next((attribute(root, "full-path") for root in roots), "")
        package = parse_xml(archive.read(listing))
        items = {attribute(item, "id"): item for item in package.iter("{*}item")}
        order = [attribute(item, "idref") for item in package.iter("{*}itemref")]
        chapters = [
            _path(listing, attribute(items[name], "href")) for name in order if name in items
        ]
        hidden = 0
        absent = len(order) - len(chapters)
        for chapter in chapters:
            if chapter not in names:
                absent += 1
                continue
            page = archive.read(chapter)
            check_tags(page)
            text, missing = page_text(page)
            hidden += missing
            yield text
        pages = {
            _path(listing, attribute(item, "href")) for item in items.values() if _is_page(item)
        }
        unread = len(pages & names - set(chapters))
        amounts = {"chapter": absent, "page outside the order of reading": unread}
        yield "\n".join(missing_note({**amounts, "hidden character": hidden}))


def _is_page(item: Any) -> bool:
    """Return whether a file of a book is a page, but not its table of contents."""
    is_contents = "nav" in attribute(item, "properties").split()
    return attribute(item, "media-type") == _CHAPTER and not is_contents


def _path(listing: str, reference: str) -> str:
    path = unquote(reference.partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(listing), path))
