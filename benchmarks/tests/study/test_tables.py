"""Test that all forms have the same content, that answers are judged, and the published table."""

import json
from pathlib import Path
from typing import Any

import pytest

from lton import Decoder, Result, events
from lton_bench.study.packed import added, content, pack
from lton_bench.study.results.tables import TITLES, Told, answers, is_right, table, title_of
from lton_bench.study.results.tables_cases import (
    BASELINE,
    FIRST_NEW,
    FORMS,
    NEW,
    SHAPES,
    questions,
    result,
)

RESULTS = Path(__file__).parents[3] / "benchmarks" / "results"
ALL = SHAPES | NEW
LTON = [form for form in FORMS if "LTON" in form or ("commas" in form and "indented" not in form)]


@pytest.mark.parametrize("form", LTON)
def test_what_is_shown_is_read_back(form: str) -> None:
    shapes = ALL if "LTON" in form else ["rows", "wide"]
    for shape in shapes:
        for number in range(5):
            value = result(shape, number)
            decoder = Decoder()
            decoder.feed(f"!result x {FORMS[form](value)}")
            decoder.close()
            assert [*decoder] == [events.Answer(Result("x", value))]


def test_questions_have_answers_in_the_result() -> None:
    for shape, sets in ALL.items():
        for number in [*range(SHAPES.get(shape, 0)), *range(FIRST_NEW, FIRST_NEW + sets)]:
            question_list = questions(shape, number)
            assert 10 <= len(question_list) <= 12
            text = FORMS[BASELINE](result(shape, number))
            assert all(
                question.answer in text
                for question in question_list
                if question.kind in ("look up", "compare")
            )


def test_answers_are_judged() -> None:
    by_kind = {question.kind: question for question in questions("rows", 0)}
    count, compared = by_kind["count"], by_kind["compare"]
    assert is_right(count, f"There are {count.answer}.")
    assert not is_right(count, "There are many.")
    assert not is_right(compared, "Neither.")


class Reader:
    """A model that answers each question with its length."""

    def tokens(self, text: str) -> list[int]:
        return [0] * len(text)

    def ask(self, text: str, question_texts: list[str], most: int) -> list[str]:
        assert "The tool answered:\n" in text
        assert most == 8
        return [str(len(question_text)) for question_text in question_texts]


def test_what_is_known_is_not_asked_again() -> None:
    reader: Any = Reader()
    first = [*answers(reader, "m", set(), [*FORMS])]
    answered_keys = {(t.shape, t.number, t.form) for t in first if t.number}
    again = [*answers(reader, "m", answered_keys, [*FORMS])]
    assert again == [t for t in first if not t.number]
    assert [line.split(" | ")[3] for line in [*table(first)][2:4]] == ["197", "197"]
    new = [*answers(reader, "gemma3", set(), [BASELINE, "CSV"], is_new=True)]
    assert {(answer.shape, answer.form) for answer in new} == {(s, BASELINE) for s in NEW} | {
        ("rows", "CSV")
    }
    assert [*table(new)][-1].split(" | ")[1] == "all"


def test_the_published_table_is_that_of_the_answers() -> None:
    lines = content(RESULTS / "study" / "tables.jsonl").splitlines()
    answer_list = [Told(**json.loads(line)) for line in lines]
    for title in TITLES:
        some = [answer for answer in answer_list if title_of(answer) == title]
        assert "\n".join(table(some)) + "\n" == (RESULTS / f"{title}.md").read_text()


def test_answers_are_kept_as_they_come(tmp_path: Path) -> None:
    """Answers are stored as they come, with packed ones, also if a run is stopped."""
    file = tmp_path / "answers.jsonl"
    one = Told("m", "rows", 1, BASELINE, "?", "7", 9)
    assert [*added(file, [one])] == [one]
    pack(file)
    assert next(added(file, [one, one])) == one
    assert [Told(**json.loads(line)) for line in content(file).splitlines()] == [one, one]
