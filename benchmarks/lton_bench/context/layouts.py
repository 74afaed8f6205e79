"""Measure the time to lay out a context, compared with counting its sections once.

    python -m lton_bench.context.layouts

Sections have about a hundred tokens of prose and one of seven priorities. A tenth are critical.
They are laid out within budgets for all, half and a tenth of them. Times are processor time of this
process: the median of rounds in which both are done. `ratio` is the time of the layout relative to
counting the sections once. `beside counting` is the time of the layout without the time of the
counter, including the check of the result.
"""

import time
from collections.abc import Iterable
from statistics import median

from lton.context import Section, lay_out
from lton.tokens import counter
from lton.tokens.counting import Count, Counter

SIZES = (10, 100, 1_000)
SHARES = (1.0, 0.5, 0.1)
GOAL = 0.050
"""Seconds that a thousand sections may take in addition to counting."""
WORDS = (
    "the tower was begun in 1887 and must not be climbed before June 30, 2025, said the clerk of"
    " works, who keeps src/plans/tower.md and 1,250,000 rivets; nobody knows why people came"
).split()


class Timed(Counter):
    """A counter that measures its time."""

    def __init__(self, name: str) -> None:
        super().__init__(name, exact=True)
        self.own = counter(name)
        self.seconds = 0.0

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        """Return the count of each string."""
        start = time.process_time()
        counts = self.own.count_all(texts)
        self.seconds += time.process_time() - start
        return counts


def sections(count: int) -> list[Section]:
    """Return sections of different prose."""
    return [
        Section(
            f"s{number}",
            " ".join(WORDS[(number * 7 + place * 3) % len(WORDS)] for place in range(80)),
            priority=number % 7,
            min=20,
            shrink=0 if number % 10 == 0 else 1,
        )
        for number in range(count)
    ]


def race(count: int, share: float, name: str = "o200k") -> tuple[float, float, float]:
    """Return the seconds of counting, of the layout, and of the layout without counting."""
    given, timed = sections(count), Timed(name)
    texts = [section.text for section in given]
    budget = int(share * 1.1 * sum(each.tokens for each in timed.count_all(texts))) + count // 20
    rounds = []
    for _ in range(max(5, 300 // count)):
        start = time.process_time()
        timed.own.count_all(texts)
        middle = time.process_time()
        timed.seconds = 0.0
        lay_out(given, budget=budget, counter=timed)
        took = time.process_time() - middle
        rounds.append((middle - start, took, took - timed.seconds))
    counting, laying, beside = (median(each) for each in zip(*rounds, strict=True))
    return counting, laying, beside


def main() -> None:
    """Print the table, and whether the goal is met."""
    print("sections  budget  counting ms  layout ms  ratio  beside counting ms  of counting")
    slowest = 0.0
    for count in SIZES:
        for share in SHARES:
            counting, laying, beside = race(count, share)
            slowest = max(slowest, beside) if count == max(SIZES) else slowest
            times = f"{1000 * counting:>11.2f}  {1000 * laying:>9.2f}  {laying / counting:>5.2f}"
            rest = f"{1000 * beside:>18.2f}  {beside / counting:>11.2f}"
            print(f"{count:>8,}  {share:>6.0%}  {times}  {rest}")
    verdict = "met" if slowest <= GOAL else "missed"
    print(f"goal: {max(SIZES):,} sections in {1000 * GOAL:.0f} ms beside counting: {verdict}")


if __name__ == "__main__":
    main()
