"""The definitions of MCP servers: all tools of a server at once."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lton.errors import Code, MissingExtraError
from lton_bench.tokens.pieces import Definition, Shown

NAME = "Definitions: MCP servers"
ABOUT = (
    "All tools of each of 24 MCP servers, as the server lists them (`benchmarks/lton_bench/mcp`;"
    " MIT and Apache-2.0, versions in the files), in the format of OpenAI's chat API."
)

_FOLDER = Path(__file__).parents[2] / "mcp"


def load() -> Iterator[Shown]:
    """Yield the tools of each recorded server."""
    files = sorted(_FOLDER.glob("*.json"))
    if not files:
        hint = "run it in a checkout of the repository"
        raise MissingExtraError(Code.EXTRA, f"no recorded servers in {_FOLDER}", hint=hint)
    for file in files:
        yield Shown(tuple(map(_definition, json.loads(file.read_text("utf-8"))["tools"])))


def _definition(tool: dict[str, Any]) -> Definition:
    function = {
        "name": tool["name"],
        "description": tool.get("description", ""),
        "parameters": tool["inputSchema"],
    }
    return {"type": "function", "function": function}
