"""BFCL, single turn: each gold call, with its optional arguments."""

from collections.abc import Iterator

from lton_bench.tokens.datasets._bfcl import single_turns
from lton_bench.tokens.pieces import Turn

NAME = "BFCL, optionals kept"
ABOUT = (
    "Gold calls of the ten single-turn categories of BFCL v4 (bfcl-eval 2026.3.23, Apache-2.0);"
    " optional arguments are kept. Each entry is a turn."
)


def load() -> Iterator[Turn]:
    """Return 2,501 turns with 3,302 calls."""
    return single_turns("kept")
