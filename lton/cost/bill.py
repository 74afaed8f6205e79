"""Counts of what logs hold: each definition, call and result as JSON, and as LTON says it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from lton._json import minified, read_value
from lton._syntax import Form
from lton.chat import Message, ToolCall, ToolResult
from lton.chat.writing import instructions, write_answer
from lton.codec import encode
from lton.cost.logs import Record
from lton.errors import ConversionError, EncodeError, SchemaError
from lton.grammar.build import FOR_MODELS
from lton.schema.toolset import ToolSet
from lton.tokens import TokenCounter

Category: TypeAlias = Literal["definitions", "calls", "results"]
CATEGORIES: tuple[Category, ...] = ("definitions", "calls", "results")
PRIMER = "(how to call)"
"""Whose row what explains the notation is in."""
UNKNOWN = "(unknown)"
"""Whose row a result is in that belongs to no call."""
_TOOLSETS = 64
_KEPT = 2**14
"""Counts of so many texts are kept: a log has the same definitions in every line."""
_LONG = 4096
"""Longer texts are counted each time."""


class Item(NamedTuple):
    """A text that is paid for, in both notations, and in LTON without descriptions."""

    category: Category
    tool: str
    json: str
    lton: str
    bare: str


@dataclass(frozen=True, slots=True)
class Costs:
    """How many there are of something, and their tokens in JSON and in LTON.

    `bare` are LTON's without the descriptions that definitions have.
    """

    number: int = 0
    json: int = 0
    lton: int = 0
    bare: int = 0

    def __add__(self, other: "Costs") -> "Costs":
        return Costs(
            self.number + other.number,
            self.json + other.json,
            self.lton + other.lton,
            self.bare + other.bare,
        )

    @property
    def ratio(self) -> float | None:
        """LTON's tokens as a part of JSON's; None where JSON has none."""
        return self.lton / self.json if self.json else None


class Bill:
    """Counts records. `tools` are the tools of those that bring none of their own.

    JSON is counted at its shortest: each definition minified, each call as its name and its
    arguments, each result as it is in the log. LTON is counted as the gateway says it: signatures
    with what explains them, calls in a form for models, results in frames. A definition that
    cannot be read, and a call that cannot be written, cost the same in both. Messages, and what
    a chat template adds, are in neither. Whatever is in the log twice is counted twice, since it
    was paid for twice.

    >>> from lton.cost.logs import records
    >>> from lton.tokens import counter
    >>> bill = Bill(counter("o200k"), ToolSet.from_prompt("weather(city days:int)"))
    >>> for record in records({"name": "weather", "arguments": {"city": "Oslo", "days": 3}}):
    ...     bill.add(record)
    >>> bill.total("calls")
    Costs(number=1, json=16, lton=10, bare=10)
    """

    def __init__(
        self, counter: TokenCounter, tools: ToolSet | None = None, *, form: Form = FOR_MODELS
    ) -> None:
        self.costs: defaultdict[tuple[Category, str], Costs] = defaultdict(Costs)
        self.unread: dict[str, str] = {}
        """Definitions that are no tools' of LTON, by name, and why."""
        self.exact = True
        self.maps = 0
        """Calls that no tool takes: they are a name and a map, which needs none."""
        self._counter = counter
        self._tools = tools
        self._form = form
        self._known: dict[str, int] = {}

    def add(self, record: Record) -> None:
        """Count a record."""
        items = [*self._items(record)]
        counts = self._count([text for item in items for text in item[2:]])
        for item in items:
            tokens = (counts[text] for text in item[2:])
            self.costs[item.category, item.tool] += Costs(int(item.tool != PRIMER), *tokens)

    def total(self, category: Category | None = None, tool: str | None = None) -> Costs:
        """Get the cost of a category, of a tool, or of all."""
        found = (
            cost
            for (each, whose), cost in self.costs.items()
            if category in (None, each) and tool in (None, whose)
        )
        return sum(found, Costs())

    @property
    def tools(self) -> list[str]:
        """The names of all tools, those that cost most in JSON first."""
        names = dict.fromkeys(whose for _, whose in self.costs)
        return sorted(names, key=lambda name: (-self.total(tool=name).json, name))

    def _count(self, texts: Iterable[str]) -> dict[str, int]:
        texts = dict.fromkeys(texts)
        counts = {text: self._known[text] for text in texts if text in self._known}
        asked = [text for text in texts if text not in counts]
        if len(self._known) + len(asked) > _KEPT:
            self._known.clear()
        for text, found in zip(asked, self._counter.count_all(asked), strict=True):
            self.exact = self.exact and found.exact
            counts[text] = found.tokens
            if len(text) <= _LONG:
                self._known[text] = found.tokens
        return counts

    # --- what there is to count -----------------------------------------------------------------

    def _items(self, record: Record) -> Iterator[Item]:
        tools = self._tools
        if record.tools:
            tools, found, unread = _definitions(minified(record.tools), self._form)
            self.unread |= unread
            yield from found
        called: dict[str | None, str] = {}
        for message in record.messages:
            for call in message.calls:
                called[call.id] = call.name
                yield self._call(call, tools)
            yield from _results(message, called, tools)

    def _call(self, call: ToolCall, tools: ToolSet | None) -> Item:
        given = f'{{"name":{minified(call.name)},"arguments":{call.written}}}'
        for known in (tools, None) if tools else (None,):
            try:
                said = encode(call.call, known, form=self._form if known else "wire")
            except (ConversionError, EncodeError):
                continue
            self.maps += known is None
            return Item("calls", call.name, given, said, said)
        return Item("calls", call.name, given, given, given)


def _results(
    message: Message, called: dict[str | None, str], tools: ToolSet | None
) -> Iterator[Item]:
    for result in message.results:
        name = result.name or called.get(result.call_id) or UNKNOWN
        said = _result(result, name, tools)
        yield Item("results", name, result.text, said, said)


def _result(result: ToolResult, name: str, tools: ToolSet | None) -> str:
    value = result.text if result.is_error else read_value(result.text)
    try:
        return write_answer(name, value, tools, is_error=result.is_error)
    except EncodeError:
        return result.text


@lru_cache(_TOOLSETS)
def _definitions(
    definitions: str, form: Form
) -> tuple[ToolSet | None, Sequence[Item], dict[str, str]]:
    """Get the tools of definitions, what each costs, and what is no tool of LTON, and why."""
    found: list[Item] = []
    taken: dict[str, Any] = {}
    unread: dict[str, str] = {}
    for definition in read_value(definitions):
        text = minified(definition)
        try:
            (tool,) = one = ToolSet.from_tools([definition])
        except SchemaError as error:
            name = _name(definition)
            unread[name] = str(error)
            found.append(Item("definitions", name, text, text, text))
            continue
        taken[tool.name] = definition
        shown = (f"{one.prompt(descriptions=each)}\n" for each in (True, False))
        found.append(Item("definitions", tool.name, text, *shown))
    if not taken:
        return None, found, unread
    tools = ToolSet.from_tools(taken.values())
    told = instructions(tools, form=form).replace(tools.prompt(), "", 1)
    found.append(Item("definitions", PRIMER, "", told, told))
    return tools, found, unread


def _name(definition: Any) -> str:
    """Get what a definition that could not be read calls itself."""
    match definition:
        case {"function": {"name": str(name)}} | {"name": str(name)} | {"type": str(name)}:
            return name
    return UNKNOWN
