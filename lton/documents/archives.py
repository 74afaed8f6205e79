"""Open the archives of packed documents (Office, OpenDocument, EPUB) within limits."""

import zipfile
from collections import Counter
from io import BytesIO
from typing import Any

from lton._require import require
from lton.documents.limits import MOST_PARTS, MOST_UNPACKED, DocumentError

PAGES = (".xhtml", ".html", ".htm")
_MARKUP = (*PAGES, ".xml", ".rels", ".opf", ".ncx")
_IS_ENCRYPTED = 1  # a flag of a file in an archive


def open_archive(content: bytes) -> zipfile.ZipFile:
    """Open the archive of a document and check the sizes of its files."""
    try:
        archive = zipfile.ZipFile(BytesIO(content))
    except Exception as error:  # any kind of error: each part of zipfile raises its own
        raise DocumentError(f"expected a packed document, found no archive: {error}") from None
    files = archive.infolist()
    if len(files) > MOST_PARTS:
        raise DocumentError(f"it has more than {MOST_PARTS:,} parts")
    if sum(file.file_size for file in files) > MOST_UNPACKED:
        raise DocumentError(f"it unpacks to more than {MOST_UNPACKED:,} bytes")
    if any(file.flag_bits & _IS_ENCRYPTED for file in files):
        raise DocumentError("expected a document without a password")
    for name, number in Counter(file.filename for file in files).items():
        if number > 1 and name.endswith(_MARKUP):  # programs read different ones of them
            raise DocumentError(f"expected parts with different names, found {number} {name!r}")
    for file in files:
        if file.filename.endswith(_MARKUP) and b"<!ENTITY" in archive.read(file):
            raise DocumentError("it declares entities")
    return archive


def parse_xml(content: bytes) -> Any:
    """Parse a part of a document and return its root element.

    The parser limits the depth of elements, loads nothing and resolves no entities.
    """
    etree = require("lxml.etree", "context")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
    return etree.fromstring(content, parser)


def local_name(element: Any) -> str:
    """Return the name of an element without its namespace.

    Strict and transitional Office documents differ only in their namespaces.
    """
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Any, name: str) -> str:
    """Return an attribute by its name without its namespace, or an empty string."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return ""


def relation_id(element: Any) -> str:
    """Return the id of the relation to which an element refers, or an empty string.

    The attribute has a namespace. An `id` without a namespace is a number of another kind.
    """
    return next((str(value) for key, value in element.attrib.items() if key.endswith("}id")), "")


def child_of(element: Any, *names: str) -> Any:
    """Return the first child with one of the names, or an empty tuple, which has no children."""
    return next((child for child in element if local_name(child) in names), ())


def val_of_child(element: Any, name: str) -> str:
    """Return the attribute `val` of the child with a name, or an empty string."""
    child = child_of(element, name)
    return "" if isinstance(child, tuple) else attribute(child, "val")
