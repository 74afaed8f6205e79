"""Read and write server-sent events."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lton._json import minified
from lton.apis.json_members import read_object
from lton.errors import ConversionError

MAX_EVENT = 16 * 1024 * 1024  # bytes of an event
_END = re.compile(rb"(?:\r\n|\n|\r(?!\n)){2}")
_LINE = re.compile(r"\r\n|\n|\r")
_ONE_LINE = re.compile(rb"data: ([^\r\n]*+)\n\n")
_DONE = "[DONE]"
_BOM = "\ufeff"  # some servers begin a stream with it


@dataclass(frozen=True)
class RawEvent:
    """A server-sent event: its bytes, its name, and its JSON object, if any."""

    raw: bytes
    name: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    is_done: bool = False  # whether it is `[DONE]`

    def with_data(self, data: Mapping[str, Any]) -> "RawEvent":
        """Return an event with the same name and new data."""
        return RawEvent(write_event(data, self.name), self.name, data)


class EventCutter:
    """Splits bytes into events."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0

    def feed(self, chunk: bytes) -> Iterator[RawEvent]:
        """Add a chunk and yield the events that the chunk completes. Raises `ConversionError`."""
        if not self._buffer:
            event = _try_read_one_line(chunk)  # the usual case
            if event is None and _is_one_event(chunk):
                event = read_event(chunk)
            if event is not None:
                yield event
                return
        self._buffer += chunk
        while event_end := self._find_event_end():
            raw = bytes(self._buffer[:event_end])
            del self._buffer[:event_end]
            self._searched = 0
            yield read_event(raw)
        if len(self._buffer) > MAX_EVENT:
            raise ConversionError("an event from the upstream is too long")

    def flush(self) -> Iterator[RawEvent]:
        """Yield the last event if only its blank line is missing. Raises `ConversionError`."""
        raw = bytes(self._buffer)
        self._buffer.clear()
        self._searched = 0
        last = read_event(raw)
        if last.data or last.is_done:
            # Otherwise the following text, such as an error, would join its last line.
            yield replace(last, raw=raw + b"\n\n")

    def _find_event_end(self) -> int | None:
        """Return the end of the first event. The last byte may be the first half of a line end."""
        match = _END.search(self._buffer, max(0, self._searched - 3))
        self._searched = len(self._buffer)
        if match is None or (match.end() == len(self._buffer) and match[0].endswith(b"\r")):
            return None
        return match.end()


def _is_one_event(chunk: bytes) -> bool:
    """Return whether a chunk is a complete event that ends in line feeds."""
    match = _END.search(chunk)
    return match is not None and match.end() == len(chunk) and chunk.endswith(b"\n")


def read_event(raw: bytes) -> RawEvent:
    """Parse an event. Raises `ConversionError` if its data is not a JSON object."""
    if event := _try_read_one_line(raw):
        return event
    name = ""
    data = list[str]()
    for line in _LINE.split(raw.decode(errors="replace").removeprefix(_BOM)):
        key, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if key == "event":
            name = value
        elif key == "data":
            data.append(value)
    return _make_event(raw, name, "\n".join(data))


def _try_read_one_line(raw: bytes) -> RawEvent | None:
    """Parse an event that is one line of data. Return None for any other."""
    match = _ONE_LINE.fullmatch(raw)
    return None if match is None else _make_event(raw, "", match[1].decode(errors="replace"))


def _make_event(raw: bytes, name: str, text: str) -> RawEvent:
    if text[:1] != "{" and (not text or text.strip() == _DONE):
        return RawEvent(raw, name, is_done=bool(text))
    return RawEvent(raw, name, read_object(text))


# --- writing --------------------------------------------------------------------------------------

DONE = b"data: [DONE]\n\n"
WAITING = b": waiting\n\n"  # a comment that keeps a silent connection open


def write_event(data: Any, name: str = "") -> bytes:
    """Write an event with JSON data and, for some APIs, a name."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {minified(data)}\n\n".encode(errors="replace")


PING = write_event({"type": "ping"}, "ping")  # Anthropic's keep-alive event
