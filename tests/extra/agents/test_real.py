"""Test an agent of OpenAI's SDK with the gateway, native calls and a real model."""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from lton_bench.demo import start_server
from lton_bench.study.servers.gateway_templates import CHATML
from tests.extra.agents import loops
from tests.extra.agents.agents import prepare
from tests.extra.agents.runs import read_figures, serving

FILES = ["people.json", "notes.txt"]
SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string", "enum": FILES}},
    "required": ["path"],
}


@pytest.fixture
def llama() -> Iterator[str]:
    server = start_server(context=2048, template=CHATML)
    yield server.listening_address
    del server  # which ends it


def wait_for_requests(gateway: str, expected: int) -> float:
    """Return the requests of a gateway, which counts a stream that the client left a little later.

    The client leaves the stream of an answer that was cut.
    """
    deadline = time.monotonic() + 10
    while (found := read_figures(gateway)["requests"]) < expected and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def test_a_model_calls_and_the_tool_runs_once(
    llama: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SmolLM2 must call the tool; it may choose any file name, and the tool runs once."""
    prepare(tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    import openai  # which the daily tests have not

    ran: list[str] = []

    def read(path: str) -> str:
        ran.append(path)
        return Path(path).read_text()

    monkeypatch.setattr(loops, "_RUN", {"read_file": read})
    monkeypatch.setattr(loops, "_TOOLS", [("read_file", "Read a file.", SCHEMA)])
    with serving(llama, "--calls", "native") as gateway:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{gateway}/v1")
        with suppress(openai.LengthFinishReasonError):  # what it says in the end may have none
            more: Any = {"parallel_tool_calls": False, "max_tokens": 40, "temperature": 0}
            loops.chat("Read people.json.", "required", "none", **more)
        requests = wait_for_requests(gateway, 2)

    (path,) = ran
    assert path in FILES
    assert requests == 2
