"""Describe Anthropic's messages API."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from lton._json import minified
from lton.apis import members
from lton.apis.accepted_names import iterate_messages_with_accepted_ids, without_refused_blanks
from lton.apis.answers import TokenUsage
from lton.apis.api import NO_NAMES, OWN_KEYS, Api
from lton.apis.client_requests import (
    MAX_MESSAGES,
    MAX_TOOLS,
    ClientRequest,
    TranslatedRequest,
    build_request,
    check_kind,
    read_offer,
)
from lton.apis.json_members import list_in
from lton.apis.media import Media, find_media, try_write_messages_media
from lton.apis.messages_reader import MessagesReader
from lton.apis.messages_writer import MessagesWriter, messages_error, write_usage
from lton.apis.refusals import make_unsupported_error
from lton.apis.request_writing import (
    CHAT_ONLY,
    SAMPLING,
    STRICT_KEYWORDS,
    known_fields,
    refuse_field,
    translated_choice,
    translated_messages,
    write_function,
)
from lton.apis.sse import PING
from lton.apis.tool_choice import AllowedNames, write_messages_choice
from lton.chat import Message, Other, Part, from_anthropic, to_anthropic
from lton.grammar.build import ToolChoice
from lton.tokens.counting import ByteHeuristic

MAX_TOKENS = 8192  # the API requires a limit; this is the default
_EVENTS = ("message_start", "message_delta", "message_stop", "content_block_", "ping")
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_PASSED_ON = (*SAMPLING, "top_k")  # chat completions also have these


class MessagesApi(Api):
    """Anthropic's messages API."""

    name = "messages"
    path = "/v1/messages"
    count_path = f"{path}/count_tokens"
    prices = "anthropic"
    hosts = ("anthropic.com",)
    key_owners = ("ANTHROPIC",)
    log_form = "requests of Anthropic's messages"
    key_header = "x-api-key"
    required_headers = MappingProxyType({"anthropic-version": "2023-06-01"})
    keep_alive = PING
    system_keys = ("system",)
    own_keys = OWN_KEYS.union(["messages", "system", "max_tokens", "stop_sequences"])
    written_fields = ("messages", "system", "stream")
    longest_name = 128
    strict_keywords = STRICT_KEYWORDS
    hosted_tools = ("web_search", "web_fetch", "code_execution", "mcp_")
    enforces_strict = False
    has_errors = True
    has_text_blocks = True
    has_user_results = True

    def make_reader(self, spaces: Mapping[str, str] = NO_NAMES) -> MessagesReader:
        return MessagesReader(spaces)

    def make_writer(
        self,
        request: ClientRequest,
        spaces: Mapping[str, str] = NO_NAMES,
        names: Mapping[str, str] = NO_NAMES,
    ) -> MessagesWriter:
        del spaces, names
        estimate = estimate_input_tokens(request) if request.stream else 0
        return MessagesWriter(request.model, input_tokens=estimate)

    def is_event(self, data: members.Body) -> bool:
        return str(data.get("type")).startswith(_EVENTS) and "role" not in data

    def begins_answer(self, event: members.Body) -> bool:
        return event.get("type") == "message_start"

    def write_error(self, error: members.Body, status: int) -> dict[str, Any]:
        return messages_error(error, status)

    def write_usage(self, usage: TokenUsage) -> dict[str, Any]:
        return write_usage(usage)

    def read_request(self, body: members.Body, *, repeat: bool = False) -> ClientRequest:
        return read_messages(body, repeat=repeat)

    def write_request(self, translated: TranslatedRequest) -> dict[str, Any]:
        return write_messages(translated)

    def iterate_dropped_fields(self, translated: TranslatedRequest) -> Iterator[str]:
        if translated.effort and translated.effort not in _EFFORTS:
            yield "effort"

    def write_messages(self, messages: Iterable[Message]) -> list[Any]:
        converted: list[Any] = to_anthropic(messages)["messages"]
        return converted

    def read_turn(self, parts: Sequence[Any], ids: Sequence[str]) -> tuple[Message, ...]:
        del ids
        return from_anthropic([{"role": "assistant", "content": parts}]) if parts else ()

    def iterate_calls_in(self, message: members.Body) -> Iterator[tuple[str, str]]:
        for block in list_in(message, "content"):
            match block:
                case {"type": "tool_use", "id": str(call_id), "name": str(name)}:
                    yield call_id, name

    def iterate_results_in(self, message: members.Body) -> Iterator[tuple[str, str]]:
        for block in list_in(message, "content"):
            match block:
                case {"type": "tool_result", "tool_use_id": str(call_id)}:
                    yield call_id, ""

    def try_write_media(self, media: Media) -> dict[str, Any] | None:
        return try_write_messages_media(media)

    def has_detail(self, part: Part) -> bool:
        media = find_media(part.value) if isinstance(part, Other) else None
        return not (media and media.detail)

    def write_tool_choice(self, choice: ToolChoice, allowed: AllowedNames) -> Any:
        del allowed  # the API has no list of allowed tools
        return write_messages_choice(choice)

    def find_function(self, tool: members.Body) -> members.Body | None:
        is_function = tool.get("type") in (None, "custom")
        return tool if is_function and isinstance(tool.get("name"), str) else None

    def schema_of(self, function: members.Body) -> Any:
        return function.get("input_schema")


MESSAGES = MessagesApi()


def read_messages(body: members.Body, *, repeat: bool = False) -> ClientRequest:
    """Read an Anthropic messages request. Raises `RefusedError` for an unsupported parameter."""
    if body.get("container") is not None or body.get("mcp_servers"):
        raise make_unsupported_error("mcp_servers", "the client runs its tools: use --calls native")
    members.list_of(body, "messages", most=MAX_MESSAGES)
    system = body.get("system")
    if not isinstance(system, str | list | None):
        raise members.make_wrong_type_error("system", "a string, or a list of blocks")
    defined = members.list_of(body, "tools", empty=True, most=MAX_TOOLS)
    tools = [_definition_of_tool(index, tool) for index, tool in enumerate(defined)]
    return build_request(
        "messages",
        body,
        (
            *members.conversation_of(partial(from_anthropic, system=system), (), "messages"),
            *members.messages_of(from_anthropic, body),
        ),
        read_offer(tools, _find_answer_schema(body), body.get("tool_choice")),
        parallel=not members.field_of(
            members.field_of(body, "tool_choice", {}), "disable_parallel_tool_use", False
        ),
        repeat=repeat,
        stop=members.texts_of(body, "stop_sequences"),
        max_tokens=members.find_integer(body, "max_tokens"),
        other_fields={key: body[key] for key in _PASSED_ON if key in body},
    )


def _definition_of_tool(index: int, tool: object) -> Mapping[str, Any]:
    if not isinstance(tool, dict):
        raise members.make_wrong_type_error(f"tools[{index}]", "an object")
    check_kind(index, tool.get("type") or "custom", expected="custom")
    names = ("name", "description", "input_schema", "annotations")
    return {key: tool[key] for key in names if key in tool}


def _find_answer_schema(body: members.Body) -> members.Body | None:
    match members.field_of(body, "output_config", {}).get("format") or body.get("output_format"):
        case None:
            return None
        case {"type": "json_schema", "schema": dict(schema)}:
            return schema
    raise members.make_wrong_type_error("output_config.format", "json_schema with its schema")


def write_messages(translated: TranslatedRequest) -> dict[str, Any]:
    """Write a request for Anthropic's messages API."""
    request = translated.request
    for param in CHAT_ONLY[:-1]:
        refuse_field(param, bool(request.other_fields.get(param)), MESSAGES)
    form = translated.format or {}
    refuse_field("response_format", form.get("type") == "json_object", MESSAGES)
    body = {
        **known_fields(request, _PASSED_ON),
        **to_anthropic(_acceptable_messages(translated)),
        "max_tokens": request.max_tokens or MAX_TOKENS,
        "stream": True,
    }
    if request.stop:
        body["stop_sequences"] = list(request.stop)
    output: dict[str, Any] = {"effort": translated.effort} if translated.effort in _EFFORTS else {}
    if form:
        output["format"] = {"type": "json_schema", "schema": form.get("schema")}
    if output:
        body["output_config"] = output
    if translated.tools:
        body |= _write_tools(translated)
    return body


def _write_tools(translated: TranslatedRequest) -> dict[str, Any]:
    """Write the definitions of the tools, and which of them the model may or must call."""
    request = translated.request
    tools = [
        {"input_schema": {"type": "object"}, **write_function(tool, "input_schema", MESSAGES)}
        for tool in translated.allowed or translated.tools
    ]
    choice = translated_choice(translated, MESSAGES)
    if not request.parallel and request.choice != "none":
        choice["disable_parallel_tool_use"] = True
    return {"tools": tools, "tool_choice": choice}


def _acceptable_messages(translated: TranslatedRequest) -> list[Message]:
    """Convert the messages, without what Anthropic's API refuses."""
    messages = translated_messages(translated, MESSAGES)
    if all(message.api == MESSAGES.name for message in translated.request.messages):
        return messages
    return without_refused_blanks(iterate_messages_with_accepted_ids(messages))


def estimate_input_tokens(request: ClientRequest) -> int:
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
