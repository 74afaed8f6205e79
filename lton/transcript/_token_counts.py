"""Count the tokens of each text and message of a conversation once."""

from lton.chat import Message, Text, ToolCall, ToolResult
from lton.chat.records import Extra
from lton.tokens import TokenCounter, TurnCache
from lton.tokens.chat import PER_MESSAGE, message_texts
from lton.transcript.view import wire

_MOST_TEXTS = 256  # The maximum number of texts whose counts are kept without computing a digest
_MOST_MESSAGES = 1_000


class TokenCounts:
    """Counts tokens, and remembers the counts of recent texts and messages.

    While a message is added, the same few texts are counted up to ten times. So the texts
    themselves are kept, because computing the digest that `TurnCache` needs takes long. A message
    is often shown again as the same object, which is looked up by its id.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._cache = TurnCache()
        self._texts: dict[str, int] = {}
        self._messages: dict[int, tuple[Message, int]] = {}  # The message keeps its id valid

    def count_text(self, text: str) -> int:
        if (known := self._texts.get(text)) is not None:
            return known
        count = self._cache.count(self._counter, text)
        if count.exact or not self._counter.exact:  # An estimate of an exact counter is not kept
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            self._texts[text] = count.tokens
        return count.tokens

    def count_message(self, message: Message) -> int:
        if (known := self._messages.get(id(message))) is not None:
            return known[1]
        texts = _plain_texts(message)
        written = 1
        if texts is None:
            messages = wire([message])
            written = len(messages)
            texts = [text for each in messages for text in message_texts(each)]
        tokens = PER_MESSAGE * written + sum(map(self.count_text, texts))
        if len(self._messages) >= _MOST_MESSAGES:
            self._messages.clear()
        self._messages[id(message)] = message, tokens
        return tokens


def _plain_texts(message: Message) -> list[str] | None:
    """Return the strings in a message of only texts and calls, or of only a result.

    These are the strings that `message_texts` finds in the message as it is sent. For any other
    message, return None.
    """
    if message.api not in ("chat", None) or _has_more(message.extra):
        return None
    parts = message.parts
    name = message.name
    role: str = message.role
    if len(parts) == 1 and isinstance(parts[0], ToolResult):
        result = parts[0]
        if _has_more(result.extra):
            return None
        role = "tool"
        name = result.name
        parts = result.parts
    texts = [role] if name is None else [role, name]
    for part in parts:
        if isinstance(part, Text):
            texts.append(part.text)
        elif isinstance(part, ToolCall) and isinstance(part.given, str):
            texts += (part.name, part.given)
        else:
            return None
    return texts


def _has_more(extra: Extra) -> bool:
    """Return whether further fields of a message or result may contain strings to be counted."""
    return bool(extra) and any(extra.get(key) is not None for key in _COUNTED)


_COUNTED = ("role", "name", "content", "tool_calls")
