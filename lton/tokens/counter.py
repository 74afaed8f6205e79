"""What a token counter is, and the one that needs no vocabulary: a quarter of the bytes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lton.tokens.framing import estimate_messages, estimate_tools


@dataclass(frozen=True, slots=True)
class Count:
    """Tokens of something, and whether the model would count the same."""

    tokens: int
    exact: bool

    def __add__(self, other: "Count") -> "Count":
        return Count(self.tokens + other.tokens, self.exact and other.exact)


class TokenCounter(Protocol):
    """Counts the tokens of texts, lists of texts, chat messages and tool definitions."""

    @property
    def id(self) -> str: ...

    @property
    def exact(self) -> bool: ...

    def count(self, text: str) -> Count: ...

    def count_all(self, texts: Iterable[str]) -> list[Count]: ...

    def count_messages(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] = ()
    ) -> Count: ...

    def count_tools(self, tools: Sequence[Mapping[str, Any]]) -> Count: ...


class ByteCounter:
    """A quarter of the bytes of UTF-8, rounded up: what is left when no tokenizer is known.

    Characters would be too few by far: 135 Chinese characters are 105 to 170 tokens.

    >>> ByteCounter().count("hello world")
    Count(tokens=3, exact=False)
    """

    id = "bytes"
    exact = False

    def count(self, text: str) -> Count:
        return Count(-(-len(text.encode("utf-8", "surrogatepass")) // 4), exact=False)

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        return [self.count(text) for text in texts]

    def count_messages(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] = ()
    ) -> Count:
        return Count(estimate_messages(self._tokens, messages, tools), exact=False)

    def count_tools(self, tools: Sequence[Mapping[str, Any]]) -> Count:
        return Count(estimate_tools(self._tokens, tools), exact=False)

    def _tokens(self, texts: list[str]) -> int:
        return sum(count.tokens for count in self.count_all(texts))
