"""A request without tools of another API than chat: asked as a chat, answered by its own schema.

Servers of models answer this API each in their own way; clients that check answers by its schema
take few of them. Nothing is looked for in the text: it is the answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lton.chat import ContentDelta, Finish, Message, Reader, ThoughtDelta
from lton.gateway.apis.messages import answer_schema
from lton.gateway.apis.replies import ReadChoice
from lton.gateway.apis.requests import ClientRequest
from lton.gateway.exchange import Exchange, ResponseWriter, UpstreamKind
from lton.schema.toolset import ToolSet
from lton.schema.types import Call

_NONE = ToolSet.from_tools([])


class UntooledExchange(Exchange):
    """Like `Exchange`, without calls. The format that is asked for is the upstream's own work."""

    def __init__(self, request: ClientRequest, answer: ResponseWriter) -> None:
        request = replace(request, tools=_NONE, callable=_NONE, choice="none", answer="")
        super().__init__(request, answer, UpstreamKind(fields=_fields, retries=0))

    def _choice(self) -> ReadChoice:
        return _Text(self.request, self._reader())

    def _again(self) -> tuple[Message, ...]:
        return ()


class _Text(ReadChoice):
    """A choice whose text is content, whatever it looks like."""

    def __init__(self, request: ClientRequest, reader: Reader) -> None:
        super().__init__(request, reader)
        reader.close()  # it is fed nothing

    def receive_text(self, text: str) -> None:
        self.pieces.append(text)
        self.add([ContentDelta(text)])

    def receive_thought(self, text: str) -> None:
        self.deltas.append(ThoughtDelta(text))

    def close(self, calls: Sequence[Call] = ()) -> None:  # noqa: ARG002 - no tool, no call
        self.add([self.ended(Finish(self.reason or "stop"))])


def _fields(request: ClientRequest) -> Mapping[str, Any]:
    """Get what chat calls otherwise than responses and messages do."""
    fields: dict[str, Any] = {}
    match request.body.get("text"):
        case {"format": {"type": "json_schema", **schema}}:
            fields["response_format"] = {"type": "json_schema", "json_schema": schema}
        case {"format": {"type": "json_object"} as form}:
            fields["response_format"] = form
    if wanted := answer_schema(request.body):
        named = {"name": "answer", "schema": wanted}
        fields["response_format"] = {"type": "json_schema", "json_schema": named}
    match request.body.get("reasoning"):
        case {"effort": str(effort)}:
            fields["reasoning_effort"] = effort
    return fields
