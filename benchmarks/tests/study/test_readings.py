"""Test that every format contains the answers, and that the table counts the models' answers."""

import json
from pathlib import Path

import pytest

from lton import Decoder, Result, events
from lton_bench.study.packed import content
from lton_bench.study.results.readings import (
    ABOUT,
    COLUMNS,
    FORMATS,
    KINDS,
    SHAPES,
    Reading,
    cases,
    prompt,
    questions,
    records,
    table,
    written,
)

RESULTS = Path(__file__).parents[3] / "benchmarks" / "results"
WRITERS = dict([*FORMATS.items(), *COLUMNS.items()])


@pytest.mark.parametrize("name", WRITERS)
def test_what_is_asked_is_in_the_text(name: str) -> None:
    for number in range(5):
        for shape in SHAPES:
            if name not in FORMATS and shape not in ABOUT["columns"].shapes:
                continue
            text = written(shape, number, WRITERS[name])
            if text is None:
                assert (shape, name) in {("nested", "CSV"), ("nested", "Markdown table")}
                continue
            by_kind = {question.kind: question for question in questions(shape, number)}
            assert set(by_kind) == set(KINDS)
            assert by_kind["look up"].answer in text
            assert all(str(record["name"]) in text for record in records(shape, number))
            assert by_kind["count"].answer == str(len(records(shape, number)))


def test_tables() -> None:
    assert (written("rows", 1, FORMATS["LTON"]) or "").startswith("[(age score city name team)")
    head, rule, first, *_ = (written("rows", 1, FORMATS["Markdown table"]) or "").splitlines()
    assert head == "| name | city | age | team | score |"
    assert rule == "|---|---|---|---|---|"
    assert first.count("|") == 6
    messages = prompt("rows", 1, FORMATS["CSV"], questions("rows", 1)[1]) or []
    assert [message.role for message in messages][1:] == ["user", "assistant"] * 3 + ["user"]
    assert messages[-1].text.endswith("How many records are there?")


def test_formats_that_differ_in_their_columns() -> None:
    """All formats contain the same records; two have LTON's order of columns, and the others the
    original.
    """
    for number in range(1000, 1005):
        texts = {name: written("rows", number, write) or "" for name, write in COLUMNS.items()}
        every = records("rows", number)
        for name in ("LTON", "LTON, columns as they come", "LTON, keys in each row"):
            decoder = Decoder(None)
            decoder.feed(f"!result records {texts[name]}")
            decoder.close()
            assert [*decoder] == [events.Answer(Result("records", [*every]))], name
        assert texts["LTON, columns as they come"].startswith("[(name city age team score)")
        assert texts["LTON, keys in each row"].startswith(f"[{{name {every[0]['name']} city ")
        head, *lines = json.loads(texts["JSON arrays, keys first"])
        assert [dict(zip(head, line, strict=True)) for line in lines] == every
        head, *lines = texts["CSV, columns as in LTON"].split("\n")
        assert texts["LTON"].startswith(f"[({head.replace(',', ' ')})")
        assert lines[0].split(",") == [str(every[0][key]) for key in head.split(",")]


def test_other_records_are_asked_about_columns() -> None:
    """The questions about columns use other records, because the first answers were already
    seen.
    """
    numbers = {name: {case[2] for case in cases(about, 25)} for name, about in ABOUT.items()}
    assert numbers == {"readings": {*range(25)}, "columns": {*range(1000, 1025)}}


@pytest.mark.parametrize("name", ABOUT)
def test_the_results_are_what_the_answers_say(name: str) -> None:
    lines = content(RESULTS / "study" / f"{name}.jsonl").splitlines()
    readings = [Reading(**json.loads(line)) for line in lines]
    text = "\n".join([*table(readings, ABOUT[name]), ""])
    assert (RESULTS / f"{name}.md").read_text("utf-8") == text


def test_the_table() -> None:
    answers = {"JSON minified": ["7", "7.", "x", "7"], "LTON": ["7", "no", "no", "7"]}
    readings = [
        Reading("m", name, "rows", 0, kind, "7", text, 100)
        for name, texts in answers.items()
        for kind, text in zip(KINDS, texts, strict=True)
    ]
    rows = [line.split(" | ") for line in table(readings, ABOUT["readings"])][2:]
    assert [row[2:4] for row in rows] == [
        ["LTON", "0.50 [0.15, 0.85]"],
        ["JSON minified", "0.75 [0.30, 0.95]"],
    ]
    assert rows[0][8].startswith("-0.25 [")
    assert rows[1][8] == "+0.00 [+0.00, +0.00]"
    [head, _, first, *_] = table(readings, ABOUT["columns"])
    assert "| difference from JSON minified | difference from LTON |" in head
    assert first.split(" | ")[9] == "+0.00 [+0.00, +0.00]"
