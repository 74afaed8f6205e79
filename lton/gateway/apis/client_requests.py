"""Read requests of the three APIs as one record and refuse unsupported parameters by name."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, TypeAlias

from lton._json import minified
from lton.apis.tool_choice import read_choice
from lton.chat import Message, from_anthropic, from_openai, from_responses
from lton.errors import LTONError
from lton.gateway.apis import members
from lton.gateway.apis.refusals import RefusedError, unsupported_error
from lton.grammar.build import Named, ToolChoice
from lton.schema.toolset import ToolSet, cached_tools

MAX_CHOICES = 16
MAX_TOOLS = 2048
MAX_TOOL_VALUES = 50_000  # JSON values in all tool definitions together: about 15,000 properties
MAX_MESSAGES = 10_000
_ANSWER = {"description": "Answer the user with this, and call no other tool."}
_CHAT = frozenset(
    "messages tools tool_choice parallel_tool_calls repeat_tool_calls response_format stop n stream"
    " stream_options max_tokens max_completion_tokens".split()
)  # members that the gateway reads, and does not pass on
_SAMPLING = "model temperature top_p seed presence_penalty frequency_penalty user".split()
_MESSAGES_SAMPLING = ("model", "temperature", "top_p", "top_k")  # chat completions also have these
_Offer: TypeAlias = tuple[ToolSet, ToolChoice, ToolSet, str]
"""All tools, the choice, the callable tools, and the name of the answer tool."""


@dataclass(frozen=True, kw_only=True)
class ClientRequest:
    """A request in any of the three APIs. `rest` has fields that are passed on unchanged."""

    model: str
    messages: tuple[Message, ...]
    tools: ToolSet  # the model sees all of them, so that its prompt stays the same
    callable: ToolSet  # the tools that may be called now
    choice: ToolChoice = "auto"
    parallel: bool = True
    repeat_calls: bool = False  # whether the model may repeat a call
    answer: str = ""  # the tool whose arguments are the client's JSON answer
    stop: tuple[str, ...] = ()
    n: int = 1
    max_tokens: int | None = None
    stream: bool = False
    include_usage: bool = False
    rest: members.Body = field(default_factory=dict)
    body: members.Body = field(default_factory=dict)  # the unchanged request


def read_chat(body: members.Body, *, repeat: bool = False) -> ClientRequest:
    """Read a chat completions request. Raises `RefusedError` for an unsupported parameter."""
    for old in ("functions", "function_call"):
        if body.get(old) is not None:
            raise unsupported_error(old, 'use "tools" and "tool_choice" instead')
    schema = _format(body.get("response_format"), "response_format")
    limit = "max_tokens" if body.get("max_completion_tokens") is None else "max_completion_tokens"
    members.list_of(body, "messages", most=MAX_MESSAGES)
    return _request(
        body,
        members.messages_of(from_openai, body),
        read_offer(_functions(body), schema, body.get("tool_choice")),
        parallel=members.value(body, "parallel_tool_calls", True),
        repeat=repeat,
        stop=members.texts_of(body, "stop"),
        n=members.whole_of(body, "n", MAX_CHOICES) or 1,
        max_tokens=members.whole_of(body, limit),
        include_usage=members.value(
            members.value(body, "stream_options", {}), "include_usage", False
        ),
        rest={key: value for key, value in body.items() if key not in _CHAT},
    )


def read_responses(body: members.Body, *, repeat: bool = False) -> ClientRequest:
    """Read a responses request. Raises `RefusedError`, also for a reference to a stored answer."""
    _refuse_stored(body)
    schema = _format(members.value(body, "text", {}).get("format"), "text.format")
    instructions = body.get("instructions")
    if instructions is not None and not isinstance(instructions, str):
        raise members.wrong("instructions", "a string")
    given = body.get("input")
    if not isinstance(given, str | list):
        raise members.wrong("input", "a string, or a list of items")
    for item in (
        members.list_of(body, "input", most=MAX_MESSAGES) if isinstance(given, list) else ()
    ):
        if isinstance(item, dict) and item.get("type") == "item_reference":
            raise unsupported_error("input", "answers are not stored, so no item can be referenced")
    return _request(
        body,
        members.conversation_of(lambda items: from_responses(items, instructions), given, "input"),
        read_offer(_functions(body), schema, body.get("tool_choice")),
        parallel=members.value(body, "parallel_tool_calls", True),
        repeat=repeat,
        max_tokens=members.whole_of(body, "max_output_tokens"),
        rest={key: body[key] for key in _SAMPLING if key in body},
    )


def read_messages(body: members.Body, *, repeat: bool = False) -> ClientRequest:
    """Read an Anthropic messages request. Raises `RefusedError` for an unsupported parameter."""
    if body.get("container") is not None or body.get("mcp_servers"):
        raise unsupported_error("mcp_servers", "the client runs its tools: use --calls native")
    members.list_of(body, "messages", most=MAX_MESSAGES)
    system = body.get("system")
    if not isinstance(system, str | list | None):
        raise members.wrong("system", "a string, or a list of blocks")
    defined = members.list_of(body, "tools", empty=True, most=MAX_TOOLS)
    tools = [_definition(index, each) for index, each in enumerate(defined)]
    return _request(
        body,
        (
            *members.conversation_of(partial(from_anthropic, system=system), (), "messages"),
            *members.messages_of(from_anthropic, body),
        ),
        read_offer(tools, _answer_schema(body), body.get("tool_choice")),
        parallel=not members.value(
            members.value(body, "tool_choice", {}), "disable_parallel_tool_use", False
        ),
        repeat=repeat,
        stop=members.texts_of(body, "stop_sequences"),
        max_tokens=members.whole_of(body, "max_tokens"),
        rest={key: body[key] for key in _MESSAGES_SAMPLING if key in body},
    )


def _request(
    body: members.Body,
    messages: tuple[Message, ...],
    offer: _Offer,
    *,
    parallel: bool,
    repeat: bool,
    include_usage: bool = True,
    **more: Any,
) -> ClientRequest:
    tools, choice, allowed, answer = offer
    return ClientRequest(
        model=members.value(body, "model", ""),
        messages=messages,
        tools=tools,
        callable=allowed,
        choice=choice,
        parallel=parallel and not answer,
        repeat_calls=members.value(body, "repeat_tool_calls", repeat),
        answer=answer,
        stream=members.value(body, "stream", False),
        include_usage=include_usage,
        body=body,
        **more,
    )


def _refuse_stored(body: members.Body) -> None:
    """Raise `RefusedError` for truncation, and for references to stored answers or prompts."""
    for param in ("previous_response_id", "conversation", "prompt"):
        if body.get(param) is not None:
            raise unsupported_error(param, "answers and prompts are not stored")
    if members.value(body, "background", False):
        raise unsupported_error("background", "answers are not stored")
    if body.get("truncation") not in (None, "disabled"):
        raise unsupported_error("truncation", "the input is sent as it is")


def _functions(body: members.Body) -> list[Any]:
    given = members.list_of(body, "tools", empty=True, most=MAX_TOOLS)
    for index, each in enumerate(given):
        _check_kind(index, each.get("type", "function") if isinstance(each, dict) else None)
    return given


def _definition(index: int, tool: object) -> Mapping[str, Any]:
    if not isinstance(tool, dict):
        raise members.wrong(f"tools[{index}]", "an object")
    _check_kind(index, tool.get("type") or "custom", expected="custom")
    kept = ("name", "description", "input_schema", "annotations")
    return {key: tool[key] for key in kept if key in tool}


def _check_kind(index: int, kind: object, *, expected: str = "function") -> None:
    if kind != expected:
        words = f"{kind!r} is not a tool that a client runs: use --calls native"
        raise unsupported_error(f"tools[{index}].type", words)


def read_offer(given: Sequence[Any], schema: members.Body | None, asked: Any) -> _Offer:
    """Compile the tools of a request and read its tool choice (`asked`). Raises `RefusedError`."""
    if (found := read_choice(asked)) is None:
        raise members.wrong(
            "tool_choice", '"none", "auto", "required", a function or allowed tools'
        )
    choice, names = found
    tools = _compile_tools(given)
    if not given:
        if choice not in ("auto", "none"):
            raise RefusedError(400, "tool_choice: there are no tools", param="tool_choice")
        choice = "none"
        names = None
    if names is not None and (unknown := set(names).difference(tools.by_name)):
        raise RefusedError(400, f"tool_choice: no tool {min(unknown)!r}", param="tool_choice")
    allowed = tools if names is None else tools.select(*names)
    if schema is None or choice == "required" or isinstance(choice, Named):
        return tools, choice, allowed, ""
    # Calls or JSON: the JSON answer is a call, whose arguments the client receives as content.
    answer = next(each for each in _answers() if each not in tools.by_name)
    tools = _compile_tools([*given, {"name": answer, **_ANSWER, "parameters": schema}])
    if choice == "none":
        return tools, Named(answer), tools.select(answer), answer
    allowed = tools if names is None else tools.select(answer, *names)
    return tools, "required", allowed, answer


def _answers() -> Iterator[str]:
    yield "answer"
    yield from (f"answer_{index}" for index in count(2))


def _compile_tools(tools: Sequence[Any]) -> ToolSet:
    definitions = minified(tools)
    # Each value has at least one character, so most definitions need not be counted.
    if len(definitions) > MAX_TOOL_VALUES and not _has_at_most(MAX_TOOL_VALUES, [*tools]):
        words = f"tools: their definitions have more than {MAX_TOOL_VALUES} values"
        raise RefusedError(400, words, param="tools")
    try:
        return cached_tools(definitions)
    except (LTONError, RecursionError) as error:
        raise RefusedError(400, f"tools: {error}", param="tools") from None


def _format(given: object, param: str) -> members.Body | None:
    match given:
        case None | {"type": "text"}:
            return None
        case {"type": "json_object"}:
            return {"type": "object", "additionalProperties": True}
        case {"type": "json_schema", "json_schema": {"schema": dict(schema)}}:
            return schema
        case {"type": "json_schema", "schema": dict(schema)}:  # in the responses API
            return schema
    raise members.wrong(param, "text, json_object or json_schema with its schema")


def _answer_schema(body: members.Body) -> members.Body | None:
    match members.value(body, "output_config", {}).get("format") or body.get("output_format"):
        case None:
            return None
        case {"type": "json_schema", "schema": dict(schema)}:
            return schema
    raise members.wrong("output_config.format", "json_schema with its schema")


def _has_at_most(most: int, value: object) -> bool:
    waiting = [value]
    count = 0
    while waiting and count <= most:
        found = waiting.pop()
        count += 1
        if isinstance(found, dict | list):
            waiting += found.values() if isinstance(found, dict) else found
    return count <= most
