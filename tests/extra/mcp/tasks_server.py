"""A server of the extension of tasks (SEP-2663), built with `fastmcp-tasks`.

Its tools are those that MCP's conformance suite asks for, and one whose result is a table.
"""

import asyncio
import sys

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.utilities.tasks import TaskConfig
from fastmcp_tasks import TasksExtension
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

server = FastMCP("tasks")
server.add_extension(TasksExtension())


@server.tool
async def greet(name: str) -> str:
    """Say hello."""
    return f"Hello, {name}!"


@server.tool(task=True)
async def slow_compute(seconds: float, label: str = "") -> str:
    """Take time."""
    await asyncio.sleep(seconds)
    return f"{label} took {seconds:g} s"


@server.tool(task=True)
async def forecast(city: str) -> list[dict[str, str | int]]:
    """Get the weather of some days."""
    return [{"day": day, "city": city, "sky": "cloudy"} for day in range(4)]


@server.tool(task=TaskConfig(mode="required"))
async def failing_job() -> str:
    """Fail."""
    raise ToolError("it fails")


@server.tool(task=True)
async def protocol_error_job() -> str:
    """Fail in the protocol."""
    raise MCPError(-32603, "it is broken")


@server.tool(task=True)
async def confirm_delete(filename: str, ctx: Context) -> InputRequiredResult | str:
    """Ask before it is done."""
    return asked(ctx, "confirm") or f"deleted {filename}"


@server.tool(task=True)
async def multi_input(ctx: Context) -> InputRequiredResult | str:
    """Ask two things."""
    return asked(ctx, "one", "two") or "done"


def asked(ctx: Context, *names: str) -> InputRequiredResult | None:
    """Get a question for each name that is not answered yet."""
    given = ctx.input_responses or {}
    missing = [name for name in names if not isinstance(given.get(name), ElicitResult)]
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}}
    questions = {
        name: ElicitRequest(
            params=ElicitRequestFormParams(message=f"{name}?", requested_schema=schema)
        )
        for name in missing
    }
    return InputRequiredResult(input_requests=questions) if missing else None


if __name__ == "__main__":
    server.run("http", port=int(sys.argv[1]), path="/mcp", show_banner=False, stateless_http=True)
