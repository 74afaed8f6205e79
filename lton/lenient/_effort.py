"""Limit the work that reading one output may take.

Without a limit, text could be constructed that takes very long to read. The unit is the cost of
one character of ordinary text. If text costs more than `_A_CHARACTER` units per character, the
search stops, and the result reports this.
"""

from enum import IntEnum

_A_CHARACTER = 5
_AT_LEAST = 12_000
_SCANNED = 8  # reading one character costs as much as scanning this many


class Cost(IntEnum):
    """The fixed cost of each kind of step, in addition to the characters that the step reads."""

    SPOT = 2
    STRICT = 40
    LOOSE = 50


class EffortSpentError(Exception):
    """Raised if the work limit of an output is reached."""


class Effort:
    """The work that may still be spent on an output."""

    def __init__(self, size: int) -> None:
        self.budget = _AT_LEAST + _A_CHARACTER * size

    def spend_units(self, cost: Cost, characters: int = 0) -> None:
        """Subtract the cost of a step. Raises `EffortSpentError` at the limit."""
        self._pay_units(cost + characters)

    def spend_cached_step(self, units: int) -> None:
        """Subtract what a step cost when its result was first needed."""
        self._pay_units(units)

    def spend_on_scanning(self, characters: int) -> None:
        self._pay_units(1 + characters // _SCANNED)

    def _pay_units(self, units: int) -> None:
        self.budget -= units
        if self.budget < 0:
            raise EffortSpentError
