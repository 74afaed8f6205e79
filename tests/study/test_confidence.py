"""Test how often a model is right at each level of confidence."""

import json
from pathlib import Path

import pytest

from lton_bench.study.confidence import calibration_error, main
from lton_bench.study.tasks import development


def test_who_is_as_often_right_as_sure_has_no_error() -> None:
    quarters = [(0.75, True), (0.75, True), (0.75, True), (0.75, False)]
    assert calibration_error(quarters) == 0.0
    assert calibration_error([*quarters, (1.0, False), (0.0, True)]) == pytest.approx(2 / 6)


def test_a_row_is_of_the_answers_that_were_weighed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row covers the answers that were weighed, and stored answers are not asked again."""
    file = tmp_path / "samples.jsonl"
    ids = [development()[category][0].id for category in ("multiple", "irrelevance")]
    lines = [
        json.dumps({"model": "smollm2", "id": case, "right": True, "confidence": confidence})
        for case, confidence in zip(ids, (0.9, None), strict=True)
    ]
    file.write_text("\n".join([*lines, ""]))
    assert main(["--model", "smollm2", "--cases", "1", "--samples", str(file)]) == 0
    *_, row = capsys.readouterr().out.splitlines()
    assert row == "| smollm2 | 1 | 1.000 | 0.900 | 0.100 | 1 of 1 |"
