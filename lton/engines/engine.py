"""What generation asks of an engine, and what some engines can do beside."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable


class Engine(Protocol):
    """A model with a cache of what it has read."""

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        """Get the tokens of a chat, up to where the answer begins."""

    def tokenize(self, text: str) -> list[int]:
        """Get the tokens of a text inside an answer."""

    def feed(self, tokens: Sequence[int]) -> int:
        """Make the model have read exactly these; get how many of them it had to read for that."""

    def constrain(self, gbnf: str) -> Any:
        """Get a context in which tokens are sampled under a grammar."""

    def sample(self, grammar: Any) -> bytes | None:
        """Sample a token and read it; get its text, or None for the end of the turn."""


@runtime_checkable
class Scorer(Protocol):
    """What an engine may do beside: say how likely texts are, with none of them sampled."""

    def score(
        self,
        tokens: Sequence[int],
        texts: Sequence[Sequence[int]],
        *,
        aside: bool = False,
        less: Sequence[float] | None = None,
    ) -> tuple[int, list[float]]:
        """Get how many tokens were read, and the logarithm of each text's probability.

        What is read `aside` need not take the place of what was read before, if the engine has
        room for both. `less` is what will be taken off the scores before one is picked: an engine
        that picks the highest may leave a text that cannot be that with too high a score, as long
        as another stays higher.
        """

    def foretell(
        self, prompts: Sequence[tuple[Sequence[int], int]], *, aside: bool = False
    ) -> tuple[int, int, list[float]]:
        """Get how many tokens were read, the index of the prompt that makes its rest likeliest, and
        how likely each makes it, as a logarithm.

        Each comes with where its rest begins: what is before that an engine may keep, for prompts
        that begin alike and go on otherwise. The model is after the prompt of that index then, or
        where it was if it read them aside.
        """

    def pick(self, scores: Sequence[float]) -> int:
        """Get the index of one of some scores, as the engine samples."""


def common(*tokens: Sequence[int] | str) -> int:
    """Get how many tokens, or characters, all of some sequences begin with.

    >>> common([1, 2, 3], [1, 2, 4]), common([1], [1, 2])
    (2, 1)
    """
    for rank, each in enumerate(zip(*tokens, strict=False)):
        if len({*each}) > 1:
            return rank
    return min(map(len, tokens))
