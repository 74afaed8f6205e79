"""Test the study of times without a model: which questions are asked, and the table."""

import json
from pathlib import Path
from typing import Any

import pytest

from lton_bench.study.calls import times
from lton_bench.study.calls.times import WAYS, table
from lton_bench.study.packed import content
from lton_bench.study.tasks import Case

RESULTS = Path("benchmarks/results")


def line(model: str, name: str, way: str, seconds: float, *, right: bool = True) -> dict[str, Any]:
    return {
        "model": model,
        "id": name,
        "way": way,
        "right": right,
        "sampled": 10,
        "seconds": seconds,
    }


def rows_of(lines: list[dict[str, Any]]) -> list[list[str]]:
    text = table(lines).partition("---:|\n")[2]
    return [row.strip("| ").split(" | ") for row in text.splitlines()]


def test_the_slowest_model_comes_first_and_wrong_answers_are_only_in_the_last_ratio() -> None:
    """Each ratio is of guided answers to JSON, of questions that were asked in both ways."""
    lines = [
        line("fast", "a", "JSON", 4.0),
        line("fast", "a", "guided", 1.0),
        line("slow", "a", "JSON", 4.0),
        line("slow", "a", "guided", 2.0),
        line("slow", "b", "JSON", 1.0, right=False),
        line("slow", "b", "guided", 8.0),
        line("slow", "c", "guided", 99.0),  # not asked in JSON
    ]
    slow, in_json, fast, _ = rows_of(lines)
    assert slow == ["slow", "guided", "2", "2", "10.0", "5.00", "2.00", "4.25", "0.50 (1)"]
    assert in_json[:6] == ["slow", "JSON", "2", "1", "10.0", "2.50"]
    assert (fast[0], fast[6]) == ("fast", "0.25")


def test_the_ways_take_turns_and_a_second_run_asks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each question is asked in both ways, and each way is first for every second question."""

    class Scripted:
        def __init__(self, model: str) -> None:
            self.model = model

        def time_answer(self, case: Case, way: str) -> dict[str, Any]:
            return line(self.model, case.id, way, 1.0)

    monkeypatch.setattr(times, "_Asker", Scripted)
    options = ["--model", "smollm2", "--questions", "4", "--out", str(tmp_path)]
    for _ in range(2):
        times.main(options)
        text = (tmp_path / "study" / "times.jsonl").read_text("utf-8")
        records = [json.loads(line) for line in text.splitlines()]
        assert [record["way"] for record in records] == [*reversed(WAYS), *WAYS] * 2
    assert "| smollm2 | guided | 4 | 4 |" in (tmp_path / "times.md").read_text("utf-8")


def test_the_page_has_the_table_of_the_recorded_answers(tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "times.jsonl").write_bytes(content(RESULTS / "study" / "times.jsonl"))
    times.main(["--questions", "0", "--out", str(tmp_path)])
    page = (tmp_path / "times.md").read_text("utf-8")
    assert page == (RESULTS / "times.md").read_text("utf-8")
    rows = page.partition("\n\n")[2]
    assert rows in Path("docs/results/models.md").read_text("utf-8")
