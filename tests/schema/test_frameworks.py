"""Test that tools of agent frameworks become definitions, with imitations (`make test-frameworks`:
real).
"""

from types import SimpleNamespace
from typing import Any

import pytest

from lton import SchemaError, ToolSet

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
DEFINED = SimpleNamespace(name="look", description="Look.", parameters_json_schema=SCHEMA)
MODEL = SimpleNamespace(model_json_schema=lambda: SCHEMA)
SHAPES: dict[str, dict[str, Any]] = {
    "openai-agents": {"params_json_schema": SCHEMA},
    "pydantic-ai": {"tool_def": DEFINED},
    "langchain": {"tool_call_schema": MODEL},
    "langchain, of a schema": {"tool_call_schema": SCHEMA},
    "smolagents": {
        "inputs": {"city": {"type": "string"}, "days": {"type": "integer", "nullable": True}}
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_is_the_tool_that_its_schema_says(shape: str) -> None:
    tool = SimpleNamespace(name="look", description="Look.", **SHAPES[shape])
    optional = "|null" if shape == "smolagents" else ""
    tool_set = ToolSet.from_tools([tool])
    assert tool_set.prompt(descriptions=False) == f"look(city days?:int{optional})"
    assert tool_set.tools[0].description == "Look."


def test_the_types_that_only_smolagents_has_are_texts_and_any_value() -> None:
    inputs: dict[str, Any] = {
        "picture": {"type": "image"},
        "thing": {"type": "any"},
        "either": {"type": ["string", "integer"]},
        "plain": {"description": "whatever"},
    }
    tool = SimpleNamespace(name="look", description="", inputs=inputs)
    prompt = ToolSet.from_tools([tool]).prompt(descriptions=False)
    assert prompt == "look(picture thing:any either:str|int plain:any)"


@pytest.mark.parametrize("tool", [SimpleNamespace(name="look"), SimpleNamespace(inputs={})])
def test_what_has_a_name_or_a_schema_alone_is_no_tool(tool: Any) -> None:
    with pytest.raises(SchemaError, match="expected a tool definition"):
        ToolSet.from_tools([tool])
