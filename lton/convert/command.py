"""`lton convert`: convert a file, with a bar, and say what became of it."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lton._require import require
from lton._syntax import FORMS
from lton._terminal import UsageError
from lton.convert.files import STDIN
from lton.convert.lines import Settings, Tally
from lton.convert.run import convert_file
from lton.errors import MissingExtraError
from lton.grammar.build import FOR_MODELS
from lton.tokens import counter

EXAMPLE = """\
  $ lton convert chats.jsonl --form punctuated --output train.jsonl --tokenizer o200k
  $ lton convert bfcl:simple_python --limit 200 > train.jsonl
"""
EXTRA = "rich>=15"
_INTERRUPTED = 130


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `lton convert`."""
    add = parser.add_argument
    add(
        "source",
        metavar="SOURCE",
        help="a file of JSON lines, each with messages and tools as OpenAI has them; - for standard"
        " input; with lton-bench, bfcl or bfcl:CATEGORY",
    )
    add(
        "--output",
        dest="out",
        metavar="FILE",
        help="the examples; what is left out goes to FILE.rejected.jsonl, and a run that was"
        " interrupted goes on (default: standard output and error)",
    )
    add("--form", choices=FORMS, default=FOR_MODELS, help=f"default: {FOR_MODELS}")
    add("--no-descriptions", action="store_true", help="signatures only")
    add("--no-primer", action="store_true", help="leave it to the training to explain the notation")
    add("--tokenizer", metavar="NAME", help="count tokens, before and after: see lton tokens")
    add("--limit", metavar="N", type=int, help="the first N lines")
    add("--jobs", metavar="N", type=int, default=_cores(), help="processes (default: all cores)")


def run(options: argparse.Namespace) -> int:
    """Run what the options say; the status is 1 only if all lines are left out."""
    if options.jobs < 1 or (options.limit is not None and options.limit < 0):
        raise UsageError("expected at least one process, and no negative limit")
    if options.tokenizer:
        counter(options.tokenizer)  # a wrong name is an error before the first line
    settings = Settings(
        form=options.form,
        descriptions=not options.no_descriptions,
        primer=not options.no_primer,
        tokenizer=options.tokenizer,
    )
    try:
        with _bar() as progress:
            tally = convert_file(
                options.source,
                Path(options.out) if options.out else None,
                settings,
                jobs=options.jobs,
                limit=options.limit,
                progress=progress,
            )
    except KeyboardInterrupt:
        goes_on = options.out and options.source != STDIN
        again = "; the same command goes on" if goes_on else ""
        print(f"lton: interrupted{again}", file=sys.stderr)
        return _INTERRUPTED
    print(summary(tally), file=sys.stderr)
    return 1 if tally.left_out and not tally.converted else 0


def summary(tally: Tally) -> str:
    """Get what became of the lines, for people.

    >>> tally = Tally(12, before=4000, after=3000, said_before=2000, said_after=1400)
    >>> tally.left_out["E201"] = 3
    >>> print(summary(tally))
    converted 12
    left out 3: E201 3
    tokens of the chats: 4,000 before, 3,000 after (0.75)
    tokens of the assistant: 2,000 before, 1,400 after (0.70)
    """
    codes = ", ".join(f"{code} {count:,}" for code, count in tally.left_out.most_common())
    lines = [
        f"converted {tally.converted:,}",
        f"left out {tally.left_out.total():,}{codes and f': {codes}'}",
    ]
    counts = {
        "the chats": (tally.before, tally.after),
        "the assistant": (tally.said_before, tally.said_after),
    }
    for what, (before, after) in counts.items():
        if before:
            share = f"{after / before:.2f}"
            lines.append(f"tokens of {what}: {before:,} before, {after:,} after ({share})")
    return "\n".join(lines)


@contextmanager
def _bar() -> Iterator[Callable[[int, int | None], None]]:
    """Show how many bytes of the input are done, on a terminal where rich is installed."""
    try:
        shown = require("rich.progress", EXTRA) if sys.stderr.isatty() else None
    except MissingExtraError:
        shown = None
    if shown is None:
        yield lambda done, size: None
        return
    columns = (
        shown.TextColumn("converting"),
        shown.BarColumn(),
        shown.DownloadColumn(binary_units=True),
        shown.TransferSpeedColumn(),
        shown.TimeElapsedColumn(),
        shown.TimeRemainingColumn(),
    )
    console = require("rich.console", EXTRA).Console(stderr=True)
    with shown.Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, size: bar.update(task, completed=done, total=size)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
