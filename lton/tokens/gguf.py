"""Read the vocabulary of a GGUF file.

Only the head of the file is read, without the package `gguf`, which takes 14 seconds for Gemma's
vocabulary. Each vocabulary is counted by its original library: `tokenizers` for byte-pair encoding
(`gpt2`), and SentencePiece for its own (`llama`). Tests compare both with llama.cpp and find one
difference: with Gemma's vocabulary, only SentencePiece reads U+2581 in text as a space.
"""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from lton._require import require
from lton.tokens.counting import LocalVocabulary
from lton.tokens.huggingface import BYTES, HuggingFaceVocabulary
from lton.tokens.sentencepieces import SentencePieceVocabulary
from lton.tokens.template import Template
from lton.tokens.tiktokens import DATA

MAGIC = b"GGUF"
_FORMATS = {**dict(enumerate("BbHhIif?")), 10: "Q", 11: "q", 12: "d"}
"""The `struct` format of each type of number."""
_STRING = 8
_ARRAY = 9
_TOKENS = "tokenizer.ggml.tokens"
_TYPES = "tokenizer.ggml.token_type"
_UNKNOWN = 2
_CONTROL = 3
_USER = 4
"""Types of tokens in SentencePiece: control tokens are special, user tokens match first."""

PATTERNS: Mapping[str, tuple[str, ...]] = {
    name: tuple(split["patterns"]) for split in DATA["split"].values() for name in split["gguf"]
}
"""The patterns that split text before merging, by `tokenizer.ggml.pre`, as in llama.cpp."""
_WHOLE_WORDS = frozenset(DATA["whole_words"])
_ENDS = frozenset(DATA["ends"])


def from_file(path: Path, name: str) -> LocalVocabulary:
    """Read the vocabulary of a GGUF file, which may be cut off after its metadata.

    Raises `ValueError` for a file without a vocabulary, or with an unknown kind of vocabulary.
    """
    head = read_head(path)
    pairs = zip(head.get(_TOKENS, ()), head.get(_TYPES, ()), strict=True)
    head[_TYPES] = [_CONTROL if token in _ENDS else kind for token, kind in pairs]
    kind = head.get("tokenizer.ggml.model")
    match kind:
        case "gpt2":
            count = len(head[_TOKENS])
            return HuggingFaceVocabulary(
                name, build_byte_pairs(head), _try_read_template(head), count
            )
        case "llama":
            return SentencePieceVocabulary(
                name, _write_sentencepiece(head), _try_read_template(head)
            )
    raise ValueError(f"expected a vocabulary of kind 'gpt2' or 'llama', found {kind!r} in {path}")


def read_head(path: Path) -> dict[str, Any]:
    """Read the metadata of a GGUF file, without its tensors."""
    with path.open("rb") as file:
        try:
            magic, version, _, count = struct.unpack("<4sIQQ", file.read(24))
            if magic != MAGIC or version not in {2, 3}:
                raise ValueError(f"expected a GGUF file of version 2 or 3, found {path}")
            return {
                _read_string(file): _read_value(file, *_read_numbers(file, "I", 1))
                for _ in range(count)
            }
        except struct.error as error:
            raise ValueError(
                f"expected a GGUF file, found {path}, which ends in its head"
            ) from error


def _read_value(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _read_string(file)
    if kind == _ARRAY:
        item_kind, length = struct.unpack("<IQ", file.read(12))
        if item_kind in _FORMATS:
            return list(_read_numbers(file, _FORMATS[item_kind], length))
        return [_read_value(file, item_kind) for _ in range(length)]
    if kind not in _FORMATS:
        raise ValueError(f"expected a type of GGUF, found {kind}")
    return _read_numbers(file, _FORMATS[kind], 1)[0]


def _read_numbers(file: BinaryIO, form: str, count: int) -> tuple[Any, ...]:
    return struct.unpack(f"<{count}{form}", file.read(count * struct.calcsize(f"<{form}")))


def _read_string(file: BinaryIO) -> str:
    (length,) = _read_numbers(file, "Q", 1)
    data = file.read(length)
    if len(data) < length:
        raise struct.error("the file ends in a string")
    return data.decode("utf-8", "replace")


def build_byte_pairs(head: Mapping[str, Any]) -> Any:
    """Build a byte-pair tokenizer (library `tokenizers`) from the metadata of a GGUF file."""
    library = require("tokenizers", "apps")
    pre = str(head.get("tokenizer.ggml.pre"))
    if pre not in PATTERNS:
        supported = ", ".join(PATTERNS)
        raise ValueError(f"expected a vocabulary with the splitting of {supported}, found {pre!r}")
    tokens = head[_TOKENS]
    types = head[_TYPES]
    merges = [tuple(merge.split(" ")) for merge in head["tokenizer.ggml.merges"]]
    # A byte without a token gets a new token after the others, and such tokens are not counted.
    # llama.cpp also ignores such bytes, but does not merge the tokens next to them.
    missing = sorted(BYTES.keys() - set(tokens))
    model = library.models.BPE(
        {token: index for index, token in enumerate([*tokens, *missing])},
        merges,
        ignore_merges=pre in _WHOLE_WORDS,
    )
    tokenizer = library.Tokenizer(model)
    pre_tokenizers = library.pre_tokenizers
    cuts = [pre_tokenizers.Split(library.Regex(pattern), "isolated") for pattern in PATTERNS[pre]]
    letters = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*cuts, letters])
    added = [
        library.AddedToken(token, normalized=False, special=kind == _CONTROL)
        for token, kind in zip(tokens, types, strict=True)
        if kind in {_CONTROL, _USER}
    ]
    tokenizer.add_tokens(added)
    return tokenizer


def _write_sentencepiece(head: Mapping[str, Any]) -> bytes:
    unknown = head.get("tokenizer.ggml.unknown_token_id", 0)
    pieces = zip(head[_TOKENS], head["tokenizer.ggml.scores"], head[_TYPES], strict=True)
    model = bytearray()
    for index, (piece, score, kind) in enumerate(pieces):
        # Only one token may have the type *unknown*.
        own = _CONTROL if kind == _UNKNOWN else kind
        if index == unknown:
            own = _UNKNOWN
        # llama.cpp matches these tokens before it replaces spaces, and SentencePiece after.
        text = piece.replace(" ", "▁") if kind == _USER else piece
        score_field = _write_varint(2 << 3 | 5) + struct.pack("<f", score)
        model += _write_field(
            1, _write_field(1, text.encode()) + score_field + _write_field(3, own)
        )
    byte_pairs = _write_field(3, 2)
    byte_fallback = _write_field(35, 1)
    model += _write_field(2, byte_pairs + byte_fallback + _write_field(40, unknown))
    prefix = int(head.get("tokenizer.ggml.add_space_prefix", True))
    model += _write_field(
        3,
        _write_field(1, b"identity")
        + _write_field(3, prefix)
        + _write_field(4, 0)
        + _write_field(5, 1),
    )
    return bytes(model)


def _write_field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _write_varint(number << 3) + _write_varint(value)
    return _write_varint(number << 3 | 2) + _write_varint(len(value)) + value


def _write_varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _try_read_template(head: Mapping[str, Any]) -> Template | None:
    source = head.get("tokenizer.chat_template")
    if source is None:
        return None
    tokens = head[_TOKENS]
    types = head[_TYPES]
    names = {
        f"{name}_token": tokens[head[key]]
        for name in ("bos", "eos")
        if (key := f"tokenizer.ggml.{name}_token_id") in head
    }
    specials = frozenset(t for t, kind in zip(tokens, types, strict=True) if kind == _CONTROL)
    begin = names.get("bos_token", "") if head.get("tokenizer.ggml.add_bos_token") else ""
    return Template(source, names, specials, begin)
