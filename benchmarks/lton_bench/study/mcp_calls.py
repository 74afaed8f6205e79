"""Which tool does a model call of those that the MCP proxy shows, and what does it search for?

    python -m lton_bench.study.mcp_calls --model FILE.gguf --out benchmarks/results

Four recorded servers are one, in the template of Qwen2.5, minified; the questions are those of
`mcp/questions.tsv` about them. The answer is begun as a call, as where one is required, and ends
after 30 tokens, greedily: what counts is the tool. In `line` it is the name in the line. For a
search by words, the model is also asked all questions with nothing but that search. A run goes on
where the last one was, and writes the table of all answers; without a model it writes that alone.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lton._json import minified
from lton.mcp_proxy.catalogue import Catalogue
from lton_bench.mcp_data import MODES, Question, as_one, joined, questions
from lton_bench.study.batches import BatchReader
from lton_bench.study.models import name, path
from lton_bench.study.packed import added, content

SERVERS = ("filesystem", "git", "slack", "time")
SEARCH: dict[str, Any] = {
    "name": "tool_search",
    "description": "Search for tools by what they do. Gives the definitions of those that fit.",
    "inputSchema": {
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
    },
}
_SEARCHES = "searches"
_WAYS = ("`line --show names`", "`line`", "`tools --show names`", "JSON, and `pass`")
_ROOM, _AT_ONCE = 30, 12
_HEAD = (
    "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.\n\n"
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n{}\n"
    "</tools>\n\nFor each function call, return a json object with function name and arguments"
    " within <tool_call></tool_call> XML tags:\n<tool_call>\n"
    '{{"name": <function-name>, "arguments": <args-json-object>}}\n</tool_call><|im_end|>\n'
)
_ASKED = '<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n<tool_call>\n{{"name": "'
_QUERY = 'tool_search", "arguments": {"query": "'
_LINE = re.compile(r'call", "arguments": \{"line": "(?:!call )?([^\s("{]+)')
_NAME = re.compile(r'([^"]*)"')


@dataclass(frozen=True, slots=True)
class Told:
    """What a model said to a question, of tools that were shown in so many tokens."""

    model: str
    way: str
    question: str
    said: str
    tokens: int


def called(said: str) -> str:
    """Get the name of the tool that is called, in a line or by itself.

    >>> called('call", "arguments": {"line": "git_log(repo_path='), called('git_log", "argu')
    ('git_log', 'git_log')
    """
    found = _LINE.match(said) or _NAME.match(said)
    return found[1] if found else said


def queries(out: Path, model: str) -> dict[str, str]:
    """Get what a model searched for, by the question."""
    found = (each for each in kept(out) if each.way == _SEARCHES and each.model == model)
    return {each.question: each.said.partition('"')[0] for each in found}


def kept(out: Path) -> list[Told]:
    """Get all answers."""
    return [Told(**json.loads(line)) for line in content(_file(out)).splitlines()]


def _file(out: Path) -> Path:
    return out / "study" / "mcp-calls.jsonl"


def answers(reader: BatchReader, model: str, known: set[tuple[str, str]]) -> Iterator[Told]:
    """Ask what is not known."""
    tools = as_one(SERVERS)
    for way in _WAYS:
        settings = MODES[way]
        shown = tools if settings is None else Catalogue.of(tools, settings).listing()
        yield from _asked(reader, Told(model, way, "", "", 0), shown, questions(SERVERS), known)
    search = Told(model, _SEARCHES, "", "", 0)
    yield from _asked(reader, search, [SEARCH], questions(), known, _QUERY)


def _asked(
    reader: BatchReader,
    blank: Told,
    shown: Sequence[dict[str, Any]],
    asked: Sequence[Question],
    known: set[tuple[str, str]],
    begun: str = "",
) -> Iterator[Told]:
    texts = [each.text for each in asked if (blank.way, each.text) not in known]
    head = _HEAD.format("\n".join(map(_function, shown)))
    for at in range(0, len(texts), _AT_ONCE):
        some = texts[at : at + _AT_ONCE]
        said = reader.ask(head, [_ASKED.format(text) + begun for text in some], _ROOM)
        for text, words in zip(some, said, strict=True):
            yield Told(blank.model, blank.way, text, words, len(reader.tokens(head)))


def _function(tool: dict[str, Any]) -> str:
    function = {
        "name": tool["name"],
        "description": tool.get("description", ""),
        "parameters": tool["inputSchema"],
    }
    return minified({"type": "function", "function": function})


def table(told: Sequence[Told]) -> Iterator[str]:
    """Get the lines of a table."""
    asked = {each.text: each for each in questions(SERVERS)}
    yield "| model | shown | tokens | questions | right tool | asks for descriptions | no tool |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    real = {tool["name"] for tool in as_one(SERVERS)}
    groups: dict[tuple[str, str], list[Told]] = {}
    for each in told:
        if each.way != _SEARCHES:
            groups.setdefault((each.model, each.way), []).append(each)
    for (model, way), group in groups.items():
        names = [(each, called(each.said)) for each in group]
        right = sum(name in map(joined, asked[each.question].tools) for each, name in names)
        describes = sum(name == "describe" for _, name in names)
        other = sum(name not in real for _, name in names) - describes
        total = len(group)
        yield (
            f"| {model} | {way} | {group[0].tokens:,} | {total} | {right / total:.2f}"
            f" | {describes} | {other} |"
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask what was not asked before, and write the answers and the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", default=[])
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results")
    options = parser.parse_args(arguments)
    file = _file(options.out)
    for each in options.model:
        model = name(each)
        known = {(t.way, t.question) for t in kept(options.out) if t.model == model}
        for _ in added(file, answers(BatchReader(path(each)), model, known)):
            pass
    (options.out / "mcp-calls.md").write_text("\n".join(table(kept(options.out))) + "\n")


if __name__ == "__main__":
    main()
