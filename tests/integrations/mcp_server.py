"""An MCP server with a few typical tools.

Like many servers, it wrongly prints text to standard output.
"""

from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, Field

try:
    from mcp.server.mcpserver import MCPServer
except ImportError:
    from mcp.server.fastmcp import FastMCP as MCPServer


class Unit(StrEnum):
    C = "C"
    F = "F"


class Place(BaseModel):
    """Where it is."""

    city: str
    floor: int | None = Field(default=None, description="not the height")


def weather(city: str, days: int = 3, unit: Unit = Unit.C) -> str:
    """Get the weather."""
    return f"{city} {days} {unit}"


def order(what: Literal["tea", "coffee"], to: Place, notes: dict[str, Any] | None = None) -> Place:
    """Order something."""
    return to


def stop() -> None:
    """Stop all."""


if __name__ == "__main__":
    server = MCPServer("kitchen")
    for function in (weather, order, stop):
        server.add_tool(function)
    print("ready")
    server.run("stdio")
