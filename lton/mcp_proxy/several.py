"""Serve several MCP servers as one server, with the library fastmcp.

    python -m lton.mcp_proxy.several mcp.json

The configuration is a client's file (`mcpServers`, or `servers` in VS Code). Names of tools and
prompts begin with the name of their server, in which `_` replaces invalid characters. If a server
fails, standard error reports this, and the other servers continue.
"""

import logging
import re
import sys
from collections.abc import Iterable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lton._json import fault_of
from lton._require import missing_extra, require
from lton._terminal import say
from lton.errors import Code, LTONError
from lton.mcp_proxy.jsonc import read_jsonc

_LIBRARY = "fastmcp-slim[server]>=4.2,<5"


def main(file: str) -> None:
    """Serve the servers in a configuration file over standard input and output."""
    proxies = require("fastmcp.server.providers.proxy", _LIBRARY)
    read_entries = require("fastmcp.mcp_config", _LIBRARY).MCPConfig
    logging.disable(logging.CRITICAL)  # hides the library's tracebacks
    whole = require("fastmcp", _LIBRARY).FastMCP("lton")
    prefixes: set[str] = set()
    entries = read_configuration(file)
    for name, entry in entries.items():
        space = name_prefix(name, entries)
        try:
            server = read_entries(mcpServers={name: entry}).mcpServers[name]
        except ValueError:  # raised by pydantic
            _report_left_out(name, "its entry is invalid, or has neither a command nor a URL")
            continue
        if entry.get("disabled") is True:
            _report_left_out(name, "it is disabled")
            continue
        if space in prefixes:
            _report_left_out(name, "another server has the same name")
            continue
        prefixes.add(space)
        client = proxies.StatefulProxyClient(server.to_transport())
        connected = partial(_connect_server, name, client, set())
        whole.mount(proxies.FastMCPProxy(client_factory=connected), namespace=space)
    whole.run("stdio", show_banner=False)


def read_configuration(file: str) -> dict[str, Any]:
    """Read the servers in a configuration file. Raises `LTONError` if they cannot be served."""
    try:
        document = read_jsonc(Path(file).read_text("utf-8"))
    except ValueError as error:
        raise LTONError(Code.SYNTAX, f"{file}: {fault_of(error)}") from error
    if find_spec("fastmcp") is None:
        raise missing_extra("fastmcp", _LIBRARY)
    match document:
        case {"mcpServers": dict(servers)} | {"servers": dict(servers)} if servers:
            return servers
    raise LTONError(Code.SYNTAX, f"{file}: expected an object with mcpServers")


def name_prefix(name: str, names: Iterable[str]) -> str:
    """Return the prefix for the names of a server's tools. Prefixes of servers must differ."""
    plain = {server: re.sub("[^A-Za-z0-9_.-]", "_", server) for server in names}
    space = plain[name]
    is_longer = any(space.startswith(f"{other}_") for other in plain.values())
    return space.replace("_", "-") if is_longer else space


def _report_left_out(name: str, reason: str) -> None:
    say(f"the server {name!r} is left out: {reason}")


async def _connect_server(name: str, client: Any, outcomes: set[str]) -> Any:
    # The tools are listed once, because the library silently drops a list that it cannot read.
    session = client.new_stateful()
    try:
        async with session:
            if "listed" not in outcomes and session.server_capabilities.tools:
                await session.list_tools()
            outcomes.add("listed")
            return session
    except Exception as error:
        if "failed" not in outcomes:
            _report_left_out(name, str(error).partition("\n")[0])
        outcomes.add("failed")
        raise


if __name__ == "__main__":
    main(sys.argv[1])
