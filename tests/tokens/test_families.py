"""Test that every family counts like its own library, llama.cpp, or the literature."""

import json
import tracemalloc
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lton.errors import Code, MissingExtraError
from lton.tokens import Vocabulary, counter, families, names, tiktokens

RECORDED = [
    json.loads(line)
    for line in Path(__file__).with_name("llama_cpp.jsonl").read_text("utf-8").splitlines()
]
GEMMA = pytest.param("gemma3", marks=pytest.mark.vocabularies)
FAMILIES = [GEMMA if name == "gemma3" else name for name in names() if name != "bytes"]
README = (Path(__file__).parent.parent.parent / "README.md").read_text("utf-8")

# Llama and Qwen: what llama.cpp has in models/ggml-vocab-*.gguf.out; Mistral: mistral-common
# 1.13.1; OpenAI: bpe-openai 0.1.4.
MIXED = "Hello, y'all! How are you 😁 ?我想在apple工作1314151天\uff5e"
KNOWN = [
    ("llama3", "hello world", 2),
    ("llama3", "3333", 2),
    ("llama3", "Cửa Việt", 3),
    ("llama3", MIXED, 21),
    ("qwen", "3333", 4),
    ("qwen", MIXED, 24),
    ("o200k", "hello world", 2),
    ("cl100k", "hello world", 2),
    ("mistral", "hello world", 2),
    ("mistral", "Les café é ﬁ 135", 10),
    ("mistral-v3", "hello world", 3),  # it has no token "hello"
    ("mistral-v3", "Les café é ﬁ 135", 9),
    ("deepseek", "hello world", 2),
    ("smollm2", "hello world", 2),
    ("claude2", "hello world", 2),
]


def vocabulary(name: str) -> Vocabulary:
    return cast("Vocabulary", counter(name))


@cache
def rust(name: str) -> Any:
    return import_module("bpe_openai").get_encoding(f"{name}_base")


TOUCHING = (
    "a b",
    "it's a ",
    "  ",
    " ",
    "\n",
    "Z z",
    "3 a 3",
    "é x",
    "“a b”",
    "中文 a b",
    "//a e\u0301",
)


@pytest.mark.parametrize("name", ["o200k", "cl100k", "llama3", "qwen", "mistral"])
@given(parts=st.lists(st.sampled_from(TOUCHING), min_size=2, max_size=30))
def test_a_long_text_counts_the_same_in_parts(name: str, parts: list[str]) -> None:
    text = "".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiktokens, "_LONG", 3)
        assert counter(name).count(text).tokens == len(vocabulary(name).split(text))


def test_counting_a_long_text_takes_little_memory() -> None:
    text = "to be or not to be " * 50_000
    counter("o200k").count("")
    tracemalloc.start()
    try:
        counter("o200k").count(text)
        assert tracemalloc.get_traced_memory()[1] < 4 * len(text)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("name", "text", "tokens"), KNOWN)
def test_counts_that_others_published(name: str, text: str, tokens: int) -> None:
    """Each vocabulary gives the counts of its own library, or of llama.cpp's own test."""
    count = counter(name).count(text)
    assert count.tokens == tokens
    assert count.exact


@pytest.mark.parametrize("name", ["o200k", "cl100k"])
@given(text=st.text())
@example(text=README)
def test_openai_counts_are_those_of_another_implementation(name: str, text: str) -> None:
    """The counts equal those of the Rust crate with the same vocabularies."""
    assert counter(name).count(text).tokens == len(rust(name).encode(text))


@pytest.mark.parametrize("name", ["smollm2", GEMMA])
def test_gguf_counts_are_those_of_llama_cpp(name: str) -> None:
    """The counts of a GGUF vocabulary on 300 texts equal those of llama.cpp."""
    counts = counter(name).count_all(row["text"] for row in RECORDED)
    assert [count.tokens for count in counts] == [row[name] for row in RECORDED]


@pytest.mark.parametrize("name", ["o200k", "cl100k", "llama3", "llama4", "mistral"])
@given(text=st.text())
@example(text="")
@example(text=" ")
@example(text="\u2581 \u2581\u2581")
@example(text="👩\u200d👩\u200d👧 e\u0301\u0301 \x00\x01\x7f\x85")
@example(text="\x04")
@example(text="cafe\u0301 ﬁn ½ \u212b")
@example(text="<|im_end|><s></s><bos><EOT><|eot_id|>[INST]")
@example(text=README[:2000])
def test_tokens_joined_are_the_text(name: str, text: str) -> None:
    """The joined bytes of the tokens are the text, and the number of tokens is the count."""
    tokens = vocabulary(name).split(text)
    assert b"".join(tokens) == text.encode()
    assert len(tokens) == counter(name).count(text).tokens


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(
    "text", ["<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eot|>", "<EOT>", "<end_of_turn>"]
)
def test_special_tokens_in_texts_are_not_special(name: str, text: str) -> None:
    """The name of a special token in a user's text is text, of several tokens."""
    assert counter(name).count(text).tokens > 1


@pytest.mark.parametrize("name", FAMILIES)
def test_lone_surrogates_are_counted(name: str) -> None:
    """A lone surrogate, which JSON may contain, is counted as U+FFFD, and a pair as one
    character.
    """
    halves, whole, replaced = (
        counter(name).count(text).tokens for text in ("a\ud83d\ude00", "a😀", "a\ufffd")
    )
    assert halves == whole
    assert counter(name).count("a\ud83d").tokens == replaced


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error for a missing package of a family has its name and its versions."""
    monkeypatch.setattr(families, "distribution", _missing)
    with pytest.raises(MissingExtraError) as caught:
        families.llama4()
    assert caught.value.code == Code.EXTRA
    assert caught.value.msg == "llama-models is not installed"
    assert "; pip install --no-deps 'llama-models>=0.3,<0.4'" in str(caught.value)
    with pytest.raises(MissingExtraError, match=r"not installed; pip install .*\[apps\]"):
        families.openai_ranks("o200k")


def test_a_package_without_its_vocabulary_says_so() -> None:
    """The error for a release without its vocabulary file names the release."""
    with pytest.raises(MissingExtraError, match=r"pytest does not contain other\.json") as caught:
        families.find_file("pytest", "other.json", "llama")
    assert caught.value.code == Code.EXTRA


def _missing(name: str) -> None:
    raise PackageNotFoundError(name)


@pytest.mark.parametrize(
    "text", [" " * 1_000_000, "\t" * 1_100_000 + "end", "a b " + "\u3000" * 1_000_001]
)
def test_a_million_blanks_are_counted(text: str) -> None:
    """A million blanks are counted in pieces, because tiktoken fails on them, so the count is not
    exact.
    """
    count = counter("o200k").count(text)
    assert 0 < count.tokens <= len(text)
    assert not count.exact
    assert b"".join(vocabulary("o200k").split(text)).decode() == text


def test_a_panic_of_a_library_stays_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A panic of a Rust library, which is not an `Exception`, halves the text until none occurs."""
    panic = type("PanicException", (BaseException,), {})
    one = counter("o200k")
    whole = one._encoding  # type: ignore[attr-defined]

    def panics(text: str) -> list[int]:
        if len(text) > 3:
            raise panic("stack overflow")
        return list(whole.encode_ordinary(text))

    monkeypatch.setattr(one, "_encoding", SimpleNamespace(encode_ordinary=panics))
    assert one.count("abcdefgh").tokens >= 3
    assert not one.count("abcdefgh").exact
    interrupted = SimpleNamespace(
        encode_ordinary=lambda _: (_ for _ in ()).throw(KeyboardInterrupt)
    )
    monkeypatch.setattr(one, "_encoding", interrupted)
    with pytest.raises(KeyboardInterrupt):
        one.count("abc")
