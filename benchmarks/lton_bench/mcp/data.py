"""The recorded tools of 24 MCP servers, and the ways in which the proxy shows them."""

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lton._json import minified
from lton.mcp_proxy.catalogue import ProxySettings

FOLDER = Path(__file__).parent


def servers() -> dict[str, list[dict[str, Any]]]:
    """Return the recorded tools of each server."""
    files = sorted(FOLDER.glob("*.json"))
    return {file.stem: json.loads(file.read_text("utf-8"))["tools"] for file in files}


def definitions(tools: Sequence[dict[str, Any]]) -> str:
    """Return what a model is shown of tools, as clients have it: JSON, minified."""
    keys = {"name": "name", "description": "description", "inputSchema": "parameters"}
    return minified([{keys[key]: tool[key] for key in keys if key in tool} for tool in tools])


MODES: dict[str, ProxySettings | None] = {
    "JSON, and `pass`": None,
    "`line`": ProxySettings(),
    "`line --show budget=2000`": ProxySettings(budget=2000),
    "`line --show names`": ProxySettings(budget=0),
    "`tools`": ProxySettings(mode="tools"),
    "`tools --show names`": ProxySettings(mode="tools", budget=0),
    "`search`": ProxySettings(mode="search"),
}


class Question(NamedTuple):
    """What somebody wants, and the tools of which each is right, as `server/tool`."""

    text: str
    tools: tuple[str, ...]


def questions(some: Collection[str] = ()) -> list[Question]:
    """Return the questions about some servers or all; every second one is unseen."""
    lines = (FOLDER / "questions.tsv").read_text("utf-8").splitlines()
    fields = (line.split("\t") for line in lines)
    return [
        Question(text, tuple(tools.split(",")))
        for tools, text in fields
        if not some or tools.partition("/")[0] in some
    ]


def as_one(some: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return recorded tools of some servers or all, with the server's name before each name."""
    return [
        {**tool, "name": joined(f"{server}/{tool['name']}")}
        for server, tools in servers().items()
        if not some or server in some
        for tool in tools
    ]


def joined(tool: str) -> str:
    """Return the name that a tool of a server has in `as_one`."""
    return tool.replace("/", "_")
