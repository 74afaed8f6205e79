"""Collect the native calls of an answer, and detect calls that repeat endlessly.

Native calls have ids, so equal calls may both be meant, and none is dropped.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from lton.apis.sse import RawEvent
from lton.chat.deltas import ApiDelta, ArgumentsDelta, CallBoundary, CallKey, ToolCallStart

HeldEvent: TypeAlias = tuple[RawEvent, list[ApiDelta]]
OF_CALLS = (ToolCallStart, ArgumentsDelta, CallBoundary)
"""The deltas that belong to one call."""
_LOOP = 4096  # the fewest characters of calls in a loop
_COPIES = 16  # the fewest copies of calls in a loop


@dataclass
class NativeCall:
    """A native call that is being received."""

    start: ToolCallStart
    pieces: list[str] = field(default_factory=list)
    is_over: bool = False

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)

    @property
    def is_broken(self) -> bool:
        """Whether the arguments are not JSON, so that no client can read them."""
        if not self.arguments:
            return False  # some servers leave out the arguments of a tool without parameters
        try:
            json.loads(self.arguments)
        except (ValueError, RecursionError):
            return True
        return False

    def to_text(self) -> str:
        """Return the call as text, for a client that does not get the call."""
        return f"{self.start.name} {self.arguments}"


class CallLoop:
    """Detects a model that makes the same call endlessly, as `LoopDetector` does for text."""

    def __init__(self) -> None:
        self._last = ("", "")
        self._copies = 0

    def feed(self, name: str, arguments: str) -> bool:
        """Add a complete call and return whether the answer is in a loop."""
        call = (name, arguments)
        self._copies = self._copies + 1 if call == self._last else 1
        self._last = call
        length = len(name) + len(arguments)
        return self._copies >= _COPIES and self._copies * length >= _LOOP


class NativeCalls:
    """Collects the calls in the events of a stream."""

    def __init__(self) -> None:
        self.calls: dict[CallKey, NativeCall] = {}
        self.is_looping = False
        self._open: NativeCall | None = None
        self._loop = CallLoop()

    def add(self, deltas: Iterable[ApiDelta]) -> None:
        for delta in deltas:
            match delta:
                case ToolCallStart(key=key):
                    self._close_call()
                    self.calls[key] = self._open = NativeCall(delta)
                case ArgumentsDelta(json=json, key=key) if key in self.calls:
                    self.calls[key].pieces.append(json)
                case CallBoundary():
                    self._close_call()

    def _close_call(self) -> None:
        call, self._open = self._open, None
        if call is not None and self._loop.feed(call.start.name, call.arguments):
            self.is_looping = True
