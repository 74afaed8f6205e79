"""Enforce the parts of a request that a server may ignore: a required call, and only one call."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lton import chat
from lton.apis.answers import AnswerReader
from lton.apis.tool_choice import try_read_choice
from lton.chat.deltas import (
    ApiDelta,
    ArgumentsDelta,
    BrokenCall,
    CallKey,
    ExtraCall,
    Finish,
    ToolCallStart,
)
from lton.gateway.native.native_calls import OF_CALLS, HeldEvent, NativeCall
from lton.grammar.build import Named

_MADE_NONE = "You did not call a tool. Call {}, and write nothing else."
_CALLED_OTHER = "error: not run, because the answer has to be a call of {}"


@dataclass(frozen=True)
class RequiredCall:
    """The call that a request requires. `is_any` allows all tools, also those not in `names`."""

    names: tuple[str, ...]
    is_any: bool

    def is_met_by(self, names: Iterable[str]) -> bool:
        return any(self.is_any or name in self.names for name in names)

    def reminder_messages(self, calls: Sequence[NativeCall], text: str) -> tuple[chat.Message, ...]:
        """Return an answer without the required call, and a message that asks for the call."""
        tools = "a tool" if self.is_any else " or ".join(f"`{name}`" for name in self.names)
        words = (chat.Text(text),) if text.strip() else ()
        if not calls:
            demand = chat.Message.saying("user", _MADE_NONE.format(tools))
            return (chat.Message("assistant", words), demand) if words else (demand,)
        tool_calls = [
            chat.ToolCall(call.start.name, call.arguments, call.start.id or chat.new_call_id())
            for call in calls
        ]
        why = chat.Text(_CALLED_OTHER.format(tools))
        results = [
            chat.ToolResult((why,), call.id, call.name, is_error=True) for call in tool_calls
        ]
        return chat.Message("assistant", (*words, *tool_calls)), chat.Message("tool", (*results,))


def find_required_call(tool_choice: Any, names: frozenset[str]) -> RequiredCall | None:
    """Return the call that a `tool_choice` requires, or None. `names` are the tools it allows."""
    choice, allowed = try_read_choice(tool_choice) or ("none", None)
    is_required = choice == "required" or isinstance(choice, Named)
    if not (is_required and names):
        return None
    return RequiredCall(tuple(sorted(names)), is_any=allowed is None)


class SingleCall:
    """Passes on the first call of each choice, and drops the others if `is_on`.

    `report` gets the dropped calls when the choice ends. The calls in `broken` are dropped, too,
    but not reported.
    """

    def __init__(
        self,
        reader: AnswerReader | None,
        report: Callable[[ExtraCall], None],
        broken: Mapping[CallKey, NativeCall],
        *,
        is_on: bool,
    ) -> None:
        self.reader = reader
        self.report = report
        self.broken = broken
        self.is_on = is_on
        self._first: dict[int, CallKey] = {}
        self.extra: dict[CallKey, NativeCall] = {}

    def split_at_first(
        self, calls: Sequence[NativeCall]
    ) -> tuple[list[NativeCall], list[NativeCall]]:
        """Return the calls of a complete answer that are kept, and the calls that are dropped."""
        allowed = list[NativeCall]()
        extra = list[NativeCall]()
        for call in calls:
            first = self._first.setdefault(call.start.choice, call.start.key)
            is_allowed = not self.is_on or first == call.start.key
            (allowed if is_allowed else extra).append(call)
        return allowed, extra

    def feed(self, piece: HeldEvent) -> Iterator[HeldEvent]:
        """Add an event and yield the event without the dropped calls."""
        event, deltas = piece
        for delta in deltas if self.is_on else ():
            self._note_delta(delta)
        if not self.drops_calls:
            yield piece
            return
        parts = [piece]
        if self.reader and self._is_mixed(deltas):
            parts = self.reader.split_event(event, deltas)
        for part, part_deltas in parts:
            remaining = [one for one in part_deltas if not self._is_extra(one)]
            if remaining or not part_deltas:
                dropped = [*self.extra, *self.broken]
                yield (
                    self.reader.event_without_calls(part, dropped, ()) if self.reader else part,
                    remaining,
                )

    @property
    def drops_calls(self) -> bool:
        """Whether a call has been dropped."""
        return bool(self.extra or self.broken)

    def _note_delta(self, delta: ApiDelta) -> None:
        match delta:
            case ToolCallStart(key=key):
                if self._first.setdefault(key[0], key) != key:
                    self.extra[key] = NativeCall(delta)
            case ArgumentsDelta(json=json, key=key) if key in self.extra:
                self.extra[key].pieces.append(json)
            case Finish(choice=choice):
                for key, call in self.extra.items():
                    if key[0] == choice and not call.is_over:
                        call.is_over = True
                        self.report(describe_extra_call(call))

    def _is_mixed(self, deltas: list[ApiDelta]) -> bool:
        extra = [self._is_extra(delta) for delta in deltas]
        return any(extra) and not all(extra)

    def _is_extra(self, delta: ApiDelta) -> bool:
        if not isinstance(delta, OF_CALLS):
            return False
        return delta.key in self.extra or delta.key in self.broken


def describe_extra_call(call: NativeCall) -> ExtraCall:
    """Return the report about a call that was dropped."""
    tool_call = chat.ToolCall(call.start.name, call.arguments)
    return ExtraCall(tool_call, call.start.choice)


def report_broken_call(call: NativeCall, reason: str) -> BrokenCall:
    """Return the report about a call that is not delivered, because it is not JSON."""
    tool_call = chat.ToolCall(call.start.name, call.arguments)
    return BrokenCall(tool_call, reason, call.start.choice)
