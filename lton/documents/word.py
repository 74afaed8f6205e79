"""Read Word documents: the text, then footnotes, endnotes and comments."""

from collections.abc import Iterator
from typing import Any

from lton.documents.archives import attribute, local_name
from lton.documents.layout import write_missing_note
from lton.documents.office_parts import OfficeParts
from lton.documents.office_text import OfficeText
from lton.documents.word_styles import WordStyles

_SEPARATORS = frozenset(["separator", "continuationSeparator", "continuationNotice"])


def iterate_word_lines(content: bytes) -> Iterator[str]:
    """Yield the text of a Word document, as one page."""
    parts = OfficeParts(content)
    main = parts.find_main_part("word/document.xml")
    lines = [*_iterate_distinct_lines(parts, main, "header")]
    body = OfficeText(parts, main, WordStyles(parts, main).prefix_of)
    lines += body.iterate_lines(parts.parse_root(main))
    lines += _iterate_distinct_lines(parts, main, "footer")
    lines += _iterate_note_lines(parts, main, "footnotes", "[^{id}]: ")
    lines += _iterate_note_lines(parts, main, "endnotes", "[^e{id}]: ")
    lines += _iterate_note_lines(parts, main, "comments", "[comment {id}{by}]: ")
    lines += write_missing_note(parts.count_missing())
    yield "\n".join(lines)


def _iterate_distinct_lines(parts: OfficeParts, main: str, kind: str) -> Iterator[str]:
    """Yield the headers or footers, each text once."""
    texts: dict[str, None] = {}
    for part in parts.find_related_parts(main, kind):
        texts["\n".join(OfficeText(parts, part).iterate_lines(parts.parse_root(part)))] = None
    for text in filter(str.strip, texts):
        yield f"[{kind.capitalize()}: {text}]"


def _iterate_note_lines(parts: OfficeParts, main: str, kind: str, label: str) -> Iterator[str]:
    for part in parts.find_related_parts(main, kind):
        reader = OfficeText(parts, part)
        for note in parts.parse_root(part):
            if attribute(note, "type") not in _SEPARATORS:
                text = "\n".join(reader.iterate_lines(note)).strip()
                if text:
                    yield label.format(id=attribute(note, "id"), by=_author_of_note(note)) + text
            else:
                parts.note_left_out(part, note)


def _author_of_note(note: Any) -> str:
    author = attribute(note, "author") if local_name(note) == "comment" else ""
    return f" by {author}" if author else ""
