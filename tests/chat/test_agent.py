"""Test the agents of tutorial.md and agent.md, with a real llama.cpp server (`test-servers`)."""

import re
from pathlib import Path
from typing import Any

import pytest

from lton_bench.demo import start_server
from tests.examples import blocks_of, ran
from tests.test_documents import ROOT

pytestmark = [
    pytest.mark.server,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
ADDRESS = "http://127.0.0.1:8080"


def but_last_words(page: str) -> str:
    """Return a page without its last line, which the model writes and which varies."""
    block = next(block for block in blocks_of(page) if "[Call(name='weather'" in block.text)
    question, call, result, *words = block.text.splitlines(keepends=True)
    assert words
    return f"{page[: block.start]}{question}{call}{result}{page[block.end :]}"


def test_the_tutorial_prints_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tutorial, which starts its own server, prints what it says."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/tutorial.md").read_text("utf-8")
    assert but_last_words(ran(page, server=True)) == but_last_words(page)


def test_the_agent_of_the_guide_calls_its_tool_and_answers() -> None:
    """The agent of the guide calls its tool, answers, and prints the text below the program."""
    page = (ROOT / "docs/guides/agent.md").read_text("utf-8")
    (agent,) = (block for block in blocks_of(page) if block.needs_server)
    assert len(agent.text.splitlines()) <= 30
    server: Any = start_server(2048)
    came_out = ran(page.replace(ADDRESS, server.listening_address), server=True)
    came_out = re.sub(r"http://127\.0\.0\.1:\d+", ADDRESS, came_out)
    assert but_last_words(came_out) == but_last_words(page)
