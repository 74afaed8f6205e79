"""Read and write requests of Gemini's API.

The model, and whether the answer streams, are in the path. In a request that has been read they
are the fields `model` and `stream`, as in the other APIs.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from lton.apis import members
from lton.apis.client_requests import (
    MAX_CHOICES,
    MAX_MESSAGES,
    MAX_TOOLS,
    ClientRequest,
    build_request,
    read_offer,
)
from lton.apis.gemini.contents import find_in_either_case, try_read_messages
from lton.apis.json_members import list_in
from lton.apis.refusals import make_unsupported_error
from lton.apis.tool_choice import AllowedNames
from lton.chat import Message
from lton.chat.records import make_mismatch_error
from lton.errors import ConversionError
from lton.grammar.build import Named, ToolChoice

NAMES = {
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "seed": "seed",
    "presence_penalty": "presencePenalty",
    "frequency_penalty": "frequencyPenalty",
}
"""Fields of chat completions, and the members of `generationConfig` with the same meaning."""
_JSON = "application/json"
_SCHEMAS = ("responseJsonSchema", "_responseJsonSchema", "responseSchema")
_FORMATS = ("responseMimeType", "response_mime_type", *_SCHEMAS, "response_schema")
_PARAMETERS = ("parametersJsonSchema", "parameters")
_MODES = {"ANY": "required", "NONE": "none"}
_CONFIG = "generationConfig"
_VALUES = frozenset(["enum", "default", "example"])
"""Keywords with values, in which `type` is not a keyword."""
_DEPTH = 100


def config_of(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the `generationConfig` of a request."""
    config = find_in_either_case(body, _CONFIG)
    return config if isinstance(config, Mapping) else {}


def with_config(body: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return a request with other members of its `generationConfig`."""
    return {**body, _CONFIG: {**config_of(body), **more}}


def read_request(body: members.Body, *, repeat: bool = False) -> ClientRequest:
    """Read a request. Raises `RefusedError` for an unsupported parameter."""
    if find_in_either_case(body, "cachedContent"):
        raise make_unsupported_error("cachedContent", "the gateway stores no contents")
    members.list_of(body, "contents", most=MAX_MESSAGES)
    tools = members.list_of(body, "tools", empty=True, most=MAX_TOOLS)
    for index, tool in enumerate(tools):
        if find_declarations(tool) is None:
            words = "the client runs its functions, and no other tools: use --calls native"
            raise make_unsupported_error(f"tools[{index}]", words)
    config = config_of(body)
    return build_request(
        "gemini",
        body,
        members.conversation_of(_read_conversation, body, "contents"),
        read_offer([*iterate_functions_in(tools)], find_answer_schema(body), tool_choice_in(body)),
        parallel=True,
        repeat=repeat,
        stop=members.texts_of(config, "stopSequences"),
        n=members.find_integer(config, "candidateCount", MAX_CHOICES) or 1,
        max_tokens=members.find_integer(config, "maxOutputTokens"),
        other_fields={
            "model": body.get("model", ""),
            **{ours: config[theirs] for ours, theirs in NAMES.items() if theirs in config},
        },
    )


def _read_conversation(body: Any) -> tuple[Message, ...]:
    return tuple(try_read_messages(body) or ())


def find_answer_schema(body: members.Body) -> Mapping[str, Any] | None:
    """Return the JSON Schema of the answer that a request asks for, or None for text."""
    config = config_of(body)
    if find_in_either_case(config, "responseMimeType") != _JSON:
        return None
    for name in _SCHEMAS:
        schema = find_in_either_case(config, name)
        if isinstance(schema, Mapping):
            return _to_json_schema(schema, _DEPTH) if name == "responseSchema" else schema
    return {"type": "object", "additionalProperties": True}


def without_answer_format(body: members.Body) -> dict[str, Any]:
    """Return a request that asks for an answer in plain text."""
    config = config_of(body)
    if not any(name in config for name in _FORMATS):
        return {**body}
    return {**body, _CONFIG: {key: value for key, value in config.items() if key not in _FORMATS}}


def write_format(form: Mapping[str, Any]) -> dict[str, Any]:
    """Write the format of an answer as members of `generationConfig`."""
    schema = form.get("schema")
    return {"responseMimeType": _JSON} | ({"responseJsonSchema": schema} if schema else {})


# --- tools ----------------------------------------------------------------------------------------


def find_declarations(tool: Any) -> Sequence[Any] | None:
    """Return the function declarations of a Gemini tool, or None for any other value.

    Their parameters become JSON Schema. Raises `ConversionError` if a schema is nested too deep.
    """
    match tool:
        case {"functionDeclarations": [*functions]} | {"function_declarations": [*functions]}:
            return [_read_declaration(function) for function in functions]
    return None


def iterate_functions_in(tools: Any) -> Iterator[Mapping[str, Any]]:
    """Yield each function that the tools of a request declare, with its parameters."""
    for tool in tools if isinstance(tools, list) else ():
        with suppress(ConversionError):
            for function in find_declarations(tool) or ():
                if isinstance(function, Mapping) and isinstance(function.get("name"), str):
                    yield function


def _read_declaration(function: Any) -> Any:
    if not isinstance(function, Mapping):
        return function
    declaration = dict(function)
    for name in ("parametersJsonSchema", "parameters_json_schema"):
        if name in declaration:
            declaration["parameters"] = declaration.pop(name)
    if "parameters" in declaration:
        declaration["parameters"] = _to_json_schema(declaration["parameters"], _DEPTH)
    return declaration


def _to_json_schema(value: Any, depth: int) -> Any:
    """Write the types of a schema in small letters, as JSON Schema has them."""
    if not depth:
        raise make_mismatch_error(f"a schema of at most {_DEPTH} levels", value)
    if isinstance(value, list):
        return [_to_json_schema(item, depth - 1) for item in value]
    if not isinstance(value, Mapping):
        return value
    kind = value.get("type")
    if isinstance(kind, str):
        value = {**value, "type": kind.lower()}
    return {
        name: member
        if name in _VALUES or isinstance(member, str)
        else _to_json_schema(member, depth - 1)
        for name, member in value.items()
    }


def tool_choice_in(body: members.Body) -> Any:
    """Return the choice of tools in a form that `tool_choice.try_read_choice` reads."""
    match find_in_either_case(body, "toolConfig"):
        case Mapping() as tool_config:
            config = find_in_either_case(tool_config, "functionCallingConfig")
        case _:
            config = None
    if not isinstance(config, Mapping):
        return None
    mode = _MODES.get(str(config.get("mode")), "auto")
    names = list_in(config, "allowedFunctionNames")
    if mode != "required" or not names:
        return mode
    tools = [{"name": str(name)} for name in names]
    return {"type": "allowed_tools", "mode": mode, "tools": tools}


def write_tool_choice(choice: ToolChoice, allowed: AllowedNames) -> dict[str, Any]:
    """Write the `functionCallingConfig`, in which only a required call can limit the tools."""
    if isinstance(choice, Named):
        return {"mode": "ANY", "allowedFunctionNames": [choice.name]}
    if choice == "none":
        return {"mode": "NONE"}
    if choice == "auto":
        return {"mode": "AUTO"}
    return {"mode": "ANY"} | ({} if allowed is None else {"allowedFunctionNames": [*allowed]})
