"""Read e-books (EPUB): a page for each chapter, in the order of reading."""

import posixpath
from collections.abc import Iterator
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
        listing = next((attribute(found, "full-path") for found in roots), "")
        package = parse_xml(archive.read(listing))
        items = {attribute(item, "id"): item for item in package.iter("{*}item")}
        order = [attribute(item, "idref") for item in package.iter("{*}itemref")]
        chapters = [
            _path(listing, attribute(items[name], "href")) for name in order if name in items
        ]
        others = {
            _path(listing, attribute(item, "href"))
            for item in items.values()
            if attribute(item, "media-type") == _CHAPTER
            and "nav" not in attribute(item, "properties").split()
        }
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
        unread = len(others & names - set(chapters))
        amounts = {"chapter": absent, "page outside the order of reading": unread}
        yield "\n".join(missing_note({**amounts, "hidden character": hidden}))


def _path(listing: str, reference: str) -> str:
    place = unquote(reference.partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(listing), place))
