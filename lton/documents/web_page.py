"""Read HTML pages."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from lton._require import require
from lton.documents.layout import count_characters, write_missing_note
from lton.documents.limits import MOST_ATTRIBUTES, DocumentError

_TAG = re.compile(rb"<[A-Za-z][^<>]*>?")
_VALUE = re.compile(rb"\"[^\"]*\"|'[^']*'")
_XML_LINE = re.compile(r"^\s*<\?xml[^>]*\?>")
_HIDES = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_NOT_TEXT = ("script", "style", "template", "head", "title", "noscript", "iframe")
"""Elements whose text is not text of a page."""
_MOST_DIGITS = 9  # of the number of an item


def check_tags(content: bytes) -> None:
    """Refuse a tag with very many attributes, because libraries compare each pair of attributes."""
    for match in _TAG.finditer(content):
        tag = match[0]
        if len(tag) > 2 * MOST_ATTRIBUTES and len(_VALUE.sub(b"", tag).split()) > MOST_ATTRIBUTES:
            raise DocumentError(f"a tag has more than {MOST_ATTRIBUTES:,} attributes")


def iterate_page_lines(content: bytes) -> Iterator[str]:
    """Yield the text of an HTML page, and say how much of it is hidden."""
    text, missing = read_page_and_missing_count(content)
    yield "\n".join([text, *write_missing_note({"hidden character": missing})])


def read_page_and_missing_count(content: bytes) -> tuple[str, int]:
    """Return the text of an HTML page, and the number of its characters that are missing."""
    inscriptis = require("inscriptis", "context")
    lxml = require("lxml.html", "context")
    source: bytes | str = content
    with suppress(UnicodeDecodeError):  # otherwise the page declares its encoding
        # lxml refuses text with an XML line.
        source = _XML_LINE.sub("", content.decode("utf-8-sig"))
    tree = lxml.fromstring(source)
    characters = _count_text(tree)
    hidden = sum(_count_text(element) for element in tree.iter() if _is_hidden(element))
    _number_first_items(tree)
    _escape_ampersands(tree)
    config = require("inscriptis.model.config", "context").ParserConfig(display_images=True)
    text = str(inscriptis.Inscriptis(tree, config).get_text())
    return text, max(hidden, characters - count_characters(text))


def _escape_ampersands(tree: Any) -> None:
    """Escape `&` once more, because inscriptis reads references in text that lxml has read."""
    for element in tree.iter():
        if "&" in (element.get("alt") or ""):
            element.set("alt", element.get("alt").replace("&", "&amp;"))
        if "&" in (element.text or ""):
            element.text = element.text.replace("&", "&amp;")
        if "&" in (element.tail or ""):
            element.tail = element.tail.replace("&", "&amp;")


def _number_first_items(tree: Any) -> None:
    """Give the first item of a list its number, because inscriptis knows no `start` of lists."""
    for listed in tree.iter("ol"):
        start = listed.get("start", "").strip()
        first = listed.find("li")
        if (
            start.isascii()
            and start.isdigit()
            and first is not None
            and "value" not in first.attrib
        ):
            first.set("value", start[:_MOST_DIGITS])


def _count_text(tree: Any) -> int:
    """Count the characters of all text below an element, except scripts and styles."""
    total = 0
    for element in tree.iter():
        is_element = isinstance(element.tag, str)
        if is_element and element.tag not in _NOT_TEXT and not _is_inside(element):
            total += count_characters(element.text or "")
        if element is not tree and not _is_inside(element):
            total += count_characters(element.tail or "")
    return total


def _is_hidden(element: Any) -> bool:
    """Return whether a page does not show an element, and shows the element around it."""
    return _is_hiding_content(element) and not any(map(_is_hiding_content, element.iterancestors()))


def _is_hiding_content(element: Any) -> bool:
    return bool(_HIDES.search(element.get("style") or ""))


def _is_inside(element: Any) -> bool:
    return next(element.iterancestors(*_NOT_TEXT), None) is not None
