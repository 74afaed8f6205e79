"""Texts made short: extractive, within a budget that is kept, and no fact cut in two."""

from lton.context.compress.compressor import (
    Compressed,
    CompressedSet,
    compress,
    compress_all,
)
from lton.context.compress.ranking import BM25, LEXICAL, Lexical, Ranker
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
]
