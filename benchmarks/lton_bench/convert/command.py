"""Convert tool-call data to LTON, show the progress, and report the result."""

import argparse
import os
import sys
from pathlib import Path

from lton.tokens import counter
from lton_bench.convert.files import STDIN
from lton_bench.convert.lines import Settings, Tally
from lton_bench.convert.run import convert_file
from lton_bench.internals import FOR_MODELS, FORMS, UsageError, progress

_INTERRUPTED = 130


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the program."""
    add = parser.add_argument
    add(
        "source",
        metavar="SOURCE",
        help="a file of JSON lines, each with OpenAI's messages and tools; - for standard"
        " input; bfcl or bfcl:CATEGORY",
    )
    add(
        "--output",
        dest="out",
        metavar="FILE",
        help="the examples; rejected lines go to FILE.rejected.jsonl, and an interrupted run"
        " resumes (default: standard output and error)",
    )
    add("--form", choices=FORMS, default=FOR_MODELS, help=f"default: {FOR_MODELS}")
    add("--no-primer", action="store_true", help="do not explain the notation")
    add("--tokenizer", metavar="NAME", help="count tokens before and after: such as o200k")
    add("--limit", metavar="N", type=int, help="the first N lines")
    add("--jobs", metavar="N", type=int, default=_cores(), help="processes (default: all cores)")


def run(options: argparse.Namespace) -> int:
    """Run the conversion; the status is 1 only if all lines are left out."""
    if options.jobs < 1 or (options.limit is not None and options.limit < 0):
        raise UsageError("expected at least one process, and no negative limit")
    if options.tokenizer:
        counter(options.tokenizer)  # a wrong name is an error before the first line
    settings = Settings(
        form=options.form,
        primer=not options.no_primer,
        tokenizer=options.tokenizer,
    )
    out, bounds = options.out and Path(options.out), {"jobs": options.jobs, "limit": options.limit}
    try:
        with progress() as show:

            def report(done: int, size: int | None) -> None:
                share = f" ({done / size:.0%})" if size else ""
                show(f"converting: {done / 1e6:,.1f} MB{share}")

            tally = convert_file(options.source, out, settings, progress=report, **bounds)
    except KeyboardInterrupt:
        goes_on = options.out and options.source != STDIN
        again = "; the same command resumes" if goes_on else ""
        print(f"lton: interrupted{again}", file=sys.stderr)
        return _INTERRUPTED
    print(summary(tally), file=sys.stderr)
    return 1 if tally.left_out and not tally.converted else 0


def summary(tally: Tally) -> str:
    """Return a report of the conversion, for people.

    >>> tally = Tally(12, before=4000, after=3000, said_before=2000, said_after=1400)
    >>> tally.left_out["E201"] = 3
    >>> print(summary(tally))
    converted 12
    left out 3: E201 3
    tokens of the chats: 4,000 before, 3,000 after (0.75)
    tokens of the assistant: 2,000 before, 1,400 after (0.70)
    """
    codes = ", ".join(f"{code} {count:,}" for code, count in tally.left_out.most_common())
    lines = [f"converted {tally.converted:,}"]
    lines += [f"left out {tally.left_out.total():,}{codes and f': {codes}'}"]
    counts = (tally.before, tally.after), (tally.said_before, tally.said_after)
    for what, (before, after) in zip(("the chats", "the assistant"), counts, strict=True):
        if before:
            share = f"{after / before:.2f}"
            lines.append(f"tokens of {what}: {before:,} before, {after:,} after ({share})")
    return "\n".join(lines)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
