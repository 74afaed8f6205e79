"""Test the mutants of mutmut, each in a fork of a process that has collected the tests.

    python -m tests.mutants [PATTERN…]    patterns of `fnmatch`; without one, all mutants

This takes a tenth of the time of mutmut's own runner, which collects the tests for each mutant. So
code that runs during the import of a test module runs without the mutant; for example, some schemas
are compiled then. Run this in mutmut's copy (`mutants/`), as `make mutants` does. It prints the
surviving mutants as differences, and a count, and writes all to `mutants.json`.
"""

import json
import os
import resource
import signal
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path

import pytest

_AT_ONCE = os.cpu_count() or 1
_SECONDS = 30
"""Of CPU time, for all tests of a mutant: longer is no end."""
_MEMORY = 4 << 30


def names(patterns: list[str]) -> list[str]:
    """Return the mutants, or those that match a pattern."""
    mutants = [
        name
        for path in sorted(Path("lton").rglob("*.meta"))
        for name in json.loads(path.read_text())["exit_code_by_key"]
    ]
    return [
        name for name in mutants if any(fnmatch(name, pattern) for pattern in patterns or ["*"])
    ]


class Trial:
    """A pytest plugin that runs the tests of each mutant instead of all tests."""

    def __init__(self, mutants: list[str]) -> None:
        self.mutants = mutants
        self.outcomes: dict[str, str] = {}
        stats = json.loads(Path("mutmut-stats.json").read_text())
        self._reached_by: dict[str, list[str]] = stats["tests_by_mangled_function_name"]
        self._seconds: dict[str, float] = stats["duration_by_test"]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        running: dict[int, str] = {}
        started = time.monotonic()
        for name in [*self.mutants, *[""] * _AT_ONCE]:
            while len(running) == _AT_ONCE or (running and not name):
                pid, status = os.wait()
                tried = running.pop(pid)
                self.outcomes[tried] = _outcome(status)
                _report(tried, self.outcomes[tried])
                print(f"\r{self._line(started)}", end="", file=sys.stderr, flush=True)
            if name:
                pid = os.fork()
                if not pid:
                    _try(name, list(self._tests(name, items)))
                running[pid] = name
        print(file=sys.stderr)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> None:
        """End the child process at the first failure, because the report would take longer than the
        tests.
        """
        if call.excinfo is not None and not isinstance(call.excinfo.value, pytest.skip.Exception):
            os._exit(1)

    def _tests(self, name: str, items: dict[str, pytest.Item]) -> Iterator[pytest.Item]:
        """Return the tests that reach the function, the fastest first.

        Compiled schemas are cached, so only the first test that compiles a schema is recorded for
        the compilers; for them, all tests of the module are returned.
        """
        function = name.rpartition("__mutmut_")[0]
        reaching = set(self._reached_by.get(function, ()))
        if "._fast_" in name:
            reaching |= {test for test in items if "/test_compiled.py" in test}
        for nodeid in sorted(reaching, key=lambda test_id: self._seconds.get(test_id, 1.0)):
            if nodeid in items:
                yield items[nodeid]

    def _line(self, started: float) -> str:
        counts = Counter(self.outcomes.values())
        remaining = len(self.mutants) - len(self.outcomes)
        seconds = (time.monotonic() - started) / len(self.outcomes) * remaining
        totals = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
        return f"{len(self.outcomes)} of {len(self.mutants)}: {totals}; {seconds:.0f} s left    "


def _try(name: str, items: list[pytest.Item]) -> None:
    """Run the tests in the child process until one fails; this function does not return."""
    status = 3
    try:
        signal.setitimer(signal.ITIMER_REAL, 4 * _SECONDS)
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os.environ["MUTANT_UNDER_TEST"] = name
        status = 0 if items else 2
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    finally:
        os._exit(status)


def _outcome(status: int) -> str:
    if os.WIFSIGNALED(status):
        return "without end"
    return ("survived", "noticed", "not reached", "noticed")[os.WEXITSTATUS(status)]


def _report(name: str, outcome: str) -> None:
    """Print each survivor as soon as it is known, because a run may be stopped."""
    if outcome in ("survived", "not reached"):
        print(f"{name}: {outcome}")
        with suppress(StopIteration):
            print(difference(name))
        sys.stdout.flush()


def difference(name: str) -> str:
    """Return the lines that a mutant changes, from the module with all mutants."""
    module, _, function = name.rpartition(".")
    lines = Path(*module.split(".")).with_suffix(".py").read_text().splitlines()
    original = _body(lines, f"{function.rpartition('__mutmut_')[0]}__mutmut_orig")
    changed = _body(lines, function)
    pairs = zip(original, changed, strict=False)
    return "\n".join(f"    - {a.strip()}\n    + {b.strip()}" for a, b in pairs if a != b)


def _body(lines: list[str], function: str) -> list[str]:
    start = next(i for i, line in enumerate(lines) if f"def {function}(" in line)
    indent = len(lines[start]) - len(lines[start].lstrip())
    body: list[str] = []
    for line in lines[start + 1 :]:
        if (
            line.strip()
            and len(line) - len(line.lstrip()) <= indent
            and not line.strip().startswith(")")
        ):
            break
        body.append(line)
    return body


def main(patterns: list[str]) -> int:
    options = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["mutmut"]
    trial = Trial(names(patterns))
    os.environ["MUTANT_UNDER_TEST"] = ""
    pytest.main(
        [
            "-qq",
            "-s",
            *options["pytest_add_cli_args"],
            *options["pytest_add_cli_args_test_selection"],
        ],
        plugins=[trial],
    )
    Path("mutants.json").write_text(json.dumps(trial.outcomes, indent=1))
    print(Counter(trial.outcomes.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
