"""Test that the study has the same cases everywhere, and none that was used in development."""

from hashlib import sha256

import pytest

from lton import Call, ToolSet, encode
from lton_bench import bfcl
from lton_bench.study import tasks
from lton_bench.study.judge import judge
from lton_bench.study.tasks import Case

KEPT = [name for name in tasks.REPORTED if name not in ("simple_java", "simple_javascript")]
"""The categories of which some cases are left for shots."""
PARTS = {"reported": tasks.reported(), "development": tasks.development()}


def test_the_parts_are_as_large_as_they_say() -> None:
    sizes = {name: {c: len(cases) for c, cases in part.items()} for name, part in PARTS.items()}
    assert sizes == {"reported": tasks.REPORTED, "development": tasks.DEVELOPMENT}
    assert sum(tasks.REPORTED.values()) == 690


@pytest.mark.parametrize(
    ("part", "digest"), [("reported", "a53e4b47cebe9eae"), ("development", "a67c6d6bd43fa9c1")]
)
def test_the_cases_are_fixed(part: str, digest: str) -> None:
    """The cases stay the same, because a change would change every figure; new cases need a new
    seed.
    """
    ids = "\n".join(case.id for cases in PARTS[part].values() for case in cases)
    assert sha256(ids.encode()).hexdigest()[:16] == digest


def test_the_shots_are_fixed() -> None:
    ids = [case.id for case in tasks.shots(4)]
    assert ids == ["simple_python_197", "parallel_39", "irrelevance_105", "multiple_18"]
    assert [case.id for case in tasks.shots(2)] == ids[:2]
    assert tasks.shots(0) == []
    assert [case.category for case in tasks.shots(3, ["live_simple"])] == ["live_simple"] * 3


def test_too_many_shots_are_refused() -> None:
    with pytest.raises(ValueError, match=r"expected at most \d+ shots"):
        tasks.shots(1000)


def test_no_question_is_in_two_parts() -> None:
    """No question is in two parts, or twice in one: BFCL has 97 questions in two categories."""
    shots = [case for name in KEPT for case in tasks.shots(10, [name])]
    everything = [case for part in PARTS.values() for cases in part.values() for case in cases]
    questions = [question(case) for case in everything + shots]
    assert len(set(questions)) == len(questions) == 690 + 299 + 50


def question(case: Case) -> str:
    return case.messages[-1]["content"].strip().casefold()


def test_shots_show_no_tool_that_is_asked_for() -> None:
    tool_names = {
        name for part in PARTS.values() for cases in part.values() for name in names(*cases)
    }
    assert tool_names.isdisjoint(names(*tasks.shots(12)))


def names(*cases: Case) -> set[str]:
    return {tool["function"]["name"] for case in cases for tool in case.tools}


def test_every_case_can_be_answered_in_lton() -> None:
    """Every case can be answered in LTON: its tools have a layout, and a right answer can be
    written.
    """
    cases = [case for part in PARTS.values() for cases in part.values() for case in cases]
    for case in cases + tasks.shots(12):
        tools = ToolSet.from_tools(case.tools)
        calls = [Call(*call) for call in bfcl.gold(case)]
        assert judge(case, calls) is None, case.id
        encode(calls, tools)
