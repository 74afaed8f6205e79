"""Give the functions of different namespaces different names, for APIs without namespaces.

Codex has a namespace for each MCP server, and two servers may have a tool of the same name.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, TypeAlias

from lton.apis.responses_api import RESPONSES

_Names: TypeAlias = Mapping[tuple[str, str], str]
"""The new names of functions, by namespace and name."""


def with_distinct_names(body: Mapping[str, Any]) -> tuple[Mapping[str, Any], dict[str, str]]:
    """Return a body of the responses API in which equal names of functions are distinct.

    The calls in the conversation get the same names. Also return the client's names by the new
    names, which are the same in each request with these tools.
    """
    names = _distinct_names(body.get("tools"))
    if not names:
        return body, {}
    changed = {**body, "tools": [_renamed_tool(each, names) for each in body["tools"]]}
    items = body.get("input")
    if isinstance(items, list):
        changed["input"] = [_renamed_call(each, names) for each in items]
    return changed, {made: name for (_, name), made in names.items()}


def _distinct_names(tools: Any) -> _Names:
    given = [(space, str(each["name"])) for each, space in RESPONSES.functions_in(tools)]
    counts = Counter(name for _, name in given)
    return {
        (space, name): f"{space}__{name}" for space, name in given if space and counts[name] > 1
    }


def _renamed_tool(tool: Any, names: _Names) -> Any:
    match tool:
        case {"type": "namespace", "name": str(space), "tools": [*inner]}:
            return {**tool, "tools": [_rename_tool(each, space, names) for each in inner]}
    return tool


def _renamed_call(item: Any, names: _Names) -> Any:
    match item:
        case {"type": "function_call", "namespace": str(space)}:
            return _rename_tool(item, space, names)
    return item


def _rename_tool(value: Any, space: str, names: _Names) -> Any:
    name = value.get("name") if isinstance(value, dict) else None
    made = names.get((space, name)) if isinstance(name, str) else None
    return {**value, "name": made} if made else value
