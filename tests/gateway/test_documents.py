"""Test the gateway's commands in README.md and gateway.md, with a real server (`make test-
gateway`).
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from lton_bench.demo import start_server
from tests.examples import blocks_of, commands
from tests.gateway.agents import CHAT, LIMIT, MODEL
from tests.test_documents import ROOT

pytestmark = [pytest.mark.server, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    pytest.importorskip("xllamacpp")
    server = start_server(context=2048)
    yield server.listening_address
    del server  # which ends it


@pytest.mark.parametrize("path", ["README.md", "docs/guides/gateway.md"])
def test_the_commands_serve_an_agent(path: str, llama: str) -> None:
    """The page's commands start a gateway that serves an agent, and the page names its address."""
    page = (ROOT / path).read_text("utf-8")
    (block,) = (
        block for block in blocks_of(page) if block.needs_server and block.kind == "console"
    )
    (serve,) = (command for command in commands(block.text) if command.startswith("lton "))
    assert re.search(r"pip install '(\.|lton)\[apps\]'", page)
    assert "\n$ export OPENAI_BASE_URL=http://127.0.0.1:8000/v1\n" in page
    command = serve.replace("http://127.0.0.1:8080", llama).replace("--port 8000", "--port 0")
    assert command.startswith(f"lton serve --upstream {llama} ")
    with served([sys.executable, "-m", *shlex.split(command)]) as address:
        body: dict[str, Any] = {
            "model": MODEL,
            "messages": [{"role": "user", "content": "What is the weather in Oslo?"}],
            "tools": CHAT,
            "tool_choice": "required",
            "max_tokens": LIMIT,
        }
        reply = httpx2.post(f"{address}/v1/chat/completions", json=body, timeout=120).json()
    # So small a model may write a value up to the limit, which cuts its call.
    assert reply["choices"][0]["finish_reason"] in ("tool_calls", "length"), reply


@contextmanager
def served(command: list[str]) -> Iterator[str]:
    """Return the address at which a command listens."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    try:
        yield child.stdout.readline().strip()
    finally:
        child.kill()
        child.communicate()
