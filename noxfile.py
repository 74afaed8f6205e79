"""The sessions of `make NAME` or `nox -s NAME -- OPTIONS`; options go to the last command.

Most are rows of scripts/sessions.toml. Sessions share environments, which lie in `.nox`: made when
a session first needs one, and again when its requirements change. pyproject.toml has versions.
"""

import json
import os
import resource
import shlex
import shutil
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["test"]

LIBRARY = tomllib.loads(Path("pyproject.toml").read_text())
BENCHMARKS = tomllib.loads(Path("benchmarks/pyproject.toml").read_text())
TABLES = tomllib.loads(Path("scripts/sessions.toml").read_text())
(GEMMA,) = LIBRARY["dependency-groups"]["gemma"]
WORDS = {**TABLES["words"], "gemma": GEMMA}
NPM = ("npm", "install", "--no-audit", "--no-fund", "--silent")
COST = Path("build/test-cost.json")
"""The time of the last `make test`, which the next run and `make figures` print."""


# --- the environments ----------------------------------------------------------------------------


def chain(name: str) -> Iterator[dict[str, Any]]:
    """Return an environment after the environments to which it adds packages."""
    environment = TABLES["environments"][name]
    if "base" in environment:
        yield from chain(environment["base"])
    yield {"name": name, **environment}


def make(session: nox.Session, name: str) -> Path:
    """Create the missing parts of an environment, and return the folder of its programs."""
    environments = list(chain(name))
    place = Path(".nox", environments[0]["name"]).absolute()
    python = str(place / "bin" / "python")
    record = place / "made.json"
    made = json.loads(record.read_text()) if record.exists() else {}
    lines = (line.format_map(WORDS) for each in environments for line in each["installs"])
    wanted = {line: requirements(line) for line in lines}
    if missing := [line for line in wanted if made.get(line) != wanted[line]]:
        session.log(f"making .nox/{place.name}: {environments[-1]['about']}")
        if not made:
            install(session, sys.executable, "-m", "virtualenv", "-q", "--clear", str(place))
        for line in missing:
            is_program = line == WORDS["llama"]
            command = [line] if is_program else ["-m", "pip", "install", "-q", *shlex.split(line)]
            install(session, python, *command)
        record.write_text(json.dumps({**made, **wanted}, indent=1))
    return place / "bin"


def install(session: nox.Session, *command: str) -> None:
    """Run a command that creates an environment."""
    session.run(*command, external=True, env={"PIP_DISABLE_PIP_VERSION_CHECK": "1"})


def requirements(line: str) -> str:
    """Return a digest of the files that a line names, which shows whether they have changed."""
    asked = line.split()
    said: list[object] = [Path(word).read_text() for word in asked if word.endswith(".txt")]
    if "--group" in asked:
        said += [LIBRARY["project"], LIBRARY["dependency-groups"], BENCHMARKS["project"]]
    return sha256(json.dumps(said).encode()).hexdigest()


def run(
    session: nox.Session, name: str, *commands: str, options: Sequence[str] = (), **variables: str
) -> None:
    """Run commands of an environment; the options go to the last command."""
    programs = make(session, name)
    variables["PATH"] = f"{programs}:{os.environ['PATH']}"
    variables["PYTHONDONTWRITEBYTECODE"] = ""  # else each program compiles every module again
    for number, command in enumerate(commands, 1):
        program, *words = shlex.split(command.format_map(WORDS))
        added = options if number == len(commands) else ()
        session.run(str(programs / program), *words, *added, external=True, env=variables)


def need(session: nox.Session, *programs: str) -> None:
    """End the session if a program is not installed."""
    for program in programs:
        server = Path("/usr/lib/postgresql").glob(f"*/bin/{program}")  # Debian hides them there
        if shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin") is None and not any(
            server
        ):
            session.error(f"needs {program}: apt-get install {TABLES['programs'][program]}")


def newest_packages(session: nox.Session, words: Sequence[str]) -> Iterator[str]:
    """Yield arguments of npm, with the newest version of each package that names no version.

    If a package's newest version needs a newer node, npm chooses an older version of the package.
    """
    for word in words:
        if word.startswith("--") or "@" in word[1:]:
            yield word
        else:
            view = session.run("npm", "view", word, "version", external=True, silent=True)
            yield f"{word}@{str(view).strip()}"


def add(name: str, row: dict[str, Any]) -> None:
    """Add a session that runs the commands of a row."""

    def session_of_row(session: nox.Session) -> None:
        need(session, *row.get("needs", ()))
        for folder in row.get("folders", ()):
            Path(folder).mkdir(parents=True, exist_ok=True)
        if "npm" in row:
            install(session, *NPM, *row["npm"].split())
        if "newest_npm" in row:
            install(session, *NPM, *newest_packages(session, row["newest_npm"].split()))
        steps = [row["run"]] if isinstance(row["run"], str) else row["run"]
        for step in steps:
            where, command = (row["in"], step) if isinstance(step, str) else step
            options = session.posargs if row.get("each") or step is steps[-1] else ()
            run(session, where, command, options=options, **row.get("variables", {}))

    session_of_row.__doc__ = row["about"]
    nox.session(name=name)(session_of_row)


for each_name, each_row in TABLES["sessions"].items():
    add(each_name, each_row)


# --- what decides something ----------------------------------------------------------------------


def processor_minutes() -> float:
    """Return the processor time of all programs that were run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) / 60


@nox.session
def test(session: nox.Session) -> None:
    """Lint, and run the tests that need no model and little time (12 minutes on two cores)."""
    if not (Path(".nox") / "test" / "made.json").exists():
        session.log("the first run downloads 110 MB, into .nox/test: some minutes more")
    make(session, "test")
    if session.posargs:  # some tests: what they cover says nothing
        run(session, "test", "python -m pytest -q", options=session.posargs)
        return
    took = "took {minutes:.1f} minutes, {cpu_minutes:.1f} of a processor"
    before = json.loads(COST.read_text()) if COST.exists() else None
    session.log(
        f"the last run {took.format(**before)}" if before else "about 12 minutes on two quiet cores"
    )
    begin, used = time.monotonic(), processor_minutes()
    tests = "python -m pytest -q -n auto --cov --cov-report= --cov-fail-under=0"
    run(session, "test", *TABLES["sessions"]["lint"]["run"], tests, "coverage report")
    cost = {"minutes": (time.monotonic() - begin) / 60, "cpu_minutes": processor_minutes() - used}
    session.log(took.format(**cost))
    COST.parent.mkdir(exist_ok=True)
    COST.write_text(json.dumps(cost))


@nox.session(name="test-deep")
def test_deep(session: nox.Session) -> None:
    """Run all long tests: the oracle matrix, engines, proofs, fuzzing, and planted faults."""
    session.log(
        f"this takes about {sum(TABLES['deep'].values()) / 60:.1f} hours on two quiet cores:"
    )
    for step, minutes in TABLES["deep"].items():
        session.log(f"    {step}: about {minutes} minutes")
        session.notify(step, posargs=())


DEMO = {
    "tables": "calls in every form, with their tokens",
    "model": "a small model that writes calls in LTON: 1 minute, and 130 MB to download",
    "engines": "the same in this process: 6 to 12 minutes the first time, to build llama.cpp",
}
"""The parts of the demo that run on request, and the environment of each is `demo-PART`."""


@nox.session
def demo(session: nox.Session) -> None:
    """Show the main job with a real model: one minute, after a download of 0.5 GB; no build."""
    parts = session.posargs
    if not DEMO.keys() >= {*parts}:
        session.error(f"expected some of {', '.join(DEMO)}, found {' '.join(parts)}")
    if "engines" in parts:
        reason = session.run(
            sys.executable, WORDS["llama"], "--why-not", silent=True, external=True
        )
        if reason:
            session.error(f"engines cannot be shown: {reason}")
    # The benchmarks are not installed, because pip would report packages that the demo lacks.
    if not parts:
        run(session, "demo", "python -m lton_bench.demo", PYTHONPATH="benchmarks")
    for part in parts:
        environment = "demo" if part == "tables" else f"demo-{part}"
        run(session, environment, f"python -m lton_bench.demo {part}", PYTHONPATH="benchmarks")


@nox.session(name="test-js")
def test_js(session: nox.Session) -> None:
    """Test the TypeScript package: the suite, the library's results, size and speed (needs npm)."""
    need(session, "node", "npm")
    python = str(make(session, "test") / "python")
    with session.chdir("js"):
        install(session, "npm", "ci", *NPM[2:])
        for script in ("build", "test", "page", "size", "speed", "scale"):
            variables = {"LTON_PYTHON": python}  # the gateway before which clients are tested
            session.run("npm", "run", "--silent", script, external=True, env=variables)
    options = session.posargs or ("--count", "20000")
    session.run(python, "spec/conformance/run.py", "node", "js/test/conformance.mjs", external=True)
    for module in ("fuzz.javascript", "fuzz.javascript_lenient"):
        session.run(python, "-m", module, *options, external=True)


@nox.session
def mutants(session: nox.Session) -> None:
    """Run mutation tests: find changes of the code that no test notices."""
    # mutmut makes the mutants, sees which tests reach which function, and tries one.
    run(session, "mutation", "mutmut run lton.schema.shown.signature.x_signature__mutmut_1")
    python = str(make(session, "mutation") / "python")
    with session.chdir("mutants"):
        session.run(python, "-m", "tests.mutants", *session.posargs, external=True)
