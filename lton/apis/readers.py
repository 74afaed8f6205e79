"""The answer reader of each API."""

from collections.abc import Callable, Mapping

from lton.apis.answers import AnswerReader
from lton.apis.chat import ChatReader
from lton.apis.messages import MessagesReader
from lton.apis.names import ApiName
from lton.apis.responses import ResponsesReader

READERS: Mapping[ApiName, Callable[[Mapping[str, str]], AnswerReader]] = {
    "chat": ChatReader,
    "responses": ResponsesReader,
    "messages": MessagesReader,
}
"""Each takes the namespaces of the tools that have one."""
