"""Build all files of a release: `make release`, or `make release ARGS=--commit`.

The script takes the last commit, sets its version and the date in its changelog, and writes to
`build/release`: the distributions and the package for TypeScript, built twice with the same bytes;
their digests; bills of materials; the notes; and the change to be committed. It does not change
the checkout, but with `--commit` it commits the change and tags the commit. It never uploads
anything.

A commit that already has its version and date, such as a tag, is built with these, to the same
bytes.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path

OUT = Path("build/release")
VERSIONED = ("lton/__init__.py", "benchmarks/pyproject.toml")
"""Where the version is written."""
CHANGELOG = "CHANGELOG.md"
SERVICES = "apps,context"
"""Extras that the second bill of materials has: those that bring no engine of models."""
_VERSION = re.compile(r'^(_{0,2}version_{0,2} = ")([0-9.]+)\.dev[0-9]+(")', re.MULTILINE)
_FINAL = re.compile(r'^__version__ = "([0-9.]+)"', re.MULTILINE)
_OPEN = "## Unreleased\n"
_NPM = ("npm", "ci", "--no-audit", "--no-fund", "--silent", "--ignore-scripts")
"""Installs the compiler that `npm pack` runs."""
_SURROUNDINGS: tuple[tuple[str, dict[str, str]], ...] = (
    ("022", {"TZ": "UTC", "LC_ALL": "C.UTF-8"}),
    ("077", {"TZ": "Asia/Kathmandu", "LC_ALL": "C"}),
)
"""What must not matter to a build, the umask first: each build has its own, and its own folder."""


def final_version(text: str) -> str:
    """Return the version that a development version becomes.

    >>> final_version('__version__ = "0.1.0.dev0"')
    '0.1.0'
    """
    found = _VERSION.search(text)
    if found is None:
        raise ValueError("the version is no .dev version: nothing to release")
    return found[2]


def with_version(text: str) -> str:
    """Return the text of a file with its development version replaced by the final version.

    >>> with_version('version = "0.1.0.dev0"')
    'version = "0.1.0"'
    """
    final_version(text)
    return _VERSION.sub(r"\1\2\3", text)


def dated(changelog: str, version: str, day: date) -> str:
    r"""Return a changelog whose open section becomes that of a version, below a new open section.

    >>> print(dated("# Changelog\n\n## Unreleased\n\n### Added\n\n- It.\n", "0.1.0",
    ...     date(2026, 12, 1)))
    # Changelog
    <BLANKLINE>
    ## Unreleased
    <BLANKLINE>
    ## 0.1.0 - 2026-12-01
    <BLANKLINE>
    ### Added
    <BLANKLINE>
    - It.
    <BLANKLINE>
    """
    if re.search(rf"^## {re.escape(version)}( |$)", changelog, re.MULTILINE):
        raise ValueError(f"the changelog has {version} already")
    before, mark, after = changelog.partition(_OPEN)
    if not mark or not after.partition("\n## ")[0].strip():
        raise ValueError("the changelog has nothing that is not released")
    return f"{before}{_OPEN}\n## {version} - {day}\n{after}"


def release_date(changelog: str, version: str) -> date:
    r"""Return the date of a version in a changelog.

    >>> release_date("## 0.1.0 - 2026-12-01\n", "0.1.0").isoformat()
    '2026-12-01'
    """
    found = re.search(rf"^## {re.escape(version)} - (\S+)$", changelog, re.MULTILINE)
    if found is None:
        raise ValueError(f"the changelog has no {version}")
    return date.fromisoformat(found[1])


def notes(changelog: str, version: str) -> str:
    """Return the changelog's section for a version, without the heading."""
    found = re.search(
        rf"^## {re.escape(version)} - \S+\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL
    )
    if found is None:
        raise ValueError(f"the changelog has no {version}")
    return found[1].strip() + "\n"


def main() -> None:
    """Make the release."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--commit", action="store_true", help="commit and tag it")
    parser.add_argument(
        "--date", type=date.fromisoformat, default=datetime.now(UTC).date(), help="default: today"
    )
    options = parser.parse_args()
    if options.commit and _output("git", "status", "--porcelain", "--untracked-files=no"):
        sys.exit("there are changes that are not committed")
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    version, day = _prepare(options.date)
    _say(f"{version}, of {_output('git', 'rev-parse', '--short', 'HEAD')}, dated {day}")
    _build(day)
    _run(sys.executable, "-m", "twine", "check", "--strict", *_distributions())
    _try(version)
    _list()
    if options.commit and (OUT / "release.patch").exists():
        _run("git", "apply", str(OUT / "release.patch"))
        _run("git", "commit", "--quiet", "-am", f"Release {version}")
        _run("git", "tag", f"v{version}")
        _say(f"committed, and tagged v{version}")
    _say(f"a publisher would run: twine upload {OUT}/dist/*; npm publish {OUT}/*.tgz")


def _prepare(day: date) -> tuple[str, date]:
    """Export the last commit twice, with version and date; write the change and the notes."""
    trees = [OUT / "first", OUT / "second"]
    for tree in trees:
        tree.mkdir()
        archive = subprocess.run(["git", "archive", "HEAD"], check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", str(tree)], input=archive.stdout, check=True)
    head = {name: (trees[0] / name).read_text("utf-8") for name in (*VERSIONED, CHANGELOG)}
    if released := _FINAL.search(head[VERSIONED[0]]):
        version = released[1]
        (OUT / "notes.md").write_text(notes(head[CHANGELOG], version), "utf-8")
        return version, release_date(head[CHANGELOG], version)
    version, patch = final_version(head[VERSIONED[0]]), ""
    new = {name: with_version(head[name]) for name in VERSIONED}
    new[CHANGELOG] = dated(head[CHANGELOG], version, day)
    for name, text in new.items():
        for tree in trees:
            (tree / name).write_text(text, "utf-8")
        lines = (head[name].splitlines(keepends=True), text.splitlines(keepends=True))
        patch += "".join(unified_diff(*lines, f"a/{name}", f"b/{name}"))
    (OUT / "release.patch").write_text(patch, "utf-8")
    (OUT / "notes.md").write_text(notes(new[CHANGELOG], version), "utf-8")
    return version, day


def _build(day: date) -> None:
    """Build in both trees, and keep the distributions if their bytes are equal."""
    epoch = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
    digests = []
    for name, (umask, surroundings) in zip(("first", "second"), _SURROUNDINGS, strict=True):
        dist = (OUT / f"dist-{name}").absolute()
        made = {**os.environ, **surroundings, "SOURCE_DATE_EPOCH": str(epoch)}
        for project in (".", "benchmarks"):
            command = f'umask {umask}; exec "$@"'
            # Not isolated: an index may have a newer hatchling for the second build.
            build = (sys.executable, "-m", "build", "-n", "--outdir", str(dist), project)
            _run("sh", "-c", command, "sh", *build, cwd=OUT / name, env=made, is_quiet=True)
        package = OUT / name / "js"
        if name == "first":
            _run(*_NPM, cwd=package, is_quiet=True)
        else:
            (package / "node_modules").symlink_to((OUT / "first/js/node_modules").absolute())
        pack = ("npm", "pack", "--pack-destination", str(dist))
        # npm packs the modes of files as they are, so the umask is always that of most machines.
        public = 'umask 022; exec "$@"'
        _run("sh", "-c", public, "sh", *pack, cwd=package, env=made, is_quiet=True)
        digests.append({path.name: _digest(path) for path in sorted(dist.iterdir())})
    if digests[0] != digests[1]:
        changed = [name for name in digests[0] if digests[0][name] != digests[1].get(name)]
        sys.exit(f"built twice, to different bytes: {', '.join(changed)}")
    _say(f"{len(digests[0])} distributions, built twice to the same bytes")
    (OUT / "dist-first").rename(OUT / "dist")
    for tarball in (OUT / "dist").glob("*.tgz"):  # pip would read it as a source distribution
        tarball.rename(OUT / tarball.name)
    for left in ("dist-second", "second"):
        shutil.rmtree(OUT / left)


def _try(version: str) -> None:
    """Install the wheel in an empty environment, and write bills of materials of its packages."""
    python = OUT / "env" / "bin" / "python"
    _run(sys.executable, "-m", "venv", "--without-pip", str(OUT / "env"))
    # By its name: an installation by a path is noted, and bills would have the path.
    install = (sys.executable, "-m", "pip", "--python", str(python), "install", "-q")
    for extras, name in (("", ""), (f"[{SERVICES}]", "-services")):
        _run(*install, "--find-links", str(OUT / "dist"), f"lton{extras}=={version}")
        said = _output(str(python.with_name("lton")), "--version")
        if said != f"lton {version}":
            sys.exit(f"expected lton {version}, found {said}")
        bill = OUT / f"lton-{version}{name}.cdx.json"
        _run(
            str(Path(sys.executable).with_name("cyclonedx-py")),
            *("environment", "--output-reproducible", "--of", "JSON", "-o", str(bill)),
            *("--pyproject", str(OUT / "first" / "pyproject.toml"), str(python)),
        )
    shutil.rmtree(OUT / "env")


def _list() -> None:
    """Write and show the digests of the files to upload and of the other files."""
    others = [*sorted(OUT.glob("*.tgz")), *sorted(OUT.glob("*.cdx.json")), OUT / "notes.md"]
    files = [*_distributions(), *map(str, others)]
    rows = [(_digest(Path(name)), Path(name)) for name in files]
    lines = [f"{digest}  {path.relative_to(OUT)}\n" for digest, path in rows]
    (OUT / "SHA256SUMS").write_text("".join(lines), "utf-8")
    for digest, path in rows:
        _say(f"{path.stat().st_size:>11,}  {digest[:16]}…  {path.relative_to(OUT)}")


def _distributions() -> list[str]:
    return [str(path) for path in sorted(OUT.glob("dist/*"))]


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _run(
    *command: str,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    is_quiet: bool = False,
) -> None:
    done: Sequence[str] = command
    result = subprocess.run(done, cwd=cwd, env=env, check=False, text=True, capture_output=is_quiet)
    if result.returncode:
        sys.exit(f"{result.stdout or ''}{result.stderr or ''}failed: {' '.join(command)}")


def _say(text: str) -> None:
    print(f"==> {text}", flush=True)


if __name__ == "__main__":
    main()
