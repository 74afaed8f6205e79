"""How much work a text may cost.

The unit is what one character of an ordinary text costs. A text that costs more than `_A_CHARACTER`
times that was made to exhaust a reader: the search ends, and says so.
"""

from enum import IntEnum

_A_CHARACTER = 5
_AT_LEAST = 12_000
_SCANNED = 8  # to read one character costs as much as to look at so many


class Cost(IntEnum):
    """What a step costs besides the characters that it reads."""

    SPOT = 2
    STRICT = 40
    LOOSE = 50


class EffortSpentError(Exception):
    """There is no effort left."""


class Effort:
    """What reading a text may still cost."""

    def __init__(self, size: int) -> None:
        self.left = _AT_LEAST + _A_CHARACTER * size

    def spend(self, cost: Cost, characters: int = 0) -> None:
        """Pay for a step and the characters that it reads, or raise `EffortSpentError`."""
        self._pay(cost + characters)

    def scan(self, characters: int) -> None:
        """Pay for looking at so many characters."""
        self._pay(1 + characters // _SCANNED)

    def _pay(self, units: int) -> None:
        self.left -= units
        if self.left < 0:
            raise EffortSpentError
