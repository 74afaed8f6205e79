"""Find token counters by name.

Names are entry points of the group `lton.tokens`, so other packages can add counters. An entry
point is a function without arguments that returns a counter.
"""

import json
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import cast

from lton.errors import MissingExtraError
from lton.tokens import gguf, huggingface, sentencepieces, tiktokens
from lton.tokens.counting import LocalVocabulary, TokenCounter

GROUP = "lton.tokens"


def names() -> list[str]:
    """Return all names that `counter` accepts."""
    return sorted(_entry_points())


def counter(name: str) -> TokenCounter:
    """Return the counter for a name, a vocabulary file, or a server.

    - A name: one of `names()`. Equal names give the same counter.
    - A file: `*.gguf`, `tokenizer.json`, `tekken.json` or SentencePiece's `*.model`.
    - A server: `URL#MODEL`. Nothing is sent before the first count.

    Raises `MissingExtraError` if a package is missing, and `ValueError` for an unknown name.

    >>> counter("bytes").count("hello world").tokens
    3
    >>> counter("o200k").count("hello world").tokens
    2
    """
    if name.startswith(("http://", "https://")):
        endpoint, _, model = name.partition("#")
        server = import_module("lton.tokens.server").ServerCounter(endpoint, model)
        return cast("TokenCounter", server)
    if name in _entry_points():
        return _make_counter(name)
    path = Path(name)
    if path.is_file():
        return from_file(path)
    raise ValueError(f"expected a file, a URL or one of {', '.join(names())}, found {name!r}")


def default_tokenizer(say: Callable[[str], None]) -> str:
    """Return `o200k`, or warn that its library is missing and return `bytes`."""
    try:
        counter("o200k").count("")
    except MissingExtraError as error:
        say(f"{error}; this is an estimate")
        return "bytes"
    return "o200k"


def from_file(path: Path, name: str | None = None) -> LocalVocabulary:
    """Read a vocabulary: a GGUF file, a `tokenizer.json`, a `tekken.json` or a `*.model`.

    Its `id` is the name, or else the path. Raises `ValueError` for other files.
    """
    name = name or str(path.resolve())
    with path.open("rb") as file:
        start = file.read(4)
    if start == gguf.MAGIC:
        return gguf.from_file(path, name)
    if start.lstrip()[:1] == b"{":
        keys = json.loads(path.read_bytes()).keys()
        if keys >= {"config", "vocab"}:
            return tiktokens.from_tekken(path, name)
        if "model" in keys:
            return huggingface.from_file(path, name)
    elif start[:1] == b"\n":  # the first field of SentencePiece's message: its pieces
        return sentencepieces.from_file(path, name)
    raise ValueError(f"expected GGUF, tokenizer.json, tekken.json or *.model, found {path}")


@cache
def _make_counter(name: str) -> TokenCounter:
    token_counter: TokenCounter = _entry_points()[name].load()()
    return token_counter


@cache
def _entry_points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}
