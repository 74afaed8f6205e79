"""Read and write `tool_choice`, the field that says which tools may or must be called."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from lton.apis.names import ApiName
from lton.grammar.build import Named, ToolChoice

AllowedNames: TypeAlias = Sequence[str] | None  # the tools that may be called; None for all


def read_choice(given: Any) -> tuple[ToolChoice, AllowedNames] | None:
    """Parse a `tool_choice`. Return the choice and the allowed tools, or None if it is unknown."""
    match given:
        case None | "auto" | {"type": "auto"}:
            return "auto", None
        case "none" | {"type": "none"}:
            return "none", None
        case "required" | "any" | {"type": "any"}:
            return "required", None
        case {"type": "function" | "tool"} if name := _tool_name(given):
            return Named(name), [name]
        case {"type": "allowed_tools", **flat}:
            match flat.get("allowed_tools", flat):
                case {"mode": "auto" | "required" as mode, "tools": [*listed]}:
                    names = [*map(_tool_name, listed)]
                    return (mode, names) if names and all(names) else None
    return None


def write_choice(choice: ToolChoice, allowed: AllowedNames, api: ApiName) -> Any:
    """Write a `tool_choice` for an API. Anthropic's API has no list of allowed tools."""
    match choice, api:
        case Named(name), "messages":
            return {"type": "tool", "name": name}
        case mode, "messages":
            return {"type": "any" if mode == "required" else mode}
        case Named(name), _:
            return _write_function(name, api)
        case "none", _:
            return "none"
    if allowed is None:
        return choice
    found = {"mode": choice, "tools": [_write_function(each, api) for each in allowed]}
    return {"type": "allowed_tools", **(found if api == "responses" else {"allowed_tools": found})}


def _write_function(name: str, api: ApiName) -> dict[str, Any]:
    named = {"name": name}
    return {"type": "function", **(named if api == "responses" else {"function": named})}


def _tool_name(tool: Any) -> str:
    match tool:
        case {"function": {"name": str(name)}} | {"name": str(name)}:
            return name
    return ""
