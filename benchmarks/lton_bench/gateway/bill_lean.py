"""Bill recorded sessions of Claude Code with the definitions of `lton wrap --lean`.

    python -m lton_bench.gateway.bill_lean REQUEST.json FOLDER...

`REQUEST.json` is a request of the version that is measured, with its tools. A folder has the
sessions of one project, each with its subagents in a folder of the same name. Each session is
billed with the calls of the other sessions in its folder: the prices of the provider's own usage,
less the tokens (o200k) of the shortened definitions. These tokens count as read from the cache, or
as written if the request read fewer tokens.

- *called* are the tools that a session calls although they were shortened. Their whole definition
  comes back in the next request, so the prompt of this request is written to the cache again.
- *lost* are calls of tools that are not in the request. Shortened tools are in it.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

from lton.apis.messages_api import MESSAGES
from lton.gateway.native.unused_tools import UnusedTools
from lton.tokens import TokenCounter, counter
from lton.wrap.lean import iterate_calls_in_session
from lton_bench.gateway.bill_sums import PRICE_OF_OUTPUT
from lton_bench.internals import minified

Call: TypeAlias = tuple[str, frozenset[str]]
READ, WRITE, WRITE_FOR_AN_HOUR = 0.1, 1.25, 2.0
"""The prices of Anthropic's cache, of one input token."""
FEWEST = 5
"""Sessions with fewer requests are left out."""


@dataclass
class Request:
    """A recorded request: the provider's usage, and the calls of the answer."""

    usage: Mapping[str, Any]
    calls: list[Call] = field(default_factory=list)

    @property
    def written_for_an_hour(self) -> int:
        creation = self.usage.get("cache_creation") or {}
        return int(creation.get("ephemeral_1h_input_tokens", 0))

    @property
    def write_price(self) -> float:
        return WRITE_FOR_AN_HOUR if self.written_for_an_hour else WRITE

    @property
    def price(self) -> float:
        short_writes = self.usage["cache_creation_input_tokens"] - self.written_for_an_hour
        return float(
            self.usage["input_tokens"]
            + WRITE * short_writes
            + WRITE_FOR_AN_HOUR * self.written_for_an_hour
            + READ * self.usage["cache_read_input_tokens"]
            + PRICE_OF_OUTPUT * self.usage["output_tokens"]
        )


def read_requests(session: Path) -> list[Request]:
    """Return the requests of a session, each once, with the largest usage that was logged."""
    requests: dict[str, Request] = {}
    for line in session.read_text().splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        message = record.get("message") if isinstance(record, dict) else None
        if not isinstance(message, dict) or message.get("role") != "assistant":
            continue
        if record.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
            continue
        request = requests.setdefault(message["id"], Request(message["usage"]))
        if message["usage"]["output_tokens"] > request.usage["output_tokens"]:
            request.usage = message["usage"]
        for block in message["content"]:
            if block["type"] == "tool_use":
                request.calls.append((block["name"], frozenset(block["input"])))
    return list(requests.values())


def calls_of(sessions: Sequence[Path]) -> dict[str, set[frozenset[str]]]:
    """Return the arguments of the calls in sessions and their subagents, by tool."""
    calls: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
    for session in sessions:
        for file in (session, *session.with_suffix("").glob("**/*.jsonl")):
            for name, arguments in iterate_calls_in_session(file):
                calls[name].add(frozenset(arguments))
    return dict(calls)


@dataclass(kw_only=True)
class Lean:
    """The bill of a session, in input tokens, and the tools that were shortened in it."""

    requests: int
    bill: float
    saved: float
    shortened: Mapping[str, int]
    called: Sequence[str]

    @property
    def share(self) -> float:
        return 1 - self.saved / self.bill


def bill(
    requests: Sequence[Request],
    calls: Mapping[str, set[frozenset[str]]],
    body: Mapping[str, Any],
    tokenizer: TokenCounter,
) -> Lean:
    """Bill a session as if its requests had the tools of `body`."""
    shortened = _count_shortened(UnusedTools(calls), body, tokenizer)
    short = dict(shortened)
    saved = 0.0
    called = list[str]()
    for request, following in zip(requests, [*requests[1:], None], strict=True):
        read = request.usage["cache_read_input_tokens"]
        tokens = sum(short.values())
        saved += tokens * (READ if read > tokens else request.write_price)
        for call in request.calls:
            for name in _meant_by(call, body) & short.keys():
                called.append(name)
                del short[name]
                if following:
                    again = following.usage["cache_read_input_tokens"]
                    saved -= again * (following.write_price - READ)
    return Lean(
        requests=len(requests),
        bill=sum(request.price for request in requests),
        saved=saved,
        shortened=shortened,
        called=called,
    )


def _count_shortened(
    unused: UnusedTools, body: Mapping[str, Any], tokenizer: TokenCounter
) -> dict[str, int]:
    """Return the tokens that each shortened tool saves in a request."""
    unused.with_short_definitions(body, MESSAGES)
    return {
        name: tokenizer.count(tool.whole).tokens - tokenizer.count(minified(tool.short)).tokens
        for name, tool in unused.shortened.items()
    }


def _meant_by(call: Call, body: Mapping[str, Any]) -> set[str]:
    """Return the tools that a call means, also under a former name."""
    name, arguments = call
    unused = UnusedTools({name: [arguments]})
    unused.with_short_definitions(body, MESSAGES)
    everything = UnusedTools({})
    everything.with_short_definitions(body, MESSAGES)
    return everything.shortened.keys() - unused.shortened.keys()


def rows(
    folder: Path, body: Mapping[str, Any], tokenizer: TokenCounter
) -> Iterator[tuple[str, Lean]]:
    """Yield each session of a folder with its bill."""
    sessions = sorted(folder.glob("*.jsonl"))
    for session in sessions:
        requests = read_requests(session)
        if len(requests) >= FEWEST:
            others = [other for other in sessions if other is not session]
            yield session.name, bill(requests, calls_of(others), body, tokenizer)


def main() -> None:
    """Print a table of sessions, and of folders."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("request", type=Path, metavar="REQUEST.json")
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    options = parser.parse_args()
    body = json.loads(options.request.read_text())
    tokenizer = counter("o200k")
    print("| session | requests | saved tokens | left of the bill | called | shortened |")
    print("|---|---:|---:|---:|---|---|")
    for folder in options.folders:
        leans = dict(rows(folder, body, tokenizer))
        for name, lean in leans.items():
            _print_row(f"{folder.name}: {name}", lean)
        total = sum(lean.bill for lean in leans.values())
        remaining = 1 - sum(lean.saved for lean in leans.values()) / total
        shares = [lean.share for lean in leans.values()]
        requests = sum(lean.requests for lean in leans.values())
        dearer = sum(share > 1 for share in shares)
        print(
            f"| **{folder.name}**, {len(leans)} sessions | {requests} | | **{remaining:.3f}** "
            f"| median {median(shares):.3f}, {dearer} more expensive | |"
        )


def _print_row(name: str, lean: Lean) -> None:
    tokens = sum(lean.shortened.values())
    called = ", ".join(lean.called)
    print(
        f"| {name} | {lean.requests} | {tokens:,} | {lean.share:.3f} | {called} "
        f"| {', '.join(lean.shortened)} |"
    )


if __name__ == "__main__":
    main()
