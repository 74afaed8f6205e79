"""Write the lines of tables in Markdown."""

from collections.abc import Iterator, Mapping

__all__ = ["write_head", "write_interval", "write_row"]


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
