"""Serve a tool with `@lton.results.mcp`, by mcp, or by FastMCP with the argument `fastmcp`."""

import sys
from typing import Any

import lton


@lton.results.mcp(for_models="large")
def find_users(query: str = "") -> dict[str, Any]:
    """Find users."""
    users = [{"name": "Ada", "id": 1}, {"name": "Bo Li", "id": 2}]
    return {"users": [user for user in users if query in str(user["name"])], "more": False}


if __name__ == "__main__":
    if sys.argv[1:] == ["fastmcp"]:
        from fastmcp import FastMCP

        fast = FastMCP("users")
        fast.tool(find_users)
        fast.run(show_banner=False)
    else:
        from mcp.server.mcpserver import MCPServer

        server = MCPServer("users")
        server.tool()(find_users)
        server.run()
