"""Write the parts of a request that several APIs share, and list what a translation leaves out."""

from collections.abc import Container, Iterable, Iterator
from typing import Any

from lton.apis.accepted_names import accepted_name, iterate_messages_with_accepted_names
from lton.apis.api import Api
from lton.apis.client_requests import ClientRequest, Definition, TranslatedRequest
from lton.apis.members import Body
from lton.apis.refusals import RefusedError, turning_conversion_errors_into_refusals
from lton.apis.translation import can_express, convert_message
from lton.chat import Message, Other, Part, ToolResult
from lton.grammar.build import Named

SAMPLING = ("model", "temperature", "top_p")
CHAT_ONLY = ("seed", "presence_penalty", "frequency_penalty", "logit_bias", "top_k")
STRICT_KEYWORDS = frozenset(
    "type properties required additionalProperties items enum const anyOf description title".split()
)  # of strict tools in all APIs that have them
OPENAI_KEYWORDS = STRICT_KEYWORDS | frozenset(
    "pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems".split()
)
_OPENAI = ("prompt_cache_key", "safety_identifier", "user")  # in both of OpenAI's APIs
_IDENTITY = ("type", "id", "status", "annotations")
_DEFINITION = ("type", "name", "description", "strict", "parameters", "input_schema")


def request_body(translated: TranslatedRequest, api: Api, client_api: Api) -> dict[str, Any]:
    """Write a request for an API. Raises `RefusedError` if the API cannot express it."""
    with turning_conversion_errors_into_refusals(client_api.conversation_key):
        return api.write_request(translated)


def dropped_fields(
    translated: TranslatedRequest, client_api: Api, api: Api, body: Body, functions: Iterable[Body]
) -> list[str]:
    """Return the names of the client's fields that a translated request lacks."""
    request = translated.request
    names = set(_iterate_lost_fields(request.body, client_api.own_keys.union(body)))
    names.update(api.iterate_dropped_fields(translated))
    for function in functions:
        names.update(_iterate_lost_fields(function, _DEFINITION))
    for message in request.messages:
        names.update(_iterate_lost_fields(message.extra, _IDENTITY))
        for part in message.parts:
            names.update(
                _iterate_lost_fields_of_part(part, api) if can_express(part, api) else ["thinking"]
            )
    return sorted(names)


def _iterate_lost_fields_of_part(part: Part, api: Api) -> Iterator[str]:
    if not isinstance(part, Other):
        yield from _iterate_lost_fields(part.extra, _IDENTITY)
    elif not api.has_detail(part):
        yield "detail"
    if isinstance(part, ToolResult):
        for inner in part.parts:
            yield from _iterate_lost_fields_of_part(inner, api)


def _iterate_lost_fields(fields: Body, names: Container[str]) -> Iterator[str]:
    return (key for key, value in fields.items() if value and key not in names)


# --- parts ----------------------------------------------------------------------------------------


def translated_messages(translated: TranslatedRequest, api: Api) -> list[Message]:
    """Convert the messages and omit messages that the API cannot express."""
    messages = translated.request.messages
    pairs = ((message, convert_message(message, api)) for message in messages)
    converted = (
        new_message for message, new_message in pairs if new_message.parts or not message.parts
    )
    return [*iterate_messages_with_accepted_names(converted, api)]


def write_tools(
    translated: TranslatedRequest, tools: Iterable[dict[str, Any]], api: Api
) -> dict[str, Any]:
    """Return the fields about tools, in either of OpenAI's APIs."""
    if not translated.tools:
        return {}
    alone = {} if translated.request.parallel else {"parallel_tool_calls": False}
    listed = [{"type": "function", **tool} for tool in tools]
    return {"tools": listed, "tool_choice": translated_choice(translated, api), **alone}


def translated_choice(translated: TranslatedRequest, api: Api) -> Any:
    """Return the tool choice for an API, with the names of tools that it accepts."""
    tools = [tool.name for tool in translated.tools]
    allowed = [accepted_name(tool.name, api) for tool in translated.allowed]
    choice = translated.request.choice
    if isinstance(choice, Named):
        choice = Named(accepted_name(choice.name, api))
    is_all = len(allowed) == len(tools)
    return api.write_tool_choice(choice, None if is_all else allowed)


def write_function(tool: Definition, key: str, api: Api) -> dict[str, Any]:
    """Write the definition of a tool, with its schema in the member `key`."""
    name = accepted_name(tool.name, api)
    function: dict[str, Any] = {"name": name, "description": tool.description}
    function |= {key: tool.parameters, "strict": tool.strict}
    return {name: value for name, value in function.items() if value is not None}


def known_fields(request: ClientRequest, names: Iterable[str]) -> dict[str, Any]:
    """Return the model and the named fields that the client has set."""
    fields = {name: request.other_fields.get(name) for name in names} | {"model": request.model}
    return {name: value for name, value in fields.items() if value is not None}


def shared_fields(request: ClientRequest) -> dict[str, Any]:
    """Return the fields that both of OpenAI's APIs have, if the client has set them."""
    return {name: field for name in _OPENAI if (field := request.body.get(name)) is not None}


def find_verbosity(request: ClientRequest) -> str | None:
    """Return how long answers should be, in the words of OpenAI's APIs."""
    match request.body:
        case {"verbosity": str(verbosity)} | {"text": {"verbosity": str(verbosity)}}:
            return verbosity
    return None


def refuse_field(param: str, is_there: bool, api: Api) -> None:
    """Raise `RefusedError` if a request has a field that the server's API lacks."""
    if is_there:
        words = f"{param} is not supported: the upstream's API ({api.name}) has no such field. "
        words += "Leave it out, or use a server that has the API of this client"
        raise RefusedError(400, words, param=param, code="unsupported_parameter")
