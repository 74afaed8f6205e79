"""Find what slows down reading and writing: depth, lines, tables, sigils and streams, in each form.

    python -m lton_bench.speed.cliffs            writes benchmarks/results/cliffs.json and .md
    python -m lton_bench.speed.cliffs --quick    a small part, printed only

Each shape is written in three forms, with and without a sigil, and read back. `json` does the same
in each round. Every answer is first compared with its calls. A ratio is taken within a round of CPU
time, and the median and the quartiles are over the rounds (`lton_bench.speed`).
"""

import argparse
import gc
import json
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lton import Call, decode, encode
from lton_bench.internals import Form
from lton_bench.speed import contestants
from lton_bench.speed import report as speed_report
from lton_bench.speed.calls import of_tau2, page_of_rows
from lton_bench.speed.contestants import Batch, Contestant
from lton_bench.speed.streams import calls_to_value, cut, stream
from lton_bench.speed.timing import race, ratio, spread

RESULTS = Path(__file__).parents[2] / "results" / "cliffs"
FORMS: tuple[Form, ...] = ("wire", "keyed", "punctuated")
TOKEN = 4
"""Characters of a chunk: about one token of a model."""
READING = (
    "Rendered from cliffs.json, which `make bench-speed` writes.",
    "The figures are times relative to `json` for the same calls: medians of the ratios within a "
    "round, with quartiles in brackets. Each call is processed once in turn.",
    "Rows with `!` have a sigil before each call, as calls among prose have.",
)

Figures = dict[str, Any]


def _tool(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def _nest_records(depth: int) -> tuple[Any, Any]:
    """Return the schema of records that are nested `depth` levels deep, and a value."""
    members: dict[str, Any] = {"k": {"type": "integer"}, "s": {"type": "string"}}
    value: dict[str, Any] = {"k": 3, "s": "two words"}
    if depth:
        inner, below = _nest_records(depth - 1)
        members["n"], value["n"] = {"type": "array", "items": inner}, [below] * 2
    return {"type": "object", "properties": members, "required": list(members)}, value


def _free(index: int) -> dict[str, Any]:
    """Return a record of four levels, as APIs answer."""
    user = {"name": "Ann B", "tags": ["a", "b c"], "geo": {"lat": 1.5, "lon": -2.25}}
    items = [{"sku": f"x{k}", "n": k} for k in range(3)]
    return {"id": index, "user": user, "items": items}


def shapes(stride: int = 1) -> Iterator[tuple[str, list[Batch]]]:
    """Yield the name of each shape and its calls."""
    yield "tau2's 701 calls, each once", of_tau2(stride)
    text = {"type": "string"}
    write = [_tool("write", path=text, content=text)]
    source = Path(json.__file__).read_text("utf-8")
    for size in (60, 300, 2_000, 8_000):
        call = Call("write", {"path": "src/app/main.py", "content": source[:size]})
        yield f"a file of {size:,} characters", [Batch(calls=[call], definitions=write)] * 50
    quoted = Call("write", {"path": "it's", "content": 'say "it\'s" so'})
    yield "quotes in a text", [Batch(calls=[quoted], definitions=write)] * 50
    anything = [_tool("any", v={})]
    records = Call("any", {"v": [_free(i) for i in range(300 // stride)]})
    yield "300 nested records, no schema", [Batch(calls=[records], definitions=anything)]
    for depth in range(4):
        schema, value = _nest_records(depth)
        call = Call("nest", {"v": [value] * 20})
        tools = [_tool("nest", v={"type": "array", "items": schema})]
        yield f"records with a schema, {depth + 1} deep", [Batch(calls=[call], definitions=tools)]
    rows = page_of_rows(2_000 // stride)
    yield "2,000 rows, no schema", rows


def make_entrants(batches: Sequence[Batch], *, reads: bool) -> list[Contestant]:
    """Return `json`, and LTON in each form with and without a sigil."""
    tools, values = [batch.tools for batch in batches], [batch.value for batch in batches]
    plain = [json.dumps(value, separators=(",", ":")) for value in values]
    make = partial(Contestant, units=len(batches))
    dumps = partial(json.dumps, separators=(",", ":"))
    entrants = [
        make(name="json", work=json.loads, columns=(plain,), to_value=contestants.as_it_is)
        if reads
        else make(name="json", work=dumps, columns=(values,), to_value=contestants.from_json)
    ]
    for form in FORMS:
        for sigil in (False, True):
            write = partial(encode, form=form, sigil=sigil)
            calls = [batch.calls for batch in batches]
            name = f"LTON {'!' * sigil}{form}"
            if reads:
                texts = list(map(write, calls, tools))
                columns: Any = (texts, tools)
                one = make(name=name, work=decode, columns=columns, to_value=contestants.from_calls)
            else:
                columns = (calls, tools)
                one = make(name=name, work=write, columns=columns, to_value=contestants.from_text)
            entrants.append(one)
    return entrants


def measure(seconds: float, stride: int) -> Figures:
    """Return all ratios, and the time that the gateway takes per token of a stream."""
    gc.disable()
    rows = []
    for name, batches in shapes(stride):
        row: Figures = {"name": name}
        for way in ("decode", "encode"):
            runners = make_entrants(batches, reads=way == "decode")
            wrong = {one.name: one.count_wrong(batches) for one in runners}
            assert not any(count for count, _ in wrong.values()), (name, wrong)
            rounds = race(runners, seconds, 5, lambda: None)
            row[way] = {
                one.name.removeprefix("LTON "): ratio(rounds, one.name, "json")
                for one in runners[1:]
            }
        rows.append(row)
    streams: Figures = {}
    for form in FORMS[::2]:
        batches = of_tau2(4 * stride)
        texts = [encode(entry.calls, entry.tools, form=form, sigil=True) for entry in batches]
        chunks = [cut(text, TOKEN) for text in texts]
        one = Contestant(
            name="stream",
            work=stream,
            columns=(chunks, [entry.tools for entry in batches]),
            to_value=calls_to_value,
            units=sum(map(len, chunks)),
        )
        assert one.count_wrong(batches) == (0, False)
        times = [entry["stream"] for entry in race([one], seconds, 5, lambda: None)]
        streams[form] = spread(times)
    return {
        "versions": {"lton": version("lton"), "python": platform.python_version()},
        "rows": rows,
        "streams": streams,
    }


def markdown(figures: Mapping[str, Any]) -> str:
    """Return the report."""
    names = [f"{'!' * sigil}{form}" for form in FORMS for sigil in (False, True)]
    lines = ["# Cliffs", "", *READING]
    for way, base in (("decode", "json.loads"), ("encode", "json.dumps")):
        lines += ["", f"## {way}, `{base}` = 1", "", "|  | " + " | ".join(names) + " |"]
        lines.append("|---|" + "---:|" * len(names))
        for row in figures["rows"]:
            cells = (_cell(row[way][name]) for name in names)
            lines.append(f"| {row['name']} | {' | '.join(cells)} |")
    lines += ["", "## Streams", ""]
    words = (
        f"{form} {quantiles['median'] / 1_000:.1f} µs"
        for form, quantiles in figures["streams"].items()
    )
    lines.append(
        f"A chunk of {TOKEN} characters of tau2's calls after a sigil, read with prose and deltas "
        f"as the gateway does: {', '.join(words)}."
    )
    return "\n".join(lines) + "\n"


def _cell(ratio: dict[str, float]) -> str:
    low, middle, high = ratio["q1"], ratio["median"], ratio["q3"]
    return f"{middle:.1f} ({low:.1f} to {high:.1f})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(prog="python -m lton_bench.speed.cliffs")
    parser.add_argument("--quick", action="store_true", help="a small part, printed only")
    options = parser.parse_args(arguments)
    figures = measure(*((0.05, 32) if options.quick else (1.0, 1)))
    if not options.quick:
        speed_report.save(RESULTS, figures, markdown)
    print(markdown(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
