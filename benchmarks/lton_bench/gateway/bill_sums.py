"""Bill a session request by request, and count the turns that use text which is no longer shown."""

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lton.tokens import TokenCounter, TurnCache
from lton.tokens.billing import PRICES, PromptCache
from lton_bench.context.bills import QUOTED, Chat, asks, message_text, read, says_much
from lton_bench.internals import minified

__all__ = ["Sums", "add", "add_options", "calls_of", "is_edit", "native", "quotations", "sessions"]

PRICE_OF_OUTPUT = 5.0
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


def native(chat: Chat) -> Chat:
    """Return a session of mini-swe-agent, whose calls are fences, with native calls."""
    messages: list[dict[str, Any]] = []
    call = ""
    for at, message in enumerate(chat):
        content = str(message.get("content") or "")
        if message["role"] == "assistant" and (match := _FENCE.search(content)):
            call = f"call-{at}"
            function = {"name": "bash", "arguments": minified({"command": match[1]})}
            tool_call = {"id": call, "type": "function", "function": function}
            words = content[: match.start()].strip()
            messages.append({"role": "assistant", "content": words, "tool_calls": [tool_call]})
        elif message["role"] == "user" and call:
            messages.append({"role": "tool", "tool_call_id": call, "content": content})
            call = ""
        else:
            messages.append(dict(message))
    return messages


def kind_of(call: Mapping[str, Any]) -> str:
    """Return the kind of a call, by its tool and command."""
    function = call["function"]
    words = f"{function['name']} {function['arguments']}"
    return next((name for name, pattern in KINDS if pattern.search(words)), "other")


def is_edit(message: Mapping[str, Any]) -> bool:
    """Return whether a turn of the assistant changes a file."""
    functions = [called["function"] for called in message.get("tool_calls") or ()]
    return any(
        _EDIT_TOOLS.search(called["name"]) or _EDITS.search(called["arguments"])
        for called in functions
    )


def quotations(chat: Chat) -> Mapping[int, set[str]]:
    """Return the quotations of lines in earlier results, for each turn of the assistant."""
    pieces, lines, quoted = set[str](), set[str](), dict[int, set[str]]()
    for at, message in enumerate(chat):
        message_lines = [
            _NUMBER.sub("", line).strip() for line in message_text(message).split("\n")
        ]
        parts = {
            line[i : i + QUOTED] for line in message_lines for i in range(len(line) - QUOTED + 1)
        }
        if message["role"] == "tool":
            pieces |= parts
            lines |= {line for line in message_lines if len(line) >= LEAST_LINE}
        elif message["role"] == "assistant":
            quoted[at] = {piece for piece in parts & pieces if says_much(piece)}
            quoted[at] |= lines & set(message_lines) if is_edit(message) else set()
    return quoted


def calls_of(chat: Chat) -> dict[str, Mapping[str, Any]]:
    """Return the calls of a session by their ids."""
    return {call["id"]: call for message in chat for call in message.get("tool_calls") or ()}


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
            (mine + again + tokens[0] * prefix) / (whole + tokens[1] * prefix)
            for mine, again, whole, prefix in rows
        ]

    def total(self, base: "Sums", tokens: tuple[int, int] = (0, 0), *, net: bool = True) -> float:
        """Return the share of the bill of all sessions."""
        mine = sum(self.billed) + net * sum(self.again) + tokens[0] * sum(self.prefix)
        return mine / (sum(base.billed) + tokens[1] * sum(base.prefix))


def add(
    sums: Sums,
    chat: Chat,
    views: Sequence[Chat],
    tokenizer: TokenCounter,
    times: Sequence[float] = (),
) -> None:
    """Add a session, as its requests are sent; `times` are in seconds, by default without pause."""
    counts, price = TurnCache(), PRICES["anthropic"]
    cache = PromptCache(price.lifetime)
    calls, quoted, places = calls_of(chat), quotations(chat), list(asks(chat))
    billed = again = 0.0

    def count(message: Mapping[str, Any]) -> int:
        return counts.count(tokenizer, message).tokens

    for number, (at, view) in enumerate(zip(places, views, strict=True)):
        later = len(places) - number - 1
        now = times[number] if times else 0.0
        billed += price.price_of(cache.bill_prompt([(part, count(part)) for part in view], now))
        billed += count(chat[at]) * PRICE_OF_OUTPUT
        sums.quoting += bool(quoted[at])
        sums.edits += is_edit(chat[at])
        text = "\0".join(map(message_text, view)) if quoted[at] else ""
        lost = [part for part in quoted[at] if part not in text]
        sums.harmed += bool(lost)
        sums.edits_harmed += bool(lost) and is_edit(chat[at])
        results = [part for part in chat[:at] if part["role"] == "tool"]
        whole = [part for part in results if any(piece in part["content"] for piece in lost)]
        if lost:
            size = sum(map(count, whole))
            again += sum(map(count, view)) * price.read + size * (price.write + later * price.read)
    for at, message in enumerate(views[-1]):
        if message["role"] == "tool":
            sendings = sum(answer_at > at for answer_at in places)
            cost = count(message) * (price.write + (sendings - 1) * price.read)
            kind = kind_of(calls[message["tool_call_id"]])
            sums.kinds[kind] = sums.kinds.get(kind, 0.0) + cost
    sums.billed.append(billed)
    sums.again.append(again)
    sums.prefix.append(price.write + (len(places) - 1) * price.read)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose sessions."""
    for name in ("swe", "mini-swe"):
        parser.add_argument(f"--{name}", type=Path, help="sessions, a JSON object a line")
    parser.add_argument("--tokenizer", default="o200k")
    parser.add_argument("--most", type=int, help="only so many sessions of each file")
    parser.add_argument("--out", type=Path, help="a folder for the results")


def sessions(options: argparse.Namespace) -> dict[str, Sequence[Chat]]:
    """Return the sets of sessions that the options name."""
    sets = dict[str, Sequence[Chat]]()
    if options.mini_swe:
        sets["mini-swe-agent"] = [native(chat) for chat in read(options.mini_swe)][: options.most]
    if options.swe:
        sets["SWE-agent"] = read(options.swe)[: options.most]
    return sets
