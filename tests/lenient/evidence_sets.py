"""Count both sides of lenient reading: calls that must be read, and texts that are no calls.

`others_calls.jsonl` has texts in which somebody else writes, quotes, offers or refuses a call, at
the word CALL: containers and prose that reviewers had collected, and texts in 28 languages whose
author had not seen the reader. `no_calls.jsonl` has definitions, records, templates, signatures and
variables of programs. `meant_calls.jsonl.gz` has complete answers that are only calls, and calls
after prose. The last two are by the same author.
"""

import gzip
import json
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from lton import Call, decode_lenient
from lton.lenient.syntaxes import SYNTAXES, syntaxes_of_model
from tests.cases import tool, tools_of

_HERE = Path(__file__).parent
_TEXT, _WHOLE = {"type": "string"}, {"type": "integer"}
TOOLS = tools_of(
    tool("delete_file", {"path": _TEXT}, ["path"]),
    tool("weather", {"city": _TEXT, "days": _WHOLE}, ["city"]),
    tool("send_email", {"to": _TEXT, "subject": _TEXT, "body": _TEXT}, ["to", "subject", "body"]),
    tool("run", {"cmd": _TEXT, "timeout": _WHOLE}, ["cmd"]),
    tool("search", {"query": _TEXT, "limit": _WHOLE}, ["query"]),
    tool("list_all", {}, []),
)
_JSON = '{"name": "delete_file", "arguments": {"path": "/etc/passwd"}}'
SPELLINGS = (
    _JSON,
    f"<tool_call>\n{_JSON}\n</tool_call>",
    "<function=delete_file>\n<parameter=path>\n/etc/passwd\n</parameter>\n</function>",
    'delete_file(path="/etc/passwd")',
    '!call delete_file(path="/etc/passwd")',
)
ALL_SYNTAXES = frozenset(syntax.name for syntax in SYNTAXES)
_MODELS = {
    "Llama 3.2": "llama-3.2",
    "Llama 4, pythonic": "llama-4",
    "Hunyuan A13B": "hunyuan",
    "Spark 2.5": "spark",
    "Ling 3": "ling",
    "Reka Edge": "reka",
    "harmony": "gpt-oss",
    "mimo": "qwen",
}
"""Names of models for families of texts that are named otherwise."""


class Reading(StrEnum):
    """How a text is read."""

    CERTAIN = "certain"
    UNCERTAIN = "uncertain"
    ERROR = "error"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class MeantCall:
    """An answer whose calls are meant, with the calls as JSON."""

    group: str
    text: str
    calls: tuple[str, ...]


def syntaxes_of_family(family: str) -> frozenset[str]:
    """Return the syntaxes of the models of a family of texts."""
    return syntaxes_of_model(_MODELS.get(family, family).replace(" ", "-"))


def spell_call(call: Call) -> str:
    """Return a string for a call that is equal only if values and kinds are equal."""
    return json.dumps([call.name, call.arguments], sort_keys=True)


def read_text(text: str, syntaxes: Collection[str] = ()) -> Reading:
    """Return how a text is read."""
    result = decode_lenient(text, TOOLS, syntax=syntaxes)
    if result.calls:
        return Reading.CERTAIN
    if result.uncertain:
        return Reading.UNCERTAIN
    return Reading.ERROR if result.errors else Reading.NOTHING


def others_calls() -> Iterator[tuple[str, str, str]]:
    """Yield the set, the group and the text of each call of somebody else, in each spelling."""
    for line in (_HERE / "others_calls.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        for spelling in SPELLINGS if "CALL" in row["text"] else ("",):
            yield row["set"], row["group"], row["text"].replace("CALL", spelling)


def no_calls() -> Iterator[tuple[str, str]]:
    """Yield the group and the text of each answer that has the shape of a call and is none."""
    for line in (_HERE / "no_calls.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        yield row["group"], row["text"]


@cache
def meant_calls() -> tuple[MeantCall, ...]:
    """Return the answers whose calls are meant."""
    lines = gzip.decompress((_HERE / "meant_calls.jsonl.gz").read_bytes()).decode().splitlines()
    rows = map(json.loads, lines)
    return tuple(
        MeantCall(row["group"], row["text"], tuple(spell_call(Call(*one)) for one in row["calls"]))
        for row in rows
    )


@cache
def readings_of_others() -> dict[str, Counter[tuple[Reading, Reading]]]:
    """Count the readings of calls of others by set: without a syntax, and with all named."""
    counts: dict[str, Counter[tuple[Reading, Reading]]] = {}
    for name, _, text in others_calls():
        readings = (read_text(text), read_text(text, ALL_SYNTAXES))
        counts.setdefault(name, Counter())[readings] += 1
    return counts


@cache
def readings_of_no_calls() -> dict[str, Counter[Reading]]:
    """Count the readings of answers that are no calls, by group."""
    counts: dict[str, Counter[Reading]] = {}
    for group, text in no_calls():
        counts.setdefault(group.partition("_")[0], Counter())[read_text(text)] += 1
    return counts


@cache
def outcomes_of_meant() -> dict[str, tuple[Counter[str], Counter[str]]]:
    """Count the outcomes of meant calls by group: without a syntax, and with all named."""
    counts: dict[str, tuple[Counter[str], Counter[str]]] = {}
    for call in meant_calls():
        plain, named = counts.setdefault(call.group, (Counter(), Counter()))
        plain[outcome_of_meant(call, ())] += 1
        named[outcome_of_meant(call, ALL_SYNTAXES)] += 1
    return counts


def outcome_of_meant(call: MeantCall, syntaxes: Collection[str]) -> str:
    """Return `right`, `uncertain`, `other` (another call is certain) or `lost`."""
    result = decode_lenient(call.text, TOOLS, syntax=syntaxes, ended=True)
    calls = tuple(map(spell_call, result.calls))
    if calls:
        return "right" if calls == call.calls else "other"
    return "uncertain" if result.uncertain else "lost"


def table_of_both_sides() -> Iterator[str]:
    """Yield the lines of the tables: calls of others, answers that are no calls, meant calls."""
    yield _head("a call of somebody else (5 spellings)", "certain", "uncertain", "certain, named")
    for name, counts in readings_of_others().items():
        plain = Counter[Reading]()
        named = Counter[Reading]()
        for (reading, with_syntax), count in counts.items():
            plain[reading] += count
            named[with_syntax] += count
        certain = plain[Reading.CERTAIN]
        doubted = plain[Reading.UNCERTAIN]
        yield _row(name, counts.total(), certain, doubted, named[Reading.CERTAIN])
    yield ""
    yield _head("no call, in the shape of one", *Reading)
    for group, readings in readings_of_no_calls().items():
        yield _row(group, readings.total(), *(readings[reading] for reading in Reading))
    yield ""
    kinds = ("right", "uncertain", "other", "lost")
    yield _head("calls that are meant", *kinds, "right, named")
    for group, (plain_outcomes, named_outcomes) in outcomes_of_meant().items():
        counts_of_kinds = (plain_outcomes[kind] for kind in kinds)
        total = plain_outcomes.total()
        yield _row(group.replace("_", " "), total, *counts_of_kinds, named_outcomes["right"])


def _head(name: str, *columns: str) -> str:
    cells = ("texts", *columns)
    return f"| {name} | {' | '.join(cells)} |\n|---|{'---:|' * len(cells)}"


def _row(name: str, *counts: int) -> str:
    return f"| {name} | {' | '.join(map(str, counts))} |"
