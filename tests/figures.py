"""Print figures of the project: `make figures`, or `python -m tests.figures`.

This counts modules and files, and builds the wheel. The import time is compared with pydantic's, as
processor time without that of the interpreter. The time of the tests comes from the last `make
test`.
"""

import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
COST = ROOT / "build" / "test-cost.json"
LISTED = re.compile(r"^\| `([\w/]+\.py)` \|", re.MULTILINE)
"""A row of the reading list in CONTRIBUTING.md."""


def modules() -> str:
    """Count the modules of the package."""
    return str(len([*(ROOT / "lton").rglob("*.py")]))


def kernel() -> str:
    """Count the lines of the modules on the reading list."""
    listed = LISTED.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    lines = sum((ROOT / "lton" / name).read_text("utf-8").count("\n") for name in listed)
    return f"{lines:,} in {len(listed)} modules"


def wheel() -> str:
    """Build the wheel, and count its files."""
    with tempfile.TemporaryDirectory() as folder:
        build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, str(ROOT)]
        subprocess.run(build, check=True)
        (path,) = Path(folder).glob("lton-*.whl")
        return f"{len(zipfile.ZipFile(path).namelist())}, {path.stat().st_size // 1000} kB"


def seconds(program: str) -> float:
    """Return the processor time of a program, including the interpreter; bytecode is cached."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def importing() -> str:
    """Compare the imports by the median of several alternating rounds."""
    programs = ("", "import lton", "import pydantic")
    rounds = [[seconds(program) for program in programs] for _ in range(15)]
    empty, ours, theirs = (statistics.median(times) for times in zip(*rounds, strict=True))
    return f"{(ours - empty) / (theirs - empty):.2f} of `import pydantic`"


def tests() -> str:
    """Count the tests of `make test`, and those of the deep tier only."""
    counts = []
    for options in ([], ["-m", "deep"]):
        command = [sys.executable, "-m", "pytest", "-q", "--collect-only", *options]
        process = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
        counts.append(process.stdout.splitlines()[-1].partition("/")[0])
    return "{}, and {} in the deep tier".format(*counts)


def cost() -> str:
    """Return the time of the last `make test`."""
    if not COST.exists():
        return "not known: `make test` writes it down"
    return "{cpu_minutes:.1f} (in {minutes:.1f} minutes)".format(**json.loads(COST.read_text()))


FIGURES = {
    "modules": modules,
    "lines of the kernel": kernel,
    "files in the wheel": wheel,
    "import time": importing,
    "tests": tests,
    "CPU-minutes of `make test`": cost,
}


def main() -> None:
    """Print each figure as soon as it is known."""
    for name, count in FIGURES.items():
        print(f"{name:<28}{count()}", flush=True)


if __name__ == "__main__":
    main()
