"""Test spellings of wide, nested and sparse records: complete values, and resumed runs."""

import json
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

from lton_bench.study.packed import content
from lton_bench.study.spellings import ASKED, FIRST, SPELLINGS, answers, flat, until
from lton_bench.study.tables import Told, table
from lton_bench.study.tables_cases import BASELINE, result

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
RECORDS = [
    {
        "id": "A1",
        "info": {"city": "New York", "age": 7},
        "a": 1,
        "b": 2,
        "c": 3,
        "tags": ["x", "y"],
    },
    {"id": "A2", "info": {"city": "Rome", "age": 8}, "a": 4, "b": 5, "c": 6, "tags": []},
]
EXPECTED = {
    "names again every four cells": """\
[2(id info.city info.age a b c tags)
A1 "New York" 7 1 b:2 3 [x y]
A2 Rome 8 4 b:5 6 []]""",
    "names beyond six cells": """\
[2(id info.city info.age a b c tags)
A1 "New York" 7 1 2 3 tags:[x y]
A2 Rome 8 4 5 6 tags:[]]""",
    "key first": """\
[2 by id
A1 info.city:"New York" info.age:7 a:1 b:2 c:3 tags:[x y]
A2 info.city:Rome info.age:8 a:4 b:5 c:6 tags:[]]""",
    "blocks of columns": """\
[2(id info.city info.age a b)
A1 "New York" 7 1 2
A2 Rome 8 4 5]
[2(id c tags)
A1 3 [x y]
A2 6 []]""",
    "nested parts on lines": """\
[2 by id
A1 a:1 b:2 c:3
 info city:"New York" age:7
 tags x y
A2 a:4 b:5 c:6
 info city:Rome age:8
 tags ]""",
    "shared keys above": """\
[2(id info.city info.age a b c tags)
A1 "New York" 7 1 2 3 [x y]
A2 Rome 8 4 5 6 []]""",
}


def test_each_spelling_has_all_values() -> None:
    """Each spelling contains all values, in the way that its name says."""
    assert {name: SPELLINGS[name](RECORDS) for name in EXPECTED} == EXPECTED
    assert EXPECTED.keys() == SPELLINGS.keys() - {BASELINE}
    assert SPELLINGS["shared keys above"]([{"id": 1, "b": 2}, {"id": 3}]) == "[2(id)\n1 b:2\n3]"


def test_the_spellings_of_a_shape_differ() -> None:
    """The spellings of a shape differ, and each spelling is used for a shape."""
    for shape, spellings in ASKED.items():
        value: Any = result(shape, FIRST)
        assert len({SPELLINGS[each](value) for each in spellings}) == len(spellings) > 2
        assert all(flat(row) for row in value)
    assert {each for some in ASKED.values() for each in some} == SPELLINGS.keys()


class Reader:
    """A model that gives the same answer to each question."""

    def tokens(self, text: str) -> list[int]:
        return [0] * len(text)

    def ask(self, text: str, asked: list[str], most: int) -> list[str]:
        return [str(most) for _ in asked]


def test_a_run_continues_result_by_result() -> None:
    """A run asks all missing spellings of one result before the next result."""
    reader: Any = Reader()
    every = answers(reader, "m", {("wide", FIRST, BASELINE)}, [*SPELLINGS], most=13)
    first = [*takewhile(lambda told: told.number == FIRST, every)]
    asked = {(told.shape, told.form) for told in first}
    assert asked == {(s, f) for s, some in ASKED.items() for f in some} - {("wide", BASELINE)}
    only = answers(reader, "m", set(), ["key first"], most=13)
    assert {told.form for told in only} == {"key first"}


def test_a_run_ends_when_each_cell_has_enough_questions() -> None:
    """Each spelling of each shape has the questions about the same results."""
    reader: Any = Reader()
    told = [*answers(reader, "m", set(), [*SPELLINGS], most=13)]
    assert {each.number for each in told} == {FIRST, FIRST + 1}
    known = {(each.shape, each.number, each.form) for each in told}
    assert known == {(s, n, f) for s in ASKED for n in (FIRST, FIRST + 1) for f in ASKED[s]}
    assert [*answers(reader, "m", known, [*SPELLINGS], most=13)] == []


def test_a_run_ends_after_all_questions_about_a_result() -> None:
    """A run ends only after all questions about a result, because a partial result cannot be
    compared.
    """
    reader: Any = Reader()
    told = [*until(answers(reader, "m", set(), [*SPELLINGS], most=13), -1)]
    assert told == []
    some = islice(answers(reader, "m", set(), [*SPELLINGS], most=13), 30)
    assert len([*until(some, 600)]) == 30


def test_the_published_table_is_that_of_the_answers() -> None:
    """The published table agrees with the answers."""
    lines = content(RESULTS / "study" / "spellings.jsonl").splitlines()
    told = [Told(**json.loads(line)) for line in lines]
    assert told
    assert "\n".join(table(told)) + "\n" == (RESULTS / "spellings.md").read_text()
