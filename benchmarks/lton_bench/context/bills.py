"""Bill conversations request by request, unchanged and as transcripts show them."""

import argparse
import gzip
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from lton import Call
from lton.apis.registry import APIS
from lton.chat import from_openai
from lton.gateway.apis.client_apis import ClientApi
from lton.gateway.native.native_requests import NativeOptions, read_native
from lton.gateway.window.context_options import ContextOptions
from lton.gateway.window.native_rounds import try_begin_native_rounds
from lton.gateway.window.prompt import PromptFitter
from lton.stores import open_store
from lton.tokens import TokenCounter, TurnCache
from lton.tokens.billing import PRICES, Prices, PromptCache, count_common_start
from lton.transcript.pairing import check_pairs
from lton.transcript.transcript import Transcript
from lton.transcript.turns import Turn, add_message
from lton.transcript.view import View
from lton_bench.internals import minified

TURNS, MESSAGES = 200, 120
"""The turns of a long session of tau-bench, and the least messages of one of SWE-agent."""
SINGLE = 60
"""The number of single conversations of tau-bench."""
QUOTED = 40
"""The characters of an earlier result that count as a quotation."""
WIDE = 1_000_000
"""A window that is never full, so only the policy decides."""

Chat: TypeAlias = Sequence[Mapping[str, Any]]
Views: TypeAlias = Iterator[Chat]
Way: TypeAlias = Callable[[Chat, TokenCounter], Views]
"""A function from a session and a counter to the messages of each request."""


def sample() -> list[Chat]:
    """Return two made-up conversations, for a run without data."""
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
    """Return the conversations of a file."""
    content = path.read_bytes()
    lines = (gzip.decompress(content) if path.suffix == ".gz" else content).splitlines()
    return [json.loads(line)["messages"] for line in lines]


def sessions(chats: Iterable[Chat], *, messages: int = 0) -> Iterator[list[Mapping[str, Any]]]:
    """Join conversations under the first one's system prompt; the last few may be too short.

    Without a number of messages, a session has `TURNS` turns.
    """
    joined: list[Mapping[str, Any]] = []
    for at, chat in enumerate(chats):
        kept_messages = [message for message in chat if message["role"] != "system" or not joined]
        joined += _rename_calls(
            kept_messages[:-1] if kept_messages[-1].get("tool_calls") else kept_messages, at
        )
        turns = sum(message["role"] not in ("tool", "system") for message in joined)
        if (len(joined) >= messages) if messages else (turns >= TURNS):
            yield joined
            joined = []


def _rename_calls(chat: Chat, number: int) -> Iterator[Mapping[str, Any]]:
    """Yield messages with ids of calls that are unique among conversations."""
    for message in chat:
        renamed = dict(message)
        if calls := renamed.get("tool_calls"):
            renamed["tool_calls"] = [{**call, "id": f"{number}-{call['id']}"} for call in calls]
        if "tool_call_id" in renamed:
            renamed["tool_call_id"] = f"{number}-{renamed['tool_call_id']}"
        yield renamed


def in_order(session: Chat) -> list[Turn]:
    """Return the turns of a session."""
    turns: list[Turn] = []
    for message in from_openai(session):
        add_message(turns, message)
    return turns


def asks(session: Chat) -> Iterator[int]:
    """Return the indices of the assistant's messages, each the answer to the messages before."""
    return (at for at, message in enumerate(session) if at and message["role"] == "assistant")


# --- ways to send a session -----------------------------------------------------------------------


def as_it_is(session: Chat, _: TokenCounter) -> Views:
    """Return each request unchanged."""
    return (session[:at] for at in asks(session))


def transcript_way(**options: Any) -> Way:
    """Return the way of a transcript with some options.

    At the end of a session, the transcript is loaded from its store and rendered again, and all
    results and messages are recalled. Raises `AssertionError` for any difference.
    """

    def views(session: Chat, tokenizer: TokenCounter) -> Views:
        settings = {"counter": tokenizer, "window": WIDE, **options}
        with tempfile.TemporaryDirectory() as folder:
            store = f"sqlite:///{folder}/chats.db"
            chat, sent_count = Transcript(store=open_store(store), **settings), 0
            for at in asks(session):
                for message in session[sent_count:at]:
                    chat.append(message)
                sent_count = at
                yield chat.render().messages
            for message in session[sent_count:]:
                chat.append(message)
            view = chat.render()
            again = Transcript.load(open_store(store), chat.id, **settings)
            if again.render().messages != view.messages:
                raise AssertionError("another view after a restart")
            _check(session, view, again)

    return views


def in_gateway(session: Chat, tokenizer: TokenCounter) -> Views:
    """Return the requests of a gateway with native calls, without the definitions of tools."""
    options = ContextOptions.from_section(f"window={WIDE},prices=anthropic")
    fitter, api = PromptFitter(options, tokenizer), ClientApi(APIS["chat"])
    tool = {"type": "function", "function": {"name": "nothing", "parameters": {}}}
    for at in asks(session):
        body = {"model": "m", "messages": [*session[:at]], "tools": [tool]}
        native = read_native(body, b"", APIS["chat"], NativeOptions())
        round_ = try_begin_native_rounds(fitter, native, api, APIS["chat"], strict=False)
        if round_ is None or (request := round_.try_take_next_request()) is None:
            raise AssertionError("a request is not shortened")
        yield request["messages"]


def _check(session: Chat, view: View, chat: Transcript) -> None:
    roles = [message.role for message in view.chat if message.role != "system"]
    if roles[0] != "user":
        raise AssertionError(f"the first message is of {roles[0]}")
    check_pairs(view.chat)
    for turn in in_order(session):
        messages = {f"t{turn.number}": turn.message.text}
        numbers = range(1, len(turn.results) + 1)
        results = {f"t{turn.number}.{n}": turn.result(n).text for n in numbers}
        for name, text in (results or messages).items():
            if chat.answer(Call("recall", {"result": name})) != text:
                raise AssertionError(f"{name} does not come back as it was")


def ways(prices: Prices) -> Mapping[str, Way]:
    """Return the ways of LTON. The way that clears results calculates with `prices`."""
    return {
        "as it is": as_it_is,
        "first sight": transcript_way(clear="never"),
        "first sight and pays (default)": transcript_way(prices=prices),
        "the same, JSON in short": transcript_way(prices=prices, short_json=True),
        "clear always": transcript_way(clear="always"),
    }


WAYS = ways(PRICES["anthropic"])


# --- what is measured -----------------------------------------------------------------------------


@dataclass(slots=True)
class Sums:
    """The sums of the requests of some sessions."""

    requests: int = 0
    tokens: int = 0
    requests_billed: list[list[float]] = field(default_factory=list)
    """The billed tokens of each request of each session."""
    last: int = 0
    """The tokens of each session's last request."""
    rewritten: int = 0
    quoting: int = 0
    harmed: int = 0

    @property
    def billed(self) -> list[float]:
        """The billed tokens of each session."""
        return [sum(requests) for requests in self.requests_billed]


def measure(
    joined: Sequence[Chat],
    way: Way,
    tokenizer: TokenCounter,
    prices: Prices = PRICES["anthropic"],
) -> Sums:
    """Send sessions in a way, and return the sums."""
    sums, counts = Sums(), TurnCache()
    for session in joined:
        cache, billed, before = PromptCache(), list[float](), list[Mapping[str, Any]]()
        quoted = quotations(session)
        for at, view in zip(asks(session), way(session, tokenizer), strict=True):
            request = [(message, counts.count(tokenizer, message).tokens) for message in view]
            tokens = cache.bill_prompt(request)
            billed.append(prices.price_of(tokens))
            sums.requests += 1
            sums.tokens += tokens.total
            sums.rewritten += sum(
                len(message_text(message)) for message in before[count_common_start(before, view) :]
            )
            sums.quoting += bool(quoted[at])
            text = "\0".join(map(message_text, view)) if quoted[at] else ""
            sums.harmed += any(message not in text for message in quoted[at])
            before = list(view)
        sums.requests_billed.append(billed)
        sums.last += tokens.total
    return sums


def quotations(session: Chat) -> Mapping[int, set[str]]:
    """Return the quotations of earlier results in each assistant message, as 40 characters each.

    Pieces with few characters, or few different characters, do not count.
    """
    result_pieces, quoted = set[str](), dict[int, set[str]]()
    for at, message in enumerate(session):
        pieces = {
            text[i : i + QUOTED]
            for text in [message_text(message)]
            for i in range(len(text) - QUOTED + 1)
        }
        if message["role"] == "assistant":
            quoted[at] = {piece for piece in pieces & result_pieces if says_much(piece)}
        elif message["role"] == "tool":
            result_pieces |= pieces
    return quoted


def says_much(piece: str) -> bool:
    """Return whether a piece has many characters, and many different ones."""
    return len(set(piece)) >= 10 and sum(character.isalnum() for character in piece) >= QUOTED // 2


def message_text(message: Mapping[str, Any]) -> str:
    """Return the content of a message, and the arguments of its calls."""
    texts = [message.get("content") or ""]
    for call in message.get("tool_calls") or ():
        try:
            values = [json.loads(call["function"]["arguments"])]
        except ValueError:
            values = [call["function"]["arguments"]]
        while values:
            value = values.pop()
            values += value.values() if isinstance(value, dict) else ()
            values += value if isinstance(value, list) else ()
            texts += [value] if isinstance(value, str) else ()
    return "\n".join(texts)


def groups(tau: Sequence[Chat], swe: Sequence[Chat]) -> Mapping[str, list[Chat]]:
    """Return the sessions of each column."""
    return {
        "SWE, single": list(sessions(swe, messages=1)),
        f"SWE, {MESSAGES} messages": list(sessions(swe, messages=MESSAGES)),
        "tau, single": list(sessions(tau[:SINGLE], messages=1)),
        f"tau, {TURNS} turns": list(sessions(tau)),
    }


def table(
    groups_of_sessions: Mapping[str, Sequence[Chat]],
    ways: Mapping[str, Way],
    tokenizer: TokenCounter,
) -> Iterator[str]:
    """Yield the lines of a Markdown table with a row per way."""
    names = [f"{name} ({len(joined)})" for name, joined in groups_of_sessions.items()]
    yield f"| billed cost | {' | '.join(names)} | dearer | harm | tokens | rewritten |"
    yield f"|---|{'---:|' * (len(names) + 4)}"
    base = {
        name: measure(joined, as_it_is, tokenizer) for name, joined in groups_of_sessions.items()
    }
    for way, views in ways.items():
        cells, total, dearer = [], Sums(), []
        for name, joined in groups_of_sessions.items():
            sums = base[name] if views is as_it_is else measure(joined, views, tokenizer)
            cells.append(f"{sum(sums.billed) / sum(base[name].billed):.3f}")
            pairs = zip(sums.billed, base[name].billed, strict=True)
            dearer.append(str(sum(now > before for now, before in pairs)))
            total.harmed += sums.harmed
            total.quoting += sums.quoting
            total.tokens += sums.tokens
            total.rewritten += sums.rewritten
        share = total.tokens / sum(sums_of_group.tokens for sums_of_group in base.values())
        yield (
            f"| {way} | {' | '.join(cells)} | {', '.join(dearer)} "
            f"| {total.harmed} of {total.quoting} | {share:.3f} | {total.rewritten:,} |"
        )


def parts(
    joined: Sequence[Chat], tokenizer: TokenCounter, prices: Prices = PRICES["anthropic"]
) -> dict[str, float]:
    """Return the bill of each part of sessions with the defaults, relative to unchanged ones."""
    bills, counts = dict[str, float](), TurnCache()
    for session in joined:
        before: Chat = ()
        for view in transcript_way(prices=prices)(session, tokenizer):
            same = count_common_start(before, view)
            for at, message in enumerate(view):
                tokens = counts.count(tokenizer, message).tokens
                name = "calls" if message.get("tool_calls") else message["role"]
                price = prices.read if at < same else prices.write
                bills[name] = bills.get(name, 0.0) + tokens * price
            before = view
    base = sum(measure(joined, as_it_is, tokenizer, prices).billed)
    return {name: billed / base for name, billed in bills.items()}


def add_data(parser: argparse.ArgumentParser) -> None:
    """Add the options for the data."""
    for name in ("tau", "swe"):
        parser.add_argument(f"--{name}", type=Path, help="conversations, a JSON object a line")
    parser.add_argument("--tokenizer", default="o200k")


def data(options: argparse.Namespace) -> Mapping[str, list[Chat]]:
    """Return the sessions that options name, or made-up sessions."""
    if options.tau is None and options.swe is None:
        return {"made up": list(sessions(sample()))}
    tau, swe = (read(file) if file else [] for file in (options.tau, options.swe))
    return {name: joined for name, joined in groups(tau, swe).items() if joined}
