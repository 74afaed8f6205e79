"""Test the arithmetic of the compression benchmark, on questions with known answers."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from lton.context.compress.kinds import guess
from lton_bench.compress import __main__ as compress
from lton_bench.compress import answers as compress_answers
from lton_bench.compress import corpus, curve, facts, outputs, sizes, ways
from lton_bench.compress.data import (
    HALVES,
    Question,
    read_questions,
    unseen,
    vocabulary,
    without_question,
)
from lton_bench.compress.report import report
from lton_bench.compress.scores import share

DATA = Path(__file__).parents[3] / "tests" / "context" / "compressed"
BIRDS = ("Birds", "The heron eats fish. The owl eats mice. A swan eats grass.")
TOWNS = ("Towns", "Ulm has a tower. Bonn has a river.")
EVIDENCE = ((0, 21, 39), (1, 0, 16))
QUESTION = Question(
    "birds",
    "What does the owl eat, and what has Ulm?",
    (BIRDS, TOWNS),
    EVIDENCE,
    ((0, 0, 20), (0, 21, 39), (0, 40, 58), (1, 0, 16), (1, 17, 34)),
    "prose",
)


def test_a_share_is_that_of_the_sums_and_its_interval_holds_it() -> None:
    interval = share([1, 0, 2, 2], [1, 1, 2, 4])
    assert (interval.value, interval.cases) == (62.5, 4)
    assert 0 < interval.low < interval.value < interval.high <= 100
    certain = share([2, 2], [2, 2], 50)
    assert (certain.low, certain.value, certain.high) == (100, 100, 100)


@pytest.mark.parametrize("way", ways.WAYS)
@pytest.mark.parametrize("budget", [0, 5, 12, 99])
def test_each_way_keeps_its_budget_and_shows_the_places_it_names(way: str, budget: int) -> None:
    short = ways.WAYS[way](QUESTION, budget, vocabulary())
    assert vocabulary().count(short.text).tokens <= budget
    for number, start, end in short.places:
        assert QUESTION.documents[number][1][start:end] in short.text
    if budget == 99:
        assert all(short.has(unit) for unit in QUESTION.units)


def test_what_each_way_takes_first() -> None:
    def places(way: str) -> list[bool]:
        short = ways.WAYS[way](QUESTION, 14, vocabulary())
        return [short.has(unit) for unit in QUESTION.units]

    assert places("sentences by BM25 (RECOMP-like)") == [False, True, False, True, False]
    assert places("truncation") == [True, True, False, False, False]
    assert places("newest first") == [False, False, False, True, True]


def test_a_text_without_places_is_judged_by_its_words() -> None:
    judgement = compress.judged(QUESTION, "x", 0.2, 9, "The  owl eats\nmice. Ulm a tower.")
    assert (judgement.kept, judgement.evidence, judgement.words) == (1, 2, 1.0)
    half = compress.judged(QUESTION, "x", 0.2, 9, "the owl tower")
    assert (half.kept, half.words) == (0, 0.4)
    assert half.half == HALVES[unseen("birds")]


def test_evidence_by_sentences_and_by_questions() -> None:
    results = [
        compress.Found(name, "a", 0.1, "unseen", count, 2, count / 2, 9, 9)
        for name, count in zip("pqrs", (2, 1, 1, 0), strict=True)
    ]
    by_sentence = compress.kept_of(results, whole=False)["a"]["0.1"]["unseen"]
    by_question = compress.kept_of(results, whole=True)["a"]["0.1"]["unseen"]
    assert (by_sentence["value"], by_question["value"]) == (50, 25)
    theirs = [
        compress.Found(name, way, 0.1, "unseen", 1, 2, 0.8, 9, 9)
        for name, way in ("pb", "qb", "qc", "rc")
    ]
    (ours, *others) = compress.beside(results, theirs)["0.1"]
    assert (ours["kept"]["value"], ours["kept"]["cases"], ours["words"]["value"]) == (50, 1, 50)
    assert [(row["way"], row["words"]["value"]) for row in others] == [("b", 80), ("c", 80)]


def test_facts_are_whole_cut_or_gone() -> None:
    text = "It must not begin before June 30, 2025. It cost $1,250,000, and a1_b was 17."
    fates = facts.fates(text, "It must begin before June 30. It cost ,000, and a1_b")
    assert fates == {
        ("negation", "cut"): 1,
        ("date", "cut"): 1,
        ("number", "cut"): 1,
        ("number", "gone"): 1,
        ("identifier", "whole"): 1,
    }
    assert {fate for _, fate in facts.fates(text, text)} == {"whole"}
    (unit,) = without_question("x", "All 1.5 of it", "").units
    assert unit == (0, 0, 13)


def test_the_report_of_a_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report of a question includes answers in LLMLingua's format, and keeps the figures of
    LoCoMo.
    """
    monkeypatch.setattr(compress, "FEWEST_RUNS", 1)
    monkeypatch.setattr(compress, "LEAST_SECONDS", 0)
    lines = gzip.decompress((DATA / "hotpot.jsonl.gz").read_bytes()).splitlines()[:2]
    hotpot, texts, peers = (tmp_path / name for name in ("h.jsonl", "t.jsonl", "p.jsonl"))
    hotpot.write_bytes(b"\n".join(lines))
    first, *_ = read_questions(hotpot)
    texts.write_text(json.dumps({"id": "t", "text": "In 1999 it was not so. It is 20,000 now."}))
    answers = [
        {"case": first.id, "before": 1000, "after": 250, "text": first.documents[0][1]},
        {"case": "t", "before": 15, "after": 2, "text": "It is 20, now."},
    ]
    more = {"rate": 0.2, "engine": "llmlingua", "machine": "a", "bytes": 1000, "seconds": 10}
    wrong = {"case": "t", "rate": 0.5, "engine": "llmlingua", "error": "AssertionError"}
    peers.write_text("\n".join(json.dumps(row) for row in [*(a | more for a in answers), wrong]))
    words = ["--hotpot", str(hotpot), "--texts", str(texts), "--peers", str(peers)]
    words += ["--made-up", "20", "--out", str(tmp_path)]
    names = [*ways.WAYS, "all of the text", "no text"]
    recorded_answers = [
        {"id": first.id, "way": way, "said": first.answer, "model": "Clever 1B"} for way in names
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, recorded_answers)))
    words += ["--answers", str(tmp_path / "a.jsonl")]
    cell = {"value": 12.5, "low": 2, "high": 31, "cases": 8, "words": 1}
    stored_figures = {"locomo": {"kept": {"LTON": {"0.05": {"unseen": cell}}}, "budget": {}}}
    (tmp_path / "compress.json").write_text(json.dumps(stored_figures))
    compress.main(words)
    printed = capsys.readouterr().out
    new_figures = json.loads((tmp_path / "compress.json").read_text())
    assert (tmp_path / "compress.md").read_text() == report(new_figures)
    assert printed == report(new_figures) + "\n"
    assert "Answers of Clever 1B to questions of HotpotQA" in printed
    assert "| no text | 100.0 (100-100) | 100.0 (100-100) |" in printed
    assert "LLMLingua ended in an error of its own in 1 cases" in printed
    assert "| LTON |  | 12.5 (2-31) |  |" in printed
    assert new_figures["made_up"] == {"cases": 20, "kept": 20}
    assert new_figures["hotpot"]["budget"]["LTON"]["kept"] == 8
    row = new_figures["hotpot"]["budget"]["LLMLingua"]
    assert (row["kept"], row["cases"], round(row["used"], 2)) == (1, 2, 1.24)
    assert new_figures["facts"]["LLMLingua"]["number"] == {"whole": 0, "cut": 1, "gone": 1}
    assert new_figures["speed"]["LLMLingua"]["speed"] == 1e-4
    assert "| LLMLingua, 2 answers | 0.00010 |" in printed
    compress.main([*words, "--half", "development"])
    assert json.loads((tmp_path / "compress.json").read_text()) == new_figures


def test_what_a_model_answers(tmp_path: Path) -> None:
    """Each question is asked once in each way, and a second run asks only what is new."""
    lines = gzip.decompress((DATA / "hotpot.jsonl.gz").read_bytes()).splitlines()[:2]
    hotpot, peers, output = (tmp_path / name for name in ("h.jsonl", "p.jsonl", "a.jsonl"))
    hotpot.write_bytes(b"\n".join(lines))
    questions = list(read_questions(hotpot))
    peers.write_text("")
    prompts_asked: list[str] = []

    def start(model: str, threads: int) -> compress_answers.Answerer:
        return lambda prompt: prompts_asked.append(prompt) or questions[0].answer  # type: ignore[func-returns-value]

    words = ["--hotpot", str(hotpot), "--peers", str(peers), "--called", "Clever 1B", str(output)]
    compress_answers.main(words, start)
    count = len(ways.WAYS) + 2
    assert len(prompts_asked) == 2 * count
    answer_of_peer = {"case": questions[1].id, "engine": "llmlingua", "rate": 0.2, "text": "Short."}
    peers.write_text(json.dumps(answer_of_peer))
    compress_answers.main(words, start)
    assert len(prompts_asked) == 2 * count + 1
    assert "\nShort.\n" in prompts_asked[-1]
    answers = [json.loads(line) for line in output.read_text().splitlines()]
    assert {answer["model"] for answer in answers} == {"Clever 1B"}
    table = compress.answered(questions, answers)
    assert [row["way"] for row in table["all"]][-2:] == ["all of the text", "no text"]
    assert {row["exact"]["value"] for row in table["all"]} == {50}
    (ours, *_, peer) = table["beside LLMLingua"]
    assert (ours["exact"]["cases"], ours["f1"]["value"], peer["way"]) == (1, 0, "LLMLingua")
    assert compress.answered(questions, []) == {"all": [], "beside LLMLingua": []}


def test_what_rules_ask_of_outputs_is_answered_by_all_of_the_text() -> None:
    rows = map(json.loads, gzip.decompress((DATA / "outputs.jsonl.gz").read_bytes()).splitlines())
    asked_cases = list(compress_answers.of_outputs(rows))
    assert len({case.id for case in asked_cases}) == len(asked_cases) >= 50
    for case in asked_cases[::9]:
        prompts = dict(case.shown(compress_answers.RATE))
        assert list(prompts)[-2:] == ["all of the text", "no text"]
        assert case.answer in prompts["all of the text"]
        assert len(prompts["LTON"]) < len(prompts["all of the text"])
    answers = [
        {
            "id": asked_cases[0].id,
            "way": "LTON",
            "said": asked_cases[0].answer,
            "model": "Clever 1B",
        }
    ]
    (table,) = compress.answered_by_model({"hotpot": [], "outputs": asked_cases}, answers)
    assert (table["about"], table["model"], len(table["all"])) == ("outputs", "Clever 1B", 1)
    assert table["all"][0]["exact"]["value"] == 100


def test_a_curve_compares_shares_on_the_same_questions() -> None:
    """Questions that one way did not answer do not count, and sets have their own ways."""
    questions: list[Any] = [compress_answers.Asked(name, "yes", lambda _: ()) for name in "abc"]
    rows = [
        {"id": name, "way": way, "said": answer, "model": "Clever 1B", "rate": rate}
        for way, rate, answers in (
            ("LTON", 0.5, {"a": "yes", "b": "no", "c": "yes"}),
            ("tail", 0.5, {"a": "no", "b": "no"}),
            ("all of the text", 0.5, {"a": "yes", "b": "yes", "c": "no"}),
            ("no text", 0.5, {"a": "no", "b": "no"}),
            ("another set's", 0.5, {"d": "no"}),
        )
        for name, answer in answers.items()
    ]
    cells = curve.right(questions, curve.read(rows, "Clever 1B"))
    assert list(curve.table(cells)) == [
        "|  | 0 % | 50 % | 100 % |",
        "|---|---:|---:|---:|",
        "| LTON |  | 50 [0, 100] |  |",
        "| tail |  | 0 [0, 0] |  |",
        "| all of the text |  |  | 100 [100, 100] |",
        "| no text | 0 [0, 0] |  |  |",
        "| LTON, more than all of the text |  | -50 [-100, +0] |  |",
    ]
    assert curve.right(questions, curve.read(rows, "another")) == {}
    assert "<svg" in curve.picture({"Clever 1B": {"a set": cells}})


def test_answers_to_another_share_are_asked_once(tmp_path: Path) -> None:
    """Answers for another share are stored next to the old answers, and a larger share shows more
    text.
    """
    lines = gzip.decompress((DATA / "hotpot.jsonl.gz").read_bytes()).splitlines()[:1]
    hotpot, output = tmp_path / "h.jsonl", tmp_path / "a.jsonl"
    hotpot.write_bytes(lines[0])
    prompts_asked: list[str] = []

    def start(model: str, threads: int) -> compress_answers.Answerer:
        return lambda prompt: prompts_asked.append(prompt) or "?"  # type: ignore[func-returns-value]

    words = ["--hotpot", str(hotpot), "--way", "LTON", "--called", "Clever 1B", str(output)]
    for rate in ("0.1", "0.5", "0.1"):
        compress_answers.main(["--rate", rate, *words], start)
    compress_answers.main(words, start)
    tenth, half, fifth = map(len, prompts_asked)
    assert tenth < fifth < half
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    assert [row.get("rate") for row in rows] == [0.1, 0.5, None]


@pytest.mark.parametrize(
    ("kind", "guessed"),
    [("plain text", "prose"), ("JSON", "json"), ("CSV", "table"), ("log", "log"),
     ("markdown", "markdown")],
)  # fmt: skip
def test_long_texts_are_what_they_are_called(kind: str, guessed: str) -> None:
    text = "".join(sizes.made_up(kind, 20_000))
    assert guess(text) == guessed
    assert text == "".join(sizes.made_up(kind, 20_000))
    assert 20_000 <= len(text) < 24_000


def test_sizes_have_a_row_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ["--sizes", "0.01", "0.02", "--kinds", "CSV", "--counter", "words"]
    sizes.main([*small, "--out", str(tmp_path)])
    table = (tmp_path / "compress-sizes.md").read_text()
    assert table == capsys.readouterr().out
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| CSV")]
    assert [row[:3] for row in rows] == [["| CSV", "words", "0.01"], ["| CSV", "words", "0.02"]]


def test_a_corpus_is_skewed_and_the_same_in_every_process() -> None:
    lengths = sorted(len(corpus.document(number)) for number in range(400))
    assert lengths[-1] > 8 * lengths[200]
    assert [len(json.loads(corpus.document(number))) > 0 for number in (3, 7, 11)]
    one, other = (corpus.compressed(range(4)) for _ in range(2))
    assert one.digest == other.digest != corpus.compressed(range(4, 8)).digest
    assert corpus.batches(45) == [range(20), range(20, 40), range(40, 45)]


@pytest.mark.ray
@pytest.mark.filterwarnings("ignore")  # of Ray's own
def test_a_worker_that_is_killed_changes_no_byte(tmp_path: Path) -> None:
    corpus.main(["--documents", "120", "--out", str(tmp_path)])
    rows = (tmp_path / "compress-corpus.md").read_text().splitlines()
    workers = {row.split(" | ")[0][2:]: int(row.split(" | ")[1]) for row in rows[10:14]}
    assert workers["a loop"] == 1 < workers["Ray, 2 workers, one killed"]


def test_why_lines_are_missed() -> None:
    text = "\n".join(f"Entry {number} holds nothing." for number in range(60))
    row = {"kind": "read", "text": text, "query": "Where is 7?", "used": [7, 30, 40]}
    missed, apart, unread = outputs._misses([row], "read")
    assert (missed, apart, unread) == (2, 2, 0)
    twice = row | {"text": f"{text}\n{text}", "used": [64]}
    assert outputs._misses([twice], "read") == (1, 1, 1)
