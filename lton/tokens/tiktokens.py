"""Read tiktoken vocabularies from files.

tiktoken would download its vocabularies, so this module reads the files.
"""

import base64
import gzip
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any
from unicodedata import normalize

from lton._patterns import compiled_when_used
from lton._require import require
from lton.tokens.counting import Count, LocalVocabulary, with_valid_characters

DATA: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("patterns.toml").read_text("utf-8")
)
"""The patterns that split text before merging, also for GGUF files."""


def pattern_of(name: str) -> str:
    """Return the pattern that splits text for a vocabulary."""
    (pattern,) = DATA["split"][name]["patterns"]
    return str(pattern)


_LONG = 1 << 17
"""The number of characters to count at once; tiktoken's list takes 40 bytes per token."""
_APART = compiled_when_used("(?<=[a-z]) (?=[a-z])")
"""A position at which every pattern starts a new part."""
_BLANKS = compiled_when_used(r"\s+")
_KNOWN = frozenset(map(pattern_of, ("cl100k", "llama3", "qwen", "o200k", "tekken")))


class TiktokenVocabulary(LocalVocabulary):
    """A tiktoken vocabulary. With `composed`, text is normalized to NFC first."""

    def __init__(
        self, name: str, ranks: dict[bytes, int], pattern: str, *, composed: bool = False
    ) -> None:
        super().__init__(name)
        self._composed = composed
        self._is_known = pattern in _KNOWN
        self._encoding = require("tiktoken", "apps").Encoding(
            name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
        )

    def split(self, text: str) -> list[bytes]:
        """Normalize the text if the vocabulary does so, and return the bytes of each token."""
        tokens: list[bytes] = self._encoding.decode_tokens_bytes(self._encode_text(text)[0])
        return tokens

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        return [self._count(with_valid_characters(text)) for text in texts]

    def _count(self, text: str) -> Count:
        if len(text) <= _LONG:
            ids, is_exact = self._encode_whole(text)
            return Count(len(ids), is_exact)
        tokens = 0
        exact = True
        for part in _iterate_pieces(text) if self._is_known else (text,):
            ids, is_exact = self._encode_text(part)
            tokens += len(ids)
            exact = exact and is_exact
            del ids  # frees memory for the next part
        return Count(tokens, exact)

    def _encode_text(self, text: str) -> tuple[list[int], bool]:
        cuts = [0, *_find_cuts(text), len(text)]
        if len(cuts) == 2:
            return self._encode_whole(text)
        pieces = (self._encode_whole(text[start:end])[0] for start, end in pairwise(cuts))
        return [token for piece in pieces for token in piece], False

    def _encode_whole(self, text: str) -> tuple[list[int], bool]:
        try:
            composed = normalize("NFC", text) if self._composed else text
            return self._encoding.encode_ordinary(composed), True
        except BaseException as error:  # a panic in Rust is not an Exception
            if type(error).__name__ != "PanicException" or len(text) < 2:
                raise
        half = len(text) // 2
        return self._encode_whole(text[:half])[0] + self._encode_whole(text[half:])[0], False


def _find_cuts(text: str) -> list[int]:
    """Return offsets at which to split long runs of blanks, which would crash tiktoken."""
    if len(text) <= _LONG:
        return []
    runs = (blank.span() for blank in _BLANKS.finditer(text))
    return [at for start, end in runs for at in range(start + _LONG, end, _LONG)]


def _iterate_pieces(text: str) -> Iterator[str]:
    """Split a long string at positions that no token crosses."""
    start = 0
    while len(text) - start > _LONG and (match := _APART.search(text, start + _LONG)):
        yield text[start : match.start()]
        start = match.start()
    yield text[start:]


def read_ranks(path: Path) -> dict[bytes, int]:
    """Read the tokens and their ranks in a file, which may be compressed."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    rows = (line.split() for line in data.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in rows}


def from_tekken(path: Path, name: str) -> TiktokenVocabulary:
    """Read the vocabulary of a `tekken.json`, the format of Mistral's newer models.

    The file has more tokens than the model: special tokens come first, and replace some of them.
    """
    data = json.loads(path.read_bytes())
    config = data["config"]
    count = config["default_vocab_size"] - config["default_num_special_tokens"]
    ranks = {base64.b64decode(row["token_bytes"]): row["rank"] for row in data["vocab"][:count]}
    return TiktokenVocabulary(name, ranks, config["pattern"])
