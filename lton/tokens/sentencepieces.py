"""Read SentencePiece vocabularies."""

from collections.abc import Iterable
from pathlib import Path

from lton._require import require
from lton.tokens.counting import Count, LocalVocabulary, with_valid_characters
from lton.tokens.template import Template


class SentencePieceVocabulary(LocalVocabulary):
    """A SentencePiece vocabulary, read from the content of a model file."""

    def __init__(self, name: str, data: bytes, template: Template | None = None) -> None:
        super().__init__(name, template)
        sentencepiece = require("sentencepiece", "apps")
        try:
            self._processor = sentencepiece.SentencePieceProcessor(model_proto=data)
        except RuntimeError as error:
            raise ValueError(f"expected a SentencePiece model, found {name}") from error

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        return [
            Count(len(self._processor.encode(with_valid_characters(text))), exact=True)
            for text in texts
        ]


def from_file(path: Path, name: str) -> SentencePieceVocabulary:
    """Read the vocabulary of a SentencePiece model."""
    return SentencePieceVocabulary(name, path.read_bytes())
