"""Measure time and memory of compression, by the kind and size of a document.

    python -m lton_bench.compress.sizes --sizes 1 5

Documents are made up from a seed: records of an API in JSON, prose, rows of CSV, a log, Markdown.
Each is compressed once in its own process, to a fifth of its tokens, with a question. Seconds are
processor time. Bytes per byte are the peak memory of the process minus its memory before it read
the document, so they include the document. The counter `words` counts words at spaces, to show the
time without a tokenizer.
"""

import argparse
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from lton.context.compress import compress
from lton.tokens import counter
from lton.tokens.counting import Count, Counter, TokenCounter
from lton_bench.compress.peers import machine

SIZES = {"o200k": (1, 5, 10), "words": (50,)}
"""Megabytes of a document, by the counter: a tokenizer would take long for 50 MB."""
QUERY = "Which record says why the second worker failed in March?"
_KNOWN = 20_000
"""The number of words; the n-th word is n times as rare as the first, as in languages."""


class Words(Counter):
    """Counts words at spaces."""

    def __init__(self) -> None:
        super().__init__("words", exact=True)

    def count_all(self, texts: Iterable[str]) -> list[Count]:
        """Return the count of each string."""
        return [Count(sum(1 for _ in re.finditer(r"\S+", text)), exact=True) for text in texts]


def counter_named(name: str) -> TokenCounter:
    """Return a counter of LTON, or the counter of words."""
    return Words() if name == "words" else counter(name)


class Draw(random.Random):
    """Draws words and sentences from a seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        letters = "etaoinshrdlucmfwypvbgk"
        self.known = [
            "".join(self.choices(letters, k=self.randrange(2, 11))) for _ in range(_KNOWN)
        ]
        self.weights = list(accumulate(1 / (rank + 1) for rank in range(_KNOWN)))

    def words(self, fewest: int, most: int) -> str:
        """Return some words with spaces between them."""
        number = self.randrange(fewest, most)
        return " ".join(self.choices(self.known, cum_weights=self.weights, k=number))

    def sentence(self) -> str:
        return f"{self.words(6, 24).capitalize()}."


def prose(draw: Draw) -> Iterator[str]:
    """Yield paragraphs."""
    while True:
        yield " ".join(draw.sentence() for _ in range(draw.randrange(3, 8))) + "\n\n"


def records(draw: Draw) -> Iterator[str]:
    """Yield records of an API, as an endless array."""
    number = 0
    while number := number + 1:
        record = {
            "id": number,
            "url": f"https://api.example.org/items/{number}",
            "title": draw.words(3, 9),
            "user": {"login": draw.words(1, 2), "id": draw.randrange(10**6), "admin": False},
            "labels": [{"name": draw.words(1, 3), "color": f"{draw.randrange(1 << 24):06x}"}],
            "state": draw.choice(("open", "closed")),
            "comments": draw.randrange(40),
            "created_at": f"2026-0{draw.randrange(1, 10)}-1{draw.randrange(10)}T08:00:00Z",
            "assignee": None,
            "body": " ".join(draw.sentence() for _ in range(draw.randrange(6))),
        }
        yield f"{',' if number > 1 else '['}{json.dumps(record, separators=(',', ':'))}"


def rows(draw: Draw) -> Iterator[str]:
    """Yield rows of CSV."""
    yield "id,day,name,town,amount,note\n"
    number = 0
    while number := number + 1:
        day, amount = draw.randrange(10, 29), draw.randrange(10**6) / 100
        yield f"{number},2026-03-{day},{draw.words(2, 3)},{draw.words(1, 2)},{amount},"
        yield f"{draw.words(3, 9)}\n"


def events(draw: Draw) -> Iterator[str]:
    """Yield lines of a log, some of them errors with a trace."""
    number = 0
    while number := number + 1:
        level = draw.choices(("INFO", "DEBUG", "WARN", "ERROR"), (70, 20, 9, 1))[0]
        at = (
            f"2026-03-{number // 86400 % 28 + 1:02} {number // 3600 % 24:02}:{number // 60 % 60:02}"
        )
        yield f"{at}:{number % 60:02} {level} worker-{draw.randrange(8)} {draw.words(4, 14)}\n"
        if level == "ERROR":
            yield f"  at {draw.words(1, 2)}.{draw.words(1, 2)}(main.py:{draw.randrange(900)})\n"


def sections(draw: Draw) -> Iterator[str]:
    """Yield sections of Markdown: paragraphs, lists, tables and code."""
    while True:
        yield f"{'#' * draw.randrange(1, 4)} {draw.words(2, 6)}\n\n"
        yield from (next(prose(draw)) for _ in range(draw.randrange(1, 4)))
        yield from (f"- {draw.sentence()}\n" for _ in range(draw.randrange(6)))
        yield "\n| name | value |\n|---|---|\n"
        yield from (f"| {draw.words(1, 3)} | {draw.random():.3f} |\n" for _ in range(3))
        yield f"\n```python\ndef f(x):\n    return x + {draw.randrange(99)}\n```\n\n"


KINDS: dict[str, tuple[Callable[[Draw], Iterator[str]], str]] = {
    "plain text": (prose, ""),
    "JSON": (records, "]"),
    "CSV": (rows, ""),
    "log": (events, ""),
    "markdown": (sections, ""),
}
"""The generator of each kind of document, and the end of a document."""


def made_up(kind: str, size: int, seed: int = 42) -> Iterator[str]:
    """Yield the parts of a document of a kind, with at least `size` bytes."""
    make, end = KINDS[kind]
    for part in make(Draw(seed)):
        yield part
        size -= len(part)
        if size <= 0:
            break
    yield end


def measured(path: Path, by: TokenCounter) -> tuple[float, float]:
    """Compress a file; return the seconds, and the bytes of memory per byte of the document."""
    compress("It rained. " * 99, budget=9, counter=by, query=QUERY)  # what is loaded once
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    text = path.read_text()
    budget = by.count(text).tokens // 5
    begun = time.process_time()
    found = compress(text, budget=budget, counter=by, query=QUERY)
    seconds = time.process_time() - begun
    if found.tokens > budget:
        raise AssertionError(f"{found.tokens} tokens of {budget}")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return seconds, 1024 * (most - before) / path.stat().st_size


ABOUT = """# Long texts, compressed

`make bench-compress-sizes` writes this. The texts are generated from a seed. Each text is
compressed once, with a question, to a fifth of its tokens, in a separate process. Seconds are
processor time ({machine}). *Bytes a byte* is the additional memory of the process for each byte of
the text: the peak memory, which includes the text, minus the memory before the text was read. The
counter `words` counts words between spaces.

| kind | counter | MB | seconds a MB | bytes a byte |
|---|---|---:|---:|---:|
"""


def rows_of(kinds: Iterable[str], sizes: Sequence[float], name: str) -> Iterator[str]:
    """Yield the row of each kind and size, each measured in its own process."""
    for kind in kinds:
        for size in sizes:
            with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
                file.writelines(made_up(kind, int(size * 1e6)))
                file.flush()
                command = [sys.executable, "-m", __spec__.name, "--file", file.name]
                command += ["--counter", name]
                done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - our own
            seconds, memory = map(float, done.stdout.split())
            yield f"| {kind} | {name} | {size:g} | {seconds / size:.2f} | {memory:.1f} |\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each document, and write the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", type=float, nargs="+", help="megabytes")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--counter", default="o200k", help="of --sizes: 'words', or one of LTON")
    parser.add_argument("--file", type=Path, help="measure this text alone, in this process")
    parser.add_argument("--out", type=Path, help="a folder for compress-sizes.md")
    options = parser.parse_args(arguments)
    if options.file:
        print(*measured(options.file, counter_named(options.counter)))
        return
    said = ABOUT.format(machine=machine())
    print(said, end="")
    sizes = {options.counter: options.sizes} if options.sizes else SIZES
    for name, some in sizes.items():
        for row in rows_of(options.kinds, some, name):
            print(row, end="", flush=True)
            said += row
    if options.out:
        (options.out / "compress-sizes.md").write_text(said)


if __name__ == "__main__":
    main()
