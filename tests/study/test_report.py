"""What the repository says of the study is what its results say."""

import json
from pathlib import Path

from benchmarks.study.report import markdown, readme_table

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
FOUND = json.loads((RESULTS / "study.json").read_text("utf-8"))


def test_the_report_is_rendered_from_the_results() -> None:
    """Who changes the report renders it again."""
    assert (RESULTS / "study.md").read_text("utf-8") == markdown(FOUND)


def test_the_readme_has_the_table_of_the_results() -> None:
    """It is written by `make study-full`."""
    assert readme_table(FOUND) in (ROOT / "README.md").read_text("utf-8")


def test_every_condition_was_asked_the_same_cases() -> None:
    """Differences are paired."""
    for model in FOUND["models"].values():
        for part in (model["conditions"], model["extras"]):
            assert len({found["cases"] for found in part.values()}) <= 1
