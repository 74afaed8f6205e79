"""`lton cost`: what tools, calls and results of chat logs cost, in JSON and in LTON."""

import argparse
import json
from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from typing import IO, Any

from lton._json import fault_of
from lton._syntax import FORMS
from lton._terminal import progress, say, table, write
from lton.convert.files import MAX_LINE, STDIN, lines_of, opened
from lton.cost.bill import CATEGORIES, Bill, Costs
from lton.cost.logs import records
from lton.cost.streams import Streams, event, is_chunk
from lton.errors import ConversionError
from lton.grammar.build import FOR_MODELS
from lton.schema.toolset import ToolSet
from lton.tokens import counter
from lton.tokens.registry import default_tokenizer

EXAMPLE = """\
  $ lton cost chats.jsonl
  $ lton cost --price 2.50,10 requests.jsonl tools-list.json
"""
_MAX_FILE = 2**28
"""Bytes of a file that is one value over many lines."""
_SHOWN = 10
"""So many lines that hold nothing are shown, and so many definitions that are none."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `lton cost`."""
    parser.add_argument(
        "logs",
        metavar="LOG",
        nargs="*",
        default=[STDIN],
        help="JSON, or a line each: requests and responses of OpenAI's APIs, Anthropic's or"
        " Gemini's, chunks of streams (data: ...), messages, calls, MCP's tools/list, what"
        " lton serve --log wrote (default: standard input)",
    )
    parser.add_argument(
        "-t", "--tools", metavar="FILE", help="definitions for logs that have none (not counted)"
    )
    parser.add_argument(
        "--tokenizer", metavar="NAME", help="default: o200k; a wrong name lists all"
    )
    parser.add_argument("--form", choices=FORMS, default=FOR_MODELS, help=f"default: {FOR_MODELS}")
    parser.add_argument(
        "--price",
        metavar="IN[,OUT]",
        type=_prices,
        help="what a million tokens cost: read (definitions, results), and written (calls)",
    )
    parser.add_argument("--top", metavar="N", type=int, default=20, help="tools (default: 20)")
    parser.add_argument("--json", action="store_true", help="the counts as data")


def run(options: argparse.Namespace) -> int:
    """Count; the status is 1 if nothing was found to count."""
    tools = None
    if options.tools:
        with open(options.tools, "rb") as file:
            tools = ToolSet.from_tools(json.load(file))
    name = options.tokenizer or default_tokenizer(say)
    bill = Bill(counter(name), tools, form=options.form)
    empty = 0
    for log in options.logs or [STDIN]:
        with opened(log) as file, progress() as show:
            for line, value in _values(file.stream):
                show(f"{log}: line {line:,}")
                if error := _add(value, bill):
                    empty += 1
                    if empty <= _SHOWN:
                        say(f"{log}: line {line}: {error}")
    if empty > _SHOWN:
        say(f"and {empty - _SHOWN:,} lines more")
    for tool, why in list(bill.unread.items())[:_SHOWN]:
        say(f"{tool} costs the same in both: {why}")
    if options.json:
        write(json.dumps(_data(bill, name), indent=2, ensure_ascii=False) + "\n")
    else:
        write(report(bill, name, top=options.top, prices=options.price))
    return 0 if bill.costs else 1


def report(
    bill: Bill, tokenizer: str, *, top: int = 20, prices: tuple[float, float] | None = None
) -> str:
    """Get what was counted, for people: totals, then by tool.

    >>> from lton.cost.logs import records
    >>> bill = Bill(counter("o200k"))
    >>> for record in records({"name": "wait", "arguments": {"minutes": 5}}):
    ...     bill.add(record)
    >>> print(report(bill, "o200k"), end="")
    o200k        number  JSON  LTON  ratio
    definitions       0     0     0      -
    calls             1    11     6   0.55
    results           0     0     0      -
    total             1    11     6   0.55
    calls without a definition: 1
    <BLANKLINE>
          definitions  LTON  calls  LTON  results  LTON
    wait            0     0     11     6        0     0
    """
    mark = "" if bill.exact else "~"
    totals: dict[str, Costs] = {category: bill.total(category) for category in CATEGORIES}
    totals["total"] = bill.total()
    text = table(
        [tokenizer, "number", "JSON", "LTON", "ratio"],
        [
            [category, f"{cost.number:,}", *_both(cost, mark), _ratio(cost)]
            for category, cost in totals.items()
        ],
    )
    defined, total = totals["definitions"], totals["total"]
    if defined.bare < defined.lton:
        text += f"definitions without descriptions: {mark}{defined.bare:,}\n"
    if bill.maps:
        text += f"calls without a definition: {bill.maps:,}\n"
    if prices:
        was, now = (_money(bill, notation, prices) for notation in ("json", "lton"))
        text += f"money: {was:,.4f} in JSON, {now:,.4f} in LTON\n"
    if not total.number:
        return text
    head = ["", *(column for category in CATEGORIES for column in (category, "LTON"))]
    rows = [
        [
            name,
            *(each for category in CATEGORIES for each in _both(bill.total(category, name), mark)),
        ]
        for name in bill.tools[:top]
    ]
    more = len(bill.tools) - len(rows)
    return f"{text}\n{table(head, rows)}" + (f"and {more:,} more\n" if more > 0 else "")


def _both(cost: Costs, mark: str) -> list[str]:
    return [f"{mark * bool(tokens)}{tokens:,}" for tokens in (cost.json, cost.lton)]


def _ratio(cost: Costs) -> str:
    return "-" if cost.ratio is None else f"{cost.ratio:.2f}"


def _money(bill: Bill, notation: str, prices: tuple[float, float]) -> float:
    """Get the cost of all, calls being written by the model and everything else read."""
    written = getattr(bill.total("calls"), notation)
    read = getattr(bill.total(), notation) - written
    return float(read * prices[0] + written * prices[1]) / 1_000_000


def _data(bill: Bill, tokenizer: str) -> dict[str, Any]:
    def of(cost: Costs) -> dict[str, int]:
        return {"number": cost.number, "json": cost.json, "lton": cost.lton, "bare": cost.bare}

    return {
        "tokenizer": tokenizer,
        "exact": bill.exact,
        "maps": bill.maps,
        "unread": bill.unread,
        "total": {category: of(bill.total(category)) for category in CATEGORIES}
        | {"all": of(bill.total())},
        "tools": {
            name: {category: of(bill.total(category, name)) for category in CATEGORIES}
            for name in bill.tools
        },
    }


def _prices(text: str) -> tuple[float, float]:
    read, _, written = text.partition(",")
    return float(read), float(written or read)


def _add(value: Any, bill: Bill) -> str | None:
    """Count what a value holds; get why it holds nothing."""
    if isinstance(value, ValueError):
        return str(value)
    try:
        for record in records(value):
            bill.add(record)
    except ConversionError as error:
        return str(error)
    return None


def _values(stream: IO[bytes]) -> Iterator[tuple[int, Any]]:
    """Get the values of a file with the numbers of their lines; a `ValueError` for what is none.

    A file has one on each line, or is one value.
    """
    lines = _lines(stream)
    first = next(lines, None)
    if first is None:
        return
    number, line = first
    if line is not None and event(line) is None and isinstance(_value(line), ValueError):
        rest = stream.read(_MAX_FILE)
        whole = _value(line + rest)
        if not isinstance(whole, ValueError):
            yield number, whole
            return
        lines = _lines(BytesIO(rest), number + 1)
    streams = Streams()
    for number, line in chain([first], lines):
        said = None if line is None else event(line)
        if said is None:
            yield number, _value(line)
        elif said:
            value = _value(said)
            found = streams.add(value) if is_chunk(value) else [value]
            yield from ((number, each) for each in found)
    yield from ((number, each) for each in streams.rest())


def _lines(stream: IO[bytes], start: int = 1) -> Iterator[tuple[int, bytes | None]]:
    """Get the lines of a file that are not empty, numbered; None for one that is too long."""
    for number, items in enumerate(lines_of(stream, MAX_LINE), start):
        line = next(items)
        if any(True for _ in items):
            yield number, None
        elif line.strip():
            yield number, line


def _value(line: bytes | None) -> Any:
    if line is None:
        return ValueError(f"more than {MAX_LINE:,} bytes")
    try:
        return json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except RecursionError:
        return ValueError("nested too deep")
    except ValueError as error:  # also of bytes that are no text
        return ValueError(f"no JSON: {fault_of(error)}")
