"""One HTML page that shows a benchmark's results, and any call in every format.

It makes no requests, and a policy in it forbids them: style, code, vocabularies and plots are
inside. The code is the ES modules beside this file, one after another in a single script.
They write calls a second time, in JavaScript: tests compare them with the library and with the
benchmark, and the tokens with those of bpe-openai. `vocabulary` packs what `bpe.mjs` unpacks.
"""

import hashlib
import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import Any, Literal, NotRequired, TypedDict

from lton.chat import instructions
from lton.schema import ToolSet
from lton_bench.tokens.page.vocabulary import pack

__all__ = ["Plot", "Results", "Table", "explanation", "render"]

Cell = str | int | float | None

MODULES = (
    "json",
    "library",
    "schema",
    "lton",
    "definitions",
    "aliases",
    "toon",
    "yaml",
    "native",
    "formats",
    "bpe",
    "share",
    "tables",
    "page",
)
"""Each stands behind those that it imports."""
_TOOLS = "TOOL(PARAMETER)"
"""What the page replaces by the reader's tools."""
OWN = "LTON"
"""The group whose rows are marked."""
_IMPORT = re.compile(r'^import (\{.*\}) from "\./(\w+)\.mjs";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:class|const|function) (\w+))", re.MULTILINE)


class Table(TypedDict):
    """Rows of a name, a group and figures, and as many headings.

    Figures are parts of what minified JSON costs, unless `unit` says that they are counts.
    """

    title: str
    about: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    unit: NotRequired[Literal["ratio", "count"]]


class Plot(TypedDict):
    """A picture: what it shows, and an SVG document."""

    title: str
    svg: str


class Results(TypedDict):
    """What a run of the benchmark found: `meta` says of what, when and with what."""

    meta: Mapping[str, Any]
    tokenizers: Sequence[str]
    tables: Sequence[Table]
    plots: Sequence[Plot]
    sample: NotRequired[tuple[str, str]]
    """A call of the reader's own, and its tools, as JSON: then their results come first."""


def render(results: Results, vocabularies: Mapping[str, Mapping[bytes, int]]) -> str:
    """Return the page. `vocabularies` are ranks by name, of those in `vocabulary.NAMES`.

    Raises `ValueError` for a row that has not as many cells as its table has columns.
    """
    script = _script()
    digest = b64encode(hashlib.sha256(f"\n{script}".encode()).digest()).decode("ascii")
    call, tools = results.get("sample") or _sample()
    shown = Template(_read("results.html")).substitute(
        heading="The results" if "sample" in results else "The benchmark",
        meta=_meta({**results["meta"], "counted by": results["tokenizers"]}),
        tables="\n".join(_table(f"table-{i}", table) for i, table in enumerate(results["tables"])),
        plots="\n".join(map(_plot, results["plots"])),
    )
    return Template(_read("template.html")).substitute(
        hash=f"sha256-{digest}",
        style=_read("style.css"),
        script=script,
        call=html.escape(call),
        tools=html.escape(tools),
        explanation=explanation(),
        options="".join(f"<option>{html.escape(name)}</option>" for name in vocabularies),
        vocabularies="\n".join(
            f'<script type="text/plain" id="vocabulary-{html.escape(name)}">{pack(ranks)}</script>'
            for name, ranks in vocabularies.items()
        ),
        above=shown if "sample" in results else "",
        below="" if "sample" in results else shown,
        links="".join(
            f'<a href="#table-{index}">{html.escape(table["title"])}</a>'
            for index, table in enumerate(results["tables"])
        ),
    )


def _read(name: str) -> str:
    return (files("lton_bench.tokens.page") / name).read_text("utf-8")


def _script() -> str:
    """Return the modules as one script: each is a function that gives what the module exports."""
    script = "\n".join(_function(name, _read(f"{name}.mjs")) for name in MODULES)
    assert "</script" not in script.lower()  # it would end there
    return script


def _function(name: str, module: str) -> str:
    exported = ", ".join(found[2] for found in _EXPORT.finditer(module))
    body = _EXPORT.sub(r"\1", _IMPORT.sub(r"const \1 = $\2;", module))
    return f"const ${name} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def _sample() -> tuple[str, str]:
    """Return the call that the fields begin with, and its tool: the first of the demo's."""
    demo = json.loads((files("lton_bench.demo") / "tools.json").read_text("utf-8"))
    arguments = {"city": "San Leandro", "days": 7, "unit": "C"}
    call = {"name": demo[0]["function"]["name"], "arguments": arguments}
    return json.dumps(call, indent=2), json.dumps(demo[0], indent=2)


def explanation() -> str:
    """Return what `lton serve --calls lton` tells a model, about the tools of `_TOOLS`."""
    return instructions(ToolSet.from_prompt(_TOOLS), form="punctuated")


# --- results ------------------------------------------------------------------------------------


def _meta(meta: Mapping[str, Any]) -> str:
    rows = (f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in meta.items())
    return f"<dl>{''.join(rows)}</dl>"


def _text(value: object) -> str:
    """Return a value for people: lists with commas, all else as it prints."""
    if isinstance(value, Mapping):
        value = [f"{name}: {part}" for name, part in value.items()]
    if isinstance(value, Iterable) and not isinstance(value, str):
        value = ", ".join(map(str, value))
    return html.escape(str(value))


def _table(id_: str, table: Table) -> str:
    columns, is_ratio = table["columns"], table.get("unit", "ratio") == "ratio"
    rows = "\n".join(_row(row, len(columns), is_ratio=is_ratio) for row in table["rows"])
    title = html.escape(table["title"])
    heads = "".join(
        f'<th scope="col"{" class=number" if index > 1 else ""}>{html.escape(column)}</th>'
        for index, column in enumerate(columns)
    )
    return (
        f'<h3 id="{id_}">{title}</h3>\n<p class="about">{html.escape(table["about"])}</p>\n'
        f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{id_}">'
        f'<table aria-labelledby="{id_}">\n<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody>\n</table></div>"
    )


def _row(row: Sequence[Cell], width: int, *, is_ratio: bool) -> str:
    if len(row) != width:
        raise ValueError(f"expected {width} cells, found {len(row)}: {row!r}")
    name, group, *figures = row
    mark = ' class="own"' if group == OWN else ""
    group = html.escape(str(group))
    cells = "".join(_cell(figure, is_ratio=is_ratio) for figure in figures)
    head = f'<th scope="row">{html.escape(str(name))}</th><td>{group}</td>'
    return f'<tr data-group="{group}"{mark}>{head}{cells}</tr>'


def _cell(figure: Cell, *, is_ratio: bool) -> str:
    """Return a cell: the further a ratio is from 1, the stronger is its tint."""
    if figure is None:
        return '<td class="number">&ndash;</td>'
    if isinstance(figure, str):
        return f'<td class="number">{html.escape(figure)}</td>'
    if not is_ratio:
        shown = f"{figure:,.1f}" if isinstance(figure, float) else f"{figure:,}"
        return f'<td class="number" data-value="{figure}">{shown}</td>'
    side, distance = ("less", 1 - figure) if figure < 1 else ("more", (figure - 1) / 2)
    tint = f"--p:{min(60, distance * 90):.0f}%"
    return f'<td class="number {side}" style="{tint}" data-value="{figure}">{figure:.2f}</td>'


def _plot(plot: Plot) -> str:
    """Return a plot as an image: so its styles and names stay its own, and no script in it runs."""
    title, data = html.escape(plot["title"]), b64encode(plot["svg"].encode()).decode("ascii")
    image = f'<img src="data:image/svg+xml;base64,{data}" alt="{title}">'
    return f"<figure><figcaption>{title}</figcaption>{image}</figure>"
