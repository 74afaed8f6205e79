"""Describe OpenAI's responses API."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lton.apis import members
from lton.apis.answers import TokenUsage
from lton.apis.api import NO_NAMES, OWN_KEYS, Api
from lton.apis.client_requests import (
    MAX_MESSAGES,
    ClientRequest,
    TranslatedRequest,
    build_request,
    find_format_schema,
    read_functions,
    read_offer,
)
from lton.apis.media import Media, try_write_responses_media
from lton.apis.refusals import make_unsupported_error
from lton.apis.request_writing import (
    CHAT_ONLY,
    OPENAI_KEYWORDS,
    SAMPLING,
    find_verbosity,
    known_fields,
    refuse_field,
    shared_fields,
    translated_messages,
    write_function,
    write_tools,
)
from lton.apis.responses_reader import ResponsesReader
from lton.apis.responses_writer import ResponsesWriter, write_usage
from lton.apis.tool_choice import AllowedNames, write_openai_choice
from lton.chat import Message, from_responses, to_responses
from lton.grammar.build import ToolChoice

_PASSED_ON = "model temperature top_p seed presence_penalty frequency_penalty user".split()


class ResponsesApi(Api):
    """OpenAI's responses API."""

    name = "responses"
    path = "/v1/responses"
    prices = "openai"
    hosts = ("openai.com",)
    key_owners = ("OPENAI",)
    log_form = "requests of responses"
    conversation_key = "input"
    system_keys = ("instructions",)
    own_keys = OWN_KEYS.union(["input", "instructions", "max_output_tokens"])
    written_fields = ("input", "instructions", "stream")
    limits = ("max_output_tokens",)
    strict_keywords = OPENAI_KEYWORDS
    has_namespaces = True

    def make_reader(self, spaces: Mapping[str, str] = NO_NAMES) -> ResponsesReader:
        return ResponsesReader(spaces)

    def make_writer(
        self,
        request: ClientRequest,
        spaces: Mapping[str, str] = NO_NAMES,
        names: Mapping[str, str] = NO_NAMES,
    ) -> ResponsesWriter:
        return ResponsesWriter(
            request.model,
            request.body,
            parallel=request.parallel,
            spaces=spaces,
            names=names,
        )

    def is_event(self, data: members.Body) -> bool:
        return str(data.get("type")).startswith("response.")

    def begins_answer(self, event: members.Body) -> bool:
        return event.get("type") == "response.created"

    def write_usage(self, usage: TokenUsage) -> dict[str, Any]:
        return write_usage(usage)

    def read_request(self, body: members.Body, *, repeat: bool = False) -> ClientRequest:
        return read_responses(body, repeat=repeat)

    def write_request(self, translated: TranslatedRequest) -> dict[str, Any]:
        return write_responses(translated)

    def write_messages(self, messages: Iterable[Message]) -> list[Any]:
        converted: list[Any] = to_responses(messages)["input"]
        return converted

    def write_user_text(self, text: str) -> dict[str, Any]:
        return {"type": "input_text", "text": text}

    def read_turn(self, parts: Sequence[Any], ids: Sequence[str]) -> tuple[Message, ...]:
        del ids
        return from_responses(parts)

    def iterate_calls_in(self, message: members.Body) -> Iterator[tuple[str, str]]:
        match message:
            case {"type": "function_call" | "custom_tool_call", "name": str(name)}:
                yield str(message.get("call_id")), name

    def iterate_results_in(self, message: members.Body) -> Iterator[tuple[str, str]]:
        match message:
            case {
                "type": "function_call_output" | "custom_tool_call_output",
                "call_id": str(call_id),
            }:
                yield call_id, ""

    def try_write_media(self, media: Media) -> dict[str, Any] | None:
        return try_write_responses_media(media)

    def write_tool_choice(self, choice: ToolChoice, allowed: AllowedNames) -> Any:
        return write_openai_choice(choice, allowed, is_nested=False)


RESPONSES = ResponsesApi()


def read_responses(body: members.Body, *, repeat: bool = False) -> ClientRequest:
    """Read a responses request. Raises `RefusedError`, also for a reference to a stored answer."""
    _refuse_stored(body)
    schema = find_format_schema(members.field_of(body, "text", {}).get("format"), "text.format")
    instructions = body.get("instructions")
    if instructions is not None and not isinstance(instructions, str):
        raise members.make_wrong_type_error("instructions", "a string")
    conversation = body.get("input")
    if not isinstance(conversation, str | list):
        raise members.make_wrong_type_error("input", "a string, or a list of items")
    for item in (
        members.list_of(body, "input", most=MAX_MESSAGES) if isinstance(conversation, list) else ()
    ):
        if isinstance(item, dict) and item.get("type") == "item_reference":
            raise make_unsupported_error(
                "input", "answers are not stored, so no item can be referenced"
            )
    return build_request(
        "responses",
        body,
        members.conversation_of(
            lambda items: from_responses(items, instructions), conversation, "input"
        ),
        read_offer(read_functions(body), schema, body.get("tool_choice")),
        parallel=members.field_of(body, "parallel_tool_calls", True),
        repeat=repeat,
        max_tokens=members.find_integer(body, "max_output_tokens"),
        other_fields={key: body[key] for key in _PASSED_ON if key in body},
    )


def _refuse_stored(body: members.Body) -> None:
    """Raise `RefusedError` for truncation, and for references to stored answers or prompts."""
    for param in ("previous_response_id", "conversation", "prompt"):
        if body.get(param) is not None:
            raise make_unsupported_error(param, "answers and prompts are not stored")
    if members.field_of(body, "background", False):
        raise make_unsupported_error("background", "answers are not stored")
    if body.get("truncation") not in (None, "disabled"):
        raise make_unsupported_error("truncation", "the input is sent as it is")


def write_responses(translated: TranslatedRequest) -> dict[str, Any]:
    """Write a request for the responses API. Nothing is stored: `store` is false."""
    request = translated.request
    for param in CHAT_ONLY:
        refuse_field(param, bool(request.other_fields.get(param)), RESPONSES)
    body = {
        **known_fields(request, (*SAMPLING, "user", "metadata", "service_tier")),
        **shared_fields(request),
        **to_responses(translated_messages(translated, RESPONSES)),
        "stream": True,
        "store": False,
    }
    if request.max_tokens is not None:
        body["max_output_tokens"] = request.max_tokens
    if translated.effort:
        body["reasoning"] = {"effort": translated.effort}
    text: dict[str, Any] = {"format": translated.format} if translated.format else {}
    if verbosity := find_verbosity(request):
        text["verbosity"] = verbosity
    if text:
        body["text"] = text
    # This API makes tools strict by default.
    tools = (
        {"strict": False, **write_function(tool, "parameters", RESPONSES)}
        for tool in translated.tools
    )
    return body | write_tools(translated, tools, RESPONSES)
