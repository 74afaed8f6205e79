"""Sum what other levers could save on recorded sessions of Claude Code.

    python -m lton_bench.gateway.bill_levers FOLDER...

A folder has the sessions of one project. Each session is billed by the provider's own usage
(`bill_lean`); what a lever changes is counted in tokens of o200k. The agent is not run again.

- *Superseded results*: a file, or the same part of it, that was read again later, or a call that
  was made again with the same arguments. The older result becomes a note of 20 tokens, but only
  when the prompt cache is rewritten anyway: by a request that read less than half of the previous
  prompt from the cache. From then on, the result is neither written nor read. A turn is *harmed* if
  a later answer, up to the end of the session, quotes a line that only a replaced result had.
- *Edits by line range*: each `Edit` has two line numbers (6 tokens) instead of `old_string`, in the
  answer and in all later prompts. How many edits would hit wrong lines is not known.
- *Deferred definitions*: an agent without tool search has the MCP servers of `SERVERS`, whose tools
  it sees with their definitions, or with their names only. Each of four definitions is loaded by a
  request of its own, whose prompt is read from the cache, and comes back as a result. The share is
  of the bill with all definitions.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from lton.tokens import TokenCounter, counter
from lton_bench.gateway.bill_lean import FEWEST, READ, Request
from lton_bench.gateway.bill_sums import LEAST_LINE, PRICE_OF_OUTPUT
from lton_bench.internals import minified

NOTE_TOKENS = 20
RANGE_TOKENS = 6
LOADS = 4
"""The definitions that are loaded in a session."""
LOAD_TOKENS = 40
"""The tokens of an answer that loads one definition."""


@dataclass(frozen=True)
class Servers:
    """MCP servers: their tools, and the tokens of definitions and of names (`results/mcp.json`)."""

    tools: int
    definitions: int
    names: int


SERVERS = {
    "definitions of 7 servers deferred": Servers(72, 8_315, 1_242),
    "definitions of 24 servers deferred": Servers(388, 115_131, 14_944),
}


@dataclass
class Result:
    """A tool result: its text, and what was asked for."""

    key: str
    text: str
    request: int  # the number of the first request that contains it
    superseded: int | None = None  # the number of the request that contains a newer one


@dataclass
class Session:
    """The requests of a session, with its results, edits and answers."""

    requests: list[Request] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    old_strings: list[tuple[int, str]] = field(default_factory=list)  # by number of the request

    @property
    def bill(self) -> float:
        return sum(request.price for request in self.requests)


def read_session(path: Path) -> Session:
    """Read a session without its subagents. Parallel calls are one request."""
    session = Session()
    numbers = dict[str, int]()
    keys = dict[str, str]()
    for record in _records(path):
        message = record.get("message")
        if not isinstance(message, dict):
            continue
        if message.get("role") == "assistant":
            _read_answer(record, message, session, numbers, keys)
        else:
            _read_results(message, session, keys)
    return session


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    for line in path.read_text().splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def _read_answer(
    record: Mapping[str, Any],
    message: Mapping[str, Any],
    session: Session,
    numbers: dict[str, int],
    keys: dict[str, str],
) -> None:
    if record.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
        return
    number = numbers.setdefault(message["id"], len(session.requests))
    if number == len(session.requests):
        session.requests.append(Request(message["usage"]))
        session.answers.append("")
    if message["usage"]["output_tokens"] > session.requests[number].usage["output_tokens"]:
        session.requests[number].usage = message["usage"]
    for block in message["content"]:
        if block["type"] == "text":
            session.answers[number] += block["text"] + "\n"
        elif block["type"] == "tool_use":
            arguments = block["input"]
            session.answers[number] += "\n".join(map(str, arguments.values())) + "\n"
            keys[block["id"]] = _subject(block["name"], arguments)
            if isinstance(arguments.get("old_string"), str):
                session.old_strings.append((number, arguments["old_string"]))


def _subject(name: str, arguments: Mapping[str, Any]) -> str:
    """Return what a call is about: a file with its part, or the whole call."""
    if name == "Read":
        part = [arguments[key] for key in ("offset", "limit") if key in arguments]
        return f"read {arguments.get('file_path')} {part}"
    return minified([name, arguments])


def _read_results(message: Mapping[str, Any], session: Session, keys: Mapping[str, str]) -> None:
    content = message.get("content")
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict) or block.get("tool_use_id") not in keys:
            continue
        key = keys[block["tool_use_id"]]
        request = len(session.requests)
        for older in session.results:
            if older.superseded is None and _supersedes(key, older.key):
                older.superseded = request
        session.results.append(Result(key, _text_of(block.get("content")), request))


def _supersedes(key: str, older: str) -> bool:
    """Return whether a newer result shows all that an older one was asked for."""
    whole = key.removesuffix("[]")
    is_part = key.startswith("read ") and key != whole and older.startswith(whole)
    return key == older or is_part


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


# --- levers ---------------------------------------------------------------------------------------


@dataclass
class Saving:
    """What a lever saves in a session, in input tokens."""

    saved: float = 0.0
    harmed: int = 0
    base: float = 0.0
    """What the session's bill lacks: MCP definitions that its agent did not have."""


def prompt_of(request: Request) -> int:
    """Return the tokens of a prompt."""
    usage = request.usage
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(int(usage[name]) for name in names)


def replace_superseded(session: Session, tokenizer: TokenCounter) -> Saving:
    """Replace superseded results when the cache is rewritten anyway."""
    saving = Saving()
    replaced = list[Result]()
    tokens = 0
    first = 0  # the number of the first request since the last compaction
    previous = 0
    for number, request in enumerate(session.requests):
        if prompt_of(request) < previous / 2:  # compacted: earlier results are gone
            first = number
            replaced = []
            tokens = 0
        is_rewritten = request.usage["cache_read_input_tokens"] < previous / 2
        if is_rewritten:
            new = [
                result
                for result in session.results
                if result not in replaced
                and first <= result.request < number
                and result.superseded is not None
                and result.superseded <= number
            ]
            sizes = [tokenizer.count(result.text).tokens - NOTE_TOKENS for result in new]
            tokens += sum(size for size in sizes if size > 0)
            replaced += [result for result, size in zip(new, sizes, strict=True) if size > 0]
        saving.saved += tokens * (request.write_price if is_rewritten else READ)
        saving.harmed += _is_harmed(session, replaced, number)
        previous = prompt_of(request)
    return saving


def _is_harmed(session: Session, replaced: Sequence[Result], number: int) -> bool:
    """Return whether an answer quotes a line that only replaced results had."""
    if not replaced:
        return False
    answer_lines = {line.strip() for line in session.answers[number].splitlines()}
    answer_lines = {line for line in answer_lines if len(line) >= LEAST_LINE}
    kept_results = [
        result for result in session.results if result.request <= number and result not in replaced
    ]
    lost = answer_lines & _lines_of(replaced)
    return bool(lost - _lines_of(kept_results)) if lost else False


def _lines_of(results: Sequence[Result]) -> set[str]:
    lines = {line for result in results for line in result.text.splitlines()}
    return {line.partition("→")[2].strip() or line.strip() for line in lines}


def edit_by_lines(session: Session, tokenizer: TokenCounter) -> Saving:
    """Return what edits save that name line numbers instead of the text that they replace."""
    saving = Saving()
    for number, text in session.old_strings:
        tokens = max(0, tokenizer.count(text).tokens - RANGE_TOKENS)
        saving.saved += tokens * PRICE_OF_OUTPUT
        later = session.requests[number + 1 :]
        if later:
            saving.saved += tokens * later[0].write_price
        for before, request in pairwise(later):
            if prompt_of(request) < prompt_of(before) / 2:  # compacted
                break
            saving.saved += tokens * READ
    return saving


def defer_definitions(session: Session, servers: Servers) -> Saving:
    """Return what deferred definitions save, less the requests that load some of them."""
    saving = Saving()
    loaded = servers.definitions // servers.tools + LOAD_TOKENS
    for number, request in enumerate(session.requests):
        is_written = request.usage["cache_read_input_tokens"] == 0
        price = request.write_price if is_written else READ
        saving.base += servers.definitions * price
        saving.saved += (servers.definitions - servers.names) * price
        if number < LOADS:
            prompt = prompt_of(request) + servers.names
            saving.saved -= prompt * READ + LOAD_TOKENS * PRICE_OF_OUTPUT
            saving.saved -= loaded * request.write_price
        saving.saved -= min(LOADS, number) * loaded * READ
    return saving


def levers_of(session: Session, tokenizer: TokenCounter) -> Iterator[tuple[str, Saving]]:
    """Yield what each lever saves in a session."""
    yield "superseded results", replace_superseded(session, tokenizer)
    yield "edits by line range", edit_by_lines(session, tokenizer)
    for name, servers in SERVERS.items():
        yield name, defer_definitions(session, servers)


@dataclass
class Row:
    """The sums of one lever over some sessions."""

    bill: float = 0.0
    saved: float = 0.0
    dearer: int = 0
    harmed: int = 0

    def add(self, session: Session, saving: Saving) -> None:
        self.bill += session.bill + saving.base
        self.saved += saving.saved
        self.dearer += saving.saved < 0
        self.harmed += saving.harmed

    def __str__(self) -> str:
        return f"{1 - self.saved / self.bill:.3f} | {self.dearer} | {self.harmed} |"


def main() -> None:
    """Print a table of folders and levers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    options = parser.parse_args()
    tokenizer = counter("o200k")
    print("| lever | sessions | requests | left of the bill | more expensive | harmed |")
    print("|---|---|---:|---:|---:|---:|")
    totals = defaultdict[str, Row](Row)
    all_requests = 0
    for folder in options.folders:
        read = map(read_session, sorted(folder.glob("*.jsonl")))
        sessions = [candidate for candidate in read if len(candidate.requests) >= FEWEST]
        requests = sum(len(candidate.requests) for candidate in sessions)
        all_requests += requests
        rows = defaultdict[str, Row](Row)
        for session in sessions:
            for name, saving in levers_of(session, tokenizer):
                rows[name].add(session, saving)
                totals[name].add(session, saving)
        for name, row in rows.items():
            print(f"| {name} | {folder.name}: {len(sessions)} | {requests} | {row}")
    for name, row in totals.items():
        print(f"| **{name}** | all | {all_requests} | {row}")


if __name__ == "__main__":
    main()
