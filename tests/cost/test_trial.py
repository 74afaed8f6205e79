"""Test `lton cost` without logs: its questions, its input, its report and its page."""

import json
import os
import re
import sys
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from time import time

import pytest

from lton.cli import main
from lton.cost import trial
from lton.cost.bill import Costs
from lton.tokens.counting import ByteHeuristic, Count
from tests.examples import blocks_of

ROOT = Path(__file__).parents[2]
SESSIONS = Path(__file__).parent / "sessions"
PAGES = ROOT / "tests" / "integrations" / "mcp_pages.py"
PLACES = {
    "claude-code": ".claude/projects/-project/3f50.jsonl",
    "codex": ".codex/sessions/2026/11/25/rollout-1.jsonl",
    "qwen-code": ".qwen/projects/p/chats/1.jsonl",
}
EVER = ["--days", "100000"]


def colour(log: Path) -> None:
    """Enable colours in the output of the tests of a session."""
    ran = "Ran 1 test"
    log.write_text(log.read_text("utf-8").replace(ran, "\\u001b[32m" * 40 + ran), "utf-8")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home folder with sessions of all three agents, and an empty working folder."""
    for name, path in PLACES.items():
        file = tmp_path / "home" / path
        file.parent.mkdir(parents=True)
        file.write_bytes((SESSIONS / f"{name}.jsonl").read_bytes())
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


def configured(home: Path, **servers: object) -> None:
    (home / ".claude.json").write_text(json.dumps({"mcpServers": servers}))


def read_row(out: str, name: str) -> tuple[int, int]:
    """Return the last two figures of a row."""
    row = re.search(rf"^ *{re.escape(name)}.*? ([\d,]+) +([\d,]+) +-?[\d.]+ %$", out, re.MULTILINE)
    assert row is not None, name
    return int(row[1].replace(",", "")), int(row[2].replace(",", ""))


def test_each_agent_is_billed_as_lton_cost_bills_it(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The unchanged bill equals that of `lton cost`, and only tool results become shorter."""
    colour(home / PLACES["claude-code"])
    assert main(["cost", "--yes", *EVER]) == 0
    out = capsys.readouterr().out
    assert main(["cost", "--yes", "--json", *EVER]) == 0
    as_data = {agent["agent"]: agent for agent in json.loads(capsys.readouterr().out)["agents"]}
    for name, words in (("claude-code", "Claude Code"), ("codex", "Codex"), ("qwen-code", "qwen")):
        assert main(["cost", "--json", str(home / PLACES[name])]) == 0
        data = json.loads(capsys.readouterr().out)
        bill = out[out.index(words, out.index("o200k")) :]
        sent = out[out.index(words, out.index("\ntokens ")) :]
        entry = next(value for agent, value in as_data.items() if agent.startswith(words))
        assert entry["wrapped"] == data.pop("wrapped")
        assert entry["short"] == data.pop("short")
        assert entry["sent"] == data
        tokens, wrapped = read_row(sent, f"{entry['agent']}: in the files")
        assert tokens == data["total"]["all"]["shown"]
        assert entry["wrapped"]["total"]["all"]["shown"] == wrapped
        results = read_row(sent, "results of tools")
        assert results[0] == data["total"]["results"]["shown"]
        assert results[0] - results[1] == tokens - wrapped
        every = read_row(sent, f"{entry['agent']}: sent")
        reported = data["reported"]
        assert every[0] == sum(reported[key] for key in ("input", "write", "read"))
        assert every[0] - every[1] == tokens - wrapped
        assert read_bill(bill) == [
            round(reported["billed"] - in_files + tokens)
            for in_files in [data["billed_estimated"]["all"]["shown"]]
            for tokens in [
                in_files,
                entry["wrapped"]["billed_estimated"]["all"]["shown"],
                entry["short"]["billed_estimated"]["all"]["shown"],
                data["billed_estimated"]["all"]["lton"],
            ]
        ]
    before, after = read_row(out, "Bash")
    assert after == 644 < before
    assert "Nothing to gain by default: run_shell_command, exec_command." in out


def read_bill(out: str) -> list[int]:
    """Return the figures of the first bill: as it is, then by default, then with two options."""
    rows = re.findall(r"^.*?(?:billed|estimated|wrap|short|lton) +([\d,]+)", out, re.MULTILINE)
    return [int(row.replace(",", "")) for row in rows[:4]]


def test_a_bill_without_a_report_is_estimated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Logs without usage begin with the estimate, and definitions in the log are counted."""
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}}
    rows = json.dumps([{"id": number, "state": "open"} for number in range(30)])
    call = {"id": "1", "type": "function", "function": {"name": "list", "arguments": "{}"}}
    result = {"role": "tool", "tool_call_id": "1", "content": rows}
    log = {
        "messages": [{"role": "assistant", "tool_calls": [call]}, result],
        "tools": [{"type": "function", "function": {"name": "list", "parameters": schema}}],
    }
    (file := tmp_path / "log.json").write_text(json.dumps(log))
    assert main(["cost", str(file)]) == 0
    out = capsys.readouterr().out
    assert "These files: 1 request, estimated" in out
    assert "contain no definitions" not in out
    billed, default, short, in_lton = read_bill(out)
    assert billed == default > short > 0
    assert in_lton > 0


@pytest.mark.parametrize("times", [1, 10**7])
def test_no_line_is_wider_than_a_terminal(
    times: int, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tables with large figures are divided, and long names of tools are shortened."""
    log = home / PLACES["claude-code"]
    tool = "mcp__a-server-with-a-long-name__search_issues_and_pull_requests"
    log.write_text(log.read_text("utf-8").replace('"Bash"', f'"{tool}"'), "utf-8")
    count_all = ByteHeuristic.count_all

    def count_more(self: ByteHeuristic, counted: Iterable[str]) -> list[Count]:
        return [
            Count(times * count.tokens, exact=count.exact) for count in count_all(self, counted)
        ]

    monkeypatch.setattr(ByteHeuristic, "count_all", count_more)
    assert main(["cost", "--tokenizer", "bytes", str(log)]) == 0
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if len(line) > 80] == []
    assert "mcp__a-server-with\u2026d_pull_requests" in out
    assert (out.count("\nbytes ") == 2) == (times > 1)


def test_a_folder_stands_for_the_sessions_in_it(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cost", str(home / ".claude")]) == 0
    of_folder = capsys.readouterr().out
    assert main(["cost", str(home / PLACES["claude-code"])]) == 0
    assert capsys.readouterr().out == of_folder
    assert main(["cost", "."]) == 2
    assert "this folder has no file *.jsonl" in capsys.readouterr().err


def test_the_report_says_where_it_is(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page of files has the same bars as that of the sessions on this machine."""
    assert main(["cost", str(home / PLACES["codex"]), "-o", "page.html"]) == 0
    assert capsys.readouterr().err == "lton: wrote page.html\n"
    assert "<dt>exec_command</dt>" in Path("page.html").read_text("utf-8")


def test_a_command_that_is_not_quoted_is_explained(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The shell gives the words after the first one to `lton cost`."""
    for words in (["npx", "-y", "@org/server", "."], ["uvx", "a-server"]):
        assert main(["cost", "--mcp", *words]) == 2
        assert f'lton cost --mcp "{" ".join(words)}"' in capsys.readouterr().err
    Path("server.py").write_text("")
    assert main(["cost", "--mcp", sys.executable, "server.py"]) == 1
    assert f'lton cost --mcp "{sys.executable} server.py"' in capsys.readouterr().err


def test_a_file_has_the_same_rows(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """First comes what `lton wrap` would save, in the same words, and then the file in LTON."""
    (home / PLACES["codex"]).unlink()
    (home / PLACES["qwen-code"]).unlink()
    colour(home / PLACES["claude-code"])
    assert main(["cost", "--yes", *EVER]) == 0
    found_sessions = capsys.readouterr().out
    assert main(["cost", str(home / PLACES["claude-code"])]) == 0
    of_file = capsys.readouterr().out

    start = found_sessions.index("o200k")
    same, _, in_lton = of_file.partition("\nWith lton serve --calls lton")
    assert same == found_sessions[start:]
    assert "definitions, calls and results are in LTON:\n\no200k" in in_lton


def test_a_file_without_results_has_only_the_table_in_lton(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`lton wrap` shortens only results."""
    tools = home / "tools.json"
    tools.write_text(json.dumps({"tools": [{"name": "wait", "inputSchema": {"type": "object"}}]}))
    assert main(["cost", str(tools)]) == 0
    assert "lton wrap" not in capsys.readouterr().out
    assert main(["cost", "--json", str(tools)]) == 0
    assert "wrapped" not in json.loads(capsys.readouterr().out)


def test_it_only_reads(home: Path) -> None:
    configured(home, git={"command": "never-started"})
    before = {file: file.read_bytes() for file in home.rglob("*") if file.is_file()}
    main(["cost", "--yes", *EVER])
    assert {file: file.read_bytes() for file in home.rglob("*") if file.is_file()} == before
    assert os.listdir(".") == []


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stdin", "message"),
    [(StringIO("y\n"), "no terminal to ask at"), (Terminal("n\n"), "read them? [y/N]")],
)
def test_nothing_is_read_without_a_yes(
    home: Path,
    stdin: StringIO,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    configured(home)
    (home / ".claude.json").chmod(0)
    monkeypatch.setattr(sys, "stdin", stdin)
    monkeypatch.setattr(trial, "iterate_log_errors", lambda *_: pytest.fail("a session was read"))
    assert main(["cost", *EVER]) == 1
    out, err = capsys.readouterr()
    assert "Claude Code: 1 session in" in out
    assert "~/.claude.json" in out
    assert message in err


def test_a_yes_is_enough(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    assert main(["cost", *EVER]) == 0
    assert read_row(capsys.readouterr().out, "Bash")


def test_what_is_older_is_left_out(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Old files, and old requests in newer files, are left out."""
    for path in PLACES.values():
        os.utime(home / path, (0, 0))
    assert main(["cost", "--yes"]) == 1
    assert "lton cost FILE" in capsys.readouterr().err
    os.utime(home / PLACES["claude-code"], (time(), time()))
    long_ago = (home / PLACES["claude-code"]).read_text().replace('"2026-', '"1990-')
    (home / PLACES["claude-code"]).write_text(long_ago)
    assert main(["cost", "--yes"]) == 1
    out, err = capsys.readouterr()
    assert "Claude Code: 0 requests" in out
    assert "--days N looks further back" in err


def test_where_lton_is_longer_it_says_so(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If LTON needs more tokens, the report says so: a note may be longer than the lines that it
    replaces.
    """
    lines = "\n".join(["-" * 64] * 4)
    prompt = [{"type": "text", "text": "go"}]
    messages: list[tuple[str, object]] = [("user", prompt)]
    for number in ("1", "2"):
        use: object = {"type": "tool_use", "id": number, "name": "draw", "input": {}}
        answer = {"type": "tool_result", "tool_use_id": number, "content": lines}
        messages += [("assistant", [use]), ("user", [answer])]
    rows = [
        {"type": role, "sessionId": "s", "message": {"role": role, "content": content}}
        for role, content in [*messages, ("assistant", prompt)]
    ]
    (home / PLACES["claude-code"]).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert main(["cost", "--yes", *EVER]) == 0
    out = capsys.readouterr().out
    assert "Longer with LTON: draw." in out
    assert re.search(r"^draw .* -\d+\.\d %$", out, re.MULTILINE)


def test_servers_are_named_and_started_only_when_asked(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """MCP servers are listed and started only on request; a server that fails is named and does not
    stop the others.
    """
    pages = {"command": sys.executable, "args": [str(PAGES)], "env": {"A": "1"}}
    broken = {"command": str(tmp_path / "none")}
    servers = {"pages": pages, "broken": broken, "hosted": {"url": "https://example.com"}}
    claude = {"mcpServers": servers, "projects": {"/p": {"mcpServers": {"of-p": broken}}}}
    (home / ".claude.json").write_text(json.dumps(claude))
    (home / ".codex" / "config.toml").write_text('[mcp_servers.other]\ncommand = "x"\n')
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text("no JSON")
    assert main(["cost", "--yes", *EVER]) == 0
    out, err = capsys.readouterr()
    assert "MCP servers: pages, broken, hosted, of-p, other\n" in out
    assert "~/.cursor/mcp.json is left out" in err
    assert main(["cost", "--yes", "--mcp", "all", *EVER]) == 0
    out, err = capsys.readouterr()
    assert re.search(
        r"^definitions of +tools +as it is +--mode line +--mode tools", out, re.MULTILINE
    )
    (counts,) = re.findall(r"^pages((?: +\d+){5})$", out, re.MULTILINE)
    tools, tokens, *modes = map(int, counts.split())
    assert (tools, tokens) == (3, 56)
    assert min(modes) > 0
    assert "hosted is left out: it has no command" in err
    assert err.count("broken is left out") == 1


def test_the_page_has_the_figures_and_obeys_no_name(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = home / PLACES["claude-code"]
    log.write_text(log.read_text().replace('"Bash"', '"<b>Bash"'))
    colour(log)
    assert main(["cost", "--yes", *EVER, "-o", str(tmp_path / "week.html")]) == 0
    text = (tmp_path / "week.html").read_text("utf-8")
    assert "<dt>&lt;b&gt;Bash</dt>" in text
    assert ">644</span>" in text
    assert "<b>Bash" not in text
    assert re.search(r"https?://|<script", text) is None


def test_the_guide_shows_what_it_prints(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table in tokens.md is the output for a session of Claude Code."""
    guide = (ROOT / "docs/guides/tokens.md").read_text("utf-8")
    (block,) = [block for block in blocks_of(guide) if block.needs_server]
    for path in list(PLACES.values())[1:]:
        (home / path).unlink()
    assert main(["cost", "--yes", *EVER]) == 0
    table = block.text.partition("\n")[2]
    assert table.startswith("o200k ")
    assert table in capsys.readouterr().out


def test_a_share_has_no_sign_if_it_rounds_to_zero() -> None:
    """A text that is a little longer saves nothing, and not less than nothing."""
    week = trial.start_week("Claude", 1, ByteHeuristic(), None)
    week.sent.costs["results", "a"] = Costs(1, shown=100_000)
    week.wrapped.costs["results", "a"] = Costs(1, shown=100_001)

    assert " 0.0 %" in trial.describe_savings([week], "bytes")
    assert "-0.0 %" not in trial.describe_savings([week], "bytes")


def test_the_former_command_says_what_to_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["try", "--days", "3"]) == 2
    errors = capsys.readouterr().err
    assert "lton try was removed: use lton cost" in errors


def test_prices_apply_to_sessions(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The prices of the cache are those that the user gives, in both ways of reading sessions."""
    assert main(["cost", "--yes", "--json", "--prices", "2,0.5", *EVER]) == 0
    agents = json.loads(capsys.readouterr().out)["agents"]
    assert main(["cost", "--json", "--prices", "2,0.5", str(home / PLACES["codex"])]) == 0
    data = json.loads(capsys.readouterr().out)
    assert agents[1]["wrapped"] == data.pop("wrapped")
    assert agents[1]["short"] == data.pop("short")
    assert agents[1]["sent"] == data
