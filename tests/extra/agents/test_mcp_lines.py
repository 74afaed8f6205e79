"""Test the commands of docs/guides/mcp.md that add the proxy to agents, with the agents."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.extra.agents.agents import PROGRAMS
from tests.mcp_proxy.test_served import KITCHEN, PROXY, ROOT

pytestmark = pytest.mark.agents
PATH = os.pathsep.join([*map(str, PROGRAMS), os.environ["PATH"]])
WAIT_MS = "240000"


def run_program(home: Path, *words: str) -> str:
    """Run a program in an empty home folder, and return its output."""
    around = {**os.environ, "HOME": str(home), "PATH": PATH, "XDG_STATE_HOME": str(home)}
    around |= {"PYTHONPATH": str(ROOT), "MCP_TIMEOUT": WAIT_MS}
    process = subprocess.run(
        words, cwd=home, env=around, check=True, capture_output=True, text=True, timeout=300
    )
    return process.stdout


def test_claude(tmp_path: Path) -> None:
    """Claude Code connects to the proxy, added by its own command and by `install`."""
    add = ["claude", "mcp", "add", "-s", "user", "kitchen", "-e", f"PYTHONPATH={ROOT}", "--"]
    run_program(tmp_path, *add, *PROXY, "--", *KITCHEN)
    assert "Connected" in run_program(tmp_path, "claude", "mcp", "list")
    install = [*PROXY, "install", "claude", "--yes"]
    run_program(tmp_path, *install, "--undo")
    assert "mcp-proxy" not in (tmp_path / ".claude.json").read_text("utf-8")
    run_program(tmp_path, *install)
    listed = run_program(tmp_path, "claude", "mcp", "list")
    assert "mcp-proxy --env PYTHONPATH --" in listed
    assert "Connected" in listed


def test_codex(tmp_path: Path) -> None:
    """Codex lists the proxy, and `install --undo` removes it."""
    run_program(tmp_path, "codex", "mcp", "add", "kitchen", "--", *PROXY, "--", *KITCHEN)
    assert "lton mcp-proxy --" in run_program(tmp_path, "codex", "mcp", "list")
    run_program(tmp_path, *PROXY, "install", "codex", "--yes", "--undo")
    assert "mcp-proxy" not in run_program(tmp_path, "codex", "mcp", "list")
