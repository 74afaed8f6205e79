"""Test the recipes of frameworks.md with a scripted upstream."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from runpy import run_path

import pytest

from tests.examples import blocks_of
from tests.gateway.conftest import Script
from tests.test_documents import ROOT

pytestmark = [pytest.mark.clients, pytest.mark.filterwarnings("ignore")]
ADDRESS = "http://127.0.0.1:8000"
PAGE = (ROOT / "docs/guides/frameworks.md").read_text("utf-8")
TOOL, *RECIPES = [block.text for block in blocks_of(PAGE) if block.needs_server]
RESULT, ANSWER = "sunny in Oslo, 21 degrees", "It is sunny in Oslo."


def test_there_is_a_recipe_for_each_framework() -> None:
    assert len(RECIPES) == 4
    assert all(ADDRESS in recipe for recipe in RECIPES)


@pytest.mark.parametrize("recipe", RECIPES, ids=re.findall("^## (.*)$", PAGE, re.MULTILINE)[:4])
def test_a_recipe_calls_the_tool_and_prints_the_answer(
    recipe: str, url: str, script: Script, tmp_path: Path
) -> None:
    for module in re.findall(r"^(?:from|import) (\w+)", recipe, re.MULTILINE):
        pytest.importorskip(module, exc_type=ImportError)
    final = f'!call final_answer(answer="{ANSWER}")' if "smolagents" in recipe else ANSWER
    script.turns = [['!call weather(city="Oslo")'], [final]]
    program = tmp_path / "recipe.py"  # smolagents looks for the source of a tool
    program.write_text(f"{TOOL}\n{recipe.replace(ADDRESS, url)}")
    with redirect_stdout(StringIO()) as printed:
        run_path(str(program))
    assert printed.getvalue() == f"{ANSWER}\n"
    assert len(script.asked) == 2
    assert RESULT in str(script.asked[1]["messages"])
