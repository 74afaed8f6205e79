"""Test calls that become tasks, through the proxy, in both versions of MCP (`make test-mcp`).

With 2025-11-25 the client asks for a task, and both sides are the SDK for TypeScript. With
2026-07-28 a server built with `fastmcp-tasks` creates tasks, by an extension.
"""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.extra.mcp.test_conformance import MODULES, NODE, SUITE, free_port, wait_for
from tests.mcp_proxy.test_served import PROXY, ROOT, STATE, serving, stateless

pytestmark = pytest.mark.mcp
HERE = Path(__file__).parent
SDK = [str(NODE), str(HERE / "tasks.mjs")]
EVERYTHING = MODULES / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"
TABLE = "[4(day city sky)\n0 Rome cloudy\n1 Rome cloudy\n2 Rome cloudy\n3 Rome cloudy]"
CAPABLE: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
SCENARIOS = ("lifecycle", "capability-negotiation", "mrtr-input", "request-headers")
SHOWN = re.compile(r"Passed: (\d+)/(\d+), 0 failed")


def call_as_task(tool: str, arguments: dict[str, Any], *command: str) -> dict[str, Any]:
    """Call a tool as a task with the SDK's client, and return the messages that it received."""
    around = {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": STATE, "MODULES": str(MODULES)}
    words = [*SDK, "ask", tool, json.dumps(arguments), *command]
    env = {**os.environ, **around}
    process = subprocess.run(words, check=True, capture_output=True, text=True, env=env)
    record: dict[str, Any] = json.loads(process.stdout)
    return record


@pytest.mark.parametrize(
    ("mode", "tools"),
    [
        ("pass", ["forecast_optional", "forecast_required"]),
        ("tools", ["forecast_required", "forecast_optional"]),
        ("line", ["call", "forecast_required"]),
        ("search", ["search", "call", "forecast_required"]),
    ],
)
def test_a_client_asks_for_a_task(mode: str, tools: list[str]) -> None:
    """A task is created, listed, requested and cancelled, and its result is in LTON."""
    proxy = [*PROXY, "--mode", mode, "--env", "MODULES", "--", *SDK, "serve"]
    record = call_as_task("forecast_required", {}, *proxy)
    assert sorted(name for name, _ in record["tools"]) == sorted(tools)
    kinds = [execution["taskSupport"] for _, execution in record["tools"] if execution]
    assert len(kinds) == sum(name.startswith("forecast") for name in tools)
    assert (record["said"][0], record["said"][-1]) == ("taskCreated", "result")
    assert record["result"]["content"][0]["text"] == TABLE
    assert "io.modelcontextprotocol/related-task" in record["result"]["_meta"]
    assert (record["heard"][0], record["listed"][0]) == ("completed", "completed")
    assert record["cancelled"] == "cancelled"


def test_a_task_asks_its_client() -> None:
    """The server asks the user while the client waits for the result."""
    arguments = {"topic": "python", "ambiguous": True}
    proxy = [*PROXY, "--", str(NODE), str(EVERYTHING), "stdio"]
    record = call_as_task("simulate-research-query", arguments, *proxy)
    assert len(record["questions"]) == 1
    assert "**Clarification**: snake" in record["result"]["content"][0]["text"]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Start the server that creates tasks itself, and yield its address."""
    with free_port() as port:
        pass
    command = [sys.executable, str(HERE / "tasks_server.py"), str(port)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        wait_for(port)
        yield f"http://127.0.0.1:{port}/mcp"
        process.terminate()


@cache
def count_passes(url: str, scenario: str) -> int:
    """Return how many checks of a scenario of the conformance suite pass; none may fail."""
    command = [str(NODE), str(SUITE), "server", "--scenario", f"tasks-{scenario}", "--url", url]
    process = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    match = SHOWN.search(process.stdout)
    assert match, process.stdout
    return int(match[1])


@pytest.mark.parametrize("mode", ["pass", "line"])
def test_conformance(server: str, mode: str) -> None:
    """All checks that the server itself passes also pass: results in tasks, questions, and
    headers.
    """
    direct = [count_passes(server, scenario) for scenario in SCENARIOS]
    assert sum(direct) >= 20
    with serving("--mode", mode, server) as url:
        assert [count_passes(url, scenario) for scenario in SCENARIOS] == direct


def test_a_server_makes_a_task_of_a_line(server: str) -> None:
    """A call as a line becomes a task with an unchanged result, and a wrong header is refused."""
    import httpx2

    def posted(method: str, header: str, **params: Any) -> Any:
        request = stateless(method, **params)
        key = "io.modelcontextprotocol/clientCapabilities"
        request["json"]["params"]["_meta"][key] = CAPABLE
        request["headers"]["mcp-name"] = header
        return http.post(url, **request).json()

    with serving(server) as url, httpx2.Client(timeout=60) as http:
        line = {"name": "call", "arguments": {"line": "forecast Rome"}}
        task = posted("tools/call", "call", **line)["result"]
        assert task["resultType"] == "task"
        number = task["taskId"]
        refused = posted("tasks/get", "other", taskId=number)
        assert refused["error"]["code"] == -32020
        for _ in range(100):
            posted_task = posted("tasks/get", number, taskId=number)["result"]
            if posted_task["status"] == "completed":
                break
            time.sleep(0.1)
        (block,) = posted_task["result"]["content"]
        assert [row["city"] for row in json.loads(block["text"])] == ["Rome"] * 4
