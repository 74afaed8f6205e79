"""Draw results as SVG with light and dark colors, with the same bytes for the same results."""

from io import StringIO
from typing import Any

from lton_bench.internals import require

_DARK = {
    "#ffffff": "#1e2129", "#000000": "#d0d0d0", "#333333": "#b0b0b0", "#cccccc": "#555555",
    "#264653": "#7fb3c4", "#0b6e4f": "#2fae84",
}  # fmt: skip
"""The colors that differ in dark mode, because they could not be seen."""


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure; the size is in inches."""
    matplotlib = require("matplotlib", "bench")
    matplotlib.rcParams["svg.hashsalt"] = "lton"
    matplotlib.rcParams["svg.fonttype"] = "none"
    return require("matplotlib.figure", "bench").Figure(figsize=(width, height))


def as_svg(figure: Any) -> str:
    """Return a figure as SVG, which follows the reader's color scheme."""
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    buffer = StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    rules = (
        f'[style*="{what}: {light}"]{{{what}:{dark}!important}}'
        for light, dark in _DARK.items()
        for what in ("fill", "stroke")
    )
    text = f"text{{fill:{_DARK['#000000']}}}"
    dark = f"<style>@media(prefers-color-scheme:dark){{{text}{''.join(rules)}}}</style>"
    return buffer.getvalue().replace(" <defs>", f" {dark}\n <defs>", 1)
