"""Test the report of `lton wrap` on tools that it did not see called, and `--lean`."""

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
from lton.wrap.lean import read_calls_and_count_sessions
from lton.wrap.report import iterate_uncalled_lines
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
    usage = DefinitionUse()
    for price in (1.25, 0.1, 0.1):
        usage.add_request(TOOLS, calls, price)
    usage.add_request({}, [], 1.25)  # a request without tools says nothing
    return usage


ADVICE = "to turn off those that you never need: "


@pytest.mark.parametrize(
    ("agent", "calls", "lines"),
    [
        (
            "claude",
            ["Agent", "Bash"],
            [
                "tools that this run did not call: Workflow, Skill, Read (5,769 tokens in each"
                " request, 8,365 billed)",
                f"{ADVICE}claude --disallowedTools=NAME,NAME",
            ],
        ),
        ("claude", ["Agent", "Workflow", "Bash", "Read"], []),
        ("claude", [], []),
        (
            "qwen",
            ["Workflow", "Agent", "Read"],
            [
                "tools that this run did not call: Bash, Skill (1,111 tokens in each request,"
                " 1,611 billed)",
                f"{ADVICE}qwen --exclude-tools=NAME",
            ],
        ),
        ("aider", ["Bash"], []),
    ],
)
def test_uncalled_tools_are_named_with_their_cost(
    agent: str, calls: list[str], lines: list[str]
) -> None:
    """The report lists uncalled tools, whatever their names, and leaves the choice to the user."""
    assert list(iterate_uncalled_lines(use(*calls), agent)) == lines


def test_a_tool_that_some_requests_have_is_not_named() -> None:
    """A tool that only some requests define is not listed, because it was loaded for a part of the
    work.
    """
    usage = use()
    usage.add_request({"Bash": 645}, [], 0.1)
    assert usage.count_uncalled() == {"Bash": 645}
    usage.add_request({f"t{n}": 1 for n in range(MOST_TOOLS + 9)}, [], 0.1)
    assert len(usage.sent) == MOST_TOOLS


def write_session(folder: Path, number: int, *calls: tuple[str, dict[str, Any]]) -> None:
    """Write a session file as Claude Code does, with a list of tools that look like calls."""
    listing = {
        "type": "attachment",
        "attachment": {"tools": [{"type": "tool_use", "name": "Skill"}]},
    }
    lines = [listing]
    for name, arguments in calls:
        tool_use = {"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}
        lines.append({"type": "assistant", "message": {"content": [tool_use, "text"]}})
    lines += [{"type": "user", "message": {"content": '{"type":"tool_use"} "tool_use"'}}]
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{number}.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines) + '{"tool_use": "tool_use"')
    os.utime(file, (number, number))


def test_calls_are_read_from_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The calls of the last five sessions count, and those of their subagents."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    folder = tmp_path / "projects" / "-work-a-b-c"
    write_session(folder, 0, ("Old", {}))
    for number in range(1, 6):
        write_session(folder, number, ("Bash", {"command": "ls"}))
    write_session(folder / "3" / "subagents", 9, ("Bash", {"command": "ls", "timeout": 5}))
    calls, sessions = read_calls_and_count_sessions("/work/a_b.c")
    keys = {frozenset(["command"]), frozenset(["command", "timeout"])}
    assert (calls, sessions) == ({"Bash": keys}, 5)
    assert read_calls_and_count_sessions("/work/other") == ({}, 0)


def definition(name: str, *required: str, **more: Any) -> dict[str, Any]:
    properties = {key: {"type": "string"} for key in (*required, "model")}
    schema = {"type": "object", "properties": properties, "required": [*required]}
    return {"name": name, "description": "What it does. " * 40, "input_schema": schema, **more}


LONG = [definition(name, "x") for name in ("Read", "Bash", "apply_patch", "TodoWrite", "run")]
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
SHORT = "What it does. Shortened; the whole definition follows after the first call."


def test_unused_tools_are_shortened() -> None:
    """A tool is short if no session and no message calls it, under its name or a former one."""
    unused = UnusedTools(CALLS)
    body = {"messages": [], "tools": DEFINED}
    shortened = unused.with_short_definitions(body, MESSAGES)["tools"]
    names = ["Bash", "Workflow", "Last"]
    for tool, whole in zip(shortened, DEFINED, strict=True):
        if not isinstance(whole, dict) or whole["name"] not in names:
            assert tool == whole
            continue
        assert tool == {**whole, "description": SHORT}
    assert [*unused.shortened] == names
    again = unused.with_short_definitions(body, MESSAGES)["tools"]
    assert all(one is other for one, other in zip(again, shortened, strict=True))


def test_a_tool_has_no_meaning_by_its_name() -> None:
    """Tools for files and commands are shortened like all others if nobody calls them."""
    unused = UnusedTools({})
    shortened = unused.with_short_definitions({"messages": [], "tools": LONG}, MESSAGES)["tools"]
    assert [tool["description"] for tool in shortened] == [SHORT] * len(LONG)
    assert unused.with_short_definitions(
        {"messages": [], "tools": [*LONG[:1], *DEFINED[3:4]]}, MESSAGES
    )
    changed = [{**LONG[0], "description": "Another text. " * 40}]
    (other,) = unused.with_short_definitions({"messages": [], "tools": changed}, MESSAGES)["tools"]
    assert other["description"].startswith("Another text. Shortened")


def test_a_short_tool_comes_back_whole_once_it_is_called() -> None:
    """The model calls a short tool, and every later request of the conversation has all of it."""
    unused = UnusedTools(CALLS)
    question = {"role": "user", "content": "Run the workflow."}
    block = {"type": "tool_use", "id": "1", "name": "Workflow", "input": {"script": "x"}}
    call = {"role": "assistant", "content": [block]}
    result = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "1", "content": "expected a meta"}],
    }
    messages: list[Any] = []
    whole = []
    for message in (question, call, result, question):
        messages = [*messages, message]
        body = {"messages": messages, "tools": DEFINED}
        whole.append(unused.with_short_definitions(body, MESSAGES)["tools"][3] == DEFINED[3])
    assert whole == [False, True, True, True]


CODE = {"script": {"type": "string", "description": "Code. " * 99}}
SCRIPT = {"type": "object", "properties": CODE}
SHORT_SCRIPT = {"type": "object", "properties": {"script": {"type": "string"}}}


@pytest.mark.parametrize(
    ("tool", "short"),
    [
        (
            {"type": "function", "function": {"name": "run", "parameters": SCRIPT}},
            {"type": "function", "function": {"name": "run", "parameters": SHORT_SCRIPT}},
        ),
        (
            {"type": "function", "name": "run", "parameters": SCRIPT, "strict": False},
            {"type": "function", "name": "run", "parameters": SHORT_SCRIPT, "strict": False},
        ),
        (
            {"name": "run", "input_schema": SCRIPT, "cache_control": {"type": "ephemeral"}},
            {"name": "run", "input_schema": SHORT_SCRIPT, "cache_control": {"type": "ephemeral"}},
        ),
    ],
)
def test_definitions_of_all_apis_are_shortened(tool: Any, short: Any) -> None:
    """A schema loses its descriptions, and all other members stay."""
    shortened = UnusedTools({}).with_short_definitions({"messages": [], "tools": [tool]}, MESSAGES)
    assert shortened["tools"] == [short]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Lists files", "Lists files."),
        ("  Lists files! Use it.", "Lists files!"),
        ("Lists files\n\nUse it.", "Lists files."),
        ("Lists files of v1.2 only. Use it.", "Lists files of v1.2 only."),
        ("列出文件。常用。", "列出文件。"),
        ("word " * 99, "word " * 39 + "word …."),
        ("w" * 300, "w" * 200 + " …."),
        ("", "."),
    ],
)
def test_a_first_sentence_ends_with_its_mark(text: str, sentence: str) -> None:
    about = {**LONG[0], "description": text}
    about["input_schema"] = {"type": "object", "description": "x" * 400}
    (definition_sent,) = UnusedTools({}).with_short_definitions(
        {"messages": [], "tools": [about]}, MESSAGES
    )["tools"]
    assert definition_sent["description"] == SHORT.replace("What it does.", sentence)


@pytest.mark.parametrize(
    "more",
    [
        {"tool_choice": {"type": "tool", "name": "Workflow"}},
        {"tools": DEFINED[6:]},
        {"tools": [{"name": "x", "function": 5}, {"function": {"name": "y" * 500}}]},
        {"tools": [{"name": "x", "input_schema": {"required": 5, "anyOf": []}}]},
        {"tools": 5},
    ],
)
def test_what_a_request_needs_stays(more: dict[str, Any]) -> None:
    """A tool stays whole if the request chooses it, and what is not a function stays as it is."""
    body = {"messages": [], "tools": DEFINED[1:4], **more}
    assert UnusedTools(CALLS).with_short_definitions(body, MESSAGES) is body


def test_a_renamed_tool_is_known_by_its_arguments() -> None:
    """One argument, or an unknown one, is no evidence; a tool that still exists has its name."""
    for keys in (["script"], ["script", "model", "x"], ["model", "x"]):
        unused = UnusedTools({"Old": [frozenset(keys)]})
        unused.with_short_definitions({"tools": DEFINED[:4], "messages": None}, MESSAGES)
        assert "Workflow" in unused.shortened
    unused = UnusedTools({"Old": [frozenset(["script", "model"])]})
    unused.with_short_definitions({"tools": DEFINED[:4]}, MESSAGES)
    assert "Workflow" not in unused.shortened
    unused = UnusedTools({"Bash": [frozenset(["script", "model"])]})
    unused.with_short_definitions({"tools": DEFINED[:4]}, MESSAGES)
    assert "Workflow" in unused.shortened


@pytest.mark.parametrize("sessions", [2, 3])
def test_lean_shortens_definitions_in_requests(
    sessions: int,
    tmp_path: Path,
    server: tuple[Raw, str],  # noqa: F811
) -> None:
    """The upstream receives short definitions, and the report names them with their size."""
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
    process = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "CLAUDE_CONFIG_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    tools = json.loads(raw.bodies[-1])["tools"]
    short = [tool["name"] for tool in tools if tool.get("description") == SHORT]
    assert len(tools) == len(DEFINED) - 1
    assert "did not call" not in process.stderr.partition("shortened\n")[2]
    if sessions < 3:
        assert "this folder has 2 earlier sessions, and 3 are needed" in process.stderr
        assert not short
    else:
        assert "tools that the last 3 sessions did not call are shortened" in process.stderr
        assert short == ["Bash", "Agent", "Workflow", "Last"]
        assert "shortened definitions: Bash, Agent, Workflow, Last (" in process.stderr


def test_lean_knows_one_agent(environ: dict[str, str], server: tuple[Raw, str]) -> None:  # noqa: F811
    raw, url = server
    raw.chunks = stream("chat", "Hello.")
    command = [sys.executable, "-m", "lton", "wrap", "--upstream", url, "--lean", "qwen"]
    process = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert process.returncode == 2
    assert "sessions of Claude Code" in process.stderr
