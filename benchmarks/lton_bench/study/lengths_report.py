"""Show the results of `lengths`: true lengths, and right copies by form."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lton_bench.study.figures import accuracy
from lton_bench.study.lengths_cases import OTHERS

__all__ = ["markdown", "summary"]

Sample = dict[str, Any]
Summary = dict[str, Any]

ALL = "all"
"""The group of all cases with a range of lengths."""
_TITLES = {"text": "Strings, by characters", "integer": "Integers, by digits"}
_VERDICTS: dict[str, Callable[[Sample], bool]] = {
    "right": lambda sample: sample["right"],
    "copied": lambda sample: sample["copied"],
    "valid": lambda sample: sample["valid"],
}
_OF_COUNTS: dict[str, Callable[[Sample], bool]] = {
    "held": lambda sample: sample["held"],
    "count": lambda sample: sample["count"] == sample["size"],
    "low": lambda sample: sample["count"] is not None and sample["count"] < sample["size"],
    "high": lambda sample: sample["count"] is not None and sample["count"] > sample["size"],
    "repaired": lambda sample: sample["repaired"],
}


def summary(samples: Iterable[Sample]) -> Summary:
    """Return figures by model and shots, kind, form, "free" or "grammar", and group.

    Each figure is a share with its interval, except `answers` and the mean of `tokens`.
    """
    groups: dict[tuple[str, ...], list[Sample]] = {}
    for sample in samples:
        mode = "grammar" if sample["grammar"] else "free"
        for group in (sample["group"], *([] if sample["group"] in OTHERS else [ALL])):
            asked = f"{sample['model']}, {sample['shots']} shots"
            path = (asked, sample["kind"], sample["form"], mode, group)
            groups.setdefault(path, []).append(sample)
    made: Summary = {}
    for (*parts, group), some in groups.items():
        place = made
        for part in parts:
            place = place.setdefault(part, {})
        place[group] = _figures(some)
    return made


def _figures(samples: Sequence[Sample]) -> Summary:
    verdicts = _VERDICTS | (_OF_COUNTS if "count" in samples[0] else {})
    figures: Summary = {
        "answers": len(samples),
        "tokens": sum(sample["sampled"] for sample in samples) / len(samples),
    }
    for name, verdict in verdicts.items():
        share = accuracy([verdict(sample) for sample in samples])
        figures[name] = [share.value, share.low, share.high]
    return figures


def markdown(figures: Summary) -> str:
    """Return the tables of each model: each form by length, then the lengths."""
    parts = []
    for model, kinds in figures.items():
        parts.append(f"### {model}")
        for kind, forms in kinds.items():
            parts += [f"#### {_TITLES[kind]}", _forms(forms)]
            parts += [_counts(name, modes) for name, modes in forms.items() if _counted(modes)]
    return "\n\n".join(parts) + "\n"


def _forms(forms: Summary) -> str:
    """Return the right copies of each form by group, and for all: copied, valid, tokens."""
    rows = [(form, mode, groups) for form, modes in forms.items() for mode, groups in modes.items()]
    names = list(dict.fromkeys(name for *_, groups in rows for name in groups))
    ranges = [name for name in names if name not in (*OTHERS, ALL)]
    others = [name for name in names if name in OTHERS]
    head = ["form", "", *ranges, "all (95 %)", "copied", "valid", "tokens", *others]
    table = []
    for form, mode, groups in rows:
        whole = groups[ALL]
        table.append(
            [
                f"`{form}`" if form.endswith(":") else form,
                mode,
                *[_share(groups, name, "right") for name in ranges],
                _interval(whole["right"]),
                _share(groups, ALL, "copied"),
                _share(groups, ALL, "valid"),
                f"{whole['tokens']:.1f}",
                *[_share(groups, name, "right") for name in others],
            ]
        )
    return _table(head, table)


def _counted(modes: Summary) -> bool:
    return any("count" in figures for groups in modes.values() for figures in groups.values())


def _counts(form: str, modes: Summary) -> str:
    """Return the results of a form's lengths, by group."""
    columns = {
        "free": {
            "held": "of what followed",
            "count": "of what was asked",
            "copied": "copied",
            "right": "right",
            "repaired": "right if repaired",
        },
        "grammar": {
            "count": "of what was asked",
            "low": "too low: cut",
            "high": "too high: padded",
            "right": "right",
        },
    }
    shown = [(mode, *column) for mode in modes for column in columns[mode].items()]
    names = list(dict.fromkeys(name for groups in modes.values() for name in groups))
    names.sort(key=lambda name: name == ALL)
    table = [
        [name, *[_share(modes[mode], name, verdict) for mode, verdict, _ in shown]]
        for name in names
    ]
    return _table([f"`{form}`", *[f"{mode}: {title}" for mode, _, title in shown]], table)


def _share(groups: Summary, group: str, verdict: str) -> str:
    return f"{groups[group][verdict][0]:.0%}" if group in groups else ""


def _interval(share: Sequence[float]) -> str:
    value, low, high = share
    return f"{value:.0%} ({low:.0%} to {high:.0%})"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * 2 + ["---:"] * (len(head) - 2), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
