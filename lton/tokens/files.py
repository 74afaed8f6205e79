"""Get a vocabulary from a file of any kind: what it is shows in its first bytes."""

import json
from pathlib import Path

from lton.tokens import gguf, huggingface, sentencepieces, tekken
from lton.tokens.counting import LocalVocabulary


def from_file(path: Path, name: str | None = None) -> LocalVocabulary:
    """Get the vocabulary of a GGUF file, a `tokenizer.json`, a `tekken.json` or a `*.model`.

    Raises `ValueError` if it is none of them. Its `id` is the path if no name is given.
    """
    name = name or str(path.resolve())
    with path.open("rb") as file:
        start = file.read(4)
    if start == gguf.MAGIC:
        return gguf.from_file(path, name)
    if start.lstrip()[:1] == b"{":
        keys = json.loads(path.read_bytes()).keys()
        if keys >= {"config", "vocab"}:
            return tekken.from_file(path, name)
        if "model" in keys:
            return huggingface.from_file(path, name)
    elif start[:1] == b"\n":  # the first field of SentencePiece's message: its pieces
        return sentencepieces.from_file(path, name)
    raise ValueError(f"expected GGUF, tokenizer.json, tekken.json or *.model, found {path}")
