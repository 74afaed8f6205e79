"""Write requests in each of the three APIs, independent of the client's API."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from lton.apis.accepted_names import (
    accepted_name,
    with_accepted_ids,
    with_accepted_names,
    without_refused_blanks,
)
from lton.apis.media import read_media
from lton.apis.names import RECORDS, ApiName
from lton.apis.tool_choice import write_choice
from lton.apis.translation import (
    can_express,
    message_for,
    with_media_after_results,
    with_one_system_prompt,
)
from lton.chat import Message, Other, Part, ToolResult, to_anthropic, to_openai, to_responses
from lton.gateway.apis.client_requests import ClientRequest
from lton.gateway.apis.members import Body
from lton.gateway.apis.refusals import RefusedError, conversions_refused
from lton.grammar.build import Named

MAX_TOKENS = 8192  # Anthropic's API requires a limit; this is the default
_SAMPLING = ("model", "temperature", "top_p")
_OPENAI = ("prompt_cache_key", "safety_identifier", "user")  # in both of OpenAI's APIs
_CHAT_ONLY = ("seed", "presence_penalty", "frequency_penalty", "logit_bias", "top_k")
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_READ = frozenset(
    "model messages input system instructions tools tool_choice parallel_tool_calls stream"
    " stream_options max_tokens max_completion_tokens max_output_tokens stop stop_sequences n"
    " temperature top_p response_format text output_config output_format reasoning_effort reasoning"
    " repeat_tool_calls".split()
)  # members that are written in each API in its own way
_IDENTITY = ("type", "id", "status", "annotations")
_DEFINITION = ("type", "name", "description", "strict", "parameters", "input_schema")


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A tool definition, independent of the API."""

    name: str
    description: str | None
    parameters: Mapping[str, Any] | None
    strict: bool | None


@dataclass(frozen=True, kw_only=True)
class TranslatedRequest:
    """A client's request, with the fields that `ClientRequest` lacks."""

    request: ClientRequest
    tools: tuple[Definition, ...]
    format: Mapping[str, Any] | None = None
    """The required format: `{"type": "json_object"}`, or a `json_schema` with its name."""
    effort: str | None = None  # the reasoning effort

    @property
    def allowed(self) -> tuple[Definition, ...]:
        return tuple(each for each in self.tools if each.name in self.request.callable.by_name)


WriteRequest: TypeAlias = Callable[[TranslatedRequest], dict[str, Any]]


def _messages(translated: TranslatedRequest, api: ApiName) -> list[Message]:
    """Convert the messages and omit messages that the API cannot express."""
    given = translated.request.messages
    said = ((each, message_for(each, api)) for each in given)
    made = (message for each, message in said if message.parts or not each.parts)
    return [*with_accepted_names(made, api)]


def write_chat(translated: TranslatedRequest) -> dict[str, Any]:
    """Write a request for the chat completions API."""
    request = translated.request
    messages = with_media_after_results(with_one_system_prompt(_messages(translated, "chat")))
    body = {
        **_known_fields(request, (*_SAMPLING, *_CHAT_ONLY)),
        **_shared_fields(request),
        "messages": to_openai(messages),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.max_tokens is not None:
        body["max_tokens"] = request.max_tokens
    if translated.effort:
        body["reasoning_effort"] = translated.effort
    if verbosity := _verbosity(request):
        body["verbosity"] = verbosity
    match translated.format:
        case {"type": "json_schema", **schema}:
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        case {"type": _}:
            body["response_format"] = translated.format
    tools = ({"function": _function(each, "parameters", "chat")} for each in translated.tools)
    return body | _write_tools(translated, tools, "chat")


def write_responses(translated: TranslatedRequest) -> dict[str, Any]:
    """Write a request for the responses API. Nothing is stored: `store` is false."""
    request = translated.request
    for param in _CHAT_ONLY:
        _refuse(param, bool(request.rest.get(param)), "responses")
    body = {
        **_known_fields(request, (*_SAMPLING, "user", "metadata", "service_tier")),
        **_shared_fields(request),
        **to_responses(_messages(translated, "responses")),
        "stream": True,
        "store": False,
    }
    if request.max_tokens is not None:
        body["max_output_tokens"] = request.max_tokens
    if translated.effort:
        body["reasoning"] = {"effort": translated.effort}
    text: dict[str, Any] = {"format": translated.format} if translated.format else {}
    if verbosity := _verbosity(request):
        text["verbosity"] = verbosity
    if text:
        body["text"] = text
    # This API makes tools strict by default.
    tools = (
        {"strict": False, **_function(each, "parameters", "responses")} for each in translated.tools
    )
    return body | _write_tools(translated, tools, "responses")


def _write_tools(
    translated: TranslatedRequest, tools: Iterable[dict[str, Any]], api: ApiName
) -> dict[str, Any]:
    if not translated.tools:
        return {}
    alone = {} if translated.request.parallel else {"parallel_tool_calls": False}
    listed = [{"type": "function", **each} for each in tools]
    return {"tools": listed, "tool_choice": _choice(translated, api), **alone}


def write_messages(translated: TranslatedRequest) -> dict[str, Any]:
    """Write a request for Anthropic's messages API."""
    request = translated.request
    for param in _CHAT_ONLY[:-1]:
        _refuse(param, bool(request.rest.get(param)), "messages")
    form = translated.format or {}
    _refuse("response_format", form.get("type") == "json_object", "messages")
    body = {
        **_known_fields(request, (*_SAMPLING, "top_k")),
        **to_anthropic(_for_anthropic(translated)),
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
        body["tools"] = [
            {"input_schema": {"type": "object"}, **_function(each, "input_schema", "messages")}
            for each in translated.allowed or translated.tools
        ]
        body["tool_choice"] = _choice(translated, "messages")
        if not request.parallel and request.choice != "none":
            body["tool_choice"]["disable_parallel_tool_use"] = True
    return body


def _for_anthropic(translated: TranslatedRequest) -> list[Message]:
    """Convert the messages, without what Anthropic's API refuses."""
    given = _messages(translated, "messages")
    if all(each.api == RECORDS["messages"] for each in translated.request.messages):
        return given
    return without_refused_blanks(with_accepted_ids(given))


def _choice(translated: TranslatedRequest, api: ApiName) -> Any:
    tools = [each.name for each in translated.tools]
    allowed = [accepted_name(each.name, api) for each in translated.allowed]
    choice = translated.request.choice
    if isinstance(choice, Named):
        choice = Named(accepted_name(choice.name, api))
    is_all = len(allowed) == len(tools)
    return write_choice(choice, None if is_all else allowed, api)


def _function(tool: Definition, key: str, api: ApiName) -> dict[str, Any]:
    name = accepted_name(tool.name, api)
    found: dict[str, Any] = {"name": name, "description": tool.description}
    found |= {key: tool.parameters, "strict": tool.strict}
    return {name: each for name, each in found.items() if each is not None}


def _known_fields(request: ClientRequest, names: Iterable[str]) -> dict[str, Any]:
    found = {name: request.rest.get(name) for name in names} | {"model": request.model}
    return {name: each for name, each in found.items() if each is not None}


def _shared_fields(request: ClientRequest) -> dict[str, Any]:
    """Return the fields that both of OpenAI's APIs have, if the client has set them."""
    return {name: each for name in _OPENAI if (each := request.body.get(name)) is not None}


def _verbosity(request: ClientRequest) -> str | None:
    match request.body:
        case {"verbosity": str(given)} | {"text": {"verbosity": str(given)}}:
            return given
    return None


def _refuse(param: str, is_there: bool, api: ApiName) -> None:
    if is_there:
        words = f"{param} is not supported: the upstream's API ({api}) has no such field. Leave it "
        words += "out, or use a server that has the API of this client"
        raise RefusedError(400, words, param=param, code="unsupported_parameter")


WRITERS: Mapping[ApiName, WriteRequest] = {
    "chat": write_chat,
    "responses": write_responses,
    "messages": write_messages,
}


def request_body(translated: TranslatedRequest, api: ApiName) -> dict[str, Any]:
    """Write a request for an API. Raises `RefusedError` if the API cannot express it."""
    with conversions_refused():
        return WRITERS[api](translated)


def dropped_fields(
    translated: TranslatedRequest, api: ApiName, body: Body, functions: Iterable[Body]
) -> list[str]:
    """Return the names of the client's fields that a translated request lacks."""
    request = translated.request
    found = set(_more(request.body, {*_READ, *body}))
    if api == "messages" and translated.effort and translated.effort not in _EFFORTS:
        found.add("effort")
    for function in functions:
        found.update(_more(function, _DEFINITION))
    for message in request.messages:
        found.update(_more(message.extra, _IDENTITY))
        for part in message.parts:
            found.update(_more_of(part, api) if can_express(part, api) else ["thinking"])
    return sorted(found)


def _more_of(part: Part, api: ApiName) -> Iterator[str]:
    if not isinstance(part, Other):
        yield from _more(part.extra, _IDENTITY)
    elif api == "messages" and (media := read_media(part.value)) and media.detail:
        yield "detail"
    if isinstance(part, ToolResult):
        for each in part.parts:
            yield from _more_of(each, api)


def _more(given: Body, names: Container[str]) -> Iterator[str]:
    return (key for key, value in given.items() if value and key not in names)
