"""Read vocabularies of SentencePiece (`*.model`)."""

import re
from collections.abc import Iterable
from pathlib import Path

from lton._require import require
from lton.tokens.counting import Count, LocalVocabulary, sound
from lton.tokens.spread import spread
from lton.tokens.template import Template

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


class SentencePieceVocabulary(LocalVocabulary):
    """A vocabulary for SentencePiece. `data` is the content of a model file.

    Many models add a space in front. This space belongs to the first token, and is not returned.
    """

    def __init__(self, name: str, data: bytes, template: Template | None = None) -> None:
        super().__init__(name, template)
        sentencepiece = require("sentencepiece", "tokens")
        try:
            self._processor = sentencepiece.SentencePieceProcessor(model_proto=data)
        except RuntimeError as error:
            raise ValueError(f"expected a SentencePiece model, found {name}") from error

    def split(self, text: str) -> list[bytes]:
        ids = self._processor.encode(text)
        tokens = [
            _bytes(piece) if self._processor.is_byte(each) else piece.replace("▁", " ").encode()
            for each, piece in zip(ids, self._processor.id_to_piece(ids), strict=True)
        ]
        if tokens and tokens[0][:1] == b" " and not text.startswith(" "):
            tokens[0] = tokens[0][1:]
        return spread(tokens, text)

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        return [Count(len(self._processor.encode(sound(text))), exact=True) for text in texts]


def from_file(path: Path, name: str) -> SentencePieceVocabulary:
    """Read the vocabulary of a SentencePiece model."""
    return SentencePieceVocabulary(name, path.read_bytes())


def _bytes(piece: str) -> bytes:
    match = _BYTE.fullmatch(piece)
    return bytes.fromhex(match[1]) if match else b""
