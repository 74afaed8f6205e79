"""Describe OpenAI's chat completions API."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lton.apis import members
from lton.apis.api import NO_NAMES, OWN_KEYS, Api
from lton.apis.chat_reader import ChatReader
from lton.apis.chat_writer import ChatWriter
from lton.apis.client_requests import (
    MAX_CHOICES,
    MAX_MESSAGES,
    ClientRequest,
    TranslatedRequest,
    build_request,
    find_format_schema,
    read_functions,
    read_offer,
)
from lton.apis.json_members import list_in
from lton.apis.media import Media, try_write_chat_media
from lton.apis.refusals import make_unsupported_error
from lton.apis.request_writing import (
    CHAT_ONLY,
    OPENAI_KEYWORDS,
    SAMPLING,
    find_verbosity,
    known_fields,
    shared_fields,
    translated_messages,
    write_function,
    write_tools,
)
from lton.apis.tool_choice import AllowedNames, write_openai_choice
from lton.apis.translation import iterate_messages_with_media_after_results, with_one_system_prompt
from lton.chat import Message, from_openai, to_openai
from lton.chat.deltas import ApiDelta
from lton.grammar.build import ToolChoice

_CHAT = frozenset(
    "messages tools tool_choice parallel_tool_calls repeat_tool_calls response_format stop n stream"
    " stream_options max_tokens max_completion_tokens".split()
)  # members that the gateway reads, and does not pass on


class ChatApi(Api):
    """OpenAI's chat completions API, which most servers have."""

    name = "chat"
    path = "/v1/chat/completions"
    prices = "openai"
    hosts = ("openai.com",)
    key_owners = ("OPENAI",)
    log_form = "requests of chat completions"
    own_keys = OWN_KEYS.union(
        "messages stream_options max_tokens max_completion_tokens stop n".split()
    )
    limits = ("max_completion_tokens", "max_tokens")
    strict_keywords = OPENAI_KEYWORDS
    has_developers = False
    shows_thoughts = True
    is_universal = True

    def make_reader(self, spaces: Mapping[str, str] = NO_NAMES) -> ChatReader:
        return ChatReader(spaces)

    def make_writer(
        self,
        request: ClientRequest,
        spaces: Mapping[str, str] = NO_NAMES,
        names: Mapping[str, str] = NO_NAMES,
    ) -> ChatWriter:
        del spaces, names
        return ChatWriter(request.model, include_usage=request.include_usage)

    def is_event(self, data: members.Body) -> bool:
        match data:
            case {"object": "chat.completion.chunk", "choices": [*_]}:
                return True
            case {"choices": [{"delta": _}, *_]}:
                return True
        return False

    def stream_id(self, event: members.Body) -> str:
        return repr(event.get("id"))

    def ends_answer(self, event: members.Body, deltas: Sequence[ApiDelta]) -> bool:
        del deltas  # the last event has the usage, or no event has it
        return not event["choices"] and bool(event.get("usage"))

    def read_request(self, body: members.Body, *, repeat: bool = False) -> ClientRequest:
        return read_chat(body, repeat=repeat)

    def write_request(self, translated: TranslatedRequest) -> dict[str, Any]:
        return write_chat(translated)

    def round_fields(self, request: ClientRequest, previous: members.Body) -> dict[str, Any]:
        streamed = {**(previous.get("stream_options") or {}), "include_usage": True}
        return {"messages": to_openai(request.messages), "stream_options": streamed}

    def write_messages(self, messages: Iterable[Message]) -> list[Any]:
        return to_openai(messages)

    def iterate_calls_in(self, message: members.Body) -> Iterator[tuple[str, str]]:
        for call in list_in(message, "tool_calls"):
            match call:
                case {"function": {"name": str(name)}} | {"custom": {"name": str(name)}}:
                    yield str(call.get("id")), name

    def iterate_results_in(self, message: members.Body) -> Iterator[tuple[str, str]]:
        match message:
            case {"tool_call_id": str(call_id)}:
                yield call_id, ""

    def try_write_media(self, media: Media) -> dict[str, Any] | None:
        return try_write_chat_media(media)

    def write_tool_choice(self, choice: ToolChoice, allowed: AllowedNames) -> Any:
        return write_openai_choice(choice, allowed, is_nested=True)

    def find_function(self, tool: members.Body) -> members.Body | None:
        function = tool.get("function")
        if tool.get("type") != "function" or not isinstance(function, dict):
            return None
        return function if isinstance(function.get("name"), str) else None

    def with_function(self, tool: members.Body, function: members.Body) -> dict[str, Any]:
        return {"type": "function", **tool, "function": function}


CHAT = ChatApi()


def read_chat(body: members.Body, *, repeat: bool = False) -> ClientRequest:
    """Read a chat completions request. Raises `RefusedError` for an unsupported parameter."""
    for old in ("functions", "function_call"):
        if body.get(old) is not None:
            raise make_unsupported_error(old, 'use "tools" and "tool_choice" instead')
    schema = find_format_schema(body.get("response_format"), "response_format")
    limit = "max_tokens" if body.get("max_completion_tokens") is None else "max_completion_tokens"
    members.list_of(body, "messages", most=MAX_MESSAGES)
    return build_request(
        "chat",
        body,
        members.messages_of(from_openai, body),
        read_offer(read_functions(body), schema, body.get("tool_choice")),
        parallel=members.field_of(body, "parallel_tool_calls", True),
        repeat=repeat,
        stop=members.texts_of(body, "stop"),
        n=members.find_integer(body, "n", MAX_CHOICES) or 1,
        max_tokens=members.find_integer(body, limit),
        include_usage=members.field_of(
            members.field_of(body, "stream_options", {}), "include_usage", False
        ),
        other_fields={key: value for key, value in body.items() if key not in _CHAT},
    )


def write_chat(translated: TranslatedRequest) -> dict[str, Any]:
    """Write a request for the chat completions API."""
    request = translated.request
    messages = iterate_messages_with_media_after_results(
        with_one_system_prompt(translated_messages(translated, CHAT))
    )
    body = {
        **known_fields(request, (*SAMPLING, *CHAT_ONLY)),
        **shared_fields(request),
        "messages": to_openai(messages),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.max_tokens is not None:
        body["max_tokens"] = request.max_tokens
    if translated.effort:
        body["reasoning_effort"] = translated.effort
    if verbosity := find_verbosity(request):
        body["verbosity"] = verbosity
    match translated.format:
        case {"type": "json_schema", **schema}:
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        case {"type": _}:
            body["response_format"] = translated.format
    tools = ({"function": write_function(tool, "parameters", CHAT)} for tool in translated.tools)
    return body | write_tools(translated, tools, CHAT)
