"""Implement `lton cost`, which reports the tokens of logged requests."""

import argparse
import json
import os
import shlex
from functools import partial
from typing import Any

from lton._terminal import UsageError, add_table, number_from_0, say, write
from lton.cost.bill import Bill
from lton.cost.counted import CountedAnswers
from lton.cost.logs import records
from lton.cost.modes import count_modes, describe_modes
from lton.cost.reading import Take, iterate_log_errors
from lton.cost.report import bill_to_data, write_report
from lton.cost.trial import ALL_SERVERS, Week, describe_savings, report_sessions, take_record
from lton.cost.wrapped import WrappedRequests
from lton.integrations.mcp import list_tools
from lton.tokens import counter
from lton.tokens.billing import PRICES, Prices
from lton.tokens.registry import default_tokenizer

_IN_LTON = "With lton serve --calls lton, definitions, calls and results are in LTON:\n\n"
_SHOWN = 10  # the maximum number of reported lines without a record, and of unreadable definitions


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `lton cost`."""
    instead = {"--html": "-o NAME.html", "--servers": "--mcp all"}
    parser.set_defaults(instead=instead)
    add_table(parser, __file__, prices={"type": _read_prices}, price={"type": _parse_two_prices})


def run(options: argparse.Namespace) -> int:
    """Report the tokens of the requests in logs. Return 1 if there are no requests.

    Without logs, the sessions of agents on this machine are found and read.
    """
    if _is_about_sessions(options):
        return report_sessions(options)
    name = options.tokenizer or default_tokenizer(say)
    count = counter(name)
    bill = Bill(count, prices=options.prices)
    week = Week("these logs", len(options.logs), bill, Bill(count, prices=options.prices))
    definitions = read_all_logs(options, partial(take_record, week, WrappedRequests(), 0))
    if not (bill.forms or bill.reported):
        say("there is nothing to count")
        return 1
    for tool, why in list(bill.unread.items())[:_SHOWN]:
        say(f"{tool} costs the same in both: {why}")
    modes = count_modes(definitions, count) if definitions else None
    if not options.json:
        if _has_results(bill):
            write(f"{describe_savings([week], name)}\n{_IN_LTON}")
        write(write_report(bill, name, prices=options.price))
        if modes:
            write(describe_modes(modes))
        return 0
    data = bill_to_data(bill, name)
    if _has_results(bill):
        data["wrapped"] = bill_to_data(week.wrapped, name)
    if modes:
        data["mcp_proxy"] = modes
    write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    return 0


def _is_about_sessions(options: argparse.Namespace) -> bool:
    """Return whether the sessions on this machine are read.

    Raises `UsageError` if the options contradict each other.
    """
    if options.logs:
        if options.mcp == ALL_SERVERS:
            raise UsageError("--mcp all is for the sessions on this machine, without logs")
        return False
    if options.mcp not in (None, ALL_SERVERS):
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
        listing = list_tools(shlex.split(options.mcp), env=os.environ)
        definitions = listing.tools
        for record in records({"tools": listing.tools}):
            take(record)
    empty = 0
    answers = CountedAnswers()
    for log in options.logs:
        for line, error in iterate_log_errors(log, take, answers):
            empty += 1
            if empty <= _SHOWN:
                say(f"{log}: line {line}: {error}")
    if empty > _SHOWN:
        say(f"and {empty - _SHOWN:,} more lines")
    return definitions


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
    if (price := number_from_0(number)) is None:
        raise argparse.ArgumentTypeError(f"expected numbers of at least 0, found {text!r}")
    return price
