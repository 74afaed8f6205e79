"""Train an adapter for each form, ask the base model and the tuned model, and report.

    python -m lton_bench.finetune
    python -m lton_bench.finetune --examples 500 --max-tokens 512 --cases 100 --forms json keyed

All files are in `build/finetune`, so the same command continues an interrupted run. With `--save`
the results of each model are written to a file in `benchmarks/results`.
"""

import argparse
import json
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from lton.generate.chat import Shot
from lton_bench.finetune import report
from lton_bench.finetune.data import FORMS, JSON, Tokens, Written, asked, examples, tokens
from lton_bench.finetune.evaluate import Answer, answers
from lton_bench.finetune.models import PACKED, device, load_model, load_tokenizer, unpack
from lton_bench.finetune.report import CONDITIONS, SHOTS
from lton_bench.finetune.train import Settings, train
from lton_bench.speed import report as speed_report
from lton_bench.study.tasks import Case

RESULTS = Path(__file__).parents[2] / "results" / "finetune"
BUILD = Path("build/finetune")
PACKAGES = ("torch", "transformers", "peft", "llguidance", "bfcl-eval")
CASES = 10
CHOSEN = [field for field in fields(Settings) if field.default is not MISSING]

_load = lru_cache(maxsize=1)(load_model)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, ask and report."""
    options = _options(arguments)
    folder = BUILD / PACKED[options.model] if options.model in PACKED else Path(options.model)
    is_first = options.model == next(iter(PACKED))
    results = RESULTS if is_first else RESULTS.with_name(f"finetune-{Path(options.model).name}")
    markdown = partial(report.markdown, results.name)
    if options.render:
        speed_report.render(results, markdown)
        return 0
    chosen = {field.name: getattr(options, field.name) for field in CHOSEN}
    settings = Settings(**chosen, model=str(folder))
    console = Console(stderr=True)
    if options.model in PACKED:
        console.print(f"unpacking {folder.name}")
        unpack(options.model, folder)
    columns = (
        TextColumn("{task.description:<28}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        tokenizer = load_tokenizer(Path(settings.model))
        rows, shots = _rows(settings, tokenizer)
        cases = [case for some in asked(options.cases).values() for case in some]
        run = _Run(
            settings=settings,
            cases=cases,
            conditions=options.conditions,
            tokenizer=tokenizer,
            shots=shots,
            progress=progress,
        )
        trained = {form: run.train(form, rows[form]) for form in options.forms}
        forms = {form: run.figures(form, rows[form], trained[form]) for form in options.forms}
    figures = {
        "settings": asdict(settings) | {"model": Path(settings.model).name},
        "forms": forms,
        "device": device(),
        "versions": {
            "python": platform.python_version(),
            **{package: version(package) for package in PACKAGES},
        },
        "platform": f"{platform.python_implementation()}, {platform.system()} {platform.machine()}",
    }
    if options.save:
        speed_report.save(results, figures, markdown)
    speed_report.show_tables(report.READING, report.tables(figures), Console(width=120))
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m lton_bench.finetune")
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=(JSON, "wire"))
    parser.add_argument("--conditions", nargs="+", choices=CONDITIONS, default=(*CONDITIONS,))
    parser.add_argument("--cases", type=int, default=CASES, help="asked of each category")
    names = " or ".join(PACKED)
    helped = f"{names}, or a folder, as transformers saves models"
    parser.add_argument("--model", default=next(iter(PACKED)), help=helped)
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/finetune*")
    parser.add_argument("--render", action="store_true", help="write the .md from its .json")
    for field in CHOSEN:
        name = f"--{field.name.replace('_', '-')}"
        parser.add_argument(name, type=type(field.default), default=field.default)
    return parser.parse_args(arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """The state that all stages share."""

    settings: Settings
    cases: Sequence[Case]
    conditions: Sequence[str]
    tokenizer: Any
    shots: Sequence[Shot]
    progress: Progress

    def train(self, form: Written, rows: Sequence[Tokens]) -> dict[str, Any]:
        folder = self.settings.folder(BUILD, form)
        return train(rows, folder, self.settings, self.progress, f"{form}: training")

    def figures(
        self, form: Written, rows: Sequence[Tokens], trained: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Ask for calls in a form; return the figures, including the training."""
        folder = self.settings.folder(BUILD, form)
        return {
            "training": trained,
            "prompt_tokens": sum(len(row.prompt) for row in rows),
            "completion_tokens": sum(len(row.completion) for row in rows),
            "answers": {
                name: [asdict(answer) for answer in self._ask(name, form, folder)]
                for name in self.conditions
            },
        }

    def _ask(self, name: str, form: Written, folder: Path) -> list[Answer]:
        """Return the answers, reusing the answers of an earlier run."""
        condition = CONDITIONS[name]
        kept = folder / f"{name.replace(', ', '-').replace(' ', '-')}.jsonl"
        lines = kept.read_text("utf-8").splitlines() if kept.is_file() else []
        known = {answer.case: answer for answer in (Answer(**json.loads(line)) for line in lines)}
        todo = [case for case in self.cases if case.id not in known]
        if todo:
            adapter = folder if condition.tuned else None
            model = _load(Path(self.settings.model), adapter, kind="bfloat16")
            task = self.progress.add_task(f"{form}: {name}", total=len(todo))
            shots = self.shots[: condition.shots]
            grammar = condition.grammar
            with kept.open("a", encoding="utf-8") as file:
                for answer in answers(
                    model, self.tokenizer, todo, form, shots=shots, grammar=grammar
                ):
                    known[answer.case] = answer
                    print(json.dumps(asdict(answer)), file=file, flush=True)
                    self.progress.advance(task)
        return [known[case.id] for case in self.cases]


def _rows(settings: Settings, tokenizer: Any) -> tuple[dict[str, list[Tokens]], list[Shot]]:
    """Return the first examples that are short enough in each form, and a few of them as shots."""
    rows: dict[str, list[Tokens]] = {form: [] for form in FORMS}
    shots: list[Shot] = []
    for example in examples():
        if len(shots) == settings.examples:
            break
        found = {form: tokens(example, form, tokenizer) for form in FORMS}
        if max(len(row.ids) for row in found.values()) <= settings.max_tokens:
            shots.append(example.shot)
            for form, row in found.items():
                rows[form].append(row)
    if len(shots) < settings.examples:
        raise ValueError(f"expected at most {len(shots)} examples of {settings.max_tokens} tokens")
    return rows, shots[:SHOTS]


if __name__ == "__main__":
    sys.exit(main())
