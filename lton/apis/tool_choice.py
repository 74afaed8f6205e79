"""Read and write `tool_choice`, the field that says which tools may or must be called."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from lton.grammar.build import Named, ToolChoice

AllowedNames: TypeAlias = Sequence[str] | None  # the tools that may be called; None for all


def try_read_choice(tool_choice: Any) -> tuple[ToolChoice, AllowedNames] | None:
    """Parse a `tool_choice`. Return the choice and the allowed tools, or None if it is unknown."""
    match tool_choice:
        case None | "auto" | {"type": "auto"}:
            return "auto", None
        case "none" | {"type": "none"}:
            return "none", None
        case "required" | "any" | {"type": "any"}:
            return "required", None
        case {"type": "function" | "tool"} if name := _tool_name(tool_choice):
            return Named(name), [name]
        case {"type": "allowed_tools", **flat}:
            match flat.get("allowed_tools", flat):
                case {"mode": "auto" | "required" as mode, "tools": [*listed]}:
                    names = [*map(_tool_name, listed)]
                    return (mode, names) if names and all(names) else None
    return None


def write_openai_choice(choice: ToolChoice, allowed: AllowedNames, *, is_nested: bool) -> Any:
    """Write a `tool_choice` for one of OpenAI's APIs.

    With `is_nested`, objects have a member with their content, as chat completions want it.
    """
    if isinstance(choice, Named):
        return _write_function(choice.name, is_nested=is_nested)
    if choice == "none" or allowed is None:
        return choice
    tools = [_write_function(name, is_nested=is_nested) for name in allowed]
    members = {"mode": choice, "tools": tools}
    return {"type": "allowed_tools", **({"allowed_tools": members} if is_nested else members)}


def write_messages_choice(choice: ToolChoice) -> dict[str, Any]:
    """Write a `tool_choice` for Anthropic's API."""
    if isinstance(choice, Named):
        return {"type": "tool", "name": choice.name}
    return {"type": "any" if choice == "required" else choice}


def _write_function(name: str, *, is_nested: bool) -> dict[str, Any]:
    named = {"name": name}
    return {"type": "function", **({"function": named} if is_nested else named)}


def _tool_name(tool: Any) -> str:
    match tool:
        case {"function": {"name": str(name)}} | {"name": str(name)}:
            return name
    return ""
