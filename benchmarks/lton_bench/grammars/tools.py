"""The tools and gold calls of the grammar benchmark."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from lton import Call, EncodeError, ToolSet, encode
from lton.probe.questions import questions_about
from lton_bench import bfcl
from lton_bench.mcp import data as mcp_data
from lton_bench.mcp.proxy import SEVEN

SIZES = (1, 20, 100)
MAX_LENGTH = 999
SEED = 1
WRITE_FILE = {
    "type": "function",
    "function": {
        "name": "write_file",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path", "content"],
        },
    },
}
WRITING = Call(
    "write_file", {"path": "a.py", "content": Path(json.__file__).read_text("utf-8")[:900]}
)
"""A call with source code, which LTON writes with a length or in a fence."""
Definition = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Known:
    """A tool and its gold calls."""

    tool: Definition
    calls: list[Call] = field(default_factory=list)

    @property
    def name(self) -> str:
        name: str = self.tool["function"]["name"]
        return name

    @property
    def parameters(self) -> dict[str, Any]:
        parameters: dict[str, Any] = self.tool["function"]["parameters"]
        return parameters


@cache
def gold() -> list[Known]:
    """Return the tools of the largest toolset, from BFCL, with gold calls that fit their schemas.

    The order is shuffled with a fixed seed. Each tool takes a string, so that `maxLength` has an
    effect. If tools share a name, the first is used.
    """
    by_tool: dict[str, Known] = {}
    for case in bfcl.load():
        by_name = {tool["function"]["name"]: tool for tool in case.tools}
        for name, arguments in case.calls:
            entry = by_tool.setdefault(name, Known(by_name[name]))
            if entry.tool == by_name[name]:
                entry.calls.append(Call(name, arguments))
    names = sorted(by_tool)
    random.Random(SEED).shuffle(names)  # noqa: S311 - no secret
    texts = (by_tool[name] for name in names if _takes_string(by_tool[name].parameters))
    fitting = (Known(entry.tool, list(_fitting(entry))) for entry in texts)
    return list(islice((entry for entry in fitting if entry.calls), SIZES[-1]))


@cache
def of_servers() -> list[Known]:
    """Return the 72 tools of seven MCP servers, with a call if a tool takes simple values."""
    tools: list[Definition] = [
        {
            "type": "function",
            "function": {"name": tool["name"], "parameters": tool.get("inputSchema", {})},
        }
        for tool in mcp_data.as_one(SEVEN)
    ]
    questions = questions_about(ToolSet.from_tools(tools), len(tools))
    calls = {question.call.name: [question.call] for question in questions if question.call}
    return [Known(tool, calls.get(tool["function"]["name"], [])) for tool in tools]


def _takes_string(schema: Any) -> bool:
    return bool(close_schema(schema, MAX_LENGTH) != close_schema(schema, None))


def _fitting(entry: Known) -> Iterator[Call]:
    tools = ToolSet.from_tools([entry.tool])
    for call in entry.calls:
        try:
            encode(call, tools)
        except EncodeError:
            continue
        yield call


_SAYS_NOTHING = {"default", "deprecated", "description", "examples", "title"}
_SCHEMAS = {"additionalProperties", "items", "not"}
_LISTS = {"allOf", "anyOf", "oneOf", "prefixItems"}


def close_schema(schema: Any, max_length: int | None) -> Any:
    """Return a schema without annotations, in which each object says whether it is open.

    Objects that declare properties take no others, as in LTON. Each string gets `max_length`.

    >>> close_schema({"type": "object", "properties": {"a": {"type": "string"}}}, 9)["properties"]
    {'a': {'type': 'string', 'maxLength': 9}}
    """
    if not isinstance(schema, dict):
        return schema
    new: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "properties":
            new[keyword] = {
                name: close_schema(member, max_length) for name, member in value.items()
            }
        elif keyword in _SCHEMAS:
            new[keyword] = close_schema(value, max_length)
        elif keyword in _LISTS:
            new[keyword] = [close_schema(member, max_length) for member in value]
        elif keyword not in _SAYS_NOTHING:
            new[keyword] = value
    if new.get("type") == "object":
        new.setdefault("additionalProperties", not new.get("properties"))
    elif new.get("type") == "array" and "prefixItems" not in new:
        new.setdefault("items", {})
    elif new.get("type") == "string" and max_length is not None and "enum" not in new:
        new["maxLength"] = max_length
    return new


def arrange_members(value: Any, schema: Any) -> Any:
    """Return a value with the members of its objects in the order of their schema."""
    if isinstance(value, list):
        items = schema.get("items", {})
        return [arrange_members(item, items) for item in value]
    if not isinstance(value, dict):
        return value
    members = schema.get("properties", {})
    order = [name for name in (*members, *(value.keys() - members.keys())) if name in value]
    return {name: arrange_members(value[name], members.get(name, {})) for name in order}
