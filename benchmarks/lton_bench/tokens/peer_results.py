"""Count tokens of five results in LTON, GCF, TOON, SOON and TWIG, the losses of LTON first.

    python -m lton_bench.tokens.peer_results --toon build/npm --out benchmarks/results

Each format is written and read back by its own package: `gcf-python`, `soon-format` and
`twig-format` from PyPI, and `@toon-format/toon` from npm. SOON writes each result with and without
its two options, and the shortest text counts. Tokens are those of o200k, and minified JSON is 1.00.
A second table has the ideas by which a peer is shorter, and what they would save.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from lton import encode
from lton.results import read, write
from lton.schema.types import Result
from lton.tokens import counter
from lton_bench.internals import minified, require
from lton_bench.tokens.api_results import BUILD, MODELS, Count, table, toon
from lton_bench.tokens.datasets._made import CITIES, TEAMS, Maker

_SERVERS = ("fetch", "filesystem", "git", "github", "memory", "slack", "time")
_RECORDED = Path(__file__).parents[1] / "mcp"
PACKAGES = {"GCF": "gcf-python", "SOON": "soon-format", "TWIG": "twig-format"}
"""The packages of PyPI that write the formats, by the name of the format."""


class Peer(NamedTuple):
    """A format: its functions that write and read a value."""

    write: Callable[[Any], str]
    read: Callable[[str], Any]


class Written(NamedTuple):
    """A value in one format, and whether it is read back unchanged."""

    text: str
    same: bool


def emails() -> list[Any]:
    """Return 50 e-mails with senders, receivers and attachments."""
    make = Maker("e-mails")

    def person() -> Any:
        return {"name": make.name(), "address": make.email()}

    def attachment() -> Any:
        name = f"{make.sentence(1, 2).lower().replace(' ', '-')}.pdf"
        return {"name": name, "bytes": make.below(900_000)}

    return [
        {
            "id": make.code("msg"),
            "from": person(),
            "to": make.several(person, 1, 3),
            "subject": make.sentence(3, 7),
            "received": make.time(),
            "is_read": make.flag(),
            "attachments": make.several(attachment, 0, 2),
            "snippet": make.sentence(8, 20),
        }
        for _ in range(50)
    ]


def orders() -> list[Any]:
    """Return 60 orders with a customer and an address, all with the same keys."""
    make = Maker("orders")
    return [
        {
            "id": make.code("ORD"),
            "customer": {"name": make.name(), "address": {"city": make.one(CITIES), "zip": zip_}},
            "status": make.one(["open", "paid", "sent", "returned"]),
            "total": make.amount(),
        }
        for zip_ in (f"{make.below(100_000):05}" for _ in range(60))
    ]


def narrow_rows() -> list[Any]:
    """Return 100 rows of five cells."""
    make = Maker("narrow")
    return [
        {
            "id": number,
            "name": make.name(),
            "team": make.one(TEAMS),
            "salary": 1000 * (make.below(90) + 40),
            "is_active": make.flag(0.9),
        }
        for number in range(1, 101)
    ]


def wide_rows() -> list[Any]:
    """Return 100 rows of ten cells."""
    make = Maker("wide")
    return [
        {
            "event_id": 1000 + number,
            "service_name": make.one(["api", "auth", "billing", "search"]),
            "severity": make.one(["info", "warning", "error"]),
            "region": make.one(["eu-west-1", "us-east-1"]),
            "status_code": make.one(["200", "404", "500"]),
            "duration_ms": make.below(900),
            "retry_count": make.below(3),
            "is_cached": make.flag(),
            "error_rate": make.below(100) / 100,
            "response_bytes": make.below(90_000),
        }
        for number in range(100)
    ]


def definitions() -> list[Any]:
    """Return the definitions of 72 MCP tools as data."""
    texts = [(_RECORDED / f"{name}.json").read_text("utf-8") for name in _SERVERS]
    return [tool for text in texts for tool in json.loads(text)["tools"]]


SETS: dict[str, Callable[[], list[Any]]] = {
    "50 nested e-mails": emails,
    "60 nested orders": orders,
    "100 rows of 5": narrow_rows,
    "100 rows of 10": wide_rows,
    "72 MCP tools as data": definitions,
}


def peers(count: Count) -> dict[str, Peer]:
    """Return the formats that packages of PyPI write."""
    gcf, soon, twig = (require(module, "bench") for module in ("gcf", "soon_format", "twig"))

    def write_soon(value: Any) -> str:
        texts: list[str] = [
            soon.encode(value, elide=elide, ref=ref)
            for elide in (False, True)
            for ref in (False, True)
        ]
        return min(texts, key=count)

    return {
        "GCF": Peer(gcf.encode_generic, gcf.decode_generic),
        "SOON": Peer(write_soon, soon.decode),
        "TWIG": Peer(twig.encode, twig.decode),
    }


def written_by(peer: Peer, value: Any) -> Written:
    """Return a value as a package writes it, and whether the package reads it back."""
    text = peer.write(value)
    try:
        same = bool(peer.read(text) == value)
    except Exception:  # what the readers raise is not documented
        same = False
    return Written(text, same)


ENCODER = "encoder"
"""The format of the table in which the encoder writes each list and object, without JSON."""


def lton_forms() -> dict[str, Peer]:
    """Return the forms of LTON: one for each class of models, and what the encoder writes."""

    def writer(models: Any) -> Callable[[Any], str]:
        return partial(write, for_models=models)

    forms = {f"`{models}`": Peer(writer(models), read) for models in MODELS}
    return forms | {ENCODER: Peer(encoded, read)}


def encoded(value: Any) -> str:
    """Return a value as the encoder writes it, with tables on lines."""
    return encode(Result("x", value), lines=True).removeprefix("!result x ")


class Counted(NamedTuple):
    """The tokens of a result in each format, and the formats that do not read it back."""

    name: str
    json: int
    tokens: dict[str, int]
    unread: list[str]

    def share_of(self, format_: str) -> float:
        """Return the tokens of a format as a share of those of minified JSON."""
        return self.tokens[format_] / self.json

    def shortest(self, formats: Sequence[str]) -> float:
        """Return the smallest share among the formats that are read back."""
        return min(self.share_of(name) for name in formats if name not in self.unread)


def count_set(name: str, value: Any, count: Count, folder: Path) -> Counted:
    """Count the tokens of a value in each format."""
    texts = {
        format_: written_by(peer, value) for format_, peer in (lton_forms() | peers(count)).items()
    }
    (pair,) = toon([value], folder)
    texts["TOON"] = Written(pair["text"], pair["same"])
    tokens = {format_: count(peer_text.text) for format_, peer_text in texts.items()}
    unread = [format_ for format_, peer_text in texts.items() if not peer_text.same]
    return Counted(name, count(minified(value)), tokens, unread)


def rows(results: Sequence[Counted]) -> Iterator[list[str]]:
    """Yield a row for each result; results in which a peer is shorter than LTON come first."""
    for result in sorted(results, key=lead_of_peers, reverse=True):
        best = result.shortest(list(result.tokens))
        shares = map(result.share_of, result.tokens)
        cells = [f"**{share:.3f}**" if share == best else f"{share:.3f}" for share in shares]
        yield [result.name, f"{result.json:,}", *cells, ", ".join(result.unread) or "-"]


def lead_of_peers(result: Counted) -> float:
    """Return by how much the shortest peer is shorter than the shortest form of LTON."""
    own = [name for name in result.tokens if name in lton_forms()]
    others = [name for name in result.tokens if name not in own]
    return result.shortest(own) - result.shortest(others)


# --- ideas of the peers -----------------------------------------------------------------------


def without_inner_names(text: str) -> str:
    r"""Return a table of the encoder in which lists of objects inside rows have no names.

    The text cannot be read back. It shows what LTON would save if the header named the columns of
    these lists, as SOON's shapes do.

    >>> print(without_inner_names('[2(id to)\na [(name zip)Bo 1;Al 2]\nb [{name Cy zip 3}]]'))
    [2(id to)
    a [Bo 1;Al 2]
    b [Cy 3]]
    """
    head, end_of_line, body = text.partition("\n")
    names = {name for names in re.findall(r"\[\(([^)]*)\)", body) for name in names.split()}
    without_heads = re.sub(r"\[\([^)]*\)", "[", body)
    lists_of_one = re.compile(r"\[\{(.*?)\}\]")
    name = re.compile(rf"(?<![^\s])(?:{'|'.join(map(re.escape, sorted(names)))}) ")

    def values_of(match: re.Match[str]) -> str:
        return f"[{name.sub('', match[1])}]"

    return head + end_of_line + lists_of_one.sub(values_of, without_heads)


def with_tabs(rows: Sequence[dict[str, Any]]) -> str:
    r"""Return rows with a tab between cells, and strings without quotes.

    >>> with_tabs([{"id": 1, "name": "Ada Ito"}])
    '[1(id name)\n1\tAda Ito]'
    """
    lines = [
        "\t".join(cell if isinstance(cell, str) else minified(cell) for cell in row.values())
        for row in rows
    ]
    return "\n".join([f"[{len(rows)}({' '.join(rows[0])})", *lines]) + "]"


def ideas(count: Count) -> Iterator[list[str]]:
    """Yield a row for each idea of a peer: the share of JSON's tokens without it, and with it."""
    soon = require("soon_format", "bench")
    pairs = [
        (
            "names of inner lists in the header",
            "50 nested e-mails",
            encoded,
            lambda value: without_inner_names(encoded(value)),
        ),
        ("tabs between cells, no quotes", "100 rows of 5", encoded, with_tabs),
        ("tabs between cells, no quotes", "100 rows of 10", encoded, with_tabs),
        (
            "the usual value of a column left out (SOON)",
            "100 rows of 5",
            soon.encode,
            lambda value: soon.encode(value, elide=True),
        ),
        (
            "equal parts written once (SOON)",
            "72 MCP tools as data",
            lambda value: soon.encode(value, mode="soon"),
            lambda value: soon.encode(value, mode="soon", ref=True),
        ),
    ]
    for idea, name, without, with_idea in pairs:
        value = SETS[name]()
        base = count(minified(value))
        yield [idea, name, *(f"{count(way(value)) / base:.3f}" for way in (without, with_idea))]


def heads(result: Counted, folder: Path) -> list[str]:
    """Return the heads of the table, with the version of each package."""
    package = folder / "node_modules" / "@toon-format" / "toon" / "package.json"
    versions = {name: version(package) for name, package in PACKAGES.items()}
    versions["TOON"] = json.loads(package.read_text("utf-8"))["version"]
    names = [f"{name} {versions[name]}" if name in versions else name for name in result.tokens]
    return ["result", "tokens of JSON", *names, "not read back"]


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--toon", type=Path, default=BUILD / "npm", metavar="FOLDER")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where the tables go")
    options = parser.parse_args()
    tokens = counter("o200k")

    def count(text: str) -> int:
        return tokens.count(text).tokens

    results = [count_set(name, make(), count, options.toon) for name, make in SETS.items()]
    tables = {
        "formats-peers.md": table(heads(results[0], options.toon), rows(results)),
        "formats-ideas.md": table(["idea", "result", "without", "with"], ideas(count)),
    }
    for name, text in tables.items():
        print(text)
        if options.out:
            (options.out / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
