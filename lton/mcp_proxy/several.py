"""Several MCP servers as one, by the library fastmcp: the program that the proxy starts for them.

    python -m lton.mcp_proxy.several mcp.json

It reads the file that clients have (`mcpServers`). Names of tools and prompts begin with the name
of their server. A server that cannot be reached is named on standard error; the others serve.
"""

import json
import logging
import sys
from functools import partial
from pathlib import Path
from typing import Any

from lton._require import require
from lton._terminal import say


def main(file: str) -> None:
    """Serve over standard input and output."""
    proxies = require("fastmcp.server.providers.proxy", "fastmcp-slim[server]>=4.2,<5")
    config = require("fastmcp.mcp_config", "fastmcp-slim[server]>=4.2,<5").MCPConfig
    servers = config(**json.loads(Path(file).read_text("utf-8"))).mcpServers
    logging.disable(logging.CRITICAL)  # its pictures of traces are no news
    whole = require("fastmcp", "fastmcp-slim[server]>=4.2,<5").FastMCP("lton")
    for name, server in servers.items():
        client = proxies.StatefulProxyClient(server.to_transport())
        connected = partial(_connected, name, client, set())
        whole.mount(proxies.FastMCPProxy(client_factory=connected), namespace=name)
    whole.run("stdio", show_banner=False)


async def _connected(name: str, client: Any, failed: set[str]) -> Any:
    """Get a connection, which is kept for the session."""
    session = client.new_stateful()
    try:
        async with session:
            return session
    except Exception as error:
        if name not in failed:
            say(f"the server {name!r} cannot be reached: {error}")
        failed.add(name)
        raise


if __name__ == "__main__":
    main(sys.argv[1])
