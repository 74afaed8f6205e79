"""A case in which LTON should be longer: few arguments for many optional parameters."""

from collections.abc import Iterator

from lton.schema import Call
from lton.schema.types import JSON
from lton_bench.tokens.datasets._made import WORDS, Maker
from lton_bench.tokens.pieces import Turn

NAME = "Should lose: few of many optional parameters"
ABOUT = "Generated with a fixed seed: 100 calls with 1 to 6 of 40 optional parameters."

_PARAMETERS = [f"{first}_{second}" for first in WORDS[:8] for second in WORDS[8:13]]
_TOOL = {
    "name": "search",
    "description": "Search with filters.",
    "parameters": {
        "type": "object",
        "properties": {
            name: {"type": ("string", "integer", "boolean")[index % 3]}
            for index, name in enumerate(_PARAMETERS)
        },
    },
}


def load() -> Iterator[Turn]:
    """Yield 100 turns of one call."""
    make = Maker("losing sparse")
    for _ in range(100):
        indices = sorted(make.random.sample(range(len(_PARAMETERS)), make.below(6) + 1))
        arguments = {_PARAMETERS[index]: _value(make, index) for index in indices}
        yield Turn((Call("search", arguments),), (_TOOL,))


def _value(make: Maker, index: int) -> JSON:
    values: tuple[JSON, ...] = (make.one(WORDS), make.below(500), make.flag())
    return values[index % 3]
