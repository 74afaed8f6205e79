"""Read hostile texts at two sizes, and test whether time grows linearly (`make scale`).

Each text of `tests/hostile.py` is read at its size and at four times this size. Strings of 100 MB
are read whole, and a quarter of each. Linear reading takes 4 times as long, and quadratic reading
16 times. If the best attempt takes more than `LIMIT` times as long, this is a failure and the exit
status is 1. `scale_lenient` measures lenient reading, and `limits.growth` all other inputs from
outside.
"""

import sys
import time

from fuzz import scale_lenient
from fuzz.limits import growth
from lton.errors import Code
from tests.cases import F_STR, outcome
from tests.hostile import HOSTILE, Hostile

FACTOR = 4
LIMIT = 12
ATTEMPTS = 4
WORTH_MEASURING = 0.02
"""Seconds: what takes less at the larger size is not slow, and too short to compare."""
COPYING = 2e-9
"""Seconds a character: what takes less only copies memory, slower where no cache holds it."""
HUGE = 100_000_000 // FACTOR

LARGE = {
    "100-mb-word": Hostile(lambda n: "f " + "x" * n, F_STR, None, HUGE),
    "100-mb-quoted": Hostile(lambda n: "f '" + "x" * n + "'", F_STR, None, HUGE),
    "100-mb-counted": Hostile(lambda n: f"f s{n}:" + "x" * n, F_STR, None, HUGE),
    "100-mb-fenced": Hostile(lambda n: "f ```\n" + "x`x\n" * (n // 4) + "```", F_STR, None, HUGE),
    "100-mb-payload": Hostile(lambda n: f"!call f\n(x s{n}:" + "x" * n + ")", None, None, HUGE),
    "100-mb-open": Hostile(lambda n: "f '" + "x" * n, F_STR, Code.INCOMPLETE, HUGE),
}


def seconds(hostile: Hostile, size: int) -> float:
    """Return the time of reading; the text must have the outcome in its table."""
    text = hostile.make(size)
    start = time.perf_counter()
    result = outcome(text, hostile.tools)
    spent = time.perf_counter() - start
    assert getattr(result, "code", None) == hostile.code, getattr(result, "code", None)
    return spent


def ratio(hostile: Hostile) -> tuple[float, float]:
    """Return the longer time, and the lowest ratio to the shorter time over some attempts."""
    best = (0.0, float("inf"))
    for _ in range(ATTEMPTS):
        short, long = seconds(hostile, hostile.size), seconds(hostile, hostile.size * FACTOR)
        best = min(best, (long, long / short), key=lambda pair: pair[1])
        if long < WORTH_MEASURING or best[1] < LIMIT:
            break
    return best


def main() -> int:
    """Measure all texts, print the slow ones first, and return whether any is slower than
    linear.
    """
    found = []
    for name, hostile in {**HOSTILE, **LARGE}.items():
        long, times = ratio(hostile)
        characters = len(hostile.make(hostile.size * FACTOR))
        found.append((long, times, name, characters))
        print(f"{name:<28}{characters:>12,} characters {long:>8.3f} s  x{times:.1f}", flush=True)
    wrong = [
        row for row in found if row[0] > max(WORTH_MEASURING, row[3] * COPYING) and row[1] > LIMIT
    ]
    for long, times, name, _ in wrong:
        print(f"NOT LINEAR {name}: {times:.1f} times as long ({long:.2f} s) at {FACTOR} the size")
    print(f"{len(found)} texts, {len(wrong)} of them in more than linear time")
    others = [*scale_lenient.wrong(), *growth.find_faults()]
    print(*others, sep="\n")
    return 1 if wrong or others else 0


if __name__ == "__main__":
    sys.exit(main())
