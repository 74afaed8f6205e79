"""Compute the cost of requests with a prompt cache, as reported and as estimated.

An estimate counts the start that a request shares with the previous request of its conversation as
cache reads, and the rest as cache writes. Estimates can also price the agent's original request,
which no provider has seen. Reports are measurements, and are never combined with estimates.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from time import monotonic
from typing import Any, TypeAlias

from lton.chat.beginnings import Latest, iterate_digests_of_beginnings
from lton.tokens.billing import Prices, PromptCache, PromptTokens, count_common_start
from lton.tokens.usage import PromptPart, ReportedUsage

_Digest: TypeAlias = bytes
_CONVERSATIONS = 256  # conversations whose parts are remembered, as digests and token counts
MOST_TOOLS = 2_048  # tools whose definitions are counted


@dataclass(frozen=True, kw_only=True)
class RequestBill:
    """The cost of a request: as the agent sent it, as the upstream received it, and as reported."""

    conversation: str
    prices: Prices
    asked: PromptTokens
    sent: PromptTokens
    reported: ReportedUsage | None
    new_asked: Sequence[PromptPart]  # the parts that the previous request does not have
    new_sent: Sequence[PromptPart]
    by_tool: Mapping[str, tuple[float, float]]  # billed tokens; by role if there is no tool

    def as_json(self) -> dict[str, Any]:

        def describe_tokens(tokens: PromptTokens) -> dict[str, Any]:
            return {**asdict(tokens), "billed": round(self.prices.price_of(tokens), 1)}

        reported = self.reported
        return {
            "conversation": self.conversation,
            "reported": reported
            and {**describe_tokens(reported.prompt), "output": reported.output},
            "estimated": {"sent": describe_tokens(self.sent), "asked": describe_tokens(self.asked)},
        }


def with_turns(bill: RequestBill, turns: int) -> RequestBill:
    """Return the bill of a request for which the model was asked `turns` times.

    Each repetition sends the prompt again, and reads it from the cache.
    """
    again = PromptTokens(read=bill.sent.total * (turns - 1))
    return replace(bill, sent=bill.sent + again) if turns > 1 else bill


@dataclass
class _Conversation:
    asked: PromptCache
    sent: PromptCache
    digests: dict[str, list[_Digest]] = field(default_factory=dict)
    counts: dict[_Digest, int] = field(default_factory=dict)


class BilledConversations:
    """Computes the bill of each request. `count` counts the tokens of a string.

    A conversation is identified by its parts up to the first user message.
    """

    def __init__(
        self, count: Callable[[str], int], prices: Prices, clock: Callable[[], float] = monotonic
    ) -> None:
        self.count = count
        self.prices = prices
        self.clock = clock
        self._lock = threading.Lock()
        self._open = Latest[str, _Conversation](_CONVERSATIONS)

    def bill_request(
        self,
        client_parts: Sequence[PromptPart],
        sent_parts: Sequence[PromptPart],
        reported: ReportedUsage | None,
    ) -> RequestBill:
        name = _conversation_name(client_parts)
        ways = {"asked": client_parts, "sent": sent_parts}
        keys = {way: [part.digest for part in parts] for way, parts in ways.items()}
        with self._lock:
            known_counts = self._make_conversation(name).counts
        distinct = {
            key: part for way in ways for key, part in zip(keys[way], ways[way], strict=True)
        }
        # Count without the lock, because long strings take time.
        counts = {
            key: known_counts[key] if key in known_counts else self.count(part.text) + part.pictures
            for key, part in distinct.items()
        }
        tokens = dict[str, PromptTokens]()
        new = dict[str, int]()
        with self._lock:
            conversation = self._make_conversation(name)
            now = self.clock()
            for way, cache in (("asked", conversation.asked), ("sent", conversation.sent)):
                new[way] = count_common_start(conversation.digests.get(way, ()), keys[way])
                tokens[way] = cache.bill_prompt([(key, counts[key]) for key in keys[way]], now)
                conversation.digests[way] = keys[way]
            conversation.counts = counts
        was, now_ = (
            self._cost_by_tool(
                parts, map(counts.__getitem__, keys[way]), new[way] if tokens[way].read else 0
            )
            for way, parts in ways.items()
        )
        return RequestBill(
            conversation=name,
            prices=self.prices,
            reported=reported,
            new_asked=client_parts[new["asked"] :],
            new_sent=sent_parts[new["sent"] :],
            by_tool={tool: (was.get(tool, 0.0), now_.get(tool, 0.0)) for tool in {**was, **now_}},
            **tokens,
        )

    def _cost_by_tool(
        self, parts: Sequence[PromptPart], counts: Iterable[int], read: int
    ) -> dict[str, float]:
        """Add up the billed tokens of each tool. The first `read` parts came from the cache."""
        billed = dict[str, float]()
        for at, (part, count) in enumerate(zip(parts, counts, strict=True)):
            price = self.prices.read if at < read else self.prices.write
            tool = part.tool or part.role
            billed[tool] = billed.get(tool, 0.0) + count * price
        return billed

    def _make_conversation(self, name: str) -> _Conversation:
        lifetime = self.prices.lifetime
        client_cache = PromptCache(lifetime)
        sent_cache = PromptCache(lifetime)
        return self._open.get_or_make(name, lambda: _Conversation(client_cache, sent_cache))


def _conversation_name(parts: Sequence[PromptPart]) -> str:
    first = next((at for at, part in enumerate(parts, 1) if part.role == "user"), None)
    texts = (part.text for part in parts[:first] if part.role != "tools")  # agents add tools later
    return [*iterate_digests_of_beginnings(["", *texts])][-1][:12]


class DefinitionUse:
    """Records the tools that are defined and called, and the cost of the definitions."""

    def __init__(self) -> None:
        self.requests = 0
        self.called = set[str]()
        self.sent = Counter[str]()
        self.billed = dict[str, float]()
        self.tokens: dict[str, int] = {}

    def add_request(
        self, definitions: Mapping[str, int], called: Iterable[str], price: float
    ) -> None:
        """Add a request: the tokens of each tool's definition, and the called tools."""
        if definitions:
            self.requests += 1
        self.called.update(called)
        for name, tokens in definitions.items():
            if name in self.sent or len(self.sent) < MOST_TOOLS:
                self.sent[name] += 1
                self.tokens[name] = tokens
                self.billed[name] = self.billed.get(name, 0.0) + tokens * price

    def count_uncalled(self) -> dict[str, int]:
        """Return the tokens of the tools that every request defined and no answer called."""
        always = (name for name, number in self.sent.items() if number == self.requests)
        return {name: self.tokens[name] for name in always if name not in self.called}
