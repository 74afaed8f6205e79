"""Measure whether a model corrects a call after it has seen its error.

`lton.generate.ask` asks a model without a grammar, reads the answer leniently, and sends the model
the error, at most twice. The questions are those of `lton probe` that want a call, about eight
tools, and development cases of BFCL with one tool each.
"""

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lton import Call, ToolSet
from lton.chat import Message
from lton.errors import DecodeError
from lton.generate import ask
from lton.probe.questions import QUESTIONS, TOOLS
from lton_bench.study.calls.answers import question
from lton_bench.study.gateways import post
from lton_bench.study.judge import judge
from lton_bench.study.models import name as full_name
from lton_bench.study.models import served
from lton_bench.study.tasks import Case, development

__all__ = ["Count", "Item", "count", "from_case", "row"]

CASES = 20
RETRIES = 2
_MOST = 128
_CONTEXT = 4096
_HEAD = """\
`make study-retrying` writes this table. It calls `ask(engine, question, tools, retries=2)` without
a grammar, at temperature 0. A call is *read* if it fits the tools, and *right* if it is the
expected call. Tokens are means per question: sampled tokens of the first answer, sampled
tokens of all answers, and tokens of all prompts.

| model | questions | number | read, first | read, after | right, first | right, after | \
sampled, first | sampled, all | prompts, all |
"""


@dataclass(frozen=True, slots=True)
class Item:
    """A question about tools, and the function that judges the calls of an answer."""

    question: str | Sequence[Message]
    tools: ToolSet
    is_right: Callable[[Sequence[Call]], bool]


@dataclass
class Chat:
    """A server's model as a function of messages, which counts tokens."""

    base: str
    sampled: list[int] = field(default_factory=list)
    prompts: list[int] = field(default_factory=list)

    def __call__(self, messages: list[dict[str, Any]]) -> str:
        body = {"messages": messages, "temperature": 0, "max_tokens": _MOST, "seed": 0}
        found = post(f"{self.base}/v1/chat/completions", body)
        self.sampled.append(found["usage"]["completion_tokens"])
        self.prompts.append(found["usage"]["prompt_tokens"])
        return str(found["choices"][0]["message"]["content"] or "")


@dataclass
class Count:
    """The number of calls that are read and right, first and after retries, and their tokens."""

    cases: int = 0
    read: int = 0
    right: int = 0
    read_after: int = 0
    right_after: int = 0
    first: int = 0
    sampled: int = 0
    prompts: int = 0


def from_case(case: Case) -> Item:
    """Return the question of a case of BFCL."""
    tools = ToolSet.from_tools(case.tools)
    return Item(question(case), tools, lambda calls: judge(case, list(calls)) is None)


def _probes() -> list[Item]:
    tools = ToolSet.from_tools(TOOLS)
    return [Item(each.text, tools, each.is_right) for each in QUESTIONS if each.call]


def count(asked: Any, items: Iterable[Item], made: Count) -> None:
    """Ask each question, and add the results to `made`. `asked` is a `Chat`, or one like it."""
    for item in items:
        asked.sampled.clear()
        asked.prompts.clear()
        right = False
        try:
            found = ask(asked, item.question, item.tools, retries=RETRIES)
        except DecodeError:
            attempts = RETRIES + 1
        else:
            attempts = len(found.errors)
            right = item.is_right(found.calls)
            made.read_after += 1
        made.cases += 1
        made.read += attempts == 0
        made.right += right and attempts == 0
        made.right_after += right
        made.first += asked.sampled[0]
        made.sampled += sum(asked.sampled)
        made.prompts += sum(asked.prompts)


def row(name: str, made: Count) -> str:
    """Return a line of the table.

    >>> made = Count(cases=2, read=1, right=0, read_after=2, right_after=1, first=20, sampled=30)
    >>> row("m | BFCL", made)
    '| m | BFCL | 2 | 1 | 2 | 0 | 1 | 10 | 15 | 0 |'
    """
    each = made.cases or 1
    cells = [
        name, made.cases, made.read, made.read_after, made.right, made.right_after,
        round(made.first / each), round(made.sampled / each), round(made.prompts / each),
    ]  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print two lines for each model, and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", required=True)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    cases = development()["simple_python"][: options.cases]
    asked = {"probe": _probes(), "BFCL": [from_case(case) for case in cases]}
    lines = []
    for model in options.model:
        with served(model, _CONTEXT) as engine:
            for kind, items in asked.items():
                made = Count()
                count(Chat(engine.base), items, made)
                lines.append(row(f"{full_name(model)} | {kind}", made))
                print(lines[-1], flush=True)
    if options.out:
        table = f"{_HEAD}|---|---|{'---:|' * 8}\n" + "\n".join(lines) + "\n"
        (options.out / "retrying.md").write_text(table, "utf-8")


if __name__ == "__main__":
    main()
