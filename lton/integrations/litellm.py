"""Shorten tool definitions and results in LiteLLM's proxy, as a guardrail.

Configure `guardrail: lton.integrations.litellm.LtonGuardrail` with `mode: pre_call`. It drops
keywords that constrain nothing (`title`, `$schema`, `$comment`), and with `results: short`, it also
shortens JSON results. Each output depends only on its input, so prompt caches still work.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from lton._require import require
from lton.chat.tool_results import with_results
from lton.results import short_result
from lton.schema.jsonschema.references import LISTED, NAMED, ONE

_SAYS_NOTHING = ("$comment", "$schema", "title")


def __getattr__(name: str) -> Any:
    if name == "LtonGuardrail":
        return _make_guardrail_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _make_guardrail_class() -> type:
    base = require("litellm.integrations.custom_guardrail", "litellm>=1.106,<2").CustomGuardrail

    class LtonGuardrail(base):  # type: ignore[misc, valid-type]
        def __init__(self, *, results: str = "as-is", **settings: Any) -> None:
            if results not in ("as-is", "short"):
                raise ValueError(f"results: expected as-is or short, found {results!r}")
            super().__init__(**settings)
            self.results = results

        async def apply_guardrail(
            self, inputs: Any, request_data: Any, input_type: str, logging_obj: Any = None
        ) -> Any:
            del request_data, logging_obj
            is_request = input_type == "request"
            return (
                shorten_request(inputs, results=self.results == "short") if is_request else inputs
            )

    return LtonGuardrail


def shorten_request(inputs: Mapping[str, Any], *, results: bool) -> Mapping[str, Any]:
    """Shorten tools and messages. Omit a list in which nothing has changed.

    >>> schema = {"title": "Args", "type": "object", "properties": {"title": {"title": "Title"}}}
    >>> tool = {"type": "function", "function": {"name": "find", "parameters": schema}}
    >>> shorten_request({"tools": [tool]}, results=False)["tools"][0]["function"]["parameters"]
    {'type': 'object', 'properties': {'title': {}}}
    """
    shortened = dict(inputs)
    tools = inputs.get("tools")
    if isinstance(tools, list) and (lean := [_lean_tool(tool) for tool in tools]) != tools:
        shortened["tools"] = lean
    else:
        shortened.pop("tools", None)  # otherwise LiteLLM rewrites them
    messages = inputs.get("structured_messages")
    if results and isinstance(messages, list):
        short_messages = with_results(messages, lambda text, call: short_result(text))
        shortened["structured_messages"] = (
            messages if short_messages == messages else short_messages
        )
    return shortened


def _lean_tool(tool: Any) -> Any:
    match tool:
        case {"type": "function", "function": {"parameters": dict(schema)} as function}:
            try:
                return {**tool, "function": {**function, "parameters": _lean_schema(schema)}}
            except RecursionError:
                return tool
    return tool


def _lean_schema(schema: Any) -> Any:
    """Remove from a schema the keywords that constrain nothing."""
    if not isinstance(schema, dict):
        return schema
    return {
        key: _lean_member(key, value)
        for key, value in schema.items()
        if key not in _SAYS_NOTHING or not isinstance(value, str)
    }


def _lean_member(key: str, value: Any) -> Any:
    if key in NAMED and isinstance(value, dict):
        return {name: _lean_schema(member) for name, member in value.items()}
    if key in LISTED and isinstance(value, list):
        return [_lean_schema(item) for item in value]
    return _lean_schema(value) if key in ONE else value
