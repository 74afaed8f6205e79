"""Replay conversations of logs in several ways, and compare what they cost.

    python -m lton_bench.replay LOG ...

The options are those of `lton cost`. Definitions of tools are in no figure, because they are the
same in all ways.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lton.chat import Message, Part, Text, ToolCall, ToolResult, to_openai
from lton.chat.records import join_texts
from lton.cost import command
from lton.cost.logs import Record
from lton.cost.report import describe_prices
from lton.errors import LTONError
from lton.tokens import TokenCounter, counter
from lton.tokens.billing import PRICES, Prices, count_common_start
from lton.tokens.registry import default_tokenizer
from lton_bench.context.bills import Sums, Way, measure, ways
from lton_bench.internals import say as report
from lton_bench.internals import table, write

OpenAIChat: TypeAlias = list[dict[str, Any]]
_OPEN = 64
"""The number of conversations that a request may continue."""
_MOST = 4 * 1024 * 1024
"""The most characters of a conversation, because the search for quotations takes memory."""


@dataclass
class Conversations:
    """Collects the conversations of records, each with all its messages."""

    ended: list[tuple[Message, ...]] = field(default_factory=list)
    _open: list[Record] = field(default_factory=list)

    def add(self, record: Record) -> None:
        """Add a record, which may continue an earlier record."""
        if not record.messages:
            return
        for before in reversed(self._open):
            if count_common_start(before.messages, record.messages) == len(before.messages):
                self._open.remove(before)
                break
        self._open.append(record)
        if len(self._open) > _OPEN:
            self._end(self._open.pop(0))

    def end(self) -> list[tuple[Message, ...]]:
        """Return all conversations."""
        while self._open:
            self._end(self._open.pop(0))
        return self.ended

    def _end(self, record: Record) -> None:
        self.ended.append((*record.messages, *record.answer))


def chat_of(messages: Iterable[Message]) -> OpenAIChat:
    """Return a conversation in the format of chat completions: texts, calls and results.

    Thoughts, media, and calls without a result are left out.
    """
    merged: list[Message] = []
    for message in messages:
        role = "system" if message.role == "developer" else message.role
        # One turn is one message, also where an agent keeps its blocks apart.
        is_more = bool(merged) and merged[-1].role == role in ("system", "assistant")
        before = merged.pop().parts if is_more else ()
        merged.append(Message(role, tuple(_parts((*before, *message.parts)))))
    if merged and merged[-1].calls:
        merged[-1] = Message.saying("assistant", merged[-1].text)
    return to_openai(merged)


def _parts(parts: tuple[Part, ...]) -> Iterator[Part]:
    if text := join_texts(parts):
        yield Text(text)
    for part in parts:
        match part:
            case ToolCall():
                yield ToolCall(part.name, part.written, part.id)
            case ToolResult():
                yield ToolResult((Text(part.text),), part.call_id, part.name)


def replay(
    conversations: Sequence[Iterable[Message]],
    tokenizer: TokenCounter,
    say: Callable[[str], None],
    prices: Prices = PRICES["anthropic"],
) -> str:
    """Return the table of all ways; `say` gets the omitted conversations with the reasons.

    The bill uses `prices`, and so does the decision whether clearing pays.
    """
    measured = list(_measure_all(conversations, ways(prices), tokenizer, prices, say))
    rows: list[list[str]] = []
    base = 0.0
    for name in measured[0] if measured else ():
        sums = [sums_by_way[name] for sums_by_way in measured]
        billed = sum(sum(sums_by_way.billed) for sums_by_way in sums)
        base = base or billed
        tokens, rewritten, harmed, quoting = (
            sum(getattr(sums_by_way, key) for sums_by_way in sums)
            for key in ("tokens", "rewritten", "harmed", "quoting")
        )
        share = f"{billed / base:.3f}" if base else "-"
        cells = [f"{tokens:,}", f"{billed:,.0f}", share, f"{harmed} of {quoting}", f"{rewritten:,}"]
        rows.append([name, *cells])
    whose = next((name for name, named_prices in PRICES.items() if named_prices == prices), "given")
    head = [f"{len(measured):,} conversations", "tokens", "billed", "ratio", "harm", "rewritten"]
    return table(head, rows) + (
        f"billed tokens are estimated, at {describe_prices((whose, prices))}\n"
        "definitions are in no figure\n"
        "ratio: billed tokens, as a part of those as it is\n"
        "harm: answers that quote a result which their request did not show, of all that quote\n"
    )


def _measure_all(
    conversations: Sequence[Iterable[Message]],
    some_ways: Mapping[str, Way],
    tokenizer: TokenCounter,
    prices: Prices,
    say: Callable[[str], None],
) -> Iterator[dict[str, Sums]]:
    """Yield the sums of each way; a conversation that fails in one way is left out of all."""
    for number, messages in enumerate(conversations, 1):
        try:
            chat = chat_of(messages)
            if why := _odd(chat):
                say(f"conversation {number} is left out: {why}")
                continue
            sums = {
                name: measure([chat], way, tokenizer, prices) for name, way in some_ways.items()
            }
        except (LTONError, AssertionError) as error:
            say(f"conversation {number} is left out: {error}")
            continue
        yield sums


def _odd(chat: OpenAIChat) -> str | None:
    """Return the reason why a conversation cannot be sent again, or None."""
    turns = [message for message in chat if message["role"] != "system"]
    if not turns or turns[0]["role"] != "user":
        return "it does not begin with its user"
    if all(message["role"] != "assistant" for message in turns):
        return "it has no answer"
    if sum(len(str(message.get("content") or "")) for message in chat) > _MOST:
        return f"it has more than {_MOST:,} characters"
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table of all ways; return 1 if the logs have no conversation."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    command.add_options(parser)
    options = parser.parse_args(arguments)
    conversations = Conversations()
    command.read_all_logs(options, conversations.add)
    ended = conversations.end()
    by = counter(options.tokenizer or default_tokenizer(report))
    write(replay(ended, by, report, options.prices or PRICES["anthropic"]))
    return 0 if ended else 1


if __name__ == "__main__":
    sys.exit(main())
