r"""Send the same long conversations with other libraries, compared with transcripts.

    python -m lton_bench.context.peers --tau tests/chat/tau-airline.jsonl.gz \
        --swe tests/chat/swe-agent.jsonl.gz --out results

The first table extends the table of `lton_bench.context` with libraries that work request by
request. For the second table, each library gets the complete session of tau-bench once, with the
settings that save the most but keep the last three turns. The same counter counts all tokens.
Text is "gone" if it is not shown, and if no tool or file of the library returns it to the model.
If a library needs a model that summarizes, a fixed rule replaces the model: the summary is the
last 40 requests of the user, each cut at 80 characters. The time is processor time, for LTON of
all requests of a session, and for the other libraries of only the last request. The budget of
cendor-contextkit is the number of tokens that LTON took. This library does not count calls, so
it takes more tokens.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

from lton.chat import from_openai
from lton.errors import TranscriptError
from lton.tokens import TokenCounter, counter
from lton.tokens.billing import Prices
from lton.transcript.pairing import check_pairs
from lton_bench.context.bills import (
    TURNS,
    WAYS,
    Chat,
    Sums,
    Views,
    Way,
    add_data,
    asks,
    data,
    in_order,
    measure,
    shown,
    ways,
)
from lton_bench.context.bills import table as table_of_bills
from lton_bench.internals import minified, read_json

Peer: TypeAlias = Callable[[Chat, TokenCounter, int], tuple[list[Mapping[str, Any]], bool]]
"""A function that returns the sent messages, and whether the rest can be recalled."""
RULE = "fixed rule for a model"


def summariser(**options: Any) -> Any:
    """Return a model that answers with the user's requests in its prompt."""
    messages = import_module("langchain_core.messages")
    outputs = import_module("langchain_core.outputs")
    base: Any = import_module("langchain_core.language_models").BaseChatModel

    class Summariser(base):  # type: ignore[misc]
        @property
        def _llm_type(self) -> str:
            return RULE

        def _generate(self, asked: list[Any], *_: Any, **__: Any) -> Any:
            lines = str(asked[-1].content).splitlines()
            users = ("Human:", '<message type="human">')
            said = "\n".join([line[:80] for line in lines if line.startswith(users)][-40:])
            answer = messages.AIMessage(said or "Nothing was asked.")
            return outputs.ChatResult(generations=[outputs.ChatGeneration(message=answer)])

    return Summariser(**options)


def ours(session: Chat, tokenizer: TokenCounter, _: int) -> tuple[list[Mapping[str, Any]], bool]:
    """Return the last view of a transcript."""
    asked = [*session, {"role": "assistant", "content": ""}]
    return [*[*shown(clear="always")(asked, tokenizer)][-1]], True


def editing(session: Chat, tokenizer: TokenCounter, _: int) -> tuple[list[Mapping[str, Any]], bool]:
    """Return the messages after LangChain's context editing, which keeps three turns' results."""
    messages = _messages(session)
    hot = sum(len(turn.results) for turn in in_order(session)[-3:])
    module = import_module("langchain.agents.middleware.context_editing")
    edit = module.ClearToolUsesEdit(trigger=0, keep=hot)
    edit.apply(messages, count_tokens=lambda each: _count(tokenizer, _wire(each)))
    return _wire(messages), False


def cleared(session: Chat, tokenizer: TokenCounter) -> Views:
    """Yield each request after LangChain's context editing, which keeps the last three results."""
    module = import_module("langchain.agents.middleware.context_editing")
    for at in asks(session):
        messages = _messages(session[:at])
        module.ClearToolUsesEdit(trigger=1, keep=3).apply(
            messages, count_tokens=lambda each: _count(tokenizer, _wire(each))
        )
        yield [
            {**old, "content": new.content} if old["role"] == "tool" else old
            for old, new in zip(session[:at], messages, strict=True)
        ]


def compressed(session: Chat, _: TokenCounter) -> Views:
    """Yield each request as Headroom's library compresses it with its defaults.

    The library would download a model and a vocabulary, which are missing here: it estimates tokens
    instead. Nothing is written to its folder.
    """
    os.environ["HEADROOM_CCR_BACKEND"] = "memory"
    headroom = import_module("headroom")
    for at in asks(session):
        request = [dict(each) for each in session[:at]]
        yield headroom.compress(request, model="other", kompress_model="disabled").messages


def dropped(most: int) -> Way:
    """Return the way that keeps the newest messages within some tokens."""

    def views(session: Chat, tokenizer: TokenCounter) -> Views:
        costs = [_count(tokenizer, [each]) for each in session]
        for at in asks(session):
            first = head = int(session[0]["role"] == "system")
            while first < at - 1 and (
                sum(costs[first:at]) > most or session[first]["role"] == "tool"
            ):
                first += 1
            yield [*session[:head], *session[first:at]]

    return views


CLEARED = "LangChain, ClearToolUsesEdit(trigger=1, keep=3)"
BILLS: Mapping[str, Way] = {
    **WAYS,
    CLEARED: cleared,
    "Headroom, compress() without its model of texts": compressed,
    "oldest dropped, 8,000 tokens": dropped(8_000),
}


def replays(prices: Prices) -> Mapping[str, Callable[[Chat, TokenCounter], Sums]]:
    """Return the ways of `lton cost --replay`, which calculate with `prices`."""
    return {
        name: lambda chat, tokenizer, way=way: measure([chat], way, tokenizer, prices)  # type: ignore[misc]
        for name, way in {**ways(prices), CLEARED: cleared}.items()
    }


def summary(session: Chat, tokenizer: TokenCounter, most: int) -> tuple[list[Any], bool]:
    """Return the messages after LangChain's summarization, with a fixed rule instead of a model."""
    middleware = import_module("langchain.agents.middleware").SummarizationMiddleware(
        summariser(),
        trigger=("tokens", most),
        keep=("messages", 6),
        token_counter=lambda each: _count(tokenizer, _wire(each)),
        trim_tokens_to_summarize=None,
    )
    # An agent has its instructions elsewhere, and sends them with each request.
    system, messages = list(session[:1]), _messages(session[1:])
    changed = middleware.before_model({"messages": messages}, SimpleNamespace()) or {}
    return system + _wire(changed.get("messages", messages)[1 if changed else 0 :]), False


def deep(session: Chat, tokenizer: TokenCounter, most: int) -> tuple[list[Any], bool]:
    """Return the messages of deepagents, whose tools can read summarized messages in a file."""
    backends = import_module("deepagents.backends")
    peer = import_module("deepagents.middleware.summarization")
    types = import_module("langchain.agents.middleware.types")
    done = import_module("langchain_core.messages").AIMessage("done")
    with tempfile.TemporaryDirectory() as folder:
        model = summariser(profile={"max_input_tokens": most})
        middleware = peer.create_summarization_middleware(
            model,
            backends.FilesystemBackend(root_dir=folder, virtual_mode=True),
            token_counter=lambda each, **_: _count(tokenizer, _wire(each)),
        )
        sent: list[Any] = []

        def send(request: Any) -> Any:
            sent[:] = request.messages
            return types.ModelResponse(result=[done])

        messages = _messages(session[1:])
        request = types.ModelRequest(
            model=model,
            messages=messages,
            state={"messages": messages},
            runtime=SimpleNamespace(context=None, store=None, config={}),
        )
        middleware.wrap_model_call(request, send)
        is_kept = any(path.is_file() for path in Path(folder).rglob("*"))
    return list(session[:1]) + _wire(sent), is_kept


def packed(session: Chat, tokenizer: TokenCounter, most: int) -> tuple[list[Any], bool]:
    """Return the messages that cendor-contextkit packs into as many tokens as LTON takes."""

    def count(found: str | list[Any], _: str) -> int:
        if isinstance(found, str):
            return tokenizer.count(found).tokens
        return _count(tokenizer, found)

    import_module("cendor.core.tokens").register(
        "openai", count
    )  # it would ask the network for a vocabulary
    peer = import_module("cendor.contextkit")
    context = peer.Context(budget_tokens=most, model="gpt-4o")
    context.add(peer.Block(session[0]["content"], priority=10, pin=True, role="system"))
    context.add(peer.Block(messages=list(session[1:]), priority=3, evict="drop_oldest"))
    return list(context.assemble()), False


PEERS: Mapping[str, Peer] = {
    "LTON's pointers": ours,
    "LangChain, context editing": editing,
    f"LangChain, summarisation ({RULE})": summary,
    f"deepagents, summarisation ({RULE})": deep,
    "cendor-contextkit, oldest dropped": packed,
}


def compare(joined: Sequence[Chat], tokenizer: TokenCounter) -> list[dict[str, Any]]:
    """Return a row for each library."""
    sizes: list[int] = []
    rows = []
    before = sum(_count(tokenizer, session) for session in joined)
    for name, peer in PEERS.items():
        tokens = gone = orphans = other = 0
        peer(joined[0], tokenizer, before)  # imports take no part
        begin = time.process_time()
        found = [
            peer(session, tokenizer, sizes[at] if sizes else 0) for at, session in enumerate(joined)
        ]
        seconds = time.process_time() - begin
        for session, (messages, is_kept) in zip(joined, found, strict=True):
            tokens += _count(tokenizer, messages)
            orphans += not _is_paired(messages)
            roles = [message["role"] for message in messages if message["role"] != "system"]
            other += roles[:1] != ["user"]
            gone += 0 if is_kept else len(_texts(session) - _texts(messages))
        sizes = sizes or [_count(tokenizer, messages) for messages, _ in found]
        rows.append(
            {
                "name": name,
                "tokens": tokens,
                "saved": 1 - tokens / before,
                "gone": gone,
                "orphans": orphans,
                "not_users_first": other,
                "seconds": seconds / len(joined),
            }
        )
    return rows


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as a Markdown table."""
    head = "| | tokens at the end | saved | texts gone | sessions with orphans "
    head += "| not begun by the user | s a session |\n|---|---:|---:|---:|---:|---:|---:|\n"
    return head + "".join(
        f"| {row['name']} | {row['tokens']:,} | {row['saved']:.1%} | {row['gone']:,} "
        f"| {row['orphans']} | {row['not_users_first']} | {row['seconds']:.2f} |\n"
        for row in rows
    )


def _texts(messages: Sequence[Mapping[str, Any]]) -> set[str]:
    return {
        message["content"] for message in messages if isinstance(message.get("content"), str)
    } - {""}


def _is_paired(messages: Sequence[Mapping[str, Any]]) -> bool:
    try:
        check_pairs(from_openai(messages))
    except TranscriptError:
        return False
    return True


def _messages(session: Chat) -> list[Any]:
    """Return LangChain's messages."""
    found: list[Any] = import_module("langchain_core.messages").convert_to_messages(list(session))
    return found


def _wire(messages: Sequence[Any]) -> list[Any]:
    """Return messages of OpenAI's API in the spelling of the sessions, so spelling has no cost."""
    found = import_module("langchain_core.messages").convert_to_openai_messages(list(messages))
    for message in found:
        for call in message.get("tool_calls", ()):
            message["content"] = message["content"] or None
            function = call["function"]
            function["arguments"] = minified(read_json(function["arguments"]))
    return list(found)


def _count(tokenizer: TokenCounter, messages: Sequence[Any]) -> int:
    return tokenizer.count_messages(list(messages)).tokens


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_data(parser)
    parser.add_argument("--out", type=Path, help="a folder for context-peers.md and .json")
    options = parser.parse_args(arguments)
    found, tokenizer = data(options), counter(options.tokenizer)
    bills = "\n".join(table_of_bills(found, BILLS, tokenizer))
    print(bills, end="\n\n", flush=True)
    rows = compare(found.get(f"tau, {TURNS} turns") or [*found.values()][-1], tokenizer)
    print(table(rows))
    if options.out:
        text = json.dumps({"tokenizer": options.tokenizer, "rows": rows}, indent=1)
        (options.out / "context-peers.json").write_text(text + "\n")
        about = (__doc__ or "").split("\n\n")
        said = f"# Conversations: the bill, compared with other libraries\n\n{bills}\n\n"
        said += f"## At the end of a session\n\n{about[2].strip()}\n\n{table(rows)}"
        (options.out / "context-peers.md").write_text(said)


if __name__ == "__main__":
    main()
