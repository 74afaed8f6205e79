"""Ask models twelve questions about each invented result of a tool, in several forms.

    python -m lton_bench.study.results.tables --model FILE.gguf --out benchmarks/results

The result comes first, after a short system prompt and without an example of its form; the
questions come after it. The answer is the first line, of 8 tokens at most, greedily. A run
continues the last run, and writes the table of all answers. Without a model it only writes that
table.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from lton_bench.study.batches import BatchReader
from lton_bench.study.models import name, path
from lton_bench.study.packed import added, content
from lton_bench.study.results.tables_cases import (
    ANY_SHAPE,
    BASELINE,
    BY_SCHEMA,
    FIRST_NEW,
    FORMS,
    NEW,
    SHAPES,
    WRAPPED,
    Question,
    questions,
    result,
    schema_shown,
)

KINDS = ("look up", "count", "filter", "compare", "add")
_ROOM = 8
_RESAMPLES = 10_000
_SYSTEM = (
    "Answer each question about the data with the value alone: a name or a number, no sentence."
)
_ANSWERED = "The tool answered:\n{}\n\n"
_POSITIONS = " The tool answers with values by position: "
_CHATML = (
    "<|im_start|>system\n{}<|im_end|>\n<|im_start|>user\n",
    "<|im_end|>\n<|im_start|>assistant\n",
)
_TURNS = {"gemma3": ("<bos>{}\n\n", "\nAnswer:")}  # a base model: in turns it repeats the system's
"""The text before a prompt's first message, and after a question, for models without ChatML."""
_ALL = "all"
_DIGITS = re.compile(r"\d+")


TITLES = ("tables", "tables-new", "tables-wrapped")
"""The tables: the results that forms were chosen by, new results, and lists inside an object."""


@dataclass(frozen=True, slots=True)
class Told:
    """A model's answer to a question about a result, and the number of the result's tokens."""

    model: str
    shape: str
    number: int
    form: str
    question: str
    said: str
    tokens: int


def title_of(told: Told) -> str:
    """Return the title of the table that an answer belongs to."""
    if told.shape == WRAPPED:
        return "tables-wrapped"
    return "tables-new" if told.number >= FIRST_NEW else "tables"


_Group: TypeAlias = dict[tuple[str, int], dict[str, Told]]
"""The answers, by the shape and the number of the result, and by the question."""


def is_right(asked: Question, said: str) -> bool:
    """Return whether an answer is right: a number, a name of two, or a word, perhaps in a sentence.

    For a comparison, the higher value alone is also right.

    >>> asked = Question("compare", "Whose age is higher, Ada or Bo?", "Bo", "41")
    >>> [is_right(asked, said) for said in ("Bo", "41", "Bo, as Ada is 9", "Ada")]
    [True, True, True, False]
    """
    numbers = _DIGITS.findall(said.replace(",", ""))
    if asked.answer.isdigit():
        known = set(_DIGITS.findall(asked.text))
        numbers = [each for each in numbers if each not in known] or numbers
        return bool(numbers) and numbers[-1] == asked.answer
    if asked.kind == "compare":
        names = asked.text.rstrip("?").rpartition(", ")[2].split(" or ")
        first = min(((said.find(each), each) for each in names if each in said), default=(0, ""))
        return numbers == [asked.also] or first[1] == asked.answer
    return asked.answer.casefold() in said.casefold()


def answers(
    reader: BatchReader,
    model: str,
    known: set[tuple[str, int, str]],
    forms: Sequence[str],
    *,
    is_new: bool = False,
) -> Iterator[Told]:
    """Ask the questions without a known answer."""
    first, shapes = (FIRST_NEW, NEW) if is_new else (0, SHAPES)
    for shape, sets in shapes.items():
        for number, form in product(range(first, first + sets), forms):
            if (shape, number, form) in known or not (form in ANY_SHAPE or shape == "rows"):
                continue
            yield from ask(reader, model, shape, number, form, FORMS[form])


def ask(
    reader: BatchReader,
    model: str,
    shape: str,
    number: int,
    form: str,
    write: Callable[[Any], str],
) -> Iterator[Told]:
    """Ask all questions about a result that is written in a form."""
    begin, end = _TURNS.get(model, _CHATML)
    value = result(shape, number)
    text = write(value)
    schema = _POSITIONS + schema_shown(value) if form == BY_SCHEMA else ""
    asked = questions(shape, number)
    head = begin.format(_SYSTEM + schema) + _ANSWERED.format(text)
    said = reader.ask(head, [q.text + end for q in asked], _ROOM)
    size = len(reader.tokens(text))
    for each, words in zip(asked, said, strict=True):
        yield Told(model, shape, number, form, each.text, words, size)


def table(told: Sequence[Told]) -> Iterator[str]:
    """Yield the lines of a table: each form and minified JSON on the results that both have."""
    names = "model", "results", "form", "questions", "right", "JSON", "difference", "tokens", *KINDS
    yield f"| {' | '.join(names)} |"
    yield "|---|---|---|" + "---:|" * (len(names) - 3)
    groups: dict[tuple[str, str, str], _Group] = {}
    for each in told:
        for shape in (each.shape, _ALL):
            group = groups.setdefault((each.model, shape, each.form), {})
            group.setdefault((each.shape, each.number), {})[each.question] = each
    for (model, shape, form), group in sorted(groups.items(), key=lambda each: each[0][1] == _ALL):
        base = groups.get((model, shape, BASELINE), {})
        shapes = {shape for shape, _ in group.keys() & base.keys()}
        if len(shapes) > (shape == _ALL):
            yield f"| {model} | {shape} | {form} | {_cells(group, base)} |"


def _cells(ours: _Group, theirs: _Group) -> str:
    """Return a row, for the results on which both were tested."""
    differences, rights, others = [], [], []
    kinds: dict[str, list[bool]] = {}
    tokens = [0, 0]
    for one in sorted(ours.keys() & theirs.keys()):
        asked = {each.text: each for each in questions(*one)}
        mine, base = (
            [is_right(asked[text], each[one][text].said) for text in asked]
            for each in (ours, theirs)
        )
        rights += mine
        others += base
        differences.append((sum(mine) - sum(base), len(mine)))
        for question, right in zip(asked.values(), mine, strict=True):
            kinds.setdefault(question.kind, []).append(right)
        for at, each in enumerate((ours, theirs)):
            tokens[at] += next(iter(each[one].values())).tokens
    low, high = _interval(differences)
    total = len(rights)
    cells = [
        str(total),
        f"{sum(rights) / total:.3f}",
        f"{sum(others) / total:.3f}",
        f"{(sum(rights) - sum(others)) / total:+.3f} [{low:+.3f}, {high:+.3f}]",
        f"{tokens[0] / tokens[1]:.2f}",
        *(f"{sum(kinds[kind]) / len(kinds[kind]):.2f}" for kind in KINDS),
    ]
    return " | ".join(cells)


def _interval(differences: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Return the 95 % interval of a difference, by a bootstrap that draws whole results.

    Questions about one result are not independent.
    """
    each = np.array(differences)
    drawn = np.random.default_rng(0).integers(len(each), size=(_RESAMPLES, len(each)))
    more, asked = each[drawn, 0].sum(axis=1), each[drawn, 1].sum(axis=1)
    low, high = np.quantile(more / asked, [0.025, 0.975])
    return float(low), float(high)


def all_answers(
    file: Path, models: Sequence[str], forms: Sequence[str], find: Callable[..., Iterator[Told]]
) -> list[Told]:
    """Return the answers in a file, and those of `models` that `find` yields, which are added."""
    told = [Told(**json.loads(line)) for line in content(file).splitlines()]
    for each in models:
        model = name(each)
        known = {(t.shape, t.number, t.form) for t in told if t.model == model}
        told += added(file, find(BatchReader(path(each)), model, known, forms))
    return told


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the questions that were not asked before, and write the answers and the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", default=[])
    parser.add_argument("--form", action="append", choices=FORMS, help="only these are asked about")
    parser.add_argument("--new", action="store_true", help="the results that nothing is chosen by")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results")
    options = parser.parse_args(arguments)
    file = options.out / "study" / "tables.jsonl"
    find = partial(answers, is_new=options.new)
    told = all_answers(file, options.model, options.form or [*FORMS], find)
    for title in TITLES:
        some = [each for each in told if title_of(each) == title]
        (options.out / f"{title}.md").write_text("\n".join(table(some)) + "\n")


if __name__ == "__main__":
    main()
