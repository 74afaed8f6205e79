"""Double each input from outside, and test whether the work at most doubles (`make scale`).

The work is counted in steps (`tests/steps.py`), which are the same on every machine. Processor time
and memory are measured, too, because a step in C may take long. Growth by more than `GROWTH` is a
failure.
"""

import re
import time
import tomllib
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.site.assemble import limit_of
from fuzz.limits import definitions, documents, exchanges, servers, texts
from fuzz.limits.probe import Probe, count_growth, run_quietly
from tests.steps import GROWTH

ROOT = Path(__file__).parents[2]
PROBES: dict[str, Probe] = {
    **texts.PROBES,
    **definitions.PROBES,
    **exchanges.PROBES,
    **servers.PROBES,
    **documents.PROBES,
}
"""A probe for each row of the table of limits, in its order."""
ATTEMPTS = 4
WORTH_MEASURING = 0.05
"""Seconds of the processor at the larger size; less cannot be compared."""
WORTH_WEIGHING = 10_000_000
"""Bytes at the larger size."""
LARGER = 8
"""Times the size of a probe, but within the limit, at which time and memory are measured."""


def read_limits() -> dict[str, dict[str, Any]]:
    """Return the rows of the table of limits, by their input."""
    sections = tomllib.loads((ROOT / "docs/reference/limits.toml").read_text("utf-8"))
    return {name: row for rows in sections.values() for name, row in rows.items()}


def _measure_seconds(probe: Probe, made: Any) -> float:
    begin = time.process_time()
    run_quietly(probe, made)
    return time.process_time() - begin


def _measure_bytes(probe: Probe, made: Any) -> int:
    tracemalloc.start()
    run_quietly(probe, made)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def _compare_times(probe: Probe, size: int) -> tuple[float, float]:
    """Return the time at twice the size, and the lowest ratio to the time at the size."""
    best = (0.0, float("inf"))
    for _ in range(ATTEMPTS):
        short = _measure_seconds(probe, probe.make(size))
        long = _measure_seconds(probe, probe.make(2 * size))
        best = min(best, (long, long / max(short, 1e-6)), key=lambda pair: pair[1])
        if long < WORTH_MEASURING or best[1] < GROWTH:
            break
    return best


def find_faults() -> Iterator[str]:
    """Measure all probes, and return a line for each that grows too much."""
    rows = read_limits()
    for name, probe in PROBES.items():
        size, row = probe.size * LARGER, rows[name]
        if "limit" in row and re.fullmatch(r"E?\d{3}", row["error"]):
            size = min(size, limit_of(row["limit"]) // 2)
        counted = count_growth(probe)
        long, slower = _compare_times(probe, size)
        small, large = (_measure_bytes(probe, probe.make(size << i)) for i in range(2))
        print(f"{name:<60} steps x{counted:.2f} {long:>7.3f} s x{slower:.2f}", flush=True)
        if counted > GROWTH:
            yield f"{name}: {counted:.1f} times the steps for twice as much"
        if long > WORTH_MEASURING and slower > GROWTH:
            yield f"{name}: {slower:.1f} times the time ({long:.2f} s) for twice as much"
        if large > WORTH_WEIGHING and large / small > GROWTH:
            yield f"{name}: {large / small:.1f} times the memory ({large:,} bytes)"
