"""The tasks of `lton_bench.study.cutting`: projects whose tests, builds and logs print much.

Each task names the command to run. The output has more than `LEAST` bytes, so `lton wrap` cuts it.

- *log*: answer a question about a recorded output of a real tool, which `./ci-log` prints. Rules of
  `lton_bench.compress.answers` found the question and its answer.
- *build*: fix the error that `make -k` reports between the warnings of a C compiler.
- *test*: fix the line of a Python module for which `python -m unittest -v` reports failures.

The tasks follow from this module and the recorded outputs: nothing is drawn at random.
"""

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

__all__ = ["LEAST", "Task", "tasks"]

LEAST = 8_000
"""Bytes of an output, at least: `lton wrap` cuts more than 2,000 tokens of four bytes each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A project, what to do there, and how the result is judged."""

    name: str
    kind: str
    prompt: str
    files: Mapping[str, str]
    command: str
    """The command that the task names."""
    answer: str = ""
    """The word that a right answer contains; if it is empty, `command` must succeed with the
    `fixed` files restored."""
    fixed: tuple[str, ...] = ()
    """The files that are restored before `command` judges the project."""

    def is_answered(self, said: str) -> bool:
        """Return whether an answer says the word, and not only as a part of another.

        >>> task = Task(name="", kind="log", prompt="", files={}, command="", answer="1.5")
        >>> task.is_answered("It took 1.5s."), task.is_answered("11.5"), task.is_answered("1.57")
        (True, False, False)
        """
        is_number = self.answer[-1:].isdigit()
        before, after = (r"(?<![\w.])", r"(?!\d|\.\d)") if is_number else (r"(?<!\w)", r"(?!\w)")
        return re.search(before + re.escape(self.answer) + after, said) is not None

    def is_shown(self, text: str) -> bool:
        """Return whether an output of the command has what the task needs."""
        return (
            self.is_answered(text) if self.answer else _FINDING[self.kind].search(text) is not None
        )


_FINDING = {
    "build": re.compile(r"^\w+\.c:\d+:\d+: error: .*", re.MULTILINE),
    "test": re.compile(r"^AssertionError: .*", re.MULTILINE),
}


def tasks(outputs: Path) -> list[Task]:
    """Return the tasks, kinds in turn; `outputs` is the file of recorded outputs."""
    kinds = [[*_logs(outputs)], [*_builds()], [*_tests()]]
    longest = max(map(len, kinds))
    return [kind[rank] for rank in range(longest) for kind in kinds if rank < len(kind)]


# --- logs ----------------------------------------------------------------------------------------


_WHAT_FAILED = "Which test is the first that failed?"
_ASKED = {
    "compiler-14": ("In which line is the first error?", "5"),
    "json-4": ("Which version is it?", "15.1.0"),
    "json-6": ("Which version is it?", "7.8.6"),
    "linter-6": ("How many errors were found?", "134"),
    "linter-8": ("How many errors were found?", "19"),
    "linter-14": ("How many errors were found?", "74"),
    "linter-15": ("How many errors were found?", "97"),
    "pytest-12": (_WHAT_FAILED, "test_without_a_summariser_lines_name_what_was_said"),
    "unittest-6": ("How many seconds did the tests take?", "0.012"),
    "unittest-9": ("How many tests were run?", "118"),
    "unittest-14": (_WHAT_FAILED, "test_cache"),
    "trace-2": ("Which exception was raised last?", "ValidationError"),
}
"""The question about each recorded output of 8,000 to 13,000 bytes, and its answer."""


def _logs(outputs: Path) -> Iterator[Task]:
    for line in gzip.decompress(outputs.read_bytes()).splitlines():
        each = json.loads(line)
        if each["id"] in _ASKED:
            question, answer = _ASKED[each["id"]]
            prompt = f"`./ci-log` prints what `{each['command']}` printed in CI. Run it. {question}"
            yield Task(
                name=each["id"],
                kind="log",
                prompt=f"{prompt} Reply with the answer only.",
                files={".ci/log": each["text"], "ci-log": "#!/bin/sh\ncat .ci/log\n"},
                command="./ci-log",
                answer=answer,
            )


# --- builds --------------------------------------------------------------------------------------

_PARTS = ("area", "depth", "price", "speed")
_FUNCTION = """
int {part}_{name}(struct {part} *item, int count, int unused)
{{
    unsigned int seen = 0;
    int spare;
    int total = item->{name};
    for (int i = 0; i < seen; i++)
        total += count;
    return total;
}}
"""
_NAMES = ("first", "second", "third", "fourth")
_WRONG = (
    ("    return total;", "    return totl;"),
    ("    int total = item->{name};", "    int total = item->{name}_;"),
    ("        total += count;", "        total += count"),
    ("    for (int i = 0; i < seen; i++)", "    for (int i = 0; i < seen; i++"),
    ("        total += count;", "        total += cuont;"),
    ("    unsigned int seen = 0;", "    unsigned int seen = 0"),
    ("    int total = item->{name};", "    int total = itm->{name};"),
    ("    return total;", "    return total"),
)
"""The lines that are wrong, one in a task, and what they were."""
_MAKEFILE = """\
CFLAGS = -Wall -Wextra
all: {objects}
"""


def _builds() -> Iterator[Task]:
    objects = " ".join(f"{part}.o" for part in _PARTS)
    for number, (right, wrong) in enumerate(_WRONG):
        files = {"Makefile": _MAKEFILE.format(objects=objects)}
        for rank, part in enumerate(_PARTS):
            fields = "".join(f"    int {name};\n" for name in _NAMES)
            source = f"struct {part} {{\n{fields}}};\n"
            for at, name in enumerate(_NAMES):
                function = _FUNCTION.format(part=part, name=name)
                if rank == (2 * number + 1) % len(_PARTS) and at == (number + 2) % len(_NAMES):
                    function = function.replace(right.format(name=name), wrong.format(name=name))
                source += function
            files[f"{part}.c"] = source
        yield Task(
            name=f"build-{number + 1}",
            kind="build",
            prompt="Run `make -k`. Fix the error, so that the build succeeds. Ignore the warnings.",
            files=files,
            command="make -k",
            fixed=("Makefile",),
        )


# --- tests ---------------------------------------------------------------------------------------

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
    """Return the last word of a text."""
    return text.split()[-1]
'''
_MISTAKES = (
    ("return max(low, min(value, high))", "return min(low, max(value, high))"),
    ("return sorted(values)[", "return values["),
    (".split()).upper()", ".split()).lower()"),
    ('return "-".join(title', 'return "_".join(title'),
    ('in "aeiou" for', 'in "aeio" for'),
    ("in str(number))", "in str(number)[1:])"),
    ("(year % 100 != 0 or year % 400 == 0)", "(year % 100 != 0 or year % 400 != 0)"),
    ("return text.split()[-1]", "return text.split()[0]"),
)
"""A line of each function, and how it is wrong."""
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


def _tests() -> Iterator[Task]:
    known: dict[str, object] = {}
    exec(_MODULE, known)  # noqa: S102 - the module above
    tests = ["import unittest", "", "import small", "", "", "class TestSmall(unittest.TestCase):"]
    for function, given in _GIVEN.items():
        for number, arguments in enumerate(given):
            call = f"{function}({arguments})"
            wanted = eval(call, known)  # noqa: S307 - the calls above
            tests.append(f"    def test_{function}_{number:02}(self):")
            tests.append(f"        self.assertEqual(small.{call}, {wanted!r})\n")
    for number, (right, wrong) in enumerate(_MISTAKES):
        yield Task(
            name=f"test-{number + 1}",
            kind="test",
            prompt="Run `python -m unittest -v`. A line of small.py is wrong. Find and fix it, so"
            " that all tests pass. Do not change the tests.",
            files={"small.py": _MODULE.replace(right, wrong), "test_small.py": "\n".join(tests)},
            command="python -m unittest -v",
            fixed=("test_small.py",),
        )
