"""Shorten text to a budget of tokens by extracting its most important parts unchanged.

- `compressor` shortens a document. `kinds` guesses the kind of a document, and splits it into
  `units`.
- `findings` finds the lines of tool output that belong to a message.
- `prose` (with `sentences`), `markdown`, `code`, `data` and `outputs` each
  split one kind. `telling` scores the lines of tool output.
- `ranking` scores units by `words`. `selection` chooses units within the budget.
"""

from lton.context.compress.compressor import Compressed, CompressedSet, compress, compress_all
from lton.context.compress.ranking import BM25, LEXICAL, Lexical, Ranker, ranker_named
from lton.context.compress.units import Unit

__all__ = [
    "BM25",
    "LEXICAL",
    "Compressed",
    "CompressedSet",
    "Lexical",
    "Ranker",
    "Unit",
    "compress",
    "compress_all",
    "ranker_named",
]
