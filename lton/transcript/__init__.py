"""Shrink conversations until they fit the model's window, and let it read the left-out parts.

- `transcript` is the interface. `_state` is a fold over the log of `_journal`: the view
  follows from the log, the options and the counter.
- `turns` pairs calls with results, `pointers` name left-out results, and `files` hold long ones.
- `first_sight` shortens results when they are first shown. `clearing_cost` decides when clearing
  pays. `compaction` replaces old turns by a summary.
- `pairing` checks the view, and `view` is the result.
- `branches` recognizes conversations by their beginnings. `base_tools` are the model's tools for
  reading the rest.

Nothing here reads a clock, a network, a file or a random number. Stores keep everything.
"""

from lton.transcript.transcript import Transcript
from lton.transcript.view import TurnDecision, View

__all__ = ["Transcript", "TurnDecision", "View"]
