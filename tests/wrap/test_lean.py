"""Test the report of `lton wrap` on tools that nobody calls, and `--lean`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lton.cost.trial import CLAUDE_TOOLS, uncalled_tools
from lton.gateway.bills import MOST_TOOLS, DefinitionUse
from lton.gateway.metrics import Metrics
from lton.gateway.native.long_results import ResultFolder
from lton.wrap.report import report, report_uncalled
from tests.gateway.native import Raw, stream
from tests.wrap.test_wrap import environ, server  # noqa: F401 - fixtures

TOOLS = {"Bash": 645, "Read": 394, "Workflow": 4909, "Skill": 466, "Agent": 546}


def use(*calls: str) -> DefinitionUse:
    found = DefinitionUse()
    for price in (1.25, 0.1, 0.1):
        found.add(TOOLS, calls, price)
    found.add({}, [], 1.25)  # a request without tools says nothing
    return found


@pytest.mark.parametrize(
    ("agent", "calls", "said"),
    [
        (
            "claude",
            ["Agent"],
            [
                "tools that were never called: Workflow, Skill (5,375 tokens in each request,"
                " 7,794 billed)",
                "to omit them next time: claude --disallowedTools=Workflow,Skill",
            ],
        ),
        ("claude", ["Agent", "Workflow"], []),
        (
            "qwen",
            ["Agent", "Skill"],
            [
                "tools that were never called: Workflow (4,909 tokens in each request,"
                " 7,118 billed)",
                "to omit them next time: qwen --exclude-tools=Workflow",
            ],
        ),
        ("aider", [], []),
    ],
)
def test_what_nobody_called_is_named_with_its_cost(
    agent: str, calls: list[str], said: list[str]
) -> None:
    """Unused tools are listed with their cost, except for tools for files and commands, and cheap
    ones.
    """
    assert list(report_uncalled(use(*calls), agent)) == said


def test_a_tool_that_some_requests_have_is_not_named() -> None:
    """A tool that only some requests define is not listed, because it was loaded for a part of the
    work.
    """
    found = use()
    found.add({"Bash": 645}, [], 0.1)
    assert found.count_uncalled() == {"Bash": 645}
    found.add({f"t{n}": 1 for n in range(MOST_TOOLS + 9)}, [], 0.1)
    assert len(found.sent) == MOST_TOOLS


def sessions(home: Path, folder: Path, *calls: str) -> None:
    """Write session files as Claude Code does, one for each call."""
    name = str(folder).replace("/", "-").replace("_", "-").replace(".", "-")
    place = home / "projects" / name
    place.mkdir(parents=True, exist_ok=True)
    for number, call in enumerate(calls):
        used = {"type": "tool_use", "id": "toolu_1", "name": call, "input": {"x": '"name":"Agent"'}}
        line = {"type": "assistant", "message": {"content": [used]}}
        file = place / f"{number}.jsonl"
        file.write_text(json.dumps(line, separators=(",", ":")) + "\n")
        os.utime(file, (number, number))


@pytest.mark.parametrize(
    ("calls", "names"),
    [
        (["Bash"] * 2, []),
        (["Bash"] * 3, [*CLAUDE_TOOLS]),
        (["Bash", "Skill", "Read"], ["Agent", "ReportFindings", "Workflow"]),
        (["Skill", *["Bash"] * 5], [*CLAUDE_TOOLS]),
    ],
)
def test_the_last_sessions_say_what_is_never_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: list[str], names: list[str]
) -> None:
    """The last three to five sessions of the folder decide, and a text that looks like a call does
    not count.
    """
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    sessions(tmp_path, Path("/work/a_b.c"), *calls)
    assert uncalled_tools("/work/a_b.c") == (names, min(len(calls), 5))
    assert uncalled_tools("/work/other") == ([], 0)


@pytest.mark.parametrize(
    ("calls", "more", "said"),
    [
        (
            ["Bash"] * 3,
            "--disallowedTools=Agent,ReportFindings,Skill,Workflow",
            "lean: without Agent, ",
        ),
        (["Bash"], "", "lean: no tools are omitted: only 1 earlier sessions"),
    ],
)
def test_lean_sets_the_switch_of_claude_code(
    tmp_path: Path, calls: list[str], more: str, said: str
) -> None:
    (tmp_path / "claude").write_text(f"#!{sys.executable}\nimport sys\nprint(sys.argv[1:])\n")
    (tmp_path / "claude").chmod(0o755)
    sessions(tmp_path, tmp_path.resolve(), *calls)
    command = [sys.executable, "-m", "lton", "wrap", "--upstream", "http://127.0.0.1:9", "--lean"]
    around = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        [*command, "claude", "-p", "hi"],
        cwd=tmp_path,
        env={**around, "CLAUDE_CONFIG_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"'{more}'" in done.stdout.replace("Read(", "") or not more
    assert ("--disallowedTools" in done.stdout) == bool(more)
    assert said in done.stderr


def test_lean_knows_one_agent(environ: dict[str, str], server: tuple[Raw, str]) -> None:  # noqa: F811
    raw, url = server
    raw.chunks = stream("chat", "Hello.")
    command = [sys.executable, "-m", "lton", "wrap", "--upstream", url, "--lean", "qwen"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "sessions of Claude Code" in done.stderr


def test_what_was_read_again_is_no_saving(tmp_path: Path) -> None:
    """A result that was read again from its file counts as no saving."""
    metrics = Metrics()
    metrics.billed.labels("estimated_sent").inc(900)
    metrics.billed.labels("estimated_asked").inc(1500)
    folder = ResultFolder(tmp_path)
    folder.left_out, folder.read_again = {"a": 700, "b": 300}, {"c": 500}
    assert list(report(metrics, "claude", "o200k", folder))[1:] == [
        "billed, estimated by o200k: 900, and 1,000 as claude asked (-10.0 %)",
        "2 long results cut: about 1,000 tokens left out, 500 of them read again (calls: 1)",
    ]
    folder.is_off = True
    assert "whole" in list(report(metrics, "claude", "o200k", folder))[-1]
