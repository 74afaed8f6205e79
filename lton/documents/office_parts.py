"""The parts of an Office document: their relations, and a count of their text.

The count decides whether a reader has read everything. Each part contains text in certain elements.
A reader reports each text that it takes, and each text that is not part of the document, such as a
deleted word. Any other text is missing, and `count_missing` says in which kind of part.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from lton.documents.archives import attribute, local_name, open_archive, parse_xml
from lton.documents.layout import count_characters

_KINDS = (
    ("word/document", "the text"),
    ("word/footnotes", "footnotes"),
    ("word/endnotes", "endnotes"),
    ("word/comments", "comments"),
    ("word/header", "headers"),
    ("word/footer", "footers"),
    ("ppt/slides/", "slides"),
    ("ppt/notesSlides/", "notes"),
    ("ppt/comments/", "comments"),
    ("xl/comments", "comments"),
    ("xl/threadedComments/", "comments"),
    ("xl/drawings/", "drawings"),
)
_KINDS_ANYWHERE = (("/charts/", "charts"), ("/diagrams/data", "diagrams"), ("/embeddings/", ""))
_UNCOUNTED = re.compile(
    r"docProps/|customXml/|_rels/|\[Content_Types\]|(?:word|ppt|xl)/(?:theme|media|fonts|_rels"
    r"|glossary|slideLayouts|slideMasters|notesMasters|handoutMasters|worksheets|charts/(?:style"
    r"|colors)|diagrams/(?!data))|.*/(?:styles|settings|webSettings|fontTable|numbering|presProps"
    r"|viewProps|tableStyles|commentAuthors|authors|people|stylesWithEffects|sharedStrings"
    r"|workbook|presentation|metadata|calcChain|connections)\.xml"
)
"""Parts whose text is not text of the document, or is a copy of text in another part."""


def is_document_text(element: Any) -> bool:
    """Return whether the text of an element belongs to the document."""
    name = local_name(element)
    if name == "v":  # a value of a chart
        return local_name(element.getparent()) in ("pt", "tx")
    if name == "text":  # a comment in a presentation or a workbook
        return local_name(element.getparent()) in ("cm", "threadedComment")
    return name == "t" and len(element) == 0  # a `t` of a diagram contains paragraphs


class OfficeParts:
    """The parts of an Office document, and how much of their text was taken."""

    def __init__(self, content: bytes) -> None:
        self._archive = open_archive(content)
        self.names = frozenset(self._archive.namelist())
        self._roots: dict[str, Any] = {}
        self._taken: Counter[str] = Counter()
        self.amounts: Counter[str] = Counter()
        """The number of things that have no text, by the name of one of them."""

    def read_part(self, part: str) -> bytes:
        return self._archive.read(part)

    def parse_root(self, part: str) -> Any:
        """Return the root element of a part."""
        if part not in self._roots:
            self._roots[part] = parse_xml(self._archive.read(part))
        return self._roots[part]

    def find_main_part(self, usual: str) -> str:
        """Return the name of the part with the document itself."""
        targets = [
            target for _, kind, target in self.iterate_relations("") if kind == "officeDocument"
        ]
        return next((part for part in targets if part in self.names), usual)

    def iterate_relations(self, part: str) -> Iterator[tuple[str, str, str]]:
        """Yield the id, the kind and the target of each relation of a part inside the document."""
        folder, name = posixpath.split(part)
        listing = posixpath.join(folder, "_rels", f"{name}.rels")
        if listing not in self.names:
            return
        for relation in self.parse_root(listing):
            if attribute(relation, "TargetMode") != "External":
                kind = attribute(relation, "Type").rpartition("/")[2]
                target = posixpath.join("/", folder, attribute(relation, "Target"))
                yield attribute(relation, "Id"), kind, posixpath.normpath(target).lstrip("/")

    def find_related_parts(self, part: str, kind: str) -> list[str]:
        """Return the existing parts to which a part has relations of a kind."""
        targets = [
            target
            for _, relation_kind, target in self.iterate_relations(part)
            if relation_kind == kind
        ]
        return [target for target in dict.fromkeys(targets) if target in self.names]

    def find_target(self, part: str, relation_id: str) -> str:
        """Return the part to which a relation refers, or an empty string."""
        for number, _, target in self.iterate_relations(part):
            if number == relation_id and target in self.names:
                return target
        return ""

    def note_shown_text(self, part: str, text: str) -> None:
        """Count a text as taken from a part."""
        self._taken[part] += count_characters(text)

    def note_left_out(self, part: str, element: Any) -> None:
        """Count all text below an element as not part of the document."""
        for descendant in element.iter("{*}*"):
            if is_document_text(descendant):
                self.note_shown_text(part, descendant.text or "")

    def count_missing(self) -> dict[str, int]:
        """Return the amounts of everything that was not taken, for `write_missing_note`."""
        amounts = Counter[str]()
        charted = self._data_of_charts()
        for part in sorted(self.names):
            kind = _detect_kind_of_part(part)
            if part.endswith(".xml") and not _UNCOUNTED.match(part):
                elements = filter(is_document_text, self.parse_root(part).iter("{*}*"))
                total = sum(count_characters(element.text or "") for element in elements)
                amounts[f"character of {kind}"] += total - self._taken[part]
            elif "/embeddings/" in part and part not in charted:
                amounts["embedded document"] += 1
        return {**amounts, **self.amounts}

    def _data_of_charts(self) -> set[str]:
        """Return the workbooks behind charts, whose numbers the charts contain, too."""
        charts = [part for part in self.names if "/charts/" in part and part.endswith(".xml")]
        return {target for chart in charts for _, _, target in self.iterate_relations(chart)}


def _detect_kind_of_part(part: str) -> str:
    for start, kind in _KINDS:
        if part.startswith(start):
            return kind
    return next((kind for folder, kind in _KINDS_ANYWHERE if folder in part), part)
