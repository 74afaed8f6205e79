"""Measure the cost of LTON's grammars in three engines, relative to the engine's JSON Schema.

    python -m lton_bench.grammars            writes benchmarks/results/grammars.json and .md
    python -m lton_bench.grammars --quick    a small part, printed only
    python -m lton_bench.grammars --render   writes grammars.md again from grammars.json
    python -m lton_bench.grammars --into P   also writes the table of a page

Theory of operation. The tools and calls are from BFCL. In addition there are 72 tools of MCP
servers, with the calls that `lton probe` asks for. Both notations get the same tools, as strictly
as possible: a JSON Schema of one call without free whitespace, and a grammar of LTON. Each gold
call is written in both notations, split into tokens, and masked token by token. A call that one
notation does not accept is counted, and not timed for any notation. The notations take turns, call
by call. A ratio compares LTON with JSON Schema in the same run. Times are CPU time. Each engine
runs in its own process, because an engine can crash its process.

The exit status is 1 if a call in LTON is not accepted. A missed goal is a result, not a failure.
"""

import argparse
import gc
import json
import platform
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from lton import ToolSet
from lton_bench.grammars import report as grammars_report
from lton_bench.grammars.engines import (
    ENGINES,
    O200K,
    SMOLLM2,
)
from lton_bench.grammars.masks import Figures, Worker, with_ratios
from lton_bench.grammars.report import FORM_NAMES, fair
from lton_bench.grammars.sides import JSON_SCHEMA, PRINTERS, Group
from lton_bench.grammars.tools import (
    MAX_LENGTH,
    SIZES,
    WRITE_FILE,
    WRITING,
    Known,
    gold,
    of_servers,
)
from lton_bench.internals import Form
from lton_bench.speed import report as speed_report
from lton_bench.tokens.report import update_page

RESULTS = Path(__file__).parents[2] / "results"
PACKAGES = ("llama-cpp-python", "llguidance", "xgrammar")
PAIRS = (
    ("llguidance", O200K),
    ("llguidance", SMOLLM2),
    ("xgrammar", O200K),
    ("xgrammar", SMOLLM2),
    ("llama.cpp", SMOLLM2),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The amount of work: toolsets of one tool, calls of each size at most, and compilations.

    llama.cpp gets fewer calls, because a mask takes it milliseconds.
    """

    sizes: Sequence[int]
    singles: int
    calls: int
    slow_calls: int
    compiles: int
    pairs: Sequence[tuple[str, str]]
    counted: Sequence[int]


FULL = Plan(
    sizes=SIZES, singles=5, calls=100, slow_calls=10, compiles=5, pairs=PAIRS, counted=(999, 9_999)
)
QUICK = Plan(
    sizes=SIZES[:2],
    singles=1,
    calls=10,
    slow_calls=3,
    compiles=1,
    pairs=(PAIRS[0], PAIRS[2], PAIRS[4]),
    counted=(),
)


def cells(plan: Plan, engine: str) -> Iterator[tuple[str, int, int | None, list[Group]]]:
    """Yield the title, number of tools, bound of strings, and groups of each section."""
    most = plan.slow_calls if engine == "llama.cpp" else plan.calls
    for max_length in (None, MAX_LENGTH):
        for size in plan.sizes:
            counted = plan.counted if size == SIZES[1] and max_length is None else ()
            known = gold()[:size] if size > 1 else gold()[: plan.singles]
            together = [known] if size > 1 else [[one] for one in known]
            groups = [
                Group.of(entries, most // len(together), max_length, counted=counted)
                for entries in together
            ]
            yield "tools", size, max_length, groups
    yield "servers", len(of_servers()), None, [Group.of(of_servers(), most, None)]
    known = [Known(WRITE_FILE, [WRITING] * 5)]
    for max_length in (None, MAX_LENGTH) if plan.counted else ():
        file = Group.of(known, 5, max_length, forms=["punctuated"], counted=plan.counted)
        yield "file", 1, max_length, [file]


def emission(times: int) -> Figures:
    """Measure emitting the grammars of 1,000 tools, compared with reading the definitions."""
    entries = gold()[:100]
    tools = [
        {"type": "function", "function": {**entry.tool["function"], "name": f"{entry.name}_{n}"}}
        for n in range(10)
        for entry in entries
    ]
    work: dict[str, Callable[[], object]] = {
        "ToolSet.from_tools": lambda: ToolSet.from_tools(tools)
    }
    few, many = ToolSet.from_tools(tools[:100]), ToolSet.from_tools(tools)
    rows: list[Figures] = []
    for printer in PRINTERS.values():
        for form in FORM_NAMES:
            name = f"{printer.__name__}, {form}"
            work[name] = partial(printer, many, form=form)
            rows.append(
                {
                    "name": name,
                    "of 100": len(printer(few, form=form)),
                    "of 1,000": len(printer(many, form=form)),
                }
            )
    durations: dict[str, list[int]] = {name: [] for name in work}
    for _ in range(times):
        for name, run in work.items():
            gc.collect()
            start = time.process_time_ns()
            run()
            durations[name].append(time.process_time_ns() - start)
    baseline = durations["ToolSet.from_tools"]
    for row in rows:
        row["ns"] = median(durations[row["name"]])
        pairs = zip(durations[row["name"]], baseline, strict=True)
        row["ratio"] = float(f"{median(mine / its for mine, its in pairs):.3g}")
        row["growth"] = float(f"{row['of 1,000'] / row['of 100'] / 10:.3g}")
    return {"from_tools": median(baseline), "rows": rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """The highest ratio to JSON Schema that some rows should have."""

    measure: str
    at_most: float
    engines: Iterable[str] = tuple(ENGINES)
    forms: Sequence[Form] = FORM_NAMES
    bounds: Sequence[int | None] = (None, MAX_LENGTH)


GOALS = (
    Goal(measure="characters", at_most=1.0),
    Goal(measure="compile", at_most=1.0, engines=("llguidance", "xgrammar"), forms=FORM_NAMES[:2]),
    Goal(measure="compile", at_most=0.01, engines=("xgrammar",), bounds=(MAX_LENGTH,)),
    Goal(measure="p50", at_most=1.0, engines=("llguidance",)),
    Goal(measure="p99", at_most=1.0, engines=("llguidance",)),
    Goal(measure="call", at_most=1.0),
)


def judge(sections: Sequence[Figures]) -> Iterator[Figures]:
    """Yield each goal in each engine. Strings have bounds only if the schema has."""
    for goal in GOALS:
        for engine, vocabulary in PAIRS:
            for bound in goal.bounds if engine in goal.engines else ():
                for form in goal.forms:
                    rows = {
                        str(section["size"]): row["ratios"].get(goal.measure)
                        for section in sections
                        if section["what"] == "tools"
                        and (section["engine"], section["vocabulary"]) == (engine, vocabulary)
                        and section["max_length"] == bound
                        and (row := fair(section, form))
                    }
                    if rows:
                        yield {
                            "measure": goal.measure,
                            "engine": engine,
                            "vocabulary": vocabulary,
                            "form": form,
                            "max_length": bound,
                            "at_most": goal.at_most,
                            "found": rows,
                        }


def run(plan: Plan, progress: Progress, only: Collection[str] = (), known: Any = None) -> Figures:
    """Return all figures. With `only`, the other figures are copied from a `known` run."""
    sections: list[Figures] = []
    earlier = {_key(section): section for section in known["sections"]} if known else {}
    for engine, vocabulary in plan.pairs:
        todo = list(cells(plan, engine))
        task = progress.add_task(f"{engine}, {vocabulary}", total=len(todo))
        worker = Worker(engine, vocabulary)
        for what, size, max_length, groups in todo:
            section = {
                "what": what,
                "engine": engine,
                "vocabulary": vocabulary,
                "size": size,
                "max_length": max_length,
                "calls": sum(len(group.calls) for group in groups),
            }
            if only and what not in only:
                sections += [earlier[_key(section)]] if _key(section) in earlier else []
            else:
                rows = worker.rows(groups, plan.compiles)
                sections.append({**section, "rows": with_ratios(rows)})
            progress.advance(task)
        worker.end()
    task = progress.add_task("emission", total=1)
    emitted = known["emission"] if known else emission(plan.compiles)
    progress.advance(task)
    return {
        "versions": {
            "lton": version("lton"),
            "python": platform.python_version(),
            **{package: version(package) for package in PACKAGES},
        },
        "platform": f"{platform.python_implementation()}, {platform.system()} {platform.machine()}",
        "goals": list(judge(sections)),
        "sections": sections,
        "emission": emitted,
    }


def _key(section: Figures) -> tuple[object, ...]:
    return tuple(section[name] for name in ("what", "engine", "vocabulary", "size", "max_length"))


def lost(figures: Figures) -> int:
    """Count the calls in LTON that an engine did not accept."""
    return sum(
        row["lost"] + bool(row["refused"])
        for section in figures["sections"]
        for row in section["rows"]
        if row["name"] != JSON_SCHEMA
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write the results; or only render them."""
    parser = argparse.ArgumentParser(prog="python -m lton_bench.grammars")
    parser.add_argument("--quick", action="store_true", help="a small part, printed only")
    parser.add_argument(
        "--only",
        action="append",
        choices=("tools", "servers", "file"),
        default=[],
        help="measure these, and keep the other figures of grammars.json",
    )
    parser.add_argument("--calls", type=int, default=FULL.calls, help="of each size, at most")
    parser.add_argument("--render", action="store_true", help="write grammars.md from its .json")
    parser.add_argument(
        "--into", type=Path, metavar="FILE", help="write the table of this page anew"
    )
    options = parser.parse_args(arguments)
    if options.render:
        speed_report.render(RESULTS / "grammars", grammars_report.markdown)
        _update(options.into)
        return 0
    console = Console(width=132)
    columns = (TextColumn("{task.description:<24}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        plan = QUICK if options.quick else replace(FULL, calls=options.calls)
        known = json.loads((RESULTS / "grammars.json").read_text("utf-8")) if options.only else None
        figures = run(plan, progress, options.only, known)
    if not options.quick:
        speed_report.save(RESULTS / "grammars", figures, grammars_report.markdown)
        _update(options.into)
    grammars_report.show(figures, console)
    return 1 if lost(figures) else 0


def _update(page: Path | None) -> None:
    if page:
        figures = json.loads((RESULTS / "grammars.json").read_text("utf-8"))
        update_page(page, grammars_report.summary_table(figures))


if __name__ == "__main__":
    sys.exit(main())
