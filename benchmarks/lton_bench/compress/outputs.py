"""Measure which lines of tools' output are kept, of the lines that an agent uses next.

    python -m lton_bench.compress.outputs FILE TOOLS --out FOLDER

Each line of FILE is an output: the `text`, the `command`, the `query` (the agent's last words, or a
question), and `used`, the numbers of lines that the next turn quotes, or that a report of the tool
names (`tests/context/compressed/LICENSE.outputs` explains how they were made). The outputs of TOOLS
are divided into halves by `tool`, in the member `half`; their used lines were marked by hand. The
outputs of a third part, `newest`, are of tools in no other set.
"""

import argparse
import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy

from lton.context.compress import BM25, Unit, compress
from lton.context.compress.words import Stems
from lton.tokens import counter
from lton.tokens.counting import Vocabulary

HALVES = ("development", "unseen")
NEWEST = "newest"
"""The half of outputs that were made after the last change of the rules."""
_RESAMPLES = 10_000
CUTS = (0.6, 0.8, 0.9)
BY_TOOL = (0.5, 0.8)
"""The cuts of the outputs in TOOLS."""
_FAIR = 0.7
"""The largest share that used lines may take of a fifth of an output, for a cut of 80 %."""
_WRONG = re.compile(r"(?i)error|fail|fatal|panic|exception|warn|cannot|not found|traceback")


@cache
def vocabulary() -> Vocabulary:
    """Return the tokenizer of all budgets."""
    tokenizer: Vocabulary = counter("o200k")  # type: ignore[assignment]
    return tokenizer


def read_outputs(path: Path) -> list[dict[str, Any]]:
    """Return the outputs in a compressed file."""
    return [*map(json.loads, gzip.decompress(path.read_bytes()).decode().splitlines())]


@dataclass(frozen=True, slots=True)
class Share:
    """A share in %, with the interval of 95 % of the resamplings."""

    value: float
    low: float
    high: float


def compute_share(
    kept_lines: Sequence[float], used_lines: Sequence[float], resamples: int = _RESAMPLES
) -> Share:
    """Return the share of two sums, with the interval of the percentile bootstrap.

    >>> compute_share([1, 1, 0, 0], [1, 1, 1, 1], 100).value
    50.0
    """
    count = len(kept_lines)
    draws = numpy.random.default_rng(1).multinomial(count, [1 / count] * count, size=resamples)
    totals = numpy.maximum(draws @ numpy.array(used_lines, float), 1)
    shares = draws @ numpy.array(kept_lines, float) / totals
    low, high = numpy.quantile(shares, (0.025, 0.975))
    return Share(100 * sum(kept_lines) / sum(used_lines), 100 * float(low), 100 * float(high))


@dataclass(frozen=True, slots=True)
class Kept:
    """The number of used lines of an output that a way kept."""

    way: str
    kind: str
    half: str
    cut: float
    kept: int
    used: int


def ours(text: str, query: str, budget: int) -> set[int]:
    """Compress with the defaults, and return the numbers of whole lines.

    Commas at the ends of lines in JSON are in no span, because they are written again.
    """
    short = compress(text, budget=budget, counter=vocabulary(), query=query or None)
    assert vocabulary().count(short.text).tokens <= budget
    whole, at = set(), 0
    for number, line in enumerate(text.split("\n")):
        first, last = at + len(line) - len(line.lstrip()), at + len(line.rstrip(" \t\r,"))
        at += len(line) + 1
        if any(start <= first and last <= end for start, end in short.spans):
            whole.add(number)
    return whole


def _take_lines(text: str, order: Iterable[int], budget: int) -> set[int]:
    """Take lines in the given order while they fit."""
    lines = text.split("\n")
    costs = [count.tokens for count in vocabulary().count_all(f"{line}\n" for line in lines)]
    chosen_lines: set[int] = set()
    for number in order:
        if number not in chosen_lines and costs[number] <= budget:
            budget -= costs[number]
            chosen_lines.add(number)
    return chosen_lines


def _ends(count: int) -> Iterator[int]:
    for number in range(count):
        yield number
        yield count - 1 - number


def head_and_tail(text: str, _: str, budget: int) -> set[int]:
    """Take lines from both ends."""
    return _take_lines(text, _ends(text.count("\n") + 1), budget)


def bm25(text: str, query: str, budget: int) -> set[int]:
    """Take the lines with the best BM25 scores for the query."""
    lines = text.split("\n")
    scores = BM25().score([Unit(0, len(line), line) for line in lines], query)
    return _take_lines(text, sorted(range(len(lines)), key=lambda at: (-scores[at], at)), budget)


def grep(text: str, query: str, budget: int) -> set[int]:
    """Take lines with errors or words of the query, the lines around them, then both ends."""
    lines, query_words = text.split("\n"), set(re.findall(r"\w{4,}", query.lower()))
    wrong = [
        at
        for at, line in enumerate(lines)
        if _WRONG.search(line) or not query_words.isdisjoint(re.findall(r"\w{4,}", line.lower()))
    ]
    near = [at + step for at in wrong for step in (-2, -1, 1, 2) if 0 <= at + step < len(lines)]
    return _take_lines(text, [*wrong, *near, *_ends(len(lines))], budget)


def tail(text: str, _: str, budget: int) -> set[int]:
    """Take the last lines."""
    return _take_lines(text, reversed(range(text.count("\n") + 1)), budget)


def rules(text: str, _: str, budget: int) -> set[int]:
    """Take lines about errors, then both ends; lines that differ only in numbers count once."""
    lines = text.split("\n")
    first = {re.sub(r"\d+", "0", line): at for at, line in reversed([*enumerate(lines)])}
    once = set(first.values())
    wrong = [at for at in sorted(once) if _WRONG.search(lines[at])]
    return _take_lines(text, [*wrong, *(at for at in _ends(len(lines)) if at in once)], budget)


WAYS: dict[str, Callable[[str, str, int], set[int]]] = {
    "LTON": ours,
    "LTON, nothing asked": lambda text, _, budget: ours(text, "", budget),
    "lines by BM25": bm25,
    "head and tail": head_and_tail,
    "rules (rtk-like)": rules,
    "grep -C 2": grep,
    "tail": tail,
}


def half_of(output: dict[str, Any]) -> str:
    """Return the half of an output: the half of its tool, or by its id."""
    if "half" in output:
        return str(output["half"])
    digest = hashlib.sha256(output["id"].encode()).hexdigest()
    return HALVES[int(digest, 16) % 2]


def is_fair(output: dict[str, Any]) -> bool:
    """Return whether the used lines fit into a fifth of an output, with room for others."""
    lines = output["text"].split("\n")
    used_tokens = sum(vocabulary().count(lines[at]).tokens for at in output["used"])
    return used_tokens <= _FAIR * vocabulary().count(output["text"]).tokens / 5


def judge_output(output: dict[str, Any]) -> list[Kept]:
    """Shorten an output in each way at each cut."""
    half, used_lines = half_of(output), {*output["used"]}
    whole = vocabulary().count(output["text"]).tokens
    results = []
    for cut in BY_TOOL if "tool" in output else CUTS:
        for name, way in WAYS.items():
            kept_lines = way(output["text"], output["query"], int((1 - cut) * whole))
            results.append(
                Kept(
                    name,
                    str(output.get("kind") or output["tool"]),
                    half,
                    cut,
                    len(used_lines & kept_lines),
                    len(used_lines),
                )
            )
    return results


def _misses(rows: Sequence[dict[str, Any]], kind: str, cut: float = 0.8) -> tuple[int, int, int]:
    """Count the used lines of a kind that LTON leaves out.

    Return the numbers of all such lines, of lines that share no word with the query, and of lines
    whose content another kept line repeats.
    """
    stems, missed, apart, repeated = Stems(), 0, 0, 0
    for row in rows:
        if row["kind"] == kind:
            lines, query_words = row["text"].split("\n"), {*stems.stems_of(row["query"])}
            budget = int((1 - cut) * vocabulary().count(row["text"]).tokens)
            kept_lines = ours(row["text"], row["query"], budget)
            kept_texts = {lines[number].strip() for number in kept_lines}
            lost_lines = [lines[number] for number in row["used"] if number not in kept_lines]
            missed += len(lost_lines)
            apart += sum(query_words.isdisjoint(stems.stems_of(line)) for line in lost_lines)
            repeated += sum(line.strip() in kept_texts for line in lost_lines)
    return missed, apart, repeated


def _why(rows: Sequence[dict[str, Any]]) -> str:
    """Return why two kinds are weak."""
    read, apart, _ = _misses(rows, "read")
    trace, _, repeated = _misses(rows, "trace")
    return (
        f"LTON leaves out {read} used lines of `read`. {apart} of them share no word with the"
        " query, which is the subject of the later commit: imports, `return`s, and lines of"
        " docstrings."
        f"\nLTON leaves out {trace} used lines of `trace`. {repeated} of them are frames that"
        " several exceptions of a group have in common, and are shown once, with another"
        " exception.\n"
    )


def _cell(results: Sequence[Kept]) -> str:
    if not results:
        return ""
    share = compute_share([result.kept for result in results], [result.used for result in results])
    return f"{share.value:.1f} ({share.low:.0f}-{share.high:.0f})"


def judge_all(outputs: Sequence[dict[str, Any]], jobs: int) -> list[Kept]:
    """Shorten many outputs in several processes, or in this one if `jobs` is 1."""
    if jobs == 1:
        return list(chain.from_iterable(map(judge_output, outputs)))
    # Hugging Face's tokenizers have threads, so the processes are not forked.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return list(chain.from_iterable(pool.map(judge_output, outputs)))


def by_tool(rows: Sequence[dict[str, Any]], jobs: int) -> str:
    """Write the table of outputs that are split by tool."""
    fair = sum(map(is_fair, rows))
    tools = {half: len({e["tool"] for e in rows if e["half"] == half}) for half in HALVES}
    sizes = {half: sum(e["half"] == half for e in rows) for half in HALVES}
    return f"""# Tools that were not used in development

{len(rows)} outputs of real tools, {sizes[HALVES[0]]} of {tools[HALVES[0]]} tools for development
and {sizes[HALVES[1]]} of {tools[HALVES[1]]} other tools, *unseen*: nobody read these while the
rules were written, but earlier versions of the rules were also measured on them. The lines that
an agent needed next were marked by hand before the first run. The table shows the share of these
lines that is kept, in %, with 95 % intervals from resampling the outputs. *room* omits outputs
whose needed lines take more than 70 % of a fifth of their tokens; {fair} are left. **grep**
takes lines with an error word or a word of the query, two lines around each, and both ends.

{_tool_table(rows, HALVES, jobs)}"""


def newest_tools(rows: Sequence[dict[str, Any]], jobs: int) -> str:
    """Write the table of outputs whose marks were made after the last change of the rules."""
    names = ", ".join(sorted(row["tool"] for row in rows))
    return f"""# Tools in no other set

{len(rows)} outputs of {len(rows)} tools that are in no other set ({names}). They were made and
marked by hand after the last change of the rules, so no rule was chosen with them.
{sum(map(is_fair, rows))} of them are *room*.

{_tool_table(rows, [NEWEST], jobs)}"""


def _tool_table(rows: Sequence[dict[str, Any]], halves: Sequence[str], jobs: int) -> str:
    """Write the share of needed lines that each way keeps, by half, cut and room."""
    sets = {"all": rows, "room": [row for row in rows if is_fair(row)]}
    results = {name: judge_all(row, jobs) for name, row in sets.items()}
    places = [(cut, half, name) for half in halves for cut in BY_TOOL for name in sets]
    heads = (f"{half}, cut by {100 * cut:.0f} %, {name}" for cut, half, name in places)
    lines = [f"|  | {' | '.join(heads)} |", f"|---|{'---:|' * len(places)}"]
    for way in WAYS:
        cells = [
            _cell([e for e in results[name] if (e.way, e.cut, e.half) == (way, cut, half)])
            for cut, half, name in places
        ]
        lines.append(f"| {way} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def report(results: Sequence[Kept], rows: Sequence[dict[str, Any]]) -> str:
    """Write the tables: by cut and half, and by kind at a cut of 80 %."""
    outputs, texts = len(rows), len({result["text"] for result in rows})
    halves = [(cut, half) for cut in CUTS for half in HALVES]
    head = " | ".join(f"cut by {100 * cut:.0f} %, {half}" for cut, half in halves)
    parts = [
        f"""# Other outputs of the same tools

`make bench-outputs` writes this. It has {outputs} outputs of real tools ({texts} texts). The
table shows which share of the lines that an agent uses next stays whole, in %, by the share of
tokens (o200k) that is cut. Brackets are 95 % intervals from resampling the outputs. No budget is
exceeded. The *unseen* outputs are of the same tools, but were not used to develop the rules.

- **LTON** is `lton.context.compress` with the agent's last words as the query.
- **lines by BM25**, **head and tail**, and **rules** (lines of errors, then both ends, with
  repeated lines only once, as in rtk), **grep** and **tail** take whole lines as long as they fit,
  without marks.

|  | {head} |
|---|{"---:|" * len(halves)}"""
    ]
    for way in WAYS:
        some = [result for result in results if result.way == way]
        cells = [_cell([e for e in some if (e.cut, e.half) == column]) for column in halves]
        parts.append(f"| {way} | {' | '.join(cells)} |")
    parts += ["", "## By kind, cut by 80 %, both halves", ""]
    parts += [f"| kind | outputs | {' | '.join(WAYS)} |", f"|---|---:|{'---:|' * len(WAYS)}"]
    at_80 = [result for result in results if result.cut == 0.8]
    for kind in sorted({result.kind for result in results}):
        some = [result for result in at_80 if result.kind == kind]
        cells = [_cell([e for e in some if e.way == way]) for way in WAYS]
        parts.append(f"| {kind} | {len(some) // len(WAYS)} | {' | '.join(cells)} |")
    return "\n".join([*parts, "", _why(rows)])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the report, and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("outputs", type=Path)
    parser.add_argument("tools", type=Path)
    parser.add_argument("--half", choices=HALVES, help="only these outputs; writes nothing")
    parser.add_argument(
        "--missed", action="store_true", help="print the lines that ours leaves out"
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, help="a folder for outputs.md")
    options = parser.parse_args(arguments)
    halves = HALVES if options.half is None else (options.half,)
    rows = [row for row in read_outputs(options.outputs) if half_of(row) in halves]
    for row in rows if options.missed else ():
        lines = row["text"].split("\n")
        kept_lines = ours(row["text"], row["query"], vocabulary().count(row["text"]).tokens // 5)
        for number in sorted({*row["used"]} - kept_lines):
            print(row["id"], row["query"][:60], "|", number, lines[number][:120])
    results = judge_all(rows, options.jobs)
    read_tools = read_outputs(options.tools)
    tools = [row for row in read_tools if row["half"] in halves]
    newest = [row for row in read_tools if row["half"] == NEWEST and options.half is None]
    parts = [
        by_tool(tools, options.jobs),
        newest_tools(newest, options.jobs),
        report(results, rows),
    ]
    page = "\n".join(parts)
    print(page)
    if options.out and not options.half:
        (options.out / "outputs.md").write_text(page)


if __name__ == "__main__":
    main()
