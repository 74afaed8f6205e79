"""Test that the published figures of the gateway are those of the answers."""

import json
from itertools import islice
from pathlib import Path

import pytest

from lton_bench.study.calls.runner import Samples
from lton_bench.study.packed import content
from lton_bench.study.servers.gateway import CASES, cases, served_by_lton
from lton_bench.study.servers.gateway_report import CONDITIONS, markdown, page_table, summary
from lton_bench.study.tasks import development, reported

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "benchmarks" / "results"
FOUND = json.loads((RESULTS / "study-gateway.json").read_text("utf-8"))


def test_the_results_are_what_the_answers_say() -> None:
    answers = RESULTS / "study" / "gateway.jsonl"
    settings = json.loads(content(answers).partition(b"\n")[0])
    samples = Samples(answers, settings)
    assert FOUND["versions"] == settings["versions"]
    assert FOUND["models"] == json.loads(json.dumps(summary(samples.found.values())))
    assert markdown(FOUND) == (RESULTS / "study-gateway.md").read_text("utf-8")
    assert page_table(FOUND) in (ROOT / "docs/results/gateway.md").read_text("utf-8")
    ids = {case.id for case in islice(cases(reported()), CASES)}
    assert len(ids) == CASES
    assert {id_ for _, _, id_ in samples.found} <= ids


def test_every_way_answered_the_same_cases() -> None:
    """Every way answered the same cases, because differences are paired."""
    for model in FOUND["models"].values():
        assert list(model["ways"]) == [*CONDITIONS]
        assert len({one["cases"] for one in model["ways"].values()}) == 1


def test_no_case_was_chosen_by() -> None:
    assert not {case.id for case in cases(reported())} & {case.id for case in cases(development())}


def test_a_gateway_that_does_not_start_is_no_answer() -> None:
    """A gateway that does not start is an error of the run, and not a wrong answer."""
    with pytest.raises(ChildProcessError), served_by_lton("--upstream", "http://127.0.0.1:x"):
        pass
