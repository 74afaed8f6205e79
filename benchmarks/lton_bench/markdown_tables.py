"""Write the lines of tables in Markdown."""

from collections.abc import Iterator, Mapping
from pathlib import Path

__all__ = ["write_head", "write_interval", "write_page", "write_row"]


def write_head(*cells: str) -> Iterator[str]:
    """Yield the first two lines of a table, whose figures are at the right.

    >>> list(write_head("", "calls"))
    ['|  | calls |', '| --- | ---: |']
    """
    yield write_row(*cells)
    yield write_row("---", *["---:"] * (len(cells) - 1))


def write_row(*cells: object) -> str:
    """Return a line of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def write_interval(figure: Mapping[str, float]) -> str:
    """Return a figure with its interval."""
    return f"{figure['value']:.3f} [{figure['low']:.3f}, {figure['high']:.3f}]"


def write_page(path: Path, text: str) -> None:
    """Write the tables of a study to a file, and to the screen."""
    path.write_text(text, "utf-8")
    print(text)
