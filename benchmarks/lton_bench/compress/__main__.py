"""Measure what compression keeps: evidence for questions, the budget, and whole facts.

    python -m lton_bench.compress --hotpot FILE --texts FILE --peers FILE --out FOLDER

LoCoMo may not be distributed. It is used if `--locomo FILE` is given; otherwise its figures are
copied from the existing report. `--half development` leaves out the unseen questions, and writes
nothing. LLMLingua's answers are read from a file that `lton_bench.compress.peers` writes.
"""

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from lton.context.compress import compress
from lton.context.compress.words import Stems
from lton.tokens import counter
from lton_bench.compress.answers import EVERYTHING, of_outputs
from lton_bench.compress.data import (
    HALVES,
    TOKENIZER,
    Question,
    _lines,
    read_questions,
    read_texts,
    unseen,
    vocabulary,
    without_question,
)
from lton_bench.compress.facts import CLASSES, fates
from lton_bench.compress.peers import GENERAL, machine
from lton_bench.compress.report import report
from lton_bench.compress.scores import exact, overlap, share
from lton_bench.compress.ways import WAYS, Shortened, ours, untitled
from lton_bench.processes import in_processes

RATES = {"hotpot": (0.1, 0.2, 0.3, 0.5), "locomo": (0.05, 0.1, 0.25, 0.5)}
NEAR = 0.95
MADE_UP = 10_000
FEWEST_RUNS, LEAST_SECONDS = 5, 0.5
"""The least number of runs, and of seconds, to measure a speed."""
PEER_NAMES = {"llmlingua": "LLMLingua", "longllmlingua": "LongLLMLingua"}


@dataclass(frozen=True, slots=True)
class Found:
    """The evidence that a way kept for a question, and the number of tokens."""

    question: str
    way: str
    rate: float
    half: str
    kept: int
    evidence: int
    words: float
    budget: int
    tokens: int


# --- questions -----------------------------------------------------------------------------------


def words_left(question: Question, text: str) -> float:
    """Return the share of the evidence's words that the shortened documents contain."""
    stems = Stems()
    shown = {*stems.of(text)}
    parts = [question.documents[at][1][start:end] for at, start, end in question.evidence]
    asked = [word for part in parts for word in stems.of(part)]
    return sum(word in shown for word in asked) / max(1, len(asked))


def judged(question: Question, way: str, rate: float, budget: int, short: Shortened | str) -> Found:
    """Count the kept evidence; in a plain string its words must be in order."""
    text = short if isinstance(short, str) else short.text
    if isinstance(short, Shortened):
        kept = sum(short.has(place) for place in question.evidence)
    else:
        flat = " ".join(text.split())
        parts = [question.documents[at][1][start:end] for at, start, end in question.evidence]
        kept = sum(" ".join(part.split()) in flat for part in parts)
    return Found(
        question=question.id,
        way=way,
        rate=rate,
        half=HALVES[unseen(question.id)],
        kept=kept,
        evidence=len(question.evidence),
        words=words_left(question, text),
        budget=budget,
        tokens=vocabulary().count(text).tokens,
    )


def shortened(asked: tuple[Question, Sequence[float]]) -> list[Found]:
    """Shorten a question's documents in each way at each rate."""
    question, rates = asked
    whole = vocabulary().count(untitled(question.documents)).tokens
    found = []
    for rate in rates:
        budget = int(rate * whole)
        for name, way in WAYS.items():
            short = way(question, budget, vocabulary())
            found.append(judged(question, name, rate, budget, short))
    return found


def kept_of(found: Iterable[Found], *, whole: bool) -> dict[str, Any]:
    """Return the share of evidence, or of questions with all evidence, by way, rate and half."""
    groups: dict[tuple[str, float, str], list[Found]] = {}
    for each in found:
        groups.setdefault((each.way, each.rate, each.half), []).append(each)
    table: dict[str, Any] = {}
    for (way, rate, half), group in groups.items():
        if whole:
            kept = share([each.kept == each.evidence for each in group])
        else:
            kept = share([each.kept for each in group], [each.evidence for each in group])
        table.setdefault(way, {}).setdefault(f"{rate:g}", {})[half] = asdict(kept)
    return table


def beside(found: Sequence[Found], theirs: Sequence[Found]) -> dict[str, list[dict[str, Any]]]:
    """Return by rate the results of LTON and each other way, on the other way's questions."""
    table: dict[str, list[dict[str, Any]]] = {}
    names = {each.way for each in theirs}
    for rate in sorted({each.rate for each in theirs}):
        by_question: dict[str, set[str]] = {}
        for each in theirs:
            if each.rate == rate:
                by_question.setdefault(each.question, set()).add(each.way)
        asked = {question for question, ways in by_question.items() if ways == names}
        rows: dict[str, list[Found]] = {}
        for each in (*found, *theirs):
            if each.rate == rate and each.question in asked:
                rows.setdefault(each.way, []).append(each)
        table[f"{rate:g}"] = [
            {
                "way": way,
                "kept": asdict(share([e.kept for e in some], [e.evidence for e in some])),
                "words": asdict(share([e.words for e in some])),
            }
            for way, some in rows.items()
        ]
    return table


# --- budgets -------------------------------------------------------------------------------------

PIECES = (
    "# Results of the year\n\n", "## What is next\n", "- item one, of 3\n", "  - nested `a b`\n",
    "| town | people |\n|---|---|\n| Ulm | 126,329 |\n", "```py\nx = 1\n```\n", "```\n",
    "def area(a,\n         b):\n    return a * b\n", "class A:\n    pass\n", "if x:\n    y()\n",
    '{"a": [1, 2, {"b": "c d e"}]}', "2024-05-01 12:00:00 ERROR disk 7 failed\n", "  at write\n",
    "Ann: Did you see it?\n", "Bob: No, not before May 5.\n", "It must not begin before May 5. ",
    "The bridge cost $1,250,000 in 1934. ", "See https://example.org/a/b?c=1 for more. ",
    "东京是首都。人口一千万。", "Ist es wahr? Nein. ", "Да, 12 км. ", "यह सच है। ", "مرحبا؟ ",
    "\r\n", "\n\n", "\x00", "\ud800", " ", "e.g. this, by the U.S. Army. ", "“One. Two.” ", "🙂🙂 ",
    "a" * 300 + " ", "12.5 km ", "===\n", "word " * 40, "no-stop-at-all ",
)  # fmt: skip


def made_up(number: int) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield random documents, each with options and a counter."""
    draw = random.Random(number)  # noqa: S311 - nothing is secret
    kinds = (None, None, "prose", "markdown", "code", "code:python", "json", "log", "chat")
    for _ in range(number):
        text = "".join(draw.choices(PIECES, k=draw.randrange(60)))
        options = {
            "kind": draw.choice(kinds),
            "query": draw.choice((None, "When did the bridge begin?", "not a word of it", "?")),
            "budget": draw.randrange(draw.choice((5, 50, 500))),
        }
        yield text, options, draw.choice((TOKENIZER, "bytes"))


def budgets(found: Sequence[Found]) -> dict[str, Any]:
    """Return how often each way kept the budget, and the used share."""
    rows = {}
    for way in dict.fromkeys(each.way for each in found):
        group = [each for each in found if each.way == way]
        rows[way] = {
            "cases": len(group),
            "kept": sum(each.tokens <= each.budget for each in group),
            "used": sum(each.tokens for each in group) / sum(each.budget for each in group),
            "near": sum(NEAR * each.budget <= each.tokens <= each.budget for each in group),
            "most": max(each.tokens / max(1, each.budget) for each in group),
        }
    return rows


def budgets_made_up(number: int) -> dict[str, int]:
    """Return the number of made-up cases, and of those within the budget."""
    counters = {name: counter(name) for name in (TOKENIZER, "bytes")}
    kept = 0
    for text, options, name in made_up(number):
        short = compress(text, counter=counters[name], **options)
        kept += counters[name].count(short.text).tokens <= options["budget"]
    return {"cases": number, "kept": kept}


# --- facts ---------------------------------------------------------------------------------------


def facts_whole(
    texts: Mapping[str, str], rates: Iterable[float], peers: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the numbers of whole, cut and lost facts by way and class, without a question."""
    found: dict[str, Counter[tuple[str, str]]] = {name: Counter() for name in WAYS}
    for name, text in texts.items():
        for rate in rates:
            budget = int(rate * vocabulary().count(text).tokens)
            question = without_question(name, text, GENERAL)
            for way, function in WAYS.items():
                asked = replace(question, question="") if function is ours else question
                found[way] += fates(text, function(asked, budget, vocabulary()).text)
    for answer in peers:
        if answer["case"] in texts:
            name = PEER_NAMES[answer["engine"]]
            found.setdefault(name, Counter())
            found[name] += fates(texts[answer["case"]], answer["text"])
    return {
        way: {
            kind: {fate: counts[kind, fate] for fate in ("whole", "cut", "gone")}
            for kind in CLASSES
        }
        for way, counts in found.items()
    }


# --- speed ---------------------------------------------------------------------------------------


def megabytes_a_second(work: Callable[[], object], size: int) -> float:
    """Return the speed of the best of at least five runs, in processor time."""
    seconds: list[float] = []
    while len(seconds) < FEWEST_RUNS or sum(seconds) < LEAST_SECONDS:
        begun = time.process_time()
        work()
        seconds.append(time.process_time() - begun)
    return size / 1e6 / min(seconds)


def speeds(
    questions: Sequence[Question], texts: Mapping[str, str], peers: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the speed of compression for each kind."""
    counts = vocabulary()
    joined = "\n\n".join(untitled(each.documents) for each in questions)
    asked = [(each, counts.count(untitled(each.documents)).tokens // 5) for each in questions]
    plain = [(text, counts.count(text).tokens // 5) for text in texts.values()]
    size = len(joined.encode())
    few = sum(len(text.encode()) for text in texts.values())
    budget = counts.count(joined).tokens // 5
    found: dict[str, Any] = {
        "machine": machine(),
        "bytes": size,
        "one text": megabytes_a_second(
            lambda: compress(joined, budget=budget, counter=counts, kind="prose"), size
        ),
        "one text, a question": megabytes_a_second(
            lambda: compress(
                joined, budget=budget, counter=counts, kind="prose", query=questions[0].question
            ),
            size,
        ),
        "documents of a question": megabytes_a_second(
            lambda: [ours(each, tokens, counts) for each, tokens in asked], size
        ),
        "LLMLingua's texts": megabytes_a_second(
            lambda: [compress(text, budget=tokens, counter=counts) for text, tokens in plain], few
        ),
    }
    for engine, name in PEER_NAMES.items():
        answers = [each for each in peers if each["engine"] == engine]
        if answers:
            seconds = sum(each["seconds"] for each in answers)
            found[name] = {
                "speed": sum(each["bytes"] for each in answers) / 1e6 / seconds,
                "answers": len(answers),
                "machines": sorted({each["machine"] for each in answers}),
            }
    return found


# --- answers --------------------------------------------------------------------------------------


class Answerable(Protocol):
    """A question whose answer is known."""

    @property
    def id(self) -> str: ...
    @property
    def answer(self) -> str: ...


def answered_by_model(
    about: Mapping[str, Sequence[Answerable]], answers: Sequence[Mapping[str, str]]
) -> list[dict[str, Any]]:
    """Return the tables of each model, for each set of questions with answers."""
    tables = []
    for name, questions in about.items():
        ids = {each.id for each in questions}
        for model in dict.fromkeys(each["model"] for each in answers if each["id"] in ids):
            said = [each for each in answers if each["id"] in ids and each["model"] == model]
            tables.append({"about": name, "model": model} | answered(questions, said))
    return tables


def answered(
    questions: Sequence[Answerable], answers: Sequence[Mapping[str, str]]
) -> dict[str, list[dict[str, Any]]]:
    """Return the right answers of a model by way: for all questions, and for those of LLMLingua.

    A question counts if it was asked in all of these ways. `more` is the number of additional exact
    answers, compared with the whole document, on the same questions.
    """
    said: dict[str, dict[str, str]] = {}
    for each in answers:
        said.setdefault(each["id"], {})[PEER_NAMES.get(each["way"], each["way"])] = each["said"]
    ways = list(dict.fromkeys(way for found in said.values() for way in found))
    groups = {
        "all": [way for way in ways if way not in PEER_NAMES.values()],
        "beside LLMLingua": ways,
    }
    table = {}
    for name, group in groups.items():
        asked = [each for each in questions if set(group) <= set(said.get(each.id, ()))]
        right = {way: [exact(said[q.id][way], q.answer) for q in asked] for way in group}
        every = right.get(EVERYTHING, [False] * len(asked))
        table[name] = [
            {
                "way": way,
                "exact": asdict(share(right[way])),
                "f1": asdict(share([overlap(said[q.id][way], q.answer) for q in asked])),
                "more": asdict(share([a - b for a, b in zip(right[way], every, strict=True)])),
            }
            for way in (group if asked else ())
        ]
    return table


# --- all of it -----------------------------------------------------------------------------------


def peers_found(
    questions: Sequence[Question], peers: Sequence[Mapping[str, Any]]
) -> tuple[list[Found], list[Found]]:
    """Return LLMLingua's results, judged like ours, with its own token counts."""
    by_id = {each.id: each for each in questions}
    found, own = [], []
    for answer in peers:
        question = by_id.get(answer["case"])
        name = PEER_NAMES[answer["engine"]]
        budget = int(answer["rate"] * answer["before"])
        if question:
            each = judged(question, name, answer["rate"], budget, answer["text"])
            found.append(each)
        else:
            each = Found(answer["case"], name, answer["rate"], "", 0, 0, 0, budget, 0)
        own.append(replace(each, tokens=answer["after"]))
    return found, own


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Return all figures."""
    halves = HALVES if options.half is None else (options.half,)
    data = {"hotpot": options.hotpot} | ({"locomo": options.locomo} if options.locomo else {})
    lines = options.peers.read_text().splitlines() if options.peers else []
    answers = [json.loads(line) for line in lines]
    peers = [each for each in answers if "error" not in each]
    result: dict[str, Any] = {"tokenizer": TOKENIZER}
    failed = Counter(PEER_NAMES[each["engine"]] for each in answers if "error" in each)
    result["failed"] = dict(failed)
    hotpot: list[Question] = []
    for name, path in data.items():
        questions = [each for each in read_questions(path) if HALVES[unseen(each.id)] in halves]
        work = ((each, RATES[name]) for each in questions)
        pairs = in_processes(shortened, work, options.jobs)
        found = [each for _, some in pairs for each in some]
        theirs: list[Found] = []
        own: list[Found] = []
        if name == "hotpot":
            hotpot = questions
            theirs, own = peers_found(questions, peers)
        result[name] = {
            "kept": kept_of([*found, *theirs], whole=name == "locomo"),
            "beside": beside(found, theirs),
            "budget": budgets([*found, *own]),
        }
    result["made_up"] = budgets_made_up(options.made_up)
    texts = dict(read_texts(options.texts))
    result["facts"] = facts_whole(texts, (0.2, 0.5), peers)
    if options.answers:
        asked: dict[str, Sequence[Answerable]] = {"questions of HotpotQA": hotpot}
        if options.outputs:
            asked["questions about what tools printed"] = [*of_outputs(_lines(options.outputs))]
        said = [each for each in _lines(options.answers) if "rate" not in each]
        result["answers"] = answered_by_model(asked, said)
    result["speed"] = speeds(hotpot, texts, peers)
    return result


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the report, and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hotpot", type=Path, required=True)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--peers", type=Path, help="what lton_bench.compress.peers wrote")
    parser.add_argument("--answers", type=Path, help="what lton_bench.compress.answers wrote")
    parser.add_argument(
        "--outputs", type=Path, help="what lton_bench.compress.outputs reads: of its answers"
    )
    parser.add_argument("--half", choices=HALVES, help="only these questions; writes nothing")
    parser.add_argument("--made-up", type=int, default=MADE_UP, help="cases for the budget")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, help="a folder for compress.md and compress.json")
    options = parser.parse_args(arguments)
    result = measure(options)
    written = options.out / "compress.json" if options.out and not options.half else None
    if written and written.exists():
        before = json.loads(written.read_text())
        result = {name: before[name] for name in ("locomo",) if name in before} | result
    said = report(result)
    print(said)
    if written:
        written.write_text(json.dumps(result, indent=1) + "\n")
        (options.out / "compress.md").write_text(said)


if __name__ == "__main__":
    main()
