"""Show the figures as tables: validity, accuracy, tokens, and paired differences."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from lton_bench.finetune.evaluate import INVALID
from lton_bench.speed.report import Table, markdown_tables, versions
from lton_bench.study.figures import Estimate, accuracy, compare

__all__ = ["CONDITIONS", "READING", "SHOTS", "Condition", "markdown", "tables"]

SHOTS = 3
READING = (
    "One model gets a LoRA adapter for each form of calls, with the same examples and steps.",
    "The questions are reported cases of the study (BFCL). No training example is near them.",
    "All prompts show tools as signatures. Prompts have examples only if the row says so.",
    "`valid`: answers with one call that fits its tool. `right`: answers that are right by BFCL's",
    "rules. Both are shares with 95 % intervals (Wilson). `tokens` is the mean of sampled tokens.",
    "Without a grammar or examples, the base model cannot know the form.",
    "Differences are paired by case, with bootstrap intervals and p of McNemar's exact test.",
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition: base or tuned model, the number of examples, and with or without a grammar."""

    tuned: bool
    shots: int
    grammar: bool


CONDITIONS = {
    f"base, {SHOTS} examples": Condition(tuned=False, shots=SHOTS, grammar=False),
    "base, grammar": Condition(tuned=False, shots=0, grammar=True),
    "tuned": Condition(tuned=True, shots=0, grammar=False),
    "tuned, grammar": Condition(tuned=True, shots=0, grammar=True),
}
PAIRS = (("tuned", f"base, {SHOTS} examples"), ("tuned, grammar", "base, grammar"))


def tables(figures: Mapping[str, Any]) -> tuple[Table, ...]:
    """Return the tables."""
    return (_answers(figures), _differences(figures), _training(figures), versions(figures))


def markdown(name: str, figures: Mapping[str, Any]) -> str:
    """Return the report as Markdown; `name` is the name of the session and of the file."""
    reading = (f"Rendered from {name}.json, which `make {name}` writes.", *READING)
    return markdown_tables("Fine-tuning", reading, tables(figures))


def _answers(figures: Mapping[str, Any]) -> Table:
    rows = []
    for form, found in figures["forms"].items():
        for name, said in found["answers"].items():
            valid = accuracy([answer["failure"] != INVALID for answer in said])
            tokens = sum(answer["tokens"] for answer in said) / len(said)
            right = accuracy(_right(said))
            rows.append((f"{form}: {name}", _words(valid), _words(right), f"{tokens:.1f}"))
    count = len(said)
    return Table(
        title="Answers",
        header=("", "valid", "right", "tokens"),
        rows=rows,
        below=[f"{count} cases"],
    )


def _differences(figures: Mapping[str, Any]) -> Table:
    forms = {
        form: {name: _right(said) for name, said in found["answers"].items()}
        for form, found in figures["forms"].items()
    }
    pairs = [
        (f"{form}: {ours} less {theirs}", right[ours], right[theirs])
        for form, right in forms.items()
        for ours, theirs in PAIRS
        if ours in right and theirs in right
    ]
    pairs += [
        (f"{name}: {ours} less {theirs}", right, forms[theirs][name])
        for theirs, ours in combinations(forms, 2)
        for name, right in forms[ours].items()
    ]
    rows = []
    for title, ours, theirs in pairs:
        found = compare(ours, theirs)
        only = f"{found.only_ours}, {found.only_theirs}"
        p = f"{found.p:.3f}" if found.p >= 0.0005 else "< 0.001"
        rows.append((title, _words(found.difference), only, p))
    return Table(
        title="Differences in right answers", header=("", "", "only one right", "p"), rows=rows
    )


def _training(figures: Mapping[str, Any]) -> Table:
    settings = figures["settings"]
    rows = [
        (
            form,
            f"{found['training']['steps']:,}",
            f"{found['prompt_tokens']:,}",
            f"{found['completion_tokens']:,}",
            *(f"{_mean(part):.2f}" for part in _ends(found["training"]["losses"])),
            f"{found['training']['seconds'] / 60:.1f}",
        )
        for form, found in figures["forms"].items()
    ]
    parameters = next(iter(figures["forms"].values()))["training"]["parameters"]
    return Table(
        title="Training",
        header=("", "steps", "prompt tokens", "learned tokens", "first loss", "last loss", "min"),
        rows=rows,
        below=[
            f"{settings['model']} on {figures['device']}, {parameters:,} parameters trained",
            ", ".join(f"{key} {value}" for key, value in settings.items() if key != "model"),
            "losses are means per token over a tenth of the steps, so losses of two forms cannot be"
            " compared; minutes count from the last time that the run was resumed, and other"
            " programs also used the machine",
        ],
    )


def _ends(losses: Sequence[float]) -> tuple[Sequence[float], Sequence[float]]:
    tenth = max(1, len(losses) // 10)
    return losses[:tenth], losses[-tenth:]


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _right(said: Iterable[Mapping[str, Any]]) -> list[bool]:
    return [answer["failure"] is None for answer in said]


def _words(found: Estimate) -> str:
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
