"""Read PowerPoint presentations: a page for each slide, with its notes and comments."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from lton.documents.archives import attribute, relation_id
from lton.documents.layout import write_missing_note
from lton.documents.office_parts import OfficeParts
from lton.documents.office_text import OfficeText

_TITLES = frozenset(["title", "ctrTitle"])
_AROUND_NOTES = frozenset(["sldNum", "sldImg"])
"""Placeholders on a page of notes that repeat what is on the slide."""
_FURNITURE = frozenset(["hdr", "ftr", "dt"])
"""Placeholders on pages of notes that most of these pages have in common."""


def iterate_slides_lines(content: bytes) -> Iterator[str]:
    """Yield the text of each slide. The last page says what is missing."""
    parts = OfficeParts(content)
    main = parts.find_main_part("ppt/presentation.xml")
    listed = [relation_id(entry) for entry in parts.parse_root(main).iter("{*}sldId")]
    slides = [
        part for part in (parts.find_target(main, entry) for entry in listed if entry) if part
    ]
    pages = [_read_slide(parts, part, number) for number, part in enumerate(slides, 1)]
    last = pages.pop() if pages else []
    last += _iterate_shared_lines(parts, slides)
    last += _lines_around_notes(parts, slides)
    last += write_missing_note(parts.count_missing())
    yield from map("\n".join, [*pages, last])


def _read_slide(parts: OfficeParts, part: str, number: int) -> list[str]:
    root = parts.parse_root(part)
    reader = OfficeText(parts, part)
    title = next(
        (shape for shape in root.iter("{*}sp") if _find_placeholder_kind(shape) in _TITLES), None
    )
    name = "" if title is None else " ".join(" ".join(reader.iterate_lines(title)).split())
    reader.skipped = title
    hidden = " (hidden)" if attribute(root, "show") in ("0", "false") else ""
    lines = [f"# Slide {number}{hidden}{': ' if name else ''}{name}"]
    lines += reader.iterate_lines(root)
    for notes in parts.find_related_parts(part, "notesSlide"):
        text = "\n".join(_iterate_note_lines(parts, notes))
        lines += [f"Notes: {text}"] if text else []
    for comments in parts.find_related_parts(part, "comments"):
        lines += _iterate_comment_lines(parts, comments)
    return lines


def _find_placeholder_kind(shape: Any) -> str:
    """Return the kind of placeholder that a shape is, or an empty string."""
    placeholder = next(shape.iter("{*}ph"), None)
    return "" if placeholder is None else attribute(placeholder, "type") or "obj"


def _iterate_note_lines(parts: OfficeParts, part: str) -> Iterator[str]:
    reader = OfficeText(parts, part)
    for shape in parts.parse_root(part).iter("{*}spTree"):
        for child in shape:
            kind = _find_placeholder_kind(child)
            if kind in _AROUND_NOTES:
                parts.note_left_out(part, child)
            elif kind not in _FURNITURE:
                yield from reader.iterate_lines_of(child)


def _iterate_comment_lines(parts: OfficeParts, part: str) -> Iterator[str]:
    """Yield the comments on a slide, in the format of old or of new programs."""
    reader = OfficeText(parts, part)
    for comment in parts.parse_root(part):
        text = " ".join(reader.iterate_lines(comment))
        if text.strip():
            yield f"[Comment: {text}]"


def _iterate_shared_lines(parts: OfficeParts, slides: list[str]) -> Iterator[str]:
    """Yield the text that layouts and masters show on slides, without their placeholders."""
    layouts = _related_parts(parts, slides, "slideLayout")
    masters = _related_parts(parts, layouts, "slideMaster")
    for part in [*layouts, *masters]:
        reader = OfficeText(parts, part)
        for tree in parts.parse_root(part).iter("{*}spTree"):
            shapes = [shape for shape in tree if not _find_placeholder_kind(shape)]
            text = "; ".join(chain.from_iterable(map(reader.iterate_lines_of, shapes)))
            if text:
                yield f"[On slides: {text}]"


def _lines_around_notes(parts: OfficeParts, slides: list[str]) -> list[str]:
    """Return headers, footers and dates of pages of notes, each once."""
    lines = dict[str, None]()
    for part in _related_parts(parts, slides, "notesSlide"):
        reader = OfficeText(parts, part)
        for tree in parts.parse_root(part).iter("{*}spTree"):
            shapes = [shape for shape in tree if _find_placeholder_kind(shape) in _FURNITURE]
            lines |= dict.fromkeys(chain.from_iterable(map(reader.iterate_lines_of, shapes)))
    return [f"[On notes: {line}]" for line in lines if line.strip()]


def _related_parts(parts: OfficeParts, sources: list[str], kind: str) -> list[str]:
    """Return the parts of one kind to which other parts refer, each once."""
    related = chain.from_iterable(parts.find_related_parts(source, kind) for source in sources)
    return list(dict.fromkeys(related))
