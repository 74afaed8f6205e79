"""Test that a run asks unanswered questions, keeps answers, and reports them."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from lton_bench.study import tasks
from lton_bench.study.calls import __main__ as study
from lton_bench.study.calls.answers import CUT_OFF, Sample
from lton_bench.study.calls.conditions import BASELINES, CONDITIONS, EXTRAS
from lton_bench.study.calls.report import markdown, picture, sizes_picture
from lton_bench.study.calls.runner import Samples, first_questions, plan
from lton_bench.study.calls.summary import alike, summary
from lton_bench.study.packed import content, pack

SETTINGS = {"seed": "test"}


def make_sample(case: int = 0, condition: str = BASELINES[0], **values: Any) -> Sample:
    """Return a sample of the first simple cases."""
    about = {"model": "m", "condition": condition, "category": "simple_python", "id": f"c{case}"}
    figures = {"prompt": 100, "prefilled": 0, "sampled": 20, "seconds": 2.0, "writing": 1.0}
    return {**about, "text": "", "calls": [], "failure": "", **figures, **values}  # type: ignore[typeddict-item]


def test_a_full_run_asks_every_case_of_every_condition(tmp_path: Path) -> None:
    """A full run has all cases of two models in all conditions, and 100 of one model in the
    others.
    """
    batches = plan(["smollm2", "gemma3"], 100, Samples(tmp_path / "s.jsonl", SETTINGS))
    case_keys = [(b.model, b.condition.name, case.id) for b in batches for case in b.cases]
    assert (
        len(case_keys)
        == len(set(case_keys))
        == 2 * sum(tasks.REPORTED.values()) * len(CONDITIONS) + 100 * len(EXTRAS)
    )


def test_a_small_run_is_the_beginning_of_a_full_one(tmp_path: Path) -> None:
    """A small run is the beginning of a full run, so its questions are not asked again."""
    samples = Samples(tmp_path / "s.jsonl", SETTINGS)
    small, full = plan(["gemma3"], 10, samples), plan(["gemma3"], 100, samples)
    assert small == full[: len(small)]
    assert sum(len(batch.cases) for batch in small) == 80 * len(CONDITIONS)


def test_what_is_answered_is_not_asked_again(tmp_path: Path) -> None:
    """Answered questions are not asked again, even if the last line was cut when the run was
    killed.
    """
    path = tmp_path / "s.jsonl"
    samples = Samples(path, SETTINGS)
    first = plan(["m"], 10, samples)[0]
    for case in first.cases[:3]:
        samples.add(make_sample(condition=first.condition.name, id=case.id))
    path.write_text(path.read_text() + '{"model": "m", "cond')
    again = Samples(path, SETTINGS)
    assert again.found == samples.found
    assert list(plan(["m"], 10, again)[0].cases) == list(first.cases[3:])
    again.add(make_sample(id="another"))
    assert len(Samples(path, SETTINGS).found) == 4


def test_the_first_questions_are_one_of_each_condition(tmp_path: Path) -> None:
    """One question of each model and condition tells how long the others take."""
    batches = plan(["a", "b"], 20, Samples(tmp_path / "samples.jsonl", SETTINGS))
    firsts = first_questions(batches)
    keys = [(batch.model, batch.condition.name) for batch in firsts]
    assert len(set(keys)) == len(keys)
    assert {*keys} == {(batch.model, batch.condition.name) for batch in batches}
    assert all(len(batch.cases) == 1 for batch in firsts)


def test_the_study_says_how_long_it_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first question of each condition, the time of all others is printed."""
    times = iter(range(0, 10_000, 6))  # an answer takes six seconds
    monkeypatch.setattr(study, "monotonic", lambda: next(times))

    def run_at_once(batches: Any, samples: Samples, report: Any, **options: int) -> None:
        assert options == {"processes": 2}
        for _ in batches:
            report(None)

    monkeypatch.setattr(study, "run", run_at_once)
    samples = Samples(tmp_path / "samples.jsonl", SETTINGS)
    batches = plan(["a"], 10, samples)
    remaining = sum(len(batch.cases) for batch in batches) - len(first_questions(batches))
    screen = StringIO()
    assert study._predict(batches, samples, Console(file=screen, width=200), processes=2)
    assert (
        f"{remaining:,} answers are left, which takes about {remaining * 6 / 3600:.1f} hours"
        in screen.getvalue()
    )
    assert not study._predict(batches[:1], samples, Console(file=screen), processes=2)


def test_answers_that_are_packed_are_gone_on_with(tmp_path: Path) -> None:
    """Packed answers are read without a change; adding an answer unpacks them, and packs all again
    later.
    """
    path, packed = tmp_path / "s.jsonl", tmp_path / "s.jsonl.xz"
    Samples(path, SETTINGS).add(make_sample(id="a"))
    pack(path)
    assert [*tmp_path.iterdir()] == [packed]
    samples = Samples(path, SETTINGS)
    assert len(samples.found) == 1
    assert [*tmp_path.iterdir()] == [packed]
    samples.add(make_sample(id="b"))
    assert len(path.read_bytes().splitlines()) == 3
    pack(path)
    assert len(Samples(path, SETTINGS).found) == 2
    assert content(path).splitlines()[0] == b'{"seed": "test"}'
    assert content(tmp_path / "none.jsonl") == b""


def test_samples_of_another_study_are_refused(tmp_path: Path) -> None:
    """Samples of another study are refused, so that their figures are not mixed."""
    Samples(tmp_path / "s.jsonl", SETTINGS)
    with pytest.raises(ValueError, match="another study"):
        Samples(tmp_path / "s.jsonl", {"seed": "other"})


def test_the_summary_counts() -> None:
    """The summary covers the cases that every condition answered, and not the last case."""
    json_, _, json_guided = BASELINES
    ours = "guided, Python"
    right = {json_: "100", json_guided: "010", ours: "111"}
    samples = [
        make_sample(case, name, failure="" if mark == "1" else CUT_OFF if case else "wrong value")
        | ({"sampled": 2 + 2 * case, "seconds": 1.5, "writing": 0.25} if name == ours else {})
        for name, marks in right.items()
        for case, mark in enumerate(marks)
    ]
    summary_of_model = summary([*samples, make_sample(3)])["m"]
    condition = summary_of_model["conditions"][ours]
    assert condition["cases"] == 3
    assert condition["accuracy"]["value"] == 1
    assert condition["difference"]["difference"]["value"] == pytest.approx(2 / 3)
    assert condition["from_best"] == condition["difference"]  # guided JSON has as many right
    assert (condition["difference"]["only_ours"], condition["difference"]["only_theirs"]) == (2, 0)
    assert (condition["sampled_ratio"], condition["seconds_ratio"]) == (0.2, 0.75)
    assert (condition["writing_ratio"], condition["sampled_ratio_right"]) == (0.25, 0.1)
    assert summary_of_model["conditions"][json_guided]["sampled_ratio_right"] is None
    assert summary_of_model["conditions"][json_]["valid"] == pytest.approx(1 / 3)
    assert summary_of_model["conditions"][json_guided]["failures"] == {"wrong value": 1, CUT_OFF: 1}
    met = {goal["goal"]: goal["met"] for goal in summary_of_model["goals"]}
    assert met.pop("time, with the prompt, at most 0.5 of JSON minified") is False
    assert sum(met.values()) >= 4
    report = markdown({"about": "x", "models": {"m": summary_of_model}, "lengths": {}})
    assert "| guided, Python | 3 | 1.000 [0.439, 1.000] |" in report
    assert "guided, Python" in picture({"m": summary_of_model})


def test_models_are_compared_on_the_cases_that_all_were_asked() -> None:
    """Models are compared on the cases that all of them answered, with the largest model first."""
    names = ["smollm2", "qwen-1.5b"]
    samples = [
        make_sample(case, failure="" if case else "wrong value", model=name)
        for name, cases in zip(names, (3, 2), strict=True)
        for case in range(cases)
    ]
    common = alike(samples)
    json_ = BASELINES[0]
    assert [*common] == [json_]
    assert [*common[json_]] == ["qwen-1.5b", "smollm2"]
    assert {one["cases"] for one in common[json_].values()} == {2}
    assert {one["value"] for one in common[json_].values()} == {0.5}
    report = markdown({"about": "x", "models": {}, "alike": common, "lengths": {}})
    assert "The 2 cases that every model was asked." in report
    assert "135 M" in sizes_picture({"JSON spaced": common[json_]})


def test_pictures_are_the_same_for_the_same_results() -> None:
    """The same results give the same pictures, which are in the repository."""
    results = json.loads(
        json.dumps(summary([make_sample(n, name) for name in BASELINES for n in (0, 1)]))
    )
    assert picture(results) == picture(results)


@pytest.mark.model
def test_a_real_model_answers(tmp_path: Path) -> None:
    """A real model answers in two processes, and the run continues where it stopped."""
    from dataclasses import replace

    from lton_bench.study.calls.runner import run

    samples = Samples(tmp_path / "s.jsonl", SETTINGS)
    all_of = plan(["smollm2"], 1, samples)
    batches = [
        replace(one, cases=one.cases[:1])
        for one in all_of
        if one.condition.name in ("JSON minified", "guided, Python")
        and one.cases[0].category in ("simple_python", "irrelevance")
    ]
    reports: list[Sample] = []
    run(batches, samples, reports.append, processes=2)
    assert len(reports) == len(samples.found) == 4
    assert all(one["prompt"] > one["sampled"] + one["prefilled"] > 0 for one in reports)
    assert {one["id"] for one in reports} <= {
        case.id for cases in tasks.reported().values() for case in cases
    }
    assert all(one["seconds"] >= one["writing"] > 0 for one in reports)
