"""Shrink conversations until they fit the model's window and let the model read omitted parts.

- `transcript` is the public interface. `_state` computes the view from the log of `_journal`, the
  options and the counter.
- `turns` pairs calls with results, `pointers` name omitted results, and `files` stores long
  results.
- `first_sight` shortens results when they are first shown. `clearing_cost` decides when clearing
  saves tokens. `compaction` replaces old turns with a summary.
- `_token_counts` counts each text and message once.
- `pairing` checks the view, and `view` defines it.
- `branches` recognizes conversations by their first messages. `base_tools` defines the tools with
  which a model reads omitted parts.

This package uses no clock, network, files or random numbers. Stores keep the whole conversation.
"""

from lton.transcript.transcript import Transcript
from lton.transcript.view import TurnDecision, View

__all__ = ["Transcript", "TurnDecision", "View"]
