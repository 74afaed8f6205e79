"""BFCL, several turns: each gold call, with all its arguments."""

from collections.abc import Iterator

from lton_bench.tokens.datasets._bfcl import multi_turns
from lton_bench.tokens.pieces import Turn

NAME = "BFCL multi-turn, optionals kept"
ABOUT = (
    "Gold calls of the four multi-turn categories of BFCL v4 (bfcl-eval 2026.3.23, Apache-2.0),"
    " unchanged. Each call is a turn, because most calls need the result of the previous call."
)


def load() -> Iterator[Turn]:
    """Return 4,625 turns of one call."""
    return multi_turns("kept")
