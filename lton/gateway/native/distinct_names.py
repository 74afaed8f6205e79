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
    changed = {**body, "tools": [_renamed_tool(item, names) for item in body["tools"]]}
    items = body.get("input")
    if isinstance(items, list):
        changed["input"] = [_renamed_call(item, names) for item in items]
    return changed, {new_name: name for (_, name), new_name in names.items()}


def _distinct_names(tools: Any) -> _Names:
    pairs = [
        (space, str(function["name"])) for function, space in RESPONSES.iterate_functions_in(tools)
    ]
    counts = Counter(name for _, name in pairs)
    return {
        (space, name): f"{space}__{name}" for space, name in pairs if space and counts[name] > 1
    }


def _renamed_tool(tool: Any, names: _Names) -> Any:
    match tool:
        case {"type": "namespace", "name": str(space), "tools": [*inner]}:
            return {
                **tool,
                "tools": [_rename_tool(inner_tool, space, names) for inner_tool in inner],
            }
    return tool


def _renamed_call(item: Any, names: _Names) -> Any:
    match item:
        case {"type": "function_call", "namespace": str(space)}:
            return _rename_tool(item, space, names)
    return item


def _rename_tool(value: Any, space: str, names: _Names) -> Any:
    name = value.get("name") if isinstance(value, dict) else None
    new_name = names.get((space, name)) if isinstance(name, str) else None
    return {**value, "name": new_name} if new_name else value
