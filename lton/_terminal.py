"""What commands show people, who may read what others wrote: tools' names, pieces of texts."""

import re
import sys

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def write(text: str) -> None:
    if sys.stdout is None:
        raise OSError("standard output is closed")
    sys.stdout.buffer.write((_tamed(text) if sys.stdout.isatty() else text).encode())
    sys.stdout.buffer.flush()


def say(message: str) -> None:
    """Write a message for people; it may show pieces of what others wrote."""
    if sys.stderr is not None:
        print(f"lton: {_tamed(message)}", file=sys.stderr)


def _tamed(text: str) -> str:
    """Make visible what a terminal would obey."""
    return _CONTROL.sub("\ufffd", text)


def table(head: list[str], rows: list[list[str]]) -> str:
    """Get a table as text, all columns but the first on the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [
        [row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in [head, *rows]
    ]
    return "".join("  ".join(line).rstrip() + "\n" for line in lines)
