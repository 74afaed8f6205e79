"""Shorten the results in logged requests, as `lton wrap` does."""

from collections import deque
from dataclasses import dataclass, field, replace

from lton.chat import Message, ToolResult
from lton.chat.records import Other, Text
from lton.cost.bill import find_longest_start
from lton.cost.logs import Record
from lton.gateway.native.result_forms import ShownResults

_OPEN = 64  # the maximum number of conversations that a request may continue


@dataclass(slots=True, eq=False)
class _Conversation:
    messages: tuple[Message, ...] = ()
    shortened: tuple[Message, ...] = ()
    sight: ShownResults = field(default_factory=ShownResults)


class WrappedRequests:
    """Shortens tool results in requests from several conversations."""

    def __init__(self) -> None:
        self._open: deque[_Conversation] = deque(maxlen=_OPEN)

    def shorten_request(self, record: Record) -> Record:
        """Shorten the results in a request."""
        messages = record.messages
        conversation, same = find_longest_start(self._open, messages, whole=True)
        if conversation is None:
            conversation = _Conversation()
            self._open.append(conversation)
        conversation.shortened += tuple(
            _shorten_results(message, conversation.sight) for message in messages[same:]
        )
        conversation.messages = messages
        return replace(record, messages=conversation.shortened)


def _shorten_results(message: Message, sight: ShownResults) -> Message:
    for call in message.calls:
        sight.note_call(str(call.id), call.name, call.arguments)
    parts = (
        replace(part, parts=tuple(_shorten_text(inner, part, sight) for inner in part.parts))
        if isinstance(part, ToolResult) and not part.is_error
        else part
        for part in message.parts
    )
    return replace(message, parts=tuple(parts))


def _shorten_text(part: Text | Other, result: ToolResult, sight: ShownResults) -> Text | Other:
    if not isinstance(part, Text):
        return part
    return replace(part, text=sight.write_result(part.text, str(result.call_id)))
