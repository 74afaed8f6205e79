"""Define the methods that an engine must have for generation."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable


class Engine(Protocol):
    """A model with a cache of the tokens that it has read."""

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
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
    """An engine that can also compute the likelihood of strings without sampling."""

    def score(
        self,
        tokens: Sequence[int],
        texts: Sequence[Sequence[int]],
        *,
        aside: bool = False,
        less: Sequence[float] | None = None,
    ) -> tuple[int, list[float]]:
        """Return the number of tokens read, and the log-probability of each string after `tokens`.

        With `aside`, the engine still holds its previous tokens afterwards. The caller subtracts
        `less` from the scores and takes the highest. So a greedy engine may overestimate the score
        of a string, as long as another string's score is higher.
        """

    def foretell(
        self, prompts: Sequence[tuple[Sequence[int], int]], *, aside: bool = False
    ) -> tuple[int, int, list[float]]:
        """Return the number of tokens read, the index of the best prompt, and each likelihood.

        A prompt is scored by the likelihood of its end, and is given with the index of the end's
        first token. An engine may cache the text before the end, for prompts with the same start.
        Without `aside`, the best prompt is answered next.
        """

    def pick(self, scores: Sequence[float]) -> int:
        """Sample one of the scores at the engine's temperature and return its index."""


def common(*tokens: Sequence[int] | str) -> int:
    """Return the length of the common prefix of several sequences."""
    for rank, each in enumerate(zip(*tokens, strict=False)):
        if len({*each}) > 1:
            return rank
    return min(map(len, tokens))
