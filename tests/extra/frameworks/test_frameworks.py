"""Test that the tools of four agent frameworks become definitions (`make test-frameworks`)."""

from typing import Annotated, Any

import pytest

from lton import ToolSet


def look(city: str, days: int = 3) -> str:
    """Get the weather.

    Args:
        city: Where.
        days: How long.

    """
    return f"{city} {days}"


def _openai_agents() -> Any:
    return pytest.importorskip("agents").function_tool(look)


def _langchain() -> Any:
    return pytest.importorskip("langchain_core.tools").tool(look, parse_docstring=True)


def _langchain_of_a_schema() -> Any:
    tools = pytest.importorskip("langchain_core.tools")
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 3}},
        "required": ["city"],
    }
    return tools.StructuredTool.from_function(
        func=look, name="look", description="Get the weather.", args_schema=schema
    )


def _pydantic_ai() -> Any:
    return pytest.importorskip("pydantic_ai").Tool(look)


def _pydantic_ai_definition() -> Any:
    return pytest.importorskip("pydantic_ai").Tool(look).tool_def


def _smolagents() -> Any:
    return pytest.importorskip("smolagents").tool(look)


MADE = {
    # A strict schema of OpenAI's requires all.
    _openai_agents: "look(city days:int=3)",
    _langchain: "look(city days?:int=3)",
    _langchain_of_a_schema: "look(city days?:int=3)",
    _pydantic_ai: "look(city days?:int=3)",
    _pydantic_ai_definition: "look(city days?:int=3)",
    _smolagents: "look(city days?:int|null)",
}


@pytest.mark.parametrize("make", MADE)
def test_a_tool_of_a_framework_is_a_definition(make: Any) -> None:
    tools = ToolSet.from_tools([make()])
    assert tools.prompt(descriptions=False) == MADE[make]
    assert tools.tools[0].description.startswith("Get the weather.")


def test_what_the_framework_fills_in_is_no_parameter() -> None:
    langchain = pytest.importorskip("langchain_core.tools")
    pydantic_ai: Any = pytest.importorskip("pydantic_ai")

    def keyed(city: str, key: Annotated[str, langchain.InjectedToolArg]) -> str:
        """Get the weather."""
        return city + key

    def city_weather(context: Any, city: str) -> str:
        """Get the weather."""
        return city

    city_weather.__annotations__["context"] = pydantic_ai.RunContext[int]

    tools = ToolSet.from_tools([langchain.tool(keyed), pydantic_ai.Tool(city_weather)])
    assert tools.prompt(descriptions=False) == "keyed(city)\ntold(city)"
