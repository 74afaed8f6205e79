"""A case in which LTON should save nothing: calls without arguments."""

from collections.abc import Iterator

from lton.schema import Call
from lton_bench.tokens.datasets._made import WORDS
from lton_bench.tokens.pieces import Turn

NAME = "Should lose: calls without arguments"
ABOUT = "40 calls of tools without parameters; a call consists of its name and punctuation."

_TOOLS = tuple(
    {
        "name": f"{verb}_{word}",
        "description": "Do that.",
        "parameters": {"type": "object", "properties": {}},
    }
    for verb in ("list", "get", "reset", "stop")
    for word in WORDS[:10]
)


def load() -> Iterator[Turn]:
    """Yield 40 turns of one call."""
    for tool in _TOOLS:
        yield Turn((Call(str(tool["name"]), {}),), _TOOLS)
