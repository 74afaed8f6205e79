"""Count the texts that are read as expected: `python -m tests.lenient.scoreboard`.

The texts are the fixtures of the package `canitoolcall` (outputs of nine families of models, and
texts of the parser tests of vLLM, SGLang and llama.cpp), and our own. The texts in
foreign_verdicts.jsonl are in the syntaxes of 23 parsers of SGLang 0.5.23, which read them as
stated. Those in engine_verdicts.jsonl have the shapes of the parser tests of SGLang, vLLM and
llama.cpp, with the expected calls of each test. Those in tag_verdicts.jsonl are accepted by
xgrammar 0.2.8's structural tags for models. Those in report_verdicts.jsonl are rebuilt from public
reports of lost or wrong calls. With `--write` the table is written to
benchmarks/results/lenient.md, and docs/results/lenient.md shows it.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from canitoolcall.fixtures import load_fixtures

from lton import Call, ToolSet, decode_lenient
from lton.errors import RepairCode
from lton.gateway.native.rescues import Allowed, read_calls
from tests.gateway import test_call_after_prose
from tests.lenient import test_must_not_call

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


def outcome(verdict: Verdict) -> Outcome:
    """Read a text, and compare the result with the expected calls."""
    found = spelled(decode_lenient(verdict.text, verdict.tools).calls)
    if verdict.calls is None:
        return Outcome.READ if found else Outcome.LEFT
    wanted = spelled(verdict.calls)
    if found == wanted:
        return Outcome.RIGHT
    if not wanted:
        return Outcome.INVENTED
    return Outcome.MISSED if not Counter(found) - Counter(wanted) else Outcome.DIFFERENT


@cache
def outcomes() -> dict[str, Outcome]:
    """Return the outcome of each text, by its id."""
    return {verdict.id: outcome(verdict) for verdict in everything()}


@cache
def in_doubt() -> dict[str, int]:
    """Return the texts with calls, by id, and how many of them the rule of leftovers doubts."""
    return {
        one.id: sum(
            call.code in _LEFT_OVER for call in decode_lenient(one.text, one.tools).uncertain
        )
        for one in (*verdicts(), *foreign(), *by_tests(), *by_tags())
        if one.calls
    }


def source(verdict: Verdict) -> str:
    """Return the project whose test a text comes from."""
    words = verdict.id.partition("/")[2].split("-")
    return next((name for key, name in ENGINES.items() if key in words), "templates, reports")


def table() -> str:
    """Return the scores by family and by source, and the texts that are not read as expected."""
    return (
        "\n".join([*_rows(), "", *_price(), "", *_others(), "", *_rescues(), "", *_losses()]) + "\n"
    )


def _rows() -> Iterator[str]:
    columns = list(Outcome)
    yield f"| | texts | {' | '.join(columns)} |"
    yield "|---|---:|" + "---:|" * len(columns)
    counted: dict[str, Counter[Outcome]] = {}
    for verdict in verdicts():
        for group in (f"1 {verdict.family}", f"2 from {source(verdict)}", "3 **all**"):
            counted.setdefault(group, Counter())[outcomes()[verdict.id]] += 1
    counted["4 **our texts, as SGLang reads them**"] = Counter(
        outcomes()[verdict.id] for verdict in foreign()
    )
    for verdict in by_tests():
        name = TESTS[verdict.id.partition(":")[0]]
        group = f"5 **our texts, as {name}'s tests expect**"
        counted.setdefault(group, Counter())[outcomes()[verdict.id]] += 1
    for group, verdicts_ in (
        ("6 xgrammar's tags accept", by_tags()),
        ("7 reports say", reported()),
    ):
        count = Counter(outcomes()[verdict.id] for verdict in verdicts_)
        counted[f"{group[0]} **our texts, as {group[2:]}**"] = count
    for group in sorted(counted):
        count = counted[group]
        cells = " | ".join(str(count[column]) for column in columns)
        yield f"| {group[2:]} | {count.total()} | {cells} |"


def _price() -> Iterator[str]:
    doubted = sum(count > 0 for count in in_doubt().values())
    yield "| price of the rule of leftovers | texts with calls | one is in doubt (L126, L127) |"
    yield "|---|---:|---:|"
    yield f"| all suites but the reports | {len(in_doubt())} | {doubted} |"


def _others() -> Iterator[str]:
    count = len(test_must_not_call.OTHERS) * len(test_must_not_call.SPELLINGS)
    yield "| a call that another says or shows | texts | called |"
    yield "|---|---:|---:|"
    called = len(test_must_not_call.others_called())
    yield f"| turns, quotations, logs, mails, transcripts, code | {count} | {called} |"


def _rescues() -> Iterator[str]:
    """Count the texts that are rescued only because of the rule for calls at the end of prose."""
    count = Counter[str]()
    for verdict in (*verdicts(), *foreign(), *by_tests(), *by_tags(), *reported()):
        now = Allowed(tools=verdict.tools, names=frozenset(verdict.tools.by_name))
        if read_calls(verdict.text, replace(now, after_prose=False)).rescue:
            continue
        found = decode_lenient(verdict.text, verdict.tools)
        if len(found.calls) == 1 and any(each.code is RepairCode.PROSE for each in found.repairs):
            count["texts"] += 1
        if made := read_calls(verdict.text, now).rescue:
            right = [(each.name, each.arguments) for each in verdict.calls or ()]
            made_calls = [(each.name, each.arguments) for each in made.calls]
            count["right" if made_calls == right else "other"] += 1
    shown = list(test_call_after_prose.shown())
    called = sum(
        read_calls(text, test_call_after_prose.DELETING).rescue is not None for text in shown
    )
    said = list(test_call_after_prose.studied())
    marked = sum(map(test_call_after_prose.may_be_rescued, said))
    yield "| a call at the end of prose, by native rescue | texts | its call | another call |"
    yield "|---|---:|---:|---:|"
    cells = " | ".join(str(count[each]) for each in ("texts", "right", "other"))
    yield f"| prose and one call, in all suites | {cells} |"
    yield f"| texts that quote, document, translate or refuse | {len(shown)} | | {called} |"
    yield f"| texts in the files of the studies | {len(said)} | | {marked} |"


def _losses() -> Iterator[str]:
    yield "| text | what came of it |"
    yield "|---|---|"
    for name, result in outcomes().items():
        if result not in (Outcome.RIGHT, Outcome.LEFT):
            yield f"| `{name}` | {result} |"


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        RESULTS.write_text(table(), encoding="utf-8")
    else:
        sys.stdout.write(table())
