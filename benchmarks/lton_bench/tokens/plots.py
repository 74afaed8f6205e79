"""Draw the results as SVG, with the same bytes for the same results."""

from collections.abc import Iterator
from typing import Any

from lton_bench.internals import require
from lton_bench.pictures import as_svg, new_figure
from lton_bench.tokens.formats import BASELINE
from lton_bench.tokens.report import GROUPS, ROLES
from lton_bench.tokens.results import CODE, KEPT, Results

_COLOURS = {
    "LTON": "#0b6e4f", "JSON": "#c8553d", "rival": "#7d8597", "native": "#b5a8c9",
    "binary": "#d5c49a", "floor": "#333333",
}  # fmt: skip
_ROLE_COLOURS = ("#264653", "#e9a03b", "#9b5de5", "#2a9d8f", "#c9ccd1", "#e76f51")
_WIDEST = 2
"""The longest bar, so that the other bars stay readable."""
_SPLIT = (
    BASELINE, "JSON name and array", "Python call", "TOON by name", "LTON tagged",
    "LTON punctuated", "LTON keyed", "LTON wire", "LTON wire, aliases", "values and name",
)  # fmt: skip


def plots(results: Results) -> Iterator[tuple[str, str, str]]:
    """Yield the file name, the title and the SVG of each picture."""
    for name in (KEPT, CODE):
        if name in results["datasets"]:
            data = results["datasets"][name]
            title = f"{data['name']}: tokens, minified JSON = 1"
            yield f"tokens-{name}.svg", title, _bars(data, title)
    if KEPT in results["datasets"] and results["datasets"][KEPT]["roles"]:
        data = results["datasets"][KEPT]
        title = f"{data['name']}: where the tokens of a call go ({data['splitter']})"
        yield "tokens-roles.svg", title, _roles(data, title)


def _bars(data: dict[str, Any], title: str) -> str:
    """Draw the mean over tokenizers of each format, with the range from lowest to highest."""
    bars = sorted(data["formats"].items(), key=lambda bar: -bar[1]["mean"])
    left_out = [name for name, ratio in bars if ratio["mean"] >= _WIDEST]
    bars = bars[len(left_out) :]
    figure, axes = _figure(len(bars), title)
    for position, (name, ratio) in enumerate(bars):
        colour = _COLOURS[GROUPS[name]]
        axes.barh(position, ratio["mean"], color=colour)
        axes.plot(
            (min(ratio["ratio"]), max(ratio["ratio"])), (position, position), color="#00000088"
        )
        axes.text(ratio["mean"] + 0.01, position + 0.18, f"{ratio['mean']:.2f}", fontsize=7)
    axes.axvline(1, color="#00000055", linewidth=0.8)
    axes.set_yticks(range(len(bars)), [name for name, _ in bars], fontsize=8)
    patches = require("matplotlib.patches", "bench")
    groups = [g for g in _COLOURS if any(GROUPS[name] == g for name, _ in bars)]
    handles = [patches.Patch(color=_COLOURS[group], label=group) for group in groups]
    axes.legend(handles=handles, loc="upper right", fontsize=8)
    above = f"\nnot shown, above {_WIDEST}: {', '.join(left_out)}" if left_out else ""
    axes.set_xlabel(f"line: from the lowest to the highest tokenizer{above}", fontsize=8)
    return as_svg(figure)


def _roles(data: dict[str, Any], title: str) -> str:
    names = [name for name in _SPLIT if name in data["roles"]]
    figure, axes = _figure(len(names), title)
    starts = [0.0] * len(names)
    for role, colour in zip(ROLES, _ROLE_COLOURS, strict=True):
        widths = [data["roles"][name].get(role, 0.0) / data["calls"] for name in names]
        if any(widths):
            axes.barh(range(len(names)), widths, left=starts, color=colour, label=role)
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.invert_yaxis()
    axes.legend(loc="lower right", fontsize=8)
    axes.set_xlabel("tokens a call", fontsize=8)
    return as_svg(figure)


def _figure(rows: int, title: str) -> tuple[Any, Any]:
    figure = new_figure(8, 1 + 0.22 * rows)
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=10)
    axes.margins(y=0.01)
    return figure, axes
