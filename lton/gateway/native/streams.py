"""The events of a stream, each with the bytes that it came in."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lton._json import minified
from lton.gateway.apis.protocol import RefusedError, read_object

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
        """Get an event that says something else under the same name."""
        head = f"event: {self.name}\n" if self.name else ""
        raw = f"{head}data: {minified(data)}\n\n".encode(errors="replace")
        return RawEvent(raw, self.name, data)


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
        """Get the events that end in a chunk. Raises `RefusedError`, 502, for what is none."""
        self._held += chunk
        while found := self._end():
            raw = bytes(self._held[:found])
            del self._held[:found]
            self._seen = 0
            yield read_event(raw)
        if len(self._held) > MAX_EVENT:
            raise RefusedError(502, "an event of the upstream is too long", "upstream_error")

    def _end(self) -> int | None:
        """Get the end of the first event; a last carriage return may be half of a line end."""
        match = _END.search(self._held, max(0, self._seen - 3))
        self._seen = len(self._held)
        if match is None or (match.end() == len(self._held) and match[0].endswith(b"\r")):
            return None
        return match.end()


def read_event(raw: bytes) -> RawEvent:
    r"""Get the event of some bytes. Raises `RefusedError`, 502, for data that are no object.

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
