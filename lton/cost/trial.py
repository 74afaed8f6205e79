"""Find the recent sessions of agents on this machine, and report what LTON would have saved."""

import argparse
import json
import os
import shlex
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from textwrap import fill
from time import time
from typing import Any, TypeAlias

from lton._terminal import UsageError, progress, say, table, write
from lton.cost.bill import Bill, Billed
from lton.cost.counted import CountedAnswers
from lton.cost.logs import Record
from lton.cost.modes import SHOWN_MODES, count_modes, format_tokens
from lton.cost.page import write_page
from lton.cost.reading import iterate_log_errors
from lton.cost.report import bill_to_data
from lton.cost.wrapped import WrappedRequests
from lton.errors import LTONError
from lton.integrations.mcp import list_tools
from lton.mcp_proxy.install import CLIENTS
from lton.tokens import TokenCounter, counter
from lton.tokens.billing import Prices
from lton.tokens.registry import default_tokenizer

ALL_SERVERS = "all"
"""The value of `--mcp` that asks the servers in all configurations."""
_DAY = 86_400
_NO_GAIN = 0.99
_LEAST = 100  # the minimum number of tokens in a tool's results for a row of its own
_TOP = 10
_WIDTH = 80
_IN_LTON = "lton cost FILE also counts a file's requests in LTON (lton serve --calls lton)."


@dataclass(frozen=True, slots=True)
class SessionFolder:
    """The folder in which an agent stores its sessions."""

    name: str
    folder: str
    files: str
    variable: str | None = None

    def find_session_files(self, since: float) -> list[Path]:
        """Return the session files that were modified since a time, the oldest first."""
        named = os.environ.get(self.variable) if self.variable else None
        files = _expand_home(named or self.folder).glob(self.files)
        dated = ((file.stat().st_mtime, file) for file in files)
        return [file for changed, file in sorted(dated) if changed >= since]


_Found: TypeAlias = list[tuple[SessionFolder, list[Path]]]
AGENTS = (
    SessionFolder("Claude Code", "~/.claude", "projects/**/*.jsonl", "CLAUDE_CONFIG_DIR"),
    SessionFolder("Codex", "~/.codex", "sessions/**/rollout-*.jsonl", "CODEX_HOME"),
    SessionFolder("qwen-code", "~/.qwen", "projects/*/chats/*.jsonl"),
)
_DESKTOP = (
    "~/.config/Claude/claude_desktop_config.json",
    "~/Library/Application Support/Claude/claude_desktop_config.json",
    "~/AppData/Roaming/Claude/claude_desktop_config.json",
)
CONFIGURATIONS = {name: client.key for client in CLIENTS.values() for name in client.files}
CONFIGURATIONS |= dict.fromkeys(_DESKTOP, "mcpServers")
"""Configuration files of MCP clients, and the key of the servers in each."""


@dataclass(slots=True)
class Week:
    """The requests of an agent or of logs, as sent and as `lton wrap` would send them."""

    name: str
    files: int
    sent: Bill
    wrapped: Bill

    @property
    def requests(self) -> int:
        return sum(self.sent.forms.values())


def report_sessions(options: argparse.Namespace) -> int:
    """Ask for permission, read the sessions, and report. Return 1 if nothing was read."""
    if not options.days > 0:
        raise UsageError("expected --days of more than 0")
    since = time() - options.days * _DAY
    logs = [(agent, files) for agent in AGENTS if (files := agent.find_session_files(since))]
    configurations = [name for name in CONFIGURATIONS if _expand_home(name).is_file()]
    days = f"{options.days:g} days"
    if not (logs or configurations):
        say(f"no session of the last {days} and no MCP server was found; for logs: lton cost FILE")
        return 1
    asks_servers = options.mcp == ALL_SERVERS
    show = say if options.json or _writes_page(options) else write
    show(_describe_plan(logs, configurations, days, asks_servers))
    if not (options.yes or _ask_consent()):
        return 1
    name = options.tokenizer or default_tokenizer(say)
    count = counter(name)
    weeks = [_read_sessions(agent, files, since, count, options.prices) for agent, files in logs]
    servers = [*_iterate_servers(configurations)]
    text = _report_text(weeks, name) + _report_servers(servers, count if asks_servers else None)
    if options.json:
        write(_as_json(weeks, servers, name))
    elif _writes_page(options):
        title = f"The last {days}, and with LTON"
        heading = "Tokens of the results of tools"
        write(
            write_page(
                title, heading, ("as it is", "with lton wrap"), count_result_tokens(weeks), text
            )
        )
    else:
        write(f"\n{text}")
    has_read = bool(servers) or any(week.requests for week in weeks)
    return 0 if has_read else 1


def _writes_page(options: argparse.Namespace) -> bool:
    return str(options.output).endswith(".html") and not options.json


def _report_text(weeks: list[Week], tokenizer: str) -> str:
    text = describe_savings(weeks, tokenizer)
    return f"{text}{fill(_IN_LTON, _WIDTH)}\n" if weeks else text


def _describe_plan(logs: _Found, configurations: list[str], days: str, is_run: bool) -> str:
    sized = ((agent.name, f"{len(files):,} sessions in {days}", files) for agent, files in logs)
    rows = [[name, size, _shorten_paths(files)] for name, size, files in sized]
    rows += [["MCP servers", "", name] for name in configurations]
    lines = [f"  {who:11}  {what:28}  {where}\n" for who, what, where in rows]
    if is_run:
        lines.append("\n--mcp all: each MCP server in them is started, and asked for its tools.\n")
    head = "lton cost reads these files. It changes nothing, and nothing leaves this machine.\n\n"
    return head + "".join(lines)


def _as_json(weeks: list[Week], servers: list["ConfiguredServer"], tokenizer: str) -> str:
    agents = [
        {"agent": week.name, "files": week.files}
        | {name: bill_to_data(getattr(week, name), tokenizer) for name in ("sent", "wrapped")}
        for week in weeks
    ]
    data = {"agents": agents, "servers": [server.name for server in servers]}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _expand_home(name: str) -> Path:
    return Path(name).expanduser()


def _shorten_paths(files: list[Path]) -> str:
    folder = os.path.commonpath([file.parent for file in files])
    home = str(Path.home())
    return f"~{folder[len(home) :]}" if folder.startswith(home) else folder


def _ask_consent() -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        say(
            "nothing was read: no terminal to ask at; --yes reads without asking,"
            " and - reads standard input"
        )
        return False
    say("read them? [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


# --- sessions ------------------------------------------------------------------------------------


def _read_sessions(
    agent: SessionFolder,
    files: list[Path],
    since: float,
    count: TokenCounter,
    prices: Prices | None,
) -> Week:
    bill = Bill(count, prices=prices)
    week = Week(agent.name, len(files), bill, Bill(count, prices=prices))
    unread = 0
    answers = CountedAnswers()
    for file in files:
        take = partial(take_record, week, WrappedRequests(), since)
        unread += sum(1 for _ in iterate_log_errors(str(file), take, answers))
    if unread:
        say(f"{agent.name}: {unread:,} lines have an unknown format, and are left out")
    return week


def take_record(week: Week, wrapped: WrappedRequests, since: float, record: Record) -> None:
    """Count a record that is not older than a time, as it is and as `lton wrap` would send it."""
    shorter = wrapped.shorten_request(record)
    if record.at is None or record.at >= since:
        week.sent.add_record(record)
        week.wrapped.add_record(replace(shorter, usage=None))


def describe_savings(weeks: list[Week], tokenizer: str) -> str:
    """Report what `lton wrap` would have saved, by agent and by tool."""
    if not weeks:
        return ""
    notes = "".join(f"{fill(note, _WIDTH)}\n" for note in _iterate_week_sentences(weeks))
    return f"{_savings_table(weeks, tokenizer)}{_tool_table(weeks)}\n{notes}"


def _savings_table(weeks: list[Week], tokenizer: str) -> str:
    rows = []
    for week in weeks:
        plain, wrapped = (bill.total().shown for bill in (week.sent, week.wrapped))
        rows.append([f"{week.name}: {week.requests:,} requests", *_saving_cells(plain, wrapped)])
        results = [bill.total("results").shown for bill in (week.sent, week.wrapped)]
        if reported := week.sent.reported:
            every = reported.prompt.total
            rows.append(
                ["  as reported, all of it", *_saving_cells(every, every - plain + wrapped)]
            )
        rows.append(["  results of tools", *_saving_cells(*results)])
        billed = [sum(bill.billed.values(), Billed()).shown for bill in (week.sent, week.wrapped)]
        rows.append(["  billed, estimated", *_saving_cells(*billed)])
    return table([tokenizer, "as it is", "lton wrap", "saved"], rows)


def _saving_cells(plain: float, wrapped: float) -> list[str]:
    saved = f"{100 * (plain - wrapped) / plain:.1f} %" if plain else "-"
    return [f"{plain:,.0f}", f"{wrapped:,.0f}", saved]


def count_result_tokens(weeks: list[Week]) -> list[tuple[str, int, int]]:
    """Count the tokens of each tool's results, as sent and with `lton wrap`, largest first."""
    plain: Counter[str] = Counter()
    wrapped: Counter[str] = Counter()
    for week in weeks:
        for counts, bill in ((plain, week.sent), (wrapped, week.wrapped)):
            for (category, name), cost in bill.costs.items():
                if category == "results":
                    counts[name] += cost.shown
    return [(name, tokens, wrapped[name]) for name, tokens in plain.most_common()]


def _tool_table(weeks: list[Week]) -> str:
    tool_counts = count_result_tokens(weeks)
    rows = [[name, *_saving_cells(plain, wrapped)] for name, plain, wrapped in tool_counts[:_TOP]]
    more = f"and {len(tool_counts) - _TOP:,} tools more\n" if len(tool_counts) > _TOP else ""
    return "\n" + table(["results", "as it is", "lton wrap", "saved"], rows) + more if rows else ""


def _iterate_week_sentences(weeks: list[Week]) -> Iterator[str]:
    tool_counts = count_result_tokens(weeks)
    if longer := [name for name, plain, wrapped in tool_counts if wrapped > plain]:
        yield f"Longer with LTON: {', '.join(longer)}."
    same = [
        name
        for name, plain, now in tool_counts
        if plain >= _LEAST and _NO_GAIN * plain < now <= plain
    ]
    if same:
        yield f"Nothing to gain: {', '.join(same[:_TOP])}."
    if any(week.sent.reported for week in weeks):
        yield (
            "As reported: all that the provider billed for, also definitions of tools and system"
            " prompts, which no session file has. For Claude Code, lton wrap --lean shortens the"
            " definitions of tools that recent sessions never called."
        )
    yield (
        "lton wrap shortens tool results when they are first sent. It changes no call, and"
        " without --lean no definition. Billed tokens are estimated, at the prices of each"
        " provider's cache."
    )


# --- MCP servers ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ConfiguredServer:
    """An MCP server in the configuration of a client. `command` is empty for a URL."""

    name: str
    command: tuple[str, ...]
    variables: Mapping[str, str]


def _iterate_servers(configurations: list[str]) -> Iterator[ConfiguredServer]:
    for file in configurations:
        try:
            text = _expand_home(file).read_text("utf-8")
            read = tomllib.loads(text) if file.endswith(".toml") else json.loads(text)
        except (OSError, ValueError, RecursionError) as error:
            say(f"{file} is left out: {error}")
            continue
        holders = [read]
        projects = read.get("projects") if isinstance(read, dict) else None
        if isinstance(projects, dict):
            holders += projects.values()  # Claude Code also has servers for each project
        for holder in holders:
            yield from _iterate_servers_in(holder, file)


def _iterate_servers_in(holder: Any, file: str) -> Iterator[ConfiguredServer]:
    entries = holder.get(CONFIGURATIONS[file]) if isinstance(holder, dict) else None
    for name, entry in entries.items() if isinstance(entries, dict) else ():
        match entry:
            case {"command": str(program)}:
                words = entry.get("args")
                variables = entry.get("env")
                command = (program, *map(str, words if isinstance(words, list) else ()))
                pairs = variables.items() if isinstance(variables, dict) else ()
                yield ConfiguredServer(name, command, {key: str(value) for key, value in pairs})
            case _:
                yield ConfiguredServer(name, (), {})


def _report_servers(servers: list[ConfiguredServer], count: TokenCounter | None) -> str:
    if not servers:
        return ""
    if count is None:
        names = ", ".join(dict.fromkeys(server.name for server in servers))
        return (
            f"\nMCP servers: {names}\n"
            "lton cost --mcp all counts the definitions that lton mcp-proxy shortens.\n"
        )
    rows: list[list[str]] = []
    with progress() as show:
        for server in servers:
            show(f"asking {server.name} for its tools")
            if row := _server_row(server, count):
                rows.append(row)
    head = ["definitions", "tools", "as it is", *(f"--mode {mode}" for mode in SHOWN_MODES)]
    return "\n" + table(head, rows) if rows else ""


def _server_row(server: ConfiguredServer, count: TokenCounter) -> list[str] | None:
    if not server.command:
        say(f"{server.name} is left out: it has no command")
        return None
    try:
        listing = list_tools(server.command, env=server.variables)
    except LTONError as error:
        say(f"{server.name} is left out ({shlex.join(server.command)}): {error}")
        return None
    counts = count_modes(listing.tools, count)
    return [server.name, f"{len(listing.tools):,}", *map(format_tokens, counts.values())]
