"""Texts made short: extractive, within a budget that is kept, and no fact cut in two."""

from lton.context.compress.compressor import (
    Compressed,
    CompressedSet,
    compress,
    compress_all,
)
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
