"""What commands show people, who may read what others wrote: tools' names, pieces of texts."""

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from time import monotonic

from lton._patterns import compiled_when_used

_CONTROL = compiled_when_used(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)

_ERASE = "\r\x1b[K"
_PAUSE_S = 0.2
_progressing = False
"""Whether the last line of the terminal says how far something is."""


class UsageError(ValueError):
    """Options that do not go together, or lack one: the command ends with the status 2."""


def write(text: str) -> None:
    _erase()
    if sys.stdout is None:
        raise OSError("standard output is closed")
    sys.stdout.buffer.write((_tamed(text) if sys.stdout.isatty() else text).encode())
    sys.stdout.buffer.flush()


def say(message: str) -> None:
    """Write a message for people; it may show pieces of what others wrote."""
    _erase()
    if sys.stderr is not None:
        print(f"lton: {_tamed(message)}", file=sys.stderr)


@contextmanager
def written_to(file: str | None) -> Iterator[None]:
    """Let `write` write a file, once all of it is there; without a file, write as ever."""
    if file in (None, "-"):
        yield
        return
    held = io.TextIOWrapper(io.BytesIO())
    with redirect_stdout(held):
        yield
    Path(str(file)).write_bytes(held.buffer.getvalue())


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Get what says how far something is: on a terminal in one line, elsewhere not at all.

    The line is written again a few times a second at most, and gone in the end.
    """
    shown = sys.stderr is not None and sys.stderr.isatty()
    due = 0.0

    def show(text: str) -> None:
        global _progressing
        nonlocal due
        if shown and monotonic() >= due:
            print(f"{_ERASE}{_tamed(text)[:78]}", end="", file=sys.stderr, flush=True)
            due, _progressing = monotonic() + _PAUSE_S, True

    try:
        yield show
    finally:
        _erase()


def _erase() -> None:
    """Erase the line that says how far something is."""
    global _progressing  # noqa: PLW0603
    if _progressing:
        print(_ERASE, end="", file=sys.stderr, flush=True)
        _progressing = False


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
