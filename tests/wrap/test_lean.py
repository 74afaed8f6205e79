"""Test the report of `lton wrap` on tools that nobody calls, and `--lean`."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lton.apis.messages_api import MESSAGES
from lton.gateway.bills import MOST_TOOLS, DefinitionUse
from lton.gateway.native.unused_tools import UnusedTools
from lton.wrap.lean import calls_of_claude
from lton.wrap.report import report_uncalled
from tests.gateway.native import Raw, stream
from tests.wrap.test_wrap import environ, server  # noqa: F401 - fixtures

CLAUDE = """\
#!{python}
import json, os, urllib.request
body = dict(model="m", stream=True, max_tokens=9, tools=json.loads(r'''{tools}'''))
body["messages"] = [dict(role="user", content="Hi")]
request = urllib.request.Request(
    os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages",
    json.dumps(body).encode(),
    dict([("content-type", "application/json"), ("x-api-key", "k")]),
)
urllib.request.urlopen(request).read()
"""
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


def write_session(place: Path, number: int, *calls: tuple[str, dict[str, Any]]) -> None:
    """Write a session file as Claude Code does, with a list of tools that look like calls."""
    listing = {
        "type": "attachment",
        "attachment": {"tools": [{"type": "tool_use", "name": "Skill"}]},
    }
    lines = [listing]
    for name, arguments in calls:
        used = {"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}
        lines.append({"type": "assistant", "message": {"content": [used, "text"]}})
    lines += [{"type": "user", "message": {"content": '{"type":"tool_use"} "tool_use"'}}]
    place.mkdir(parents=True, exist_ok=True)
    file = place / f"{number}.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines) + '{"tool_use": "tool_use"')
    os.utime(file, (number, number))


def test_calls_are_read_from_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The calls of the last five sessions count, and those of their subagents."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    place = tmp_path / "projects" / "-work-a-b-c"
    write_session(place, 0, ("Old", {}))
    for number in range(1, 6):
        write_session(place, number, ("Bash", {"command": "ls"}))
    write_session(place / "3" / "subagents", 9, ("Bash", {"command": "ls", "timeout": 5}))
    calls, sessions = calls_of_claude("/work/a_b.c")
    keys = {frozenset(["command"]), frozenset(["command", "timeout"])}
    assert (calls, sessions) == ({"Bash": keys}, 5)
    assert calls_of_claude("/work/other") == ({}, 0)


def definition(name: str, *needed: str, **more: Any) -> dict[str, Any]:
    properties = {key: {"type": "string"} for key in (*needed, "model")}
    schema = {"type": "object", "properties": properties, "required": [*needed]}
    return {"name": name, "description": "What it does. " * 40, "input_schema": schema, **more}


DEFINED = [
    definition("Bash", "command"),
    definition("Agent", "description", "prompt"),
    definition("Skill", "skill"),
    definition("Workflow", "script"),
    definition("Placeholder", "x", defer_loading=True),
    definition("Last", "x", cache_control={"type": "ephemeral"}),
    {"name": "Tiny", "input_schema": {"type": "object"}},
    {"type": "web_search_20250305", "name": "web_search"},
    5,
]
CALLS = {"Task": [frozenset(["description", "prompt"])], "Skill": [frozenset(["skill"])]}


def test_unused_tools_are_left_out() -> None:
    """A tool is left out if no session and no message calls it, under its name or a former one."""
    unused = UnusedTools(CALLS)
    body = {"messages": [], "tools": DEFINED}
    sent = unused.omit_from(body, MESSAGES)
    assert sent["tools"] == [each for each in DEFINED if each != DEFINED[3]]
    assert [*unused.left_out] == ["Workflow"]
    none = UnusedTools({})
    assert len(none.omit_from(body, MESSAGES)["tools"]) == len(DEFINED) - 3
    assert [*none.left_out] == ["Agent", "Skill", "Workflow"]


@pytest.mark.parametrize(
    "more",
    [
        {"tool_choice": {"type": "tool", "name": "Workflow"}},
        {
            "messages": [
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "1", "name": "Workflow", "input": {}}],
                }
            ]
        },
        {"tools": DEFINED[3:4]},
        {"tools": 5},
    ],
)
def test_what_a_request_needs_stays(more: dict[str, Any]) -> None:
    """A tool stays if the request chooses or calls it, or if no other tool would be left."""
    body = {"messages": [], "tools": DEFINED[:4], **more}
    assert UnusedTools(CALLS).omit_from(body, MESSAGES) is body


def test_a_renamed_tool_is_known_by_its_arguments() -> None:
    """One argument, or an unknown one, is no evidence; a tool that still exists has its name."""
    for keys in (["script"], ["script", "model", "x"], ["model", "x"]):
        unused = UnusedTools({"Old": [frozenset(keys)]})
        unused.omit_from({"tools": DEFINED[:4], "messages": None}, MESSAGES)
        assert "Workflow" in unused.left_out
    unused = UnusedTools({"Old": [frozenset(["script", "model"])]})
    unused.omit_from({"tools": DEFINED[:4]}, MESSAGES)
    assert "Workflow" not in unused.left_out
    unused = UnusedTools({"Bash": [frozenset(["script", "model"])]})
    unused.omit_from({"tools": DEFINED[:4]}, MESSAGES)
    assert "Workflow" in unused.left_out


@pytest.mark.parametrize("sessions", [2, 3])
def test_lean_leaves_definitions_out_of_requests(
    sessions: int,
    tmp_path: Path,
    server: tuple[Raw, str],  # noqa: F811
) -> None:
    """The upstream receives no unused tool, and the report says what was left out."""
    raw, url = server
    raw.chunks = stream("messages", "Hello.")
    program = tmp_path / "claude"
    program.write_text(CLAUDE.format(python=sys.executable, tools=json.dumps(DEFINED[:-1])))
    program.chmod(0o755)
    name = str(tmp_path.resolve()).replace("/", "-").replace("_", "-").replace(".", "-")
    for number in range(sessions):
        write_session(tmp_path / "projects" / name, number, ("Skill", {"skill": "x"}))
    command = [sys.executable, "-m", "lton", "wrap", "--upstream", url, "--lean", "claude"]
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "CLAUDE_CONFIG_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    names = [tool["name"] for tool in json.loads(raw.bodies[-1])["tools"]]
    if sessions < 3:
        assert "this folder has 2 earlier sessions, and 3 are needed" in done.stderr
        assert len(names) == len(DEFINED) - 1
        assert "tools that were never called: Agent, Skill, Workflow, Last, Tiny" in done.stderr
    else:
        assert "the last 3 sessions did not call" in done.stderr
        assert names == ["Bash", "Skill", "Placeholder", "Last", "Tiny", "web_search"]
        assert "left out of requests: Agent, Workflow (" in done.stderr


def test_lean_knows_one_agent(environ: dict[str, str], server: tuple[Raw, str]) -> None:  # noqa: F811
    raw, url = server
    raw.chunks = stream("chat", "Hello.")
    command = [sys.executable, "-m", "lton", "wrap", "--upstream", url, "--lean", "qwen"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "sessions of Claude Code" in done.stderr
