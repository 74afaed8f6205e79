"""Bill coding sessions request by request, unchanged and with long results cut.

    python -m lton_bench.gateway.bill --swe tests/chat/swe-agent.jsonl.gz --mini-swe FILE

Each request of each session goes through a real `lton serve --calls native` to a server that stores
all requests; the hook's code changes each result once. The bill counts tokens of o200k: the
beginning that a request shares with the previous one at 0.1, the rest of a prompt at 1.25, and
answers at 5.

- *net* adds the cost of reading lost text again: for each harmed turn one more request (its prompt
  is read from the cache), and the lost results, written once and read in all later requests.
- *harmed* turns quote at least 40 characters of a line of an earlier result that their request does
  not show. Turns that change a file are harmed if they quote a whole such line. Line numbers do not
  count. *edits* are turns that change a file: by an edit tool, `sed -i`, a patch, or a script.
- *head and tail* cuts the same results to the same length, and keeps lines from both ends.
- With *definitions* each request begins with the tools and the system prompt of Claude Code
  2.1.197. `--lean` leaves out the tools that no session calls; its figures are calculated.
"""

import argparse
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from threading import Thread
from time import sleep
from typing import Any

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from lton._json import minified
from lton._shells import can_be_cut
from lton.gateway.command import address_of, free_port
from lton.gateway.native.long_results import LEAST, ResultFolder, cut, query_of
from lton.tokens import TokenCounter, TurnCache, counter
from lton.tokens.billing import PRICES, PromptCache
from lton.wrap.claude_hook import updated
from lton_bench.context.bills import QUOTED, Chat, _said, _says_much, asks, read
from lton_bench.study.gateway import served_by_lton

PRICE_OF_OUTPUT = 5.0
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
LEAST_LINE = 12
"""The least characters of a line that an edit may need."""
_NUMBER = re.compile(r"^ {0,8}\d+(?:→|\t|: |:|\| ?)")
_FENCE = re.compile(r"```bash\n(.*?)\n```", re.DOTALL)
_EDITS = re.compile(r"sed -i|<<|\bpatch\b|apply_patch|write_text|\.write\(|\btee\b")
_EDIT_TOOLS = re.compile(r"edit|replace|insert|create|write", re.IGNORECASE)
KINDS = (
    ("edits", _EDITS),
    ("reads", re.compile(r"\b(?:cat|head|tail|sed|nl|awk|less|open)\b")),
    ("searches", re.compile(r"\b(?:grep|rg|find|ls|tree|search\w*)\b")),
    ("git", re.compile(r"\bgit\b")),
    ("tests, builds", re.compile(r"pytest|test|make|tox|pip|npm|build")),
)
Change = Callable[[str, Mapping[str, Any], str], str]
"""A function that changes a result; it gets the call and the agent's words before the call."""


def native(chat: Chat) -> Chat:
    """Return a session of mini-swe-agent, whose calls are fences, with native calls."""
    found: list[dict[str, Any]] = []
    call = ""
    for at, message in enumerate(chat):
        content = str(message.get("content") or "")
        if message["role"] == "assistant" and (match := _FENCE.search(content)):
            call = f"call-{at}"
            function = {"name": "bash", "arguments": minified({"command": match[1]})}
            made = {"id": call, "type": "function", "function": function}
            words = content[: match.start()].strip()
            found.append({"role": "assistant", "content": words, "tool_calls": [made]})
        elif message["role"] == "user" and call:
            found.append({"role": "tool", "tool_call_id": call, "content": content})
            call = ""
        else:
            found.append(dict(message))
    return found


def kind_of(call: Mapping[str, Any]) -> str:
    """Return the kind of a call, by its tool and command."""
    function = call["function"]
    said = f"{function['name']} {function['arguments']}"
    return next((name for name, pattern in KINDS if pattern.search(said)), "other")


def is_edit(message: Mapping[str, Any]) -> bool:
    """Return whether a turn of the assistant changes a file."""
    functions = [each["function"] for each in message.get("tool_calls") or ()]
    return any(
        _EDIT_TOOLS.search(each["name"]) or _EDITS.search(each["arguments"]) for each in functions
    )


def quotations(chat: Chat) -> Mapping[int, set[str]]:
    """Return the quotations of lines in earlier results, for each turn of the assistant."""
    pieces, lines, found = set[str](), set[str](), dict[int, set[str]]()
    for at, message in enumerate(chat):
        said = [_NUMBER.sub("", line).strip() for line in _said(message).split("\n")]
        parts = {line[i : i + QUOTED] for line in said for i in range(len(line) - QUOTED + 1)}
        if message["role"] == "tool":
            pieces |= parts
            lines |= {line for line in said if len(line) >= LEAST_LINE}
        elif message["role"] == "assistant":
            found[at] = {each for each in parts & pieces if _says_much(each)}
            found[at] |= lines & set(said) if is_edit(message) else set()
    return found


def calls_of(chat: Chat) -> dict[str, Mapping[str, Any]]:
    """Return the calls of a session by their ids."""
    return {call["id"]: call for each in chat for call in each.get("tool_calls") or ()}


# --- ways ----------------------------------------------------------------------------------------


@contextmanager
def recording() -> Iterator[tuple[str, list[Any]]]:
    """Yield the address of a server that records request bodies, and the list of bodies."""
    bodies: list[Any] = []
    answer = {"role": "assistant", "content": "Done."}
    whole = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": answer, "finish_reason": "stop"}],
    }

    async def keep(request: Request) -> JSONResponse:
        bodies.append(await request.json())
        return JSONResponse(whole)

    app = Starlette(routes=[Route("/v1/chat/completions", keep, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    with free_port() as listener:
        thread = Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        while not server.started:
            sleep(0.01)
        try:
            yield address_of(listener), bodies
        finally:
            server.should_exit = True
            thread.join()


def served(chats: Sequence[Chat], *options: str) -> Iterator[list[Chat]]:
    """Yield the requests that a gateway sends for each session."""
    native_calls = ("--calls", "native", "--engine", "vllm", "--quiet", *options)
    with (
        recording() as (url, bodies),
        served_by_lton("--upstream", url, *native_calls) as address,
        httpx2.Client(timeout=120, trust_env=False) as client,
    ):
        for chat in chats:
            bodies.clear()
            for at in asks(chat):
                body = {"model": "m", "messages": chat[:at]}
                client.post(f"{address}/v1/chat/completions", json=body).raise_for_status()
            yield [each["messages"] for each in bodies if each.get("messages")]


def changed(chat: Chat, change: Change) -> list[Chat]:
    """Return the requests of a session, in which each result is changed once."""
    made: list[Mapping[str, Any]] = []
    words, calls = "", calls_of(chat)
    for message in chat:
        if message["role"] == "assistant":
            words = message.get("content") or words
        elif message["role"] == "tool":
            text = change(message["content"], calls[message["tool_call_id"]], words)
            message = {**message, "content": text}  # noqa: PLW2901 - the message as it is sent
        made.append(message)
    return [made[:at] for at in asks(chat)]


def by_hook(base: Path) -> Change:
    """Return a result as the hook changes it."""

    def change(text: str, call: Mapping[str, Any], words: str) -> str:
        tool, arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
        session = base / "session.jsonl"
        said = {"type": "text", "text": words}
        use = {"type": "tool_use", "id": call["id"], "name": tool, "input": arguments}
        line = {"type": "assistant", "message": {"content": [said, use]}}
        session.write_text(json.dumps(line))
        answer = updated(
            {
                "session_id": "s",
                "transcript_path": str(session),
                "hook_event_name": "PostToolUse",
                "tool_name": "Bash" if tool == "bash" else tool,
                "tool_input": arguments,
                "tool_response": {"stdout": text, "stderr": ""},
                "tool_use_id": call["id"],
            },
            base / "lton",
        )
        return answer["hookSpecificOutput"]["updatedToolOutput"]["stdout"] if answer else text

    return change


def head_and_tail(text: str, call: Mapping[str, Any], words: str) -> str:
    """Cut the results that LTON cuts to the same tokens, keeping lines from both ends."""
    function = call["function"]
    arguments = json.loads(function["arguments"])
    if not can_be_cut(function["name"], arguments):
        return text
    folder = ResultFolder("/run/user/1000/lton/00000000", writes=False)
    ours = cut(text, query_of(words, arguments), folder)
    room, head, tail = len(ours), list[str](), list[str]()
    lines = text.split("\n")
    if ours == text:
        return text
    while lines and room > len(lines[0]):
        side = head if len(head) <= len(tail) else tail
        line = lines.pop(0 if side is head else -1)
        room -= len(line) + 1
        side.append(line)
    return "\n".join([*head, f"[{len(lines)} lines left out]", *reversed(tail)])


# --- what is measured ----------------------------------------------------------------------------


@dataclass
class Sums:
    """The sums of a way; lists have an item for each session."""

    billed: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    quoting: int = 0
    harmed: int = 0
    edits: int = 0
    edits_harmed: int = 0
    kinds: dict[str, float] = field(default_factory=dict)
    """Billed tokens of results, by kind."""
    prefix: list[float] = field(default_factory=list)
    """The price of a token that all requests of a session begin with."""

    def shares(self, base: "Sums", tokens: tuple[int, int] = (0, 0)) -> list[float]:
        """Return the net share of each session's bill with `tokens` more in each request."""
        rows = zip(self.billed, self.again, base.billed, base.prefix, strict=True)
        return [
            (mine + again + tokens[0] * each) / (whole + tokens[1] * each)
            for mine, again, whole, each in rows
        ]

    def total(self, base: "Sums", tokens: tuple[int, int] = (0, 0), *, net: bool = True) -> float:
        """Return the share of the bill of all sessions."""
        mine = sum(self.billed) + net * sum(self.again) + tokens[0] * sum(self.prefix)
        return mine / (sum(base.billed) + tokens[1] * sum(base.prefix))


def add(sums: Sums, chat: Chat, views: Sequence[Chat], tokenizer: TokenCounter) -> None:
    """Add a session, as its requests are sent."""
    cache, counts, price = PromptCache(), TurnCache(), PRICES["anthropic"]
    calls, quoted, places = calls_of(chat), quotations(chat), list(asks(chat))
    billed = again = 0.0

    def count(message: Mapping[str, Any]) -> int:
        return counts.count(tokenizer, message).tokens

    for number, (at, view) in enumerate(zip(places, views, strict=True)):
        later = len(places) - number - 1
        billed += price.billed(cache.ask([(each, count(each)) for each in view]))
        billed += count(chat[at]) * PRICE_OF_OUTPUT
        sums.quoting += bool(quoted[at])
        sums.edits += is_edit(chat[at])
        text = "\0".join(map(_said, view)) if quoted[at] else ""
        lost = [each for each in quoted[at] if each not in text]
        sums.harmed += bool(lost)
        sums.edits_harmed += bool(lost) and is_edit(chat[at])
        results = [each for each in chat[:at] if each["role"] == "tool"]
        whole = [each for each in results if any(piece in each["content"] for piece in lost)]
        if lost:
            size = sum(map(count, whole))
            again += sum(map(count, view)) * price.read + size * (price.write + later * price.read)
    for at, message in enumerate(views[-1]):
        if message["role"] == "tool":
            sent = sum(place > at for place in places)
            cost = count(message) * (price.write + (sent - 1) * price.read)
            kind = kind_of(calls[message["tool_call_id"]])
            sums.kinds[kind] = sums.kinds.get(kind, 0.0) + cost
    sums.billed.append(billed)
    sums.again.append(again)
    sums.prefix.append(price.write + (len(places) - 1) * price.read)


def measured(chats: Sequence[Chat], tokenizer: TokenCounter) -> dict[str, Sums]:
    """Return the sums of each way."""
    found = dict[str, Sums]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "whole").mkdir()
        ways: dict[str, Iterator[Sequence[Chat]]] = {
            "as it is": ([chat[:at] for at in asks(chat)] for chat in chats),
            "notes (`lton serve`)": served(chats),
            "notes and cuts (`lton wrap`)": served(
                chats, "--results-folder", str(folder / "whole")
            ),
            "cuts (`lton hook`)": (
                changed(chat, by_hook(Path(tempfile.mkdtemp(dir=folder)))) for chat in chats
            ),
            "head and tail": (changed(chat, head_and_tail) for chat in chats),
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


def page(sets: Mapping[str, Sequence[Chat]], tokenizer: TokenCounter) -> str:
    """Return the report of all sets of sessions."""
    said = ["# Coding sessions, by request", "", (__doc__ or "").partition("\n\n")[2].strip(), ""]
    said[2] = said[2].partition("\n\n")[2]
    for name, chats in sets.items():
        found = measured(chats, tokenizer)
        requests = sum(len(list(asks(chat))) for chat in chats)
        long = sum(
            len(each["content"].encode()) > 4 * LEAST
            for chat in chats
            for each in chat
            if each["role"] == "tool"
        )
        said += [f"## {name}: {len(chats)} sessions, {requests:,} requests", ""]
        said += [f"{long} results have more than {LEAST:,} tokens (of four bytes each).", ""]
        said += [*table(found), "", *kinds(found, "notes and cuts (`lton wrap`)"), ""]
        said += ["With Claude Code's definitions:", "", *with_definitions(found), ""]
    return "\n".join(said)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the report, and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name in ("swe", "mini-swe"):
        parser.add_argument(f"--{name}", type=Path, help="sessions, a JSON object a line")
    parser.add_argument("--tokenizer", default="o200k")
    parser.add_argument("--most", type=int, help="only so many sessions of each file")
    parser.add_argument("--out", type=Path, help="a folder for bill.md")
    options = parser.parse_args(arguments)
    sets = dict[str, Sequence[Chat]]()
    if options.mini_swe:
        sets["mini-swe-agent"] = [native(each) for each in read(options.mini_swe)][: options.most]
    if options.swe:
        sets["SWE-agent"] = read(options.swe)[: options.most]
    report = page(sets, counter(options.tokenizer))
    print(report)
    if options.out:
        (options.out / "bill.md").write_text(f"{report}\n")


if __name__ == "__main__":
    main()
