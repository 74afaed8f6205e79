"""Read PDF documents.

A PDF need not say which characters its glyphs are. Without that table, the text layer is rubbish
that looks like text: control characters, code points that are not assigned, letters of scripts that
nobody mixes. Such a page is named, and its rubbish is not shown.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from io import BytesIO
from itertools import chain, pairwise
from typing import Any

from lton._require import require
from lton.documents.layout import MISSING, missing_note
from lton.documents.limits import MOST_PAGES, DocumentError

_MOST_ODD = 0.05  # the share of characters that no text contains
_MOST_MIXED = 0.10  # the share of neighbouring letters that are of scripts that nobody mixes
_FEWEST = 20  # letters on which a judgement of scripts is based
_ODD = frozenset(["Cc", "Cn", "Co", "Cs"])
_EAST_ASIAN = frozenset(
    "BOPOMOFO CJK FULLWIDTH HALFWIDTH HANGUL HIRAGANA IDEOGRAPHIC KANGXI KATAKANA "
    "KATAKANA-HIRAGANA".split()
)
"""Scripts that are written next to each other in one word."""
_ANY_SCRIPT = frozenset(
    "ANGSTROM BLACK-LETTER DOUBLE-STRUCK FEMININE KELVIN MASCULINE MATHEMATICAL MICRO MODIFIER "
    "OHM PLANCK SCRIPT SUBSCRIPT SUPERSCRIPT".split()
)
"""First words of the names of letters that may be next to letters of any script."""
_OWN_TEXT = frozenset(["/Link", "/Popup", "/Widget"])
"""Kinds of annotations whose `Contents` are not a comment."""


_NO_TEXT = "without any text"


def read_pdf(content: bytes) -> Iterator[str]:
    """Yield the text of each page. The last page says what is missing."""
    reader = require("pypdf", "context").PdfReader(BytesIO(content))
    if reader.is_encrypted and not reader.decrypt(""):
        raise DocumentError("expected a document without a password")
    if len(reader.pages) > MOST_PAGES:
        raise DocumentError(f"it has more than {MOST_PAGES:,} pages")
    faults: dict[str, list[int]] = {}
    previous: str | None = None
    for number, page in enumerate(reader.pages, 1):
        text, fault = _page_text(page)
        if fault:
            faults.setdefault(fault, []).append(number)
        if previous is not None:
            yield previous
        previous = "\n".join([text, *_annotation_lines(page)])
    _refuse_unreadable(faults, len(reader.pages))
    yield "\n".join([previous or "", *_missing_lines(reader, faults)])


def _refuse_unreadable(faults: dict[str, list[int]], pages: int) -> None:
    """Raise `DocumentError` if all pages have the same fault, and it is not that they are empty."""
    for fault, numbers in faults.items():
        if fault != _NO_TEXT and len(numbers) == pages:
            raise DocumentError(f"expected a PDF with readable pages, found pages {fault}")


def _page_text(page: Any) -> tuple[str, str]:
    """Return the text of a page, and what is wrong with the page if the text is missing."""
    try:
        text = str(page.extract_text())
    except Exception as error:  # any kind of error, because documents are untrusted
        return "", f"with an invalid content ({type(error).__name__})"
    if is_rubbish(text):
        return "", "with fonts that do not say which characters their glyphs are"
    return text, "" if text.strip() else _NO_TEXT


def is_rubbish(text: str) -> bool:
    r"""Return whether the text of a page is glyph numbers, and not characters.

    >>> is_rubbish("Five gauges."), is_rubbish("\x01\x02$\x05 \x03\x04")
    (False, True)
    """
    signs = "".join(text.split())
    odd = sum(unicodedata.category(sign) in _ODD or sign == "\ufffd" for sign in signs)
    return odd > _MOST_ODD * len(signs) or _mixes_scripts(text)


def _mixes_scripts(text: str) -> bool:
    """Return whether the letters of words often belong to different scripts."""
    neighbours = chain.from_iterable(map(pairwise, text.split()))
    scripts = [(_script(first), _script(second)) for first, second in neighbours]
    recognized = [(first, second) for first, second in scripts if first and second]
    mixed = sum(first != second for first, second in recognized)
    return len(recognized) >= _FEWEST and mixed > _MOST_MIXED * len(recognized)


@cache
def _script(letter: str) -> str:
    """Return the script of a letter, or an empty string for a character of no script."""
    if not letter.isalpha():
        return ""
    name = unicodedata.name(letter, "").partition(" ")[0]
    if name in _EAST_ASIAN:
        return "CJK"
    return "" if name in _ANY_SCRIPT else name


def _annotation_lines(page: Any) -> Iterator[str]:
    """Yield the comments on a page, and the values of its form fields."""
    for reference in page.get("/Annots") or ():
        annotation = reference.get_object()
        kind = annotation.get("/Subtype")
        if kind == "/Widget":
            field = annotation
            if "/T" not in field and "/Parent" in field:
                field = field["/Parent"]
            value = annotation.get("/V", field.get("/V"))
            if isinstance(value, str) and value.strip("/ ") not in ("", "Off"):
                yield f"[Field {field.get('/T', '')}: {value.removeprefix('/')}]"
        elif kind not in _OWN_TEXT and str(annotation.get("/Contents", "")).strip():
            yield f"[Comment: {annotation['/Contents']}]"


def _missing_lines(reader: Any, faults: Mapping[str, list[int]]) -> list[str]:
    lines = [
        f"{MISSING}{_page_list(numbers)}, {fault}]"
        for fault, numbers in faults.items()
        if len(numbers) < len(reader.pages)
    ]
    return [*lines, *missing_note({"attached file": len(reader.attachments)})]


def _page_list(numbers: list[int]) -> str:
    return f"page{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
