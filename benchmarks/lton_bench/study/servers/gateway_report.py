"""Compute the figures of the study `gateway` for each model and way, and the goals."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from lton_bench.markdown_tables import write_head, write_interval, write_row
from lton_bench.study.figures import accuracy, compare

__all__ = ["CONDITIONS", "GUIDED", "OWN", "UPSTREAM", "markdown", "page_table", "summary"]

OWN, UPSTREAM, GUIDED = "llama-server", "lton serve --upstream", "lton serve --model"
CONDITIONS = (OWN, UPSTREAM, GUIDED)
_MOST = {
    UPSTREAM: {"prompt": 0.65, "sampled": 0.75},
    GUIDED: {"prompt": 0.65, "sampled": 0.4, "seconds": 0.6},
}
"""The goals: the cost of LTON relative to the server's own tool calling."""
_MEASURES = ("prompt", "sampled", "seconds")

Sample = Mapping[str, Any]


def summary(samples: Iterable[Sample]) -> dict[str, Any]:
    """Return the figures by model, for the cases that were asked in each way of each model."""
    found: dict[tuple[str, str], dict[str, Sample]] = {}
    for sample in samples:
        found.setdefault((sample["model"], sample["condition"]), {})[sample["id"]] = sample
    shared = sorted(set.intersection(*map(set, found.values()))) if found else []
    models = dict.fromkeys(model for model, _ in found)
    return {
        model: _model({one: [found[model, one][id_] for id_ in shared] for one in CONDITIONS})
        for model in (models if shared else ())
    }


def _model(answers: Mapping[str, Sequence[Sample]]) -> dict[str, Any]:
    ways = {name: _condition(answers, name) for name in answers}
    return {"ways": ways, "goals": [goal for name in _MOST for goal in _goals(name, ways[name])]}


def _goals(way: str, found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    difference = found["difference"]["difference"]
    yield _goal(way, "right answers not below", difference, difference["value"] >= 0)
    if way == GUIDED:
        text = "more right answers, by an interval that excludes zero"
        yield _goal(way, text, difference, difference["low"] > 0)
    for key, most in _MOST[way].items():
        ratio = found[f"{key}_ratio"]
        yield _goal(way, f"{key} at most {most}", ratio, ratio <= most)


def _goal(way: str, goal: str, found: Any, met: bool) -> dict[str, Any]:
    return {"way": way, "goal": goal, "found": found, "met": met}


def _condition(answers: Mapping[str, Sequence[Sample]], name: str) -> dict[str, Any]:
    some, own = answers[name], answers[OWN]
    failures = Counter(one["failure"] for one in some if one["failure"])
    kinds = dict.fromkeys(one["category"] for one in some)
    return {
        "cases": len(some),
        "accuracy": asdict(accuracy(_right(some))),
        "difference": asdict(compare(_right(some), _right(own))),
        "categories": {
            kind: asdict(accuracy(_right([one for one in some if one["category"] == kind])))
            for kind in sorted(kinds)
        },
        **{key: _mean(some, key) for key in (*_MEASURES, "cached")},
        "median": median(one["seconds"] for one in some),
        **{f"{key}_ratio": _mean(some, key) / _mean(own, key) for key in _MEASURES},
        "failures": dict(failures.most_common()),
    }


def _right(samples: Sequence[Sample]) -> list[bool]:
    return [not one["failure"] for one in samples]


def _mean(samples: Sequence[Sample], key: str) -> float:
    total: float = sum(one[key] for one in samples)
    return total / len(samples)


# --- Markdown -------------------------------------------------------------------------------------

_ABOUT = """\
Written by `make study-gateway`. OpenAI's client asks the same cases of BFCL in three ways: with
a llama.cpp server's own tool calling, with `lton serve` in front of that server, and with `lton
serve` running the model in its own process. BFCL's rules judge the answers. Every case needs a
call, and `tool_choice` is `required`. The templates of these models do not show tools, so the
server has a template that does (`gateway_templates.py`). It was chosen from three templates with
a few development cases. *Prompt* and *sampled* are mean numbers of tokens, as the server reports
them. *Time* is the time from the request to the answer, on one thread. An earlier request had
the same tools, so only the question is new in the prompt. Other programs shared the processors.
The two ways with a server were measured in turn, case by case. `lton serve --model` was measured
later, by itself, so its relative time is only rough. In guided generation, the tokens of tools
that are weighed are read, not sampled."""


def markdown(results: Mapping[str, Any]) -> str:
    """Return the report: for each model the ways, categories, failures and goals."""
    return "\n".join([*_lines(results), ""])


def _lines(results: Mapping[str, Any]) -> Iterator[str]:
    yield from ("# A stock client, and what answers it", "", _ABOUT, "")
    for model, found in results["models"].items():
        ways = found["ways"]
        yield from (f"## {model}", "")
        yield from write_head(
            "", "cases", "right", "difference from the server's own", "prompt", "ratio", "sampled",
            "ratio", "time", "median", "ratio",
        )  # fmt: skip
        for name, one in ways.items():
            cells = (
                one["cases"],
                write_interval(one["accuracy"]),
                "" if name == OWN else write_interval(one["difference"]["difference"]),
                *(f"{one['prompt']:.0f}", f"{one['prompt_ratio']:.2f}"),
                *(f"{one['sampled']:.1f}", f"{one['sampled_ratio']:.2f}"),
                *(f"{one['seconds']:.2f} s", f"{one['median']:.2f} s"),
                f"{one['seconds_ratio']:.2f}",
            )
            yield write_row(name, *cells)
        yield ""
        for title, key in (("right, by category", "categories"), ("wrong", "failures")):
            kinds = list(dict.fromkeys(kind for one in ways.values() for kind in one[key]))
            yield from write_head(title, *kinds)
            for name, one in ways.items():
                yield write_row(name, *(_cell(one[key].get(kind, 0)) for kind in kinds))
            yield ""
        yield from write_head("", "goal", "found", "")
        for goal in found["goals"]:
            yield write_row(*(_cell(goal[key]) for key in ("way", "goal", "found", "met")))
        yield ""


def page_table(results: Mapping[str, Any]) -> str:
    """Return the table of docs/results/gateway.md: right answers and cost of each way."""
    lines = ["<!-- study-gateway: make study-gateway -->"]
    lines += write_head("", "right", "prompt tokens", "sampled tokens", "time")
    for model, found in results["models"].items():
        own, *ours = found["ways"].values()
        lines.append(
            write_row(f"{model}, the server's own", f"{own['accuracy']['value']:.1%}", *["1"] * 3)
        )
        for name, one in zip((UPSTREAM, GUIDED), ours, strict=True):
            ratios = (f"{one[f'{key}_ratio']:.2f}" for key in ("prompt", "sampled", "seconds"))
            lines.append(
                write_row(f"{model}, `{name}`", f"{one['accuracy']['value']:.1%}", *ratios)
            )
    return "\n".join([*lines, ""])


def _cell(found: Any) -> str:
    match found:
        case bool():
            return "met" if found else "missed"
        case float():
            return f"{found:.2f}"
        case Mapping():
            return write_interval(found)
    return str(found)
