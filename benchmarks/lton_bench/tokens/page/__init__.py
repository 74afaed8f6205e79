"""Render an HTML page with the results of a benchmark, which shows any call in all formats.

The page makes no requests, and its policy forbids requests: style, code and vocabularies are
inside. The code is the ES modules in this folder, in a single script. The modules write calls in
JavaScript. Tests compare their output with the library and the benchmark, and their tokens with
bpe-openai. `vocabulary` packs the data that `bpe.mjs` unpacks.
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

__all__ = ["Results", "Table", "explanation", "render"]

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
    "formats",
    "bpe",
    "share",
    "tables",
    "page",
)
"""The modules, each after the modules that it imports."""
_TOOLS = "TOOL(PARAMETER)"
"""The string that the page replaces by the reader's tools."""
_SAMPLE_TOOLS = 8
OWN = "LTON"
"""The group whose rows are highlighted."""
_IMPORT = re.compile(r'^import (\{.*\}) from "\./(\w+)\.mjs";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:class|const|function) (\w+))", re.MULTILINE)


class Table(TypedDict):
    """Headings, and rows of a name, a group and figures.

    Figures are relative to minified JSON, unless `unit` says that they are counts.
    """

    title: str
    about: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    unit: NotRequired[Literal["ratio", "count"]]


class Results(TypedDict):
    """The results of a run; `meta` has the data sets, the date and the versions."""

    meta: Mapping[str, Any]
    tokenizers: Sequence[str]
    tables: Sequence[Table]
    sample: NotRequired[tuple[str, str]]
    """A call of the user, and its tools, as JSON. If given, the user's results come first."""


def render(results: Results, vocabularies: Mapping[str, Mapping[bytes, int]]) -> str:
    """Return the page. `vocabularies` has the ranks of tokens for names in `vocabulary.NAMES`.

    Raises `ValueError` if the cells of a row do not match the columns of its table.
    """
    script = _script()
    digest = b64encode(hashlib.sha256(f"\n{script}".encode()).digest()).decode("ascii")
    call, tools = results.get("sample") or sample_fields()
    report = Template(_read("results.html")).substitute(
        heading="The results" if "sample" in results else "The benchmark",
        meta=_meta({**results["meta"], "counted by": results["tokenizers"]}),
        tables="\n".join(_table(f"table-{i}", table) for i, table in enumerate(results["tables"])),
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
        above=report if "sample" in results else "",
        below="" if "sample" in results else report,
        links="".join(
            f'<a href="#table-{index}">{html.escape(table["title"])}</a>'
            for index, table in enumerate(results["tables"])
        ),
    )


def _read(name: str) -> str:
    return (files("lton_bench.tokens.page") / name).read_text("utf-8")


def _script() -> str:
    """Return the modules as one script; each module is a function that returns its exports."""
    script = "\n".join(_function(name, _read(f"{name}.mjs")) for name in MODULES)
    assert "</script" not in script.lower()  # it would end there
    return script


def _function(name: str, module: str) -> str:
    exported = ", ".join(match[2] for match in _EXPORT.finditer(module))
    body = _EXPORT.sub(r"\1", _IMPORT.sub(r"const \1 = $\2;", module))
    return f"const ${name} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def sample_fields() -> tuple[str, str]:
    """Return the initial call of the page, and the first tools of a real MCP server."""
    server = json.loads((files("lton_bench.mcp") / "github.json").read_text("utf-8"))
    arguments = {"owner": "octocat", "repo": "hello", "title": "The page's title is cut off"}
    call = {"name": "create_issue", "arguments": arguments}
    return json.dumps(call, indent=2), json.dumps(server["tools"][:_SAMPLE_TOOLS], indent=2)


def explanation() -> str:
    """Return what `lton serve --calls lton` tells a model, about the tools of `_TOOLS`."""
    return instructions(ToolSet.from_prompt(_TOOLS), form="punctuated")


# --- results ------------------------------------------------------------------------------------


def _meta(meta: Mapping[str, Any]) -> str:
    rows = (f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in meta.items())
    return f"<dl>{''.join(rows)}</dl>"


def _text(value: object) -> str:
    """Return a value for people: lists with commas, and other values as `str` does."""
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
    """Return a cell, whose tint is stronger the further the ratio is from 1."""
    if figure is None:
        return '<td class="number">&ndash;</td>'
    if isinstance(figure, str):
        return f'<td class="number">{html.escape(figure)}</td>'
    if not is_ratio:
        text = f"{figure:,.1f}" if isinstance(figure, float) else f"{figure:,}"
        return f'<td class="number" data-value="{figure}">{text}</td>'
    side, distance = ("less", 1 - figure) if figure < 1 else ("more", (figure - 1) / 2)
    tint = f"--p:{min(60, distance * 90):.0f}%"
    return f'<td class="number {side}" style="{tint}" data-value="{figure}">{figure:.2f}</td>'
