"""Test a tool with `@lton.results.mcp` with the official inspector."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.extra.mcp.test_published import INSPECTOR, NODE
from tests.mcp_proxy.test_served import ROOT

SERVER = Path(__file__).with_name("results_server.py")


@pytest.mark.parametrize("library", ["mcp", "fastmcp"])
def test_the_text_is_shorter_and_the_data_stay(library: str) -> None:
    """Both libraries send the short text, and structured content that fits the schema."""
    server = [sys.executable, str(SERVER), library]
    command = [str(NODE), str(INSPECTOR), "--cli", "-e", f"PYTHONPATH={ROOT}", *server]
    words = ["--method", "tools/call", "--tool-name", "find_users"]
    process = subprocess.run([*command, *words], check=True, capture_output=True, text=True)
    result = json.loads(process.stdout)
    data = {"users": [{"name": "Ada", "id": 1}, {"name": "Bo Li", "id": 2}], "more": False}
    assert result["structuredContent"] == data
    assert [block["text"] for block in result["content"]] == [
        '{users [2(name id)\nAda 1\n"Bo Li",2] more false}'
    ]
