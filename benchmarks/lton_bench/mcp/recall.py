"""Test whether a model sees the right tool, and count the tokens: 224 questions, 388 tools.

    python -m lton_bench.mcp.recall

All recorded tools are joined into one server, as with `--config`. The questions
(`mcp/questions.tsv`) avoid the words of the tool if possible, and several tools may be right. Every
second question is in the unseen half, by which nothing was chosen. The query of a search is the
question, or the search words of a model (`lton_bench.mcp.calls`). Anthropic's tool search is
imitated: it searches names, descriptions and parameters by BM25 or a regular expression (any word
of the question, most matches first), and returns the best five definitions.
"""

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, NamedTuple

from lton.context.compress.ranking import Index
from lton.context.compress.words import Stems
from lton.mcp_proxy.catalogue import Catalogue, ProxySettings
from lton.tokens import counter
from lton_bench.mcp.calls import SEARCH, queries
from lton_bench.mcp.data import MODES, Question, as_one, definitions, joined, questions
from lton_bench.study.packed import FOLDER

TOKENIZER = "o200k"
_SHOWN = 5
_MODELS = ("qwen-0.5b", "qwen-1.5b")
_WORD = re.compile(r"[A-Za-z][a-z]{2,}")
Search = Callable[[str], Sequence[dict[str, Any]]]


class Way(NamedTuple):
    """A way to show tools: its results, and its tokens."""

    name: str
    shown: int
    """The tokens of each request."""
    found: int
    """The mean tokens of a search's results."""
    hits: list[bool]
    """For each question, whether a right tool is shown with its parameters."""


def ways(some: Collection[str] = ()) -> list[Way]:
    """Return the figures of all ways, for some or all servers."""
    tools = as_one(some)
    asked = questions(some)
    found = [_listed(name, tools, settings, asked) for name, settings in MODES.items()]
    found[-1] = _searched(tools, asked)
    searches = {"BM25": _by_bm25(tools), "regular expression": _by_regex(tools)}
    found += [_tool_search(name, search, asked) for name, search in searches.items()]
    for model in _MODELS:
        words = queries(FOLDER.parent, model)
        said = [each._replace(text=words[each.text]) for each in asked]
        found.append(_tool_search(f"BM25, words of {model}", searches["BM25"], said))
    return found


def _listed(
    name: str,
    tools: list[dict[str, Any]],
    settings: ProxySettings | None,
    asked: Sequence[Question],
) -> Way:
    """Test whether the right tools are listed, as tools or as signatures."""
    shown = tools if settings is None else Catalogue.of(tools, settings).listing
    names = {each["name"] for each in shown}
    signatures = "\n".join(each["description"] for each in shown if each["name"] == "call")
    hits = [_is_there(each, names, signatures) for each in asked]
    return Way(name, _tokens(definitions(shown)), 0, hits)


def _searched(tools: list[dict[str, Any]], asked: Sequence[Question]) -> Way:
    """Test the search of the proxy."""
    catalogue = Catalogue.of(tools, ProxySettings(mode="search"))
    answers = [catalogue.search(each.text) for each in asked]
    hits = [
        _is_there(each, set(), answer.partition("\nAlso: ")[0])
        for each, answer in zip(asked, answers, strict=True)
    ]
    shown = _tokens(definitions(catalogue.listing))
    return Way("`search`", shown, _mean(answers), hits)


def _is_there(asked: Question, names: set[str], signatures: str) -> bool:
    """Return whether a right tool is among names or signatures."""
    return any(
        name in names or re.search(rf"^{re.escape(name)}\b[^\w-]?", signatures, re.M)
        for name in map(joined, asked.tools)
    )


def _tool_search(name: str, search: Search, asked: Sequence[Question]) -> Way:
    found = [search(each.text)[:_SHOWN] for each in asked]
    hits = [
        _is_there(each, {tool["name"] for tool in tools}, "")
        for each, tools in zip(asked, found, strict=True)
    ]
    shown = _tokens(definitions([SEARCH]))
    return Way(f"tool search, {name}", shown, _mean(list(map(definitions, found))), hits)


def _by_bm25(tools: Sequence[dict[str, Any]]) -> Search:
    stems = Stems()
    index = Index([stems.of(_said(tool)) for tool in tools])

    def search(question: str) -> Sequence[dict[str, Any]]:
        scores = index.score(dict.fromkeys(stems.of(question), 1.0))
        order = sorted(range(len(tools)), key=scores.__getitem__, reverse=True)
        return [tools[at] for at in order if scores[at]]

    return search


def _by_regex(tools: Sequence[dict[str, Any]]) -> Search:
    texts = [_said(tool) for tool in tools]

    def search(question: str) -> Sequence[dict[str, Any]]:
        wanted = re.compile("|".join(_WORD.findall(question)) or "$^", re.I)
        counts = [len(set(map(str.lower, wanted.findall(text)))) for text in texts]
        order = sorted(range(len(tools)), key=counts.__getitem__, reverse=True)
        return [tools[at] for at in order if counts[at]]

    return search


def _said(tool: dict[str, Any]) -> str:
    """Return the searched words: names and descriptions of the tool and its parameters."""
    params = tool["inputSchema"].get("properties", {})
    said = [f"{name} {about.get('description', '')}" for name, about in params.items()]
    return " ".join([tool["name"].replace("_", " "), tool.get("description", ""), *said])


@cache
def _tokens(text: str) -> int:
    return counter(TOKENIZER).count(text).tokens


def _mean(texts: Sequence[str]) -> int:
    return round(sum(map(_tokens, texts)) / len(texts))


def measure() -> dict[str, Any]:
    """Return how often a right tool is shown, in each half of the questions."""
    rows = []
    for way in ways():
        shares = [sum(half) / len(half) for half in (way.hits[::2], way.hits[1::2])]
        rows.append({"way": way.name, "shown": way.shown, "found": way.found, "shares": shares})
    return {"questions": len(questions()), "tools": len(as_one()), "ways": rows}


def report(found: dict[str, Any]) -> str:
    """Return the report as Markdown."""
    every = found["ways"][0]["shown"]
    lines = [
        "## Is the right tool there?\n",
        f"{found['questions']} questions, {found['tools']} tools, joined into one server. The"
        " table shows for which share of the questions the model sees a right tool with its"
        " parameters. The *unseen* half of the questions was not used in development. A search gets"
        " the question, or search words of a model, and returns five tools. Tokens are counted with"
        f" {TOKENIZER}. Brackets contain the share of the tokens of all definitions.\n",
        "| | tokens of every request | of what is found | development | unseen |",
        "|---|---:|---:|---:|---:|",
    ]
    for way in found["ways"]:
        shares = (f"{share:.1%}" for share in way["shares"])
        cells = [f"{way['shown']:,} ({way['shown'] / every:.2f})", f"{way['found']:,}", *shares]
        lines.append(f"| {way['way']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(report(measure()))
