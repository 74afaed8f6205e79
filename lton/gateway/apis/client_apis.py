"""Pair the reader for an API's requests with the writer for its answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lton._json import minified
from lton.apis.answers import AnswerWriter
from lton.apis.chat_writer import ChatWriter
from lton.apis.messages_writer import MessagesWriter
from lton.apis.names import ApiName
from lton.apis.responses_writer import ResponsesWriter
from lton.gateway.apis.client_requests import (
    ClientRequest,
    read_chat,
    read_messages,
    read_responses,
)
from lton.gateway.apis.members import Body
from lton.tokens.counting import ByteHeuristic

_READERS: Mapping[ApiName, Callable[..., ClientRequest]] = {
    "chat": read_chat,
    "responses": read_responses,
    "messages": read_messages,
}


@dataclass(frozen=True)
class ClientApi:
    """One of the three APIs. `repeat` allows repeated calls by default."""

    name: ApiName
    repeat: bool = False

    def read(self, body: Body) -> ClientRequest:
        return _READERS[self.name](body, repeat=self.repeat)

    def writer(
        self,
        request: ClientRequest,
        spaces: Mapping[str, str] = MappingProxyType({}),
        names: Mapping[str, str] = MappingProxyType({}),
    ) -> AnswerWriter:
        """Return the writer for an answer.

        `spaces` maps functions to their namespaces, and `names` to the client's names.
        """
        match self.name:
            case "chat":
                return ChatWriter(request.model, include_usage=request.include_usage)
            case "responses":
                return ResponsesWriter(
                    request.model,
                    request.body,
                    parallel=request.parallel,
                    spaces=spaces,
                    names=names,
                )
        estimate = estimate_input(request) if request.stream else 0
        return MessagesWriter(request.model, input_tokens=estimate)


def estimate_input(request: ClientRequest) -> int:
    """Estimate the tokens of a request. Streams begin with this figure, and end with the real one.

    Every four bytes count as a token.
    """
    tools = request.body.get("tools")
    texts = [minified(tools)] if tools else []
    for message in request.messages:
        texts.append(message.text)
        texts += [call.written for call in message.calls]
        texts += [result.text for result in message.results]
    return sum(count.tokens for count in ByteHeuristic().count_all(texts))
