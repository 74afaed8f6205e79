"""Check layouts and images before callers receive them. A failed check is a bug in the library.

The checks use only the sections and the decisions: they count the text, and build it again from the
decisions.
"""

from collections.abc import Iterator, Sequence

from lton.context.endings import is_cut_off
from lton.context.image import Image
from lton.context.marks import make_unused_mark
from lton.context.sections import Decision, Layout, Section, join_sections
from lton.errors import InvariantError
from lton.tokens.counting import TokenCounter


def check_layout(sections: Sequence[Section], layout: Layout, counter: TokenCounter) -> None:
    """Raise `InvariantError` (E702) if a layout breaks a guarantee.

    The size is within the budget. Each section has a decision, in order. Critical sections are
    unchanged byte for byte. A cut text ends after a sentence, a line or a word, with a mark (in
    bytes: after a code point). The decisions and the separator determine the whole text. Shortening
    made no text larger.

    >>> from dataclasses import replace
    >>> from lton.context import lay_out
    >>> from lton.tokens import counter
    >>> sections = [Section("rules", "Be brief.")]
    >>> layout = lay_out(sections, budget=3, counter=counter("bytes"))
    >>> check_layout(sections, replace(layout, text="Be rude!!"), counter("bytes"))
    Traceback (most recent call last):
    lton.errors.InvariantError: the layout breaks a guarantee: 'rules' is not byte for byte [E702]
    """
    for fault in _iterate_layout_faults(sections, layout, counter):
        raise InvariantError(f"the layout breaks a guarantee: {fault}")


def check_image(image: Image, counter: TokenCounter) -> None:
    """Raise `InvariantError` (E702) if an image breaks a guarantee.

    The size is within the budget. The pages together are the whole text. Core documents and pinned
    spans are unchanged byte for byte. Other documents consist of spans of their text, with white
    space and marks between them (in JSON also a comma). Each page has one head. No page is larger
    than its document.
    """
    for fault in _iterate_image_faults(image, counter):
        hint = "ingest again with a lower ratio, or raw"
        raise InvariantError(f"the image breaks a guarantee: {fault}; {hint}")


def _iterate_image_faults(image: Image, counter: TokenCounter) -> Iterator[str]:
    size = counter.count(image.text).tokens
    if size > image.budget or size != image.tokens:
        yield f"it takes {size:,} of {image.budget:,} tokens, not {image.tokens:,}"
    texts = [image.text[page.start : page.end] for page in image.pages]
    if join_sections([*texts, image.names], "\n") != image.text:
        yield "the pages do not give its text"
    heads = [line for line in (*(page.head for page in image.pages), image.names) if line]
    fence = heads[0].partition(" ")[0] if heads else None
    if fence and image.text.count(fence) != len(heads):
        yield "it has a false head"
    for page, text in zip(image.pages, texts, strict=True):
        name = f"{page.ref} {page.document.label!r}"
        if text != (f"{page.head}\n{page.body}" if page.head else page.body):
            yield f"{name} is not at its offsets"
        if page.document.role == "core" and text != page.document.text:
            yield f"{name} is not byte for byte"
        if page.after > page.before:
            yield f"{name} became larger"
        if page.left is None:
            yield f"{name} is not made of its spans"


def _iterate_layout_faults(
    sections: Sequence[Section], layout: Layout, counter: TokenCounter
) -> Iterator[str]:
    size = counter.count(layout.text).tokens
    if size > layout.budget or size != layout.tokens:
        yield f"it takes {size:,} of {layout.budget:,} {layout.units}, not {layout.tokens:,}"
    if [section.name for section in sections] != [choice.section for choice in layout.decisions]:
        yield "the decisions do not match the sections"
    texts = [layout.text[choice.start : choice.end] for choice in layout.decisions]
    for section, decision, text in zip(sections, layout.decisions, texts, strict=True):
        if not _is_as_decided(section, decision, text, layout):
            yield f"{section.name!r} is not {_PROMISES[decision.action]}"
        if decision.action != "grown" and decision.after > decision.before:
            yield f"{section.name!r} was shortened and is larger"
    if join_sections(texts, layout.separator) != layout.text:
        yield "the decisions do not give its text"
    yield from _iterate_size_faults(layout, texts, counter)


def _iterate_size_faults(
    layout: Layout, texts: Sequence[str], counter: TokenCounter
) -> Iterator[str]:
    changed = [
        (decision, text)
        for decision, text in zip(layout.decisions, texts, strict=True)
        if decision.action not in ("kept", "dropped")
    ]
    counts = counter.count_all(text for _, text in changed)
    for (decision, _), count in zip(changed, counts, strict=True):
        if count.tokens != decision.after:
            yield f"{decision.section!r} takes {count.tokens:,}, but {decision.after:,} is reported"


_PROMISES = {
    "kept": "byte for byte",
    "compressed": "a text that its strategy returned",
    "cut": "a marked beginning with a proper end",
    "grown": "its full text, or a beginning of it",
    "dropped": "gone",
}


def _is_as_decided(section: Section, decision: Decision, text: str, layout: Layout) -> bool:
    if decision.action == "kept":
        return text == section.text
    if section.critical:
        return False
    if decision.action == "dropped":
        return not text
    if decision.action == "grown":
        full = section.full or ""
        return text == full or _begins(full, text, layout)
    if decision.after < min(section.min, decision.before):
        return False
    return text != "" if decision.action == "compressed" else _begins(section.text, text, layout)


def _begins(whole: str, text: str, layout: Layout) -> bool:
    if layout.units == "bytes":
        return text != "" and whole.startswith(text)
    return text != "" and is_cut_off(text, whole, make_unused_mark(whole))
