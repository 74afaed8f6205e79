"""Find a model that makes the same calls again and again, and end this without an error.

A turn is the calls of one answer with their results. If the last turns of a conversation are the
same one, or the same two to four in the same order, and all results were the same too, the model
has learned nothing new. Small models on a local server often do not leave such a loop, and agents
then end with an error at their limit of turns.

From the third copy on, a note follows the repeated results. It depends only on earlier messages, so
later requests contain it at the same place, and prompt caches work. If the model ignores two notes
and makes the next call of the loop, this call is not made, and the model answers without tools.
Every other call is made, also if it is that answer. A result that changed, as of a program that
still runs, ends the loop.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lton.apis.api import Api
from lton.chat import ToolCall
from lton.chat.deltas import LoopingCall
from lton.chat.tool_results import with_results
from lton.gateway.native.result_forms import (
    iterate_results_in,
    iterate_written_calls_in,
    read_arguments,
)
from lton.schema.jsonschema.keyword_checks import key_of
from lton.schema.toolset import ToolSet

MOST_PERIOD = 4
"""The most turns that are repeated together."""
COPIES = 3
"""The copies of turns that are a loop."""
MOST_IGNORED = 2
"""The notes that a model may ignore."""
NOTE = (
    "[This call was made before, with this same result. Do not make it again: use the result, make"
    " another call, or answer in words.]"
)
WrittenCall: TypeAlias = tuple[str, Any]
"""The name of a tool, and the arguments as a request contains them."""


@dataclass(frozen=True)
class CalledTurn:
    """The calls of one answer, with their results in the order of the calls."""

    calls: tuple[WrittenCall, ...]
    results: tuple[Any, ...]


@dataclass
class TurnReader:
    """Collects the turns since the last message of the user, from messages of any API."""

    turns: list[CalledTurn] = field(default_factory=list)
    places: list[int] = field(default_factory=list)  # of the results of the last turn
    _calls: dict[str, WrittenCall] = field(default_factory=dict)  # of the open turn, by id
    _results: dict[str, Any] = field(default_factory=dict)  # of the open turn, by id

    @property
    def is_complete(self) -> bool:
        """Whether all calls have results."""
        return not self._calls

    def feed_message(self, message: Any, position: int) -> bool:
        """Read the next message, and return whether it completed a turn."""
        calls = {
            id_: (name, arguments) for id_, name, arguments in iterate_written_calls_in(message)
        }
        results = dict(iterate_results_in(message))
        if calls:
            if self._results:
                self._begin_turn()
            self._calls |= calls
        elif results:
            return self._read_results(results, position)
        elif isinstance(message, Mapping) and message.get("role") == "user":
            self.turns = []
            self._begin_turn()
        return False

    def _read_results(self, results: Mapping[str, Any], position: int) -> bool:
        if not self._results:
            self.places = []
        self.places.append(position)
        self._results |= results
        if not self._calls or not self._calls.keys() <= self._results.keys():
            return False
        turn_results = tuple(self._results[id_] for id_ in self._calls)
        self.turns.append(CalledTurn(tuple(self._calls.values()), turn_results))
        self._begin_turn()
        return True

    def _begin_turn(self) -> None:
        self._calls = {}
        self._results = {}


@dataclass(frozen=True)
class Loop:
    """The repeated turns at the end of a conversation."""

    ignored: int  # the notes that the model has ignored, up to `MOST_IGNORED`
    next_calls: tuple[WrittenCall, ...]  # the calls that would continue the loop


def find_loop(turns: Sequence[CalledTurn]) -> Loop | None:
    """Return the loop at the end of some turns, or None."""
    for period in range(1, MOST_PERIOD + 1):
        least = period * COPIES
        most = min(len(turns), least + MOST_IGNORED)
        length = min(period, len(turns))
        while length < most and turns[-length - 1] == turns[period - length - 1]:
            length += 1
        if length >= least:
            return Loop(length - least, turns[-period].calls)
    return None


def find_imitated_turn(turns: Sequence[CalledTurn]) -> Loop | None:
    """Return the last turn as a loop of one copy, for a model whose calls are text.

    Such a model imitates the calls before. If it writes the last call again, it has nothing to
    call: without tools, it answers from the result.
    """
    return Loop(0, turns[-1].calls) if turns else None


def with_repeated_turns_noted(
    body: Mapping[str, Any], api: Api
) -> tuple[Mapping[str, Any], Sequence[CalledTurn]]:
    """Return a body with a note after each repeated result, and the turns at its end.

    There are no turns at its end if the user has said something since, or if a result is missing.
    Without repeated results, the body is the same object.
    """
    messages = body.get(api.conversation_key)
    if not isinstance(messages, list):
        return body, ()
    reader = TurnReader()
    noted = [*messages]
    is_noted = False
    for position, message in enumerate(messages):
        if reader.feed_message(message, position) and find_loop(reader.turns):
            is_noted = True
            for result_position in reader.places:
                (noted[result_position],) = with_results(
                    [noted[result_position]], _make_note_appender()
                )
    last_turns = reader.turns if reader.is_complete else ()
    return {**body, api.conversation_key: noted} if is_noted else body, last_turns


def _make_note_appender() -> Callable[[str, str], str]:
    noted = set[str]()

    def append_note_once(text: str, call: str) -> str:
        if call in noted:  # another part of the same result
            return text
        noted.add(call)
        return f"{text}\n\n{NOTE}"

    return append_note_once


@dataclass(frozen=True)
class LoopCheck:
    """Declines the calls of an answer that continue a loop (a `CallCheck`)."""

    loop: Loop
    holds_words: bool = True  # words before a repeated call are repeated, too
    allows_others: bool = True  # only the repeated call is useless

    def try_write_request_body(self) -> None:
        """Return no request: nothing has to be asked."""

    def decline_calls(
        self, answer: Mapping[str, Any] | None, calls: Sequence[ToolCall], tools: ToolSet
    ) -> tuple[LoopingCall, ...]:
        """Return the calls that are not made: all of them, or none."""
        del answer
        repeated = {_key_of(name, arguments, tools) for name, arguments in self.loop.next_calls}
        call_keys = {_key_of(call.name, call.given, tools) for call in calls}
        return tuple(map(LoopingCall, calls)) if call_keys <= repeated else ()


def _key_of(name: str, arguments: Any, tools: ToolSet) -> Hashable:
    """Return what equal calls have in common. A missing argument equals its default."""
    values = read_arguments(arguments or {})
    if name in tools.by_name and isinstance(values, Mapping):
        parameters = tools.by_name[name].args.params
        defaults = {param.name: param.default for param in parameters if param.has_default}
        values = {**defaults, **values}
    return name, key_of(values)
