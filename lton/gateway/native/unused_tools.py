"""Omit the definitions of tools that an agent's earlier sessions never called.

What a tool is called, and what it takes, is read from the requests. So a tool that was renamed is
recognized by the arguments of its calls. The same tools are omitted in every request, so that
prompt caches work.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from lton._json import minified
from lton.apis.api import Api
from lton.apis.json_members import list_in
from lton.gateway.native.result_forms import calls_in
from lton.schema.definitions import SCHEMA_KEYS

Calls: TypeAlias = Mapping[str, Collection[frozenset[str]]]
"""The names of arguments in the calls of each tool."""
NEEDED = re.compile(
    "(?i)read|edit|write|patch|bash|shell|exec|stdin|search|grep|glob|list|replace|todo|plan"
)
"""Names of tools for files, commands and plans, which an agent needs sooner or later."""
_LEAST = 400  # bytes of a definition that is worth omitting
_FEW = 2  # arguments by which a renamed tool is recognized, at least


class UnusedTools:
    """Omits tools that have no call in earlier sessions.

    `left_out` has the definitions that were omitted from requests, by name.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self.left_out: dict[str, str] = {}

    def omit_from(self, body: Mapping[str, Any], api: Api) -> Mapping[str, Any]:
        """Return a request without unused tools. Return the same object if all are used."""
        tools = body.get("tools")
        if not isinstance(tools, list):
            return body
        defined = {name for tool in tools for name in [_name(tool)] if name}
        former = [keys for name, keys in self._calls.items() if name not in defined]
        called = self._calls.keys() | _called_in(body, api)
        chosen = minified(body.get("tool_choice"))
        kept = []
        omitted = {}
        for tool in tools:
            name = _name(tool)
            is_named = name in called or minified(name) in chosen
            if is_named or not _can_be_omitted(tool) or _was_called(tool, former):
                kept.append(tool)
            else:
                omitted[name] = minified(tool)
        if not omitted or not kept:
            return body
        self.left_out |= omitted
        return {**body, "tools": kept}


def _name(tool: Any) -> str:
    match tool:
        case {"function": {"name": str(name)}} | {"name": str(name)}:
            return name
    return ""


def _called_in(body: Mapping[str, Any], api: Api) -> set[str]:
    """Return the tools that the messages of a request call."""
    messages = list_in(body, api.conversation_key)
    return {tool for message in messages for _, tool, _ in calls_in(message)}


def _can_be_omitted(tool: Any) -> bool:
    """Return whether a definition is a function that is loaded at once, and not cheap.

    A tool with a mark of the cache stays, because the mark ends the cached definitions.
    """
    if not _name(tool) or NEEDED.search(_name(tool)) or _schema(tool) is None:
        return False
    if tool.get("defer_loading") or "cache_control" in tool:
        return False
    return len(minified(tool).encode(errors="replace")) >= _LEAST


def _was_called(tool: Any, former: list[Collection[frozenset[str]]]) -> bool:
    """Return whether calls under names that no longer exist have the arguments of a tool."""
    schema = _schema(tool) or {}
    properties = schema.get("properties")
    required = schema.get("required")
    known = frozenset(properties if isinstance(properties, dict) else ())
    needed = frozenset(each for each in required or () if isinstance(each, str))
    return any(len(keys) >= _FEW and needed <= keys <= known for calls in former for keys in calls)


def _schema(tool: Mapping[str, Any]) -> Mapping[str, Any] | None:
    holder = tool.get("function", tool)
    for key in SCHEMA_KEYS:
        if isinstance(holder, dict) and isinstance(holder.get(key), dict):
            found: Mapping[str, Any] = holder[key]
            return found
    return None
