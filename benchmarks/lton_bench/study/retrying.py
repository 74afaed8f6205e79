"""What it brings to show a model its error: calls that are read, and right, before and after.

`lton.generate.ask` asks a model without a grammar, reads what it wrote leniently, and shows it the
error, at most twice. The cases are development cases of BFCL with one call of one tool.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.request import Request, urlopen

from lton import ToolSet
from lton.errors import DecodeError
from lton.generate import ask
from lton_bench.study.answers import question
from lton_bench.study.judge import judge
from lton_bench.study.models import name as full_name
from lton_bench.study.models import served
from lton_bench.study.tasks import Case, development

__all__ = ["Count", "count", "row"]

CASES = 25
RETRIES = 2
_MOST = 128
_CONTEXT = 4096


@dataclass
class Chat:
    """A server's model as a function of messages, which counts tokens."""

    base: str
    sampled: list[int] = field(default_factory=list)
    prompts: list[int] = field(default_factory=list)

    def __call__(self, messages: list[dict[str, Any]]) -> str:
        body = {"messages": messages, "temperature": 0, "max_tokens": _MOST, "seed": 0}
        data = json.dumps(body).encode()
        address = f"{self.base}/v1/chat/completions"
        asked = Request(address, data, {"Content-Type": "application/json"})  # noqa: S310
        with urlopen(asked) as answer:  # noqa: S310 - a server that was started here
            found = json.load(answer)
        self.sampled.append(found["usage"]["completion_tokens"])
        self.prompts.append(found["usage"]["prompt_tokens"])
        return str(found["choices"][0]["message"]["content"] or "")


@dataclass
class Count:
    """How many of some cases are read and right, at first and after all, and their tokens."""

    cases: int = 0
    read: int = 0
    right: int = 0
    read_after: int = 0
    right_after: int = 0
    first: int = 0
    sampled: int = 0
    prompts: int = 0


def count(asked: Any, cases: Sequence[Case], made: Count) -> None:
    """Ask each case, and count what came of it. `asked` is a `Chat`, or one like it."""
    for case in cases:
        asked.sampled.clear()
        asked.prompts.clear()
        right = False
        try:
            found = ask(asked, question(case), ToolSet.from_tools(case.tools), retries=RETRIES)
        except DecodeError:
            attempts = RETRIES + 1
        else:
            attempts = len(found.errors)
            right = judge(case, found.calls) is None
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

    >>> row("m", Count(cases=2, read=1, right=1, read_after=2, right_after=1, first=20, sampled=30))
    '| m | 2 | 1 | 1 | 2 | 1 | 10 | 15 | 0 |'
    """
    each = made.cases or 1
    cells = [
        name, made.cases, made.read, made.right, made.read_after, made.right_after,
        round(made.first / each), round(made.sampled / each), round(made.prompts / each),
    ]  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each model."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", required=True)
    parser.add_argument("--cases", type=int, default=CASES)
    options = parser.parse_args(arguments)
    print("| model | cases | read | right | read after | right after | sampled | after | read in |")
    print("|---|" + "---:|" * 8)
    cases = development()["simple_python"][: options.cases]
    for name in options.model:
        made = Count()
        with served(name, _CONTEXT) as engine:
            count(Chat(engine.base), cases, made)
        print(row(full_name(name), made), flush=True)


if __name__ == "__main__":
    main()
