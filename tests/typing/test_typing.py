"""Programs that are right pass a strict type checker, and those that are wrong do not."""

import os
import subprocess
import sys
from pathlib import Path

from tests.test_documents import README, ROOT, blocks

HERE = Path(__file__).parent


def test_programs_are_checked(tmp_path: Path) -> None:
    """Those of the README, and what is accepted and refused beside this file."""
    readme = tmp_path / "readme.py"
    readme.write_text("\n".join(blocks(README, "python")), "utf-8")
    result = subprocess.run(
        [sys.executable, "-m", "mypy", readme, HERE / "accepted.py", HERE / "refused.py"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout == "Success: no issues found in 3 source files\n"
