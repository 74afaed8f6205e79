"""Compile grammars and mask calls, in a process for each engine."""

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from statistics import fmean, median, quantiles
from typing import Any

from lton_bench.grammars.engines import (
    ENGINES,
    VOCABULARIES,
    Engine,
    RefusedError,
)
from lton_bench.grammars.sides import JSON_SCHEMA, Group, Side, sides

PATIENCE = 1_000_000_000
"""Nanoseconds of a compilation; slower grammars are compiled only once."""
Figures = dict[str, Any]
_engine: list[Engine] = []


def begin(engine: str, vocabulary: str) -> None:
    """Make the engine of this process, and silence stderr, to which llama.cpp prints much."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    _engine[:] = [ENGINES[engine](VOCABULARIES[vocabulary]())]


@dataclass(slots=True)
class Tally:
    """The results of one notation."""

    characters: list[int] = field(default_factory=list)
    compiled: list[int] = field(default_factory=list)
    masks: list[list[int]] = field(default_factory=list)
    lost: int = 0
    refused: str = ""


def measure(groups: Sequence[Group], compiles: int) -> list[Figures]:
    """Return a row of figures for each notation, over all groups."""
    (engine,) = _engine
    tallies: dict[str, Tally] = {}
    gc.disable()
    for group in groups:
        compared, refused = sides(engine, group)
        for side in compared:
            tallies.setdefault(side.name, Tally()).characters.append(len(side.grammar))
        for name, reason in refused.items():
            tallies.setdefault(name, Tally()).refused = reason
        ready = _compile_all(engine, compared, compiles, tallies)
        _mask_all(engine, [side for side in compared if side.name in ready], ready, tallies)
        gc.collect()
    return [_row(name, tally) for name, tally in tallies.items()]


def _compile_all(
    engine: Engine, compared: Sequence[Side], times: int, tallies: Mapping[str, Tally]
) -> dict[str, Any]:
    """Compile each grammar to warm up, and then fast grammars `times` more, in turns.

    With a lazy engine, each call compiles its grammar instead.
    """
    ready: dict[str, Any] = {}
    again = []
    for side in compared:
        try:
            ready[side.name], took = engine.compile_timed(side.grammar, schema=side.is_schema)
        except RefusedError as error:
            tallies[side.name].refused = str(error)
            continue
        if took > PATIENCE:
            tallies[side.name].compiled.append(took)
        elif not engine.is_lazy:
            again.append(side)
    for side in again * times:
        _, took = engine.compile_timed(side.grammar, schema=side.is_schema)
        tallies[side.name].compiled.append(took)
    return ready


def _mask_all(
    engine: Engine, compared: Sequence[Side], ready: Mapping[str, Any], tallies: Mapping[str, Tally]
) -> None:
    """Mask each call in all notations; each turn begins with another notation.

    A call counts if it is accepted in all notations in which any call is accepted.
    """
    accepted: dict[str, dict[int, list[int]]] = {side.name: {} for side in compared}
    for number in range(len(compared[0].texts)):
        turn = number % len(compared)
        for side in (*compared[turn:], *compared[:turn]):
            tally, compiled = tallies[side.name], ready[side.name]
            if engine.is_lazy:
                compiled, took = engine.compile_timed(side.grammar, schema=side.is_schema)
                tally.compiled.append(took)
            masks = engine.masks(compiled, engine.vocabulary.encode(side.texts[number]))
            if masks is None:
                tally.lost += 1
            else:
                accepted[side.name][number] = masks
    some = {name: times for name, times in accepted.items() if times}
    common = set.intersection(*map(set, some.values())) if some else set()
    for name, times in some.items():
        tallies[name].masks += [times[number] for number in sorted(common)]


def _row(name: str, tally: Tally) -> Figures:
    row: Figures = {"name": name, "lost": tally.lost, "refused": tally.refused}
    if not tally.refused:
        row["characters"] = round(fmean(tally.characters))
        row["compile"] = median(tally.compiled)
    if tally.masks:
        masks = [mask for call in tally.masks for mask in call]
        row["tokens"] = round(len(masks) / len(tally.masks), 1)
        row["p50"] = median(masks)
        row["p99"] = quantiles(masks, n=100, method="inclusive")[98]
        row["call"] = fmean(map(sum, tally.masks))
    return row


class Worker:
    """The process of one engine, which is restarted after a crash."""

    def __init__(self, engine: str, vocabulary: str) -> None:
        self.arguments = (engine, vocabulary)
        self.pool: ProcessPoolExecutor | None = None

    def rows(self, *arguments: Any) -> list[Figures]:
        self.pool = self.pool or ProcessPoolExecutor(
            1, get_context("spawn"), initializer=begin, initargs=self.arguments
        )
        try:
            return self.pool.submit(measure, *arguments).result()
        except BrokenProcessPool:
            self.end()
            return [{"name": "all", "lost": 0, "refused": "the process of the engine crashed"}]

    def end(self) -> None:
        if self.pool:
            self.pool.shutdown()
        self.pool = None


MEASURES = ("characters", "compile", "p50", "p99", "call")


def with_ratios(rows: list[Figures]) -> list[Figures]:
    """Add the ratios to the row of JSON Schema."""
    against = next((row for row in rows if row["name"] == JSON_SCHEMA), {})
    for row in rows:
        row["ratios"] = {
            measure: float(f"{row[measure] / against[measure]:.3g}")
            for measure in MEASURES
            if measure in row and measure in against
        }
    return rows
