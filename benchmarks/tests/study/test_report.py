"""Test that the published figures of the study are those of its results."""

import json
from dataclasses import asdict
from pathlib import Path

from lton_bench.study.calls.conditions import CONDITIONS, EXTRAS
from lton_bench.study.calls.report import markdown, readme_table, summary_table
from lton_bench.study.calls.runner import Samples, plan
from lton_bench.study.calls.summary import alike, summary
from lton_bench.study.models import MODELS
from lton_bench.study.packed import content

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "benchmarks" / "results"
FOUND = json.loads((RESULTS / "study.json").read_text("utf-8"))


def test_the_results_are_what_the_answers_say() -> None:
    """The results agree with the stored answers, and no answer is missing."""
    answers = RESULTS / "study" / "samples.jsonl"
    settings = json.loads(content(answers).partition(b"\n")[0])
    assert settings["conditions"] == [asdict(one) for one in (*CONDITIONS, *EXTRAS)]
    samples = Samples(answers, settings)
    assert plan([*MODELS], 100, samples) == []
    assert FOUND["answers"] == len(samples.found)
    assert FOUND["models"] == json.loads(json.dumps(summary(samples.found.values())))
    assert FOUND["alike"] == json.loads(json.dumps(alike(samples.found.values())))


def test_the_report_is_rendered_from_the_results() -> None:
    """The committed report is rendered from the results."""
    assert (RESULTS / "study.md").read_text("utf-8") == markdown(FOUND)


def test_the_documents_have_the_tables_of_the_results() -> None:
    """The tables in the documents are those that `make study-full` writes."""
    assert summary_table(FOUND) in (ROOT / "docs/results/models.md").read_text("utf-8")
    assert readme_table(FOUND) in (ROOT / "README.md").read_text("utf-8")


def test_every_condition_was_asked_the_same_cases() -> None:
    """Every condition was asked the same cases, because differences are paired."""
    for model in FOUND["models"].values():
        for part in (model["conditions"], model["extras"]):
            assert len({figures["cases"] for figures in part.values()}) <= 1
