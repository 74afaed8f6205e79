"""Define what the gateway has to know about an API: one object for each API.

An object has facts (paths, headers, limits) and functions (readers and writers of requests,
answers, messages and tools). Code outside this package asks the object, and never compares names.
`registry` lists the objects. The defaults here are those of most APIs.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from lton._json import minified
from lton.apis.answers import AnswerReader, AnswerWriter
from lton.apis.client_requests import ClientRequest, TranslatedRequest
from lton.apis.media import Media
from lton.apis.members import Body
from lton.apis.names import ApiName
from lton.apis.sse import WAITING
from lton.apis.tool_choice import AllowedNames
from lton.chat import Message, Part
from lton.chat.records import Api as MessageFormat
from lton.grammar.build import ToolChoice

_NONE: Mapping[str, str] = MappingProxyType({})


class Api(ABC):
    """An API of model servers and their clients."""

    name: ClassVar[ApiName]
    path: ClassVar[str]  # of requests for answers
    count_path: ClassVar[str | None] = None  # of requests for a number of tokens
    message_format: ClassVar[MessageFormat]  # the `api` of messages in this API's format
    prices: ClassVar[str]  # the row of `tokens.billing.PRICES` for hosted servers
    hosts: ClassVar[tuple[str, ...]] = ()  # the domains of hosted servers
    key_header: ClassVar[str] = "authorization"
    keep_alive: ClassVar[bytes] = WAITING  # keeps a silent stream open

    conversation_key: ClassVar[str] = "messages"  # the member of a request with the conversation
    longest_name: ClassVar[int] = 64  # characters of a tool's name
    strict_keywords: ClassVar[frozenset[str]]  # JSON Schema keywords that strict tools may have
    hosted_tools: ClassVar[tuple[str, ...]] = ()  # type prefixes of tools that may pause an answer

    enforces_strict: ClassVar[bool] = True  # whether servers that enforce schemas do it here
    has_namespaces: ClassVar[bool] = False  # whether tools can have a namespace
    has_developers: ClassVar[bool] = True  # whether there is the role "developer"
    has_errors: ClassVar[bool] = False  # whether a result can be marked as an error
    shows_thoughts: ClassVar[bool] = False  # whether requests may contain unsigned thoughts
    has_text_blocks: ClassVar[bool] = False  # whether each text of a message is a block of lines
    has_user_results: ClassVar[bool] = False  # whether results are parts of the user's messages
    is_universal: ClassVar[bool] = False  # whether all servers have this API

    def serves(self, path: str) -> bool:
        """Return whether a path belongs to this API."""
        return path in (self.path, self.count_path)

    # --- answers ----------------------------------------------------------------------------------

    @abstractmethod
    def reader(self, spaces: Mapping[str, str] = _NONE) -> AnswerReader:
        """Return a reader of one answer. `spaces` maps functions to their namespaces."""

    @abstractmethod
    def writer(
        self,
        request: ClientRequest,
        spaces: Mapping[str, str] = _NONE,
        names: Mapping[str, str] = _NONE,
    ) -> AnswerWriter:
        """Return a writer of one answer.

        `spaces` maps functions to their namespaces, and `names` to the client's names.
        """

    def write_error(self, error: Body, status: int) -> dict[str, Any]:
        """Convert an error in OpenAI's format."""
        del status
        return {**error}

    def write_count(self, tokens: int) -> dict[str, Any]:
        """Return the answer to a request for a number of tokens."""
        return {"input_tokens": tokens}

    # --- requests ---------------------------------------------------------------------------------

    @abstractmethod
    def read_request(self, body: Body, *, repeat: bool = False) -> ClientRequest:
        """Read a request. Raises `RefusedError` for an unsupported parameter.

        `repeat` allows repeated calls by default.
        """

    @abstractmethod
    def write_request(self, translated: TranslatedRequest) -> dict[str, Any]:
        """Write a streaming request. Raises `RefusedError` if this API cannot express it."""

    def dropped_fields(self, translated: TranslatedRequest) -> Iterator[str]:
        """Yield the names of the client's fields that `write_request` knows and leaves out."""
        del translated
        return iter(())

    def round_fields(self, request: ClientRequest, sent: Body) -> dict[str, Any]:
        """Return fields for a later round of a request whose client has this API, too."""
        del request, sent
        return {}

    def move_key(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Move a key to the header in which this API expects it, and add required headers."""
        found = dict(headers)
        if key := found.pop("x-api-key", ""):
            found.setdefault("authorization", f"Bearer {key}")
        return found

    # --- conversations ----------------------------------------------------------------------------

    @abstractmethod
    def write_messages(self, messages: Iterable[Message]) -> list[Any]:
        """Write messages as items of the conversation in a request."""

    def append_messages(self, body: Body, messages: Iterable[Message]) -> dict[str, Any]:
        """Return a request with more messages."""
        given = body.get(self.conversation_key)
        said = [{"role": "user", "content": given}] if isinstance(given, str) else [*(given or ())]
        return {**body, self.conversation_key: [*said, *self.write_messages(messages)]}

    def append_text(self, body: Body, text: str) -> dict[str, Any] | None:
        """Append text to the last message, or return None if that is not the user's.

        Some templates refuse two messages of the user in a row.
        """
        key = self.conversation_key
        match body.get(key):
            case str(said):
                return {**body, key: f"{said}\n\n{text}"}
            case [*before, {"role": "user", "content": str(said)} as last]:
                return {**body, key: [*before, {**last, "content": f"{said}\n\n{text}"}]}
            case [*before, {"role": "user", "content": [*parts]} as last]:
                made = [*parts, self.write_text(text)]
                return {**body, key: [*before, {**last, "content": made}]}
        return None

    def write_text(self, text: str) -> dict[str, Any]:
        """Return a part of a user's message."""
        return {"type": "text", "text": text}

    def read_turn(self, parts: Sequence[Any]) -> tuple[Message, ...]:
        """Return the messages of a model's turn, from its complete blocks or items."""
        del parts
        return ()

    @abstractmethod
    def write_media(self, media: Media) -> dict[str, Any] | None:
        """Write an image, document or sound; return None if this API does not accept it."""

    def has_detail(self, part: Part) -> bool:
        """Return whether this API can express all of an image, a document or a sound."""
        del part
        return True

    # --- tools ------------------------------------------------------------------------------------

    @abstractmethod
    def write_tool_choice(self, choice: ToolChoice, allowed: AllowedNames) -> Any:
        """Write a `tool_choice`. `allowed` are the tools that may be called; None for all."""

    def function_in(self, tool: Body) -> Body | None:
        """Return the function that a tool of this API defines, or None for any other tool."""
        is_function = tool.get("type") == "function"
        return tool if is_function and isinstance(tool.get("name"), str) else None

    def with_function(self, tool: Body, function: Body) -> dict[str, Any]:
        """Return a tool with another definition of its function."""
        del tool
        return {**function}

    def schema_of(self, function: Body) -> Any:
        """Return the JSON Schema of a function's parameters."""
        return function.get("parameters")


def encode_body(body: Body) -> bytes:
    """Write a request as JSON."""
    return minified(body).encode(errors="replace")
