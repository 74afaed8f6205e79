"""Show the figures of the grammar benchmark as tables on a terminal and in Markdown."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from rich.console import Console

from lton_bench.internals import Form
from lton_bench.markdown_tables import write_head, write_row
from lton_bench.speed.report import (
    ABSENT,
    Figures,
    Table,
    markdown_tables,
    show_tables,
    time_words,
    versions,
)

READING = (
    "LTON and JSON Schema get the same tools and calls from BFCL. JSON has no whitespace.",
    "`text` is the size of the grammar or schema, in characters.",
    "`compile` is the median time of a compilation, or one time if it is longer than a second.",
    "`p50` and `p99` are percentiles of the time for one mask, for each token and the end.",
    "`call` is the mean time of all masks of a call. A call in LTON has fewer tokens.",
    "Each figure is followed by its ratio to JSON Schema. Below 1, LTON is smaller or faster.",
    "`lost` is the number of calls that the engine did not accept. Times are CPU time.",
    "LTON limits strings by default, and JSON Schema only if it has `maxLength`.",
    "So the goals compare schemas without `maxLength` with unbounded grammars of LTON.",
    "For llguidance the goals are for the default of `to_lark`: quoted strings, no bare words.",
    "In xgrammar LTON only limits strings if an option requests limits.",
    "Figures for one tool are means of five toolsets with one tool.",
)
FORM_NAMES: tuple[Form, ...] = ("wire", "keyed", "punctuated")
_WHAT = {
    "tools": "tools",
    "servers": "tools of MCP servers",
    "file": "a file of 900 characters",
}
UNBOUNDED, BY_DEFAULT = "unbounded", "by default"
_MARK = "<!-- grammars: make bench-grammar -->"
_SIZE, _LONGEST = 20, 999
_COLUMNS = {
    "text": ("characters", None),
    "compile": ("compile", None),
    "masks of a call": ("call", None),
    "compile, `maxLength`": ("compile", _LONGEST),
}
"""The columns of the short table: a measure, and a `maxLength`."""
MEASURES = {
    "characters": "text",
    "compile": "compile time",
    "p50": "mask, p50",
    "p99": "mask, p99",
    "call": "masks of a call",
}


def show(figures: Figures, console: Console) -> None:
    """Print everything."""
    show_tables(READING, (*_measured_tables(figures), _goals(figures), versions(figures)), console)


def markdown(figures: Figures) -> str:
    """Return the report as Markdown, the goals first."""
    reading = ("Rendered from grammars.json, which `make bench-grammar` writes.", *READING)
    tables = (_goals(figures), *_measured_tables(figures), versions(figures))
    return markdown_tables("Grammars", reading, tables)


def fair(section: Figures, form: str) -> Figures | None:
    """Return the row of a form that is compared with JSON Schema, if there is one.

    This is the default grammar if only the schema sets bounds, and otherwise the unbounded grammar.
    """
    by_name = {row["name"]: row for row in section["rows"]}
    names = (f"{form}, {BY_DEFAULT}", f"{form}, {UNBOUNDED}", form)
    return next((by_name[name] for name in names if name in by_name), None)


def summary_table(figures: Figures) -> str:
    """Return the table of docs/results/grammars.md, with its mark: the ratios for 20 tools."""
    ratios = {
        (section["engine"], section["vocabulary"], form, measure, section["max_length"]): ratio
        for section in figures["sections"]
        if (section["what"], section["size"]) == ("tools", _SIZE)
        for form in FORM_NAMES
        if (row := fair(section, form))
        for measure, ratio in row["ratios"].items()
    }
    title = f"{_SIZE} tools of BFCL; the engine's own JSON Schema = 1"
    lines = [_MARK, *write_head(title, *_COLUMNS)]
    for engine, vocabulary in dict.fromkeys((key[0], key[1]) for key in ratios):
        for form in reversed(FORM_NAMES):
            row_ratios = (
                ratios.get((engine, vocabulary, form, measure, bound))
                for measure, bound in _COLUMNS.values()
            )
            lines.append(write_row(f"{engine}, {vocabulary}: {form}", *map(_ratio, row_ratios)))
    return "\n".join((*lines, ""))


def _title(section: Figures) -> str:
    bound = section["max_length"]
    strings = "strings as they are" if bound is None else f"strings of at most {bound}"
    return f"{section['engine']}, {section['vocabulary']}: {_WHAT[section['what']]}, {strings}"


def _measured_tables(figures: Figures) -> Iterator[Table]:
    for title, sections in groupby(figures["sections"], _title):
        rows = []
        below = []
        for section in sections:
            size = f"{section['size']:,}"
            for row in section["rows"]:
                rows.append((size, row["name"], *_cells(row)))
                if row["refused"]:
                    below.append(f"{size}, {row['name']}: refused: {row['refused'][:200]}")
        header = ("tools", "", "text", "", "compile", "", "p50", "", "p99", "", "call", "", "lost")
        yield Table(title=title, header=header, rows=rows, below=below)
    yield _emission(figures["emission"])


def _cells(row: Figures) -> Iterator[str]:
    for measure in MEASURES:
        value, ratio = row.get(measure), row["ratios"].get(measure)
        words = f"{value:,}" if measure == "characters" and value else value and time_words(value)
        yield words or ABSENT
        yield _ratio(ratio)
    yield f"{row['lost']:,}"


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return ABSENT
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"


def _emission(emission: Figures) -> Table:
    rows = [
        (
            row["name"],
            time_words(row["ns"]),
            f"{row['ratio']:.2f}",
            f"{row['of 1,000']:,}",
            f"{row['growth']:.2f}",
        )
        for row in emission["rows"]
    ]
    return Table(
        title="Emission for 1,000 tools",
        header=("", "time", "to from_tools", "characters", "to ten times those of 100"),
        rows=rows,
        below=[f"`ToolSet.from_tools` of the same: {time_words(emission['from_tools'])}"],
    )


def _goals(figures: Figures) -> Table:
    def key(goal: Figures) -> tuple[Any, ...]:
        bound = f", {goal['max_length']}" if goal["max_length"] else ""
        engine = f"{goal['engine']}, {goal['vocabulary']}"
        return engine, MEASURES[goal["measure"]] + bound, f"{goal['at_most']:g}"

    rows = []
    verdicts: list[bool] = []
    for words, goals in groupby(figures["goals"], key):
        cells = dict.fromkeys(FORM_NAMES, "")
        met: list[bool] = []
        for goal in goals:
            goal_ratios = goal["found"].values()
            cells[goal["form"]] = " ".join(map(_ratio, goal_ratios))
            met += [ratio is not None and ratio <= goal["at_most"] for ratio in goal_ratios]
        verdict = "met" if all(met) else f"{sum(met)} of {len(met)}" if any(met) else "missed"
        rows.append((*words, *cells.values(), verdict))
        verdicts += met
    sizes = ", ".join(dict.fromkeys(size for goal in figures["goals"] for size in goal["found"]))
    return Table(
        title="Goals",
        header=("", "ratio to JSON Schema", "at most", *FORM_NAMES, "met"),
        rows=rows,
        below=[
            f"{sum(verdicts)} of {len(verdicts)} met; a goal without a figure counts as missed",
            f"for {sizes} tools; 999: where each string has that `maxLength`",
        ],
    )
