"""Compute the figures of each model and condition from the samples, and judge the goals.

Conditions are compared on the cases that all of them answered.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from lton_bench.study.calls.answers import CUT_OFF, UNREADABLE, Sample
from lton_bench.study.calls.conditions import BASELINES, CONDITIONS, EXTRAS
from lton_bench.study.calls.kinds import by_kind
from lton_bench.study.figures import accuracy, compare
from lton_bench.study.models import MODELS
from lton_bench.study.tasks import REPORTED

__all__ = ["alike", "summary"]

Answers = Mapping[str, Mapping[str, Sample]]
"""Answers by condition and case."""

JSON = BASELINES[0]
_SIMPLE = "simple_python"
_TOKENS, _TIME = 0.25, 0.5
"""The goals for the cost of guided generation relative to direct JSON."""


def summary(samples: Iterable[Sample]) -> dict[str, Any]:
    """Return the figures by model: conditions, kinds of arguments, simple cases, and goals.

    The largest model comes first.
    """
    return {model: _model(answers) for model, answers in _by_model(samples).items()}


def alike(samples: Iterable[Sample]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the right answers by condition and model, on the cases of all models."""
    models = {model: _conditions(answers) for model, answers in _by_model(samples).items()}
    shared = set.intersection(*({*all_of[JSON]} for all_of in models.values()))
    return {
        name: {
            model: {
                "cases": len(shared),
                **asdict(accuracy(_right([all_of[name][id_] for id_ in shared]))),
            }
            for model, all_of in models.items()
        }
        for name in (condition.name for condition in CONDITIONS)
        if all(name in all_of for all_of in models.values())
    }


def _by_model(samples: Iterable[Sample]) -> dict[str, dict[str, dict[str, Sample]]]:
    by_model: dict[str, dict[str, dict[str, Sample]]] = {}
    for sample in samples:
        of = by_model.setdefault(sample["model"], {}).setdefault(sample["condition"], {})
        of[sample["id"]] = sample
    ranks = {model: rank for rank, model in enumerate(reversed(MODELS))}  # the largest is the last
    return dict(sorted(by_model.items(), key=lambda entry: ranks.get(entry[0], -1)))


def _conditions(answers: Answers) -> dict[str, dict[str, Sample]]:
    return _pair_answers(answers, [condition.name for condition in CONDITIONS])


def _model(answers: Answers) -> dict[str, Any]:
    all_of = _conditions(answers)
    simple = {
        name: {id_: one for id_, one in some.items() if one["category"] == _SIMPLE}
        for name, some in answers.items()
    }
    extra = _pair_answers(simple, [condition.name for condition in (*CONDITIONS, *EXTRAS)])
    return {
        "conditions": {name: _condition(all_of, name) for name in all_of},
        "kinds": by_kind(all_of),
        "extras": {name: _condition(extra, name) for name in extra if len(extra) > len(all_of)},
        "goals": [
            goal
            for name in all_of
            if name not in BASELINES and name.startswith("guided")
            for goal in _goals(all_of, name)
        ],
    }


def _pair_answers(answers: Answers, names: Sequence[str]) -> dict[str, dict[str, Sample]]:
    """Return the answers of some conditions to the cases that all answered, in the same order."""
    chosen_answers = {name: answers[name] for name in names if name in answers}
    shared = sorted(set.intersection(*map(set, chosen_answers.values()))) if chosen_answers else []
    return {name: {id_: some[id_] for id_ in shared} for name, some in chosen_answers.items()}


def _condition(answers: Answers, name: str) -> dict[str, Any]:
    some, baseline = [*answers[name].values()], [*answers[JSON].values()]
    failures = Counter(sample["failure"] for sample in some if sample["failure"])
    cases = len(some)
    return {
        "cases": cases,
        "accuracy": asdict(accuracy(_right(some))),
        "difference": asdict(compare(_right(some), _right(baseline))),
        "from_best": asdict(compare(_right(some), _best(answers))),
        "categories": {
            category: asdict(accuracy(_right(part)))
            for category in REPORTED
            if (part := [one for one in some if one["category"] == category])
        },
        "valid": 1 - (failures[CUT_OFF] + failures[UNREADABLE]) / cases,
        "prompt": _mean(some, "prompt"),
        "prefilled": _mean(some, "prefilled"),
        "sampled": _mean(some, "sampled"),
        "median": median(sample["sampled"] for sample in some),
        "seconds": _mean(some, "seconds"),
        "sampled_ratio": _mean(some, "sampled") / _mean(baseline, "sampled"),
        "sampled_ratio_right": _ratio_right(answers[name], answers[JSON]),
        "writing_ratio": _mean(some, "writing") / _mean(baseline, "writing"),
        "seconds_ratio": _mean(some, "seconds") / _mean(baseline, "seconds"),
        "failures": dict(failures.most_common()),
    }


def _best(answers: Answers) -> list[bool]:
    """Return the right answers of the condition of JSON that is best for this model."""
    rivals = (answers[name] for name in BASELINES if name in answers)
    return max((_right([*some.values()]) for some in rivals), key=sum)


def _goals(answers: Answers, name: str) -> list[dict[str, Any]]:
    """Judge a guided condition: accuracy compared with the best JSON format, tokens, and time."""
    goals = []
    for where, category in (("simple", _SIMPLE), ("all tasks", "")):
        part = {
            of: [one for one in some.values() if category in ("", one["category"])]
            for of, some in answers.items()
        }
        if not part[name]:
            continue
        rivals = {
            of: compare(_right(part[name]), _right(part[of])) for of in BASELINES if of in part
        }
        rival, comparison = min(rivals.items(), key=lambda entry: entry[1].difference.value)
        text = f"accuracy on {where} not below {rival}"
        goals.append(
            _goal(name, text, asdict(comparison.difference), comparison.difference.value >= 0)
        )
        if not category:
            text = "accuracy on all tasks above each of JSON's, by an interval that excludes zero"
            low = min(rivals.values(), key=lambda entry: entry.difference.low)
            goals.append(_goal(name, text, asdict(low.difference), low.difference.low > 0))
    ours = _condition(answers, name)
    for key, text, most in (
        ("sampled", "tokens sampled", _TOKENS),
        ("seconds", "time, with the prompt,", _TIME),
        ("writing", "time, once the prompt is read,", _TIME),
    ):
        ratio = ours[f"{key}_ratio"]
        goals.append(_goal(name, f"{text} at most {most} of {JSON}", ratio, ratio <= most))
    return goals


def _goal(condition: str, goal: str, reached: Any, met: bool) -> dict[str, Any]:
    return {"condition": condition, "goal": goal, "found": reached, "met": met}


def _right(samples: Sequence[Sample]) -> list[bool]:
    return [not sample["failure"] for sample in samples]


def _ratio_right(some: Mapping[str, Sample], baseline: Mapping[str, Sample]) -> float | None:
    """Return the sampled tokens relative to the baseline, if both are right, or None without cases.

    The ratio shows the savings without answers that do not end.
    """
    both = [id_ for id_ in some if not (some[id_]["failure"] or baseline[id_]["failure"])]
    own, other = ([samples[id_] for id_ in both] for samples in (some, baseline))
    return _mean(own, "sampled") / _mean(other, "sampled") if both else None


def _mean(samples: Sequence[Sample], key: str) -> float:
    total: float = sum(sample[key] for sample in samples)  # type: ignore[literal-required]
    return total / len(samples)
