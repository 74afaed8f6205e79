"""Test whether a thought before a call helps a model, with guided and direct generation.

    python -m lton_bench.study.thoughts --out benchmarks/results

The model writes a thought between two marks, up to a number of tokens, and then its call: guided,
under the grammar of a form, or without a grammar. The examples have thoughts, too.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

from lton._syntax import THINK
from lton_bench.study.answers import MAX_TOKENS, Sample
from lton_bench.study.figures import accuracy, compare
from lton_bench.study.models import SMALL
from lton_bench.study.report import head, interval, row
from lton_bench.study.runner import Batch, Samples, run, unanswered
from lton_bench.study.tasks import SEED, Case, development, reported
from lton_bench.study.thinking import CONDITIONS, SHORT, TRIED, Thinking

_ROUND = 3


def settings(conditions: Sequence[Thinking]) -> dict[str, Any]:
    """Return the settings that affect an answer."""
    return {
        "seed": SEED,
        "max_tokens": MAX_TOKENS,
        "conditions": json.loads(json.dumps([asdict(condition) for condition in conditions])),
        "llama_cpp_python": version("llama-cpp-python"),
    }


def plan(
    models: Sequence[str],
    conditions: Sequence[Thinking],
    pool: Mapping[str, Sequence[Case]],
    cases: int,
) -> Iterator[Batch]:
    """Yield the questions, `cases` of each category, a few of all conditions at a time."""
    for start in range(0, cases, _ROUND):
        for model, some, condition in product(models, pool.values(), conditions):
            yield Batch(model, condition, some[start : min(start + _ROUND, cases)])


def summary(samples: Sequence[Sample], conditions: Sequence[Thinking]) -> dict[str, Any]:
    """Return the figures by model and condition, on the cases that all conditions answered."""
    found: dict[str, Any] = {}
    for model in dict.fromkeys(sample["model"] for sample in samples):
        answers = {
            condition.name: {
                sample["id"]: sample
                for sample in samples
                if (sample["model"], sample["condition"]) == (model, condition.name)
            }
            for condition in conditions
        }
        shared = sorted(set.intersection(*map(set, answers.values())))
        same = {name: [some[id_] for id_ in shared] for name, some in answers.items()}
        if shared:
            found[model] = {condition.name: _figures(same, condition) for condition in conditions}
    return found


def _figures(answers: Mapping[str, Sequence[Sample]], condition: Thinking) -> dict[str, Any]:
    some = answers[condition.name]
    right = [not sample["failure"] for sample in some]
    figures = {
        "cases": len(some),
        "accuracy": asdict(accuracy(right)),
        "categories": {
            category: sum(not one["failure"] for one in some if one["category"] == category)
            for category in dict.fromkeys(sample["category"] for sample in some)
        },
        "sampled": sum(sample["sampled"] for sample in some) / len(some),
        "thinking": sum(sample["thinking"] for sample in some) / len(some),
        "seconds": sum(sample["seconds"] for sample in some) / len(some),
        "calling": sum(sample["calling"] for sample in some) / len(some),
        "a_token": sum(sample["calling"] for sample in some)
        / max(1, sum(sample["sampled"] - sample["thinking"] for sample in some)),
        "no_call": sum(sample["calls"] is None for sample in some),
    }
    if condition.beside:
        theirs = [not sample["failure"] for sample in answers[condition.beside]]
        figures["beside"] = condition.beside
        figures["difference"] = asdict(compare(right, theirs))
    return figures


def markdown(models: Mapping[str, Any]) -> str:
    """Return the tables, one for each model."""
    return "\n".join([*_lines(models), ""])


def _lines(models: Mapping[str, Any]) -> Iterator[str]:
    for model, found in models.items():
        categories = list(next(iter(found.values()))["categories"])
        cases = next(iter(found.values()))["cases"]
        yield from (f"## {model}, {cases} cases", "")
        yield from head(
            "", "right", "compared with", "difference", *categories, "no call", "sampled",
            "tokens of the thought", "time", "after the thought", "a token of it",
        )  # fmt: skip
        for name, one in found.items():
            yield row(
                _shown(name),
                interval(one["accuracy"]),
                _shown(one.get("beside", "")),
                interval(one["difference"]["difference"]) if "beside" in one else "",
                *one["categories"].values(),
                one["no_call"],
                f"{one['sampled']:.1f}",
                f"{one['thinking']:.1f}",
                f"{one['seconds']:.2f} s",
                f"{one['calling']:.2f} s",
                f"{one['a_token'] * 1000:.0f} ms",
            )
        yield ""


def _shown(name: str) -> str:
    """Return a name for a table, in which browsers do not take `<think>` for an element."""
    for opening, _ in (SHORT, THINK):
        name = name.replace(opening, f"`{opening}`")
    return name


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the remaining questions, and write the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", help="a GGUF file, or a name (default: both)")
    parser.add_argument("--cases", type=int, default=20, help="of each category")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results")
    parser.add_argument("--development", action="store_true", help="choose, on other cases")
    options = parser.parse_args(arguments)
    conditions, pool, name = CONDITIONS, reported(), "thoughts"
    if options.development:
        conditions, pool, name = TRIED, development(), "thoughts-development"
    samples = Samples(options.out / "study" / f"{name}.jsonl", settings(conditions))
    batches = [*plan(options.model or SMALL, conditions, pool, options.cases)]
    run(unanswered(batches, samples), samples, lambda _: None, processes=1)
    models = summary([*samples.found.values()], conditions)
    results = {"settings": settings(conditions), "models": models}
    text = json.dumps(results, indent=1, ensure_ascii=False)
    (options.out / f"{name}.json").write_text(text + "\n", "utf-8")
    (options.out / f"{name}.md").write_text(markdown(models), "utf-8")
    print(markdown(models))


if __name__ == "__main__":
    main()
