"""An MCP server in either major version of the library, with everything that a proxy passes on.

Like many servers, it wrongly prints text to standard output.
"""

import os
import sys
from typing import Annotated, Any

import anyio
from pydantic import BaseModel, Field

try:
    from mcp.server.mcpserver import Context, Image, MCPServer
except ImportError:
    from mcp.server.fastmcp import Context, Image
    from mcp.server.fastmcp import FastMCP as MCPServer

server = MCPServer("kitchen", instructions="Ask for tea.")


class Place(BaseModel):
    """Where it is."""

    city: str
    floor: int | None = None


def weather(city: str, days: int = 2) -> list[dict[str, Any]]:
    """Get the weather."""
    return [{"day": day, "city": city, "sky": "partly cloudy"} for day in range(days)]


def where(to: Place) -> Place:
    """Say it again."""
    return to


def parcel(to: Annotated[str, Field(json_schema_extra={"x-mcp-header": "To"})]) -> str:
    """Send a parcel; over HTTP its address is a header too."""
    return f"sent to {to}"


def fail(why: str) -> str:
    """Fail."""
    raise ValueError(why)


async def slow(steps: int, ctx: Context) -> str:
    """Take time, and say how far it is; what cancels it is written to standard error."""
    try:
        for step in range(steps):
            await ctx.report_progress(step, steps)
            await anyio.sleep(0.05)
    except anyio.get_cancelled_exc_class():
        print("cancelled", file=sys.stderr, flush=True)
        raise
    return "done"


def die() -> str:
    """End at once."""
    os._exit(3)


def picture() -> list:  # type: ignore[type-arg] # what the library takes for a list of contents
    """Get a picture and a table."""
    return [Image(data=b"abc", format="png"), {"rows": [1, 2, 3], "name": "x y"}]


def menu() -> str:
    """Get the menu."""
    return '{"tea": 1}'


def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello {name}"


for function in (weather, where, parcel, fail, slow, die):
    server.tool()(function)
server.tool(structured_output=False)(picture)
server.resource("file:///menu")(menu)
server.prompt()(greet)

if __name__ == "__main__":
    print("ready", flush=True)
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    server.run("stdio")
