"""Compress a corpus on Ray with one worker, with two, and with two of which one is killed.

    python -m lton_bench.compress.corpus --documents 4000

The documents are made up from a seed. They are of four kinds, with log-normal sizes: most have a
page, and a few have hundreds. They are compressed to a fifth in batches: in a plain loop, on Ray
with one worker, with two, and with two of which one is killed (SIGKILL) after a third of the
batches. The digests of all outputs must be equal. The command needs `ray`. Seconds are wall-clock
time, without the start of the cluster.
"""

import argparse
import hashlib
import os
import random
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from lton.context.compress import compress
from lton.tokens import counter
from lton_bench.compress.peers import machine
from lton_bench.compress.sizes import made_up
from lton_bench.internals import require

KINDS = ("plain text", "markdown", "log", "JSON")
MEDIAN, SPREAD = 1_500, 1.3
"""The median of the documents' characters, and the sigma of the logarithm of sizes."""
LARGEST = 500_000
BATCH = 20
"""The number of documents in a batch."""
MILLION, MACHINES, CORES = 1_000_000, 100, 16


@dataclass(frozen=True, slots=True)
class Done:
    """A compressed batch: the digest of the output, the worker's process, and the seconds."""

    digest: bytes
    worker: int
    characters: int
    longest: int
    seconds: float


@cache
def _parts(kind: str) -> list[str]:
    """Return the parts of documents of a kind; records begin with a comma."""
    first, *rest = [*made_up(kind, LARGEST)][:-1]
    return [f",{first[1:]}" if kind == "JSON" else first, *rest]


def document(number: int) -> str:
    """Return a document by its number, the same in each process."""
    draw = random.Random(number)  # noqa: S311 - nothing is secret
    kind = KINDS[number % len(KINDS)]
    size = min(LARGEST, int(draw.lognormvariate(0, SPREAD) * MEDIAN))
    parts = _parts(kind)
    text, at = "", draw.randrange(len(parts))
    while len(text) < size:
        text += parts[at % len(parts)]
        at += 1
    return f"[{text[1:]}]" if kind == "JSON" else text


def compressed(numbers: range) -> Done:
    """Compress the documents of a batch."""
    by, digest = counter("o200k"), hashlib.sha256()
    begun, sizes = time.process_time(), []
    for number in numbers:
        text = document(number)
        sizes.append(len(text))
        budget = by.count(text).tokens // 5
        digest.update(compress(text, budget=budget, counter=by).text.encode())
    seconds = time.process_time() - begun
    return Done(digest.digest(), os.getpid(), sum(sizes), max(sizes), seconds)


def batches(documents: int) -> list[range]:
    """Return batches of document numbers."""
    return [range(at, min(at + BATCH, documents)) for at in range(0, documents, BATCH)]


_ABOUT = f"""# A corpus, compressed on Ray

`make bench-compress-corpus` writes this. Documents of four kinds are generated from a seed. Half
of them have fewer than {MEDIAN:,} characters, and a few have a hundred times as many (log-normal).
They are compressed to a fifth of their tokens (o200k) in batches of {BATCH}. *One killed* means
that a worker gets SIGKILL after a third of the batches, and that Ray gives its batch to another
worker. Seconds are wall-clock time ({{machine}}, two cores), without the start of the cluster.

| way | processes | seconds | MB/s | MB/s of a processor |
|---|---:|---:|---:|---:|
"""


def run(name: str, found: Iterable[Done]) -> tuple[str, bytes, list[Done]]:
    """Return the row of a way, the digest of all its output, and the batches."""
    begun = time.monotonic()
    done = [*found]
    seconds = time.monotonic() - begun
    size, own = (sum(getattr(each, what) for each in done) for what in ("characters", "seconds"))
    workers = len({each.worker for each in done})
    row = (
        f"{name} | {workers} | {seconds:.1f} | {size / 1e6 / seconds:.2f} | {size / 1e6 / own:.2f}"
    )
    digest = hashlib.sha256(b"".join(each.digest for each in done)).digest()
    return f"| {row} |\n", digest, done


def on_ray(documents: int, processors: int, kill: int | None = None) -> Iterator[Done]:
    """Compress on the cluster, and return the results in order.

    With `kill`, the process of this result is killed, and Ray repeats the lost work.
    """
    ray = _ray()
    task = ray.remote(num_cpus=processors, max_retries=5)(compressed)
    for number, waiting in enumerate([task.remote(numbers) for numbers in batches(documents)]):
        done: Done = ray.get(waiting)
        if number == kill:
            os.kill(done.worker, signal.SIGKILL)
        yield done


def _ray() -> Any:
    return require("ray", "ray>=2.60,<3")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table and the estimate for a million documents; fail if an output differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, default=4_000)
    parser.add_argument("--out", type=Path, help="a folder for compress-corpus.md")
    options = parser.parse_args(arguments)
    count = options.documents
    compressed(range(4))
    row, digest, done = run("a loop", map(compressed, batches(count)))
    report = _ABOUT.format(machine=machine()) + row
    print(report, end="", flush=True)
    ray = _ray()
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.get([ray.remote(compressed).remote(range(BATCH)) for _ in range(4)])  # they start
    ways = {
        "Ray, 1 worker": on_ray(count, 2),
        "Ray, 2 workers": on_ray(count, 1),
        "Ray, 2 workers, one killed": on_ray(count, 1, kill=len(batches(count)) // 3),
    }
    for name, found in ways.items():
        row, its, _ = run(name, found)
        print(row, end="", flush=True)
        report += row
        if its != digest:
            raise SystemExit(f"{name}: other bytes than in a loop")
    ray.shutdown()
    print(paper := said(count, done))
    if options.out:
        (options.out / "compress-corpus.md").write_text(report + paper)


def said(documents: int, done: Sequence[Done]) -> str:
    """Return the sentences about skew, and the estimate for a million documents."""
    size, seconds = (
        sum(getattr(each, name) for each in done) for name in ("characters", "seconds")
    )
    slowest, longest = max(each.seconds for each in done), max(each.longest for each in done)
    hours = MILLION / documents * seconds / 3600
    many = hours * 3600 / (MACHINES * CORES)
    return (
        f"\nAll ways give the same bytes. The {documents:,} documents have {size / 1e6:.1f} MB, and"
        f" the longest has {longest / 1e6:.2f} MB. The slowest of {len(done)} batches took"
        f" {slowest:.1f} s, which is {slowest / (seconds / len(done)):.1f} times the mean."
        f" A million such documents ({MILLION / documents * size / 1e9:.1f} GB) would take"
        f" {hours:.1f} hours of one processor, and {many:.0f} s on {MACHINES} machines of {CORES}"
        " cores, but at least as long as the slowest batch.\n"
    )


if __name__ == "__main__":
    import_module(__spec__.name).main()  # workers import what they are sent
