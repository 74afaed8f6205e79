"""Requests of OpenAI's two APIs, as one record: what is asked, and what is refused by its name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from lton._json import minified, read_json
from lton.chat import Message, from_openai, from_responses
from lton.errors import ConversionError, LTONError
from lton.gateway.protocol import RefusedError, unsupported
from lton.grammar.build import Named, ToolChoice
from lton.schema.toolset import ToolSet

Body: TypeAlias = Mapping[str, Any]

MAX_CHOICES = 16
_TOOLSETS = 256
"""Toolsets that are kept compiled: agents send the same with each request."""
_CHAT = {
    "messages",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "response_format",
    "stop",
    "n",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
}
"""What the gateway reads, and does not pass on as it came."""
_SAMPLING = ("temperature", "top_p", "seed", "presence_penalty", "frequency_penalty", "user")
"""What a request of the responses API has in common with one of chat."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request with tools. `rest` is what the upstream gets as it came: temperature, seed."""

    model: str
    messages: tuple[Message, ...]
    tools: ToolSet
    """All tools: the model is shown them all, so that its prompt is the same each time."""
    callable: ToolSet
    """Those of them that may be called now."""
    choice: ToolChoice = "auto"
    parallel: bool = True
    format: Body | None = None
    """A JSON Schema that prose has to have, or {} for any JSON object."""
    stop: tuple[str, ...] = ()
    n: int = 1
    max_tokens: int | None = None
    stream: bool = False
    include_usage: bool = False
    rest: Body = field(default_factory=dict)
    body: Body = field(default_factory=dict)
    """The request as it came."""


def read_chat(body: Body) -> Asked:
    """Get a request of the chat completions API.

    Raises `RefusedError` with the parameter that is wrong or not supported.

    >>> tool = {"type": "function", "function": {"name": "stop"}}
    >>> asked = read_chat({"messages": [], "tools": [tool], "tool_choice": "required"})
    >>> asked.choice, [tool.name for tool in asked.tools]
    ('required', ['stop'])
    """
    for old in ("functions", "function_call"):
        if body.get(old) is not None:
            raise unsupported(old, 'the API has "tools" and "tool_choice" in its place')
    tools, choice, allowed = _tools(body, nested=True)
    limit = "max_tokens" if body.get("max_completion_tokens") is None else "max_completion_tokens"
    return Asked(
        model=_string(body, "model"),
        messages=_messages(from_openai, _list(body, "messages"), "messages"),
        tools=tools,
        callable=allowed,
        choice=choice,
        parallel=body.get("parallel_tool_calls") is not False,
        format=_format(body.get("response_format"), "response_format"),
        stop=_stop(body.get("stop")),
        n=_whole(body, "n", MAX_CHOICES) or 1,
        max_tokens=_whole(body, limit),
        stream=body.get("stream") is True,
        include_usage=_member(body, "stream_options").get("include_usage") is True,
        rest={key: value for key, value in body.items() if key not in _CHAT},
        body=body,
    )


def read_responses(body: Body) -> Asked:
    """Get a request of the responses API.

    Nothing is kept, so whatever names what was kept is refused; `store` is answered with false.
    Raises `RefusedError` with the parameter that is wrong or not supported.

    >>> read_responses({"input": "Hi", "instructions": "Be short."}).messages[0].text
    'Be short.'
    """
    for param in ("previous_response_id", "conversation", "prompt"):
        if body.get(param) is not None:
            raise unsupported(param, "answers and prompts are not kept")
    if body.get("background"):
        raise unsupported("background", "answers are not kept")
    if body.get("truncation") not in (None, "disabled"):
        raise unsupported("truncation", "the input is sent as it is")
    tools, choice, allowed = _tools(body, nested=False)
    instructions = body.get("instructions")
    if instructions is not None and not isinstance(instructions, str):
        raise _wrong("instructions", "a string")
    given = body.get("input", [])
    if not isinstance(given, str | list):
        raise _wrong("input", "a string, or a list of items")
    return Asked(
        model=_string(body, "model"),
        messages=_messages(lambda items: from_responses(items, instructions), given, "input"),
        tools=tools,
        callable=allowed,
        choice=choice,
        parallel=body.get("parallel_tool_calls") is not False,
        format=_format(_member(body, "text").get("format"), "text.format"),
        max_tokens=_whole(body, "max_output_tokens"),
        stream=body.get("stream") is True,
        include_usage=True,
        rest={key: body[key] for key in _SAMPLING if key in body},
        body=body,
    )


# --- tools ----------------------------------------------------------------------------------------


def _tools(body: Body, *, nested: bool) -> tuple[ToolSet, ToolChoice, ToolSet]:
    """Get all tools, how they may be called, and those that may."""
    given = _list(body, "tools", empty=True)
    for index, each in enumerate(given):
        kind = each.get("type", "function") if isinstance(each, dict) else None
        if kind != "function":
            raise unsupported(f"tools[{index}].type", f"{kind!r} is no tool that a client runs")
    try:
        tools = _compiled(minified(given))
    except (LTONError, RecursionError) as error:
        raise RefusedError(400, f"tools: {error}", param="tools") from None
    choice = body.get("tool_choice")
    if not given:
        return tools, "none", tools
    match choice:
        case None | "auto" | "none" | "required":
            return tools, choice or "auto", tools
        case "any":  # as some clients have it
            return tools, "required", tools
        case {"type": "function"}:
            name = _name(choice, nested=nested)
            return tools, Named(name), _selected(tools, [name])
        case {"type": "allowed_tools"}:
            allowed = choice.get("allowed_tools") if nested else choice
            match allowed:
                case {"mode": "auto" | "required" as mode, "tools": [*listed]} if listed:
                    names = [_name(each, nested=nested) for each in listed]
                    return tools, mode, _selected(tools, names)
    raise _wrong("tool_choice", '"none", "auto", "required", a function or allowed tools')


@lru_cache(_TOOLSETS)
def _compiled(definitions: str) -> ToolSet:
    return ToolSet.from_tools(read_json(definitions))


def _name(choice: object, *, nested: bool) -> str:
    # Chat has the name in an object of its own, responses beside the type.
    holder = choice.get("function") if nested and isinstance(choice, dict) else choice
    name = holder.get("name") if isinstance(holder, dict) else None
    if not isinstance(name, str):
        raise _wrong("tool_choice", "the name of a tool")
    return name


def _selected(tools: ToolSet, names: Sequence[str]) -> ToolSet:
    try:
        return tools.select(*names)
    except ValueError as error:
        raise RefusedError(400, str(error), param="tool_choice") from None


# --- members --------------------------------------------------------------------------------------


def _messages(
    read: Callable[[Any], tuple[Message, ...]], given: object, param: str
) -> tuple[Message, ...]:
    try:
        return read(given)
    except ConversionError as error:
        raise RefusedError(400, str(error), param=param) from None


def _format(given: object, param: str) -> Body | None:
    match given:
        case None | {"type": "text"}:
            return None
        case {"type": "json_object"}:
            return {}
        case {"type": "json_schema", "json_schema": {"schema": dict(schema)}}:
            return schema
        case {"type": "json_schema", "schema": dict(schema)}:  # of responses
            return schema
    raise _wrong(param, "text, json_object or json_schema with its schema")


def _stop(given: object) -> tuple[str, ...]:
    stops = [given] if isinstance(given, str) else given or []
    if not isinstance(stops, list) or not all(isinstance(each, str) for each in stops):
        raise _wrong("stop", "a string, or a list of strings")
    return tuple(filter(None, stops))


def _list(body: Body, param: str, *, empty: bool = False) -> list[Any]:
    found = body.get(param)
    if found is None and empty:
        return []
    if not isinstance(found, list):
        raise _wrong(param, "a list")
    return found


def _member(body: Body, param: str) -> Body:
    found = body.get(param)
    if found is not None and not isinstance(found, dict):
        raise _wrong(param, "an object")
    return found or {}


def _string(body: Body, param: str) -> str:
    found = body.get(param, "")
    if not isinstance(found, str):
        raise _wrong(param, "a string")
    return found


def _whole(body: Body, param: str, most: int = 2**31) -> int | None:
    found = body.get(param)
    if found is None:
        return None
    if type(found) is not int or not 1 <= found <= most:
        raise _wrong(param, f"a whole number from 1 to {most}")
    return found


def _wrong(param: str, expected: str) -> RefusedError:
    return RefusedError(400, f"{param}: expected {expected}", param=param)
