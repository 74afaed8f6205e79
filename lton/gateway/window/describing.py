"""Show tools without descriptions and add a tool that returns descriptions (`show`).

The definitions depend only on the request's tools, so they stay the same in the whole conversation.
Descriptions that the model requested are inserted in later requests, as a call and its result
before the client's turn. So the model still sees these descriptions, and the start of the prompt
can be cached.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from typing import Any

from lton.apis.answer_notes import AssistantMessage
from lton.apis.client_requests import ClientRequest
from lton.chat import Message, ToolCall
from lton.chat.beginnings import Latest
from lton.gateway.window.context_options import ROUNDS
from lton.gateway.window.kept_rounds import (
    iterate_messages_with_rounds,
    iterate_numbered_turns,
    store_rounds,
    turn_keys,
)
from lton.schema.shown.tiers import DESCRIBES, Describer, tools_without_description
from lton.schema.toolset import ToolSet

_MOST_TURNS = 100_000
MAX_KEPT = 4_000_000
"""The maximum bytes of stored rounds."""
_QUERY = {"type": "string", "description": "names, or what to do"}
_PARAMETERS = {"type": "object", "properties": {"query": _QUERY}, "required": ["query"]}


class Describing:
    """Omits tool descriptions beyond a budget, and keeps those that the model has asked for."""

    def __init__(self, budget: int, most: int = MAX_KEPT) -> None:
        self.budget = budget
        self._kept = Latest[str, bytes](_MOST_TURNS, most, len)
        """Rounds with descriptions, by the turn after them."""
        self._lock = Lock()

    def try_shorten_definitions(self, request: ClientRequest) -> "DescribedRequest | None":
        """Return a request with fewer descriptions, or None if no description has to be omitted."""
        if request.n > 1:
            return None
        name, tools = _write_in_tiers(request.tools, self.budget, request.answer)
        if not tools.bare:
            return None
        messages = request.messages
        if self._kept:
            turns = iterate_numbered_turns(messages)
            keys = turn_keys(messages)
            messages = tuple(iterate_messages_with_rounds(turns, keys, self._kept.get))
        asks = (name,) if request.choice in ("auto", "required") else ()
        allowed = _select_tools(tools, (*request.callable.by_name, *asks))
        shortened = replace(request, messages=messages, tools=tools, callable=allowed)
        return DescribedRequest(self, request, shortened, (name,))

    def store_rounds(self, key: str, rounds: bytes) -> None:
        with self._lock:
            self._kept.store(key, rounds)


@dataclass(frozen=True)
class DescribedRequest:
    """A request in which some tools have no description (see `OwnTools`)."""

    describing: Describing
    client_request: ClientRequest  # the client's request
    request: ClientRequest
    names: Collection[str]
    rounds: int = ROUNDS

    def answer_call(self, call: ToolCall, read: Sequence[Message] = ()) -> str:
        del read
        arguments = call.arguments
        query = arguments if isinstance(arguments, str) else str(arguments.get("query"))
        return _make_describer(self.client_request.tools).describe_tools(query)

    def store_answer(
        self, answer: AssistantMessage, read: Sequence[Message], last: Sequence[Message]
    ) -> None:
        store_rounds(self.describing.store_rounds, self.client_request.messages, answer, read, last)

    def count_calls_for_log(self, calls: Sequence[ToolCall]) -> dict[str, Any]:
        """Count the tools without descriptions, and the calls that ask for descriptions."""
        written_calls = [call.written for call in calls if call.name in self.names]
        return {"undescribed": len(self.request.tools.bare), "described": written_calls}


@lru_cache(64)
def _write_in_tiers(tools: ToolSet, budget: int, answer: str) -> tuple[str, ToolSet]:
    """Add the tool that returns descriptions, and return its name and all tools.

    The tool for a JSON `answer` keeps its description, which is the gateway's own.
    """
    bare = tools_without_description(tools, budget) - {answer}
    name = "describe"
    while name in tools.by_name:
        name = f"tools_{name}"
    definition = {"name": name, "description": DESCRIBES, "parameters": _PARAMETERS}
    own = ToolSet.from_tools([definition])
    return name, with_base(replace(tools, bare=bare), own)


@lru_cache(256)
def with_base(tools: ToolSet, base: ToolSet) -> ToolSet:
    """Return the client's tools, followed by the gateway's tools."""
    return ToolSet((*tools.tools, *base.tools), tools.notes, tools.bare)


@lru_cache(256)
def _select_tools(tools: ToolSet, names: tuple[str, ...]) -> ToolSet:
    return tools if len(names) == len(tools) else tools.select(*names)


@lru_cache(64)
def _make_describer(tools: ToolSet) -> Describer:
    return Describer(tools)
