"""Read the recorded tools of 24 MCP servers, and show them as the proxy does."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lton.mcp_proxy.catalogue import ProxySettings
from lton_bench.internals import minified

FOLDER = Path(__file__).parent


def servers() -> dict[str, list[dict[str, Any]]]:
    """Return the recorded tools of each server."""
    files = sorted(FOLDER.glob("*.json"))
    return {file.stem: json.loads(file.read_text("utf-8"))["tools"] for file in files}


def definitions(tools: Sequence[dict[str, Any]]) -> str:
    """Return definitions of tools as clients show them to models, in minified JSON."""
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
