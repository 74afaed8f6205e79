"""`--show`: definitions in tiers, and the tool that gives the descriptions that are left out.

The definitions of a request follow from its tools alone: a conversation has the same in each of its
requests, whatever was described in between. What was described stays in the conversation, as the
call that asked for it and its answer, before the turn of the model that the client knows: so the
model goes on having read it, and a cache has the same beginning.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from typing import Any

from lton._json import minified
from lton.chat import Message, Text, ToolCall
from lton.chat.beginnings import Latest, beginnings
from lton.gateway.apis.replies import AssistantMessage
from lton.gateway.apis.requests import ClientRequest
from lton.gateway.window.base_tools import with_base
from lton.gateway.window.options import ROUNDS
from lton.schema.shown.tiers import DESCRIBES, Describer, undescribed
from lton.schema.toolset import ToolSet

_MOST_TURNS = 100_000
MAX_KEPT = 4_000_000
"""Characters of descriptions that are kept in conversations; the first make room."""
_QUERY = {"type": "string", "description": "names, or what to do"}
_PARAMETERS = {"type": "object", "properties": {"query": _QUERY}, "required": ["query"]}


class Describing:
    """Shows tools in tiers, with descriptions of `budget` tokens, and keeps what was described.

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
        """What was described, by the turn after it."""
        self._lock = Lock()

    def shown(self, request: ClientRequest) -> "DescribedRequest | None":
        """Get a request in tiers; None for one whose descriptions fit, and for several answers."""
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
        """Get messages with what was described before them, by a tool of this name."""
        for turn, key in zip(messages, _keys(messages), strict=True):
            kept = self._kept.get(key, ())
            if kept and kept[0].calls[0].name == name:
                yield from kept
            yield turn

    def keep(self, messages: Sequence[Message], described: Sequence[Message]) -> None:
        """Keep what was described before the last of some messages."""
        *_, key = _keys(messages)
        if not key:
            return
        with self._lock:
            self._kept.put(key, tuple(described))


@dataclass(frozen=True)
class DescribedRequest:
    """A request whose tools are in tiers: `lton.gateway.window.rounds.OwnTools`."""

    describing: Describing
    asked: ClientRequest
    """As the client sent it."""
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
        """Keep the descriptions that were read."""
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
        """Get how many tools had no description, and which were asked for."""
        asked = [call.written for call in calls if call.name in self.names]
        return {"undescribed": len(self.request.tools.bare), "described": asked}


@lru_cache(64)
def _in_tiers(tools: ToolSet, budget: int, answer: str) -> tuple[str, ToolSet]:
    """Get the name of our tool, and the tools with it.

    The tool that stands for an `answer` in JSON is described: its description is ours.
    """
    bare = undescribed(tools, budget) - {answer}
    name = "describe"
    while name in tools.by_name:
        name = f"tools_{name}"
    definition = {"name": name, "description": DESCRIBES, "parameters": _PARAMETERS}
    own = ToolSet.from_tools([definition])
    return name, with_base(replace(tools, bare=bare), own)


@lru_cache(256)
def _selected(tools: ToolSet, names: tuple[str, ...]) -> ToolSet:
    return tools if len(names) == len(tools) else tools.select(*names)


@lru_cache(64)
def _describer(tools: ToolSet) -> Describer:
    return Describer(tools)


def _keys(messages: Sequence[Message]) -> Iterator[str]:
    """Get what turns of the model are known by; "" of other messages.

    That is the id of its first call, else all that was said so far: an answer in words alone may be
    that of many conversations.
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
