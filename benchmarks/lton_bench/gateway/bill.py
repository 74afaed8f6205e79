"""Bill coding sessions request by request, unchanged and with long results cut.

    python -m lton_bench.gateway.bill --swe tests/chat/swe-agent.jsonl.gz --mini-swe FILE

Each request of each session goes through a real `lton serve --calls native` to a server that
stores all requests; the hook's code changes each result once. The bill counts tokens of o200k:
the beginning that a request shares with the previous request counts 0.1 times, the rest of the
prompt 1.25 times, and the answer 5 times.

- *net* adds the cost of reading lost text again. Each harmed turn costs one more request, whose
  prompt is read from the cache. The lost results are written once, and read in all later
  requests.
- *harmed* turns quote at least 40 characters from a line of an earlier result, although their
  request does not show this line. Turns that change a file are harmed only if they quote a whole
  line of this kind. Line numbers do not count. *edits* are turns that change a file: by an edit
  tool, `sed -i`, a patch, or a script.
- *head and tail* cuts the same results to the same length, and keeps lines from both ends.
- *Headroom* is the function `compress()` of the library `headroom-ai`, with default settings but
  without a model. *Rules like rtk's* filter the output of grep, ls, curl, git and pytest as
  rtk's documentation says; rtk itself was not run.
- With *definitions* each request begins with the tools and the system prompt of Claude Code
  2.1.197. `--lean` leaves out the tools that no session calls; the figures for it are
  calculated.
- *With a pause*, the clock of the gateway jumps ten minutes ahead in the middle of each session,
  so that the provider's cache has expired. *Pointers* replace old results with the names of
  files.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any

from lton.gateway.native.long_results import LEAST
from lton.tokens import TokenCounter, counter
from lton_bench.context.bills import Chat, asks
from lton_bench.gateway.bill_sums import Sums, add, add_options, sessions
from lton_bench.gateway.bill_ways import (
    by_hook,
    changed,
    filtered,
    head_and_tail,
    served,
    served_at,
    times,
)

CLAUDE_CODE = {
    "Agent": 546,
    "Bash": 645,
    "Edit": 214,
    "Read": 394,
    "ReportFindings": 402,
    "Skill": 466,
    "ToolSearch": 332,
    "Workflow": 4909,
    "Write": 142,
}
"""The tokens (o200k) of the tools that Claude Code 2.1.197 sends with each request by default."""
CLAUDE_CODE_SYSTEM = 1437
LEAN = ("Agent", "ReportFindings", "Skill", "Workflow")
"""The tools that `--lean` leaves out if no session calls them."""


def measured(chats: Sequence[Chat], tokenizer: TokenCounter) -> dict[str, Sums]:
    """Return the sums of each way."""
    found = dict[str, Sums]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "whole").mkdir()
        ways: dict[str, Iterator[Sequence[Chat]]] = {
            "as it is": ([chat[:at] for at in asks(chat)] for chat in chats),
            "notes (`lton wrap`)": served(chats),
            "notes and cuts (`lton wrap --cut`)": served(
                chats, "--results-folder", str(folder / "whole")
            ),
            "cuts (`lton hook`)": (
                changed(chat, by_hook(Path(tempfile.mkdtemp(dir=folder)))) for chat in chats
            ),
            "head and tail": (changed(chat, head_and_tail) for chat in chats),
            "rules like rtk's": (changed(chat, filtered) for chat in chats),
        }
        for way, views in ways.items():
            sums = found[way] = Sums()
            for chat, sent in zip(chats, views, strict=True):
                add(sums, chat, sent, tokenizer)
    return found


def paused(chats: Sequence[Chat], tokenizer: TokenCounter) -> dict[str, Sums]:
    """Return the sums of ways with a pause in each session."""
    found = dict[str, Sums]()
    with tempfile.TemporaryDirectory() as name:
        ways: dict[str, Iterator[Sequence[Chat]]] = {
            "as it is": ([chat[:at] for at in asks(chat)] for chat in chats),
            # With the prices of a local server, no cache expires.
            "notes and cuts": served_at(chats, Path(name), "local"),
            "notes, cuts and pointers (`lton wrap --cut`)": served_at(
                chats, Path(name), "anthropic"
            ),
        }
        for way, views in ways.items():
            sums = found[way] = Sums()
            for chat, sent in zip(chats, views, strict=True):
                add(sums, chat, sent, tokenizer, times(chat))
    return found


# --- the page ------------------------------------------------------------------------------------


def table(found: Mapping[str, Sums]) -> Iterator[str]:
    """Yield the lines of the table of ways."""
    base = found["as it is"]
    yield "| way | billed | net | median session | worst | dearer | turns harmed | edits harmed |"
    yield f"|---|{'---:|' * 7}"
    for way, sums in found.items():
        if sums is not base:
            shares = sums.shares(base)
            yield (
                f"| {way} | {sums.total(base, net=False):.3f} | {sums.total(base):.3f} "
                f"| {median(shares):.3f} | {max(shares):.3f} | {sum(x > 1 for x in shares)} "
                f"| {sums.harmed} of {sums.quoting} | {sums.edits_harmed} of {sums.edits} |"
            )


def kinds(found: Mapping[str, Sums], way: str) -> Iterator[str]:
    """Yield the lines of the table of kinds of results: share of the bill, and what is left."""
    base, sums = found["as it is"], found[way]
    yield "| results of | share of the bill | left |"
    yield "|---|---:|---:|"
    for kind, cost in sorted(base.kinds.items(), key=lambda each: -each[1]):
        yield f"| {kind} | {cost / sum(base.billed):.3f} | {sums.kinds[kind] / cost:.3f} |"


def with_definitions(found: Mapping[str, Sums]) -> Iterator[str]:
    """Yield the lines of the table of sessions that begin with Claude Code's definitions."""
    base = found["as it is"]
    whole = sum(CLAUDE_CODE.values()) + CLAUDE_CODE_SYSTEM
    lean = whole - sum(CLAUDE_CODE[name] for name in LEAN)
    yield "| way | net | net with `--lean` | median with `--lean` | worst with `--lean` |"
    yield "|---|---:|---:|---:|---:|"
    for way, sums in found.items():
        shares = sums.shares(base, (lean, whole))
        yield (
            f"| {way} | {sums.total(base, (whole, whole)):.3f} "
            f"| {sums.total(base, (lean, whole)):.3f} | {median(shares):.3f} | {max(shares):.3f} |"
        )


def page(
    sets: Mapping[str, Sequence[Chat]],
    tokenizer: TokenCounter,
    peers: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> str:
    """Return the report of all sets of sessions; `peers` has the sums of more ways."""
    said = ["# Coding sessions, by request", "", (__doc__ or "").partition("\n\n")[2].strip(), ""]
    said[2] = said[2].partition("\n\n")[2]
    for name, chats in sets.items():
        found = measured(chats, tokenizer) | {
            way: Sums(**sums) for way, sums in peers.get(name, {}).items()
        }
        requests = sum(len(list(asks(chat))) for chat in chats)
        long = sum(
            len(each["content"].encode()) > 4 * LEAST
            for chat in chats
            for each in chat
            if each["role"] == "tool"
        )
        said += [f"## {name}: {len(chats)} sessions, {requests:,} requests", ""]
        said += [f"{long} results have more than {LEAST:,} tokens (of four bytes each).", ""]
        said += [*table(found), "", *kinds(found, "notes and cuts (`lton wrap --cut`)"), ""]
        said += ["With Claude Code's definitions:", "", *with_definitions(found), ""]
        said += ["With a pause:", "", *table(paused(chats, tokenizer)), ""]
    return "\n".join(said)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the report, and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_options(parser)
    parser.add_argument("--peers", type=Path, help="the file of lton_bench.gateway.bill_peers")
    options = parser.parse_args(arguments)
    peers = json.loads(options.peers.read_text("utf-8")) if options.peers else {}
    report = page(sessions(options), counter(options.tokenizer), peers)
    print(report)
    if options.out:
        (options.out / "bill.md").write_text(f"{report}\n")


if __name__ == "__main__":
    main()
