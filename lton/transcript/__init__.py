"""Conversations that fit: what is appended, what is shown, and what is given back.

- `transcript` is the interface. `_state` is a fold over the log of `_journal`: what is shown
  follows from the log, the options and the counter.
- `turns` pairs calls with results, `pointers` name what was left out, and `files` hold what is too
  long to show.
- `first_sight` shortens results when they are first shown. `clearing_cost` decides when clearing
  pays. `compaction` replaces old turns by a summary.
- `pairing` checks what is shown, and `view` is the result.
- `branches` recognizes conversations by their beginnings. `base_tools` are the model's tools for
  reading the rest.

Nothing here reads a clock, a network, a file or a random number. Stores keep everything.
"""

from lton.transcript.transcript import Transcript
from lton.transcript.view import TurnDecision, View

__all__ = ["Transcript", "TurnDecision", "View"]
