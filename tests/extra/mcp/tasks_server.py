"""A server with the extension for tasks (SEP-2663), built with `fastmcp-tasks`.

It has the tools that MCP's conformance suite needs, and a tool whose result is a table.
"""

import asyncio
import sys
from typing import Any

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.utilities.tasks import TaskConfig
from fastmcp_tasks import TasksExtension
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult


async def greet(name: str) -> str:
    """Say hello."""
    return f"Hello, {name}!"


async def slow_compute(seconds: float, label: str = "") -> str:
    """Take time."""
    await asyncio.sleep(seconds)
    return f"{label} took {seconds:g} s"


async def forecast(city: str) -> list[dict[str, str | int]]:
    """Get the weather of some days."""
    return [{"day": day, "city": city, "sky": "cloudy"} for day in range(4)]


async def failing_job() -> str:
    """Fail."""
    raise ToolError("it fails")


async def protocol_error_job() -> str:
    """Fail in the protocol."""
    raise MCPError(-32603, "it is broken")


async def confirm_delete(filename: str, ctx: Context) -> InputRequiredResult | str:
    """Ask before it is done."""
    return build_question(ctx, "confirm") or f"deleted {filename}"


async def multi_input(ctx: Context) -> InputRequiredResult | str:
    """Ask two things."""
    return build_question(ctx, "one", "two") or "done"


def build_question(ctx: Context, *names: str) -> InputRequiredResult | None:
    """Return a question for each name that is not answered yet."""
    responses = ctx.input_responses or {}
    missing = [name for name in names if not isinstance(responses.get(name), ElicitResult)]
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}}
    questions: dict[str, Any] = {
        name: ElicitRequest(
            params=ElicitRequestFormParams(message=f"{name}?", requested_schema=schema)
        )
        for name in missing
    }
    return InputRequiredResult(input_requests=questions) if missing else None


server = FastMCP("tasks")
server.add_extension(TasksExtension())
server.tool(greet)
server.tool(failing_job, task=TaskConfig(mode="required"))
for job in (slow_compute, forecast, protocol_error_job, confirm_delete, multi_input):
    server.tool(job, task=True)

if __name__ == "__main__":
    server.run("http", port=int(sys.argv[1]), path="/mcp", show_banner=False, stateless_http=True)
