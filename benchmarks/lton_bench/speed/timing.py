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
    """One contestant takes at most so many times as long as another."""

    name: str
    against: str
    at_most: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long it may take. `patience` is the longest single run that is repeated, in seconds."""

    scale: float
    stride: int
    sizes: Sequence[int]
    patience: float
    least_rounds: int


def elapsed(contestant: Contestant) -> float:
    """Return the nanoseconds of CPU time that one run takes, for each unit."""
    start = time.process_time_ns()
    contestant.run()
    return (time.process_time_ns() - start) / contestant.units


def race(
    runners: Sequence[Contestant], seconds: float, least: int, tick: Callable[[], None]
) -> Rounds:
    """Run all of them in turn, round after round, until the time is over; at least some rounds.

    Each round begins with another one, so that none always follows the same neighbour.
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
    """Return how many times as long one takes as another, each in the same round."""
    return spread(times[name] / times[against] for times in rounds)


def judge(rounds: Rounds, goals: Iterable[Goal]) -> Iterator[Figures]:
    """Yield each goal with its ratio; the median decides. None where one of the two did not run."""
    for goal in goals:
        ran = {goal.name, goal.against} <= rounds[0].keys()
        found = ratio(rounds, goal.name, goal.against) if ran else None
        yield {**asdict(goal), "ratio": found, "met": found and found["median"] <= goal.at_most}


@dataclass(slots=True)
class Clock:
    """The sections done so far, the plan, and the bar on the screen."""

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
        """Check every answer, run the race, and get its figures. The first is the baseline.

        Each piece of work is done so many `times` running.
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
