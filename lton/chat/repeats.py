"""Remove repeated calls and made-up tool results from a reply."""

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from lton._json import read_json
from lton.chat.records import ToolCall
from lton.chat.writing import write_answer
from lton.events import Answer, CallEnd, CallStart, Event, Prose
from lton.schema.jsonschema.keyword_checks import key_of

_T = TypeVar("_T")
REPEATED = "the model repeated itself"
LABELS = "a list of labels does not end"
AGAIN = "the model made a call again"
LOOPS = (REPEATED, LABELS, AGAIN)  # the reasons for ending an answer before a limit


@dataclass(frozen=True, slots=True)
class RepeatedCall:
    """A call that was omitted because it repeats an earlier call."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ImitatedAnswer:
    """Text that was omitted because the model imitated a tool result."""

    text: str


LeftOut: TypeAlias = RepeatedCall | ImitatedAnswer


class DistinctCalls(Generic[_T]):
    """Finds repeated calls in an answer, and holds back calls that may turn out to be repetitions.

    A call to a tool that was already called may be a repetition, so its pieces are held until the
    call ends. With `repeat`, repeated calls are allowed. Only calls with the same `scope` are
    compared.
    """

    def __init__(self, *, repeat: bool = False) -> None:
        self.repeat = repeat
        self.is_holding = False
        self._held: list[_T] = []
        self._names: set[tuple[Hashable, str]] = set()
        self._keys: set[Hashable] = set()

    def may_repeat(self, name: str, scope: Hashable = None) -> bool:
        return not self.repeat and (scope, name) in self._names

    def begin_call(self, name: str, scope: Hashable = None) -> bool:
        """Record the start of a call and return whether its pieces are held back."""
        self.is_holding = self.may_repeat(name, scope)
        self._names.add((scope, name))
        return self.is_holding

    def feed(self, piece: _T) -> list[_T]:
        """Return a piece, or hold it back if the current call may be a repetition."""
        if not self.is_holding:
            return [piece]
        self._held.append(piece)
        return []

    def flush(self) -> list[_T]:
        """Return the pieces of the current call that are held back."""
        pieces = self._held
        self._held = []
        self.is_holding = False
        return pieces

    def is_repeated(
        self, name: str, arguments: Mapping[str, Any] | str, scope: Hashable = None
    ) -> bool:
        """Record a completed call and return whether it repeats an earlier one."""
        value: Any = arguments
        if isinstance(arguments, str):
            with suppress(ValueError):
                value = read_json(arguments or "{}")
        key = scope, name, key_of(value)
        is_known = not self.repeat and key in self._keys
        self._keys.add(key)
        return is_known


class Repeats:
    """Replaces the events of each repeated call with a `RepeatedCall`."""

    def __init__(self, *, repeat: bool) -> None:
        self._calls = DistinctCalls[Event](repeat=repeat)

    def feed(self, event: Event | LeftOut) -> Sequence[Event | LeftOut]:
        """Add an event and return all events that need not be held back any longer."""
        match event:
            case CallStart(name):
                self._calls.begin_call(name)
            case CallEnd(call):
                pieces = self._calls.flush()
                if self._calls.is_repeated(call.name, call.arguments):
                    return [RepeatedCall(ToolCall(call.name, dict(call.arguments)))]
                return [*pieces, event]
            case RepeatedCall() | ImitatedAnswer():
                return [event]
        return self._calls.feed(event)

    def flush(self) -> list[Event]:
        """Return the events of a call that has not ended, and that may be a repetition."""
        return self._calls.flush()


_MARKS = ("!result", "!error")
_IMITATION = re.compile(r"!(?:result|error)(?![\w-])")


class Imitations:
    """Replaces the events of each imitated tool result with an `ImitatedAnswer`.

    An answer in LTON is replaced anywhere. At the start of the reply and after a call, any other
    line that looks like an answer is also replaced.
    """

    def __init__(self) -> None:
        self._is_head = True
        self._held: list[str] = []  # white space, and the start of a mark if `_has_begun`
        self._has_begun = False
        self._line: list[str] | None = None  # a line that is an imitation and has not ended

    def feed(self, event: Event | LeftOut) -> Iterator[Event | LeftOut]:
        """Add an event and yield all events that cannot be part of an imitation."""
        if self._is_head:
            if isinstance(event, Prose):
                yield from self._iterate_head_events(event.text)
                return
            yield from self.flush()
        match event:
            case Answer(result):
                answer = write_answer(result.name, result.value, is_error=result.is_error)
                yield ImitatedAnswer(answer)
            case CallEnd():
                self._is_head = True
                yield event
            case _:
                yield event

    def flush(self) -> Iterator[Event | LeftOut]:
        """Yield the text that is held back, as an imitation or as prose."""
        text = self._take_held()
        if self._line is None and _IMITATION.match(text.lstrip()):
            self._line = [text.lstrip()]
        if self._line is not None:
            yield self._take_imitation()
        elif text:
            yield Prose(text)

    def _take_held(self) -> str:
        text = "".join(self._held)
        self._held = []
        self._has_begun = False
        return text

    def _iterate_head_events(self, text: str) -> Iterator[Event | LeftOut]:
        if self._line is None:
            self._held.append(text)
            if text.isspace() and not self._has_begun:
                return
            text = self._take_held()
        while text:
            if (
                self._line is None
                and (is_incomplete := _classify_start_of_imitation(text)) is not None
            ):
                if is_incomplete:
                    self._held = [text]
                    self._has_begun = not text.isspace()
                    return
                self._line = []
                text = text.lstrip()
            if self._line is None:
                self._is_head = False
                yield Prose(text)
                return
            line, newline, text = text.partition("\n")
            self._line.append(line)
            if newline:
                yield self._take_imitation()

    def _take_imitation(self) -> ImitatedAnswer:
        text, self._line = "".join(self._line or ()), None
        return ImitatedAnswer(text.rstrip())


def _classify_start_of_imitation(text: str) -> bool | None:
    """Return True if a line may still be an imitation, False if it is one, None if it is not."""
    start = text.lstrip()
    if _IMITATION.match(start) and start not in _MARKS:
        return False
    return True if any(mark.startswith(start) for mark in _MARKS) else None
