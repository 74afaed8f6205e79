"""Test the study of questions that guided generation declined."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lton_bench.study.servers import declined
from lton_bench.study.servers.bfcl import Told
from lton_bench.study.servers.declined import (
    GUIDED,
    REQUIRED,
    FirstToken,
    main,
    markdown,
    read_tokens,
)
from lton_bench.study.tasks import Case, reported

RESULTS = Path(__file__).parents[3] / "benchmarks" / "results"
TOKENS = read_tokens(RESULTS / "study" / "declined.jsonl")
CASE = reported()["simple_python"][0]
NEEDLESS = reported()["irrelevance"][0]


def told(way: str, case: Case, calls: Sequence[Any] = (), error: str = "") -> Told:
    return Told("qwen-1.5b", way, case.category, case.id, [*calls], "", error, 0, 0, 0.0)


def rows_of(page: str) -> list[list[str]]:
    """Return the cells of each row of a table, without its head."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_published_table_is_that_of_the_answers(tmp_path: Path) -> None:
    """A run without a model loads none, and writes the table."""
    (tmp_path / "study").mkdir()
    for name in ("declined", "servers-bfcl"):
        packed = f"study/{name}.jsonl.xz"
        (tmp_path / packed).write_bytes((RESULTS / packed).read_bytes())
    main(["--out", str(tmp_path)])
    page = (tmp_path / "servers-declined.md").read_text("utf-8")
    assert page == (RESULTS / "servers-declined.md").read_text("utf-8")


def test_only_answers_without_a_call_or_an_error_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is asked once, also by a later run."""
    asked: list[list[str]] = []

    def ask(model: str, some: Sequence[Case], threads: int) -> list[FirstToken]:
        asked.append([case.id for case in some])
        return [FirstToken(model, case.category, case.id, 1.0) for case in some]

    monkeypatch.setattr(declined, "ask", ask)
    (tmp_path / "study").mkdir()
    packed = "study/servers-bfcl.jsonl.xz"
    (tmp_path / packed).write_bytes((RESULTS / packed).read_bytes())
    for _ in range(2):
        main(["--out", str(tmp_path), "--model", "qwen-1.5b"])
    first, second = asked
    assert len(first) == 18 + 35
    assert second == []


@pytest.mark.parametrize(
    ("log_ratio", "still", "right"), [(0.5, "0", "0 of 1"), (-0.5, "1", "0 of 0")]
)
def test_a_call_is_right_if_the_required_one_is(log_ratio: float, still: str, right: str) -> None:
    answers = [told(GUIDED, CASE), told(GUIDED, NEEDLESS), told(REQUIRED, CASE, [["f", {}]])]
    tokens = [
        FirstToken("qwen-1.5b", case.category, case.id, log_ratio) for case in (CASE, NEEDLESS)
    ]
    needing, needless = rows_of(markdown(answers, tokens))
    assert needing == ["qwen-1.5b", "need a call", "1", "1", still, right]
    assert needless == ["qwen-1.5b", "no tool fits", "1", "1", still, ""]


def test_answers_with_a_call_or_an_error_were_not_declined() -> None:
    answers = [told(GUIDED, CASE, [["f", {}]]), told(GUIDED, NEEDLESS, error="E901")]
    tokens = [FirstToken("qwen-1.5b", CASE.category, CASE.id, 1.0)]
    assert [row[2] for row in rows_of(markdown(answers, tokens))] == ["0", "0"]
