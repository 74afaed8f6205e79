"""Read PDF documents: the text of pages, comments, and the fields of forms."""

from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any

from lton._require import require
from lton.documents.layout import MISSING, write_missing_note
from lton.documents.limits import MOST_PAGES, DocumentError
from lton.documents.pdf_fonts import read_page_and_missing_count

_OWN_TEXT = frozenset(["/Link", "/Popup", "/Widget"])
"""Kinds of annotations whose `Contents` are not a comment."""
_PUSH_BUTTON = 1 << 16  # a flag of a field
_NO_TEXT = "without any text"
_FONTS = "fonts that do not say which characters their glyphs are"
_UNKNOWN = f"with {_FONTS}"
_PARTLY = f"in part, because of {_FONTS}"


def iterate_pdf_lines(content: bytes) -> Iterator[str]:
    """Yield the text of each page. The last page says what is missing."""
    reader = require("pypdf", "context").PdfReader(BytesIO(content))
    if reader.is_encrypted and not reader.decrypt(""):
        raise DocumentError("expected a document without a password")
    if len(reader.pages) > MOST_PAGES:
        raise DocumentError(f"it has more than {MOST_PAGES:,} pages")
    faults: dict[str, list[int]] = {}
    previous: str | None = None
    has_text = False
    for number, page in enumerate(reader.pages, 1):
        text, fault = _read_text_and_fault(page)
        if fault:
            faults.setdefault(fault, []).append(number)
        if previous is not None:
            yield previous
        previous = "\n".join([text, *_iterate_annotation_lines(page)])
        has_text = has_text or bool(previous.strip())
    _refuse_unreadable(faults, len(reader.pages))
    yield "\n".join([previous or "", *_missing_lines(reader, faults if has_text else {})])


def _refuse_unreadable(faults: dict[str, list[int]], pages: int) -> None:
    """Raise `DocumentError` if all pages have the same fault, and it is not that they are empty."""
    for fault, numbers in faults.items():
        if fault not in (_NO_TEXT, _PARTLY) and len(numbers) == pages:
            raise DocumentError(f"expected a PDF with readable pages, found pages {fault}")


def _read_text_and_fault(page: Any) -> tuple[str, str]:
    """Return the text of a page, and what is wrong with the page if the text is missing."""
    try:
        text, missing = read_page_and_missing_count(page)
    except Exception as error:  # any kind of error, because documents are untrusted
        return "", f"with an invalid content ({type(error).__name__})"
    if text.strip():
        return text, _PARTLY if missing else ""
    return "", _UNKNOWN if missing else _NO_TEXT


def _iterate_annotation_lines(page: Any) -> Iterator[str]:
    """Yield the comments on a page, its form fields, and other text that is laid over it."""
    for reference in page.get("/Annots") or ():
        annotation = reference.get_object()
        kind = annotation.get("/Subtype")
        lines = list(_iterate_field_lines(annotation)) if kind == "/Widget" else []
        if kind not in _OWN_TEXT and str(annotation.get("/Contents", "")).strip():
            lines.append(f"[Comment: {annotation['/Contents']}]")
        yield from lines
        laid_over = _text_laid_over(page, annotation)
        if not _has_words(" ".join(lines), laid_over):
            yield f"[{str(kind).removeprefix('/')}: {laid_over}]"


def _iterate_field_lines(annotation: Any) -> Iterator[str]:
    """Yield the value of a form field, and the values that it may have."""
    field = annotation
    if "/T" not in field and "/Parent" in field:
        field = field["/Parent"]
    name = field.get("/T", "")
    value = annotation.get("/V", field.get("/V"))
    if isinstance(value, str) and value.strip("/ ") not in ("", "Off"):
        yield f"[Field {name}: {value.removeprefix('/')}]"
    choices = [_choice_text(choice) for choice in field.get("/Opt") or ()]
    if choices:
        yield f"[Choices of {name}: {'; '.join(choices)}]"


def _choice_text(choice: Any) -> str:
    """Return the text of a choice, which may have a value before its text."""
    return str(choice[-1] if isinstance(choice, list) else choice)


def _text_laid_over(page: Any, annotation: Any) -> str:
    """Return the text of the picture of an annotation, such as a stamp or a button."""
    kind = annotation.get("/FT", annotation.get("/Parent", {}).get("/FT"))
    flags = annotation.get("/Ff", annotation.get("/Parent", {}).get("/Ff", 0))
    picture = annotation.get("/AP", {}).get("/N", {})
    is_ticked = kind == "/Btn" and not flags & _PUSH_BUTTON  # its text is the sign of a tick
    if is_ticked or not hasattr(picture, "get_data"):
        return ""
    return " ".join(str(page.extract_xform_text(picture)).split())


def _has_words(shown: str, text: str) -> bool:
    """Return whether a text has all words of another one."""
    return set(shown.replace("]", " ").split()).issuperset(text.split())


def _missing_lines(reader: Any, faults: Mapping[str, list[int]]) -> list[str]:
    lines = [f"{MISSING}{_write_page_list(numbers)}, {fault}]" for fault, numbers in faults.items()]
    return [*lines, *write_missing_note({"attached file": len(reader.attachments)})]


def _write_page_list(numbers: list[int]) -> str:
    return f"page{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
