"""What `lton wrap` would have sent: results shorter at first sight, all else as it was."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import is_

from lton.chat import Message, ToolResult
from lton.chat.records import Other, Text
from lton.chat.results import ChangeResult
from lton.cost.logs import Record
from lton.gateway.native.results import at_first_sight
from lton.transcript.first_sight import SeenLines

_OPEN = 64
"""Conversations that a request may go on with."""


@dataclass(slots=True, eq=False)
class _Conversation:
    given: Sequence[Message] = ()
    made: tuple[Message, ...] = ()
    seen: SeenLines = field(default_factory=SeenLines)


class WrappedRequests:
    """Conversations as they go on: each message is made shorter once, as the gateway does.

    >>> from lton.chat.records import Text
    >>> told = Message("tool", (ToolResult((Text('{"sky": "clear"}'),), "1"),))
    >>> [result] = WrappedRequests().request(Record(messages=(told,))).messages[0].results
    >>> result.text
    '{"sky":"clear"}'
    """

    def __init__(self) -> None:
        self._open: deque[_Conversation] = deque(maxlen=_OPEN)

    def request(self, record: Record) -> Record:
        """Get the request with short results; it may go on with an earlier one."""
        given = record.messages
        known = next((each for each in self._open if _begins(given, each.given)), None)
        if known is None:
            self._open.append(known := _Conversation())
        write = at_first_sight(known.seen)
        known.made += tuple(_short(each, write) for each in given[len(known.given) :])
        known.given = given
        return replace(record, messages=known.made)


def _begins(messages: Sequence[Message], first: Sequence[Message]) -> bool:
    return len(first) <= len(messages) and all(map(is_, messages, first))


def _short(message: Message, write: ChangeResult) -> Message:
    parts = (
        replace(part, parts=tuple(_said(each, write) for each in part.parts))
        if isinstance(part, ToolResult) and not part.is_error
        else part
        for part in message.parts
    )
    return replace(message, parts=tuple(parts))


def _said(part: Text | Other, write: ChangeResult) -> Text | Other:
    return replace(part, text=write(part.text, "")) if isinstance(part, Text) else part
