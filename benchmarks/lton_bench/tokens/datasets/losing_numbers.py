"""A case in which LTON should be longer: long arrays of pairs, as JSON has one token for `],[`."""

from collections.abc import Iterator

from lton.schema import Call
from lton.schema.types import JSON
from lton_bench.tokens.datasets._made import NUMBER, STRING, Maker, array, record
from lton_bench.tokens.pieces import Turn

NAME = "Should lose: arrays of pairs of numbers"
ABOUT = "Generated with a fixed seed: 60 lines of 20 to 60 points, on a screen and on the globe."

_TOOL = {
    "name": "draw_line",
    "description": "Draw a line through points.",
    "parameters": record(title=STRING, points=array(array(NUMBER))),
}


def load() -> Iterator[Turn]:
    """Yield 60 turns of one call."""
    make = Maker("losing numbers")

    def pixel() -> JSON:
        return [make.below(500), make.below(500)]

    def place() -> JSON:
        return [round(make.random.uniform(-90, 90), 4), round(make.random.uniform(-180, 180), 4)]

    for index in range(60):
        points = make.several(place if index % 2 else pixel, 20, 60)
        call = Call("draw_line", {"title": make.sentence(2, 4), "points": points})
        yield Turn((call,), (_TOOL,))
