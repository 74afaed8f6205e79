"""Tools of agent frameworks as tool definitions, by their public attributes: nothing is imported.

openai-agents 0.24, langchain-core 1.7, pydantic-ai 2.68, smolagents 1.26.
"""

from collections.abc import Mapping
from typing import Any

_SCHEMAS = ("params_json_schema", "parameters_json_schema")
"""Where a `FunctionTool` of openai-agents and a `ToolDefinition` of pydantic-ai have theirs."""
_OWN_TYPES = {"any": None, "audio": "string", "image": "string"}
"""Types that smolagents has and JSON Schema has not; None for any."""


def definition_of(tool: Any) -> dict[str, Any] | None:
    """Get the definition of a framework's tool; None for what is none.

    What a framework fills in itself (LangChain's `InjectedToolArg`, pydantic-ai's context) is no
    parameter.
    """
    if isinstance(tool, type | Mapping) or not isinstance(getattr(tool, "name", None), str):
        return None
    described = getattr(tool, "tool_def", tool)  # pydantic-ai's Tool
    schema = next((found for key in _SCHEMAS if (found := getattr(described, key, None))), None)
    if schema is None and hasattr(tool, "tool_call_schema"):
        schema = tool.tool_call_schema  # LangChain's: a pydantic model, or JSON Schema itself
        schema = schema if isinstance(schema, Mapping) else schema.model_json_schema()
    if schema is None and isinstance(inputs := getattr(tool, "inputs", None), Mapping):
        schema = _of_inputs(inputs)
    if schema is None:
        return None
    about = getattr(described, "description", None)
    return {"name": tool.name, "description": about, "parameters": schema}


def _of_inputs(inputs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Get the schema of the inputs of smolagents: what is nullable may be left out."""
    properties = {name: _of_input(each) for name, each in inputs.items()}
    required = [name for name, each in inputs.items() if not each.get("nullable")]
    return {"type": "object", "properties": properties, "required": required}


def _of_input(given: Mapping[str, Any]) -> dict[str, Any]:
    named = given.get("type", "any")
    kinds = [_OWN_TYPES.get(one, one) for one in ([named] if isinstance(named, str) else named)]
    rest = {key: value for key, value in given.items() if key != "type"}
    return rest if None in kinds else {**rest, "type": kinds[0] if len(kinds) == 1 else kinds}
