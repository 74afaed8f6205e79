"""Test that a strict type checker accepts right programs, and refuses wrong ones."""

import os
import subprocess
import sys
from pathlib import Path

from tests.test_documents import EXAMPLES, ROOT, blocks

HERE = Path(__file__).parent


def test_programs_are_checked(tmp_path: Path) -> None:
    """The programs of the documents and of accepted.py pass, and those of refused.py fail."""
    pages: list[Path] = []
    for path in EXAMPLES:
        if code := blocks((ROOT / path).read_text("utf-8"), "python"):
            pages.append(tmp_path / f"{path.stem.replace('-', '_').lower()}_{len(pages)}.py")
            pages[-1].write_text("\n".join(code), "utf-8")
    checked = [HERE / f"{name}.py" for name in ("accepted", "api", "refused")]
    result = subprocess.run(
        [sys.executable, "-m", "mypy", *pages, *checked],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout == f"Success: no issues found in {len(pages) + 3} source files\n"
