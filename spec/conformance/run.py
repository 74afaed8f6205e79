"""Run the conformance cases against an implementation in any language.

    python spec/conformance/run.py [OPTION...] COMMAND [ARG...]

The runner starts COMMAND and exchanges JSON lines with it: a request on its standard input, an
answer on its standard output (README.md has the protocol). The exit status is 0 if every answer is
right or "unsupported" and at least one is right, and otherwise 1. The runner needs only the
standard library.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ASKED = {
    "decode": ("tools", "text"),
    "encode": ("tools", "calls", "form", "fingerprint"),
    "canonical": ("tools", "text", "form"),
    "schema": ("tools", "standard"),
    "lenient": ("tools", "text", "safe", "ended", "syntax", "seen"),
    "stream": ("tools", "chunks", "prose", "thoughts", "max_call"),
    "write": ("tools", "value"),
    "read": ("tools", "text"),
}
"""The members of a case that are in the request."""
ANSWERED = {
    "decode": ("calls", "error"),
    "encode": ("text", "error"),
    "canonical": ("canonical", "error"),
    "schema": ("signatures", "fingerprint", "prompt", "described", "error"),
    "lenient": ("calls", "repairs", "errors", "uncertain"),
    "stream": ("events", "error"),
    "write": ("text",),
    "read": ("value", "error"),
}
"""The members of a case that are in the answer."""
PLACE = ("code", "pos", "path", "pointer")
"""The members of an error that are compared."""
MAX_STARTS = 5
"""An implementation that hangs or dies is started again, up to so many starts in all."""
SECONDS_TO_END = 1
"""For a process that has closed its output."""
SHOWN = 300
"""Characters of a value that are shown."""


@dataclass(frozen=True)
class Question:
    """A request, and the expected members of its answer."""

    id: str
    kind: str
    request: dict[str, Any]
    expected: dict[str, Any]


class BrokenError(Exception):
    """The implementation did not answer, and has to be started again."""


# --- cases --------------------------------------------------------------------------------------


def read_toolsets() -> dict[str, list[Any]]:
    """Return the definitions of tools that cases share, by name."""
    toolsets: dict[str, list[Any]] = json.loads((HERE / "tools.json").read_text("utf-8"))
    return toolsets


def read_cases() -> Iterator[dict[str, Any]]:
    """Return every case, with its kind."""
    for path in sorted(HERE.glob("*/*.json")):
        file = json.loads(path.read_text("utf-8"))
        for case in file["cases"]:
            yield {"kind": file["kind"], **case}


def questions() -> Iterator[Question]:
    """Return the questions of cases: a case with several texts has two questions for each text, to
    write it and to read it.

    Tools are inlined.
    """
    toolsets = read_toolsets()
    for case in read_cases():
        if isinstance(case["tools"], str):
            case["tools"] = toolsets[case["tools"]]
        if case["kind"] == "write":
            yield _question({**case, "id": f"{case['id']}/read", "kind": "read"})
        if "texts" not in case:
            yield _question(case)
            continue
        for form, text in case["texts"].items():
            one = {**case, "form": form, "text": text}
            yield _question({**one, "id": f"{case['id']}/{form}"})
            yield _question({**one, "id": f"{case['id']}/{form}/read", "kind": "decode"})


def _question(case: dict[str, Any]) -> Question:
    kind = case["kind"]
    if kind == "lenient":
        case = {"uncertain": [], **case}
    request = {"id": case["id"], "kind": kind, **_pick(case, ASKED[kind])}
    return Question(case["id"], kind, request, _pick(case, ANSWERED[kind]))


def _pick(members: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: members[name] for name in names if name in members}


# --- the implementation -------------------------------------------------------------------------


class Implementation:
    """A process that answers requests, one line each."""

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        self.seconds = seconds
        self.process = subprocess.Popen(  # noqa: S603 - to run it is what we are asked for
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # so that it can be ended with all that it started
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.requests, self.answers = self.process.stdin, self.process.stdout
        self.pool = ThreadPoolExecutor(1)

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer; raise `BrokenError` without a valid answer in time."""
        asked = self.pool.submit(self._exchange, json.dumps(request) + "\n")
        try:
            line = asked.result(self.seconds)
        except TimeoutError:
            raise BrokenError(f"no answer in {self.seconds:g} s") from None
        except OSError:
            line = ""
        if not line:
            raise BrokenError(self._how_it_ended())
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BrokenError(f"the answer is no JSON ({error}): {_cut(line)}") from None
        if not isinstance(answer, dict) or answer.get("id") != request["id"]:
            raise BrokenError(f"the answer has another id: {_cut(line)}")
        return answer

    def _exchange(self, line: str) -> str:
        self.requests.write(line)
        self.requests.flush()
        return self.answers.readline()

    def _how_it_ended(self) -> str:
        try:
            status = self.process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        how = f"exit status {status}" if status >= 0 else signal.Signals(-status).name
        return f"it ended ({how})"

    def stop(self) -> None:
        """End the process and its child processes."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (AttributeError, ProcessLookupError):  # no groups on this system; it has ended
            self.process.kill()
        self.process.wait()
        self.pool.shutdown()
        self.answers.close()
        with suppress(BrokenPipeError):  # what it did not read is lost
            self.requests.close()


# --- the run ------------------------------------------------------------------------------------


def compare(question: Question, answer: dict[str, Any]) -> str | None:
    """Return the fault of an answer, or None if it is right.

    Values are compared as JSON: an integer is not a double, and the order of members has no
    meaning.
    """
    expected = dict(question.expected)
    found = _pick(answer, {*expected, "error"})
    if isinstance(error := found.get("error"), dict):
        # §9 asks for code and position.
        places = ("code", "pos") if question.kind == "read" else PLACE
        found["error"] = error = _pick(error, places)
        if question.kind == "decode" and "path" not in error and "error" in expected:
            expected["error"] = _pick(expected["error"], ("code", "pos"))
        if question.kind == "stream" and "events" in expected and "events" in found:
            # an error may come sooner.
            missing = len(expected["events"]) - len(found["events"])
            found["events"] = [*found["events"], *missing * [[]]]
    if _spell(expected) == _spell(found):
        return None
    return f"expected {_spell(expected)}\n  found    {_spell(found)}"


def _spell(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def run(
    command: Sequence[str], asked: Iterable[Question], seconds: float
) -> Iterator[tuple[Question, str, str]]:
    """Ask each question; yield the question, "passed", "failed" or "unsupported", and the fault."""
    starts = 0
    implementation: Implementation | None = None
    try:
        for question in asked:
            if implementation is None:
                if starts == MAX_STARTS:
                    yield question, "failed", f"not asked: it broke {starts} times"
                    continue
                starts += 1
                implementation = Implementation(command, seconds)
            try:
                answer = implementation.ask(question.request)
            except BrokenError as error:
                implementation.stop()
                implementation = None
                yield question, "failed", str(error)
                continue
            if answer.get("unsupported") is True:
                yield question, "unsupported", ""
            else:
                problem = compare(question, answer)
                yield question, "failed" if problem else "passed", problem or ""
    finally:
        if implementation:
            implementation.stop()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases that the options select, and print the results."""
    parser = argparse.ArgumentParser(description="Run the conformance cases.")
    parser.add_argument("--only", metavar="KIND", choices=ASKED, help=", ".join(ASKED))
    parser.add_argument("--id", metavar="GLOB", default="*", help="cases with such an id")
    parser.add_argument("--seconds", type=float, default=10, help="for one answer (10)")
    parser.add_argument("--verbose", action="store_true", help="name every case, cut nothing")
    parser.add_argument("command", metavar="COMMAND", help="what starts the implementation")
    parser.add_argument("arguments", metavar="ARG", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    chosen = [
        question
        for question in questions()
        if options.only in (None, question.kind) and fnmatchcase(question.id, options.id)
    ]
    if not chosen:
        parser.error("no case has such a kind and id")
    counts: Counter[tuple[str, str]] = Counter()
    failures: list[tuple[Question, str]] = []
    try:
        for question, outcome, problem in run(
            [options.command, *options.arguments], chosen, options.seconds
        ):
            counts[question.kind, outcome] += 1
            if outcome == "failed":
                failures.append((question, problem))
            if options.verbose:
                print(f"{outcome:<11} {question.kind:<9} {question.id}")
    except OSError as error:
        parser.error(f"cannot start {options.command}: {error}")
    print(f"{'kind':<9} {'passed':>7} {'failed':>7} {'unsupported':>12}")
    for kind in dict.fromkeys(question.kind for question in chosen):
        passed, failed, unsupported = (
            counts[kind, outcome] for outcome in ("passed", "failed", "unsupported")
        )
        print(f"{kind:<9} {passed:>7} {failed:>7} {unsupported:>12}")
    for question, problem in failures:
        lines = problem if options.verbose else "\n".join(map(_cut, problem.split("\n")))
        print(f"\n{question.kind} {question.id}\n  {lines}")
    has_passed = any(outcome == "passed" for _, outcome in counts)
    return 0 if has_passed and not failures else 1


if __name__ == "__main__":
    sys.exit(main())
