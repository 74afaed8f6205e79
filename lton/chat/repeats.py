"""Parts of a reply that must be left out: repeated calls and imitated answers."""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lton._json import read_json
from lton.chat.records import ToolCall
from lton.chat.writing import write_answer
from lton.events import Answer, Argument, ArgumentDelta, CallEnd, CallStart, Event, Prose
from lton.schema.jsonschema.keyword_checks import key_of
from lton.schema.types import JSON

_COMPARED = 64
"""Calls compared while a call streams; with more, the call is held until its end."""
REPEATED, LABELS = "the model repeated itself", "a list of labels goes on and on"
AGAIN = "the model made a call again"
LOOPS = (REPEATED, LABELS, AGAIN)
"""The reasons why an answer ended without reaching a limit."""


@dataclass(frozen=True, slots=True)
class RepeatedCall:
    """A call with the name and the arguments of an earlier one. It is left out, and has no id."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ImitatedAnswer:
    """Text in the form of a tool's answer. The model wrote it, so it is left out."""

    text: str


LeftOut: TypeAlias = RepeatedCall | ImitatedAnswer


class GivenCalls:
    """The calls of an answer so far, compared by names and values.

    With `repeat` a call may be made again. Only calls of one `scope` are compared.

    >>> given = GivenCalls()
    >>> given.begin("wait"), given.end("wait", '{"minutes": 5}')
    (False, False)
    >>> given.begin("wait"), given.end("wait", {"minutes": 5.0})
    (True, True)
    """

    def __init__(self, *, repeat: bool = False) -> None:
        self.repeat = repeat
        self._names: set[tuple[Hashable, str]] = set()
        self._keys: set[Hashable] = set()

    def may_have(self, name: str, scope: Hashable = None) -> bool:
        return not self.repeat and (scope, name) in self._names

    def begin(self, name: str, scope: Hashable = None) -> bool:
        """Add a name; return whether the call may repeat an earlier one."""
        may_repeat = self.may_have(name, scope)
        self._names.add((scope, name))
        return may_repeat

    def end(self, name: str, arguments: Mapping[str, Any] | str, scope: Hashable = None) -> bool:
        """Add a call that has ended; return whether it repeats an earlier one."""
        value: Any = arguments
        if isinstance(arguments, str):
            with suppress(ValueError):
                value = read_json(arguments or "{}")
        key = scope, name, key_of(value)
        is_known = not self.repeat and key in self._keys
        self._keys.add(key)
        return is_known


@dataclass(frozen=True, slots=True)
class _Made:
    arguments: Mapping[str, JSON]
    keys: Mapping[str, Any] = field(default_factory=dict)


class Repeats:
    """Passes events on, and replaces each repeated call by a `RepeatedCall`.

    A call is held as long as it matches an earlier call.
    """

    def __init__(self) -> None:
        self._made: dict[str, list[_Made]] = {}
        self._given = GivenCalls()
        self._held: list[Event] = []
        self._is_held = False
        self._like: list[_Made] = []
        """The earlier calls that agree with the open one so far."""
        self._waits_for_end = False
        self._at = 0
        """The characters of a string argument that have come."""

    def passed(self, events: Iterable[Event | LeftOut]) -> list[Event | LeftOut]:
        """Return the events that are certain after some new ones, including events held before."""
        return [passed for event in events for passed in self._events(event)]

    def _events(self, event: Event | LeftOut) -> Iterator[Event | LeftOut]:
        if isinstance(event, CallEnd):
            yield from self._end(event)
            return
        if isinstance(event, CallStart):
            made = self._made.get(event.name, [])
            self._waits_for_end = len(made) > _COMPARED
            self._like, self._is_held, self._at = made[:_COMPARED], bool(made), 0
        if not self._is_held or isinstance(event, LeftOut):
            yield event
            return
        self._held.append(event)
        if not self._waits_for_end:
            self._compare(event)
            if not self._like:
                yield from self.rest()

    def rest(self) -> list[Event]:
        held, self._held, self._is_held = self._held, [], False
        return held

    def _compare(self, event: Event) -> None:
        match event:
            case ArgumentDelta((str(name),), text):
                self._like = [
                    each
                    for each in self._like
                    if isinstance(value := each.arguments.get(name), str)
                    and value.startswith(text, self._at)
                ]
                self._at += len(text)
            case Argument(name, value):
                key, self._at = key_of(value), 0
                self._like = [
                    each for each in self._like if name in each.keys and each.keys[name] == key
                ]

    def _end(self, event: CallEnd) -> Iterator[Event | LeftOut]:
        call = event.call
        held = self.rest()
        if self._given.end(call.name, call.arguments):
            yield RepeatedCall(ToolCall(call.name, dict(call.arguments)))
            return
        keys = {name: key_of(value) for name, value in call.arguments.items()}
        self._made.setdefault(call.name, []).append(_Made(call.arguments, keys))
        yield from held
        yield event


_MARKS = ("!result", "!error")
_IMITATION = re.compile(r"!(?:result|error)(?![\w-])")


class Imitations:
    """Passes events on, and replaces imitations of tools' answers by an `ImitatedAnswer`.

    An answer in LTON is replaced wherever it is. At the beginning of the reply and after a call,
    any other line that begins like an answer is replaced, too.
    """

    def __init__(self) -> None:
        self._is_head = True
        self._held: list[str] = []
        """White space, and the beginning of a mark if one `_has_begun`."""
        self._has_begun = False
        self._line: list[str] | None = None
        """A line that is an imitation and has not ended."""

    def passed(self, events: Iterable[Event | LeftOut]) -> list[Event | LeftOut]:
        return [passed for event in events for passed in self._events(event)]

    def _events(self, event: Event | LeftOut) -> Iterator[Event | LeftOut]:
        match event:
            case Prose(text) if self._is_head:
                yield from self._head_events(text)
                return
        yield from self.rest()
        match event:
            case Answer(result):
                answer = write_answer(result.name, result.value, is_error=result.is_error)
                yield ImitatedAnswer(answer)
            case CallEnd():
                self._is_head = True
                yield event
            case _:
                yield event

    def rest(self) -> Iterator[Event | LeftOut]:
        held, self._held, self._has_begun = "".join(self._held), [], False
        if self._line is None and _IMITATION.match(held.lstrip()):
            self._line = [held.lstrip()]
        if self._line is not None:
            yield self._imitated()
        elif held:
            yield Prose(held)

    def _head_events(self, text: str) -> Iterator[Event | LeftOut]:
        if self._line is None:
            self._held.append(text)
            if text.isspace() and not self._has_begun:
                return
            text, self._held, self._has_begun = "".join(self._held), [], False
        while text:
            if self._line is None and (held := _held(text)) is not None:
                if held:
                    self._held, self._has_begun = [text], not text.isspace()
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
                yield self._imitated()

    def _imitated(self) -> ImitatedAnswer:
        text, self._line = "".join(self._line or ()), None
        return ImitatedAnswer(text.rstrip())


def _held(text: str) -> bool | None:
    """Return True if a line may become an imitation, False if it is one, None if it is not."""
    begun = text.lstrip()
    if _IMITATION.match(begun) and begun not in _MARKS:
        return False
    return True if any(mark.startswith(begun) for mark in _MARKS) else None
