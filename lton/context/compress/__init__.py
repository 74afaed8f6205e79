"""Texts made short: extractive, within a budget that is kept, and no fact cut in two.

- `compressor` shortens a text. `kinds` says which kind it is of, and cuts it into `units`.
- `prose` (with `sentences`), `markdown`, `code` (with `treesitter`), `data` and `outputs` know a
  kind each.
- `telling` says how much each line of an output tells.
- `ranking` says which units matter, by `words`, or by `models` that are asked. `selection` chooses
  them under the budget.
"""

from lton.context.compress.compressor import Compressed, CompressedSet, compress, compress_all
from lton.context.compress.models import Likelihood, LLMLingua, LLMLingua2
from lton.context.compress.ranking import BM25, LEXICAL, Lexical, Ranker, ranker_named
from lton.context.compress.units import Unit

__all__ = [
    "BM25",
    "LEXICAL",
    "Compressed",
    "CompressedSet",
    "LLMLingua",
    "LLMLingua2",
    "Lexical",
    "Likelihood",
    "Ranker",
    "Unit",
    "compress",
    "compress_all",
    "ranker_named",
]
