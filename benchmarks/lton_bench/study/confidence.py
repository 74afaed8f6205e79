"""Compare a model's confidence with its accuracy: `python -m lton_bench.study.confidence`.

The questions are the development cases of `multiple` and `irrelevance`, each with an optional call.
An answer is right if it calls the expected tool, or no tool if none is expected; arguments are not
judged. The expected calibration error is the mean distance between confidence and accuracy, over
five bins of equal width, weighted by answers.
Each answer is added to a file, so another run continues. `--model FILE.gguf` asks another model.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lton import Call, LTONError, ToolSet
from lton.engines.llamacpp import load
from lton.generate import Shot, guided
from lton_bench import bfcl
from lton_bench.study.answers import MAX_TOKENS, question
from lton_bench.study.models import MODELS, name, path
from lton_bench.study.runner import CONTEXT
from lton_bench.study.tasks import Case, development, shots

__all__ = ["calibration_error", "main"]

_BINS = 5
_SHOTS = ("simple_python", "irrelevance")
_CATEGORIES = ("multiple", "irrelevance")
Answer = dict[str, Any]


def calibration_error(answers: Sequence[tuple[float, bool]]) -> float:
    """Return the expected calibration error of answers: pairs of confidence and correctness.

    >>> calibration_error([(0.75, True), (0.75, False), (1.0, True)])
    0.1666...
    """
    bins: dict[int, list[float]] = {}
    for confidence, right in answers:
        bins.setdefault(min(int(confidence * _BINS), _BINS - 1), []).append(confidence - right)
    return sum(abs(sum(some)) for some in bins.values()) / len(answers)


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask the remaining questions, and print a row for each model."""
    parser = argparse.ArgumentParser(prog="python -m lton_bench.study.confidence")
    add = parser.add_argument
    add("--model", action="append", metavar="MODEL", help="a GGUF file, or a name (default: two)")
    add("--cases", type=int, default=20, metavar="N", help="of each category; default 20, all 50")
    add("--samples", type=Path, default=Path("build/study/confidence.jsonl"))
    options = parser.parse_args(arguments)
    options.samples.parent.mkdir(parents=True, exist_ok=True)
    print("| model | answers | right | sure, in the mean | calibration error | without doubt |")
    print("|---|---|---|---|---|---|")
    for model in options.model or MODELS:
        print(_row(name(model), _answers(model, options.cases, options.samples)), flush=True)
    return 0


def _row(model: str, answers: Sequence[Answer]) -> str:
    known = [(one["confidence"], one["right"]) for one in answers if one["confidence"] is not None]
    sure = [right for confidence, right in known if confidence >= 0.5]
    figures = (
        sum(right for _, right in known) / len(known),
        sum(confidence for confidence, _ in known) / len(known),
        calibration_error(known),
    )
    doubtless = f"{sum(sure)} of {len(sure)}"
    return f"| {model} | {len(known)} | {' | '.join(f'{x:.3f}' for x in figures)} | {doubtless} |"


def _answers(model: str, count: int, file: Path) -> list[Answer]:
    cases = [case for category in _CATEGORIES for case in development()[category][:count]]
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    found = {one["id"]: one for line in lines if (one := json.loads(line))["model"] == name(model)}
    left = [case for case in cases if case.id not in found]
    with file.open("a", encoding="utf-8") as added:
        for answer in _asked(model, left):
            found[answer["id"]] = answer
            added.write(json.dumps(answer) + "\n")
            added.flush()
    return [found[case.id] for case in cases]


def _asked(model: str, cases: Sequence[Case]) -> Iterator[Answer]:
    examples = [
        Shot(question(shot), [Call(*call) for call in bfcl.gold(shot)], _tools(shot))
        for shot in shots(len(_SHOTS), _SHOTS)
    ]
    llm = load(path(model), context=CONTEXT) if cases else None
    for case in cases:
        options: dict[str, Any] = {"shots": examples, "tool_choice": "auto"}
        try:
            made = guided(llm, question(case), _tools(case), max_tokens=MAX_TOKENS, **options)
        except LTONError:
            called, confidence = None, None
        else:
            called, confidence = [call.name for call in made.calls], made.confidence
        right = called == [tool for answer in case.answers for tool in answer]
        yield {"model": name(model), "id": case.id, "right": right, "confidence": confidence}


def _tools(case: Case) -> ToolSet:
    return ToolSet.from_tools(case.tools)


if __name__ == "__main__":
    sys.exit(main())
