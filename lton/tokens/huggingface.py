"""Read Hugging Face vocabularies (`tokenizer.json`, with the chat template next to it)."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lton._require import require
from lton.tokens.counting import Count, LocalVocabulary, with_valid_characters
from lton.tokens.template import Template


class HuggingFaceVocabulary(LocalVocabulary):
    """A vocabulary that uses the library `tokenizers`. Token ids from `count` on are ignored."""

    def __init__(
        self, name: str, tokenizer: Any, template: Template | None = None, count: int | None = None
    ) -> None:
        super().__init__(name, template)
        size = tokenizer.get_vocab_size()
        self._silent = frozenset(range(size if count is None else count, size))
        self._tokenizer = tokenizer
        self._tokenizer.encode_special_tokens = True  # read special tokens as other text

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        batch = [with_valid_characters(text) for text in texts]
        encoded = self._tokenizer.encode_batch_fast(batch, add_special_tokens=False)
        return [Count(self._count_audible(encoding.ids), exact=True) for encoding in encoded]

    def _count_audible(self, ids: list[int]) -> int:
        if self._silent.isdisjoint(ids):  # the usual case
            return len(ids)
        return sum(token not in self._silent for token in ids)


def from_file(path: Path, name: str) -> HuggingFaceVocabulary:
    """Read the vocabulary of a `tokenizer.json`."""
    library = require("tokenizers", "apps")
    try:
        tokenizer = library.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more specific
        raise ValueError(f"expected a tokenizer.json, found {path}") from error
    added = json.loads(path.read_bytes()).get("added_tokens", [])
    specials = frozenset(token["content"] for token in added if token.get("special"))
    return HuggingFaceVocabulary(name, tokenizer, _try_read_template(path.parent, specials))


_NAMED_TOKENS = ("bos_token", "eos_token", "unk_token")
"""The tokens whose text a template may use by these names."""


def _try_read_template(folder: Path, specials: frozenset[str]) -> Template | None:
    own = folder / "chat_template.jinja"
    configuration = folder / "tokenizer_config.json"
    config = json.loads(configuration.read_bytes()) if configuration.is_file() else {}
    source = own.read_text("utf-8") if own.is_file() else config.get("chat_template")
    if isinstance(source, list):  # several templates, by name
        source = {named["name"]: named["template"] for named in source}.get("default")
    if source is None:
        return None
    names = {key: _text_of_token(config.get(key)) for key in _NAMED_TOKENS}
    return Template(source, {key: name for key, name in names.items() if name}, specials)


def _text_of_token(token: Any) -> Any:
    """Return the text of a special token, which a configuration may describe by an object."""
    return token["content"] if isinstance(token, dict) else token


def _printable_bytes() -> dict[str, int]:
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    other = [byte for byte in range(0x100) if byte not in own]
    letters = {chr(0x100 + index): byte for index, byte in enumerate(other)}
    return {chr(byte): byte for byte in own} | letters


BYTES = _printable_bytes()
