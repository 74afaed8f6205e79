"""Test that each model has its own file of figures, which a session writes."""

import tomllib
from pathlib import Path

import pytest

from lton_bench.finetune import __main__ as recipe

SESSIONS = Path(__file__).parents[3] / "scripts" / "sessions.toml"


@pytest.mark.parametrize(
    ("model", "name"), [("smollm2", "finetune"), ("qwen-0.5b", "finetune-qwen-0.5b")]
)
def test_the_report_of_a_model_is_that_of_its_figures(
    model: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = recipe.RESULTS.parent
    (tmp_path / f"{name}.json").write_bytes((published / f"{name}.json").read_bytes())
    monkeypatch.setattr(recipe, "RESULTS", tmp_path / "finetune")
    assert recipe.main(["--render", "--model", model]) == 0
    text = (tmp_path / f"{name}.md").read_text("utf-8")
    assert text == (published / f"{name}.md").read_text("utf-8")
    assert f"`make {name}` writes" in text
    assert name in tomllib.loads(SESSIONS.read_text("utf-8"))["sessions"]
