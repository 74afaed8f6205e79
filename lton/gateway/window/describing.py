"""`--show`: show tools without descriptions, and add a tool that returns descriptions.

The definitions depend only on the request's tools, so they stay the same in the whole conversation.
Descriptions that the model requested are kept in the conversation, as a call and its result before
the turn that the client knows. So the model still sees them, and the start of the prompt can be
cached.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from typing import Any

from lton._json import minified
from lton.apis.answer_notes import AssistantMessage
from lton.chat import Message, Text, ToolCall
from lton.chat.beginnings import Latest, beginnings
from lton.gateway.apis.client_requests import ClientRequest
from lton.gateway.window.context_options import ROUNDS
from lton.schema.shown.tiers import DESCRIBES, Describer, undescribed
from lton.schema.toolset import ToolSet

_MOST_TURNS = 100_000
MAX_KEPT = 4_000_000
"""The maximum characters of descriptions that are kept."""
_QUERY = {"type": "string", "description": "names, or what to do"}
_PARAMETERS = {"type": "object", "properties": {"query": _QUERY}, "required": ["query"]}


class Describing:
    """Shows tools with descriptions of `budget` tokens, and keeps requested descriptions.

    >>> tool = {"name": "wait", "description": "Do nothing."}
    >>> tools = ToolSet.from_tools([tool])
    >>> request = ClientRequest(model="m", messages=(), tools=tools, callable=tools)
    >>> shown = Describing(0).shown(request)
    >>> print(shown.request.tools.prompt())
    wait()
    describe Get the descriptions of tools, by their names or by what to do.
     query names, or what to do
    """

    def __init__(self, budget: int, most: int = MAX_KEPT) -> None:
        self.budget = budget
        self._kept = Latest[str, tuple[Message, ...]](_MOST_TURNS, most, _size)
        """Requested descriptions, by the turn after them."""
        self._lock = Lock()

    def shown(self, request: ClientRequest) -> "DescribedRequest | None":
        """Return a request with fewer descriptions, or None if all fit or `n` is over 1."""
        if request.n > 1:
            return None
        name, tools = _in_tiers(request.tools, self.budget, request.answer)
        if not tools.bare:
            return None
        messages = request.messages
        if self._kept:
            messages = tuple(self._with_described(messages, name))
        asks = (name,) if request.choice in ("auto", "required") else ()
        allowed = _selected(tools, (*request.callable.by_name, *asks))
        sent = replace(request, messages=messages, tools=tools, callable=allowed)
        return DescribedRequest(self, request, sent, (name,))

    def _with_described(self, messages: Sequence[Message], name: str) -> Iterator[Message]:
        """Insert the kept descriptions before their turns."""
        for turn, key in zip(messages, _keys(messages), strict=True):
            kept = self._kept.get(key, ())
            if kept and kept[0].calls[0].name == name:
                yield from kept
            yield turn

    def keep(self, messages: Sequence[Message], described: Sequence[Message]) -> None:
        """Keep descriptions that came before the last message."""
        *_, key = _keys(messages)
        if not key:
            return
        with self._lock:
            self._kept.put(key, tuple(described))


@dataclass(frozen=True)
class DescribedRequest:
    """A request with only some descriptions, which implements
    `lton.gateway.window.rounds.OwnTools`.
    """

    describing: Describing
    asked: ClientRequest
    """The client's request."""
    request: ClientRequest
    names: Collection[str]
    rounds: int = ROUNDS

    def answer(self, call: ToolCall, read: Sequence[Message] = ()) -> str:
        del read
        arguments = call.arguments
        query = arguments if isinstance(arguments, str) else str(arguments.get("query"))
        return _describer(self.asked.tools).describe(query)

    def keep(
        self, said: AssistantMessage, read: Sequence[Message], beside: Sequence[Message]
    ) -> None:
        turn = Message("assistant", (Text(said.content), *said.calls))
        if described := list(self._described([*read, *beside])):
            self.describing.keep([*self.asked.messages, turn], described)

    def _described(self, read: Sequence[Message]) -> Iterator[Message]:
        calls = {call.id: call for each in read for call in each.calls if call.name in self.names}
        for result in (result for each in read for result in each.results):
            if call := calls.get(result.call_id):
                yield Message("assistant", (call,))
                yield Message("tool", (result,))

    def report(self, calls: Sequence[ToolCall]) -> dict[str, Any]:
        """Return the number of tools without a description, and the requested ones."""
        asked = [call.written for call in calls if call.name in self.names]
        return {"undescribed": len(self.request.tools.bare), "described": asked}


@lru_cache(64)
def _in_tiers(tools: ToolSet, budget: int, answer: str) -> tuple[str, ToolSet]:
    """Return the name of the describing tool, and all tools.

    The tool for a JSON `answer` keeps its description, which is the gateway's own.
    """
    bare = undescribed(tools, budget) - {answer}
    name = "describe"
    while name in tools.by_name:
        name = f"tools_{name}"
    definition = {"name": name, "description": DESCRIBES, "parameters": _PARAMETERS}
    own = ToolSet.from_tools([definition])
    return name, with_base(replace(tools, bare=bare), own)


@lru_cache(256)
def with_base(tools: ToolSet, base: ToolSet) -> ToolSet:
    """Return the client's tools, followed by the gateway's."""
    return ToolSet((*tools.tools, *base.tools), tools.notes, tools.bare)


@lru_cache(256)
def _selected(tools: ToolSet, names: tuple[str, ...]) -> ToolSet:
    return tools if len(names) == len(tools) else tools.select(*names)


@lru_cache(64)
def _describer(tools: ToolSet) -> Describer:
    return Describer(tools)


def _keys(messages: Sequence[Message]) -> Iterator[str]:
    """Yield a key for each turn of the model, and "" for other messages.

    The key is the id of the first call, or otherwise a digest of the conversation, because many may
    end with the same words.
    """
    for each, digest in zip(messages, beginnings(map(_written, messages)), strict=True):
        key = each.calls[0].id if each.calls else digest
        yield key or "" if each.role == "assistant" else ""


def _written(message: Message) -> str:
    calls, results = (call.written for call in message.calls), (r.text for r in message.results)
    return minified([message.role, message.text.strip(), *calls, *results])


def _size(described: Sequence[Message]) -> int:
    calls = sum(len(call.written) for each in described for call in each.calls)
    return calls + sum(len(result.text) for each in described for result in each.results)
