"""Write messages, tables and progress to the terminal, without control characters."""

import io
import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from time import monotonic
from typing import TYPE_CHECKING, Any

from lton._patterns import compiled_when_used

if TYPE_CHECKING:
    from argparse import _ActionsContainer

_CONTROL = compiled_when_used(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)

WIDTH = 80
"""The columns of a terminal; no line of a report is longer."""
_GAP = "  "
_ERASE = "\r\x1b[K"
_PAUSE_S = 0.2
_progressing = False  # whether the last line on the terminal shows progress
_quiet = False
_CODE = compiled_when_used(r"(\[[EL][0-9]{3}\])$", re.MULTILINE)
_CARET = compiled_when_used(r"^( *)(\^+)$", re.MULTILINE)


class UsageError(ValueError):
    """Raised for invalid or contradictory options."""


def check_url(url: str, name: str) -> None:
    """Raise `UsageError` unless a URL is valid and uses HTTP or HTTPS."""
    from urllib.parse import urlsplit  # noqa: PLC0415 - takes long to import

    try:
        parts = urlsplit(url.strip())
        is_right = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None
    if not is_right:
        raise UsageError(f"{name}: expected a URL such as http://127.0.0.1:8080, found {url!r}")


def is_url(text: str) -> bool:
    """Return whether a word is the address of a running server, and not the name of a program."""
    return text.startswith(("http://", "https://"))


def write(text: str) -> None:
    _erase()
    if sys.stdout is None:
        raise OSError("standard output is closed")
    sys.stdout.buffer.write((_replace_controls(text) if sys.stdout.isatty() else text).encode())
    sys.stdout.buffer.flush()


def say(message: str) -> None:
    """Write a message to standard error, unless messages are turned off."""
    if not _quiet:
        complain(message)


def complain(message: str) -> None:
    """Write an error to standard error."""
    _erase()
    if sys.stderr is not None:
        text = f"lton: {_replace_controls(message)}"
        print(_add_colours(text) if _has_colours() else text, file=sys.stderr)


def be_quiet(quiet: bool = True) -> None:
    """Turn off the messages of `say`."""
    global _quiet  # noqa: PLW0603
    _quiet = quiet


def _has_colours() -> bool:
    """Return whether to use colours on standard error (see no-color.org)."""
    is_allowed = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return is_allowed and sys.stderr.isatty()


def _add_colours(text: str) -> str:
    text = _CODE.sub("\x1b[2m\\1\x1b[0m", text.replace("lton:", "\x1b[1mlton:\x1b[0m", 1))
    return _CARET.sub("\\1\x1b[1;31m\\2\x1b[0m", text)


@contextmanager
def written_to(file: str | None) -> Iterator[None]:
    """Redirect standard output to a file, unless `file` is None or `-`."""
    if file in (None, "-"):
        yield
        return
    buffer = io.TextIOWrapper(io.BytesIO())
    with redirect_stdout(buffer):
        yield
    with open(str(file), "wb") as target:  # `pathlib` takes long to import
        target.write(buffer.buffer.getvalue())


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a string as a progress line on the terminal."""
    is_visible = not _quiet and sys.stderr is not None and sys.stderr.isatty()
    due = 0.0

    def show_line(text: str) -> None:
        global _progressing  # noqa: PLW0603
        nonlocal due
        if is_visible and monotonic() >= due:
            print(f"{_ERASE}{_replace_controls(text)[:78]}", end="", file=sys.stderr, flush=True)
            due = monotonic() + _PAUSE_S
            _progressing = True

    try:
        yield show_line
    finally:
        _erase()


def _erase() -> None:
    global _progressing  # noqa: PLW0603
    if _progressing:
        print(_ERASE, end="", file=sys.stderr, flush=True)
        _progressing = False


def _replace_controls(text: str) -> str:
    return _CONTROL.sub("\ufffd", text)


def add_table(
    parser: "_ActionsContainer", module: str, section: str = "", **more: dict[str, Any]
) -> None:
    """Add the command-line options that are defined in a module's TOML file.

    `more` maps names of options to additional arguments for argparse.
    """
    import tomllib  # noqa: PLC0415 - filters do not need it

    with open(f"{module.removesuffix('.py')}.toml", "rb") as file:
        table = tomllib.load(file)
    for words, about in (table[section] if section else table).items():
        *_, name = names = words.split()
        kind = about.pop("type", None)
        typed: dict[str, Any] = {"type": _TYPES[kind]} if kind else {}
        parser.add_argument(*names, **about, **typed, **more.get(name.strip("-"), {}))


_TYPES = {"int": int, "float": float}


def try_parse_non_negative(text: str) -> float | None:
    """Parse a non-negative finite number; return None for any other text."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < math.inf else None


def count_noun(number: int, noun: str) -> str:
    """Write a number with its noun, in the plural unless the number is 1.

    >>> count_noun(1, "session"), count_noun(1200, "listing of tools")
    ('1 session', '1,200 listings of tools')
    """
    head, *tail = noun.split(" of ")
    return " of ".join([f"{number:,} {head}" if number == 1 else f"{number:,} {head}s", *tail])


def wrap_lines(text: str) -> str:
    """Break each line of a text that is longer than the terminal is by default."""
    from textwrap import fill  # noqa: PLC0415 - filters do not need it

    lines = (
        fill(line, WIDTH, break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    )
    return "".join(f"{line}\n" for line in lines)


def tables(head: list[str], rows: list[list[str]], groups: list[int]) -> str:
    """Format a table, or several if it is wider than a terminal. Each has the first column.

    `groups` are the numbers of neighbouring columns that stay in one table.
    """
    columns = [*zip(head, *rows, strict=True)]
    widths = [max(map(len, column)) for column in columns]
    parts: list[list[int]] = [[0]]
    start = 1
    for size in groups:
        group = [*range(start, start + size)]
        start += size
        wide = sum(widths[column] + len(_GAP) for column in [*parts[-1], *group]) - len(_GAP)
        if wide > WIDTH and len(parts[-1]) > 1:
            parts.append([0])
        parts[-1] += group
    return "\n".join(
        table([head[column] for column in part], [[row[column] for column in part] for row in rows])
        for part in parts
    )


def table(head: list[str], rows: list[list[str]]) -> str:
    """Format a table as text. All columns but the first are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [
        [row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in [head, *rows]
    ]
    return "".join(_GAP.join(line).rstrip() + "\n" for line in lines)
