"""Bill coding sessions request by request, unchanged and with shorter results.

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
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any

from lton.tokens import TokenCounter, counter
from lton.wrap.long_results import LEAST
from lton_bench.context.bills import Chat, asks
from lton_bench.gateway.bill_sums import Sums, add, add_options, sessions
from lton_bench.gateway.bill_ways import (
    by_hook,
    changed,
    filtered,
    head_and_tail,
    served,
)


def measured(chats: Sequence[Chat], tokenizer: TokenCounter) -> dict[str, Sums]:
    """Return the sums of each way."""
    found = dict[str, Sums]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ways: dict[str, Iterator[Sequence[Chat]]] = {
            "as it is": ([chat[:at] for at in asks(chat)] for chat in chats),
            "notes (`lton wrap`)": served(chats),
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
        said += [*table(found), "", *kinds(found, "notes (`lton wrap`)"), ""]
    return "\n".join(said)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the report, and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_options(parser)
    parser.add_argument("--peers", type=Path, help="a file with the sums of other libraries")
    options = parser.parse_args(arguments)
    peers = json.loads(options.peers.read_text("utf-8")) if options.peers else {}
    report = page(sessions(options), counter(options.tokenizer), peers)
    print(report)
    if options.out:
        (options.out / "bill.md").write_text(f"{report}\n")


if __name__ == "__main__":
    main()
