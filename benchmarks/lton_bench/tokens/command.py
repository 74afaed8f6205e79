"""Run the token benchmark, show the figures, and write the reports."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lton.schema import ToolSet
from lton.tokens.families import openai_ranks
from lton_bench.internals import require
from lton_bench.tokens import report
from lton_bench.tokens import results as made
from lton_bench.tokens.datasets import datasets
from lton_bench.tokens.jsonl import read_turns
from lton_bench.tokens.page import Results, render
from lton_bench.tokens.page.vocabulary import NAMES
from lton_bench.tokens.pieces import Turn

EXTRA = "bench"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `python -m lton_bench.tokens`."""
    parser.add_argument(
        "--data",
        metavar="FILE",
        help="calls of your own: JSON lines, each a call, a message with tool_calls, or a list",
    )
    parser.add_argument(
        "-t", "--tools", metavar="FILE", help="the definitions of the tools in --data"
    )
    parser.add_argument(
        "--dataset",
        metavar="NAME",
        action="append",
        help=f"only this one; may be repeated: {', '.join(datasets())}",
    )
    parser.add_argument(
        "--tokenizer",
        metavar="NAME",
        action="append",
        help=f"instead of {', '.join(made.TOKENIZERS)}; may be repeated",
    )
    parser.add_argument("--limit", metavar="N", type=int, help="the first N texts of each data set")
    parser.add_argument(
        "--output",
        dest="out",
        metavar="DIR",
        help="write tokens.json, tokens.md and tokens.html there",
    )
    parser.add_argument(
        "--render", metavar="FILE", help="measure nothing: take the results from this tokens.json"
    )
    parser.add_argument("--into", metavar="FILE", help="write the table of this page anew")


def run(options: argparse.Namespace) -> int:
    """Run the benchmark; the exit status is 0 for any figures."""
    if options.render:
        own, results = [], json.loads(Path(options.render).read_text("utf-8"))
    else:
        own = _own(options.data, options.tools)
        results = _measured(options, own)
    if options.out:
        _write_all(Path(options.out), results, own)
    if options.into:
        report.update_page(Path(options.into), report.summary_table(results))
    if not options.out:
        _show(results)
    return 0


def _measured(options: argparse.Namespace, own: list[Turn]) -> made.Results:
    progress = require("rich.progress", EXTRA)
    console = require("rich.console", EXTRA).Console(stderr=True)
    tokenizers, missing = made.available(options.tokenizer or made.TOKENIZERS)
    for why in missing.values():
        console.print(f"left out: {why}", markup=False, highlight=False)
    if not tokenizers:
        raise ValueError("no tokenizer is installed")
    run_ = made.Run(
        tokenizers=tokenizers,
        only=options.dataset or (),
        limit=options.limit,
        own=own,
    )
    columns = (
        progress.TextColumn("counting"),
        progress.BarColumn(),
        progress.TextColumn("{task.completed} of {task.total} shares"),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=len(run_.work))
        return run_.results(lambda: bar.advance(task))


def _own(data: str | None, tools: str | None) -> list[Turn]:
    if data is None:
        return []
    if tools is None:
        raise ValueError("--data needs --tools: the definitions of the tools that it calls")
    definitions = json.loads(Path(tools).read_text("utf-8"))
    text = sys.stdin.read() if data == "-" else Path(data).read_text("utf-8")
    return list(read_turns(text, definitions))


def _write_all(folder: Path, results: made.Results, own: list[Turn]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    made.save(folder / "tokens.json", results)
    (folder / "tokens.md").write_text(report.markdown(results), "utf-8")
    page_results: Results = {
        "meta": {**results["meta"]["packages"], "Python": results["meta"]["python"]},
        "tokenizers": results["tokenizers"],
        "tables": list(report.tables(results)),
    }
    if own:
        page_results["tables"] = sorted(
            page_results["tables"], key=lambda table: table["title"] != made.OWN_TITLE
        )
        page_results["sample"] = _sample(own[0])
    page = render(page_results, {name: openai_ranks(name) for name in NAMES})
    (folder / "tokens.html").write_text(page, "utf-8")
    for name in ("tokens.json", "tokens.md", "tokens.html"):
        print(folder / name, file=sys.stderr)


def _sample(turn: Turn) -> tuple[str, str]:
    """Return the calls of a turn and the definitions of the called tools, for the page."""
    calls = [{"name": call.name, "arguments": call.arguments} for call in turn.calls]
    names = {call.name for call in turn.calls}
    tools = [member for member in turn.tools if ToolSet.from_tools([member]).by_name.keys() & names]
    texts = (calls[0] if len(calls) == 1 else calls, tools)
    call, definitions = (json.dumps(member, indent=2, ensure_ascii=False) for member in texts)
    return call, definitions


def _show(results: made.Results) -> None:
    """Print a table for each kind of data, and the goals."""
    console, table = require("rich.console", EXTRA).Console(), require("rich.table", EXTRA)
    several = [entry for entry in report.tables(results) if entry["title"].endswith(": all data")]
    for data in several:
        grid = table.Table(title=data["title"], caption=data["about"], pad_edge=False)
        grid.add_column(data["columns"][0], no_wrap=True)
        for column in data["columns"][2:]:
            grid.add_column(column, justify="right")
        for name, group, *cells in data["rows"]:
            style = "bold" if group == "LTON" else ""
            grid.add_row(name, *_texts(cells), style=style)
        console.print(grid)
    for goal in results["goals"]:
        verdict = "met" if goal["met"] else "missed"
        line = f"{goal['goal']}: {goal['found']:.3f}, at most {goal['at_most']:.2f}: {verdict}"
        console.print(line, markup=False, highlight=False)


def _texts(cells: Sequence[Any]) -> list[str]:
    return ["-" if cell is None else f"{cell:.3f}" for cell in cells]
