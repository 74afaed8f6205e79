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
from lton.apis.answer_usage import AnswerUsage, sum_usage_as_openai
from lton.apis.answers import AnswerReader, AnswerWriter, TokenUsage
from lton.apis.client_requests import ClientRequest, TranslatedRequest
from lton.apis.json_members import list_in
from lton.apis.media import Media
from lton.apis.members import Body
from lton.apis.sse import WAITING
from lton.apis.tool_choice import AllowedNames
from lton.chat import Message, Part
from lton.chat.deltas import ApiDelta, StreamEnd
from lton.chat.records import ApiName
from lton.chat.seen import iterate_seen_texts
from lton.grammar.build import ToolChoice
from lton.tokens.usage import defined_name

_FORMATS = ("response_format", "text", "output_config", "output_format")
"""The members of requests that ask for an answer in JSON."""
OWN_KEYS = frozenset(
    "model tools tool_choice parallel_tool_calls repeat_tool_calls stream temperature top_p"
    " reasoning reasoning_effort".split()
).union(_FORMATS)
"""The members of requests that the objects read by default (see `Api.own_keys`)."""
_OF_TOOLS = ("tools", "tool_choice", "parallel_tool_calls", "container", "truncation")
"""The members about tools, and those that only a server of the same API reads."""
_INSTRUCTING_ROLES = ("system", "developer")
_HISTORY = ("previous_response_id", "conversation")
"""The members that name earlier messages, which the server has stored."""
NO_NAMES: Mapping[str, str] = MappingProxyType({})


class Api(ABC):
    """An API of model servers and their clients.

    The facts are many, because each answers a question of the gateway, and none implies another.
    They never change, so they are not a state.
    """

    name: ClassVar[ApiName]  # also the `api` of messages in the format of this API
    path: ClassVar[str]  # of requests for answers
    prefix: ClassVar[str] = "/v1"  # of all paths
    count_path: ClassVar[str | None] = None  # of requests for a number of tokens
    prices: ClassVar[str]  # the row of `tokens.billing.PRICES` for hosted servers
    hosts: ClassVar[tuple[str, ...]] = ()  # the domains of hosted servers
    key_owners: ClassVar[tuple[str, ...]]  # the first words of environment variables with keys
    log_form: ClassVar[str]  # what a bill calls the requests in a log
    key_header: ClassVar[str] = "authorization"
    required_headers: ClassVar[Mapping[str, str]] = NO_NAMES
    keep_alive: ClassVar[bytes] = WAITING  # keeps a silent stream open

    conversation_key: ClassVar[str] = "messages"  # the member of a request with the conversation
    system_keys: ClassVar[tuple[str, ...]] = ()  # members with a system prompt, before messages
    own_keys: ClassVar[frozenset[str]]
    """The members of a request that are read, and that other APIs write in their own way."""
    user_roles: ClassVar[tuple[str | None, ...]] = ("user",)  # None: a message without a role
    written_fields: ClassVar[tuple[str, ...]] = ("messages", "stream", "stream_options")
    """The members of a request that express its conversation, and how it is sent."""
    limits: ClassVar[tuple[str, ...]] = ("max_tokens",)  # members that limit the answer
    longest_name: ClassVar[int] = 64  # characters of a tool's name
    strict_keywords: ClassVar[frozenset[str]]  # JSON Schema keywords that strict tools may have
    hosted_tools: ClassVar[tuple[str, ...]] = ()  # type prefixes of tools that may pause an answer

    is_probed: ClassVar[bool] = True  # whether servers on a user's machine may have this API
    enforces_strict: ClassVar[bool] = True  # whether servers that enforce schemas do it here
    has_namespaces: ClassVar[bool] = False  # whether tools can have a namespace
    has_developers: ClassVar[bool] = True  # whether there is the role "developer"
    has_errors: ClassVar[bool] = False  # whether a result can be marked as an error
    shows_thoughts: ClassVar[bool] = False  # whether requests may contain unsigned thoughts
    has_text_blocks: ClassVar[bool] = False  # whether each text of a message is a block of lines
    has_user_results: ClassVar[bool] = False  # whether results are parts of the user's messages
    is_universal: ClassVar[bool] = False  # whether all servers have this API

    # --- paths and headers ------------------------------------------------------------------------

    @property
    def client_paths(self) -> tuple[str, ...]:
        """The paths of requests for answers, as routes of Starlette."""
        return (self.path,)

    def is_path_of_api(self, path: str) -> bool:
        """Return whether a path or a route belongs to this API."""
        return path in (*self.client_paths, self.count_path)

    def request_path(self, model: str) -> str:
        """Return the path of a streaming request to a model."""
        del model
        return self.path

    def path_without_streaming(self, path: str) -> str:
        """Return the path of a request like that to `path`, whose answer does not stream."""
        return path

    def with_path_fields(self, body: dict[str, Any], path: str) -> dict[str, Any]:
        """Return a client's request with the fields that are in its path."""
        del path
        return body

    def without_path_fields(self, body: Body) -> Body:
        """Return a request without the fields that are in its path."""
        return body

    # --- answers ----------------------------------------------------------------------------------

    @abstractmethod
    def make_reader(self, spaces: Mapping[str, str] = NO_NAMES) -> AnswerReader:
        """Return a reader of one answer. `spaces` maps functions to their namespaces."""

    @abstractmethod
    def make_writer(
        self,
        request: ClientRequest,
        spaces: Mapping[str, str] = NO_NAMES,
        names: Mapping[str, str] = NO_NAMES,
    ) -> AnswerWriter:
        """Return a writer of one answer.

        `spaces` maps functions to their namespaces, and `names` to the client's names.
        """

    @abstractmethod
    def is_event(self, data: Body) -> bool:
        """Return whether an object is an event of this API's streams."""

    def stream_id(self, event: Body) -> str:
        """Return what all events of a stream have in common, or "" if nothing identifies them."""
        del event
        return ""

    def begins_answer(self, event: Body) -> bool:
        """Return whether an event is certainly the first of its stream."""
        del event
        return False

    def ends_answer(self, event: Body, deltas: Sequence[ApiDelta]) -> bool:
        """Return whether an event, from which `deltas` were read, is the last of its stream."""
        del event
        return StreamEnd() in deltas

    def write_error(self, error: Body, status: int) -> dict[str, Any]:
        """Convert an error in OpenAI's format."""
        del status
        return {**error}

    def write_usage(self, usage: TokenUsage) -> dict[str, Any]:
        """Convert the token counts of an answer in OpenAI's format."""
        return {**usage}

    def convert_usage(self, other: AnswerUsage) -> AnswerUsage:
        """Return the token counts of an answer in any API, as this API names them."""
        usage = AnswerUsage()
        usage.update(self.write_usage(sum_usage_as_openai([other.read()])))
        return usage

    def write_token_count(self, tokens: int) -> dict[str, Any]:
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

    def find_answer_format(self, body: Body) -> Body | None:
        """Return the format of the answer that a request asks for, or None for text.

        It is `{"type": "json_object"}`, or a `json_schema` with its name.
        """
        match body:
            case {"response_format": {"type": "json_schema", "json_schema": dict(schema)}}:
                return {"type": "json_schema", **schema}
            case {"response_format": {"type": "json_object"}}:
                return {"type": "json_object"}
            case {"text": {"format": {"type": "json_schema" | "json_object"} as form}}:
                return dict(form)
            case {"output_config": {"format": {"type": "json_schema", "schema": schema}}}:
                return {"type": "json_schema", "name": "answer", "schema": schema}
        return None

    def without_answer_format(self, body: Body) -> dict[str, Any]:
        """Return a request without the format of its answer."""
        return {key: value for key, value in body.items() if key not in _FORMATS}

    def without_tools(self, body: Body) -> dict[str, Any]:
        """Return the part of a request that is read if its server has this API, too."""
        plain = self.without_answer_format(body)
        return {key: value for key, value in plain.items() if key not in _OF_TOOLS}

    def find_effort(self, body: Body) -> str | None:
        """Return the reasoning effort that a request asks for."""
        match body:
            case (
                {"reasoning_effort": str(effort)}
                | {"reasoning": {"effort": str(effort)}}
                | {"output_config": {"effort": str(effort)}}
            ):
                return effort
        return None

    def is_for_text(self, body: Body) -> bool:
        """Return whether a request asks for one answer in plain text."""
        formats = [body.get("response_format"), body.get("output_format")]
        for key in ("text", "output_config"):
            match body.get(key):
                case {"format": form}:
                    formats.append(form)
        is_text = all(form is None or form == {"type": "text"} for form in formats)
        return is_text and self.asks_for_one(body)

    def asks_for_one(self, body: Body) -> bool:
        """Return whether a request asks for one answer, not for several."""
        return body.get("n") in (None, 1)

    def ends_with_question(self, body: Body) -> bool:
        """Return whether the last message of a request is a message of the user, not a result."""
        match body.get(self.conversation_key):
            case str() | [*_, {"role": "user", "content": str()}]:
                return True
            case [*_, {"role": "user", "content": [*parts]}]:
                kinds = [part.get("type") for part in parts if isinstance(part, dict)]
                return "tool_result" not in kinds
        return False

    def begins_conversation(self, body: Body) -> bool:
        """Return whether a request certainly has no answer of the model yet."""
        roles = self._find_roles(body)
        prompt_roles = (*self.user_roles, *_INSTRUCTING_ROLES)
        return roles is not None and all(role in prompt_roles for role in roles)

    def is_one_message(self, body: Body) -> bool:
        """Return whether the conversation of a request is certainly one message of the user."""
        if not self.begins_conversation(body):
            return False
        user_turns = [role for role in self._find_roles(body) or () if role in self.user_roles]
        return len(user_turns) == 1

    def _find_roles(self, body: Body) -> list[Any] | None:
        """Return the role of each message, or None if a request does not contain all messages."""
        if any(body.get(member) is not None for member in _HISTORY):
            return None
        match body.get(self.conversation_key):
            case str():
                return ["user"]
            case [*messages] if all(isinstance(message, dict) for message in messages):
                return [message.get("role") for message in messages]
        return None

    def iterate_dropped_fields(self, translated: TranslatedRequest) -> Iterator[str]:
        """Yield the names of the client's fields that `write_request` knows and leaves out."""
        del translated
        return iter(())

    def round_fields(self, request: ClientRequest, previous: Body) -> dict[str, Any]:
        """Return fields for a later round of a request whose client has this API, too."""
        del request, previous
        return {}

    def with_token_limit(self, body: Body, tokens: int) -> dict[str, Any]:
        """Return a request with another limit of tokens for the answer.

        The limit must exceed the budget for thinking.
        """
        match body.get("thinking"):
            case {"budget_tokens": int(budget)}:
                tokens = max(tokens, budget + 1)
        name = next(limit for limit in self.limits if body.get(limit) is not None)
        return {**body, name: tokens}

    # --- conversations ----------------------------------------------------------------------------

    def conversation_in(self, body: Body) -> Sequence[Any]:
        """Return the messages or input items of a request. A string is one message."""
        match body.get(self.conversation_key):
            case str(text) if text:
                return [text]
            case [*messages]:
                return messages
        return ()

    def role_in(self, message: Body) -> str:
        """Return the role of a message in a request, or the type of an item without a role."""
        return str(message.get("role") or message.get("type") or "user")

    @abstractmethod
    def iterate_calls_in(self, message: Body) -> Iterator[tuple[str, str]]:
        """Yield the id and the tool of each call in a message of a request."""

    @abstractmethod
    def iterate_results_in(self, message: Body) -> Iterator[tuple[str, str]]:
        """Yield the id of the call, and the tool or "", of each result in a message."""

    @abstractmethod
    def write_messages(self, messages: Iterable[Message]) -> list[Any]:
        """Write messages as items of the conversation in a request."""

    def with_appended_messages(self, body: Body, messages: Iterable[Message]) -> dict[str, Any]:
        """Return a request with more messages."""
        conversation = body.get(self.conversation_key)
        earlier = (
            [{"role": "user", "content": conversation}]
            if isinstance(conversation, str)
            else [*(conversation or ())]
        )
        return {**body, self.conversation_key: [*earlier, *self.write_messages(messages)]}

    def try_append_text(self, body: Body, text: str) -> dict[str, Any] | None:
        """Append text to the last message, or return None if that is not the user's.

        Some templates refuse two messages of the user in a row.
        """
        key = self.conversation_key
        match body.get(key):
            case str(content):
                return {**body, key: f"{content}\n\n{text}"}
            case [*before, {"role": "user", "content": str(content)} as last]:
                return {**body, key: [*before, {**last, "content": f"{content}\n\n{text}"}]}
            case [*before, {"role": "user", "content": [*parts]} as last]:
                extended = [*parts, self.write_user_text(text)]
                return {**body, key: [*before, {**last, "content": extended}]}
        return None

    def write_user_text(self, text: str) -> dict[str, Any]:
        """Return a part of a user's message."""
        return {"type": "text", "text": text}

    def parts_in(self, event: Body) -> Sequence[Any]:
        """Return the parts of a model's turn that an event contains complete."""
        del event
        return ()

    def read_turn(self, parts: Sequence[Any], ids: Sequence[str]) -> tuple[Message, ...]:
        """Return the messages of a model's turn, from its complete parts, blocks or items.

        `ids` are the ids of its calls, in order, for an API in which a call may have no id.
        """
        del parts, ids
        return ()

    def iterate_seen_texts(self, body: Body) -> Iterator[str]:
        """Yield the texts of a request that a model could repeat as an echo."""
        return iterate_seen_texts(body)

    @abstractmethod
    def try_write_media(self, media: Media) -> dict[str, Any] | None:
        """Write an image, document or sound; return None if this API does not accept it."""

    def has_detail(self, part: Part) -> bool:
        """Return whether this API can express all of an image, a document or a sound."""
        del part
        return True

    # --- tools ------------------------------------------------------------------------------------

    def tool_choice_in(self, body: Body) -> Any:
        """Return a request's choice of tools in a form that `try_read_choice` reads."""
        return body.get("tool_choice")

    def with_tool_choice(
        self, body: Body, choice: ToolChoice, allowed: AllowedNames
    ) -> dict[str, Any]:
        """Return a request with another choice of tools."""
        return {**body, "tool_choice": self.write_tool_choice(choice, allowed)}

    @abstractmethod
    def write_tool_choice(self, choice: ToolChoice, allowed: AllowedNames) -> Any:
        """Write a `tool_choice`. `allowed` are the tools that may be called; None for all."""

    def iterate_functions_in(self, tools: Any, space: str = "") -> Iterator[tuple[Body, str]]:
        """Yield each function among the tools of a request, with its namespace."""
        for tool in tools if isinstance(tools, list) else ():
            if not isinstance(tool, dict):
                continue
            if tool.get("type") == "namespace" and not space:
                yield from self.iterate_functions_in(tool.get("tools"), str(tool.get("name", "")))
            elif (function := self.find_function(tool)) is not None:
                yield function, space

    def iterate_definitions_in(self, body: Body) -> Iterator[tuple[str, Any]]:
        """Yield the name and the definition of each tool of a request, as they are written."""
        for tool in list_in(body, "tools"):
            yield defined_name(tool), tool

    def count_tools(self, tool: Any) -> int:
        """Return the number of tools that an item of `tools` defines."""
        match tool:
            case {"type": "namespace", "tools": [*inner]}:
                return len(inner)
        return 1

    def find_function(self, tool: Body) -> Body | None:
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


def encode_body(body: Body, api: Api | None = None) -> bytes:
    """Write a request for an API, or the answer to one, as JSON."""
    fields = api.without_path_fields(body) if api else body
    return minified(fields).encode(errors="replace")
