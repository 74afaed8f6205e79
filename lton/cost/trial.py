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
from pathlib import Path
from time import time
from typing import Any, TypeAlias

from lton._terminal import UsageError, count_noun, progress, say, table, wrap_lines, write
from lton.cost.bill import Bill
from lton.cost.counted import CountedAnswers
from lton.cost.logs import Record
from lton.cost.modes import SHOWN_MODES, count_modes, format_tokens
from lton.cost.page import write_page
from lton.cost.reading import iterate_log_errors
from lton.cost.report import bill_to_data, shorten_name
from lton.cost.wrapped import WrappedRequests
from lton.errors import LTONError
from lton.integrations.mcp import list_tools
from lton.mcp_proxy.install import CLIENTS
from lton.results import FORMS
from lton.tokens import TokenCounter, counter
from lton.tokens.billing import Prices
from lton.tokens.registry import default_tokenizer

ALL_SERVERS = "all"
"""The value of `--mcp` that asks the servers in all configurations."""
_DAY = 86_400
_NO_GAIN = 0.99
_LEAST = 100  # the minimum number of tokens in a tool's results for a row of its own
_TOP = 10
_EXPLANATION = 150  # tokens
CLAUDE_CODE = "Claude Code"


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
    SessionFolder(CLAUDE_CODE, "~/.claude", "projects/**/*.jsonl", "CLAUDE_CONFIG_DIR"),
    SessionFolder("Codex", "~/.codex", "sessions/**/rollout-*.jsonl", "CODEX_HOME"),
    SessionFolder("qwen-code", "~/.qwen", "projects/*/chats/*.jsonl"),
)
AGENT_NAMES = {agent.name for agent in AGENTS}
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
    """The requests of an agent or of logs: as sent, as `lton wrap` would send them, and as
    `lton wrap --results short` would.
    """

    name: str
    files: int
    sent: Bill
    wrapped: Bill
    short: Bill

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
    show = say if options.json or writes_page(options) else write
    show(_describe_plan(logs, configurations, days, asks_servers))
    if not (options.yes or _ask_consent()):
        return 1
    name = options.tokenizer or default_tokenizer(say)
    count = counter(name)
    weeks = [_read_week(agent, files, since, count, options.prices) for agent, files in logs]
    servers = [*_iterate_servers(configurations)]
    text = describe_savings(weeks, name)
    text += _describe_servers(servers, count if asks_servers else None)
    if options.json:
        write(_as_json(weeks, servers, name))
    else:
        start = "" if writes_page(options) else "\n"
        write_report(options, f"The last {days}, and with LTON", weeks, f"{start}{text}")
    has_requests = any(week.requests for week in weeks)
    if not has_requests:
        say(f"no request of the last {days} has an answer; --days N looks further back")
    return 0 if servers or has_requests else 1


def write_report(options: argparse.Namespace, title: str, weeks: list[Week], text: str) -> None:
    """Write a report as text, or as a page if the name of the output ends with `.html`."""
    if writes_page(options):
        heading = "Tokens of the results of tools"
        bars = count_result_tokens(weeks)
        text = write_page(title, heading, ("as it is", "with lton wrap"), bars, text)
    write(text)


def writes_page(options: argparse.Namespace) -> bool:
    """Return whether the output is a page."""
    return str(options.output).endswith(".html") and not options.json


def _describe_plan(logs: _Found, configurations: list[str], days: str, is_run: bool) -> str:
    lines = [
        f"  {agent.name}: {count_noun(len(files), 'session')} in {days}\n"
        f"    {_shorten_paths(files)}\n"
        for agent, files in logs
    ]
    if configurations:
        lines.append("  MCP servers\n")
    lines += [f"    {name}\n" for name in configurations]
    if is_run:
        lines.append("\n--mcp all: each MCP server in them is started, and asked for its tools.\n")
    head = wrap_lines(
        "lton cost reads these files. It changes nothing, and nothing leaves this machine."
    )
    head += "\n"
    return head + "".join(lines)


def _as_json(weeks: list[Week], servers: list["ConfiguredServer"], tokenizer: str) -> str:
    agents = [
        {"agent": week.name, "files": week.files}
        | {
            name: bill_to_data(getattr(week, name), tokenizer)
            for name in ("sent", "wrapped", "short")
        }
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


def _read_week(
    agent: SessionFolder,
    files: list[Path],
    since: float,
    count: TokenCounter,
    prices: Prices | None,
) -> Week:
    week = start_week(agent.name, len(files), count, prices)
    unread = 0
    answers = CountedAnswers()
    for file in files:
        take = WeekRecords(week, since).take
        unread += sum(1 for _ in iterate_log_errors(str(file), take, answers))
    if unread:
        lines = count_noun(unread, "line")
        say(f"{agent.name}: {lines} of an unknown format left out")
    return week


def start_week(name: str, files: int, count: TokenCounter, prices: Prices | None) -> Week:
    """Start the bills of an agent or of logs."""
    bills = (Bill(count, prices=prices) for _ in range(3))
    return Week(name, files, *bills)


class WeekRecords:
    """Counts the records of a file that are not older than a time, in each bill of a week."""

    def __init__(self, week: Week, since: float = 0) -> None:
        self._week = week
        self._since = since
        self._wrapped = WrappedRequests()
        self._short = WrappedRequests(FORMS["short"])

    def take(self, record: Record) -> None:
        wrapped = replace(self._wrapped.shorten_request(record), usage=None)
        short = replace(self._short.shorten_request(record), usage=None)
        if record.at is None or record.at >= self._since:
            self._week.sent.add_record(record)
            self._week.wrapped.add_record(wrapped)
            self._week.short.add_record(short)


def describe_savings(weeks: list[Week], tokenizer: str) -> str:
    """Report what the provider billed, and what LTON would have saved, by option and by tool."""
    if not weeks:
        return ""
    parts = [
        _billed_table(weeks, tokenizer),
        _sent_table(weeks),
        _tool_table(weeks),
        wrap_lines("\n".join(_iterate_week_lines(weeks))),
    ]
    return "\n".join(filter(None, parts))


def _billed_table(weeks: list[Week], tokenizer: str) -> str:
    """Return a table of what was billed, then what is saved by default, then by options."""
    rows = []
    for week in weeks:
        in_files = week.sent.billed_total.shown
        billed = week.sent.billed_as_reported if week.sent.reported else in_files
        requests = count_noun(week.requests, "request")
        source = "billed" if week.sent.reported else "estimated"
        rows.append([f"{week.name}: {requests}, {source}", f"{billed:,.0f}", ""])
        with_options = {
            "lton wrap": week.wrapped.billed_total.shown,
            "lton wrap --results short": week.short.billed_total.shown,
            "lton serve --calls lton": week.sent.billed_total.lton,
        }
        for command, tokens in with_options.items():
            changed = billed - in_files + tokens
            rows.append([f"  with {command}", *_saving_cells(billed, changed)[1:]])
    return table([tokenizer, "billed tokens", "saved"], rows)


def _sent_table(weeks: list[Week]) -> str:
    rows = []
    for week in weeks:
        plain, wrapped = (bill.total().shown for bill in (week.sent, week.wrapped))
        results = [bill.total("results").shown for bill in (week.sent, week.wrapped)]
        if reported := week.sent.reported:
            every = reported.prompt.total
            rows.append([f"{week.name}: sent", *_saving_cells(every, every - plain + wrapped)])
        rows.append([f"{week.name}: in the files", *_saving_cells(plain, wrapped)])
        rows.append(["  results of tools", *_saving_cells(*results)])
    return table(["tokens", "as it is", "lton wrap", "saved"], rows)


def _saving_cells(plain: float, changed: float) -> list[str]:
    saved = f"{100 * (plain - changed) / plain:z.1f} %" if plain else "-"
    return [f"{plain:,.0f}", f"{changed:,.0f}", saved]


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
    rows = [
        [shorten_name(name), *_saving_cells(plain, wrapped)]
        for name, plain, wrapped in tool_counts[:_TOP]
    ]
    more = f"and {len(tool_counts) - _TOP:,} tools more\n" if len(tool_counts) > _TOP else ""
    return table(["results of", "as it is", "lton wrap", "saved"], rows) + more if rows else ""


def _iterate_week_lines(weeks: list[Week]) -> Iterator[str]:
    tool_counts = count_result_tokens(weeks)
    if longer := [name for name, plain, wrapped in tool_counts if wrapped > plain]:
        yield f"Longer with LTON: {', '.join(longer)}."
    same = [
        name
        for name, plain, now in tool_counts
        if plain >= _LEAST and _NO_GAIN * plain < now <= plain
    ]
    if same:
        yield f"Nothing to gain by default: {', '.join(same[:_TOP])}."
    if any(week.sent.reported for week in weeks):
        yield (
            "Billed: what the provider reported, with an input token as 1, and tokens that are"
            " written to its cache or read from it at their prices. Savings are estimated from the"
            " text in the files."
        )
    else:
        yield (
            "Estimated: with an input token as 1, and tokens that are written to the provider's"
            " cache or read from it at their prices."
        )
    if not any(week.sent.total("definitions").number for week in weeks):
        yield (
            "The files contain no definitions of tools. So --calls lton is counted without them,"
            f" and without the text that explains LTON (about {_EXPLANATION} tokens)."
        )
    yield (
        "With --results short and --calls lton, agents see shorter JSON, and may fail to edit files"
        " of JSON that they have read."
    )
    if any(week.name == CLAUDE_CODE for week in weeks):
        yield (
            "For Claude Code, lton wrap --lean also shortens definitions of tools that recent"
            " sessions never called."
        )
    yield "By default, lton wrap shortens only results of tools, when they are first sent."


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


def _describe_servers(servers: list[ConfiguredServer], count: TokenCounter | None) -> str:
    if not servers:
        return ""
    if count is None:
        names = ", ".join(dict.fromkeys(server.name for server in servers))
        return wrap_lines(
            f"\nMCP servers: {names}\n"
            "lton cost --mcp all counts the definitions that lton mcp-proxy shortens."
        )
    rows: list[list[str]] = []
    with progress() as show:
        for server in servers:
            show(f"asking {server.name} for its tools")
            if row := _try_format_server_row(server, count):
                rows.append(row)
    head = ["definitions of", "tools", "as it is", *(f"--mode {mode}" for mode in SHOWN_MODES)]
    return "\n" + table(head, rows) if rows else ""


def _try_format_server_row(server: ConfiguredServer, count: TokenCounter) -> list[str] | None:
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
