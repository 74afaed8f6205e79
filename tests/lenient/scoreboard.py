"""Count the texts that are read as expected: `python -m tests.lenient.scoreboard`.

The texts are the fixtures of the package `canitoolcall` (outputs of nine families of models, and
texts of the parser tests of vLLM, SGLang and llama.cpp), and our own. The texts in
foreign_verdicts.jsonl are in the syntaxes of 23 parsers of SGLang 0.5.23, which read them as
stated. Those in engine_verdicts.jsonl have the shapes of the parser tests of SGLang, vLLM and
llama.cpp, with the expected calls of each test. Those in tag_verdicts.jsonl are accepted by
xgrammar 0.2.8's structural tags for models. Those in report_verdicts.jsonl are rebuilt from public
reports of lost or wrong calls. Each text is read twice: with the syntaxes of its model named, as
the suites name it, and without. `evidence_sets` has the other side: texts that are no calls. With
`--write` the table is written to benchmarks/results/lenient.md, and docs/results/lenient.md shows
it.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from canitoolcall.fixtures import load_fixtures

from lton import Call, ToolSet, decode_lenient
from lton.errors import RepairCode
from lton.lenient import LenientResult
from tests.lenient.evidence_sets import ALL_SYNTAXES, syntaxes_of_family, table_of_both_sides

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "lenient.md"
FOREIGN = Path(__file__).with_name("foreign_verdicts.jsonl")
BY_TESTS = Path(__file__).with_name("engine_verdicts.jsonl")
TAGS = Path(__file__).with_name("tag_verdicts.jsonl")
REPORTS = Path(__file__).with_name("report_verdicts.jsonl")
TESTS = {"sglang-tests": "SGLang", "vllm-tests": "vLLM", "llamacpp-tests": "llama.cpp"}
"""Whose tests judge a text of BY_TESTS, by what its id begins with."""
ENGINES = {"vllm": "vLLM", "sglang": "SGLang", "llamacpp": "llama.cpp", "ollama": "Ollama"}


_LEFT_OVER = (RepairCode.LEFT, RepairCode.CUT)
"""The doubts that come of what is left over, and of texts that may be cut."""


class Outcome(StrEnum):
    """The outcome of reading a text."""

    RIGHT = "right"
    LEFT = "broken, left alone"
    DOUBTED = "a call uncertain"
    MISSED = "a call missed"
    DIFFERENT = "another call"
    INVENTED = "a call where none is"
    READ = "broken, read"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A text with the calls in it, or None if it is broken."""

    id: str
    family: str
    text: str
    tools: ToolSet
    calls: tuple[Call, ...] | None


@cache
def verdicts() -> tuple[Verdict, ...]:
    """Return the texts of canitoolcall, with their expected calls."""
    return tuple(map(_verdict, load_fixtures()))


@cache
def foreign() -> tuple[Verdict, ...]:
    """Return our own texts, with the calls that SGLang's parsers find in them."""
    return tuple(_own(FOREIGN, "sglang:"))


@cache
def by_tests() -> tuple[Verdict, ...]:
    """Return our own texts in the shapes of the engines' tests, with the calls that these tests
    expect.
    """
    return tuple(_own(BY_TESTS, ""))


@cache
def by_tags() -> tuple[Verdict, ...]:
    """Return our own texts that xgrammar's structural tags accept, and the calls in them."""
    return tuple(_own(TAGS, ""))


@cache
def reported() -> tuple[Verdict, ...]:
    """Return our own texts in the shapes of public reports; damaged texts count as broken."""
    return tuple(_own(REPORTS, ""))


def everything() -> tuple[Verdict, ...]:
    """Return the texts of all suites."""
    return (*verdicts(), *foreign(), *by_tests(), *by_tags(), *reported())


def _own(path: Path, prefix: str) -> Iterator[Verdict]:
    first, *lines = map(json.loads, path.read_text("utf-8").splitlines())
    tools = ToolSet.from_tools(first["tools"], standard=True)
    for one in lines:
        calls = None if one["calls"] is None else tuple(Call(*call) for call in one["calls"])
        yield Verdict(prefix + one["id"], one.get("family", ""), one["text"], tools, calls)


def _verdict(fixture: Any) -> Verdict:
    tools = ToolSet.from_tools([dict(tool) for tool in fixture.tools], standard=True)
    calls = fixture.expected and tuple(
        Call(call.name, dict(call.arguments)) for call in fixture.expected.tool_calls
    )
    return Verdict(fixture.id, fixture.family, fixture.raw_output, tools, calls)


def spelled(calls: Iterable[Call]) -> list[str]:
    """Return strings for calls that are equal only if values and kinds are equal."""
    return [json.dumps([call.name, call.arguments], sort_keys=True) for call in calls]


def syntaxes_of(verdict: Verdict) -> frozenset[str]:
    """Return the syntaxes of the model of a text. Reports do not name their models."""
    kind, _, remainder = verdict.id.partition(":")
    if kind == "reports":
        return ALL_SYNTAXES
    return syntaxes_of_family(remainder.partition("/")[0] if kind == "sglang" else verdict.family)


def read_calls_of(verdict: Verdict, *, is_named: bool = True) -> LenientResult:
    """Read a text, with the syntaxes of its model if `is_named`."""
    syntaxes = syntaxes_of(verdict) if is_named else ()
    return decode_lenient(verdict.text, verdict.tools, syntax=syntaxes)


def outcome(verdict: Verdict, *, is_named: bool = True) -> Outcome:
    """Read a text, and compare the result with the expected calls."""
    read = read_calls_of(verdict, is_named=is_named)
    calls = spelled(read.calls)
    if verdict.calls is None:
        return Outcome.READ if calls else Outcome.LEFT
    expected = spelled(verdict.calls)
    if calls == expected:
        return Outcome.RIGHT
    if not expected:
        return Outcome.INVENTED
    if Counter(calls) - Counter(expected):
        return Outcome.DIFFERENT
    doubted = spelled(one.call for one in read.uncertain)
    return Outcome.DOUBTED if Counter([*calls, *doubted]) == Counter(expected) else Outcome.MISSED


@cache
def outcomes() -> dict[str, Outcome]:
    """Return the outcome of each text, by its id."""
    return {verdict.id: outcome(verdict) for verdict in everything()}


@cache
def outcomes_unnamed() -> dict[str, Outcome]:
    """Return the outcome of each text, by its id, if the syntax of its model is not named."""
    return {verdict.id: outcome(verdict, is_named=False) for verdict in everything()}


@cache
def in_doubt() -> dict[str, int]:
    """Return the texts with calls, by id, and how many of them the rule of leftovers doubts."""
    return {
        one.id: sum(call.code in _LEFT_OVER for call in read_calls_of(one).uncertain)
        for one in (*verdicts(), *foreign(), *by_tests(), *by_tags())
        if one.calls
    }


def source(verdict: Verdict) -> str:
    """Return the project whose test a text comes from."""
    words = verdict.id.partition("/")[2].split("-")
    return next((name for key, name in ENGINES.items() if key in words), "templates, reports")


def table() -> str:
    """Return the scores by family and by source, and the texts that are not read as expected."""
    return "\n".join([*_rows(), "", *table_of_both_sides(), "", *_price(), "", *_losses()]) + "\n"


def _rows() -> Iterator[str]:
    columns = list(Outcome)
    yield f"| | texts | {' | '.join(columns)} | right, syntax not named |"
    yield "|---|---:|" + "---:|" * (len(columns) + 1)
    counts: dict[str, Counter[Outcome]] = {}
    unnamed = Counter[str]()
    for group, verdict in _grouped():
        counts.setdefault(group, Counter())[outcomes()[verdict.id]] += 1
        if outcomes_unnamed()[verdict.id] is Outcome.RIGHT:
            unnamed[group] += 1
    for group in sorted(counts):
        count = counts[group]
        cells = " | ".join(str(count[column]) for column in columns)
        yield f"| {group[2:]} | {count.total()} | {cells} | {unnamed[group]} |"


def _grouped() -> Iterator[tuple[str, Verdict]]:
    """Yield each text with the groups that it is counted in; their first digit is their order."""
    for verdict in verdicts():
        yield f"1 {verdict.family}", verdict
        yield f"2 from {source(verdict)}", verdict
        yield "3 **all**", verdict
    for verdict in foreign():
        yield "4 **our texts, as SGLang reads them**", verdict
    for verdict in by_tests():
        name = TESTS[verdict.id.partition(":")[0]]
        yield f"5 **our texts, as {name}'s tests expect**", verdict
    for verdict in by_tags():
        yield "6 **our texts, as xgrammar's tags accept**", verdict
    for verdict in reported():
        yield "7 **our texts, as reports say**", verdict


def _price() -> Iterator[str]:
    doubted = sum(count > 0 for count in in_doubt().values())
    yield "| price of the rule of leftovers | texts with calls | one is in doubt (L126, L127) |"
    yield "|---|---:|---:|"
    yield f"| all suites but the reports | {len(in_doubt())} | {doubted} |"


def _losses() -> Iterator[str]:
    yield "| text | what came of it |"
    yield "|---|---|"
    for name, result in outcomes().items():
        if result not in (Outcome.RIGHT, Outcome.LEFT):
            yield f"| `{name}` | {result} |"


if __name__ == "__main__":
    page = table()
    sys.stdout.write(page)
    if "--write" in sys.argv[1:]:
        RESULTS.write_text(page, encoding="utf-8")
