"""Test the study of the questions for which guided generation would call a tool."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lton.events import CallStart, Prose
from lton_bench.study.servers import decisions
from lton_bench.study.servers.bfcl import Told
from lton_bench.study.servers.decisions import (
    AGENT,
    GUIDED,
    REQUIRED,
    Decision,
    agent_requests,
    decide,
    main,
    markdown,
)
from lton_bench.study.tasks import Case, reported

RESULTS = Path(__file__).parents[3] / "benchmarks" / "results"
CASE = reported()["simple_python"][0]
NEEDLESS = reported()["irrelevance"][0]


def told(way: str, case: Case, calls: Sequence[Any] = (), error: str = "") -> Told:
    return Told("qwen-1.5b", way, case.category, case.id, [*calls], "", error, 0, 0, 0.0)


def decision(case: Case, *, is_called: bool, likelihood: float = 0.0) -> Decision:
    return Decision("qwen-1.5b", case.category, case.id, likelihood, is_called)


def rows_of(page: str) -> list[list[str]]:
    """Return the cells of each row of a table, without its head."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_published_table_is_that_of_the_answers(tmp_path: Path) -> None:
    """A run without a model loads none, and writes the table."""
    (tmp_path / "study").mkdir()
    for name in ("decisions", "servers-bfcl"):
        packed = f"study/{name}.jsonl.xz"
        (tmp_path / packed).write_bytes((RESULTS / packed).read_bytes())
    main(["--out", str(tmp_path)])
    page = (tmp_path / "servers-decisions.md").read_text("utf-8")
    assert page == (RESULTS / "servers-decisions.md").read_text("utf-8")


def test_each_question_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later run asks the remaining ones."""
    asked: list[list[str]] = []

    def decide_fewer(model: str, some: Sequence[Case], _: int) -> list[Decision]:
        asked.append([case.id for case in some])
        return [Decision(model, case.category, case.id, 0.0, is_called=True) for case in some[:150]]

    monkeypatch.setattr(decisions, "decide", decide_fewer)
    for _ in range(3):
        main(["--out", str(tmp_path), "--model", "qwen-1.5b"])
    assert [len(ids) for ids in asked] == [250, 100, 0]


def test_an_answer_ends_when_the_model_has_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first event decides, and the first scores are the likelihoods of the question."""
    engine = SimpleNamespace(scores=())
    asked: list[Any] = []

    def events(*_: Any, **options: Any) -> Iterator[Any]:
        assert options["heeds_first_token"]
        asked.append(options)
        is_first = len(asked) == 1
        engine.scores = [-9.0, -3.0, -10.0] if is_first else [-9.5, -10.0]
        yield CallStart("f") if is_first else Prose("No.")
        pytest.fail("the answer went on")

    monkeypatch.setattr(decisions, "_WeighingEngine", lambda _: engine)
    monkeypatch.setattr(decisions, "load", lambda *_, **__: None)
    monkeypatch.setattr("lton_bench.study.models.path", Path)
    monkeypatch.setattr(decisions, "stream", events)
    found = [(one.likelihood, one.is_called) for one in decide("qwen-1.5b", [CASE, NEEDLESS], 1)]
    assert found == [(7.0, True), (0.5, False)]


RIGHT = [
    [name, {argument: accepted[0] for argument, accepted in arguments.items() if accepted[0] != ""}]
    for answer in CASE.answers
    for name, arguments in answer.items()
]
"""The right call of the case."""


@pytest.mark.parametrize(
    ("recorded", "likelihood", "is_called", "cells"),
    [
        (RIGHT, 6.0, True, ["1", "1", "1", "1", "1", "1"]),
        ([["f", {}]], 6.0, True, ["1", "0", "1", "0", "1", "0"]),
        ([], 4.0, True, ["0", "0", "0", "0", "1", "1"]),
        ([], 4.0, False, ["0", "0", "0", "0", "0", "0"]),
        (RIGHT, 4.0, False, ["1", "1", "0", "0", "0", "0"]),
    ],
)
def test_a_new_call_is_the_required_one(
    recorded: list[Any], likelihood: float, is_called: bool, cells: list[str]
) -> None:
    answers = [told(GUIDED, CASE, recorded), told(REQUIRED, CASE, RIGHT), told(GUIDED, NEEDLESS)]
    both = [
        decision(CASE, is_called=is_called, likelihood=likelihood),
        decision(NEEDLESS, is_called=not is_called),
    ]
    needing, needless, agents, _ = rows_of(markdown(answers, both))
    assert needing == ["qwen-1.5b", "BFCL: a call is needed", "1", *cells]
    assert needless[2:] == ["1", "0", "", "0", "", str(int(not is_called)), ""]
    assert agents[2:] == ["0", "", "", "0", "", "0", ""]


def test_requests_to_agents_have_no_recorded_answers() -> None:
    some = [request for request in agent_requests() if request.category == AGENT]
    needing, _, agents, needless = rows_of(markdown([], [decision(some[0], is_called=True)]))
    assert needing[2:] == ["0"] * 7
    assert agents[2:] == ["1", "", "", "0", "", "1", ""]
    assert needless[2:] == ["0", "", "", "0", "", "0", ""]
    assert len(some) == 25


def test_questions_without_a_recorded_answer_are_left_out() -> None:
    answers = [told(GUIDED, CASE, error="E901"), told(REQUIRED, CASE, RIGHT)]
    page = markdown(answers, [decision(CASE, is_called=True)])
    assert [row[2] for row in rows_of(page)] == ["0"] * 4
