"""Count a model's right answers by the share of the text that it sees.

    python -m lton_bench.compress.curve ANSWERS --hotpot FILE --outputs FILE --out FOLDER

ANSWERS is the file of `lton_bench.compress.answers`. The file contains the answers to LTON's share
of a text, with `--rate`, and to all of the text.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lton_bench.compress.answers import EVERYTHING, RATE, Asked, of_hotpot, of_outputs
from lton_bench.compress.data import _lines
from lton_bench.compress.scores import exact, share

WAY = "LTON"

Said = Mapping[float, Mapping[str, str]]
"""The answers of a model, by the share of the text and by question."""


def read(rows: Iterable[Mapping[str, object]], model: str) -> Said:
    """Return the answers of a model. Answers with a rate replace answers without one.

    >>> row = {"id": "a", "model": "m", "way": "LTON"}
    >>> read([row | {"said": "new", "rate": 0.2}, row | {"said": "old"}], "m")
    {0.2: {'a': 'new'}}
    """
    found: dict[float, dict[str, str]] = {}
    for each in sorted(rows, key=lambda each: "rate" in each):
        if each["model"] == model and each["way"] in (WAY, EVERYTHING):
            rate = 1.0 if each["way"] == EVERYTHING else float(str(each.get("rate", RATE)))
            found.setdefault(rate, {})[str(each["id"])] = str(each["said"])
    return dict(sorted(found.items()))


def table(sets: Mapping[str, Sequence[Asked]], said: Said) -> list[str]:
    """Return the lines of a table: a row for each share, a column for each set of questions.

    Each column covers the questions that were asked at all shares.
    """
    asked = {
        name: [each for each in questions if all(each.id in found for found in said.values())]
        for name, questions in sets.items()
    }
    lines = [f"| shown of the text | {' | '.join(sets)} |", f"|---:|{'---:|' * len(sets)}"]
    lines.append(f"| questions | {' | '.join(str(len(each)) for each in asked.values())} |")
    for rate, found in said.items():
        cells = []
        for questions in asked.values():
            right = [exact(found[each.id], each.answer) for each in questions]
            whole = [exact(said[1.0][each.id], each.answer) for each in questions]
            most = share(right)
            more = share([a - b for a, b in zip(right, whole, strict=True)])
            cells.append(
                f"{most.value:.0f} % [{most.low:.0f}, {most.high:.0f}],"
                f" {more.value:+.0f} [{more.low:+.0f}, {more.high:+.0f}]"
            )
        lines.append(f"| {100 * rate:.0f} % | {' | '.join(cells)} |")
    return lines


_ABOUT = """\
Answers of {model}, right but for case, punctuation and articles, by the share of the text that LTON
leaves; 100 % is the text as it is. After the comma: how many percentage points more than with all
of the text, question by question. Intervals are of 95 % (bootstrap)."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table of a model."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("answers", type=Path)
    parser.add_argument("--hotpot", type=Path, required=True)
    parser.add_argument("--outputs", type=Path, required=True)
    parser.add_argument("--called", default="Qwen2.5-Coder 1.5B", help="the model's name")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results")
    options = parser.parse_args(arguments)
    sets = {
        "HotpotQA": [*of_hotpot(options.hotpot, {})],
        "output of tools": [*of_outputs(_lines(options.outputs))],
    }
    lines = table(sets, read(_lines(options.answers), options.called))
    text = "\n".join([_ABOUT.format(model=options.called), "", *lines])
    (options.out / "compress-curve.md").write_text(text + "\n", "utf-8")
    print(text)


if __name__ == "__main__":
    main()
