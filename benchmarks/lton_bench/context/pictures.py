"""Draw the parts of requests, and the cost of conversations over time."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from statistics import mean
from typing import TypeAlias

from lton.tokens import TokenCounter, TurnCache
from lton_bench import tau2
from lton_bench.context.bills import Chat, as_it_is, asks, measure, shown
from lton_bench.internals import minified
from lton_bench.pictures import as_svg, new_figure

Picture: TypeAlias = tuple[str, str]
_PARTS = {
    "system": ("system prompt", "#9aa3b5"),
    "definitions": ("definitions", "#c6b8dc"),
    "user": ("users", "#e9a03b"),
    "assistant": ("answers", "#d5c49a"),
    "calls": ("calls", "#e76f51"),
    "tool": ("results", "#2fae84"),
}
_FIGURES = {"ha": "center", "va": "center", "fontsize": 8, "color": "#111111"}
_LEAST = 0.08
"""The smallest share whose bar has room for its number."""
_MEAN = " (mean of {} sessions)"
_WIDTH = 3.75
"""The width in inches, which a phone shows without scaling."""


def _named(group: str) -> str:
    return group.replace("SWE", "SWE-agent").replace("tau", "tau-bench")


def requested(joined: Sequence[Chat], tokenizer: TokenCounter, definitions: int) -> dict[str, int]:
    """Return the tokens of each part of all requests; each request adds `definitions`."""
    found, counts = dict.fromkeys(_PARTS, 0), TurnCache()
    for session in joined:
        ends = [*asks(session)]
        found["definitions"] += definitions * len(ends)
        for at, each in enumerate(session):
            name = "calls" if each.get("tool_calls") else each["role"]
            requests = sum(end > at for end in ends)
            found[name] += requests * counts.count(tokenizer, each).tokens
    return found


def parts_picture(parts: Mapping[str, Mapping[str, int]]) -> str:
    """Draw the shares of the parts, with a bar for each group of sessions."""
    figure = new_figure(_WIDTH, 1.3 + 0.55 * len(parts))
    axes = figure.add_subplot()
    for place, found in enumerate(parts.values()):
        start = 0.0
        for name, (label, colour) in _PARTS.items():
            share = found[name] / sum(found.values())
            axes.barh(place, share, left=start, color=colour, label=None if place else label)
            if share >= _LEAST:
                axes.text(start + share / 2, place, f"{share:.0%}", **_FIGURES)
            start += share
    axes.set_yticks(
        range(len(parts)), [_named(each).replace(", ", "\n") for each in parts], fontsize=8
    )
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, 0), ncols=3, fontsize=8, frameon=False)
    return as_svg(figure)


def bills(joined: Sequence[Chat], tokenizer: TokenCounter) -> tuple[list[float], list[float]]:
    """Return the mean bill after each request, unchanged and with the defaults.

    The bills end with the shortest session. The unit is a thousand input tokens.
    """
    as_sent, ours = (
        [*map(mean, zip(*map(accumulate, measure(joined, way, tokenizer).requests_billed)))]  # noqa: B905 - the shortest
        for way in (as_it_is, shown())
    )
    return [each / 1000 for each in as_sent], [each / 1000 for each in ours]


def bills_picture(found: Mapping[str, tuple[list[float], list[float]]]) -> str:
    """Draw the bills, with a panel for each group of sessions."""
    figure = new_figure(_WIDTH, 0.4 + 2.2 * len(found))
    panels = figure.subplots(len(found), 1, squeeze=False)[:, 0]
    for axes, (name, (as_sent, ours)) in zip(panels, found.items(), strict=True):
        axes.plot(range(1, len(as_sent) + 1), as_sent, color="#c8553d", ls="--", label="as it is")
        axes.plot(range(1, len(ours) + 1), ours, color="#0b6e4f", label="with LTON")
        axes.set_title(name, fontsize=9)
        axes.set_ylim(bottom=0)
        axes.set_xlim(left=1)
        axes.tick_params(labelsize=8)
        axes.text(len(ours), ours[-1], f"{ours[-1] / as_sent[-1]:.2f}", fontsize=8, va="bottom")
        axes.legend(loc="upper left", fontsize=8, frameon=False)
        axes.set_ylabel("thousand tokens", fontsize=8)
    panels[-1].set_xlabel("requests so far", fontsize=8)
    return as_svg(figure)


def pictures(groups: Mapping[str, Sequence[Chat]], tokenizer: TokenCounter) -> Iterator[Picture]:
    """Yield the file name and the SVG of each picture."""
    tau = tokenizer.count(minified(tau2.load("airline")[0])).tokens
    parts = {
        name: requested(joined, tokenizer, tau if name.startswith("tau") else 0)
        for name, joined in groups.items()
    }
    yield "context-parts.svg", parts_picture(parts)
    long = {
        f"{_named(name)}{_MEAN.format(len(joined)) if joined[1:] else ''}": bills(joined, tokenizer)
        for name, joined in groups.items()
        if not name.endswith("single")
    }
    yield "context-bills.svg", bills_picture(long)
