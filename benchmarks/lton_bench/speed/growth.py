"""Measure time and memory per character, for calls of 1 kB to 10 MB."""

import gc
import json
import tracemalloc
from collections.abc import Callable
from typing import Any

from lton import decode, encode
from lton_bench.speed import contestants
from lton_bench.speed import report as speed_report
from lton_bench.speed.calls import SHAPES, TOOLS
from lton_bench.speed.contestants import Batch, Contestant
from lton_bench.speed.streams import DECODER, calls_to_value, cut, stream
from lton_bench.speed.timing import Clock, Figures, Goal, Plan, elapsed, judge, race, ratio, spread

BASE = 10_000
GROWTH = 2.0
"""The highest cost of a character in the largest calls, relative to the base: caches are finite."""


def ladder(shape: str, plan: Plan) -> tuple[dict[int, Batch], list[tuple[str, int, Contestant]]]:
    """Return each operation on a shape in each size; small inputs are processed many times."""
    batches: dict[int, Batch] = {}
    rungs = []
    for size in plan.sizes:
        batch = Batch(calls=SHAPES[shape](size), definitions=TOOLS, many=True)
        batches[size] = batch
        text = encode(batch.calls, batch.tools)
        plain = json.dumps(batch.value, separators=(",", ":"))
        times = max(1, 100_000 // size)
        operations: dict[str, tuple[Callable[..., Any], tuple[Any, ...], Any]] = {
            "json.dumps": (json.dumps, (batch.value,), contestants.from_json),
            "LTON encode": (encode, (batch.calls, batch.tools), contestants.from_text),
            "json.loads": (json.loads, (plain,), contestants.as_it_is),
            "LTON decode": (decode, (text, batch.tools), contestants.from_calls),
        }
        marked = encode(batch.calls, batch.tools, sigil=True)
        operations[DECODER] = (stream, (cut(marked, 4_096), batch.tools), calls_to_value)
        for name, (work, inputs, to_value) in operations.items():
            rung = Contestant(
                name=_rung(name, size),
                work=work,
                columns=tuple([column] * times for column in inputs),
                to_value=to_value,
                units=len(text) * times,
            )
            rungs.append((name, size, rung))
    return batches, rungs


def _rung(name: str, size: int) -> str:
    return f"{name} {speed_report.size_words(size)}"


def peak(rung: Contestant) -> float:
    """Return the peak of allocated bytes in one run, per character."""
    work, inputs = rung.work, [column[0] for column in rung.columns]
    gc.collect()
    tracemalloc.start()
    try:
        answer = work(*inputs)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    del answer
    return most * len(rung.columns[0]) / rung.units


def growth(shape: str, seconds: float, clock: Clock) -> Figures:
    """Return time and memory per character in each size, and their growth."""
    plan = clock.plan
    task = clock.progress.add_task(f"Growth: {shape}", total=None)
    clock.progress.refresh()
    batches, rungs = ladder(shape, plan)
    once: dict[tuple[str, int], float] = {}
    wrong = 0
    entered: list[tuple[str, int, Contestant]] = []
    for name, size, rung in rungs:
        smaller = once.get((name, size // 10), 0.0)
        if smaller * 10 > plan.patience:
            continue  # it would take too long to repeat: the table says so
        bad, raised = _check(rung, batches[size])
        wrong += bad if name.startswith("LTON") else 0
        if not raised:
            entered.append((name, size, rung))
            once[name, size] = elapsed(rung) * rung.units / len(rung.columns[0]) / 1e9
            clock.progress.refresh()
    runners = [rung for *_, rung in entered]
    rounds = race(runners, seconds * plan.scale, plan.least_rounds, clock.progress.refresh)
    rows = []
    for name, size, rung in entered:
        row: Figures = {
            "name": name,
            "size": size,
            "ns": spread(times[rung.name] for times in rounds),
            "growth": ratio(rounds, rung.name, _rung(name, BASE)),
        }
        if once[name, size] * 2 < plan.patience:
            row["peak"] = float(f"{peak(rung):.4g}")
            clock.progress.refresh()
        rows.append(row)
    largest = plan.sizes[-1]
    goals = [
        Goal(name=_rung(name, largest), against=_rung(name, BASE), at_most=GROWTH)
        for name in dict.fromkeys(name for name, *_ in rungs)
        if name.startswith("LTON")
    ]
    clock.progress.update(task, total=1, completed=1)
    return {
        "title": f"Growth: {shape}",
        "rounds": len(rounds),
        "sizes": list(plan.sizes),
        "wrong": wrong,
        "rows": rows,
        "goals": list(judge(rounds, goals)),
    }


def _check(rung: Contestant, batch: Batch) -> tuple[int, bool]:
    """Check one of the equal runs of a rung."""
    once = tuple(column[:1] for column in rung.columns)
    single = Contestant(
        name=rung.name, work=rung.work, columns=once, to_value=rung.to_value, units=1
    )
    return single.count_wrong([batch])
