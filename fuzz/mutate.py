"""Read a million mutated texts: `make mutate`, or `python -m fuzz.mutate`.

The texts are BFCL's gold calls in every form and the seed corpus, with some characters and lexemes
inserted, removed, doubled, swapped or taken from another text. The same seed gives the same texts.
The exit status is 1, and a line is printed for each case, if

* an exception other than `LTONError` escapes, or a value changes when it is written and read back;

* reading a text takes more than `FAULT` times the median time per byte for texts of its size, so it
is not linear;

* reading allocates more than `BYTES_A_BYTE` per byte, or the memory of a process grows.
"""

import argparse
import random
import resource
import statistics
import sys
import time
import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from os import cpu_count

from fuzz import seeds
from fuzz.checks import FORMS, TOOLSETS, check
from lton import Call, EncodeError, LTONError, ToolSet, decode, encode
from lton_bench import bfcl
from tests import strategies

STRUCTURE: list[str] = strategies.STRUCTURE
CHUNK = 2000
CALIBRATION = 20_000
LEAST = 256
"""Bytes that a text counts as at least: below, the cost of any call is all there is."""
GOAL, FAULT = 10, 100
"""Times the median: how many take longer than the goal is printed (nested maps take up to 60)."""
ATTEMPTS = 7
DIGITS = ("", *"0123456789", "99")
SAMPLE = 500
"""One text in so many is read under `tracemalloc`."""
BASE_BYTES = 100_000
BYTES_A_BYTE = 200
GROWTH_MB = 64

Seed = tuple[str, ToolSet | None]
"""A text, and the tools that it was written for."""


@dataclass(slots=True)
class Tally:
    """The outcomes of some texts."""

    inputs: int = 0
    bytes: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    violations: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """What went wrong, by kind."""
    slowest: tuple[float, str] = (0, "")
    slow: int = 0
    """Texts that take more than `GOAL` times the median."""
    peak: tuple[float, str] = (0, "")
    growth_mb: float = 0

    def add(self, other: "Tally") -> None:
        self.inputs += other.inputs
        self.bytes += other.bytes
        self.outcomes += other.outcomes
        for kind, found in other.violations.items():
            self.violations[kind] += found
        self.slowest = max(self.slowest, other.slowest)
        self.slow += other.slow
        self.peak = max(self.peak, other.peak)
        self.growth_mb = max(self.growth_mb, other.growth_mb)


# --- texts --------------------------------------------------------------------------------------


@cache
def sources() -> list[Seed]:
    """Return every text to mutate, with its tools."""
    found: list[Seed] = [(text, TOOLSETS[toolset]) for _, toolset, text in seeds.texts()]
    for case in bfcl.load():
        tools = ToolSet.from_tools(case.tools)
        calls = [Call(name, arguments) for name, arguments in case.calls]
        found += [
            (encode(calls), None),
            (encode(calls), tools),
            (encode(calls, form="tagged"), None),
        ]
        with suppress(EncodeError):  # the gold call breaks its own schema
            found += [(encode(calls, tools, **options), tools) for options in FORMS]
    return found


def mutated(choose: random.Random) -> Seed:
    """Return a text that is changed in one to four places."""
    text, tools = choose.choice(sources())
    for _ in range(choose.choice((1, 1, 1, 2, 3, 4))):
        text = choose.choice(MUTATIONS)(choose, text)
    return text, tools


def _span(choose: random.Random, text: str) -> tuple[int, int]:
    start = choose.randint(0, len(text))
    return start, min(len(text), start + choose.choice((0, 1, 1, 2, 3, 8, 40)))


def _insert(choose: random.Random, text: str) -> str:
    at = choose.randint(0, len(text))
    return text[:at] + choose.choice(STRUCTURE) + text[at:]


def _delete(choose: random.Random, text: str) -> str:
    start, end = _span(choose, text)
    return text[:start] + text[end:]


def _replace(choose: random.Random, text: str) -> str:
    start, end = _span(choose, text)
    return text[:start] + choose.choice(STRUCTURE) + text[end:]


def _double(choose: random.Random, text: str) -> str:
    start, end = _span(choose, text)
    return text[:start] + text[start:end] * choose.choice((2, 2, 3, 30)) + text[end:]


def _swap(choose: random.Random, text: str) -> str:
    one, two, three, four = sorted(choose.randint(0, len(text)) for _ in range(4))
    return text[:one] + text[three:four] + text[two:three] + text[one:two] + text[four:]


def _splice(choose: random.Random, text: str) -> str:
    other, _ = choose.choice(sources())
    at, start = choose.randint(0, len(text)), choose.randint(0, len(other))
    return text[:at] + other[start:]


def _cut(choose: random.Random, text: str) -> str:
    return text[: choose.randint(0, len(text))]


def _digit(choose: random.Random, text: str) -> str:
    """Change a digit, so that lengths and numbers are slightly or very wrong."""
    places = [index for index, char in enumerate(text) if char.isdigit()]
    if not places:
        return _insert(choose, text)
    at = choose.choice(places)
    return text[:at] + f"{choose.choice(DIGITS)}{text[at + 1 :]}"


def _character(choose: random.Random, text: str) -> str:
    at = choose.randint(0, len(text))
    ranges = ((0x00, 0x7F), (0x80, 0x7FF), (0x2000, 0x2FFF), (0xD700, 0xE0FF), (0x1F600, 0x10FFFF))
    return text[:at] + chr(choose.randint(*choose.choice(ranges))) + text[at + 1 :]


def _line(choose: random.Random, text: str) -> str:
    """Add a line of this text or of another text."""
    other, _ = choose.choice([(text, None), choose.choice(sources())])
    return text + "\n" + choose.choice(other.split("\n"))


MUTATIONS = (
    _insert,
    _insert,
    _delete,
    _delete,
    _replace,
    _double,
    _swap,
    _splice,
    _cut,
    _digit,
    _character,
    _line,
)


# --- reading ------------------------------------------------------------------------------------


def size_class(size: int) -> int:
    """Return the exponent of the lowest power of two above the size."""
    return max(size, LEAST).bit_length()


def timed(text: str, tools: ToolSet | None) -> tuple[int, str]:
    """Return the nanoseconds of reading, and the outcome."""
    start = time.perf_counter_ns()
    try:
        decode(text, tools)
        outcome = "accepted"
    except LTONError as error:
        outcome = error.code
    return time.perf_counter_ns() - start, outcome


def calibrate(seed: int) -> dict[int, float]:
    """Return the median nanoseconds per byte, by size class."""
    choose = random.Random(f"{seed} calibration")
    rates: dict[int, list[float]] = defaultdict(list)
    for _ in range(CALIBRATION):
        text, tools = mutated(choose)
        spent, _ = min(timed(text, tools) for _ in range(3))
        rates[size_class(_size(text))].append(spent / max(_size(text), LEAST))
    return {key: statistics.median(found) for key, found in rates.items()}


def run_chunk(seed: int, index: int, count: int, medians: dict[int, float]) -> Tally:
    """Generate and check some texts, which depend only on the seed and the index."""
    choose = random.Random(f"{seed} {index}")
    tally = Tally()
    sources()
    suspects: list[tuple[str, ToolSet | None, float]] = []
    before = _rss_mb()
    for number in range(count):
        text, tools = mutated(choose)
        try:
            _one(text, tools, tally, medians, suspects)
            check(text, tools)
            if number % SAMPLE == 0:
                _measure_memory(text, tools, tally)
        except Exception as error:  # whatever it is, it is what we look for
            tally.violations[type(error).__name__].append(f"{error} on {text!r}")
    _judge(suspects, tally)
    tally.growth_mb = _rss_mb() - before
    return tally


def _one(
    text: str,
    tools: ToolSet | None,
    tally: Tally,
    medians: dict[int, float],
    suspects: list[tuple[str, ToolSet | None, float]],
) -> None:
    size = _size(text)
    spent, outcome = timed(text, tools)
    tally.inputs += 1
    tally.bytes += size
    tally.outcomes[outcome] += 1
    # A class that the calibration did not meet is a class of long texts: the longest it met.
    median = medians.get(size_class(size), medians[max(medians)])
    limit = median * max(size, LEAST)
    ratio = spent / limit
    if ratio > GOAL:
        suspects.append((text, tools, limit))
    else:
        tally.slowest = max(tally.slowest, (ratio, f"{outcome} on {text!r}"))


def _judge(suspects: list[tuple[str, ToolSet | None, float]], tally: Tally) -> None:
    """Measure slow texts again later, because other programs may have slowed the first run."""
    for text, tools, limit in suspects:
        attempts = []
        for _ in range(ATTEMPTS):
            attempts.append(timed(text, tools))
            time.sleep(0.001)
        spent, outcome = min(attempts)
        ratio = spent / limit
        tally.slowest = max(tally.slowest, (ratio, f"{outcome} on {text!r}"))
        tally.slow += ratio > GOAL
        if ratio > FAULT:
            tally.violations[f"slow {outcome}"].append(f"{ratio:.0f} times the median, on {text!r}")


def _measure_memory(text: str, tools: ToolSet | None, tally: Tally) -> None:
    tracemalloc.start()
    timed(text, tools)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    size = _size(text)
    tally.peak = max(tally.peak, (peak / max(size, LEAST), f"{peak:,} bytes for {size:,}"))
    if peak > BASE_BYTES + BYTES_A_BYTE * size:
        tally.violations["memory"].append(f"{peak:,} bytes for {size:,}, on {text!r}")


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _rss_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# --- the program --------------------------------------------------------------------------------


def _chunks(count: int) -> Iterator[tuple[int, int]]:
    for index, start in enumerate(range(0, count, CHUNK)):
        yield index, min(CHUNK, count - start)


def run(seed: int, count: int, workers: int) -> Tally:
    """Run all chunks, and show the progress."""
    medians = calibrate(seed)
    total, start = Tally(), time.monotonic()
    with ProcessPoolExecutor(workers) as pool:
        chunks = [pool.submit(run_chunk, seed, *chunk, medians) for chunk in _chunks(count)]
        for number, chunk in enumerate(as_completed(chunks), 1):
            total.add(chunk.result())
            if sys.stderr.isatty() or number % max(len(chunks) // 10, 1) == 0:
                left = (time.monotonic() - start) * (len(chunks) - number) / number
                end = "\r" if sys.stderr.isatty() else "\n"
                line = f"{total.inputs:>12,} of {count:,}, {left:.0f} s left   "
                print(line, end=end, file=sys.stderr, flush=True)
    if total.growth_mb > GROWTH_MB:
        total.violations["memory"].append(f"a process grew by {total.growth_mb:.0f} MB")
    return total


def report(total: Tally, seconds: float, workers: int) -> None:
    """Print the table, and every violation."""
    cut = 160
    rows = [("inputs", f"{total.inputs:,} ({total.bytes / 1e6:.0f} MB)")]
    rows += [
        (code if code == "accepted" else f"refused {code}", f"{number:,}")
        for code, number in sorted(
            total.outcomes.items(), key=lambda row: (row[0] != "accepted", row[0])
        )
    ]
    rows += [
        ("slowest / median", f"{total.slowest[0]:.1f}: {total.slowest[1][:cut]}"),
        (f"over {GOAL} x median", f"{total.slow:,} (goal: none)"),
        ("peak memory a byte", f"{total.peak[0]:.0f} ({total.peak[1]})"),
        ("growth of a process", f"{total.growth_mb:.1f} MB"),
        ("time", f"{seconds:.0f} s with {workers} processes"),
    ]
    for name, value in rows:
        print(f"{name:<22}{value}")
    for kind, found in sorted(total.violations.items()):
        print(f"\nVIOLATION {kind}: {len(found):,}, of which the shortest are")
        for violation in sorted(found, key=len)[:5]:
            print(f"  {violation}")


def main() -> int:
    """Read the options, run and report; the exit status is 1 after a violation."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=cpu_count())
    options = parser.parse_args()
    start = time.monotonic()
    total = run(options.seed, options.count, options.workers)
    report(total, time.monotonic() - start, options.workers)
    return 1 if total.violations else 0


if __name__ == "__main__":
    sys.exit(main())
