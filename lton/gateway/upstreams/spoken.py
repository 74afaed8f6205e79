"""A request of any API, said natively in that of its server: one way to write for each of three.

With what reads the answers (`lton.gateway.native`) and what writes them for clients
(`lton.gateway.apis`) each API is known once, however many meet.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from lton.chat import Message, Thought, to_anthropic, to_openai, to_responses
from lton.errors import ConversionError
from lton.gateway.apis.protocol import RefusedError
from lton.gateway.apis.requests import Asked
from lton.gateway.native.strict import ApiName
from lton.gateway.upstreams.spoken_parts import one_system_prompt, results_apart, spoken_for
from lton.grammar.build import Named

MAX_TOKENS = 8192
"""Of an answer of Anthropic's API, which has to be told, where a client does not say."""
_SAMPLING = ("model", "temperature", "top_p")
_CHAT_ONLY = ("seed", "presence_penalty", "frequency_penalty", "logit_bias", "top_k")
_EFFORTS = ("low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A tool, as all of the APIs have it."""

    name: str
    description: str | None
    parameters: Mapping[str, Any] | None
    strict: bool | None


@dataclass(frozen=True, kw_only=True)
class Speech:
    """A request, and what of it a neutral record has no place for."""

    asked: Asked
    tools: tuple[Definition, ...]
    format: Mapping[str, Any] | None = None
    """What the answer has to be: `{"type": "json_object"}`, or a `json_schema` with its name."""
    effort: str | None = None
    """How much a model should think."""

    @property
    def allowed(self) -> tuple[Definition, ...]:
        """The tools that may be called now."""
        return tuple(each for each in self.tools if each.name in self.asked.callable.by_name)


WriteRequest: TypeAlias = Callable[[Speech], dict[str, Any]]


def _messages(speech: Speech, api: ApiName) -> list[Message]:
    return [spoken_for(each, api) for each in speech.asked.messages]


def write_chat(speech: Speech) -> dict[str, Any]:
    """Get a request of chat completions."""
    asked = speech.asked
    messages = results_apart(one_system_prompt(_messages(speech, "chat")))
    body = {
        **_known(asked, (*_SAMPLING, *_CHAT_ONLY)),
        "messages": to_openai(messages),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if asked.max_tokens is not None:
        body["max_tokens"] = asked.max_tokens
    if asked.stop:
        body["stop"] = list(asked.stop)
    if speech.effort:
        body["reasoning_effort"] = speech.effort
    match speech.format:
        case {"type": "json_schema", **schema}:
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        case {"type": _}:
            body["response_format"] = speech.format
    if speech.tools:
        body["tools"] = [
            {"type": "function", "function": _function(each, "parameters")} for each in speech.tools
        ]
        body["tool_choice"] = _choice(speech, lambda name: {"function": {"name": name}})
        if not asked.parallel:
            body["parallel_tool_calls"] = False
    return body


def write_responses(speech: Speech) -> dict[str, Any]:
    """Get a request of responses. Nothing is kept there: `store` is false."""
    asked = speech.asked
    _refuse("stop", bool(asked.stop), "responses")
    for param in _CHAT_ONLY:
        _refuse(param, bool(asked.rest.get(param)), "responses")
    # Thoughts of another API have no identity here.
    said = [_without_thoughts(each) for each in _messages(speech, "responses")]
    body = {
        **_known(asked, (*_SAMPLING, "user", "metadata", "service_tier")),
        **to_responses(said),
        "stream": True,
        "store": False,
    }
    if asked.max_tokens is not None:
        body["max_output_tokens"] = asked.max_tokens
    if speech.effort:
        body["reasoning"] = {"effort": speech.effort}
    if speech.format:
        body["text"] = {"format": speech.format}
    if speech.tools:
        # A tool that says nothing of it would be strict here, if it can be.
        body["tools"] = [
            {"type": "function", "strict": False, **_function(each, "parameters")}
            for each in speech.tools
        ]
        body["tool_choice"] = _choice(speech, lambda name: {"name": name})
        if not asked.parallel:
            body["parallel_tool_calls"] = False
    return body


def write_messages(speech: Speech) -> dict[str, Any]:
    """Get a request of Anthropic's messages."""
    asked = speech.asked
    for param in _CHAT_ONLY[:-1]:
        _refuse(param, bool(asked.rest.get(param)), "messages")
    form = speech.format or {}
    _refuse("response_format", form.get("type") == "json_object", "messages")
    body = {
        **_known(asked, (*_SAMPLING, "top_k")),
        **to_anthropic(_messages(speech, "messages")),
        "max_tokens": asked.max_tokens or MAX_TOKENS,
        "stream": True,
    }
    if asked.stop:
        body["stop_sequences"] = list(asked.stop)
    output: dict[str, Any] = {"effort": speech.effort} if speech.effort in _EFFORTS else {}
    if form:
        output["format"] = {"type": "json_schema", "schema": form.get("schema")}
    if output:
        body["output_config"] = output
    if speech.tools:
        body["tools"] = [
            {"input_schema": {"type": "object"}, **_function(each, "input_schema")}
            for each in speech.allowed or speech.tools
        ]
        body["tool_choice"] = _anthropic_choice(asked)
    return body


def _anthropic_choice(asked: Asked) -> dict[str, Any]:
    match asked.choice:
        case Named(name):
            choice = {"type": "tool", "name": name}
        case "required":
            choice = {"type": "any"}
        case kind:
            choice = {"type": str(kind)}
    alone = {"disable_parallel_tool_use": True}
    return choice | (alone if not asked.parallel and asked.choice != "none" else {})


def _choice(speech: Speech, named: Callable[[str], dict[str, Any]]) -> Any:
    """Get the choice as OpenAI's two APIs have it; `named` is where a name goes."""
    asked = speech.asked
    if isinstance(asked.choice, Named):
        return {"type": "function", **named(asked.choice.name)}
    if asked.choice == "none" or len(speech.allowed) == len(speech.tools):
        return asked.choice
    tools = [{"type": "function", **named(each.name)} for each in speech.allowed]
    allowed = {"mode": asked.choice, "tools": tools}
    is_flat = "name" in named("")
    return {"type": "allowed_tools", **(allowed if is_flat else {"allowed_tools": allowed})}


def _function(tool: Definition, key: str) -> dict[str, Any]:
    found: dict[str, Any] = {"name": tool.name, "description": tool.description}
    found |= {key: tool.parameters, "strict": tool.strict}
    return {name: each for name, each in found.items() if each is not None}


def _known(asked: Asked, names: Iterable[str]) -> dict[str, Any]:
    found = {name: asked.rest.get(name) for name in names} | {"model": asked.model}
    return {name: each for name, each in found.items() if each is not None}


def _without_thoughts(message: Message) -> Message:
    if message.api == "responses":
        return message
    parts = tuple(each for each in message.parts if not isinstance(each, Thought))
    return replace(message, parts=parts)


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


def written(speech: Speech, api: ApiName) -> dict[str, Any]:
    """Get a request for the API of a server. Raises `RefusedError` for what it cannot say."""
    try:
        return WRITERS[api](speech)
    except ConversionError as error:
        words = f"{error}; use a server that has the API of this client"
        raise RefusedError(400, words, param="messages") from None
