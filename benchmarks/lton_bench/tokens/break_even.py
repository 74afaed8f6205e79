"""Compare LTON with JSON by the number of tools and calls, as a table and a picture.

    python -m lton_bench.tokens.break_even --out benchmarks/results

Tokens are counted with o200k. A conversation has definitions and calls. LTON has to be explained,
too: by the text of `lton serve --calls lton`. In JSON the model sees minified definitions; OpenAI's
models see TypeScript, and write the arguments of a call as JSON next to the name.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from lton.chat import instructions
from lton.cost.typescript import HEAD, TAIL, write_typescript
from lton.schema import ToolSet
from lton.tokens import counter
from lton_bench.internals import minified
from lton_bench.pictures import as_svg, new_figure
from lton_bench.tokens.measure import units
from lton_bench.tokens.pieces import Definition, Shown

__all__ = ["Costs", "Kind", "first", "kinds", "table"]

CALLS = (1, 10, 100)
SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100)
_RIVALS = {"JSON": "minified JSON", "TypeScript": "TypeScript, which OpenAI's models see"}
_CALLS = {
    "JSON": "JSON minified",
    "TypeScript": "JSON arguments only",
    "LTON": "LTON punctuated",
}
_COLOURS = {"JSON": "#c8553d", "TypeScript": "#264653"}
_HEAD = """\
`make bench-break-even` writes this table. It shows the tokens (o200k) of a tool, and the lowest
number of tools with which LTON takes fewer tokens, including its explanation of {explained} tokens.

"""


@dataclass(frozen=True, slots=True)
class Costs:
    """The tokens of a way to show tools: before all tools, for a tool, and for a call."""

    before: float
    tool: float
    call: float

    def total(self, tools: int, calls: int) -> float:
        """Return the tokens of a conversation.

        >>> Costs(before=100, tool=20, call=5).total(tools=3, calls=2)
        170
        """
        return self.before + tools * self.tool + calls * self.call


Kind = Mapping[str, Costs]
"""The costs of JSON, TypeScript and LTON, for one kind of tools."""


def first(kind: Kind, rival: str, calls: int) -> int | None:
    """Return the number of tools from which LTON takes fewer tokens than a rival, or None.

    >>> kind = {"LTON": Costs(100, 20, 5), "JSON": Costs(0, 50, 10)}
    >>> first(kind, "JSON", calls=1), first(kind, "JSON", calls=100)
    (4, 1)
    """
    lton, other = kind["LTON"], kind[rival]
    if other.tool <= lton.tool:
        return None
    return next(n for n in count(1) if lton.total(n, calls) < other.total(n, calls))


def kinds(results: Mapping[str, Any]) -> dict[str, Kind]:
    """Count the tokens of two kinds of tools: short ones, and those of MCP servers."""
    functions = sorted(
        _definitions("definitions_bfcl"), key=lambda definition: len(minified(definition))
    )
    short = functions[: len(functions) // 4]
    servers = list(_definitions("definitions_mcp"))
    calls = _calls(results)
    return {
        f"the shortest {len(short)} functions of BFCL": _costs(short, calls),
        f"the {len(servers)} tools of 24 MCP servers": _costs(servers, calls),
    }


def _definitions(dataset: str) -> Iterator[Definition]:
    for unit in units(dataset):
        assert isinstance(unit, Shown)
        yield from unit.tools


def _calls(results: Mapping[str, Any]) -> dict[str, float]:
    """Return the mean tokens of a call of BFCL, from the results of `make bench-tokens`."""
    data = results["datasets"]["bfcl_kept"]
    column = results["tokenizers"].index("o200k")
    call_tokens = {
        name: data["formats"][form]["tokens"][column] / data["calls"]
        for name, form in _CALLS.items()
    }
    # The name of the tool is next to the arguments.
    call_tokens["TypeScript"] += data["roles"]["JSON minified"]["name"] / data["calls"]
    return call_tokens


def _costs(tools: Sequence[Definition], calls: Mapping[str, float]) -> Kind:
    sets = [ToolSet.from_tools([tool]) for tool in tools]
    explained = instructions(sets[0], form="punctuated").replace(sets[0].prompt(), "", 1)
    definition_texts = {
        "JSON": ("", [minified(tool) for tool in tools]),
        "TypeScript": (
            HEAD + TAIL,
            [f"{write_typescript(tool['function'])}\n\n" for tool in tools],
        ),
        "LTON": (explained, [toolset.prompt() for toolset in sets]),
    }
    return {
        name: Costs(_mean([before]), _mean(texts), calls[name])
        for name, (before, texts) in definition_texts.items()
    }


def _mean(texts: Sequence[str]) -> float:
    return sum(count.tokens for count in counter("o200k").count_all(texts)) / len(texts)


def table(kinds_of_tools: Mapping[str, Kind]) -> str:
    """Return the table in Markdown."""
    head = ["tools", *(f"{name}, a tool" for name in _CALLS)]
    head += [f"shorter than {rival} from ({_words(CALLS)})" for rival in _RIVALS]
    lines = [f"| {' | '.join(head)} |", f"|---{'|---:' * (len(head) - 1)}|"]
    for name, kind in kinds_of_tools.items():
        cells = [name, *(f"{kind[name_of_form].tool:.0f}" for name_of_form in _CALLS)]
        cells += [
            ", ".join(str(first(kind, rival, calls) or "never") for calls in CALLS)
            for rival in _RIVALS
        ]
        lines.append(f"| {' | '.join(cells)} |")
    explained = next(iter(kinds_of_tools.values()))["LTON"].before
    return _HEAD.format(explained=round(explained)) + "\n".join(lines) + "\n"


def _words(calls: Sequence[int]) -> str:
    return f"{', '.join(map(str, calls))} call{'s' * (calls != (1,))}"


def picture(kinds_of_tools: Mapping[str, Kind]) -> str:
    """Draw the tokens of LTON relative to each rival, by the number of tools."""
    figure = new_figure(8, 3.6)
    panels = figure.subplots(1, len(kinds_of_tools), sharey=True)
    for axes, (title, kind) in zip(panels, kinds_of_tools.items(), strict=True):
        for rival, words in _RIVALS.items():
            for calls, style in ((1, "-"), (100, ":")):
                _line(axes, kind, rival, calls, style, f"{words}, {_words((calls,))}")
        axes.axhline(1, color="#333333", linewidth=0.8)
        axes.set_title(f"Tools: {title}", fontsize=9)
        axes.set_xscale("log")
        axes.set_xticks(ticks := [1, 2, 5, 10, 20, 50, 100], [str(tick) for tick in ticks])
        axes.minorticks_off()
        axes.set_xlabel("tools", fontsize=8)
        axes.tick_params(labelsize=8)
    panels[0].set_ylabel("tokens of LTON (above 1: longer)", fontsize=8)
    how = {"fontsize": 8, "title_fontsize": 8, "alignment": "left", "frameon": False}
    panels[-1].legend(loc="upper right", title="compared with", **how)
    return as_svg(figure)


def _line(axes: Any, kind: Kind, rival: str, calls: int, style: str, label: str) -> None:
    def ratio(tools: int) -> float:
        return kind["LTON"].total(tools, calls) / kind[rival].total(tools, calls)

    axes.plot(SIZES, [*map(ratio, SIZES)], style, color=_COLOURS[rival], linewidth=1.5, label=label)
    least = first(kind, rival, calls)
    if calls == 1 and least and least <= SIZES[-1]:
        at = (least, ratio(least))
        axes.plot(*at, "o", color=_COLOURS[rival], markersize=5)
        offset = (-42, -22) if rival == "JSON" and least > 1 else (4, 6)
        axes.annotate(f"from {least} on", at, xytext=offset, textcoords="offset points", fontsize=8)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table and the picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    out: Path = parser.parse_args(arguments).out
    kinds_of_tools = kinds(json.loads((out / "tokens.json").read_text("utf-8")))
    (out / "break-even.md").write_text(table(kinds_of_tools), "utf-8")
    (out / "break-even.svg").write_text(picture(kinds_of_tools), "utf-8")
    print(table(kinds_of_tools))


if __name__ == "__main__":
    main()
