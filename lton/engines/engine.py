"""Define the methods that an engine must have for generation."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

Chat: TypeAlias = Sequence[Mapping[str, str]]
"""The messages of a chat, each with a role and a content."""
Pair: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""The tokens of a context, and the tokens of a text that may follow the context."""
FrozenPair: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""A pair that can be the key of a dictionary."""


class Engine(Protocol):
    """A model with a cache of the tokens that it has read."""

    def prompt(self, messages: Chat) -> list[int]:
        """Return the tokens of a chat up to the start of the answer."""

    def tokenize(self, text: str) -> list[int]:
        """Tokenize part of an answer."""

    def feed(self, tokens: Sequence[int]) -> int:
        """Feed tokens to the model and return the number of tokens that were not cached."""

    def constrain(self, gbnf: str) -> Any:
        """Return a context manager for sampling tokens under a grammar."""

    def sample(self, grammar: Any) -> bytes | None:
        """Sample a token, and return its text or, at the end of the turn, None."""


@runtime_checkable
class Scorer(Protocol):
    """An engine that can also compute the likelihood of texts without sampling."""

    def score_pairs(self, pairs: Sequence[Pair]) -> tuple[int, list[float]]:
        """Return the number of tokens read, and the log-likelihood of each text after its context.

        Each text is read to its end. A prefix that contexts share is read once. An engine on a
        server sends one request for each different text, or one for all pairs, so it is cheapest to
        compare contexts by the likelihood of the same text. llama.cpp's server needs another
        request for each special token in a text.

        Tokens that are only a part of a character may be left out, in the same way after each
        context. Recent scores are cached. Afterwards the engine holds its previous tokens, or reads
        them again when they are fed.
        """

    def pick(self, scores: Sequence[float]) -> int:
        """Sample one of the scores at the engine's temperature and return its index."""


@runtime_checkable
class StateReader(Protocol):
    """An engine that shows the state of its model. A server shows no states."""

    @property
    def identity(self) -> str:
        """A string that is the same for the same weights only."""

    def read_state(self, tokens: Sequence[int]) -> tuple[int, Sequence[float]]:
        """Return the number of tokens read, and the output of the last layer for the last token.

        Afterwards the engine holds the tokens, as after `feed`.
        """


@runtime_checkable
class Prefetcher(Protocol):
    """An engine that saves time if it tokenizes several texts at once."""

    def prefetch(self, chats: Sequence[Chat], texts: Sequence[str]) -> None:
        """Cache the tokens of chats and of texts, which `prompt` and `tokenize` then return."""


def prefetch(engine: Any, *, chats: Sequence[Chat] = (), texts: Sequence[str] = ()) -> None:
    """Let an engine on a server tokenize chats and texts in one request before they are needed."""
    if isinstance(engine, Prefetcher):
        engine.prefetch(chats, texts)


def count_common_start(*tokens: Sequence[int] | str) -> int:
    """Return the length of the common prefix of several sequences."""
    for rank, items in enumerate(zip(*tokens, strict=False)):
        if len({*items}) > 1:
            return rank
    return min(map(len, tokens))
