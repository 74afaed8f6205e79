"""Implement `lton cost`, which reports the tokens of logged requests."""

import argparse
import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lton._terminal import UsageError, add_table, count_noun, say, try_parse_non_negative, write
from lton.cost.bill import Bill
from lton.cost.counted import CountedAnswers
from lton.cost.logs import records
from lton.cost.modes import count_modes, describe_modes
from lton.cost.reading import Take, iterate_log_errors
from lton.cost.report import bill_to_data, describe_bill
from lton.cost.sessions import REQUESTS_OF
from lton.cost.trial import (
    AGENT_NAMES,
    ALL_SERVERS,
    Week,
    WeekRecords,
    describe_savings,
    report_sessions,
    start_week,
    write_report,
)
from lton.errors import ServerError
from lton.integrations.mcp import list_tools
from lton.tokens import counter
from lton.tokens.billing import PRICES, Prices
from lton.tokens.registry import default_tokenizer

_IN_LTON = "With lton serve --calls lton, definitions, calls and results are in LTON:\n"
_SHOWN = 10  # the maximum number of reported lines without a record, and of unreadable definitions


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `lton cost`."""
    instead = {"--html": "-o NAME.html", "--servers": "--mcp all"}
    parser.set_defaults(instead=instead, names_output=True)
    add_table(parser, __file__, prices={"type": _read_prices}, price={"type": _parse_two_prices})


def run(options: argparse.Namespace) -> int:
    """Report the tokens of the requests in logs. Return 1 if there are no requests.

    Without logs, the sessions of agents on this machine are found and read.
    """
    if _is_about_sessions(options):
        return report_sessions(options)
    name = options.tokenizer or default_tokenizer(say)
    count = counter(name)
    week = start_week("These files", len(options.logs), count, options.prices)
    bill = week.sent
    definitions = read_all_logs(options, WeekRecords(week).take)
    if not (bill.forms or bill.reported):
        say(
            "there is nothing to count: no answered request, message, call or definition of a tool"
            " was found. lton help cost lists the formats that are read"
        )
        return 1
    for tool, why in list(bill.unread.items())[:_SHOWN]:
        say(f"{tool} costs the same in both: {why}")
    modes = count_modes(definitions, count) if definitions else None
    agents = {form.removeprefix(REQUESTS_OF) for form in bill.forms}
    if len(agents) == 1 and agents <= AGENT_NAMES:
        (week.name,) = agents
    if options.json:
        write(_as_json(week, name, modes))
    else:
        in_lton = describe_bill(bill, name, prices=options.price)
        text = _as_text(week, name, modes, in_lton)
        write_report(options, "These files, and with LTON", [week], text)
    return 0


def _as_text(week: Week, tokenizer: str, modes: dict[str, int | None] | None, in_lton: str) -> str:
    sections = []
    if _has_results(week.sent):
        sections.append(describe_savings([week], tokenizer))
    if modes:
        sections.append(describe_modes(modes, tokenizer))
    sections.append(f"{_IN_LTON}\n{in_lton}" if sections else in_lton)
    return "\n".join(sections)


def _as_json(week: Week, tokenizer: str, modes: dict[str, int | None] | None) -> str:
    data = bill_to_data(week.sent, tokenizer)
    if _has_results(week.sent):
        data["wrapped"] = bill_to_data(week.wrapped, tokenizer)
        data["short"] = bill_to_data(week.short, tokenizer)
    if modes:
        data["mcp_proxy"] = modes
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _is_about_sessions(options: argparse.Namespace) -> bool:
    """Return whether the sessions on this machine are read.

    Raises `UsageError` if the options contradict each other.
    """
    if options.logs and options.mcp == ALL_SERVERS:
        raise UsageError("--mcp all is for the sessions on this machine, without logs")
    if options.mcp not in (None, ALL_SERVERS):
        is_missing = any(log != "-" and not Path(log).exists() for log in options.logs)
        if options.yes or is_missing:
            raise UsageError(_quote_hint(options))
        return False
    if options.logs:
        return False
    if options.price:
        raise UsageError("--price is for logs: lton cost --price NUMBERS FILE")
    return True


def _has_results(bill: Bill) -> bool:
    """Return whether there are results of tools, which are all that `lton wrap` shortens."""
    return bill.total("results").number > 0


def read_all_logs(options: argparse.Namespace, take: Take) -> list[dict[str, Any]]:
    """Pass the records in logs, and the tool definitions of an MCP server, to `take`.

    Return these definitions.
    """
    definitions: list[dict[str, Any]] = []
    if options.mcp:
        try:
            listing = list_tools(shlex.split(options.mcp), env=os.environ)
        except ServerError:
            if options.logs:
                say(_quote_hint(options))
            raise
        definitions = listing.tools
        for record in records({"tools": listing.tools}):
            take(record)
    empty = 0
    answers = CountedAnswers()
    for log in [file for name in options.logs for file in _iterate_files(name)]:
        for line, error in iterate_log_errors(log, take, answers):
            empty += 1
            if empty <= _SHOWN:
                say(f"{log}: line {line}: {error}")
    if empty > _SHOWN:
        say(f"and {count_noun(empty - _SHOWN, 'more line')}")
    return definitions


def _quote_hint(options: argparse.Namespace) -> str:
    """Return what to type if the words after `--mcp` are the command of a server."""
    words = [options.mcp, *(["-y"] if options.yes else []), *options.logs]
    return f'quote the command of a server: lton cost --mcp "{" ".join(words)}"'


def _iterate_files(log: str) -> Iterator[str]:
    """Yield a log, or the files *.jsonl in a folder, the oldest first."""
    if not Path(log).is_dir():
        yield log
        return
    dated = [(file.stat().st_mtime, str(file)) for file in Path(log).rglob("*.jsonl")]
    if not dated:
        raise UsageError(f"{log}: this folder has no file *.jsonl, as agents write their sessions")
    for _, name in sorted(dated):
        yield name


def _parse_two_prices(text: str) -> tuple[float, float]:
    first, _, second = text.partition(",")
    return _parse_price(first, text), _parse_price(second or first, text)


def _read_prices(text: str) -> Prices:
    if text in PRICES:
        return PRICES[text]
    if "," not in text:
        names = ", ".join(PRICES)
        raise argparse.ArgumentTypeError(f"expected {names} or WRITTEN,READ, found {text!r}")
    write_price, _, read = text.partition(",")
    price = _parse_price(write_price, text)
    return Prices(write=price, read=_parse_price(read, text), hour_write=price)


def _parse_price(number: str, text: str) -> float:
    if (price := try_parse_non_negative(number)) is None:
        raise argparse.ArgumentTypeError(f"expected numbers of at least 0, found {text!r}")
    return price
