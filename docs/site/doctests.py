"""An extension of griffe: the examples of docstrings as code, which are quotes in Markdown."""

from collections.abc import Iterator
from typing import Any

import griffe


class Doctests(griffe.Extension):
    """Put a fence around each doctest, and around each picture that is indented."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the text of a docstring when it has been read."""
        if obj.docstring:
            obj.docstring.value = "\n".join(fenced(obj.docstring.value.splitlines()))


def fenced(lines: list[str]) -> Iterator[str]:
    """Yield lines with a fence around each doctest, which ends with an empty line."""
    is_open = False
    for line in lines:
        if line.startswith(">>>") and not is_open:
            yield from ("", "```pycon")
            is_open = True
        elif is_open and not line.strip():
            yield "```"
            is_open = False
        yield line
    if is_open:
        yield "```"
