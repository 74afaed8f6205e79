"""Report output of a server that is not a message of MCP, so that users see why it is silent."""

from collections.abc import Iterable, Iterator
from typing import Any

from lton._json import minified

_LINES = 5
"""The number of lines that are shown. A server may print a whole log."""
_CHARACTERS = 200


class NoiseReport:
    """Describes the first few lines of a server that are not messages."""

    def __init__(self) -> None:
        self._count = 0

    def iterate_reports(self, values: Iterable[Any]) -> Iterator[str]:
        """Yield a sentence for each value, until enough of them have been shown."""
        for value in values:
            text = value if isinstance(value, str) else minified(value)
            if not text.strip():
                continue
            self._count += 1
            if self._count <= _LINES:
                yield f"the MCP server writes {text[:_CHARACTERS]!r}: this is not a message of MCP"
            elif self._count == _LINES + 1:
                yield "more such lines of the MCP server are not shown"
