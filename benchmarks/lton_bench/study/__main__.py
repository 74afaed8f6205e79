"""The study: `python -m lton_bench.study`. What was asked is not asked again by another run."""

import argparse
import json
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from lton.engines.llamacpp import LlamaEngine, load
from lton_bench.study import lengths, lengths_report
from lton_bench.study.models import MODELS, path
from lton_bench.study.report import markdown, picture, readme_table, summary_table
from lton_bench.study.runner import CONTEXT, Batch, Samples, plan, run, settings
from lton_bench.study.summary import summary
from lton_bench.tokens.report import update_page

_TEXTS = 8
"""How many texts of each length a full run asks a model to copy."""
_ABOUT = (
    "Written by `make study`. Right: judged by BFCL's rules. Valid: a call that can be read and"
    " that the schema allows; under a grammar what is not valid was cut off. Prompt, prefilled and"
    " sampled: tokens for an answer, in the mean; and the median of those sampled. Time: of the"
    " processor, one thread, the prompt's reading included but for the examples, which are in the"
    " cache for every condition alike; it says something where the machine had nothing else to do"
    " all the while."
)


def main() -> int:
    """Ask what is still to be asked, and write what all answers say."""
    parser = argparse.ArgumentParser(prog="python -m lton_bench.study", description=__doc__)
    add = parser.add_argument
    add("--cases", type=int, default=10, metavar="N", help="of each category; default 10, all 100")
    add("--model", action="append", metavar="MODEL", help="a GGUF file, or a name (default: both)")
    add("--processes", type=int, default=2, metavar="N")
    add("--samples", type=Path, default=Path("build/study/samples.jsonl"))
    add("--out", type=Path, default=Path("build/study"))
    add("--into", type=Path, metavar="FILE", help="write the table of this page anew")
    add("--readme", type=Path, metavar="FILE", help="write the short table of a README anew")
    options = parser.parse_args()
    samples = Samples(options.samples, settings())
    copies = options.samples.with_name("lengths.jsonl")
    names = options.model or [*MODELS]
    console = Console(stderr=True)
    try:
        _ask(plan(names, options.cases, samples), samples, options.processes, console)
        for name in names:
            engine = LlamaEngine(load(path(name), context=CONTEXT))
            texts = max(1, options.cases * _TEXTS // 100)
            lengths.run(engine, name, copies, texts=texts, count=2)
    except KeyboardInterrupt:
        console.print("stopped; another run goes on from here")
    if not samples.found:
        return 1
    results = _write(samples, lengths.read(copies), options.out)
    if options.into:
        update_page(options.into, summary_table(results))
    if options.readme:
        update_page(options.readme, readme_table(results))
    console.print(f"written: {options.out}/study.json, study.md, study.svg")
    return 0


def _ask(batches: Sequence[Batch], samples: Samples, processes: int, console: Console) -> None:
    columns = (
        TextColumn("asking"),
        BarColumn(),
        TextColumn("{task.completed} of {task.total} answers"),
        TimeElapsedColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    done, left = len(samples.found), sum(len(batch.cases) for batch in batches)
    with Progress(*columns, console=console, speed_estimate_period=600) as bar:
        task = bar.add_task("", total=done + left, completed=done)
        run(batches, samples, lambda _: bar.advance(task), processes=processes)


def _write(samples: Samples, copies: Sequence[lengths.Sample], out: Path) -> dict[str, Any]:
    models = summary(samples.found.values())
    results = {
        "about": _ABOUT,
        "versions": {name: version(name) for name in ("llama-cpp-python", "bfcl-eval")},
        "answers": len(samples.found),
        "models": models,
        "lengths": lengths_report.summary(copies),
    }
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False)
    (out / "study.json").write_text(text + "\n", "utf-8")
    (out / "study.md").write_text(markdown(results), "utf-8")
    (out / "study.svg").write_text(picture(models), "utf-8")
    return results


if __name__ == "__main__":
    sys.exit(main())
