"""The definitions of BFCL, one function at a time."""

from collections.abc import Iterator

from lton_bench import bfcl
from lton_bench.tokens.pieces import Shown

NAME = "Definitions: BFCL"
ABOUT = (
    "The distinct functions of the ten single-turn categories of BFCL v4 (bfcl-eval 2026.3.23,"
    " Apache-2.0), one at a time, with the type names of JSON Schema."
)


def load() -> Iterator[Shown]:
    """Yield each function as the definition of a tool."""
    for tool in bfcl.functions(bfcl.CATEGORIES):
        yield Shown((tool,))
