"""Test GGUF heads of every shape, and the refusal of unsupported tokenizers by name."""

import struct
from pathlib import Path
from typing import Any

import pytest

from lton.tokens import Count, gguf
from lton.tokens.counting import LocalVocabulary

BYTE_PAIRS: dict[str, Any] = {
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "smollm",
    "tokenizer.ggml.tokens": ["<|end|>", "<think>", "h", "i", "hi", "\u0120"],
    "tokenizer.ggml.token_type": [1, 4, 1, 1, 1, 1],
    "tokenizer.ggml.merges": ["h i"],
}
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
PIECES: dict[str, Any] = {
    "tokenizer.ggml.model": "llama",
    "tokenizer.ggml.tokens": ["<unk>", "<s>", "h", "i", "hi", "\u2581", "  ", "<old>", *BYTES],
    "tokenizer.ggml.scores": [0.0, 0.0, -2.0, -3.0, -1.0, -4.0, *[0.0] * 258],
    "tokenizer.ggml.token_type": [2, 3, 1, 1, 1, 1, 4, 2, *[6] * 256],
    "tokenizer.ggml.unknown_token_id": 0,
    "tokenizer.ggml.bos_token_id": 1,
    "tokenizer.ggml.add_bos_token": True,
    "tokenizer.ggml.add_space_prefix": False,
}


def write_typed_value(value: Any) -> bytes:
    """Write a value, preceded by its type."""
    match value:
        case bool():
            return struct.pack("<I?", 7, value)
        case int():
            return struct.pack("<II", 4, value)
        case float():
            return struct.pack("<If", 6, value)
        case str():
            return struct.pack("<I", 8) + text(value)
        case list():
            items = [write_typed_value(item) for item in value]
            return (
                struct.pack("<I", 9)
                + items[0][:4]
                + struct.pack("<Q", len(items))
                + b"".join(item[4:] for item in items)
            )
    raise TypeError(value)


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


@pytest.fixture
def save(tmp_path: Path) -> Any:
    """Save a header, and return its path."""

    def save(head: dict[str, Any]) -> Path:
        start = b"GGUF" + struct.pack("<IQQ", 3, 0, len(head))
        path = tmp_path / "model.gguf"
        path.write_bytes(
            start + b"".join(text(k) + write_typed_value(v) for k, v in head.items()) + b"tensors"
        )
        return path

    return save


def test_every_type_is_read(save: Any) -> None:
    """Numbers, booleans, strings and nested arrays are read, and tensors are not."""
    head = {"a": 1, "b": True, "c": "x", "d": [1, 2], "e": [["x"], ["y", "z"]], "f": 0.5}
    assert gguf.read_head(save(head)) == head


def test_byte_pairs_merge_and_cut(save: Any) -> None:
    """Merges are applied, and a byte without a token counts as nothing but separates its
    neighbours.
    """
    vocabulary = gguf.from_file(save(BYTE_PAIRS), "mine")
    assert vocabulary.count("hi hi") == Count(3, exact=True)
    assert vocabulary.count("hxi") == Count(2, exact=True)


def test_added_tokens_may_be_any_text(save: Any) -> None:
    """An added token of any text counts once."""
    tokens = [*BYTE_PAIRS["tokenizer.ggml.tokens"][:1], "<你 好>", "h", "i", "hi", "\u0120"]
    vocabulary = gguf.from_file(save(BYTE_PAIRS | {"tokenizer.ggml.tokens": tokens}), "mine")
    assert vocabulary.count("hi<你 好>").tokens == 2


def test_added_tokens_are_matched_and_ends_are_not(save: Any) -> None:
    """`<think>` is one token in any text, and the end of an answer is special, whatever its
    type.
    """
    vocabulary = gguf.from_file(save(BYTE_PAIRS), "mine")
    assert vocabulary.count("<think>hi").tokens == 2
    assert vocabulary.count("<|end|>").tokens == 0  # of its bytes none has a token
    assert vocabulary.count("i<|end|>i").tokens == 2


@pytest.mark.parametrize(
    ("sample", "tokens"),
    [
        ("hi", 1),
        ("ih", 2),
        ("h  h", 3),
        ("i!", 2),
        (" hi", 2),
        ("<s>", 3),
    ],
)
def test_pieces_merge_by_score(save: Any, sample: str, tokens: int) -> None:
    """Runs of spaces are one token, unknown characters are bytes, and special tokens are text."""
    assert gguf.from_file(save(PIECES), "mine").count(sample).tokens == tokens


@pytest.mark.parametrize(
    ("head", "tokens"),
    [
        (PIECES | {"tokenizer.chat_template": "{{ bos_token }}hi"}, 2),
        (PIECES | {"tokenizer.chat_template": "hi"}, 2),
        (BYTE_PAIRS | {"tokenizer.chat_template": "hi<|end|>"}, 2),
    ],
)
def test_the_chat_template_is_the_files(save: Any, head: dict[str, Any], tokens: int) -> None:
    """The chat template of the file is used with its special tokens and its first token."""
    vocabulary: LocalVocabulary = gguf.from_file(save(head), "mine")
    assert vocabulary.count_messages([]) == Count(tokens, exact=True)


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        ({"general.architecture": "clip"}, "None"),
        (BYTE_PAIRS | {"tokenizer.ggml.model": "bert"}, "'bert'"),
        (BYTE_PAIRS | {"tokenizer.ggml.pre": "kimi-k2"}, "'kimi-k2'"),
    ],
)
def test_what_is_not_known_is_refused(save: Any, head: dict[str, Any], kind: str) -> None:
    """A vocabulary of an unknown kind, or with unknown splitting, is refused."""
    with pytest.raises(ValueError, match=f"found {kind}"):
        gguf.from_file(save(head), "mine")


def test_a_type_that_there_is_not(tmp_path: Path) -> None:
    """An unknown type in the header ends the reading with an error."""
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("a") + struct.pack("<I", 99))
    with pytest.raises(ValueError, match="found 99"):
        gguf.read_head(path)
