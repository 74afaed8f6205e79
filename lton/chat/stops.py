"""Find stop sequences in the text of an answer, outside of its calls."""

from collections.abc import Iterable, Sequence

from lton.chat.repeats import LeftOut
from lton.events import CallEnd, CallStart, Event, Prose

_LINE_ENDS = "\r\n"


class StopTexts:
    """Finds stop sequences in prose that arrives in pieces.

    Stop sequences are not sent to the upstream, which would also cut arguments at them.
    """

    def __init__(self, texts: tuple[str, ...]) -> None:
        self.texts = texts
        self.held = ""
        self.found = ""

    def feed(self, text: str) -> str:
        """Add text and return the text that can no longer be part of a stop sequence."""
        self.held += text
        places = ((self.held.find(stop), stop) for stop in self.texts)
        if matches := [(at + len(stop), at, stop) for at, stop in places if at >= 0]:
            _, at, self.found = min(matches)
            free, self.held = self.held[:at], ""
            return free
        longest = max((len(stop) - 1 for stop in self.texts), default=0)
        for size in range(min(longest, len(self.held)), 0, -1):
            tail = self.held[-size:]
            if any(stop.startswith(tail) for stop in self.texts):
                free, self.held = self.held[:-size], tail
                return free
        return self.flush()

    def flush(self) -> str:
        """Return the text that was held back, because the answer ended without a stop sequence."""
        free, self.held = self.held, ""
        return free


class StoppedEvents:
    """Drops the events of an answer from the first stop sequence in its prose on.

    Line ends before a call belong to the syntax of calls, so they are no stop sequence. With
    `ends_lines`, the line end after a call is part of the call, but may also begin a stop sequence.
    """

    def __init__(self, texts: tuple[str, ...], *, ends_lines: bool) -> None:
        self._texts = StopTexts(texts)
        self._ends_lines = ends_lines
        self._line_ends = ""  # at the end of the prose so far
        self._has_own_end = False  # whether the next character is the line end of a call

    @property
    def found(self) -> str:
        return self._texts.found

    @property
    def held(self) -> str:
        own_end = 1 if self._has_own_end else 0
        return (self._texts.held + self._line_ends)[own_end:]

    def feed(self, event: Event | LeftOut) -> Sequence[Event | LeftOut]:
        """Add an event and return the events that come before any stop sequence."""
        if not self._texts.texts:
            return [event]
        if self.found:
            return []
        match event:
            case Prose(text):
                return self._feed_prose(text)
            case CallStart():
                return [*self.flush(), event]
            case CallEnd() if self._ends_lines:
                self._line_ends = "\n"
                self._has_own_end = True
        return [event]

    def flush(self) -> list[Prose]:
        """Return the prose that was held back, because it is not followed by other prose."""
        text = "" if self.found else self.held
        self._line_ends = ""
        self._has_own_end = False
        self._texts.flush()
        return [Prose(text)] if text else []

    def drop_held(self, count: int) -> None:
        """Drop the last characters that are held back, because they begin a stop sequence."""
        text = self._texts.held + self._line_ends
        self._texts.held = text[: max(0, len(text) - count)]
        self._line_ends = ""

    def _feed_prose(self, text: str) -> list[Prose]:
        text = self._line_ends + text
        trimmed = text.rstrip(_LINE_ENDS)
        self._line_ends = text[len(trimmed) :]
        if not trimmed:
            return []
        free = self._texts.feed(trimmed)
        if free and self._has_own_end:
            free = free[1:]
            self._has_own_end = False
        return [Prose(free)] if free else []


def find_stop(
    text: str, stops: Iterable[str], spans: Iterable[tuple[int, int]]
) -> tuple[int, str] | None:
    """Return the position and text of the first stop sequence outside of the calls at `spans`.

    The line end after a call may begin a stop sequence. Line ends before a call are in none.
    """
    start = 0
    for first, last in (*spans, (len(text), len(text))):
        end = start + len(text[start:first].rstrip(_LINE_ENDS)) if first < last else first
        places = [(text.find(stop, start, end), stop) for stop in stops]
        matches = [(at + len(stop), at, stop) for at, stop in places if at >= 0]
        if matches:
            _, at, stop = min(matches)
            return at, stop
        start = first + len(text[first:last].rstrip(_LINE_ENDS))
    return None
