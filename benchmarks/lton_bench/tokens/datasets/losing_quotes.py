"""A case in which LTON should be longer: short strings with both quotes, which need a length."""

from collections.abc import Iterator

from lton.schema import Call
from lton.schema.types import JSON
from lton_bench.tokens.datasets._made import FIRST, STRING, WORDS, Maker, array, record
from lton_bench.tokens.pieces import Turn

NAME = "Should lose: both kinds of quotes in short strings"
ABOUT = "Generated with a fixed seed: 100 lists of 3 to 10 phrases with quotes and apostrophes."

_TOOL = {
    "name": "post_messages",
    "description": "Post messages.",
    "parameters": record(channel=STRING, texts=array(STRING)),
}


def load() -> Iterator[Turn]:
    """Yield 100 turns of one call."""
    make = Maker("losing quotes")

    def phrase() -> JSON:
        return f'{make.one(FIRST)}\'s "{make.one(WORDS)}"'

    for _ in range(100):
        arguments: dict[str, JSON] = {
            "channel": make.one(WORDS),
            "texts": make.several(phrase, 3, 10),
        }
        yield Turn((Call("post_messages", arguments),), (_TOOL,))
