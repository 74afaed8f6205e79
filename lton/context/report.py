"""Write a context image as an HTML page without scripts."""

from collections.abc import Iterator
from html import escape
from importlib.resources import files

from lton.context.image import Image, Page, Places, Span

_STYLE = files("lton.context").joinpath("report.css").read_text("utf-8")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def to_html(image: Image, title: str = "Context image") -> str:
    """Return an HTML page that shows an image.

    >>> from lton.context.image import Document
    >>> from lton.context.ingest import plan_image
    >>> from lton.tokens import counter
    >>> rules = Document("rules.md", "<script>alert(1)</script>", "core")
    >>> page = to_html(plan_image([rules], budget=9, counter=counter("bytes")))
    >>> "<script" in page, "&lt;script&gt;alert(1)" in page
    (False, True)
    """
    return "".join(_iterate_html_parts(image, title))


def _iterate_html_parts(image: Image, title: str) -> Iterator[str]:
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body><main>"
        f"<h1>{escape(title)}</h1>"
    )
    yield _write_summary(image)
    yield "<h2>Documents</h2><ul>"
    for page in image.pages:
        yield _write_row(page)
    yield "</ul><h2>What the model sees</h2>"
    yield '<p class="small">A part leads to its place in the document.</p>'
    for page in image.pages:
        if page.end:
            yield from _iterate_page_html(page)
    yield "<h2>What it was made of</h2>"
    yield (
        '<p class="small"><b>kept</b> <b class="pinned">kept byte for byte</b>'
        ' <span class="cut">not shown</span></p>'
    )
    for page in image.pages:
        yield from _iterate_raw_html(page)
    yield "</main></body></html>\n"


def _write_summary(image: Image) -> str:
    shares = image.classes
    shares["heads"] = max(0, image.tokens - sum(shares.values()))
    exact = "" if image.exact else "about "
    question = f"<p>Question: {escape(image.query)}</p>" if image.query else ""
    key = '<i class="key {0}"></i>&nbsp;{0} {1:,}'.format
    legend = ", ".join(key(role, size) for role, size in shares.items())
    return (
        f"<p>{exact}{image.tokens:,} of {image.budget:,} tokens by {escape(image.counter)}: "
        f"{legend}</p>{question}{_write_bar(shares, image.budget)}"
    )


def _write_bar(parts: dict[str, int], whole: int) -> str:
    label = ", ".join(f"{name} {size:,}" for name, size in parts.items())
    shares = "".join(
        f'<i class="{name}" style="width:{100 * size / max(1, whole):.2f}%"></i>'
        for name, size in parts.items()
        if size
    )
    return f'<div class="bar" role="img" aria-label="{label} of {whole:,}">{shares}</div>'


def _write_row(page: Page) -> str:
    role = page.document.role
    name = escape(page.document.label)
    link = f'<a href="#{_anchor_of(page)}">{escape(page.ref)} {name}</a>'
    return (
        f'<li><div class="row"><span>{link}</span>'
        f'<span class="small">{role}, {page.action}: {escape(page.reason)}; {page.after:,} of'
        f" {page.before:,} tokens</span></div>{_write_bar({role: page.after}, page.before)}</li>"
    )


def _iterate_page_html(page: Page) -> Iterator[str]:
    yield f"<section><h3>{escape(page.head or page.document.label)}</h3><pre>"
    at = 0
    for number, span in enumerate(page.spans):
        text = page.document.text[span.start : span.end]
        start = page.body.index(text, at)
        yield escape(page.body[at:start])
        yield f'<a href="#{_anchor_of(page, number)}">{_write_mark(text, span)}</a>'
        at = start + len(text)
    yield f"{escape(page.body[at:])}</pre></section>"


def _iterate_raw_html(page: Page) -> Iterator[str]:
    document = page.document
    places = Places(page.document.text)
    where = ", ".join(places.describe_span(span) for span in page.spans[:50])
    yield (
        f'<section id="{_anchor_of(page)}"><h3>{escape(page.ref)} {escape(document.label)}</h3>'
        f'<p class="small">{where or "nothing is shown"}; SHA-256 {document.digest}</p><pre>'
    )
    at = 0
    for number, span in enumerate(page.spans):
        yield _shorten_text(document.text[at : span.start])
        text = document.text[span.start : span.end]
        label = places.describe_span(span)
        yield _write_mark(text, span, f' id="{_anchor_of(page, number)}" title="{label}"')
        at = span.end
    yield f"{_shorten_text(document.text[at:])}</pre></section>"


def _write_mark(text: str, span: Span, attributes: str = "") -> str:
    kind = ' class="pinned"' if span.pinned else ""
    return f"<mark{kind}{attributes}>{escape(text)}</mark>"


def _shorten_text(text: str) -> str:
    return f'<span class="cut">{escape(text)}</span>' if text.strip() else escape(text)


def _anchor_of(page: Page, number: int | None = None) -> str:
    name = "".join(char if char.isalnum() else "_" for char in page.ref)
    return f"d-{name}" if number is None else f"d-{name}-{number}"
