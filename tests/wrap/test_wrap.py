"""Test that `lton wrap` runs an agent behind the gateway, and returns its exit status."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lton._terminal import UsageError
from lton.wrap.agents import AGENTS, manual_setup
from tests.gateway.native import Raw, stream

ADDRESS = "http://127.0.0.1:8000"
AGENT = """\
#!{python}
import json, os, sys, time, urllib.request
if "wait" in sys.argv:
    print("waiting", flush=True)
    time.sleep(60)
said = [{{"role": "user", "content": "Hi"}}]
body = json.dumps({{"model": "m", "stream": True, "messages": said}})
request = urllib.request.Request(
    os.environ["OPENAI_BASE_URL"] + "/chat/completions",
    body.encode(),
    {{"content-type": "application/json", "authorization": "Bearer k"}},
)
print(urllib.request.urlopen(request).read().decode(), sys.argv[1:])
sys.exit(7)
"""


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Return the user's environment, with a program that sends requests like qwen-code."""
    program = tmp_path / "qwen"
    program.write_text(AGENT.format(python=sys.executable))
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}


@pytest.fixture
def server() -> Iterator[tuple[Raw, str]]:
    from tests.gateway.conftest import Served

    raw = Raw()
    served = Served(raw.app)
    yield raw, served.url
    served.close()


def test_an_agent_asks_the_gateway(server: tuple[Raw, str], environ: dict[str, str]) -> None:
    raw, url = server
    raw.chunks = stream("chat", "Hello.")
    command = [sys.executable, "-m", "lton", "wrap", "--upstream", url]

    process = subprocess.run(
        [*command, "qwen", "--", "-p", "say hi"],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )

    assert process.returncode == 7
    assert "[DONE]" in process.stdout
    assert "['-p', 'say hi']" in process.stdout
    assert "1 request of qwen: " in process.stderr
    assert "estimated by o200k: 9, and 9 as qwen asked (+0.0 %)" in process.stderr


def test_a_signal_ends_the_agent(server: tuple[Raw, str], environ: dict[str, str]) -> None:
    _, url = server
    command = [sys.executable, "-m", "lton", "wrap", "--upstream", url]
    with subprocess.Popen([*command, "qwen", "wait"], env=environ, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"waiting\n"
        child.send_signal(signal.SIGTERM)
        assert child.wait(30) == 128 + signal.SIGTERM


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no-such-agent"], "lton serve --upstream URL"),
        (["aider"], "is not installed"),
        (["opencode", "-m", "own/m"], "lton wrap --upstream URL opencode"),
        (["--upstream", "notaurl", "aider"], "--upstream: expected a URL"),
        (["claude", "--lean"], "lton wrap --lean claude"),
    ],
)
def test_what_cannot_be_wrapped(tmp_path: Path, arguments: list[str], words: str) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "lton", "wrap", *arguments],
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    assert words in process.stderr


@pytest.mark.parametrize("name", AGENTS)
def test_each_agent_is_led_to_the_gateway(name: str) -> None:
    wrapped = AGENTS[name](ADDRESS, [], {"OPENAI_API_KEY": "k"})
    settings = [*wrapped.arguments, *wrapped.variables.values()]
    assert any(ADDRESS in setting for setting in settings)
    assert wrapped.upstream.startswith("https://")


def test_an_agent_asks_what_it_asked_before() -> None:
    own = {"ANTHROPIC_BASE_URL": "http://a", "ENABLE_TOOL_SEARCH": "false"}
    wrapped = AGENTS["claude"](ADDRESS, [], own)
    assert wrapped.upstream == "http://a"
    assert wrapped.variables["ENABLE_TOOL_SEARCH"] == "false"
    options = {"baseURL": "http://b", "apiKey": "k"}
    config = {"model": "x/m", "provider": {"x": {"options": options}}}
    environment = {"OPENCODE_CONFIG_CONTENT": json.dumps(config)}
    wrapped = AGENTS["opencode"](ADDRESS, ["run", "--model=x/m"], environment)
    assert (wrapped.upstream, wrapped.api) == ("http://b", "chat")
    config_written = json.loads(wrapped.variables["OPENCODE_CONFIG_CONTENT"])
    options = {"baseURL": f"{ADDRESS}/v1", "apiKey": "k"}
    assert config_written == {"model": "x/m", "provider": {"x": {"options": options}}}


def test_what_nobody_knows_is_asked_for() -> None:
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        AGENTS["codex"](ADDRESS, [], {})
    with pytest.raises(UsageError, match="expected a JSON object"):
        AGENTS["opencode"](ADDRESS, [], {"OPENCODE_CONFIG_CONTENT": "[]"})
    assert AGENTS["opencode"](ADDRESS, ["-m", "own/m"], {}).upstream == ""
    assert "'x'" in manual_setup("x")


@pytest.mark.parametrize(
    ("upstream", "is_own"),
    [
        ("https://api.anthropic.com", True),
        ("https://eu.api.anthropic.com/", True),
        ("https://anthropic.com.example", False),
        ("http://127.0.0.1:9", False),
    ],
)
def test_claude_code_is_told_whose_api_it_asks_in_the_end(upstream: str, is_own: bool) -> None:
    """For Anthropic's own API, Claude Code caches its system prompt as without LTON."""
    variable = "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL"
    variables = AGENTS["claude"](ADDRESS, [], {"ANTHROPIC_BASE_URL": upstream}).variables
    assert variables.get(variable) == ("1" if is_own else None)
    agent_variables = AGENTS["claude"](ADDRESS, [], {variable: "0"}).variables
    assert agent_variables[variable] == "0"


def test_another_upstream_is_not_anthropics_own(tmp_path: Path) -> None:
    """If `--upstream` names another API, Claude Code is not told that it uses Anthropic's."""
    program = tmp_path / "claude"
    program.write_text(f"#!{sys.executable}\nimport os\nprint(sorted(os.environ))\n")
    program.chmod(0o755)
    environ = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    environ.pop("ANTHROPIC_BASE_URL", None)
    command = [sys.executable, "-m", "lton", "wrap"]
    for upstream, is_own in (("http://127.0.0.1:9", False), ("https://api.anthropic.com", True)):
        process = subprocess.run(
            [*command, "--upstream", upstream, "claude"],
            env=environ,
            capture_output=True,
            text=True,
            check=True,
        )
        assert ("_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL" in process.stdout) == is_own
