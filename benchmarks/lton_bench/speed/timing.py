"""Races: contestants take turns in rounds, and ratios are taken within a round."""

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import Any

from rich.progress import Progress

from lton_bench.speed.contestants import Batch, Contestant

Figures = dict[str, Any]
Rounds = list[dict[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """The highest ratio of one contestant's time to another's."""

    name: str
    against: str
    at_most: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The length of a benchmark. A single run longer than `patience` seconds is not repeated."""

    scale: float
    stride: int
    sizes: Sequence[int]
    patience: float
    least_rounds: int


def elapsed(contestant: Contestant) -> float:
    """Return the CPU time of one run per unit, in nanoseconds."""
    start = time.process_time_ns()
    contestant.run()
    return (time.process_time_ns() - start) / contestant.units


def race(
    runners: Sequence[Contestant], seconds: float, least: int, tick: Callable[[], None]
) -> Rounds:
    """Run all contestants in turn for `seconds`, and for at least `least` rounds.

    Each round begins with another contestant, so that none always follows the same neighbour.
    """
    rounds: Rounds = []
    gc.collect()
    gc.freeze()  # so that the collections between the rounds pass over all that is kept
    deadline = time.monotonic() + seconds
    while len(rounds) < least or time.monotonic() < deadline:
        turn = len(rounds) % len(runners)
        order = [*runners[turn:], *runners[:turn]]
        rounds.append({runner.name: elapsed(runner) for runner in order})
        gc.collect()
        tick()
    return rounds


def spread(values: Iterable[float]) -> dict[str, float]:
    """Return the median and the quartiles, to four digits."""
    ordered = list(values)
    low, middle, high = quantiles(ordered, n=4, method="inclusive")
    return {
        name: float(f"{value:.4g}")
        for name, value in (("q1", low), ("median", middle), ("q3", high))
    }


def ratio(rounds: Rounds, name: str, against: str) -> dict[str, float]:
    """Return the ratio of two contestants' times, each within a round."""
    return spread(times[name] / times[against] for times in rounds)


def judge(rounds: Rounds, goals: Iterable[Goal]) -> Iterator[Figures]:
    """Yield each goal with its ratio, judged by the median, or None if a contestant did not run."""
    for goal in goals:
        ran = {goal.name, goal.against} <= rounds[0].keys()
        measured = ratio(rounds, goal.name, goal.against) if ran else None
        yield {
            **asdict(goal),
            "ratio": measured,
            "met": measured and measured["median"] <= goal.at_most,
        }


@dataclass(slots=True)
class Clock:
    """Runs the sections of a plan, with a progress bar."""

    plan: Plan
    progress: Progress

    def section(
        self,
        title: str,
        unit: str,
        entered: tuple[Sequence[Batch], Sequence[Contestant]],
        seconds: float,
        goals: Iterable[Goal],
        times: int = 1,
    ) -> Figures:
        """Check each answer, run the race, and return its figures. The first is the baseline.

        Each piece of work is done `times` in a row.
        """
        batches, runners = entered
        seconds *= self.plan.scale
        task = self.progress.add_task(title, total=seconds)
        self.progress.refresh()
        verdicts = {runner.name: runner.count_wrong(batches) for runner in runners}
        fit = [runner.again(times) for runner in runners if not verdicts[runner.name][1]]
        start = time.monotonic()

        def tick() -> None:
            self.progress.update(task, completed=min(seconds, time.monotonic() - start))
            self.progress.refresh()

        rounds = race(fit, seconds, self.plan.least_rounds, tick)
        self.progress.update(task, completed=seconds)
        baseline = runners[0].name
        rows = []
        for runner in runners:
            wrong, raised = verdicts[runner.name]
            row: Figures = {"name": runner.name, "wrong": wrong, "raised": raised}
            if not raised:
                row["ns"] = spread(times[runner.name] for times in rounds)
                row["ratio"] = ratio(rounds, runner.name, baseline)
            rows.append(row)
        return {
            "title": title,
            "unit": unit,
            "units": runners[0].units,
            "calls": sum(len(batch.calls) for batch in batches),
            "rounds": len(rounds),
            "baseline": baseline,
            "rows": rows,
            "goals": list(judge(rounds, goals)),
        }
