"""Count tokens of real APIs' answers and of nested calls in LTON, TOON and GCF.

TOON and GCF are written by their own packages.

    python scripts/api_results.py
    python -m lton_bench.tokens.api_results --toon build/npm --out benchmarks/results

TOON is `@toon-format/toon` from npm, GCF is `gcf-python` from PyPI. Tokens are those of o200k.
"""

import argparse
import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from lton import Call, LTONError, ToolSet, encode
from lton.results import ForModels, read, write
from lton.tokens import counter
from lton_bench.internals import minified, require
from lton_bench.rivals import spell_python

BUILD = Path("build")
_REPLAYED = BUILD / "pygithub-2.10.0" / "tests" / "ReplayData"
_CASSETTES = BUILD / "praw-8.0.3" / "tests" / "integration" / "cassettes"
_BIOMCP = BUILD / "mcp-bench" / "mcp_servers" / "biomcp" / "tests" / "data"
_NOTION = BUILD / "ultimate-notion" / "tests" / "cassettes"
_ACEBENCH = BUILD / "ACEBench" / "data_all" / "data_en"
MODELS: tuple[ForModels, ...] = ("any", "small", "large")
_NESTED = ("object_deep", "object_short")


class Data(NamedTuple):
    """The answers of an API."""

    name: str
    values: list[Any]


def github(name: str) -> list[Any]:
    """Return the answers in a recording of PyGithub: a line of JSON after each request."""
    lines = (_REPLAYED / f"{name}.txt").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line[:2] in ('{"', "[{")]


def reddit(name: str) -> list[Any]:
    """Return the answers in a cassette of PRAW, without the answer to the login."""
    cassette = json.loads((_CASSETTES / f"{name}.json").read_text("utf-8"))
    bodies = [
        interaction["response"]["body"]["string"] for interaction in cassette["interactions"][1:]
    ]
    return [json.loads(body) for body in bodies if body.startswith(("[", "{"))]


def biomcp(name: str) -> list[Any]:
    """Return an answer from the tests of mcp-bench's biomedical server."""
    return [json.loads((_BIOMCP / name).read_text("utf-8"))]


def notion(name: str, path: str) -> list[Any]:
    """Return the largest answer of a path in a cassette of ultimate-notion."""
    cassette = yaml.load((_NOTION / f"{name}.yaml").read_text("utf-8"), yaml.CSafeLoader)
    matching = [
        interaction
        for interaction in cassette["interactions"]
        if path in interaction["request"]["uri"]
    ]
    return [
        json.loads(max((interaction["response"]["content"] for interaction in matching), key=len))
    ]


def answers() -> list[Data]:
    """Return the answers of each API."""
    return [
        Data("GitHub: issues", github("AuthenticatedUser.testGetIssuesWithAllArguments")),
        Data("GitHub: pull requests", github("Issue131.testGetPullsWithOrgHeadUser")),
        Data("GitHub: repositories", github("Github.testGetRepos")),
        Data("GitHub: runs of workflows", github("PullRequest2408.test_get_workflow_runs")),
        Data("Reddit: posts", reddit("TestFront.test_hot")),
        Data("Reddit: comments", reddit("TestSubredditListings.test_comments")),
        Data(
            "Notion: rows of a database", notion("test_docs_py_snippets/test_db_querying", "/query")
        ),
        Data(
            "Notion: 100 empty pages",
            notion("test_database/test_more_than_max_page_size_pages", "/query"),
        ),
        Data("Notion: blocks of a page", notion("test_page/test_page_to_markdown", "/children")),
        Data("Notion: search", notion("test_session/test_search_page", "/search")),
        Data("ClinicalTrials.gov: a trial", biomcp("ct_gov/trials_NCT04280705.json")),
        Data("MyVariant: a variant", biomcp("myvariant/variants_full_braf_v600e.json")),
        Data("MyVariant: hits", biomcp("myvariant/variants_part_braf_v600_multiple.json")),
        Data("openFDA: drugs", biomcp("openfda/drugsfda_search.json")),
        Data("openFDA: recalls", biomcp("openfda/enforcement_search.json")),
    ]


class NestedCall(NamedTuple):
    """A call whose arguments are objects, and its tools."""

    call: Call
    tools: ToolSet


def nested_calls() -> Iterator[NestedCall]:
    """Yield ACEBench's calls with objects as arguments, without calls that break their schema."""
    for kind in _NESTED:
        name = f"data_normal_atom_{kind}.json"
        questions = map(json.loads, (_ACEBENCH / name).read_text("utf-8").splitlines())
        right = (_ACEBENCH / "possible_answer" / name).read_text("utf-8").splitlines()
        for question, line in zip(questions, map(json.loads, right), strict=True):
            truth = line["ground_truth"]
            try:
                tools = ToolSet.from_tools(question["function"])
                for gold_call in truth if isinstance(truth, list) else [truth]:
                    for tool, arguments in gold_call.items():
                        call = Call(tool, arguments)
                        encode(call, tools)
                        yield NestedCall(call, tools)
            except LTONError:
                continue


def toon(values: Iterable[Any], folder: Path) -> list[dict[str, Any]]:
    """Return each value in TOON, and whether the value is read back."""
    package = folder / "node_modules" / "@toon-format" / "toon" / "dist" / "index.mjs"
    program = Path(__file__).with_name("api_results.mjs")
    lines = "\n".join(map(minified, values))
    command = ["node", str(program), str(package)]
    finished = subprocess.run(  # noqa: S603 - the program is ours
        command, input=lines, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in finished.stdout.splitlines()]


Count = Callable[[str], int]


def rows_of_answers(count: Count, folder: Path) -> Iterator[list[str]]:
    """Yield a row for each kind of answers: tokens, and shares of minified JSON."""
    gcf = require("gcf", "gcf-python>=2.8")
    for data in answers():
        base = sum(count(minified(value)) for value in data.values)
        pairs = toon(data.values, folder)
        texts: dict[str, list[str]] = {
            "indented": [json.dumps(value, indent=2, ensure_ascii=False) for value in data.values],
            **{
                models: [write(value, for_models=models) for value in data.values]
                for models in MODELS
            },
            "gcf": [gcf.encode_generic(value) for value in data.values],
            "toon": [pair["text"] for pair in pairs],
        }
        lost = [
            name
            for name, same in (
                ("LTON", all(all(map(_is_read, texts[key], data.values)) for key in MODELS)),
                ("GCF", all(map(_is_read_by_gcf, texts["gcf"], data.values))),
                ("TOON", all(pair["same"] for pair in pairs)),
            )
            if not same
        ]
        parts = [f"{sum(map(count, key)) / base:.2f}" for key in texts.values()]
        yield [data.name, f"{base:,}", *parts, ", ".join(lost) or "-"]


def _is_read(text: str, value: Any) -> bool:
    return bool(read(text) == value)


def _is_read_by_gcf(text: str, value: Any) -> bool:
    try:
        return bool(require("gcf", "gcf-python>=2.8").decode_generic(text) == value)
    except Exception:  # what its decoder raises is not documented
        return False


def rows_of_calls(count: Count, folder: Path) -> Iterator[list[str]]:
    """Yield a row for each format of the nested calls: mean tokens, and the share of JSON."""
    calls = list(nested_calls())
    values = [{"name": call.name, "arguments": call.arguments} for call, _ in calls]
    base = [count(minified(value)) for value in values]
    formats: dict[str, Sequence[str]] = {
        "JSON": list(map(minified, values)),
        "TOON": [pair["text"] for pair in toon(values, folder)],
        "GCF": list(map(require("gcf", "gcf-python>=2.8").encode_generic, values)),
        "a call in Python": [_python(call) for call, _ in calls],
        "LTON as models write it (`punctuated`)": _written(calls, "punctuated"),
        "LTON with keys (`keyed`)": _written(calls, "keyed"),
        "LTON by position (`wire`)": _written(calls, "wire"),
    }
    for name, texts in formats.items():
        tokens = list(map(count, texts))
        part = sum(tokens) / sum(base)
        yield [name, str(len(calls)), f"{sum(tokens) / len(tokens):.1f}", f"{part:.2f}"]


def _written(calls: Iterable[NestedCall], form: Any) -> list[str]:
    return [encode(call, tools, form=form) for call, tools in calls]


def _python(call: Call) -> str:
    pairs = ", ".join(f"{key}={spell_python(value)}" for key, value in call.arguments.items())
    return f"{call.name}({pairs})"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table, with numbers aligned right."""
    marks = ["---", *["---:"] * (len(heads) - 1)]
    lines = [heads, marks, *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--toon", type=Path, default=BUILD / "npm")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    tokens = counter("o200k")

    def count(text: str) -> int:
        return tokens.count(text).tokens

    package = options.toon / "node_modules" / "@toon-format" / "toon" / "package.json"
    rivals = [
        f"GCF {version('gcf-python')}",
        f"TOON {json.loads(package.read_text('utf-8'))['version']}",
    ]
    heads = [
        "answers",
        "tokens of JSON",
        "JSON, indented",
        *(f"`{class_of_models}`" for class_of_models in MODELS),
        *rivals,
    ]
    pages = {
        "formats-results.md": table(
            [*heads, "not read back"], rows_of_answers(count, options.toon)
        ),
        "formats-calls.md": table(
            ["format", "calls", "tokens", "of JSON"], rows_of_calls(count, options.toon)
        ),
    }
    for name, text in pages.items():
        print(text)
        if options.out:
            (options.out / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
