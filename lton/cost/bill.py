"""Count the tokens in each part of logged requests and compute what they cost."""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import add
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from lton._json import minified, read_value
from lton._syntax import FOR_MODELS
from lton.chat import Message, ToolCall, ToolResult
from lton.chat.records import Other, Text, Thought
from lton.chat.writing import instructions, write_answer
from lton.codec import encode
from lton.cost.logs import LISTING, Record
from lton.cost.typescript import HEAD, TAIL, write_typescript
from lton.errors import ConversionError, EncodeError, SchemaError
from lton.schema.definitions import SCHEMA_KEYS
from lton.schema.toolset import ToolSet
from lton.tokens import TokenCounter
from lton.tokens.billing import PRICES, Prices, count_common_start
from lton.tokens.usage import ReportedUsage, defined_name

Category: TypeAlias = Literal[
    "system", "definitions", "user", "assistant", "calls", "results", "answers"
]
PROMPT: tuple[Category, ...] = ("system", "definitions", "user", "assistant", "calls", "results")
"""The parts of a request. A model's answers become parts of later requests."""
ANSWERS: Category = "answers"
_CATEGORIES: dict[str, Category] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "results",
}
"""The category of a message's text, by its role."""
TOOLED: tuple[Category, ...] = ("definitions", "calls", "results", ANSWERS)
PRIMER = "(how to call)"
UNKNOWN = "(unknown)"
TEXT = "(text)"
"""The names of rows for the primer, for results without a call, and for text without a tool."""
_Key: TypeAlias = tuple[Category, str]
_Table: TypeAlias = Mapping[_Key, "Costs"]
_Called: TypeAlias = dict[str | None, str]  # tools by ids of calls
_TOOLSETS = 64
_CACHES = 64
_KEPT = 2**14
_LONG = 4096
"""The maximum number of cached counts, and of characters of a cached text."""
_OPENAI = re.compile(r"(?:openai/)?(?:gpt-|o\d|chatgpt|codex)")
_ANTHROPIC = re.compile(r"(?:anthropic/)?claude")
DEFAULT = "anthropic"
"""The prices if the model is unknown."""


class Item(NamedTuple):
    """A part of a request: its text as JSON, as the API shows it to the model, and in LTON."""

    category: Category
    tool: str
    json: str
    shown: str
    lton: str
    bare: str


class Costs(NamedTuple):
    """The number of items, and the total of their tokens in each form.

    `json` counts tokens in the log, `shown` as the API shows items to the model, `lton` in LTON,
    and `bare` in LTON without the descriptions in definitions.
    """

    number: int = 0
    json: int = 0
    shown: int = 0
    lton: int = 0
    bare: int = 0

    def __add__(self, other: tuple[object, ...]) -> "Costs":
        assert isinstance(other, Costs)
        return Costs(*map(add, self, other))

    @property
    def ratio(self) -> float | None:
        """The tokens in LTON divided by the tokens shown to the model, or None if these are 0."""
        return self.lton / self.shown if self.shown else None


@dataclass(frozen=True, slots=True)
class Billed:
    """The tokens billed for requests, as they were sent and as LTON would have sent them."""

    shown: float = 0.0
    lton: float = 0.0

    def __add__(self, other: "Billed") -> "Billed":
        return Billed(self.shown + other.shown, self.lton + other.lton)


@dataclass(slots=True, eq=False)
class _Sent:
    tools: tuple[Any, ...]
    messages: tuple[Message, ...] = ()
    costs: list[_Table] = field(default_factory=list)  # of each message
    total: _Table = field(default_factory=dict)
    called: _Called = field(default_factory=dict)
    at: float | None = None


class _Conversation(Protocol):
    messages: tuple[Message, ...]


_C = TypeVar("_C", bound=_Conversation)


def find_longest_start(
    earlier: Iterable[_C], messages: Sequence[Message], *, whole: bool = False
) -> tuple[_C | None, int]:
    """Find the conversation that begins with the most messages of `messages`, and count them.

    With `whole`, all messages of the earlier conversation must be shared.
    """
    longest = None
    most = 0
    for conversation in earlier:
        same = count_common_start(conversation.messages, messages)
        if (longest is None or same > most) and (same == len(conversation.messages) or not whole):
            longest = conversation
            most = same
    return longest, most


class Bill:
    """Counts the tokens in logged requests, as they were sent and as LTON would send them.

    Each request is counted completely, because it is paid for completely. JSON is minified.
    Definitions are also counted as the API shows them (as TypeScript to OpenAI's models). In LTON,
    they are counted as the gateway would write them: signatures with a primer, calls, and results
    in frames. Text that LTON cannot write counts the same in both forms. Images, and text that a
    chat template adds, are not counted.

    The start that a request shares with an earlier one is billed as read from a cache, and the rest
    as written to the cache, at `prices` (by default the provider's). This is an estimate.
    `reported` is the provider's own count, if the log contains it.

    >>> from lton.cost.logs import records
    >>> from lton.tokens import counter
    >>> bill = Bill(counter("o200k"), ToolSet.from_prompt("weather(city days:int)"))
    >>> for record in records({"name": "weather", "arguments": {"city": "Oslo", "days": 3}}):
    ...     bill.add_record(record)
    >>> bill.total("calls")
    Costs(number=1, json=16, shown=16, lton=10, bare=10)
    """

    def __init__(
        self, counter: TokenCounter, tools: ToolSet | None = None, *, prices: Prices | None = None
    ) -> None:
        self.costs: defaultdict[_Key, Costs] = defaultdict(Costs)
        self.billed: defaultdict[Category, Billed] = defaultdict(Billed)
        self.forms: Counter[str] = Counter()
        """The number of records of each kind."""
        self.reported: ReportedUsage | None = None
        self.reports = 0
        """The number of requests in `reported`."""
        self.billed_as_reported = 0.0
        self.prices: dict[str, Prices] = {}
        """The prices in use, by provider."""
        self.typescript = Costs()
        """All definitions: `shown` as TypeScript, and in LTON."""
        self.unread: dict[str, str] = {}
        """Definitions that LTON cannot read, by name, with the reasons."""
        self.exact = True
        self.maps = 0
        """The number of calls without a tool, which are written as a name and a map."""
        self.uncounted: Counter[str] = Counter()
        """Parts other than text, by kind."""
        self._counter = counter
        self._tools = tools
        self._given = prices
        self._known: dict[str, int] = {}
        self._sent: deque[_Sent] = deque(maxlen=_CACHES)

    def add_record(self, record: Record) -> None:
        provider, prices = self._find_provider_and_prices(record.model)
        if record.usage:
            self._add_usage(record.usage, prices)
        if record.is_empty:
            return
        self.forms[record.form] += 1
        tools, definitions = self._read_definitions(record)
        if record.form == LISTING:
            self._tools = self._tools or tools  # they define the calls of later records
        cached, same = find_longest_start(
            self._iterate_requests_still_cached(record, prices), record.messages
        )
        before = cached or _Sent(())
        called = dict(before.called)
        new_costs = [
            self._message_costs(message, tools, called) for message in record.messages[same:]
        ]
        if record.tools or record.messages:
            self.prices[provider] = prices
            is_read = before.tools == record.tools
            self._charge_costs(definitions, prices.read if is_read else prices.write)
            request = _Sent(record.tools, record.messages, called=called, at=record.at)
            self._charge_request(request, before, same, new_costs, prices)
        self._add_answer(record.answer, tools, called)

    def _find_provider_and_prices(self, model: str) -> tuple[str, Prices]:
        if self._given:
            return "given", self._given
        provider = _provider_of_model(model)
        return provider, PRICES[provider]

    def _add_usage(self, usage: ReportedUsage, prices: Prices) -> None:
        self.reported = self.reported + usage if self.reported else usage
        if usage.prompt.total:
            self.reports += 1
        self.billed_as_reported += prices.price_of(usage.prompt)

    def _iterate_requests_still_cached(self, record: Record, prices: Prices) -> Iterator[_Sent]:
        """Yield the requests whose start a provider may still have when a record is sent."""
        for request in self._sent:
            is_recent = (
                request.at is None or record.at is None or record.at - request.at <= prices.lifetime
            )
            if is_recent and request.tools == record.tools:
                yield request

    def _charge_request(
        self, request: _Sent, before: _Sent, same: int, new_costs: list[_Table], prices: Prices
    ) -> None:
        """Charge a request of which `same` messages are read from the cache of an earlier one."""
        is_continued = same == len(before.messages)
        read = before.total if is_continued else _sum_tables(before.costs[:same])
        new = _sum_tables(new_costs)
        request = replace(
            request, costs=before.costs[:same] + new_costs, total=_sum_tables([read, new])
        )
        if is_continued and before in self._sent:
            self._sent.remove(before)  # later requests continue this request
        self._sent.append(request)
        self._charge_costs(read, prices.read)
        self._charge_costs(new, prices.write)

    def _add_answer(
        self, messages: Iterable[Message], tools: ToolSet | None, called: _Called
    ) -> None:
        answers = _sum_tables(self._message_costs(message, tools, called) for message in messages)
        for (_, tool), cost in answers.items():
            self.costs[ANSWERS, tool] += cost

    @property
    def billed_total(self) -> Billed:
        """The estimated bill of all requests."""
        return sum(self.billed.values(), Billed())

    def total(self, category: Category | None = None, tool: str | None = None) -> Costs:
        """Return the costs of a category, of a tool, or of all requests."""
        costs = (
            cost
            for (cost_category, whose), cost in self.costs.items()
            if tool in (None, whose)
            and (cost_category == category if category else cost_category != ANSWERS)
        )
        return sum(costs, Costs())

    @property
    def tools(self) -> list[str]:
        """The names of all tools, the most expensive first."""
        names = dict.fromkeys(whose for _, whose in self.costs if whose != TEXT)
        sizes = {
            name: sum(self.total(category, name).json for category in TOOLED) for name in names
        }
        return sorted(names, key=lambda name: (-sizes[name], name))

    def _charge_costs(self, table: _Table, price: float) -> None:
        for key, cost in table.items():
            self.costs[key] += cost
            self.billed[key[0]] += Billed(cost.shown * price, cost.lton * price)

    def _count_texts(self, texts: Iterable[str]) -> dict[str, int]:
        texts = dict.fromkeys(texts)
        counts = {text: self._known[text] for text in texts if text in self._known}
        new_texts = [text for text in texts if text not in counts]
        if len(self._known) + len(new_texts) > _KEPT:
            self._known.clear()
        for text, count in zip(new_texts, self._counter.count_all(new_texts), strict=True):
            self.exact = self.exact and count.exact
            counts[text] = count.tokens
            if len(text) <= _LONG:
                self._known[text] = count.tokens
        return counts

    def _count_costs(self, items: Sequence[Item]) -> _Table:
        counts = self._count_texts([text for item in items for text in item[2:]])
        costs: defaultdict[_Key, Costs] = defaultdict(Costs)
        for item in items:
            tokens = (counts[text] for text in item[2:])
            costs[item.category, item.tool] += Costs(0 if item.tool == PRIMER else 1, *tokens)
        return costs

    def _read_definitions(self, record: Record) -> tuple[ToolSet | None, _Table]:
        if not record.tools:
            return self._tools, {}
        tools, items, unread = _compile_definitions(minified(record.tools))
        self.unread |= unread
        costs = self._count_costs(items)
        total = sum(costs.values(), Costs())
        self.typescript += total
        if _provider_of_model(record.model) != "openai":
            costs = {key: cost._replace(shown=cost.json) for key, cost in costs.items()}
        return tools, costs

    def _message_costs(self, message: Message, tools: ToolSet | None, called: _Called) -> _Table:
        return self._count_costs([*self._iterate_message_items(message, tools, called)])

    def _iterate_message_items(
        self, message: Message, tools: ToolSet | None, called: _Called
    ) -> Iterator[Item]:
        for part in message.parts:
            match part:
                case Text(text) | Thought(text) if text:
                    yield Item(_CATEGORIES[message.role], TEXT, text, text, text, text)
                case Other():
                    self.uncounted[part.kind] += 1
                case ToolCall():
                    called[part.id] = part.name
                    yield self._make_call_item(part, tools)
                case ToolResult():
                    name = part.name or called.get(part.call_id) or UNKNOWN
                    notation = _result_in_lton(part, name, tools)
                    yield Item("results", name, part.text, part.text, notation, notation)

    def _make_call_item(self, call: ToolCall, tools: ToolSet | None) -> Item:
        as_json = f'{{"name":{minified(call.name)},"arguments":{call.written}}}'
        for definitions in (tools, None) if tools else (None,):
            try:
                notation = encode(
                    call.call, definitions, form=FOR_MODELS if definitions else "wire"
                )
            except (ConversionError, EncodeError):
                continue
            if definitions is None:
                self.maps += 1
            return Item("calls", call.name, as_json, as_json, notation, notation)
        return Item("calls", call.name, as_json, as_json, as_json, as_json)


def _sum_tables(tables: Iterable[_Table]) -> _Table:
    total: defaultdict[_Key, Costs] = defaultdict(Costs)
    for table in tables:
        for key, cost in table.items():
            total[key] += cost
    return total


def _provider_of_model(model: str) -> str:
    if _OPENAI.match(model):
        return "openai"
    return "anthropic" if _ANTHROPIC.match(model) else DEFAULT


def _result_in_lton(result: ToolResult, name: str, tools: ToolSet | None) -> str:
    value = result.text if result.is_error else read_value(result.text)
    try:
        return write_answer(name, value, tools, is_error=result.is_error)
    except EncodeError:
        return result.text


@lru_cache(_TOOLSETS)
def _compile_definitions(definitions: str) -> tuple[ToolSet | None, Sequence[Item], dict[str, str]]:
    """Compile tool definitions. Return the tools, their items, and errors by tool name."""
    items: list[Item] = []
    by_name: dict[str, Any] = {}
    unread: dict[str, str] = {}
    for definition in read_value(definitions):
        text = minified(definition)
        try:
            (tool,) = one = ToolSet.from_tools([definition])
        except SchemaError as error:
            name = defined_name(definition) or UNKNOWN
            unread[name] = str(error)
            items.append(Item("definitions", name, text, text, text, text))
            continue
        by_name[tool.name] = definition
        signed = (f"{one.prompt(descriptions=described)}\n" for described in (True, False))
        items.append(
            Item("definitions", tool.name, text, _as_typescript(tool.name, definition), *signed)
        )
    if not by_name:
        return None, items, unread
    tools = ToolSet.from_tools(by_name.values())
    primer = instructions(tools).replace(tools.prompt(), "", 1)
    items.append(Item("definitions", PRIMER, "", HEAD + TAIL, primer, primer))
    return tools, items, unread


def _as_typescript(name: str, definition: Mapping[str, Any]) -> str:
    holder = definition.get("function", definition)
    schema = next((holder[key] for key in SCHEMA_KEYS if key in holder), None)
    function = {"name": name, "description": holder.get("description"), "parameters": schema}
    return f"{write_typescript(function)}\n\n"
