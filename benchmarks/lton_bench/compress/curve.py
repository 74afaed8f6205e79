"""Count a model's right answers by the share of the text that it sees.

    python -m lton_bench.compress.curve ANSWERS --hotpot FILE --outputs FILE --out FOLDER

ANSWERS is the file of `lton_bench.compress.answers`, with the answers to several shares of a text
(`--rate`), to all of the text and to no text.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from lton_bench.compress.answers import EVERYTHING, NOTHING, RATE, Asked, of_hotpot, of_outputs
from lton_bench.compress.data import _lines
from lton_bench.compress.scores import exact, share
from lton_bench.pictures import as_svg, new_figure
from lton_bench.study.packed import content

_ENDS = {EVERYTHING: 1.0, NOTHING: 0.0}
_WHOLE = EVERYTHING, _ENDS[EVERYTHING]
_OURS = "LTON"

Said: TypeAlias = Mapping[tuple[str, float], Mapping[str, str]]
"""The answers of a model, by way and share of the text, and by question."""
Cells: TypeAlias = Mapping[tuple[str, float], Sequence[bool]]
"""Whether the answers to the same questions are right, by way and share of the text."""


def read(rows: Iterable[Mapping[str, object]], model: str) -> Said:
    """Return the answers of a model, ordered by the share of the text.

    >>> row = {"id": "a", "model": "m", "said": "yes"}
    >>> read([row | {"way": "no text"}, row | {"way": "LTON", "rate": 0.1}], "m")
    {('no text', 0.0): {'a': 'yes'}, ('LTON', 0.1): {'a': 'yes'}}
    """
    found: dict[tuple[str, float], dict[str, str]] = {}
    for each in rows:
        if each["model"] == model:
            way = str(each["way"])
            rate = _ENDS.get(way, float(str(each.get("rate", RATE))))
            found.setdefault((way, rate), {})[str(each["id"])] = str(each["said"])
    return dict(sorted(found.items(), key=lambda cell: cell[0][1]))


def right(questions: Sequence[Asked], said: Said) -> Cells:
    """Return whether each answer is right, for the questions that all ways of a set answer."""
    ids = {each.id for each in questions}
    cells = {place: found for place, found in said.items() if ids & found.keys()}
    asked = [each for each in questions if all(each.id in found for found in cells.values())]
    return {
        place: [exact(found[each.id], each.answer) for each in asked]
        for place, found in cells.items()
    }


def table(cells: Cells) -> Iterator[str]:
    """Yield the lines of a table: a row for each way, a column for each share of the text."""
    rates = list(dict.fromkeys(rate for _, rate in cells))
    yield f"|  | {' | '.join(f'{100 * rate:.0f} %' for rate in rates)} |"
    yield f"|---|{'---:|' * len(rates)}"
    for way in sorted({way for way, _ in cells}, key=lambda way: (way in _ENDS, way != _OURS, way)):
        yield f"| {way} | {' | '.join(_cell(cells.get((way, rate))) for rate in rates)} |"
    whole = cells[_WHOLE]
    differences = [
        _cell([a - b for a, b in zip(cells[_OURS, rate], whole, strict=True)], "+")
        if (_OURS, rate) in cells
        else ""
        for rate in rates
    ]
    yield f"| {_OURS}, more than all of the text | {' | '.join(differences)} |"


def _cell(figures: Sequence[float] | None, sign: str = "") -> str:
    """Return a mean in percent with its interval."""
    if figures is None:
        return ""
    mean = share(figures)
    low, high = (format(each, f"{sign}.0f") for each in (mean.low, mean.high))
    return f"{mean.value:{sign}.0f} [{low}, {high}]"


def picture(models: Mapping[str, Mapping[str, Cells]]) -> str:
    """Draw a row for each model, a panel for each set of questions and a line for each way."""
    columns = max(map(len, models.values()))
    figure = new_figure(4.5 * columns, 3.2 * len(models))
    grid = figure.subplots(len(models), columns, sharey=True, squeeze=False)
    for (model, sets), panels in zip(models.items(), grid, strict=True):
        for axes, (name, cells) in zip(panels, sets.items(), strict=True):
            _draw(axes, cells)
            axes.set(title=f"{name}, {model}", xlabel="% of the text", ylim=(0, 100))
        panels[0].set_ylabel("% of answers right")
    return as_svg(figure)


def _draw(axes: Any, cells: Cells) -> None:
    for way in dict.fromkeys(way for way, _ in cells if way not in _ENDS):
        places = [place for place in cells if place[0] in (way, *_ENDS)]
        shares = [share(cells[place]) for place in places]
        reach = [
            [each.value - each.low for each in shares],
            [each.high - each.value for each in shares],
        ]
        axes.errorbar(
            [100 * rate for _, rate in places],
            [each.value for each in shares],
            yerr=reach,
            label=way,
            marker="o",
            capsize=3,
            linewidth=2.5 if way == _OURS else 1,
        )
    axes.legend(fontsize=7, frameon=False, loc="lower right")


_ABOUT = """\
`make study-compress` writes this: the share of right answers in %, by the share of the text that
is shown to the model. Case, punctuation and articles do not matter. At 0 % the model sees only
the question, and at 100 % the whole text. Brackets are 95 % intervals (bootstrap). The last row
of each table is the difference in percentage points, question by question."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the tables and the picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("answers", type=Path)
    parser.add_argument("--hotpot", type=Path, required=True)
    parser.add_argument("--outputs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results")
    options = parser.parse_args(arguments)
    rows = [json.loads(line) for line in content(options.answers).splitlines()]
    questions = {
        "HotpotQA": [*of_hotpot(options.hotpot, {})],
        "Output of tools": [*of_outputs(_lines(options.outputs))],
    }
    models = {
        model: {name: right(asked, read(rows, model)) for name, asked in questions.items()}
        for model in dict.fromkeys(str(row["model"]) for row in rows)
    }
    lines = [_ABOUT, ""]
    for model, sets in models.items():
        for name, cells in sets.items():
            lines += [f"### {name}, {model}, {len(cells[_WHOLE])} questions", ""]
            lines += [*table(cells), ""]
    text = "\n".join(lines)
    (options.out / "compress-curve.md").write_text(text, "utf-8")
    (options.out / "compress-curve.svg").write_text(picture(models), "utf-8")
    print(text)


if __name__ == "__main__":
    main()
