"""Test that the wheels contain the library, and the source distribution all files for its tests."""

import email
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from readme_renderer import markdown

import lton
from tests.examples import DEFINITIONS, blocks_of
from tests.test_documents import EXAMPLES, README, ROOT, blocks

LIBRARY = (
    r"lton/(\w+/)*\w+\.py|lton/py\.typed"
    r"|lton/(\w+/)+\w+\.(json|toml|txt|css|md|html|jinja|bash|zsh|fish)"  # data beside a module
)
BENCHMARKS = (
    r"lton_bench/(\w+/)*\w+\.py|lton_bench/(mcp|demo|study/(?:calls|servers))/[\w-]+\.json"
    r"|lton_bench/tokens/(page/\w+|api_results)\.(mjs|css|html)"
)
METADATA = r"\w+-[\w.]+\.dist-info/(METADATA|WHEEL|RECORD|entry_points\.txt|licenses/LICENSE)"
MOST_FILES = 460
"""A bound that a stray folder would break; a new package or a table of options moves it."""
RUN = [
    path
    for path in EXAMPLES
    if any(one.is_run and one.kind != "text" for one in blocks_of((ROOT / path).read_text("utf-8")))
]
"""The pages with a block that is run here; other pages print themselves."""
RELATIVE = re.compile(r"!\[|\]\((?!https://)")
"""A picture, or a link into the tree."""


def _run(command: Sequence[str | Path], cwd: Path, *path: Path, status: int = 0) -> str:
    """Return the output of a command on both streams, without the modules of this checkout."""
    result = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == status, result.stdout + result.stderr
    return result.stdout + result.stderr


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sdist, the wheel built from it, and the wheel of the benchmarks."""
    folder = tmp_path_factory.mktemp("built")
    build: list[str | Path] = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder]
    _run([*build, ROOT], folder)
    _run([*build, "--wheel", ROOT / "benchmarks"], folder)
    return folder


@pytest.fixture(scope="module")
def sdist(distributions: Path) -> Path:
    """Return the unpacked sdist."""
    (packed,) = distributions.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(distributions, filter="data")
    return distributions / packed.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def bare(distributions: Path) -> Path:
    """Return the programs of an environment with only the wheel."""
    _run([sys.executable, "-m", "venv", "--without-pip", "bare"], distributions)
    python = distributions / "bare" / "bin" / "python"
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-index",
        "--quiet",
    ]
    assert _run([*pip, *distributions.glob("lton-*.whl")], distributions) == ""
    return python.parent


def _names(distributions: Path, name: str) -> list[str]:
    (wheel,) = distributions.glob(f"{name}-*.whl")
    with ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_wheel_holds_the_library(distributions: Path) -> None:
    names = _names(distributions, "lton")
    assert [name for name in names if not re.fullmatch(f"{LIBRARY}|{METADATA}", name)] == []
    files = [name for name in names if name.startswith("lton/")]
    print(f"{len(files)} files of at most {MOST_FILES}")
    assert len(files) <= MOST_FILES
    assert {"lton/__init__.py", "lton/py.typed"} <= set(names)


def test_the_wheel_of_the_benchmarks_holds_what_they_read(distributions: Path) -> None:
    names = _names(distributions, "lton_bench")
    assert [name for name in names if not re.fullmatch(f"{BENCHMARKS}|{METADATA}", name)] == []
    data = [path for path in (ROOT / "benchmarks/lton_bench").rglob("*.*") if path.is_file()]
    kinds = {".json", ".mjs", ".css", ".html"}
    expected = {
        path.relative_to(ROOT / "benchmarks").as_posix() for path in data if path.suffix in kinds
    }
    assert len(expected) > 30
    assert expected <= set(names)


def test_an_index_can_show_the_description(distributions: Path) -> None:
    """The description renders, and its links and pictures do not depend on the checkout."""
    (wheel,) = distributions.glob("lton-*.whl")
    with ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        metadata = email.message_from_bytes(archive.read(name))
    description = metadata.get_payload(decode=True)
    assert isinstance(description, bytes)
    text = description.decode()
    assert text.startswith("# LTON\n")
    assert blocks(text, "python")[0] == blocks(README, "python")[0]
    assert RELATIVE.search(text) is None
    assert "<table>" in (markdown.render(text) or "")
    assert metadata["Version"] == lton.__version__
    assert metadata["Requires-Python"] == ">=3.11"
    versions = {line for line in metadata.get_all("Classifier", []) if " :: 3.1" in line}
    assert versions == {f"Programming Language :: Python :: 3.{n}" for n in (11, 12, 13, 14)}


PYDANTIC = "pydantic", "pydantic-core", "annotated-types", "typing-extensions", "typing-inspection"
TYPES = *PYDANTIC, "docstring-parser"
"""The packages of the extra `apps` that Toolbox imports."""


def test_the_readme_runs_with_only_the_types_installed(bare: Path, tmp_path: Path) -> None:
    """Each block of the README runs in an empty folder, with the wheel and the extra `apps`."""
    runner = shutil.copy(ROOT / "tests" / "examples.py", tmp_path)
    empty, extra = tmp_path / "empty", tmp_path / "extra"
    empty.mkdir()
    extra.mkdir()
    for name in TYPES:
        package = distribution(name)
        for top in {file.parts[0] for file in package.files or () if file.suffix == ".py"}:
            (extra / top).symlink_to(str(package.locate_file(top)))
    assert _run([bare / "python", runner, ROOT / "README.md"], empty, extra) == README
    where = _run([bare / "python", "-I", "-c", "import lton; print(lton.__file__)"], empty)
    assert Path(where).is_relative_to(bare.parent)


@pytest.fixture(scope="module")
def unpacked(distributions: Path) -> Path:
    """Return both wheels, unpacked, which are imported before this checkout."""
    for wheel in distributions.glob("*.whl"):
        with ZipFile(wheel) as archive:
            archive.extractall(distributions / "unpacked")
    return distributions / "unpacked"


@pytest.mark.parametrize("path", RUN, ids=str)
def test_the_examples_of_a_page_print_what_it_says(
    path: Path, unpacked: Path, tmp_path: Path
) -> None:
    """Each example prints the shown output, in a folder with `tools.json` only."""
    runner = shutil.copy(ROOT / "tests" / "examples.py", tmp_path)
    empty = tmp_path / "empty"
    empty.mkdir()
    shutil.copy(ROOT / DEFINITIONS, empty)
    printed = _run([sys.executable, "-W", "ignore", runner, ROOT / path], empty, unpacked)
    assert printed == (ROOT / path).read_text("utf-8")


def test_the_wheel_alone_conforms(bare: Path, sdist: Path) -> None:
    """Each case of the specification passes without any extra."""
    suite = sdist / "spec" / "conformance"
    command = [bare / "python", suite / "run.py", bare / "python", suite / "python_codec.py"]
    printed = _run(command, suite)
    table = re.findall(r"^(\w+) +(\d+) +0 +0$", printed, re.MULTILINE)
    assert len(table) == 8
    assert sum(int(passes) for _, passes in table) > 1800


@pytest.mark.deep
def test_the_sdist_holds_what_its_tests_import(sdist: Path) -> None:
    """Every test of this checkout can be collected from the unpacked sdist."""
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    printed = _run(collect, sdist, sdist, sdist / "benchmarks")
    assert re.search(r"^\d+(/\d+)? tests collected", printed, re.MULTILINE), printed[-2000:]
    files = {line.partition("::")[0] for line in printed.splitlines() if "::" in line}
    assert {"tests/test_wheel.py", "conftest.py", "benchmarks/tests/tokens/test_tokens.py"} <= files
