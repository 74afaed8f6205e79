"""Decide how many characters of a streamed answer to hold, because they may be a call."""

from collections.abc import Container

from lton.gateway.native.call_after_prose import CallAfterProse
from lton.gateway.native.call_prefix import TextOpening


class CallWatcher:
    """Counts the characters to hold at the end of streamed text. `names` are the tools' names."""

    def __init__(self, names: Container[str], *, after_prose: bool) -> None:
        self.held_length = 0
        self.is_open = self.is_over = False  # text precedes the call, no call can follow
        self.opening = TextOpening()
        self._names = names
        self._may_be: bool | None = None
        self._prose = CallAfterProse()
        self._prose.is_over = not after_prose

    def feed(self, piece: str) -> None:
        if self._may_be:
            self.held_length += len(piece)
        elif self._may_be is None:
            self._read_opening(piece)
        elif not self.is_over:
            self._prose.feed(piece)
            self.is_over = self._prose.is_over
            self.held_length = 0 if self.is_over else self._prose.held_length

    def _read_opening(self, piece: str) -> None:
        opening = self.opening
        opening.feed(piece)
        self.is_open = opening.has_thought
        self.held_length = len(opening.text) if self.is_open else self.held_length + len(piece)
        self._may_be = opening.decide_if_call(self._names)
        if self._may_be is False:
            self.is_open = True
            self.feed(opening.text)

    @property
    def is_after_prose(self) -> bool:
        """Whether the held text follows prose and begins with the mark of a call."""
        return self._prose.has_mark and not self.is_over

    @property
    def decide_if_call(self) -> bool:
        """Whether the held text looks like the start of a call."""
        return bool(self._may_be) or self.is_after_prose
