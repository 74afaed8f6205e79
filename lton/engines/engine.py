"""The methods that generation requires of an engine, and the optional ones."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable


class Engine(Protocol):
    """A model with a cache of the tokens it has read."""

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        """Return the tokens of a chat, up to where the answer begins."""

    def tokenize(self, text: str) -> list[int]:
        """Return the tokens of a string inside an answer."""

    def feed(self, tokens: Sequence[int]) -> int:
        """Make these tokens the model's context; return the number that were not cached."""

    def constrain(self, gbnf: str) -> Any:
        """Return a context in which tokens are sampled under a grammar."""

    def sample(self, grammar: Any) -> bytes | None:
        """Sample a token and return its text, or None for the end of the turn."""


@runtime_checkable
class Scorer(Protocol):
    """An engine that can also compute how likely texts are, without sampling."""

    def score(
        self,
        tokens: Sequence[int],
        texts: Sequence[Sequence[int]],
        *,
        aside: bool = False,
        less: Sequence[float] | None = None,
    ) -> tuple[int, list[float]]:
        """Return how many tokens were read, and each text's log-probability after `tokens`.

        Reading `aside` keeps the tokens read before. The caller subtracts `less` from the scores
        and picks the highest: a greedy engine may overrate a text that cannot win, as long as the
        score of another is higher.
        """

    def foretell(
        self, prompts: Sequence[tuple[Sequence[int], int]], *, aside: bool = False
    ) -> tuple[int, int, list[float]]:
        """Return the tokens read, the index of the likeliest rest, and each rest's log-likelihood.

        Each prompt comes with the index of the first token of its rest. An engine may cache the
        text before that, for prompts with the same beginning. Unless they are read aside, the
        prompt of that index is the one that is answered next.
        """

    def pick(self, scores: Sequence[float]) -> int:
        """Return the index of one of the scores, chosen as the engine samples."""


def common(*tokens: Sequence[int] | str) -> int:
    """Return the length of the common prefix of some sequences.

    >>> common([1, 2, 3], [1, 2, 4]), common([1], [1, 2])
    (2, 1)
    """
    for rank, each in enumerate(zip(*tokens, strict=False)):
        if len({*each}) > 1:
            return rank
    return min(map(len, tokens))
