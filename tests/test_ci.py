"""Test that CI fails if a command of the README fails, and returns pytest's status."""

import shutil
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).parent.parent / ".ci" / "run"
MAKEFILE = """test:
\t@basename "$$PWD"; cat; echo 'FAILED tests/x.py::test_y - no'; echo '1 failed in 2.00s'; exit {}
demo:
\t@echo shown; exit {}
"""


@pytest.mark.parametrize(
    ("test", "demo", "status", "last"),
    [
        (0, 0, 0, "shown"),
        (1, 0, 1, "1 failed in 2.00s"),
        (0, 1, 1, "shown"),
    ],
)
def test_a_clone_named_lton_is_tested(
    tmp_path: Path, test: int, demo: int, status: int, last: str
) -> None:
    """A failure of either command fails the whole script, and the last lines are printed again."""
    if (git := shutil.which("git")) is None:
        pytest.skip("needs git")
    (tmp_path / ".ci").mkdir()
    shutil.copy(RUN, tmp_path / ".ci" / "run")
    (tmp_path / "Makefile").write_text(MAKEFILE.format(test, demo))
    commit = ["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "a"]
    for command in (["init", "-q"], ["add", "-A"], commit):
        subprocess.run([git, *command], cwd=tmp_path, check=True)
    process = subprocess.run(
        [tmp_path / ".ci" / "run"], capture_output=True, text=True, check=False, cwd=tmp_path.parent
    )
    lines = [line for line in process.stdout.splitlines() if not line.startswith("make")]
    assert lines[0] == "lton"
    assert (process.returncode, last in lines) == (status, True)
    assert lines[-2:] == ["FAILED tests/x.py::test_y - no", "1 failed in 2.00s"]
    assert ("failed, in a clone" in process.stderr) == (status == 1)
