"""Define token counters and vocabularies."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from lton._json import minified
from lton.tokens.chat import PER_MESSAGE, PER_REPLY, iterate_message_texts
from lton.tokens.template import Template

Messages: TypeAlias = Sequence[Mapping[str, Any]]
Definitions: TypeAlias = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Count:
    """A number of tokens, which may be an estimate.

    >>> Count(2, exact=True) + Count(3, exact=False)
    Count(tokens=5, exact=False)
    """

    tokens: int
    exact: bool

    def __add__(self, other: "Count") -> "Count":
        return Count(self.tokens + other.tokens, self.exact and other.exact)


class TokenCounter(Protocol):
    """Counts the tokens of strings and messages."""

    @property
    def id(self) -> str: ...
    @property
    def exact(self) -> bool: ...

    def count(self, text: str) -> Count: ...
    def count_all(self, texts: Iterable[str]) -> list[Count]: ...

    def count_messages(self, messages: Messages, tools: Definitions = ()) -> Count:
        """Count the tokens of messages and tools, including text that the chat template adds."""
        ...

    def count_tools(self, tools: Definitions) -> Count:
        """Count the tokens that tool definitions add to a request."""
        ...


class Vocabulary(TokenCounter, Protocol):
    """A counter that can also split a string into its tokens."""

    def split(self, text: str) -> list[bytes]:
        """Return the bytes of each token."""
        ...


class Counter(ABC):
    """A base class for counters, which estimates the tokens of chats.

    The estimate is the sum of the strings in the messages, `PER_MESSAGE` tokens around each
    message, `PER_REPLY` tokens before the answer, and the tools as minified JSON. It is never
    `exact`, because a template may add other text (such as a default system prompt).
    """

    def __init__(self, name: str, *, exact: bool) -> None:
        self.id = name
        self._exact = exact

    @property
    def exact(self) -> bool:
        return self._exact

    @abstractmethod
    def count_all(self, texts: Iterable[str]) -> list[Count]: ...

    def count(self, text: str) -> Count:
        return self.count_all([text])[0]

    def count_messages(self, messages: Messages, tools: Definitions = ()) -> Count:
        texts = [text for message in messages for text in iterate_message_texts(message)]
        around = Count(PER_MESSAGE * len(messages) + PER_REPLY, exact=False)
        return sum(self.count_all(texts), around) + Counter.count_tools(self, tools)

    def count_tools(self, tools: Definitions) -> Count:
        if not tools:
            return Count(0, exact=True)
        return Count(self.count(minified(tools)).tokens, exact=False)


class LocalVocabulary(Counter):
    """A base class for vocabularies, which can count chats exactly.

    Special tokens in a string count as ordinary text: `<|im_end|>` in a user's message is about six
    tokens, not one. Lone surrogates count as U+FFFD.
    """

    def __init__(self, name: str, template: Template | None = None) -> None:
        super().__init__(name, exact=True)
        self.template = template

    def count_messages(self, messages: Messages, tools: Definitions = ()) -> Count:
        rendered = self.template.render(messages, tools) if self.template else None
        if rendered is None:
            return super().count_messages(messages, tools)
        counts = self.count_all(rendered.texts)
        count = sum(counts, Count(rendered.specials, exact=rendered.whole))
        return count if rendered.has_tools else count + super().count_tools(tools)

    def count_tools(self, tools: Definitions) -> Count:
        shortest = [{"role": "user", "content": "?"}]
        if self.template is None:
            return super().count_tools(tools)
        with_tools, without = (
            self.count_messages(shortest, definitions) for definitions in (tools, ())
        )
        exact = with_tools.exact and without.exact
        return Count(max(0, with_tools.tokens - without.tokens), exact)


def adds_up_texts(counter: TokenCounter) -> bool:
    """Return whether a chat's token count is the sum of its messages' token counts."""
    own = type(counter).count_messages
    if own is LocalVocabulary.count_messages:
        return isinstance(counter, LocalVocabulary) and counter.template is None
    return own is Counter.count_messages


def with_valid_characters(text: str) -> str:
    """Join surrogate pairs in a string and replace lone surrogates with U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


BYTES_PER_TOKEN = 4
"""The rule of thumb if there is no vocabulary."""


class ByteHeuristic(Counter):
    """Counts one token for every four bytes of UTF-8, rounded up.

    It counts bytes instead of characters: 135 Chinese characters are 105 tokens in o200k, 101 by
    this rule, and 33 by a rule that counts characters.

    >>> ByteHeuristic().count("hello world")
    Count(tokens=3, exact=False)
    """

    def __init__(self) -> None:
        super().__init__("bytes", exact=False)

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        counts = []
        for text in texts:
            size = len(with_valid_characters(text).encode())
            counts.append(Count(-(-size // BYTES_PER_TOKEN), exact=False))
        return counts
