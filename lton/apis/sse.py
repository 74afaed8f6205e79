"""Server-sent events: cut out of a stream, each with the bytes that it came in, and written."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lton._json import minified
from lton.apis.members import read_object
from lton.errors import ConversionError

MAX_EVENT = 16 * 1024 * 1024
"""Bytes of an event."""
_END = re.compile(rb"(?:\r\n|\n|\r(?!\n)){2}")
_LINE = re.compile(r"\r\n|\n|\r")
_DONE = "[DONE]"
_BOM = "\ufeff"
"""What some servers begin a stream with."""


@dataclass(frozen=True)
class RawEvent:
    """An event: its bytes, its name, and the object in JSON that it carries, if it does."""

    raw: bytes
    name: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    is_done: bool = False
    """Whether it says that nothing follows: `[DONE]`."""

    def saying(self, data: Mapping[str, Any]) -> "RawEvent":
        """Return an event that says something else under the same name."""
        return RawEvent(event(data, self.name), self.name, data)


class EventCutter:
    r"""Cuts bytes into events; `rest` is what no event has ended.

    >>> cutter = EventCutter()
    >>> pieces = b": hi\n", b"\ndata: {}\r\n\r", b"\nda"
    >>> [each.raw for piece in pieces for each in cutter.feed(piece)]
    [b': hi\n\n', b'data: {}\r\n\r\n']
    >>> cutter.rest
    b'da'
    """

    def __init__(self) -> None:
        self._held = bytearray()
        self._seen = 0

    @property
    def rest(self) -> bytes:
        return bytes(self._held)

    def feed(self, chunk: bytes) -> Iterator[RawEvent]:
        """Return the events that end in a chunk. Raises `ConversionError` for what is none."""
        self._held += chunk
        while found := self._end():
            raw = bytes(self._held[:found])
            del self._held[:found]
            self._seen = 0
            yield read_event(raw)
        if len(self._held) > MAX_EVENT:
            raise ConversionError("an event of the upstream is too long")

    def _end(self) -> int | None:
        """Get the end of the first event; a last carriage return may be half of a line end."""
        match = _END.search(self._held, max(0, self._seen - 3))
        self._seen = len(self._held)
        if match is None or (match.end() == len(self._held) and match[0].endswith(b"\r")):
            return None
        return match.end()


def read_event(raw: bytes) -> RawEvent:
    r"""Return the event of some bytes. Raises `ConversionError` for data that are no object.

    >>> read_event(b'event: ping\ndata: {"type": "ping"}\n\n').data
    {'type': 'ping'}
    """
    name, data = "", list[str]()
    for line in _LINE.split(raw.decode(errors="replace").removeprefix(_BOM)):
        key, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if key == "event":
            name = value
        elif key == "data":
            data.append(value)
    text = "\n".join(data)
    if not text or text.strip() == _DONE:
        return RawEvent(raw, name, is_done=bool(text))
    return RawEvent(raw, name, read_object(text))


# --- writing --------------------------------------------------------------------------------------

DONE = b"data: [DONE]\n\n"
WAITING = b": waiting\n\n"
"""A comment: it keeps connections open while nothing is said."""


def event(data: Any, name: str = "") -> bytes:
    r"""Get the bytes of an event with some JSON, and a name if the API has names.

    >>> event({"ok": True})
    b'data: {"ok":true}\n\n'
    """
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {minified(data)}\n\n".encode(errors="replace")


PING = event({"type": "ping"}, "ping")
"""What Anthropic's API has in place of the comment."""
