"""Test that Claude Code opens the file of a long output that the hook has cut."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.extra.agents.agents import PROGRAMS, ROOT, VARIABLES
from tests.extra.agents.compared import results_of
from tests.extra.agents.upstream import Scripted

pytestmark = pytest.mark.agents
BUILD = (
    "seq -f 'step %g of a long build that goes well' 500; echo 'a.c:88:5: error: unknown type name'"
)
CLAUDE = [
    ("Bash", {"command": BUILD, "description": "Build"}),
    ("Read", {"file_path": "@FILE"}),
    ("Bash", {"command": "sed -n 100,112p @FILE", "description": "Look"}),
    ("Bash", {"command": "grep -n 'step 102 ' @FILE", "description": "Look"}),
]
ARGUMENTS = ["-p", "--allowedTools", "Bash(seq *)", "Bash(echo *)", "--", "Build."]


def environ(home: Path, **more: str) -> dict[str, str]:
    path = os.pathsep.join([*map(str, PROGRAMS), os.environ["PATH"]])
    own = {"HOME": str(home), "PATH": path, "PYTHONPATH": str(ROOT), "XDG_RUNTIME_DIR": str(home)}
    return {**own, **VARIABLES, **more}


def run_program(command: Sequence[str], folder: Path, variables: dict[str, str]) -> str:
    """Run a program in a folder, and return its output."""
    process = subprocess.run(
        command,
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout + process.stderr


def check(results: Sequence[Any]) -> None:
    """Check that the first result is cut and contains the error, and that the file is shown
    whole.
    """
    first, *others = map(str, results)
    assert "error: unknown type name" in first
    assert re.search(r"[\d,]+ of [\d,]+ tokens left out; all of it: /", first)
    assert "step 102 " not in first
    assert others
    assert all("step 102 " in other for other in others), others


def test_the_hook_cuts_what_claude_code_shows_its_model(
    upstream: tuple[Scripted, str], tmp_path: Path
) -> None:
    """With the settings of `lton hook install`, the hook cuts the results that Claude Code shows
    its model.
    """
    scripted, url = upstream
    scripted.calls = CLAUDE
    (work := tmp_path / "work").mkdir()
    variables = environ(tmp_path, ANTHROPIC_BASE_URL=url)
    hook = [sys.executable, "-m", "lton", "hook", "install", "claude", "--yes"]
    run_program(hook, work, variables)
    run_program(["claude", *ARGUMENTS], work, variables)
    check(results_of(scripted.bodies[-1]))
    first = json.dumps(results_of(scripted.bodies[1]))
    assert first == json.dumps(results_of(scripted.bodies[-1])[:1])
    run_program([*hook, "--undo"], work, variables)
    assert json.loads((tmp_path / ".claude" / "settings.json").read_text()) == {}
