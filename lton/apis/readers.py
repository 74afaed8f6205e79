"""Map each API to the reader of its answers."""

from collections.abc import Callable, Mapping

from lton.apis.answers import AnswerReader
from lton.apis.chat_reader import ChatReader
from lton.apis.messages_reader import MessagesReader
from lton.apis.names import ApiName
from lton.apis.responses_reader import ResponsesReader

READERS: Mapping[ApiName, Callable[[Mapping[str, str]], AnswerReader]] = {
    "chat": ChatReader,
    "responses": ResponsesReader,
    "messages": MessagesReader,
}  # each takes the namespaces of the tools that have one
