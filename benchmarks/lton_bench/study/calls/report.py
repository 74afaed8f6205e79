"""Show the summary of the study as Markdown, and draw accuracy against cost."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from typing import Any

from lton_bench.markdown_tables import write_head, write_interval, write_row
from lton_bench.pictures import as_svg, new_figure
from lton_bench.study.calls.conditions import BASELINES
from lton_bench.study.calls.kinds import OURS
from lton_bench.study.models import SIZES
from lton_bench.study.tasks import REPORTED

__all__ = [
    "markdown",
    "picture",
    "readme_table",
    "sizes_picture",
    "summary_table",
    "table",
]

_MARK = "<!-- study: make study-full -->"
_TITLES = {
    "qwen-1.5b": "Qwen2.5-Coder 1.5B",
    "qwen-0.5b": "Qwen2.5-Coder 0.5B",
    "gemma3": "Gemma 3 270M",
    "smollm2": "SmolLM2 135M",
}
"""The names of models in the README."""
_ROWS = 3
"""The number of models in the README: the largest ones."""
_WRITTEN, _GUIDED = "LTON punctuated", "guided, call"
_SHORT = {
    "simple_python": "simple",
    "live_simple": "live",
    "simple_java": "Java",
    "simple_javascript": "JavaScript",
}
_TICKS = (10, 20, 50, 100)
_KINDS = (
    "For the cases with one tool and one call: the share of right arguments among those that"
    " cannot be omitted. An answer without a call has no right arguments. BFCL has no unions."
)
_DRAWN = {
    "JSON spaced": "JSON",
    "LTON punctuated": "LTON, punctuated",
    "LTON wire": "LTON, by position",
    "guided, JSON": "guided, JSON",
    "guided, call": "guided, LTON",
}
"""The conditions in the picture by size, with their names."""
_MARKS = "os8^vDPXp*"
_COLOURS = {"JSON": "#c8553d", "Python": "#7d8597", "LTON": "#2a78b8", "guided": "#0b6e4f"}


def markdown(results: Mapping[str, Any]) -> str:
    """Return the report: for each model the conditions, the failures and the goals."""
    return "\n".join([*_lines(results), ""])


def _lines(results: Mapping[str, Any]) -> Iterator[str]:
    yield from ("# What models get right, and what it costs", "", results["about"], "")
    if results.get("alike"):
        yield from _sizes(results["alike"])
    for model, figures in results["models"].items():
        yield from (f"## {model}", "", *table(figures["conditions"]), "")
        yield from _categories(figures["conditions"])
        yield from _kinds(figures["kinds"])
        yield from ("### What was wrong", "", *_failures(figures["conditions"]), "")
        if figures["extras"]:
            yield from ("### Only simple cases", "", *table(figures["extras"]), "")
        yield from ("### Goals", "", *_goals(figures["goals"]), "")


def table(conditions: Mapping[str, Any]) -> Iterator[str]:
    """Yield a row for each condition, with the difference from JSON and 95 % intervals."""
    yield from write_head(
        "", "cases", "right", "difference from JSON", "valid", "prompt", "prefilled", "sampled",
        "of JSON's", "where both are right", "median", "time", "of JSON's", "prompt read",
    )  # fmt: skip
    for name, figures in conditions.items():
        difference = (
            "" if name == BASELINES[0] else write_interval(figures["difference"]["difference"])
        )
        cells = (
            figures["cases"],
            write_interval(figures["accuracy"]),
            difference,
            f"{figures['valid']:.1%}",
            f"{figures['prompt']:.0f}",
            f"{figures['prefilled']:.1f}",
            f"{figures['sampled']:.1f}",
            f"{figures['sampled_ratio']:.2f}",
            ""
            if figures["sampled_ratio_right"] is None
            else f"{figures['sampled_ratio_right']:.2f}",
            f"{figures['median']:.0f}",
            f"{figures['seconds']:.2f} s",
            f"{figures['seconds_ratio']:.2f}",
            f"{figures['writing_ratio']:.2f}",
        )
        yield write_row(name, *cells)


def _sizes(alike: Mapping[str, Any]) -> Iterator[str]:
    """Yield a row for each condition, and a column for each model, on the same cases."""
    models = next(iter(alike.values()))
    cases = next(iter(models.values()))["cases"]
    yield from ("## By size of model", "", f"The {cases} cases that every model was asked.", "")
    yield from write_head("right", *models)
    for condition, shares in alike.items():
        yield write_row(condition, *(write_interval(one) for one in shares.values()))
    yield ""


def _kinds(kinds: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a row for each kind of argument, with the difference from the best JSON format."""
    if not kinds:
        return
    names = [*kinds[0]["right"]]
    yield from ("### By kind of argument", "", _KINDS, "")
    yield from write_head("", "arguments", *names, f"{OURS}: difference from the best JSON format")
    for of in kinds:
        shares = (f"{of['right'][name]:.2f}" for name in names)
        less = write_interval(of["difference"]["difference"]) if "difference" in of else ""
        yield write_row(of["kind"], of["arguments"], *shares, less)
    yield ""


def readme_table(results: Mapping[str, Any]) -> str:
    """Return the short table of the README, with its mark: right answers of the largest models.

    Bold shares are significantly higher than the best share of JSON.
    """
    largest = {name: figures for name, figures in results["models"].items() if name in _TITLES}
    titles = ("JSON", "JSON, guided", "LTON", "LTON, guided")
    lines = [
        _MARK,
        *write_head("right answers (tokens sampled per question)", "questions", *titles),
    ]
    for model, of in [*largest.items()][:_ROWS]:  # the largest are the first
        conditions = of["conditions"]
        json_ = max((conditions[name] for name in BASELINES[:2]), key=_accuracy)
        columns = (json_, *(conditions[name] for name in (BASELINES[2], _WRITTEN, _GUIDED)))
        cells = []
        for one in columns:
            right = f"{100 * _accuracy(one):.0f} %"
            is_more = one["from_best"]["difference"]["low"] > 0
            cells.append(f"{f'**{right}**' if is_more else right} ({one['sampled']:.0f})")
        lines.append(write_row(_TITLES[model], conditions[_GUIDED]["cases"], *cells))
    return "\n".join((*lines, ""))


def _accuracy(figures: Mapping[str, Any]) -> float:
    value: float = figures["accuracy"]["value"]
    return value


def summary_table(results: Mapping[str, Any]) -> str:
    """Return the table of docs/results/models.md, with its mark: accuracy and tokens by model."""
    lines = [
        *write_head("", "cases", "right", "difference from the best JSON format", "tokens sampled")
    ]
    for model, of in results["models"].items():
        for condition, one in of["conditions"].items():
            lines.append(
                write_row(
                    f"{model}: {condition}",
                    one["cases"],
                    write_interval(one["accuracy"]),
                    write_interval(one["from_best"]["difference"]),
                    f"{one['sampled']:.1f}",
                )
            )
    return "\n".join((_MARK, *lines, ""))


def _categories(conditions: Mapping[str, Any]) -> Iterator[str]:
    yield from write_head("right", *(_SHORT.get(category, category) for category in REPORTED))
    for name, figures in conditions.items():
        shares = figures["categories"]
        cells = (write_interval(shares[one]) if one in shares else "" for one in REPORTED)
        yield write_row(name, *cells)
    yield ""


def _failures(conditions: Mapping[str, Any]) -> Iterator[str]:
    kinds = list(
        dict.fromkeys(kind for figures in conditions.values() for kind in figures["failures"])
    )
    yield from write_head("", *kinds)
    for name, figures in conditions.items():
        yield write_row(name, *(figures["failures"].get(kind, 0) for kind in kinds))


def _goals(goals: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield from write_head("", "goal", "found", "")
    for goal in goals:
        reached = goal["found"]
        text = f"{reached:.2f}" if isinstance(reached, float) else write_interval(reached)
        yield write_row(goal["condition"], goal["goal"], text, "met" if goal["met"] else "missed")


def picture(models: Mapping[str, Any]) -> str:
    """Draw accuracy against sampled tokens as SVG, with a panel for each model."""
    figure, panels = _panels(len(models), 4.2 * len(models) + 2)
    for axes, (model, figures) in zip(panels, models.items(), strict=True):
        for (name, one), mark in zip(figures["conditions"].items(), cycle(_MARKS), strict=False):
            share = one["accuracy"]
            reach = [
                [max(0.0, share["value"] - share["low"])],  # rounding puts it below none
                [max(0.0, share["high"] - share["value"])],
            ]
            axes.errorbar(
                one["sampled"], share["value"], reach, label=name, marker=mark, linestyle="",
                markersize=7, elinewidth=0.6, alpha=0.85, color=_colour(name),
            )  # fmt: skip
        axes.set_xscale("log")
        axes.set_xticks(_TICKS, [str(tick) for tick in _TICKS])
        axes.minorticks_off()
        cases = next(iter(figures["conditions"].values()))["cases"]
        axes.set_title(f"{model}, {cases} cases", fontsize=10)
        axes.set_xlabel("tokens sampled for an answer", fontsize=8)
    return _finish_picture(figure, panels)


def sizes_picture(alike: Mapping[str, Any]) -> str:
    """Draw accuracy against the size of the model as SVG, with a line for each condition."""
    figure, panels = _panels(1, 7)
    for (name, shares), mark in zip(alike.items(), cycle(_MARKS), strict=False):
        if name in _DRAWN:
            sizes = [SIZES[model] for model in shares]
            values = [one["value"] for one in shares.values()]
            panels[0].plot(sizes, values, label=_DRAWN[name], marker=mark, color=_colour(name))
    panels[0].set_xscale("log")
    panels[0].set_xticks([*SIZES.values()], [f"{name}\n{size} M" for name, size in SIZES.items()])
    panels[0].minorticks_off()
    panels[0].set_ylim(bottom=0)
    panels[0].set_xlabel("model, and its parameters in millions", fontsize=8)
    return _finish_picture(figure, panels)


def _panels(count: int, width: float) -> tuple[Any, Any]:
    figure = new_figure(width, 4)
    return figure, figure.subplots(1, count, sharey=True, squeeze=False)[0]


def _colour(condition: str) -> str:
    return next(value for key, value in _COLOURS.items() if condition.startswith(key))


def _finish_picture(figure: Any, panels: Any) -> str:
    """Finish a picture, and return it as SVG."""
    panels[-1].legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8, frameon=False)
    panels[0].set_ylabel("answers right", fontsize=8)
    return as_svg(figure)
