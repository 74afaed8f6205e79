"""Test a user's own model, whose file is checked first and gives the name."""

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from lton.errors import Code, LTONError
from lton_bench.study import models
from lton_bench.study.calls import __main__ as study
from lton_bench.study.calls import runner
from lton_bench.study.calls.answers import Sample
from lton_bench.study.calls.conditions import CONDITIONS
from lton_bench.study.calls.runner import Batch, Samples

ROOT = Path(__file__).parents[3]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file with the beginning of a model file."""
    path = tmp_path / "folder" / "Large-3B.Q4_K_M.gguf"
    path.parent.mkdir()
    path.write_bytes(b"GGUF and more")
    return path


def sample(model: str, condition: str, category: str, id_: str) -> Sample:
    return {
        "model": model, "condition": condition, "category": category, "id": id_, "text": "",
        "calls": [], "failure": "", "prompt": 9, "prefilled": 0, "sampled": 5, "seconds": 1.0,
        "writing": 0.5,
    }  # fmt: skip


def test_a_model_is_called_by_its_file(file: Path, tmp_path: Path) -> None:
    """A model is named after its file, and moving the file to another folder repeats no
    question.
    """
    name = models.name(str(file))
    assert name == "Large-3B.Q4_K_M"
    samples = Samples(tmp_path / "s.jsonl", {})
    [first, *_] = batches = runner.plan([str(file)], 1, samples)
    for case in first.cases:
        samples.add(sample(name, first.condition.name, case.category, case.id))
    assert runner.plan(["/elsewhere/Large-3B.Q4_K_M.gguf"], 1, samples) == [
        Batch("/elsewhere/Large-3B.Q4_K_M.gguf", batch.condition, batch.cases)
        for batch in batches[1:]
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "nowhere.gguf"], "no model 'nowhere.gguf': a GGUF file, or one of smollm2"),
        (["--model", "README.md"], "'README.md' is not a GGUF file"),
    ],
)
def test_what_is_no_model_is_an_error_in_a_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A file that is not a model is reported in one line, before anything is asked or written."""
    monkeypatch.chdir(tmp_path)
    Path("README.md").write_text("no model")
    assert study.main(arguments) == 1
    error = capfd.readouterr().err
    assert error.startswith(f"error: {message}")
    assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


@pytest.mark.parametrize("option", ["--cases", "--processes", "--threads"])
def test_none_of_what_is_counted_is_an_error(
    option: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        study.main([option, "0"])
    assert "expected one case, process and thread at least" in capfd.readouterr().err


def test_a_report_says_where_it_can_be_sent(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The report on a model of your own says where to send it, and the number of threads is
    used.
    """
    runs: list[Any] = []

    def run(
        batches: list[Batch], samples: Samples, report: Callable[[Sample], None], **options: int
    ) -> None:
        runs.append(options)
        for batch in batches:
            for case in batch.cases:
                one = sample(models.name(batch.model), batch.condition.name, case.category, case.id)
                samples.add(one)
                report(one)

    monkeypatch.setattr(study, "run", run)
    monkeypatch.setattr(study, "settings", lambda: {"seed": "test"})
    monkeypatch.setattr(study, "version", lambda _: "1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(models, "MODELS", {"ours": lambda: file})
    monkeypatch.setattr(study, "MODELS", models.MODELS)
    options = ["--cases", "1", "--threads", "3", "--processes", "1"]
    assert study.main([*options, "--model", str(file)]) == 0
    asks = {"processes": 1, "threads": 3}  # of the first questions, and of the others
    assert runs == [asks, asks]
    errors = capfd.readouterr().err
    assert "63 answers are left, which takes less than a minute" in errors
    assert "attached" in errors.splitlines()[-1]
    assert "build/study/study.md and build/study/samples.jsonl" in errors
    results = json.loads(Path("build/study/study.json").read_text())
    assert [*results["models"]] == ["Large-3B.Q4_K_M"]
    assert [*results["models"]["Large-3B.Q4_K_M"]["conditions"]] == [one.name for one in CONDITIONS]
    report = Path("build/study/study.md").read_text()
    assert "## Large-3B.Q4_K_M\n" in report
    assert str(file.parent) not in report + Path("build/study/samples.jsonl").read_text()
    assert study.main([*options, "--model", "ours"]) == 0
    assert "attached" not in capfd.readouterr().err


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_passes_a_model_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the variable on make's command line counts, because many shells have one of this
    name.
    """
    for name in ("ARGS", "MAKEFLAGS", "MAKELEVEL", "MFLAGS"):  # of the make that runs the tests
        monkeypatch.delenv(name, raising=False)

    def run_make(*arguments: str) -> str:
        command = ["make", "--no-print-directory", "-n", "study", *arguments]
        process = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        return process.stdout.splitlines()[-1]

    assert run_make("MODEL=a b.gguf", "ARGS=--cases 3").endswith("-- --model 'a b.gguf' --cases 3")
    monkeypatch.setenv("MODEL", "another")
    assert run_make().split("--")[-1].strip() == ""


def test_a_model_whose_packages_are_gone_is_left_out(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A model whose packages are missing is left out, and the others are asked."""

    def raise_missing() -> Path:
        raise LTONError(Code.MODEL, "qwen-0.5b cannot be fetched")

    names_asked: list[str] = []

    def plan(names: Sequence[str], *_: object) -> list[Batch]:
        names_asked.extend(names)
        return []

    monkeypatch.setattr(models, "MODELS", {"ours": lambda: file, "qwen-0.5b": raise_missing})
    monkeypatch.setattr(study, "settings", lambda: {"seed": "test"})
    monkeypatch.setattr(study, "plan", plan)
    monkeypatch.chdir(tmp_path)
    assert study.main(["--model", "ours", "--model", "qwen-0.5b"]) == 1  # nothing was answered
    assert names_asked == ["ours"]
    assert "left out: qwen-0.5b cannot be fetched" in capfd.readouterr().err


def test_of_the_larger_ones_fewer_cases_are_asked(tmp_path: Path) -> None:
    samples = Samples(tmp_path / "s.jsonl", {})
    names = ["JSON spaced", "guided, call"]
    batches = runner.plan(["qwen-1.5b"], 100, samples, names)
    assert {batch.condition.name for batch in batches} == {*names}
    count = sum(len(batch.cases) for batch in batches)
    assert count == 2 * 8 * models.MOST["qwen-1.5b"]  # seven categories, one of them twice
