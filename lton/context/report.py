"""An image of a context as a page for people: what of each document was kept, and what was not.

The page is one file without a script, and its policy lets none run, nor anything be loaded. All
that documents say is escaped.
"""

from collections.abc import Iterator
from html import escape

from lton.context.image import Image, Page, Places, Span

_STYLE = """
:root { color-scheme: light dark; --line: #8888; --kept: #d9f2d9; --pinned: #d5e5ff;
  --edge: #2e7d32; --pin: #1456b8; --cut: #5f6368; --room: #e3e3e3; --skill: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --kept: #17391b; --pinned: #14305c;
  --edge: #66bb6a; --pin: #8ab4f8; --cut: #a4a8ad; --room: #3a3a3a; --skill: #e0a94a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 70rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
pre { margin: 0; padding: .75rem; white-space: pre-wrap; overflow-wrap: anywhere;
  font: .875rem/1.55 ui-monospace, monospace; border-top: 1px solid var(--line); }
a { color: inherit; text-decoration: none; }
a:hover, a:focus-visible { outline: 2px solid var(--edge); }
.bar { display: flex; height: .9rem; background: var(--room); border-radius: .25rem;
  overflow: hidden; }
.bar i { display: block; min-width: 1px; }
.core { background: var(--pin); } .refs { background: var(--edge); }
.skills { background: var(--skill); } .heads { background: var(--cut); }
ul { list-style: none; padding: 0; } li { margin: .6rem 0; }
.row { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; }
.row span:first-child { overflow-wrap: anywhere; font-weight: 600; }
.small { color: var(--cut); font-size: .875rem; }
section { margin: 1rem 0; border: 1px solid var(--line); border-radius: .4rem; overflow: hidden; }
section > h3 { font-size: 1rem; margin: 0; padding: .5rem .75rem 0; overflow-wrap: anywhere; }
section > p { margin: 0; padding: 0 .75rem .5rem; }
mark, p b { color: inherit; background: var(--kept); font-weight: inherit; padding: 0 .2rem;
  border-left: .2rem solid var(--edge); }
mark.pinned, p b.pinned { background: var(--pinned); border-color: var(--pin); }
.cut { color: var(--cut); }
i.key { display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem; }
:target { outline: 3px solid var(--skill); scroll-margin-top: 5rem; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def to_html(image: Image, title: str = "Context image") -> str:
    """Get the page of an image.

    >>> from lton.context.image import Document
    >>> from lton.context.ingest import plan
    >>> from lton.tokens import counter
    >>> rules = Document("rules.md", "<script>alert(1)</script>", "core")
    >>> page = to_html(plan([rules], budget=9, counter=counter("bytes")))
    >>> "<script" in page, "&lt;script&gt;alert(1)" in page
    (False, True)
    """
    return "".join(_pieces(image, title))


def _pieces(image: Image, title: str) -> Iterator[str]:
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body><main>"
        f"<h1>{escape(title)}</h1>"
    )
    yield _summary(image)
    yield "<h2>Documents</h2><ul>"
    for page in image.pages:
        yield _row(page)
    yield "</ul><h2>What the model sees</h2>"
    yield '<p class="small">A part leads to its place in the document.</p>'
    for page in image.pages:
        if page.end:
            yield from _shown(page)
    yield "<h2>What it was made of</h2>"
    yield (
        '<p class="small"><b>kept</b> <b class="pinned">kept byte for byte</b>'
        ' <span class="cut">not shown</span></p>'
    )
    for page in image.pages:
        yield from _raw(page)
    yield "</main></body></html>\n"


def _summary(image: Image) -> str:
    shares = image.classes
    shares["heads"] = max(0, image.tokens - sum(shares.values()))
    exact = "" if image.exact else "about "
    asked = f"<p>Question: {escape(image.query)}</p>" if image.query else ""
    said = ", ".join(
        f'<i class="key {role}"></i>&nbsp;{role} {size:,}' for role, size in shares.items()
    )
    return (
        f"<p>{exact}{image.tokens:,} of {image.budget:,} tokens by {escape(image.counter)}: "
        f"{said}</p>{asked}{_bar(shares, image.budget)}"
    )


def _bar(parts: dict[str, int], whole: int) -> str:
    said = ", ".join(f"{name} {size:,}" for name, size in parts.items())
    shares = "".join(
        f'<i class="{name}" style="width:{100 * size / max(1, whole):.2f}%"></i>'
        for name, size in parts.items()
        if size
    )
    return f'<div class="bar" role="img" aria-label="{said} of {whole:,}">{shares}</div>'


def _row(page: Page) -> str:
    role, name = page.document.role, escape(page.document.label)
    return (
        f'<li><div class="row"><span><a href="#{_id(page)}">{escape(page.ref)} {name}</a></span>'
        f'<span class="small">{role}, {page.action}: {escape(page.reason)}; {page.after:,} of'
        f" {page.before:,} tokens</span></div>{_bar({role: page.after}, page.before)}</li>"
    )


def _shown(page: Page) -> Iterator[str]:
    yield f"<section><h3>{escape(page.head or page.document.label)}</h3><pre>"
    at = 0
    for number, span in enumerate(page.spans):
        text = page.document.text[span.start : span.end]
        start = page.body.index(text, at)
        yield escape(page.body[at:start])
        yield f'<a href="#{_id(page, number)}">{_mark(text, span)}</a>'
        at = start + len(text)
    yield f"{escape(page.body[at:])}</pre></section>"


def _raw(page: Page) -> Iterator[str]:
    document, places = page.document, Places(page.document.text)
    where = ", ".join(places.shown(span) for span in sorted(page.spans)[:50])
    yield (
        f'<section id="{_id(page)}"><h3>{escape(page.ref)} {escape(document.label)}</h3>'
        f'<p class="small">{where or "nothing is shown"}; SHA-256 {document.digest}</p><pre>'
    )
    at = 0
    for span, number in sorted((span, number) for number, span in enumerate(page.spans)):
        yield _cut(document.text[at : span.start])
        text, label = document.text[span.start : span.end], places.shown(span)
        yield _mark(text, span, f' id="{_id(page, number)}" title="{label}"')
        at = span.end
    yield f"{_cut(document.text[at:])}</pre></section>"


def _mark(text: str, span: Span, attributes: str = "") -> str:
    kind = ' class="pinned"' if span.pinned else ""
    return f"<mark{kind}{attributes}>{escape(text)}</mark>"


def _cut(text: str) -> str:
    return f'<span class="cut">{escape(text)}</span>' if text.strip() else escape(text)


def _id(page: Page, number: int | None = None) -> str:
    """Get a name for a place in the page: references are made by us, but need not be."""
    name = "".join(char if char.isalnum() else "_" for char in page.ref)
    return f"d-{name}" if number is None else f"d-{name}-{number}"
