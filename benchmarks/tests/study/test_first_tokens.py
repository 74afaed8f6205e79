"""Test the study of first tokens: its table, its answers, and the line that is shipped."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from lton.generate import need
from lton.generate.need import FirstTokenLine
from lton.probe.calibration import Calibration
from lton_bench.study.servers import first_tokens
from lton_bench.study.servers.first_tokens import (
    FITTED,
    REPORTED,
    FirstAnswer,
    fit_model,
    main,
    read_answers,
    turns_of,
)

RESULTS = Path(__file__).parents[3] / "benchmarks" / "results"
ANSWERS = read_answers(RESULTS / "study" / "first-tokens.jsonl")
MODELS = ("qwen-0.5b", "qwen-1.5b", "smollm2", "gemma3")


@pytest.fixture(scope="module")
def fits() -> dict[str, Calibration[FirstTokenLine]]:
    """Fit the line of each model once."""
    return {
        model: fit_model([answer for answer in ANSWERS if answer.model == model])
        for model in MODELS
    }


@pytest.fixture(autouse=True)
def _fit_once(
    fits: dict[str, Calibration[FirstTokenLine]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def find_fit(answers: Sequence[FirstAnswer]) -> Calibration[FirstTokenLine]:
        assert list(answers) == [one for one in ANSWERS if one.model == answers[0].model]
        return fits[answers[0].model]

    monkeypatch.setattr(first_tokens, "fit_model", find_fit)


@pytest.mark.parametrize("model", ["qwen-0.5b", "qwen-1.5b"])
def test_the_shipped_line_is_that_of_the_answers(
    model: str, fits: dict[str, Calibration[FirstTokenLine]]
) -> None:
    assert fits[model].line in need._shipped_first_lines().values()


@pytest.mark.parametrize("half", [FITTED, REPORTED])
def test_each_message_was_asked_once(half: str) -> None:
    for model in MODELS:
        messages = [one.text for one in ANSWERS if (one.model, one.half) == (model, half)]
        assert sorted(messages) == sorted(turn.text for turn in turns_of(half))


def test_the_published_table_is_that_of_the_answers(tmp_path: Path) -> None:
    """A run without new questions starts no server, and writes the table of the answers."""
    (tmp_path / "study").mkdir()
    packed = "study/first-tokens.jsonl.xz"
    (tmp_path / packed).write_bytes((RESULTS / packed).read_bytes())
    main(["--model", "qwen-0.5b", "--out", str(tmp_path)])
    table = (tmp_path / "needs-servers.md").read_text("utf-8")
    assert table == (RESULTS / "needs-servers.md").read_text("utf-8")
