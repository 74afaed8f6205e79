"""Run the study: `python -m lton_bench.study.calls`. Another run does not repeat questions."""

import argparse
import json
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from lton.errors import LTONError
from lton_bench.qwen import QWEN
from lton_bench.study.calls.conditions import CONDITIONS
from lton_bench.study.calls.report import (
    markdown,
    picture,
    readme_table,
    sizes_picture,
    summary_table,
)
from lton_bench.study.calls.runner import (
    Batch,
    Samples,
    describe_duration,
    first_questions,
    plan,
    predict_seconds,
    run,
    settings,
    unanswered,
)
from lton_bench.study.calls.summary import alike, summary
from lton_bench.study.models import MODELS, SIZES, SMALL, path
from lton_bench.tokens.report import update_page

_LEAST_ANSWERS = 2
"""The number of answers from which a duration can be predicted."""
_ABOUT = (
    "Written by `make study`. *Right* answers are judged by BFCL's rules. *Valid* answers are"
    " calls that can be read and that the schema allows; under a grammar, an invalid answer was"
    " cut off. *Prompt*, *prefilled* and *sampled* are mean tokens per answer, and *median* is"
    " the median of the sampled tokens. *Time* is processor time of all threads, including"
    " reading the prompt but not its examples, which are cached in every condition. Times are"
    " only reliable if the machine had no other work."
)


_SEND = (
    "To send it in: open an issue at LTON with {out}/study.md and {samples} attached, and say where"
    " the model comes from."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask the remaining questions, and write the results."""
    parser = argparse.ArgumentParser(prog="python -m lton_bench.study.calls", description=__doc__)
    add = parser.add_argument
    add("--cases", type=int, default=10, metavar="N", help="of each category; default 10, all 100")
    add(
        "--model",
        action="append",
        metavar="MODEL",
        help="a GGUF file, or a name (default: the small ones)",
    )
    add(
        "--condition",
        action="append",
        choices=[c.name for c in CONDITIONS],
        metavar="NAME",
        help="ask this one alone, now; default: all",
    )
    add("--processes", type=int, default=2, metavar="N", help="default: 2")
    add("--threads", type=int, default=1, metavar="N", help="of each process; default: 1")
    add("--samples", type=Path, default=Path("build/study/samples.jsonl"))
    add("--out", type=Path, default=Path("build/study"))
    add("--into", type=Path, metavar="FILE", help="write the table of this page anew")
    add("--readme", type=Path, metavar="FILE", help="write the short table of a README anew")
    options = parser.parse_args(arguments)
    if min(options.cases, options.processes, options.threads) < 1:
        parser.error("expected one case, process and thread at least")
    threads = options.threads
    console = Console(stderr=True)
    try:
        files = _files(options.model or SMALL, console)  # what is none is refused before anything
        samples = Samples(options.samples, settings())
        batches = plan([*files], options.cases, samples, options.condition)
        shared = {"processes": options.processes, "threads": threads}
        if _predict(batches, samples, console, **shared):
            batches = unanswered(batches, samples)
        _ask(batches, samples, console, **shared)
    except KeyboardInterrupt:
        console.print("stopped; another run goes on from here")
    except LTONError as error:
        console.print(f"error: {error}", style="red", highlight=False, soft_wrap=True)
        return 1
    if not samples.found:
        return 1
    results = _write(samples, options.out)
    if options.into:
        update_page(options.into, summary_table(results))
    if options.readme:
        update_page(options.readme, readme_table(results))
    console.print(f"written: {options.out}/study.json, study.md, study.svg")
    if set(files) - set(MODELS):
        send = _SEND.format(out=options.out, samples=options.samples)
        console.print(send, highlight=False, soft_wrap=True)
    return 0


def _files(models: Sequence[str], console: Console) -> dict[str, Path]:
    """Return the files of models. A model without available packages is reported and left out."""
    files = {}
    for model in models:
        try:
            files[model] = path(model)
        except LTONError as error:
            if model not in QWEN:
                raise
            console.print(f"left out: {error}", highlight=False, soft_wrap=True)
    return files


def _predict(batches: Sequence[Batch], samples: Samples, console: Console, **options: int) -> bool:
    """Ask the first question of each condition, and say how long all others will take.

    Return whether questions were asked.
    """
    firsts = first_questions(batches)
    remaining = sum(len(batch.cases) for batch in batches) - len(firsts)
    if len(firsts) < _LEAST_ANSWERS or remaining < len(firsts):
        return False
    console.print(f"asking {len(firsts)} questions, to see how long {remaining:,} others will take")
    ends = list[float]()
    run(firsts, samples, lambda _: ends.append(monotonic()), **options)
    duration = describe_duration(predict_seconds(ends, remaining))
    console.print(
        f"{remaining:,} answers are left, which takes {duration}. Ctrl-C stops; another run goes on"
    )
    return True


def _ask(batches: Sequence[Batch], samples: Samples, console: Console, **options: int) -> None:
    columns = (
        TextColumn("asking"),
        BarColumn(),
        TextColumn("{task.completed} of {task.total} answers"),
        TimeElapsedColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    answered, remaining = len(samples.found), sum(len(batch.cases) for batch in batches)
    with Progress(*columns, console=console, speed_estimate_period=600) as bar:
        task = bar.add_task("", total=answered + remaining, completed=answered)
        run(batches, samples, lambda _: bar.advance(task), **options)


def _write(samples: Samples, out: Path) -> dict[str, Any]:
    models = summary(samples.found.values())
    results: dict[str, Any] = {
        "about": _ABOUT,
        "versions": {name: version(name) for name in ("llama-cpp-python", "bfcl-eval")},
        "answers": len(samples.found),
        "models": models,
        "alike": alike(samples.found.values()) if set(models) <= set(SIZES) else {},
    }
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False)
    (out / "study.json").write_text(text + "\n", "utf-8")
    (out / "study.md").write_text(markdown(results), "utf-8")
    (out / "study.svg").write_text(picture(models), "utf-8")
    if results["alike"]:
        (out / "study-sizes.svg").write_text(sizes_picture(results["alike"]), "utf-8")
    return results


if __name__ == "__main__":
    sys.exit(main())
