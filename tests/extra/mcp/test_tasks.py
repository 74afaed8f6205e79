"""Test calls that become tasks on a client's request, through the proxy (`make test-mcp`).

Both sides are the SDK for TypeScript.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.extra.mcp.test_conformance import MODULES, NODE
from tests.mcp_proxy.test_served import PROXY, ROOT, STATE

pytestmark = pytest.mark.mcp
HERE = Path(__file__).parent
SDK = [str(NODE), str(HERE / "tasks.mjs")]
EVERYTHING = MODULES / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"
TABLE = "[4(day city sky)\n0 Rome cloudy\n1 Rome cloudy\n2 Rome cloudy\n3 Rome cloudy]"


def asked(tool: str, arguments: dict[str, Any], *command: str) -> dict[str, Any]:
    """Call a tool as a task by the SDK's client; get what it heard."""
    around = {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": STATE, "MODULES": str(MODULES)}
    words = [*SDK, "ask", tool, json.dumps(arguments), *command]
    env = {**os.environ, **around}
    done = subprocess.run(words, check=True, capture_output=True, text=True, env=env)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


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
    """A task is made, listed, asked for and cancelled; its result is in LTON."""
    proxy = [*PROXY, "--mode", mode, "--env", "MODULES", "--", *SDK, "serve"]
    found = asked("forecast_required", {}, *proxy)
    assert sorted(name for name, _ in found["tools"]) == sorted(tools)
    kinds = [execution["taskSupport"] for _, execution in found["tools"] if execution]
    assert len(kinds) == sum(name.startswith("forecast") for name in tools)
    assert (found["said"][0], found["said"][-1]) == ("taskCreated", "result")
    assert found["result"]["content"][0]["text"] == TABLE
    assert "io.modelcontextprotocol/related-task" in found["result"]["_meta"]
    assert (found["heard"][0], found["listed"][0]) == ("completed", "completed")
    assert found["cancelled"] == "cancelled"


def test_a_task_asks_its_client() -> None:
    """The published server asks the user, while the client waits for the result."""
    given = {"topic": "python", "ambiguous": True}
    proxy = [*PROXY, "--", str(NODE), str(EVERYTHING), "stdio"]
    found = asked("simulate-research-query", given, *proxy)
    assert len(found["questions"]) == 1
    assert "**Clarification**: snake" in found["result"]["content"][0]["text"]
