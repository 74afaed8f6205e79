"""Show the results as tables: in Markdown, in HTML, and for the site."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from lton_bench.tokens.answers import ANSWER_FORMATS
from lton_bench.tokens.formats import BASELINE, FORMATS
from lton_bench.tokens.page import Cell, Table
from lton_bench.tokens.results import CODE, KEPT, OWN, Results
from lton_bench.tokens.shown import SHOWN_FORMATS

GROUPS: dict[str, str] = {form.name: form.group for form in FORMATS}
for _name in [*(row.name for row in ANSWER_FORMATS), *(row.name for row in SHOWN_FORMATS)]:
    _first = re.split("[ ,]", _name)[0]
    GROUPS.setdefault(_name, _first if _first in ("LTON", "JSON") else "rival")
ROLES = ("name", "key", "type", "value", "punctuation")
_MARK = "<!-- tokens: make bench-tokens -->"
_SUMMARY = (
    (BASELINE, '`{"name":…,"arguments":{…}}`'),
    ("JSON spaced", "as most templates print it"),
    ("JSON name and array", "by position, `f[…]`"),
    ("TOON by name", ""),
    ("Python call", ""),
    ("CSV", "types are the schema's to know"),
    ("LTON tagged", "needs no schema"),
    ("LTON map", "needs no tools"),
    ("LTON punctuated", "what models write"),
    ("LTON keyed", ""),
    ("LTON wire", "by position"),
    ("LTON wire, aliases", "short names for tools"),
    ("values and name", "the floor: cannot be read back"),
)


def tables(results: Results) -> Iterator[Table]:
    """Yield the tables of the report."""
    sets = results["datasets"]
    for kind, title, about in (
        ("calls", "Calls", "calls"),
        ("answers", "Answers of tools", "answers"),
        ("definitions", "Definitions of tools", "definitions"),
    ):
        some = {name: data for name, data in sets.items() if data["kind"] == kind}
        if some:
            yield _by_dataset(title, about, some, len(results["tokenizers"]))
    for data in sets.values():
        yield _by_tokenizer(data, results["tokenizers"])
    for name in (KEPT, CODE, OWN):
        if name in sets:
            yield _by_role(sets[name])
    if results["conversations"]:
        yield _conversations(results["conversations"])


def _by_dataset(title: str, about: str, some: dict[str, Any], tokenizers: int) -> Table:
    names = list(dict.fromkeys(chain.from_iterable(data["formats"] for data in some.values())))
    rows: list[list[Cell]] = []
    for name in names:
        entries = [data["formats"].get(name) for data in some.values()]
        rows.append([name, GROUPS[name], *(entry and entry["mean"] for entry in entries)])
    return {
        "title": f"{title}: all data",
        "about": f"Tokens of {about} relative to minified JSON: geometric means of {tokenizers}"
        " tokenizers. A hyphen marks data that a format cannot write.",
        "columns": ["format", "group", *(data["name"] for data in some.values())],
        "rows": rows,
    }


def _by_tokenizer(data: dict[str, Any], tokenizers: Sequence[str]) -> Table:
    rows: list[list[Cell]] = [
        [
            name,
            GROUPS[name],
            *entry["ratio"],
            entry["mean"],
            f"{entry['low']:.3f} to {entry['high']:.3f}",
            entry["mean_of_units"],
            entry["tokens"][0] / entry["units"],
        ]
        for name, entry in data["formats"].items()
    ]
    what = f"{data['units']:,} texts" + (f", {data['calls']:,} calls" if data["calls"] else "")
    return {
        "title": data["name"],
        "about": f"{data['about']} {what}. `mean` is the mean of the tokenizers, with the 95 %"
        " interval over the texts. `mean of texts` gives each text the same weight. The last column"
        " has the tokens of a text.",
        "columns": [
            "format",
            "group",
            *tokenizers,
            "mean",
            "interval",
            "mean of texts",
            f"{tokenizers[0]} tokens",
        ],
        "rows": rows,
    }


def _by_role(data: dict[str, Any]) -> Table:
    size = data["calls"] or data["units"]
    rows: list[list[Cell]] = [
        [name, GROUPS[name], *(roles.get(role, 0.0) / size for role in ROLES)]
        for name, roles in data["roles"].items()
    ]
    return {
        "title": f"Where the tokens go: {data['name']}",
        "about": f"Tokens per call in {data['splitter']}. A token across a border is divided by"
        " bytes. Types are the tags that LTON's tagged form writes.",
        "columns": ["format", "group", *ROLES],
        "rows": rows,
        "unit": "count",
    }


def _conversations(conversations: Sequence[dict[str, Any]]) -> Table:
    rows: list[list[Cell]] = [
        [
            f"{row['form']}, {_several(row['tools'], 'tool')}",
            "LTON",
            row["shown"]["JSON"],
            row["shown"]["LTON"],
            row["call"]["JSON"],
            row["call"]["LTON"],
            row["instead"],
            row["beside"],
            *(f"{ratio:.2f}" for ratio in row["conversation"].values()),
        ]
        for row in conversations
    ]
    calls = [_several(int(calls), "call") for calls in conversations[0]["conversation"]]
    return {
        "title": "The whole conversation",
        "about": "A conversation with tools of BFCL and all their descriptions, as minified JSON or"
        " as a primer and signatures, and then calls: means over tokenizers and 20 sets of tools."
        " *Instead* and *beside* are the numbers of calls from which LTON costs less, if signatures"
        " replace the JSON or are added to it. The last columns are all tokens of a conversation"
        " with this number of calls, relative to JSON.",
        "columns": [
            "form and tools",
            "group",
            "JSON shown",
            "LTON shown",
            "JSON call",
            "LTON call",
            "instead, from",
            "beside, from",
            *calls,
        ],
        "rows": rows,
        "unit": "count",
    }


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


# --- Markdown -------------------------------------------------------------------------------------


def markdown(results: Results) -> str:
    """Return the report in Markdown."""
    parts = [
        "# Tokens",
        "`make bench-tokens` writes this from tokens.json. tokens.html has the same tables, which"
        " can be sorted, and a field for your own calls.\n"
        "Figures are tokens relative to minified JSON, as ratios of sums, because you pay for"
        " sums.",
        "## Goals",
        _markdown_goals(results["goals"]),
        *(part for table in tables(results) for part in _markdown_table(table)),
        "## Data and versions",
        "\n".join(f"- {data['name']}: {data['about']}" for data in results["datasets"].values()),
        "\n".join(f"- {name} {version}" for name, version in results["meta"]["packages"].items()),
        "\n".join(f"- {form.name}: {form.note}" for form in FORMATS if form.note),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _markdown_goals(goals: Sequence[dict[str, Any]]) -> str:
    lines = ["| goal | at most | found | |", "|---|---:|---:|---|"]
    for goal in goals:
        verdict = "met" if goal["met"] else "missed"
        lines.append(
            f"| {goal['goal']} | {goal['at_most']:.2f} | {goal['found']:.3f} | {verdict} |"
        )
    return "\n".join(lines)


def _markdown_table(table: Table) -> Iterator[str]:
    yield f"## {table['title']}"
    yield table["about"]
    is_ratio = table.get("unit", "ratio") == "ratio"
    columns = list(table["columns"])
    head = f"| {' | '.join([columns[0], *columns[2:]])} |\n|---{'|---:' * (len(columns) - 2)}|"
    lines = [_markdown_row(row, is_ratio=is_ratio) for row in table["rows"]]
    yield "\n".join((head, *lines))


def _markdown_row(row: Sequence[Cell], *, is_ratio: bool) -> str:
    name, group, *cells = row
    texts = [_shown(cell, is_ratio=is_ratio) for cell in cells]
    return f"| {f'**{name}**' if group == 'LTON' else name} | {' | '.join(texts)} |"


def _shown(cell: Cell, *, is_ratio: bool) -> str:
    match cell:
        case None:
            return "-"
        case float():
            return f"{cell:.3f}" if is_ratio else f"{cell:,.1f}"
        case int():
            return f"{cell:,}"
        case _:
            return cell


# --- a page of docs/ ------------------------------------------------------------------------------


def summary_table(results: Results) -> str:
    """Return the table of docs/results/tokens.md: BFCL in well-known formats."""
    data = results["datasets"][KEPT]
    head = (
        f"{_MARK}\n| {data['calls']:,} calls of BFCL, {len(results['tokenizers'])} tokenizers |"
        " tokens, minified JSON = 1 | 95 % | lowest and highest tokenizer |\n|---|---:|---:|---:|"
    )
    lines = []
    for name, note in _SUMMARY:
        entry = data["formats"][name]
        mark = "**" if name == "LTON wire" else ""
        about = f" ({note})" if note else ""
        lines.append(
            f"| {mark}{name}{mark}{about} | {mark}{entry['mean']:.2f}{mark} |"
            f" {entry['low']:.3f} to {entry['high']:.3f} |"
            f" {min(entry['ratio']):.2f} to {max(entry['ratio']):.2f} |"
        )
    return "\n".join((head, *lines, ""))


def update_page(path: Path, table: str) -> None:
    """Replace a table of a page: the table's first line, its mark, up to the next blank line.

    Raises `ValueError` if the page lacks the mark.
    """
    mark = table.partition("\n")[0]
    before, found_mark, following = path.read_text("utf-8").partition(mark)
    if not found_mark:
        raise ValueError(f"expected the line {mark} in {path}")
    after = following.partition("\n\n")[2]
    path.write_text(f"{before}{table}\n{after}", "utf-8")
