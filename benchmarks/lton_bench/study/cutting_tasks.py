"""The tasks of `lton_bench.study.cutting`: questions about long outputs of tools.

Each output has more than `LEAST` bytes, so `lton hook` cuts it. `./ci-log` prints the output.

- *build*, *test*: a result of a compiler, a linter or a test runner.

- *fix*: write the line of a Python module for which `python -m unittest -v` reports failures.

- *data*: a value in a listing, a table, a diff or JSON that the agent was looking for.

- *line*: a value in another line, for which the agent was not looking when it ran the command.

The outputs, and the agent's words before the command, are those that the tests of
`lton.context.compress` read. The questions were chosen before any model was asked.
"""

import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

__all__ = ["COMMAND", "LEAST", "Task", "tasks"]

COMMAND = "./ci-log"
LEAST = 8_000
"""Bytes of an output, at least: `lton hook` cuts over 2,000 tokens of four bytes each."""
_LONGEST = 300
"""Characters of a right answer, at most: an answer that repeats the output is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """An output, a question about it, and the answer."""

    name: str
    kind: str
    program: str
    """The command that printed the output."""
    words: str
    """The agent's words before it runs `COMMAND`."""
    output: str
    question: str
    answer: str
    """The words that a right answer has."""
    clue: str = ""
    """The words that the output has for the answer, if they are others."""
    more: Mapping[str, str] = field(default_factory=dict)
    """More files of the project."""

    @property
    def files(self) -> Mapping[str, str]:
        return {".ci/log": self.output, "ci-log": "#!/bin/sh\ncat .ci/log\n", **self.more}

    def is_answered(self, said: str) -> bool:
        """Return whether a short answer, or the end of one after "Answer:", has the words.

        >>> task = Task(
        ...     name="", kind="", program="", words="", output="", question="", answer="1.5"
        ... )
        >>> task.is_answered("It took 1.5s."), task.is_answered("11.5"), task.is_answered("1.57")
        (True, False, False)
        """
        answer = said.rpartition("Answer:")[2]
        return len(answer) <= _LONGEST and _has(answer, self.answer)

    def is_shown(self, text: str) -> bool:
        """Return whether a text contains the lines from which the answer follows."""
        return _has(text, self.clue or self.answer)


def _has(text: str, words: str) -> bool:
    """Return whether a text contains the words, and not only as a part of other words."""
    before, after = (
        (r"(?<![\w.])", r"(?!\d|\.\d)") if words[-1].isdigit() else (r"(?<!\w)", r"(?!\w)")
    )
    pattern = r"\s+".join(map(re.escape, words.split()))
    return re.search(before + pattern + after, text) is not None


def tasks(outputs: Path, tools: Path) -> list[Task]:
    """Return the tasks, of each kind in turn; the files contain the recorded outputs."""
    found = [*_recorded({**_read(outputs), **_read(tools)}), *_fixes()]
    kinds: dict[str, list[Task]] = {}
    for each in found:
        kinds.setdefault(each.kind, []).append(each)
    longest = max(map(len, kinds.values()))
    return [kind[rank] for rank in range(longest) for kind in kinds.values() if rank < len(kind)]


def _read(path: Path) -> dict[str, Mapping[str, str]]:
    rows = map(json.loads, gzip.decompress(path.read_bytes()).splitlines())
    return {each["id"]: each for each in rows}


# --- recorded outputs ----------------------------------------------------------------------------

_ERRORS = "How many errors were found in all?"
_RUN = "How many tests were run?"
_PASSED = "How many tests passed?"
_FIRST = "What is the name of the first test that failed?"
_INSTALLED = "Which version of {} is installed?"
_HASH = "What is the hash of the commit with the message {!r}?"
_QUESTIONS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "build": {
        "compiler-3": ("In which line of stream.cpp is the first error?", "3"),
        "compiler-14": ("In which line of reader7.c is the first error?", "5"),
        "linter-0": (_ERRORS, "160"),
        "linter-3": (_ERRORS, "35"),
        "linter-5": ("In which line of starlette/responses.py is the first error B904?", "276"),
        "linter-6": (_ERRORS, "134"),
        "linter-8": ("Which rule does attr/validators.pyi break in line 2?", "UP035"),
        "linter-10": (_ERRORS, "141"),
        "linter-14": (_ERRORS, "74"),
        "linter-15": (_ERRORS, "97"),
        "mvn_offline": ("Which Maven plugin could not be resolved?", "maven-resources-plugin"),
        "tsc_pretty": (_ERRORS, "53"),
        "gxx_template": ("In which line of t.cpp is the first error?", "7"),
        "make_build": ("Which member does 'struct order' not have?", "amount"),
        "biome": (_ERRORS, "14"),
    },
    "test": {
        "pytest-9": ("In which line of lton/context/command.py is the syntax error?", "161"),
        "pytest-10": (_PASSED, "47"),
        "pytest-12": (_FIRST, "test_without_a_summariser_lines_name_what_was_said"),
        "pytest-15": (_PASSED, "35"),
        "pytest-24": ("In which line of lton/context/command.py is the syntax error?", "264"),
        "pytest-27": (_PASSED, "23"),
        "unittest-1": (_RUN, "51"),
        "unittest-2": (_RUN, "341"),
        "unittest-5": ("What is the name of the test that failed?", "test_float_output"),
        "unittest-6": ("How many seconds did the tests take?", "0.012"),
        "unittest-7": ("What is the name of the test that failed?", "testReservedIpv4"),
        "unittest-9": (_RUN, "118"),
        "unittest-12": (_RUN, "170"),
        "unittest-14": (_FIRST, "test_cache"),
        "trace-2": ("How many validation errors are there?", "48"),
    },
    "data": {
        "git-0": (_HASH.format("Test the study's runner and summary"), "327c8a3"),
        "git-3": (_HASH.format("Read tables leniently, as they are"), "c7a4361"),
        "git-11": ("How many files were changed in all?", "282"),
        "packages-7": ("Which requirement conflicts with django>5?", "django<4"),
        "json-4": ("Which version of commander is it?", "15.1.0"),
        "json-8": (_INSTALLED.format("starlette"), "1.10.0"),
        "json-9": (_INSTALLED.format("numpy"), "2.4.6"),
        "listing-3": ("How many lines has lexers/oberon.py?", "120"),
        "listing-6": ("In which folder is py23.py?", "misc"),
        "csv_weather": ("On which day were there more than 35 mm of rain?", "2013/04/07"),
        "dpkg_l": (_INSTALLED.format("curl"), "7.88.1"),
        "coverage": ("How many percent of the statements are covered in total?", "52"),
    },
    "line": {
        "git-1": (_HASH.format("Merge branch 'main' into braces"), "186ddf0"),
        "git-14": ("How many lines of lton/generate/_direct.py were changed?", "107"),
        "json-0": ("On which day was version 3.0.0 published?", "2024-12-09"),
        "json-10": (_INSTALLED.format("packaging"), "26.4"),
        "listing-2": ("How many bytes has prepstyles.py?", "2183"),
        "listing-4": ("How many lines has lexers/make.py?", "212"),
        "search-2": ("In which line of websockets.py is send_bytes defined?", "174"),
        "search-4": ("In which line is _show_timeout_warning defined?", "469"),
        "lock_diff": ("Which version of call-bind-apply-helpers was added?", "1.0.2"),
        "find_printf": ("How many bytes has dist/enums/languageVariant.enum.js?", "277"),
    },
}


def _recorded(rows: Mapping[str, Mapping[str, str]]) -> Iterator[Task]:
    for kind, questions in _QUESTIONS.items():
        for name, (question, answer) in questions.items():
            row = rows[name]
            yield Task(
                name=name,
                kind=kind,
                program=row.get("command") or row["tool"],
                words=row["query"],
                output=row["text"],
                question=question,
                answer=answer,
            )


# --- tests of a module ---------------------------------------------------------------------------

_MODULE = '''\
"""Small functions on numbers and words."""


def clamp(value, low, high):
    """Return the value, moved into the range from low to high."""
    return max(low, min(value, high))


def middle(values):
    """Return the middle value of an odd number of values."""
    return sorted(values)[len(values) // 2]


def initials(name):
    """Return the first letters of the words of a name, in capitals."""
    return "".join(word[0] for word in name.split()).upper()


def slug(title):
    """Return a title in lower case, with dashes in place of spaces."""
    return "-".join(title.lower().split())


def vowels(word):
    """Return how many vowels a word has."""
    return sum(letter in "aeiou" for letter in word)


def digits(number):
    """Return the sum of the digits of a number."""
    return sum(int(digit) for digit in str(number))


def leap(year):
    """Return whether a year has 366 days."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def last_word(text):
    """Return the last word of a sentence."""
    return text.split()[-1]
'''
_MISTAKES = {
    "clamp": ("return max(low, min(value, high))", "return min(low, max(value, high))"),
    "middle": ("return sorted(values)[len(values) // 2]", "return values[len(values) // 2]"),
    "initials": (".split()).upper()", ".split()).lower()"),
    "slug": ('return "-".join(title', 'return "_".join(title'),
    "vowels": ('in "aeiou" for', 'in "aeio" for'),
    "digits": ("for digit in str(number))", "for digit in str(number)[1:])"),
    "leap": ("(year % 100 != 0 or year % 400 == 0)", "(year % 100 != 0 or year % 400 != 0)"),
    "last_word": ("return text.split()[-1]", "return text.split()[0]"),
}
"""A part of a line of each function, and how the part is wrong."""
_WORDS = "north harbour quiet umbrella seven orange island velvet copper meadow".split()
_GIVEN: Mapping[str, list[str]] = {
    "clamp": [f"{value}, 3, 9" for value in range(-6, 18)],
    "middle": [f"[{n}, {n * 7 % 11}, {n * 5 % 13}]" for n in range(1, 25)],
    "initials": [repr(f"{a} {b}") for a, b in pairwise(_WORDS)],
    "slug": [repr(f"{a.title()} {b}") for a, b in zip(_WORDS, _WORDS[2:], strict=False)],
    "vowels": [repr(word) for word in _WORDS],
    "digits": [str(n * 37) for n in range(1, 25)],
    "leap": [str(year) for year in range(1892, 1912, 2)] + ["1600", "1700", "2000", "2100"],
    "last_word": [repr(f"{a} {b}") for a, b in zip(_WORDS, _WORDS[3:], strict=False)],
}
"""The arguments of the tests of each function."""


_SECONDS = re.compile(r"(?<= in )[0-9.]+(?=s)")


def _fixes() -> Iterator[Task]:
    for function, (right, wrong) in _MISTAKES.items():
        line = next(each.strip() for each in _MODULE.splitlines() if right in each)
        module = _MODULE.replace(right, wrong)
        project = {"small.py": module, "test_small.py": _unittests()}
        yield Task(
            name=f"fix-{function}",
            kind="fix",
            program="python -m unittest -v",
            words="Let me run the tests.",
            output=_output(project),
            question=f"This is small.py:\n\n{module}\nOne line is wrong. How should it be?",
            answer=line,
            clue=f"small.{function}",
            more=project,
        )


def _unittests() -> str:
    known: dict[str, object] = {}
    exec(_MODULE, known)  # noqa: S102 - the module above
    tests = ["import unittest", "", "import small", "", "", "class TestSmall(unittest.TestCase):"]
    for function, given in _GIVEN.items():
        for number, arguments in enumerate(given):
            call = f"{function}({arguments})"
            wanted = eval(call, known)  # noqa: S307 - the calls above
            tests.append(f"    def test_{function}_{number:02}(self):")
            tests.append(f"        self.assertEqual(small.{call}, {wanted!r})\n")
    return "\n".join(tests)


def _output(project: Mapping[str, str]) -> str:
    """Return the output of the tests of a project, the same in each run."""
    with tempfile.TemporaryDirectory() as name:
        for path, text in project.items():
            Path(name, path).write_text(text, "utf-8")
        command = [sys.executable, "-m", "unittest", "-v"]
        done = subprocess.run(command, cwd=name, capture_output=True, text=True, check=False)  # noqa: S603
    return _SECONDS.sub("0.005", done.stderr).replace(name, "/home/dev/small")
