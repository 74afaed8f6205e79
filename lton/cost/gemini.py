"""Read requests and responses of Gemini's API."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from lton._json import minified
from lton.chat import Message, Part, Text, Thought, ToolCall, ToolResult
from lton.chat.records import Other, Role, mismatch

_VALUES = frozenset(["enum", "default", "example"])
"""Keywords with values, in which `type` is not a keyword."""
_DEPTH = 100


def declarations(tool: Any) -> Sequence[Any] | None:
    """Return the function declarations of a Gemini tool, or None for any other value."""
    match tool:
        case {"functionDeclarations": [*found]} | {"function_declarations": [*found]}:
            return [_declaration(each) for each in found]
    return None


def messages(value: Mapping[str, Any]) -> Iterator[Message] | None:
    """Return the messages in a Gemini request or response, or None for any other value.

    Iterating raises `ConversionError` for a content without parts.
    """
    match value:
        case {"contents": [*contents]}:
            given = value.get("systemInstruction") or value.get("system_instruction")
            system = (replace(_message(each), role="system") for each in [given] if each)
            return chain(system, map(_message, contents))
        case {"candidates": [*candidates]}:
            with_content = (
                each for each in candidates if isinstance(each, Mapping) and "content" in each
            )
            return (_message(each["content"]) for each in with_content)
    return None


def _message(content: Any) -> Message:
    match content:
        case {"parts": [*parts]}:
            role: Role = "assistant" if content.get("role") == "model" else "user"
            return Message(role, tuple(found for part in parts for found in _parts(part)))
    raise mismatch("a content with parts", content)


def _parts(part: Any) -> Iterator[Part]:
    match part:
        case {"functionCall": found} | {"function_call": found} if _is_named(found):
            yield ToolCall(found["name"], found.get("args") or {}, found.get("id"))
        case {"functionResponse": found} | {"function_response": found} if _is_named(found):
            said = Text(minified(found.get("response")))
            yield ToolResult((said,), found.get("id"), found["name"])
        case {"functionCall": found} | {"functionResponse": found}:
            raise mismatch("the name of a function", found)
        case {"text": str(text), "thought": True}:
            yield Thought(text)
        case {"text": str(text)}:
            yield Text(text)
        case Mapping():
            yield Other(part)


def _is_named(found: Any) -> bool:
    return isinstance(found, Mapping) and isinstance(found.get("name"), str)


def _declaration(found: Any) -> Any:
    if not isinstance(found, Mapping):
        return found
    made = dict(found)
    for name in ("parametersJsonSchema", "parameters_json_schema"):
        if name in made:
            made["parameters"] = made.pop(name)
    if "parameters" in made:
        made["parameters"] = _schema(made["parameters"], _DEPTH)
    return made


def _schema(value: Any, depth: int) -> Any:
    if not depth:
        raise mismatch(f"a schema of at most {_DEPTH} levels", value)
    if isinstance(value, list):
        return [_schema(each, depth - 1) for each in value]
    if not isinstance(value, Mapping):
        return value
    kind = value.get("type")
    if isinstance(kind, str):
        value = {**value, "type": kind.lower()}
    return {
        name: each if name in _VALUES or isinstance(each, str) else _schema(each, depth - 1)
        for name, each in value.items()
    }
