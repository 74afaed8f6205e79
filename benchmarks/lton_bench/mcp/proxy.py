"""Count the tokens that `lton mcp-proxy` saves in each mode, over recorded servers.

    python -m lton_bench.mcp.proxy [--out benchmarks/results]

Definitions are shown to the model in each request: name, description and schema of each tool,
minified. Calls are made up for each tool, with its required arguments. Results are the answers of
the token benchmark, in JSON. Searches are tested with the questions of BFCL's category
live_multiple, among all tools of the category.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lton import Call, encode
from lton.mcp_proxy.catalogue import Catalogue, ProxySettings
from lton.mcp_proxy.results import names_to_shorten
from lton.mcp_proxy.unshown import find_unshown_names, members_of
from lton.results import short_result
from lton.schema import ToolSet
from lton.schema.ranking import Ranking
from lton.schema.types import JSON, Type
from lton.tokens import counter
from lton_bench import bfcl
from lton_bench.internals import Form, minified
from lton_bench.mcp.data import MODES, definitions, servers
from lton_bench.tokens.answers import by_schema
from lton_bench.tokens.datasets import answers_nested, answers_rows

TOKENIZERS = ("o200k", "llama3", "qwen", "deepseek")
SEVEN = ("fetch", "filesystem", "git", "github", "memory", "slack", "time")
"""Servers that are often used together, with 72 tools."""
_SHOWN = 5

_KINDS = {
    "list_employees": "rows of 6 cells",
    "read_log": "rows of 4 cells",
    "forecast": "rows of 5 cells",
    "get_order": "an object with rows in it",
    "search_issues": "rows with keys missing",
    "get_profile": "an object",
}
"""The kind of each tool's answers, which decides the form."""

Tokens = dict[str, list[int]]
"""The tokens of each row, by tokenizer."""

GIVEN_UP = (
    "- `pass` gives up `outputSchema` and `structuredContent` if results are shortened. Programs"
    " that read results as data need `--results as-is`.\n"
    "- `line` gives up the client's knowledge of each tool. The client asks for permission for"
    " `call`, not for each tool, and does not check arguments, which the proxy does. Annotations,"
    " titles and patterns are not shown, and no API constrains the content of a line."
    " Some APIs limit the length of a description. Clients do not request tasks for tools that"
    " work without tasks.\n"
    "- `--show names` also gives up descriptions of tools and parameters, which `describe` returns."
    " `--show budget=N` gives up the descriptions that do not fit.\n"
    "- `tools` gives up notes in schemas: examples, comments and titles of members. Descriptions,"
    " types and bounds stay, so clients and APIs check the same arguments. Permissions per tool,"
    " annotations and titles of tools stay.\n"
    "- `search` gives up what `line` gives up. The first use of a tool costs an additional request"
    " and answer, and a search does not always show the right tool. The names of all tools are"
    " shown.\n"
)


def definitions_by_mode(tools: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield each mode with the definitions that a model is shown."""
    for name, settings in MODES.items():
        listed = tools if settings is None else Catalogue.of(list(tools), settings).listing
        yield name, definitions(listed)


def signatures(tools: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield listings without a primer and without JSON around them."""
    compiled = ToolSet.from_tools(list(tools))
    yield "as JSON", minified({"tools": [_plain(tool) for tool in tools]})
    yield "as signatures", compiled.prompt()
    yield "as signatures without limits", compiled.prompt(limits=False)
    yield "as signatures without descriptions", compiled.prompt(descriptions=False)


def _plain(tool: dict[str, Any]) -> dict[str, Any]:
    return {key: tool[key] for key in ("name", "description", "inputSchema") if key in tool}


def calls(tools: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield a made-up call of each tool in each spelling, if layout and schema allow the call."""
    compiled = ToolSet.from_tools(list(tools))
    forms: tuple[Form, ...] = ("wire", "keyed", "punctuated")
    for tool in compiled:
        params = [param for param in tool.args.params if param.required]
        arguments = {param.name: _value(param.name, param.type) for param in params}
        if tool.check and tool.check(arguments):
            continue  # a pattern or a bound that a made-up value does not keep
        yield "JSON", minified({"name": tool.name, "arguments": arguments})
        for form in forms:
            line = encode(Call(tool.name, arguments), compiled, form=form)
            line_call = {"name": "call", "arguments": {"line": line}}
            yield f"a line, {form}", minified(line_call)


_WORDS = {
    "path": "src/main.py",
    "file": "docs/notes.md",
    "url": "https://example.com/docs/start",
    "query": "open issues about login",
    "message": "Fix the login page",
    "content": 'Say "hello" to the team,\nthen go on.',
    "body": 'It says "not found"\nwhen I log in.',
    "name": "release notes",
    "id": "a7f3c2",
    "repo": "website",
    "owner": "octo",
}


def _value(name: str, node: Type) -> JSON:
    """Make up a value of a type; a string depends on the name of its parameter."""
    if node.string:
        values = node.string.values
        word = next((word for key, word in _WORDS.items() if key in name.lower()), "some text")
        return values[0] if values else word
    if node.number:
        return node.number.values[0] if node.number.values else int(node.number.minimum or 3)
    if node.booleans:
        return node.booleans[-1]
    if node.array:
        return [_value(name, node.array.items)]
    if node.object:
        params = [param for param in node.object.params if param.required]
        return {param.name: _value(param.name, param.type) for param in params}
    return None


def results() -> Iterator[tuple[str, str]]:
    """Yield answers of tools as servers send them, and as the proxy sends them."""
    for source in (answers_rows, answers_nested):
        for answer in source.load():
            text = minified(answer.value)
            yield "JSON", text
            yield "JSON, indented", json.dumps(answer.value, indent=2, ensure_ascii=False)
            yield "LTON", short_result(text)


def results_by_tool() -> dict[str, list[int]]:
    """Count each tool's answers in JSON, from the proxy, in indented JSON, and by position."""
    tokens: dict[str, list[int]] = {}
    for source in (answers_rows, answers_nested):
        for answer in source.load():
            text = minified(answer.value)
            wide = json.dumps(answer.value, indent=2, ensure_ascii=False)
            by_position = encode(*by_schema(answer)).partition(" ")[2]
            texts = text, short_result(text), wide, by_position
            row = tokens.setdefault(answer.tool, [0] * len(texts))
            for at, count in enumerate(counter(TOKENIZERS[0]).count_all(texts)):
                row[at] += count.tokens
    return tokens


def names_not_shown(tools: list[dict[str, Any]]) -> set[str]:
    """Return the names in a server's schemas that `line --show names` does not show."""
    catalogue = Catalogue.of(tools, ProxySettings(budget=0))
    text = "\n".join(tool["description"] for tool in catalogue.listing if tool["name"] == "call")
    return {
        name
        for tool in catalogue.definitions
        for name in find_unshown_names(members_of(tool["inputSchema"]), text)
    }


def total(texts: Iterator[tuple[str, str]]) -> Tokens:
    """Count the tokens of each row."""
    rows: dict[str, list[str]] = {}
    for name, text in texts:
        rows.setdefault(name, []).append(text)
    return {
        name: [
            sum(c.tokens for c in counter(tokenizer).count_all(row_texts))
            for tokenizer in TOKENIZERS
        ]
        for name, row_texts in rows.items()
    }


def recall() -> dict[str, Any]:
    """Return how often a search shows the right tool completely."""
    cases = bfcl.load(["live_multiple"])
    tools: dict[str, dict[str, Any]] = {}
    for case in cases:
        for tool in case.tools:
            tools.setdefault(tool["function"]["name"], tool)
    compiled = ToolSet.from_tools(list(tools.values()))
    ranking = Ranking(compiled)
    ranks = []
    for case in cases:
        names = [tool.name for tool in ranking.find_tools(case.question)]
        right_name = case.calls[0][0]
        ranks.append(names.index(right_name) if right_name in names else len(tools))
    within = {n: sum(rank < n for rank in ranks) / len(ranks) for n in (1, _SHOWN, 10)}
    return {"questions": len(cases), "tools": len(tools), "within": within}


def measure() -> dict[str, Any]:
    """Return all figures."""
    recorded = servers()
    seven = [tool for name in SEVEN for tool in recorded[name]]
    everything = list(recorded.values())
    return {
        "tokenizers": list(TOKENIZERS),
        "servers": len(recorded),
        "tools": sum(map(len, everything)),
        "definitions": total(pair for tools in everything for pair in definitions_by_mode(tools)),
        "seven": {
            "servers": list(SEVEN),
            "tools": len(seven),
            "definitions": total(definitions_by_mode(seven)),
            "listings": total(signatures(seven)),
        },
        "calls": total(pair for tools in everything for pair in calls(tools)),
        "results": total(results()),
        "results by tool": results_by_tool(),
        "shortened": {
            name: [
                len(tools),
                sorted({definition["name"] for definition in tools} - names_to_shorten(tools)),
                len(names_not_shown(tools)),
            ]
            for name, tools in recorded.items()
        },
        "search": recall(),
    }


def report(figures: dict[str, Any]) -> str:
    """Return the report as Markdown."""
    seven, search = figures["seven"], figures["search"]
    within = ", ".join(f"{share:.1%} among {n}" for n, share in search["within"].items())
    parts = [
        "# What `lton mcp-proxy` saves\n",
        "`make bench-mcp` counts these tokens. Brackets show the ratio to the tokens of JSON.\n",
        f"## Definitions: {figures['tools']} tools of {figures['servers']} recorded servers\n",
        "The table counts the tokens of each server's definitions, which are in every request.\n",
        _table(figures["tokenizers"], figures["definitions"]),
        f"## Definitions: {seven['tools']} tools of {', '.join(seven['servers'])}, as one server\n",
        _table(figures["tokenizers"], seven["definitions"]),
        "The listings alone, without the primer and the JSON around a description:\n",
        _table(figures["tokenizers"], seven["listings"]),
        "## Calls\n",
        "The table counts the tokens of an invented call to each tool, with its required arguments."
        " Tools with patterns that such arguments do not match are left out. Quotes in a line are"
        " escaped, because the line is a string in JSON.\n",
        _table(figures["tokenizers"], figures["calls"]),
        "## Results\n",
        "The table counts the tokens of tables and nested records, generated with a fixed seed.\n",
        _table(figures["tokenizers"], figures["results"]),
        f"The next table counts the tokens of {TOKENIZERS[0]} by tool. Results never get longer,"
        " because the proxy only changes results that get shorter. By position, results have no"
        " keys: a model would have to see them in the tool's `outputSchema`. The proxy does not"
        " write this form.\n",
        _by_tool(figures["results by tool"]),
        "### Which results are written shorter\n",
        "The proxy does not shorten results of servers with tools that match or write text,"
        " such as `edit_file`, or of tools whose results can be files. *Names not shown*"
        " counts the parameters and members that no signature of the server shows.\n",
        _by_server(figures["shortened"]),
        "## What each mode gives up\n",
        GIVEN_UP,
        f"Of {search['questions']:,} questions (BFCL, live_multiple) among {search['tools']} tools,"
        f" the search finds the right tool for these shares, by number of results: {within}.\n",
    ]
    return "\n".join(parts)


def _table(tokenizers: Sequence[str], rows: Tokens) -> str:
    base = next(iter(rows.values()))
    lines = [f"| | {' | '.join(tokenizers)} |", f"|---|{'---:|' * len(tokenizers)}"]
    for name, row in rows.items():
        cells = (f"{count:,} ({count / of:.2f})" for count, of in zip(row, base, strict=True))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _by_tool(rows: dict[str, list[int]]) -> str:
    lines = [
        "| | of | JSON | as the proxy sends it | of indented JSON | by position |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for name, (base, proxy_tokens, indented, by_position) in rows.items():
        cells = [
            f"`{name}`",
            _KINDS[name],
            f"{base:,}",
            f"{proxy_tokens:,} ({proxy_tokens / base:.2f})",
        ]
        cells += [f"{proxy_tokens / indented:.2f}", f"{by_position:,} ({by_position / base:.2f})"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _by_server(rows: dict[str, tuple[int, list[str], int]]) -> str:
    lines = [
        "| server | tools | names not shown | results shorter | results as they came |",
        "|---|---:|---:|---:|---|",
    ]
    for name, (count, unchanged, hidden) in rows.items():
        named = "all" if len(unchanged) == count else ", ".join(f"`{tool}`" for tool in unchanged)
        lines.append(f"| {name} | {count} | {hidden} | {count - len(unchanged)} | {named} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the report, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where mcp.md and mcp.json go")
    options = parser.parse_args()
    figures = measure()
    if options.out:
        (options.out / "mcp.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
        (options.out / "mcp.md").write_text(report(figures), "utf-8")
    print(report(figures))


if __name__ == "__main__":
    main()
