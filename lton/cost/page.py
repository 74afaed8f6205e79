"""Write the HTML page of `lton cost -o NAME.html`, with bars and a summary."""

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import TypeAlias

Bar: TypeAlias = tuple[str, int, int]  # A name and two figures
_TOP = 12
_PAGE = Path(__file__).with_name("page.html")


def write_page(
    title: str, heading: str, legend: tuple[str, str], rows: Sequence[Bar], text: str
) -> str:
    """Write an HTML page with two bars per row, a legend, and text."""
    was, now = legend
    pieces = {"title": title, "heading": heading, "was": was, "now": now, "text": text}
    escaped = {name: escape(piece) for name, piece in pieces.items()}
    return Template(_PAGE.read_text("utf-8")).substitute(escaped, bars="".join(_iterate_bars(rows)))


def _iterate_bars(rows: Sequence[Bar]) -> Iterator[str]:
    most = max((max(was, now) for _, was, now in rows), default=0) or 1
    for name, was, now in rows[:_TOP]:
        bar = '<span style="--part:{:.4f}">{:,}</span>'.format
        bars = "".join(bar(tokens / most, tokens) for tokens in (was, now))
        yield f"<dt>{escape(name)}</dt><dd>{bars}</dd>\n"
