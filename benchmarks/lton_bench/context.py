"""What pointers save in conversations of agents, what it costs caches, and what can be had back.

    python -m lton_bench.context --data tests/chat/tau-airline.jsonl.gz

The data is a JSON object a line, with OpenAI's `messages` (plain, or in gzip). Conversations are
joined into sessions of at least 200 turns under one system prompt. Without data a small sample is
made up.
"""

import argparse
import gzip
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lton import Call, ToolSet
from lton._json import minified
from lton._syntax import Form
from lton.chat import from_openai, to_openai
from lton.stores import open_store
from lton.tokens import TokenCounter, TurnCache, counter
from lton.transcript.pairing import check_pairs
from lton.transcript.transcript import Transcript
from lton.transcript.turns import Turn, add_message
from lton.transcript.view import View
from lton.transcript.written import in_lton

TURNS = 200
"""The turns of a session, at least."""
READ, WRITE = 0.1, 1.25
"""What a token costs that a cache has, and one that it takes in, where a token costs 1."""
SETTINGS = (0, 1_000, 4_000)
"""`clear_at_least`: pointers at once, and two that spare caches."""

Chat = Sequence[Mapping[str, Any]]


def sample() -> list[Chat]:
    """Get two made-up conversations, for a run without data."""
    chats: list[Chat] = []
    for number in range(2):
        chat: list[Mapping[str, Any]] = [{"role": "system", "content": "You look after a shop."}]
        for step in range(70):
            item = f"item-{number}-{step}"
            stock = {"item": item, "stock": [{"place": f"shelf {n}", "count": n} for n in range(9)]}
            function = {"name": "find_item", "arguments": minified({"item": item})}
            call = {"id": f"call-{step}", "type": "function", "function": function}
            chat += [
                {"role": "user", "content": f"Where is {item}?"},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"call-{step}", "content": json.dumps(stock)},
                {"role": "assistant", "content": f"{item} is on shelves 0 to 8."},
            ]
        chats.append(chat)
    return chats


def read(path: Path) -> list[Chat]:
    """Get the conversations of a file."""
    content = path.read_bytes()
    lines = (gzip.decompress(content) if path.suffix == ".gz" else content).splitlines()
    return [json.loads(line)["messages"] for line in lines]


def sessions(chats: Iterable[Chat]) -> Iterator[list[Mapping[str, Any]]]:
    """Join conversations under the first one's system prompt; the last few may be too short."""
    joined: list[Mapping[str, Any]] = []
    for chat in chats:
        joined += [each for each in chat if each["role"] != "system" or not joined]
        if sum(each["role"] not in ("tool", "system") for each in joined) >= TURNS:
            yield joined
            joined = []


def tools_of(chats: Iterable[Chat]) -> ToolSet:
    """Get tools that take the calls of conversations which come without definitions."""
    seen: dict[str, dict[str, list[Any]]] = {}
    counts: dict[str, int] = {}
    for message in (message for chat in chats for message in from_openai(chat)):
        for call in (each.call for each in message.calls):
            counts[call.name] = counts.get(call.name, 0) + 1
            for key, value in call.arguments.items():
                seen.setdefault(call.name, {}).setdefault(key, []).append(value)
    return ToolSet.from_tools(
        {
            "name": name,
            "parameters": {
                "type": "object",
                "properties": {key: _schema(values) for key, values in seen.get(name, {}).items()},
                "required": [k for k, values in seen.get(name, {}).items() if len(values) == count],
            },
        }
        for name, count in counts.items()
    )


def _schema(values: Sequence[Any]) -> dict[str, Any]:
    kinds = {type(value) for value in values}
    if kinds == {dict}:
        keys = dict.fromkeys(key for value in values for key in value)
        parts = {key: [value[key] for value in values if key in value] for key in keys}
        return {
            "type": "object",
            "properties": {key: _schema(found) for key, found in parts.items()},
            "required": [key for key, found in parts.items() if len(found) == len(values)],
        }
    if kinds == {list}:
        items = [item for value in values for item in value]
        return {"type": "array", "items": _schema(items)} if items else {"type": "array"}
    names = {str: "string", bool: "boolean", int: "integer", float: "number"}
    return {"type": sorted(names[kind] for kind in kinds)} if kinds <= names.keys() else {}


@dataclass(slots=True)
class Sums:
    """Tokens of all requests of a session, or of many, and what a cache makes of them."""

    requests: int = 0
    tokens: int = 0
    cost: float = 0.0
    last: int = 0
    """The tokens of each session's last request."""
    broken: int = 0
    """How often a request did not begin as the one before."""


class Cache:
    """A cache of prompts that may begin anew at each message, as they do at best."""

    def __init__(self, tokenizer: TokenCounter, sums: Sums) -> None:
        self._tokenizer = tokenizer
        self._counts = TurnCache()
        self._before: list[Any] = []
        self._sums = sums

    def ask(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Take in a request."""
        costs = [self._counts.count(self._tokenizer, each).tokens for each in messages]
        same = 0
        while same < min(len(messages), len(self._before)) and (
            messages[same] == self._before[same]
        ):
            same += 1
        total, hit = sum(costs), sum(costs[:same])
        self._sums.requests += 1
        self._sums.tokens += total
        self._sums.broken += same < len(self._before)
        self._sums.cost += READ * hit + WRITE * (total - hit)
        self._before = list(messages)

    def end(self) -> None:
        """Take note of the last request of a session."""
        self._sums.last += sum(self._counts.count(self._tokenizer, m).tokens for m in self._before)


def asks(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Get messages, and whether the model is asked when each has come."""
    for at, message in enumerate(messages):
        after = messages[at + 1]["role"] if at + 1 < len(messages) else "assistant"
        yield message, message["role"] != "assistant" and after == "assistant"


def play(
    session: Sequence[Mapping[str, Any]], store: str, sums: Sums, **options: Any
) -> tuple[View, Transcript]:
    """Let an agent have a session; get its last view."""
    tokenizer: TokenCounter = options["counter"]
    chat, cache = Transcript(store=open_store(store), **options), Cache(tokenizer, sums)
    for message, is_asked in asks(session):
        chat.append(message)
        if is_asked:
            cache.ask(chat.render().messages)
    view = chat.render()
    cache.ask(view.messages)
    cache.end()
    return view, chat


def check(session: Sequence[Mapping[str, Any]], view: View, chat: Transcript) -> None:
    """Check what must hold of a view, and that every result can be had back."""
    roles = [message.role for message in view.chat if message.role != "system"]
    if roles[0] != "user":
        raise AssertionError(f"the first message is of {roles[0]}")
    check_pairs(view.chat)
    for turn in in_order(session):
        for number in range(1, len(turn.results) + 1):
            name = f"t{turn.number}.{number}"
            if chat.answer(Call("recall", {"result": name})) != turn.result(number).text:
                raise AssertionError(f"{name} does not come back as it was")


def in_order(session: Sequence[Mapping[str, Any]]) -> list[Turn]:
    """Get the turns of a session."""
    turns: list[Turn] = []
    for message in from_openai(session):
        add_message(turns, message)
    return turns


def lton_alone(
    session: Sequence[Mapping[str, Any]], form: Form, tools: ToolSet, tokenizer: TokenCounter
) -> int:
    """Get the tokens of a session whose turns are in LTON where that is shorter, all results kept.

    That is all that LTON saves by itself: no result is a pointer.
    """
    counts, total = TurnCache(), 0
    for turn in in_order(session):
        answers = [(each.results[0].text, False) for each in turn.results]
        written = in_lton(turn, answers, form, tools) if answers else None
        both = [each for each in (turn.messages, written) if each]
        total += min(
            sum(counts.count(tokenizer, m).tokens for m in to_openai(each)) for each in both
        )
    return total


def plain(joined: Sequence[Chat], tokenizer: TokenCounter) -> Sums:
    """Get what sessions cost as they are."""
    sums = Sums()
    for session in joined:
        cache = Cache(tokenizer, sums)
        for at, (_, is_asked) in enumerate(asks(session), 1):
            if is_asked:
                cache.ask(session[:at])
        cache.ask(session)
        cache.end()
    return sums


def measure(joined: Sequence[Chat], **options: Any) -> tuple[Sums, list[int]]:
    """Get what sessions cost as transcripts, and the tokens of each pointer in the last views.

    Each session is read again from its store, shown again, and all of its results are recalled.
    """
    sums, lengths = Sums(), []
    for session in joined:
        with tempfile.TemporaryDirectory() as folder:
            store = f"sqlite:///{folder}/chats.db"
            view, chat = play(session, store, sums, **options)
            again = Transcript.load(open_store(store), chat.id, **options)
            if again.render().messages != view.messages:
                raise AssertionError("another view after a restart")
            check(session, view, again)
            lengths += [each.after for each in view.decisions if each.action == "pointer"]
    return sums, lengths


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, help="conversations, a JSON object a line")
    parser.add_argument("--tokenizer", default="o200k")
    options = parser.parse_args(arguments)
    chats = sample() if options.data is None else read(options.data)
    tokenizer, tools = counter(options.tokenizer), tools_of(chats)
    joined = list(sessions(chats))
    turns = sum(map(len, map(in_order, joined)))
    print(f"{len(joined)} sessions, {turns} turns, {options.tokenizer}, hot window of 3 turns")
    base = plain(joined, tokenizer)
    print(f"{'':<36}{'at the end':>12}{'saved':>8}{'requests':>10}{'cost':>7}{'breaks':>8}", end="")
    print("  pointers, tokens of each")
    _row("as it is", base, base, len(joined), [])
    short = tools.with_aliases()
    rows: list[tuple[str, dict[str, Any]]] = [
        *((f"pointers, clear_at_least={each}", {"clear_at_least": each}) for each in SETTINGS),
        ("compact pointers", {"clear_at_least": 0, "pointer": "compact"}),
        ("pointers, LTON keyed", {"clear_at_least": 0, "history": "keyed", "tools": tools}),
        ("pointers, LTON wire", {"clear_at_least": 0, "history": "wire", "tools": tools}),
        (
            "pointers, LTON wire with aliases",
            {"clear_at_least": 0, "history": "wire", "tools": short},
        ),
    ]
    ends = {}
    for name, settings in rows:
        sums, lengths = measure(joined, counter=tokenizer, **settings)
        _row(name, sums, base, len(joined), lengths)
        ends[name] = sums.last
    print("LTON's own share of the tokens at the end, in the wire form:")
    alone = sum(lton_alone(session, "wire", tools, tokenizer) for session in joined)
    both = ends["pointers, LTON wire"] / ends["pointers, clear_at_least=0"]
    print(f"    without pointers {1 - alone / base.last:.1%}, with pointers {1 - both:.1%}")
    print("Each view began with the user's message, had no orphan, and was the same after a")
    print("restart; each result came back as it was.")


def _row(name: str, sums: Sums, base: Sums, count: int, lengths: Sequence[int]) -> None:
    pointers = f"  {len(lengths)}, {sum(lengths) / len(lengths):.2f}" if lengths else ""
    print(
        f"{name:<36}{sums.last:>12,}{1 - sums.last / base.last:>8.1%}"
        f"{sums.tokens / base.tokens:>10.3f}{sums.cost / base.cost:>7.3f}"
        f"{sums.broken / count:>8.1f}{pointers}",
        flush=True,
    )


if __name__ == "__main__":
    main()
