"""A case in which LTON should be longer: nested objects that no schema describes."""

from collections.abc import Iterator

from lton.schema import Call
from lton.schema.types import JSON
from lton_bench.tokens.datasets._made import WORDS, Maker
from lton_bench.tokens.pieces import Turn

NAME = "Should lose: nested objects without a schema"
ABOUT = "Generated with a fixed seed: 60 documents of four levels, for a tool that takes any value."

_TOOL = {
    "name": "put_document",
    "description": "Keep a document.",
    "parameters": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "document": {"type": "object"}},
        "required": ["id", "document"],
    },
}


def load() -> Iterator[Turn]:
    """Yield 60 turns of one call."""
    make = Maker("losing nested")
    for _ in range(60):
        arguments: dict[str, JSON] = {"id": make.code("doc"), "document": _object(make, 4)}
        yield Turn((Call("put_document", arguments),), (_TOOL,))


def _object(make: Maker, depth: int) -> dict[str, JSON]:
    keys = (f"{make.one(WORDS)}_{make.one(WORDS)}" for _ in range(3))
    return {key: _value(make, depth - 1) for key in keys}


def _value(make: Maker, depth: int) -> JSON:
    if depth and make.flag(0.7):
        return _object(make, depth)
    leaves: tuple[JSON, ...] = (make.sentence(2, 5), make.below(1000), make.flag(), make.date())
    return leaves[make.below(len(leaves))]
