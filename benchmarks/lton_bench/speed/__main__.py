"""Measure the speed of writing and reading calls, compared with JSON, validators, TOON and C code.

    python -m lton_bench.speed            writes benchmarks/results/speed.json and .md
    python -m lton_bench.speed --quick    a small part, printed only
    python -m lton_bench.speed --render   writes speed.md again from speed.json

Theory of operation. A race has rounds. In each round every contestant does the same work once, so
other load on the machine affects all of them. A ratio is taken within a round, and the median and
the quartiles are over the rounds. Times are the CPU time of this process, without waiting for a
core. The cyclic garbage collector is off while a contestant works. Before the race every answer is
compared with the calls that were given.

The exit status is 1 if an answer of LTON is wrong. A missed goal is a result, not a failure.
"""

import argparse
import gc
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from lton_bench.internals import Form
from lton_bench.speed import contestants
from lton_bench.speed import report as speed_report
from lton_bench.speed.calls import (
    SHAPES,
    TOOLS,
    file_of,
    of_tau2,
    one_a_text,
    one_a_toolset,
    page_of_rows,
    source,
    weather_calls,
)
from lton_bench.speed.contestants import BARE, COMPACT, TOON, VALIDATED, WIRE, Batch
from lton_bench.speed.growth import growth
from lton_bench.speed.nests import FLAT, NESTS, errors, nests
from lton_bench.speed.streams import CHUNKS, WHOLE, chunk_name, streams
from lton_bench.speed.timing import Clock, Figures, Goal, Plan

RESULTS = Path(__file__).parents[2] / "results"
PACKAGES = (
    *("fastjsonschema", "jsonschema-rs", "msgspec", "orjson"),
    *("pydantic", "pydantic-core", "toon-format"),
)
SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
STEADY = 8
"""Every eighth call is written and read ten times in a row, because an agent keeps its tools."""
FULL = Plan(scale=1.0, stride=1, sizes=SIZES, patience=3.0, least_rounds=3)
QUICK = Plan(scale=0.03, stride=16, sizes=SIZES[:3], patience=0.2, least_rounds=2)
ENCODE_GOALS = (
    Goal(name=WIRE, against=COMPACT, at_most=1.0),
    Goal(name=WIRE, against=TOON, at_most=0.1),
)
DECODE_GOALS = (
    Goal(name=WIRE, against=VALIDATED, at_most=1.0),
    Goal(name=WIRE, against=BARE, at_most=2.5),
    Goal(name=WIRE, against=TOON, at_most=0.1),
)
ROWS_GOALS = (Goal(name=WIRE, against=BARE, at_most=5.0),)
SOURCE_GOALS = (Goal(name=WIRE, against=BARE, at_most=1.0),)
STREAM_GOALS = tuple(Goal(name=chunk_name(size), against=WHOLE, at_most=2.0) for size in CHUNKS)
NEST_GOALS = tuple(
    Goal(name=f"LTON decode, {kind}", against=f"LTON decode, {FLAT}", at_most=10.0)
    for kind in NESTS
)


def measure(plan: Plan, progress: Progress) -> Figures:
    """Return all figures of the benchmark."""
    gc.disable()
    clock = Clock(plan, progress)
    single, many = one_a_text(plan.stride), one_a_toolset(plan.stride)
    plain = [file_of(source(1_000_000, ascii_only=True))]
    accented = [file_of(source(1_000_000, ascii_only=False))]
    races: list[Figures] = []
    for what, unit, batches, times, seconds, read_goals in (
        ("Calls ten times over", "call", single[::STEADY], 10, 16.0, DECODE_GOALS),
        ("Calls of new tools each", "call", single, 1, 16.0, DECODE_GOALS),
        (f"Calls in {len(many)} texts", "call", many, 1, 12.0, DECODE_GOALS),
        ("tau2's calls, each once", "call", of_tau2(plan.stride), 1, 16.0, DECODE_GOALS),
        ("10,000 rows of objects", "text", page_of_rows(), 1, 8.0, ROWS_GOALS),
        ("1 MB of ASCII", "text", plain, 1, 4.0, SOURCE_GOALS),
        ("1 MB not ASCII", "text", accented, 1, 4.0, SOURCE_GOALS),
    ):
        write_goals = ENCODE_GOALS if unit == "call" else ()
        write_race = (batches, contestants.encoders(batches))
        races.append(
            clock.section(f"{what}: encode", unit, write_race, seconds, write_goals, times)
        )
        read = (batches, contestants.decoders(batches))
        races.append(clock.section(f"{what}: decode", unit, read, seconds, read_goals, times))
    streamed: tuple[tuple[str, list[Batch], Form], ...] = (
        (f"Calls in {len(many)} texts", many, "wire"),
        ("1 MB counted", plain, "wire"),
        ("1 MB fenced", plain, "punctuated"),
    )
    for what, batches, form in streamed:
        chunks = (batches, streams(batches, form))
        races.append(clock.section(f"{what}: stream", "character", chunks, 5.0, STREAM_GOALS))
    few = [Batch(calls=weather_calls(18), definitions=TOOLS)]
    races.append(clock.section("Errors: decode", "text", (few, errors(few)), 4.0, (), 1_000))
    nested = (single, nests(single))
    races.append(clock.section("Nests: decode", "character", nested, 8.0, NEST_GOALS))
    return {
        "versions": {
            "lton": version("lton"),
            "python": platform.python_version(),
            **{package: version(package) for package in PACKAGES},
        },
        "platform": f"{platform.python_implementation()}, {platform.system()} {platform.machine()}",
        "races": races,
        "growth": [growth(shape, 5.0, clock) for shape in SHAPES],
    }


def wrong(figures: Figures) -> int:
    """Count the answers of LTON that were wrong."""
    rows = [row for section in figures["races"] for row in section["rows"]]
    in_races: int = sum(row["wrong"] for row in rows if row["name"].startswith("LTON"))
    return in_races + sum(int(section["wrong"]) for section in figures["growth"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write the results; or only render them."""
    parser = argparse.ArgumentParser(prog="python -m lton_bench.speed")
    parser.add_argument("--quick", action="store_true", help="a small part, printed only")
    parser.add_argument("--render", action="store_true", help="write speed.md from speed.json")
    options = parser.parse_args(arguments)
    if options.render:
        speed_report.render(RESULTS / "speed", speed_report.markdown)
        return 0
    console = Console(width=100)
    columns = (TextColumn("{task.description:<44}"), BarColumn(), TimeElapsedColumn())
    # No refreshing by a thread: it would take its time from whoever runs.
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as progress:
        figures = measure(QUICK if options.quick else FULL, progress)
    if not options.quick:
        speed_report.save(RESULTS / "speed", figures, speed_report.markdown)
    speed_report.show(figures, console)
    return 1 if wrong(figures) else 0


if __name__ == "__main__":
    sys.exit(main())
