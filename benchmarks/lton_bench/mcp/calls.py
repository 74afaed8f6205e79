"""Ask models to call a tool that the MCP proxy shows, or to search for a tool.

    python -m lton_bench.mcp.calls --model FILE.gguf --out benchmarks/results

The recorded servers of a group are joined into one, in the template of Qwen2.5, minified. The
questions about them are in `mcp/questions.tsv`. The prompt begins the answer as a call, as if a
call were required. The answer is greedy and ends after 30 tokens; only the tool is judged. With
`line` the tool is the name in the line, or the tool itself, which the proxy passes on. "only
`call`" also begins the line, as an engine or a client does that allows only listed names. For
searches by words, the model is also asked all questions with only this search. A run continues an
earlier run, and writes the table of all answers. Without a model the command only writes the table.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lton.mcp_proxy.catalogue import Catalogue
from lton_bench.internals import minified
from lton_bench.mcp.data import MODES, Question, as_one, joined, questions
from lton_bench.study.batches import BatchReader
from lton_bench.study.figures import accuracy, compare
from lton_bench.study.models import name, path
from lton_bench.study.packed import added, content

GROUPS = (
    ("filesystem", "git", "slack", "time"),
    ("github", "memory", "fetch"),
    ("chrome-devtools", "duckduckgo"),
)
"""The groups of servers that are joined."""
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
_EVERY = "JSON, and `pass`"
_WAYS = ("`line --show names`", "`line`", "`tools --show names`", _EVERY)
_HELD = ", only `call`"
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
_CALL = 'call", "arguments": {"line": "'
_LINE = re.compile(r'call", "arguments": \{"line": "(?:!call )?([^\s("{]+)')
_NAME = re.compile(r'([^"]*)"')


@dataclass(frozen=True, slots=True)
class Told:
    """A model's answer to a question, and the tokens of the shown tools."""

    model: str
    way: str
    question: str
    said: str
    tokens: int


def called(said: str) -> str:
    """Return the name of the called tool, in a line or by itself.

    >>> called('call", "arguments": {"line": "git_log(repo_path='), called('git_log", "argu')
    ('git_log', 'git_log')
    """
    found = _LINE.match(said) or _NAME.match(said)
    return found[1] if found else said


def queries(out: Path, model: str) -> dict[str, str]:
    """Return the model's search words for each question."""
    found = (each for each in kept(out) if each.way == _SEARCHES and each.model == model)
    return {each.question: each.said.removeprefix(_QUERY).partition('"')[0] for each in found}


def kept(out: Path) -> list[Told]:
    """Return all answers."""
    return [Told(**json.loads(line)) for line in content(_file(out)).splitlines()]


def _file(out: Path) -> Path:
    return out / "study" / "mcp-calls.jsonl"


def answers(reader: BatchReader, model: str, known: set[tuple[str, str]]) -> Iterator[Told]:
    """Ask the questions without known answers."""
    for servers in GROUPS:
        tools = as_one(servers)
        for way in (*_WAYS, *(each + _HELD for each in _WAYS[:2])):
            settings = MODES[way.removesuffix(_HELD)]
            shown = tools if settings is None else Catalogue.of(tools, settings).listing
            begun = _CALL if way.endswith(_HELD) else ""
            told = Told(model, way, "", begun, 0)
            yield from _asked(reader, told, shown, questions(servers), known)
    yield from _asked(reader, Told(model, _SEARCHES, "", _QUERY, 0), [SEARCH], questions(), known)


def _asked(
    reader: BatchReader,
    begun: Told,
    shown: Sequence[dict[str, Any]],
    asked: Sequence[Question],
    known: set[tuple[str, str]],
) -> Iterator[Told]:
    """Ask with the beginning of an answer."""
    texts = [each.text for each in asked if (begun.way, each.text) not in known]
    head = _HEAD.format("\n".join(map(_function, shown)))
    for at in range(0, len(texts), _AT_ONCE):
        some = texts[at : at + _AT_ONCE]
        said = reader.ask(head, [_ASKED.format(text) + begun.said for text in some], _ROOM)
        tokens = len(reader.tokens(head))
        for text, words in zip(some, said, strict=True):
            yield Told(begun.model, begun.way, text, begun.said + words, tokens)


def _function(tool: dict[str, Any]) -> str:
    function = {
        "name": tool["name"],
        "description": tool.get("description", ""),
        "parameters": tool["inputSchema"],
    }
    return minified({"type": "function", "function": function})


def table(told: Sequence[Told]) -> Iterator[str]:
    """Yield the lines of a table. Differences to JSON are on questions that were asked in both."""
    yield (
        "| model | shown | tokens | of JSON's | questions | right tool | difference"
        " | asks for descriptions | no such tool |"
    )
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|"
    groups: dict[tuple[str, str], list[Told]] = {}
    for each in told:
        if each.way != _SEARCHES:
            groups.setdefault((each.model, each.way), []).append(each)
    real = {tool["name"] for tool in as_one()}
    for (model, way), said in groups.items():
        every = {each.question: each for each in groups.get((model, _EVERY), ())}
        if not (group := [each for each in said if each.question in every]):
            continue
        names = [called(each.said) for each in group]
        found = accuracy([_is_right(each) for each in group])
        difference = compare(
            [_is_right(each) for each in group], [_is_right(every[each.question]) for each in group]
        ).difference
        tokens = sum(each.tokens for each in group)
        share = tokens / sum(every[each.question].tokens for each in group)
        describes = names.count("describe")
        yield (
            f"| {model} | {way} | {tokens / len(group):,.0f} | {share:.2f} | {len(group)}"
            f" | {found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"
            f" | {difference.value:+.2f} [{difference.low:+.2f}, {difference.high:+.2f}]"
            f" | {describes} | {sum(each not in real for each in names) - describes} |"
        )


def _is_right(told: Told) -> bool:
    return called(told.said) in _right_tools()[told.question]


@cache
def _right_tools() -> dict[str, set[str]]:
    return {each.text: {*map(joined, each.tools)} for each in questions()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the remaining questions, and write the answers and the table."""
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
