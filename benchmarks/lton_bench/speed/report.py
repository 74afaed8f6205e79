"""Show the figures of the speed benchmark as tables on a terminal and in Markdown."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as Grid

Figures = Mapping[str, Any]

READING = (
    "Times are CPU time, as medians over the rounds. Each contestant runs once in each round.",
    "Ratios are taken within a round. A ratio below 1 means faster than the first row.",
    "Brackets have the quartiles of the ratio.",
    "`wrong` is the number of calls that were not read back unchanged.",
    "`Calls ten times over` repeats calls with the same tools, as an agent does.",
    "With `new tools each`, the tools of each call are no longer in the processor's cache.",
    "Contestants with (C) are written in C or Rust.",
    "LTON, and contestants with a schema, validate calls.",
    "`LTON prose and deltas` is a `Decoder` with these options, as in chats and in the gateway.",
)
ABSENT = "-"
VERDICTS = {True: "met", False: "missed", None: "not run"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with a title, and lines below the table."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    below: Sequence[str] = ()


def show(figures: Figures, console: Console) -> None:
    """Print everything; no line is longer than the console is wide."""
    show_tables(READING, (*_measured_tables(figures), _goals(figures), versions(figures)), console)


def show_tables(reading: Iterable[str], tables: Iterable[Table], console: Console) -> None:
    """Print an introduction and some tables."""
    for line in reading:
        console.print(line, markup=False, highlight=False)
    for table in tables:
        console.print(f"\n[bold]{table.title}[/]", highlight=False)
        grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
        for index, name in enumerate(table.header):
            grid.add_column(name, justify="right" if index else "left", no_wrap=True)
        for row in table.rows:
            grid.add_row(*map(_style_cell, row))
        console.print(grid)
        for line in table.below:
            console.print(line, markup=False, highlight=False)


def save(path: Path, figures: Figures, markdown: Callable[[Figures], str]) -> None:
    """Write figures to `path` with the suffix .json, and their report with the suffix .md."""
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(figures, indent=1, ensure_ascii=False)
    Path(f"{path}.json").write_text(text + "\n", "utf-8")
    Path(f"{path}.md").write_text(markdown(figures), "utf-8")


def render(path: Path, markdown: Callable[[Figures], str]) -> None:
    """Write the report of saved figures again."""
    figures = json.loads(Path(f"{path}.json").read_text("utf-8"))
    Path(f"{path}.md").write_text(markdown(figures), "utf-8")


def markdown(figures: Figures) -> str:
    """Return the report as Markdown, the goals first."""
    reading = ("Rendered from speed.json, which `make bench-speed` writes.", *READING)
    tables = (_goals(figures), *_measured_tables(figures), versions(figures))
    return markdown_tables("Speed", reading, tables)


def markdown_tables(title: str, reading: Iterable[str], tables: Iterable[Table]) -> str:
    """Return some tables as Markdown, with a title and an introduction."""
    parts = [f"# {title}", "", *reading]
    for table in tables:
        parts += ["", f"## {table.title}", "", _line(table.header)]
        parts.append(_line(["---", *["---:"] * (len(table.header) - 1)]))
        parts += map(_line, table.rows)
        parts += ["", *(f"- {line}" for line in table.below)] if table.below else []
    return "\n".join(parts) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _style_cell(cell: str) -> str:
    style = {"met": "green", "missed": "red"}.get(cell)
    return f"[{style}]{cell}[/]" if style else cell


def _measured_tables(figures: Figures) -> Iterator[Table]:
    yield from map(_race, figures["races"])
    yield from map(_growth, figures["growth"])


def _race(section: Figures) -> Table:
    rows = [
        (
            row["name"],
            "raised" if row["raised"] else time_words(row["ns"]["median"]),
            ABSENT if row["raised"] else f"{row['ratio']['median']:.2f}",
            ABSENT if row["raised"] else _quartiles(row["ratio"]),
            f"{row['wrong']:,}",
        )
        for row in section["rows"]
    ]
    calls = f"{section['calls']:,} {'calls' if section['calls'] > 1 else 'call'}"
    return Table(
        title=section["title"],
        header=("", f"a {section['unit']}", "ratio", "quartiles", "wrong"),
        rows=rows,
        below=[f"{calls}, {section['rounds']} rounds", *map(_goal, section["goals"])],
    )


def _growth(section: Figures) -> Table:
    cells = {(row["name"], row["size"]): row for row in section["rows"]}
    rows = []
    for key, words in (("ns", "ns a character"), ("peak", "peak bytes a character")):
        for name in dict.fromkeys(name for name, _ in cells):
            of_sizes = [cells.get((name, size), {}).get(key) for size in section["sizes"]]
            numbers = [
                figure["median"] if key == "ns" and figure else figure for figure in of_sizes
            ]
            rows.append((f"{name}, {words}", *map(_short, numbers)))
    return Table(
        title=section["title"],
        header=("", *map(size_words, section["sizes"])),
        rows=rows,
        below=[
            f"{section['rounds']} rounds; {ABSENT}: it would take too long to repeat",
            *map(_goal, section["goals"]),
        ],
    )


def _goals(figures: Figures) -> Table:
    rows = [
        (
            section["title"],
            _names(goal).replace("prose and deltas", "Decoder"),
            f"{goal['at_most']:.1f}",
            f"{goal['ratio']['median']:.2f}" if goal["ratio"] else ABSENT,
            VERDICTS[goal["met"]],
        )
        for section in (*figures["races"], *figures["growth"])
        for goal in section["goals"]
    ]
    met = sum(row[-1] == "met" for row in rows)
    below = [f"{met} of {len(rows)} met"]
    return Table(
        title="Goals", header=("", "ratio of", "at most", "found", ""), rows=rows, below=below
    )


def versions(figures: Figures) -> Table:
    """Return the versions of the libraries, and the platform."""
    rows = [*figures["versions"].items(), ("platform", figures["platform"])]
    return Table(title="Versions", header=("", "version"), rows=rows)


def _goal(goal: Figures) -> str:
    ratio = goal["ratio"]
    measured = f", found {ratio['median']:.2f} {_quartiles(ratio)}" if ratio else ""
    aim = f"{_names(goal)}: at most {goal['at_most']}"
    return f"{VERDICTS[goal['met']]}: {aim}{measured}"


def _names(goal: Figures) -> str:
    return f"{goal['name']} / {goal['against']}".replace("LTON ", "")


def _quartiles(ratio: Figures) -> str:
    return f"[{ratio['q1']:.2f}, {ratio['q3']:.2f}]"


def time_words(ns: float) -> str:
    """Return a time in words: 980 ns, 1.2 ms."""
    for limit, unit in ((1e3, "ns"), (1e6, "µs"), (1e9, "ms")):
        if ns < limit:
            return f"{_short(ns / limit * 1e3)} {unit}"
    return f"{ns / 1e9:.2f} s"


def _short(value: float | None) -> str:
    if value is None:
        return ABSENT
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def size_words(characters: int) -> str:
    """Return a number of characters in words: 10 KB, 1 MB."""
    megas, kilos = characters // 1_000_000, characters // 1_000
    return f"{megas} MB" if megas else f"{kilos} KB"
