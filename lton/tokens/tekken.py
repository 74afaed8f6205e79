"""Mistral's vocabularies of tekken: `tekken.json`."""

import base64
import json
from pathlib import Path

from lton.tokens.tiktokens import TiktokenVocabulary


def from_file(path: Path, name: str) -> TiktokenVocabulary:
    """Get the vocabulary of a tekken file.

    A file holds more tokens than models have; special tokens come first and take some of them.
    """
    data = json.loads(path.read_bytes())
    config = data["config"]
    count = config["default_vocab_size"] - config["default_num_special_tokens"]
    ranks = {base64.b64decode(row["token_bytes"]): row["rank"] for row in data["vocab"][:count]}
    return TiktokenVocabulary(name, ranks, config["pattern"])
