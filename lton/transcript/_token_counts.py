"""Count the tokens of each text and message of a conversation once."""

from lton.chat import Message, Text, ToolCall
from lton.chat.records import Extra
from lton.tokens import TokenCounter
from lton.tokens.chat import PER_MESSAGE, iterate_message_texts
from lton.transcript.view import write_messages_for_wire

_MOST_TEXTS = 2_000  # The maximum number of recent texts; as many older ones are kept
_MOST_MESSAGES = 1_000


class TokenCounts:
    """Counts tokens, and remembers the counts of recent texts and messages.

    While a message is added, the same few texts are counted up to ten times. The texts themselves
    are kept, because computing a digest takes longer than finding a string in a dictionary. A
    message is often shown again as the same object, which is looked up by its id.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._texts: dict[str, int] = {}
        self._older: dict[str, int] = {}
        self._messages: dict[int, tuple[Message, int]] = {}  # The message keeps its id valid

    def count_text(self, text: str) -> int:
        if text in self._texts:
            return self._texts[text]
        if text in self._older:
            return self._keep_count(text, self._older[text])
        count = self._counter.count(text)
        if count.exact or not self._counter.exact:  # An estimate of an exact counter is not kept
            self._keep_count(text, count.tokens)
        return count.tokens

    def _keep_count(self, text: str, tokens: int) -> int:
        """Keep a count, and replace the older texts when there are many recent ones."""
        if len(self._texts) >= _MOST_TEXTS:
            self._older = self._texts
            self._texts = {}
        self._texts[text] = tokens
        return tokens

    def count_message(self, message: Message) -> int:
        key = id(message)
        if key in self._messages:
            return self._messages[key][1]
        texts = _find_plain_texts(message)
        count = 1
        if texts is None:
            messages = write_messages_for_wire([message])
            count = len(messages)
            texts = [
                text for wire_message in messages for text in iterate_message_texts(wire_message)
            ]
        tokens = PER_MESSAGE * count + sum(map(self.count_text, texts))
        if len(self._messages) >= _MOST_MESSAGES:
            self._messages.clear()
        self._messages[key] = message, tokens
        return tokens


def _find_plain_texts(message: Message) -> list[str] | None:
    """Return the strings in a message of only texts and calls, or of only a result.

    These are the strings that `iterate_message_texts` finds in the message as it is sent. For any
    other message, return None.
    """
    if message.api not in ("chat", None) or _has_more(message.extra):
        return None
    parts = message.parts
    name = message.name
    role: str = message.role
    if message.results and len(parts) == 1:
        (result,) = message.results
        if _has_more(result.extra):
            return None
        role = "tool"
        name = result.name
        parts = result.parts
    texts = [role] if name is None else [role, name]
    for part in parts:
        match part:
            case Text(text):
                texts.append(text)
            case ToolCall(name=tool, given=str(arguments)):
                texts += (tool, arguments)
            case _:
                return None
    return texts


def _has_more(extra: Extra) -> bool:
    """Return whether further fields of a message or result may contain strings to be counted."""
    return bool(extra) and any(extra.get(key) is not None for key in _COUNTED)


_COUNTED = ("role", "name", "content", "tool_calls")
