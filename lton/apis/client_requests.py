"""Define the record of a client's request, and read the parts that requests of all APIs share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeAlias

from lton._json import minified
from lton.apis import members
from lton.apis.refusals import RefusedError, make_unsupported_error
from lton.apis.tool_choice import try_read_choice
from lton.chat import Message
from lton.chat.records import ApiName
from lton.errors import LTONError
from lton.grammar.build import Named, ToolChoice
from lton.schema.toolset import ToolSet, compile_cached_tools

MAX_CHOICES = 16
MAX_TOOLS = 2048
MAX_TOOL_VALUES = 50_000  # JSON values in all tool definitions together: about 15,000 properties
MAX_MESSAGES = 10_000
_ANSWER = {"description": "Answer the user with this, and call no other tool."}
Offer: TypeAlias = tuple[ToolSet, ToolChoice, ToolSet, str]
"""All tools, the choice, the callable tools, and the name of the answer tool."""


@dataclass(frozen=True, kw_only=True)
class ClientRequest:
    """A request in any API. `rest` has fields that are passed on unchanged."""

    api: ApiName
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
    other_fields: members.Body = field(default_factory=dict)
    body: members.Body = field(default_factory=dict)  # the unchanged request


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
        return tuple(tool for tool in self.tools if tool.name in self.request.callable.by_name)


def build_request(
    api: ApiName,
    body: members.Body,
    messages: tuple[Message, ...],
    offer: Offer,
    *,
    parallel: bool,
    repeat: bool,
    include_usage: bool = True,
    **more: Any,
) -> ClientRequest:
    """Build the record of a request from its parts and from fields that all APIs have."""
    tools, choice, allowed, answer = offer
    return ClientRequest(
        api=api,
        model=members.field_of(body, "model", ""),
        messages=messages,
        tools=tools,
        callable=allowed,
        choice=choice,
        parallel=parallel and not answer,
        repeat_calls=members.field_of(body, "repeat_tool_calls", repeat),
        answer=answer,
        stream=members.field_of(body, "stream", False),
        include_usage=include_usage,
        body=body,
        **more,
    )


def read_functions(body: members.Body) -> list[Any]:
    """Return the tools of a request, or raise `RefusedError` unless all of them are functions."""
    tools = members.list_of(body, "tools", empty=True, most=MAX_TOOLS)
    for index, tool in enumerate(tools):
        check_kind(index, tool.get("type", "function") if isinstance(tool, dict) else None)
    return tools


def check_kind(index: int, kind: object, *, expected: str = "function") -> None:
    """Raise `RefusedError` unless a tool is of the kind that clients run."""
    if kind != expected:
        words = f"{kind!r} is not a tool that a client runs: use --calls native"
        raise make_unsupported_error(f"tools[{index}].type", words)


def read_offer(definitions: Sequence[Any], schema: members.Body | None, tool_choice: Any) -> Offer:
    """Compile the tools of a request and read its tool choice. Raises `RefusedError`."""
    if (read := try_read_choice(tool_choice)) is None:
        expected = '"none", "auto", "required", a function or allowed tools'
        raise members.make_wrong_type_error("tool_choice", expected)
    tools = _compile_tools(definitions)
    choice, names = _read_choice_and_names(*read, tools)
    allowed = tools if names is None else tools.select(*names)
    if schema is None or choice == "required" or isinstance(choice, Named):
        return tools, choice, allowed, ""
    # Calls or JSON: the JSON answer is a call, whose arguments the client receives as content.
    answer = next(name for name in _iterate_answer_schemas() if name not in tools.by_name)
    tools = _compile_tools([*definitions, {"name": answer, **_ANSWER, "parameters": schema}])
    if choice == "none":
        return tools, Named(answer), tools.select(answer), answer
    allowed = tools if names is None else tools.select(answer, *names)
    return tools, "required", allowed, answer


def _read_choice_and_names(
    choice: ToolChoice, names: Sequence[str] | None, tools: ToolSet
) -> tuple[ToolChoice, Sequence[str] | None]:
    """Return a tool choice with the names of the allowed tools. Raises `RefusedError`."""
    if not tools.tools:
        if choice not in ("auto", "none"):
            raise RefusedError(400, "tool_choice: there are no tools", param="tool_choice")
        return "none", None
    if names is not None and (unknown := set(names).difference(tools.by_name)):
        raise RefusedError(400, f"tool_choice: no tool {min(unknown)!r}", param="tool_choice")
    return choice, names


def _iterate_answer_schemas() -> Iterator[str]:
    yield "answer"
    yield from (f"answer_{index}" for index in count(2))


def _compile_tools(tools: Sequence[Any]) -> ToolSet:
    definitions = minified(tools)
    # Each value has at least one character, so most definitions need not be counted.
    if len(definitions) > MAX_TOOL_VALUES and not _has_at_most(MAX_TOOL_VALUES, [*tools]):
        words = f"tools: their definitions have more than {MAX_TOOL_VALUES} values"
        raise RefusedError(400, words, param="tools")
    try:
        return compile_cached_tools(definitions)
    except (LTONError, RecursionError) as error:
        raise RefusedError(400, f"tools: {error}", param="tools") from None


def find_format_schema(wanted_format: object, param: str) -> members.Body | None:
    """Return the schema of the format that a client of OpenAI's APIs asks for, if any."""
    match wanted_format:
        case None | {"type": "text"}:
            return None
        case {"type": "json_object"}:
            return {"type": "object", "additionalProperties": True}
        case {"type": "json_schema", "json_schema": {"schema": dict(schema)}}:
            return schema
        case {"type": "json_schema", "schema": dict(schema)}:  # in the responses API
            return schema
    raise members.make_wrong_type_error(param, "text, json_object or json_schema with its schema")


def _has_at_most(most: int, value: object) -> bool:
    waiting = [value]
    count = 0
    while waiting and count <= most:
        container = waiting.pop()
        count += 1
        if isinstance(container, dict | list):
            waiting += container.values() if isinstance(container, dict) else container
    return count <= most
