"""A page of bars and a text for `lton try` and `lton probe`, in light and dark."""

from collections.abc import Iterator, Sequence
from html import escape

_TOP = 12
_STYLE = """
:root { color-scheme: light dark; --soft: #5a6169; --line: #d5d9de; --box: #f5f6f8;
  --was: #9a6a12; --now: #1456b8; }
@media (prefers-color-scheme: dark) { :root { --soft: #a4abb3; --line: #3c4148; --box: #1e2226;
  --was: #e0a94a; --now: #8ab4f8; } }
body { margin: 0 auto; padding: 1rem; max-width: 52rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
p { color: var(--soft); } .was { color: var(--was); } .now { color: var(--now); }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .5rem 1rem;
  align-items: center; }
dt { overflow-wrap: anywhere; }
dd { margin: 0; font-size: .85rem; font-variant-numeric: tabular-nums; }
dd span { display: flex; align-items: center; gap: .5rem; white-space: nowrap; }
dd span::before { content: ""; height: .7rem; min-width: 2px; border-radius: .15rem;
  width: calc(var(--part) * (100% - 5rem)); background: var(--was); }
dd span + span::before { background: var(--now); }
pre { padding: .75rem; background: var(--box); border: 1px solid var(--line);
  border-radius: .5rem; white-space: pre-wrap; overflow-wrap: anywhere;
  font: .8125rem/1.5 ui-monospace, monospace; }
"""


def page(
    title: str,
    heading: str,
    legend: tuple[str, str],
    rows: Sequence[tuple[str, int, int]],
    text: str,
) -> str:
    """Return a page with two bars for each row, the legend of the bars, and then the text."""
    return "".join(_pieces(title, heading, legend, rows, text))


def _pieces(
    title: str,
    heading: str,
    legend: tuple[str, str],
    rows: Sequence[tuple[str, int, int]],
    text: str,
) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    yield f"<main>\n<h1>{escape(title)}</h1>\n<h2>{escape(heading)}</h2>\n"
    before, after = map(escape, legend)
    yield f'<p><b class="was">{before}</b>, and <b class="now">{after}</b></p>\n<dl>\n'
    most = max((max(was, now) for _, was, now in rows), default=0) or 1
    for name, was, now in rows[:_TOP]:
        bars = "".join(
            f'<span style="--part:{each / most:.4f}">{each:,}</span>' for each in (was, now)
        )
        yield f"<dt>{escape(name)}</dt><dd>{bars}</dd>\n"
    yield f"</dl>\n<h2>All figures</h2>\n<pre>{escape(text)}</pre>\n</main>\n</body>\n</html>\n"
