"""Compare lenient reading in TypeScript with the library: `python -m fuzz.javascript_lenient`.

The texts are those of the conformance suite and of `tests/lenient`. With `--count N`, N more texts
are made from them: two texts together, parts that are removed or doubled, and marks that are
inserted. Calls, repairs, errors with their positions and paths, uncertain calls and the ranges of
calls have to be equal. Each difference is printed, and then the exit status is 1.
"""

import argparse
import gzip
import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lton import ToolSet, decode_lenient
from lton.lenient import LenientResult
from lton.lenient.syntaxes import SYNTAXES
from spec.conformance.run import read_cases, read_toolsets

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "js" / "test" / "fuzz.mjs"
TEXTS = ROOT / "tests" / "lenient"
MOST_SHOWN = 10
LONGEST = 3_000
"""Characters of a text from which others are made."""
EVERY_SYNTAX = [syntax.name for syntax in SYNTAXES]
OPTIONS: tuple[dict[str, Any], ...] = ({}, {"syntax": EVERY_SYNTAX})
MADE_OPTIONS: tuple[dict[str, Any], ...] = (*OPTIONS, {"safe": False}, {"ended": False})
STRING, INTEGER = {"type": "string"}, {"type": "integer"}
MAILS = [
    {
        "name": name,
        "parameters": {"type": "object", "properties": properties, "required": required},
    }
    for name, properties, required in (
        ("delete_file", {"path": STRING}, ["path"]),
        ("weather", {"city": STRING, "days": INTEGER}, ["city"]),
        ("send_email", {"to": STRING, "subject": STRING, "body": STRING}, ["to", "subject"]),
        ("run", {"cmd": STRING, "timeout": INTEGER}, ["cmd"]),
        ("search", {"query": STRING, "limit": INTEGER}, ["query"]),
        ("list_all", {}, []),
    )
]
"""The tools of the texts that do not have their own."""
CALL = '{"name": "delete_file", "arguments": {"path": "/etc/passwd"}}'
SPELLINGS = (
    CALL,
    f"<tool_call>\n{CALL}\n</tool_call>",
    "<function=delete_file>\n<parameter=path>\n/etc/passwd\n</parameter>\n</function>",
    'delete_file(path="/etc/passwd")',
    '!call delete_file(path="/etc/passwd")',
)
"""What the word CALL stands for in a text."""
PIECES = (
    *"\n\"'`()[]{},:;=<>/\\ _#&!|.\t\r*-0",
    *(
        "```",
        "<tool_call>",
        "</tool_call>",
        "<think>",
        "</think>",
        "\n\n",
        "{{",
        "\\n",
        "None",
        "é",
    ),
    *("s3:", "null", "True", "[TOOL_CALLS]", "<|python_tag|>", "! call ", "😀", "“", "”", "\u00a0"),
    *(
        "<arg_key>",
        "</parameter>",
        "Action Input:",
        "> ",
        "    ",
        "<|im_start|>user\n",
        "\U0001d4b3",
    ),
)


@dataclass(frozen=True)
class Sample:
    """Texts and the definitions of their tools. With `standard`, schemas are read as such."""

    definitions: Any
    standard: bool
    questions: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


def conformance_samples() -> Iterator[Sample]:
    """Yield the texts of the conformance suite."""
    toolsets = read_toolsets()
    found: dict[str, Sample] = {}
    for case in read_cases():
        if case["kind"] not in ("lenient", "decode"):
            continue
        tools = toolsets[case["tools"]] if isinstance(case["tools"], str) else case["tools"]
        if "text" not in case:
            continue
        key = json.dumps(tools)
        options: dict[str, Any] = {
            name: case[name] for name in ("safe", "ended", "syntax", "seen") if name in case
        }
        found.setdefault(key, Sample(tools, standard=False)).questions.append(
            (case["text"], options)
        )
    yield from found.values()


def read_lines(name: str) -> list[Any]:
    """Return the values of a file of lines in `tests/lenient`."""
    path = TEXTS / name
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in content.decode("utf-8").splitlines()]


def verdict_samples() -> Iterator[Sample]:
    """Yield the texts of the scoreboard, with their tools."""
    for name in ("foreign", "engine", "tag", "report"):
        first, *lines = read_lines(f"{name}_verdicts.jsonl")
        texts = [(line["text"], options) for line in lines for options in OPTIONS]
        yield Sample(first["tools"], standard=True, questions=texts)


def shown_samples() -> Iterator[Sample]:
    """Yield the texts that show calls, and those that mean them."""
    questions: list[tuple[str, dict[str, Any]]] = []
    for name in (
        "must_not_call.jsonl",
        "others_calls.jsonl",
        "no_calls.jsonl",
        "meant_calls.jsonl.gz",
    ):
        for number, line in enumerate(read_lines(name)):
            text = line["text"] if isinstance(line, dict) else line[0]
            for spelling in SPELLINGS[number % 2 :: 2] if "CALL" in text else ("",):
                questions += [(text.replace("CALL", spelling), options) for options in OPTIONS]
    yield Sample(MAILS, standard=False, questions=questions)


def samples() -> Iterator[Sample]:
    """Yield all texts with their tools."""
    yield from conformance_samples()
    yield from verdict_samples()
    yield from shown_samples()


def change_text(pick: random.Random, text: str, other: str) -> str:
    """Return a text with a few changes, perhaps together with another text."""
    if pick.random() < 0.3:
        text = text + pick.choice(["\n", "\n\n", " ", "\nSo:\n"]) + other
    for _ in range(pick.randrange(1, 4)):
        at = pick.randrange(len(text) + 1)
        end = min(len(text), at + pick.choice([0, 0, 1, 1, 2, 5, 20]))
        put = pick.choice([*PIECES, "", text[at:end] * 2])
        text = text[:at] + put + text[end:]
    return text


def made_samples(count: int, seed: int) -> Iterator[Sample]:
    """Yield texts that are made from the others."""
    pick = random.Random(seed)
    known = list(samples())
    weights = [len(sample.questions) for sample in known]
    for _ in range(max(1, count // 500) if count else 0):
        sample = pick.choices(known, weights)[0]
        texts = [text for text, _ in sample.questions if len(text) < LONGEST]
        if not texts:
            continue
        questions = []
        for _ in range(min(count, 500)):
            text = change_text(pick, pick.choice(texts), pick.choice(texts))
            if "\ud800" <= max(text, default="") <= "\udfff":
                continue
            questions.append((text, pick.choice(MADE_OPTIONS)))
        yield Sample(sample.definitions, sample.standard, questions)


def answer_of(result: LenientResult) -> dict[str, Any]:
    """Return a result in the form of the package."""
    return {
        "calls": [{"name": call.name, "arguments": call.arguments} for call in result.calls],
        "repairs": [[repair.call, repair.pos, repair.code] for repair in result.repairs],
        "errors": [
            {"code": error.code, "pos": error.pos, "path": error.path} for error in result.errors
        ],
        "uncertain": [
            [{"name": one.call.name, "arguments": one.call.arguments}, one.code, one.pos]
            for one in result.uncertain
        ],
        "complete": result.complete,
        "called": [list(span) for span in result.called],
    }


def ask_package(samples: Sequence[Sample]) -> Iterator[list[Any]]:
    """Yield the answers of the package to the questions of each sample."""
    asked: list[dict[str, Any]] = []
    for sample in samples:
        definitions = None if sample.definitions is None else json.dumps(sample.definitions)
        asked.append({"definitions": definitions, "standard": sample.standard})
        asked += [{"lenient": text, "options": options} for text, options in sample.questions]
    lines = "".join(json.dumps(one) + "\n" for one in asked)
    command = ["node", str(SCRIPT)]
    run = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)  # noqa: S603
    answers = [json.loads(line) for line in run.stdout.split("\n")[:-1]]
    if len(answers) < len(asked):
        raise RuntimeError(f"node ended: {run.stderr}\n{asked[len(answers)]}")
    start = 0
    for sample in samples:
        end = start + 1 + len(sample.questions)
        yield answers[start + 1 : end]
        start = end


def differences(samples: Sequence[Sample]) -> Iterator[tuple[str, dict[str, Any], str, str]]:
    """Yield each text that the package reads differently, with the two answers."""
    for sample, answers in zip(samples, ask_package(samples), strict=True):
        tools = None
        if sample.definitions is not None:
            tools = ToolSet.from_tools(sample.definitions, standard=sample.standard)
        for (text, options), theirs in zip(sample.questions, answers, strict=True):
            ours = json.dumps(answer_of(decode_lenient(text, tools, **options)), sort_keys=True)
            if ours != (other := json.dumps(theirs, sort_keys=True)):
                yield text, options, ours, other


def main() -> int:
    """Compare all texts, and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5_000, help="texts that are made")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = [*samples(), *made_samples(options.count, options.seed)]
    compared = sum(len(sample.questions) for sample in found)
    differ = 0
    for text, asked, ours, theirs in differences(found):
        differ += 1
        if differ <= MOST_SHOWN:
            print(f"{text!r} {asked}\n  library  {ours}\n  package  {theirs}")
    print(f"{compared:,} compared: {differ:,} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
