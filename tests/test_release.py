"""Test the files of a release, made by `make release` and in parts."""

import doctest
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

import lton
from scripts import release, try_release

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TABLES = tomllib.loads((ROOT / "scripts/sessions.toml").read_text("utf-8"))
WRITTEN = re.findall(
    r'^@nox\.session(?:\(name="([\w-]+)"\))?\ndef (\w+)',
    (ROOT / "noxfile.py").read_text("utf-8"),
    re.MULTILINE,
)
SESSIONS = {*TABLES["sessions"], *(name or function for name, function in WRITTEN)}
DAY = date(2026, 12, 1)
VERSION = re.compile(r'^_*version_* = "([0-9.]+?)(\.dev[0-9]+)?"', re.MULTILINE)


def test_its_examples_are_right() -> None:
    outcome = doctest.testmod(release)
    assert outcome.attempted >= 4
    assert outcome.failed == 0


def test_the_versions_and_the_changelog_can_be_released() -> None:
    """All files have the same version, and the changelog has a section for it or an open
    section.
    """
    matches = [VERSION.search((ROOT / name).read_text("utf-8")) for name in release.VERSIONED]
    ((version, is_open),) = {match.groups() for match in matches if match}
    changelog = (ROOT / release.CHANGELOG).read_text("utf-8")
    dated_changelog = release.dated(changelog, version, DAY) if is_open else changelog
    assert dated_changelog.startswith("# Changelog\n")
    assert "\n## Unreleased\n" in dated_changelog
    assert release.release_date(dated_changelog, version)
    text = release.notes(dated_changelog, version)
    assert text.startswith("### ")
    assert "- [python] " in text
    extension = json.loads((ROOT / "editors/vscode/package.json").read_text())
    assert extension["version"] == version


@pytest.mark.parametrize(
    ("changelog", "message"),
    [
        ("# Changelog\n\n## Unreleased\n\n## 0.0.9 - 2026-01-01\n\n- A.\n", "nothing that"),
        ("# Changelog\n\n## 0.0.9 - 2026-01-01\n", "nothing that"),
        ("## Unreleased\n\n- A.\n\n## 0.1.0 - 2026-01-01\n", "has 0.1.0 already"),
    ],
)
def test_a_changelog_without_news_is_not_released(changelog: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        release.dated(changelog, "0.1.0", DAY)


def test_notes_are_those_of_one_version() -> None:
    changelog = "## 0.2.0 - 2026-02-01\n\n- B.\n\n## 0.1.0 - 2026-01-01\n\n- A.\n"
    assert release.notes(changelog, "0.2.0") == "- B.\n"
    assert release.notes(changelog, "0.1.0") == "- A.\n"
    with pytest.raises(ValueError, match=r"no 0\.3\.0"):
        release.notes(changelog, "0.3.0")


def test_a_version_that_is_out_is_not_released_again() -> None:
    with pytest.raises(ValueError, match="nothing to release"):
        release.with_version('__version__ = "0.1.0"')


def test_the_extras_of_the_bill_are_extras() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    assert set(release.SERVICES.split(",")) <= set(extras)
    built_extras = {"local", "all"}
    assert not built_extras & set(release.SERVICES.split(","))


@pytest.mark.deep
def test_two_builds_have_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two builds of all distributions have the same bytes, anywhere and by any user."""
    if not (ROOT / ".git").exists() or shutil.which("npm") is None:
        pytest.skip("needs the repository and npm")
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(release, "OUT", tmp_path)
    version, day = release._prepare(DAY)
    release._build(day)
    names = {path.name for path in (tmp_path / "dist").iterdir()}
    assert names == {
        f"lton-{version}-py3-none-any.whl",
        f"lton-{version}.tar.gz",
        f"lton_bench-{version}-py3-none-any.whl",
        f"lton_bench-{version}.tar.gz",
    }
    assert (tmp_path / f"lton-{version}.tgz").exists()
    if version != lton.__version__:
        patch = (tmp_path / "release.patch").read_text()
        check = ("git", "apply", "--check", "-")
        subprocess.run(check, input=patch, text=True, check=True, cwd=ROOT)
        assert f'+__version__ = "{version}"' in patch


def test_what_cannot_be_installed_or_used_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error of the program is shown."""

    def fails(_: Path) -> str:
        return try_release._run(sys.executable, "-c", "raise SystemExit('no wheel')")

    def is_wrong(_: Path) -> str:
        raise ValueError("expected lton")

    assert try_release._works("Python 3, pip", lambda folder: folder.name, tmp_path)
    assert not try_release._works("Python 3, uv", fails, tmp_path)
    assert not try_release._works("Python 3, pipx", is_wrong, tmp_path)
    output = capsys.readouterr().out
    assert "Python 3, pip: Python-3-pip\n" in output
    assert "no wheel" in output
    assert "Python 3, pipx: FAILED: expected lton" in output


# --- workflows ----------------------------------------------------------------------------------


def steps(path: Path) -> list[tuple[str, dict[str, Any]]]:
    jobs = yaml.safe_load(path.read_text("utf-8"))["jobs"]
    return [(name, step) for name, job in jobs.items() for step in job["steps"]]


def test_workflows_test_the_versions_that_are_promised() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text("utf-8"))["jobs"]
    versions = jobs["test"]["strategy"]["matrix"]["python"]
    classifiers = PROJECT["project"]["classifiers"]
    promised = [
        classifier.rpartition(" ")[2] for classifier in classifiers if " :: 3." in classifier
    ]
    assert versions == promised


def test_the_tables_of_sessions_name_what_there_is() -> None:
    """Each row has its environment, and the modules and tests that it runs exist."""
    rows, words = TABLES["sessions"].values(), {**TABLES["words"], "gemma": "gemma"}
    steps = [(row["in"], step) for row in rows for step in _listed(row["run"])]
    steps = [(here, step) if isinstance(step, str) else step for here, step in steps]
    assert {where for where, _ in steps} <= TABLES["environments"].keys()
    environments = TABLES["environments"].values()
    assert {environment["base"] for environment in environments if "base" in environment} <= TABLES[
        "environments"
    ].keys()
    assert TABLES["deep"].keys() <= SESSIONS
    commands = [command.format_map(words) for _, command in steps]
    assert len(commands) > 60
    modules = re.findall(r"python -m ((?:tests|fuzz|lton_bench|docs)\S+)", " ".join(commands))
    assert len(modules) > 25
    assert [name for name in modules if importlib.util.find_spec(name) is None] == []
    paths = re.findall(r"(?:tests|scripts|benchmarks)/\S+", " ".join(commands))
    assert len(paths) > 25
    existing = [path for path in paths if (ROOT / path).exists() or (ROOT / f"{path}.xz").exists()]
    assert existing == paths


def _listed(run: Any) -> list[Any]:
    return [run] if isinstance(run, str) else run


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_each_step_is_a_session(path: Path) -> None:
    """Each step of the workflow is a `make` command, or a package of Debian."""
    commands = [step["run"] for _, step in steps(path) if "run" in step]
    assert commands
    for command in commands:
        word = re.fullmatch(r"make ([\w-]+)(?: ARGS=(?:[^\s']+|'[^']*'))?", command)
        assert command.startswith("sudo apt-get ") or (word and word[1] in SESSIONS), command


def test_the_actions_are_few() -> None:
    """The workflows use five actions of GitHub and of PyPI's maintainers."""
    actions = {step["uses"] for path in WORKFLOWS for _, step in steps(path) if "uses" in step}
    assert {action.partition("@")[0] for action in actions} == {
        "actions/checkout",
        "actions/setup-python",
        "actions/upload-artifact",
        "actions/download-artifact",
        "pypa/gh-action-pypi-publish",
    }


def test_only_the_job_that_publishes_has_a_token() -> None:
    """That job runs no code of the checkout, needs an approval, and stores no secret."""
    text = (ROOT / ".github/workflows/release.yml").read_text("utf-8")
    release = yaml.safe_load(text)
    assert "secrets." not in text
    assert release["permissions"] == {}
    jobs = release["jobs"]
    granted = {name: job["permissions"] for name, job in jobs.items()}
    assert granted == {"release": {"contents": "read"}, "publish": {"id-token": "write"}}
    publish = jobs["publish"]
    assert (publish["needs"], publish["environment"]) == ("release", "pypi")
    assert [step for step in publish["steps"] if "run" in step] == []


def test_actions_are_named_by_their_commits() -> None:
    """Actions are pinned to commits, because tags can move; a comment names the tag."""
    lines = [line for path in WORKFLOWS for line in path.read_text("utf-8").splitlines()]
    actions = [line.partition("uses: ")[2] for line in lines if "uses: " in line]
    assert actions
    for action in actions:
        assert re.fullmatch(r"(?:actions|pypa)/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), (
            action
        )


def test_make_uses_the_python_that_is_there(tmp_path: Path) -> None:
    """`make` uses the `python3` of the machine, so a runner selects the version by it."""
    if shutil.which("make") is None:
        pytest.skip("needs make")
    output = subprocess.run(
        ["make", "-n", "lint", f"PYTHON={sys.executable}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "MAKEFLAGS": ""},
    ).stdout
    assert f"{sys.executable} -m venv" in output or (ROOT / ".nox/nox/bin/nox").exists()
