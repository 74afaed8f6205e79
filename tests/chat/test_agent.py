"""The agent of the README, with a real llama.cpp server and SmolLM2 (`make test-servers`)."""

import json
from contextlib import redirect_stdout
from io import StringIO
from typing import Any, Literal

import pytest

import lton
from lton.demo import start_server
from tests.test_documents import FENCED, NEEDS_SERVER, README

pytestmark = pytest.mark.server


def test_the_agent_of_the_readme_calls_its_tool_and_answers() -> None:
    """It is short, and prints what stands below it; the model's last words may be others."""
    found = FENCED.findall(README)
    at = next(at for at, (_, code) in enumerate(found) if NEEDS_SERVER in code)
    code, expected = found[at][1], found[at + 1][1]
    assert len(code.splitlines()) <= 30
    server: Any = start_server(2048)
    here = code.replace(NEEDS_SERVER, server.listening_address)
    with redirect_stdout(StringIO()) as output:
        exec(here, {"lton": lton, "json": json, "Literal": Literal})
    said = output.getvalue().splitlines()
    assert said[:3] == expected.splitlines()[:3]
    assert said[3:]
