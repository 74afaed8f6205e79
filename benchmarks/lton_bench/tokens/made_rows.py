"""Count the tokens of made-up rows, written by `lton.results.write` and as minified JSON.

Models were asked about such rows (`docs/results/readings.md`, at commit b42ab2c4). The records of a
result are of one of five domains, with a key and at least four columns.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from lton.codec import encode
from lton.results import write
from lton.schema.types import JSON, Result
from lton.tokens import counter
from lton_bench.internals import minified

__all__ = ["make_records", "token_share", "write_in_line"]

Record: TypeAlias = dict[str, Any]
Column: TypeAlias = tuple[str, "tuple[int, int] | list[str]"]
RESULTS = 17
"""The number of results whose tokens are counted."""
TOKENIZERS = ("qwen", "o200k")
_NAMES = (
    "Ada Ben Cleo Dan Eva Finn Gina Hugo Ines Jack Kira Liam Mona Nils Olga Paul Rosa Sven Tara Udo"
    " Vera Walt Xena Yuri Zoe Amir Bela Cora Dirk Edda Fred Gwen Hans Iris Jana Karl Lena Max Nina"
    " Otto Pia Ralf Sara Theo Ulla Vito Wanda Ximo Yara Zeno Alma Bruno Clara Diego Elsa Fritz"
    " Greta Henri Ilse Jonas"
).split()
_CITIES = ["Oslo", "Lima", "Rome", "Cairo"]
_SIZES = (5, 6, 7, 8, 9, 10, 12, 16)
_LACKING = 0.5
"""The share of the optional keys that sparse rows lack."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A kind of records: the plural, the key, a function that makes keys, and the columns."""

    plural: str
    key: str
    spell: Callable[[Random, int], str]
    columns: list[Column]


_DOMAINS = (
    Domain("people", "name", lambda _, i: _NAMES[i],
           [("city", _CITIES), ("age", (20, 69)), ("team", ["red", "blue", "green"]),
            ("score", (100, 999))]),
    Domain("orders", "id", lambda r, _: f"A{r.randint(100, 999)}",
           [("customer", _NAMES[:6]), ("status", ["paid", "open", "late"]), ("weight", (1, 19)),
            ("total", (20, 990))]),
    Domain("files", "path",
           lambda r, i: f"src/{''.join(map(r.choice, ('abcdefgh', 'aeiou', 'klmnprst')))}{i}.py",
           [("owner", _NAMES[:5]), ("lines", (10, 99)), ("kind", ["test", "code", "data"]),
            ("size", (100, 999))]),
    Domain("flights", "flight", lambda r, _: f"HAT{r.randint(100, 999)}",
           [("origin", ["JFK", "ATL", "SFO"]), ("destination", ["LAX", "BOS", "ORD"]),
            ("price", (50, 499)), ("delay", (1, 60))]),
    Domain("hosts", "host", lambda r, i: f"web-{i}-{r.choice('abcd')}",
           [("region", ["us-east", "eu-west", "ap-south"]), ("state", ["up", "down", "draining"]),
            ("cpus", (2, 64)), ("load", (1, 99))]),
)  # fmt: skip
_MORE: list[Column] = [
    ("note", ["none", "check again", "call first"]), ("zone", ["A", "B", "C"]), ("rank", (1, 99)),
    ("level", (1, 9)), ("flag", ["yes", "no"]), ("ratio", (10, 99)), ("unit", ["kg", "lb"]),
]  # fmt: skip


def make_records(shape: str, number: int) -> list[Any]:
    """Return records: flat "rows", "nested" ones, or twelve columns, "wide" or "sparse"."""
    random = Random(f"{shape} {number}")  # noqa: S311 - made-up data
    domain = _DOMAINS[number % len(_DOMAINS)]
    size = _SIZES[number * 3 % len(_SIZES)]
    columns = domain.columns + (_MORE if shape in ("wide", "sparse") else [])
    records: dict[str, Record] = {}
    for index in random.sample(range(len(_NAMES)), len(_NAMES)):
        key = domain.spell(random, index)
        if key in records:
            continue
        record: Record = {domain.key: key}
        for name, values in columns:
            record[name] = (
                random.randint(*values) if isinstance(values, tuple) else random.choice(values)
            )
        if shape == "sparse":
            for name, _ in _MORE:
                if random.random() < _LACKING:
                    del record[name]
        records[key] = _nest(record, random) if shape == "nested" else record
        if len(records) == size:
            break
    return list(records.values())


def _nest(record: Record, random: Random) -> Record:
    """Return a record with two columns in an object, and a list of tags."""
    (key, first, second, *others) = record.items()
    tags = random.sample(["new", "vip", "late", "paid"], random.randint(1, 3))
    return dict([key, ("info", dict([first, second])), *others, ("tags", tags)])


def write_in_line(value: JSON) -> str:
    """Return a value in LTON, in one line."""
    return encode(Result("x", value)).removeprefix("!result x ")


def token_share(tokenizer: str) -> float:
    """Return the tokens of flat rows in LTON, relative to minified JSON."""
    count = counter(tokenizer).count
    rows = [make_records("rows", number) for number in range(RESULTS)]
    ours = sum(count(write(records)).tokens for records in rows)
    return ours / sum(count(minified(records)).tokens for records in rows)


def main() -> None:
    """Print the share of each tokenizer."""
    for tokenizer in TOKENIZERS:
        print(f"{tokenizer}: {token_share(tokenizer):.2f} of the tokens of minified JSON")


if __name__ == "__main__":
    main()
