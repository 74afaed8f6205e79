"""Count the recorded answers of real APIs that get shorter, and by how much.

    python scripts/api_results.py
    python -m lton_bench.tokens.api_shares --out benchmarks/results

The answers are JSON objects and arrays in the recordings of PyGithub (GitHub) and PRAW (Reddit): of
those that differ, about 300 for each API, at equal distances. Tokens are those of o200k, and
minified JSON is 1.00. In brackets: the share of answers that get shorter, and the tokens of these.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from lton.results import short_result
from lton.tokens import counter
from lton_bench.internals import minified
from lton_bench.tokens.api_results import BUILD, MODELS, table

HEADS = ("answers", "number", "tokens of JSON", *(f"`{models}`" for models in MODELS))
_FEW = 2
"""The least number of objects that are rows."""
_MOST = 300
"""The number of answers that are counted for each API, or a few more."""
Recorded = dict[str, list[Any]]


def recorded(build: Path) -> Recorded:
    """Return the different answers of each API."""
    github = build / "pygithub-2.10.0" / "tests" / "ReplayData"
    reddit = build / "praw-8.0.3" / "tests" / "integration" / "cassettes"
    return {
        "GitHub": _different(_lines_of(sorted(github.glob("*.txt")))),
        "Reddit": _different(_bodies_of(sorted(reddit.glob("*.json")))),
    }


def _lines_of(files: Iterable[Path]) -> Iterator[str]:
    for file in files:
        yield from file.read_text("utf-8", "replace").splitlines()


def _bodies_of(files: Iterable[Path]) -> Iterator[str]:
    for file in files:
        for interaction in json.loads(file.read_text("utf-8"))["interactions"]:
            yield interaction["response"]["body"].get("string", "")


def _different(texts: Iterable[str]) -> list[Any]:
    """Return the objects and arrays among JSON texts, each only once."""
    by_text: dict[str, Any] = {}
    for text in texts:
        if not text.startswith(('{"', "[{")):
            continue
        try:
            value = json.loads(text)
        except ValueError:
            continue
        by_text.setdefault(minified(value), value)
    values = list(by_text.values())
    return values[:: max(1, len(values) // _MOST)]


def shape_of(value: Any) -> str:
    """Return the shape of an answer, by which its form is chosen.

    >>> [shape_of(value) for value in ([{"a": 1}] * 2, {"items": [{"a": 1}] * 2}, {"a": 1})]
    ['lists of objects', 'objects with a list of objects', 'other objects and lists']
    """
    if _are_rows(value):
        return "lists of objects"
    if isinstance(value, dict) and any(map(_are_rows, value.values())):
        return "objects with a list of objects"
    return "other objects and lists"


def _are_rows(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) >= _FEW
        and all(isinstance(row, dict) for row in value)
    )


def rows(answers: Recorded, count: Callable[[str], int]) -> Iterator[list[str]]:
    """Yield a row for each API and shape, and one for all answers."""
    groups = dict(answers)
    everything = [value for values in answers.values() for value in values]
    for value in everything:
        groups.setdefault(shape_of(value), []).append(value)
    groups["all"] = everything
    for name, values in groups.items():
        yield [name, f"{len(values):,}", *_cells(values, count)]


def _cells(values: Iterable[Any], count: Callable[[str], int]) -> Iterator[str]:
    texts = list(map(minified, values))
    sizes = list(map(count, texts))
    yield f"{sum(sizes):,}"
    for models in MODELS:
        short = [count(short_result(text, models)) for text in texts]
        pairs = list(zip(short, sizes, strict=True))
        shorter = [(one, size) for one, size in pairs if one < size]
        share = f"{len(shorter) / len(texts):.0%}"
        if shorter:
            share += f": {sum(one for one, _ in shorter) / sum(size for _, size in shorter):.2f}"
        yield f"{sum(short) / sum(sizes):.2f} ({share})"


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--build", type=Path, default=BUILD, help="the folder of the recordings")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where formats-shares.md goes")
    options = parser.parse_args()
    tokens = counter("o200k")
    page = table(HEADS, rows(recorded(options.build), lambda text: tokens.count(text).tokens))
    if options.out:
        (options.out / "formats-shares.md").write_text(page, "utf-8")
    print(page)


if __name__ == "__main__":
    main()
