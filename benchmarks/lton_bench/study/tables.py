"""In which form do models read what a tool gave back? Twelve questions about each made-up result.

    python -m lton_bench.study.tables --model FILE.gguf --out benchmarks/results

The result comes first, after a short system prompt and without an example of its form; the
questions come after it. The answer is the first line, of 8 tokens at most, greedily. A run goes on
where the last one was, and writes the table of all answers; without a model it writes that alone.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np

from lton_bench.study.batches import BatchReader
from lton_bench.study.models import name, path
from lton_bench.study.packed import added, content
from lton_bench.study.tables_cases import (
    BASELINE,
    BY_SCHEMA,
    FORMS,
    SHAPES,
    Question,
    questions,
    result,
    schema_shown,
)

KINDS = ("look up", "count", "filter", "compare", "add")
_ROOM = 8
_RESAMPLES = 10_000
_HEAD = (
    "<|im_start|>system\nAnswer each question about the data with the value alone: a name or a"
    " number, no sentence.{}<|im_end|>\n<|im_start|>user\nThe tool answered:\n{}\n\n"
)
_POSITIONS = " The tool answers with values by position: "
_TAIL = "<|im_end|>\n<|im_start|>assistant\n"
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Told:
    """What a model answered to a question about a result, which has so many tokens."""

    model: str
    shape: str
    number: int
    form: str
    question: str
    said: str
    tokens: int


_Group: TypeAlias = dict[tuple[str, int], dict[str, Told]]
"""What a model answered in a form, by the result (its shape and number) and the question."""


def is_right(asked: Question, said: str) -> bool:
    """Say whether an answer is right: a number, a name of two, or a word, perhaps in a sentence.

    Whose value is the higher one may be said by that value alone.

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
    reader: BatchReader, model: str, known: set[tuple[str, int, str]], forms: Sequence[str]
) -> Iterator[Told]:
    """Ask what is not known."""
    for shape, sets in SHAPES.items():
        for number, form in product(range(sets), forms):
            is_searched = form in (BASELINE, BY_SCHEMA) or form.startswith("LTON on")
            if (shape, number, form) in known or not (is_searched or shape == "rows"):
                continue
            value = result(shape, number)
            text = FORMS[form](value)
            schema = _POSITIONS + schema_shown(value) if form == BY_SCHEMA else ""
            asked = questions(shape, number)
            head = _HEAD.format(schema, text)
            said = reader.ask(head, [q.text + _TAIL for q in asked], _ROOM)
            size = len(reader.tokens(text))
            for each, words in zip(asked, said, strict=True):
                yield Told(model, shape, number, form, each.text, words, size)


def table(told: Sequence[Told]) -> Iterator[str]:
    """Get the lines of a table, each form beside minified JSON on those results that both have.

    Values by position have a line for all shapes too: whether models are to be shown them is one
    decision.
    """
    names = "model", "results", "form", "questions", "right", "JSON", "difference", "tokens", *KINDS
    yield f"| {' | '.join(names)} |"
    yield "|---|---|---|" + "---:|" * (len(names) - 3)
    groups: dict[tuple[str, str, str], _Group] = {}
    for each in told:
        pooled = ["all"] if each.form in (BASELINE, BY_SCHEMA) else []
        for shape in (each.shape, *pooled):
            group = groups.setdefault((each.model, shape, each.form), {})
            group.setdefault((each.shape, each.number), {})[each.question] = each
    for (model, shape, form), group in sorted(groups.items(), key=lambda one: one[0][1] == "all"):
        shapes = {shape for shape, _ in group}
        if shape == "all" and (form == BASELINE or len(shapes) == 1):
            continue
        cells = _cells(group, groups.get((model, shape, BASELINE), {}))
        yield f"| {model} | {shape} | {form} | {cells} |"


def _cells(ours: _Group, theirs: _Group) -> str:
    """Get what a row says: on results that both were asked about."""
    differences, rights, others = [], [], []
    kinds: dict[str, list[bool]] = {}
    tokens = [0, 0]
    for number in sorted(ours.keys() & theirs.keys()):
        asked = {each.text: each for each in questions(*number)}
        mine, base = (
            [is_right(asked[text], each[number][text].said) for text in asked]
            for each in (ours, theirs)
        )
        rights += mine
        others += base
        differences.append((sum(mine) - sum(base), len(mine)))
        for question, right in zip(asked.values(), mine, strict=True):
            kinds.setdefault(question.kind, []).append(right)
        for at, each in enumerate((ours, theirs)):
            tokens[at] += next(iter(each[number].values())).tokens
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
    """Get the interval of 95 % of a difference: the bootstrap's, which draws whole results.

    Questions about one result are not independent.
    """
    each = np.array(differences)
    drawn = np.random.default_rng(0).integers(len(each), size=(_RESAMPLES, len(each)))
    more, asked = each[drawn, 0].sum(axis=1), each[drawn, 1].sum(axis=1)
    low, high = np.quantile(more / asked, [0.025, 0.975])
    return float(low), float(high)


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask what was not asked before, and write the answers and the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", default=[])
    parser.add_argument("--form", action="append", choices=FORMS, help="only these are asked about")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results")
    options = parser.parse_args(arguments)
    file = options.out / "study" / "tables.jsonl"
    told = [Told(**json.loads(line)) for line in content(file).splitlines()]
    for each in options.model:
        model = name(each)
        known = {(t.shape, t.number, t.form) for t in told if t.model == model}
        said = answers(BatchReader(path(each)), model, known, options.form or [*FORMS])
        told += added(file, said)
    (options.out / "tables.md").write_text("\n".join(table(told)) + "\n")


if __name__ == "__main__":
    main()
