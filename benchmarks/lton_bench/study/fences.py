"""Count the newlines that models write at the end of a fence, when they copy small files.

    python -m lton_bench.study.fences --model smollm2 --model gemma3

Each model copies 40 files of 2 to 5 lines under the grammar of the punctuated form, greedily, with
two examples. Half of the files end with a newline, which the question does not show. A copy is
right if it equals the file exactly.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from lton import Call, LTONError, ToolSet
from lton.generate import Shot
from lton_bench.direct import direct
from lton_bench.study.models import served

TOOLS = ToolSet.from_prompt("wf(path:str content:str)")
COUNT = 40
_WORDS = "host port name size color level users cache retry limit token theme region owner".split()
_MOST = 160
"""The most tokens of a copy."""


@dataclass(frozen=True, slots=True)
class Examples:
    """The kind of examples: whether their files end with newlines, and the wording of questions."""

    name: str
    newlines: tuple[bool, bool]
    says: bool = False


WAYS = (
    Examples("fences without `+` in both examples", (False, False)),
    Examples("fences with `+` in both examples", (True, True)),
    Examples("one of each, and each question says which", (True, False), says=True),
)


def files(seed: str) -> Iterator[tuple[str, str]]:
    """Yield paths and files without a last newline, endlessly."""
    random = Random(seed)  # noqa: S311 - made-up data
    while True:
        words = random.sample(_WORDS, 5)
        numbers = [random.randint(1, 999) for _ in words]
        pairs = list(zip(words, numbers, strict=True))[: random.randint(2, 5)]
        yield f"{words[0]}.ini", "\n".join(f"{word} = {number}" for word, number in pairs)
        yield f"{words[1]}.md", "\n".join(f"- {word} {number}" for word, number in pairs)
        body = "\n".join(f"    {word} = {number}" for word, number in pairs[:3])
        yield f"{words[2]}.py", f"def {words[3]}():\n{body}\n    return {words[0]}"
        rows = "\n".join(f"{word},{number}" for word, number in pairs)
        yield f"{words[3]}.csv", f"word,number\n{rows}"


def question(name: str, text: str, *, newline: bool, says: bool) -> str:
    """Ask for a copy."""
    ending = ""
    if says:
        ending = f" It {'ends' if newline else 'does not end'} with a newline."
    return f"Write the file {name}.{ending}\n\n{text}"


def copies(model: Any, way: Examples, count: int = COUNT) -> Iterator[tuple[str, str | None]]:
    """Yield each expected file, and the content in the model's call, or None."""
    made = files("examples")
    shots = [
        Shot(
            question(name, text, newline=newline, says=way.says),
            [Call("wf", {"path": name, "content": text + "\n" * newline})],
        )
        for (name, text), newline in zip(made, way.newlines, strict=False)
    ]
    for number, (name, text) in zip(range(count), files("cases"), strict=False):
        newline = number // 4 % 2 == 0  # each kind of file, in turn with a newline and without
        asked = question(name, text, newline=newline, says=way.says)
        try:
            answer = direct(model, asked, TOOLS, form="punctuated", shots=shots, max_tokens=_MOST)
            written = answer.calls[0].arguments["content"]
        except LTONError:
            written = None
        yield text + "\n" * newline, written if isinstance(written, str) else None


def row(name: str, found: Sequence[tuple[str, str | None]]) -> str:
    """Return a line of the table."""
    kinds = [[pair for pair in found if pair[0].endswith("\n") is kind] for kind in (True, False)]
    right = [sum(wanted == written for wanted, written in kind) for kind in kinds]
    but = sum(
        written is not None and wanted.rstrip("\n") == written.rstrip("\n")
        for wanted, written in found
    )
    return f"| {name} | {right[0]} of {len(kinds[0])} | {right[1]} of {len(kinds[1])} | {but} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table for each model."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", required=True)
    parser.add_argument("--count", type=int, default=COUNT)
    options = parser.parse_args(arguments)
    for name in options.model:
        print(f"| {name} | with a newline | without | right but for newlines at the end |")
        print("|---|---:|---:|---:|")
        with served(name, 2048) as model:
            for way in WAYS:
                found = list(copies(model, way, options.count))
                print(row(way.name, found), flush=True)
                if way is WAYS[0]:
                    longer = [(wanted, text and f"{text}\n") for wanted, text in found]
                    print(row("the same, if the newline before the last fence were text", longer))


if __name__ == "__main__":
    main()
