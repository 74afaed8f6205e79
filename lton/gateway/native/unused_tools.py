"""Shorten the definitions of tools that an agent's earlier sessions never called.

A short definition has the first sentence of the description, and the schema without descriptions.
So the model can still call the tool. After its first call in a conversation, the tool has its whole
definition again.

What a tool is called, and what it takes, is read from the requests. So a tool that was renamed is
recognized by the arguments of its calls. The same tools are shortened in every request, so that
prompt caches work.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from lton._json import minified
from lton.apis.api import Api
from lton.apis.json_members import list_in
from lton.gateway.native.result_forms import iterate_calls_in
from lton.mcp_proxy.slim import slim_schema
from lton.schema.definitions import SCHEMA_KEYS

Calls: TypeAlias = Mapping[str, Collection[frozenset[str]]]
"""The names of arguments in the calls of each tool."""
_SHORTENED = "Shortened; the whole definition follows after the first call."
_MARKS = (".", "!", "?", "。")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|。|\n")
_LONGEST_SENTENCE = 200  # characters
_LEAST = 200  # bytes that are worth a change of a definition
_FEW = 2  # arguments by which a renamed tool is recognized, at least


@dataclass(frozen=True, slots=True)
class ShortenedTool:
    """A short definition, and the JSON of the whole one."""

    whole: str
    short: Mapping[str, Any]


class UnusedTools:
    """Shortens the definitions of tools that have no call in earlier sessions.

    `shortened` has the definitions that were shortened in requests, by name.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self.shortened: dict[str, ShortenedTool] = {}

    def with_short_definitions(self, body: Mapping[str, Any], api: Api) -> Mapping[str, Any]:
        """Return a request with short definitions of unused tools, or the same object."""
        tools = body.get("tools")
        if not isinstance(tools, list):
            return body
        defined = {name for tool in tools for name in [_name_of_tool(tool)] if name}
        former = [keys for name, keys in self._calls.items() if name not in defined]
        called = self._calls.keys() | _called_tools(body, api)
        choice = minified(body.get("tool_choice"))
        changed = []
        for tool in tools:
            name = _name_of_tool(tool)
            is_named = name in called or minified(name) in choice
            if not name or is_named or _was_called(tool, former):
                changed.append(tool)
            else:
                changed.append(self._shorten_tool(tool))
        if all(new is tool for new, tool in zip(changed, tools, strict=True)):
            return body
        return {**body, "tools": changed}

    def _shorten_tool(self, tool: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a short definition, or the same object if little would be saved."""
        name = _name_of_tool(tool)
        whole = minified(tool)
        earlier = self.shortened.get(name)
        if earlier and earlier.whole == whole:
            return earlier.short
        short = _short_definition(tool)
        if len(whole) - len(minified(short)) < _LEAST:
            return tool
        self.shortened[name] = ShortenedTool(whole, short)
        return short


def _name_of_tool(tool: Any) -> str:
    match tool:
        case {"function": {"name": str(name)}} | {"name": str(name)}:
            return name
    return ""


def _called_tools(body: Mapping[str, Any], api: Api) -> set[str]:
    """Return the tools that the messages of a request call."""
    messages = list_in(body, api.conversation_key)
    return {tool for message in messages for _, tool, _ in iterate_calls_in(message)}


def _short_definition(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a short definition of a function, and the same object for any other tool.

    A definition that the server loads only when the model searches for it stays whole.
    """
    function = tool.get("function", tool)
    schema_key = _find_schema_key(function)
    if schema_key is None or tool.get("defer_loading"):
        return tool
    short = {**function, schema_key: slim_schema(function[schema_key], descriptions=False)}
    if isinstance(function.get("description"), str):
        short["description"] = f"{_first_sentence(function['description'])} {_SHORTENED}"
    return short if function is tool else {**tool, "function": short}


def _first_sentence(text: str) -> str:
    """Return the first sentence of a text, which is cut after a word if it is long.

    >>> _first_sentence("Reads a file. Use it often.")
    'Reads a file.'
    """
    text = text.strip()
    end = _SENTENCE_END.search(text)
    sentence = text[: end.end()].strip() if end else text
    if len(sentence) > _LONGEST_SENTENCE:
        start, space, _ = sentence[:_LONGEST_SENTENCE].rpartition(" ")
        sentence = f"{start if space else sentence[:_LONGEST_SENTENCE]} …"
    return sentence if sentence.endswith(_MARKS) else f"{sentence}."


def _was_called(tool: Mapping[str, Any], former: list[Collection[frozenset[str]]]) -> bool:
    """Return whether calls under names that no longer exist have the arguments of a tool."""
    function = tool.get("function", tool)
    schema_key = _find_schema_key(function)
    schema = function[schema_key] if schema_key else {}
    properties = schema.get("properties")
    required = schema.get("required")
    parameters = frozenset(properties if isinstance(properties, dict) else ())
    required_names = frozenset(map(str, required) if isinstance(required, list) else ())
    return any(
        len(keys) >= _FEW and required_names <= keys <= parameters
        for calls in former
        for keys in calls
    )


def _find_schema_key(function: Any) -> str | None:
    """Return the key of a function's schema, whose name depends on the API."""
    for key in SCHEMA_KEYS:
        if isinstance(function, dict) and isinstance(function.get(key), dict):
            return key
    return None
