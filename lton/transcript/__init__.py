"""Conversations that fit: what is appended, what is shown of it, and what is given back.

- `transcript` is the interface. `_state` is a fold over the log that `_journal` writes: what is
  shown follows from the log, the options and the counter.
- `turns` pairs calls with results, `pointers` names what was left out, and `files` are what is too
  long to be shown (`lton.documents` makes text of web pages and documents).
- `first_sight` makes results shorter when they are first shown, and for good. `clearing_cost` says
  when it pays to rewrite what was shown. `compaction` replaces old turns by a summary.
- `pairing` checks what is shown. `view` is what a caller gets.
- `branches` knows conversations by what they begin with. `base_tools` are the tools by which a
  model reads the rest.

Nothing here reads a clock, a network, a file or a random number. Stores keep everything.
"""

from lton.transcript.transcript import Transcript
from lton.transcript.view import TurnDecision, View

__all__ = ["Transcript", "TurnDecision", "View"]
