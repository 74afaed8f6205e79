"""Test the table of BFCL's calls that servers deliver, made from answers."""

import json
from pathlib import Path
from typing import Any

from lton_bench import bfcl
from lton_bench.study.servers.bfcl import CATEGORIES, Told, cases, main, markdown, replay_answers

ALONE, THROUGH = "the server", "`lton serve`"


def answer_first_case(
    way: str, category: str, calls: list[Any], text: str = "", prompt: int = 100
) -> Told:
    """The answer to the first case of a category."""
    [case] = [case for case in cases(1) if case.category == category]
    return Told("m", way, category, case.id, calls, text, "", prompt, 10, 0.5)


def gold(category: str) -> list[Any]:
    [case] = [case for case in cases(1) if case.category == category]
    return [list(call) for call in bfcl.gold(case)]


def test_a_row_counts_calls_as_bfcl_judges_them() -> None:
    """A call in the text is written but not delivered, and no call is right if no tool fits."""
    right = gold("simple_python")
    [[name, _]] = right
    rows = [
        answer_first_case(ALONE, "simple_python", [], f"{name}(function=1)"),
        answer_first_case(ALONE, "parallel", gold("parallel")),
        answer_first_case(ALONE, "irrelevance", []),
        answer_first_case(THROUGH, "simple_python", right),
        answer_first_case(THROUGH, "parallel", gold("parallel")[:1]),
        answer_first_case(THROUGH, "irrelevance", [["f", {}]]),
    ]
    page = markdown(rows)
    assert "### m" in page
    assert "| the server | 2 | 2 | 1 | 0.500 | 0.500 [0.095, 0.905] | 0 of 1 |  |  |" in page
    assert "|  |  | 1 of 1 | 1 of 1 | 100 | 10 |" in page
    assert "| `lton serve` | 2 | 2 | 2 | 0.500 | 0.500 [0.095, 0.905] | 1 of 1 |  |  |" in page
    assert "|  |  | 0 of 1 | 0 of 1 | 100 | 10 |" in page


def test_calls_through_lton_are_compared_with_what_the_model_wrote() -> None:
    """A call that the model did not write is invented; answers asked again are not compared."""
    calls = gold("simple_python")
    cases = [
        (
            answer_first_case(THROUGH, "simple_python", calls),
            "0 calls invented, 0 doubled in 1 answers",
        ),
        (
            answer_first_case(THROUGH, "simple_python", calls * 2),
            "0 calls invented, 1 doubled in 1 answers",
        ),
        (
            answer_first_case(THROUGH, "simple_python", [["unwritten", {}]]),
            "1 calls invented, 1 doubled in 1 answers",
        ),
        (
            answer_first_case(THROUGH, "simple_python", [["unwritten", {}]], prompt=220),
            "0 doubled in 0 answers. For 1",
        ),
    ]
    for through, expected in cases:
        assert expected in markdown([answer_first_case(ALONE, "simple_python", calls), through])


def test_recorded_answers_are_read_again() -> None:
    """A call is read, prose stays text, and an answer that leads to a question is left out."""
    [[name, arguments]] = gold("simple_python")
    call = json.dumps({"name": name, "arguments": arguments})
    old = answer_first_case(THROUGH, "simple_python", [["old", {}]])
    cases = [
        (call, [([[name, arguments]], "")]),
        ("I cannot do that.", [([], "I cannot do that.")]),
        (f'{{"name": "{name}", "arguments": {{}}}}', []),
    ]
    for text, expected in cases:
        alone = answer_first_case(ALONE, "simple_python", [], text)
        own_answer, *rows = replay_answers([old, alone])
        assert own_answer == alone
        assert [(row.calls, row.text) for row in rows] == expected
        assert all(row.way == THROUGH for row in rows)


def test_the_cases_are_of_each_category_in_turn(tmp_path: Path) -> None:
    """Without questions, only the page is written."""
    assert [case.category for case in cases(2)] == [*CATEGORIES] * 2
    main(["--each", "0", "--out", str(tmp_path)])
    assert (tmp_path / "servers-bfcl.md").read_text().startswith("`make study-servers`")
