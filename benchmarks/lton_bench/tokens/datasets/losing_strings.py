"""A case in which LTON should be longer: arrays of quoted strings; JSON has a token for `","`."""

from collections.abc import Iterator

from lton.schema import Call
from lton.schema.types import JSON
from lton_bench.tokens.datasets._made import STRING, Maker, record
from lton_bench.tokens.pieces import Turn

NAME = "Should lose: arrays of strings in quotes"
ABOUT = (
    "Generated with a fixed seed: 100 lists of 5 to 30 postal codes without a schema, or of"
    " Japanese words."
)

_WORDS = "日本 東京 大阪 電車 天気 予報 会議 資料 確認 来週 明日 午後 料理 写真 旅行".split()
_TOOL = {
    "name": "tag_items",
    "description": "Tag items.",
    "parameters": record(collection=STRING, tags={"type": "array"}),
}


def load() -> Iterator[Turn]:
    """Yield 100 turns of one call."""
    make = Maker("losing strings")

    def code() -> JSON:
        return f"{make.below(100_000):05}"

    for index in range(100):
        tags = make.several((lambda: make.one(_WORDS)) if index % 2 else code, 5, 30)
        yield Turn((Call("tag_items", {"collection": make.code("box"), "tags": tags}),), (_TOOL,))
